/* fuzz_lockup - feeds arbitrary lines to the lock-up detector: its windows stay within their
 * bounds, and a restart after each line makes no difference. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/logmatch/lockup.h"
#include "../../tools/logmatch/matcher.h"
#include "../../tools/logmatch/memory.h"
#include "num.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Most lines of an input that are used. */
#define LINES_MAX 1000

/* Two detectors that get the same lines; after each line the second is encoded and decoded. */
struct run {
	struct eval_memory *whole, *restarted;
	bool enabled[LOGPATTERN_N];
	uint64_t time_ns;
};

static void
check_bounds(const struct lockup *lockup)
{
	assert(lockup->frame_left <= LOCKUP_BEFORE_LINES);
	for (enum lockup_kind kind = 0; kind < LOCKUP_KIND_N; kind++) {
		const struct lockup_window *window = &lockup->windows[kind];
		assert(window->lines_left <= LOCKUP_WINDOW_LINES);
		assert(window->cpu_count <= LOCKUP_CPUS_MAX);
		assert(strnlen(window->header, sizeof window->header) <= LOCKUP_HEADER_MAX_BYTES);
		for (const char *at = window->header; *at != '\0'; at++)
			assert(*at >= ' ' && *at <= '~');
	}
}

static void
restart(struct run *run)
{
	json_t *json = memory_encode_new(run->restarted);
	assert(json != NULL);
	memset(run->restarted, 0, sizeof *run->restarted);
	assert(memory_decode(json, run->restarted));
	json_t *again = memory_encode_new(run->restarted);
	assert(json_equal(json, again));
	json_decref(again);
	json_decref(json);
}

static void
check_finding(const struct run *run, const struct lockup_finding *whole,
	const struct lockup_finding *restarted)
{
	assert(whole->pattern < LOGPATTERN_N && run->enabled[whole->pattern]);
	assert(pattern_of(whole->pattern)->stateful);
	assert(whole->pattern == restarted->pattern && whole->cpu == restarted->cpu &&
		whole->seconds == restarted->seconds);
	assert(strcmp(whole->header, restarted->header) == 0);
}

/* Copy the line to its own allocation, so that the sanitizer detects reads beyond it. */
static void
take_line(struct run *run, const struct matcher *matcher, const char *bytes, size_t length)
{
	struct lockup_finding whole, restarted;
	char *line = malloc(length == 0 ? 1 : length);
	assert(line != NULL);
	memcpy(line, bytes, length);
	struct match match =
		matcher_match(matcher, line, length, matcher_meaning(matcher, line, length));
	assert(!match.gave_up);
	struct lockup_line input = {.text = line,
		.length = length,
		.interesting = match.is_frame,
		.is_timed = run->time_ns % (2 * NUM_NS_PER_S) == 0,
		.time_ns = run->time_ns};
	bool found = lockup_step(&run->whole->lockup, run->enabled, &input, &whole);
	bool same = lockup_step(&run->restarted->lockup, run->enabled, &input, &restarted);
	assert(found == same);
	if (found)
		check_finding(run, &whole, &restarted);
	check_bounds(&run->whole->lockup);
	restart(run);
	assert(lockup_counts_lines(&run->whole->lockup) ==
		lockup_counts_lines(&run->restarted->lockup));
	free(line);
}

/* The first byte of the input selects the enabled patterns; the first byte of each line changes the
 * time. */
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct matcher *matcher;
	static struct eval_memory memories[2];
	struct run run = {.whole = &memories[0],
		.restarted = &memories[1],
		.time_ns = UINT64_C(1767323045) * NUM_NS_PER_S};
	const char *line = (const char *)data, *end = line + size;

	memset(memories, 0, sizeof memories);
	if (size == 0)
		return 0;
	for (enum logpattern pattern = 0; pattern < LOGPATTERN_N; pattern++)
		run.enabled[pattern] = (data[0] >> (pattern % 8) & 1) == 0;
	if (matcher == NULL) {
		bool all[LOGPATTERN_N];
		memset(all, true, sizeof all);
		matcher = matcher_new(all);
		assert(matcher != NULL);
	}
	line++;
	for (size_t count = 0; line < end && count < LINES_MAX; count++) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));
		const char *line_end = newline == NULL ? end : newline;
		/* Skip the byte for the time: the patterns match at the start of the line. */
		if (line < line_end) {
			run.time_ns +=
				(uint64_t)((int64_t)(unsigned char)*line - 64) * 30 * NUM_NS_PER_S;
			line++;
		}
		take_line(&run, matcher, line, (size_t)(line_end - line));
		line = line_end + (newline != NULL);
	}
	return 0;
}

/* fuzz_logmatch - feeds arbitrary bytes as a log through all of logmatch, in each format: the
 * output consists of records that fit and are safe to print. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/logmatch/pieces.h"
#include "diag.h"
#include "num.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A memfd that replaces stdout. */
static int written = -1;

static void
catch_output(void)
{
	if (written >= 0)
		return;
	diag_init("fuzz_logmatch");
	written = memfd_create("written", MFD_CLOEXEC);
	assert(written >= 0 && dup2(written, STDOUT_FILENO) >= 0);
	setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
}

static void
check_printable(const char *text)
{
	for (const unsigned char *at = (const unsigned char *)text; *at != '\0'; at++) {
		assert(*at >= ' ' && *at != 0x7f);
		assert(at[0] != 0xC2 || at[1] >= 0xA0);
	}
}

/* Check a line of the output. Events come from logmatch; other lines are input records that were
 * passed on. */
static void
check_line(const char *line, size_t length)
{
	json_t *json = json_loadb(line, length, JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL, NULL);
	assert(json != NULL);
	const char *agent = json_string_value(json_object_get(json, "agent"));
	if (agent != NULL && strcmp(agent, "syslog-health-monitor") == 0) {
		const char *message = json_string_value(json_object_get(json, "message"));
		assert(length < REC_EVENT_MAX_BYTES);
		assert(json_object_get(json, "id") != NULL);
		assert(message != NULL);
		check_printable(message);
	}
	json_decref(json);
}

/* Check each line of the output and clear it. Return its size. */
static size_t
check_written(void)
{
	off_t size = lseek(written, 0, SEEK_END);
	char *text = malloc((size_t)size + 1);
	assert(size >= 0 && text != NULL);
	assert(pread(written, text, (size_t)size, 0) == size);
	assert(size == 0 || text[size - 1] == '\n');
	for (char *line = text, *end = text + size; line < end;) {
		char *feed = memchr(line, '\n', (size_t)(end - line));
		check_line(line, (size_t)(feed - line));
		line = feed + 1;
	}
	free(text);
	assert(ftruncate(written, 0) == 0 && lseek(written, 0, SEEK_SET) == 0);
	return (size_t)size;
}

/* Return the matcher, which all runs share, because building it takes longer than most runs. */
static struct matcher *
matcher_of(const struct analysis *analysis)
{
	static struct matcher *matcher;
	if (matcher == NULL)
		matcher = matcher_new(analysis->setting.enabled);
	return matcher;
}

static void
begin(struct analysis *analysis, struct output *output, const struct outlet_options *options)
{
	static const struct outlet_owner owner;
	assert(output_init(output, options, &owner, NULL, "node-1") == 0);
	analysis->output = output;
	analysis->time.boot_ns = UINT64_C(1767225600) * NUM_NS_PER_S;
	analysis->time.now_ns = UINT64_C(1792888200) * NUM_NS_PER_S;
	memset(analysis->setting.enabled, true, sizeof analysis->setting.enabled);
	for (enum logpattern pattern = 0; pattern < LOGPATTERN_N; pattern++)
		analysis->setting.strategy[pattern] = event_strategies[pattern % EVENT_STRATEGY_N];
	analysis->setting.window_ns = EVAL_WINDOW_NS;
	/* Act as after a boot: write the baseline event, which ends earlier conditions. */
	analysis->baseline = *event_strategies;
	analysis->matcher = matcher_of(analysis);
	analysis->look = pcilook_new(-1);
	assert(analysis->matcher != NULL && analysis->look != NULL);
	assert(analysis_begin(analysis) == 0);
}

/* Feed the log as one piece or line by line, each in its own allocation, so that the sanitizer
 * detects reads beyond it. */
static void
take_all(struct pieces *pieces, const char *bytes, size_t size, bool line_by_line)
{
	struct analysis_place place = {"the.log", "at byte", 0};
	const char *end = bytes + size;
	while (bytes < end) {
		const char *feed = line_by_line ? memchr(bytes, '\n', (size_t)(end - bytes)) : NULL;
		size_t length = feed != NULL ? (size_t)(feed + 1 - bytes) : (size_t)(end - bytes);
		char *piece = malloc(length);
		assert(piece != NULL);
		memcpy(piece, bytes, length);
		assert(pieces_accept(pieces, &place, piece, length) == 0);
		free(piece);
		bytes += length;
		place.number += length;
	}
	assert(pieces_release(pieces, &place) == 0);
	analysis_end_input(pieces->analysis, place.name);
	assert(analysis_take_back(pieces->analysis, pieces->analysis->time.now_ns) == 0);
	assert(output_commit(pieces->analysis->output, OUTLET_SAME, 0) == 0);
}

static size_t
run_once(enum logline_format format, const char *bytes, size_t size, bool line_by_line)
{
	static const struct outlet_options options = {.tool = "logmatch", .strategy = "STORE_ONLY"};
	static struct analysis analysis;
	static struct output output;

	analysis = (struct analysis){0};
	begin(&analysis, &output, &options);
	struct pieces pieces = {.analysis = &analysis, .format = format};
	take_all(&pieces, bytes, size, line_by_line);
	pieces_fini(&pieces);
	output_fini(&output);
	/* Keep the matcher for the next run. */
	analysis.matcher = NULL;
	analysis_fini(&analysis);
	return check_written();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	catch_output();
	for (int format = LOGLINE_AUTO; format <= LOGLINE_SYSLOG; format++) {
		size_t whole =
			run_once((enum logline_format)format, (const char *)data, size, false);
		/* The split into pieces must not change the output. */
		assert(run_once((enum logline_format)format, (const char *)data, size, true) ==
			whole);
	}
	return 0;
}

/* fuzz_logline - any bytes as a kernel log: in each format each line is read within its bounds, and has a moment. */
#include "../../tools/logmatch/lineform.h"
#include "../../tools/logmatch/logtime.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct run {
	enum logline_format format;
	struct lineform_scratch scratch;
	struct logtime time;
	bool after_kmsg;
};

static bool
is_within(const char *text, size_t length, const char *bytes, size_t size)
{
	return text >= bytes && text <= bytes + size && length <= (size_t)(bytes + size - text);
}

static void
check_logline(struct run *run, const struct logline *got, const char *line, size_t length)
{
	assert((got->reason != NULL) == (got->kind == LOGLINE_BAD));
	if (got->kind == LOGLINE_MESSAGE || got->kind == LOGLINE_RECORD)
		assert(is_within(got->text, got->length, line, length) ||
			is_within(
				got->text, got->length, run->scratch.bytes, run->scratch.capacity));
	if (got->kind != LOGLINE_MESSAGE)
		return;
	/* What the zone was remembered for makes no difference. */
	struct logtime fresh = {.boot_ns = run->time.boot_ns, .now_ns = run->time.now_ns};
	uint64_t moment_ns = logtime_resolve(&run->time, got);
	assert(moment_ns == logtime_resolve(&fresh, got));
	if (got->clock == LOGLINE_NO_TIME)
		assert(moment_ns == run->time.now_ns);
}

/* In memory of its own, so that the sanitizer sees a step beyond. */
static void
read_line(struct run *run, const char *bytes, size_t length)
{
	struct logline got;
	char *line = malloc(length == 0 ? 1 : length);
	assert(line != NULL);
	memcpy(line, bytes, length);
	assert(lineform_parse(run->format, line, length, run->after_kmsg, &run->scratch, &got) ==
		0);
	check_logline(run, &got, line, length);
	run->after_kmsg = got.of_kmsg;
	assert(lineform_parse_kmsg(line, length, &run->scratch, &got) == 0);
	check_logline(run, &got, line, length);
	free(line);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *end = (const char *)data + size;

	setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
	for (int format = LOGLINE_AUTO; format <= LOGLINE_SYSLOG; format++) {
		struct run run = {.format = (enum logline_format)format,
			.time = {.boot_ns = UINT64_C(1767225600000000000),
				.now_ns = UINT64_C(1792888200000000000)}};
		for (const char *line = (const char *)data; line < end;) {
			const char *newline = memchr(line, '\n', (size_t)(end - line));
			const char *line_end = newline == NULL ? end : newline;
			read_line(&run, line, (size_t)(line_end - line));
			line = line_end + (newline != NULL);
		}
		lineform_scratch_fini(&run.scratch);
	}
	return 0;
}

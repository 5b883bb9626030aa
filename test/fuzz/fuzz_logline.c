/* fuzz_logline - parses arbitrary bytes as a kernel log in each format: each line is read within
 * its bounds, and gets a time and perhaps a printer. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/logmatch/kmsgform.h"
#include "../../tools/logmatch/lineform.h"
#include "../../tools/logmatch/logtime.h"
#include "../../tools/logmatch/printer.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct run {
	enum logline_format format;
	struct strbuf scratch;
	struct logtime time;
	bool after_kmsg;
};

static bool
is_within(const char *text, size_t length, const char *bytes, size_t size)
{
	return text >= bytes && text <= bytes + size && length <= (size_t)(bytes + size - text);
}

/* The parsed parts must lie within the message, and the body must end where it ends. */
static void
check_printer(const char *text, size_t length)
{
	struct printer got;
	if (!printer_parse(text, length, &got)) {
		assert(got.forms == PRINTER_NONE);
		return;
	}
	assert(got.forms != PRINTER_NONE);
	assert(is_within(got.body, got.body_length, text, length));
	assert(got.body + got.body_length == text + length);
	assert(is_within(got.device, got.device_length, text, length));
}

static void
check_logline(struct run *run, const struct logline *got, const char *line, size_t length)
{
	assert((got->reason != NULL) == (got->kind == LOGLINE_BAD));
	if (got->kind == LOGLINE_MESSAGE || got->kind == LOGLINE_RECORD)
		assert(is_within(got->text, got->length, line, length) ||
			is_within(got->text, got->length, run->scratch.bytes, run->scratch.size));
	if (got->kind != LOGLINE_MESSAGE)
		return;
	check_printer(got->text, got->length);
	struct printer printer;
	if (printer_parse(got->text, got->length, &printer))
		printer_is_named(&printer, got->subsystem.at, got->subsystem.length, got->device.at,
			got->device.length);
	/* The cached time zone must not change the result. */
	struct logtime fresh = {.boot_ns = run->time.boot_ns, .now_ns = run->time.now_ns};
	uint64_t moment_ns = logtime_resolve(&run->time, got);
	assert(moment_ns == logtime_resolve(&fresh, got));
	if (got->clock == LOGLINE_NO_TIME)
		assert(moment_ns == run->time.now_ns);
}

/* Copy the line to its own allocation, so that the sanitizer detects reads beyond it. */
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
	assert(kmsgform_parse(line, length, &run->scratch, &got) == 0);
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
		strbuf_fini(&run.scratch);
	}
	return 0;
}

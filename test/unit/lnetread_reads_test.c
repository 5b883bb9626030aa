/* Unit tests of lnetread's reads: splitting a stream into reads. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/lnetread/reads.h"

#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define BEGIN "# lnetread 2026-11-25T16:48:41Z 1\n"
#define LATER "# lnetread 2026-11-25T16:49:41Z 2\n"
#define END "# lnetread end\n"

/* Describe each read: b(egun by a header) or n(ot) or m(alformed), c(ut), t(oo long), and its bytes
 * apart from the header's lines. */
static char *
describe_new(const char *text, size_t length, size_t chunk)
{
	static const char header[] = {
		[HEADER_NONE] = 'n', [HEADER_BEGIN] = 'b', [HEADER_MALFORMED] = 'm'};
	struct strbuf out = {0};
	struct reads reads;
	struct read read;
	enum reads_status status;
	int fd = check_feed(text, length, chunk);

	reads_init(&reads, fd);
	while ((status = reads_next(&reads, &read)) == READS_OK) {
		strbuf_addf(&out, "%c%s%s", header[read.header], read.is_cut ? "c" : "",
			read.is_too_long ? "t" : "");
		size_t bytes = 0;
		for (size_t i = 0; i < read.length; i++)
			bytes += read.text[i] == 'x';
		strbuf_addf(&out, "%zu ", bytes);
	}
	CHECK_INT(status, READS_END);
	CHECK_INT(reads_next(&reads, &read), READS_END);
	reads_fini(&reads);
	close(fd);
	return strbuf_detach_new(&out);
}

static void
streams(void)
{
	static const struct {
		const char *text, *reads;
	} rows[] = {
		{"", "n0 "},
		{"\n \n", "n0 "},
		{"x\nx\n", "n2 "},
		{"x\nx", "nc1 "}, /* the last line may be incomplete */
		{BEGIN "x\n" END, "b1 "},
		{BEGIN "x\n" END "\n", "b1 "},
		{BEGIN "x\n" END BEGIN "xx\n" END, "b1 b2 "},
		{BEGIN "x\n# lnetread end", "b1 "},
		{BEGIN END, "b0 "},
		{BEGIN, "bc0 "},
		{BEGIN "x\n", "bc1 "},
		{BEGIN "x\nx", "bc1 "},
		{BEGIN "x\n" LATER "xx\n" END, "bc1 b2 "},
		{"x\n" BEGIN "xx\n" END, "n1 b2 "},
		{BEGIN "x\n" END "xx\n", "b1 n2 "},
		{"x\n" END "xx\n", "n1 n2 "},
		{"# lnetread\nx\n" END, "m1 "},
		{BEGIN "x # lnetread end\nx\n" END, "b2 "},
	};

	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		for (size_t chunk = 1; chunk <= 64; chunk *= 8) {
			check_row("%s, %zu at a time", rows[i].text, chunk);
			char *reads = describe_new(rows[i].text, strlen(rows[i].text), chunk);
			CHECK_STR(reads, rows[i].reads);
			free(reads);
		}
	}
}

static void
times(void)
{
	struct reads reads;
	struct read read;
	static const char text[] = BEGIN "x\n" LATER "x\n" END;
	int fd = check_feed(text, strlen(text), strlen(text));

	reads_init(&reads, fd);
	CHECK_INT(reads_next(&reads, &read), READS_OK);
	CHECK_STR(read.when.stamp, "2026-11-25T16:48:41.000000Z");
	CHECK_INT(reads_next(&reads, &read), READS_OK);
	CHECK_STR(read.when.stamp, "2026-11-25T16:49:41.000000Z");
	CHECK_U64(read.when.boottime_ns, 2000000000);
	reads_fini(&reads);
	close(fd);
}

/* Describe a read whose lines, with its header, have `length` bytes, and another one after it. */
static char *
describe_long_new(size_t length, size_t line)
{
	static const char after[] = BEGIN "xx\n" END;
	size_t header = strlen(BEGIN), whole = length + strlen(after) + strlen(END);
	char *text = malloc(whole + 1);

	memset(text, 'y', length);
	memcpy(text, BEGIN, header);
	for (size_t at = header + line - 1; at < length; at += line)
		text[at] = '\n';
	text[length - 1] = '\n';
	snprintf(text + length, whole + 1 - length, "%s%s", END, after);
	char *reads = describe_new(text, whole, 1 << 20);
	free(text);
	return reads;
}

static void
bounds(void)
{
	static const struct {
		size_t length, line;
		const char *reads;
	} rows[] = {
		{READS_MAX_BYTES - 4096, 80, "b0 b2 "},
		{READS_MAX_BYTES + (1 << 20), 80, "bt0 b2 "},
		{READS_MAX_BYTES + (1 << 20), READS_MAX_BYTES, "bt0 b2 "},
		{3 * READS_MAX_BYTES, 80, "bt0 b2 "},
	};

	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("%zu bytes in lines of %zu", rows[i].length, rows[i].line);
		char *reads = describe_long_new(rows[i].length, rows[i].line);
		CHECK_STR(reads, rows[i].reads);
		free(reads);
	}
}

static void
unreadable(void)
{
	struct reads reads;
	struct read read;
	reads_init(&reads, -1);
	CHECK_INT(reads_next(&reads, &read), READS_ERROR);
	reads_fini(&reads);
}

static const struct check_test tests[] = {
	{"a read ends with its end line, with the next header or with the input", streams},
	{"each read has the times of its own header", times},
	{"of a read that is too long only the end is searched", bounds},
	{"a descriptor that cannot be read is an error", unreadable},
};

CHECK_MAIN(tests)

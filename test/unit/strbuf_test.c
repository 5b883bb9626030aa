/* Unit tests of strbuf: building texts piece by piece. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "strbuf.h"

#include "check.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

static void
grows(void)
{
	struct strbuf text = {0};
	size_t moves = 0;

	for (int i = 0; i < 1000; i++) {
		size_t before = text.size;
		strbuf_addf(&text, "%03d", i);
		strbuf_add(&text, ",;", 1);
		moves += text.size != before;
	}
	CHECK_U64(text.length, 4000);
	CHECK(!text.is_short);
	/* Its size doubles: two thousand pieces need only a few moves. */
	CHECK(moves < 10);
	char *bytes = strbuf_detach_new(&text);
	if (CHECK(bytes != NULL)) {
		CHECK_U64(strlen(bytes), 4000);
		CHECK(strncmp(bytes, "000,001,", 8) == 0);
		CHECK_STR(bytes + 3992, "998,999,");
	}
	free(bytes);
	CHECK(text.bytes == NULL && text.length == 0);
}

static void
detaches_nothing(void)
{
	struct strbuf text = {0};
	char *bytes = strbuf_detach_new(&text);
	CHECK_STR(bytes, "");
	free(bytes);
}

static void
takes_foreign_bytes(void)
{
	struct strbuf text = {0};

	strbuf_addf(&text, "%s", "one ");
	char *at = strbuf_reserve(&text, 5000);
	if (CHECK(at != NULL)) {
		memset(at, 'x', 5000);
		strbuf_wrote(&text, 3);
	}
	CHECK_STR(text.bytes, "one xxx");
	CHECK_U64(text.length, 7);
	const char *memory = text.bytes;
	strbuf_cut(&text, 5);
	CHECK_STR(text.bytes, "one x");
	CHECK_U64(text.length, 5);
	strbuf_clear(&text);
	strbuf_add(&text, "two", 3);
	CHECK_STR(text.bytes, "two");
	CHECK(text.bytes == memory);
	strbuf_fini(&text);
	CHECK(text.bytes == NULL && text.size == 0);
}

static void
runs_out(void)
{
	struct strbuf text = {0};

	strbuf_add(&text, "one", 3);
	errno = 0;
	CHECK(strbuf_reserve(&text, SIZE_MAX) == NULL);
	CHECK_INT(errno, ENOMEM);
	CHECK(text.is_short);
	strbuf_add(&text, "two", 3);
	strbuf_addf(&text, "%d", 3);
	CHECK_STR(text.bytes, "one");
	errno = 0;
	CHECK(strbuf_detach_new(&text) == NULL);
	CHECK_INT(errno, ENOMEM);
	CHECK(text.bytes == NULL);
}

static void
streams(void)
{
	struct strbuf text = {0};
	FILE *out = strbuf_open(&text);
	for (int i = 0; i < 10000; i++)
		fprintf(out, "%03d,", i % 1000);
	CHECK_INT(fclose(out), 0);
	CHECK_INT((int64_t)text.length, 40000);
	CHECK_STR(text.bytes + 39992, "998,999,");

	/* As after memory ran out. */
	text.is_short = true;
	out = strbuf_open(&text);
	fputs("more", out);
	CHECK_INT(fclose(out), EOF);
	strbuf_fini(&text);
}

static void
tells_what_cannot_be_formatted(void)
{
	struct strbuf text = {0};

	strbuf_addf(&text, "%s", "one");
	/* Without a locale this character cannot be converted. */
	strbuf_addf(&text, "%lc", (wint_t)0x2603);
	CHECK(text.is_short);
	strbuf_addf(&text, "%s", "two");
	CHECK_STR(text.bytes, "one");
	CHECK(strbuf_detach_new(&text) == NULL);
}

static void
cuts(void)
{
	char room[8];
	struct strbuf text;

	strbuf_init(&text, room, sizeof room);
	CHECK_STR(room, "");
	strbuf_add(&text, "one", 3);
	strbuf_addf(&text, "%s", "four");
	CHECK_STR(room, "onefour");
	CHECK(!text.is_short);
	strbuf_add(&text, "", 0);
	CHECK(!text.is_short);
	strbuf_addf(&text, "%d", 5);
	CHECK(text.is_short);

	strbuf_init(&text, room, sizeof room);
	strbuf_addf(&text, "%s", "a long one");
	strbuf_add(&text, "x", 1);
	CHECK_STR(room, "a long ");
	CHECK_U64(text.length, 7);
	CHECK(text.is_short);

	strbuf_init(&text, room, 1);
	strbuf_add(&text, "x", 1);
	CHECK_STR(room, "");
	CHECK(text.is_short);
}

static const struct check_test tests[] = {
	{"a growing text contains every piece", grows},
	{"a text without pieces is empty", detaches_nothing},
	{"bytes written into reserved memory become part of the text, and its memory is kept",
		takes_foreign_bytes},
	{"when memory runs out the text is short, and is not returned", runs_out},
	{"a stream into a text fails if the text is short", streams},
	{"a piece that cannot be formatted makes the text short, too",
		tells_what_cannot_be_formatted},
	{"a text in a fixed buffer is cut at its size", cuts},
};
CHECK_MAIN(tests)

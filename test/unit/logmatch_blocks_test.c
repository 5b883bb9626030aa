/* Unit tests of logmatch's blocks: reading every byte of a file or pipe once, in whole lines, with
 * its offset. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/logmatch/blocks.h"

#include "check.h"
#include "line.h"
#include "randomness.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* All pieces, concatenated. */
struct taken {
	char *bytes;
	size_t length, pieces;
	uint64_t offset;     /* of the first piece */
	size_t skipped;      /* lines */
	uint64_t skipped_at; /* of the last one */
};

/* Read to the end. `length` is the input's length. */
static struct taken
take_all(int fd, size_t length)
{
	struct taken taken = {.bytes = malloc(length + 1)};
	struct blocks blocks;
	const char *bytes;
	size_t size;
	uint64_t offset, expected = 0;
	enum blocks_status status;

	blocks_init(&blocks, fd);
	while ((status = blocks_next(&blocks, &bytes, &size, &offset)) != BLOCKS_END) {
		if (status == BLOCKS_OVERSIZED) {
			taken.skipped++;
			taken.skipped_at = offset;
			continue;
		}
		CHECK_INT(status, BLOCKS_OK);
		CHECK(size > 0 && taken.length + size <= length);
		/* Pieces consist of whole lines: only the last may lack its line end. */
		CHECK(taken.length == 0 || taken.bytes[taken.length - 1] == '\n');
		CHECK(offset >= expected);
		if (taken.pieces++ == 0)
			taken.offset = offset;
		memcpy(taken.bytes + taken.length, bytes, size);
		taken.length += size;
		expected = offset + size;
	}
	CHECK_INT(blocks_next(&blocks, &bytes, &size, &offset), BLOCKS_END);
	blocks_fini(&blocks);
	close(fd);
	return taken;
}

static void
check_same(int fd, const char *text, size_t length)
{
	struct taken taken = take_all(fd, length);
	CHECK_U64(taken.length, length);
	CHECK(taken.length == length && memcmp(taken.bytes, text, length) == 0);
	free(taken.bytes);
}

static int
file_of(const char *text, size_t length)
{
	int fd = open(check_file_bytes("log", text, length), O_RDONLY | O_CLOEXEC);
	CHECK(fd >= 0);
	return fd;
}

static void
small_inputs(void)
{
	static const char *const texts[] = {"", "\n", "\n\n\n", "a", "a\n", "a\nb", "a\n\nb\n",
		"one line\nand another\nwithout an end"};
	for (size_t i = 0; i < CHECK_COUNT(texts); i++) {
		check_row("%s", texts[i]);
		size_t length = strlen(texts[i]);
		check_same(file_of(texts[i], length), texts[i], length);
		for (size_t chunk = 1; chunk < 5; chunk++)
			check_same(check_feed(texts[i], length, chunk), texts[i], length);
	}
}

/* Lines of random lengths across several reads, with line ends exactly at, before and behind a
 * read's border. */
static void
borders(void)
{
	uint64_t state = 12;
	size_t length = 4 * BLOCKS_READ_BYTES + 77;
	for (size_t shift = 0; shift <= 4; shift++) {
		char *text = check_repeat_new('x', length);
		for (size_t at = 0; at < length; at += 1 + randomness_below(&state, 3000))
			text[at] = '\n';
		for (size_t border = 1; border <= 3; border++)
			text[border * BLOCKS_READ_BYTES - 2 + shift] = '\n';
		check_row("shifted by %d", (int)shift - 2);
		check_same(file_of(text, length), text, length);
		check_same(check_feed(text, length, 4097), text, length);
		free(text);
	}
}

static void
places(void)
{
	uint64_t state = 13;
	size_t length = 3 * BLOCKS_READ_BYTES, size;
	char *text = malloc(length);
	const char *bytes;
	uint64_t offset, expected = 0;
	struct blocks blocks;

	for (size_t at = 0; at < length; at++)
		text[at] = randomness_below(&state, 50) == 0 ? '\n' : (char)randomness_next(&state);
	blocks_init(&blocks, file_of(text, length));
	while (blocks_next(&blocks, &bytes, &size, &offset) == BLOCKS_OK) {
		CHECK_U64(offset, expected);
		CHECK(memcmp(text + offset, bytes, size) == 0);
		expected = offset + size;
	}
	CHECK_U64(expected, length);
	close(blocks.fd);
	blocks_fini(&blocks);
	free(text);
}

/* The longest line that is allowed takes many reads. */
static void
long_line(void)
{
	size_t length = LINE_RECORD_MAX_BYTES + 3;
	char *text = check_repeat_new('x', length);
	memcpy(text, "a\n", 2);
	text[length - 1] = '\n';
	check_same(file_of(text, length), text, length);
	/* The same without a line end. */
	check_same(file_of(text, length - 1), text, length - 1);
	free(text);
}

static void
check_skipped(int fd, size_t length, const char *rest, uint64_t place)
{
	struct taken taken = take_all(fd, length);
	CHECK_U64(taken.skipped, 1);
	CHECK_U64(taken.skipped_at, place);
	CHECK_U64(taken.length, strlen(rest));
	CHECK(taken.length == strlen(rest) && memcmp(taken.bytes, rest, taken.length) == 0);
	free(taken.bytes);
}

static void
too_long_line(void)
{
	size_t length = 3 * LINE_RECORD_MAX_BYTES;
	char *text = check_repeat_new('x', length);
	memcpy(text, "before\n", 7);
	memcpy(text + length - 7, "\nbehind", 7);
	check_skipped(file_of(text, length), length, "before\nbehind", 7);
	check_skipped(check_feed(text, length, 60001), length, "before\nbehind", 7);
	/* The next line right at the end of a read, and no next line. */
	check_skipped(file_of(text, length - 6), length, "before\n", 7);
	check_skipped(file_of(text, length - 7), length, "before\n", 7);
	memcpy(text, "xxxxxxx", 7);
	check_skipped(file_of(text, length), length, "behind", 0);
	free(text);
}

static void
two_too_long_lines(void)
{
	size_t each = 2 * LINE_RECORD_MAX_BYTES, length = 2 * each;
	char *text = check_repeat_new('x', length);
	text[each - 1] = '\n';
	memcpy(text + length - 6, "\nlast\n", 6);
	struct taken taken = take_all(file_of(text, length), length);
	CHECK_U64(taken.skipped, 2);
	CHECK_U64(taken.skipped_at, 2097152);
	CHECK_U64(taken.length, 5);
	CHECK_U64(taken.offset, length - 5);
	free(taken.bytes);
	free(text);
}

static void
unreadable(void)
{
	struct blocks blocks;
	const char *bytes;
	size_t length;
	uint64_t offset;
	int directory = open(check_dir(), O_RDONLY | O_CLOEXEC);
	blocks_init(&blocks, directory);
	CHECK_INT(blocks_next(&blocks, &bytes, &length, &offset), BLOCKS_ERROR);
	blocks_fini(&blocks);
	close(directory);
}

static const struct check_test tests[] = {
	{"small inputs are read unchanged, from a file and from a pipe byte by byte", small_inputs},
	{"a line across two reads is returned whole", borders},
	{"each piece has its offset", places},
	{"the longest allowed line is returned whole", long_line},
	{"a line that is too long is skipped and reported once, and the next is whole",
		too_long_line},
	{"each line that is too long is reported with its offset", two_too_long_lines},
	{"a failed read is an error", unreadable},
};
CHECK_MAIN(tests)

/* Unit tests of nichist's letters: finding and removing dead letters. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/nichist/letters.h"

#include "diag.h"
#include "spools.h"

#include <unistd.h>

/* Add letters to a spool, the first of record r`first`: to sinks s0 and s1 in turn, of events whose
 * numbers are higher by one. */
static void
add(const char *path, unsigned first, unsigned count)
{
	struct spool spool;
	spools_open(&spool, path);
	for (unsigned i = first; i < first + count; i++) {
		char sink[10], line[10];
		snprintf(sink, sizeof sink, "s%u", i % 2);
		snprintf(line, sizeof line, "r%u\n", i);
		const struct spool_letter letter = {.sink = sink,
			.id = "id",
			.reason = "no",
			.line = line,
			.length = strlen(line),
			.number = i + 1};
		CHECK_INT(spool_refuse(&spool, &letter), DATABASE_OK);
	}
	spool_fini(&spool);
}

static const char *
spool_of(const char *name, unsigned count)
{
	static char path[400];
	snprintf(path, sizeof path, "%s", spools_path(name));
	add(path, 0, count);
	return path;
}

static void
finds(void)
{
	struct letters letters = {0};
	CHECK_U64(letters_find(&letters, 7), 0);
	CHECK_INT(letters_read(&letters, spool_of("few.db", 100)), 0);
	CHECK_U64(letters.count, 100);
	for (unsigned i = 0; i < 100; i++) {
		char record[10];
		int length = snprintf(record, sizeof record, "r%u", i);
		uint64_t hash = letters_hash(record, (size_t)length);
		size_t at = letters_find(&letters, hash);
		check_row("%u", i);
		if (!CHECK(at < letters.count))
			break;
		CHECK_U64(letters.items[at].record, hash);
		CHECK_U64(letters.items[at].event, i + 1);
		CHECK_STR(letters.items[at].sink, i % 2 == 0 ? "s0" : "s1");
	}
	CHECK_U64(letters_find(&letters, 0), 0);
	CHECK_U64(letters_find(&letters, UINT64_MAX), 100);
	letters_fini(&letters);
	CHECK_U64(letters.count, 0);
}

static void
takes_out(void)
{
	const char *path = spool_of("many.db", 200);
	uint64_t events[75];
	for (uint64_t i = 0; i < 75; i++)
		events[i] = 2 * i + 1;
	CHECK_U64(letters_remove(path, "s0", events, 75), 75);
	/* Removed letters do not count again, and another sink's letters stay. */
	events[0] = 151;
	CHECK_U64(letters_remove(path, "s0", events, 75), 1);
	CHECK_U64(letters_remove(path, "s1", events, 75), 0);
	CHECK_U64(letters_remove(path, "s0", events, 0), 0);
	struct letters letters;
	CHECK_INT(letters_read(&letters, path), 0);
	CHECK_U64(letters.count, 124);
	letters_fini(&letters);
}

/* SQLite reuses the row's number. */
static void
takes_no_newer_one(void)
{
	const char *path = spool_of("newer.db", 2);
	struct letters letters;
	CHECK_INT(letters_read(&letters, path), 0);
	size_t last = letters.items[0].event == 2 ? 0 : 1;
	const uint64_t event = letters.items[last].event;
	CHECK_U64(letters_remove(path, "s1", &event, 1), 1);
	add(path, 3, 1);
	CHECK_U64(letters_remove(path, "s1", &event, 1), 0);
	letters_fini(&letters);
	CHECK_INT(letters_read(&letters, path), 0);
	CHECK_U64(letters.count, 2);
	letters_fini(&letters);
}

static void
is_not_there(void)
{
	struct letters letters;
	const uint64_t event = 1;
	diag_init("t");
	check_capture(STDERR_FILENO);
	CHECK_INT(letters_read(&letters, spools_path("none.db")), EXIT_NO_INPUT);
	letters_fini(&letters);
	CHECK_U64(letters_remove(spools_path("none.db"), "s0", &event, 1), 0);
	char *said = check_captured_new(STDERR_FILENO);
	CHECK_HAS(
		said, "dead letters that were delivered stay in it: unable to open database file");
	CHECK_INT(check_occurrences(said, "\n"), 2);
	free(said);
	CHECK(access(spools_path("none.db"), F_OK) < 0);
}

static const struct check_test tests[] = {
	{"a letter is found by its record", finds},
	{"letters are removed, each once", takes_out},
	{"a letter stored in the row of a removed one stays", takes_no_newer_one},
	{"a missing spool is not created", is_not_there},
};
CHECK_MAIN(tests)

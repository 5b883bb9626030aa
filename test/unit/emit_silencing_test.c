/* Unit tests of silencing: changes of the silences file and the clock, and the marking of
 * events. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/emit/in/silencing.h"
#include "atomfile.h"

#include "check.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* 2026-11-27T00:00:00Z */
#define MIDNIGHT_NS UINT64_C(1795737600000000000)
#define HOUR_NS (3600 * NUM_NS_PER_S)

#define ONE(id, device, until) \
	"{\"kind\":\"silence\",\"v\":1,\"id\":\"000000000000000" id "\",\"device\":\"" device \
	"\",\"until\":\"" until "\",\"why\":\"swap\",\"by\":\"alice\"}\n"

static struct silencing silencing;

/* Watch the file `silences` in a directory of its own, which becomes the current one. */
static void
begin(void)
{
	check_capture(STDERR_FILENO);
	CHECK(chdir(check_dir()) == 0);
	silencing_init(&silencing, "silences");
}

/* Return the messages, to free(). */
static char *
end_new(void)
{
	silencing_fini(&silencing);
	unlink("silences");
	return check_captured_new(STDERR_FILENO);
}

static void
put(const char *text)
{
	CHECK_INT(atomfile_write("silences", text, strlen(text), 0644), 0);
}

static bool
covers(const char *device, uint64_t now_ns)
{
	json_t *event = json_pack("{s:s, s:b, s:[{s:s, s:s}]}", "kind", "event", "isHealthy", 0,
		"entitiesImpacted", "entityType", "NIC", "entityValue", device);
	bool is_marked = silencing_mark(&silencing.reader.silences, event, now_ns);
	json_decref(event);
	return is_marked;
}

static void
hears_of_changes(void)
{
	struct pollfd fd;
	begin();
	CHECK(!silencing_refresh(&silencing, MIDNIGHT_NS));
	fd = (struct pollfd){.fd = silencing.fd, .events = POLLIN};
	CHECK_INT(poll(&fd, 1, 0), 0);
	put(ONE("1", "a", "2026-11-27T01:00:00Z"));
	CHECK_INT(poll(&fd, 1, 10000), 1);
	CHECK(silencing_refresh(&silencing, MIDNIGHT_NS));
	CHECK_INT(poll(&fd, 1, 0), 0);
	CHECK(covers("a", MIDNIGHT_NS));
	CHECK(!silencing_refresh(&silencing, MIDNIGHT_NS));

	put(ONE("2", "b", "2026-11-27T01:00:00Z"));
	CHECK(silencing_refresh(&silencing, MIDNIGHT_NS));
	CHECK(!covers("a", MIDNIGHT_NS) && covers("b", MIDNIGHT_NS));
	unlink("silences");
	CHECK_INT(poll(&fd, 1, 10000), 1);
	CHECK(silencing_refresh(&silencing, MIDNIGHT_NS));
	CHECK(!covers("b", MIDNIGHT_NS));
	CHECK(!silencing_refresh(&silencing, MIDNIGHT_NS));
	char *said = end_new();
	CHECK_STR(said, "");
	free(said);
}

static void
keeps_what_was_in_force(void)
{
	begin();
	/* At the start the valid lines apply. */
	put("nonsense\n" ONE("1", "a", "2026-11-27T01:00:00Z"));
	CHECK(silencing_refresh(&silencing, MIDNIGHT_NS));
	CHECK(covers("a", MIDNIGHT_NS));
	/* Later all lines must be valid. */
	put(ONE("2", "b", "2026-11-27T01:00:00Z") "{\"kind\":\"silence\"}\n");
	CHECK(!silencing_refresh(&silencing, MIDNIGHT_NS));
	CHECK(covers("a", MIDNIGHT_NS) && !covers("b", MIDNIGHT_NS));
	/* A file that others may write to is ignored ... */
	put(ONE("3", "c", "2026-11-27T01:00:00Z"));
	CHECK_INT(chmod("silences", 0666), 0);
	CHECK(!silencing_refresh(&silencing, MIDNIGHT_NS));
	CHECK(covers("a", MIDNIGHT_NS) && !covers("c", MIDNIGHT_NS));
	/* ... until they no longer may, which does not change its content. */
	CHECK_INT(chmod("silences", 0644), 0);
	CHECK(silencing_refresh(&silencing, MIDNIGHT_NS));
	CHECK(covers("c", MIDNIGHT_NS));
	char *said = end_new();
	CHECK_HAS(said, "silences silences: line 1: ");
	CHECK_HAS(said, "silences silences: line 2: ");
	CHECK_HAS(said, "silences silences: rejected: the previous silences stay in effect");
	CHECK_HAS(said, "silences silences: others may write to it");
	free(said);
}

static void
reads_again(void)
{
	struct rlimit before, none;
	begin();
	put(ONE("1", "a", "2026-11-27T01:00:00Z"));
	CHECK_INT(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = (struct rlimit){.rlim_cur = 0, .rlim_max = before.rlim_max};
	for (int look = 0; look < 2; look++) {
		CHECK_INT(setrlimit(RLIMIT_NOFILE, &none), 0);
		bool has_changed = silencing_refresh(&silencing, MIDNIGHT_NS);
		CHECK_INT(setrlimit(RLIMIT_NOFILE, &before), 0);
		CHECK(!has_changed && !covers("a", MIDNIGHT_NS));
		CHECK_U64(silencing_wakes_in_ns(&silencing, MIDNIGHT_NS), NUM_NS_PER_S);
	}
	CHECK(silencing_refresh(&silencing, MIDNIGHT_NS));
	CHECK(covers("a", MIDNIGHT_NS));
	CHECK(silencing_wakes_in_ns(&silencing, MIDNIGHT_NS) > NUM_NS_PER_S);

	/* A file that is too long stays too long. */
	char *text = check_repeat_new('x', SILENCE_FILE_BYTES + 1);
	for (int file = 0; file < 2; file++) {
		put(text);
		for (int look = 0; look < 2; look++)
			CHECK(!silencing_refresh(&silencing, MIDNIGHT_NS));
	}
	free(text);
	CHECK(covers("a", MIDNIGHT_NS));
	char *said = end_new();
	CHECK_INT(check_occurrences(said, "\n"), 3);
	CHECK_HAS(said, "silences silences: Too many open files: the previous silences stay ");
	CHECK_INT(check_occurrences(said, "silences silences: File too large: "), 2);
	free(said);
}

/* emit may create the directory itself, for its spool. */
static void
directory_that_comes_later(void)
{
	check_capture(STDERR_FILENO);
	CHECK(chdir(check_dir()) == 0);
	silencing_init(&silencing, "later/silences");
	CHECK_U64(silencing_wakes_in_ns(&silencing, MIDNIGHT_NS), NUM_NS_PER_S);
	CHECK(!silencing_refresh(&silencing, MIDNIGHT_NS));
	CHECK(silencing.fd < 0);
	CHECK(mkdir("later", 0700) == 0);
	CHECK(!silencing_refresh(&silencing, MIDNIGHT_NS));
	CHECK(silencing.fd >= 0);
	CHECK_U64(silencing_wakes_in_ns(&silencing, MIDNIGHT_NS), UINT64_MAX);
	silencing_fini(&silencing);
	CHECK(rmdir("later") == 0);
	free(check_captured_new(STDERR_FILENO));
}

static void
follows_the_clock(void)
{
	begin();
	put(ONE("1", "a", "2026-11-27T00:00:00Z") ONE("2", "b", "2026-11-27T01:00:00Z"));
	CHECK(silencing_refresh(&silencing, MIDNIGHT_NS - NUM_NS_PER_S));
	CHECK_U64(silencing_wakes_in_ns(&silencing, MIDNIGHT_NS - NUM_NS_PER_S), NUM_NS_PER_S);
	/* The clock may be set meanwhile. */
	CHECK_U64(silencing_wakes_in_ns(&silencing, MIDNIGHT_NS - HOUR_NS), 60 * NUM_NS_PER_S);
	CHECK(!silencing_refresh(&silencing, MIDNIGHT_NS - 1));
	CHECK(covers("a", MIDNIGHT_NS - 1));
	CHECK(silencing_refresh(&silencing, MIDNIGHT_NS));
	CHECK(!covers("a", MIDNIGHT_NS) && covers("b", MIDNIGHT_NS));

	/* The clock is set a year ahead, and back, and to 1970. */
	CHECK(silencing_refresh(&silencing, MIDNIGHT_NS + 9000 * HOUR_NS));
	CHECK(!covers("b", MIDNIGHT_NS + 9000 * HOUR_NS));
	CHECK_U64(silencing_wakes_in_ns(&silencing, MIDNIGHT_NS + 9000 * HOUR_NS), UINT64_MAX);
	CHECK(silencing_refresh(&silencing, MIDNIGHT_NS));
	CHECK(!covers("a", MIDNIGHT_NS) && covers("b", MIDNIGHT_NS));
	CHECK(silencing_refresh(&silencing, 0));
	CHECK(covers("a", 0) && covers("b", 0));
	free(end_new());
}

static void
marks(void)
{
	static const struct {
		const char *event, *expected;
	} rows[] = {
		{"{'isHealthy':false,'processingStrategy':'EXECUTE_REMEDIATION','metadata':{'x':"
		 "'y'},'entitiesImpacted':[{'entityType':'NIC','entityValue':'a'}]}",
			"{'isHealthy':false,'processingStrategy':'STORE_ONLY','metadata':{'x':'y',"
			"'silence':'0000000000000001','silenceBy':'alice','silenceWhy':'swap',"
			"'silenceStrategy':'EXECUTE_REMEDIATION'},'entitiesImpacted':[{'entityType'"
			":'NIC','entityValue':'a'}]}"},
		{"{'entitiesImpacted':[{'entityType':'NIC','entityValue':'a'}],'metadata':[1]}",
			"{'entitiesImpacted':[{'entityType':'NIC','entityValue':'a'}],'metadata':{"
			"'silence':'0000000000000001','silenceBy':'alice','silenceWhy':'swap',"
			"'silenceStrategy':'EXECUTE_REMEDIATION'},'processingStrategy':'STORE_ONLY'"
			"}"},
		{"{'isHealthy':true,'entitiesImpacted':[{'entityType':'NIC','entityValue':'a'}]}",
			NULL},
		{"{'entitiesImpacted':[{'entityType':'NIC','entityValue':'b'}]}", NULL},
		{"{'entitiesImpacted':[]}", NULL},
	};
	begin();
	put(ONE("1", "a", "2026-11-27T01:00:00Z"));
	silencing_refresh(&silencing, MIDNIGHT_NS);
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		const char *expected = rows[i].expected;
		json_t *event = check_json_new(rows[i].event);
		json_t *wanted = check_json_new(expected != NULL ? expected : rows[i].event);
		check_row("%s", rows[i].event);
		CHECK_INT(silencing_mark(&silencing.reader.silences, event, MIDNIGHT_NS),
			expected != NULL);
		CHECK(json_equal(event, wanted));
		json_decref(event);
		json_decref(wanted);
	}
	free(end_new());
}

static const struct check_test tests[] = {
	{"a created, changed or deleted file is noticed", hears_of_changes},
	{"a file with an invalid line changes nothing, except at the start",
		keeps_what_was_in_force},
	{"an unreadable file is read again later, and is reported once", reads_again},
	{"a directory created later is watched from then on", directory_that_comes_later},
	{"a silence ends at its time, whatever the clock does before and after", follows_the_clock},
	{"a silenced event is marked and only stored, a healthy event is never marked", marks},
};

CHECK_MAIN(tests)

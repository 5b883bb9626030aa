/* Unit tests of outlet: events are stored before they are written, and written until they are
 * acknowledged. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "outlet.h"

#include "check.h"
#include "tool.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- promises --- */

static void
without_state(void)
{
	struct tool tool;
	tool_begin(&tool, NULL, false);
	tool_open(&tool);
	CHECK_INT(tool_send(&tool, "first", OUTLET_AT_ONCE, 1), 0);
	CHECK_INT(tool_send(&tool, "second", OUTLET_SAME, 2), 0);
	outlet_finish(&tool.outlet, OUTLET_AT_ONCE, 3);
	CHECK_STR(tool_written(&tool), "1:first 2:second");
	CHECK_INT((int64_t)json_array_size(tool.outlet.outbox.events), 0);
	tool_end(&tool);
}

static void
stored_first(void)
{
	/* The write fails, but the event is in the file, and is written by the next run. */
	struct tool tool;
	tool_begin(&tool, "state", false);
	tool_open(&tool);
	int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
	tool.outlet.writer.fd = full;
	tool.number = 7;
	CHECK_INT(tool_send(&tool, "first", OUTLET_SAME, 1), -1);
	CHECK_INT((int64_t)tool_stored_events(&tool), 1);
	CHECK_INT(tool_stored_number(&tool), 7);
	close(full);
	tool_end(&tool);

	tool_begin(&tool, "state", false);
	tool_open(&tool);
	CHECK_STR(tool_written(&tool), "1:first");
	CHECK_INT(tool.number, 7);
	/* Now it counts as received, and the numbers continue. */
	CHECK_INT(tool_send(&tool, "second", OUTLET_SAME, 2), 0);
	CHECK_STR(tool_written(&tool), "2:second");
	outlet_finish(&tool.outlet, OUTLET_SAME, 3);
	CHECK_INT((int64_t)tool_stored_events(&tool), 0);
	tool_end(&tool);
}

static void
until_acknowledged(void)
{
	struct tool tool;
	char source[EVENT_SOURCE_SIZE];
	tool_begin(&tool, "state", true);
	tool_open(&tool);
	CHECK_INT(tool_send(&tool, "first", OUTLET_SAME, 1), 0);
	CHECK_INT(tool_send(&tool, "second", OUTLET_SAME, 2), 0);
	CHECK_STR(tool_written(&tool), "1:first 2:second");
	memcpy(source, tool.outlet.stream.source, sizeof source);
	tool_end(&tool);

	for (int run = 0; run < 2; run++) {
		tool_begin(&tool, "state", true);
		tool_open(&tool);
		CHECK_STR(tool_written(&tool), "1:first 2:second");
		tool_end(&tool);
	}
	tool_begin(&tool, "state", true);
	tool_acknowledge(source, 1, "");
	tool_open(&tool);
	CHECK_STR(tool_written(&tool), "2:second");
	/* While it runs: no event is left, and that is stored although nothing else is new. */
	tool_acknowledge(source, 2, "");
	CHECK_INT(tool_send(&tool, NULL, OUTLET_SAME, 3), 0);
	CHECK_INT((int64_t)tool_stored_events(&tool), 0);
	tool_end(&tool);
}

static void
when_due(void)
{
	static const struct {
		enum outlet_change change;
		uint64_t at_ns;
		bool stored;
	} rows[] = {
		{OUTLET_SAME, 100, false},
		{OUTLET_AT_ONCE, 101, true},
		{OUTLET_SAME, 101 + 2 * OUTLET_LAG_NS, false},
		{OUTLET_MAY_WAIT, 100 + OUTLET_LAG_NS, false},
		/* A change that may wait is stored with the next one. */
		{OUTLET_SAME, 101 + OUTLET_LAG_NS, true},
		{OUTLET_MAY_WAIT, 102 + OUTLET_LAG_NS, false},
		{OUTLET_AT_ONCE, 103 + OUTLET_LAG_NS, true},
		/* A clock that went back does not delay it. */
		{OUTLET_MAY_WAIT, 5, true},
		{OUTLET_MAY_WAIT, 6, false},
	};
	struct tool tool;
	tool_begin(&tool, "state", false);
	tool_open(&tool);
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		tool.number = (int64_t)i + 1;
		CHECK_INT(tool_send(&tool, NULL, rows[i].change, rows[i].at_ns), 0);
		check_row("row %zu", i);
		CHECK_INT(tool_stored_number(&tool) == tool.number, rows[i].stored);
	}
	outlet_finish(&tool.outlet, OUTLET_SAME, 7);
	CHECK_INT(tool_stored_number(&tool), tool.number);
	/* Without changes nothing is written. */
	tool.number = 99;
	outlet_finish(&tool.outlet, OUTLET_SAME, 8);
	CHECK(tool_stored_number(&tool) != 99);
	tool_end(&tool);
}

static void
cannot_be_stored(void)
{
	/* The events go out in another stream, with the state that refers to them; the next ones,
	 * too, without another fork. */
	struct tool tool;
	char lock[230], path[230], source[EVENT_SOURCE_SIZE];
	snprintf(path, sizeof path, "%s/sub", check_dir());
	CHECK_INT(mkdir(path, 0700), 0);
	tool_begin(&tool, "sub/state", true);
	tool_open(&tool);
	CHECK_INT(tool_send(&tool, "first", OUTLET_SAME, 1), 0);
	CHECK_STR(tool_written(&tool), "1:first");
	memcpy(source, tool.outlet.stream.source, sizeof source);

	snprintf(lock, sizeof lock, "%s.lock", tool.state_path);
	unlink(tool.state_path);
	unlink(lock);
	CHECK_INT(rmdir(path), 0);
	json_t *events = json_array(), *after = json_array();
	json_array_append_new(events, tool_event_new(&tool, "second"));
	json_array_append_new(events, tool_event_new(&tool, "third"));
	json_array_append_new(
		after, json_pack("{s:s, s:O, s:i}", "kind", "decision", "event",
			       json_object_get(json_array_get(events, 1), "id"), "seq", 0));
	json_array_append_new(
		after, json_pack("{s:s, s:n, s:i}", "kind", "decision", "event", "seq", 0));
	const struct outlet_batch batch = {
		.events = events, .after = after, .ts = TOOL_TS, .now_ns = 2};
	check_capture(STDERR_FILENO);
	CHECK_INT(outlet_send(&tool.outlet, &batch), 0);
	json_decref(events);
	json_decref(after);
	CHECK(strcmp(tool.outlet.stream.source, source) != 0);
	char expected[200];
	snprintf(expected, sizeof expected, "1:first 1:second 2:third 0:%s-2 0:?",
		tool.outlet.stream.source);
	CHECK_STR(tool_written(&tool), expected);
	memcpy(source, tool.outlet.stream.source, sizeof source);
	CHECK_INT(tool_send(&tool, "fourth", OUTLET_SAME, 3), 0);
	CHECK_STR(tool_written(&tool), "3:fourth");
	CHECK_STR(tool.outlet.stream.source, source);

	/* Once it can be stored again, all unacknowledged events are, and the stream continues. */
	CHECK_INT(mkdir(path, 0700), 0);
	CHECK_INT(tool_send(&tool, "fifth", OUTLET_SAME, 4), 0);
	char *said = check_captured_new(STDERR_FILENO);
	CHECK_INT((int64_t)check_occurrences(said, "warning: "), 1);
	CHECK_HAS(said, "can be written again");
	free(said);
	CHECK_STR(tool_written(&tool), "4:fifth");
	CHECK_STR(tool.outlet.stream.source, source);
	CHECK_INT((int64_t)tool_stored_events(&tool), 5);
	/* The stream is the stored one again: the next failure needs another fork. */
	unlink(tool.state_path);
	unlink(lock);
	CHECK_INT(rmdir(path), 0);
	check_capture(STDERR_FILENO);
	CHECK_INT(tool_send(&tool, "sixth", OUTLET_SAME, 5), 0);
	free(check_captured_new(STDERR_FILENO));
	CHECK_STR(tool_written(&tool), "1:first 1:second 2:third 3:fourth 4:fifth 1:sixth");
	CHECK(strcmp(tool.outlet.stream.source, source) != 0);
	tool_end(&tool);
}

static void
appears_late(void)
{
	/* Another run has left a file: its events are written before the new ones, once, and
	 * kept. */
	struct tool tool, other;
	char path[200];
	snprintf(path, sizeof path, "%s/late", check_dir());
	tool_begin(&tool, "late/state", true);
	check_capture(STDERR_FILENO);
	tool_open(&tool);
	CHECK_INT(mkdir(path, 0700), 0);
	tool_begin(&other, "late/state", true);
	tool_open(&other);
	outlet_name_stream(&other.outlet, "other", "b", TOOL_TS);
	CHECK_INT(tool_send(&other, "theirs", OUTLET_SAME, 1), 0);
	tool_end(&other);

	CHECK_INT(tool_send(&tool, "ours", OUTLET_SAME, 2), 0);
	CHECK_STR(tool_written(&tool), "1:theirs 1:ours");
	CHECK_INT((int64_t)tool_stored_events(&tool), 2);
	CHECK_INT(tool_send(&tool, "more", OUTLET_SAME, 3), 0);
	CHECK_STR(tool_written(&tool), "2:more");
	free(check_captured_new(STDERR_FILENO));
	tool_end(&tool);
}

static void
memory_runs_out(void)
{
	struct tool tool;
	tool_begin(&tool, "state", false);
	tool_open(&tool);
	tool.number = 7;
	CHECK_INT(tool_send(&tool, "first", OUTLET_AT_ONCE, 1), 0);
	tool_end(&tool);

	tool_begin(&tool, "state", false);
	tool.lacks_memory = true;
	check_capture(STDERR_FILENO);
	CHECK_INT(outlet_open(&tool.outlet), EXIT_OS);
	char *said = check_captured_new(STDERR_FILENO);
	CHECK_STR(said, "t: error: out of memory\n");
	free(said);
	tool_end(&tool);

	tool_begin(&tool, "state", false);
	tool_open(&tool);
	CHECK_INT(tool.number, 7);
	CHECK_STR(tool_written(&tool), "1:first");
	tool_end(&tool);
}

static void
corrupt(void)
{
	struct tool tool;
	check_file("state",
		"{\"version\":1,\"number\":7,\"source\":\"s\",\"seq\":9,"
		"\"outbox\":[{\"kind\":\"event\",\"source\":\"s\",\"seq\":9}],\"bad\":1}");
	tool_begin(&tool, "state", false);
	check_capture(STDERR_FILENO);
	tool_open(&tool);
	char *said = check_captured_new(STDERR_FILENO);
	CHECK_HAS(said, "it is bad: kept as ");
	free(said);
	CHECK_INT(tool.outlet.store.start, STORE_UNKNOWN);
	CHECK_INT(tool.number, 0);
	CHECK_STR(tool.outlet.stream.source, "");
	CHECK_STR(tool_written(&tool), "");
	CHECK_INT(tool_send(&tool, "first", OUTLET_SAME, 1), 0);
	CHECK_STR(tool_written(&tool), "1:first");
	tool_end(&tool);
}

static void
receiver_ahead(void)
{
	struct tool tool;
	char source[EVENT_SOURCE_SIZE];
	tool_begin(&tool, "state", true);
	tool_open(&tool);
	CHECK_INT(tool_send(&tool, "first", OUTLET_SAME, 1), 0);
	memcpy(source, tool.outlet.stream.source, sizeof source);
	tool_end(&tool);
	/* An older file was restored: the receiver already has numbers that would be used again. */
	tool_acknowledge(source, 5, "");
	tool_begin(&tool, "state", true);
	check_capture(STDERR_FILENO);
	tool_open(&tool);
	CHECK_INT(tool_send(&tool, "second", OUTLET_SAME, 2), 0);
	CHECK_INT(tool_send(&tool, "third", OUTLET_SAME, 3), 0);
	char *said = check_captured_new(STDERR_FILENO);
	CHECK_INT((int64_t)check_occurrences(said, "continuing under a new source\n"), 1);
	free(said);
	CHECK(strcmp(tool.outlet.stream.source, source) != 0);
	CHECK_STR(tool_written(&tool), "1:second 2:third");
	tool_end(&tool);
}

static void
overfull(void)
{
	/* One warning, and the latest events are kept. */
	struct tool tool;
	tool_begin(&tool, "state", true);
	tool_open(&tool);
	outlet_name_stream(&tool.outlet, "n", "b", TOOL_TS);
	json_t *events = json_array();
	for (int i = 0; i < OUTBOX_EVENTS_MAX + 2; i++)
		json_array_append_new(events, tool_event_new(&tool, "m"));
	const struct outlet_batch batch = {.events = events, .ts = TOOL_TS, .now_ns = 1};
	check_capture(STDERR_FILENO);
	CHECK_INT(outlet_send(&tool.outlet, &batch), 0);
	json_decref(events);
	CHECK_INT(tool_send(&tool, "m", OUTLET_SAME, 2), 0);
	char *said = check_captured_new(STDERR_FILENO);
	CHECK_INT((int64_t)check_occurrences(said, "4096 events are not acknowledged"), 1);
	free(said);
	CHECK_INT((int64_t)json_array_size(tool.outlet.outbox.events), OUTBOX_EVENTS_MAX);
	tool_end(&tool);
}

static void
bad_acks(void)
{
	struct tool tool;
	char path[200];
	snprintf(path, sizeof path, "%s", check_file("acks", "nonsense"));
	tool_begin(&tool, "state", true);
	check_capture(STDERR_FILENO);
	tool_open(&tool);
	CHECK_INT(tool_send(&tool, "first", OUTLET_SAME, 1), 0);
	char *said = check_captured_new(STDERR_FILENO);
	CHECK_INT((int64_t)check_occurrences(
			  said, "not an acks file: treating every event as unacknowledged"),
		1);
	free(said);
	tool_acknowledge(tool.outlet.stream.source, 1, "");
	CHECK_INT(tool_send(&tool, NULL, OUTLET_SAME, 2), 0);
	CHECK_INT((int64_t)json_array_size(tool.outlet.outbox.events), 0);
	tool_end(&tool);
}

static void
take_mark(struct tool *tool, uint64_t after, uint64_t seq)
{
	char text[100];
	bool is_mark;
	snprintf(text, sizeof text, "{\"kind\":\"mark\",\"source\":\"m\",\"after\":%d,\"seq\":%d}",
		(int)after, (int)seq);
	CHECK_INT(outlet_take_mark(&tool->outlet, text, strlen(text), &is_mark), 0);
	CHECK(is_mark);
}

static void
no_mark(void)
{
	static const char text[] = "{\"kind\":\"mark\",\"source\":\"m\"}";
	struct tool tool;
	bool is_mark;
	tool_begin(&tool, NULL, false);
	tool_open(&tool);
	CHECK_INT(outlet_take_mark(&tool.outlet, text, strlen(text), &is_mark), 0);
	CHECK(!is_mark);
	take_mark(&tool, 0, 3);
	CHECK_STR(tool_written(&tool), "3:m");
	tool_end(&tool);
}

static void
marks_wait(void)
{
	struct tool tool;
	char expected[100];
	tool_begin(&tool, "state", true);
	tool_open(&tool);
	CHECK_INT(tool_send(&tool, "first", OUTLET_SAME, 1), 0);
	CHECK_STR(tool_written(&tool), "1:first");
	/* The state before it may wait to be stored, and so may the mark. */
	take_mark(&tool, 0, 3);
	CHECK_INT(tool_send(&tool, NULL, OUTLET_MAY_WAIT, 2), 0);
	take_mark(&tool, 3, 4);
	CHECK_INT(tool_send(&tool, NULL, OUTLET_MAY_WAIT, 3), 0);
	CHECK_STR(tool_written(&tool), "");
	CHECK_INT(tool_send(&tool, NULL, OUTLET_SAME, 2 + OUTLET_LAG_NS), 0);
	CHECK_STR(tool_written(&tool), "4:m");
	/* No event came before it. */
	CHECK_INT(tool_send(&tool, NULL, OUTLET_MAY_WAIT, 3 + OUTLET_LAG_NS), 0);
	take_mark(&tool, 4, 4);
	CHECK_STR(tool_written(&tool), "4:m");
	outlet_finish(&tool.outlet, OUTLET_SAME, 3 + OUTLET_LAG_NS);
	/* Nothing is newer than the file. */
	take_mark(&tool, 4, 5);
	CHECK_INT(tool_send(&tool, NULL, OUTLET_SAME, 3 + OUTLET_LAG_NS), 0);
	CHECK_STR(tool_written(&tool), "5:m");
	/* The tool's own stream is marked first, with all its undelivered events. */
	take_mark(&tool, 5, 6);
	CHECK_INT(tool_send(&tool, "second", OUTLET_SAME, 4 + OUTLET_LAG_NS), 0);
	snprintf(expected, sizeof expected, "2:second 2:%s 6:m", tool.outlet.stream.source);
	CHECK_STR(tool_written(&tool), expected);
	/* At the end. */
	take_mark(&tool, 6, 7);
	CHECK_INT(tool_send(&tool, NULL, OUTLET_MAY_WAIT, 5 + OUTLET_LAG_NS), 0);
	CHECK_STR(tool_written(&tool), "");
	outlet_finish(&tool.outlet, OUTLET_SAME, 6 + OUTLET_LAG_NS);
	CHECK_STR(tool_written(&tool), "7:m");
	tool_end(&tool);
}

static void
marks_stay(void)
{
	struct tool tool;
	char path[230];
	snprintf(path, sizeof path, "%s/gone", check_dir());
	CHECK_INT(mkdir(path, 0700), 0);
	tool_begin(&tool, "gone/state", true);
	tool_open(&tool);
	char lock[230];
	snprintf(lock, sizeof lock, "%s.lock", tool.state_path);
	unlink(lock);
	unlink(tool.state_path);
	CHECK_INT(rmdir(path), 0);
	take_mark(&tool, 0, 1);
	check_capture(STDERR_FILENO);
	CHECK_INT(tool_send(&tool, NULL, OUTLET_AT_ONCE, 1), 0);
	CHECK_STR(tool_written(&tool), "");
	CHECK_INT(mkdir(path, 0700), 0);
	CHECK_INT(tool_send(&tool, NULL, OUTLET_SAME, 2), 0);
	free(check_captured_new(STDERR_FILENO));
	CHECK_STR(tool_written(&tool), "1:m");
	tool_end(&tool);
}

static const struct check_test tests[] = {
	{"without a state file events are written, and none is kept", without_state},
	{"an event is stored before it is written", stored_first},
	{"an event is written at every start until it is acknowledged", until_acknowledged},
	{"the state is stored at once if it must be, and not more often", when_due},
	{"events that cannot be stored get another stream", cannot_be_stored},
	{"the events of a state file that appears late are written first, and once", appears_late},
	{"a state file that cannot be read for lack of memory is not corrupt", memory_runs_out},
	{"nothing of a corrupt state file is kept", corrupt},
	{"numbers that the receiver already has are not used again", receiver_ahead},
	{"a receiver that never acknowledges is reported once", overfull},
	{"a malformed acks file is reported once", bad_acks},
	{"without a state file a mark is written at once, and other records are not taken",
		no_mark},
	{"a mark is written once the events before it are stored, behind the tool's own mark",
		marks_wait},
	{"a mark waits while the state cannot be stored", marks_stay},
};
CHECK_MAIN(tests)

/* Unit tests of outlet: events that one receiver read but did not store are written again to the
 * next one. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "outlet.h"

#include "check.h"
#include "tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Begin a run whose receiver is `receiver`, and send `count` events. */
static void
begin_with(struct tool *tool, const char *receiver, int count)
{
	char message[2] = "a";
	tool_begin(tool, "state", true);
	tool_acknowledge("nobody", 1, receiver);
	tool_open(tool);
	for (int i = 0; i < count; i++, message[0]++)
		CHECK_INT(tool_send(tool, message, OUTLET_SAME, 1), 0);
	tool_written(tool);
}

static void
same_receiver(void)
{
	struct tool tool;
	begin_with(&tool, "r1", 2);
	tool_acknowledge(tool.outlet.stream.source, 0, "r1");
	CHECK_INT(tool_send(&tool, "c", OUTLET_SAME, 2), 0);
	tool_acknowledge(tool.outlet.stream.source, 1, "r1");
	CHECK_INT(tool_send(&tool, NULL, OUTLET_SAME, 3), 0);
	CHECK_STR(tool_written(&tool), "3:c");
	tool_end(&tool);
}

static void
another_receiver(void)
{
	struct tool tool;
	begin_with(&tool, "r1", 3);
	tool_acknowledge(tool.outlet.stream.source, 1, "r2");
	CHECK_INT(tool_send(&tool, "d", OUTLET_SAME, 2), 0);
	CHECK_STR(tool_written(&tool), "2:b 3:c 4:d");
	/* Only once. */
	CHECK_INT(tool_send(&tool, "e", OUTLET_SAME, 3), 0);
	CHECK_STR(tool_written(&tool), "5:e");
	tool_acknowledge(tool.outlet.stream.source, 2, "r3");
	CHECK_INT(tool_send(&tool, "f", OUTLET_SAME, 4), 0);
	CHECK_STR(tool_written(&tool), "3:c 4:d 5:e 6:f");
	tool_end(&tool);
}

static void
without_new_events(void)
{
	struct tool tool;
	begin_with(&tool, "r1", 2);
	tool_acknowledge(tool.outlet.stream.source, 0, "r2");
	CHECK_INT(tool_send(&tool, NULL, OUTLET_SAME, 2), 0);
	CHECK_STR(tool_written(&tool), "1:a 2:b");
	/* All are acknowledged: none is written again. */
	tool_acknowledge(tool.outlet.stream.source, 2, "r3");
	CHECK_INT(tool_send(&tool, NULL, OUTLET_SAME, 3), 0);
	CHECK_STR(tool_written(&tool), "");
	CHECK_INT((int64_t)tool_stored_events(&tool), 0);
	tool_end(&tool);
}

/* A receiver has lost stored events: its acks go back. */
static void
acks_go_back(void)
{
	struct tool tool;
	begin_with(&tool, "r1", 4);
	tool_acknowledge_stored(tool.outlet.stream.source, 3, 1, "r1");
	CHECK_INT(tool_send(&tool, NULL, OUTLET_SAME, 2), 0);
	CHECK_STR(tool_written(&tool), "");
	CHECK_INT((int64_t)tool_stored_events(&tool), 3);
	/* Acknowledged events are not written again by the writer's next run, nor for another
	 * receiver. */
	tool_end(&tool);
	tool_begin(&tool, "state", true);
	tool_open(&tool);
	CHECK_STR(tool_written(&tool), "4:d");
	tool_acknowledge_stored(tool.outlet.stream.source, 3, 1, "r2");
	CHECK_INT(tool_send(&tool, "e", OUTLET_SAME, 3), 0);
	CHECK_STR(tool_written(&tool), "4:d 5:e");
	tool_acknowledge_stored(tool.outlet.stream.source, 1, 1, "r3");
	CHECK_INT(tool_send(&tool, NULL, OUTLET_SAME, 4), 0);
	CHECK_STR(tool_written(&tool), "2:b 3:c 4:d 5:e");
	tool_end(&tool);
}

/* A receiver has lost its acks and the end of its spool: it will deliver the rest again, but no
 * later events. */
static void
end_is_lost(void)
{
	struct tool tool;
	begin_with(&tool, "r1", 4);
	const char *source = tool.outlet.stream.source;
	tool_acknowledge(source, 4, "r1");
	CHECK_INT(tool_send(&tool, NULL, OUTLET_SAME, 2), 0);
	CHECK_STR(tool_written(&tool), "");
	CHECK_INT((int64_t)tool_stored_events(&tool), 0);
	tool_acknowledge(source, 2, "r2");
	CHECK_INT(tool_send(&tool, "e", OUTLET_SAME, 3), 0);
	CHECK_STR(tool_written(&tool), "3:c 4:d 5:e");
	CHECK_INT((int64_t)tool_stored_events(&tool), 3);
	/* The same while the writer was down. */
	tool_acknowledge(source, 5, "r2");
	CHECK_INT(tool_send(&tool, NULL, OUTLET_SAME, 4), 0);
	tool_acknowledge(source, 3, "r3");
	tool_end(&tool);
	tool_begin(&tool, "state", true);
	tool_open(&tool);
	CHECK_STR(tool_written(&tool), "4:d 5:e");
	tool_end(&tool);
}

static void
all_is_lost(void)
{
	/* A receiver without the old events must not deliver them again, behind later ones. */
	struct tool tool;
	begin_with(&tool, "r1", 4);
	tool_acknowledge(tool.outlet.stream.source, 4, "r1");
	CHECK_INT(tool_send(&tool, NULL, OUTLET_SAME, 2), 0);
	tool_acknowledge("nobody", 1, "r2");
	CHECK_INT(tool_send(&tool, "e", OUTLET_SAME, 3), 0);
	CHECK_STR(tool_written(&tool), "5:e");
	tool_end(&tool);
}

static void
receiver_at_start(void)
{
	/* At the start all events are written in any case, and only once. */
	struct tool tool;
	begin_with(&tool, "r1", 2);
	tool_end(&tool);
	tool_begin(&tool, "state", true);
	tool_acknowledge("nobody", 1, "r2");
	tool_open(&tool);
	CHECK_STR(tool_written(&tool), "1:a 2:b");
	CHECK_INT(tool_send(&tool, "c", OUTLET_SAME, 2), 0);
	CHECK_STR(tool_written(&tool), "3:c");
	tool_end(&tool);
}

static void
first_receiver_late(void)
{
	/* Another receiver may have read from the pipe before. */
	struct tool tool;
	tool_begin(&tool, "state", true);
	tool_open(&tool);
	CHECK_INT(tool_send(&tool, "a", OUTLET_SAME, 1), 0);
	tool_acknowledge("nobody", 1, "r2");
	CHECK_INT(tool_send(&tool, "b", OUTLET_SAME, 2), 0);
	CHECK_STR(tool_written(&tool), "1:a 1:a 2:b");
	tool_end(&tool);
}

static void
nameless_receiver(void)
{
	struct tool tool;
	begin_with(&tool, "r1", 1);
	tool_acknowledge("nobody", 2, "");
	CHECK_INT(tool_send(&tool, NULL, OUTLET_SAME, 2), 0);
	tool_acknowledge("nobody", 3, "r1");
	CHECK_INT(tool_send(&tool, NULL, OUTLET_SAME, 3), 0);
	CHECK_STR(tool_written(&tool), "");
	tool_end(&tool);
}

/* Store two events, of which `receiver` has the first, then remove the directory so that a third
 * cannot be stored. Return with that written. */
static void
lose_directory(struct tool *tool, const char *receiver)
{
	char directory[200], name[32], lock[230], source[EVENT_SOURCE_SIZE];
	snprintf(directory, sizeof directory, "%s/%s", check_dir(), receiver);
	snprintf(name, sizeof name, "%s/state", receiver);
	CHECK_INT(mkdir(directory, 0700), 0);
	tool_begin(tool, name, true);
	tool_acknowledge("nobody", 1, "r1");
	tool_open(tool);
	CHECK_INT(tool_send(tool, "a", OUTLET_SAME, 1), 0);
	CHECK_INT(tool_send(tool, "b", OUTLET_SAME, 1), 0);
	tool_written(tool);
	memcpy(source, tool->outlet.stream.source, sizeof source);

	snprintf(lock, sizeof lock, "%s.lock", tool->state_path);
	unlink(tool->state_path);
	unlink(lock);
	CHECK_INT(rmdir(directory), 0);
	tool_acknowledge(source, 1, receiver);
	check_capture(STDERR_FILENO);
	CHECK_INT(tool_send(tool, "c", OUTLET_SAME, 2), 0);
	free(check_captured_new(STDERR_FILENO));
	CHECK(strcmp(tool->outlet.stream.source, source) != 0);
}

static void
cannot_be_stored(void)
{
	/* The earlier events under their own ids, then the new one under its other id. */
	struct tool tool;
	lose_directory(&tool, "r2");
	CHECK_STR(tool_written(&tool), "2:b 1:c");
	tool_acknowledge("nobody", 2, "r3");
	CHECK_INT(tool_send(&tool, NULL, OUTLET_SAME, 3), 0);
	CHECK_STR(tool_written(&tool), "2:b 1:c");
	tool_end(&tool);
}

static void
another_stream(void)
{
	/* The receiver may be dead by now: its successor must find all earlier events before the
	 * first event of the new stream. Only once: later events belong to the new stream. */
	struct tool tool;
	lose_directory(&tool, "r1");
	CHECK_STR(tool_written(&tool), "2:b 1:c");
	check_capture(STDERR_FILENO);
	CHECK_INT(tool_send(&tool, "d", OUTLET_SAME, 3), 0);
	free(check_captured_new(STDERR_FILENO));
	CHECK_STR(tool_written(&tool), "2:d");
	tool_end(&tool);
}

static void
with_a_late_file(void)
{
	/* The events of a file that appears late are written with the others, once. */
	struct tool tool, other;
	char path[200];
	snprintf(path, sizeof path, "%s/late", check_dir());
	tool_begin(&tool, "late/state", true);
	tool_acknowledge("nobody", 1, "r1");
	check_capture(STDERR_FILENO);
	tool_open(&tool);
	CHECK_INT(tool_send(&tool, "ours", OUTLET_SAME, 1), 0);
	tool_written(&tool);
	CHECK_INT(mkdir(path, 0700), 0);
	tool_begin(&other, "late/state", true);
	tool_open(&other);
	outlet_name_stream(&other.outlet, "other", "b", TOOL_TS);
	CHECK_INT(tool_send(&other, "theirs", OUTLET_SAME, 1), 0);
	tool_end(&other);

	tool_acknowledge("nobody", 1, "r2");
	CHECK_INT(tool_send(&tool, "new", OUTLET_SAME, 2), 0);
	free(check_captured_new(STDERR_FILENO));
	CHECK_STR(tool_written(&tool), "1:theirs 1:ours 2:new");
	CHECK_INT((int64_t)tool_stored_events(&tool), 3);
	CHECK_INT(tool_send(&tool, "newer", OUTLET_SAME, 3), 0);
	CHECK_STR(tool_written(&tool), "3:newer");
	tool_end(&tool);
}

static void
ahead(void)
{
	/* The receiver knows more of the stream than this process: new events get another stream,
	 * and the remaining old ones are written first. */
	struct tool tool;
	char source[EVENT_SOURCE_SIZE];
	begin_with(&tool, "r1", 2);
	memcpy(source, tool.outlet.stream.source, sizeof source);
	json_t *stray = tool_event_new(&tool, "stray");
	json_object_set_new(stray, "source", json_string("another"));
	json_array_append_new(tool.outlet.outbox.events, stray);
	tool_acknowledge(source, 9, "r2");
	check_capture(STDERR_FILENO);
	CHECK_INT(tool_send(&tool, NULL, OUTLET_SAME, 2), 0);
	CHECK_INT(tool_send(&tool, "c", OUTLET_SAME, 3), 0);
	free(check_captured_new(STDERR_FILENO));
	CHECK_STR(tool_written(&tool), "3:stray 1:c");
	CHECK(strcmp(tool.outlet.stream.source, source) != 0);
	tool_end(&tool);
}

static void
patience(void)
{
	struct tool tool;
	begin_with(&tool, "r1", 0);
	CHECK_U64(outlet_patience_ns(&tool.outlet), OUTLET_LAG_NS);
	CHECK_INT(tool_send(&tool, "a", OUTLET_SAME, 1), 0);
	CHECK_U64(outlet_patience_ns(&tool.outlet), OUTLET_LOOK_NS);
	tool_acknowledge(tool.outlet.stream.source, 1, "r1");
	CHECK_INT(tool_send(&tool, NULL, OUTLET_SAME, 2), 0);
	CHECK_U64(outlet_patience_ns(&tool.outlet), OUTLET_LAG_NS);
	tool_end(&tool);
	/* A writer without acknowledgements does not wait. */
	tool_begin(&tool, "other-state", false);
	tool_open(&tool);
	CHECK_INT(tool_send(&tool, "a", OUTLET_SAME, 1), 0);
	CHECK_U64(outlet_patience_ns(&tool.outlet), OUTLET_LAG_NS);
	tool_end(&tool);
}

static const struct check_test tests[] = {
	{"while the receiver stays the same, nothing is written twice", same_receiver},
	{"another receiver gets the unacknowledged events once, in order, before new ones",
		another_receiver},
	{"another receiver gets them without waiting for new events", without_new_events},
	{"acknowledged but undelivered events are kept, and written again when the acks go back",
		acks_go_back},
	{"delivered events are written again if their receiver has lost them and its acks",
		end_is_lost},
	{"a receiver that has lost everything does not get events delivered before", all_is_lost},
	{"the receiver at the start does not count as another one", receiver_at_start},
	{"a receiver first seen later counts as another one", first_receiver_late},
	{"a receiver without a name changes nothing", nameless_receiver},
	{"with another receiver and a failing state file, earlier events keep their ids",
		cannot_be_stored},
	{"unacknowledged events are written again before a new stream begins", another_stream},
	{"with another receiver and a late state file, each event is written once, the file's "
	 "first",
		with_a_late_file},
	{"another receiver that is ahead of a stream still gets the other streams' events", ahead},
	{"the acks are read more often while an acknowledgement is pending", patience},
};
CHECK_MAIN(tests)

/* Unit tests of outlet: what one receiver has read and not stored is written to the next one. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "outlet.h"

#include "check.h"
#include "tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Begins a run whose receiver is `receiver`, and sends `count` events. */
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
	/* Once. */
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
	/* All acknowledged: there is nothing to write again. */
	tool_acknowledge(tool.outlet.stream.source, 2, "r3");
	CHECK_INT(tool_send(&tool, NULL, OUTLET_SAME, 3), 0);
	CHECK_STR(tool_written(&tool), "");
	CHECK_INT((int64_t)tool_stored_events(&tool), 0);
	tool_end(&tool);
}

/* A receiver that has lost what it had stored: its acks go back. */
static void
acks_go_back(void)
{
	struct tool tool;
	begin_with(&tool, "r1", 4);
	tool_acknowledge_stored(tool.outlet.stream.source, 3, 1, "r1");
	CHECK_INT(tool_send(&tool, NULL, OUTLET_SAME, 2), 0);
	CHECK_STR(tool_written(&tool), "");
	CHECK_INT((int64_t)tool_stored_events(&tool), 3);
	/* What is acknowledged is not written again by a run of the writer, nor for another
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

/* A receiver that has lost its acks and the end of what it had stored: it would deliver again what
 * is left, and nothing after that. */
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
	/* The same while the writer was away. */
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
	/* What such a receiver was told it does not tell again, so nobody unlearns what came
	 * later. */
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
	/* At the start everything is written in any case, and only once. */
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
	/* It may not be the first one that has read from the pipe. */
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

/* Stores two events, of which `receiver` has the first, and then loses its directory and cannot
 * store a third. Returns with that written. */
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
	/* The earlier events under the names they have, then the new one under its other name. */
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
	/* The receiver may be dead by now: its successor has to find all that is due before the
	 * first event of the new stream. Once: the stream is that of all that follows. */
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
	/* What a file brings that appears late is written with the rest, once. */
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
	/* A receiver that knows more of the stream than this process: what is new is another
	 * stream's, what is left of the old one is written again first. */
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
	/* Who acknowledges nothing is not waited for. */
	tool_begin(&tool, "other-state", false);
	tool_open(&tool);
	CHECK_INT(tool_send(&tool, "a", OUTLET_SAME, 1), 0);
	CHECK_U64(outlet_patience_ns(&tool.outlet), OUTLET_LAG_NS);
	tool_end(&tool);
}

static const struct check_test tests[] = {
	{"as long as the receiver is the same, nothing is written twice", same_receiver},
	{"another receiver gets what is not acknowledged, in order, before what is new, once",
		another_receiver},
	{"another receiver need not wait for new events", without_new_events},
	{"what is acknowledged and not delivered is kept, and written when the acks go back",
		acks_go_back},
	{"what was delivered is written again when its receiver has lost that and its acks",
		end_is_lost},
	{"a receiver that has lost all is not told what it has delivered before", all_is_lost},
	{"the receiver at the start is nobody else", receiver_at_start},
	{"the first receiver that is seen only later is another one", first_receiver_late},
	{"a receiver that does not say who it is changes nothing", nameless_receiver},
	{"another receiver, and a state that cannot be stored: earlier events keep their names",
		cannot_be_stored},
	{"before another stream what is not acknowledged is written again", another_stream},
	{"another receiver, and a file that appears late: each event once, the file's first",
		with_a_late_file},
	{"another receiver that is ahead of a stream: the others' events all the same", ahead},
	{"the receiver is looked for more often while its acknowledgement is awaited", patience},
};
CHECK_MAIN(tests)

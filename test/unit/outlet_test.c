/* Unit tests of outlet: events are stored before they are written, and written until they are acknowledged. */
#include "outlet.h"

#include "check.h"
#include "diag.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define TS "2026-01-02T03:04:05.000000Z"

/* A tool whose own part of the state is a number. */
struct tool {
	char state_path[200], acks_path[200];
	struct outlet_options options;
	struct outlet outlet;
	int64_t number;
	int out; /* where events go */
};

static int
decode(void *context, const json_t *root, struct rec_error *error)
{
	struct tool *tool = context;
	if (store_check_version(root, 1, error) < 0)
		return -1;
	rec_get_int(root, "number", &tool->number);
	if (outbox_decode(&tool->outlet.outbox, &tool->outlet.stream, root, error) < 0)
		return -1;
	return json_object_get(root, "bad") != NULL ? rec_refuse(error, "it is bad") : 0;
}

static void
reset(void *context)
{
	((struct tool *)context)->number = 0;
}

static json_t *
encode_new(void *context)
{
	const struct tool *tool = context;
	json_t *root = json_pack("{s:i, s:I}", "version", 1, "number", (json_int_t)tool->number);
	CHECK_INT(outbox_encode(&tool->outlet.outbox, &tool->outlet.stream, root), 0);
	return root;
}

static const struct outlet_owner owner = {
	.version = 1, .decode = decode, .reset = reset, .encode_new = encode_new};

/* Begins a run with a state file in check_dir(), NULL: without, and with acknowledgements or not. */
static void
begin(struct tool *tool, const char *state, bool acks)
{
	*tool = (struct tool){.out = memfd_create("out", MFD_CLOEXEC)};
	diag_init("t");
	snprintf(tool->state_path, sizeof tool->state_path, "%s/%s", check_dir(),
		state != NULL ? state : "");
	snprintf(tool->acks_path, sizeof tool->acks_path, "%s/acks", check_dir());
	tool->options = (struct outlet_options){.tool = "tool",
		.state_path = state != NULL ? tool->state_path : NULL,
		.acks_path = acks ? tool->acks_path : NULL,
		.strategy = "STORE_ONLY"};
	CHECK_INT(outlet_init(&tool->outlet, &tool->options, &owner, tool, tool->out), 0);
}

static void
open_outlet(struct tool *tool)
{
	CHECK_INT(outlet_open(&tool->outlet), 0);
	CHECK_INT(outlet_resend(&tool->outlet), 0);
}

/* The end of a run, as by SIGKILL: nothing more is stored. */
static void
end(struct tool *tool)
{
	outlet_fini(&tool->outlet);
	close(tool->out);
}

static json_t *
event_new_of(struct tool *tool, const char *message)
{
	const struct event event = {.agent = "a",
		.check = "c",
		.message = message,
		.message_length = strlen(message),
		.timestamp = TS};
	json_t *record = event_new(&tool->outlet.stream, &event);
	CHECK(record != NULL);
	return record;
}

/* Sends one event, or none when `message` is NULL. */
static int
send_at(struct tool *tool, const char *message, enum outlet_change change, uint64_t now_ns)
{
	json_t *events = json_array();
	outlet_name_stream(&tool->outlet, "n", "b", TS);
	if (message != NULL)
		json_array_append_new(events, event_new_of(tool, message));
	const struct outlet_batch batch = {
		.events = events, .change = change, .ts = TS, .now_ns = now_ns};
	int status = outlet_send(&tool->outlet, &batch);
	json_decref(events);
	return status;
}

/* What was written since this was last asked: `1:first 2:second`, numbers and messages of events, ids for what refers to one. */
static const char *
written(struct tool *tool)
{
	static char text[1000];
	char bytes[20000];
	ssize_t length = pread(tool->out, bytes, sizeof bytes - 1, 0);
	CHECK(length >= 0);
	bytes[length > 0 ? length : 0] = '\0';
	CHECK_INT(ftruncate(tool->out, 0), 0);
	CHECK_INT(lseek(tool->out, 0, SEEK_SET), 0);
	*text = '\0';
	size_t used = 0;
	for (char *line = strtok(bytes, "\n"); line != NULL; line = strtok(NULL, "\n")) {
		struct rec_error error;
		const char *message = "?";
		json_t *record = rec_parse_new(line, strlen(line), &error);
		CHECK(record != NULL);
		rec_get_string(record, "message", &message);
		rec_get_string(record, "event", &message);
		used += (size_t)snprintf(text + used, sizeof text - used, "%s%lld:%s",
			used > 0 ? " " : "",
			(long long)json_integer_value(json_object_get(record, "seq")), message);
		json_decref(record);
	}
	return text;
}

/* The state file now; NULL: none. */
static json_t *
stored_new(const struct tool *tool)
{
	return json_load_file(tool->state_path, 0, NULL);
}

static size_t
stored_events(const struct tool *tool)
{
	json_t *root = stored_new(tool);
	size_t count = json_array_size(json_object_get(root, "outbox"));
	json_decref(root);
	return count;
}

static int64_t
stored_number(const struct tool *tool)
{
	json_t *root = stored_new(tool);
	int64_t number = json_integer_value(json_object_get(root, "number"));
	json_decref(root);
	return number;
}

static void
acknowledge(const char *source, int seq)
{
	char text[200];
	snprintf(text, sizeof text, "{\"version\":1,\"acks\":{\"%s\":%d}}\n", source, seq);
	/* Another file, as the receiver makes it. */
	char path[200], fresh[210];
	snprintf(path, sizeof path, "%s/acks", check_dir());
	snprintf(fresh, sizeof fresh, "%s", check_file("acks.new", text));
	CHECK_INT(rename(fresh, path), 0);
}

/* --- promises --- */

static void
without_state(void)
{
	struct tool tool;
	begin(&tool, NULL, false);
	open_outlet(&tool);
	CHECK_INT(send_at(&tool, "first", OUTLET_AT_ONCE, 1), 0);
	CHECK_INT(send_at(&tool, "second", OUTLET_SAME, 2), 0);
	outlet_finish(&tool.outlet, OUTLET_AT_ONCE, 3);
	CHECK_STR(written(&tool), "1:first 2:second");
	CHECK_INT((int64_t)json_array_size(tool.outlet.outbox.events), 0);
	end(&tool);
}

static void
stored_first(void)
{
	/* A write that fails: the event is in the file all the same, and comes with the next run. */
	struct tool tool;
	begin(&tool, "state", false);
	open_outlet(&tool);
	int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
	tool.outlet.writer.fd = full;
	tool.number = 7;
	CHECK_INT(send_at(&tool, "first", OUTLET_SAME, 1), -1);
	CHECK_INT((int64_t)stored_events(&tool), 1);
	CHECK_INT(stored_number(&tool), 7);
	close(full);
	end(&tool);

	begin(&tool, "state", false);
	open_outlet(&tool);
	CHECK_STR(written(&tool), "1:first");
	CHECK_INT(tool.number, 7);
	/* Which counts as received now, and the numbers go on. */
	CHECK_INT(send_at(&tool, "second", OUTLET_SAME, 2), 0);
	CHECK_STR(written(&tool), "2:second");
	outlet_finish(&tool.outlet, OUTLET_SAME, 3);
	CHECK_INT((int64_t)stored_events(&tool), 0);
	end(&tool);
}

static void
until_acknowledged(void)
{
	struct tool tool;
	char source[EVENT_SOURCE_SIZE];
	begin(&tool, "state", true);
	open_outlet(&tool);
	CHECK_INT(send_at(&tool, "first", OUTLET_SAME, 1), 0);
	CHECK_INT(send_at(&tool, "second", OUTLET_SAME, 2), 0);
	CHECK_STR(written(&tool), "1:first 2:second");
	memcpy(source, tool.outlet.stream.source, sizeof source);
	end(&tool);

	for (int run = 0; run < 2; run++) {
		begin(&tool, "state", true);
		open_outlet(&tool);
		CHECK_STR(written(&tool), "1:first 2:second");
		end(&tool);
	}
	begin(&tool, "state", true);
	acknowledge(source, 1);
	open_outlet(&tool);
	CHECK_STR(written(&tool), "2:second");
	/* While it runs: nothing is left, and that is stored although nothing else is new. */
	acknowledge(source, 2);
	CHECK_INT(send_at(&tool, NULL, OUTLET_SAME, 3), 0);
	CHECK_INT((int64_t)stored_events(&tool), 0);
	end(&tool);
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
		/* What had to wait is not forgotten by what comes next. */
		{OUTLET_SAME, 101 + OUTLET_LAG_NS, true},
		{OUTLET_MAY_WAIT, 102 + OUTLET_LAG_NS, false},
		{OUTLET_AT_ONCE, 103 + OUTLET_LAG_NS, true},
		/* A clock that went back is no reason to wait. */
		{OUTLET_MAY_WAIT, 5, true},
		{OUTLET_MAY_WAIT, 6, false},
	};
	struct tool tool;
	begin(&tool, "state", false);
	open_outlet(&tool);
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		tool.number = (int64_t)i + 1;
		CHECK_INT(send_at(&tool, NULL, rows[i].change, rows[i].at_ns), 0);
		check_row("row %zu", i);
		CHECK_INT(stored_number(&tool) == tool.number, rows[i].stored);
	}
	outlet_finish(&tool.outlet, OUTLET_SAME, 7);
	CHECK_INT(stored_number(&tool), tool.number);
	/* Nothing is new: nothing is written. */
	tool.number = 99;
	outlet_finish(&tool.outlet, OUTLET_SAME, 8);
	CHECK(stored_number(&tool) != 99);
	end(&tool);
}

static void
cannot_be_stored(void)
{
	/* The events go out as another stream's, with what refers to them; the next ones too, without another fork. */
	struct tool tool;
	char lock[230], path[230], source[EVENT_SOURCE_SIZE];
	snprintf(path, sizeof path, "%s/sub", check_dir());
	CHECK_INT(mkdir(path, 0700), 0);
	begin(&tool, "sub/state", true);
	open_outlet(&tool);
	CHECK_INT(send_at(&tool, "first", OUTLET_SAME, 1), 0);
	CHECK_STR(written(&tool), "1:first");
	memcpy(source, tool.outlet.stream.source, sizeof source);

	snprintf(lock, sizeof lock, "%s.lock", tool.state_path);
	unlink(tool.state_path);
	unlink(lock);
	CHECK_INT(rmdir(path), 0);
	json_t *events = json_array(), *after = json_array();
	json_array_append_new(events, event_new_of(&tool, "second"));
	json_array_append_new(events, event_new_of(&tool, "third"));
	json_array_append_new(
		after, json_pack("{s:s, s:O, s:i}", "kind", "decision", "event",
			       json_object_get(json_array_get(events, 1), "id"), "seq", 0));
	json_array_append_new(
		after, json_pack("{s:s, s:n, s:i}", "kind", "decision", "event", "seq", 0));
	const struct outlet_batch batch = {.events = events, .after = after, .ts = TS, .now_ns = 2};
	check_capture(STDERR_FILENO);
	CHECK_INT(outlet_send(&tool.outlet, &batch), 0);
	json_decref(events);
	json_decref(after);
	CHECK(strcmp(tool.outlet.stream.source, source) != 0);
	char expected[200];
	snprintf(expected, sizeof expected, "1:second 2:third 0:%s-2 0:?",
		tool.outlet.stream.source);
	CHECK_STR(written(&tool), expected);
	memcpy(source, tool.outlet.stream.source, sizeof source);
	CHECK_INT(send_at(&tool, "fourth", OUTLET_SAME, 3), 0);
	CHECK_STR(written(&tool), "3:fourth");
	CHECK_STR(tool.outlet.stream.source, source);

	/* Once it can be stored again, all that nobody has acknowledged is, and the stream goes on. */
	CHECK_INT(mkdir(path, 0700), 0);
	CHECK_INT(send_at(&tool, "fifth", OUTLET_SAME, 4), 0);
	char *said = check_captured_new(STDERR_FILENO);
	CHECK_INT((int64_t)check_occurrences(said, "warning: "), 1);
	CHECK_HAS(said, "is written again");
	free(said);
	CHECK_STR(written(&tool), "4:fifth");
	CHECK_STR(tool.outlet.stream.source, source);
	CHECK_INT((int64_t)stored_events(&tool), 5);
	/* The stream is the stored one again: the next time it must be left again. */
	unlink(tool.state_path);
	unlink(lock);
	CHECK_INT(rmdir(path), 0);
	check_capture(STDERR_FILENO);
	CHECK_INT(send_at(&tool, "sixth", OUTLET_SAME, 5), 0);
	free(check_captured_new(STDERR_FILENO));
	CHECK_STR(written(&tool), "1:sixth");
	CHECK(strcmp(tool.outlet.stream.source, source) != 0);
	end(&tool);
}

static void
appears_late(void)
{
	/* A file that another run has left: its events are written before the new ones, once, and kept. */
	struct tool tool, other;
	char path[200];
	snprintf(path, sizeof path, "%s/late", check_dir());
	begin(&tool, "late/state", true);
	check_capture(STDERR_FILENO);
	open_outlet(&tool);
	CHECK_INT(mkdir(path, 0700), 0);
	begin(&other, "late/state", true);
	open_outlet(&other);
	outlet_name_stream(&other.outlet, "other", "b", TS);
	CHECK_INT(send_at(&other, "theirs", OUTLET_SAME, 1), 0);
	end(&other);

	CHECK_INT(send_at(&tool, "ours", OUTLET_SAME, 2), 0);
	CHECK_STR(written(&tool), "1:theirs 1:ours");
	CHECK_INT((int64_t)stored_events(&tool), 2);
	CHECK_INT(send_at(&tool, "more", OUTLET_SAME, 3), 0);
	CHECK_STR(written(&tool), "2:more");
	free(check_captured_new(STDERR_FILENO));
	end(&tool);
}

static void
corrupt(void)
{
	struct tool tool;
	check_file("state",
		"{\"version\":1,\"number\":7,\"source\":\"s\",\"seq\":9,"
		"\"outbox\":[{\"kind\":\"event\",\"source\":\"s\",\"seq\":9}],\"bad\":1}");
	begin(&tool, "state", false);
	check_capture(STDERR_FILENO);
	open_outlet(&tool);
	char *said = check_captured_new(STDERR_FILENO);
	CHECK_HAS(said, "it is bad: moved to ");
	free(said);
	CHECK(tool.outlet.store.fresh);
	CHECK_INT(tool.number, 0);
	CHECK_STR(tool.outlet.stream.source, "");
	CHECK_STR(written(&tool), "");
	CHECK_INT(send_at(&tool, "first", OUTLET_SAME, 1), 0);
	CHECK_STR(written(&tool), "1:first");
	end(&tool);
}

static void
receiver_ahead(void)
{
	struct tool tool;
	char source[EVENT_SOURCE_SIZE];
	begin(&tool, "state", true);
	open_outlet(&tool);
	CHECK_INT(send_at(&tool, "first", OUTLET_SAME, 1), 0);
	memcpy(source, tool.outlet.stream.source, sizeof source);
	end(&tool);
	/* An older file was put back: the receiver has numbers that would be given again. */
	acknowledge(source, 5);
	begin(&tool, "state", true);
	check_capture(STDERR_FILENO);
	open_outlet(&tool);
	CHECK_INT(send_at(&tool, "second", OUTLET_SAME, 2), 0);
	CHECK_INT(send_at(&tool, "third", OUTLET_SAME, 3), 0);
	char *said = check_captured_new(STDERR_FILENO);
	CHECK_INT((int64_t)check_occurrences(said, "going on under another source\n"), 1);
	free(said);
	CHECK(strcmp(tool.outlet.stream.source, source) != 0);
	CHECK_STR(written(&tool), "1:second 2:third");
	end(&tool);
}

static void
overfull(void)
{
	/* A receiver that never acknowledges: one warning, and the latest are kept. */
	struct tool tool;
	begin(&tool, "state", true);
	open_outlet(&tool);
	outlet_name_stream(&tool.outlet, "n", "b", TS);
	json_t *events = json_array();
	for (int i = 0; i < OUTBOX_EVENTS_MAX + 2; i++)
		json_array_append_new(events, event_new_of(&tool, "m"));
	const struct outlet_batch batch = {.events = events, .ts = TS, .now_ns = 1};
	check_capture(STDERR_FILENO);
	CHECK_INT(outlet_send(&tool.outlet, &batch), 0);
	json_decref(events);
	CHECK_INT(send_at(&tool, "m", OUTLET_SAME, 2), 0);
	char *said = check_captured_new(STDERR_FILENO);
	CHECK_INT((int64_t)check_occurrences(said, "no acknowledgement for 4096 events"), 1);
	free(said);
	CHECK_INT((int64_t)json_array_size(tool.outlet.outbox.events), OUTBOX_EVENTS_MAX);
	end(&tool);
}

static void
bad_acks(void)
{
	struct tool tool;
	char path[200];
	snprintf(path, sizeof path, "%s", check_file("acks", "nonsense"));
	begin(&tool, "state", true);
	check_capture(STDERR_FILENO);
	open_outlet(&tool);
	CHECK_INT(send_at(&tool, "first", OUTLET_SAME, 1), 0);
	char *said = check_captured_new(STDERR_FILENO);
	CHECK_INT((int64_t)check_occurrences(
			  said, "not an acks file: no event is taken for received"),
		1);
	free(said);
	acknowledge(tool.outlet.stream.source, 1);
	CHECK_INT(send_at(&tool, NULL, OUTLET_SAME, 2), 0);
	CHECK_INT((int64_t)json_array_size(tool.outlet.outbox.events), 0);
	end(&tool);
}

static const struct check_test tests[] = {
	{"without a state file events are written, and nothing is kept", without_state},
	{"an event is stored before it is written", stored_first},
	{"an event is written at every start until it is acknowledged", until_acknowledged},
	{"the state is stored at once when it must be, and not more often", when_due},
	{"events that cannot be stored are another stream's", cannot_be_stored},
	{"the events of a file that appears late are written first, and once", appears_late},
	{"of a corrupt file nothing stays", corrupt},
	{"numbers that the receiver has are not given again", receiver_ahead},
	{"a receiver that never acknowledges is said once", overfull},
	{"a file of acknowledgements that is none is said once", bad_acks},
};
CHECK_MAIN(tests)

/* tool - a program around an outlet, for unit tests: its own part of the state is a number. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOL_H
#define TOOL_H

#include "check.h"
#include "diag.h"
#include "outlet.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#define TOOL_TS "2026-01-02T03:04:05.000000Z"

struct tool {
	char state_path[200], acks_path[200];
	struct outlet_options options;
	struct outlet outlet;
	int64_t number;
	bool lacks_memory; /* for its part of the state */
	int out;           /* where events go */
};

static inline int
tool_decode(void *context, const json_t *root, struct rec_error *error)
{
	struct tool *tool = context;
	if (store_check_version(root, 1, error) < 0)
		return -1;
	rec_get_int(root, "number", &tool->number);
	if (outbox_decode(&tool->outlet.outbox, &tool->outlet.stream, root, error) < 0)
		return -1;
	if (tool->lacks_memory)
		return rec_lack_memory(error);
	return json_object_get(root, "bad") != NULL ? rec_refuse(error, "it is bad") : 0;
}

static inline void
tool_reset(void *context)
{
	((struct tool *)context)->number = 0;
}

static inline char *
tool_encode_new(void *context)
{
	const struct tool *tool = context;
	json_t *root = json_pack("{s:i, s:I}", "version", 1, "number", (json_int_t)tool->number);
	CHECK_INT(outbox_encode(&tool->outlet.outbox, &tool->outlet.stream, root), 0);
	return store_text_new(root);
}

static const struct outlet_owner tool_owner = {
	.version = 1, .decode = tool_decode, .reset = tool_reset, .encode_new = tool_encode_new};

/* Begin a run with a state file in check_dir(), or without if NULL, and with acknowledgements or
 * not. */
static inline void
tool_begin(struct tool *tool, const char *state, bool acks)
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
	CHECK_INT(outlet_init(&tool->outlet, &tool->options, &tool_owner, tool, tool->out), 0);
}

static inline void
tool_open(struct tool *tool)
{
	CHECK_INT(outlet_open(&tool->outlet), 0);
	CHECK_INT(outlet_resend(&tool->outlet), 0);
}

/* End a run as by SIGKILL: nothing more is stored. */
static inline void
tool_end(struct tool *tool)
{
	outlet_fini(&tool->outlet);
	close(tool->out);
}

static inline json_t *
tool_event_new(struct tool *tool, const char *message)
{
	const struct event event = {.agent = "a",
		.check = "c",
		.message = message,
		.message_length = strlen(message),
		.timestamp = TOOL_TS};
	json_t *record = event_new(&tool->outlet.stream, &event);
	CHECK(record != NULL);
	return record;
}

/* Send one event, or none if `message` is NULL. */
static inline int
tool_send(struct tool *tool, const char *message, enum outlet_change change, uint64_t now_ns)
{
	json_t *events = json_array();
	outlet_name_stream(&tool->outlet, "n", "b", TOOL_TS);
	if (message != NULL)
		json_array_append_new(events, tool_event_new(tool, message));
	const struct outlet_batch batch = {
		.events = events, .change = change, .ts = TOOL_TS, .now_ns = now_ns};
	int status = outlet_send(&tool->outlet, &batch);
	json_decref(events);
	return status;
}

/* Return what was written since the last call: `1:first 2:second`, with numbers and messages of
 * events, or ids for records that refer to one. */
static const char *
tool_written(struct tool *tool)
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
		if (strcmp(rec_kind(record), "mark") == 0)
			rec_get_string(record, "source", &message);
		used += (size_t)snprintf(text + used, sizeof text - used, "%s%lld:%s",
			used > 0 ? " " : "",
			(long long)json_integer_value(json_object_get(record, "seq")), message);
		json_decref(record);
	}
	return text;
}

/* Return the current state file; NULL: none. */
static inline json_t *
tool_stored_new(const struct tool *tool)
{
	return json_load_file(tool->state_path, 0, NULL);
}

static inline size_t
tool_stored_events(const struct tool *tool)
{
	json_t *root = tool_stored_new(tool);
	size_t count = json_array_size(json_object_get(root, "outbox"));
	json_decref(root);
	return count;
}

static inline int64_t
tool_stored_number(const struct tool *tool)
{
	json_t *root = tool_stored_new(tool);
	int64_t number = json_integer_value(json_object_get(root, "number"));
	json_decref(root);
	return number;
}

/* Replace the acks file, as the receiver does. */
static inline void
tool_acknowledge(const char *source, int seq, const char *receiver)
{
	char path[200];
	json_t *seqs = json_pack("{s:i}", source, seq);
	snprintf(path, sizeof path, "%s/acks", check_dir());
	CHECK_INT(acks_write(path, seqs, seqs, NULL, receiver), 0);
	json_decref(seqs);
}

/* The same, with only the events up to `delivered` delivered. */
static inline void
tool_acknowledge_stored(const char *source, int seq, int delivered, const char *receiver)
{
	char path[200];
	json_t *seqs = json_pack("{s:i}", source, seq);
	json_t *arrived = json_pack("{s:i}", source, delivered);
	snprintf(path, sizeof path, "%s/acks", check_dir());
	CHECK_INT(acks_write(path, seqs, arrived, NULL, receiver), 0);
	json_decref(seqs);
	json_decref(arrived);
}

#endif

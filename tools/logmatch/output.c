/* output - writes events, gaps and records passed on.
 *
 * Without a state file, events are buffered as text and written several at once. A write to a pipe
 * stays within PIPE_BUF so that it is atomic, since the pipe may have other writers. With a state
 * file, a batch of events is stored before it is written. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "output.h"

#include "array.h"
#include "clock.h"
#include "line.h"
#include "num.h"
#include "utf8.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Bytes of a log's name in a gap record, which is limited to REC_EVENT_MAX_BYTES. */
#define GAP_SOURCE_MAX_BYTES 1024

static bool
is_storing(const struct output *output)
{
	return output->outlet.options->state_path != NULL;
}

/* Return true for a pipe or socket: other processes may write to it too. */
static bool
is_shared(int fd)
{
	struct stat status;
	return fstat(fd, &status) < 0 || S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode);
}

int
output_init(struct output *output, const struct outlet_options *options,
	const struct outlet_owner *owner, void *context, const char *node)
{
	output->node = node;
	output->boot_id = NULL;
	output->failed = false;
	output->named = false;
	output->pending = 0;
	output->write_bytes = is_shared(STDOUT_FILENO) ? PIPE_BUF : OUTPUT_WRITE_MAX_BYTES;
	*output->stamp = '\0';
	output->events = json_array();
	int status = outlet_init(&output->outlet, options, owner, context, STDOUT_FILENO);
	return output->events != NULL ? status : -1;
}

void
output_fini(struct output *output)
{
	json_decref(output->events);
	outlet_fini(&output->outlet);
}

void
output_begin_event(struct output *output, uint64_t time_ns, const char *text, size_t length)
{
	if (output->named)
		return;
	output->named = true;
	clock_format(time_ns, output->stamp);
	if (output->boot_id != NULL) {
		outlet_name_stream(&output->outlet, output->node, output->boot_id, output->stamp);
		return;
	}
	/* Without a boot id, derive the stream's name from the first event, so that the same log
	 * always gives the same stream. */
	char first[256];
	size_t kept = length < sizeof first - 1 ? length : sizeof first - 1;
	memcpy(first, text, kept);
	first[kept] = '\0';
	outlet_name_stream(&output->outlet, output->node, first, output->stamp);
}

void
output_next_id(const struct output *output, char id[STANDING_ID_SIZE])
{
	char *end = stpcpy(id, output->outlet.stream.source);
	*end++ = '-';
	end += num_format_u64(output->outlet.stream.seq + 1, end);
	*end = '\0';
}

static int
note(struct output *output, int status)
{
	output->failed |= status < 0;
	return status;
}

static int
flush(struct output *output)
{
	size_t length = output->pending;
	output->pending = 0;
	return length > 0 ? note(output, line_write(STDOUT_FILENO, output->buffer, length)) : 0;
}

static int
add_text(struct output *output, const char *line, size_t length)
{
	if (length > output->write_bytes - output->pending && flush(output) < 0)
		return -1;
	if (length > output->write_bytes)
		return note(output, line_write(STDOUT_FILENO, line, length));
	memcpy(output->buffer + output->pending, line, length);
	output->pending += length;
	return 0;
}

int
output_event(struct output *output, const struct event *event)
{
	/* In a log read from a file, lines may be in any order: let each event keep the time of its
	 * line. */
	if (output->boot_id == NULL)
		output->outlet.stream.last_us = 0;
	if (!is_storing(output)) {
		char line[REC_EVENT_MAX_BYTES + 1];
		return add_text(output, line, event_format(&output->outlet.stream, event, line));
	}
	json_t *record = event_new(&output->outlet.stream, event);
	if (record == NULL || json_array_append_new(output->events, record) < 0) {
		errno = ENOMEM;
		return note(output, -1);
	}
	return 0;
}

/* Commit pending events before a record of another kind, to keep the order. */
static int
put(struct output *output, const char *line, size_t length)
{
	if (json_array_size(output->events) > 0 &&
		output_commit(output, OUTLET_AT_ONCE, output->outlet.store.saved_ns) < 0)
		return -1;
	return add_text(output, line, length);
}

int
output_gap(struct output *output, const char *source, uint64_t lost, uint64_t time_ns)
{
	char stamp[CLOCK_STAMP_SIZE], shown[GAP_SOURCE_MAX_BYTES + 1];
	char node[3 * REC_NODE_MAX_BYTES + 1]; /* each byte that is not UTF-8 becomes three */
	size_t length;

	clock_format(time_ns, stamp);
	utf8_escape(source, strlen(source), shown, sizeof shown);
	utf8_sanitize(output->node, strlen(output->node), node, sizeof node);
	json_t *record = json_pack("{s:s, s:i, s:s, s:o, s:s, s:s}", "kind", "gap", "v", 1,
		"source", shown, "lost", rec_u64_new(lost), "ts", stamp, "node", node);
	char *line = record != NULL ? rec_dump_new(record, &length) : NULL;
	json_decref(record);
	if (line == NULL) {
		errno = ENOMEM;
		return note(output, -1);
	}
	int status = put(output, line, length);
	free(line);
	return status;
}

int
output_pass(struct output *output, const char *line, size_t length)
{
	char *whole = malloc(length + 1);
	if (whole == NULL)
		return note(output, -1);
	memcpy(whole, line, length);
	whole[length] = '\n';
	int status = put(output, whole, length + 1);
	free(whole);
	return status;
}

/* Replace old_id by new_id in `ids`, a list with commas. If the result is too long, change
 * nothing. */
static void
rename_in(json_t *ids, const char *old_id, const char *new_id)
{
	char text[REC_EVENT_MAX_BYTES];
	const char *list = json_string_value(ids);
	size_t length = strlen(old_id);

	for (const char *at = list; at != NULL && (at = strstr(at, old_id)) != NULL; at += length) {
		bool whole =
			(at == list || at[-1] == ',') && (at[length] == ',' || at[length] == '\0');
		if (!whole)
			continue;
		int size = snprintf(
			text, sizeof text, "%.*s%s%s", (int)(at - list), list, new_id, at + length);
		if (size > 0 && (size_t)size < sizeof text)
			json_string_set(ids, text);
		return;
	}
}

void
output_rename(struct output *output, const char *old_id, const char *new_id)
{
	static const char *const names[] = {"group", "softens", "answers"};
	size_t i;
	json_t *event;

	json_array_foreach (output->events, i, event) {
		json_t *metadata = json_object_get(event, "metadata");
		for (size_t name = 0; name < ARRAY_COUNT(names); name++) {
			json_t *ids = json_object_get(metadata, names[name]);
			if (ids != NULL)
				rename_in(ids, old_id, new_id);
		}
	}
}

int
output_commit(struct output *output, enum outlet_change change, uint64_t now_ns)
{
	output->named = false;
	/* Pending records came before the events, see put(). */
	int status = flush(output);
	if (status < 0 || !is_storing(output))
		return status;
	struct outlet_batch batch = {
		.events = output->events, .change = change, .ts = output->stamp, .now_ns = now_ns};
	status = note(output, outlet_send(&output->outlet, &batch));
	json_array_clear(output->events);
	return status;
}

int
output_settle(struct output *output, uint64_t now_ns)
{
	return output->outlet.change == OUTLET_AT_ONCE
		       ? output_commit(output, OUTLET_AT_ONCE, now_ns)
		       : 0;
}

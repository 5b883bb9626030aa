/* outbox - events that are not known to have been delivered. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "outbox.h"

#include "utf8.h"

#include <stdio.h>
#include <string.h>

int
outbox_init(struct outbox *outbox)
{
	outbox->events = json_array();
	outbox->delivered = json_array();
	return outbox->events != NULL && outbox->delivered != NULL ? 0 : -1;
}

void
outbox_fini(struct outbox *outbox)
{
	json_decref(outbox->events);
	json_decref(outbox->delivered);
	outbox->events = outbox->delivered = NULL;
}

int
outbox_add(struct outbox *outbox, json_t *events)
{
	return json_array_extend(outbox->events, events);
}

static bool
has(const struct outbox *outbox, const json_t *event)
{
	size_t i;
	const json_t *other;
	json_array_foreach (outbox->events, i, other) {
		if (json_equal(json_object_get(other, "id"), json_object_get(event, "id")))
			return true;
	}
	return false;
}

int
outbox_merge(struct outbox *outbox, const json_t *events, json_t **added)
{
	size_t i;
	json_t *event;
	json_t *found = json_array();

	*added = NULL;
	json_array_foreach (events, i, event) {
		if (!has(outbox, event) && json_array_append(found, event) < 0) {
			json_decref(found);
			return -1;
		}
	}
	for (size_t at = json_array_size(found); at > 0; at--) {
		if (json_array_insert(outbox->events, 0, json_array_get(found, at - 1)) < 0) {
			json_decref(found);
			return -1;
		}
	}
	if (json_array_size(found) > 0)
		*added = found;
	else
		json_decref(found);
	return 0;
}

/* Keep only the first `count`. */
static void
cut(json_t *events, size_t count)
{
	for (size_t i = json_array_size(events); i > count; i--)
		json_array_remove(events, i - 1);
}

/* Keep only the last `max`. Return how many were dropped. */
static size_t
leave_last(json_t *events, size_t max)
{
	size_t count = json_array_size(events);
	if (count <= max)
		return 0;
	size_t dropped = count - max;
	/* Shift from the front, so that each event is moved once. */
	for (size_t i = dropped; i < count; i++)
		json_array_set(events, i - dropped, json_array_get(events, i));
	cut(events, max);
	return dropped;
}

bool
outbox_is_acked(const json_t *event, const json_t *seqs)
{
	const char *source = NULL;
	uint64_t seq = 0;
	rec_get_string(event, "source", &source);
	rec_get_u64(event, "seq", &seq);
	return source != NULL && seqs != NULL && seq <= acks_seq(seqs, source);
}

bool
outbox_trim(struct outbox *outbox, const struct acks *acks)
{
	size_t kept = 0, acked = 0, count = json_array_size(outbox->events);

	for (size_t i = 0; i < count; i++) {
		const json_t *event = json_array_get(outbox->events, i);
		acked += outbox_is_acked(event, acks->seqs) &&
			 !outbox_is_acked(event, acks->delivered);
	}
	for (size_t i = 0; i < count; i++) {
		json_t *event = json_array_get(outbox->events, i);
		bool is_acked = outbox_is_acked(event, acks->seqs);
		if (is_acked && outbox_is_acked(event, acks->delivered)) {
			/* Out of memory: the event is dropped, as the oldest are. */
			json_array_append(outbox->delivered, event);
			continue;
		}
		if (is_acked && acked-- > OUTBOX_ACKED_MAX)
			continue;
		if (kept < i)
			json_array_set(outbox->events, kept, event);
		kept++;
	}
	cut(outbox->events, kept);
	leave_last(outbox->delivered, OUTBOX_DELIVERED_MAX);
	return kept < count;
}

/* Return whether the receiver has earlier events of the same source, but not this one. */
static bool
is_lost(const json_t *event, const json_t *seqs)
{
	const char *source = NULL;
	rec_get_string(event, "source", &source);
	return source != NULL && acks_seq(seqs, source) > 0 && !outbox_is_acked(event, seqs);
}

bool
outbox_recall(struct outbox *outbox, const struct acks *acks)
{
	bool any = false;
	/* Newest first: when memory runs out, only the oldest events are missing. */
	for (size_t i = json_array_size(outbox->delivered); i > 0; i--) {
		json_t *event = json_array_get(outbox->delivered, i - 1);
		if (!is_lost(event, acks->seqs))
			continue;
		if (json_array_insert(outbox->events, 0, event) < 0)
			break;
		json_array_remove(outbox->delivered, i - 1);
		any = true;
	}
	return any;
}

size_t
outbox_bound(struct outbox *outbox)
{
	return leave_last(outbox->events, OUTBOX_EVENTS_MAX);
}

bool
outbox_clear(struct outbox *outbox)
{
	bool any = json_array_size(outbox->events) > 0;
	json_array_clear(outbox->events);
	json_array_clear(outbox->delivered);
	return any;
}

/* --- state file --- */

int
outbox_encode(const struct outbox *outbox, const struct event_stream *stream, json_t *root)
{
	json_t *source = *stream->source != '\0' ? json_string(stream->source) : json_null();
	if (json_object_set_new(root, "source", source) < 0 ||
		(stream->has_node && utf8_is_valid(stream->node) &&
			json_object_set_new(root, "node", json_string(stream->node)) < 0) ||
		json_object_set_new(root, "seq", rec_u64_new(stream->seq)) < 0 ||
		json_object_set_new(root, "last_us", rec_u64_new(stream->last_us)) < 0 ||
		json_object_set(root, "outbox", outbox->events) < 0 ||
		json_object_set(root, "delivered", outbox->delivered) < 0)
		return -1;
	return 0;
}

/* Return whether it is an event record: nothing else may be written as an event. */
static bool
is_event(const json_t *event)
{
	const char *kind = NULL, *source = NULL;
	uint64_t seq;
	return json_is_object(event) && rec_get_string(event, "kind", &kind) == REC_OK &&
	       strcmp(kind, "event") == 0 && rec_get_string(event, "source", &source) == REC_OK &&
	       rec_get_u64(event, "seq", &seq) == REC_OK &&
	       json_dumpb(event, NULL, 0, JSON_COMPACT) < REC_EVENT_MAX_BYTES;
}

static int
decode_events(json_t *events, const json_t *root, const char *name, struct rec_error *error)
{
	json_t *found = json_object_get(root, name);
	if (found == NULL || json_is_null(found))
		return 0;
	if (!json_is_array(found))
		return rec_refuse(error, "\"%s\" has the wrong type", name);
	size_t i;
	const json_t *event;
	json_array_foreach (found, i, event) {
		if (!is_event(event))
			return rec_refuse(
				error, "entry %zu of \"%s\" is not an event", i + 1, name);
	}
	return json_array_extend(events, found) < 0 ? rec_lack_memory(error) : 0;
}

static int
decode_stream(struct event_stream *stream, const json_t *root, struct rec_error *error)
{
	const char *source = "", *node = NULL;
	if (rec_get_string(root, "source", &source) == REC_WRONG_TYPE ||
		strlen(source) >= sizeof stream->source)
		return rec_refuse(error, "\"source\" is not text of at most %zu bytes",
			sizeof stream->source - 1);
	snprintf(stream->source, sizeof stream->source, "%s", source);
	if (rec_get_string(root, "node", &node) == REC_WRONG_TYPE ||
		(node != NULL && strlen(node) > REC_NODE_MAX_BYTES))
		return rec_refuse(
			error, "\"node\" is not text of at most %d bytes", REC_NODE_MAX_BYTES);
	event_stream_set_node(stream, node);
	/* Leave room for as many numbers again. */
	if (rec_get_u64(root, "seq", &stream->seq) == REC_WRONG_TYPE || stream->seq > INT64_MAX / 2)
		return rec_refuse(error, "\"seq\" is not a valid event number");
	if (rec_get_u64(root, "last_us", &stream->last_us) == REC_WRONG_TYPE ||
		stream->last_us > EVENT_LAST_US_MAX)
		return rec_refuse(error, "\"last_us\" is not a time in microseconds");
	return 0;
}

int
outbox_decode(struct outbox *outbox, struct event_stream *stream, const json_t *root,
	struct rec_error *error)
{
	if (decode_events(outbox->events, root, "outbox", error) < 0 ||
		decode_events(outbox->delivered, root, "delivered", error) < 0)
		return -1;
	return decode_stream(stream, root, error);
}

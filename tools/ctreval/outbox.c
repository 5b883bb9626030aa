/* outbox - events that were decided and are not known to be stored by their receiver. */
#include "outbox.h"

#include "acks.h"

int
outbox_init(struct outbox *outbox)
{
	outbox->events = json_array();
	return outbox->events != NULL ? 0 : -1;
}

void
outbox_fini(struct outbox *outbox)
{
	json_decref(outbox->events);
	outbox->events = NULL;
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

bool
outbox_trim(struct outbox *outbox, const json_t *acks)
{
	size_t kept = 0, count = json_array_size(outbox->events);

	/* Towards the front, so that each is moved once. */
	for (size_t i = 0; i < count; i++) {
		json_t *event = json_array_get(outbox->events, i);
		const char *source = NULL;
		uint64_t seq = 0;
		rec_get_string(event, "source", &source);
		rec_get_u64(event, "seq", &seq);
		if (source != NULL && seq <= acks_seq(acks, source))
			continue;
		if (kept < i)
			json_array_set(outbox->events, kept, event);
		kept++;
	}
	for (size_t i = count; i > kept; i--)
		json_array_remove(outbox->events, i - 1);
	return kept < count;
}

size_t
outbox_bound(struct outbox *outbox)
{
	size_t dropped = 0;
	while (json_array_size(outbox->events) > OUTBOX_EVENTS_MAX) {
		json_array_remove(outbox->events, 0);
		dropped++;
	}
	return dropped;
}

bool
outbox_clear(struct outbox *outbox)
{
	bool any = json_array_size(outbox->events) > 0;
	json_array_clear(outbox->events);
	return any;
}

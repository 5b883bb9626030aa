/* event - event records. */
#include "event.h"

#include "hash.h"
#include "utf8.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ELLIPSIS "\xE2\x80\xA6" /* U+2026 */

/* The NUL is hashed too, so that two texts side by side do not run into each other. */
static uint64_t
add_text(uint64_t hash, const char *text)
{
	return text != NULL ? hash_bytes(hash, text, strlen(text) + 1) : hash_bytes(hash, "\1", 2);
}

void
event_stream_init(struct event_stream *stream, const char *tool, const char *node,
	const char *boot_id, const char *first_ts, const char *strategy)
{
	uint64_t hash = add_text(HASH_START, tool);
	hash = add_text(hash, node);
	hash = add_text(hash, boot_id);
	hash = add_text(hash, first_ts);

	*stream = (struct event_stream){.strategy = strategy};
	event_stream_set_node(stream, node);
	snprintf(stream->source, sizeof stream->source, "%016" PRIx64, hash);
}

void
event_stream_set_node(struct event_stream *stream, const char *node)
{
	stream->has_node = node != NULL;
	snprintf(stream->node, sizeof stream->node, "%s", node != NULL ? node : "");
}

void
event_stream_fork(struct event_stream *stream, const char *ts)
{
	uint64_t hash = add_text(add_text(HASH_START, stream->source), ts);
	snprintf(stream->source, sizeof stream->source, "%016" PRIx64, hash);
	stream->seq = 0;
}

int
event_restamp(struct event_stream *stream, json_t *record)
{
	char id[48];
	snprintf(id, sizeof id, "%s-%" PRIu64, stream->source, stream->seq + 1);
	if (json_object_set_new(record, "id", json_string(id)) < 0 ||
		json_object_set_new(record, "source", json_string(stream->source)) < 0 ||
		json_object_set_new(record, "seq", json_integer((json_int_t)stream->seq + 1)) < 0)
		return -1;
	stream->seq++;
	return 0;
}

static json_t *
entities_new(const struct event *event)
{
	char number[24];
	json_t *entities = json_array();
	if (event->device != NULL)
		json_array_append_new(entities,
			json_pack("{s:s, s:s}", "entityType", "NIC", "entityValue", event->device));
	if (event->port != 0) {
		snprintf(number, sizeof number, "%" PRId64, event->port);
		json_array_append_new(entities,
			json_pack("{s:s, s:s}", "entityType", "NICPort", "entityValue", number));
	}
	return entities;
}

static json_t *
metadata_new(const struct event *event)
{
	json_t *metadata = json_object();
	if (event->pci != NULL)
		json_object_set_new(metadata, "pci", json_string(event->pci));
	if (event->role != NULL)
		json_object_set_new(metadata, "role", json_string(event->role));
	if (event->devices != NULL)
		json_object_set_new(metadata, "devices", json_string(event->devices));
	if (event->rate != NULL)
		json_object_set_new(metadata, "rate", json_string(event->rate));
	if (event->peer_rate != NULL)
		json_object_set_new(metadata, "peer_rate", json_string(event->peer_rate));
	return metadata;
}

/* Shortens the message until the record fits. JSON may need up to six bytes for one of the message's, so what is too much
 * in the record can be more than the message has: then half of it goes. A card's list of devices goes when that was not enough; the other
 * strings are bounded by scanrec and conf, so that an end is reached. */
static int
fit(json_t *record)
{
	const size_t most = REC_EVENT_MAX_BYTES - 1;
	size_t size;

	while ((size = json_dumpb(record, NULL, 0, JSON_COMPACT)) > most) {
		const char *message = json_string_value(json_object_get(record, "message"));
		size_t length = strlen(message);
		size_t excess = size - most + strlen(ELLIPSIS);
		size_t kept =
			utf8_cut(message, length, length > excess ? length - excess : length / 2);
		if (kept + strlen(ELLIPSIS) >= length) { /* cutting has come to its end */
			if (json_object_del(json_object_get(record, "metadata"), "devices") < 0)
				return -1;
			continue;
		}

		char *cut = malloc(kept + sizeof ELLIPSIS);
		if (cut == NULL)
			return -1;
		memcpy(cut, message, kept);
		memcpy(cut + kept, ELLIPSIS, sizeof ELLIPSIS);
		json_object_set_new(record, "message", json_string(cut));
		free(cut);
	}
	return 0;
}

json_t *
event_new(struct event_stream *stream, const struct event *event)
{
	char id[48];
	snprintf(id, sizeof id, "%s-%" PRIu64, stream->source, stream->seq + 1);

	json_t *codes = json_array();
	if (event->error_code != NULL)
		json_array_append_new(codes, json_string(event->error_code));
	if (event->error_word != NULL)
		json_array_append_new(codes, json_string(event->error_word));
	json_t *record = json_pack(
		"{s:s, s:s, s:i, s:s, s:s, s:s, s:b, s:b, s:s, s:s, s:o, s:o, s:o, s:s, "
		"s:s?, s:s, s:s, s:I}",
		"kind", "event", "id", id, "version", 1, "agent", "nic-health-monitor",
		"componentClass", "NIC", "checkName", event->check, "isFatal", event->fatal,
		"isHealthy", event->healthy, "message", event->message, "recommendedAction",
		event->fatal ? "REPLACE_VM" : "NONE", "errorCode", codes, "entitiesImpacted",
		entities_new(event), "metadata", metadata_new(event), "generatedTimestamp",
		event->timestamp, "nodeName", stream->has_node ? stream->node : NULL,
		"processingStrategy", stream->strategy, "source", stream->source, "seq",
		(json_int_t)stream->seq + 1);
	if (record == NULL || fit(record) < 0) {
		json_decref(record);
		return NULL;
	}
	stream->seq++;
	return record;
}

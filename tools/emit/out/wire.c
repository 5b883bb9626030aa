/* wire - encodes events as HealthEvents of NVSentinel's Platform Connector; the gRPC sink. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "wire.h"

#include "../in/facts.h"
#include "clock.h"
#include "grpc.h"
#include "hash.h"
#include "health_event.pb-c.h"
#include "num.h"
#include "opt.h"
#include "rec.h"
#include "request.h"
#include "sink.h"
#include "sinkspec.h"
#include "webaddress.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- events per message --- */

/* Compare an event with the latest time of its check in `latest`. Return 1 if it is later, and
 * store its time there; 0 if not; -1 if memory runs out. */
static int
comes_later(json_t *latest, const char *check, uint64_t time_ns)
{
	const json_t *before = json_object_get(latest, check);
	if (before != NULL && time_ns <= (uint64_t)json_integer_value(before))
		return 0;
	/* The cast is safe: facts.time_ns is at most 2^63-1. */
	return json_object_set_new_nocheck(latest, check, json_integer((json_int_t)time_ns)) < 0
		       ? -1
		       : 1;
}

int
wire_prefix(const struct batch *batch, size_t *count)
{
	json_t *latest = json_object();
	int later = latest != NULL ? 1 : -1;
	for (*count = 0; *count < batch->count && later > 0; *count += later > 0) {
		struct facts facts;
		struct facts_room room;
		facts_read(&facts, &room, batch_record(batch, *count));
		later = comes_later(latest, facts.check, facts.time_ns);
	}
	json_decref(latest);
	return later < 0 ? -1 : 0;
}

/* --- the message --- */

/* HealthEvents.version (spec#wire). */
#define WIRE_VERSION 1

/* Metadata key of the record's id. */
#define ID_KEY "event_id"

typedef Datamodels__HealthEvent health_event;
typedef Datamodels__Entity entity;
typedef Datamodels__HealthEvent__MetadataEntry metadata_entry;
typedef Datamodels__BehaviourOverrides overrides;

/* One event: the message and what it points to. Strings are borrowed from the record. */
struct message {
	const json_t *record; /* NULL: no record; all fields have their defaults */
	health_event event;
	Datamodels__Timestamp time;
	overrides quarantine, drain;
	char **codes;
	entity *entities;
	entity **entity_list;
	metadata_entry *metadata;
	metadata_entry **metadata_list;
	char **dumps; /* JSON text of metadata that is not a string; NULL for strings */
};

/* Protobuf-c does not write to the strings it packs, but its fields are not const. */
static char *
text_of(const json_t *object, const char *key)
{
	return (char *)rec_text(object, key);
}

/* Return the number of an enum value by its name, or `otherwise`. */
static int
number_of(const ProtobufCEnumDescriptor *names, const char *name, int otherwise)
{
	const ProtobufCEnumValue *value = protobuf_c_enum_descriptor_get_value_by_name(names, name);
	return value != NULL ? value->value : otherwise;
}

static void
fill_plain(struct message *message)
{
	const json_t *record = message->record;
	health_event *event = &message->event;
	uint64_t version = 0, time_ns;
	bool fatal = false, healthy = false;

	rec_get_u64(record, "version", &version);
	rec_get_bool(record, "isFatal", &fatal);
	rec_get_bool(record, "isHealthy", &healthy);
	event->version = version <= UINT32_MAX ? (uint32_t)version : 0;
	event->agent = text_of(record, "agent");
	event->componentclass = text_of(record, "componentClass");
	event->checkname = text_of(record, "checkName");
	event->isfatal = fatal;
	event->ishealthy = healthy;
	event->message = text_of(record, "message");
	event->nodename = text_of(record, "nodeName");
	const char *action = "NONE", *strategy = "UNSPECIFIED";
	rec_get_string(record, "recommendedAction", &action);
	rec_get_string(record, "processingStrategy", &strategy);
	event->recommendedaction = (Datamodels__RecommendedAction)number_of(
		&datamodels__recommended_action__descriptor, action,
		DATAMODELS__RECOMMENDED_ACTION__UNKNOWN);
	event->processingstrategy = (Datamodels__ProcessingStrategy)number_of(
		&datamodels__processing_strategy__descriptor, strategy,
		DATAMODELS__PROCESSING_STRATEGY__UNSPECIFIED);
	if (clock_parse(text_of(record, "generatedTimestamp"), &time_ns)) {
		datamodels__timestamp__init(&message->time);
		message->time.seconds = (int64_t)(time_ns / NUM_NS_PER_S);
		message->time.nanos = (int32_t)(time_ns % NUM_NS_PER_S);
		event->generatedtimestamp = &message->time;
	}
}

/* Fill in the overrides that other producers set for NVSentinel. Return NULL if there are none. */
static overrides *
fill_overrides(const json_t *record, const char *key, overrides *room)
{
	const json_t *asked = json_object_get(record, key);
	bool force = false, skip = false;
	if (!json_is_object(asked))
		return NULL;
	rec_get_bool(asked, "force", &force);
	rec_get_bool(asked, "skip", &skip);
	datamodels__behaviour_overrides__init(room);
	room->force = force;
	room->skip = skip;
	return room;
}

/* Allocate `count` items. Return NULL only if memory runs out. */
static void *
room_for(size_t count, size_t item_size)
{
	return calloc(count > 0 ? count : 1, item_size);
}

static bool
fill_codes(struct message *message)
{
	const json_t *codes = json_object_get(message->record, "errorCode"), *code;
	size_t i;

	message->codes = message->event.errorcode =
		room_for(json_array_size(codes), sizeof *message->codes);
	if (message->codes == NULL)
		return false;
	json_array_foreach (codes, i, code) {
		if (json_is_string(code))
			message->codes[message->event.n_errorcode++] =
				(char *)json_string_value(code);
	}
	return true;
}

static bool
fill_entities(struct message *message)
{
	const json_t *entities = json_object_get(message->record, "entitiesImpacted"), *item;
	size_t i, room = json_array_size(entities);

	message->entities = room_for(room, sizeof *message->entities);
	message->entity_list = message->event.entitiesimpacted = room_for(room, sizeof(entity *));
	if (message->entities == NULL || message->entity_list == NULL)
		return false;
	json_array_foreach (entities, i, item) {
		if (!json_is_object(item))
			continue;
		size_t n = message->event.n_entitiesimpacted++;
		entity *out = message->entity_list[n] = &message->entities[n];
		datamodels__entity__init(out);
		out->entitytype = text_of(item, "entityType");
		out->entityvalue = text_of(item, "entityValue");
	}
	return true;
}

/* Return the next metadata entry. */
static metadata_entry *
next_entry(struct message *message)
{
	size_t n = message->event.n_metadata++;
	metadata_entry *entry = message->metadata_list[n] = &message->metadata[n];
	datamodels__health_event__metadata_entry__init(entry);
	return entry;
}

static bool
fill_metadata(struct message *message)
{
	const json_t *metadata = json_object_get(message->record, "metadata");
	void *at;
	size_t room = json_object_size(metadata) + 1;
	char *id = text_of(message->record, "id");

	message->metadata = room_for(room, sizeof *message->metadata);
	message->metadata_list = message->event.metadata = room_for(room, sizeof(metadata_entry *));
	message->dumps = room_for(room, sizeof *message->dumps);
	if (message->metadata == NULL || message->metadata_list == NULL || message->dumps == NULL)
		return false;
	/* The iterator does not change the object, but is not const. */
	json_t *object = (json_t *)metadata;
	for (at = json_object_iter(object); at != NULL; at = json_object_iter_next(object, at)) {
		const json_t *value = json_object_iter_value(at);
		if (*id != '\0' && strcmp(json_object_iter_key(at), ID_KEY) == 0)
			continue;
		size_t n = message->event.n_metadata;
		metadata_entry *out = next_entry(message);
		out->key = (char *)json_object_iter_key(at);
		if (json_is_string(value)) {
			out->value = (char *)json_string_value(value);
			continue;
		}
		out->value = message->dumps[n] =
			json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
		if (out->value == NULL)
			return false;
	}
	if (*id != '\0') {
		metadata_entry *out = next_entry(message);
		out->key = (char *)ID_KEY;
		out->value = id;
	}
	return true;
}

/* Return false if memory runs out. Call message_fini() in both cases. */
static bool
message_init(struct message *message, const json_t *record, bool fill_id)
{
	*message = (struct message){.record = record};
	datamodels__health_event__init(&message->event);
	fill_plain(message);
	message->event.quarantineoverrides =
		fill_overrides(record, "quarantineOverrides", &message->quarantine);
	message->event.drainoverrides = fill_overrides(record, "drainOverrides", &message->drain);
	message->event.customrecommendedaction = text_of(record, "customRecommendedAction");
	if (fill_id)
		message->event.id = text_of(message->record, "id");
	return fill_codes(message) && fill_entities(message) && fill_metadata(message);
}

static void
message_fini(struct message *message)
{
	for (size_t i = 0; message->dumps != NULL && i < message->event.n_metadata; i++)
		free(message->dumps[i]);
	free(message->dumps);
	free(message->metadata_list);
	free(message->metadata);
	free(message->entity_list);
	free(message->entities);
	free(message->codes);
}

/* Return the prefix and the packed message, from malloc. */
static char *
pack_new(const Datamodels__HealthEvents *events, size_t *length)
{
	size_t size = datamodels__health_events__get_packed_size(events);
	unsigned char *out = malloc(GRPC_PREFIX_BYTES + size);
	if (out == NULL)
		return NULL;
	grpc_prefix(out, size);
	*length = GRPC_PREFIX_BYTES +
		  datamodels__health_events__pack(events, out + GRPC_PREFIX_BYTES);
	return (char *)out;
}

char *
wire_encode_new(const struct batch *batch, bool fill_ids, size_t *length)
{
	char *out = NULL;
	size_t begun = 0;
	bool complete = true;
	struct message *messages = room_for(batch->count, sizeof *messages);
	health_event **list = room_for(batch->count, sizeof(health_event *));

	if (messages == NULL || list == NULL)
		goto done;
	for (; begun < batch->count && complete; begun++) {
		complete = message_init(&messages[begun], batch_record(batch, begun), fill_ids);
		list[begun] = &messages[begun].event;
	}
	if (complete) {
		Datamodels__HealthEvents events = DATAMODELS__HEALTH_EVENTS__INIT;
		events.version = WIRE_VERSION;
		events.events = list;
		events.n_events = batch->count;
		out = pack_new(&events, length);
	}
done:
	for (size_t i = 0; i < begun; i++)
		message_fini(&messages[i]);
	free(list);
	free(messages);
	return out;
}

/* --- the sink --- */

static const char *
parse(struct sink_spec *spec, const char *rest)
{
	static const char unix_scheme[] = "unix://";
	if (strncmp(rest, unix_scheme, sizeof unix_scheme - 1) == 0) {
		spec->url = strdup("http://localhost" GRPC_METHOD_PATH);
		return spec->url != NULL
			       ? sink_spec_parse_socket(spec, rest + sizeof unix_scheme - 1)
			       : opt_no_memory;
	}
	const char *behind = webaddress_rest(rest);
	if (behind == NULL)
		return "unix://PATH, http://HOST:PORT or https://HOST:PORT is expected";
	const char *slash = strpbrk(behind, "/?");
	if (slash != NULL && strcmp(slash, "/") != 0)
		return "the address of a gRPC server has no path";
	/* gRPC has no default port. */
	return sink_spec_parse_url(spec, rest, GRPC_METHOD_PATH, true);
}

/* Format the key by which a server recognises a batch that it has stored: a hash of the events, so
 * it is the same after a restart. */
static void
format_key(const struct batch *batch, char *header, size_t size)
{
	uint64_t hash = HASH_START;
	for (size_t i = 0; i < batch->count; i++)
		hash = hash_bytes(hash, batch_line(batch, i), batch->events[i].length);
	snprintf(header, size, GRPC_KEY_HEADER ": %016" PRIx64 "-%zu", hash, batch->count);
}

static enum request_outcome
post(struct sink *sink, struct journal *journal)
{
	char timeout[GRPC_TIMEOUT_SIZE],
		timeout_header[sizeof "grpc-timeout: " + GRPC_TIMEOUT_SIZE], key_header[80];
	const char *const headers[] = {GRPC_TE_HEADER, timeout_header, key_header, NULL};
	size_t length = 0;
	(void)journal;
	grpc_timeout(timeout, sink->setting->timeout_ms);
	strcpy(stpcpy(timeout_header, "grpc-timeout: "), timeout);
	format_key(&sink->request->batch, key_header, sizeof key_header);
	char *body = wire_encode_new(&sink->request->batch, sink->setting->grpc_event_id, &length);
	return request_post(sink, GRPC_CONTENT_TYPE, headers, body, length);
}

static enum verdict
eval(const struct http_client *client, char reason[VERDICT_REASON_SIZE])
{
	return grpc_eval(http_client_reply(client), http_client_header(client, "grpc-status"),
		http_client_header(client, "grpc-message"), reason);
}

static unsigned
code(const struct http_client *client)
{
	return grpc_code(http_client_reply(client), http_client_header(client, "grpc-status"));
}

static const struct request_kind requests = {
	.http2 = true,
	.repeats = true,
	.prefix = wire_prefix,
	.post = post,
	.eval = eval,
	.code = code,
	.accepted = ", grpc-status 0",
};

const struct sink_kind sink_grpc = {
	.parse = parse,
	.counts = true,
	.engine = &request_engine,
	.request = &requests,
};

/* fuzz_wire - encodes arbitrary lines as events to send: as a HealthEvents message, which unpacks
 * and packs to the same bytes, and as a CloudEvents batch. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/emit/out/grpc.h"
#include "../../tools/emit/out/webhook.h"
#include "../../tools/emit/out/wire.h"
#include "health_event.pb-c.h"
#include "utf8.h"

#include <assert.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Add each line as an event, including the text after the last newline. */
static void
fill(struct batch *batch, const char *text, size_t size)
{
	for (size_t at = 0, number = 1; at < size; number++) {
		const char *newline = memchr(text + at, '\n', size - at);
		size_t length = newline != NULL ? (size_t)(newline - text) - at : size - at;
		assert(batch_add(batch, number, text + at, length) == 0);
		at += length + 1;
	}
}

static void
check_texts(const Datamodels__HealthEvent *event)
{
	assert(utf8_is_valid(event->id) && utf8_is_valid(event->message));
	assert(utf8_is_valid(event->nodename) && utf8_is_valid(event->checkname));
	for (size_t i = 0; i < event->n_metadata; i++)
		assert(utf8_is_valid(event->metadata[i]->key) &&
			utf8_is_valid(event->metadata[i]->value));
}

static void
check_wire(const struct batch *batch)
{
	size_t length = 0;
	char *message = wire_encode_new(batch, true, &length);
	unsigned char prefix[GRPC_PREFIX_BYTES];

	assert(message != NULL && length >= sizeof prefix);
	size_t packed = length - sizeof prefix;
	grpc_prefix(prefix, packed);
	assert(memcmp(message, prefix, sizeof prefix) == 0);

	const uint8_t *bytes = (const uint8_t *)message + sizeof prefix;
	Datamodels__HealthEvents *events = datamodels__health_events__unpack(NULL, packed, bytes);
	assert(events != NULL && events->n_events == batch->count);
	for (size_t i = 0; i < events->n_events; i++)
		check_texts(events->events[i]);
	assert(datamodels__health_events__get_packed_size(events) == packed);
	uint8_t *again = malloc(packed + 1);
	assert(again != NULL && datamodels__health_events__pack(events, again) == packed);
	assert(memcmp(again, bytes, packed) == 0);
	free(again);
	datamodels__health_events__free_unpacked(events, NULL);
	free(message);
}

static void
check_webhook(const struct batch *batch)
{
	size_t length = 0, i;
	json_error_t error;
	const json_t *event;
	char *body = webhook_encode_new(batch, "node", &length);

	assert(body != NULL && strlen(body) == length);
	/* A number too large for jansson is still well-formed. */
	json_t *events = json_loadb(body, length, 0, &error);
	if (events == NULL && json_error_code(&error) == json_error_numeric_overflow)
		events = json_loadb(body, length, JSON_DECODE_INT_AS_REAL, &error);
	/* A record at the parser's depth limit exceeds it within another object. */
	assert(events != NULL || json_error_code(&error) == json_error_stack_overflow);
	assert(events == NULL || json_array_size(events) == batch->count);
	json_array_foreach (events, i, event)
		assert(json_string_length(json_object_get(event, "id")) > 0);
	json_decref(events);
	free(body);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct batch batch = {0};
	size_t count;
	fill(&batch, (const char *)data, size);
	assert(wire_prefix(&batch, &count) == 0);
	assert(count <= batch.count && (count > 0) == (batch.count > 0));
	check_wire(&batch);
	check_webhook(&batch);
	batch_fini(&batch);
	return 0;
}

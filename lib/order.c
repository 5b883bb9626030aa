/* order - puts events into the order of their times and drops repeated ones. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "order.h"

#include "array.h"
#include "hash.h"
#include "moment.h"

#include <stdlib.h>
#include <string.h>

#define OVERTAKEN_BITS 64

struct waiting {
	struct heap_node node;
	struct sighting *event;
};

void
order_init(struct order *order, uint64_t lateness_us, uint64_t wait_us)
{
	*order = (struct order){
		.lateness_us = lateness_us, .wait_us = wait_us, .most_streams = ORDER_STREAMS_MAX};
}

void
order_advance(struct order *order, uint64_t now_us)
{
	if (now_us > order->newest_us)
		order->newest_us = now_us;
}

void
order_restart(struct order *order, uint64_t now_us)
{
	order->newest_us = now_us;
}

static const char *
source_of(const struct sighting *event)
{
	const char *source = event->fields[SIGHTING_SOURCE];
	return source != NULL && *source != '\0' && strlen(source) < EVENT_SOURCE_SIZE ? source
										       : NULL;
}

/* Events of the same time are ordered by number, then by a hash of the id, so that the order does
 * not depend on which arrived first. */
static struct heap_node
node_of(const struct sighting *event, uint64_t at_us)
{
	const char *id = event->fields[SIGHTING_ID];
	struct heap_node node = {.at_us = at_us, .rank = event->seq};
	if (id != NULL)
		node.second_rank = hash_text(HASH_START, id);
	return node;
}

uint64_t
order_settled_us(const struct order *order)
{
	return moment_earlier(order->newest_us, order->wait_us);
}

static struct order_stream *
find(const struct order *order, const char *source)
{
	uint64_t hash = hash_text(HASH_START, source);
	for (size_t step = 0, i; (i = map_next(&order->by_source, hash, &step)) != MAP_END;)
		if (strcmp(order->streams[i].source, source) == 0)
			return &order->streams[i];
	return NULL;
}

/* Free the slot of the stream whose latest event is oldest, and return its index. That stream has
 * probably ended: each boot of a node starts new ones. */
static size_t
evict_stream(struct order *order)
{
	size_t oldest = 0;
	for (size_t i = 1; i < order->stream_count; i++)
		if (order->streams[i].turn < order->streams[oldest].turn)
			oldest = i;
	map_remove(&order->by_source, hash_text(HASH_START, order->streams[oldest].source), oldest);
	return oldest;
}

/* Return NULL when out of memory. */
static struct order_stream *
add_stream(struct order *order, const char *source)
{
	struct order_stream *streams = array_grown(
		order->streams, order->stream_count, &order->stream_capacity, sizeof *streams);
	if (streams == NULL)
		return NULL;
	order->streams = streams;
	bool full = order->stream_count == order->most_streams;
	size_t index = full ? evict_stream(order) : order->stream_count;
	if (map_add(&order->by_source, hash_text(HASH_START, source), index) < 0)
		return NULL;
	order->stream_count += !full;
	struct order_stream *stream = &streams[index];
	*stream = (struct order_stream){.turn = ++order->turns};
	strcpy(stream->source, source);
	return stream;
}

/* Shift to the left without the bits that fall out, which a sanitizer would report. */
static uint64_t
shifted(uint64_t bits, uint64_t by)
{
	return by < OVERTAKEN_BITS ? (bits & (UINT64_MAX >> by)) << by : 0;
}

/* Return the bit of `overtaken` for a number below the highest; 0: it is too low for one. */
static uint64_t
bit_of(const struct order_stream *stream, uint64_t seq)
{
	uint64_t below = stream->seq - seq;
	return below <= OVERTAKEN_BITS ? UINT64_C(1) << (below - 1) : 0;
}

/* Return true if the event has been handed out. A number too low for a bit counts as known. Events
 * without a stream all count as new. */
static bool
is_known(const struct order_stream *stream, const struct sighting *event)
{
	if (stream == NULL || !event->has_seq || event->seq > stream->seq)
		return false;
	return event->seq == stream->seq || (stream->overtaken & bit_of(stream, event->seq)) == 0;
}

/* Record that a new number is handed out. */
static void
note_number(struct order_stream *stream, uint64_t seq)
{
	if (seq < stream->seq) {
		stream->overtaken &= ~bit_of(stream, seq);
		return;
	}
	/* The numbers between the two are overtaken; the one that was the highest is not. */
	uint64_t by = seq - stream->seq;
	/* The stream begins with 0. */
	if (by == 0)
		return;
	if (by > OVERTAKEN_BITS)
		stream->overtaken = UINT64_MAX;
	else
		stream->overtaken =
			shifted(stream->overtaken, by) | ((UINT64_C(1) << (by - 1)) - 1);
	stream->seq = seq;
}

static struct order_stream *
stream_of(const struct order *order, const struct sighting *event)
{
	const char *source = source_of(event);
	return source != NULL ? find(order, source) : NULL;
}

/* Record that the event is handed out. Return false if it has been handed out before. */
static bool
hand_out(struct order *order, const struct sighting *event)
{
	const char *source = source_of(event);
	struct order_stream *stream = stream_of(order, event);
	if (is_known(stream, event))
		return false;
	if (source != NULL && stream == NULL)
		stream = add_stream(order, source);
	if (stream != NULL && event->has_seq)
		note_number(stream, event->seq);
	if (stream != NULL)
		stream->turn = ++order->turns;
	return true;
}

static bool
is_too_late(const struct order *order, uint64_t at_us, const struct sighting *event)
{
	return at_us < moment_earlier(order->newest_us, order->lateness_us) && !event->is_healthy;
}

int
order_add(struct order *order, uint64_t at_us, struct sighting *event)
{
	if (is_too_late(order, at_us, event)) {
		order->late += !is_known(stream_of(order, event), event);
		return 0;
	}
	struct waiting *waiting = malloc(sizeof *waiting);
	if (waiting == NULL)
		return -1;
	*waiting = (struct waiting){.node = node_of(event, at_us), .event = sighting_hold(event)};
	if (heap_add(&order->waiting, &waiting->node) < 0) {
		sighting_release(event);
		free(waiting);
		return -1;
	}
	order_advance(order, at_us);
	return 0;
}

struct sighting *
order_next_new(struct order *order, uint64_t last_us, uint64_t *at_us)
{
	struct heap_node *first;
	while ((first = heap_first(&order->waiting)) != NULL && first->at_us <= last_us) {
		struct waiting *waiting = (struct waiting *)first;
		struct sighting *event = waiting->event;
		*at_us = first->at_us;
		heap_remove(&order->waiting, first);
		free(waiting);
		if (hand_out(order, event))
			return event;
		sighting_release(event);
	}
	return NULL;
}

/* --- state file --- */

static int
compare_turns(const void *a, const void *b)
{
	const struct order_stream *const *first = a, *const *second = b;
	return ((*first)->turn > (*second)->turn) - ((*first)->turn < (*second)->turn);
}

/* The highest number, and, if it overtook others, their bits. */
static json_t *
numbers_new(const struct order_stream *stream)
{
	if (stream->overtaken == 0)
		return rec_u64_new(stream->seq);
	return json_pack("[o, o]", rec_u64_new(stream->seq), rec_u64_new(stream->overtaken));
}

static bool
accept_numbers(struct order_stream *stream, const json_t *value)
{
	if (!json_is_array(value))
		return rec_u64(value, &stream->seq) == REC_OK;
	return json_array_size(value) == 2 &&
	       rec_u64(json_array_get(value, 0), &stream->seq) == REC_OK &&
	       rec_u64(json_array_get(value, 1), &stream->overtaken) == REC_OK;
}

/* In the order of their turns, which decode_sources() assigns anew. */
static json_t *
encode_sources_new(const struct order *order)
{
	const struct order_stream **streams = calloc(order->stream_count + 1, sizeof *streams);
	json_t *sources = streams != NULL ? json_object() : NULL;
	for (size_t i = 0; i < order->stream_count && sources != NULL; i++)
		streams[i] = &order->streams[i];
	if (sources != NULL)
		qsort(streams, order->stream_count, sizeof *streams, compare_turns);
	for (size_t i = 0; i < order->stream_count && sources != NULL; i++)
		if (json_object_set_new(sources, streams[i]->source, numbers_new(streams[i])) < 0) {
			json_decref(sources);
			sources = NULL;
		}
	free(streams);
	return sources;
}

static json_t *
encode_waiting_new(const struct order *order)
{
	json_t *list = json_array();
	for (size_t i = 0; i < order->waiting.count; i++) {
		const struct waiting *waiting = (const struct waiting *)order->waiting.nodes[i];
		if (json_array_append_new(
			    list, json_pack("[o, o]", rec_u64_new(waiting->node.at_us),
					  sighting_encode_new(waiting->event))) < 0) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

int
order_encode(const struct order *order, json_t *node)
{
	return json_object_set_new(node, "newest_us", rec_u64_new(order->newest_us)) < 0 ||
			       json_object_set_new(node, "sources", encode_sources_new(order)) <
				       0 ||
			       json_object_set_new(node, "waiting", encode_waiting_new(order)) < 0
		       ? -1
		       : 0;
}

static int
decode_sources(struct order *order, json_t *sources, struct rec_error *error)
{
	const char *name;
	json_t *value;
	json_object_foreach (sources, name, value) {
		struct order_stream numbers = {0};
		if (*name == '\0' || strlen(name) >= EVENT_SOURCE_SIZE ||
			!accept_numbers(&numbers, value))
			return rec_refuse(error, "\"sources\" does not map streams to numbers");
		struct order_stream *stream = add_stream(order, name);
		if (stream == NULL)
			return rec_lack_memory(error);
		stream->seq = numbers.seq;
		stream->overtaken = numbers.overtaken;
	}
	return 0;
}

static int
decode_waiting(struct order *order, const json_t *list, struct rec_error *error)
{
	size_t i;
	json_t *pair;
	json_array_foreach (list, i, pair) {
		uint64_t at_us;
		const json_t *record = json_array_get(pair, 1);
		if (!moment_decode(json_array_get(pair, 0), &at_us) || !json_is_object(record))
			return rec_refuse(error, "\"waiting\" is not a list of times and events");
		struct sighting *event = sighting_new(record);
		int status = event != NULL ? order_add(order, at_us, event) : -1;
		sighting_release(event);
		if (status < 0)
			return rec_lack_memory(error);
	}
	return 0;
}

int
order_decode(struct order *order, const json_t *node, struct rec_error *error)
{
	uint64_t newest_us;
	json_t *sources = json_object_get(node, "sources");
	const json_t *waiting = json_object_get(node, "waiting");
	if (!moment_decode(json_object_get(node, "newest_us"), &newest_us) ||
		!json_is_object(sources) || json_object_size(sources) > order->most_streams ||
		!json_is_array(waiting))
		return rec_refuse(error, "a node without time, sources or events");
	if (decode_sources(order, sources, error) < 0 || decode_waiting(order, waiting, error) < 0)
		return -1;
	order_advance(order, newest_us);
	return 0;
}

void
order_fini(struct order *order)
{
	struct heap_node *first;
	while ((first = heap_first(&order->waiting)) != NULL) {
		heap_remove(&order->waiting, first);
		sighting_release(((struct waiting *)first)->event);
		free(first);
	}
	heap_fini(&order->waiting);
	free(order->streams);
	map_fini(&order->by_source);
}

/* order - events in the order of their time, however they come, each once. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "order.h"

#include "array.h"
#include "hash.h"

#include <stdlib.h>
#include <string.h>

struct waiting {
	struct heap_node node;
	json_t *event;
};

void
order_init(struct order *order, uint64_t lateness_us)
{
	*order = (struct order){.lateness_us = lateness_us};
}

static const char *
source_of(const json_t *event)
{
	const char *source = NULL;
	rec_get_string(event, "source", &source);
	return source != NULL && *source != '\0' && strlen(source) < EVENT_SOURCE_SIZE ? source
										       : NULL;
}

static uint64_t
hash_of(const char *source)
{
	return hash_words(HASH_START, source, strlen(source));
}

/* Those of one moment are in the order of their numbers, and those of several streams in one that
 * does not depend on which came first. */
static struct heap_node
node_of(const json_t *event, uint64_t at_us)
{
	const char *id = NULL;
	struct heap_node node = {.at_us = at_us};
	rec_get_u64(event, "seq", &node.rank);
	rec_get_string(event, "id", &id);
	if (id != NULL)
		node.second_rank = hash_of(id);
	return node;
}

uint64_t
order_settled_us(const struct order *order)
{
	return order->newest_us > order->lateness_us ? order->newest_us - order->lateness_us : 0;
}

static struct order_stream *
find(const struct order *order, const char *source)
{
	uint64_t hash = hash_of(source);
	for (size_t step = 0, i; (i = map_next(&order->by_source, hash, &step)) != MAP_END;)
		if (strcmp(order->streams[i].source, source) == 0)
			return &order->streams[i];
	return NULL;
}

/* NULL: there are too many, or memory ran out. */
static struct order_stream *
add_stream(struct order *order, const char *source)
{
	if (order->stream_count == ORDER_STREAMS_MAX)
		return NULL;
	struct order_stream *streams = array_grown(
		order->streams, order->stream_count, &order->stream_capacity, sizeof *streams);
	if (streams == NULL)
		return NULL;
	order->streams = streams;
	if (map_add(&order->by_source, hash_of(source), order->stream_count) < 0)
		return NULL;
	struct order_stream *stream = &streams[order->stream_count++];
	*stream = (struct order_stream){.seq = 0};
	strcpy(stream->source, source);
	return stream;
}

/* Later events of a stream have later times, or later numbers: what comes in this order and has no
 * later number has been there before. Events without a stream are all new. */
static bool
was_handed_out(const struct order *order, const json_t *event)
{
	uint64_t seq;
	const char *source = source_of(event);
	const struct order_stream *stream = source != NULL ? find(order, source) : NULL;
	return stream != NULL && rec_get_u64(event, "seq", &seq) == REC_OK && seq <= stream->seq;
}

static void
note_handed_out(struct order *order, const json_t *event)
{
	const char *source = source_of(event);
	struct order_stream *stream = source != NULL ? find(order, source) : NULL;
	if (source != NULL && stream == NULL)
		stream = add_stream(order, source);
	if (stream != NULL)
		rec_get_u64(event, "seq", &stream->seq);
}

int
order_add(struct order *order, uint64_t at_us, json_t *event)
{
	if (at_us < order_settled_us(order)) {
		order->late += !was_handed_out(order, event);
		return 0;
	}
	struct waiting *waiting = malloc(sizeof *waiting);
	if (waiting == NULL)
		return -1;
	*waiting = (struct waiting){.node = node_of(event, at_us), .event = json_incref(event)};
	if (heap_add(&order->waiting, &waiting->node) < 0) {
		json_decref(event);
		free(waiting);
		return -1;
	}
	if (at_us > order->newest_us)
		order->newest_us = at_us;
	return 0;
}

json_t *
order_next_new(struct order *order, bool all, uint64_t *at_us)
{
	struct heap_node *first;
	while ((first = heap_first(&order->waiting)) != NULL &&
		(all || first->at_us <= order_settled_us(order))) {
		struct waiting *waiting = (struct waiting *)first;
		json_t *event = waiting->event;
		*at_us = first->at_us;
		heap_remove(&order->waiting, first);
		free(waiting);
		if (!was_handed_out(order, event)) {
			note_handed_out(order, event);
			return event;
		}
		json_decref(event);
	}
	return NULL;
}

void
order_fini(struct order *order)
{
	struct heap_node *first;
	while ((first = heap_first(&order->waiting)) != NULL) {
		heap_remove(&order->waiting, first);
		json_decref(((struct waiting *)first)->event);
		free(first);
	}
	heap_fini(&order->waiting);
	free(order->streams);
	map_fini(&order->by_source);
}

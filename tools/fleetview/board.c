/* board - standing conditions and recent events of a fleet. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "board.h"

#include "../blastradius/reports.h"
#include "array.h"
#include "checks.h"
#include "hash.h"
#include "moment.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>

/* Events evicted at once when the board is full. */
#define BOARD_EVENTS_GO (BOARD_EVENTS_MAX / 4)
#define BOARD_STREAMS_GO (BOARD_STREAMS_MAX / 4)

/* How long a search for idle nodes is not repeated. */
#define BOARD_FULL_US (UINT64_C(60) * 1000000)

#define BOARD_LOG_US (CHECKS_LOG_NS / NUM_NS_PER_US)

const char *
board_switch(const struct sighting *event)
{
	bool blames = strcmp(text_or_empty(event->fields[SIGHTING_CHECK]), REPORTS_SUSPECT) == 0;
	return blames ? text_or_empty(event->fields[SIGHTING_NODE]) : NULL;
}

const char *
board_device(const struct sighting *event)
{
	return text_or_empty(sighting_entity(event, "NIC"));
}

const char *
board_port(const struct sighting *event)
{
	return text_or_empty(sighting_entity(event, "NICPort"));
}

/* --- nodes and streams --- */

static struct board_node *
find_node(const struct board *board, const char *name, uint64_t hash)
{
	for (size_t step = 0, i; (i = map_next(&board->by_node, hash, &step)) != MAP_END;)
		if (strcmp(board->nodes[i]->name, name) == 0)
			return board->nodes[i];
	return NULL;
}

const struct board_node *
board_find_node(const struct board *board, const char *name)
{
	return find_node(board, name, hash_text(HASH_START, name));
}

/* Return NULL when memory ran out. */
static struct board_node *
add_node(struct board *board, const char *name, uint64_t hash)
{
	struct board_node **nodes = array_grown(board->nodes, board->node_count,
		&board->node_capacity, sizeof(struct board_node *));
	if (nodes == NULL)
		return NULL;
	board->nodes = nodes;
	struct board_node *node = calloc(1, sizeof *node + strlen(name) + 1);
	if (node == NULL || map_add(&board->by_node, hash, board->node_count) < 0) {
		free(node);
		return NULL;
	}
	strcpy(node->name, name);
	nodes[board->node_count++] = node;
	return node;
}

static int
compare_streams(const void *a, const void *b)
{
	const struct board_stream *one = *(struct board_stream *const *)a;
	const struct board_stream *other = *(struct board_stream *const *)b;
	return one->turn < other->turn ? -1 : one->turn > other->turn;
}

/* Evict the streams whose latest event is oldest. They have ended: each boot of a node starts new
 * ones. */
static void
evict_streams(struct board *board)
{
	qsort(board->streams, board->stream_count, sizeof *board->streams, compare_streams);
	for (size_t i = 0; i < BOARD_STREAMS_GO; i++)
		free(board->streams[i]);
	board->stream_count -= BOARD_STREAMS_GO;
	memmove(board->streams, board->streams + BOARD_STREAMS_GO,
		board->stream_count * sizeof *board->streams);
	map_clear(&board->by_stream);
	/* This needs no memory: the map has held more. */
	for (size_t i = 0; i < board->stream_count; i++)
		map_add(&board->by_stream, hash_text(HASH_START, board->streams[i]->name), i);
}

/* Return NULL when memory ran out. */
static struct board_stream *
find_or_add_stream(struct board *board, const char *name)
{
	uint64_t hash = hash_text(HASH_START, name);
	for (size_t step = 0, i; (i = map_next(&board->by_stream, hash, &step)) != MAP_END;)
		if (strcmp(board->streams[i]->name, name) == 0)
			return board->streams[i];
	if (board->stream_count == BOARD_STREAMS_MAX)
		evict_streams(board);
	struct board_stream **streams = array_grown(board->streams, board->stream_count,
		&board->stream_capacity, sizeof(struct board_stream *));
	if (streams == NULL)
		return NULL;
	board->streams = streams;
	struct board_stream *stream = calloc(1, sizeof *stream + strlen(name) + 1);
	if (stream == NULL || map_add(&board->by_stream, hash, board->stream_count) < 0) {
		free(stream);
		return NULL;
	}
	strcpy(stream->name, name);
	streams[board->stream_count++] = stream;
	return stream;
}

/* --- conditions --- */

static bool
is_same(const char *a, const char *b)
{
	return strcmp(text_or_empty(a), text_or_empty(b)) == 0;
}

static bool
has_same_agent(const struct sighting *a, const struct sighting *b)
{
	return is_same(a->fields[SIGHTING_AGENT], b->fields[SIGHTING_AGENT]);
}

/* End the conditions that the healthy event answers. */
static void
end_conditions(struct board_node *node, const struct sighting *healthy)
{
	size_t left = 0;
	for (size_t i = 0; i < node->count; i++) {
		struct board_condition condition = node->conditions[i];
		if (has_same_agent(healthy, condition.event) &&
			sighting_answers(healthy, condition.event))
			sighting_release(condition.event);
		else
			node->conditions[left++] = condition;
	}
	node->count = left;
}

bool
board_stands(const struct board_condition *condition, uint64_t now_us)
{
	return condition->event->is_fatal ||
	       !is_same(condition->event->fields[SIGHTING_CHECK], CHECKS_LOG) ||
	       moment_later(condition->latest_us, BOARD_LOG_US) > now_us;
}

/* Drop the conditions that have ended with time. Until then they are kept: an event that comes late
 * may be one of theirs. */
static void
drop_ended(struct board_node *node, uint64_t at_us)
{
	size_t left = 0;
	for (size_t i = 0; i < node->count; i++) {
		if (board_stands(&node->conditions[i], at_us))
			node->conditions[left++] = node->conditions[i];
		else
			sighting_release(node->conditions[i].event);
	}
	node->count = left;
}

/* Return 0, or -1 when memory ran out. */
static int
begin_condition(
	struct board *board, struct board_node *node, struct sighting *event, uint64_t at_us)
{
	if (node->count == BOARD_CONDITIONS_MAX)
		drop_ended(node, at_us);
	if (node->count == BOARD_CONDITIONS_MAX) {
		board->left_out++;
		return 0;
	}
	struct board_condition *conditions =
		array_grown(node->conditions, node->count, &node->capacity, sizeof *conditions);
	if (conditions == NULL)
		return -1;
	node->conditions = conditions;
	conditions[node->count++] = (struct board_condition){sighting_hold(event), at_us, at_us, 1};
	return 0;
}

static void
repeat_condition(struct board_condition *condition, struct sighting *event, uint64_t at_us)
{
	if (!board_stands(condition, at_us)) {
		condition->since_us = at_us;
		condition->times = 0;
	}
	/* A fatal condition stays fatal until it ends. */
	if (event->is_fatal || !condition->event->is_fatal) {
		sighting_release(condition->event);
		condition->event = sighting_hold(event);
	}
	if (condition->latest_us < at_us)
		condition->latest_us = at_us;
	condition->times++;
}

/* Return 0, or -1 when memory ran out. */
static int
note_condition(struct board *board, struct board_node *node, struct sighting *event, uint64_t at_us)
{
	for (size_t i = 0; i < node->count; i++) {
		if (has_same_agent(node->conditions[i].event, event) &&
			sighting_says_the_same(node->conditions[i].event, event)) {
			repeat_condition(&node->conditions[i], event, at_us);
			return 0;
		}
	}
	return begin_condition(board, node, event, at_us);
}

/* --- recent events --- */

/* Evict events older than a day. */
static void
evict_old_events(struct board *board)
{
	uint64_t kept_us = moment_earlier(board->newest_us, BOARD_DAY_US);
	size_t left = 0;
	for (size_t i = 0; i < board->event_count; i++) {
		if (board->events[i].at_us < kept_us)
			sighting_release(board->events[i].event);
		else
			board->events[left++] = board->events[i];
	}
	board->event_count = left;
}

/* Evict events older than a day. If that is not enough, evict the first that arrived. */
static void
make_room(struct board *board)
{
	evict_old_events(board);
	if (board->event_count <= BOARD_EVENTS_MAX - BOARD_EVENTS_GO)
		return;
	for (size_t i = 0; i < BOARD_EVENTS_GO; i++)
		sighting_release(board->events[i].event);
	board->event_count -= BOARD_EVENTS_GO;
	memmove(board->events, board->events + BOARD_EVENTS_GO,
		board->event_count * sizeof *board->events);
	board->left_out += BOARD_EVENTS_GO;
}

/* Return 0, or -1 when memory ran out. */
static int
note_event(
	struct board *board, const struct board_node *node, struct sighting *event, uint64_t at_us)
{
	if (board->event_count == BOARD_EVENTS_MAX)
		make_room(board);
	struct board_event *events = array_grown(
		board->events, board->event_count, &board->event_capacity, sizeof *events);
	if (events == NULL)
		return -1;
	board->events = events;
	events[board->event_count++] = (struct board_event){at_us, node, sighting_hold(event)};
	return 0;
}

/* --- too many nodes --- */

/* Return true if the node sent nothing for a day and has no active condition: it is probably
 * gone. */
static bool
is_idle(const struct board *board, struct board_node *node)
{
	if (node->heard_us >= moment_earlier(board->newest_us, BOARD_DAY_US))
		return false;
	drop_ended(node, board->newest_us);
	return node->count == 0;
}

/* Make room for nodes, if the board is full and the last attempt is not too recent: it takes a
 * while. */
static void
evict_nodes(struct board *board)
{
	size_t left = 0;
	if (board->node_count < BOARD_NODES_MAX || board->newest_us < board->full_until_us)
		return;
	board->full_until_us = moment_later(board->newest_us, BOARD_FULL_US);
	/* An event points to its node. An idle node has no newer ones. */
	evict_old_events(board);
	for (size_t i = 0; i < board->node_count; i++) {
		struct board_node *node = board->nodes[i];
		if (is_idle(board, node)) {
			free(node->conditions);
			free(node);
		} else {
			board->nodes[left++] = node;
		}
	}
	board->node_count = left;
	map_clear(&board->by_node);
	/* This needs no memory: the map has held more. */
	for (size_t i = 0; i < left; i++)
		map_add(&board->by_node, hash_text(HASH_START, board->nodes[i]->name), i);
}

/* --- events --- */

/* Return 1 if the event is a repeat, 0 if it is new, -1 when memory ran out. */
static int
has_come(struct board *board, const struct sighting *event)
{
	const char *source = event->fields[SIGHTING_SOURCE];
	if (source == NULL || !event->has_seq)
		return 0;
	struct board_stream *stream = find_or_add_stream(board, source);
	if (stream == NULL)
		return -1;
	stream->turn = ++board->turns;
	if (event->seq <= stream->seq)
		return 1;
	stream->seq = event->seq;
	return 0;
}

int
board_accept(struct board *board, struct sighting *event, uint64_t at_us)
{
	const char *name = text_or_empty(event->fields[SIGHTING_NODE]);
	uint64_t hash = hash_text(HASH_START, name);
	struct board_node *node = find_node(board, name, hash);
	if (node == NULL)
		evict_nodes(board);
	if (node == NULL && board->node_count == BOARD_NODES_MAX) {
		board->left_out++;
		return 0;
	}
	int came = has_come(board, event);
	if (came != 0)
		return came < 0 ? -1 : 0;
	if (node == NULL && (node = add_node(board, name, hash)) == NULL)
		return -1;
	node->is_switch = node->is_switch || board_switch(event) != NULL;
	if (node->heard_us < at_us)
		node->heard_us = at_us;
	if (board->newest_us < at_us)
		board->newest_us = at_us;
	if (event->is_healthy) {
		end_conditions(node, event);
		return 0;
	}
	return note_condition(board, node, event, at_us) < 0
		       ? -1
		       : note_event(board, node, event, at_us);
}

void
board_fini(struct board *board)
{
	for (size_t i = 0; i < board->event_count; i++)
		sighting_release(board->events[i].event);
	for (size_t i = 0; i < board->node_count; i++) {
		for (size_t j = 0; j < board->nodes[i]->count; j++)
			sighting_release(board->nodes[i]->conditions[j].event);
		free(board->nodes[i]->conditions);
		free(board->nodes[i]);
	}
	for (size_t i = 0; i < board->stream_count; i++)
		free(board->streams[i]);
	map_fini(&board->by_node);
	map_fini(&board->by_stream);
	free(board->nodes);
	free(board->events);
	free(board->streams);
	*board = (struct board){.nodes = NULL};
}

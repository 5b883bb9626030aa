/* Unit tests of fleetview's board: the standing conditions of a fleet, and the events of the last
 * day. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/fleetview/board.h"
#include "check.h"
#include "moment.h"

#include <stdio.h>
#include <string.h>

#define SECOND_US UINT64_C(1000000)

static uint64_t seq;
static char source[16] = "s"; /* of the next events */

/* Accept an event of the node about a port, with `code` ("": none); `port` "": about no port. */
static void
say(struct board *board, uint64_t at_us, const char *node, const char *port, const char *code,
	bool is_healthy)
{
	char text[512], entities[128] = "", codes[64] = "";
	if (*port != '\0')
		snprintf(entities, sizeof entities,
			"{\"entityType\":\"NIC\",\"entityValue\":\"mlx5_0\"},"
			"{\"entityType\":\"NICPort\",\"entityValue\":\"%s\"}",
			port);
	if (*code != '\0')
		snprintf(codes, sizeof codes, "\"%s\"", code);
	snprintf(text, sizeof text,
		"{\"kind\":\"event\",\"agent\":\"a\",\"checkName\":\"c\",\"isHealthy\":%s,"
		"\"isFatal\":%s,\"errorCode\":[%s],\"entitiesImpacted\":[%s],\"nodeName\":\"%s\","
		"\"source\":\"%s\",\"seq\":%llu}",
		is_healthy ? "true" : "false", is_healthy ? "false" : "true", codes, entities, node,
		source, (unsigned long long)++seq);
	struct sighting *event = sighting_read_new(text, strlen(text));
	CHECK(event != NULL);
	CHECK_INT(board_accept(board, event, at_us), 0);
	sighting_release(event);
}

/* Return the number of standing conditions of the node, -1 for an unknown node. */
static int64_t
standing(const struct board *board, const char *node)
{
	const struct board_node *found = board_find_node(board, node);
	return found != NULL ? (int64_t)found->count : -1;
}

static void
same_again(void)
{
	struct board board = {.nodes = NULL};
	say(&board, 5 * SECOND_US, "n", "1", "down", false);
	say(&board, 7 * SECOND_US, "n", "1", "down", false);
	say(&board, 9 * SECOND_US, "n", "2", "down", false);
	say(&board, 9 * SECOND_US, "n", "1", "slow", false);
	CHECK_INT(standing(&board, "n"), 3);
	const struct board_condition *first = &board.nodes[0]->conditions[0];
	CHECK_U64(first->since_us, 5 * SECOND_US);
	CHECK_U64(first->latest_us, 7 * SECOND_US);
	CHECK_U64(first->times, 2);
	CHECK_U64(first->event->seq, seq - 2);
	CHECK_INT((int64_t)board.event_count, 4);
	CHECK_U64(board.newest_us, 9 * SECOND_US);
	CHECK_INT(standing(&board, "other"), -1);
	board_fini(&board);
}

static void
answers(void)
{
	struct board board = {.nodes = NULL};
	for (size_t i = 0; i < 2; i++) {
		const char *node = i == 0 ? "n" : "other";
		say(&board, 1, node, "1", "down", false);
		say(&board, 1, node, "1", "slow", false);
		say(&board, 1, node, "2", "down", false);
	}
	say(&board, 2, "n", "1", "down", true);
	CHECK_INT(standing(&board, "n"), 2);
	say(&board, 3, "n", "2", "", true);
	CHECK_INT(standing(&board, "n"), 1);
	CHECK_STR(sighting_code(board.nodes[0]->conditions[0].event), "slow");
	say(&board, 4, "n", "", "", true);
	CHECK_INT(standing(&board, "n"), 0);
	CHECK_INT(standing(&board, "other"), 3);
	/* Healthy events set the time of the node's last event, and are not kept. */
	CHECK_U64(board.nodes[0]->heard_us, 4);
	CHECK_INT((int64_t)board.event_count, 6);
	board_fini(&board);
}

/* Accept an event of the kernel's log, of node n. */
static void
log_event_of(struct board *board, uint64_t at_us, const char *code, bool is_fatal)
{
	char text[256];
	snprintf(text, sizeof text,
		"{\"kind\":\"event\",\"checkName\":\"SysLogsNICDriverError\",\"isFatal\":%s,"
		"\"errorCode\":[\"%s\"],\"nodeName\":\"n\"}",
		is_fatal ? "true" : "false", code);
	struct sighting *event = sighting_read_new(text, strlen(text));
	CHECK(event != NULL);
	CHECK_INT(board_accept(board, event, at_us), 0);
	sighting_release(event);
}

static void
log_event(struct board *board, uint64_t at_us, bool is_fatal)
{
	log_event_of(board, at_us, "nic_reset", is_fatal);
}

static void
log_hour(void)
{
	const uint64_t hour_us = 3600 * SECOND_US;
	struct board board = {.nodes = NULL};
	log_event(&board, 5 * SECOND_US, false);
	log_event(&board, 9 * SECOND_US, false);
	/* It comes late. */
	log_event(&board, 7 * SECOND_US, false);
	const struct board_condition *condition = &board.nodes[0]->conditions[0];
	CHECK(board_stands(condition, hour_us + 9 * SECOND_US - 1));
	CHECK(!board_stands(condition, hour_us + 9 * SECOND_US));
	CHECK_U64(condition->since_us, 5 * SECOND_US);
	CHECK_U64(condition->times, 3);
	log_event(&board, hour_us + 9 * SECOND_US, false);
	CHECK_INT(standing(&board, "n"), 1);
	CHECK(board_stands(condition, hour_us + 9 * SECOND_US));
	CHECK_U64(condition->since_us, hour_us + 9 * SECOND_US);
	CHECK_U64(condition->times, 1);
	board_fini(&board);
}

static void
stays_fatal(void)
{
	struct board board = {.nodes = NULL};
	log_event(&board, 5 * SECOND_US, true);
	log_event(&board, 7 * SECOND_US, false);
	const struct board_condition *condition = &board.nodes[0]->conditions[0];
	CHECK_INT(standing(&board, "n"), 1);
	CHECK(condition->event->is_fatal);
	CHECK(board_stands(condition, BOARD_DAY_US));
	CHECK_U64(condition->latest_us, 7 * SECOND_US);
	CHECK_U64(condition->times, 2);
	/* Other checks have no limit. */
	say(&board, 9 * SECOND_US, "other", "1", "down", false);
	CHECK(board_stands(&board.nodes[1]->conditions[0], MOMENT_NEVER));
	board_fini(&board);
}

static void
comes_again(void)
{
	struct board board = {.nodes = NULL};
	say(&board, 1, "n", "1", "down", false);
	say(&board, 2, "n", "1", "down", true);
	seq -= 2;
	say(&board, 1, "n", "1", "down", false);
	say(&board, 2, "n", "1", "down", true);
	CHECK_INT(standing(&board, "n"), 0);
	CHECK_INT((int64_t)board.event_count, 1);
	say(&board, 3, "n", "1", "down", false);
	CHECK_INT(standing(&board, "n"), 1);
	board_fini(&board);
}

static void
a_day(void)
{
	struct board board = {.nodes = NULL};
	for (size_t i = 0; i < BOARD_EVENTS_MAX; i++)
		say(&board, i < 10 ? SECOND_US : 2 * SECOND_US, "n", "1", "down", false);
	CHECK_INT((int64_t)board.event_count, BOARD_EVENTS_MAX);
	/* A day after the second second, the events of the first second are older than a day. */
	say(&board, BOARD_DAY_US + 2 * SECOND_US, "n", "1", "down", false);
	say(&board, BOARD_DAY_US + 2 * SECOND_US, "n", "1", "down", false);
	CHECK(board.event_count < BOARD_EVENTS_MAX);
	CHECK_U64(board.events[0].at_us, 2 * SECOND_US);
	CHECK_U64(board.left_out + board.event_count, BOARD_EVENTS_MAX - 10 + 2);
	CHECK_INT(standing(&board, "n"), 1);
	board_fini(&board);
}

static void
too_many(void)
{
	struct board board = {.nodes = NULL};
	char code[16];
	for (int i = 0; i <= BOARD_CONDITIONS_MAX; i++) {
		snprintf(code, sizeof code, "c%d", i);
		say(&board, SECOND_US, "n", "1", code, false);
	}
	CHECK_INT(standing(&board, "n"), BOARD_CONDITIONS_MAX);
	CHECK_U64(board.left_out, 1);
	board_fini(&board);
}

/* Warnings of the kernel's log end with time: nothing clears them until the node boots. */
static void
too_many_ended(void)
{
	const uint64_t hour_us = 3600 * SECOND_US;
	struct board board = {.nodes = NULL};
	char code[16];
	for (int i = 0; i < BOARD_CONDITIONS_MAX; i++) {
		snprintf(code, sizeof code, "c%d", i);
		log_event_of(&board, i < 2 ? 2 * SECOND_US : SECOND_US, code, false);
	}
	log_event_of(&board, hour_us + SECOND_US, "firmware_fatal", true);
	CHECK_U64(board.left_out, 0);
	CHECK_INT(standing(&board, "n"), 3);
	CHECK_STR(sighting_code(board.nodes[0]->conditions[2].event), "firmware_fatal");
	board_fini(&board);
}

static void
many_streams(void)
{
	struct board board = {.nodes = NULL};
	say(&board, 1, "n", "1", "down", false);
	for (size_t i = 0; i < BOARD_STREAMS_MAX; i++) {
		snprintf(source, sizeof source, "%zu", i);
		say(&board, 2, "n", "1", "slow", true);
	}
	CHECK(board.stream_count <= BOARD_STREAMS_MAX);
	/* An event of the last stream is known; the stream without events for longest was
	 * forgotten, and its event is new. */
	seq--;
	say(&board, 3, "n", "1", "down", true);
	CHECK_INT(standing(&board, "n"), 1);
	strcpy(source, "s");
	say(&board, 4, "n", "1", "down", true);
	CHECK_INT(standing(&board, "n"), 0);
	seq--;
	say(&board, 5, "n", "1", "down", false);
	CHECK_INT(standing(&board, "n"), 0);
	CHECK_U64(board.left_out, 0);
	board_fini(&board);
}

/* Nodes of a cloud come and go, and each has a name of its own. */
static void
many_nodes(void)
{
	struct board board = {.nodes = NULL};
	char name[16];
	say(&board, SECOND_US, "down", "1", "down", false);
	say(&board, SECOND_US, "flapped", "1", "down", false);
	say(&board, SECOND_US, "flapped", "1", "down", true);
	for (size_t i = 3; i < BOARD_NODES_MAX; i++) {
		snprintf(name, sizeof name, "n%zu", i);
		say(&board, SECOND_US, name, "1", "down", true);
	}
	say(&board, BOARD_DAY_US, "lately", "1", "down", true);
	say(&board, BOARD_DAY_US + SECOND_US, "new", "1", "down", false);
	CHECK_U64(board.left_out, 1);
	CHECK_INT(standing(&board, "new"), -1);
	/* A day later all nodes but these have sent nothing for a day. */
	say(&board, BOARD_DAY_US + 100 * SECOND_US, "lately", "1", "down", true);
	say(&board, BOARD_DAY_US + 100 * SECOND_US, "new", "1", "down", false);
	CHECK_U64(board.left_out, 1);
	CHECK_INT(standing(&board, "new"), 1);
	CHECK_INT(standing(&board, "down"), 1);
	CHECK_INT(standing(&board, "lately"), 0);
	CHECK_INT(standing(&board, "flapped"), -1);
	CHECK_INT((int64_t)board.node_count, 3);
	CHECK_INT((int64_t)board.event_count, 1);
	board_fini(&board);
}

static const struct check_test tests[] = {
	{"a repeated event is one condition since its first time", same_again},
	{"a healthy event ends the conditions that it answers, of its node only", answers},
	{"a condition of the kernel's log that is not fatal is active for an hour", log_hour},
	{"a fatal condition stays fatal until it ends", stays_fatal},
	{"a repeated event changes nothing", comes_again},
	{"events expire after a day, and the oldest beyond the limit are evicted and counted",
		a_day},
	{"conditions of a node beyond the limit are counted", too_many},
	{"conditions that have ended with time do not count for this limit", too_many_ended},
	{"of any number of streams, those with the latest events are remembered", many_streams},
	{"new nodes take the places of those that have sent nothing for a day", many_nodes},
};
CHECK_MAIN(tests)

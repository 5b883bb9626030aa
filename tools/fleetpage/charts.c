/* charts - draws charts of a fleet as SVG. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "charts.h"

#include "html.h"
#include "moment.h"
#include "when.h"

#include <stdlib.h>
#include <string.h>

/* --- a day --- */

/* Bars of a quarter of an hour. */
#define PARTS 96
#define PART_US (BOARD_DAY_US / PARTS)
#define BAR_WIDTH 10
#define DAY_WIDTH (PARTS * BAR_WIDTH)
#define DAY_HEIGHT 80
/* The time is printed below the bars, every AXIS_PARTS of them. */
#define AXIS_HEIGHT 16
#define AXIS_PARTS 16

bool
charts_chooses(const struct charts_choice *choice, const struct topology *topology,
	const char *node, const struct sighting *event)
{
	if (choice->node != NULL && strcmp(choice->node, node) != 0)
		return false;
	if (choice->place == NULL)
		return true;
	const char *place = ranks_switch(topology, node, event);
	return place != NULL && strcmp(place, choice->place) == 0;
}

static void
count_events(size_t fatal[PARTS], size_t others[PARTS], const struct charts_choice *choice,
	const struct board *board, const struct topology *topology, uint64_t now_us)
{
	memset(fatal, 0, PARTS * sizeof *fatal);
	memset(others, 0, PARTS * sizeof *others);
	for (size_t i = 0; i < board->event_count; i++) {
		const struct board_event *event = &board->events[i];
		uint64_t ago_us = moment_earlier(now_us, event->at_us);
		if (ago_us >= BOARD_DAY_US ||
			!charts_chooses(choice, topology, event->node->name, event->event))
			continue;
		size_t part = PARTS - 1 - (size_t)(ago_us / PART_US);
		(event->event->is_fatal ? fatal : others)[part]++;
	}
}

/* Draw a bar of `count` events on top of `above` others. */
static void
put_bar(struct strbuf *page, const char *kind, size_t part, size_t above, size_t count, size_t most)
{
	if (count == 0)
		return;
	double height = (double)count * DAY_HEIGHT / (double)most;
	double top = DAY_HEIGHT - (double)above * DAY_HEIGHT / (double)most - height;
	strbuf_addf(page,
		"<rect class=\"%s\" x=\"%zu\" y=\"%.1f\" width=\"%d\" height=\"%.1f\">"
		"<title>%zu</title></rect>\n",
		kind, part * BAR_WIDTH, top, BAR_WIDTH - 1, height, count);
}

static void
put_axis(struct strbuf *page, uint64_t now_us)
{
	char time[WHEN_TIME_SIZE];
	strbuf_addf(
		page, "<path stroke=\"currentColor\" d=\"M0 %d.5h%d\"/>\n", DAY_HEIGHT, DAY_WIDTH);
	for (size_t part = 0; part < PARTS; part += AXIS_PARTS) {
		uint64_t ago_us = (PARTS - part) * PART_US;
		when_time(moment_earlier(now_us, ago_us) * 1000, time);
		/* Hour and minute of `2026-11-20 18:00:07`. */
		strbuf_addf(page, "<text x=\"%zu\" y=\"%d\">%.5s</text>\n", part * BAR_WIDTH,
			DAY_HEIGHT + AXIS_HEIGHT - 3, time + 11);
	}
}

void
charts_day(struct strbuf *page, const struct charts_choice *choice, const struct board *board,
	const struct topology *topology, uint64_t now_us)
{
	size_t fatal[PARTS], others[PARTS], most = 0;
	count_events(fatal, others, choice, board, topology, now_us);
	for (size_t i = 0; i < PARTS; i++)
		most = fatal[i] + others[i] > most ? fatal[i] + others[i] : most;
	strbuf_addf(page,
		"<svg id=\"day\" viewBox=\"0 0 %d %d\" role=\"img\" "
		"aria-label=\"unhealthy events of 24 hours\">\n",
		DAY_WIDTH, DAY_HEIGHT + AXIS_HEIGHT);
	for (size_t i = 0; i < PARTS; i++) {
		put_bar(page, "fatal", i, 0, fatal[i], most);
		put_bar(page, "other", i, fatal[i], others[i], most);
	}
	put_axis(page, now_us);
	strbuf_addf(page,
		"</svg>\n<p>Unhealthy events of 24 hours, at most %zu in 15 minutes.</p>\n", most);
}

/* --- all nodes --- */

#define SQUARES_PER_ROW 200
#define SQUARE 8

static int
by_name(const void *left, const void *right)
{
	const struct board_node *const *a = left, *const *b = right;
	return strcmp((*a)->name, (*b)->name);
}

/* Return "fatal", "other", or NULL if no condition stands. */
static const char *
state_of(const struct board_node *node, uint64_t now_us)
{
	const char *state = NULL;
	for (size_t i = 0; i < node->count; i++) {
		if (node->conditions[i].event->is_fatal)
			return "fatal";
		if (board_stands(&node->conditions[i], now_us))
			state = "other";
	}
	return state;
}

static void
put_square(struct strbuf *page, const struct board_node *node, size_t place, const char *state)
{
	strbuf_addf(page, "<a href=\"");
	html_address(page, "node", node->name);
	strbuf_addf(page,
		"\"><rect class=\"%s\" x=\"%zu\" y=\"%zu\" width=\"%d\" height=\"%d\"><title>",
		state, place % SQUARES_PER_ROW * SQUARE, place / SQUARES_PER_ROW * SQUARE,
		SQUARE - 1, SQUARE - 1);
	html_text(page, node->name);
	strbuf_addf(page, "</title></rect></a>\n");
}

/* Nodes without conditions share one path, because there may be ten thousand of them. */
static void
put_fine(struct strbuf *page, const struct board_node *const *nodes, size_t count, uint64_t now_us)
{
	strbuf_addf(page, "<path class=\"fine\" d=\"");
	for (size_t i = 0; i < count; i++)
		if (state_of(nodes[i], now_us) == NULL)
			strbuf_addf(page, "M%zu %zuh%dv%dh-%dz", i % SQUARES_PER_ROW * SQUARE,
				i / SQUARES_PER_ROW * SQUARE, SQUARE - 1, SQUARE - 1, SQUARE - 1);
	strbuf_addf(page, "\"/>\n");
}

bool
charts_nodes(struct strbuf *page, const struct board *board, uint64_t now_us)
{
	size_t count = 0;
	const struct board_node **nodes = calloc(board->node_count + 1, sizeof *nodes);
	if (nodes == NULL)
		return false;
	for (size_t i = 0; i < board->node_count; i++)
		if (!board->nodes[i]->is_switch)
			nodes[count++] = board->nodes[i];
	qsort(nodes, count, sizeof *nodes, by_name);
	size_t rows = (count + SQUARES_PER_ROW - 1) / SQUARES_PER_ROW;
	strbuf_addf(page,
		"<svg id=\"all\" viewBox=\"0 0 %d %zu\" role=\"img\" aria-label=\"all nodes\">\n",
		SQUARES_PER_ROW * SQUARE, rows * SQUARE);
	put_fine(page, nodes, count, now_us);
	for (size_t i = 0; i < count; i++)
		if (state_of(nodes[i], now_us) != NULL)
			put_square(page, nodes[i], i, state_of(nodes[i], now_us));
	strbuf_addf(page, "</svg>\n");
	free(nodes);
	return true;
}

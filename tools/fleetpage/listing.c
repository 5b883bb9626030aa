/* listing - lists the conditions and events of a node or switch. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "listing.h"

#include "array.h"
#include "html.h"
#include "moment.h"
#include "when.h"

#include <inttypes.h>
#include <stdlib.h>

/* --- selection --- */

static int
by_worst(const void *left, const void *right)
{
	const struct board_condition *a = ((const struct listing_standing *)left)->condition;
	const struct board_condition *b = ((const struct listing_standing *)right)->condition;
	int order = b->event->is_fatal - a->event->is_fatal;
	return order != 0 ? order : (a->since_us > b->since_us) - (a->since_us < b->since_us);
}

static int
by_newest(const void *left, const void *right)
{
	const struct board_event *const *a = left, *const *b = right;
	return ((*a)->at_us < (*b)->at_us) - ((*a)->at_us > (*b)->at_us);
}

/* Return 0, or -1 when memory ran out. */
static int
add_standing(struct listing *listing, const struct board_node *node,
	const struct board_condition *condition)
{
	struct listing_standing *standing = array_grown(listing->standing, listing->standing_count,
		&listing->standing_capacity, sizeof *standing);
	if (standing == NULL)
		return -1;
	listing->standing = standing;
	standing[listing->standing_count++] = (struct listing_standing){node, condition};
	return 0;
}

/* Return 0, or -1 when memory ran out. */
static int
add_event(struct listing *listing, const struct board_event *event)
{
	const struct board_event **events = array_grown(
		listing->events, listing->event_count, &listing->event_capacity, sizeof *events);
	if (events == NULL)
		return -1;
	listing->events = events;
	events[listing->event_count++] = event;
	return 0;
}

int
listing_make(struct listing *out, const struct charts_choice *choice, const struct board *board,
	const struct topology *topology, uint64_t now_us)
{
	*out = (struct listing){.standing = NULL};
	for (size_t i = 0; i < board->node_count; i++) {
		const struct board_node *node = board->nodes[i];
		for (size_t j = 0; j < node->count; j++)
			if (board_stands(&node->conditions[j], now_us) &&
				charts_chooses(
					choice, topology, node->name, node->conditions[j].event) &&
				add_standing(out, node, &node->conditions[j]) < 0)
				return -1;
	}
	for (size_t i = 0; i < board->event_count; i++) {
		const struct board_event *event = &board->events[i];
		if (charts_chooses(choice, topology, event->node->name, event->event) &&
			add_event(out, event) < 0)
			return -1;
	}
	if (out->standing_count > 0)
		qsort(out->standing, out->standing_count, sizeof *out->standing, by_worst);
	if (out->event_count > 0)
		qsort(out->events, out->event_count, sizeof *out->events, by_newest);
	return 0;
}

/* --- tables --- */

/* Append the cells for node, port, check and code. */
static void
put_about(struct strbuf *page, const struct board_node *node, const struct sighting *event)
{
	strbuf_addf(page, "<td>");
	html_link(page, node->is_switch ? "switch" : "node", node->name);
	strbuf_addf(page, "</td><td>");
	html_text(page, board_device(event));
	if (*board_port(event) != '\0')
		strbuf_addf(page, "/");
	html_text(page, board_port(event));
	strbuf_addf(page, "</td><td>");
	html_text(page, event->fields[SIGHTING_CHECK]);
	strbuf_addf(page, "</td><td>");
	html_text(page, sighting_code(event));
	strbuf_addf(page, "</td>");
}

static void
put_message(struct strbuf *page, const struct sighting *event)
{
	strbuf_addf(page, "<td class=\"m\">");
	html_text(page, event->fields[SIGHTING_MESSAGE]);
	strbuf_addf(page, "</td></tr>\n");
}

static const char *
state_of(const struct sighting *event)
{
	return event->is_fatal ? "fatal" : "other";
}

void
listing_put_standing(struct strbuf *page, const struct listing *listing,
	const struct topology *topology, uint64_t now_us)
{
	char span[WHEN_SPAN_SIZE];
	if (listing->standing_count == 0)
		return;
	strbuf_addf(page, "<h2>Active conditions</h2>\n<table id=\"standing\">\n<tr>"
			  "<th>Since</th><th class=\"n\">Times</th><th>Switch</th><th>Node</th>"
			  "<th>Port</th><th>Check</th><th>Code</th><th>Message</th></tr>\n");
	for (size_t i = 0; i < listing->standing_count; i++) {
		const struct listing_standing *standing = &listing->standing[i];
		const struct sighting *event = standing->condition->event;
		const char *place = ranks_switch(topology, standing->node->name, event);
		strbuf_addf(page,
			"<tr class=\"%s\"><td>%s</td><td class=\"n\">%" PRIu64 "</td><td>",
			state_of(event),
			when_span(
				moment_earlier(now_us, standing->condition->since_us) * 1000, span),
			standing->condition->times);
		if (place != NULL)
			html_link(page, "switch", place);
		strbuf_addf(page, "</td>");
		put_about(page, standing->node, event);
		put_message(page, event);
	}
	strbuf_addf(page, "</table>\n");
}

void
listing_put_events(struct strbuf *page, const struct listing *listing)
{
	char time[WHEN_TIME_SIZE];
	size_t shown =
		listing->event_count < LISTING_EVENTS ? listing->event_count : LISTING_EVENTS;
	if (shown == 0)
		return;
	strbuf_addf(page, "<h2>Events</h2>\n<table id=\"events\">\n<tr><th>Time</th>"
			  "<th>Node</th><th>Port</th><th>Check</th><th>Code</th><th>Message</th>"
			  "</tr>\n");
	for (size_t i = 0; i < shown; i++) {
		const struct board_event *event = listing->events[i];
		strbuf_addf(page, "<tr class=\"%s\"><td>%s</td>", state_of(event->event),
			when_time(event->at_us * 1000, time));
		put_about(page, event->node, event->event);
		put_message(page, event->event);
	}
	strbuf_addf(page, "</table>\n");
	if (shown < listing->event_count)
		strbuf_addf(page, "<p>The newest %zu of %zu.</p>\n", shown, listing->event_count);
}

void
listing_fini(struct listing *listing)
{
	free(listing->standing);
	free(listing->events);
}

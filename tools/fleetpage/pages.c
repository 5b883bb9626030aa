/* pages - the web pages of a fleet. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "pages.h"

#include "charts.h"
#include "html.h"
#include "listing.h"
#include "moment.h"
#include "text.h"
#include "when.h"

#include <string.h>

/* Rows of each table on the main page. */
#define PART_ROWS 25

/* --- lists of switches, nodes and ports --- */

/* Columns of each list. */
static const struct part {
	const char *title, *path, *head;
	bool has_nodes, has_ports;
} parts[RANKS_KIND_N] = {
	[RANKS_SWITCHES] = {"Switches", "/switches", "Switch", true, true},
	[RANKS_NODES] = {"Nodes", "/nodes", "Node", false, true},
	[RANKS_PORTS] = {"Ports", "/ports", "Port", false, false},
};

static const char *
state_of(const struct rank *rank)
{
	if (rank->fatal > 0)
		return "fatal";
	return rank->standing > 0 ? "other" : "over";
}

static void
put_rank(const struct pages *pages, struct strbuf *page, enum ranks_kind kind,
	const struct rank *rank)
{
	char span[WHEN_SPAN_SIZE] = "";
	strbuf_addf(page, "<tr class=\"%s\"><td>", state_of(rank));
	html_link(page, kind == RANKS_SWITCHES ? "switch" : "node", rank->name);
	if (kind == RANKS_PORTS) {
		strbuf_addf(page, " ");
		html_text(page, rank->device);
		if (*rank->port != '\0')
			strbuf_addf(page, "/");
		html_text(page, rank->port);
	}
	strbuf_addf(page, "</td>");
	if (parts[kind].has_nodes)
		strbuf_addf(page, "<td class=\"n\">%zu</td>", rank->nodes);
	if (parts[kind].has_ports)
		strbuf_addf(page, "<td class=\"n\">%zu</td>", rank->ports);
	if (rank->standing > 0)
		when_span(moment_earlier(pages->now_us, rank->since_us) * 1000, span);
	strbuf_addf(page,
		"<td class=\"n\">%zu</td><td class=\"n\">%zu</td><td class=\"n\">%zu</td>"
		"<td>%s</td><td class=\"m\">",
		rank->fatal, rank->standing, rank->recent, span);
	if (rank->worst != NULL)
		html_text(page, rank->worst->event->fields[SIGHTING_MESSAGE]);
	strbuf_addf(page, "</td></tr>\n");
}

static void
put_heads(struct strbuf *page, const struct part *part)
{
	strbuf_addf(page, "<table id=\"%s\">\n<tr><th>%s</th>", part->path + 1, part->head);
	if (part->has_nodes)
		strbuf_addf(page, "<th class=\"n\">Nodes</th>");
	if (part->has_ports)
		strbuf_addf(page, "<th class=\"n\">Ports</th>");
	strbuf_addf(page, "<th class=\"n\">Fatal</th><th class=\"n\">Active</th>"
			  "<th class=\"n\">Last hour</th><th>Since</th><th>Worst</th></tr>\n");
}

/* Append at most `most` rows, and a link to the full list. */
static void
put_part(const struct pages *pages, struct strbuf *page, enum ranks_kind kind,
	const struct ranks *ranks, size_t most)
{
	const struct part *part = &parts[kind];
	size_t shown = ranks->count < most ? ranks->count : most;
	if (ranks->count == 0)
		return;
	strbuf_addf(page, "<h2>%s</h2>\n", part->title);
	put_heads(page, part);
	for (size_t i = 0; i < shown; i++)
		put_rank(pages, page, kind, &ranks->items[i]);
	strbuf_addf(page, "</table>\n");
	if (shown < ranks->count)
		strbuf_addf(page, "<p><a href=\"%s\">all %zu</a></p>\n", part->path, ranks->count);
}

static void
put_kind(const struct pages *pages, struct strbuf *page, enum ranks_kind kind, size_t most)
{
	struct ranks ranks;
	if (ranks_make(&ranks, kind, pages->board, pages->topology, pages->now_us) < 0)
		page->is_short = true;
	else
		put_part(pages, page, kind, &ranks, most);
	ranks_fini(&ranks);
}

/* --- pages --- */

static void
begin(const struct pages *pages, struct strbuf *page, const char *title)
{
	char time[WHEN_TIME_SIZE];
	html_begin(page, title, pages->again_s);
	strbuf_addf(page, "<h1>");
	if (strcmp(title, "Fleet") != 0)
		strbuf_addf(page, "<a href=\"/\">Fleet</a>: ");
	html_text(page, title);
	strbuf_addf(page, "</h1>\n<p>%s UTC", when_time(pages->now_us * 1000, time));
}

static void
write_all(const struct pages *pages, struct strbuf *page)
{
	const struct charts_choice any = {NULL, NULL};
	size_t nodes = 0, affected = 0, standing = 0, fatal = 0;
	for (size_t i = 0; i < pages->board->node_count; i++) {
		const struct board_node *node = pages->board->nodes[i];
		if (node->is_switch)
			continue;
		nodes++;
		size_t before = standing;
		for (size_t j = 0; j < node->count; j++) {
			standing += board_stands(&node->conditions[j], pages->now_us);
			fatal += node->conditions[j].event->is_fatal;
		}
		affected += standing > before;
	}
	begin(pages, page, "Fleet");
	strbuf_addf(page, ": %zu of %zu node%s, %zu active condition%s, %zu fatal</p>\n", affected,
		nodes, text_plural(nodes), standing, text_plural(standing), fatal);
	charts_day(page, &any, pages->board, pages->topology, pages->now_us);
	if (!charts_nodes(page, pages->board, pages->now_us))
		page->is_short = true;
	for (size_t kind = 0; kind < RANKS_KIND_N; kind++)
		put_kind(pages, page, (enum ranks_kind)kind, PART_ROWS);
	html_end(page);
}

static void
write_kind(const struct pages *pages, struct strbuf *page, enum ranks_kind kind)
{
	begin(pages, page, parts[kind].title);
	strbuf_addf(page, "</p>\n");
	put_kind(pages, page, kind, SIZE_MAX);
	html_end(page);
}

/* Append the page of a node or switch. */
static unsigned
write_one(const struct pages *pages, struct strbuf *page, const struct charts_choice *choice,
	const char *name)
{
	struct listing listing;
	if (listing_make(&listing, choice, pages->board, pages->topology, pages->now_us) < 0)
		page->is_short = true;
	begin(pages, page, name);
	strbuf_addf(page, ": %zu active condition%s</p>\n", listing.standing_count,
		text_plural(listing.standing_count));
	charts_day(page, choice, pages->board, pages->topology, pages->now_us);
	listing_put_standing(page, &listing, pages->topology, pages->now_us);
	listing_put_events(page, &listing);
	html_end(page);
	listing_fini(&listing);
	return 200;
}

static unsigned
refuse(const struct pages *pages, struct strbuf *page, const char *why)
{
	begin(pages, page, why);
	strbuf_addf(page, "</p>\n");
	html_end(page);
	return 404;
}

static bool
is_switch(const struct pages *pages, const char *name)
{
	const struct board_node *node = board_find_node(pages->board, name);
	for (size_t i = 0; i < pages->topology->switch_count; i++)
		if (strcmp(pages->topology->switches[i], name) == 0)
			return true;
	return node != NULL && node->is_switch;
}

unsigned
pages_write(const struct pages *pages, const char *path, struct strbuf *page)
{
	static const char node[] = "/node/", place[] = "/switch/";
	if (strcmp(path, "/") == 0) {
		write_all(pages, page);
		return 200;
	}
	for (size_t kind = 0; kind < RANKS_KIND_N; kind++) {
		if (strcmp(path, parts[kind].path) == 0) {
			write_kind(pages, page, (enum ranks_kind)kind);
			return 200;
		}
	}
	struct charts_choice choice = {NULL, NULL};
	if (strncmp(path, node, sizeof node - 1) == 0) {
		choice.node = path + sizeof node - 1;
		return board_find_node(pages->board, choice.node) != NULL
			       ? write_one(pages, page, &choice, choice.node)
			       : refuse(pages, page, "unknown node: no event has named it");
	}
	if (strncmp(path, place, sizeof place - 1) == 0) {
		choice.place = path + sizeof place - 1;
		return is_switch(pages, choice.place)
			       ? write_one(pages, page, &choice, choice.place)
			       : refuse(pages, page, "unknown switch");
	}
	return refuse(pages, page, "no such page");
}

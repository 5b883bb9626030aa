/* screen - prints the state of a fleet as tables. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "screen.h"

#include "moment.h"
#include "strbuf.h"
#include "text.h"
#include "when.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ECMA-48: text attributes, and sequences that overwrite the screen without flicker. */
#define LOOK_BOLD "1"
#define LOOK_RED "1;31"
#define LOOK_YELLOW "33"
#define HOME "\033[H"
#define ERASE_LINE "\033[K"
#define ERASE_BELOW "\033[J"

/* Least lines of a part: a blank line, the header, a row, and the count of omitted rows. */
#define PART_LINES_MIN 4
#define LABEL_MIN 12

struct screen {
	const struct screen_style *style;
	FILE *out;
	size_t lines_left; /* SIZE_MAX: unlimited */
	bool is_short;     /* memory ran out: the output is incomplete */
};

/* Columns of each part. */
static const struct part {
	const char *label, *many;
	bool has_nodes, has_ports;
} parts[RANKS_KIND_N] = {
	[RANKS_SWITCHES] = {"SWITCH", "switches", true, true},
	[RANKS_NODES] = {"NODE", "nodes", false, true},
	[RANKS_PORTS] = {"PORT", "ports", false, false},
};

/* --- lines --- */

/* Return the length in bytes of the first `characters` characters. */
static size_t
bytes_of(const char *text, size_t characters)
{
	size_t length = 0;
	for (; text[length] != '\0'; length++)
		if (((unsigned char)text[length] & 0xC0) != 0x80 && characters-- == 0)
			break;
	return length;
}

/* Print a line without trailing blanks, cut to the width of the screen. */
static void
put_line(struct screen *screen, const char *look, const char *line)
{
	size_t columns = screen->style->columns;
	/* Print nothing after an incomplete part. */
	if (screen->is_short)
		return;
	bool is_cut = text_width(line) > columns;
	size_t length = bytes_of(line, is_cut ? columns - 1 : columns);
	while (length > 0 && line[length - 1] == ' ')
		length--;
	bool is_plain = !screen->style->colour || *look == '\0' || length == 0;
	if (!is_plain)
		fprintf(screen->out, "\033[%sm", look);
	fprintf(screen->out, "%.*s%s", (int)length, line, is_cut ? "~" : "");
	fprintf(screen->out, "%s%s\n", is_plain ? "" : "\033[0m",
		screen->style->redraw ? ERASE_LINE : "");
	if (screen->lines_left != SIZE_MAX)
		screen->lines_left--;
}

/* Print and free a line. */
static void
put_built(struct screen *screen, const char *look, struct strbuf *line)
{
	screen->is_short |= line->is_short;
	put_line(screen, look, line->bytes);
	strbuf_fini(line);
}

/* Append a text padded to the column's width. */
static void
put_cell(struct strbuf *line, const char *text, size_t width)
{
	size_t used = text_width(text);
	strbuf_addf(line, "%s%*s", text, used < width ? (int)(width - used) : 0, "");
}

/* --- rows --- */

/* Return `gpu-17`, or `gpu-17 mlx5_0/1` for a port, from malloc; NULL when memory ran out. */
static char *
label_new(const struct rank *rank)
{
	struct strbuf text = {.bytes = NULL};
	strbuf_addf(&text, "%s", *rank->name != '\0' ? rank->name : "-");
	if (*rank->device != '\0')
		strbuf_addf(&text, " %s", rank->device);
	if (*rank->port != '\0')
		strbuf_addf(&text, "/%s", rank->port);
	char *label = text.is_short ? NULL : text_new(text.bytes, text.length);
	strbuf_fini(&text);
	return label;
}

static void
put_numbers(struct strbuf *line, const struct part *part, const struct rank *rank)
{
	if (part->has_nodes)
		strbuf_addf(line, "  %5zu", rank->nodes);
	if (part->has_ports)
		strbuf_addf(line, "  %5zu", rank->ports);
	strbuf_addf(line, "  %5zu  %8zu  %9zu  ", rank->fatal, rank->standing, rank->recent);
}

static void
put_header(struct screen *screen, const struct part *part, size_t width)
{
	struct strbuf line = {.bytes = NULL};
	put_cell(&line, part->label, width);
	if (part->has_nodes)
		strbuf_addf(&line, "  %5s", "NODES");
	if (part->has_ports)
		strbuf_addf(&line, "  %5s", "PORTS");
	strbuf_addf(&line, "  %5s  %8s  %9s  ", "FATAL", "STANDING", "LAST HOUR");
	put_cell(&line, "SINCE", WHEN_SPAN_SIZE - 1);
	strbuf_addf(&line, "WORST");
	put_built(screen, LOOK_BOLD, &line);
}

static void
put_rank(struct screen *screen, const struct part *part, const struct rank *rank, size_t width,
	uint64_t now_us)
{
	struct strbuf line = {.bytes = NULL};
	char span[WHEN_SPAN_SIZE] = "-";
	const char *message = rank->worst != NULL
				      ? text_or_empty(rank->worst->event->fields[SIGHTING_MESSAGE])
				      : "";
	char *label = label_new(rank);
	char *safe = text_new(message, strlen(message));
	if (rank->standing > 0)
		when_span(moment_earlier(now_us, rank->since_us) * 1000, span);
	put_cell(&line, text_or_empty(label), width);
	put_numbers(&line, part, rank);
	put_cell(&line, span, WHEN_SPAN_SIZE - 1);
	strbuf_addf(&line, "%s", text_or_empty(safe));
	screen->is_short |= label == NULL || safe == NULL;
	put_built(screen,
		rank->fatal > 0      ? LOOK_RED
		: rank->standing > 0 ? LOOK_YELLOW
				     : "",
		&line);
	free(label);
	free(safe);
}

/* Return the width of the labels' column, at most half a line: the longest label must not push the
 * numbers of all rows off the screen. */
static size_t
label_width(struct screen *screen, const struct ranks *ranks, size_t count)
{
	size_t width = LABEL_MIN;
	for (size_t i = 0; i < count; i++) {
		char *label = label_new(&ranks->items[i]);
		screen->is_short |= label == NULL;
		size_t used = label != NULL ? text_width(label) : 0;
		width = used > width ? used : width;
		free(label);
	}
	return width < screen->style->columns / 2 ? width : screen->style->columns / 2;
}

/* --- parts --- */

/* Print a part in at most `lines` lines. */
static void
put_part(struct screen *screen, const struct part *part, const struct ranks *ranks, size_t lines,
	uint64_t now_us)
{
	char more[64];
	size_t shown = ranks->count;
	if (lines != SIZE_MAX && shown + 2 > lines)
		shown = lines - 3;
	size_t width = label_width(screen, ranks, shown);
	put_line(screen, "", "");
	put_header(screen, part, width);
	for (size_t i = 0; i < shown; i++)
		put_rank(screen, part, &ranks->items[i], width, now_us);
	if (shown < ranks->count) {
		snprintf(more, sizeof more, "and %zu more %s", ranks->count - shown, part->many);
		put_line(screen, "", more);
	}
}

/* Share the lines among the parts. A part that needs fewer leaves the rest to the next ones. */
static void
put_parts(struct screen *screen, const struct ranks ranks[RANKS_KIND_N], uint64_t now_us)
{
	for (size_t i = 0; i < RANKS_KIND_N; i++) {
		size_t left = screen->lines_left, others = RANKS_KIND_N - i;
		size_t lines = left == SIZE_MAX ? left : left / others;
		if (ranks[i].count == 0 || lines < PART_LINES_MIN)
			continue;
		put_part(screen, &parts[i], &ranks[i], lines, now_us);
	}
}

/* --- screen --- */

/* `2026-11-20 18:00:07 UTC: 2 of 10 nodes, 3 ports: 3 active conditions, 1 fatal` */
static void
put_headline(struct screen *screen, const struct board *board, const struct ranks *nodes,
	uint64_t now_us)
{
	struct strbuf line = {.bytes = NULL};
	char time[WHEN_TIME_SIZE];
	size_t affected = 0, ports = 0, standing = 0, fatal = 0, known = 0;
	for (size_t i = 0; i < nodes->count; i++) {
		affected += nodes->items[i].standing > 0;
		ports += nodes->items[i].ports;
		standing += nodes->items[i].standing;
		fatal += nodes->items[i].fatal;
	}
	for (size_t i = 0; i < board->node_count; i++)
		known += !board->nodes[i]->is_switch;
	strbuf_addf(&line, "%s UTC: ", when_time(now_us * 1000, time));
	if (standing == 0)
		strbuf_addf(&line, "no active conditions on %zu node%s", known, text_plural(known));
	else
		strbuf_addf(&line,
			"%zu of %zu node%s, %zu port%s: %zu active condition%s, %zu fatal",
			affected, known, text_plural(known), ports, text_plural(ports), standing,
			text_plural(standing), fatal);
	put_built(screen, LOOK_BOLD, &line);
}

int
screen_print(const struct board *board, const struct topology *topology, uint64_t now_us,
	const struct screen_style *style, FILE *out)
{
	struct ranks ranks[RANKS_KIND_N] = {{.items = NULL}};
	struct screen screen = {style, out, style->rows > 0 ? style->rows : SIZE_MAX, false};
	int status = 0;
	for (size_t i = 0; i < RANKS_KIND_N && status == 0; i++)
		status = ranks_make(&ranks[i], (enum ranks_kind)i, board, topology, now_us);
	if (style->redraw)
		fputs(HOME, out);
	if (status == 0) {
		put_headline(&screen, board, &ranks[RANKS_NODES], now_us);
		put_parts(&screen, ranks, now_us);
	}
	if (screen.is_short) {
		errno = ENOMEM;
		status = -1;
	}
	if (style->redraw)
		fputs(ERASE_BELOW, out);
	for (size_t i = 0; i < RANKS_KIND_N; i++)
		ranks_fini(&ranks[i]);
	return status;
}

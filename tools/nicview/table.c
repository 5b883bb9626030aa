/* table - prints a scan as a table: a summary line, and a row per port, problems first. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "table.h"

#include "headline.h"
#include "layout.h"
#include "remarks.h"
#include "text.h"

#include <errno.h>
#include <string.h>

/* Longer remarks go under their row, so that columns need not be dropped. */
#define REMARKS_LEAST_MAX 24
#define INDENT (LAYOUT_MARK_WIDTH + 1)
#define INDENT_BELOW (INDENT + 2)
/* Longest line with its NUL, plus one cell. */
#define LINE_SIZE (TABLE_COLUMNS_MAX + REMARKS_SIZE)
/* Least lines of a table: headline, header, a row with remarks under it, count of omitted rows. */
#define ROWS_MIN 5

struct table {
	struct row_list rows;
	struct counter_list counters;
	struct layout layout;
	size_t columns, lines_left; /* SIZE_MAX: unlimited */
	bool domains;               /* PCI addresses need their domain */
	bool colour, redraw;
	FILE *out;
};

static const char marks[][LAYOUT_MARK_WIDTH + 1] = {
	[ROW_MARK_PROBLEM] = "!!",
	[ROW_MARK_WARNING] = "!",
	[ROW_MARK_UNCLEAR] = "?",
	[ROW_MARK_NONE] = "",
};

/* --- lines --- */

/* Text attributes of a terminal (ECMA-48, SGR). The marks give the same information. */
#define LOOK_PLAIN ""
#define LOOK_BOLD "1"
#define LOOK_FAINT "2"
#define LOOK_RED "1;31"
#define LOOK_YELLOW "33"
#define LOOK_GREEN "32"

/* Same standard: CUP to the first place; EL and ED from the cursor on. Overwriting avoids
 * flicker. */
#define HOME "\033[H"
#define ERASE_LINE "\033[K"
#define ERASE_BELOW "\033[J"

static const char *
look_of(enum row_verdict verdict)
{
	switch (row_mark(verdict)) {
	case ROW_MARK_PROBLEM:
		return LOOK_RED;
	case ROW_MARK_WARNING:
	case ROW_MARK_UNCLEAR:
		return LOOK_YELLOW;
	case ROW_MARK_NONE:
		break;
	}
	return verdict == ROW_FINE ? LOOK_PLAIN : LOOK_FAINT;
}

/* Print a line without trailing blanks, cut to the table's width. */
static void
print_line(struct table *table, const char *look, char *line)
{
	size_t length = strlen(line);

	while (length > 0 && line[length - 1] == ' ')
		length--;
	if (length > table->columns) {
		length = table->columns;
		line[length - 1] = '~';
	}
	line[length] = '\0';
	const char *end = table->redraw ? ERASE_LINE "\n" : "\n";
	if (table->colour && *look != '\0' && length > 0)
		fprintf(table->out, "\033[%sm%s\033[0m%s", look, line, end);
	else
		fprintf(table->out, "%s%s", line, end);
	if (table->lines_left != SIZE_MAX)
		table->lines_left--;
}

/* --- widths --- */

static size_t
larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

/* Like lspci: if one address needs its domain, all show theirs. */
static bool
has_domains(const struct row_list *rows)
{
	for (size_t i = 0; i < rows->count; i++) {
		char pci[CELL_SIZE];
		cell_text(&rows->items[i], COLUMN_PCI, false, pci);
		if (strcmp(pci, "-") != 0 && strncmp(pci, "0000:", 5) != 0)
			return true;
	}
	return false;
}

static char *
text_of(const struct table *table, const struct row *row, enum column column, bool brief,
	char text[CELL_SIZE])
{
	return cell_text(row, column, brief && !(column == COLUMN_PCI && table->domains), text);
}

static void
measure_cells(const struct table *table, const struct row *row, struct layout_wish *wish)
{
	for (enum column c = 0; c < COLUMN_N; c++) {
		char full[CELL_SIZE], brief[CELL_SIZE];
		if (strcmp(text_of(table, row, c, false, full), "-") == 0)
			continue;
		text_of(table, row, c, true, brief);
		wish->full[c] = larger(wish->full[c], larger(strlen(full), strlen(cell_header(c))));
		wish->brief[c] =
			larger(wish->brief[c], larger(strlen(brief), strlen(cell_header(c))));
	}
}

static void
measure(const struct table *table, struct layout_wish *wish)
{
	for (size_t i = 0; i < table->rows.count; i++) {
		struct remarks remarks;
		char text[REMARKS_SIZE];

		measure_cells(table, &table->rows.items[i], wish);
		remarks_of(&table->rows.items[i], &table->counters, &remarks);
		wish->remarks = larger(wish->remarks, remarks_format(&remarks, REMARKS_SIZE, text));
		size_t least = *remarks.reason != '\0'
				       ? remarks_format(&remarks, REMARKS_SIZE, text)
				       : remarks_format(&remarks, 0, text);
		if (least <= REMARKS_LEAST_MAX)
			wish->remarks_least = larger(wish->remarks_least, least);
	}
}

/* --- rows --- */

static void
append_cell(const struct table *table, enum column column, const char *text, char line[LINE_SIZE])
{
	size_t used = strlen(line), width = table->layout.width[column];
	size_t gap = used > INDENT ? table->layout.gap : 0;

	snprintf(line + used, LINE_SIZE - used, cell_is_number(column) ? "%*s%*s" : "%*s%-*s",
		(int)gap, "", (int)width, text);
}

static void
print_header(struct table *table)
{
	char line[LINE_SIZE];

	snprintf(line, sizeof line, "%*s", INDENT, "");
	for (enum column c = 0; c < COLUMN_N; c++) {
		if (table->layout.width[c] > 0)
			append_cell(table, c, cell_header(c), line);
	}
	print_line(table, LOOK_BOLD, line);
}

static bool
is_below(const struct table *table, const struct remarks *remarks)
{
	return !remarks_fit(remarks, table->layout.remarks);
}

static void
print_row(struct table *table, const struct row *row, const struct remarks *remarks)
{
	const char *look = look_of(row->verdict);
	char line[LINE_SIZE], text[REMARKS_SIZE], cell[CELL_SIZE];

	snprintf(line, sizeof line, "%-*s", INDENT, marks[row_mark(row->verdict)]);
	for (enum column c = 0; c < COLUMN_N; c++) {
		size_t width = table->layout.width[c];
		if (width == 0)
			continue;
		text_of(table, row, c, table->layout.brief[c], cell);
		append_cell(table, c, cell_shorten(cell, width), line);
	}
	bool below = is_below(table, remarks);
	if (!below) {
		size_t used = strlen(line);
		remarks_format(remarks, table->layout.remarks, text);
		snprintf(
			line + used, sizeof line - used, "%*s%s", (int)table->layout.gap, "", text);
	}
	print_line(table, look, line);
	if (below) {
		remarks_format(remarks, table->columns - INDENT_BELOW, text);
		snprintf(line, sizeof line, "%*s%s", INDENT_BELOW, "", text);
		print_line(table, look, line);
	}
}

/* Print how many rows were omitted. The worst rows come first, so the number is enough. */
static void
print_rest(struct table *table, size_t first)
{
	char line[LINE_SIZE];
	size_t left = table->rows.count - first, marked = 0;

	for (size_t i = first; i < table->rows.count; i++)
		marked += row_mark(table->rows.items[i].verdict) != ROW_MARK_NONE;
	snprintf(line, sizeof line, "%*s+%zu row%s, %zu of them marked", INDENT, "", left,
		text_plural(left), marked);
	print_line(table, LOOK_BOLD, line);
}

static void
print_rows(struct table *table)
{
	for (size_t i = 0; i < table->rows.count; i++) {
		struct remarks remarks;
		remarks_of(&table->rows.items[i], &table->counters, &remarks);
		bool last = i + 1 == table->rows.count;
		size_t lines = 1 + is_below(table, &remarks);
		if (lines + !last > table->lines_left) {
			print_rest(table, i);
			return;
		}
		print_row(table, &table->rows.items[i], &remarks);
	}
}

static void
print_all(struct table *table, const struct scan *scan)
{
	static const char *const looks[] = {
		[ROW_MARK_PROBLEM] = LOOK_RED,
		[ROW_MARK_WARNING] = LOOK_YELLOW,
		[ROW_MARK_UNCLEAR] = LOOK_YELLOW,
		[ROW_MARK_NONE] = LOOK_GREEN,
	};
	char text[HEADLINE_SIZE];
	struct layout_wish wish = {0};

	enum row_mark worst = headline_format(scan, &table->rows, table->columns, text);
	print_line(table, looks[worst], text);
	if (table->rows.count == 0)
		return;
	table->domains = has_domains(&table->rows);
	measure(table, &wish);
	layout_fit(&wish, table->columns, &table->layout);
	print_header(table);
	print_rows(table);
}

int
table_print(const struct scan *scan, const struct table_style *style, FILE *out)
{
	struct table table = {
		.columns = style->columns,
		.lines_left = style->rows == 0 ? SIZE_MAX : larger(style->rows, ROWS_MIN),
		.colour = style->colour,
		.redraw = style->redraw,
		.out = out,
	};
	if (table.columns < TABLE_COLUMNS_MIN)
		table.columns = TABLE_COLUMNS_MIN;
	if (table.columns > TABLE_COLUMNS_MAX)
		table.columns = TABLE_COLUMNS_MAX;
	errno = ENOMEM;
	if (counter_list_init(&table.counters) < 0)
		return -1;
	int status = rows_init(&table.rows, scan);
	if (status == 0) {
		fputs(style->redraw ? HOME : "", out);
		print_all(&table, scan);
		fputs(style->redraw ? ERASE_BELOW : "", out);
		status = ferror(out) ? -1 : 0;
	}
	rows_fini(&table.rows);
	counter_list_fini(&table.counters);
	return status;
}

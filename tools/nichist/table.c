/* table - prints a list as a table. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "table.h"

#include "diag.h"
#include "strbuf.h"
#include "text.h"
#include "when.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Maximum column width. A longer text shifts only the rest of its own row. */
#define WIDTH_MAX 48

/* Spaces between columns, and indent of text below a row. */
#define GAP 2
#define INDENT 4

#define NOTHING "-"

/* Text attributes of a terminal (ECMA-48, SGR). */
#define LOOK_BOLD "1"
#define LOOK_FATAL "1;31"
#define LOOK_DEGRADED "33"
#define LOOK_HEALTHY "32"
#define LOOK_PLAIN ""

/* --- widths --- */

/* Return a text of a row, safe to print, from malloc; NULL when memory ran out. */
static char *
cell_text_new(sqlite3_stmt *row, int column)
{
	const char *text = spoolview_text(row, column);
	return text_new(text, (size_t)sqlite3_column_bytes(row, column));
}

/* Append an SQL expression for the width of a column's values. */
static void
put_width(const struct list_column *column, struct strbuf *sql)
{
	switch (column->cell) {
	case LIST_TIME:
		strbuf_addf(sql, ", %zu", strlen("2026-11-20 18:00:07"));
		return;
	case LIST_AGE:
		strbuf_addf(sql, ", %zu", strlen("23 h 59 min"));
		return;
	case LIST_SEVERITY:
		strbuf_addf(sql, ", %zu", strlen(LIST_DEGRADED));
		return;
	case LIST_TEXT:
	case LIST_NUMBER:
	case LIST_MESSAGE:
		break;
	}
	if (column->only_if_several)
		strbuf_addf(sql, ", iif(min(%s) IS max(%s), 0, max(length(%s)))", column->value,
			column->value, column->value);
	else
		strbuf_addf(sql, ", max(length(%s))", column->value);
}

static char *
survey_sql_new(const struct table *table)
{
	const struct list *list = table->list;
	struct strbuf sql = {0};
	strbuf_addf(&sql, "SELECT count(*), min(%s), max(%s), count(DISTINCT %s), min(%s)",
		list->key, list->key, list->node, list->node);
	for (size_t i = 0; i < list->count; i++)
		put_width(&list->columns[i], &sql);
	strbuf_addf(&sql, " %s", table->chosen);
	return strbuf_detach_new(&sql);
}

/* Return the total width of the columns beside each other, without the message. */
static size_t
row_width(const struct table *table)
{
	size_t width = 0;
	for (size_t i = 0; i < table->list->count; i++) {
		if (table->list->columns[i].cell != LIST_MESSAGE && table->width[i] > 0 &&
			!table->below[i])
			width += table->width[i] + GAP;
	}
	return width;
}

/* Move below the row what does not fit beside the others: the message, then columns that may
 * move. */
static void
arrange(struct table *table)
{
	size_t columns = table->style->columns;
	if (columns == 0)
		return;
	size_t message = table->width[table->list->count - 1];
	table->message_below = row_width(table) + message > columns;
	for (size_t i = 0; i < table->list->count && row_width(table) > columns + GAP; i++)
		table->below[i] = table->list->columns[i].may_go_below;
}

static void
read_widths(struct table *table, sqlite3_stmt *row, int first)
{
	for (size_t i = 0; i < table->list->count; i++) {
		const struct list_column *column = &table->list->columns[i];
		sqlite3_int64 value = sqlite3_column_int64(row, first + (int)i);
		size_t width = value > 0 ? (size_t)value : 0;
		if (width > WIDTH_MAX && column->cell != LIST_MESSAGE)
			width = WIDTH_MAX;
		if (width > 0 && width < strlen(column->header))
			width = strlen(column->header);
		table->width[i] = width;
	}
	arrange(table);
}

/* Fix the last key here, so that reading a growing spool ends. */
static void
read_survey(struct table *table, sqlite3_stmt *row)
{
	enum { ROWS, LEAST, LAST, NODES, NODE, FIRST_WIDTH };

	table->rows = sqlite3_column_int64(row, ROWS);
	table->values.after = sqlite3_column_int64(row, LEAST) - 1;
	table->values.last = sqlite3_column_int64(row, LAST);
	table->nodes = sqlite3_column_int64(row, NODES);
	if (table->nodes == 1)
		table->node = cell_text_new(row, NODE);
	read_widths(table, row, FIRST_WIDTH);
}

int
table_survey(struct table *table, const struct spoolview *view, const struct list *list,
	const struct history_options *options, const struct table_style *style)
{
	*table = (struct table){
		.view = view,
		.list = list,
		.style = style,
		.chosen = list_chosen_new(list, options, LIST_SHOWN),
		.values = list_values(options),
	};
	char *sql = table->chosen != NULL ? survey_sql_new(table) : NULL;
	if (sql == NULL)
		return diag_no_memory();
	sqlite3_stmt *row = spoolview_query(view, sql, &table->values);
	free(sql);
	if (row != NULL && sqlite3_step(row) == SQLITE_ROW)
		read_survey(table, row);
	int result = sqlite3_finalize(row);
	return row == NULL || result != SQLITE_OK ? spoolview_failure(view) : 0;
}

void
table_fini(struct table *table)
{
	free(table->chosen);
	free(table->node);
	table->chosen = table->node = NULL;
}

/* --- rows --- */

static void
put_looking(const struct table_style *style, const char *look, const char *text, FILE *out)
{
	if (style->colour && *look != '\0')
		fprintf(out, "\033[%sm%s\033[0m", look, text);
	else
		fputs(text, out);
}

void
table_put_heading(const struct table_style *style, const char *text, FILE *out)
{
	put_looking(style, LOOK_BOLD, text, out);
	fputc('\n', out);
}

/* A line under construction. Trailing blanks are not printed. */
struct line {
	FILE *out;
	const struct table_style *style;
	size_t blanks;
};

static void
put_cell(struct line *line, const char *look, const char *text, size_t width, bool right)
{
	size_t used = text_width(text);
	size_t padding = used < width ? width - used : 0;

	fprintf(line->out, "%*s", (int)(line->blanks + (right ? padding : 0)), "");
	put_looking(line->style, look, text, line->out);
	line->blanks = GAP + (right ? 0 : padding);
}

static bool
is_beside(const struct table *table, size_t i)
{
	return table->width[i] > 0 && !table->below[i] &&
	       (table->list->columns[i].cell != LIST_MESSAGE || !table->message_below);
}

/* Return the shown text of a cell from malloc; NULL when memory ran out. */
static char *
shown_new(const struct table *table, sqlite3_stmt *row, size_t i)
{
	char time[WHEN_TIME_SIZE], span[WHEN_SPAN_SIZE];
	enum list_cell cell = table->list->columns[i].cell;
	int column = 1 + (int)i;

	if (cell != LIST_TIME && cell != LIST_AGE)
		return cell_text_new(row, column);
	sqlite3_int64 value = sqlite3_column_int64(row, column);
	if (sqlite3_column_type(row, column) == SQLITE_NULL || value < 0)
		return strdup("");
	uint64_t ns = (uint64_t)value, now_ns = table->values.now_ns;
	return strdup(cell == LIST_TIME ? when_time(ns, time)
					: when_span(now_ns > ns ? now_ns - ns : 0, span));
}

/* Count the severity and return its attributes. */
static const char *
count_severity(struct table *table, const char *text)
{
	if (strcmp(text, LIST_FATAL) == 0) {
		table->fatal++;
		return LOOK_FATAL;
	}
	if (strcmp(text, LIST_HEALTHY) == 0) {
		table->healthy++;
		return LOOK_HEALTHY;
	}
	table->degraded++;
	return LOOK_DEGRADED;
}

static int
put_below(const struct table *table, char *const *texts, FILE *out)
{
	struct strbuf text = {0};
	const char *between = "";
	for (size_t i = 0; i + 1 < table->list->count; i++) {
		if (!table->below[i] || table->width[i] == 0 || *texts[i] == '\0')
			continue;
		strbuf_addf(&text, "%s%s", between, texts[i]);
		between = " ";
	}
	const char *message = texts[table->list->count - 1];
	strbuf_addf(&text, "%s%s", *between != '\0' ? ": " : "", message);
	int status = text.is_short ? -1 : 0;
	if (status == 0)
		text_fold(text.bytes, INDENT, 0, table->style->columns, out);
	strbuf_fini(&text);
	return status;
}

static int
put_row(struct table *table, char *const *texts, FILE *out)
{
	struct line line = {.out = out, .style = table->style};
	for (size_t i = 0; i < table->list->count; i++) {
		const struct list_column *column = &table->list->columns[i];
		const char *look = column->cell == LIST_SEVERITY ? count_severity(table, texts[i])
								 : LOOK_PLAIN;
		if (is_beside(table, i))
			put_cell(&line, look, *texts[i] != '\0' ? texts[i] : NOTHING,
				column->cell == LIST_MESSAGE ? 0 : table->width[i],
				column->cell == LIST_NUMBER);
	}
	fputc('\n', out);
	return table->message_below ? put_below(table, texts, out) : 0;
}

/* Print a row of the table `context` and count its severity. The row's first column is its key.
 * Return 0, or -1 when memory ran out. */
static int
print_row(void *context, sqlite3_stmt *row, FILE *out)
{
	struct table *table = context;
	char *texts[LIST_COLUMNS_MAX] = {NULL};
	bool complete = true;

	for (size_t i = 0; i < table->list->count; i++) {
		texts[i] = shown_new(table, row, i);
		complete &= texts[i] != NULL;
	}
	int status = complete ? put_row(table, texts, out) : -1;
	for (size_t i = 0; i < table->list->count; i++)
		free(texts[i]);
	return status;
}

void
table_put_header(const struct table *table, FILE *out)
{
	struct line line = {.out = out, .style = table->style};
	for (size_t i = 0; i < table->list->count; i++) {
		const struct list_column *column = &table->list->columns[i];
		if (is_beside(table, i))
			put_cell(&line, LOOK_BOLD, column->header,
				column->cell == LIST_MESSAGE ? 0 : table->width[i],
				column->cell == LIST_NUMBER);
	}
	fputc('\n', out);
}

/* --- reading --- */

static char *
rows_sql_new(const struct table *table)
{
	const struct list *list = table->list;
	struct strbuf values = {0};
	for (size_t i = 0; i < list->count; i++)
		strbuf_addf(&values, "%s%s", i > 0 ? ", " : "", list->columns[i].value);
	char *text = strbuf_detach_new(&values);
	char *sql = text != NULL ? list_sql_new(list, text, table->chosen) : NULL;
	free(text);
	return sql;
}

int
table_print(struct table *table, int (*page)(void *, const char *, size_t))
{
	char *sql = rows_sql_new(table);
	if (sql == NULL)
		return diag_no_memory();
	const struct view_reader reader = {.context = table, .row = print_row, .page = page};
	int status = spoolview_read(
		table->view, sql, &table->values, &reader, table->list->order != NULL);
	free(sql);
	return status;
}

/* historytable - a list as a table for people. */
#include "historytable.h"

#include "diag.h"
#include "historyrow.h"

#include <stdlib.h>
#include <string.h>

/* No column is wider; a text that is longer moves the rest of its row, and only that. */
#define WIDTH_MAX 48

/* --- how wide it is --- */

/* How wide the values of a column are, as SQL. */
static void
put_width(const struct list_column *column, FILE *out)
{
	switch (column->cell) {
	case LIST_TIME:
		fprintf(out, ", %zu", strlen("2026-11-20 18:00:07"));
		return;
	case LIST_AGE:
		fprintf(out, ", %zu", strlen("23 h 59 min"));
		return;
	case LIST_SEVERITY:
		fprintf(out, ", %zu", strlen(LIST_DEGRADED));
		return;
	case LIST_TEXT:
	case LIST_NUMBER:
	case LIST_MESSAGE:
		break;
	}
	if (column->only_if_several)
		fprintf(out, ", iif(min(%s) IS max(%s), 0, max(length(%s)))", column->value,
			column->value, column->value);
	else
		fprintf(out, ", max(length(%s))", column->value);
}

static char *
survey_sql_new(const struct history_table *table)
{
	const struct list *list = table->list;
	char *sql = NULL;
	size_t size;
	FILE *out = open_memstream(&sql, &size);
	if (out == NULL)
		return NULL;
	fprintf(out, "SELECT count(*), min(%s), max(%s), count(DISTINCT %s), min(%s)", list->key,
		list->key, list->node, list->node);
	for (size_t i = 0; i < list->count; i++)
		put_width(&list->columns[i], out);
	fprintf(out, " %s", table->chosen);
	if (fclose(out) == 0)
		return sql;
	free(sql);
	return NULL;
}

/* All columns but the message, as they stand beside each other. */
static size_t
row_width(const struct history_table *table)
{
	size_t width = 0;
	for (size_t i = 0; i < table->list->count; i++) {
		if (table->list->columns[i].cell != LIST_MESSAGE && table->width[i] > 0 &&
			!table->below[i])
			width += table->width[i] + HISTORY_GAP;
	}
	return width;
}

/* What does not fit beside the others goes below: the message, then columns that may. */
static void
arrange(struct history_table *table)
{
	size_t columns = table->style->columns;
	if (columns == 0)
		return;
	size_t message = table->width[table->list->count - 1];
	table->message_below = row_width(table) + message > columns;
	for (size_t i = 0; i < table->list->count && row_width(table) > columns + HISTORY_GAP; i++)
		table->below[i] = table->list->columns[i].may_go_below;
}

static void
take_widths(struct history_table *table, sqlite3_stmt *row, int first)
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

/* Where the list ends is settled here: a reader of a spool that grows must come to an end. */
static void
take_survey(struct history_table *table, sqlite3_stmt *row)
{
	enum { ROWS, LEAST, LAST, NODES, NODE, FIRST_WIDTH };

	table->rows = sqlite3_column_int64(row, ROWS);
	table->values.after = sqlite3_column_int64(row, LEAST) - 1;
	table->values.last = sqlite3_column_int64(row, LAST);
	table->nodes = sqlite3_column_int64(row, NODES);
	if (table->nodes == 1)
		table->node = history_row_text_new(row, NODE);
	take_widths(table, row, FIRST_WIDTH);
}

int
history_table_survey(struct history_table *table, const struct spool_view *view,
	const struct list *list, const struct history_options *options,
	const struct table_style *style)
{
	*table = (struct history_table){
		.view = view,
		.list = list,
		.style = style,
		.chosen = list_chosen_new(list, options),
		.values = {.now_ns = options->now_ns,
			.since_ns = options->since_ns,
			.device = options->device},
	};
	char *sql = table->chosen != NULL ? survey_sql_new(table) : NULL;
	if (sql == NULL) {
		diag_error("out of memory");
		return EXIT_OS;
	}
	sqlite3_stmt *row = spool_view_query(view, sql, &table->values);
	free(sql);
	if (row != NULL && sqlite3_step(row) == SQLITE_ROW)
		take_survey(table, row);
	int result = sqlite3_finalize(row);
	return row == NULL || result != SQLITE_OK ? spool_view_failure(view) : 0;
}

void
history_table_fini(struct history_table *table)
{
	free(table->chosen);
	free(table->node);
	table->chosen = table->node = NULL;
}

/* --- reading it --- */

static char *
rows_sql_new(const struct history_table *table)
{
	const struct list *list = table->list;
	char *sql = NULL;
	size_t size;
	FILE *out = open_memstream(&sql, &size);
	if (out == NULL)
		return NULL;
	fprintf(out, "SELECT %s", list->key);
	for (size_t i = 0; i < list->count; i++)
		fprintf(out, ", %s", list->columns[i].value);
	fprintf(out, " %s", table->chosen);
	if (list->order != NULL)
		fprintf(out, " ORDER BY %s", list->order);
	else
		fprintf(out, " AND %s > ?%d AND %s <= ?%d ORDER BY %s", list->key, VIEW_AFTER,
			list->key, VIEW_LAST, list->key);
	if (fclose(out) == 0)
		return sql;
	free(sql);
	return NULL;
}

int
history_table_print(struct history_table *table, int (*page)(void *, const char *, size_t))
{
	char *sql = rows_sql_new(table);
	if (sql == NULL) {
		diag_error("out of memory");
		return EXIT_OS;
	}
	const struct view_reader reader = {
		.context = table, .row = history_row_print, .page = page};
	int status = table->list->order != NULL
			     ? spool_view_read_whole(table->view, sql, &table->values, &reader)
			     : spool_view_read(table->view, sql, &table->values, &reader);
	free(sql);
	return status;
}

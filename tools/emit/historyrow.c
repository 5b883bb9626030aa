/* historyrow - a row of a table for people. */
#include "historyrow.h"

#include "historytext.h"
#include "when.h"

#include <stdlib.h>
#include <string.h>

/* Before what is below a row. */
#define INDENT 4

#define NOTHING "-"

/* How a word looks on a terminal (ECMA-48, SGR). */
#define LOOK_BOLD "1"
#define LOOK_FATAL "1;31"
#define LOOK_DEGRADED "33"
#define LOOK_HEALTHY "32"
#define LOOK_PLAIN ""

char *
history_row_text_new(sqlite3_stmt *row, int column)
{
	const char *text = (const char *)sqlite3_column_text(row, column);
	int length = sqlite3_column_bytes(row, column);
	return history_text_new(text != NULL ? text : "", text != NULL ? (size_t)length : 0);
}

static void
put_looking(const struct table_style *style, const char *look, const char *text, FILE *out)
{
	if (style->colour && *look != '\0')
		fprintf(out, "\033[%sm%s\033[0m", look, text);
	else
		fputs(text, out);
}

void
history_row_heading(const struct table_style *style, const char *text, FILE *out)
{
	put_looking(style, LOOK_BOLD, text, out);
	fputc('\n', out);
}

/* A line that is being put together: blanks are only printed when something follows them. */
struct line {
	FILE *out;
	const struct table_style *style;
	size_t blanks;
};

static void
put_cell(struct line *line, const char *look, const char *text, size_t width, bool right)
{
	size_t used = history_text_width(text);
	size_t padding = used < width ? width - used : 0;

	fprintf(line->out, "%*s", (int)(line->blanks + (right ? padding : 0)), "");
	put_looking(line->style, look, text, line->out);
	line->blanks = HISTORY_GAP + (right ? 0 : padding);
}

static bool
is_beside(const struct history_table *table, size_t i)
{
	return table->width[i] > 0 && !table->below[i] &&
	       (table->list->columns[i].cell != LIST_MESSAGE || !table->message_below);
}

/* The text of a cell as it is shown, from malloc; NULL when memory ran out. */
static char *
shown_new(const struct history_table *table, sqlite3_stmt *row, size_t i)
{
	char time[WHEN_TIME_SIZE], span[WHEN_SPAN_SIZE];
	enum list_cell cell = table->list->columns[i].cell;
	int column = 1 + (int)i;

	if (cell != LIST_TIME && cell != LIST_AGE)
		return history_row_text_new(row, column);
	sqlite3_int64 value = sqlite3_column_int64(row, column);
	if (sqlite3_column_type(row, column) == SQLITE_NULL || value < 0)
		return strdup("");
	uint64_t ns = (uint64_t)value, now_ns = table->values.now_ns;
	return strdup(cell == LIST_TIME ? when_time(ns, time)
					: when_span(now_ns > ns ? now_ns - ns : 0, span));
}

/* Counts the severity, and returns how it looks. */
static const char *
take_severity(struct history_table *table, const char *text)
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
put_below(const struct history_table *table, char *const *texts, FILE *out)
{
	char *text = NULL;
	size_t size;
	FILE *joined = open_memstream(&text, &size);
	if (joined == NULL)
		return -1;
	const char *between = "";
	for (size_t i = 0; i + 1 < table->list->count; i++) {
		if (!table->below[i] || table->width[i] == 0 || *texts[i] == '\0')
			continue;
		fprintf(joined, "%s%s", between, texts[i]);
		between = " ";
	}
	const char *message = texts[table->list->count - 1];
	fprintf(joined, "%s%s", *between != '\0' ? ": " : "", message);
	bool complete = fclose(joined) == 0;
	if (complete)
		history_text_fold(text, INDENT, table->style->columns, out);
	free(text);
	return complete ? 0 : -1;
}

static int
put_row(struct history_table *table, char *const *texts, FILE *out)
{
	struct line line = {.out = out, .style = table->style};
	for (size_t i = 0; i < table->list->count; i++) {
		const struct list_column *column = &table->list->columns[i];
		const char *look =
			column->cell == LIST_SEVERITY ? take_severity(table, texts[i]) : LOOK_PLAIN;
		if (is_beside(table, i))
			put_cell(&line, look, *texts[i] != '\0' ? texts[i] : NOTHING,
				column->cell == LIST_MESSAGE ? 0 : table->width[i],
				column->cell == LIST_NUMBER);
	}
	fputc('\n', out);
	return table->message_below ? put_below(table, texts, out) : 0;
}

int
history_row_print(void *context, sqlite3_stmt *row, FILE *out)
{
	struct history_table *table = context;
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
history_row_header(const struct history_table *table, FILE *out)
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

/* historylines - a list as records, one in each line. */
#include "historylines.h"

#include "diag.h"

#include <inttypes.h>
#include <stdlib.h>

static int
print_line(void *context, sqlite3_stmt *row, FILE *out)
{
	(void)context;
	const char *text = (const char *)sqlite3_column_text(row, 1);
	if (text != NULL)
		fwrite(text, 1, (size_t)sqlite3_column_bytes(row, 1), out);
	fputc('\n', out);
	return 0;
}

/* The rows up to the last one that is there now: a reader of a spool that grows must come to an end. */
static char *
sql_new(const struct list *list, const char *chosen)
{
	char *sql;
	int length;
	if (list->order != NULL)
		length = asprintf(
			&sql, "SELECT 0, %s %s ORDER BY %s", list->json, chosen, list->order);
	else
		length = asprintf(&sql, "SELECT %s, %s %s AND %s > ?%d AND %s <= ?%d ORDER BY %s",
			list->key, list->json, chosen, list->key, VIEW_AFTER, list->key, VIEW_LAST,
			list->key);
	return length < 0 ? NULL : sql;
}

/* The largest key there is. */
static int64_t
last_key(const struct spool_view *view, const struct list *list, const struct view_values *values,
	int *failed)
{
	char *sql;
	if (asprintf(&sql, "SELECT max(%s) FROM %s", list->key, list->from) < 0) {
		diag_error("out of memory");
		*failed = EXIT_OS;
		return 0;
	}
	int64_t last = spool_view_number(view, sql, values, 0, failed);
	free(sql);
	return last;
}

int
history_lines_read(const struct spool_view *view, const struct list *list,
	const struct history_options *options,
	int (*page)(void *context, const char *lines, size_t length), void *context)
{
	const struct view_reader reader = {.context = context, .row = print_line, .page = page};
	struct view_values values = {
		.now_ns = options->now_ns,
		.since_ns = options->since_ns,
		.device = options->device,
	};
	int status = 0;

	values.last = last_key(view, list, &values, &status);
	if (status != 0)
		return status;
	char *chosen = list_chosen_new(list, options);
	char *sql = chosen != NULL ? sql_new(list, chosen) : NULL;
	free(chosen);
	if (sql == NULL) {
		diag_error("out of memory");
		return EXIT_OS;
	}
	status = list->order != NULL ? spool_view_read_whole(view, sql, &values, &reader)
				     : spool_view_read(view, sql, &values, &reader);
	free(sql);
	return status;
}

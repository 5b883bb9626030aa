/* spoolview - a spool that is only read, while the service goes on writing to it. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NICHIST_SPOOLVIEW_H
#define NICHIST_SPOOLVIEW_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct spoolview {
	sqlite3 *db;
	const char *path;
};

/* Opens the spool and sees whether it is one. `path` is kept, not copied. Returns 0, or the exit
 * code, after saying why: EXIT_NO_INPUT, EXIT_NO_PERMISSION, EXIT_DATA for what is not a spool, a
 * newer or a damaged one, else as spoolview_failure(). Nothing is to be closed then. */
int spoolview_open(struct spoolview *view, const char *path);

/* The same; but a database that has nothing in it yet, because emit is making it, is no failure:
 * `*is_empty`, and nothing is to be closed. */
int spoolview_open_begun(struct spoolview *view, const char *path, bool *is_empty);

void spoolview_close(struct spoolview *view);

/* Says why the last call of SQLite failed, and returns the exit code for it. */
int spoolview_failure(const struct spoolview *view);

/* What a query may ask for, as ?1 and so on. */
enum { VIEW_NOW = 1, VIEW_SINCE, VIEW_DEVICE, VIEW_AFTER, VIEW_LAST, VIEW_NODE, VIEW_PORT };

struct view_values {
	uint64_t now_ns, since_ns;
	const char *device;  /* NULL: any */
	uint64_t port;       /* of it; 0: any */
	const char *node;    /* NULL: any */
	int64_t after, last; /* the keys of a listing: those beyond the one, up to the other */
};

/* A statement with its values bound, for sqlite3_finalize(). NULL when it failed:
 * spoolview_failure(). */
sqlite3_stmt *spoolview_query(
	const struct spoolview *view, const char *sql, const struct view_values *values);

/* The first column of the first row, or `otherwise` when there is none or it is NULL; `*failed` is
 * set to an exit code when it cannot be read, which has been said. */
int64_t spoolview_number(const struct spoolview *view, const char *sql,
	const struct view_values *values, int64_t otherwise, int *failed);

/* The text of a column, "" for NULL, until the next step; sqlite3_column_bytes() is its length. */
const char *spoolview_text(sqlite3_stmt *row, int column);

/* What is done with the rows of a listing. Both functions get the context. */
struct view_reader {
	void *context;
	/* Writes the row, whose first column is its key, as text. 0, or -1 when memory ran out. */
	int (*row)(void *context, sqlite3_stmt *row, FILE *out);
	/* Takes the text of some rows. 0 to go on, anything else ends it. */
	int (*page)(void *context, const char *text, size_t length);
};

/* Reads all rows of `sql`, a page at a time. No page holds the database while its text is being
 * taken: however long that lasts, the service can tidy its log. For that, the rows must be in the
 * order of their keys, and `sql` must ask for keys beyond ?4 (VIEW_AFTER); `whole`: few rows in any
 * order, which are a single page. Returns 0, what page() returned, or an exit code after saying
 * why. */
int spoolview_read(const struct spoolview *view, const char *sql, const struct view_values *values,
	const struct view_reader *reader, bool whole);

#endif

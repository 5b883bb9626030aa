/* spoolview - read-only access to a spool, while the service may write to it. */
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

/* Open a spool and check its header. `path` must outlive the view. Return 0, or the exit code after
 * a message: EXIT_NO_INPUT, EXIT_NO_PERMISSION, EXIT_DATA (not a spool, a newer or a damaged one),
 * else that of spoolview_failure(). On failure there is nothing to close. */
int spoolview_open(struct spoolview *view, const char *path);

/* Like spoolview_open(), but return 0 and set `*is_empty` for an empty database, which emit is
 * still creating; there is nothing to close then. */
int spoolview_open_begun(struct spoolview *view, const char *path, bool *is_empty);

void spoolview_close(struct spoolview *view);

/* Report why the last SQLite call failed, and return the exit code for it. */
int spoolview_failure(const struct spoolview *view);

/* Parameters of a query: ?1 and so on. */
enum { VIEW_NOW = 1, VIEW_SINCE, VIEW_DEVICE, VIEW_AFTER, VIEW_LAST, VIEW_NODE, VIEW_PORT };

struct view_values {
	uint64_t now_ns, since_ns;
	const char *device;  /* NULL: any */
	uint64_t port;       /* of the device; 0: any */
	const char *node;    /* NULL: any */
	int64_t after, last; /* list keys above `after` and up to `last` */
};

/* Prepare a statement and bind the values. Finish with sqlite3_finalize(). Return NULL on failure:
 * call spoolview_failure(). */
sqlite3_stmt *spoolview_query(
	const struct spoolview *view, const char *sql, const struct view_values *values);

/* Return the first column of the first row, or `otherwise` if there is no row or the value is NULL.
 * On failure set `*failed` to an exit code, after a message. */
int64_t spoolview_number(const struct spoolview *view, const char *sql,
	const struct view_values *values, int64_t otherwise, int *failed);

/* Return the text of a column, "" for NULL, valid until the next step. sqlite3_column_bytes() is
 * its length. */
const char *spoolview_text(sqlite3_stmt *row, int column);

/* Callbacks for the rows of a list. Both get the context. */
struct view_reader {
	void *context;
	/* Format the row, whose first column is its key. Return 0, or -1 when memory ran out. */
	int (*row)(void *context, sqlite3_stmt *row, FILE *out);
	/* Accept the text of some rows. Return 0 to continue, another value to stop. */
	int (*page)(void *context, const char *text, size_t length);
};

/* Read all rows of `sql` page by page. The database is not locked while page() runs, so that the
 * service can checkpoint its log however long that takes. Therefore the rows must be sorted by key
 * and `sql` must select keys above ?4 (VIEW_AFTER). `whole`: few rows in any order, read as one
 * page. Return 0, the result of page(), or an exit code after a message. */
int spoolview_read(const struct spoolview *view, const char *sql, const struct view_values *values,
	const struct view_reader *reader, bool whole);

#endif

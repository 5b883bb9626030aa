/* spoolview - a spool as its readers see it: never written to, while the service goes on writing. */
#ifndef EMIT_SPOOLVIEW_H
#define EMIT_SPOOLVIEW_H

#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>

struct spool_view {
	sqlite3 *db;
	const char *path;
};

/* Opens the spool and sees whether it is one. `path` is kept, not copied. Returns 0, or the exit code, after saying why: EXIT_NO_INPUT, EXIT_NO_PERMISSION, EXIT_DATA for what is no
 * spool, a newer or a damaged one, else as spool_view_failure(). Nothing is to be closed then. */
int spool_view_open(struct spool_view *view, const char *path);

void spool_view_close(struct spool_view *view);

/* Says why the last call of SQLite failed, and returns the exit code for it. */
int spool_view_failure(const struct spool_view *view);

/* What a query may ask for, as ?1 and so on. */
enum { VIEW_NOW = 1, VIEW_SINCE, VIEW_DEVICE, VIEW_AFTER, VIEW_LAST };

struct view_values {
	uint64_t now_ns, since_ns;
	const char *device;  /* NULL: any */
	int64_t after, last; /* the keys of a listing: those beyond the one, up to the other */
};

/* A statement with its values bound, for sqlite3_finalize(). NULL when it failed: spool_view_failure(). */
sqlite3_stmt *spool_view_query(
	const struct spool_view *view, const char *sql, const struct view_values *values);

/* The first column of the first row, or `otherwise` when there is none or it is NULL; `*failed` is set to an exit code when it cannot be read, which has been said. */
int64_t spool_view_number(const struct spool_view *view, const char *sql,
	const struct view_values *values, int64_t otherwise, int *failed);

/* What is done with the rows of a listing. Both functions get the context. */
struct view_reader {
	void *context;
	/* Writes the row, whose first column is its key, as text. 0, or -1 when memory ran out. */
	int (*row)(void *context, sqlite3_stmt *row, FILE *out);
	/* Takes the text of some rows. 0 to go on, anything else ends it. */
	int (*page)(void *context, const char *text, size_t length);
};

/* Reads all rows of `sql`, a page at a time. No page holds the database while its text is being taken: however long that lasts, the service can tidy its log. For that, the rows
 * must be in the order of their keys, and `sql` must ask for keys beyond ?4 (VIEW_AFTER). Returns 0, what page() returned, or an exit code after saying why. */
int spool_view_read(const struct spool_view *view, const char *sql,
	const struct view_values *values, const struct view_reader *reader);

/* The same for few rows in any order: a single page. */
int spool_view_read_whole(const struct spool_view *view, const char *sql,
	const struct view_values *values, const struct view_reader *reader);

#endif

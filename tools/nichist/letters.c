/* letters - reads and removes the dead letters of a spool. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "letters.h"

#include "array.h"
#include "diag.h"
#include "hash.h"
#include "spoolview.h"

#include <stdlib.h>
#include <string.h>

/* How long to wait for a lock of the service; and rows removed per transaction, so that nichist in
 * turn blocks the service only for moments. */
#define BUSY_TIMEOUT_MS 5000
#define ROUND 50

uint64_t
letters_hash(const char *record, size_t length)
{
	return hash_words(HASH_START, record, length);
}

/* --- reading --- */

/* Return 0, or -1 when memory ran out. */
static int
add(struct letters *letters, sqlite3_stmt *row)
{
	struct letter *items =
		array_grown(letters->items, letters->count, &letters->capacity, sizeof *items);
	char *sink = strdup(spoolview_text(row, 1));
	if (items != NULL)
		letters->items = items;
	if (items == NULL || sink == NULL) {
		free(sink);
		return -1;
	}
	const char *record = spoolview_text(row, 2);
	items[letters->count++] = (struct letter){
		.event = (uint64_t)sqlite3_column_int64(row, 0),
		.sink = sink,
		.record = letters_hash(record, strlen(record)),
	};
	return 0;
}

static int
compare_records(const void *a, const void *b)
{
	const struct letter *one = a, *other = b;
	return (one->record > other->record) - (one->record < other->record);
}

int
letters_read(struct letters *letters, const char *path)
{
	static const struct view_values none = {0};
	struct spoolview view;
	*letters = (struct letters){.count = 0};
	int status = spoolview_open(&view, path);
	if (status != 0)
		return status;
	sqlite3_stmt *row =
		spoolview_query(&view, "SELECT number, sink, record FROM dead_letter", &none);
	bool complete = true;
	while (row != NULL && complete && sqlite3_step(row) == SQLITE_ROW)
		complete = add(letters, row) == 0;
	if (sqlite3_finalize(row) != SQLITE_OK || row == NULL)
		status = spoolview_failure(&view);
	if (!complete)
		status = diag_no_memory();
	spoolview_close(&view);
	if (letters->count > 0)
		qsort(letters->items, letters->count, sizeof *letters->items, compare_records);
	return status;
}

size_t
letters_find(const struct letters *letters, uint64_t record)
{
	size_t low = 0, high = letters->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (letters->items[middle].record < record)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void
letters_fini(struct letters *letters)
{
	for (size_t i = 0; i < letters->count; i++)
		free(letters->items[i].sink);
	free(letters->items);
	*letters = (struct letters){.count = 0};
}

/* --- removing --- */

/* Remove some letters in one transaction. On success add their count to `*taken`; return false on
 * failure. Not by row id: SQLite reuses ids, so the service may have stored another letter under
 * one meanwhile. */
static bool
remove_some(sqlite3 *db, const char *sink, const uint64_t *events, size_t count, size_t *taken)
{
	sqlite3_stmt *statement = NULL;
	size_t gone = 0;
	bool done =
		sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL) == SQLITE_OK &&
		sqlite3_prepare_v2(db, "DELETE FROM dead_letter WHERE sink = ?1 AND number = ?2",
			-1, &statement, NULL) == SQLITE_OK;
	for (size_t i = 0; i < count && done; i++) {
		sqlite3_bind_text(statement, 1, sink, -1, SQLITE_STATIC);
		sqlite3_bind_int64(statement, 2, (sqlite3_int64)events[i]);
		done = sqlite3_step(statement) == SQLITE_DONE;
		gone += done ? (size_t)sqlite3_changes(db) : 0;
		sqlite3_reset(statement);
	}
	sqlite3_finalize(statement);
	done = done && sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) == SQLITE_OK;
	if (done)
		*taken += gone;
	return done;
}

size_t
letters_remove(const char *path, const char *sink, const uint64_t *events, size_t count)
{
	sqlite3 *db = NULL;
	size_t taken = 0;
	bool done = sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK;
	/* If memory ran out, there may be no handle. */
	if (done) {
		sqlite3_busy_timeout(db, BUSY_TIMEOUT_MS);
		sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	}
	for (size_t i = 0; i < count && done; i += ROUND)
		done = remove_some(
			db, sink, events + i, count - i < ROUND ? count - i : ROUND, &taken);
	if (!done)
		diag_warn("%s: dead letters that were delivered stay in it: %s", path,
			sqlite3_errmsg(db));
	sqlite3_close(db);
	return taken;
}

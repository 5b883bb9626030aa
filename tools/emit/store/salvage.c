/* salvage - imports what is readable of a broken spool. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "salvage.h"

#include "array.h"
#include "rec.h"
#include "spoolevents.h"

#include <stdlib.h>
#include <string.h>

/* Events per transaction. */
#define ROUND_EVENTS 2000

/* Numbers to skip when a page cannot be read; doubled on each further failure. */
#define FIRST_STEP 8

struct run {
	sqlite3 *old;
	struct spool *spool;
	struct salvage *salvage;
};

static void
note_number(struct run *run, uint64_t number)
{
	if (run->salvage->last_number < number)
		run->salvage->last_number = number;
}

static enum database_status
add(struct run *run, sqlite3_stmt *row)
{
	uint64_t number = spool_column_number(row, 0);
	const char *record = (const char *)sqlite3_column_text(row, 1);
	size_t length = (size_t)sqlite3_column_bytes(row, 1);
	struct rec_error error;
	json_t *json = record != NULL ? rec_parse_new(record, length, &error) : NULL;
	bool is_record =
		json != NULL && spool_is_as_stored(record, length, sqlite3_column_int64(row, 3));
	json_decref(json);
	char *line = malloc(length + 1);
	/* Skip a damaged event. */
	if (!is_record || line == NULL) {
		free(line);
		run->salvage->whole = false;
		return DATABASE_OK;
	}
	memcpy(line, record, length);
	line[length] = '\n';
	enum database_status status =
		spool_add_line(run->spool, number, line, length + 1, spool_column_number(row, 2));
	free(line);
	run->salvage->events++;
	note_number(run, number);
	return status;
}

/* Copy events above `*from` until a round is full, they end, or one cannot be read. Advance `*from`
 * past them. `*code`: SQLite's last result code. */
static enum database_status
copy_some(struct run *run, uint64_t *from, int *code)
{
	sqlite3_stmt *row = NULL;
	enum database_status status = DATABASE_OK;
	*code = sqlite3_prepare_v2(run->old,
		/* If an older emit created the table without record_hash, the name refers to the 0
		 * of `none`. */
		"SELECT number, record, received_ns,"
		" (SELECT record_hash FROM event AS e WHERE e.number = event.number)"
		" FROM event, (SELECT 0 AS record_hash) AS none"
		" WHERE number > ?1 ORDER BY number LIMIT ?2",
		-1, &row, NULL);
	if (*code != SQLITE_OK)
		return DATABASE_OK;
	sqlite3_bind_int64(row, 1, *from < INT64_MAX ? (sqlite3_int64)*from : INT64_MAX);
	sqlite3_bind_int(row, 2, ROUND_EVENTS);
	while (status == DATABASE_OK && (*code = sqlite3_step(row)) == SQLITE_ROW) {
		uint64_t number = spool_column_number(row, 0);
		/* The numbers on a damaged page may be arbitrary. */
		if (number <= *from || number > SPOOL_NUMBER_MAX) {
			run->salvage->whole = false;
			continue;
		}
		*from = number;
		status = add(run, row);
	}
	sqlite3_finalize(row);
	return status;
}

static enum database_status
copy_round(struct run *run, uint64_t *from, int *code)
{
	enum database_status status = spool_begin_events(run->spool);
	if (status == DATABASE_OK)
		status = copy_some(run, from, code);
	if (status == DATABASE_OK)
		return spool_commit_events(run->spool, run->salvage->last_number, NULL);
	spool_give_up_events(run->spool);
	return status;
}

static enum database_status
copy_events(struct run *run)
{
	enum database_status status = DATABASE_OK;
	uint64_t from = 0, step = FIRST_STEP;
	int code = SQLITE_OK;
	while (status == DATABASE_OK && step < INT64_MAX / 4) {
		uint64_t before = from;
		status = copy_round(run, &from, &code);
		if (code == SQLITE_DONE && from == before)
			break;
		if (code == SQLITE_DONE)
			continue;
		run->salvage->whole = false;
		step = from > before ? FIRST_STEP : 2 * step;
		from += step;
	}
	return status;
}

/* The second is for a spool of an older emit that no newer one has opened. */
static const char *const positions_sql[] = {
	"SELECT name, position, delivered, changed_ns, began_after FROM sink",
	"SELECT name, position, delivered, changed_ns, 0 FROM sink",
};

static enum database_status
copy_position(struct run *run, const char *name, sqlite3_stmt *row)
{
	uint64_t position = spool_column_number(row, 1), began_after = spool_column_number(row, 4);
	/* The numbers on a damaged page may be arbitrary. */
	if (position > SPOOL_NUMBER_MAX) {
		run->salvage->whole = false;
		return DATABASE_OK;
	}
	if (began_after > position)
		began_after = 0;
	note_number(run, position);
	enum database_status status = spool_set_position(run->spool, name, position,
		spool_column_number(row, 2), spool_column_number(row, 3));
	return status == DATABASE_OK ? spool_set_beginning(run->spool, name, began_after) : status;
}

static enum database_status
copy_positions(struct run *run)
{
	sqlite3_stmt *row = NULL;
	enum database_status status = DATABASE_OK;
	int code = SQLITE_ERROR;
	for (size_t i = 0; i < ARRAY_COUNT(positions_sql) && code == SQLITE_ERROR; i++)
		code = sqlite3_prepare_v2(run->old, positions_sql[i], -1, &row, NULL);
	while (code == SQLITE_OK || code == SQLITE_ROW) {
		code = sqlite3_step(row);
		const char *name =
			code == SQLITE_ROW ? (const char *)sqlite3_column_text(row, 0) : NULL;
		if (name != NULL && status == DATABASE_OK)
			status = copy_position(run, name, row);
	}
	if (code != SQLITE_DONE)
		run->salvage->whole = false;
	sqlite3_finalize(row);
	return status;
}

enum database_status
salvage_run(const char *path, struct spool *spool, struct salvage *salvage)
{
	struct run run = {.spool = spool, .salvage = salvage};
	enum database_status status = DATABASE_OK;
	*salvage = (struct salvage){.whole = true};
	if (sqlite3_open_v2(path, &run.old, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK &&
		/* Makes SQLite read a file that was truncated. */
		sqlite3_exec(run.old, "PRAGMA writable_schema=ON", NULL, NULL, NULL) == SQLITE_OK) {
		status = copy_positions(&run);
		if (status == DATABASE_OK)
			status = copy_events(&run);
	} else {
		salvage->whole = false;
	}
	sqlite3_close(run.old);
	return status;
}

/* spool - the node's events on disk. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "spool.h"

#include "array.h"
#include "schema.h"
#include "text.h"
#include "utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- opening and closing --- */

void
spool_init(struct spool *spool, const char *path)
{
	*spool = (struct spool){.last_number = 0, .began_after = SPOOL_NUMBER_MAX};
	database_init(&spool->database, path);
}

bool
spool_is_open(const struct spool *spool)
{
	return spool->database.db != NULL;
}

void
spool_close(struct spool *spool)
{
	for (size_t i = 0; i < spool->statement_count; i++)
		sqlite3_finalize(spool->statements[i].row);
	free(spool->statements);
	spool->statements = NULL;
	spool->statement_count = spool->statement_capacity = 0;
	database_close(&spool->database);
}

void
spool_fini(struct spool *spool)
{
	spool_close(spool);
	database_fini(&spool->database);
}

/* --- statements --- */

/* Get a statement from the cache, or prepare it. Return a result code of SQLite. */
static int
prepare(struct spool *spool, const char *sql, sqlite3_stmt **row)
{
	for (size_t i = 0; i < spool->statement_count; i++) {
		if (spool->statements[i].sql == sql) {
			*row = spool->statements[i].row;
			return SQLITE_OK;
		}
	}
	struct spool_statement *statements = array_grown(spool->statements, spool->statement_count,
		&spool->statement_capacity, sizeof *statements);
	if (statements == NULL)
		return SQLITE_NOMEM;
	spool->statements = statements;
	int code = sqlite3_prepare_v3(
		spool->database.db, sql, -1, SQLITE_PREPARE_PERSISTENT, row, NULL);
	if (code == SQLITE_OK)
		statements[spool->statement_count++] =
			(struct spool_statement){.sql = sql, .row = *row};
	return code;
}

struct spool_rows
spool_query(struct spool *spool, const char *sql, const struct spool_value *values, size_t count)
{
	struct spool_rows rows = {.spool = spool};
	rows.code = prepare(spool, sql, &rows.row);
	for (int i = 0; rows.row != NULL && i < (int)count; i++) {
		const struct spool_value *value = &values[i];
		if (value->text != NULL)
			sqlite3_bind_text(
				rows.row, i + 1, value->text, value->length, SQLITE_STATIC);
		else if (value->is_number)
			sqlite3_bind_int64(rows.row, i + 1, value->number);
	}
	return rows;
}

bool
spool_next(struct spool_rows *rows)
{
	if (rows->row == NULL)
		return false;
	rows->code = sqlite3_step(rows->row);
	return rows->code == SQLITE_ROW;
}

enum database_status
spool_end(struct spool_rows *rows)
{
	enum database_status status = database_status_of(&rows->spool->database, rows->code);
	if (rows->row != NULL) {
		sqlite3_reset(rows->row);
		sqlite3_clear_bindings(rows->row);
	}
	return status;
}

enum database_status
spool_run(struct spool *spool, const char *sql, const struct spool_value *values, size_t count)
{
	struct spool_rows rows = spool_query(spool, sql, values, count);
	spool_next(&rows);
	return spool_end(&rows);
}

uint64_t
spool_column_number(sqlite3_stmt *row, int at)
{
	return (uint64_t)sqlite3_column_int64(row, at);
}

const char *
spool_column_text(sqlite3_stmt *row, int at)
{
	return text_or_empty((const char *)sqlite3_column_text(row, at));
}

/* --- opening --- */

static const char sources_sql[] = "SELECT name, seq, changed_ns FROM source ORDER BY changed_ns";

static enum database_status
restore(struct spool *spool, struct sources *sources)
{
	struct spool_rows rows = spool_query(spool, sources_sql, NULL, 0);
	while (spool_next(&rows)) {
		const char *name = (const char *)sqlite3_column_text(rows.row, 0);
		/* Skip a row with damage that SQLite does not detect: such a name cannot be
		 * acknowledged, and every event would be below such a seq. */
		if (name == NULL || !utf8_is_valid(name) || sqlite3_column_int64(rows.row, 1) < 0)
			continue;
		if (sources_restore(sources, name, spool_column_number(rows.row, 1),
			    spool_column_number(rows.row, 2)) < 0) {
			rows.code = SQLITE_NOMEM;
			break;
		}
	}
	return spool_end(&rows);
}

/* Read the highest number ever used, including deleted events. The numbers of a spool that broke
 * are known only from the sinks' positions. */
static enum database_status
read_last_number(struct spool *spool)
{
	enum database_status status = database_read_number(&spool->database,
		"SELECT max(number) FROM (SELECT 0 AS number"
		" UNION ALL SELECT seq FROM sqlite_sequence WHERE name = 'event' UNION ALL SELECT "
		"position FROM sink)",
		&spool->last_number);
	if (status == DATABASE_OK && spool->last_number > SPOOL_NUMBER_MAX) {
		snprintf(spool->database.problem, sizeof spool->database.problem,
			"its event numbers are exhausted");
		return DATABASE_CORRUPT;
	}
	return status;
}

enum database_status
spool_open(struct spool *spool, struct sources *sources)
{
	enum database_status status = database_open(&spool->database);
	if (status == DATABASE_OK)
		status = restore(spool, sources);
	if (status == DATABASE_OK)
		status = read_last_number(spool);
	if (status == DATABASE_OK)
		status = database_read_number(&spool->database,
			"SELECT ifnull(max(opening), 0) + 1 FROM sink", &spool->opening);
	if (status == DATABASE_OK)
		status = database_read_number(&spool->database,
			"SELECT ifnull(max(value), 0) FROM meta WHERE name = 'keepsake'",
			&spool->restored);
	if (status != DATABASE_OK)
		spool_close(spool);
	return status;
}

void
spool_note_beginning(struct spool *spool)
{
	if (spool->began_after > spool->last_number)
		spool->began_after = spool->last_number;
}

static const char seqs_of_source_sql[] =
	"SELECT seq FROM event WHERE source = ?1 AND seq > ?2 AND seq <= ?3 ORDER BY seq";

enum database_status
spool_find_end(struct spool *spool, const char *source, uint64_t upto, uint64_t *end)
{
	struct spool_rows rows = spool_query(spool, seqs_of_source_sql,
		SPOOL_VALUES(SPOOL_TEXT(source), SPOOL_NUMBER(*end), SPOOL_NUMBER(upto)));
	while (spool_next(&rows) && spool_column_number(rows.row, 0) == *end + 1)
		++*end;
	return spool_end(&rows);
}

static const char all_seqs_sql[] = "SELECT number, source, seq FROM event ORDER BY number";

enum database_status
spool_find_delivered(struct spool *spool, struct sources *sources, uint64_t *upto)
{
	struct spool_rows rows = spool_query(spool, all_seqs_sql, NULL, 0);
	*upto = 0;
	while (spool_next(&rows)) {
		const char *name = (const char *)sqlite3_column_text(rows.row, 1);
		const struct source *source = name != NULL ? sources_find(sources, name) : NULL;
		if (source == NULL || spool_column_number(rows.row, 2) > source->delivered)
			break;
		*upto = spool_column_number(rows.row, 0);
	}
	return spool_end(&rows);
}

enum database_status
spool_try(struct spool *spool)
{
	/* Writes the version, which does not change. */
	char *text = sqlite3_mprintf("PRAGMA user_version=%d", SCHEMA_VERSION);
	enum database_status status = text != NULL
					      ? database_begin(&spool->database, true)
					      : database_status_of(&spool->database, SQLITE_NOMEM);
	if (status == DATABASE_OK)
		status = database_run(&spool->database, text);
	sqlite3_free(text);
	return database_end(&spool->database, status);
}

/* --- sinks --- */

static const char get_sink_sql[] = "SELECT position FROM sink WHERE name = ?1";

enum database_status
spool_get_position(struct spool *spool, const char *sink, uint64_t *position, bool *known)
{
	struct spool_rows rows = spool_query(spool, get_sink_sql, SPOOL_VALUES(SPOOL_TEXT(sink)));
	*known = spool_next(&rows);
	if (*known)
		*position = spool_column_number(rows.row, 0);
	return spool_end(&rows);
}

enum database_status
spool_rename_sink(struct spool *spool, const char *from, const char *to)
{
	char *sql = sqlite3_mprintf("UPDATE OR IGNORE sink SET name = %Q WHERE name = %Q;"
				    "UPDATE OR IGNORE doubt SET sink = %Q WHERE sink = %Q;"
				    "UPDATE OR IGNORE dead_letter SET sink = %Q WHERE sink = %Q;",
		to, from, to, from, to, from);
	enum database_status status =
		sql != NULL ? database_run(&spool->database, "PRAGMA secure_delete=ON")
			    : database_status_of(&spool->database, SQLITE_NOMEM);
	if (status == DATABASE_OK)
		status = database_begin(&spool->database, false);
	if (status == DATABASE_OK)
		status = database_end(&spool->database, database_run(&spool->database, sql));
	sqlite3_free(sql);
	if (status == DATABASE_OK)
		status = database_run(&spool->database, "PRAGMA secure_delete=OFF");
	return status;
}

static const char set_sink_sql[] =
	"INSERT INTO sink (name, position, delivered, changed_ns, opening, began_after)"
	" VALUES (?1, ?2, ?3, ?4, ?5, min(?2, ?6))"
	" ON CONFLICT (name) DO UPDATE SET position = ?2, delivered = delivered + ?3, "
	"changed_ns = ?4, opening = ?5";

static enum database_status
set_position(struct spool *spool, const char *sink, uint64_t position, uint64_t delivered,
	uint64_t now_ns)
{
	return spool_run(spool, set_sink_sql,
		SPOOL_VALUES(SPOOL_TEXT(sink), SPOOL_NUMBER(position), SPOOL_NUMBER(delivered),
			SPOOL_NUMBER(now_ns), SPOOL_NUMBER(spool->opening),
			SPOOL_NUMBER(spool->began_after)));
}

enum database_status
spool_set_position(struct spool *spool, const char *sink, uint64_t position, uint64_t delivered,
	uint64_t now_ns)
{
	enum database_status status = database_begin(&spool->database, false);
	if (status == DATABASE_OK)
		status = set_position(spool, sink, position, delivered, now_ns);
	return database_end(&spool->database, status);
}

static const char set_beginning_sql[] = "UPDATE sink SET began_after = ?2 WHERE name = ?1";

enum database_status
spool_set_beginning(struct spool *spool, const char *sink, uint64_t began_after)
{
	return spool_run(spool, set_beginning_sql,
		SPOOL_VALUES(SPOOL_TEXT(sink), SPOOL_NUMBER(began_after)));
}

static const char get_doubt_sql[] = "SELECT number, spent_ns FROM doubt WHERE sink = ?1";

enum database_status
spool_get_doubt(struct spool *spool, const char *sink, uint64_t *number, uint64_t *spent_ns)
{
	struct spool_rows rows = spool_query(spool, get_doubt_sql, SPOOL_VALUES(SPOOL_TEXT(sink)));
	*number = *spent_ns = 0;
	if (spool_next(&rows)) {
		*number = spool_column_number(rows.row, 0);
		*spent_ns = spool_column_number(rows.row, 1);
	}
	return spool_end(&rows);
}

static const char set_doubt_sql[] = "INSERT INTO doubt (sink, number, spent_ns) VALUES (?1, ?2, ?3)"
				    " ON CONFLICT (sink) DO UPDATE SET number = ?2, spent_ns = ?3";

enum database_status
spool_set_doubt(struct spool *spool, const char *sink, uint64_t number, uint64_t spent_ns)
{
	enum database_status status = database_begin(&spool->database, false);
	if (status == DATABASE_OK)
		status = spool_run(spool, set_doubt_sql,
			SPOOL_VALUES(
				SPOOL_TEXT(sink), SPOOL_NUMBER(number), SPOOL_NUMBER(spent_ns)));
	return database_end(&spool->database, status);
}

static const char refuse_sql[] =
	"INSERT OR IGNORE INTO dead_letter (sink, number, event_id, time_ns, "
	"reason, record) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";

static enum database_status
add_letter(struct spool *spool, const struct spool_letter *letter)
{
	return spool_run(spool, refuse_sql,
		SPOOL_VALUES(SPOOL_TEXT(letter->sink), SPOOL_NUMBER(letter->number),
			SPOOL_TEXT(letter->id), SPOOL_NUMBER(letter->refused_at_ns),
			SPOOL_TEXT(letter->reason), SPOOL_BYTES(letter->line, letter->length - 1)));
}

static const char count_refused_sql[] = "UPDATE sink SET refused = refused + 1 WHERE name = ?1";

enum database_status
spool_refuse(struct spool *spool, const struct spool_letter *letter)
{
	enum database_status status = database_begin(&spool->database, true);
	if (status == DATABASE_OK)
		status = add_letter(spool, letter);
	if (status == DATABASE_OK)
		status =
			set_position(spool, letter->sink, letter->number, 0, letter->refused_at_ns);
	if (status == DATABASE_OK)
		status =
			spool_run(spool, count_refused_sql, SPOOL_VALUES(SPOOL_TEXT(letter->sink)));
	return database_end(&spool->database, status);
}

/* --- counting --- */

/* Up to this many events are counted by their numbers. For more it is faster to count all entries
 * of the smallest index, a small part of the file, than to read the events' rows, which are almost
 * all of it. */
#define FEW_EVENTS 4096

/* Arrival of the first event after number ?1. */
#define OLDEST "(SELECT received_ns FROM event WHERE number > ?1 ORDER BY number LIMIT 1)"

const char spool_count_few_sql[] = "SELECT count(*), " OLDEST " FROM event WHERE number > ?1";

/* The unary + keeps SQLite from using the primary key. */
const char spool_count_many_sql[] = "SELECT count(*), " OLDEST " FROM event WHERE +number > ?1";

enum database_status
spool_count_owed(struct spool *spool, uint64_t after, struct owed *out)
{
	bool are_few = spool->last_number < after + FEW_EVENTS;
	struct spool_rows rows =
		spool_query(spool, are_few ? spool_count_few_sql : spool_count_many_sql,
			SPOOL_VALUES(SPOOL_NUMBER(after)));
	*out = (struct owed){.events = 0};
	if (spool_next(&rows))
		*out = (struct owed){.events = spool_column_number(rows.row, 0),
			.oldest_ns = spool_column_number(rows.row, 1)};
	return spool_end(&rows);
}

enum database_status
spool_used_bytes(struct spool *spool, uint64_t *out)
{
	uint64_t pages = 0, unused = 0, size = 0;
	enum database_status status =
		database_read_number(&spool->database, "PRAGMA page_count", &pages);
	if (status == DATABASE_OK)
		status = database_read_number(&spool->database, "PRAGMA freelist_count", &unused);
	if (status == DATABASE_OK)
		status = database_read_number(&spool->database, "PRAGMA page_size", &size);
	*out = (pages - unused) * size;
	return status;
}

enum database_status
spool_count_letters(struct spool *spool, uint64_t *out)
{
	*out = 0;
	return database_read_number(&spool->database, "SELECT count(*) FROM dead_letter", out);
}

/* spoolevents - adds events to the spool and reads them. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "spoolevents.h"

#include "../fault.h"
#include "clearing.h"
#include "conditions.h"
#include "hash.h"
#include "schema.h"

#include <inttypes.h>
#include <stdio.h>

/* --- adding --- */

enum database_status
spool_begin_events(struct spool *spool)
{
	spool->added = spool->answered = 0;
	return database_begin(&spool->database, true);
}

int64_t
spool_hash(const char *record, size_t length)
{
	int64_t hash = (int64_t)hash_bytes(HASH_START, record, length);
	return hash != 0 ? hash : 1;
}

bool
spool_is_as_stored(const char *record, size_t length, int64_t hash)
{
	return hash == 0 || hash == spool_hash(record, length);
}

static const char insert_event_sql[] =
	"INSERT OR IGNORE INTO event (number, source, seq, id, time_ns, received_ns, node, "
	"agent, check_name, device, port, is_fatal, is_healthy, code, action, message, "
	"record, record_hash)"
	" VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, "
	"?17, ?18)";

enum database_status
spool_add_event(struct spool *spool, uint64_t number, const struct facts *facts, const char *line,
	size_t length, uint64_t received_ns)
{
	bool has_name = *facts->source != '\0' && facts->seq != 0, is_answered = false;
	uint64_t time_ns = facts->time_ns != 0 ? facts->time_ns : received_ns;
	enum database_status status = spool_run(spool, insert_event_sql,
		SPOOL_VALUES(SPOOL_NUMBER(number), SPOOL_TEXT(has_name ? facts->source : NULL),
			SPOOL_NUMBER_IF(facts->seq, has_name), SPOOL_TEXT(facts->id),
			SPOOL_NUMBER(time_ns), SPOOL_NUMBER(received_ns), SPOOL_TEXT(facts->node),
			SPOOL_TEXT(facts->agent), SPOOL_TEXT(facts->check),
			SPOOL_TEXT(facts->device), SPOOL_TEXT(facts->port),
			SPOOL_INTEGER(facts->fatal), SPOOL_INTEGER(facts->healthy),
			SPOOL_TEXT(facts->code), SPOOL_TEXT(facts->action),
			SPOOL_TEXT(facts->message), SPOOL_BYTES(line, length - 1),
			SPOOL_INTEGER(spool_hash(line, length - 1))));
	bool is_new = status == DATABASE_OK && sqlite3_changes(spool->database.db) > 0;
	spool->added += is_new;
	if (is_new)
		status = late_eval(spool, facts, number, received_ns, &is_answered);
	spool->answered += is_answered;
	if (status == DATABASE_OK && is_new && !is_answered)
		status = conditions_apply(spool, facts, number, time_ns);
	return status;
}

enum database_status
spool_add_line(
	struct spool *spool, uint64_t number, const char *line, size_t length, uint64_t received_ns)
{
	struct facts facts;
	struct facts_room room;
	json_t *record = facts_parse_new(&facts, &room, line, length - 1);
	/* The line was parsed on arrival, so this can fail only if memory runs out. */
	if (record == NULL)
		return database_status_of(&spool->database, SQLITE_NOMEM);
	enum database_status status =
		spool_add_event(spool, number, &facts, line, length, received_ns);
	json_decref(record);
	return status;
}

static const char set_source_sql[] =
	"INSERT INTO source (name, seq, changed_ns) VALUES (?1, ?2, ?3)"
	" ON CONFLICT (name) DO UPDATE SET seq = ?2, changed_ns = ?3";

static enum database_status
keep_sources(struct spool *spool, const struct sources *sources)
{
	enum database_status status = DATABASE_OK;
	for (size_t i = 0; i < sources->count && status == DATABASE_OK; i++) {
		const struct source *source = &sources->items[i];
		uint64_t bound = source_bound(source);
		if (bound != source->stored)
			status = spool_run(spool, set_source_sql,
				SPOOL_VALUES(SPOOL_TEXT(source->name), SPOOL_NUMBER(bound),
					SPOOL_NUMBER(source->changed_ns)));
	}
	return status;
}

enum database_status
spool_commit_events(struct spool *spool, uint64_t last_number, const struct sources *sources)
{
	enum database_status status = sources != NULL ? keep_sources(spool, sources) : DATABASE_OK;
	status = database_end(&spool->database, status);
	if (status != DATABASE_OK)
		return status;
	spool->last_number = last_number;
	fault_pass(FAULT_STORE);
	return DATABASE_OK;
}

void
spool_give_up_events(struct spool *spool)
{
	database_rollback(&spool->database);
}

/* --- reading --- */

/* Append the event of the row. Return SQLITE_ROW if it was added, SQLITE_DONE if the batch is full,
 * SQLITE_CORRUPT if the record does not match its hash. */
static int
add_row(struct batch *batch, sqlite3_stmt *row, size_t max_bytes)
{
	const char *record = (const char *)sqlite3_column_text(row, 1);
	size_t length = (size_t)sqlite3_column_bytes(row, 1);
	if (record == NULL)
		return SQLITE_NOMEM;
	if (batch->count > 0 && batch->lines.length + length + 1 > max_bytes)
		return SQLITE_DONE;
	if (!spool_is_as_stored(record, length, sqlite3_column_int64(row, 4)))
		return SQLITE_CORRUPT;
	if (batch_add(batch, spool_column_number(row, 0), record, length) < 0)
		return SQLITE_NOMEM;
	batch->events[batch->count - 1].quiet = sqlite3_column_int(row, 2) != 0;
	batch->events[batch->count - 1].answered = sqlite3_column_int(row, 3) != 0;
	return SQLITE_ROW;
}

static const char read_sql[] =
	"SELECT number, record, " SCHEMA_QUIET ", answered_by <> '', record_hash"
	" FROM event WHERE number > ?1 AND number <= ?2 ORDER BY number";

enum database_status
spool_read(struct spool *spool, uint64_t after, uint64_t upto, size_t max_events, size_t max_bytes,
	struct batch *batch)
{
	size_t before = batch->count;
	uint64_t damaged = 0;
	struct spool_rows rows =
		spool_query(spool, read_sql, SPOOL_VALUES(SPOOL_NUMBER(after), SPOOL_NUMBER(upto)));
	while (batch->count < max_events && spool_next(&rows)) {
		rows.code = add_row(batch, rows.row, max_bytes);
		if (rows.code == SQLITE_CORRUPT) {
			damaged = spool_column_number(rows.row, 0);
			rows.code = SQLITE_DONE;
		}
		if (rows.code != SQLITE_ROW)
			break;
	}
	enum database_status status = spool_end(&rows);
	/* Return the events before the damaged one first. */
	if (status != DATABASE_OK || damaged == 0 || batch->count > before)
		return status;
	snprintf(spool->database.problem, sizeof spool->database.problem,
		"event %" PRIu64 " is damaged: it differs from what was stored", damaged);
	return DATABASE_CORRUPT;
}

/* spool - the node's events on disk. */
#include "spool.h"

#include "clock.h"
#include "conditions.h"
#include "fault.h"
#include "rec.h"
#include "schema.h"
#include "utf8.h"

#include <stdio.h>
#include <string.h>

void
spool_init(struct spool *spool, const char *path)
{
	*spool = (struct spool){.last_number = 0};
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
	for (size_t i = 0; i < SPOOL_STATEMENT_N; i++) {
		sqlite3_finalize(spool->statements[i]);
		spool->statements[i] = NULL;
	}
	database_close(&spool->database);
}

void
spool_fini(struct spool *spool)
{
	spool_close(spool);
	database_fini(&spool->database);
}

/* --- statements --- */

sqlite3_stmt *
spool_statement(struct spool *spool, enum spool_statement which, enum database_status *status)
{
	sqlite3_stmt **statement = &spool->statements[which];
	*status = DATABASE_OK;
	if (*statement == NULL)
		*status = database_judge(
			&spool->database, sqlite3_prepare_v3(spool->database.db, spool_sql[which],
						  -1, SQLITE_PREPARE_PERSISTENT, statement, NULL));
	return *status == DATABASE_OK ? *statement : NULL;
}

enum database_status
spool_finish(struct spool *spool, sqlite3_stmt *statement, int code)
{
	enum database_status status = database_judge(&spool->database, code);
	sqlite3_reset(statement);
	sqlite3_clear_bindings(statement);
	return status;
}

enum database_status
spool_step(struct spool *spool, sqlite3_stmt *statement)
{
	return spool_finish(spool, statement, sqlite3_step(statement));
}

void
spool_bind_text(sqlite3_stmt *statement, int at, const char *text)
{
	sqlite3_bind_text(statement, at, text, -1, SQLITE_STATIC);
}

void
spool_bind_number(sqlite3_stmt *statement, int at, uint64_t value)
{
	sqlite3_bind_int64(statement, at, value < INT64_MAX ? (sqlite3_int64)value : INT64_MAX);
}

/* --- opening --- */

static enum database_status
restore(struct spool *spool, struct sources *sources)
{
	sqlite3_stmt *statement = NULL;
	int code = sqlite3_prepare_v2(spool->database.db,
		"SELECT name, seq, changed_ns FROM source ORDER BY changed_ns", -1, &statement,
		NULL);
	while (code == SQLITE_OK || code == SQLITE_ROW) {
		code = sqlite3_step(statement);
		const char *name =
			code == SQLITE_ROW ? (const char *)sqlite3_column_text(statement, 0) : NULL;
		/* A row that is damaged where SQLite cannot see it: such a name cannot be acknowledged, and such a number never ends. */
		if (name != NULL && utf8_is_valid(name) &&
			sqlite3_column_int64(statement, 1) >= 0 &&
			sources_restore(sources, name, (uint64_t)sqlite3_column_int64(statement, 1),
				(uint64_t)sqlite3_column_int64(statement, 2)) < 0)
			code = SQLITE_NOMEM;
	}
	enum database_status status = database_judge(&spool->database, code);
	sqlite3_finalize(statement);
	return status;
}

/* The last number that was ever given, also to an event that is gone; one that a broken spool gave is known from the sinks only. */
static enum database_status
read_last_number(struct spool *spool)
{
	enum database_status status = database_read_number(&spool->database,
		"SELECT max(number) FROM (SELECT 0 AS number"
		" UNION ALL SELECT seq FROM sqlite_sequence WHERE name = 'event' UNION ALL SELECT position FROM sink)",
		&spool->last_number);
	if (status == DATABASE_OK && spool->last_number > SPOOL_NUMBER_MAX) {
		snprintf(spool->database.problem, sizeof spool->database.problem,
			"its events' numbers are at their end");
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
	if (status != DATABASE_OK)
		spool_close(spool);
	return status;
}

/* --- events --- */

enum database_status
spool_begin_events(struct spool *spool)
{
	spool->added = 0;
	return database_begin(&spool->database, true);
}

static void
bind_event(
	sqlite3_stmt *statement, uint64_t number, const struct facts *facts, uint64_t received_ns)
{
	const char *const texts[] = {
		facts->node, facts->agent, facts->check, facts->device, facts->port};
	spool_bind_number(statement, 1, number);
	if (*facts->source != '\0' && facts->seq != 0) {
		spool_bind_text(statement, 2, facts->source);
		spool_bind_number(statement, 3, facts->seq);
	}
	spool_bind_text(statement, 4, facts->id);
	spool_bind_number(statement, 5, facts->time_ns != 0 ? facts->time_ns : received_ns);
	spool_bind_number(statement, 6, received_ns);
	for (int i = 0; i < 5; i++)
		spool_bind_text(statement, 7 + i, texts[i]);
	sqlite3_bind_int(statement, 12, facts->fatal);
	sqlite3_bind_int(statement, 13, facts->healthy);
	spool_bind_text(statement, 14, facts->code);
	spool_bind_text(statement, 15, facts->action);
	spool_bind_text(statement, 16, facts->message);
}

enum database_status
spool_add_event(
	struct spool *spool, uint64_t number, const char *line, size_t length, uint64_t received_ns)
{
	enum database_status status;
	struct rec_error error;
	struct facts facts;
	sqlite3_stmt *statement = spool_statement(spool, SPOOL_INSERT_EVENT, &status);
	if (statement == NULL)
		return status;
	/* It is kept as text until here, which is smaller; it was a record when it came, so this can fail for want of memory only. */
	json_t *record = rec_parse_new(line, length - 1, &error);
	if (record == NULL)
		return database_judge(&spool->database, SQLITE_NOMEM);
	facts_read(&facts, record);
	bind_event(statement, number, &facts, received_ns);
	sqlite3_bind_text(statement, 17, line, (int)length - 1, SQLITE_STATIC);
	status = spool_step(spool, statement);
	bool is_new = status == DATABASE_OK && sqlite3_changes(spool->database.db) > 0;
	spool->added += is_new;
	if (is_new)
		status = conditions_apply(
			spool, &facts, number, facts.time_ns != 0 ? facts.time_ns : received_ns);
	json_decref(record);
	return status;
}

static enum database_status
keep_sources(struct spool *spool, const struct sources *sources)
{
	enum database_status status = DATABASE_OK;
	for (size_t i = 0; i < sources->count && status == DATABASE_OK; i++) {
		const struct source *source = &sources->items[i];
		if (source_bound(source) == source->stored)
			continue;
		sqlite3_stmt *statement = spool_statement(spool, SPOOL_SET_SOURCE, &status);
		if (statement == NULL)
			break;
		spool_bind_text(statement, 1, source->name);
		spool_bind_number(statement, 2, source_bound(source));
		spool_bind_number(statement, 3, source->changed_ns);
		status = spool_step(spool, statement);
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

enum database_status
spool_try(struct spool *spool)
{
	/* The version is what it was, and is written all the same. */
	char *text = sqlite3_mprintf("PRAGMA user_version=%d", SCHEMA_VERSION);
	enum database_status status = text != NULL ? database_begin(&spool->database, true)
						   : database_judge(&spool->database, SQLITE_NOMEM);
	if (status == DATABASE_OK)
		status = database_run(&spool->database, text);
	sqlite3_free(text);
	return database_end(&spool->database, status);
}

enum database_status
spool_read(struct spool *spool, uint64_t after, uint64_t upto, size_t max_events, size_t max_bytes,
	struct batch *batch)
{
	enum database_status status;
	sqlite3_stmt *statement = spool_statement(spool, SPOOL_READ, &status);
	if (statement == NULL)
		return status;
	spool_bind_number(statement, 1, after);
	spool_bind_number(statement, 2, upto);
	int code = SQLITE_DONE;
	while (batch->count < max_events && (code = sqlite3_step(statement)) == SQLITE_ROW) {
		const char *record = (const char *)sqlite3_column_text(statement, 1);
		size_t length = (size_t)sqlite3_column_bytes(statement, 1);
		if (record == NULL) {
			code = SQLITE_NOMEM;
			break;
		}
		if (batch->count > 0 && batch->length + length + 1 > max_bytes)
			break;
		if (batch_add(batch, (uint64_t)sqlite3_column_int64(statement, 0), record, length) <
			0) {
			code = SQLITE_NOMEM;
			break;
		}
	}
	return spool_finish(spool, statement, code);
}

/* --- sinks --- */

enum database_status
spool_get_position(struct spool *spool, const char *sink, uint64_t *position, bool *known)
{
	enum database_status status;
	sqlite3_stmt *statement = spool_statement(spool, SPOOL_GET_SINK, &status);
	if (statement == NULL)
		return status;
	spool_bind_text(statement, 1, sink);
	int code = sqlite3_step(statement);
	*known = code == SQLITE_ROW;
	if (*known)
		*position = (uint64_t)sqlite3_column_int64(statement, 0);
	return spool_finish(spool, statement, code);
}

static enum database_status
set_position(struct spool *spool, const char *sink, uint64_t position, uint64_t delivered,
	uint64_t now_ns)
{
	enum database_status status;
	sqlite3_stmt *statement = spool_statement(spool, SPOOL_SET_SINK, &status);
	if (statement == NULL)
		return status;
	spool_bind_text(statement, 1, sink);
	spool_bind_number(statement, 2, position);
	spool_bind_number(statement, 3, delivered);
	spool_bind_number(statement, 4, now_ns);
	return spool_step(spool, statement);
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

static enum database_status
add_letter(struct spool *spool, const struct spool_letter *letter)
{
	enum database_status status;
	sqlite3_stmt *statement = spool_statement(spool, SPOOL_REFUSE, &status);
	if (statement == NULL)
		return status;
	spool_bind_text(statement, 1, letter->sink);
	spool_bind_number(statement, 2, letter->number);
	spool_bind_text(statement, 3, letter->id);
	spool_bind_number(statement, 4, letter->now_ns);
	spool_bind_text(statement, 5, letter->reason);
	sqlite3_bind_text(statement, 6, letter->line, (int)letter->length - 1, SQLITE_STATIC);
	return spool_step(spool, statement);
}

static enum database_status
count_refused(struct spool *spool, const char *sink)
{
	enum database_status status;
	sqlite3_stmt *statement = spool_statement(spool, SPOOL_COUNT_REFUSED, &status);
	if (statement == NULL)
		return status;
	spool_bind_text(statement, 1, sink);
	return spool_step(spool, statement);
}

enum database_status
spool_refuse(struct spool *spool, const struct spool_letter *letter)
{
	enum database_status status = database_begin(&spool->database, true);
	if (status == DATABASE_OK)
		status = add_letter(spool, letter);
	if (status == DATABASE_OK)
		status = set_position(spool, letter->sink, letter->number, 0, letter->now_ns);
	if (status == DATABASE_OK)
		status = count_refused(spool, letter->sink);
	return database_end(&spool->database, status);
}

/* spoolsize - how much there is in the spool. */
#include "spoolsize.h"

/* Up to so many events are counted where they are. More are counted in the smallest index there is, all of them: it is a small part of the file, and events that are counted one by one are all of it. */
#define FEW_EVENTS 4096

enum database_status
spoolsize_owed(struct spool *spool, uint64_t after, struct owed *out)
{
	enum database_status status;
	bool are_few = spool->last_number < after + FEW_EVENTS;
	sqlite3_stmt *statement =
		spool_statement(spool, are_few ? SPOOL_COUNT_FEW : SPOOL_COUNT_MANY, &status);
	*out = (struct owed){.events = 0};
	if (statement == NULL)
		return status;
	spool_bind_number(statement, 1, after);
	int code = sqlite3_step(statement);
	if (code == SQLITE_ROW) {
		out->events = (uint64_t)sqlite3_column_int64(statement, 0);
		out->oldest_ns = (uint64_t)sqlite3_column_int64(statement, 1);
	}
	return spool_finish(spool, statement, code);
}

enum database_status
spoolsize_used_bytes(struct spool *spool, uint64_t *out)
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
spoolsize_letters(struct spool *spool, uint64_t *out)
{
	*out = 0;
	return database_read_number(&spool->database, "SELECT count(*) FROM dead_letter", out);
}

/* retention - how long events stay in the spool. */
#include "retention.h"

#include "spoolsize.h"

/* Events that one round drops at most: some milliseconds. */
#define ROUND_EVENTS 1000

/* Over the limit so many at a time, so that not many more go than have to. */
#define STEP_EVENTS 16

/* Pages that one round gives back to the file system. */
#define GIVE_BACK "PRAGMA incremental_vacuum(256)"

/* Runs one of the statements that drop, and says how many rows it has dropped. */
static enum database_status
drop(struct spool *spool, enum spool_statement which, const uint64_t *arguments, int count,
	uint64_t *dropped)
{
	enum database_status status;
	sqlite3_stmt *statement = spool_statement(spool, which, &status);
	*dropped = 0;
	if (statement == NULL)
		return status;
	for (int i = 0; i < count; i++)
		spool_bind_number(statement, i + 1, arguments[i]);
	status = spool_step(spool, statement);
	if (status == DATABASE_OK)
		*dropped = (uint64_t)sqlite3_changes64(spool->database.db);
	return status;
}

/* Over the limit: the oldest that are delivered, then the oldest dead letters, of which somebody has been told, then the oldest that are not fatal, those that report trouble before those that take it back, since a fault that nobody
 * takes back stays for ever. */
static enum database_status
make_room(struct spool *spool, uint64_t delivered, struct retention_loss *loss)
{
	uint64_t dropped;
	const uint64_t of_delivered[] = {delivered, INT64_MAX, STEP_EVENTS},
		       of_others[] = {STEP_EVENTS};
	enum database_status status = drop(spool, SPOOL_DROP_DELIVERED, of_delivered, 3, &dropped);
	if (status == DATABASE_OK && dropped == 0)
		status = drop(spool, SPOOL_DROP_OLDEST_LETTERS, of_others, 1, &dropped);
	if (status != DATABASE_OK || dropped > 0)
		return status;
	status = drop(spool, SPOOL_DROP_UNHEALTHY, of_others, 1, &dropped);
	if (status == DATABASE_OK && dropped == 0)
		status = drop(spool, SPOOL_DROP_HEALTHY, of_others, 1, &dropped);
	loss->undelivered += dropped;
	loss->overfull = status == DATABASE_OK && dropped == 0;
	if (status != DATABASE_OK || dropped == 0)
		return status;
	uint64_t rows;
	return drop(spool, SPOOL_COUNT_DROPPED, &dropped, 1, &rows);
}

static enum database_status
drop_old(struct spool *spool, const struct retention *retention, uint64_t delivered,
	uint64_t now_ns, struct retention_loss *loss)
{
	uint64_t before_ns = now_ns > retention->keep_ns ? now_ns - retention->keep_ns : 0;
	const uint64_t of_events[] = {delivered, before_ns, ROUND_EVENTS}, of_rest[] = {before_ns},
		       of_sources[] = {SOURCES_MAX};
	uint64_t dropped;
	enum database_status status = drop(spool, SPOOL_DROP_DELIVERED, of_events, 3, &dropped);
	loss->more = dropped == ROUND_EVENTS;
	if (status == DATABASE_OK)
		status = drop(spool, SPOOL_DROP_CONDITIONS, of_rest, 1, &dropped);
	if (status == DATABASE_OK)
		status = drop(spool, SPOOL_DROP_LETTERS, of_rest, 1, &dropped);
	if (status == DATABASE_OK)
		status = drop(spool, SPOOL_DROP_SOURCES, of_sources, 1, &dropped);
	return status;
}

static enum database_status
keep_below_limit(struct spool *spool, const struct retention *retention, uint64_t delivered,
	struct retention_loss *loss)
{
	uint64_t used;
	enum database_status status = spoolsize_used_bytes(spool, &used);
	for (unsigned i = 0; i < ROUND_EVENTS / STEP_EVENTS; i++) {
		if (status != DATABASE_OK || used <= retention->max_bytes || loss->overfull)
			return status;
		status = make_room(spool, delivered, loss);
		if (status == DATABASE_OK)
			status = spoolsize_used_bytes(spool, &used);
	}
	loss->more = true;
	return status;
}

enum database_status
retention_run(struct spool *spool, const struct retention *retention, uint64_t delivered,
	uint64_t now_ns, struct retention_loss *loss)
{
	*loss = (struct retention_loss){.undelivered = 0};
	enum database_status status = database_begin(&spool->database, false);
	if (status == DATABASE_OK)
		status = drop_old(spool, retention, delivered, now_ns, loss);
	if (status == DATABASE_OK)
		status = keep_below_limit(spool, retention, delivered, loss);
	status = database_end(&spool->database, status);
	if (status != DATABASE_OK) {
		*loss = (struct retention_loss){.undelivered = 0};
		return status;
	}
	return database_run(&spool->database, GIVE_BACK);
}

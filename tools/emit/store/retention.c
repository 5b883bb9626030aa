/* retention - drops events from the spool. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "retention.h"

/* Most events dropped in one round: takes some ms. */
#define ROUND_EVENTS 1000

/* Events dropped in one step above the limit: small, so that few more are dropped than
 * necessary. */
#define STEP_EVENTS 16

/* Returns pages to the file system, at most 256 per round. */
#define GIVE_BACK "PRAGMA incremental_vacuum(256)"

static const char drop_delivered_sql[] =
	"DELETE FROM event WHERE number IN (SELECT number FROM event"
	" WHERE number <= ?1 AND received_ns < ?2 ORDER BY number LIMIT ?3)";

/* Run a statement that drops rows, and count them. */
static enum database_status
drop(struct spool *spool, const char *sql, const struct spool_value *values, size_t count,
	uint64_t *dropped)
{
	enum database_status status = spool_run(spool, sql, values, count);
	*dropped = status == DATABASE_OK ? (uint64_t)sqlite3_changes64(spool->database.db) : 0;
	return status;
}

static const char drop_oldest_letters_sql[] = "DELETE FROM dead_letter WHERE id IN (SELECT id FROM "
					      "dead_letter ORDER BY id LIMIT ?1)";
static const char drop_unhealthy_sql[] =
	"DELETE FROM event WHERE number IN (SELECT number FROM event"
	" WHERE is_fatal = 0 AND is_healthy = 0 ORDER BY number LIMIT ?1)";
static const char drop_healthy_sql[] = "DELETE FROM event WHERE number IN (SELECT number FROM event"
				       " WHERE is_fatal = 0 ORDER BY number LIMIT ?1)";
static const char count_dropped_sql[] = "INSERT INTO meta (name, value) VALUES ('dropped', ?1)"
					" ON CONFLICT (name) DO UPDATE SET value = value + ?1";

/* Drop one step of what comes first: the oldest delivered events; then the oldest dead letters,
 * which were reported; then the oldest events that are neither fatal nor healthy; then the oldest
 * healthy ones, which come last because a fault that no event ends stays for ever at its
 * receivers. */
static enum database_status
make_room(struct spool *spool, uint64_t delivered, struct retention_loss *loss)
{
	uint64_t dropped;
	const struct spool_value step = SPOOL_INTEGER(STEP_EVENTS);
	enum database_status status = drop(spool, drop_delivered_sql,
		SPOOL_VALUES(SPOOL_NUMBER(delivered), SPOOL_INTEGER(INT64_MAX), step), &dropped);
	if (status == DATABASE_OK && dropped == 0)
		status = drop(spool, drop_oldest_letters_sql, &step, 1, &dropped);
	if (status != DATABASE_OK || dropped > 0)
		return status;
	status = drop(spool, drop_unhealthy_sql, &step, 1, &dropped);
	if (status == DATABASE_OK && dropped == 0)
		status = drop(spool, drop_healthy_sql, &step, 1, &dropped);
	loss->undelivered += dropped;
	loss->overfull = status == DATABASE_OK && dropped == 0;
	if (status != DATABASE_OK || dropped == 0)
		return status;
	return spool_run(spool, count_dropped_sql, SPOOL_VALUES(SPOOL_NUMBER(dropped)));
}

static const char drop_conditions_sql[] =
	"DELETE FROM condition WHERE closed_ns < ?1 OR until_ns < ?1";
static const char drop_letters_sql[] = "DELETE FROM dead_letter WHERE time_ns < ?1";
static const char drop_sources_sql[] =
	"DELETE FROM source WHERE name NOT IN (SELECT name FROM source "
	"ORDER BY changed_ns DESC LIMIT ?1)";

static enum database_status
drop_old(struct spool *spool, const struct retention *retention, uint64_t delivered,
	uint64_t now_ns, struct retention_loss *loss)
{
	uint64_t before_ns = now_ns > retention->keep_ns ? now_ns - retention->keep_ns : 0;
	const struct spool_value before = SPOOL_NUMBER(before_ns);
	uint64_t dropped;
	enum database_status status = drop(spool, drop_delivered_sql,
		SPOOL_VALUES(SPOOL_NUMBER(delivered), before, SPOOL_INTEGER(ROUND_EVENTS)),
		&dropped);
	loss->more = dropped == ROUND_EVENTS;
	if (status == DATABASE_OK)
		status = spool_run(spool, drop_conditions_sql, &before, 1);
	if (status == DATABASE_OK)
		status = spool_run(spool, drop_letters_sql, &before, 1);
	if (status == DATABASE_OK)
		status = spool_run(
			spool, drop_sources_sql, SPOOL_VALUES(SPOOL_INTEGER(SOURCES_MAX)));
	return status;
}

static enum database_status
keep_below_limit(struct spool *spool, const struct retention *retention, uint64_t delivered,
	struct retention_loss *loss)
{
	uint64_t used;
	enum database_status status = spool_used_bytes(spool, &used);
	for (unsigned i = 0; i < ROUND_EVENTS / STEP_EVENTS; i++) {
		if (status != DATABASE_OK || used <= retention->max_bytes || loss->overfull)
			return status;
		status = make_room(spool, delivered, loss);
		if (status == DATABASE_OK)
			status = spool_used_bytes(spool, &used);
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

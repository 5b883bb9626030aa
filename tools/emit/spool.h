/* spool - the node's events on disk: stored once each, kept for sinks that are down and for people who ask, and dropped in good order.
 *
 * Each function that touches the disk may find it full, broken or away; it says so by its status, and nothing is half done then. */
#ifndef EMIT_SPOOL_H
#define EMIT_SPOOL_H

#include "batch.h"
#include "database.h"
#include "facts.h"
#include "sources.h"

/* Highest number of an event that leaves room for more. */
#define SPOOL_NUMBER_MAX ((uint64_t)1 << 62)

/* The spool's statements, each prepared when it is first used. */
enum spool_statement {
	SPOOL_INSERT_EVENT,
	SPOOL_READ,
	SPOOL_COUNT_FEW,
	SPOOL_COUNT_MANY,
	SPOOL_SET_SOURCE,
	SPOOL_GET_SINK,
	SPOOL_SET_SINK,
	SPOOL_COUNT_REFUSED,
	SPOOL_REFUSE,
	SPOOL_SET_META,
	SPOOL_GET_META,
	SPOOL_FIND_CONDITION,
	SPOOL_OPEN_CONDITION,
	SPOOL_REPEAT_CONDITION,
	SPOOL_CLOSE_CONDITION,
	SPOOL_CLOSE_CHECK,
	SPOOL_ALERTS,
	SPOOL_DROP_DELIVERED,
	SPOOL_DROP_UNHEALTHY,
	SPOOL_DROP_HEALTHY,
	SPOOL_DROP_CONDITIONS,
	SPOOL_DROP_LETTERS,
	SPOOL_DROP_OLDEST_LETTERS,
	SPOOL_DROP_SOURCES,
	SPOOL_COUNT_DROPPED,
	SPOOL_STATEMENT_N
};

/* Their texts. */
extern const char *const spool_sql[SPOOL_STATEMENT_N];

struct spool {
	struct database database;
	sqlite3_stmt *statements[SPOOL_STATEMENT_N];
	uint64_t last_number; /* of the last event that was stored */
	uint64_t added; /* events that the last transaction of spool_begin_events() has added */
};

/* Nothing is opened yet. `path` is kept, not copied; ":memory:" for a spool that ends with the process. */
void spool_init(struct spool *spool, const char *path);

bool spool_is_open(const struct spool *spool);

/* Opens it, and restores the sources into `sources`. */
enum database_status spool_open(struct spool *spool, struct sources *sources);

void spool_close(struct spool *spool);
void spool_fini(struct spool *spool);

/* One transaction, durable once it is committed: events are added in the order of their numbers, which must be higher than all before, the last of them being `last_number`. An
 * event whose (source, seq) is there already is left out. `sources` may be NULL: not everything that was taken is stored by then. */
enum database_status spool_begin_events(struct spool *spool);
enum database_status spool_add_event(struct spool *spool, uint64_t number, const char *line,
	size_t length, uint64_t received_ns);
enum database_status spool_commit_events(
	struct spool *spool, uint64_t last_number, const struct sources *sources);
void spool_give_up_events(struct spool *spool);

/* Writes, and changes nothing: whether one that has failed works again. */
enum database_status spool_try(struct spool *spool);

/* Appends events after number `after` and up to `upto` to the batch, oldest first, until it has `max_events` or `max_bytes`; one always fits. */
enum database_status spool_read(struct spool *spool, uint64_t after, uint64_t upto,
	size_t max_events, size_t max_bytes, struct batch *batch);

/* How far a sink has got; false when the spool does not know it. */
enum database_status spool_get_position(
	struct spool *spool, const char *sink, uint64_t *position, bool *known);

/* Says how far it has got; `delivered` and `refused` are added to its tallies. Not durable: after a crash of the machine events may be sent again. */
enum database_status spool_set_position(struct spool *spool, const char *sink, uint64_t position,
	uint64_t delivered, uint64_t now_ns);

/* An event that a sink will not take. */
struct spool_letter {
	const char *sink, *id, *reason;
	const char *line; /* with its newline */
	size_t length;
	uint64_t number;
	uint64_t now_ns; /* since 1970 */
};

/* Keeps a dead letter, and puts the sink's position behind it. Durable. */
enum database_status spool_refuse(struct spool *spool, const struct spool_letter *letter);

/* For modules of the spool: the statement, reset and ready to be bound, or NULL with `*status`. */
sqlite3_stmt *spool_statement(
	struct spool *spool, enum spool_statement which, enum database_status *status);

/* SQLite's integers end at 2^63-1, and so does what is bound. */
void spool_bind_text(sqlite3_stmt *statement, int at, const char *text);
void spool_bind_number(sqlite3_stmt *statement, int at, uint64_t value);

/* Runs a bound statement that gives no rows. */
enum database_status spool_step(struct spool *spool, sqlite3_stmt *statement);

/* Makes a statement ready for the next time; `code` is what its last step gave. */
enum database_status spool_finish(struct spool *spool, sqlite3_stmt *statement, int code);

#endif

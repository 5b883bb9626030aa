/* spool - the node's events on disk: each stored once, kept for sinks that are down and for
 * queries, and dropped by retention.h.
 *
 * A function that accesses the disk may find it full, broken or gone. It returns that as a status
 * and leaves nothing half done. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_SPOOL_H
#define EMIT_SPOOL_H

#include "../in/sources.h"
#include "database.h"

/* Highest number of an event from which numbering can still continue. */
#define SPOOL_NUMBER_MAX ((uint64_t)1 << 62)

/* A cached prepared statement. */
struct spool_statement {
	const char *sql;
	sqlite3_stmt *row;
};

struct spool {
	struct database database;
	struct spool_statement *statements;
	size_t statement_count, statement_capacity;
	uint64_t last_number; /* highest number used by an event */
	uint64_t opening;     /* increases with each opening */
	uint64_t began_after; /* sinks that are new to the spool begin after this event */
	uint64_t keepsakes;   /* serial of the latest keepsake: see keepsake.h */
	uint64_t restored;    /* serial of the keepsake that the file was restored from; 0: none */
	uint64_t added;       /* events added by the last transaction of spool_begin_events() */
	uint64_t answered;    /* of these, events that arrived after their answer: see clearing.h */
};

/* Set up a closed spool. `path` is kept, not copied; ":memory:" for a spool in memory. */
void spool_init(struct spool *spool, const char *path);

bool spool_is_open(const struct spool *spool);

/* Open the spool and restore its sources into `sources`. */
enum database_status spool_open(struct spool *spool, struct sources *sources);

/* Call it after each opening, before an event is added: sinks that are new to the spool begin after
 * its last event at the first opening, or after none if the spool was replaced by an empty one. */
void spool_note_beginning(struct spool *spool);

/* Find the highest number up to which each event was delivered according to `sources`; 0: none. */
enum database_status spool_find_delivered(
	struct spool *spool, struct sources *sources, uint64_t *upto);

/* Advance `*end`, a seq of the source, while the next seq is in the spool, at most to `upto`. */
enum database_status spool_find_end(
	struct spool *spool, const char *source, uint64_t upto, uint64_t *end);

void spool_close(struct spool *spool);
void spool_fini(struct spool *spool);

/* Write without changing anything, to test whether a spool that failed works again. */
enum database_status spool_try(struct spool *spool);

/* State of a sink in the spool. */
struct spool_sink {
	bool is_known;
	uint64_t position;
	uint64_t doubted, doubt_ns; /* number of the event in doubt, and for how long; 0: none */
};

/* Read the position of a sink. `*known` becomes false if the spool does not have it. */
enum database_status spool_get_position(
	struct spool *spool, const char *sink, uint64_t *position, bool *known);

/* Rename a sink if the spool has it. `to` must be unused. Overwrites the old name on the disk,
 * because it may be a secret. */
enum database_status spool_rename_sink(struct spool *spool, const char *from, const char *to);

/* Set a sink's position and add `delivered` to its counter. A sink that is new to the spool begins
 * after the event of spool_note_beginning(), and at the latest at this position. Not durable: after
 * a crash of the machine events may be sent again. `now_ns` since 1970. */
enum database_status spool_set_position(struct spool *spool, const char *sink, uint64_t position,
	uint64_t delivered, uint64_t now_ns);

/* Set after which event a sink of the spool began. */
enum database_status spool_set_beginning(
	struct spool *spool, const char *sink, uint64_t began_after);

/* Read or store for how long event `number` has been tried at a sink that does not tell whether it
 * will ever accept it; 0 and 0: none. Not durable. */
enum database_status spool_get_doubt(
	struct spool *spool, const char *sink, uint64_t *number, uint64_t *spent_ns);
enum database_status spool_set_doubt(
	struct spool *spool, const char *sink, uint64_t number, uint64_t spent_ns);

/* An event that a sink rejected. */
struct spool_letter {
	const char *sink, *id, *reason;
	const char *line; /* with its newline */
	size_t length;
	uint64_t number;
	uint64_t refused_at_ns; /* since 1970 */
};

/* Store a dead letter and advance the sink's position to its event. Durable. */
enum database_status spool_refuse(struct spool *spool, const struct spool_letter *letter);

/* What follows a number in an open spool. */
struct owed {
	uint64_t events;
	/* arrival of the first of these, ns since 1970; 0: none */
	uint64_t oldest_ns;
};

enum database_status spool_count_owed(struct spool *spool, uint64_t after, struct owed *out);

/* The statements of spool_count_owed() for few and for many events after number ?1. */
extern const char spool_count_few_sql[], spool_count_many_sql[];

/* Get the size of the file without its free pages, bytes. */
enum database_status spool_used_bytes(struct spool *spool, uint64_t *out);

/* Count the dead letters. */
enum database_status spool_count_letters(struct spool *spool, uint64_t *out);

/* --- for modules of the spool: statements --- */

/* Value of a parameter: a borrowed string, a number, or NULL. */
struct spool_value {
	const char *text; /* NULL: not a string */
	int length;       /* bytes of `text`; -1: NUL-terminated */
	bool is_number;   /* false without `text`: NULL */
	sqlite3_int64 number;
};

#define SPOOL_TEXT(value) \
	{ \
		.text = (value), .length = -1 \
	}
#define SPOOL_BYTES(value, bytes) \
	{ \
		.text = (value), .length = (int)(bytes) \
	}
#define SPOOL_INTEGER(value) \
	{ \
		.number = (value), .is_number = true \
	}

/* SQLite's integers end at 2^63-1: larger values are cut to that. */
#define SPOOL_NUMBER_IF(value, condition) \
	{ \
		.number = (value) < INT64_MAX ? (sqlite3_int64)(value) : INT64_MAX, \
		.is_number = (condition) \
	}
#define SPOOL_NUMBER(value) SPOOL_NUMBER_IF(value, true)

/* Arguments `values` and `count`, in the order of the parameters. */
#define SPOOL_VALUES(...) \
	(const struct spool_value[]){__VA_ARGS__}, \
		sizeof((const struct spool_value[]){__VA_ARGS__}) / sizeof(struct spool_value)

/* The rows of a statement, one after the other:
 *
 *	struct spool_rows rows = spool_query(...);
 *	while (spool_next(&rows))
 *		... rows.row ...
 *	return spool_end(&rows);
 *
 * You may leave the loop early, and set `code` to a code of SQLite to fail. */
struct spool_rows {
	struct spool *spool;
	sqlite3_stmt *row; /* NULL: preparing it failed */
	int code;          /* of the last step */
};

/* Statements are cached by the address of `sql`, so it must be constant. */
struct spool_rows spool_query(
	struct spool *spool, const char *sql, const struct spool_value *values, size_t count);
bool spool_next(struct spool_rows *rows);
enum database_status spool_end(struct spool_rows *rows);

/* Run a statement that returns no rows. */
enum database_status spool_run(
	struct spool *spool, const char *sql, const struct spool_value *values, size_t count);

/* Return a column of a row; "" or 0 for NULL. */
uint64_t spool_column_number(sqlite3_stmt *row, int at);
const char *spool_column_text(sqlite3_stmt *row, int at);

#endif

/* spool - the node's events on disk: stored once each, kept for sinks that are down and for people
 * who ask, and dropped in good order.
 *
 * Each function that touches the disk may find it full, broken or away; it says so by its status,
 * and nothing is half done then. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_SPOOL_H
#define EMIT_SPOOL_H

#include "../in/sources.h"
#include "database.h"

/* Highest number of an event that leaves room for more. */
#define SPOOL_NUMBER_MAX ((uint64_t)1 << 62)

/* A statement that has been used, which stays prepared. */
struct spool_statement {
	const char *sql;
	sqlite3_stmt *row;
};

struct spool {
	struct database database;
	struct spool_statement *statements;
	size_t statement_count, statement_capacity;
	uint64_t last_number; /* of the last event that was stored */
	uint64_t opening;     /* greater each time */
	uint64_t added;    /* events that the last transaction of spool_begin_events() has added */
	uint64_t answered; /* of these, those that were answered before they came: see clearing.h */
};

/* Nothing is opened yet. `path` is kept, not copied; ":memory:" for a spool that ends with the
 * process. */
void spool_init(struct spool *spool, const char *path);

bool spool_is_open(const struct spool *spool);

/* Opens it, and restores the sources into `sources`. */
enum database_status spool_open(struct spool *spool, struct sources *sources);

/* The last number up to which each event was delivered, as `sources` know it; 0: none. */
enum database_status spool_find_delivered(
	struct spool *spool, struct sources *sources, uint64_t *upto);

/* Moves `*end`, a number of a source, to the last after it, and up to `upto`, of which it has all
 * in between. */
enum database_status spool_find_end(
	struct spool *spool, const char *source, uint64_t upto, uint64_t *end);

void spool_close(struct spool *spool);
void spool_fini(struct spool *spool);

/* Writes, and changes nothing: whether one that has failed works again. */
enum database_status spool_try(struct spool *spool);

/* What the spool knows of a sink. */
struct spool_sink {
	bool is_known;
	uint64_t position;
	uint64_t doubted, doubt_ns; /* the event it has in doubt, and for how long; 0: none */
};

/* How far a sink has got; false when the spool does not know it. */
enum database_status spool_get_position(
	struct spool *spool, const char *sink, uint64_t *position, bool *known);

/* Gives a sink, if the spool knows it, another name, which no other has. The former one, which may
 * be a secret, is overwritten. */
enum database_status spool_rename_sink(struct spool *spool, const char *from, const char *to);

/* Says how far it has got; `delivered` and `refused` are added to its tallies. Not durable: after a
 * crash of the machine events may be sent again. */
enum database_status spool_set_position(struct spool *spool, const char *sink, uint64_t position,
	uint64_t delivered, uint64_t now_ns);

/* For how long event `number` has been tried at a sink that leaves it open whether it will ever
 * take it; 0 and 0 when there is none. Not durable. */
enum database_status spool_get_doubt(
	struct spool *spool, const char *sink, uint64_t *number, uint64_t *spent_ns);
enum database_status spool_set_doubt(
	struct spool *spool, const char *sink, uint64_t number, uint64_t spent_ns);

/* An event that a sink will not take. */
struct spool_letter {
	const char *sink, *id, *reason;
	const char *line; /* with its newline */
	size_t length;
	uint64_t number;
	uint64_t now_ns; /* since 1970 */
};

/* Keeps a dead letter, and puts the sink's position after it. Durable. */
enum database_status spool_refuse(struct spool *spool, const struct spool_letter *letter);

/* What an open spool has after a number. */
struct owed {
	uint64_t events;
	/* when the first of them came, nanoseconds since 1970; 0: there is none */
	uint64_t oldest_ns;
};

enum database_status spool_count_owed(struct spool *spool, uint64_t after, struct owed *out);

/* How it counts those after number ?1, when they are few and when they may be many. */
extern const char spool_count_few_sql[], spool_count_many_sql[];

/* Bytes of the file, without what is free in it. */
enum database_status spool_used_bytes(struct spool *spool, uint64_t *out);

/* Dead letters. */
enum database_status spool_count_letters(struct spool *spool, uint64_t *out);

/* --- for modules of the spool: its statements --- */

/* What a parameter becomes: a text, which is borrowed, or a number, or NULL. */
struct spool_value {
	const char *text; /* NULL: it is none */
	int length;       /* bytes of the text; -1: up to its NUL */
	bool is_number;   /* else it is NULL, without a text */
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

/* SQLite's integers end at 2^63-1, and so does what is bound. */
#define SPOOL_NUMBER_IF(value, condition) \
	{ \
		.number = (value) < INT64_MAX ? (sqlite3_int64)(value) : INT64_MAX, \
		.is_number = (condition) \
	}
#define SPOOL_NUMBER(value) SPOOL_NUMBER_IF(value, true)

/* The values of all parameters in their order, and how many they are. */
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
 * The loop may be left early; with `code` set to a code of SQLite's that is how it went. */
struct spool_rows {
	struct spool *spool;
	sqlite3_stmt *row; /* NULL: it cannot be asked for */
	int code;          /* of the last step */
};

/* `sql` is known by its address, and prepared once. */
struct spool_rows spool_query(
	struct spool *spool, const char *sql, const struct spool_value *values, size_t count);
bool spool_next(struct spool_rows *rows);
enum database_status spool_end(struct spool_rows *rows);

/* The same for a statement that gives no rows. */
enum database_status spool_run(
	struct spool *spool, const char *sql, const struct spool_value *values, size_t count);

/* A column of a row; "" for NULL. */
uint64_t spool_column_number(sqlite3_stmt *row, int at);
const char *spool_column_text(sqlite3_stmt *row, int at);

#endif

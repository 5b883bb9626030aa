/* rec - one JSON record: parse, look into, write. records#rules-for-all-records is the contract;
 * libjansson does the JSON.
 *
 * Getters lend (the value belongs to the record), names ending in `_new` give. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_REC_H
#define NHM_REC_H

#include "strbuf.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Longest event record with its newline: PIPE_BUF, so that several writers may share one pipe. */
#define REC_EVENT_MAX_BYTES 4096

/* Longest node name in a record, bytes: a DNS name. */
#define REC_NODE_MAX_BYTES 253

/* Why a text is not a record. `offset` is in bytes from the start of the line. */
struct rec_error {
	char reason[160];
	size_t offset;
	bool no_memory; /* memory ran out: nothing is wrong with the text */
};

/* Fills `*error`, with offset 0; always -1. */
int rec_refuse(struct rec_error *error, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The same when memory ran out. */
int rec_lack_memory(struct rec_error *error);

/* Parses one line that must be one JSON object with a string `kind`. NULL with `*error` filled.
 * Integers beyond 64 bits signed, as jq writes large values, are taken as reals rather than
 * refused. */
json_t *rec_parse_new(const char *line, size_t length, struct rec_error *error);

/* The record's kind. Never NULL for what rec_parse_new() made. */
const char *rec_kind(const json_t *record);

enum rec_status {
	REC_OK,
	REC_ABSENT,     /* no such key, or null */
	REC_WRONG_TYPE, /* the key holds something else */
};

/* `*out` is set on REC_OK only. Counters may be integers, decimal strings, or reals with an
 * integral value. */
enum rec_status rec_get_string(const json_t *record, const char *key, const char **out);
enum rec_status rec_get_bool(const json_t *record, const char *key, bool *out);
enum rec_status rec_get_int(const json_t *record, const char *key, int64_t *out);
enum rec_status rec_get_u64(const json_t *record, const char *key, uint64_t *out);

/* True when the text is among the strings of an array, nullable. */
bool rec_has_text(const json_t *array, const char *text);

/* The value as rec_get_u64() would read it from a record. */
enum rec_status rec_u64(const json_t *value, uint64_t *out);

/* A counter as records carry it: an integer, above 2^63-1 a decimal string. NULL when memory runs
 * out. */
json_t *rec_u64_new(uint64_t value);

enum rec_type { REC_STRING, REC_INTEGER, REC_BOOL, REC_ARRAY, REC_OBJECT };

/* One row of what a kind of record must or may hold, and where that goes. */
struct rec_field {
	const char *key;
	enum rec_type type;
	/* Of a `const char *`, int64_t, bool or `const json_t *`, as an offset in what rec_decode()
	 * fills. */
	size_t target;
	bool required;    /* otherwise it may be absent or null */
	bool lenient;     /* what is of another type counts as absent */
	int64_t absent;   /* an integer or bool that is absent; a string, array or object is NULL */
	size_t max_bytes; /* longest string, 0: as long as a line may be */
	bool filled;      /* a string that is not empty */
};

/* Most rows of a kind. */
#define REC_FIELDS_MAX 32

/* True when every row holds, and all of them are in `*out`, lent by the record; otherwise `*error`
 * says which key is missing or of the wrong type, and `*out` is as it was. */
bool rec_decode(const json_t *record, const struct rec_field *fields, size_t count, void *out,
	struct rec_error *error);

/* Where a record has the values of its rows, so that they need not be looked for again in a record
 * that has the same ones; all zeros: not known. It is good for rows of one table, and for as long
 * as nothing is taken out of the record or put into it. */
struct rec_memo {
	const struct rec_field *fields;
	const json_t *values[REC_FIELDS_MAX];
};

/* rec_decode() with a memo, which it fills or uses; NULL: without. */
bool rec_decode_known(const json_t *record, const struct rec_field *fields, size_t count, void *out,
	struct rec_memo *memo, struct rec_error *error);

/* The same for `boottime_ns`, CLOCK_BOOTTIME in nanoseconds, which every record of a moment has. It
 * cannot be negative, and arithmetic on it, signed or not, does not wrap. */
bool rec_decode_boottime(const json_t *record, uint64_t *out, struct rec_error *error);

/* The record as a line, compact, with a newline and a NUL after it; `*length` counts without the
 * NUL. From malloc; NULL when memory runs out. */
char *rec_dump_new(const json_t *record, size_t *length);

/* Adds the record to a text as a line. 0, or -1 with errno when memory runs out. */
int rec_add_line(struct strbuf *to, const json_t *record);

/* A writer of records to one descriptor, with the buffer it formats in. */
struct rec_writer {
	int fd;
	char *buffer;
	size_t capacity;
};

void rec_writer_init(struct rec_writer *writer, int fd);
void rec_writer_fini(struct rec_writer *writer);

/* Writes the record, compact, and a newline with line_write(). 0, or -1 with errno. */
int rec_write(struct rec_writer *writer, const json_t *record);

/* The same for a record that is a text already, of one line without its newline. */
int rec_write_text(struct rec_writer *writer, const char *text, size_t length);

#endif

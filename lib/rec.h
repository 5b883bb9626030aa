/* rec - parses, checks and writes one JSON record with libjansson; the format is
 * records#rules-for-all-records.
 *
 * Values from getters belong to the record. The caller owns results of functions named `_new`. */
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
	bool no_memory; /* out of memory: the text may be valid */
};

/* Fill `*error`, with offset 0. Return -1. */
int rec_refuse(struct rec_error *error, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Fill `*error` with "out of memory". Return -1. */
int rec_lack_memory(struct rec_error *error);

/* Parse one line, a JSON object with a string `kind`. Return NULL with `*error` on failure.
 * Integers beyond signed 64 bits, as jq writes large values, become reals. */
json_t *rec_parse_new(const char *line, size_t length, struct rec_error *error);

/* Return the record's kind, never NULL for a record from rec_parse_new(). */
const char *rec_kind(const json_t *record);

enum rec_status {
	REC_OK,
	REC_ABSENT,     /* no such key, or null */
	REC_WRONG_TYPE, /* the key holds something else */
};

/* Set `*out` on REC_OK only. Counters may be integers, decimal strings, or reals with an integral
 * value. */
enum rec_status rec_get_string(const json_t *record, const char *key, const char **out);
enum rec_status rec_get_bool(const json_t *record, const char *key, bool *out);
enum rec_status rec_get_int(const json_t *record, const char *key, int64_t *out);
enum rec_status rec_get_u64(const json_t *record, const char *key, uint64_t *out);

/* Return a string of the record, "" if there is none. */
const char *rec_text(const json_t *record, const char *key);

/* Return whether the text is among the strings of an array, nullable. */
bool rec_has_text(const json_t *array, const char *text);

/* Read a value as rec_get_u64() reads it from a record. */
enum rec_status rec_u64(const json_t *value, uint64_t *out);

/* Encode a counter: as an integer, above 2^63-1 as a decimal string. Return NULL when out of
 * memory. */
json_t *rec_u64_new(uint64_t value);

enum rec_type {
	REC_STRING,
	REC_INTEGER,
	REC_BOOL,
	REC_ARRAY,
	REC_OBJECT,
	/* CLOCK_BOOTTIME in nanoseconds, 0 to INT64_MAX, so that arithmetic on it, signed or not,
	 * does not wrap. May be a decimal string. */
	REC_BOOTTIME,
	REC_VALUE, /* of any type */
};

/* A member that a kind of record must or may have, and where rec_decode() stores it. */
struct rec_field {
	const char *key;
	enum rec_type type;
	/* Offset of a `const char *`, int64_t, bool, uint64_t for REC_BOOTTIME, or `const json_t *`
	 * in the struct that rec_decode() fills. */
	size_t target;
	bool required;    /* otherwise it may be absent or null */
	bool lenient;     /* a value of another type counts as absent */
	int64_t absent;   /* value of an absent integer or bool; other types become NULL or 0 */
	size_t max_bytes; /* longest string; 0: no limit */
	bool filled;      /* the string must not be empty */
};

/* Most fields of a kind. */
#define REC_FIELDS_MAX 32

/* Decode the fields into `*out`, which borrows from the record. Return true if all of them are
 * valid. Otherwise set `*error`, which names the key that is missing or invalid, and leave `*out`
 * unchanged. */
bool rec_decode(const json_t *record, const struct rec_field *fields, size_t count, void *out,
	struct rec_error *error);

/* Caches a record's field values, to skip looking them up again in the same record. All zeros:
 * empty. Valid for one array of fields, and while the record keeps its members and their types; its
 * integers and texts may change. */
struct rec_memo {
	const struct rec_field *fields;
	const json_t *values[REC_FIELDS_MAX];
};

/* The same with a cache, which it fills or uses; NULL: without. */
bool rec_decode_known(const json_t *record, const struct rec_field *fields, size_t count, void *out,
	struct rec_memo *memo, struct rec_error *error);

/* Return the record as a compact line from malloc, with a newline and a NUL; `*length` does not
 * count the NUL. Return NULL when out of memory. */
char *rec_dump_new(const json_t *record, size_t *length);

/* Append the record to a text as a line. Return 0, or -1 with errno when out of memory, which also
 * sets to->is_short. */
int rec_add_line(struct strbuf *to, const json_t *record);

/* Writes records to one descriptor. */
struct rec_writer {
	int fd;
	struct strbuf line; /* the latest one */
};

void rec_writer_init(struct rec_writer *writer, int fd);
void rec_writer_fini(struct rec_writer *writer);

/* Write the record, compact, and a newline with line_write(). Return 0, or -1 with errno. */
int rec_write(struct rec_writer *writer, const json_t *record);

/* The same for a record that is already text, one line without its newline. */
int rec_write_text(struct rec_writer *writer, const char *text, size_t length);

#endif

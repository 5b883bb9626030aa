/* quickjson - parses JSON with libsimdjson, many times as fast as libjansson, for tools that need
 * few of the values. A text that it rejects can still be a record: rec.h defines records and
 * reports errors. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_QUICKJSON_H
#define NHM_QUICKJSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A value in the text that was parsed last, valid until the next parse. Not thread-safe. */
struct quickjson {
	const void *document;
	size_t at;
};

/* Return false if the text is not one JSON value in UTF-8, has a number that does not fit 64 bits,
 * or a NUL in a string. When out of memory, report it and exit with EXIT_OS. */
bool quickjson_parse(const char *text, size_t length, struct quickjson *out);

/* Read a value; false if it is of another type. No NUL follows the text. */
bool quickjson_text(struct quickjson value, const char **text, size_t *length);
bool quickjson_bool(struct quickjson value, bool *out);
bool quickjson_u64(struct quickjson value, uint64_t *out);

/* Call `visit` for each member of an object, or item of an array, in order. For other types, do
 * nothing. */
void quickjson_members(struct quickjson object,
	void (*visit)(void *context, const char *name, size_t length, struct quickjson value),
	void *context);
void quickjson_items(struct quickjson array, void (*visit)(void *context, struct quickjson value),
	void *context);

#ifdef __cplusplus
}
#endif

#endif

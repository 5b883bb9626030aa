/* quickjson - JSON texts of which little is asked, read many times as fast as libjansson does:
 * libsimdjson does the JSON. What it refuses is not wrong for that: rec.h says what a record is,
 * and why a text is none. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_QUICKJSON_H
#define NHM_QUICKJSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A value in the text that was parsed last: only good until the next one. Not for threads. */
struct quickjson {
	const void *document;
	size_t at;
};

/* False when the text is not one JSON value in UTF-8, has a number that no 64 bits can hold, or a
 * NUL in a string. When memory runs out the program says so and ends with EXIT_OS. */
bool quickjson_parse(const char *text, size_t length, struct quickjson *out);

/* What a value is, if it is that; the text is not followed by a NUL. */
bool quickjson_text(struct quickjson value, const char **text, size_t *length);
bool quickjson_bool(struct quickjson value, bool *out);
bool quickjson_u64(struct quickjson value, uint64_t *out);

/* Calls `visit` for each member of an object, or each item of an array, in order; of others for
 * none. */
void quickjson_members(struct quickjson object,
	void (*visit)(void *context, const char *name, size_t length, struct quickjson value),
	void *context);
void quickjson_items(struct quickjson array, void (*visit)(void *context, struct quickjson value),
	void *context);

#ifdef __cplusplus
}
#endif

#endif

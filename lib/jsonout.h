/* jsonout - writes JSON to the end of a text that grows, in a tenth of the time in which jansson
 * builds and dumps a tree. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_JSONOUT_H
#define NHM_JSONOUT_H

#include "jsontext.h"
#include "strbuf.h"

#include <jansson.h>

/* One JSON text. Set `text`, and leave the rest zero. The functions insert the commas, but do not
 * check that every member has a key and every bracket its counterpart. They return nothing: when
 * memory runs out, text->is_short is set. */
struct jsonout {
	struct strbuf *text;
	bool comma; /* write one before the next key or value */
};

/* Begin an object or array with '{' or '[', and end it with '}' or ']'. */
void jsonout_open(struct jsonout *out, char bracket);
void jsonout_close(struct jsonout *out, char bracket);

/* Write a key unchanged: for a literal, which needs no escape. */
void jsonout_key(struct jsonout *out, const char *key);

/* Write a key, or a text, escaped. A byte that is not part of valid UTF-8 becomes U+FFFD. The key
 * consists of `parts`, ended by a NULL. */
void jsonout_key_of(struct jsonout *out, const char *const *parts);
void jsonout_string(struct jsonout *out, const char *string);

/* Write a number like rec_u64_new(): above 2^63-1 as a decimal string. */
void jsonout_u64(struct jsonout *out, uint64_t value);

void jsonout_integer(struct jsonout *out, int64_t value);
void jsonout_bool(struct jsonout *out, bool value);
void jsonout_null(struct jsonout *out);

/* Write a value as jansson does, but reals with 15 digits; or the members of an object without its
 * braces. */
void jsonout_value(struct jsonout *out, const json_t *value);
void jsonout_members(struct jsonout *out, const json_t *object);

/* Return where to write, at once, items or members of at most `size` bytes with the commas between
 * them; then pass it to jsonout_wrote(). A piece that does not fit sets text->is_short. */
struct jsontext jsonout_reserve(struct jsonout *out, size_t size);
void jsonout_wrote(struct jsonout *out, const struct jsontext *to);

#endif

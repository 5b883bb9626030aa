/* rx - compiles regular expressions (PCRE2) once, and matches them with limits against names and
 * lines from outside. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_RX_H
#define NHM_RX_H

#include <stdbool.h>
#include <stddef.h>

struct rx;

/* Why an expression was rejected. `offset` is in bytes from the start of the expression. */
struct rx_error {
	char reason[160];
	size_t offset;
};

/* Compile `length` bytes. Return NULL with `*error` on failure. Free with rx_free(). */
struct rx *rx_new(const char *expression, size_t length, struct rx_error *error);

/* NULL is allowed. */
void rx_free(struct rx *rx);

/* Return whether the expression matches anywhere in `text`. A match that reaches the limits counts
 * as none. */
bool rx_match(const struct rx *rx, const char *text);

/* The same as rx_new(), for texts that are bytes without a known encoding. */
struct rx *rx_bytes_new(const char *expression, size_t length, struct rx_error *error);

enum rx_verdict {
	RX_ABSENT,
	RX_FOUND,
	RX_GAVE_UP, /* limits reached: unknown */
};

/* Search `length` bytes for the expression. On RX_FOUND, set `*end` to the end of the match, unless
 * `end` is NULL. */
enum rx_verdict rx_find(const struct rx *rx, const char *text, size_t length, size_t *end);

/* Most expressions of a list. Each is compiled by itself and tried on every name. */
#define RX_LIST_MAX 1000

/* Several expressions; a name matches if any of them matches. */
struct rx_list {
	struct rx **items;
	size_t count;
};

/* Compile a comma-separated list, e.g. "^veth.*, ^lo$". Blanks around an expression are not part of
 * it; empty parts are skipped. Reject a comma inside a repetition, as in a{1,2}: both halves would
 * compile, but match nothing. Return 0, or -1 with `*error`, whose offset counts from the start of
 * the whole text. Free with rx_list_fini(), also after a failure. */
int rx_list_init(struct rx_list *list, const char *expressions, struct rx_error *error);

void rx_list_fini(struct rx_list *list);

/* Return whether one of the expressions matches the text. */
bool rx_list_match(const struct rx_list *list, const char *text);

#endif

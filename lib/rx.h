/* rx - regular expressions (PCRE2) over names and lines that come from outside: compiled once,
 * matched with limits. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_RX_H
#define NHM_RX_H

#include <stdbool.h>
#include <stddef.h>

struct rx;

/* Why an expression was refused. `offset` is in bytes from the start of the expression. */
struct rx_error {
	char reason[160];
	size_t offset;
};

/* Compiles `length` bytes. NULL with `*error` filled. Free with rx_free(). */
struct rx *rx_new(const char *expression, size_t length, struct rx_error *error);

/* NULL is allowed. */
void rx_free(struct rx *rx);

/* True when the expression is found anywhere in `text`. A match that runs into the limits is no
 * match. */
bool rx_match(const struct rx *rx, const char *text);

/* The same as rx_new() for texts that are bytes in no particular encoding. */
struct rx *rx_bytes_new(const char *expression, size_t length, struct rx_error *error);

enum rx_verdict {
	RX_ABSENT,
	RX_FOUND,
	RX_GAVE_UP, /* the limits were reached: not known */
};

/* Looks for the expression in `length` bytes. `*end`, where it ends, is set on RX_FOUND; NULL is
 * allowed. */
enum rx_verdict rx_find(const struct rx *rx, const char *text, size_t length, size_t *end);

/* Most expressions of a list. Each is code of its own, and tried on every name. */
#define RX_LIST_MAX 1000

/* Several expressions, separated by commas in one text; a name matches when any of them does. */
struct rx_list {
	struct rx **items;
	size_t count;
};

/* Compiles a list, e.g. "^veth.*, ^lo$": blanks around an expression are not part of it, and empty
 * parts are passed over. A comma inside a repetition, as in a{1,2}, is refused: both halves would
 * compile, and match nothing. 0, or -1 with `*error` (its offset counts from the start of the whole
 * text). Free with rx_list_fini(), also after a failure. */
int rx_list_init(struct rx_list *list, const char *expressions, struct rx_error *error);

void rx_list_fini(struct rx_list *list);

bool rx_list_match(const struct rx_list *list, const char *text);

#endif

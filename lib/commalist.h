/* commalist - parses comma-separated lists of files and command lines. Ignores blanks around items,
 * and empty items. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_COMMALIST_H
#define NHM_COMMALIST_H

#include <stdbool.h>
#include <stddef.h>

/* Parse the next item. Advance `*rest` past it, and set `*item` (not NUL-terminated) and `*length`.
 * Return false if no item is left. */
bool commalist_next(const char **rest, const char **item, size_t *length);

/* Return whether the `length` bytes of `text` are an item of the list. */
bool commalist_has(const char *list, const char *text, size_t length);

#endif

/* commalist - texts that are lists with commas between their items, as files and command lines have
 * them. Blanks around an item are not part of it, and an item of blanks only is none. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_COMMALIST_H
#define NHM_COMMALIST_H

#include <stdbool.h>
#include <stddef.h>

/* Steps to the next item: `*rest` is what is left of the list, `*item` (not terminated) and
 * `*length` the item. False when there is none left. */
bool commalist_next(const char **rest, const char **item, size_t *length);

#endif

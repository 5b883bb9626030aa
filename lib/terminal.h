/* terminal - what the place where text for people goes can show. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_TERMINAL_H
#define NHM_TERMINAL_H

#include <stdbool.h>

/* What $COLUMNS may say; anything else does not count. */
#define TERMINAL_COLUMNS_MIN 40
#define TERMINAL_COLUMNS_MAX 1000

/* Whether the descriptor is a terminal that does more than print one line after the other: $TERM is
 * there, and not `dumb`. */
bool terminal_is_capable(int fd);

/* Whether colours are wanted there: on a capable terminal, unless $NO_COLOR is set and not empty
 * (no-color.org). */
bool terminal_has_colours(int fd);

/* Width of a line: $COLUMNS, else the terminal's; 0 when there is neither. */
unsigned terminal_columns(int fd);

#endif

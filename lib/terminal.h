/* terminal - detects whether output goes to a terminal, and its colours and width. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_TERMINAL_H
#define NHM_TERMINAL_H

#include <stdbool.h>

/* Limits of $COLUMNS; other values are ignored. */
#define TERMINAL_COLUMNS_MIN 40
#define TERMINAL_COLUMNS_MAX 1000

/* Return whether the descriptor is a terminal that can move its cursor: $TERM is set and not
 * `dumb`. */
bool terminal_is_capable(int fd);

/* Return whether to use colours: on a capable terminal, unless $NO_COLOR is set and not empty
 * (no-color.org). */
bool terminal_has_colours(int fd);

/* Return the width of a line: $COLUMNS, else the terminal's; 0 if there is neither. */
unsigned terminal_columns(int fd);

#endif

/* place - parses DEVICE or DEVICE/PORT as people type it. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_PLACE_H
#define NHM_PLACE_H

#include <stdbool.h>
#include <stdint.h>

/* Cut `text` after the device and set `*port` to the port after the slash, from 1, or to 0 without
 * a slash. Return false if the text after the slash is not a port. */
bool place_split(char *text, uint64_t *port);

#endif

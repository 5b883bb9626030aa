/* place - DEVICE or DEVICE/PORT, as people type it. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_PLACE_H
#define NHM_PLACE_H

#include <stdbool.h>
#include <stdint.h>

/* Cuts `text` behind the device, and sets `*port` to the port behind the slash, from 1, or to 0
 * when there is no slash. False when what is behind the slash is no port. */
bool place_split(char *text, uint64_t *port);

#endif

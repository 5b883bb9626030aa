/* told - the port states that were written last, to recognise new ones. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBSCAN_TOLD_H
#define IBSCAN_TOLD_H

#include "ibscan.h"

struct told;

/* Return NULL when memory runs out. */
struct told *told_new(void);
void told_free(struct told *told);

/* Return true if the port's states differ from those that were written last. */
bool told_is_new(const struct told *told, const char *device, const struct port *port);

/* Store the states that are being written. `told` may be NULL if told_is_new() is never called. */
void told_note(struct told *told, const char *device, const struct port *port);

#endif

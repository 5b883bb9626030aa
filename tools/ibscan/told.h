/* told - the states of ports as records had them last: whether another look has shown anything
 * new. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBSCAN_TOLD_H
#define IBSCAN_TOLD_H

#include "ibscan.h"

struct told;

/* NULL when memory runs out. */
struct told *told_new(void);
void told_free(struct told *told);

/* True when the port's states are not those that were written last. */
bool told_is_new(const struct told *told, const char *device, const struct port *port);

/* They are written now. `told` may be NULL, when nobody will ask. */
void told_note(struct told *told, const char *device, const struct port *port);

#endif

/* functions - network functions on the PCI bus: what is left of a NIC that class/infiniband
 * lacks. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBSCAN_FUNCTIONS_H
#define IBSCAN_FUNCTIONS_H

#include <stddef.h>

/* What was found when the bus was last looked at. */
struct functions;

/* NULL when memory runs out. */
struct functions *functions_new(void);
void functions_free(struct functions *functions);

/* Lists the network functions below bus/pci/devices, virtual functions left out: they are as many
 * as somebody asks for, and most wait for a guest. */
void functions_list(struct functions *functions, int root);

/* Says that a device of this scan is on that function, a PCI address. `*at` is where it was the
 * last time, or anything else: where it is now. */
void functions_mark(struct functions *functions, const char *pci, size_t *at);

/* Looks again at the functions that are not marked, and takes all marks away. A NIC whose device is
 * gone is thus looked at in every scan, and those that work cost nothing. */
void functions_recheck(struct functions *functions, int root);

/* The fields `unbound` and `functions` of scan.end, each with a comma before it. "" when the bus
 * cannot be listed, or memory runs out. Good until the next call of any of these. */
const char *functions_fields(struct functions *functions);

#endif

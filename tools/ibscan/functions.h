/* functions - network functions on the PCI bus, also of NICs that class/infiniband lacks. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBSCAN_FUNCTIONS_H
#define IBSCAN_FUNCTIONS_H

#include <stddef.h>

/* Functions found when the bus was last listed. */
struct functions;

/* Return NULL when memory runs out. */
struct functions *functions_new(void);
void functions_free(struct functions *functions);

/* List the network functions below bus/pci/devices, without virtual functions: there can be any
 * number of them, and most wait for a guest. */
void functions_list(struct functions *functions, int root);

/* Mark the function at the PCI address `pci`: it has a device in this scan. `*at` is a hint for its
 * index, of any value, and is set to the index. */
void functions_mark(struct functions *functions, const char *pci, size_t *at);

/* Read the unmarked functions again and clear all marks. So each scan reads the NICs that have no
 * device, and working NICs cost nothing. */
void functions_recheck(struct functions *functions, int root);

/* Return the members `unbound` and `functions` of scan.end, each after a comma. "" if the bus
 * cannot be listed or memory runs out. Valid until the next call of a function of this file. */
const char *functions_fields(struct functions *functions);

#endif

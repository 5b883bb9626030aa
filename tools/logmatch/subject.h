/* subject - the device that a line is about, by its PCI address `dddd:bb:dd.f` or another name, in
 * a form that can be remembered. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGMATCH_SUBJECT_H
#define LOGMATCH_SUBJECT_H

#include <stdbool.h>
#include <stddef.h>

/* Room for an address and a NUL. A domain has four digits, or five where there are more than 65536
 * (VMD's begin at 10000). */
#define SUBJECT_PCI_SIZE 16

/* The first address in the text, in lower case; "" when there is none. */
void subject_find_pci(const char *text, size_t length, char out[SUBJECT_PCI_SIZE]);

/* True when the whole text is an address. */
bool subject_is_pci(const char *text);

/* The card: the address without the function. `pci` is an address. */
void subject_card(const char *pci, char out[SUBJECT_PCI_SIZE]);

/* Room for a device's name and a NUL. */
#define SUBJECT_SIZE 64

/* The device of a text: `pci`, its address; where that is "", the interface of `NETDEV WATCHDOG:
 * ens1f0 (mlx5_core): ` (kernels until 6.7) or the sub-function of `mlx5_core.sf mlx5_core.sf.4: `.
 * `out` is "" when it names none of them, or one with other bytes than letters, digits, dots,
 * colons, underscores and dashes: it goes into the state file. */
void subject_find(const char *pci, const char *text, size_t length, char out[SUBJECT_SIZE]);

/* True when the whole text is what subject_find() may give. */
bool subject_is(const char *text);

#endif

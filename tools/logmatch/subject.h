/* subject - finds the device that a line is about: its PCI address `dddd:bb:dd.f` or another name,
 * in a form that can be stored. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGMATCH_SUBJECT_H
#define LOGMATCH_SUBJECT_H

#include <stdbool.h>
#include <stddef.h>

/* Size of an address with NUL. A domain has four digits, or five above 65535 (VMD domains begin at
 * 10000 hex). */
#define SUBJECT_PCI_SIZE 16

/* Find the first address in the text, in lower case; "" if there is none. */
void subject_find_pci(const char *text, size_t length, char out[SUBJECT_PCI_SIZE]);

/* Return true if the whole text is an address. */
bool subject_is_pci(const char *text);

/* Return the card: the address without the function. `pci` must be an address. */
void subject_card(const char *pci, char out[SUBJECT_PCI_SIZE]);

/* Size of a device's name with NUL. */
#define SUBJECT_SIZE 64

/* Find the device of a text: its address `pci` or, if that is "", the interface of `NETDEV
 * WATCHDOG: ens1f0 (mlx5_core): ` (kernels until 6.7), the sub-function of `mlx5_core.sf
 * mlx5_core.sf.4: ` or the RDMA device of `infiniband NAME: `. `out` is "" if there is none, or if
 * the name has bytes other than letters, digits, dots, colons, underscores and dashes: it goes into
 * the state file. */
void subject_find(const char *pci, const char *text, size_t length, char out[SUBJECT_SIZE]);

/* Return true if the whole text is a possible result of subject_find(). */
bool subject_is(const char *text);

#endif

/* pcilook - what sysfs says at this moment about the PCI address in a line (spec#log-names): names
 * come and go with reloads of the driver. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGMATCH_PCILOOK_H
#define LOGMATCH_PCILOOK_H

#include "eval.h"

struct pcilook;

/* Looks below `root` (sysfs_open_root(), or -1: nothing is known of any address), which stays the
 * caller's. NULL when memory runs out. Free with pcilook_free(). */
struct pcilook *pcilook_new(int root);

/* NULL is allowed. */
void pcilook_free(struct pcilook *look);

/* Learns which ports are above which NICs, because sysfs no longer tells that when the NIC is gone.
 * Also forgets what pcilook_get() has kept. */
void pcilook_learn(struct pcilook *look);

/* What is looked up besides the names. */
enum pcilook_wanted {
	PCILOOK_NAMES = 0,
	PCILOOK_FUNCTION = 1 << 0, /* eval_facts.function */
	PCILOOK_PLACE = 1 << 1,    /* is_nic, is_above_nic, and of a port the names below */
};

/* What is known of the address ("": nothing), as far as it is wanted: bits of enum pcilook_wanted.
 * The same for the same address until the next pcilook_refresh(). */
const struct eval_facts *pcilook_get(struct pcilook *look, const char *pci, unsigned wanted);

/* The same of an EFA adapter that efa drives, by its address, or, if that is "", by the name of its
 * RDMA device, which is then believed. Valid until the next call. */
const struct eval_facts *pcilook_get_efa(struct pcilook *look, const char *pci, const char *device);

/* From now on it is another moment. */
void pcilook_refresh(struct pcilook *look);

#endif

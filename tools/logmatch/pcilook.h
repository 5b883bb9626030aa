/* pcilook - looks up in sysfs what is now at the PCI address of a line (spec#log-names): names
 * change when drivers reload. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGMATCH_PCILOOK_H
#define LOGMATCH_PCILOOK_H

#include "eval.h"

struct pcilook;

/* Create a cache of lookups below `root` (from sysfs_open_root(), or -1: no address is known),
 * which the caller keeps and closes. Return NULL when memory ran out. Free with pcilook_free(). */
struct pcilook *pcilook_new(int root);

/* NULL is allowed. */
void pcilook_free(struct pcilook *look);

/* Record which ports are above which NICs, because sysfs no longer shows that when a NIC is gone.
 * Also clears the facts kept by pcilook_get(). */
void pcilook_learn(struct pcilook *look);

/* Facts to look up besides the names. */
enum pcilook_wanted {
	PCILOOK_FUNCTION = 1 << 0, /* eval_facts.function */
	PCILOOK_PLACE = 1 << 1,    /* is_nic, is_above_nic, and for a port the names below it */
};

/* Return the facts about an address ("": none), as far as `wanted` asks for them: bits of enum
 * pcilook_wanted. Facts are kept until the next pcilook_refresh(). */
const struct eval_facts *pcilook_get(struct pcilook *look, const char *pci, unsigned wanted);

/* Like pcilook_get() for an adapter that the efa driver drives: by address or, if that is "", by
 * the name of its RDMA device, which is then trusted. Valid until the next call. */
const struct eval_facts *pcilook_get_efa(struct pcilook *look, const char *pci, const char *device);

/* Clear the facts kept by pcilook_get(). */
void pcilook_refresh(struct pcilook *look);

#endif

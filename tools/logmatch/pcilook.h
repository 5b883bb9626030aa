/* pcilook - what sysfs says, at this moment, about the PCI address in a line: names come and go with driver reloads. */
#ifndef LOGMATCH_PCILOOK_H
#define LOGMATCH_PCILOOK_H

#include "judge.h"

struct pcilook;

/* Looks below `root` (sysfs_open_root(), or -1: nothing is known of any address), which stays the caller's. NULL when memory runs out. Free with pcilook_free(). */
struct pcilook *pcilook_new(int root);

/* NULL is allowed. */
void pcilook_free(struct pcilook *look);

/* Learns which ports are above which NICs, for the time when the NIC is gone: then nothing else tells. Also forgets what pcilook_get() has kept. */
void pcilook_learn(struct pcilook *look);

/* What is looked up besides the names. */
enum pcilook_wanted {
	PCILOOK_NAMES = 0,
	PCILOOK_FUNCTION = 1 << 0, /* judge_facts.function */
	PCILOOK_PLACE = 1 << 1,    /* is_nic, is_above_nic, and of a port the names below */
};

/* What is known of the address ("": nothing), as far as it is wanted: bits of enum pcilook_wanted. The same for the same address until the next pcilook_refresh(). */
const struct judge_facts *pcilook_get(struct pcilook *look, const char *pci, unsigned wanted);

/* From now on it is another moment. */
void pcilook_refresh(struct pcilook *look);

#endif

/* noise - the same thing said again and again is counted, not repeated. Pure. */
#ifndef LOGMATCH_NOISE_H
#define LOGMATCH_NOISE_H

#include "logpattern.h"

#include <stdint.h>

/* Different things that are remembered at once; beyond that the one that was reported longest ago is forgotten. */
#define NOISE_ENTRIES_MAX 1024

/* A thing that was reported. */
struct noise_entry {
	uint64_t key;      /* never 0 */
	uint64_t device;   /* hash of the PCI address */
	uint64_t since_ns; /* when it was reported, in the time of the log; 0: its window is over */
	uint64_t repeats;  /* how often it was counted since */
};

struct noise {
	struct noise_entry entries[NOISE_ENTRIES_MAX];
	size_t count;
};

/* What makes things the same: the pattern, the device (its PCI address; where that is "", what noise_device() says), and the text without numbers, addresses and
 * stamps; `any_text`: whatever it is. */
uint64_t noise_key(
	enum logpattern pattern, const char *pci, const char *text, size_t length, bool any_text);

/* What a text without a PCI address is about, of which the numbers count: the interface of `NETDEV WATCHDOG: ens1f0 (mlx5_core): ` (kernels until 6.7), or the
 * sub-function of `mlx5_core.sf mlx5_core.sf.4: `. A part of the text; its length, 0 when it names neither. */
size_t noise_device(const char *text, size_t length, const char **out);

/* True when the thing is to be reported now, with the number of times it was counted since the last time; else it was counted. A window is open for `window_ns` (0: never) in either direction, since
 * lines of several CPUs are not in order. */
bool noise_take(struct noise *noise, uint64_t key, const char *pci, uint64_t time_ns,
	uint64_t window_ns, uint64_t *repeats);

/* What was said of the device has been answered: the next time is news. */
void noise_end_device(struct noise *noise, const char *pci);

#endif

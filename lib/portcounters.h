/* portcounters - sorts the counters of all ports of a scan into metric families. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_PORTCOUNTERS_H
#define NHM_PORTCOUNTERS_H

#include "map.h"
#include "metricname.h"
#include "scan.h"

struct counter_family {
	char name[METRICNAME_SIZE];
	enum counter_group group; /* of its first counter, like `file` */
	char *file;
	char *help;       /* for the caller, from malloc; NULL at first */
	bool words;       /* sysfs counts 4-byte words: multiply the values by 4 */
	bool plain;       /* its name is the first choice for the counter `file` */
	size_t last_port; /* latest port of this scan with a counter in it; SIZE_MAX: none */
	size_t end;       /* end of its samples, used only while sorting */
};

struct portcounters_sample {
	size_t family, port; /* indices into the families and into the scan's ports */
	uint64_t value;      /* as read from sysfs */
};

/* All zeros: no counters. */
struct port_counters {
	struct counter_family *families;
	size_t family_count, family_capacity;
	struct portcounters_sample
		*samples; /* by family in natural order of their names, then by port */
	size_t sample_count, sample_capacity;
	struct map by_name; /* families by name */
	/* the family after the last one used: most ports have the same counters in the same
	 * order */
	size_t next;
};

/* Sort the counters of a scan. Families of the scan before stay, which saves making their names, if
 * each of them had a counter there. Return 0, or -1 when out of memory. Free with
 * portcounters_fini(), also after a failure. */
int portcounters_sort(struct port_counters *counters, const struct scan *scan);

void portcounters_fini(struct port_counters *counters);

#endif

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
	const char *file;         /* owned by the scan */
	bool words;               /* sysfs counts 4-byte words: multiply the values by 4 */
	bool plain;               /* its name is the first choice for the counter `file` */
	size_t last_port;         /* latest port with a counter in it */
	size_t end;               /* end of its samples, used only while sorting */
};

struct portcounters_sample {
	size_t family, port; /* indices into the families and into the scan's ports */
	uint64_t value;      /* as read from sysfs */
};

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

/* Return 0, or -1 when out of memory. Valid as long as the scan; free with portcounters_fini(),
 * also after a failure. */
int portcounters_init(struct port_counters *counters, const struct scan *scan);

void portcounters_fini(struct port_counters *counters);

#endif

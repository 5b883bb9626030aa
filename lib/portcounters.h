/* portcounters - the counters of all ports of a scan, sorted into the metric families they are
 * shown in. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_PORTCOUNTERS_H
#define NHM_PORTCOUNTERS_H

#include "map.h"
#include "metricname.h"
#include "scan.h"

struct counter_family {
	char name[METRICNAME_SIZE];
	enum counter_group group; /* of the first counter in it, as `file` */
	const char *file;         /* the scan's */
	bool words;       /* sysfs counts 4-byte words: values are four times what was read */
	bool plain;       /* its name is the one that the counter `file` is given first */
	size_t last_port; /* the latest port with a counter in it */
	size_t end;       /* after its samples; only while they are being sorted */
};

struct portcounters_sample {
	size_t family, port; /* indices into the families and into the scan's ports */
	uint64_t value;      /* as read */
};

struct port_counters {
	struct counter_family *families;
	size_t family_count, family_capacity;
	struct portcounters_sample
		*samples; /* by family in natural order of their names, then by port */
	size_t sample_count, sample_capacity;
	struct map by_name; /* of the families */
	/* the family after the one found last: ports have the same counters, in the same order */
	size_t next;
};

/* 0, or -1 when memory runs out. Lives as long as the scan; free with portcounters_fini(), also
 * after a failure. */
int portcounters_init(struct port_counters *counters, const struct scan *scan);

void portcounters_fini(struct port_counters *counters);

#endif

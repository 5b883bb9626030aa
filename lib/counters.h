/* counters - the watched counters: names, sysfs files, thresholds (spec#counter-table).
 *
 * The built-in list is the default; the configuration is merged over it by name. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_COUNTERS_H
#define NHM_COUNTERS_H

#include "vendor.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Directory of a counter's file, which also decides the map of a port record that has its value. */
enum counter_group {
	COUNTER_PORT,       /* ports/<n>/counters/<file>, map "counters" */
	COUNTER_HW,         /* ports/<n>/hw_counters/<file>, map "hw_counters" */
	COUNTER_DEVICE_HW,  /* <device>/hw_counters/<file>, map "device_hw_counters" */
	COUNTER_STATISTICS, /* class/net/<if>/statistics/<file>, map "net" */
	COUNTER_INTERFACE,  /* class/net/<if>/<file>, map "net" */
	COUNTER_GROUP_N,
};

enum counter_type {
	COUNTER_DELTA,    /* growth between two scans */
	COUNTER_VELOCITY, /* growth per unit, measured over a window of one unit */
	COUNTER_TYPE_N,
};

enum counter_unit { COUNTER_PER_SECOND, COUNTER_PER_MINUTE, COUNTER_PER_HOUR, COUNTER_UNIT_N };

/* Names in the configuration. */
extern const char *const counter_types[COUNTER_TYPE_N], *const counter_units[COUNTER_UNIT_N];

/* One watched counter. The strings belong to its list. */
struct counter_def {
	char *name;
	enum vendor owner; /* the only vendor whose NICs have it, by its name; VENDOR_OTHER: none */
	char *file;
	char *description;
	enum counter_group group;
	enum counter_type type;
	enum counter_unit unit; /* velocity: unit of threshold and window */
	double threshold;       /* a greater value is a breach; velocity: per unit */
	bool fatal;
	bool enabled;
	/* velocity: report a breach as soon as the count within the window exceeds the threshold */
	bool early_breach;
};

struct counter_list {
	struct counter_def *items;
	size_t count;
};

/* Fill `list` with the built-in counters. Return 0, or -1 when memory runs out. Free with
 * counter_list_fini(). */
int counter_list_init(struct counter_list *list);

void counter_list_fini(struct counter_list *list);

/* Return the counter of this name, or NULL. */
struct counter_def *counter_list_find(const struct counter_list *list, const char *name);

/* Add an enabled counter without a description; its name must not be in the list yet. Return the
 * new row, or NULL when memory runs out. */
struct counter_def *counter_list_add(struct counter_list *list, const char *name);

/* Split a configured path: `counters/<file>`, `hw_counters/<file>`, `device_hw_counters/<file>`,
 * `statistics/<file>`, `/sys/class/net/{interface}/<file>` or
 * `/sys/class/net/{interface}/statistics/<file>`. `*file` points into `path`. Return false for any
 * other form, and for hw_counters/lifespan, which is a setting and not a counter. */
bool counter_parse_path(const char *path, enum counter_group *group, const char **file);

/* Return true for the file `lifespan` of hw_counters: it sets how long these counters are
 * cached. */
bool counter_is_setting(enum counter_group group, const char *file);

/* Return the prefix of the configured paths of this group. */
const char *counter_group_path(enum counter_group group);

/* Return the name of this group's map in a port record: "counters", "hw_counters",
 * "device_hw_counters" or "net". */
const char *counter_group_key(enum counter_group group);

/* Return true if NICs of this vendor have the counter. Counters with the name prefix `efa_`,
 * `ionic_`, `bnxt_` or `irdma_` belong only to Amazon, AMD, Broadcom or Intel NICs, and those NICs
 * have no other counters of counters/ and hw_counters/. Counters of a whole device belong to
 * Amazon. An existing file proves nothing: files of the same name may count different things. */
bool counter_is_of(const struct counter_def *def, enum vendor vendor);

/* Return false if a port of this link layer (NULL: unknown) changes the counter without a fault:
 * the carrier of an IPoIB interface also follows the subnet manager and the interface's own
 * settings. */
bool counter_is_for(const struct counter_def *def, const char *link_layer);

/* Return false for counters that do not count errors: port_xmit_wait, the ticks without credit to
 * send, of which a busy fabric has millions, and keep-alives. */
bool counter_counts_errors(const struct counter_def *def);

/* Return the value at which an error counter of counters/ stops, 0 for all others. The widths are
 * those of the PortCounters attribute (InfiniBand Architecture Specification, volume 1, section
 * 16.1.3.5; kernel#counter-widths). port_xmit_wait has 64 bits in the extended attribute. */
uint64_t counter_maximum(const struct counter_def *def);

/* Return a unit's length in nanoseconds, and its name in messages: sec, min, hour. */
unsigned long long counter_unit_ns(enum counter_unit unit);
const char *counter_unit_name(enum counter_unit unit);

#endif

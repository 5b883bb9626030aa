/* counters - which counters are watched, where sysfs has them, and what counts as too much
 * (spec#counter-table).
 *
 * The built-in list is the default; the configuration is merged over it by name. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_COUNTERS_H
#define NHM_COUNTERS_H

#include "vendor.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where a counter's file lives, and so in which map of a port record its value is. */
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
	COUNTER_VELOCITY, /* growth per unit, measured over a whole window of one unit */
	COUNTER_TYPE_N,
};

enum counter_unit { COUNTER_PER_SECOND, COUNTER_PER_MINUTE, COUNTER_PER_HOUR, COUNTER_UNIT_N };

/* As the configuration has them. */
extern const char *const counter_types[COUNTER_TYPE_N], *const counter_units[COUNTER_UNIT_N];

/* One watched counter. The strings belong to the list it is in. */
struct counter_def {
	char *name;
	char *file;
	char *description;
	enum counter_group group;
	enum counter_type type;
	enum counter_unit unit; /* velocity: of threshold and window */
	double threshold;       /* a breach is more than this; velocity: per unit */
	bool fatal;
	bool enabled;
	/* velocity: breach as soon as the count inside the window exceeds the threshold */
	bool early_breach;
};

struct counter_list {
	struct counter_def *items;
	size_t count;
};

/* Fills `list` with the built-in counters. 0, or -1 when memory runs out. Free with
 * counter_list_fini(). */
int counter_list_init(struct counter_list *list);

void counter_list_fini(struct counter_list *list);

/* The counter of this name, or NULL. */
struct counter_def *counter_list_find(const struct counter_list *list, const char *name);

/* Adds an enabled counter without description and with a name that is not in the list yet. The new
 * row, or NULL when memory runs out. */
struct counter_def *counter_list_add(struct counter_list *list, const char *name);

/* Splits a configured path: `counters/<file>`, `hw_counters/<file>`,
 * `device_hw_counters/<file>`, `statistics/<file>`, `/sys/class/net/{interface}/<file>` and
 * `/sys/class/net/{interface}/statistics/<file>`. `*file` points into `path`. False when it has
 * none of these forms, or names hw_counters/lifespan, which is a setting and counts nothing. */
bool counter_parse_path(const char *path, enum counter_group *group, const char **file);

/* True for what is a setting among the counters: `lifespan`, how long those of hw_counters are
 * cached. */
bool counter_is_setting(enum counter_group group, const char *file);

/* What the configured path of a counter in this group begins with. */
const char *counter_group_path(enum counter_group group);

/* The map of a port record that holds this group: "counters", "hw_counters", "device_hw_counters"
 * or "net". */
const char *counter_group_key(enum counter_group group);

/* True when NICs of this vendor have the counter. Amazon's, AMD's, Broadcom's and Intel's, and no
 * others, have those whose names begin with `efa_`, `ionic_`, `bnxt_` or `irdma_`, and none of
 * counters/ and hw_counters/ besides; those of a whole device are Amazon's. Whatever files there
 * are: files of one name may count different things. */
bool counter_is_of(const struct counter_def *def, enum vendor vendor);

/* False for what a port of this link layer (nullable: not known) counts without anything being
 * wrong: the carrier of an IPoIB interface also follows the subnet manager and the interface's own
 * setting. */
bool counter_is_for(const struct counter_def *def, const char *link_layer);

/* False for ticks in which there was something to send and no credit for it, of which a busy fabric
 * has millions, and for signs of life. */
bool counter_counts_errors(const struct counter_def *def);

/* The largest value this counter can show, where it is narrower than 64 bits and stops there;
 * otherwise 0. These are the widths of the PortCounters attribute (InfiniBand Architecture
 * Specification, volume 1, section 16.1.3.5). */
uint64_t counter_maximum(const struct counter_def *def);

/* Length of a unit in nanoseconds, and its name in messages: sec, min, hour. */
unsigned long long counter_unit_ns(enum counter_unit unit);
const char *counter_unit_name(enum counter_unit unit);

#endif

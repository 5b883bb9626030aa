/* standout - notes about error counters far above those of a port's peers. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "standout.h"

#include "counters.h"
#include "layer.h"
#include "peers.h"
#include "portfacts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A port stands out only if at least this many ports have the counter. */
#define PORTS_MIN 4

/* A value stands out if it is at least this many times the median, and at least this number. */
#define TIMES 10

/* A port among its peers. */
struct member {
	const struct scanrec_port *port;
	struct peers_kind kind;
};

struct crowd {
	struct member *members; /* sorted: peers are adjacent */
	size_t count;
	uint64_t *values; /* room for one value per member */
};

static int
by_kind(const void *a, const void *b)
{
	const struct member *left = a, *right = b;
	return peers_compare_kinds(&left->kind, &right->kind);
}

static int
by_value(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
	return (left > right) - (left < right);
}

/* Collect the watched ports that have peers. Return false when memory ran out. */
static bool
gather(struct crowd *crowd, const struct scan *scan)
{
	/* One more element, because calloc() may return NULL for none. */
	crowd->members = calloc(scan->port_count + 1, sizeof *crowd->members);
	crowd->values = calloc(scan->port_count + 1, sizeof *crowd->values);
	if (crowd->members == NULL || crowd->values == NULL)
		return false;
	for (size_t i = 0; i < scan->port_count; i++) {
		const struct scan_port *port = &scan->ports[i];
		if (port->device != SIZE_MAX && port->record.monitored &&
			portfacts_no_peers(port->record.role) == NULL)
			crowd->members[crowd->count++] =
				(struct member){&port->record, peers_kind_of(scan, port)};
	}
	qsort(crowd->members, crowd->count, sizeof *crowd->members, by_kind);
	return true;
}

/* Compare a counter of `count` members, which are peers. */
static void
compare(struct summary *summary, const struct member *members, size_t count, uint64_t *values,
	const struct counter_def *def)
{
	size_t known = 0;
	for (size_t i = 0; i < count; i++) {
		if (rec_u64(portfacts_counter(members[i].port, def), &values[known]) == REC_OK)
			known++;
	}
	if (known < PORTS_MIN)
		return;
	qsort(values, known, sizeof *values, by_value);
	const uint64_t median = values[known / 2];
	for (size_t i = 0; i < count; i++) {
		const struct scanrec_port *port = members[i].port;
		uint64_t value;
		if (rec_u64(portfacts_counter(port, def), &value) == REC_OK && value >= TIMES &&
			value / TIMES >= median)
			summary_add(summary, FINDING_NOTE, port->device, port->port,
				"%s %s port %" PRId64 ": %s is %" PRIu64
				", and the median of its peers %" PRIu64,
				layer_port(layer_find(port->link_layer)), port->device, port->port,
				def->file, value, median);
	}
}

/* Return true if an earlier counter in the list is the same file for this vendor. */
static bool
is_repeated(const struct counter_list *list, size_t at, enum vendor vendor)
{
	const struct counter_def *def = &list->items[at];
	for (size_t i = 0; i < at; i++) {
		if (list->items[i].group == def->group &&
			strcmp(list->items[i].file, def->file) == 0 &&
			counter_is_of(&list->items[i], vendor))
			return true;
	}
	return false;
}

static void
compare_all(struct summary *summary, const struct crowd *crowd, const struct counter_list *list)
{
	for (size_t first = 0, end; first < crowd->count; first = end) {
		const struct member *members = &crowd->members[first];
		for (end = first + 1;
			end < crowd->count && by_kind(members, &crowd->members[end]) == 0;)
			end++;
		for (size_t i = 0; i < list->count; i++) {
			if (counter_counts_errors(&list->items[i]) &&
				!is_repeated(list, i, members->port->vendor))
				compare(summary, members, end - first, crowd->values,
					&list->items[i]);
		}
	}
}

void
standout_eval(struct summary *summary, const struct scan *scan)
{
	struct crowd crowd = {0};
	struct counter_list list = {0};
	if (counter_list_init(&list) < 0 || !gather(&crowd, scan))
		summary->failed = true;
	else
		compare_all(summary, &crowd, &list);
	counter_list_fini(&list);
	free(crowd.members);
	free(crowd.values);
}

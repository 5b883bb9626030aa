/* clear - counters that an operator has cleared. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "clear.h"

#include <string.h>

static bool
is_done(const struct state *state, const char *id)
{
	for (size_t i = 0; i < state->cleared.count; i++) {
		if (strcmp(state->cleared.ids[i], id) == 0)
			return true;
	}
	return false;
}

static bool
is_about(const struct silence *clear, const char *device, long long port)
{
	return strcmp(clear->device, device) == 0 &&
	       (clear->port == 0 || (long long)clear->port == port);
}

/* Return the scan's time in nanoseconds since 1970; 0: not known. */
static uint64_t
scan_time_ns(const struct evaluation *evaluation)
{
	uint64_t now_ns = 0;
	clock_parse(evaluation->scan->begin.ts, &now_ns);
	return now_ns;
}

/* Return true if the breach began after the request: it is a new fault. A breach that seems to be
 * later than the scan began before the clock was set back. */
static bool
is_later(const struct evaluation *evaluation, const struct silence *clear,
	const struct breach *breach)
{
	const char *asked = NULL;
	uint64_t asked_ns, began_ns;
	return rec_get_string(clear->record, "ts", &asked) == REC_OK &&
	       clock_parse(asked, &asked_ns) && clock_parse(breach->since, &began_ns) &&
	       began_ns > asked_ns && began_ns <= scan_time_ns(evaluation);
}

/* Return true if the request is about what this counter of its port has reported. */
static bool
is_owed(const struct evaluation *evaluation, const struct silence *clear,
	const struct counter_def *def, const struct counter_memory *memory)
{
	return memory->breached && (clear->code == NULL || strcmp(clear->code, def->name) == 0) &&
	       !is_later(evaluation, clear, &memory->breach);
}

const struct silence *
clear_find(const struct evaluation *evaluation, const struct counter_reading *reading)
{
	const struct scanrec_port *port = &reading->port->record;
	const struct silences *all = evaluation->setting->silences;
	for (size_t i = 0; all != NULL && i < all->count; i++) {
		const struct silence *clear = &all->items[i];
		if (clear->clears && is_owed(evaluation, clear, reading->def, reading->memory) &&
			is_about(clear, port->device, port->port) &&
			!is_done(evaluation->state, clear->id) &&
			scan_time_ns(evaluation) < clear->until_ns)
			return clear;
	}
	return NULL;
}

/* Return true if this scan evaluated a port that the request is about. */
static bool
was_judged(const struct evaluation *evaluation, const struct silence *clear)
{
	const struct scan *scan = evaluation->scan;
	for (size_t i = 0; i < scan->port_count; i++) {
		const struct scanrec_port *port = &scan->ports[i].record;
		if (is_about(clear, port->device, port->port) &&
			watched_port(scan, &scan->ports[i]))
			return true;
	}
	return false;
}

/* Return true if the request still has something to clear: a counter that this scan could not read,
 * or whose port it does not have. */
static bool
is_pending(const struct evaluation *evaluation, const struct silence *clear)
{
	const struct counter_def *defs = evaluation->setting->counters->items;
	table_foreach (&evaluation->state->ports, const struct port_entry, port) {
		if (!is_about(clear, port->device, port->number))
			continue;
		for (size_t i = 0; i < port->counter_count; i++) {
			if (is_owed(evaluation, clear, &defs[i], &port->counters[i]))
				return true;
		}
	}
	return false;
}

void
clear_settle(struct evaluation *evaluation)
{
	const struct silences *all = evaluation->setting->silences;
	struct state *state = evaluation->state;
	struct cleared cleared = {.count = 0};
	if (all == NULL || evaluation->waiting)
		return;
	for (size_t i = 0; i < all->count; i++) {
		const struct silence *clear = &all->items[i];
		if (clear->clears &&
			(is_done(state, clear->id) ||
				(was_judged(evaluation, clear) && !is_pending(evaluation, clear))))
			strcpy(cleared.ids[cleared.count++], clear->id);
	}
	if (memcmp(&cleared, &state->cleared, sizeof cleared) == 0)
		return;
	state->cleared = cleared;
	state->changed = true;
}

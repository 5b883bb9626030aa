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
is_about(const struct silence *clear, const struct scanrec_port *port)
{
	return strcmp(clear->device, port->device) == 0 &&
	       (clear->port == 0 || (int64_t)clear->port == port->port);
}

const struct silence *
clear_find(const struct evaluation *evaluation, const struct scanrec_port *port,
	const struct counter_def *def)
{
	const struct silences *all = evaluation->setting->silences;
	for (size_t i = 0; all != NULL && i < all->count; i++) {
		const struct silence *clear = &all->items[i];
		if (clear->clears && is_about(clear, port) &&
			(clear->code == NULL || strcmp(clear->code, def->name) == 0) &&
			!is_done(evaluation->state, clear->id))
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
		if (is_about(clear, &scan->ports[i].record) && watched_port(scan, &scan->ports[i]))
			return true;
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
		if (clear->clears && (is_done(state, clear->id) || was_judged(evaluation, clear)))
			strcpy(cleared.ids[cleared.count++], clear->id);
	}
	if (memcmp(&cleared, &state->cleared, sizeof cleared) == 0)
		return;
	state->cleared = cleared;
	state->changed = true;
}

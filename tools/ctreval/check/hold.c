/* hold - stateCheck.portStateHoldDown: delays the report of a port that was healthy
 * (spec#hold-down). */
/* SPDX-License-Identifier: Apache-2.0 */
#include "hold.h"

/* --- state machine --- */

static uint64_t
elapsed_ns(const struct hold_memory *memory, uint64_t now_ns)
{
	return memory->held && now_ns > memory->since_ns ? now_ns - memory->since_ns : 0;
}

enum hold_verdict
hold_step(struct hold_memory *memory, enum port_sight sight, uint64_t now_ns, uint64_t hold_ns)
{
	if (sight == SIGHT_HEALTHY)
		return memory->held ? HOLD_ENDS : HOLD_NONE;
	/* The port is going up or down: not reported, and not the end of an outage. */
	if (sight == SIGHT_TRANSIENT)
		return memory->held ? HOLD_KEEPS : HOLD_NONE;
	if (!memory->held && hold_ns == 0)
		return HOLD_NONE;
	/* Boot time can go backwards in a hand-made capture. */
	if (!memory->held || memory->since_ns > now_ns)
		*memory = (struct hold_memory){.held = true, .since_ns = now_ns};
	return elapsed_ns(memory, now_ns) < hold_ns ? HOLD_KEEPS : HOLD_DUE;
}

/* --- a port in a scan --- */

/* Start no hold while the port's baseline is due: the baseline does not clear an unhealthy port,
 * whose old report would then stay open until its next event. */
static bool
applies(const struct evaluation *evaluation, const struct port_entry *entry, enum port_sight sight)
{
	if (entry->health != PORT_HEALTHY ||
		!evaluation->setting->enabled[check_state(entry->layer)])
		return false;
	if (entry->hold.held)
		return true;
	if (sight == SIGHT_HEALTHY || evaluation->waiting)
		return false;
	/* After the loss of the state file no baseline clears it either. */
	if (evaluation->first && evaluation->state->unknown_past)
		return false;
	const struct device_entry *device = state_find_device(evaluation->state, entry->device);
	return device == NULL || !device->baseline_owed;
}

enum hold_verdict
hold_eval(struct evaluation *evaluation, const struct scan_port *port, struct port_entry *entry,
	enum port_sight sight)
{
	const struct hold_memory before = entry->hold;

	if (!applies(evaluation, entry, sight))
		return HOLD_NONE;
	enum hold_verdict verdict = hold_step(
		&entry->hold, sight, port->record.boottime_ns, evaluation->setting->hold_down_ns);
	if (entry->hold.held != before.held || entry->hold.since_ns != before.since_ns)
		evaluation->state->changed = true;
	return verdict;
}

bool
hold_covers(const struct evaluation *evaluation, const struct scan_port *port,
	const struct port_entry *entry)
{
	const struct scanrec_port *record = &port->record;
	const uint64_t hold_ns = evaluation->setting->hold_down_ns;
	struct hold_memory memory = entry->hold;

	if (record->state == NULL || record->phys_state == NULL)
		return false;
	enum port_sight sight = sight_eval(entry->layer, record->state, record->phys_state);
	return applies(evaluation, entry, sight) &&
	       hold_step(&memory, sight, record->boottime_ns, hold_ns) == HOLD_KEEPS &&
	       elapsed_ns(&memory, record->boottime_ns) < hold_ns;
}

uint64_t
hold_duration_ns(const struct scan_port *port, const struct port_entry *entry)
{
	return elapsed_ns(&entry->hold, port->record.boottime_ns);
}

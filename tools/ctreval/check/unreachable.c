/* unreachable - peers that cannot be reached through one device. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "unreachable.h"

#include <inttypes.h>
#include <string.h>

void
unreachable_note(struct unreachable_memory *memory, int64_t peers, uint64_t at_ns)
{
	memory->failed_ns = at_ns;
	if (peers < UNREACHABLE_PEERS_MIN)
		return;
	if (memory->since_ns == 0)
		memory->since_ns = at_ns;
	if (peers > memory->peers)
		memory->peers = peers;
}

int64_t
unreachable_step(struct unreachable_memory *memory, uint64_t others_ns, uint64_t now_ns)
{
	uint64_t since_ns = memory->since_ns;
	if (since_ns == 0 || now_ns < since_ns + UNREACHABLE_WAIT_NS)
		return 0;
	/* If others fail to reach peers too, the peers or the network are the cause. */
	bool is_alone = others_ns == 0 || others_ns + UNREACHABLE_WAIT_NS <= since_ns;
	int64_t peers = is_alone ? memory->peers : 0;
	memory->since_ns = 0;
	memory->peers = 0;
	return peers;
}

void
unreachable_accept(struct state *state, const struct cmrec *event)
{
	if (strcmp(event->cause, "network") != 0)
		return;
	struct device_entry *entry =
		event->device != NULL ? state_find_device(state, event->device) : NULL;
	if (entry != NULL)
		unreachable_note(&entry->unreachable, event->peers, event->boottime_ns);
	else
		state->others_failed_ns = event->boottime_ns;
}

/* --- a scan --- */

static uint64_t
others_failed_ns(const struct state *state, const struct device_entry *entry)
{
	uint64_t latest_ns = state->others_failed_ns;
	table_foreach (&state->devices, struct device_entry, other) {
		if (other != entry && other->unreachable.failed_ns > latest_ns)
			latest_ns = other->unreachable.failed_ns;
	}
	return latest_ns;
}

static void
report(struct evaluation *evaluation, const struct device_entry *entry, int64_t peers)
{
	struct claim claim =
		evaluation_about(evaluation, check_degradation(entry->layer), entry->node.key, 0);
	claim.error_code = CODE_PEERS_UNREACHABLE;
	evaluation_report(evaluation, &claim,
		"NIC %s: %" PRId64 " peers could not be reached through it within a minute, and "
		"nothing failed through other NICs",
		entry->node.key, peers);
	evaluation_end_at_once(evaluation, &claim, NULL);
}

/* Forget results that have been due for as long again: their devices are gone or unreadable. */
static void
forget_stale(struct state *state, uint64_t now_ns)
{
	table_foreach (&state->devices, struct device_entry, entry) {
		struct unreachable_memory *memory = &entry->unreachable;
		if (now_ns >= memory->since_ns + 2 * UNREACHABLE_WAIT_NS)
			*memory = (struct unreachable_memory){.failed_ns = memory->failed_ns};
	}
}

void
unreachable_eval(struct evaluation *evaluation)
{
	const struct scan *scan = evaluation->scan;
	for (size_t i = 0; i < scan->device_count && !evaluation->failed; i++) {
		struct device_entry *entry = evaluation_fine_device(evaluation, &scan->devices[i]);
		/* Skip the search through the other devices in the usual case that nothing
		 * failed. */
		if (entry == NULL || entry->unreachable.since_ns == 0)
			continue;
		int64_t peers = unreachable_step(&entry->unreachable,
			others_failed_ns(evaluation->state, entry), scan->begin.boottime_ns);
		if (peers > 0)
			report(evaluation, entry, peers);
	}
	forget_stale(evaluation->state, scan->begin.boottime_ns);
}

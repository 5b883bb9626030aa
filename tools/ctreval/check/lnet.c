/* lnet - faults that Lustre's network (LNet) reports about a port's interface. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "lnet.h"

#include "portfacts.h"

#include <inttypes.h>
#include <string.h>

/* --- records of one read --- */

/* Failures on this node; doc/lnet.md says why these. */
static const char *const local_failures[] = {"timeouts", "error", "no_route", "aborted", NULL};
/* Failures that LNet counts against peers; they make messages fail here, too. */
static const char *const peer_timeouts[] = {"remote_timeout_count", "network_timeout_count", NULL};
static const char *const sends[] = {"send_count", NULL};

static struct lnet_ni *
find_or_add(struct lnet_memory *memory, const struct lnetrec *record)
{
	for (size_t i = 0; i < memory->count; i++) {
		struct lnet_ni *ni = &memory->nis[i];
		if (strcmp(ni->net, record->net) == 0 && strcmp(ni->netdev, record->netdev) == 0)
			return ni;
	}
	if (memory->count == LNET_NIS_MAX)
		return NULL;
	struct lnet_ni *ni = &memory->nis[memory->count++];
	*ni = (struct lnet_ni){.seen = false};
	state_copy(ni->net, sizeof ni->net, record->net);
	state_copy(ni->netdev, sizeof ni->netdev, record->netdev);
	return ni;
}

static void
accept_ni(struct lnet_memory *memory, const struct lnetrec *record)
{
	struct lnet_ni *ni = record->netdev != NULL ? find_or_add(memory, record) : NULL;
	if (ni == NULL)
		return;
	ni->seen = true;
	ni->fatal_error = record->fatal_error;
	ni->now.known = lnetrec_sum(record->counters, local_failures, &ni->now.failures) &&
			lnetrec_sum(record->counters, sends, &ni->now.sends);
}

/* --- evaluation of a read --- */

/* Compute the growth of both counts. Return false if it is not known, as after a reset. */
static bool
growth(const struct lnet_counts *base, const struct lnet_counts *now, struct lnet_counts *out)
{
	if (!base->known || !now->known || now->failures < base->failures ||
		now->sends < base->sends)
		return false;
	out->failures = now->failures - base->failures;
	out->sends = now->sends - base->sends;
	return true;
}

/* Return true if messages failed through this NI and through no other NI of its net. */
static bool
fails_alone(const struct lnet_memory *memory, const struct lnet_ni *ni, struct lnet_counts *grown)
{
	if (!growth(&ni->base, &ni->now, grown))
		return false;
	for (size_t i = 0; i < memory->count; i++) {
		const struct lnet_ni *other = &memory->nis[i];
		struct lnet_counts theirs;
		if (other != ni && strcmp(other->net, ni->net) == 0 &&
			(!growth(&other->base, &other->now, &theirs) || theirs.failures > 0))
			return false;
	}
	return true;
}

static void
eval_failures(struct lnet_memory *memory, uint64_t now_ns)
{
	struct lnet_counts theirs, grown;
	bool is_over = now_ns >= memory->base_ns + LNET_WINDOW_NS, is_said = false;
	/* Messages that peers do not answer also count as failures here. */
	bool is_here = growth(&memory->base, &memory->now, &theirs) && theirs.failures == 0;

	for (size_t i = 0; i < memory->count && is_here; i++) {
		struct lnet_ni *ni = &memory->nis[i];
		bool is_enough = fails_alone(memory, ni, &grown) &&
				 (grown.failures >= LNET_FAILURES ||
					 (is_over && grown.failures >= LNET_FAILURES_MIN &&
						 grown.failures > grown.sends / 100));
		if (!is_enough)
			continue;
		ni->due_failures = grown.failures;
		is_said = true;
	}
	if (!is_over && !is_said && memory->base.known && now_ns >= memory->base_ns)
		return;
	memory->base = memory->now;
	memory->base_ns = now_ns;
	for (size_t i = 0; i < memory->count; i++)
		memory->nis[i].base = memory->nis[i].now;
}

static void
eval_fatal(struct lnet_ni *ni, uint64_t now_ns)
{
	ni->fatal_reads = ni->fatal_error ? ni->fatal_reads + 1 : 0;
	bool is_paused = ni->fatal_said_ns != 0 && now_ns >= ni->fatal_said_ns &&
			 now_ns - ni->fatal_said_ns < LNET_PAUSE_NS;
	ni->is_fatal_due = ni->fatal_reads >= LNET_FATAL_READS && !is_paused;
}

static void
eval_read(struct lnet_memory *memory, uint64_t now_ns)
{
	size_t kept = 0;
	for (size_t i = 0; i < memory->count; i++) {
		if (memory->nis[i].seen)
			memory->nis[kept++] = memory->nis[i];
	}
	memory->count = kept;
	eval_failures(memory, now_ns);
	for (size_t i = 0; i < memory->count; i++)
		eval_fatal(&memory->nis[i], now_ns);
}

/* Ignore an incomplete read. */
static void
end_read(struct lnet_memory *memory, const struct lnetrec *record)
{
	if (record->complete)
		eval_read(memory, record->boottime_ns);
	for (size_t i = 0; i < memory->count; i++)
		memory->nis[i].seen = false;
	memory->now.known = false;
}

void
lnet_accept(struct lnet_memory *memory, enum lnetrec_kind kind, const struct lnetrec *record)
{
	switch (kind) {
	case LNETREC_NI:
		accept_ni(memory, record);
		break;
	case LNETREC_STATS:
		memory->now.known =
			lnetrec_sum(record->counters, peer_timeouts, &memory->now.failures);
		break;
	case LNETREC_END:
		end_read(memory, record);
		break;
	case LNETREC_PEERS:
	case LNETREC_OTHER:
		break;
	}
}

/* --- a scan --- */

/* Return the port with the NI's interface if it is watched and up, or NULL. A port that is not up
 * has events of its own. */
static const struct scan_port *
find_port(const struct scan *scan, const struct lnet_ni *ni)
{
	for (size_t i = 0; i < scan->port_count; i++) {
		const struct scan_port *port = &scan->ports[i];
		const char *netdev = port->record.netdev;
		if (netdev != NULL && strcmp(netdev, ni->netdev) == 0 && watched_port(scan, port) &&
			portfacts_is_up(&port->record))
			return port;
	}
	return NULL;
}

static void
report(struct evaluation *evaluation, const struct scan_port *port, enum layer layer,
	const struct lnet_ni *ni)
{
	const char *noun = layer_port(layer), *device = port->record.device;
	const int64_t number = port->record.port;
	struct claim claim =
		evaluation_about_port(evaluation->scan, port, check_degradation(layer));

	if (ni->is_fatal_due) {
		claim.error_code = CODE_LNET_FATAL;
		evaluation_report(evaluation, &claim,
			"%s %s port %" PRId64
			": Lustre's network %s considers %s failed, though the port is ACTIVE",
			noun, device, number, ni->net, ni->netdev);
		evaluation_end_at_once(evaluation, &claim, noun);
	}
	if (ni->due_failures > 0) {
		claim.error_code = CODE_LNET_FAILURES;
		claim.healthy = false;
		evaluation_report(evaluation, &claim,
			"%s %s port %" PRId64 ": %" PRIu64
			" messages of Lustre's network %s failed on this node, and no peer "
			"timed out",
			noun, device, number, ni->due_failures, ni->net);
		evaluation_end_at_once(evaluation, &claim, noun);
	}
}

void
lnet_eval(struct evaluation *evaluation)
{
	struct lnet_memory *memory = &evaluation->state->lnet;
	for (size_t i = 0; i < memory->count; i++) {
		struct lnet_ni *ni = &memory->nis[i];
		const struct scan_port *port = ni->is_fatal_due || ni->due_failures > 0
						       ? find_port(evaluation->scan, ni)
						       : NULL;
		const struct port_entry *entry =
			port != NULL ? evaluation_entry(evaluation, port) : NULL;
		if (entry != NULL &&
			evaluation->setting->enabled[check_degradation(entry->layer)]) {
			report(evaluation, port, entry->layer, ni);
			if (ni->is_fatal_due)
				ni->fatal_said_ns = evaluation->scan->begin.boottime_ns;
		}
		ni->is_fatal_due = false;
		ni->due_failures = 0;
	}
}

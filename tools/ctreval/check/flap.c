/* flap - links that go down again and again, and when that is an event (spec#link-flap). */
/* SPDX-License-Identifier: Apache-2.0 */
#include "flap.h"

#include "portfacts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* --- state machine --- */

static uint64_t
less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* Growth since a reading that is older than the window shows that the link went down, but not when.
 * Like a port that is found DOWN after as long it counts as one link-down of this scan: to count
 * all would claim that they were within an hour, and to count none that the link stayed up for
 * one. */
static uint64_t
of_one_window(const struct flap_memory *memory, const struct flap_sight *sight, uint64_t counted)
{
	const uint64_t since_ns = less(sight->at_ns, memory->link_downed_ns);
	return counted > 1 && since_ns > FLAP_WINDOW_NS ? 1 : counted;
}

/* Return the number of link-downs since the last scan, each counted once although the state and the
 * counter both show it. A counter that begins or was reset shows no earlier link-downs. */
static uint64_t
new_downs(struct flap_memory *memory, const struct flap_sight *sight)
{
	uint64_t seen = memory->was_active && sight->down, counted = 0;

	if (sight->has_link_downed) {
		if (memory->has_link_downed && sight->link_downed >= memory->link_downed)
			counted = sight->link_downed - memory->link_downed;
		else
			memory->ahead_seen = memory->ahead_counted = 0;
	}
	uint64_t seen_anew = less(seen, memory->ahead_counted);
	uint64_t counted_anew = of_one_window(memory, sight, less(counted, memory->ahead_seen));
	memory->ahead_seen = less(memory->ahead_seen, counted) + less(seen_anew, counted_anew);
	memory->ahead_counted = less(memory->ahead_counted, seen) + less(counted_anew, seen_anew);
	return seen_anew > counted_anew ? seen_anew : counted_anew;
}

static void
add_down(struct flap_memory *memory, uint64_t at_ns)
{
	if (memory->downs == FLAP_DOWNS)
		memmove(memory->downs_ns, memory->downs_ns + 1,
			(FLAP_DOWNS - 1) * sizeof *memory->downs_ns);
	else
		memory->downs++;
	memory->downs_ns[memory->downs - 1] = at_ns;
}

/* After a window without a link-down, restart the count. */
static void
forget_old(struct flap_memory *memory, uint64_t now_ns)
{
	if (memory->downs == 0 ||
		less(now_ns, memory->downs_ns[memory->downs - 1]) < FLAP_WINDOW_NS)
		return;
	memory->ahead_seen = memory->ahead_counted = 0;
	memory->downs = 0;
	memory->count = memory->said_count = 0;
}

static enum flap_verdict
remember_report(struct flap_memory *memory, enum flap_verdict verdict, uint64_t now_ns)
{
	memory->flapping = true;
	memory->said_count = memory->count;
	memory->said_ns = now_ns;
	return verdict;
}

/* A link goes down from ACTIVE, also by way of states between the two. */
static void
follow_state(struct flap_memory *memory, const struct flap_sight *sight)
{
	memory->was_active = sight->active || (memory->was_active && !sight->down);
}

enum flap_verdict
flap_step(struct flap_memory *memory, const struct flap_sight *sight)
{
	forget_old(memory, sight->at_ns);
	uint64_t downs = new_downs(memory, sight);

	follow_state(memory, sight);
	if (sight->has_link_downed) {
		memory->has_link_downed = true;
		memory->link_downed = sight->link_downed;
		memory->link_downed_ns = sight->at_ns;
	}
	for (uint64_t i = 0; i < downs && i < FLAP_DOWNS; i++)
		add_down(memory, sight->at_ns);
	memory->count += downs;

	if (memory->flapping && memory->downs == 0) {
		memory->flapping = false;
		return FLAP_ENDS;
	}
	if (!memory->flapping && downs > 0 && memory->downs == FLAP_DOWNS &&
		less(sight->at_ns, memory->downs_ns[0]) <= FLAP_WINDOW_NS)
		return remember_report(memory, FLAP_BEGINS, sight->at_ns);
	/* After a time in which nobody looked, the count has begun anew. */
	if (memory->flapping && memory->downs == FLAP_DOWNS && memory->count > memory->said_count &&
		less(sight->at_ns, memory->said_ns) >= FLAP_WINDOW_NS)
		return remember_report(memory, FLAP_GOES_ON, sight->at_ns);
	return FLAP_QUIET;
}

/* --- a port in a scan --- */

/* Return true if link_downed counts link-downs: other vendors' NICs may have a file of that name
 * that counts something else, or wraps. */
static bool
is_counter_on(const struct eval_setting *setting, const struct scanrec_port *record)
{
	const struct counter_def *def = counter_list_find(setting->counters, "link_downed");
	return setting->counter_detection && def != NULL && def->enabled &&
	       portfacts_has_counter(record, def);
}

static struct flap_sight
look_at(const struct scan_port *port, bool counted)
{
	const struct scanrec_port *record = &port->record;
	struct flap_sight sight = {
		.at_ns = record->boottime_ns,
		.active = record->state != NULL && strcmp(record->state, "ACTIVE") == 0,
		.down = record->state != NULL && strcmp(record->state, "DOWN") == 0,
	};
	sight.has_link_downed = counted && rec_u64(json_object_get(record->counters, "link_downed"),
						   &sight.link_downed) == REC_OK;
	return sight;
}

static struct claim
about(const struct evaluation *evaluation, const struct port_entry *entry)
{
	struct claim claim = evaluation_about(
		evaluation, check_degradation(entry->layer), entry->device, entry->number);
	claim.error_code = CODE_LINK_FLAP;
	return claim;
}

static const json_t *
report_flapping(struct evaluation *evaluation, const struct port_entry *entry)
{
	char count[24];
	struct claim claim = about(evaluation, entry);

	snprintf(count, sizeof count, "%" PRIu64, entry->flap.count);
	claim.link_downs = count;
	return evaluation_report(evaluation, &claim,
		"Port %s port %lld: flapping - the link went down %s times, and never stayed up "
		"for an hour",
		entry->device, entry->number, count);
}

static const json_t *
report_steady(struct evaluation *evaluation, const struct port_entry *entry)
{
	struct claim claim = about(evaluation, entry);

	claim.healthy = true;
	return evaluation_report(evaluation, &claim,
		"Port %s port %lld: the link has not gone down for an hour", entry->device,
		entry->number);
}

static void
explain(struct evaluation *evaluation, const struct scan_port *port, const struct flap_memory *flap,
	const json_t *said)
{
	if (!evaluation->setting->explain)
		return;
	json_t *fields = json_pack("{s:s, s:I, s:i, s:b, s:I}", "device", port->record.device,
		"port", (json_int_t)port->record.port, "recent_link_downs", (int)flap->downs,
		"flapping", flap->flapping, "link_downs", (json_int_t)flap->count);
	evaluation_explain(evaluation, "flapping", fields, said,
		said != NULL && flap->flapping
			? "the link went down three times within an hour, or keeps going down"
		: said != NULL   ? "the link has not gone down for an hour"
		: flap->flapping ? "it flaps, already reported less than an hour ago"
				 : "the link has gone down, but not three times within an hour");
}

static bool
is_same(const struct flap_memory *a, const struct flap_memory *b)
{
	return a->was_active == b->was_active && a->has_link_downed == b->has_link_downed &&
	       a->link_downed == b->link_downed && a->ahead_seen == b->ahead_seen &&
	       a->ahead_counted == b->ahead_counted && a->downs == b->downs &&
	       a->count == b->count && memcmp(a->downs_ns, b->downs_ns, sizeof a->downs_ns) == 0;
}

void
flap_eval(struct evaluation *evaluation, const struct scan_port *port, struct port_entry *entry)
{
	const struct flap_memory before = entry->flap;
	const bool is_enabled = evaluation->setting->enabled[check_degradation(entry->layer)];
	const bool is_counted = is_enabled && is_counter_on(evaluation->setting, &port->record);
	const struct flap_sight sight = look_at(port, is_counted);
	const json_t *said = NULL;

	/* Do not report link-downs that happened while the check or the counter was disabled. */
	if (!is_counted)
		entry->flap.has_link_downed = false;
	if (!is_enabled)
		follow_state(&entry->flap, &sight);
	/* A report stays open while its check is disabled. */
	switch (is_enabled ? flap_step(&entry->flap, &sight) : FLAP_QUIET) {
	case FLAP_QUIET:
		break;
	case FLAP_BEGINS:
	case FLAP_GOES_ON:
		said = report_flapping(evaluation, entry);
		break;
	case FLAP_ENDS:
		said = report_steady(evaluation, entry);
		break;
	}
	evaluation->state->changed |= !is_same(&before, &entry->flap);
	evaluation->state->touched |= sight.has_link_downed;
	if (said != NULL || (is_enabled && entry->flap.downs > 0))
		explain(evaluation, port, &entry->flap, said);
}

void
flap_report_again(struct evaluation *evaluation, const struct port_entry *entry)
{
	if (entry->flap.flapping && evaluation->setting->enabled[check_degradation(entry->layer)])
		report_flapping(evaluation, entry);
}

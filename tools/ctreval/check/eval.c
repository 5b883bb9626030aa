/* eval - evaluates one scan: calls all checks in order. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "eval.h"

#include "../state/forget.h"
#include "baseline.h"
#include "card.h"
#include "changed.h"
#include "chardev.h"
#include "clear.h"
#include "counter.h"
#include "device.h"
#include "deviceevent.h"
#include "flap.h"
#include "gids.h"
#include "hostnic.h"
#include "leave.h"
#include "lnet.h"
#include "missing.h"
#include "names.h"
#include "observe.h"
#include "plane.h"
#include "pollstall.h"
#include "port.h"
#include "portfacts.h"
#include "portflap.h"
#include "rate.h"
#include "unreachable.h"

#include <inttypes.h>
#include <string.h>

/* --- a new boot --- */

/* A missing boot id does not count as a new boot. */
static void
eval_boot(struct evaluation *evaluation)
{
	struct state *state = evaluation->state;
	const char *boot_id = evaluation->scan->begin.boot_id;

	if (boot_id == NULL || strcmp(boot_id, state->boot_id) == 0)
		return;
	if (*state->boot_id != '\0') {
		evaluation_note(evaluation,
			"the node has rebooted: discarding the state from before the reboot");
		forget_boot(state);
		state_owe_baselines(state, evaluation->setting->baselines);
	}
	state_copy(state->boot_id, sizeof state->boot_id, boot_id);
	state->changed = true;
}

/* Return true if the scan is of the boot in the state. */
static bool
is_same_boot(const struct evaluation *evaluation)
{
	const char *boot_id = evaluation->scan->begin.boot_id;
	return boot_id != NULL && *boot_id != '\0' &&
	       strcmp(boot_id, evaluation->state->boot_id) == 0;
}

/* A state file of another boot may have come with an image: its node may still exist, and its
 * reports are not this node's (spec#node-renamed). */
static void
eval_node(struct evaluation *evaluation, bool same_boot)
{
	struct state *state = evaluation->state;

	if (*state->former_node == '\0')
		return;
	if (same_boot)
		names_move_node(evaluation, state->former_node);
	*state->former_node = '\0';
}

/* Convert wall-clock times from the original's state file to boot times: the same age, but no older
 * than the boot. */
static void
place_snapshots(struct state *state, const struct scanrec_begin *begin)
{
	uint64_t now_wall_ns;
	bool known = clock_parse(begin->ts, &now_wall_ns);

	table_foreach (&state->ports, struct port_entry, port) {
		for (size_t i = 0; i < port->counter_count; i++) {
			struct counter_memory *memory = &port->counters[i];
			uint64_t wall_ns = memory->snapshot.boottime_ns;
			if (!memory->wall)
				continue;
			uint64_t ago_ns =
				known && now_wall_ns > wall_ns ? now_wall_ns - wall_ns : 0;
			memory->snapshot.boottime_ns =
				begin->boottime_ns -
				(ago_ns < begin->boottime_ns ? ago_ns : begin->boottime_ns);
			memory->wall = false;
		}
	}
	state->has_wall_snapshots = false;
}

/* Return true if the node has not been up for bootGrace. Note once that the verdicts wait. */
static bool
is_booting(struct evaluation *evaluation)
{
	struct state *state = evaluation->state;
	const uint64_t up_ns = evaluation->scan->begin.boottime_ns;
	const uint64_t grace_ns = evaluation->setting->boot_grace_ns;

	if (up_ns >= grace_ns)
		return false;
	if (!state->boot_grace_noted)
		evaluation_note(evaluation,
			"the node booted %" PRIu64 " s ago: the first verdicts wait until it has "
			"been up for %" PRIu64 " s (bootGrace)",
			up_ns / NUM_NS_PER_S, grace_ns / NUM_NS_PER_S);
	state->boot_grace_noted = true;
	return true;
}

/* The first verdicts and a baseline are due in the first complete scan after bootGrace, or after
 * EVAL_WAIT_SCANS scans without one. Scans that could not list the devices do not count. */
static void
eval_first(struct evaluation *evaluation)
{
	struct state *state = evaluation->state;
	const struct scan *scan = evaluation->scan;

	if (state->settled)
		return;
	evaluation->booting = is_booting(evaluation);
	if (evaluation->booting) {
		evaluation->waiting = true;
		return;
	}
	if (scan->listed || !scan->whole)
		state->waited++;
	evaluation->first =
		(scan->whole && scan->complete && scan->listed) || state->waited >= EVAL_WAIT_SCANS;
	evaluation->waiting = !evaluation->first;
	state->changed = true;
}

/* --- the scan --- */

static void
eval_port_state(struct evaluation *evaluation, const struct scan_port *port)
{
	const struct scanrec_device *device = &evaluation->scan->devices[port->device].record;
	struct port_entry *entry = evaluation_entry(evaluation, port);
	if (entry == NULL || !evaluation_wants(evaluation, entry->layer))
		return;
	baseline_late_port(evaluation, port);
	if (!portfacts_is_up(&port->record))
		portflap_forget(&entry->link);
	port_eval(evaluation, port, entry,
		portfacts_is_pinned(device) || card_is_evidence(evaluation, entry));
}

static void
eval_port_counters(struct evaluation *evaluation, const struct scan_port *port)
{
	struct port_entry *entry = evaluation_entry(evaluation, port);
	if (entry == NULL)
		return;
	counter_eval(evaluation, port, entry);
	/* While links come up after a boot, they may also go down without a fault. */
	if (entry->link.told_ns < evaluation->setting->boot_grace_ns)
		portflap_forget(&entry->link);
	if (!evaluation->waiting) {
		flap_eval(evaluation, port, entry);
		portflap_eval(evaluation, port, entry);
		gids_eval(evaluation, port, entry);
	}
}

/* Call `eval` for each watched port. */
static void
each_port(
	struct evaluation *evaluation, void (*eval)(struct evaluation *, const struct scan_port *))
{
	const struct scan *scan = evaluation->scan;
	for (size_t i = 0; i < scan->port_count && !evaluation->failed; i++) {
		const struct scan_port *port = &scan->ports[i];
		if (watched_port(scan, port) &&
			!names_is_unsettled(evaluation, &scan->devices[port->device].record))
			eval(evaluation, port);
	}
}

static void
eval_port(struct evaluation *evaluation, const struct scan_port *port)
{
	eval_port_state(evaluation, port);
	eval_port_counters(evaluation, port);
}

/* Handle one check after the other, each beginning with the event that clears it. Cards come before
 * their ports, because a card's verdict is evidence about its ports. */
static void
eval_first_verdicts(struct evaluation *evaluation, const struct cardlist *cards)
{
	bool owed = false;

	for (enum check check = 0; check < CHECK_N; check++) {
		owed |= baseline_check(evaluation, cards, check);
		evaluation->only = check;
		missing_eval(evaluation);
		device_eval(evaluation);
		card_eval(evaluation, cards);
		each_port(evaluation, eval_port_state);
		plane_eval(evaluation);
		rate_eval(evaluation);
		chardev_eval(evaluation);
	}
	evaluation->only = CHECK_N;
	each_port(evaluation, eval_port_counters);

	if (owed)
		baseline_owe(evaluation);
	evaluation->state->settled = true;
}

/* Cards come after their ports: fatal events of the ports can make a card's event redundant. */
static void
eval_verdicts(struct evaluation *evaluation, const struct cardlist *cards)
{
	/* For checks that were disabled when their baseline was due. */
	for (enum check check = 0; check < CHECK_N && baseline_is_possible(evaluation); check++)
		baseline_check(evaluation, cards, check);
	missing_eval(evaluation);
	device_eval(evaluation);
	deviceevent_eval(evaluation);
	unreachable_eval(evaluation);
	lnet_eval(evaluation);
	baseline_late_devices(evaluation, cards);
	each_port(evaluation, eval_port);
	plane_eval(evaluation);
	card_eval(evaluation, cards);
	rate_eval(evaluation);
	chardev_eval(evaluation);
	baseline_settle(evaluation);
}

/* Also initializes `result`. `scan` may be NULL. */
static struct evaluation
evaluation_of(const struct eval_setting *setting, struct state *state, struct event_stream *stream,
	const struct scan *scan, struct eval_result *result)
{
	*result = (struct eval_result){.events = json_array(),
		.notes = json_array(),
		.decisions = json_array(),
		.breaches = json_array()};
	return (struct evaluation){.setting = setting,
		.state = state,
		.stream = stream,
		.scan = scan,
		.result = result,
		.only = CHECK_N};
}

int
eval_stall(const struct eval_setting *setting, struct state *state, struct event_stream *stream,
	const struct scanrec_stall *stall, struct eval_result *result)
{
	struct evaluation evaluation = evaluation_of(setting, state, stream, NULL, result);

	pollstall_eval_unfinished(&evaluation, stall);
	return evaluation.failed ? -1 : 0;
}

void
eval_async(struct state *state, const struct asyncrec *event)
{
	portflap_accept(state, event);
	deviceevent_accept(state, event);
}

void
eval_cm(struct state *state, const struct cmrec *event)
{
	unreachable_accept(state, event);
}

void
eval_lnet(struct state *state, enum lnetrec_kind kind, const struct lnetrec *record)
{
	lnet_accept(&state->lnet, kind, record);
}

int
eval_scan(const struct eval_setting *setting, struct state *state, struct event_stream *stream,
	const struct scan *scan, struct eval_result *result)
{
	struct evaluation evaluation = evaluation_of(setting, state, stream, scan, result);
	struct cardlist cards;

	const bool same_boot = is_same_boot(&evaluation);
	eval_boot(&evaluation);
	evaluation_settle_strategy(&evaluation);
	observe_unplaced(&evaluation);
	if (state->has_wall_snapshots)
		place_snapshots(state, &scan->begin);
	state->stamp++;
	eval_first(&evaluation);
	eval_node(&evaluation, same_boot);
	observe_scan(&evaluation);
	hostnic_note(&evaluation);
	cardlist_collect(&evaluation, &cards);
	if (!evaluation.failed) {
		baseline_late_checks(&evaluation);
		leave_eval(&evaluation, &cards);
		device_explain_others(&evaluation);
		if (evaluation.first)
			eval_first_verdicts(&evaluation, &cards);
		else
			eval_verdicts(&evaluation, &cards);
		pollstall_eval(&evaluation);
		changed_eval(&evaluation);
		clear_settle(&evaluation);
	}
	cardlist_fini(&cards);
	return evaluation.failed ? -1 : 0;
}

/* --- extra scans --- */

/* Return true if the scan's port is the one in the state. Ports that are new, gone or replaced are
 * left to the next full scan, like those of a device that it has to report as back first. */
static bool
is_same_port(const struct evaluation *evaluation, const struct scan_port *port)
{
	const struct scanrec_device *record = &evaluation->scan->devices[port->device].record;
	const struct device_entry *device = state_find_device(evaluation->state, record->device);
	const struct port_entry *entry = evaluation_entry(evaluation, port);

	return device != NULL && device->known && device->missing == 0 &&
	       !device->gone_said.stands && record->pci != NULL &&
	       strcmp(device->pci, record->pci) == 0 && entry != NULL && entry->known &&
	       entry->missing == 0 && entry->health != PORT_NEW &&
	       entry->layer == layer_find(port->record.link_layer);
}

static void
eval_extra_port(struct evaluation *evaluation, const struct scan_port *port)
{
	struct port_entry *entry = evaluation_entry(evaluation, port);
	if (!is_same_port(evaluation, port))
		return;
	if (!portfacts_is_up(&port->record)) {
		portflap_forget(&entry->link);
		rate_lose_link(evaluation, entry);
	}
	port_eval(evaluation, port, entry, false);
	/* By its state, as there are no counters. */
	flap_eval(evaluation, port, entry);
}

int
eval_extra(const struct eval_setting *setting, struct state *state, struct event_stream *stream,
	const struct scan *scan, struct eval_result *result)
{
	struct evaluation evaluation = evaluation_of(setting, state, stream, scan, result);
	const char *boot_id = scan->begin.boot_id;

	if (state->settled && *state->former_node == '\0' &&
		(boot_id == NULL || strcmp(boot_id, state->boot_id) == 0))
		each_port(&evaluation, eval_extra_port);
	return evaluation.failed ? -1 : 0;
}

void
eval_result_fini(struct eval_result *result)
{
	json_decref(result->events);
	json_decref(result->notes);
	json_decref(result->decisions);
	json_decref(result->breaches);
	*result = (struct eval_result){0};
}

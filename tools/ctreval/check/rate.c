/* rate - ports with a lower rate than their peers, and when that is an event (spec#rate-peers). */
/* SPDX-License-Identifier: Apache-2.0 */
#include "rate.h"

#include "below.h"
#include "peers.h"
#include "portfacts.h"
#include "withdraw.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- collecting --- */

/* Return why the port is not compared, in words; NULL: it is. */
static const char *
why_not(const struct scan *scan, const struct scan_port *port)
{
	const struct scanrec_port *record = &port->record;

	if (!watched_port(scan, port))
		return "it is not monitored";
	if (!scan->whole)
		return "the scan is incomplete";
	if (scan->devices[port->device].record.error != NULL || record->state == NULL ||
		record->phys_state == NULL)
		return "it could not be read";
	const char *no_peers = portfacts_no_peers(record->role);
	if (no_peers != NULL)
		return no_peers;
	if (strcmp(record->role, "management") == 0)
		return "it is a management port";
	return NULL;
}

/* --- events --- */

/* Format `200 Gb/s (2X)`, or the part that is known; NULL if nothing is. */
static const char *
rate_text(double rate_gbps, unsigned width, char *text, size_t size)
{
	char rate[PEERS_TEXT_SIZE];

	if (rate_gbps <= 0 && width == 0)
		return NULL;
	if (width == 0)
		return peers_rate(rate_gbps, text, size);
	if (rate_gbps <= 0)
		snprintf(text, size, "%uX", width);
	else
		snprintf(text, size, "%s (%uX)", peers_rate(rate_gbps, rate, sizeof rate), width);
	return text;
}

/* Format how the port compares with its peers. */
static const char *
compared(const struct peers_port *peers, char *text, size_t size)
{
	char rate[PEERS_TEXT_SIZE];

	if (peers->verdict != PEERS_MEETS)
		return peers_reason(peers, text, size);
	if (peers->rate_gbps <= 0)
		snprintf(text, size, "width %uX, %s its peers", peers->width,
			peers->width > peers->peer_width ? "above" : "as");
	else
		snprintf(text, size, "rate %s, %s its peers",
			peers_rate(peers->rate_gbps, rate, sizeof rate),
			peers->rate_gbps > peers->peer_rate_gbps ? "above" : "as");
	return text;
}

static const json_t *
report(struct evaluation *evaluation, const struct scan_port *port, const struct port_entry *entry,
	const struct peers_port *peers, bool healthy)
{
	char words[2 * PEERS_TEXT_SIZE], own[2 * PEERS_TEXT_SIZE], others[2 * PEERS_TEXT_SIZE];
	struct claim claim =
		evaluation_about_port(evaluation->scan, port, check_degradation(entry->layer));

	claim.healthy = healthy;
	claim.error_code = CODE_RATE_BELOW_PEERS;
	claim.rate = rate_text(peers->rate_gbps, peers->width, own, sizeof own);
	claim.peer_rate =
		rate_text(peers->peer_rate_gbps, peers->peer_width, others, sizeof others);
	return evaluation_report(evaluation, &claim, "%s %s port %" PRId64 ": %s",
		layer_port(entry->layer), port->record.device, port->record.port,
		compared(peers, words, sizeof words));
}

/* --- evaluation --- */

/* Return true if a readable port's rate is no longer compared: it has no peers any more, or it has
 * other ones, as its link layer has changed. */
static bool
is_left(const struct scan *scan, const struct scan_port *port, const struct port_entry *entry)
{
	const struct scanrec_port *record = &port->record;
	if (!scan->whole || scan->devices[port->device].record.error != NULL)
		return false;
	return portfacts_no_peers(record->role) != NULL ||
	       (record->link_layer != NULL && layer_find(record->link_layer) != entry->layer);
}

static enum below_sight
look_at(const struct evaluation *evaluation, const struct scan_port *port,
	const struct peers_port *peers, const struct port_entry *entry)
{
	if (!evaluation->scan->whole)
		return BELOW_NOT_COMPARED;
	if (why_not(evaluation->scan, port) != NULL || is_left(evaluation->scan, port, entry))
		return BELOW_UNDECIDED;
	if (!peers->counts)
		return BELOW_NO_LINK;
	if (peers->verdict == PEERS_MEETS)
		return BELOW_MEETS;
	if (peers->verdict != PEERS_RATE_BELOW && peers->verdict != PEERS_WIDTH_BELOW)
		return BELOW_UNDECIDED;
	return below_look(evaluation, &entry->rate);
}

static json_t *
rate_or_null(double rate_gbps)
{
	return rate_gbps > 0 ? json_real(rate_gbps) : json_null();
}

static json_t *
width_or_null(unsigned width)
{
	return width > 0 ? json_integer(width) : json_null();
}

static void
explain_as(struct evaluation *evaluation, const struct scan_port *port,
	const struct peers_port *peers, const struct port_entry *entry, const json_t *said,
	const char *reason)
{
	if (!evaluation->setting->explain)
		return;
	const struct peers_kind *kind = &peers->kind;
	json_t *fields =
		json_pack("{s:s, s:I, s:s?, s:s?, s:s?, s:s?, s:s?, s:o, s:o, s:o, s:o, s:b}",
			"device", port->record.device, "port", (json_int_t)port->record.port,
			"role", kind->role, "role_reason", kind->reason, "link_layer",
			kind->link_layer, "hca_type", kind->hca_type, "board_id", kind->board_id,
			"rate_gbps", rate_or_null(peers->rate_gbps), "peer_rate_gbps",
			rate_or_null(peers->peer_rate_gbps), "width", width_or_null(peers->width),
			"peer_width", width_or_null(peers->peer_width), "reported",
			entry->rate.memory == BELOW_REPORTED);
	evaluation_explain(evaluation, "rate", fields, said, reason);
}

static const char *
verdict_in_words(enum peers_verdict verdict)
{
	switch (verdict) {
	case PEERS_NOT_EVALUATED:
		return "its rate is unknown";
	case PEERS_ALONE:
		return "there is no other port of its role, reason, link layer and model to "
		       "compare it with";
	case PEERS_TIED:
		return "its peers are tied: no rate is the most common";
	case PEERS_OTHER_WIRING:
		return "slower than its peers, but over more lanes: cabled to something else, no "
		       "fault";
	case PEERS_MEETS:
	case PEERS_RATE_BELOW:
	case PEERS_WIDTH_BELOW:
		return "its link layer has changed, and an event under the old one is active";
	case PEERS_VERDICT_N:
		break;
	}
	return "";
}

/* `said`: the event that resulted, or NULL. */
static void
explain(struct evaluation *evaluation, const struct scan_port *port, const struct peers_port *peers,
	const struct port_entry *entry, enum below_sight sight, const json_t *said)
{
	char words[2 * PEERS_TEXT_SIZE], text[4 * PEERS_TEXT_SIZE];
	const char *reason = why_not(evaluation->scan, port);
	const char *behind = NULL;

	switch (sight) {
	case BELOW_NOT_COMPARED:
	case BELOW_UNDECIDED:
		if (reason == NULL)
			reason = verdict_in_words(peers->verdict);
		break;
	case BELOW_NO_LINK:
		reason = "its link is not up";
		break;
	case BELOW_MEETS:
		reason = compared(peers, words, sizeof words);
		break;
	case BELOW_FIRST:
		behind = "in the first scan";
		break;
	case BELOW_YOUNG:
		behind = "but not for settleSeconds yet";
		break;
	case BELOW_SETTLED:
		behind = "for settleSeconds";
		break;
	case BELOW_COVERED:
	case BELOW_SIGHT_N:
		break;
	}
	if (behind != NULL) {
		if (said == NULL && entry->rate.memory == BELOW_REPORTED)
			behind = "already reported; open until it is no longer below them";
		snprintf(text, sizeof text, "%s, %s", compared(peers, words, sizeof words), behind);
		reason = text;
	}
	explain_as(evaluation, port, peers, entry, said, reason);
}

static void
eval_one(struct evaluation *evaluation, const struct scan_port *port,
	const struct peers_port *peers, struct port_entry *entry)
{
	if (entry->rate.memory == BELOW_REPORTED && is_left(evaluation->scan, port, entry)) {
		withdraw_rate(evaluation, entry);
		entry->rate.memory = BELOW_FINE;
		evaluation->state->changed = true;
	}
	enum below_sight sight = look_at(evaluation, port, peers, entry);
	enum below_action action = below_eval(evaluation, &entry->rate, sight);
	const json_t *said = NULL;

	if (action != BELOW_REPORT_NOTHING)
		said = report(evaluation, port, entry, peers, action == BELOW_REPORT_HEALTHY);
	if (evaluation->setting->explain)
		explain(evaluation, port, peers, entry, sight, said);
}

static void
eval_port(
	struct evaluation *evaluation, const struct scan_port *port, const struct peers_port *peers)
{
	struct port_entry *entry = evaluation_entry(evaluation, port);
	if (entry == NULL)
		return;
	enum check check = check_degradation(entry->layer);
	if (evaluation->only != CHECK_N && evaluation->only != check)
		return;
	const char *why_not_now = evaluation_why_not(evaluation, check);
	if (!evaluation->setting->enabled[check])
		below_eval(evaluation, &entry->rate, BELOW_UNDECIDED);
	if (why_not_now != NULL)
		explain_as(evaluation, port, peers, entry, NULL, why_not_now);
	else
		eval_one(evaluation, port, peers, entry);
}

/* Return true if the device missed a scan or two, which says nothing about its ports. */
static bool
is_late(const struct state *state, const char *device)
{
	const struct device_entry *entry = state_find_device(state, device);
	return entry != NULL && entry->seen == state->stamp && entry->unreadable > 0 &&
	       !entry->unreadable_said.stands;
}

/* The clock of a port that is absent, or whose device was reported as unreadable, restarts when it
 * is there again. */
static void
eval_absent(struct evaluation *evaluation)
{
	struct state *state = evaluation->state;
	table_foreach (&state->ports, struct port_entry, entry) {
		if (entry->seen != state->stamp && !is_late(state, entry->device))
			below_eval(evaluation, &entry->rate, BELOW_UNDECIDED);
	}
}

void
rate_eval(struct evaluation *evaluation)
{
	const struct scan *scan = evaluation->scan;

	/* One more, because calloc(0) may return NULL. */
	struct peers_port *peers = calloc(scan->port_count + 1, sizeof *peers);
	for (size_t i = 0; i < scan->port_count && peers != NULL; i++) {
		const struct scan_port *port = &scan->ports[i];
		bool counts = why_not(scan, port) == NULL && portfacts_is_up(&port->record);
		peers[i] = peers_describe(scan, port, counts);
	}
	if (peers == NULL || peers_eval(peers, scan->port_count) < 0) {
		evaluation->failed = true;
		free(peers);
		return;
	}
	for (size_t i = 0; i < scan->port_count && !evaluation->failed; i++) {
		if (watched_port(scan, &scan->ports[i]))
			eval_port(evaluation, &scan->ports[i], &peers[i]);
	}
	if (scan->whole && scan->listed && !evaluation->waiting)
		eval_absent(evaluation);
	free(peers);
}

void
rate_lose_link(struct evaluation *evaluation, struct port_entry *entry)
{
	if (evaluation->setting->enabled[check_degradation(entry->layer)])
		below_eval(evaluation, &entry->rate, BELOW_NO_LINK);
}

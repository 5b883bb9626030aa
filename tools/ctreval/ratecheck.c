/* ratecheck - the rates of a scan's ports, compared with those of their peers. */
#include "ratecheck.h"

#include "explain.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- collecting --- */

/* Why the port is neither judged nor evidence about others, in words; NULL: it counts. */
static const char *
why_not(const struct scan *scan, const struct scan_port *port)
{
	const struct scanrec_port *record = &port->record;

	if (!evaluation_is_judged(scan, port))
		return "it is not monitored";
	if (!scan->whole)
		return "the scan is not whole";
	if (scan->devices[port->device].record.error != NULL || record->state == NULL ||
		record->phys_state == NULL)
		return "it could not be read";
	if (record->role == NULL)
		return "its role is not known, so neither are its peers";
	if (strcmp(record->role, "management") == 0)
		return "it is a management port";
	return NULL;
}

static struct peers_port
describe(const struct scan *scan, const struct scan_port *port)
{
	const struct scanrec_port *record = &port->record;
	return (struct peers_port){
		.role = record->role,
		.link_layer = record->link_layer,
		.hca_type = port->device != SIZE_MAX ? scan->devices[port->device].record.hca_type
						     : NULL,
		.counts = why_not(scan, port) == NULL && evaluation_is_healthy(record),
		.rate_gbps = record->rate_gbps,
		.width = peers_width(record->rate),
	};
}

/* --- saying --- */

/* `200 Gb/s (2X)`, as far as it is known; NULL when nothing is. */
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

/* How the port compares, in words. */
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
say(struct evaluation *evaluation, const struct scan_port *port, const struct port_entry *entry,
	const struct peers_port *peers, bool healthy)
{
	char words[2 * PEERS_TEXT_SIZE], own[2 * PEERS_TEXT_SIZE], others[2 * PEERS_TEXT_SIZE];
	const json_t *said = NULL;
	char *text = evaluation_text_new(evaluation, "%s %s port %" PRId64 ": %s",
		entry->ethernet ? "RoCE port" : "Port", port->record.device, port->record.port,
		compared(peers, words, sizeof words));
	struct claim claim =
		evaluation_about_port(evaluation->scan, port, check_degradation(entry->ethernet));

	claim.healthy = healthy;
	claim.error_code = RATECHECK_CODE;
	claim.rate = rate_text(peers->rate_gbps, peers->width, own, sizeof own);
	claim.peer_rate =
		rate_text(peers->peer_rate_gbps, peers->peer_width, others, sizeof others);
	claim.message = text;
	if (text != NULL)
		said = evaluation_say(evaluation, &claim);
	free(text);
	return said;
}

/* --- judging --- */

static enum rate_sight
look_at(const struct evaluation *evaluation, const struct scan_port *port,
	const struct peers_port *peers, const struct port_entry *entry)
{
	uint64_t now_ns = evaluation->scan->begin.boottime_ns;

	if (why_not(evaluation->scan, port) != NULL)
		return RATE_NOT_JUDGED;
	if (!peers->counts)
		return RATE_LINK_DOWN;
	if (peers->verdict == PEERS_MEETS)
		return RATE_MEETS;
	if (peers->verdict != PEERS_RATE_BELOW && peers->verdict != PEERS_WIDTH_BELOW)
		return RATE_NOT_JUDGED;
	if (evaluation->first)
		return RATE_BELOW_FIRST;
	uint64_t below_ns = entry->rate != RATE_FINE && now_ns > entry->slow_since_ns
				    ? now_ns - entry->slow_since_ns
				    : 0;
	return below_ns < evaluation->setting->settle_ns ? RATE_BELOW_YOUNG : RATE_BELOW;
}

static const char *
verdict_in_words(enum peers_verdict verdict)
{
	switch (verdict) {
	case PEERS_NOT_JUDGED:
		return "its rate is not known";
	case PEERS_ALONE:
		return "there is no other port of its role, link layer and model to compare it with";
	case PEERS_TIED:
		return "its peers are tied: no rate is the most common";
	case PEERS_OTHER_WIRING:
		return "slower than its peers, but over more lanes: cabled to something else, no fault";
	case PEERS_MEETS:
	case PEERS_RATE_BELOW:
	case PEERS_WIDTH_BELOW:
	case PEERS_VERDICT_N:
		break;
	}
	return "";
}

/* `said`: an event came of it. */
static void
explain(struct evaluation *evaluation, const struct scan_port *port, const struct peers_port *peers,
	const struct port_entry *entry, enum rate_sight sight, const json_t *said)
{
	char words[2 * PEERS_TEXT_SIZE], text[4 * PEERS_TEXT_SIZE];
	const char *reason = why_not(evaluation->scan, port);
	const char *behind = NULL;

	switch (sight) {
	case RATE_NOT_JUDGED:
		if (reason == NULL)
			reason = verdict_in_words(peers->verdict);
		break;
	case RATE_LINK_DOWN:
		reason = "its link is not up";
		break;
	case RATE_MEETS:
		reason = compared(peers, words, sizeof words);
		break;
	case RATE_BELOW_FIRST:
		behind = "in the first scan";
		break;
	case RATE_BELOW_YOUNG:
		behind = "but not for settleSeconds yet";
		break;
	case RATE_BELOW:
		behind = "for settleSeconds";
		break;
	case RATE_SIGHT_N:
		break;
	}
	if (behind != NULL) {
		if (said == NULL && entry->rate == RATE_SLOW)
			behind = "which was reported; stands until it is below them no more";
		snprintf(text, sizeof text, "%s, %s", compared(peers, words, sizeof words), behind);
		reason = text;
	}
	explain_rate(evaluation, port, peers, entry, said, reason);
}

static void
judge(struct evaluation *evaluation, const struct scan_port *port, const struct peers_port *peers,
	struct port_entry *entry)
{
	uint64_t now_ns = evaluation->scan->begin.boottime_ns;
	enum rate_memory before = entry->rate;
	enum rate_sight sight = look_at(evaluation, port, peers, entry);
	enum rate_action action = rate_step(&entry->rate, sight);
	const json_t *said = NULL;

	/* Also where time has run back, as in a capture put together by hand. */
	if ((before == RATE_FINE && entry->rate != RATE_FINE) || entry->slow_since_ns > now_ns)
		entry->slow_since_ns = now_ns;
	if (entry->rate != before)
		evaluation->state->changed = true;
	if (action != RATE_SAY_NOTHING)
		said = say(evaluation, port, entry, peers, action == RATE_SAY_HEALTHY);
	if (evaluation->setting->explain)
		explain(evaluation, port, peers, entry, sight, said);
}

static void
judge_port(
	struct evaluation *evaluation, const struct scan_port *port, const struct peers_port *peers)
{
	struct port_entry *entry =
		state_find_port(evaluation->state, port->record.device, port->record.port);
	if (entry == NULL)
		return;
	enum check check = check_degradation(entry->ethernet);
	if (evaluation->only != CHECK_N && evaluation->only != check)
		return;
	if (!evaluation->setting->enabled[check])
		explain_rate(evaluation, port, peers, entry, NULL,
			"its check is switched off (--checks)");
	else if (evaluation->waiting)
		explain_rate(evaluation, port, peers, entry, NULL,
			"verdicts wait for a scan in which every device can be read");
	else
		judge(evaluation, port, peers, entry);
}

/* A port that is not there is below nobody: when it is back, time counts anew. One whose device cannot be read may be there all the time. */
static void
judge_absent(struct evaluation *evaluation)
{
	struct state *state = evaluation->state;
	for (struct table_node *node = table_next(&state->ports, NULL); node != NULL;
		node = table_next(&state->ports, node)) {
		struct port_entry *entry = (struct port_entry *)node;
		if (entry->rate != RATE_WAITING || entry->seen == state->stamp ||
			!evaluation->setting->enabled[check_degradation(entry->ethernet)])
			continue;
		const struct device_entry *device = state_find_device(state, entry->device);
		if (device != NULL && device->seen == state->stamp && device->unreadable > 0)
			continue;
		rate_step(&entry->rate, RATE_LINK_DOWN);
		state->changed = true;
	}
}

void
ratecheck_judge(struct evaluation *evaluation)
{
	const struct scan *scan = evaluation->scan;

	/* One more, so that none is no failure. */
	struct peers_port *peers = calloc(scan->port_count + 1, sizeof *peers);
	for (size_t i = 0; i < scan->port_count && peers != NULL; i++)
		peers[i] = describe(scan, &scan->ports[i]);
	if (peers == NULL || peers_judge(peers, scan->port_count) < 0) {
		evaluation->failed = true;
		free(peers);
		return;
	}
	for (size_t i = 0; i < scan->port_count && !evaluation->failed; i++) {
		if (evaluation_is_judged(scan, &scan->ports[i]))
			judge_port(evaluation, &scan->ports[i], &peers[i]);
	}
	if (scan->whole && scan->listed && !evaluation->waiting)
		judge_absent(evaluation);
	free(peers);
}

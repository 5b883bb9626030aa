/* portevent - events about a port's state. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "portevent.h"

#include "card.h"
#include "hold.h"
#include "num.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Return a text that says what is wrong with the port, to free(); NULL when memory ran out. The
 * record must have states. */
static char *
unhealthy_new(struct evaluation *evaluation, const struct scanrec_port *port, enum layer layer)
{
	if (layer == LAYER_INFINIBAND)
		return evaluation_text_new(evaluation,
			"Port %s port %" PRId64 ": state %s, phys_state %s", port->device,
			port->port, port->state, port->phys_state);
	return evaluation_text_new(evaluation,
		"%s %s port %" PRId64 ": state %s, phys_state %s, operstate %s (%s)",
		layer_port(layer), port->device, port->port, port->state, port->phys_state,
		port->operstate != NULL ? port->operstate : "unknown",
		port->netdev != NULL ? port->netdev : "no interface");
}

const json_t *
port_report_healthy(struct evaluation *evaluation, const struct scan_port *port,
	const struct port_entry *entry, const char *code)
{
	struct claim claim =
		evaluation_about_port(evaluation->scan, port, check_state(entry->layer));

	claim.healthy = true;
	claim.error_code = code;
	if (evaluation->in_baseline && evaluation->state->unknown_past)
		claim.error_word = CODE_PORT_GONE;
	return evaluation_report(evaluation, &claim,
		"%s %s port %" PRId64 ": healthy (ACTIVE, LinkUp)", layer_port(entry->layer),
		port->record.device, port->record.port);
}

/* Format in `text` the seconds that the port has been held back. Return NULL if it is not. */
static const char *
held_seconds(const struct scan_port *port, const struct port_entry *entry, char *text, size_t size)
{
	uint64_t held_ms = hold_duration_ns(port, entry) / NUM_NS_PER_MS;
	if (!entry->hold.held)
		return NULL;
	snprintf(text, size, "%" PRIu64 ".%03" PRIu64, held_ms / 1000, held_ms % 1000);
	return text;
}

const json_t *
port_report_blip(
	struct evaluation *evaluation, const struct scan_port *port, const struct port_entry *entry)
{
	char seconds[NUM_U64_SIZE + 4];
	const char *noun = layer_port(entry->layer);
	struct claim claim =
		evaluation_about_port(evaluation->scan, port, check_state(entry->layer));

	claim.error_code = CODE_PORT_BLIP;
	claim.store_only = true;
	claim.held_seconds = held_seconds(port, entry, seconds, sizeof seconds);
	const json_t *said = evaluation_report(evaluation, &claim,
		"%s %s port %" PRId64 ": was not healthy for %s s, held back by portStateHoldDown",
		noun, port->record.device, port->record.port, claim.held_seconds);
	evaluation_end_at_once(evaluation, &claim, noun);
	return said;
}

const json_t *
port_report_unhealthy(struct evaluation *evaluation, const struct scan_port *port,
	struct port_entry *entry, bool fatal, const char *cause)
{
	char seconds[NUM_U64_SIZE + 4];
	char *text = unhealthy_new(evaluation, &port->record, entry->layer);
	if (text == NULL)
		return NULL;
	struct claim claim =
		evaluation_about_port(evaluation->scan, port, check_state(entry->layer));
	/* A port that gets worse keeps the code of its first event. */
	state_report(&entry->state_said, fatal,
		entry->state_said.stands ? entry->state_said.code : CODE_PORT_STATE);
	claim.fatal = fatal;
	claim.error_code = entry->state_said.code;
	claim.cause = cause;
	claim.held_seconds = held_seconds(port, entry, seconds, sizeof seconds);
	const json_t *said = evaluation_report(evaluation, &claim, "%s", text);
	evaluation_set_id(entry->state_said.id, said);
	free(text);
	return said;
}

void
port_note_muted(struct evaluation *evaluation, const struct scan_port *port, enum layer layer)
{
	char *text = unhealthy_new(evaluation, &port->record, layer);
	if (text != NULL)
		evaluation_note(evaluation, "%s: already so when first seen, not reported", text);
	free(text);
}

void
port_report_again(
	struct evaluation *evaluation, const struct scan_port *port, struct port_entry *entry)
{
	const struct said state_said = entry->state_said;

	state_retract(&entry->state_said);
	state_retract(&entry->gone_said);
	if (state_said.stands && port->record.state != NULL && port->record.phys_state != NULL)
		port_report_unhealthy(
			evaluation, port, entry, state_said.fatal, card_event(evaluation, entry));
}

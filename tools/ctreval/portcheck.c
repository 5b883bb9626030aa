/* portcheck - the state of one port in one scan: SPEC section 4.2. */
#include "portcheck.h"

#include "countercheck.h"
#include "explain.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *
unhealthy_new(struct evaluation *evaluation, const struct scanrec_port *port, bool ethernet)
{
	if (ethernet)
		return evaluation_text_new(evaluation,
			"RoCE port %s port %" PRId64 ": state %s, phys_state %s, operstate %s",
			port->device, port->port, port->state, port->phys_state,
			port->operstate != NULL ? port->operstate : "unknown");
	return evaluation_text_new(evaluation, "Port %s port %" PRId64 ": state %s, phys_state %s",
		port->device, port->port, port->state, port->phys_state);
}

const json_t *
portcheck_say_healthy(
	struct evaluation *evaluation, const struct scan_port *port, const struct port_entry *entry)
{
	bool ethernet = entry->ethernet;
	enum check check = check_state(ethernet);
	char *text =
		evaluation_text_new(evaluation, "%s %s port %" PRId64 ": healthy (ACTIVE, LinkUp)",
			ethernet ? "RoCE port" : "Port", port->record.device, port->record.port);
	if (text == NULL)
		return NULL;

	struct claim claim = evaluation_about_port(evaluation->scan, port, check);
	claim.healthy = true;
	claim.message = text;
	const json_t *said = evaluation_say(evaluation, &claim);
	free(text);
	countercheck_standing(evaluation, port, entry, check);
	return said;
}

static const json_t *
say_unhealthy(
	struct evaluation *evaluation, const struct scan_port *port, bool ethernet, bool fatal)
{
	char *text = unhealthy_new(evaluation, &port->record, ethernet);
	if (text == NULL)
		return NULL;
	struct claim claim = evaluation_about_port(evaluation->scan, port, check_state(ethernet));
	claim.fatal = fatal;
	claim.message = text;
	const json_t *said = evaluation_say(evaluation, &claim);
	free(text);
	return said;
}

static void
note_muted(struct evaluation *evaluation, const struct scan_port *port, bool ethernet)
{
	char *text = unhealthy_new(evaluation, &port->record, ethernet);
	if (text != NULL)
		evaluation_note(evaluation, text, "so when first seen, not reported");
	free(text);
}

/* A name with its number, as sysfs writes it and the state file has it. True when that is new. */
static bool
remember(char field[STATE_RAW_SIZE], int64_t id, const char *name)
{
	char text[STATE_RAW_SIZE], bounded[STATE_WORD_SIZE];
	state_copy(bounded, sizeof bounded, name);
	if (id >= 0)
		snprintf(text, sizeof text, "%" PRId64 ": %s", id, bounded);
	else
		state_copy(text, sizeof text, bounded);
	if (strcmp(field, text) == 0)
		return false;
	memcpy(field, text, sizeof text);
	return true;
}

void
portcheck_port(struct evaluation *evaluation, const struct scan_port *port,
	struct port_entry *entry, bool evidence)
{
	const struct scanrec_port *record = &port->record;
	bool ethernet = entry->ethernet;

	/* Absent texts are no evidence of anything. */
	if (record->state == NULL || record->phys_state == NULL) {
		explain_port(evaluation, port, entry->health, entry->health, NULL,
			"its state could not be read");
		return;
	}
	bool new_state = remember(entry->state, record->state_id, record->state);
	bool new_phys = remember(entry->phys_state, record->phys_state_id, record->phys_state);
	if (new_state || new_phys)
		evaluation->state->changed = true;
	if (!evaluation->setting->enabled[check_state(ethernet)]) {
		explain_port(evaluation, port, entry->health, entry->health, NULL,
			"its check is switched off (--checks)");
		return;
	}

	enum port_sight sight = port_judge(ethernet, record->state, record->phys_state);
	enum port_memory before = entry->health;
	if (evaluation->waiting) {
		/* What was healthy for a moment can fail; what was not is judged when all is known. */
		if (before == PORT_NEW && sight == SIGHT_HEALTHY)
			entry->health = PORT_HEALTHY;
		explain_port(evaluation, port, before, entry->health, NULL,
			"verdicts wait for a scan in which every device can be read");
		return;
	}
	if (before == PORT_NEW && evidence)
		entry->health = PORT_NEW_SUSPECT;

	const json_t *said = NULL;
	switch (port_step(&entry->health, sight)) {
	case PORT_SAY_NOTHING:
		break;
	case PORT_SAY_HEALTHY:
		said = portcheck_say_healthy(evaluation, port, entry);
		break;
	case PORT_SAY_DEGRADED:
		said = say_unhealthy(evaluation, port, ethernet, false);
		break;
	case PORT_SAY_FATAL:
		said = say_unhealthy(evaluation, port, ethernet, true);
		break;
	case PORT_NOTE_MUTED:
		note_muted(evaluation, port, ethernet);
		break;
	}
	if (entry->health != before)
		evaluation->state->changed = true;
	explain_port(evaluation, port, before, entry->health, said, NULL);
}

/* devicecheck - devices and ports that are gone, and devices that cannot be read: SPEC sections 4.2 and 4.3. */
#include "devicecheck.h"

#include "explain.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- saying --- */

/* Says something about a device under the state check of its ports; takes `text`. */
static const json_t *
say(struct evaluation *evaluation, const struct device_entry *entry, struct claim claim, char *text)
{
	const json_t *said = NULL;
	claim.check = check_name(check_state(entry->ethernet));
	claim.device = entry->node.key;
	claim.pci = *entry->pci != '\0' ? entry->pci : NULL;
	claim.role = *entry->role != '\0' ? entry->role : NULL;
	claim.timestamp = evaluation->scan->begin.ts;
	claim.message = text;
	if (text != NULL)
		said = evaluation_say(evaluation, &claim);
	free(text);
	return said;
}

/* While their device is gone its ports are as bad as a port can be, and that has been said: one that is healthy again will say so. */
static void
lose_ports(struct evaluation *evaluation, const struct device_entry *entry)
{
	struct state *state = evaluation->state;
	for (struct table_node *node = table_next(&state->ports, NULL); node != NULL;
		node = table_next(&state->ports, node)) {
		struct port_entry *port = (struct port_entry *)node;
		if (strcmp(port->device, entry->node.key) == 0)
			port->health = PORT_FATAL;
	}
}

static const json_t *
act(struct evaluation *evaluation, struct device_entry *entry, unsigned action, const char *error)
{
	const char *name = entry->node.key;
	const json_t *said = NULL;

	if ((action & DEVICE_SAY_GONE) != 0) {
		said = say(evaluation, entry, (struct claim){.fatal = true},
			evaluation_text_new(evaluation,
				"NIC %s disappeared from /sys/class/infiniband/ - hardware failure",
				name));
		lose_ports(evaluation, entry);
	}
	if ((action & DEVICE_SAY_READABLE) != 0)
		said = say(evaluation, entry,
			(struct claim){.healthy = true, .error_code = "unreadable"},
			evaluation_text_new(evaluation, "NIC %s can be read again", name));
	if ((action & DEVICE_SAY_BACK) != 0)
		said = say(evaluation, entry, (struct claim){.healthy = true},
			evaluation_text_new(
				evaluation, "NIC %s is back in /sys/class/infiniband/", name));
	if ((action & DEVICE_SAY_UNREADABLE) != 0)
		said = say(evaluation, entry, (struct claim){.error_code = "unreadable"},
			evaluation_text_new(evaluation, "NIC %s cannot be read (%s)", name, error));
	return said;
}

static const json_t *
step(struct evaluation *evaluation, struct device_entry *entry, enum device_sight sight,
	const char *error)
{
	enum device_memory before = entry->presence;
	unsigned action = device_step(&entry->presence, sight);
	if (entry->presence != before)
		evaluation->state->changed = true;
	return act(evaluation, entry, action, error);
}

/* --- devices that are there --- */

static bool
has_healthy_port(const struct scan *scan, size_t device)
{
	for (size_t i = 0; i < scan->port_count; i++) {
		if (scan->ports[i].device == device &&
			evaluation_is_judged(scan, &scan->ports[i]) &&
			evaluation_is_healthy(&scan->ports[i].record))
			return true;
	}
	return false;
}

static enum device_sight
look_at(const struct evaluation *evaluation, size_t index, const struct device_entry *entry)
{
	const char *error = evaluation->scan->devices[index].record.error;
	if (error != NULL)
		return entry->unreadable >= DEVICE_UNREADABLE_SCANS ? DEVICE_STILL_UNREADABLE
								    : DEVICE_UNREADABLE;
	/* Whether a port is healthy matters only to a device that is to come back. */
	if (entry->presence != DEVICE_GONE && entry->presence != DEVICE_GONE_SILENT)
		return DEVICE_SEEN;
	return has_healthy_port(evaluation->scan, index) ? DEVICE_SEEN_HEALTHY : DEVICE_SEEN;
}

static const char *
why_present(const struct evaluation *evaluation, enum device_sight sight,
	const struct device_entry *entry)
{
	if (!evaluation->setting->enabled[check_state(entry->ethernet)])
		return "its check is switched off (--checks)";
	switch (sight) {
	case DEVICE_SEEN_HEALTHY:
		return "it is back, and a port of it is healthy";
	case DEVICE_SEEN:
		return entry->presence == DEVICE_GONE
			       ? "it is back, but none of its ports is healthy: reported as gone until one is"
			       : "it is there and was read in full";
	case DEVICE_UNREADABLE:
		return "it could not be read: unknown, reported after three scans in a row";
	case DEVICE_STILL_UNREADABLE:
		return "it could not be read for three scans in a row: reported once";
	case DEVICE_MISSING:
	case DEVICE_CONFIRMED_MISSING:
	case DEVICE_SIGHT_N:
		break;
	}
	return "";
}

static void
judge_present(struct evaluation *evaluation, size_t index)
{
	const struct scan_device *device = &evaluation->scan->devices[index];
	const json_t *said = NULL;

	struct device_entry *entry = state_find_device(evaluation->state, device->record.device);
	if (!evaluation_is_watched(device) || entry == NULL ||
		!evaluation_wants(evaluation, entry->ethernet))
		return;
	enum device_sight sight = look_at(evaluation, index, entry);
	if (evaluation->setting->enabled[check_state(entry->ethernet)])
		said = step(evaluation, entry, sight, device->record.error);
	explain_device(evaluation, device, said, why_present(evaluation, sight, entry));
}

/* --- devices and ports that are not --- */

static void
judge_missing_device(struct table_node *node, void *context)
{
	struct evaluation *evaluation = context;
	struct device_entry *entry = (struct device_entry *)node;
	unsigned confirm = evaluation->setting->confirm_scans;
	const json_t *said = NULL;

	if (entry->missing < confirm) {
		entry->missing++;
		evaluation->state->changed = true;
	}
	entry->unreadable = 0;
	bool confirmed = entry->missing >= confirm;
	bool enabled = evaluation->setting->enabled[check_state(entry->ethernet)];
	bool known = entry->presence == DEVICE_GONE || entry->presence == DEVICE_GONE_SILENT;
	if (!evaluation->waiting && enabled)
		said = step(evaluation, entry,
			confirmed ? DEVICE_CONFIRMED_MISSING : DEVICE_MISSING, NULL);
	explain_missing(evaluation, entry, said,
		!enabled              ? "its check is switched off (--checks)"
		: evaluation->waiting ? "verdicts wait for a scan in which every device can be read"
		: known               ? "it is gone, which has been reported"
		: confirmed           ? "it is no longer listed"
			    : "it is no longer listed, but not in enough scans in a row yet");
}

/* A port is missing when its device was read in full and has it no more. */
static bool
is_missing_port(const struct table_node *node, void *context)
{
	const struct evaluation *evaluation = context;
	const struct port_entry *port = (const struct port_entry *)node;
	if (!port->known || port->seen == evaluation->state->stamp ||
		!evaluation_wants(evaluation, port->ethernet))
		return false;
	const struct device_entry *device = state_find_device(evaluation->state, port->device);
	return device != NULL && device->seen == evaluation->state->stamp &&
	       device->unreadable == 0;
}

static void
judge_missing_port(struct table_node *node, void *context)
{
	struct evaluation *evaluation = context;
	struct port_entry *port = (struct port_entry *)node;
	unsigned confirm = evaluation->setting->confirm_scans;

	if (port->missing < confirm) {
		port->missing++;
		evaluation->state->changed = true;
	}
	bool enabled = evaluation->setting->enabled[check_state(port->ethernet)];
	if (evaluation->waiting || port->gone || port->missing < confirm || !enabled) {
		explain_missing_port(evaluation, port, NULL,
			!enabled ? "its check is switched off (--checks)"
			: evaluation->waiting
				? "verdicts wait for a scan in which every device can be read"
			: port->gone
				? "it is gone, which has been reported"
				: "its device has it no more, but not in enough scans in a row yet");
		return;
	}
	struct device_entry *device = state_find_device(evaluation->state, port->device);
	struct claim claim = {
		.check = check_name(check_state(port->ethernet)),
		.fatal = true,
		.device = port->device,
		.port = port->number,
		.pci = *device->pci != '\0' ? device->pci : NULL,
		.role = *device->role != '\0' ? device->role : NULL,
		.timestamp = evaluation->scan->begin.ts,
	};
	char *text = evaluation_text_new(
		evaluation, "Port %s port %lld disappeared from sysfs", port->device, port->number);
	claim.message = text;
	if (text != NULL)
		explain_missing_port(evaluation, port, evaluation_say(evaluation, &claim),
			"its device was read in full and has it no more");
	free(text);
	port->gone = true;
	port->health = PORT_FATAL;
}

/* True for what this scan does not have and a scan before had. */
static bool
is_missing_device(const struct table_node *node, void *context)
{
	const struct evaluation *evaluation = context;
	const struct device_entry *entry = (const struct device_entry *)node;
	return entry->known && entry->seen != evaluation->state->stamp &&
	       evaluation_wants(evaluation, entry->ethernet);
}

void
devicecheck_judge(struct evaluation *evaluation)
{
	const struct scan *scan = evaluation->scan;
	const struct state *state = evaluation->state;
	/* A scan that lost a record, or could not list the devices, is no evidence that any is missing. */
	if (scan->whole && scan->listed &&
		(table_each(&state->devices, is_missing_device, judge_missing_device, evaluation) <
				0 ||
			table_each(&state->ports, is_missing_port, judge_missing_port, evaluation) <
				0))
		evaluation->failed = true;
	for (size_t i = 0; i < scan->device_count && !evaluation->waiting; i++)
		judge_present(evaluation, i);
	for (size_t i = 0; i < scan->device_count && evaluation->waiting; i++) {
		if (evaluation_is_watched(&scan->devices[i]))
			explain_device(evaluation, &scan->devices[i], NULL,
				scan->devices[i].record.error != NULL
					? "it could not be read: the first verdicts wait for it, for three scans at most"
					: "verdicts wait for a scan in which every device can be read");
	}
}

void
devicecheck_explain_others(struct evaluation *evaluation)
{
	const struct scan *scan = evaluation->scan;
	for (size_t i = 0; i < scan->device_count && evaluation->setting->explain; i++) {
		if (!evaluation_is_watched(&scan->devices[i]))
			explain_device(evaluation, &scan->devices[i], NULL, NULL);
	}
}

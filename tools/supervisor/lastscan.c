/* lastscan - what the last scan of a look at the node shows, and no event says. */
#include "lastscan.h"

#include "portfacts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Longest line about one thing. */
#define TEXT_MAX_BYTES REC_EVENT_MAX_BYTES

/* --- which cards were compared --- */

/* A card that has both kinds of ports is two cards to ctreval. Returns `key`. */
static const char *
compared_key(char *key, size_t size, const char *device, bool ethernet)
{
	snprintf(key, size, "%s %s", ethernet ? "Ethernet" : "InfiniBand", device);
	return key;
}

void
lastscan_decision(struct summary *summary, const json_t *decision)
{
	const char *about = NULL, *device = NULL, *link_layer = NULL;
	int64_t active, mode;
	char key[TEXT_MAX_BYTES];

	rec_get_string(decision, "about", &about);
	rec_get_string(decision, "device", &device);
	rec_get_string(decision, "link_layer", &link_layer);
	/* Without a mode it was not compared. */
	if (about == NULL || strcmp(about, "card") != 0 || device == NULL || link_layer == NULL ||
		rec_get_int(decision, "active", &active) != REC_OK ||
		rec_get_int(decision, "mode", &mode) != REC_OK)
		return;
	compared_key(key, sizeof key, device, strcmp(link_layer, "Ethernet") == 0);
	summary->failed |=
		json_object_set_new(summary->compared, key, json_boolean(active >= mode)) < 0;
}

/* --- ports --- */

/* True when `name` is one of the names in `list`, which commas separate. */
static bool
is_listed(const char *list, const char *name)
{
	size_t length = strlen(name);
	for (const char *at = list; at != NULL; at = strchr(at, ',')) {
		at += *at == ',';
		if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == '\0'))
			return true;
	}
	return false;
}

/* True when an event says that the port is not up, or its device or card not well: such events have no error code. */
static bool
is_explained(const struct summary *summary, const struct scanrec_port *port)
{
	for (size_t i = 0; i < summary->count; i++) {
		const struct finding *finding = &summary->findings[i];
		const char *devices = NULL;
		if (json_array_size(json_object_get(finding->event, "errorCode")) > 0)
			continue;
		rec_get_string(json_object_get(finding->event, "metadata"), "devices", &devices);
		if (devices != NULL && is_listed(devices, port->device))
			return true;
		if (finding->device != NULL && strcmp(finding->device, port->device) == 0 &&
			(finding->port == 0 || finding->port == port->port))
			return true;
	}
	return false;
}

static const char *
or_unknown(const char *text)
{
	return text != NULL ? text : "not known";
}

struct opinion {
	enum finding_level level;
	const char *reason;
};

/* Of a port that is not up, and about which there is no event. Whoever would run a job on a compute NIC must know; NICs for
 * storage are often not cabled. */
static struct opinion
judge_unexplained(const struct summary *summary, const struct scanrec_port *port)
{
	char key[TEXT_MAX_BYTES];
	bool storage = port->role != NULL && strcmp(port->role, "storage") == 0;

	if (port->state == NULL || port->phys_state == NULL)
		return (struct opinion){FINDING_UNKNOWN, "whether it is up cannot be told"};
	const json_t *as_many = json_object_get(summary->compared,
		compared_key(key, sizeof key, port->device, portfacts_is_ethernet(port)));
	/* It went down a moment ago: ctreval gives it time, but nobody knows that it will come up again. */
	if (json_is_false(as_many))
		return (struct opinion){FINDING_UNKNOWN,
			"more ports of its peers are up, though not for long enough to be an event"};
	if (json_is_true(as_many))
		return (struct opinion){FINDING_NOTE, "so are the same ports of its peers"};
	return (struct opinion){storage ? FINDING_NOTE : FINDING_UNKNOWN,
		"there are no peers that would say whether it should be up"};
}

static void
say_unexplained(struct summary *summary, const struct scanrec_port *port)
{
	char text[TEXT_MAX_BYTES];
	struct opinion opinion = judge_unexplained(summary, port);

	snprintf(text, sizeof text, "%sort %s port %" PRId64 "%s%s%s: state %s, phys_state %s: %s",
		portfacts_is_ethernet(port) ? "RoCE p" : "P", port->device, port->port,
		port->role != NULL ? " (" : "", port->role != NULL ? port->role : "",
		port->role != NULL ? ")" : "", or_unknown(port->state),
		or_unknown(port->phys_state), opinion.reason);
	summary_say_about(summary, opinion.level, port->device, port->port, text);
}

static void
take_port(struct summary *summary, const struct scan *scan, const struct scan_port *item)
{
	const struct scanrec_port *port = &item->record;
	if (!port->monitored || item->device == SIZE_MAX || scan->devices[item->device].record.vf)
		return;
	summary->watched_ports++;
	if (portfacts_is_up(port))
		summary->up_ports++;
	else if (!is_explained(summary, port))
		say_unexplained(summary, port);

	enum portfacts_gids gids = portfacts_gids(port);
	if (gids != PORTFACTS_GIDS_NONE && gids != PORTFACTS_GIDS_NO_IPV4)
		return;
	char text[TEXT_MAX_BYTES];
	snprintf(text, sizeof text, "RoCE port %s port %" PRId64 ": %s", port->device, port->port,
		portfacts_gids_reason(gids));
	summary_say_about(summary, FINDING_NOTE, port->device, port->port, text);
}

/* --- devices, and the scan as a whole --- */

static bool
has_reason(const struct scanrec_device *device, const char *reason)
{
	return device->reason != NULL && strcmp(device->reason, reason) == 0;
}

static void
take_device(struct summary *summary, const struct scanrec_device *device)
{
	char text[TEXT_MAX_BYTES];
	if (has_reason(device, "no_metadata"))
		summary->roles = false;
	/* One of which nothing at all could be read may be anybody's, ours too. */
	bool may_be_ours = has_reason(device, "vendor") && device->error != NULL &&
			   device->driver == NULL && device->vendor == NULL;
	if (device->vf || (!device->monitored && !may_be_ours))
		return;
	if (device->error != NULL)
		snprintf(text, sizeof text, "NIC %s cannot be read (%s)", device->device,
			device->error);
	else if (device->ports == 0)
		snprintf(text, sizeof text, "NIC %s has no ports", device->device);
	else
		return;
	summary_say_about(summary, FINDING_UNKNOWN, device->device, 0, text);
}

/* NICs that the GPU metadata knows of and the node does not have: they were lost before anybody was watching, or it is old. */
static void
take_begin(struct summary *summary, const json_t *begin)
{
	const json_t *absent = json_object_get(json_object_get(begin, "topology"), "absent");
	for (size_t i = 0; i < json_array_size(absent); i++) {
		const char *name = json_string_value(json_array_get(absent, i));
		summary_say(summary, FINDING_UNKNOWN,
			"NIC %s is in the GPU metadata, but not on this node",
			name != NULL ? name : "?");
	}
}

static void
take_end(struct summary *summary, const struct scanrec_end *end)
{
	for (size_t i = 0; i < json_array_size(end->unbound); i++) {
		const char *pci = json_string_value(json_array_get(end->unbound, i));
		summary_say(summary, FINDING_NOTE, "NIC %s has no driver", pci != NULL ? pci : "?");
	}
	if (end->error != NULL)
		summary_say(summary, FINDING_UNKNOWN, "no RDMA devices: class/infiniband: %s",
			end->error);
	else if (summary->watched_ports == 0 && summary->counts[FINDING_UNKNOWN] == 0)
		summary_say(summary, FINDING_UNKNOWN, "no port is watched (%zu NIC%s)",
			summary->devices, summary->devices == 1 ? "" : "s");
}

/* Takes a string of a record, if it has it. */
static void
take_string(json_t **to, const json_t *record, const char *key)
{
	json_t *value = json_object_get(record, key);
	if (!json_is_string(value))
		return;
	json_decref(*to);
	*to = json_incref(value);
}

void
lastscan_take(struct summary *summary, const struct scan *scan)
{
	if (scan->begin_json == NULL || scan->end_json == NULL) {
		summary_say(summary, FINDING_UNKNOWN, "there is no scan to judge");
		return;
	}
	take_string(&summary->node, scan->begin_json, "node");
	take_string(&summary->boot_id, scan->begin_json, "boot_id");
	take_string(&summary->ts, scan->begin_json, "ts");
	summary->roles = true;
	summary->devices = scan->device_count;
	for (size_t i = 0; i < scan->device_count; i++)
		take_device(summary, &scan->devices[i].record);
	for (size_t i = 0; i < scan->port_count; i++)
		take_port(summary, scan, &scan->ports[i]);
	if (scan->listed)
		take_begin(summary, scan->begin_json);
	take_end(summary, &scan->end);
	if (!scan->whole)
		summary_say(summary, FINDING_UNKNOWN, "records were lost");
}

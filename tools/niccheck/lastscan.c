/* lastscan - faults that niccheck sees in its last scan and no event reports. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "lastscan.h"

#include "array.h"
#include "commalist.h"
#include "errorcode.h"
#include "evidence.h"
#include "layer.h"
#include "pcipath.h"
#include "portfacts.h"
#include "standout.h"
#include "text.h"
#include "words.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A NIC is lost if this many scans lacked it: one that comes and goes is being set up. */
#define LOST_SCANS 3

/* --- which NICs are lost --- */

void
lastscan_begin(struct summary *summary, const json_t *begin)
{
	const json_t *lost = json_object_get(json_object_get(begin, "topology"), "lost"), *name;
	size_t i;
	json_array_foreach (lost, i, name) {
		const char *key = json_string_value(name);
		if (key == NULL)
			continue;
		json_int_t scans = json_integer_value(json_object_get(summary->lost, key));
		summary->failed |=
			json_object_set_new(summary->lost, key, json_integer(scans + 1)) < 0;
	}
}

static bool
is_lost(const struct summary *summary, const char *device)
{
	return json_integer_value(json_object_get(summary->lost, device)) >= LOST_SCANS;
}

/* --- what a decision says --- */

/* Add a character device that is missing, but not in enough scans for an event. */
static void
add_missing_node(struct summary *summary, const json_t *decision, const char *device)
{
	const char *node = "", *event = NULL;
	int64_t port = 0, missing = 0;
	bool present = true;

	rec_get_string(decision, "node", &node);
	rec_get_string(decision, "event", &event);
	rec_get_int(decision, "port", &port);
	rec_get_int(decision, "missing_scans", &missing);
	rec_get_bool(decision, "present", &present);
	if (present || event != NULL || missing == 0)
		return;
	summary_add(summary, FINDING_UNKNOWN, device, port,
		"character device %s of NIC %s is missing, though not in every scan", node, device);
}

void
lastscan_decision(struct summary *summary, const json_t *decision)
{
	const char *about = NULL, *device = NULL;

	rec_get_string(decision, "about", &about);
	rec_get_string(decision, "device", &device);
	if (about != NULL && device != NULL && strcmp(about, "character_device") == 0)
		add_missing_node(summary, decision, device);
}

/* --- ports --- */

/* Return true for an event about the state of a port, device or card, and not about counters. A
 * finding without an event (NULL) is about a device that cannot be read. */
static bool
is_about_state(const json_t *event)
{
	static const char *const codes[] = {
		CODE_PORT_STATE, CODE_CARD_PORTS, CODE_NIC_GONE, CODE_PORT_GONE};
	const json_t *list = json_object_get(event, "errorCode");
	const char *code = json_string_value(json_array_get(list, 0));
	const size_t count = ARRAY_COUNT(codes);
	return json_array_size(list) == 0 ||
	       (code != NULL && words_find(codes, count, code) < count);
}

/* Return true if a finding explains why the port is not up: its own, its device's or its card's. */
static bool
is_explained(const struct summary *summary, const struct scanrec_port *port)
{
	for (size_t i = 0; i < summary->count; i++) {
		const struct finding *finding = &summary->findings[i];
		const char *devices = NULL;
		if (!is_about_state(finding->event))
			continue;
		rec_get_string(json_object_get(finding->event, "metadata"), "devices", &devices);
		if (devices != NULL && commalist_has(devices, port->device, strlen(port->device)))
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

/* Rate a port that is not up and has no event. If its peers do not show whether it should be up, a
 * compute NIC is unknown, because a job may use it, and a storage NIC is a note, because many are
 * not cabled. The peers' states come from the scan, not from ctreval, which counts a port as up
 * while it holds it (spec#hold-down). Without a role, the peers are the cards of the same model and
 * link layer, and Ethernet counts as storage, as in ibscan's table. */
static struct opinion
eval_unexplained(const struct scanrec_port *port, bool is_pinned, const struct evidence *evidence)
{
	bool role = portfacts_no_peers(port->role) == NULL;
	bool storage = role ? strcmp(port->role, "storage") == 0 : portfacts_is_ethernet(port);

	if (port->state == NULL || port->phys_state == NULL)
		return (struct opinion){FINDING_UNKNOWN, "whether it is up is unknown"};
	/* It needs no evidence, whatever its role: the operator wants it up. */
	if (is_pinned)
		return (struct opinion){FINDING_UNKNOWN,
			"the inclusion override matches it, though there is no event about it"};
	switch (evidence->verdict) {
	case EVIDENCE_BELOW:
		/* ctreval still waits for the port or does not check it, but it may never come
		 * up. */
		if (role)
			return (struct opinion){FINDING_UNKNOWN,
				"more ports of its peers are up, though there is no event about "
				"it"};
		return (struct opinion){
			FINDING_FATAL, "the same ports of other cards like it are up"};
	case EVIDENCE_MEETS:
	case EVIDENCE_TIED:
	case EVIDENCE_ZERO:
		/* Not most of its peers, but some: most of them may have failed together. */
		if (evidence->active < evidence->most_active)
			return (struct opinion){FINDING_UNKNOWN,
				role ? "the same ports of some of its peers are up"
				     : "the same ports of some other cards like it are up"};
		if (evidence->verdict == EVIDENCE_MEETS)
			return (struct opinion){FINDING_NOTE,
				role ? "the same ports of its peers are not up either"
				     : "the same ports of other cards like it are not up either"};
		break;
	case EVIDENCE_ALONE:
	case EVIDENCE_NONE:
	case EVIDENCE_VERDICT_N:
		break;
	}
	return (struct opinion){storage ? FINDING_NOTE : FINDING_UNKNOWN,
		"it has no peers, so whether it should be up is unknown"};
}

static void
add_unexplained(struct summary *summary, const struct scanrec_port *port, bool is_pinned,
	const struct evidence *evidence)
{
	struct opinion opinion = eval_unexplained(port, is_pinned, evidence);

	summary_add(summary, opinion.level, port->device, port->port,
		"%s %s port %" PRId64 "%s%s%s: state %s, phys_state %s: %s",
		layer_port(layer_find(port->link_layer)), port->device, port->port,
		port->role != NULL ? " (" : "", text_or_empty(port->role),
		port->role != NULL ? ")" : "", or_unknown(port->state),
		or_unknown(port->phys_state), opinion.reason);
}

static void
eval_port(struct summary *summary, const struct scan *scan, const struct scan_port *item,
	const struct evidence *evidence)
{
	const struct scanrec_port *port = &item->record;
	/* Skip planes, which are parts of a port: ctreval sends events about them. */
	if (!port->monitored || item->device == SIZE_MAX || scan->devices[item->device].record.vf ||
		scan->devices[item->device].record.parent != NULL)
		return;
	summary->watched_ports++;
	if (portfacts_is_up(port))
		summary->up_ports++;
	else if (!is_explained(summary, port))
		add_unexplained(summary, port,
			portfacts_is_pinned(&scan->devices[item->device].record), evidence);

	enum portfacts_gids gids = portfacts_gids(port);
	if (gids == PORTFACTS_GIDS_NONE || gids == PORTFACTS_GIDS_NO_IPV4)
		summary_add(summary, FINDING_NOTE, port->device, port->port,
			"RoCE port %s port %" PRId64 ": %s", port->device, port->port,
			portfacts_gids_reason(gids));
}

static void
eval_ports(struct summary *summary, const struct scan *scan)
{
	/* One more element, because calloc() may return NULL for none. */
	struct evidence *evidence = calloc(scan->port_count + 1, sizeof *evidence);
	if (evidence == NULL || evidence_collect(scan, evidence) < 0)
		summary->failed = true;
	for (size_t i = 0; i < scan->port_count && !summary->failed; i++)
		eval_port(summary, scan, &scan->ports[i], &evidence[i]);
	free(evidence);
}

/* --- devices, and the scan as a whole --- */

static bool
has_reason(const struct scanrec_device *device, const char *reason)
{
	return device->reason != NULL && strcmp(device->reason, reason) == 0;
}

static void
eval_device(struct summary *summary, const struct scanrec_device *device)
{
	/* A plane that cannot be read is only a note: the NIC itself shows whether it works. */
	enum finding_level level = device->parent != NULL ? FINDING_NOTE : FINDING_UNKNOWN;
	if (has_reason(device, "no_metadata"))
		summary->roles = false;
	if (device->vf || !portfacts_may_be_watched(device))
		return;
	if (device->error != NULL)
		summary_add(summary, level, device->device, 0, "NIC %s cannot be read (%s)",
			device->device, device->error);
	else if (device->ports == 0)
		summary_add(
			summary, level, device->device, 0, "NIC %s has no ports", device->device);
}

/* Return true if an event reports that the watched device vanished. */
static bool
is_said_to_be_gone(const struct summary *summary, const char *device)
{
	for (size_t i = 0; i < summary->count; i++) {
		const struct finding *finding = &summary->findings[i];
		if (finding->event != NULL && is_about_state(finding->event) &&
			finding->device != NULL && strcmp(finding->device, device) == 0 &&
			finding->port == 0)
			return true;
	}
	return false;
}

/* Add NICs in the GPU metadata that the node lacks: they were lost before monitoring began, or the
 * metadata is old. */
static void
eval_absent(struct summary *summary, const json_t *begin)
{
	const json_t *absent = json_object_get(json_object_get(begin, "topology"), "absent");
	for (size_t i = 0; i < json_array_size(absent); i++) {
		const char *name = json_string_value(json_array_get(absent, i));
		if (name != NULL && is_said_to_be_gone(summary, name))
			continue;
		summary_add(summary,
			name != NULL && is_lost(summary, name) ? FINDING_FATAL : FINDING_UNKNOWN,
			name, 0, "NIC %s is in the GPU metadata, but not on this node",
			name != NULL ? name : "?");
	}
}

static void
add_unlisted_class(struct summary *summary, const char *class, const char *error)
{
	if (error != NULL)
		summary_add(summary, FINDING_NOTE, NULL, 0,
			"character devices are not checked: class/%s: %s", class, error);
}

/* Return whether GPU metadata lists the node's NICs, which the PCI bus alone cannot. */
static bool
knows_missed(const json_t *begin)
{
	return json_integer_value(json_object_get(json_object_get(begin, "topology"), "nics")) > 0;
}

static void
eval_unbound(struct summary *summary, const struct scanrec_end *end, bool knows)
{
	const char *key, *driver;
	json_t *scans;
	json_object_foreach (summary->lost, key, scans) {
		if (!pcipath_is_address(key) || !is_lost(summary, key))
			continue;
		scanrec_function(end, key, &driver);
		summary_add(summary, FINDING_FATAL, NULL, 0,
			"NIC %s has no %s, and it is in the place of a GPU NIC on the PCI bus", key,
			driver != NULL ? "RDMA device" : "driver");
	}
	for (size_t i = 0; i < json_array_size(end->unbound); i++) {
		const char *pci = json_string_value(json_array_get(end->unbound, i));
		if (pci == NULL || !is_lost(summary, pci))
			summary_add(summary, knows ? FINDING_NOTE : FINDING_UNKNOWN, NULL, 0,
				"NIC %s has no driver%s", pci != NULL ? pci : "?",
				knows ? "" : ", and whether it should have one is unknown");
	}
}

static void
eval_end(struct summary *summary, const struct scanrec_end *end, bool knows)
{
	add_unlisted_class(summary, "infiniband_verbs", end->verbs_error);
	add_unlisted_class(summary, "infiniband_mad", end->mad_error);
	eval_unbound(summary, end, knows);
	if (end->error != NULL)
		summary_add(summary, FINDING_UNKNOWN, NULL, 0,
			"no RDMA devices: class/infiniband: %s", end->error);
	else if (summary->watched_ports == 0 && summary->counts[FINDING_UNKNOWN] == 0)
		summary_add(summary, FINDING_UNKNOWN, NULL, 0, "no port is watched (%zu NIC%s)",
			summary->nics, text_plural(summary->nics));
}

/* Replace `*to` by a string of the record, if the record has it. */
static void
copy_string(json_t **to, const json_t *record, const char *key)
{
	json_t *value = json_object_get(record, key);
	if (!json_is_string(value))
		return;
	json_decref(*to);
	*to = json_incref(value);
}

void
lastscan_eval(struct summary *summary, const struct scan *scan)
{
	if (scan->begin_json == NULL || scan->end_json == NULL) {
		summary_add(summary, FINDING_UNKNOWN, NULL, 0, "there is no scan to check");
		return;
	}
	copy_string(&summary->node, scan->begin_json, "node");
	copy_string(&summary->boot_id, scan->begin_json, "boot_id");
	copy_string(&summary->ts, scan->begin_json, "ts");
	summary->roles = true;
	summary->devices = summary->nics = 0;
	for (size_t i = 0; i < scan->device_count; i++) {
		const struct scanrec_device *device = &scan->devices[i].record;
		summary->devices += device->parent == NULL;
		summary->nics += device->parent == NULL && !device->vf;
		eval_device(summary, device);
	}
	eval_ports(summary, scan);
	if (scan->listed && scan->whole)
		eval_absent(summary, scan->begin_json);
	standout_eval(summary, scan);
	eval_end(summary, &scan->end, knows_missed(scan->begin_json));
	if (!scan->whole)
		summary_add(summary, FINDING_UNKNOWN, NULL, 0, "records were lost");
}

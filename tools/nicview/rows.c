/* rows - makes, evaluates and sorts the rows of the table. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "rows.h"

#include "array.h"
#include "evidence.h"
#include "pcipath.h"
#include "peers.h"
#include "portfacts.h"
#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum row_mark
row_mark(enum row_verdict verdict)
{
	switch (verdict) {
	case ROW_DOWN:
	case ROW_SHORT:
	case ROW_NO_NODE:
	case ROW_LOST:
	case ROW_UNBOUND:
	case ROW_UNREADABLE:
	case ROW_DOWN_TOO:
		return ROW_MARK_PROBLEM;
	case ROW_ABSENT:
	case ROW_PLANE:
	case ROW_SLOW:
	case ROW_NO_GID:
		return ROW_MARK_WARNING;
	case ROW_UNCLEAR:
		return ROW_MARK_UNCLEAR;
	case ROW_FINE:
	case ROW_UNWATCHED:
	case ROW_VIRTUAL:
	case ROW_VERDICT_N:
		break;
	}
	return ROW_MARK_NONE;
}

/* Show a pending read only after this time: every timeout takes some seconds. */
#define IN_FLIGHT_SHOWN_MS 5000

/* --- evaluation --- */

/* Append a problem to the row's reason. The worst problem sets the row's verdict. */
static void __attribute__((format(printf, 3, 4)))
add(struct row *row, enum row_verdict verdict, const char *format, ...)
{
	size_t used = strlen(row->reason);
	va_list args;

	if (verdict < row->verdict)
		row->verdict = verdict;
	if (used > 0)
		used += (size_t)snprintf(row->reason + used, sizeof row->reason - used, "%s", "; ");
	va_start(args, format);
	if (used < sizeof row->reason)
		vsnprintf(row->reason + used, sizeof row->reason - used, format, args);
	va_end(args);
}

/* Return true if GPUs depend on the port, whatever its peers' state. Without roles of topoclass,
 * assume so for InfiniBand, like topoclass does. */
static bool
is_compute(const struct scanrec_port *port)
{
	return portfacts_no_peers(port->role) == NULL ? strcmp(port->role, "compute") == 0
						      : !portfacts_is_ethernet(port);
}

static void
eval_down(struct row *row, const struct evidence *evidence)
{
	bool compute = is_compute(row->port);
	enum row_verdict without_evidence = compute ? ROW_DOWN_TOO : ROW_UNCLEAR;

	/* A pinned device needs no evidence, whatever its role. */
	if (row->device != NULL && portfacts_is_pinned(row->device)) {
		add(row, ROW_DOWN, "override matches it");
		return;
	}
	switch (evidence->verdict) {
	case EVIDENCE_BELOW:
		add(row, ROW_DOWN, "peers are up");
		return;
	case EVIDENCE_ZERO:
		add(row, without_evidence, "peers are down, too");
		return;
	case EVIDENCE_TIED:
		add(row, without_evidence, "peers differ");
		return;
	case EVIDENCE_ALONE:
		add(row, without_evidence, "no peers");
		return;
	case EVIDENCE_MEETS:
		/* As many of its card's ports are up as on other cards: a platform that uses one of
		 * two. */
		add(row, ROW_UNCLEAR, "peers alike");
		return;
	case EVIDENCE_NONE:
	case EVIDENCE_VERDICT_N:
		break;
	}
	add(row, without_evidence, "not compared");
}

static void
eval_up(struct row *row, const struct evidence *evidence, const struct peers_port *peers)
{
	char reason[PEERS_TEXT_SIZE];
	unsigned ports = evidence->ports;
	enum portfacts_gids gids = portfacts_gids(row->port);

	/* A missing port has no row, so the card's first port reports it. Without roles, skip this:
	 * cards of different types may be compared. */
	if (evidence->verdict == EVIDENCE_BELOW && evidence->first &&
		ports < evidence->peer_active && portfacts_no_peers(row->port->role) == NULL)
		add(row, ROW_SHORT, "its card has %u port%s, peers %u", ports, text_plural(ports),
			evidence->peer_active);
	if (peers->verdict == PEERS_RATE_BELOW || peers->verdict == PEERS_WIDTH_BELOW)
		add(row, ROW_SLOW, "%s", peers_reason(peers, reason, sizeof reason));
	if (*portfacts_gids_reason(gids) != '\0')
		add(row, ROW_NO_GID, "%s", portfacts_gids_reason(gids));
}

/* Check uverbs and umad. issm is skipped: only the service's configuration tells whether it should
 * exist. A part of another device has no uverbs. */
static void
eval_nodes(struct row *row)
{
	if (row->device != NULL && row->device->parent != NULL)
		return;
	if (row->device != NULL && row->device->uverbs == CHARDEV_MISSING)
		add(row, ROW_NO_NODE, "no uverbs");
	if (row->port->umad == CHARDEV_MISSING)
		add(row, ROW_NO_NODE, "no umad");
}

/* A NIC keeps working without one of its planes, at reduced capacity. */
static void
eval_plane(struct row *row)
{
	if (!row->port->monitored)
		row->verdict = ROW_UNWATCHED;
	else if (row->port->state == NULL || row->port->phys_state == NULL)
		add(row, ROW_UNCLEAR, "state cannot be read");
	else if (!portfacts_is_up(row->port))
		add(row, ROW_PLANE, "plane %lld of %.64s is down", (long long)row->port->port,
			row->device->parent);
}

static void
eval_port(struct row *row, bool watched, const struct evidence *evidence,
	const struct peers_port *peers)
{
	if (row->device != NULL && row->device->vf)
		row->verdict = ROW_VIRTUAL;
	else if (row->device != NULL && row->device->parent != NULL)
		eval_plane(row);
	else if (!watched)
		row->verdict = ROW_UNWATCHED;
	else if (row->port->state == NULL || row->port->phys_state == NULL)
		add(row, ROW_UNREADABLE, "state cannot be read");
	else if (portfacts_is_up(row->port))
		eval_up(row, evidence, peers);
	else
		eval_down(row, evidence);
	if (watched && row->verdict < ROW_UNWATCHED)
		eval_nodes(row);
}

static void
add_error(struct row *row, size_t ports)
{
	const struct scanrec_device *device = row->device;
	const enum row_verdict verdict = device->parent != NULL ? ROW_UNCLEAR : ROW_UNREADABLE;

	add(row, verdict, "cannot be read%s: %.64s", ports > 0 ? " in full" : "", device->error);
	if (device->in_flight_ms >= IN_FLIGHT_SHOWN_MS)
		add(row, verdict, "%.16s read for %lld s",
			device->in_flight != NULL ? device->in_flight : "state",
			(long long)device->in_flight_ms / 1000);
}

/* Evaluate a device without ports or with an error; other devices have only port rows. `ports`:
 * number of its port rows. */
static void
eval_device(struct row *row, size_t ports)
{
	const struct scanrec_device *device = row->device;

	/* For a plane, the state of the NIC itself shows whether it works. */
	if (device->error != NULL)
		add_error(row, ports);
	else if (ports == 0)
		add(row, ROW_UNCLEAR, "%s",
			device->ports > 0 ? "its ports were lost" : "has no ports");
	if (device->vf)
		row->verdict = ROW_VIRTUAL;
	else if (!portfacts_may_be_watched(device))
		row->verdict = ROW_UNWATCHED;
}

/* --- rows --- */

static int
eval_peers(const struct scan *scan, struct peers_port *peers)
{
	for (size_t i = 0; i < scan->port_count; i++) {
		const struct scan_port *port = &scan->ports[i];
		bool counts = evidence_is_watched(scan, port) && portfacts_is_up(&port->record);
		peers[i] = peers_describe(scan, port, counts);
	}
	return peers_eval(peers, scan->port_count);
}

/* Return a new row, valid until the next one is made, or NULL when memory ran out. */
static struct row *
new_row(struct row_list *list)
{
	struct row *items = array_grown(list->items, list->count, &list->capacity, sizeof *items);
	if (items == NULL)
		return NULL;
	list->items = items;
	struct row *row = &items[list->count++];
	*row = (struct row){.verdict = ROW_FINE};
	return row;
}

/* The functions that collect rows return 0, or -1 when memory ran out. */

static int
collect_ports(struct row_list *list, const struct scan *scan, const struct evidence *evidence,
	const struct peers_port *peers, size_t *ports_of)
{
	for (size_t i = 0; i < scan->port_count; i++) {
		const struct scan_port *port = &scan->ports[i];
		struct row *row = new_row(list);
		if (row == NULL)
			return -1;
		row->port = &port->record;
		if (port->device != SIZE_MAX) {
			row->device = &scan->devices[port->device].record;
			ports_of[port->device]++;
		}
		eval_port(row, evidence_is_watched(scan, port), &evidence[i], &peers[i]);
	}
	return 0;
}

static int
collect_devices(struct row_list *list, const struct scan *scan, const size_t *ports_of)
{
	for (size_t i = 0; i < scan->device_count; i++) {
		const struct scanrec_device *device = &scan->devices[i].record;
		if (device->error == NULL && ports_of[i] > 0)
			continue;
		struct row *row = new_row(list);
		if (row == NULL)
			return -1;
		row->device = device;
		eval_device(row, ports_of[i]);
	}
	return 0;
}

/* Return a member of topoclass's summary, or NULL without topoclass. Also NULL if records of the
 * scan were lost: a NIC may be missing for that reason. */
static const json_t *
in_topology(const struct scan *scan, const char *key)
{
	if (!scan->whole || !scan->listed)
		return NULL;
	return json_object_get(json_object_get(scan->begin_json, "topology"), key);
}

static int
add_unbound(
	struct row_list *list, const struct scan *scan, const char *pci, enum row_verdict verdict)
{
	const char *driver;
	struct row *row = new_row(list);
	if (row == NULL)
		return -1;
	row->unbound = pci;
	scanrec_function(&scan->end, pci, &driver);
	add(row, verdict, driver != NULL ? "no RDMA device" : "no driver bound");
	return 0;
}

/* A function without a driver counts as a missing NIC, unless topoclass knows that none is
 * missing. */
static int
collect_unbound(struct row_list *list, const struct scan *scan)
{
	const json_t *unbound = scan->end_json != NULL ? scan->end.unbound : NULL;
	bool known = json_integer_value(in_topology(scan, "nics")) > 0;
	const json_t *lost = in_topology(scan, "lost");
	bool missed = !known || json_array_size(lost) > 0;

	for (size_t i = 0; i < json_array_size(unbound); i++) {
		const char *pci = json_string_value(json_array_get(unbound, i));
		if (pci != NULL &&
			add_unbound(list, scan, pci, missed ? ROW_UNBOUND : ROW_UNCLEAR) < 0)
			return -1;
	}
	/* Functions of other vendors, and those with a driver, count only if they are listed as
	 * lost. */
	for (size_t i = 0; i < json_array_size(lost); i++) {
		const char *pci = json_string_value(json_array_get(lost, i));
		if (pci != NULL && pcipath_is_address(pci) && !rec_has_text(unbound, pci) &&
			add_unbound(list, scan, pci, ROW_UNBOUND) < 0)
			return -1;
	}
	return 0;
}

static int
collect_absent(struct row_list *list, const struct scan *scan)
{
	const json_t *absent = in_topology(scan, "absent"), *lost = in_topology(scan, "lost");

	for (size_t i = 0; i < json_array_size(absent); i++) {
		const char *name = json_string_value(json_array_get(absent, i));
		if (name == NULL)
			continue;
		struct row *row = new_row(list);
		if (row == NULL)
			return -1;
		row->absent = name;
		if (rec_has_text(lost, name))
			add(row, ROW_LOST, "lost");
		else
			add(row, ROW_ABSENT, "only in GPU metadata");
	}
	return 0;
}

/* Sort by verdict, stable. */
static int
sort(struct row_list *list)
{
	size_t starts[ROW_VERDICT_N + 1] = {0};
	struct row *sorted = calloc(list->count + 1, sizeof *sorted);
	if (sorted == NULL)
		return -1;
	for (size_t i = 0; i < list->count; i++)
		starts[list->items[i].verdict + 1]++;
	for (size_t v = 1; v < ROW_VERDICT_N; v++)
		starts[v] += starts[v - 1];
	for (size_t i = 0; i < list->count; i++)
		sorted[starts[list->items[i].verdict]++] = list->items[i];
	free(list->items);
	list->items = sorted;
	list->capacity = list->count + 1;
	return 0;
}

int
rows_init(struct row_list *list, const struct scan *scan)
{
	size_t ports = scan->port_count + 1,
	       devices = scan->device_count + 1; /* one more: calloc(0) may return NULL */
	struct evidence *evidence = calloc(ports, sizeof *evidence);
	struct peers_port *peers = calloc(ports, sizeof *peers);
	size_t *ports_of = calloc(devices, sizeof *ports_of);
	int status = -1;

	*list = (struct row_list){0};
	if (evidence != NULL && peers != NULL && ports_of != NULL &&
		evidence_collect(scan, evidence) == 0 && eval_peers(scan, peers) == 0 &&
		collect_ports(list, scan, evidence, peers, ports_of) == 0 &&
		collect_devices(list, scan, ports_of) == 0 && collect_unbound(list, scan) == 0 &&
		collect_absent(list, scan) == 0)
		status = sort(list);
	free(evidence);
	free(peers);
	free(ports_of);
	if (status < 0)
		rows_fini(list);
	return status;
}

void
rows_fini(struct row_list *list)
{
	free(list->items);
	*list = (struct row_list){0};
}

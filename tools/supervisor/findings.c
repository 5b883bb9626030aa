/* findings - a list of pre-flight findings, each one line; evaluates a scan. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "findings.h"

#include "array.h"
#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
findings_add(struct findings *findings, const struct finding *finding)
{
	struct finding *items =
		array_grown(findings->items, findings->count, &findings->capacity, sizeof *items);
	if (items != NULL)
		findings->items = items;
	if (items == NULL || finding->text == NULL) {
		findings->failed = true;
		free(finding->text);
		return;
	}
	findings->items[findings->count++] = *finding;
}

void
findings_report(struct findings *findings, enum finding_severity severity, int exit_code,
	const char *format, ...)
{
	struct finding finding = {.severity = severity, .exit_code = exit_code};
	va_list arguments;
	va_start(arguments, format);
	if (vasprintf(&finding.text, format, arguments) < 0)
		finding.text = NULL;
	va_end(arguments);
	findings_add(findings, &finding);
}

int
findings_exit_code(const struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++) {
		if (findings->items[i].severity == FINDING_FATAL)
			return findings->items[i].exit_code;
	}
	return 0;
}

void
findings_fini(struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++)
		free(findings->items[i].text);
	free(findings->items);
	*findings = (struct findings){0};
}

/* A comma-separated list that ends with " and more" if it would be too long for a line. */
struct words {
	char text[600];
	size_t length;
	bool is_cut;
};

#define CUT " and more"

static void __attribute__((format(printf, 2, 3)))
add_words(struct words *words, const char *format, ...)
{
	char item[160];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(item, sizeof item, format, arguments);
	va_end(arguments);
	size_t length = strlen(item), separator = words->length > 0 ? 2 : 0;
	char *at = words->text + words->length;
	if (words->is_cut)
		return;
	if (words->length + separator + length + strlen(CUT) >= sizeof words->text) {
		strcpy(at, CUT);
		words->is_cut = true;
		return;
	}
	memcpy(at, ", ", separator);
	memcpy(at + separator, item, length + 1);
	words->length += separator + length;
}

/* --- why devices are not monitored --- */

/* Return why a device will have no monitored ports. */
static const char *
reason_of(const struct scanrec_device *device)
{
	if (device->vf && device->monitored)
		return "virtual function";
	if (device->monitored && device->parent != NULL)
		return "part of another";
	if (device->monitored)
		return device->error != NULL ? "unreadable" : "without ports";
	return device->reason != NULL ? device->reason : "without a reason";
}

static size_t
count_reason(const struct scan *scan, const char *reason)
{
	size_t count = 0;
	for (size_t i = 0; i < scan->device_count; i++)
		count += strcmp(reason_of(&scan->devices[i].record), reason) == 0;
	return count;
}

static bool
is_first_of_its_reason(const struct scan *scan, size_t index)
{
	const char *reason = reason_of(&scan->devices[index].record);
	size_t i = 0;
	while (strcmp(reason_of(&scan->devices[i].record), reason) != 0)
		i++;
	return i == index;
}

static void
report_nothing_monitored(struct findings *findings, const struct scan *scan)
{
	struct words reasons = {0};
	for (size_t i = 0; i < scan->device_count; i++) {
		if (!is_first_of_its_reason(scan, i))
			continue;
		const char *reason = reason_of(&scan->devices[i].record);
		add_words(&reasons, "%zu %s", count_reason(scan, reason), reason);
	}
	findings_report(findings, FINDING_LOUD, 0,
		"no port is monitored: %zu device%s: %s: see topoclass(1) for the reasons, or "
		"name the NICs in nicInclusionRegexOverride",
		scan->device_count, text_plural(scan->device_count), reasons.text);
}

/* --- what is monitored --- */

struct tally {
	size_t devices, ports, compute, storage, fabric, others;
};

static bool
is_role(const struct scanrec_port *port, const char *role)
{
	return port->role != NULL && strcmp(port->role, role) == 0;
}

/* Count the monitored ports, without those of virtual functions, which are not evaluated, and of
 * planes, which are parts of another port. */
static struct tally
count_ports(const struct scan *scan)
{
	struct tally tally = {0};
	size_t last = SIZE_MAX;
	for (size_t i = 0; i < scan->port_count; i++) {
		const struct scan_port *item = &scan->ports[i];
		const struct scanrec_port *port = &item->record;
		if (!port->monitored || item->device == SIZE_MAX ||
			scan->devices[item->device].record.vf ||
			scan->devices[item->device].record.parent != NULL)
			continue;
		/* The ports of one device are consecutive. */
		tally.devices += item->device != last;
		last = item->device;
		tally.ports++;
		if (is_role(port, "compute"))
			tally.compute++;
		else if (is_role(port, "storage"))
			tally.storage++;
		else if (is_role(port, "fabric"))
			tally.fabric++;
		else
			tally.others++;
	}
	return tally;
}

static void
report_monitored(struct findings *findings, const struct tally *tally)
{
	struct words roles = {0};
	if (tally->compute > 0)
		add_words(&roles, "compute %zu", tally->compute);
	if (tally->storage > 0)
		add_words(&roles, "storage %zu", tally->storage);
	if (tally->fabric > 0)
		add_words(&roles, "fabric %zu", tally->fabric);
	if (tally->others > 0)
		add_words(&roles, "without a role %zu", tally->others);
	findings_report(findings, FINDING_NOTE, 0,
		"pre-flight: %zu port%s of %zu device%s to be monitored (%s)", tally->ports,
		text_plural(tally->ports), tally->devices, text_plural(tally->devices), roles.text);
}

/* --- problems of devices --- */

static void
report_unreadable(struct findings *findings, const struct scan *scan)
{
	struct words devices = {0};
	for (size_t i = 0; i < scan->device_count; i++) {
		const struct scanrec_device *device = &scan->devices[i].record;
		if (device->monitored && !device->vf && device->error != NULL)
			add_words(&devices, "%s (%s)", device->device, device->error);
	}
	if (devices.length > 0)
		findings_report(
			findings, FINDING_WARNING, 0, "NICs that cannot be read: %s", devices.text);
}

static void
report_absent(struct findings *findings, const struct scan *scan)
{
	struct words devices = {0};
	const json_t *absent =
		json_object_get(json_object_get(scan->begin_json, "topology"), "absent");
	for (size_t i = 0; i < json_array_size(absent); i++) {
		const char *name = json_string_value(json_array_get(absent, i));
		add_words(&devices, "%s", name != NULL ? name : "?");
	}
	if (devices.length > 0)
		findings_report(findings, FINDING_WARNING, 0,
			"in the GPU metadata, but not on this node: %s: either they were lost, "
			"or the metadata is old",
			devices.text);
}

/* --- the directory of all devices --- */

/* The directory does not exist until an RDMA module is loaded. */
static void
report_unlisted(struct findings *findings, const char *root, bool is_sysfs, const char *error)
{
	if (strcmp(error, "ENOENT") != 0)
		findings_report(findings, FINDING_LOUD, 0,
			"%s/class/infiniband cannot be listed (%s): no device will be seen", root,
			error);
	else if (is_sysfs)
		findings_report(findings, FINDING_WARNING, 0,
			"no RDMA devices: there is no %s/class/infiniband: if this node has "
			"NICs, their driver is not loaded",
			root);
	else
		findings_report(findings, FINDING_LOUD, 0,
			"%s is not a sysfs: there is no class/net: no device will be seen: mount "
			"the host's there, or name it with --sysfs-root",
			root);
}

void
findings_eval_scan(
	struct findings *findings, const struct scan *scan, const char *sysfs_root, bool is_sysfs)
{
	if (scan->end.error != NULL) {
		report_unlisted(findings, sysfs_root, is_sysfs, scan->end.error);
		return;
	}
	if (scan->device_count == 0) {
		findings_report(findings, FINDING_WARNING, 0,
			"no RDMA devices: %s/class/infiniband is empty", sysfs_root);
		return;
	}
	const struct tally tally = count_ports(scan);
	if (tally.ports == 0)
		report_nothing_monitored(findings, scan);
	report_unreadable(findings, scan);
	report_absent(findings, scan);
	if (tally.ports > 0)
		report_monitored(findings, &tally);
}

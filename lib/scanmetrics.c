/* scanmetrics - converts a scan into Prometheus metrics. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "scanmetrics.h"

#include "array.h"
#include "clock.h"
#include "exposition.h"
#include "promtext.h"
#include "utf8.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BYTES_PER_GIGABIT 125e6

/* Write a metric with one sample and no labels. */
static void
put_single(struct exposition *to, const char *name, const char *help, uint64_t value)
{
	exposition_family(to, name, METRICS_GAUGE, help);
	exposition_sample(to);
	exposition_value(to, value);
}

/* --- the scan --- */

/* Use the time of scan.end, or of scan.begin if the end was lost, so that a check for old files
 * always finds a time stamp. */
static void
put_timestamp(struct exposition *to, const struct scan *scan)
{
	uint64_t ns;
	const char *end = scan->end_json != NULL ? scan->end.ts : NULL;
	if (!(end != NULL && clock_parse(end, &ns)) && !clock_parse(scan->begin.ts, &ns))
		return;
	exposition_family(to, "nic_scan_timestamp_seconds", METRICS_GAUGE,
		"When the scan ended, in seconds since 1970.");
	exposition_sample(to);
	exposition_value_millionths(to, ns / 1000);
}

static void
put_scan(struct exposition *to, const struct scan *scan)
{
	exposition_family(
		to, "nic_scan_info", METRICS_GAUGE, "Node and boot of the scan; always 1.");
	exposition_sample(to);
	exposition_label(to, "node", scan->begin.node);
	exposition_label(to, "boot_id", scan->begin.boot_id);
	exposition_value(to, 1);

	put_timestamp(to, scan);
	bool ended = scan->end_json != NULL;
	if (ended && scan->end.duration_us >= 0) {
		exposition_family(
			to, "nic_scan_duration_seconds", METRICS_GAUGE, "How long the scan took.");
		exposition_sample(to);
		exposition_value_millionths(to, (uint64_t)scan->end.duration_us);
	}
	if (ended)
		put_single(to, "nic_scan_listed",
			"1 when the class directory of RDMA devices could be listed.",
			scan->listed);
	put_single(to, "nic_scan_complete",
		"1 when every device was read in full and no record was lost.",
		ended && scan->whole && scan->complete);
	put_single(to, "nic_scan_devices", "Devices found, readable or not.", scan->device_count);
	put_single(to, "nic_scan_ports", "Ports found.", scan->port_count);
	if (ended && scan->end.unbound != NULL)
		put_single(to, "nic_pci_functions_unbound",
			"PCI functions of network cards that no driver is bound to.",
			json_array_size(scan->end.unbound));
}

/* --- devices --- */

static void
label_device(struct exposition *to, const struct scan_device *device)
{
	const struct scanrec_device *record = &device->record;
	bool monitored;

	exposition_label(to, "device", record->device);
	exposition_label(to, "pci", record->pci);
	exposition_label(to, "vendor", record->vendor);
	exposition_label(to, "driver", record->driver);
	exposition_label(to, "hca_type", record->hca_type);
	exposition_label(to, "fw_ver", record->fw_ver);
	exposition_label(to, "board_id", record->board_id);
	exposition_label(to, "node_guid", record->node_guid);
	if (record->numa_node >= 0)
		exposition_label_integer(to, "numa_node", record->numa_node);
	else
		exposition_label(to, "numa_node", NULL);
	exposition_label(to, "vf", record->vf ? "true" : "false");
	exposition_label(to, "parent", record->parent);
	exposition_label(to, "error", record->error);
	exposition_label(to, "card", record->card);
	exposition_label(to, "role", record->role);
	exposition_label(to, "reason", record->reason);
	/* The decoded `monitored` defaults to true: show only what the record contains. */
	bool said = rec_get_bool(device->json, "monitored", &monitored) == REC_OK;
	exposition_label(to, "monitored", !said ? NULL : monitored ? "true" : "false");
}

static void
put_devices(struct exposition *to, const struct scan *scan)
{
	exposition_family(to, "nic_device_info", METRICS_GAUGE,
		"Properties of the device, as labels; always 1.");
	for (size_t i = 0; i < scan->device_count; i++) {
		exposition_sample(to);
		label_device(to, &scan->devices[i]);
		exposition_value(to, 1);
	}
	exposition_family(
		to, "nic_device_readable", METRICS_GAUGE, "1 when the device was read in full.");
	for (size_t i = 0; i < scan->device_count; i++) {
		exposition_sample(to);
		exposition_label(to, "device", scan->devices[i].record.device);
		exposition_value(to, scan->devices[i].record.error == NULL);
	}
}

/* --- ports --- */

/* The labels that all series of a port share, as text made once. */
struct port_labels {
	struct strbuf text; /* those of all ports in sequence */
	size_t *ends;       /* ends[i] begins port i, ends[i + 1] ends it */
};

/* Return 0, or -1 when out of memory; free them in either case. */
static int
port_labels_init(struct port_labels *labels, const struct scan *scan)
{
	*labels = (struct port_labels){.ends = calloc(scan->port_count + 1, sizeof *labels->ends)};
	if (labels->ends == NULL)
		return -1;
	for (size_t i = 0; i < scan->port_count; i++) {
		const struct scanrec_port *port = &scan->ports[i].record;
		char number[24];
		snprintf(number, sizeof number, "%" PRId64, port->port);
		promtext_add_label(&labels->text, "device", port->device);
		promtext_add_label(&labels->text, "port", number);
		promtext_add_label(&labels->text, "transport", port->link_layer);
		labels->ends[i + 1] = labels->text.length;
	}
	return labels->text.is_short ? -1 : 0;
}

static void
port_labels_fini(struct port_labels *labels)
{
	strbuf_fini(&labels->text);
	free(labels->ends);
}

/* Begin a sample of a port. */
static void
begin_port(struct exposition *to, const struct port_labels *labels, size_t port)
{
	size_t start = labels->ends[port];
	exposition_sample(to);
	exposition_labels(to, labels->text.bytes + start, labels->ends[port + 1] - start);
}

static void
put_port_info(struct exposition *to, const struct scan *scan, const struct port_labels *labels)
{
	exposition_family(to, "nic_port_info", METRICS_GAUGE,
		"States and rate of the port, as labels; always 1.");
	for (size_t i = 0; i < scan->port_count; i++) {
		const struct scanrec_port *port = &scan->ports[i].record;
		begin_port(to, labels, i);
		exposition_label(to, "state", port->state);
		exposition_label(to, "phys_state", port->phys_state);
		exposition_label(to, "rate", port->rate);
		exposition_label(to, "netdev", port->netdev);
		exposition_label(to, "operstate", port->operstate);
		exposition_value(to, 1);
	}
}

static void
put_rates(struct exposition *to, const struct scan *scan, const struct port_labels *labels)
{
	exposition_family(
		to, "nic_port_rate_bytes_per_second", METRICS_GAUGE, "Rate of the port's link.");
	for (size_t i = 0; i < scan->port_count; i++) {
		const struct scanrec_port *port = &scan->ports[i].record;
		double rate = port->rate_gbps * BYTES_PER_GIGABIT;
		if (port->rate_gbps == 0 || !isfinite(rate))
			continue;
		begin_port(to, labels, i);
		exposition_value_real(to, rate);
	}
}

static int64_t
state_of(const struct scanrec_port *port)
{
	return port->state_id;
}

static int64_t
phys_state_of(const struct scanrec_port *port)
{
	return port->phys_state_id;
}

/* Write one metric for all ports. A negative number is not in the record and is left out. */
static void
put_port_numbers(struct exposition *to, const struct scan *scan, const struct port_labels *labels,
	const char *name, const char *help, int64_t (*number_of)(const struct scanrec_port *))
{
	exposition_family(to, name, METRICS_GAUGE, help);
	for (size_t i = 0; i < scan->port_count; i++) {
		int64_t number = number_of(&scan->ports[i].record);
		if (number < 0)
			continue;
		begin_port(to, labels, i);
		exposition_value(to, (uint64_t)number);
	}
}

static void
put_gids(struct exposition *to, const struct scan *scan, const struct port_labels *labels)
{
	static const char *const kinds[] = {"total", "ipv4_mapped", "roce_v2"};

	exposition_family(to, "nic_port_gids", METRICS_GAUGE,
		"Valid entries of the port's GID table, of each kind.");
	for (size_t i = 0; i < scan->port_count; i++) {
		for (size_t k = 0; k < ARRAY_COUNT(kinds); k++) {
			uint64_t number;
			if (rec_get_u64(scan->ports[i].record.gids, kinds[k], &number) != REC_OK)
				continue;
			begin_port(to, labels, i);
			exposition_label(to, "kind", kinds[k]);
			exposition_value(to, number);
		}
	}
}

/* --- counters --- */

/* Return the counter of the watch-list that reads this file, preferably one with the file's name;
 * NULL if there is none. */
static const struct counter_def *
find_counter(const struct counter_list *known, const struct counter_family *family)
{
	const char *map = counter_group_key(family->group);
	const struct counter_def *found = NULL;
	for (size_t i = 0; i < known->count; i++) {
		const struct counter_def *def = &known->items[i];
		if (strcmp(def->file, family->file) != 0 ||
			strcmp(counter_group_key(def->group), map) != 0)
			continue;
		if (found == NULL || strcmp(def->name, def->file) == 0)
			found = def;
	}
	return found;
}

/* Return the help text: the description from the watch-list, if any, and the file. NULL when out of
 * memory. */
static char *
help_new(const struct counter_list *known, const struct counter_family *family)
{
	const char *map = counter_group_key(family->group);
	const char *unit = family->words ? ", in bytes (sysfs counts 4-byte words)" : "";
	const struct counter_def *def = find_counter(known, family);
	/* A file name may have any length and bytes. */
	int length = (int)utf8_cut(family->file, strlen(family->file), 128), status;
	char *help;

	if (def != NULL)
		status = asprintf(
			&help, "%s (%s/%s of the port)%s.", def->description, map, def->file, unit);
	else
		status = asprintf(
			&help, "Counter %s/%.*s of the port%s.", map, length, family->file, unit);
	return status < 0 ? NULL : help;
}

/* Return 0, or -1 when out of memory. */
static int
put_counters(struct exposition *to, const struct port_labels *labels, struct scanmetrics *kept)
{
	const struct port_counters *counters = &kept->counters;
	size_t current = SIZE_MAX;
	for (size_t i = 0; i < counters->sample_count; i++) {
		const struct portcounters_sample *sample = &counters->samples[i];
		struct counter_family *family = &counters->families[sample->family];
		if (family->help == NULL)
			family->help = help_new(&kept->known, family);
		if (family->help == NULL)
			return -1;
		if (sample->family != current)
			exposition_family(to, family->name, METRICS_COUNTER, family->help);
		current = sample->family;
		begin_port(to, labels, sample->port);
		exposition_value(to, (unsigned __int128)sample->value * (family->words ? 4 : 1));
	}
	return 0;
}

/* Write all metrics, in this order. Return 0, or -1 when out of memory. */
static int
put_all(struct exposition *to, const struct scan *scan, struct scanmetrics *kept)
{
	struct port_labels labels = {.ends = NULL};
	int result = -1;

	if (kept->known.count == 0 && counter_list_init(&kept->known) < 0)
		return -1;
	if (portcounters_sort(&kept->counters, scan) < 0 || port_labels_init(&labels, scan) < 0)
		goto done;

	put_scan(to, scan);
	put_devices(to, scan);
	put_port_info(to, scan, &labels);
	put_port_numbers(to, scan, &labels, "nic_port_state",
		"State of the port: 1 DOWN, 2 INIT, 3 ARMED, 4 ACTIVE, 5 ACTIVE_DEFER.", state_of);
	put_port_numbers(to, scan, &labels, "nic_port_phys_state",
		"Physical state of the port: 1 Sleep, 2 Polling, 3 Disabled, "
		"4 PortConfigurationTraining, 5 LinkUp, 6 LinkErrorRecovery, 7 Phy Test.",
		phys_state_of);
	put_rates(to, scan, &labels);
	put_gids(to, scan, &labels);
	result = put_counters(to, &labels, kept);

done:
	port_labels_fini(&labels);
	return exposition_fini(to) < 0 ? -1 : result;
}

int
scanmetrics_print(const struct scan *scan, FILE *out)
{
	struct exposition to = {.out = out};
	struct scanmetrics once = {.known = {.items = NULL}};
	int result = put_all(&to, scan, &once);
	scanmetrics_fini(&once);
	return result < 0 || ferror(out) ? -1 : 0;
}

int
scanmetrics_set(struct scanmetrics *scanmetrics, const struct scan *scan, struct metrics *metrics)
{
	struct exposition to = {.metrics = metrics};
	return put_all(&to, scan, scanmetrics);
}

void
scanmetrics_fini(struct scanmetrics *scanmetrics)
{
	portcounters_fini(&scanmetrics->counters);
	counter_list_fini(&scanmetrics->known);
}

/* scanner - runs one scan: lists the devices, reads them and writes the records. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "scanner.h"

#include "chardevs.h"
#include "diag.h"
#include "functions.h"
#include "num.h"
#include "portrecord.h"
#include "readers.h"
#include "record.h"
#include "roster.h"
#include "told.h"
#include "utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Size of a boot id, a UUID, with room to spare. */
#define BOOT_ID_SIZE 65

struct scanner {
	const struct scan_setting *setting;
	struct readers *readers;
	struct roster roster;
	uint64_t scan;               /* number of the latest scan */
	struct functions *functions; /* on the PCI bus */
	struct chardevs *chardevs;
	uint64_t functions_ns; /* when they were last listed, CLOCK_MONOTONIC */

	char boot_id[BOOT_ID_SIZE];
	bool is_boot_known;
	bool unstaffed; /* no thread can be started to read devices */

	/* of the current scan */
	size_t devices_written, ports_written;
	struct strbuf unreadable; /* names of devices */
	struct strbuf elsewhere;  /* the same: in other network namespaces */
	struct strbuf line;
};

/* A scan waits for a device for the interval, but at least this long, because the machine may be
 * busy, and at most for --device-timeout (spec#device-deadline). */
#define PATIENCE_LEAST_NS NUM_NS_PER_S

uint64_t
scanner_patience_ns(const struct scan_setting *setting)
{
	uint64_t patience = setting->interval_ns;
	if (patience < PATIENCE_LEAST_NS)
		patience = PATIENCE_LEAST_NS;
	if (setting->interval_ns == 0 || setting->device_timeout_ns < patience)
		patience = setting->device_timeout_ns;
	return patience;
}

struct scanner *
scanner_new(const struct scan_setting *setting)
{
	struct scanner *scanner = calloc(1, sizeof *scanner);
	if (scanner == NULL)
		return NULL;
	scanner->setting = setting;
	scanner->functions = functions_new();
	scanner->chardevs = chardevs_new();
	if (scanner->functions != NULL && scanner->chardevs != NULL)
		scanner->readers =
			readers_new(setting->root, setting->config, scanner_patience_ns(setting));
	if (scanner->readers == NULL) {
		functions_free(scanner->functions);
		chardevs_free(scanner->chardevs);
		free(scanner);
		return NULL;
	}
	return scanner;
}

bool
scanner_free(struct scanner *scanner)
{
	readers_interrupt(scanner->roster.devices, scanner->roster.count, 0);
	if (!readers_free(scanner->readers))
		return false;
	roster_fini(&scanner->roster);
	functions_free(scanner->functions);
	chardevs_free(scanner->chardevs);
	strbuf_fini(&scanner->unreadable);
	strbuf_fini(&scanner->elsewhere);
	strbuf_fini(&scanner->line);
	free(scanner);
	return true;
}

/* --- functions on the PCI bus --- */

/* An unloading driver removes its device first and releases the PCI function last; a loading driver
 * does the reverse. */
#define DRIVER_CHANGE_NS (5 * NUM_NS_PER_S)

/* Minimum interval between two listings of the functions during such a change. */
#define FUNCTIONS_LOOK_NS NUM_NS_PER_S

/* Read the NIC functions. List them as rarely as identities are read, but more often while devices
 * appear or disappear. Otherwise check only those that have no device in this scan. */
static void
read_functions(struct scanner *scanner)
{
	uint64_t now_ns = clock_monotonic_ns(), change_ns = scanner->roster.change_ns;
	uint64_t good_for_ns =
		now_ns - change_ns > DRIVER_CHANGE_NS ? IBSCAN_REOPEN_NS : FUNCTIONS_LOOK_NS;
	if (scanner->functions_ns > change_ns && now_ns - scanner->functions_ns < good_for_ns) {
		functions_recheck(scanner->functions, scanner->setting->root);
		return;
	}
	functions_list(scanner->functions, scanner->setting->root);
	scanner->functions_ns = now_ns;
}

/* --- writing --- */

int
scanner_write_begin(
	struct scanner *scanner, const struct clock_moment *when, bool extra, uint64_t *scan)
{
	const struct scan_setting *setting = scanner->setting;
	/* Reject a value that is too long, empty or not UTF-8: it is no boot id
	 * (drivers/char/random.c writes a UUID). Once read, it never changes. */
	scanner->is_boot_known =
		scanner->is_boot_known ||
		(sysfs_read_file(setting->boot_id_path, scanner->boot_id,
			 sizeof scanner->boot_id) == SYSFS_OK &&
			*scanner->boot_id != '\0' && utf8_is_valid(scanner->boot_id));
	scanner->scan++;
	*scan = scanner->scan;
	const struct record_begin begin = {
		.when = *when,
		.node = setting->node,
		.boot_id = scanner->is_boot_known ? scanner->boot_id : NULL,
		/* Round up, because 0 means a single scan. */
		.interval_ms = (setting->interval_ns + NUM_NS_PER_MS - 1) / NUM_NS_PER_MS,
		.extra = extra,
	};
	return output_write_line(setting->output, &scanner->line,
		record_begin_line(&scanner->line, scanner->scan, &begin));
}

static int
write_port(struct scanner *scanner, const struct device *device, struct port *port)
{
	const struct scan_setting *setting = scanner->setting;
	const struct portrecord_setting with = {
		.scan = scanner->scan, .device = device->name, .gids = setting->config->gids};

	if (output_write_line(setting->output, &scanner->line,
		    portrecord_line(&scanner->line, port, &with)) < 0)
		return -1;
	told_note(setting->told, device->name, port);
	return 0;
}

static void
mark_function(struct scanner *scanner, struct device *device)
{
	if (device->identity != NULL && device->identity->pci != NULL)
		functions_mark(scanner->functions, device->identity->pci, &device->function);
}

/* Write the record of a device that was read in full. */
static int
write_whole(struct scanner *scanner, struct device *device, size_t ports)
{
	mark_function(scanner, device);
	return output_write_line(scanner->setting->output, &scanner->line,
		record_device_line(&scanner->line, scanner->scan, device, ports));
}

/* Write the record of another device. A reader that hangs may set its identity at any time, hence
 * the lock. */
static int
write_lacking(struct scanner *scanner, struct device *device, size_t ports, const char *error)
{
	struct in_flight in_flight;

	roster_doubt(&scanner->roster);
	bool is_in_flight = !device->answered && strcmp(error, READERS_TIMEOUT) == 0 &&
			    readers_in_flight(scanner->readers, device, &in_flight);

	pthread_mutex_lock(readers_lock(scanner->readers));
	json_t *record = record_device_new(scanner->scan, device->name, device->identity, ports,
		device->uverbs, error, is_in_flight ? &in_flight : NULL);
	mark_function(scanner, device);
	pthread_mutex_unlock(readers_lock(scanner->readers));
	record_list_name(&scanner->unreadable, device->name);
	return output_write_new(scanner->setting->output, record);
}

/* Write the record of the device and those of its readable ports. */
static int
write_device(struct scanner *scanner, struct device *device)
{
	const char *error = device->answered ? device_error_name(device) : readers_silence(device);
	size_t ports = 0;
	for (size_t i = 0; device->answered && i < device->port_count; i++)
		ports += device->ports[i].error == 0;

	int status = error == NULL ? write_whole(scanner, device, ports)
				   : write_lacking(scanner, device, ports, error);
	if (status < 0)
		return -1;
	scanner->devices_written++;
	scanner->ports_written += ports;
	for (size_t i = 0; device->answered && i < device->port_count; i++) {
		struct port *port = &device->ports[i];
		if (port->error == 0 && write_port(scanner, device, port) < 0)
			return -1;
	}
	return 0;
}

/* Collect the readings of the listed devices. List the character devices last: a driver creates
 * them after the device, so those of a new device had the time of its reading to appear. One that
 * changes at this moment is missing in one scan at most. */
static void
collect(struct scanner *scanner)
{
	for (size_t i = 0; i < scanner->roster.count; i++) {
		struct device *device = scanner->roster.devices[i];
		device->answered = device->listed && readers_collect(scanner->readers, device);
	}
	chardevs_look(scanner->chardevs, scanner->setting->root, scanner->roster.devices,
		scanner->roster.count);
	chardevs_list_elsewhere(scanner->chardevs, scanner->setting->root, scanner->roster.devices,
		scanner->roster.count, &scanner->elsewhere);
}

static int
write_devices(struct scanner *scanner)
{
	for (size_t i = 0; i < scanner->roster.count; i++) {
		if (scanner->roster.devices[i]->listed &&
			write_device(scanner, scanner->roster.devices[i]) < 0)
			return -1;
	}
	return 0;
}

static int
write_end(struct scanner *scanner, uint64_t start_ns, int list_error)
{
	struct record_end end = {
		.duration_us = (clock_monotonic_ns() - start_ns) / 1000,
		.devices = scanner->devices_written,
		.ports = scanner->ports_written,
		.unreadable = scanner->unreadable.length > 0 ? scanner->unreadable.bytes : "",
		.functions = functions_fields(scanner->functions),
		.elsewhere = scanner->elsewhere.length > 0 ? scanner->elsewhere.bytes : NULL,
		.error = list_error != 0 ? sysfs_errno_name(list_error) : NULL,
		.verbs_error = list_error == 0 ? chardevs_verbs_error(scanner->chardevs) : NULL,
		.mad_error = list_error == 0 ? chardevs_mad_error(scanner->chardevs) : NULL,
	};
	clock_now(&end.when);
	struct output *output = scanner->setting->output;
	int made = scanner->unreadable.is_short || scanner->elsewhere.is_short
			   ? -1
			   : record_end_line(&scanner->line, scanner->scan, &end);
	if (output_write_line(output, &scanner->line, made) < 0)
		return -1;
	return output_flush(output);
}

/* --- the scan --- */

/* Run one scan. Return 0, or -1 with errno. */
static int
scan(struct scanner *scanner)
{
	const struct scan_setting *setting = scanner->setting;
	uint64_t start_ns = clock_monotonic_ns();
	uint64_t number;
	struct clock_moment when;
	int list_error;

	stall_begin_scan(setting->stall);
	clock_now(&when);
	scanner->devices_written = scanner->ports_written = 0;
	if (scanner_write_begin(scanner, &when, false, &number) < 0)
		return -1;

	int status = roster_update(&scanner->roster, setting->root, setting->config, &list_error);
	if (status < 0) {
		errno = ENOMEM;
		return -1;
	}

	strbuf_clear(&scanner->unreadable);
	strbuf_clear(&scanner->elsewhere);
	if (list_error == 0) {
		status = readers_ask(
			scanner->readers, scanner->roster.devices, scanner->roster.count);
		scanner->unstaffed = status < 0;
	}
	if (list_error == 0 && status == 0) {
		readers_wait(scanner->readers, scanner->roster.devices, scanner->roster.count,
			scanner_patience_ns(setting));
		collect(scanner);
		status = write_devices(scanner);
	}
	int scan_errno = errno;
	readers_interrupt(
		scanner->roster.devices, scanner->roster.count, setting->device_timeout_ns);
	if (status < 0) {
		errno = scan_errno;
		return -1;
	}
	read_functions(scanner);
	stall_end_scan(setting->stall);
	return write_end(scanner, start_ns, list_error);
}

const char *
scanner_device(const struct scanner *scanner, size_t index)
{
	for (size_t i = 0; i < scanner->roster.count; i++) {
		if (scanner->roster.devices[i]->listed && index-- == 0)
			return scanner->roster.devices[i]->name;
	}
	return NULL;
}

uint64_t
scanner_look(struct scanner *scanner)
{
	return readers_look(scanner->readers);
}

void
scanner_lose(struct scanner *scanner, uint64_t lost_ns)
{
	readers_lose(scanner->readers, lost_ns);
}

int
scanner_run(struct scanner *scanner)
{
	if (scan(scanner) == 0)
		return 0;
	if (!scanner->unstaffed)
		return diag_io_failure(output_name(scanner->setting->output));
	/* Do not complete the scan: its records would say that the devices do not answer. */
	diag_error("cannot start a thread to read devices with: %s", strerror(errno));
	return EXIT_OS;
}

/* scanner - one pass over class/infiniband: list, ask, wait, write. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "scanner.h"

#include "chardevs.h"
#include "config.h"
#include "diag.h"
#include "fd.h"
#include "functions.h"
#include "num.h"
#include "readers.h"
#include "record.h"
#include "told.h"
#include "utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Room for a boot id, which is a UUID. */
#define BOOT_ID_SIZE 65

struct scanner {
	const struct scan_setting *setting;
	struct readers *readers;
	struct device **devices; /* in natural order */
	size_t count;
	uint64_t scan;               /* number of the latest scan */
	struct functions *functions; /* on the PCI bus */
	struct chardevs *chardevs;
	uint64_t functions_ns; /* when they were last listed, CLOCK_MONOTONIC */
	uint64_t change_ns;    /* when a device last came or went */

	bool unstaffed; /* nobody reads devices: no thread can be started */

	/* of the scan that is being written */
	size_t devices_written, ports_written;
	json_t *unreadable;
};

/* How long a scan waits for a device. With an interval no longer than that, but a second where the
 * interval is shorter: a machine may be busy. See doc/decisions.md, "hung devices and the
 * interval". */
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
	readers_interrupt(scanner->readers, scanner->devices, scanner->count, 0);
	if (!readers_free(scanner->readers))
		return false;
	for (size_t i = 0; i < scanner->count; i++)
		device_free(scanner->devices[i]);
	free(scanner->devices);
	functions_free(scanner->functions);
	chardevs_free(scanner->chardevs);
	free(scanner);
	return true;
}

/* --- which devices there are --- */

/* Every entry of class/infiniband is a device, but for files; links that dangle too, they were
 * devices a moment ago. */
static bool
is_device(const struct scanner *scanner, int class_dir, const char *name)
{
	struct stat status;
	if (!config_wants_device(scanner->setting->config, name))
		return false;
	return fstatat(class_dir, name, &status, AT_SYMLINK_NOFOLLOW) < 0 ||
	       !S_ISREG(status.st_mode);
}

/* The names of the devices there are now. Returns 0 or an errno. */
static int
list_devices(const struct scanner *scanner, struct sysfs_names *names)
{
	int class_dir;
	*names = (struct sysfs_names){0};
	if (sysfs_open_dir(scanner->setting->root, "class/infiniband", &class_dir) != SYSFS_OK ||
		sysfs_list(class_dir, IBSCAN_DEVICES_MAX, names) != SYSFS_OK) {
		fd_close(class_dir);
		return errno;
	}

	size_t kept = 0;
	for (size_t i = 0; i < names->count; i++) {
		if (is_device(scanner, class_dir, names->names[i]))
			names->names[kept++] = names->names[i];
		else
			free(names->names[i]);
	}
	names->count = kept;
	close(class_dir);
	return 0;
}

/* Brings scanner->devices in line with the names, both being in natural order. A device that is
 * gone stays for as long as a reader is busy with it. */
static int
merge(struct scanner *scanner, const struct sysfs_names *names)
{
	struct device **merged = calloc(scanner->count + names->count + 1, sizeof *merged);
	if (merged == NULL)
		return -1;

	size_t old = 0, new = 0, count = 0;
	pthread_mutex_lock(readers_lock(scanner->readers));
	while (old < scanner->count || new < names->count) {
		struct device *known = old < scanner->count ? scanner->devices[old] : NULL;
		const char *name = new < names->count ? names->names[new] : NULL;
		int order = known == NULL ? 1 : name == NULL ? -1 : strverscmp(known->name, name);

		struct device *device = order > 0 ? device_new(name) : known;
		if (device == NULL)
			break;
		old += order <= 0;
		new += order >= 0;
		if (order > 0 || (order < 0 && device->listed))
			scanner->change_ns = clock_monotonic_ns();
		device->listed = order >= 0;
		if (!device->listed && device->phase == DEVICE_IDLE)
			device_free(device);
		else
			merged[count++] = device;
	}
	/* Only when memory ran out is anything left: what was known stays known. */
	bool failed = old < scanner->count || new < names->count;
	while (old < scanner->count)
		merged[count++] = scanner->devices[old++];
	pthread_mutex_unlock(readers_lock(scanner->readers));

	free(scanner->devices);
	scanner->devices = merged;
	scanner->count = count;
	return failed ? -1 : 0;
}

/* A driver that goes takes its device along first and lets go of the PCI function last; one that
 * comes does the reverse. */
#define DRIVER_CHANGE_NS (5 * NUM_NS_PER_S)

/* The functions of NICs: listed as rarely as the identity of a device is read, and while devices
 * come or go; those without a device in this scan are looked at each time. */
static void
look_at_functions(struct scanner *scanner)
{
	uint64_t now_ns = clock_monotonic_ns();
	if (scanner->functions_ns != 0 && now_ns - scanner->functions_ns < IBSCAN_REOPEN_NS &&
		now_ns - scanner->change_ns > DRIVER_CHANGE_NS) {
		functions_recheck(scanner->functions, scanner->setting->root);
		return;
	}
	functions_list(scanner->functions, scanner->setting->root);
	scanner->functions_ns = now_ns;
}

/* --- writing --- */

json_t *
scanner_begin_new(struct scanner *scanner, const struct clock_moment *when, uint64_t *scan)
{
	const struct scan_setting *setting = scanner->setting;
	char boot_id[BOOT_ID_SIZE];
	/* What is longer, or holds other bytes, is not a boot id (drivers/char/random.c writes a
	 * UUID). */
	bool known = sysfs_read_file(setting->boot_id_path, boot_id, sizeof boot_id) == SYSFS_OK &&
		     utf8_is_valid(boot_id);
	/* Rounded up: 0 is for a scan without others. */
	uint64_t interval_ms = (setting->interval_ns + NUM_NS_PER_MS - 1) / NUM_NS_PER_MS;
	scanner->scan++;
	*scan = scanner->scan;
	return record_begin_new(*scan, setting->node, known ? boot_id : NULL, interval_ms, when);
}

/* The device's record, and those of its ports that could be read. */
static int
write_device(struct scanner *scanner, struct device *device)
{
	const struct scan_setting *setting = scanner->setting;
	bool answered = device->answered;
	const char *error =
		answered ? device_error_name(device) : readers_silence(scanner->readers, device);
	struct in_flight in_flight;
	bool is_in_flight = !answered && strcmp(error, READERS_TIMEOUT) == 0 &&
			    readers_in_flight(scanner->readers, device, &in_flight);
	size_t ports = 0;
	for (size_t i = 0; answered && i < device->port_count; i++)
		ports += device->ports[i].error == 0;

	/* A reader that hangs may at any time find out what the device is. */
	pthread_mutex_lock(readers_lock(scanner->readers));
	json_t *record = record_device_new(scanner->scan, device->name, device->identity, ports,
		device->uverbs, error, is_in_flight ? &in_flight : NULL);
	if (device->identity != NULL && device->identity->pci != NULL)
		functions_mark(scanner->functions, device->identity->pci);
	pthread_mutex_unlock(readers_lock(scanner->readers));
	if (output_write_new(scanner->setting->output, record) < 0)
		return -1;

	scanner->devices_written++;
	scanner->ports_written += ports;
	if (error != NULL)
		json_array_append_new(scanner->unreadable, record_name_new(device->name));
	for (size_t i = 0; answered && i < device->port_count; i++) {
		struct port *port = &device->ports[i];
		if (port->error != 0)
			continue;
		if (output_write(setting->output, record_port(scanner->scan, device->name, port,
							  setting->config->gids)) < 0)
			return -1;
		told_note(setting->told, device->name, port);
	}
	return 0;
}

/* Of each device that is listed, what it says in this scan. The classes of character devices are
 * listed last: a driver makes those entries after the device, so a device that is new here has had
 * the time of its reading for them. What comes or goes at this moment is missing once at most. */
static void
collect(struct scanner *scanner)
{
	for (size_t i = 0; i < scanner->count; i++) {
		struct device *device = scanner->devices[i];
		device->answered = device->listed && readers_collect(scanner->readers, device);
	}
	chardevs_look(scanner->chardevs, scanner->setting->root, scanner->devices, scanner->count);
}

static int
write_devices(struct scanner *scanner)
{
	for (size_t i = 0; i < scanner->count; i++) {
		if (scanner->devices[i]->listed && write_device(scanner, scanner->devices[i]) < 0)
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
		.unreadable = scanner->unreadable,
		.unbound = functions_unbound_new(scanner->functions),
		.functions = functions_all_new(scanner->functions),
		.error = list_error != 0 ? sysfs_errno_name(list_error) : NULL,
		.verbs_error = list_error == 0 ? chardevs_verbs_error(scanner->chardevs) : NULL,
		.mad_error = list_error == 0 ? chardevs_mad_error(scanner->chardevs) : NULL,
	};
	clock_now(&end.when);
	return output_write_new(scanner->setting->output, record_end_new(scanner->scan, &end));
}

/* --- the scan --- */

/* 0, or -1 with errno. */
static int
scan(struct scanner *scanner)
{
	const struct scan_setting *setting = scanner->setting;
	uint64_t start_ns = clock_monotonic_ns();
	uint64_t number;
	struct clock_moment when;
	struct sysfs_names names;

	stall_begin_scan(setting->stall);
	clock_now(&when);
	scanner->devices_written = scanner->ports_written = 0;
	if (output_write_new(setting->output, scanner_begin_new(scanner, &when, &number)) < 0)
		return -1;

	int list_error = list_devices(scanner, &names);
	int status = list_error == 0 ? merge(scanner, &names) : 0;
	sysfs_names_fini(&names);
	if (status < 0) {
		errno = ENOMEM;
		return -1;
	}

	scanner->unreadable = json_array();
	if (list_error == 0) {
		status = readers_ask(scanner->readers, scanner->devices, scanner->count);
		scanner->unstaffed = status < 0;
	}
	if (list_error == 0 && status == 0) {
		readers_wait(scanner->readers, scanner->devices, scanner->count,
			start_ns + scanner_patience_ns(setting));
		collect(scanner);
		status = write_devices(scanner);
	}
	int scan_errno = errno;
	readers_interrupt(
		scanner->readers, scanner->devices, scanner->count, setting->device_timeout_ns);
	if (status < 0) {
		json_decref(scanner->unreadable);
		errno = scan_errno;
		return -1;
	}
	look_at_functions(scanner);
	stall_end_scan(setting->stall);
	return write_end(scanner, start_ns, list_error);
}

const char *
scanner_device(const struct scanner *scanner, size_t index)
{
	for (size_t i = 0; i < scanner->count; i++) {
		if (scanner->devices[i]->listed && index-- == 0)
			return scanner->devices[i]->name;
	}
	return NULL;
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
	/* A scan without an end says nothing about devices, and least of all that they do not
	 * answer. */
	diag_error("cannot start a thread to read devices with: %s", strerror(errno));
	return EXIT_OS;
}

/* glance - extra scans: reads the states of devices between two scans. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "glance.h"

#include "array.h"
#include "clock.h"
#include "num.h"
#include "portrecord.h"
#include "readers.h"
#include "record.h"
#include "told.h"
#include "wish.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* How long an extra scan waits for its devices. Keep it short: a scan that is due waits, too. */
#define PATIENCE_NS (50 * NUM_NS_PER_MS)

/* Read states, and what is read once per opening, but no counters. */
static const struct scan_config states_only = {.choice = COUNTERS_NONE};

struct glance {
	struct scanner *scanner;
	const struct scan_setting *setting;
	struct readers *readers;
	struct wish_looks looks;
	/* Devices to be read, and those that have not answered, unsorted; wishes[i] belongs to
	 * devices[i]. */
	struct device **devices;
	struct wish *wishes;
	size_t count, device_capacity, wish_capacity;
	struct strbuf line;
};

struct glance *
glance_new(struct scanner *scanner, const struct scan_setting *setting)
{
	struct glance *glance = calloc(1, sizeof *glance);
	if (glance == NULL)
		return NULL;
	glance->scanner = scanner;
	glance->setting = setting;
	glance->readers = readers_new(setting->root, &states_only, PATIENCE_NS);
	if (glance->readers == NULL) {
		free(glance);
		return NULL;
	}
	return glance;
}

bool
glance_free(struct glance *glance)
{
	if (glance == NULL)
		return true;
	readers_interrupt(glance->devices, glance->count, 0);
	if (!readers_free(glance->readers))
		return false;
	for (size_t i = 0; i < glance->count; i++)
		device_free(glance->devices[i]);
	free(glance->devices);
	free(glance->wishes);
	strbuf_fini(&glance->line);
	free(glance);
	return true;
}

/* --- choice of devices --- */

/* Return the device's wish; a new one does not stand yet. NULL when memory runs out. */
static struct wish *
find_or_add(struct glance *glance, const char *name)
{
	size_t count = glance->count;
	for (size_t i = 0; i < count; i++) {
		if (strcmp(glance->devices[i]->name, name) == 0)
			return &glance->wishes[i];
	}
	struct device **devices =
		array_grown(glance->devices, count, &glance->device_capacity, sizeof *devices);
	if (devices == NULL)
		return NULL;
	glance->devices = devices;
	struct wish *wishes =
		array_grown(glance->wishes, count, &glance->wish_capacity, sizeof *wishes);
	if (wishes == NULL)
		return NULL;
	glance->wishes = wishes;
	devices[count] = device_new(name);
	if (devices[count] == NULL)
		return NULL;
	/* No roster updates this device's entry, so always check its directories for changes. */
	atomic_store(&devices[count]->young_until_ns, UINT64_MAX);
	wishes[count] = (struct wish){.stands = false};
	glance->count++;
	return &wishes[count];
}

void
glance_want(struct glance *glance, const char *device)
{
	uint64_t now_ns = clock_monotonic_ns();
	const char *name;

	for (size_t i = 0; (name = scanner_device(glance->scanner, i)) != NULL; i++) {
		if (device != NULL && strcmp(device, name) != 0)
			continue;
		/* If memory ran out, the next scan reads the device anyway. */
		struct wish *wish = find_or_add(glance, name);
		if (wish != NULL)
			wish_begin(wish, now_ns);
	}
}

uint64_t
glance_due_ns(const struct glance *glance)
{
	uint64_t due_ns = UINT64_MAX;
	for (size_t i = 0; i < glance->count; i++)
		due_ns = clock_earlier(due_ns, wish_due_ns(&glance->wishes[i]));
	return due_ns == UINT64_MAX ? due_ns : wish_allowed_ns(&glance->looks, due_ns);
}

/* Drop the devices without a wish, except those that a reader is busy with. */
static void
forget(struct glance *glance)
{
	size_t kept = 0;
	for (size_t i = 0; i < glance->count; i++) {
		struct device *device = glance->devices[i];
		if (!glance->wishes[i].stands && readers_is_idle(device)) {
			device_free(device);
			continue;
		}
		glance->devices[kept] = device;
		glance->wishes[kept++] = glance->wishes[i];
	}
	glance->count = kept;
}

/* --- reading --- */

static bool
shows_news(const struct glance *glance, const struct device *device)
{
	bool is_new = false;
	for (size_t i = 0; device->answered && i < device->port_count; i++)
		is_new |= told_is_new(glance->setting->told, device->name, &device->ports[i]);
	return is_new;
}

/* Return the result of reading the device. */
static enum wish_sight
collect(struct glance *glance, struct device *device)
{
	if (!readers_collect(glance->readers, device))
		return WISH_SILENCE;
	device->answered = device->error == 0;
	return !device->answered || shows_news(glance, device) ? WISH_NEWS : WISH_NOTHING;
}

/* Read the devices that are due. If an earlier reading of one has only now ended, use that one; its
 * wish stays, so the device is read once more. If no thread can be started, none answers. */
static void
read_due(struct glance *glance, uint64_t now_ns)
{
	for (size_t i = 0; i < glance->count; i++) {
		struct device *device = glance->devices[i];
		device->answered = false;
		device->listed = collect(glance, device) == WISH_SILENCE &&
				 wish_due_ns(&glance->wishes[i]) <= now_ns;
	}
	if (readers_ask(glance->readers, glance->devices, glance->count) == 0)
		readers_wait(glance->readers, glance->devices, glance->count, PATIENCE_NS);
	now_ns = clock_monotonic_ns();
	for (size_t i = 0; i < glance->count; i++) {
		struct device *device = glance->devices[i];
		if (device->listed)
			wish_record(&glance->wishes[i], collect(glance, device), now_ns);
	}
}

/* --- writing --- */

static int
write_port(struct glance *glance, uint64_t scan, const struct device *device, struct port *port)
{
	const struct portrecord_setting with = {
		.scan = scan, .device = device->name, .extra = true};

	if (output_write_line(glance->setting->output, &glance->line,
		    portrecord_line(&glance->line, port, &with)) < 0)
		return -1;
	told_note(glance->setting->told, device->name, port);
	return 0;
}

static int
write_device(struct glance *glance, uint64_t scan, struct device *device)
{
	json_t *record = record_device_new(scan, device->name, device->identity, device->port_count,
		CHARDEV_UNKNOWN, NULL, NULL);
	if (record != NULL)
		json_object_set_new(record, "extra", json_true());
	if (output_write_new(glance->setting->output, record) < 0)
		return -1;
	for (size_t i = 0; i < device->port_count; i++) {
		if (write_port(glance, scan, device, &device->ports[i]) < 0)
			return -1;
	}
	return 0;
}

/* Write an extra scan of the devices that show something new, if there are any. Return 0, or -1
 * with errno. */
static int
write_news(struct glance *glance, const struct clock_moment *when)
{
	struct record_end end = {.unreadable = "", .functions = "", .extra = true};
	uint64_t start_ns = clock_monotonic_ns(), scan = 0;

	for (size_t i = 0; i < glance->count; i++) {
		struct device *device = glance->devices[i];
		if (!shows_news(glance, device))
			continue;
		if (end.devices++ == 0 &&
			scanner_write_begin(glance->scanner, when, true, &scan) < 0)
			return -1;
		if (write_device(glance, scan, device) < 0)
			return -1;
		end.ports += device->port_count;
	}
	if (end.devices == 0)
		return 0;
	end.duration_us = (clock_monotonic_ns() - start_ns) / 1000;
	clock_now(&end.when);
	if (output_write_line(glance->setting->output, &glance->line,
		    record_end_line(&glance->line, scan, &end)) < 0)
		return -1;
	return output_flush(glance->setting->output);
}

int
glance_run(struct glance *glance)
{
	uint64_t now_ns = clock_monotonic_ns();
	struct clock_moment when;

	clock_now(&when);
	wish_note_reading(&glance->looks, now_ns);
	read_due(glance, now_ns);
	int status = write_news(glance, &when);
	int saved_errno = errno;
	forget(glance);
	errno = saved_errno;
	return status;
}

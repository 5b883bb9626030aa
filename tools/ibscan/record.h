/* record - scan records from readings (records#scan-records), but for those of ports. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBSCAN_RECORD_H
#define IBSCAN_RECORD_H

#include "ibscan.h"

/* Those that return a record return a new reference; NULL when memory runs out. Those that make a
 * line put it, with its newline, in the place of what is in `line`, and return 0, or -1 when memory
 * runs out. */

struct record_begin {
	struct clock_moment when;
	const char *node;
	const char *boot_id; /* NULL: not known */
	uint64_t interval_ms;
	bool extra; /* the scan is an extra one */
};
int record_begin_line(struct strbuf *line, uint64_t scan, const struct record_begin *begin);

/* `identity` may be NULL: nothing is known but the name. `error` is NULL for a device that was read
 * in full, and `in_flight` for one of which no reading is under way. `uverbs` is left out when it
 * is not known. */
json_t *record_device_new(uint64_t scan, const char *name, const struct identity *identity,
	size_t ports, enum chardev_sight uverbs, const char *error,
	const struct in_flight *in_flight);

/* A scan that has been under way for `in_flight_ms` and does not get on. */
json_t *record_stall_new(const char *node, uint64_t in_flight_ms, const struct clock_moment *when);

/* The record of a device that was read in full. Most of it is kept from scan to scan, in
 * device->text. */
int record_device_line(struct strbuf *line, uint64_t scan, struct device *device, size_t ports);

/* What came of a scan. */
struct record_end {
	struct clock_moment when;
	uint64_t duration_us;
	size_t devices, ports;  /* that were written */
	const char *unreadable; /* names of devices, see record_list_name(); "" */
	const char *functions;  /* what functions.h has; "" */
	bool extra;
	const char *error;                   /* NULL: the class directory could be listed */
	const char *verbs_error, *mad_error; /* the same of those of character devices */
};

int record_end_line(struct strbuf *line, uint64_t scan, const struct record_end *end);

/* Adds a name that may hold any bytes to a list of JSON strings, with commas between them. */
void record_list_name(struct strbuf *list, const char *name);

/* A JSON string of a name that may hold any bytes. */
json_t *record_name_new(const char *name);

#endif

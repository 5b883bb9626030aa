/* record - builds scan records (records#scan-records), except those of ports. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBSCAN_RECORD_H
#define IBSCAN_RECORD_H

#include "ibscan.h"

/* Functions that return a record return a new reference, or NULL when memory runs out. Functions
 * that format a line replace `line` by it, including its newline, and return 0, or -1 when memory
 * runs out. */

struct record_begin {
	struct clock_moment when;
	const char *node;
	const char *boot_id; /* NULL: unknown */
	uint64_t interval_ms;
	bool extra; /* of an extra scan */
};
int record_begin_line(struct strbuf *line, uint64_t scan, const struct record_begin *begin);

/* `identity` NULL: only the name is known. `error` NULL: the device was read in full. `in_flight`
 * NULL: no reading is in progress. An unknown `uverbs` is omitted. */
json_t *record_device_new(uint64_t scan, const char *name, const struct identity *identity,
	size_t ports, enum chardev_sight uverbs, const char *error,
	const struct in_flight *in_flight);

/* Return a scan.stall for a scan that has been in progress for `in_flight_ms`, too long. */
json_t *record_stall_new(const char *node, uint64_t in_flight_ms, const struct clock_moment *when);

/* Format the record of a device that was read in full. Most of it is cached in device->text between
 * scans. */
int record_device_line(struct strbuf *line, uint64_t scan, struct device *device, size_t ports);

/* Result of a scan. */
struct record_end {
	struct clock_moment when;
	uint64_t duration_us;
	size_t devices, ports;  /* written */
	const char *unreadable; /* names of devices, by record_list_name(); may be "" */
	const char *functions;  /* from functions_fields(); may be "" */
	const char *elsewhere;  /* names like `unreadable`; NULL: not looked for */
	bool extra;
	const char *error;                   /* NULL: the class directory was listed */
	const char *verbs_error, *mad_error; /* of the classes of character devices */
};

int record_end_line(struct strbuf *line, uint64_t scan, const struct record_end *end);

/* Append a name of any bytes to a list of JSON strings separated by commas. */
void record_list_name(struct strbuf *list, const char *name);

/* Return a name of any bytes as a JSON string. */
json_t *record_name_new(const char *name);

#endif

/* record - scan records from readings: RECORDS.md, "Scan records". */
#ifndef IBSCAN_RECORD_H
#define IBSCAN_RECORD_H

#include "ibscan.h"

/* All return a new reference, but for record_port(); NULL when memory runs out. */

/* `boot_id` may be NULL: not known. */
json_t *record_begin_new(uint64_t scan, const char *node, const char *boot_id, uint64_t interval_ms,
	const struct clock_moment *when);

/* `identity` may be NULL: nothing is known but the name. `error` is NULL for a device that was read in full. */
json_t *record_device_new(uint64_t scan, const char *name, const struct identity *identity,
	size_t ports, const char *error);

/* Brings port->record up to date with the latest reading and lends it. `gids` adds the GID counts. */
json_t *record_port(uint64_t scan, const char *device, struct port *port, bool gids);

/* `unreadable` (stolen) lists device names; `unbound` PCI addresses, NULL: not known; `error` is NULL when the class directory could be listed. */
json_t *record_end_new(uint64_t scan, const struct clock_moment *when, size_t devices, size_t ports,
	json_t *unreadable, json_t *unbound, const char *error, uint64_t duration_us);

/* A JSON string of a name that may hold any bytes. */
json_t *record_name_new(const char *name);

#endif

/* scan - collects the records of one scan, and tells whether any was lost. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_SCAN_H
#define NHM_SCAN_H

#include "map.h"
#include "scanrec.h"

/* More than any node's scan has. Further records are dropped, and the scan is not whole. */
#define SCAN_DEVICES_MAX 16384
#define SCAN_PORTS_MAX 65536

/* A record with the reference that keeps its strings alive. */
struct scan_device {
	json_t *json;
	struct scanrec_device record;
};

struct scan_port {
	json_t *json;
	struct scanrec_port record;
	size_t device; /* index of its device; SIZE_MAX if that record was lost */
};

struct scan {
	bool open;     /* between scan.begin and scan.end */
	bool whole;    /* no record was lost */
	bool complete; /* from scan.end: every device was read in full */
	bool listed;   /* from scan.end: the class directory could be listed */
	json_t *begin_json;
	json_t *end_json;
	struct scanrec_begin begin;
	struct scanrec_end end; /* valid once the scan is finished */
	struct scan_device *devices;
	size_t device_count, device_capacity;
	struct scan_port *ports;
	size_t port_count, port_capacity;
	struct map names; /* hashes of the scan's devices and ports */
};

enum scan_status {
	SCAN_ACCEPTED,
	SCAN_FINISHED, /* last record: the scan can be evaluated */
	SCAN_IGNORED,  /* belongs to no scan whose scan.begin was seen */
	SCAN_BAD,      /* invalid record, see `error` */
	SCAN_NO_MEMORY,
};

/* Add one record to the scan. The scan takes the reference to `json` in every case. scan.begin
 * discards an open scan: handle that scan before. */
enum scan_status scan_accept(
	struct scan *scan, enum scanrec_kind kind, json_t *json, struct rec_error *error);

/* The same with a cache, see rec_decode_known(). */
enum scan_status scan_accept_known(struct scan *scan, enum scanrec_kind kind, json_t *json,
	struct rec_memo *memo, struct rec_error *error);

/* Return the device of the PCI function at address `pci`, or NULL if the scan has none
 * (portfacts_is_function()). */
const struct scan_device *scan_on_function(const struct scan *scan, const char *pci);

/* Remove all records, but keep the memory. */
void scan_clear(struct scan *scan);

void scan_fini(struct scan *scan);

#endif

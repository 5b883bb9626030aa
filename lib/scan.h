/* scan - one scan, gathered from its records: what can be judged together, and whether it is all
 * there. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_SCAN_H
#define NHM_SCAN_H

#include "map.h"
#include "scanrec.h"

/* More records than any node's scan has; what is beyond is not gathered, and the scan not whole. */
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
	size_t device; /* index of its device, or SIZE_MAX when that record was lost */
};

struct scan {
	bool open;     /* between scan.begin and scan.end */
	bool whole;    /* nothing of it was lost on the way */
	bool complete; /* its end says: every device was read in full */
	bool listed;   /* its end says: the class directory could be listed */
	json_t *begin_json;
	json_t *end_json;
	struct scanrec_begin begin;
	struct scanrec_end end; /* of a scan that is finished */
	struct scan_device *devices;
	size_t device_count, device_capacity;
	struct scan_port *ports;
	size_t port_count, port_capacity;
	struct map names; /* of what the scan has; whose hash is there is there */
};

enum scan_status {
	SCAN_ACCEPTED,
	SCAN_FINISHED, /* that was the last record: the scan can be judged */
	SCAN_IGNORED,  /* belongs to no scan whose beginning was seen */
	SCAN_BAD,      /* not what its kind promises, see `error` */
	SCAN_NO_MEMORY,
};

/* Takes one record of a scan in; `json` is stolen in every case. A scan.begin while a scan is open
 * must be preceded by the caller dealing with the open one. */
enum scan_status scan_accept(
	struct scan *scan, enum scanrec_kind kind, json_t *json, struct rec_error *error);

/* The same with a memo, see rec_decode_known(). */
enum scan_status scan_accept_known(struct scan *scan, enum scanrec_kind kind, json_t *json,
	struct rec_memo *memo, struct rec_error *error);

/* Forgets everything and keeps the room. */
void scan_clear(struct scan *scan);

void scan_fini(struct scan *scan);

#endif

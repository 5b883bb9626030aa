/* story - collects the latest records about one device or port. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NICWHY_STORY_H
#define NICWHY_STORY_H

#include "rec.h"

/* Size of a device's name kept for a hint. */
#define STORY_NAME_SIZE 64

/* Owns its records. */
struct story {
	const char *device; /* the requested device */
	uint64_t port;      /* 0: all its ports */

	json_t *begin; /* latest scan.begin; NULL: no scan */
	json_t *end;   /* scan.end of that scan; NULL: it has none */
	json_t *seen;  /* the device's record in the latest scan that has it; NULL: in none */
	bool listed;   /* the latest scan has it */
	json_t *ports; /* array: its ports in that scan */

	json_t *decisions;   /* array: of the latest scan in which it was judged */
	bool port_is_judged; /* a decision is about the port, or one of its ports */

	json_t *conditions; /* array: about it, or about a whole check */
	bool device_stands; /* a condition names it or one of its ports */
	bool port_stands;   /* a condition names the port */
	json_t *sinks;      /* array */
	json_t *letters;    /* array: the dead letters, without their events */
	json_t *silences;   /* array: its silences and clears, including expired ones */
	bool has_history;   /* the input has conditions or sinks */

	/* device that has that PCI address or interface, or had the address; "": none */
	char meant[STORY_NAME_SIZE];
};

/* Initialise. `device` must outlive the story. Return false when memory ran out. Call story_fini()
 * in any case. */
bool story_init(struct story *story, const char *device, uint64_t port);

enum story_status {
	STORY_TAKEN, /* taken or skipped */
	STORY_BAD,   /* malformed, see `error` */
	STORY_NO_MEMORY,
};

/* Add a record. The caller keeps its reference. */
enum story_status story_add(struct story *story, json_t *record, struct rec_error *error);

/* Return true if anything is known about the device or port. */
bool story_is_known(const struct story *story);

/* Return what topoclass says of the latest scan under `key`, such as `lost`, or NULL. It belongs to
 * the story. */
const json_t *story_topology(const struct story *story, const char *key);

/* Return true if the GPU metadata name the device, but the latest scan does not have it. */
bool story_is_absent(const struct story *story);

/* Return true if the device is in another network namespace, as the latest scan shows. */
bool story_is_elsewhere(const struct story *story);

/* Return true if the latest scan shows a NIC without an RDMA device, and perhaps without a driver,
 * at the PCI address `pci`. False for any other text. */
bool story_lacks_device(const struct story *story, const char *pci);

void story_fini(struct story *story);

#endif

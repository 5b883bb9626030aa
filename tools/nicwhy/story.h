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
	json_t *seen;  /* the device's record in the latest scan that has it; NULL: in none */
	bool listed;   /* the latest scan has it */
	json_t *ports; /* array: its ports in that scan */

	json_t *decisions;   /* array: of the latest scan in which it was judged */
	bool port_is_judged; /* a decision is about the port, or one of its ports */

	json_t *conditions; /* array: about it, or about a whole check */
	bool device_stands; /* a condition names it or one of its ports */
	bool port_stands;   /* a condition names the port */
	json_t *sinks;      /* array */
	json_t *silences;   /* array: its silences and clears, including expired ones */
	bool has_history;   /* the input has conditions or sinks */

	char meant[STORY_NAME_SIZE]; /* device with that PCI address or interface; "": none */
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

void story_fini(struct story *story);

#endif

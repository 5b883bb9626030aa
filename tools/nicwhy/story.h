/* story - what records say of one device or port: the latest of each. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NICWHY_STORY_H
#define NICWHY_STORY_H

#include "rec.h"

/* Longest name of a device that is kept for a hint. */
#define STORY_NAME_SIZE 64

/* Its records belong to it. */
struct story {
	const char *device; /* whom it is about */
	uint64_t port;      /* 0: all its ports */

	json_t *begin; /* the latest scan.begin; NULL: there is no scan */
	json_t *seen;  /* the device in the latest scan that has it; NULL: none has */
	bool listed;   /* the latest scan has it */
	json_t *ports; /* array: its ports in that scan */

	json_t *decisions;   /* array: of the latest scan in which it was judged */
	bool port_is_judged; /* some decision is about the port, or one of its ports */

	json_t *conditions; /* array: about it, or about a whole check */
	bool device_stands; /* some condition is about it, or one of its ports, by name */
	bool port_stands;   /* or about the port */
	json_t *sinks;      /* array */
	json_t *silences;   /* array: of it, those that are over too, and what is to be cleared */
	bool has_history;   /* somebody has looked for what stands */

	char meant[STORY_NAME_SIZE]; /* a device that can be found under this name; "": none */
};

/* The name stays the caller's. False when memory runs out; story_fini() in any case. */
bool story_init(struct story *story, const char *device, uint64_t port);

enum story_status {
	STORY_TAKEN, /* or of no interest */
	STORY_BAD,   /* not what its kind promises, see `error` */
	STORY_NO_MEMORY,
};

/* Takes a record in; it stays the caller's. */
enum story_status story_add(struct story *story, json_t *record, struct rec_error *error);

/* Whether anything is known of the device, or of the port. */
bool story_is_known(const struct story *story);

void story_fini(struct story *story);

#endif

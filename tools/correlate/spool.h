/* spool - reads events from emit's spool as they arrive (nic-health-monitor-spool(5)). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORRELATE_SPOOL_H
#define CORRELATE_SPOOL_H

#include "sighting.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Position in a spool. */
struct spool_position {
	bool known;     /* false: the start is still to be chosen */
	uint64_t inode; /* of the file; 0: no file */
	int64_t number; /* of the last event read */
};

struct spool {
	const char *path;
	struct spool_position position;
	int watch_fd;      /* inotify on its directory; -1: none */
	uint64_t retry_ns; /* CLOCK_MONOTONIC time of the next attempt after a failure; 0: none */
	int (*accept)(void *context, struct sighting *record);
	void *context;
};

/* Initialise and start the inotify watch. `accept` gets each record; it returns 0, or -1 with
 * errno. `path` must outlive the spool. */
void spool_init(struct spool *spool, const char *path,
	int (*accept)(void *context, struct sighting *record), void *context);

/* Move the position behind all stored events. */
void spool_skip(struct spool *spool);

/* Read the events stored since the last call. A spool that does not exist or is being created has
 * none yet. If it cannot be read, report why and retry after a minute. If the file was replaced,
 * read it from its beginning. Return 0, or -1 with the errno of accept(). */
int spool_read(struct spool *spool);

/* Discard pending inotify events. */
void spool_drain(const struct spool *spool);

/* Add the position to the state file's JSON. */
void spool_encode(const struct spool *spool, json_t *root);

/* Decode the position; without one, it stays unknown. Return false if it is malformed. */
bool spool_decode(struct spool *spool, const json_t *root);

void spool_fini(struct spool *spool);

#endif

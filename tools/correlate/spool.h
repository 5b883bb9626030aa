/* spool - the events that emit has stored, as they come (nic-health-monitor-spool(5)). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORRELATE_SPOOL_H
#define CORRELATE_SPOOL_H

#include "sighting.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How far a spool has been read. */
struct spool_position {
	bool known;     /* or it is yet to be decided where to begin */
	uint64_t inode; /* of the file; 0: there was none */
	int64_t number; /* of the latest event */
};

struct spool {
	const char *path;
	struct spool_position position;
	int watch_fd;      /* tells when something happens in its directory; -1: nothing does */
	uint64_t retry_ns; /* CLOCK_MONOTONIC: it could not be read, and is tried again then; 0 */
	int (*accept)(void *context, struct sighting *record);
	void *context;
};

/* Begins to watch. `accept` takes a record: 0, or -1 with errno. `path` is kept, not copied. */
void spool_init(struct spool *spool, const char *path,
	int (*accept)(void *context, struct sighting *record), void *context);

/* Begins behind all that is in it now. */
void spool_skip(struct spool *spool);

/* Reads what was stored since the last time. A spool that is not there, or is being made, has
 * nothing yet; of one that cannot be read it is said why, and it is not tried again for a minute.
 * In a file that has taken its place everything is new. 0, or -1 with the errno of accept(). */
int spool_read(struct spool *spool);

/* What has happened until now is not told again. */
void spool_drain(const struct spool *spool);

/* Adds the position to a state file's content. */
void spool_encode(const struct spool *spool, json_t *root);

/* Takes the same from a content; without it, it is not known. False when it is something else. */
bool spool_decode(struct spool *spool, const json_t *root);

void spool_fini(struct spool *spool);

#endif

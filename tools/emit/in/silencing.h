/* silencing - the file of silences, read again when it changes, and what it makes of events: one
 * that a silence covers goes to receivers that are only to store it. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_SILENCING_H
#define EMIT_SILENCING_H

#include "silencereader.h"

struct silencing {
	struct silencereader reader;
	int fd;               /* tells when a file in its directory is renamed; -1: nobody does */
	uint64_t next_end_ns; /* when the next of them ends, nanoseconds since 1970 */
	uint64_t covered;     /* events that one of them covered when they came */
};

/* `path` is kept. Watches its directory; where that cannot be done, the file is looked at once a
 * second. */
void silencing_init(struct silencing *silencing, const char *path);
void silencing_fini(struct silencing *silencing);

/* Reads the file again if it has changed. True when what is in force has changed since the last
 * time, or a silence has ended, at `now_ns` since 1970. */
bool silencing_refresh(struct silencing *silencing, uint64_t now_ns);

/* What is in force, as the file has it. */
const char *silencing_text(const struct silencing *silencing);

/* When to call that again, as nanoseconds from now; UINT64_MAX: never. */
uint64_t silencing_wakes_in_ns(const struct silencing *silencing, uint64_t now_ns);

/* Marks an event that comes in, and counts it. True when it has. */
bool silencing_cover(struct silencing *silencing, json_t *event, uint64_t now_ns);

/* Marks an event record if a silence covers it at this moment, and none has before; a healthy one
 * is what it is. True when it has. */
bool silencing_mark(const struct silences *silences, json_t *event, uint64_t now_ns);

#endif

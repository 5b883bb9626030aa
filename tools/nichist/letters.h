/* letters - reads and removes the dead letters of a spool. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NICHIST_LETTERS_H
#define NICHIST_LETTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct letter {
	uint64_t event;  /* number of the event; unique together with the sink */
	uint64_t record; /* hash of the record, by letters_hash() */
	char *sink;
	/* set by the caller: number of the event among those sent again; 0: not sent */
	uint64_t number;
	bool is_left_out; /* set by the caller, too: its sink is not to get the event */
};

/* Sorted by hash. All zeros: empty. */
struct letters {
	struct letter *items;
	size_t count, capacity;
};

uint64_t letters_hash(const char *record, size_t length);

/* Read all dead letters of the spool at `path`. Return 0, or an exit code after a message. Call
 * letters_fini() in any case. */
int letters_read(struct letters *letters, const char *path);

/* Return the index of the first letter with that hash or a higher one; `count` if there is none. */
size_t letters_find(const struct letters *letters, uint64_t record);

void letters_fini(struct letters *letters);

/* Remove dead letters of a sink, by the numbers of their events, from the spool at `path`. A
 * service may use the spool meanwhile: it is locked only for moments. Return how many were removed.
 * If fewer than `count`, the reason was reported, unless somebody else removed the others. */
size_t letters_remove(const char *path, const char *sink, const uint64_t *events, size_t count);

#endif

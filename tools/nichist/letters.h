/* letters - the dead letters of a spool: which there are, and which are none any more. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NICHIST_LETTERS_H
#define NICHIST_LETTERS_H

#include <stddef.h>
#include <stdint.h>

struct letter {
	uint64_t event;  /* the number of the event; with the sink it is given once only */
	uint64_t record; /* hash of the record, by letters_hash() */
	char *sink;
	/* for the owner of the list: where the event stands that was sent again; 0: it was not */
	uint64_t number;
};

/* In the order of their hashes. Zeroed, it is empty. */
struct letters {
	struct letter *items;
	size_t count, capacity;
};

uint64_t letters_hash(const char *record, size_t length);

/* Reads all dead letters of the spool at `path`. 0, or an exit code after saying why;
 * letters_fini() in any case. */
int letters_read(struct letters *letters, const char *path);

/* Index of the first letter whose hash is not below this one; `count` when there is none. */
size_t letters_find(const struct letters *letters, uint64_t record);

void letters_fini(struct letters *letters);

/* Removes dead letters of a sink, by the numbers of their events, from the spool at `path`, which a
 * service may be using meanwhile: it is held for moments only. Returns how many were removed;
 * with fewer than `count` it has said why, unless somebody else has taken out the others. */
size_t letters_remove(const char *path, const char *sink, const uint64_t *events, size_t count);

#endif

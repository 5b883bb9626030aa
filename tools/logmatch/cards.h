/* cards - events of several functions of one card at once: one card, not several. Pure. */
#ifndef LOGMATCH_CARDS_H
#define LOGMATCH_CARDS_H

#include "standing.h"

#include <stdint.h>

/* Events of a card no further apart than this belong together. */
#define CARDS_APART_NS (UINT64_C(5) * 1000 * 1000 * 1000)

/* Cards that are remembered at once; beyond that the one without an event for the longest time is forgotten. */
#define CARDS_MAX 64

struct cards_entry {
	char first_pci[PCIADDR_SIZE];    /* the function that was first */
	char first_id[STANDING_ID_SIZE]; /* and its event */
	uint64_t last_ns;                /* the latest event of the card, in the time of the log */
	bool several;                    /* more than one function has had one */
};

struct cards {
	struct cards_entry entries[CARDS_MAX];
	size_t count;
};

/* Takes an event of the function: its id and time. The id of the event that the card's began with, when this one is of another function or after one of
 * another; else "". */
const char *cards_take(struct cards *cards, const char *pci, const char *id, uint64_t time_ns);

/* An event has got another id. */
void cards_rename(struct cards *cards, const char *old_id, const char *new_id);

#endif

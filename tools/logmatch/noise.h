/* noise - one trouble in many lines. A storm is counted, not repeated (spec#log-storm): only so
 * many lines of one pattern and device are reported, and the rest becomes a number. Events of
 * several functions of a card at the same time belong to one card. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGMATCH_NOISE_H
#define LOGMATCH_NOISE_H

#include "logpattern.h"
#include "standing.h"
#include "subject.h"

#include <stdint.h>

/* So many are reported within one window: enough for people, and for programs that look for
 * repetition. */
#define NOISE_TOLD_MAX 10

/* Pairs of pattern and device that are remembered at once; beyond that the one whose window began
 * longest ago is forgotten. */
#define NOISE_ENTRIES_MAX 1024

/* A pattern of a device. */
struct noise_entry {
	uint64_t key;      /* never 0 */
	uint64_t device;   /* hash of its name */
	uint64_t since_ns; /* when its window began, in the time of the log; 0: it is over */
	uint64_t told;     /* since then, at most NOISE_TOLD_MAX */
	uint64_t repeats;  /* counted since the last one that was reported */
};

struct noise {
	struct noise_entry entries[NOISE_ENTRIES_MAX];
	size_t count;
};

/* True when a match is to be reported; `*repeats` is then the number of matches of the same pattern
 * and device (subject.h) that were counted since the last report. False when it was only counted. A
 * window is open for `window_ns` (0: never) in either direction, since lines of several CPUs are
 * not in order. */
bool noise_accept(struct noise *noise, enum logpattern pattern, const char *device,
	uint64_t time_ns, uint64_t window_ns, uint64_t *repeats);

/* Ends the windows of a device, because what was reported about it has been answered. */
void noise_end_device(struct noise *noise, const char *device);

/* Events of a card no further apart than this belong together. */
#define NOISE_CARDS_APART_NS (UINT64_C(5) * 1000 * 1000 * 1000)

/* Cards that are remembered at once; beyond that the one without an event for the longest time is
 * forgotten. */
#define NOISE_CARDS_MAX 64

struct noise_card {
	char first_pci[SUBJECT_PCI_SIZE]; /* the function that was first */
	char first_id[STANDING_ID_SIZE];  /* and its event */
	uint64_t last_ns;                 /* the latest event of the card, in the time of the log */
	bool several;                     /* more than one function has had one */
};

struct noise_cards {
	struct noise_card entries[NOISE_CARDS_MAX];
	size_t count;
};

/* Accepts an event of the function: its id and time. Once a second function of the card has had an
 * event, returns the id of the event with which the card's began; else "". */
const char *noise_accept_card(
	struct noise_cards *cards, const char *pci, const char *id, uint64_t time_ns);

/* An event has got another id. */
void noise_rename_card(struct noise_cards *cards, const char *old_id, const char *new_id);

#endif

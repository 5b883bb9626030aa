/* noise - counts storms of repeated lines, and groups events of one card. In a storm, only
 * NOISE_TOLD_MAX lines of a pattern and device are reported per window, the rest is counted
 * (spec#log-storm). Events of several functions of a card at the same time are grouped. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGMATCH_NOISE_H
#define LOGMATCH_NOISE_H

#include "logpattern.h"
#include "num.h"
#include "standing.h"
#include "subject.h"

#include <stdint.h>

/* Reports per window: enough for people, and for programs that look for repetition. */
#define NOISE_TOLD_MAX 10

/* Pairs of pattern and device remembered. When full, the one whose window began first is
 * evicted. */
#define NOISE_ENTRIES_MAX 1024

/* A pair of pattern and device. */
struct noise_entry {
	uint64_t key;      /* never 0 */
	uint64_t device;   /* hash of the device's name */
	uint64_t since_ns; /* start of the window, in the time of the log; 0: no window */
	uint64_t told;     /* reports in this window, at most NOISE_TOLD_MAX */
	uint64_t repeats;  /* matches counted since the last report */
};

struct noise {
	struct noise_entry entries[NOISE_ENTRIES_MAX];
	size_t count;
};

/* Return true if a match is to be reported. `*repeats` is then the number of matches of the same
 * pattern and device (subject.h) that were counted since the last report. False if the match was
 * only counted. A window covers `window_ns` (0: no windows) in both directions, because lines of
 * several CPUs are not sorted. */
bool noise_accept(struct noise *noise, enum logpattern pattern, const char *device,
	uint64_t time_ns, uint64_t window_ns, uint64_t *repeats);

/* End all windows of a device, because it recovered. */
void noise_end_device(struct noise *noise, const char *device);

/* Events of a card at most this far apart belong together. */
#define NOISE_CARDS_APART_NS (5 * NUM_NS_PER_S)

/* Cards remembered. When full, the card whose last event is oldest is evicted. */
#define NOISE_CARDS_MAX 64

struct noise_card {
	char first_pci[SUBJECT_PCI_SIZE]; /* function of the first event */
	char first_id[STANDING_ID_SIZE];  /* id of the first event */
	uint64_t last_ns;                 /* latest event of the card, in the time of the log */
	bool several;                     /* events of more than one function */
};

struct noise_cards {
	struct noise_card entries[NOISE_CARDS_MAX];
	size_t count;
};

/* Record an event of a function. Return the id of the first event of the card's group once a second
 * function has an event, else "". */
const char *noise_accept_card(
	struct noise_cards *cards, const char *pci, const char *id, uint64_t time_ns);

/* Replace an event id that changed. */
void noise_rename_card(struct noise_cards *cards, const char *old_id, const char *new_id);

#endif

/* silence - what operators do not want to be called for during a while, and what they have
 * repaired: the lines of the file of silences (nic-health-monitor-records(5)). Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_SILENCE_H
#define NHM_SILENCE_H

#include "event.h"
#include "rec.h"

/* The kinds of its records. */
#define SILENCE_KIND "silence"
#define SILENCE_CLEAR_KIND "clear"

/* What is in the metadata of an event that is sent because its silence is over, and the condition
 * still stands: the silence's id. */
#define SILENCE_AFTER_KEY "afterSilence"

/* Where the service keeps the file. */
#define SILENCE_DEFAULT_PATH "/var/lib/nic-health-monitor/silences.ndjson"

/* Most silences in a file, and most bytes of it. */
#define SILENCE_MAX 256
#define SILENCE_FILE_BYTES ((size_t)512 << 10)

/* Most bytes of the texts of one. */
#define SILENCE_NAME_BYTES 64 /* its device, its code, and who made it */
#define SILENCE_WHY_BYTES 200

/* Texts belong to the record. */
struct silence {
	json_t *record;
	bool clears;    /* no silence, but an act: what was reported of a counter is repaired */
	const char *id; /* 16 hexadecimal digits: also the source of the events that follow it */
	const char *device;
	uint64_t port;    /* 0: the device and all its ports */
	const char *code; /* NULL: all codes */
	/* it holds, or waits to be done, before this moment, nanoseconds since 1970 */
	uint64_t until_ns;
	const char *why, *by;
};

/* All zeros: none. */
struct silences {
	struct silence *items;
	size_t count, capacity;
};

/* Checks a record, to which the texts then belong; `record` of `*out` is NULL. False with `*error`
 * filled. */
bool silence_decode(const json_t *record, struct silence *out, struct rec_error *error);

/* Reads one line, without its newline. False with `*error` filled. */
bool silence_parse(const char *line, size_t length, struct silence *out, struct rec_error *error);
void silence_fini(struct silence *silence);

/* Reads a file of `length` bytes: one silence a line, empty lines between them. Each line that will
 * not do is left out, and `refuse` is told of it: its number, from 1, and the reason. 0, or -1 when
 * memory ran out. */
int silences_read(struct silences *out, const char *text, size_t length,
	void (*refuse)(void *context, size_t line, const char *reason), void *context);
void silences_fini(struct silences *silences);

/* What an event is about; each is "" when it has none. */
struct silence_subject {
	const char *device;  /* its first NIC, which may be a card: a PCI address */
	const char *devices; /* with commas: all its NICs, or the devices of the card */
	const char *port;    /* its first port */
	const char *code;    /* with commas: all its codes */
};

/* A silence that holds at a moment for what an event is about: for each of its NICs, or, since a
 * card lacks what one of its devices lacks, for a device of its card, whichever port it is for.
 * NULL: there is none. */
const struct silence *silences_find(
	const struct silences *silences, const struct silence_subject *subject, uint64_t now_ns);

/* How many of them hold at a moment. */
size_t silences_count(const struct silences *silences, uint64_t now_ns);

/* When the next of them ends that holds at a moment; UINT64_MAX: none does. */
uint64_t silences_next_end_ns(const struct silences *silences, uint64_t now_ns);

#endif

/* silence - decodes silences (no alerts for a while) and clears (repairs) that operators declare:
 * the lines of the silences file (nic-health-monitor-records(5)). Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_SILENCE_H
#define NHM_SILENCE_H

#include "event.h"
#include "rec.h"

/* The kinds of records in the file. */
#define SILENCE_KIND "silence"
#define SILENCE_CLEAR_KIND "clear"

/* Metadata key of an event that is sent because its silence ended and the condition persists. Its
 * value is the silence's id. */
#define SILENCE_AFTER_KEY "afterSilence"

/* The service's silences file. */
#define SILENCE_DEFAULT_PATH "/var/lib/nic-health-monitor/silences.ndjson"

/* Most silences in the file, and its largest size. */
#define SILENCE_MAX 256
#define SILENCE_FILE_BYTES ((size_t)512 << 10)

/* Longest texts of a silence. */
#define SILENCE_NAME_BYTES 64 /* device, code, and author */
#define SILENCE_WHY_BYTES 200

/* The texts belong to the record. */
struct silence {
	json_t *record;
	bool clears;    /* not a silence, but a clear: the reported counters are repaired */
	const char *id; /* 16 hexadecimal digits; also the source of the events that it causes */
	const char *device;
	uint64_t port;    /* 0: the device and all its ports */
	const char *code; /* NULL: all codes */
	/* end of the silence, or deadline of the clear, nanoseconds since 1970 */
	uint64_t until_ns;
	const char *why, *by;
};

/* All zeros: none. */
struct silences {
	struct silence *items;
	size_t count, capacity;
};

/* Decode a record, to which the texts then belong; leave `record` of `*out` NULL. Return false with
 * `*error` on failure. */
bool silence_decode(const json_t *record, struct silence *out, struct rec_error *error);

/* Parse one line without its newline. Return false with `*error` on failure. */
bool silence_parse(const char *line, size_t length, struct silence *out, struct rec_error *error);
void silence_fini(struct silence *silence);

/* Read a file of `length` bytes: one silence per line; empty lines are allowed. Skip each invalid
 * line and report its number, from 1, and the reason to `refuse`. Return 0, or -1 when out of
 * memory. */
int silences_read(struct silences *out, const char *text, size_t length,
	void (*refuse)(void *context, size_t line, const char *reason), void *context);
void silences_fini(struct silences *silences);

/* The subject of an event; each text is "" if it has none. */
struct silence_subject {
	const char *device;  /* first NIC, or a card: a PCI address */
	const char *devices; /* comma-separated: all NICs, or the devices of the card */
	const char *port;    /* first port */
	const char *code;    /* comma-separated: all codes */
};

/* Return a silence in force for a subject, or NULL. All of its NICs must be silenced. For a card,
 * one device suffices, whatever the port: a card lacks what one of its devices lacks. */
const struct silence *silences_find(
	const struct silences *silences, const struct silence_subject *subject, uint64_t now_ns);

/* Count the silences in force. */
size_t silences_count(const struct silences *silences, uint64_t now_ns);

/* Return when the first silence in force ends, or UINT64_MAX if none is. */
uint64_t silences_next_end_ns(const struct silences *silences, uint64_t now_ns);

#endif

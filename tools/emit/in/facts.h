/* facts - the fields of an event that emit uses: for routing, recognition, conditions and silences;
 * formats the line to deliver. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_FACTS_H
#define EMIT_FACTS_H

#include "intake.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* Size of each list in struct facts_room, bytes with the NUL. The lists of this monitor's own
 * events always fit; longer ones are cut. */
#define FACTS_TEXT_SIZE 4096

/* Metadata of a healthy event of the baseline, which follows each boot. */
#define FACTS_BASELINE_KEY "baseline"
#define FACTS_BASELINE_VALUE "true"

/* Metadata of an event that a silence covers: the silence's id, author and reason, and the event's
 * original processingStrategy. */
#define FACTS_SILENCE_KEY "silence"
#define FACTS_SILENCE_BY_KEY "silenceBy"
#define FACTS_SILENCE_WHY_KEY "silenceWhy"
#define FACTS_SILENCE_STRATEGY_KEY "silenceStrategy"

/* Metadata: URL of the event's runbook page. */
#define FACTS_RUNBOOK_KEY "runbook"

/* Longest name of a check, device or port that is stored, bytes with the NUL. */
#define FACTS_NAME_SIZE 512

/* Longest name of a source, bytes. Limits the acks file, which lists up to SOURCES_MAX of them, to
 * a size that its readers accept. */
#define FACTS_SOURCE_MAX 128

/* The strings are borrowed from the record and from the facts_room. A string is "" if the record
 * lacks the field or the field has another type. */
struct facts {
	const char *cause; /* metadata.cause: id of the event that caused this one */
	const char *id, *agent, *node, *check, *message, *action;
	const char *source; /* "" also if it is too long */
	/* 0: none. An event without source and seq cannot be recognised when it arrives again. */
	uint64_t seq;
	bool fatal, healthy;
	const char *strategy;      /* processingStrategy before any silence; never "" */
	const char *silence;       /* id of the silence that covers the event; "": none */
	bool baseline;             /* healthy, and metadata.baseline is set */
	uint64_t time_ns;          /* generatedTimestamp, ns since 1970; 0: none */
	const char *device, *port; /* values of the first entities NIC and NICPort */
	const char *devices; /* metadata.devices (a card's), else all NIC entities; with commas */
	/* Lists in the order of the record: all entities as `NIC=mlx5_0,NICPort=1` ("" for the
	 * whole check), and all strings in errorCode as `link_downed,saturated`. A comma or
	 * backslash inside an item is escaped with a backslash. */
	const char *about, *code;
};

/* Buffers of the lists in struct facts. */
struct facts_room {
	char about[FACTS_TEXT_SIZE], code[FACTS_TEXT_SIZE], devices[FACTS_TEXT_SIZE];
};

/* Read the facts of `event`. `room` and `event` have to outlive them. */
void facts_read(struct facts *facts, struct facts_room *room, const json_t *event);

/* Parse a record of `length` bytes and read its facts, which are valid as long as the returned
 * record. The caller frees the record. Return NULL if it is no record or memory runs out. */
json_t *facts_parse_new(
	struct facts *facts, struct facts_room *room, const char *text, size_t length);

/* Return one block, for free(): `before` bytes followed by copies of the texts. Point each of
 * `texts` to its copy. Return NULL if memory runs out. */
void *facts_copy_texts_new(size_t before, const char **const *texts, size_t count);

/* Return a copy of the facts that owns its strings, in one block for free(). NULL if memory runs
 * out. */
struct facts *facts_copy_new(const struct facts *facts);

/* Return the event's metadata, borrowed and writable; create it if missing. NULL if memory runs
 * out. */
json_t *facts_metadata(json_t *event);

/* Add the URL of the runbook page (runbook.h) to the metadata of an event that is not healthy and
 * has none. `url` NULL: no pages exist. Return true if it was added. */
bool facts_add_runbook(json_t *event, const char *url);

/* Return true for fatal and healthy events, which are sent at once (spec#routing). */
bool facts_are_urgent(const struct facts *facts);

/* Format an event record as a line with a newline, from malloc. Add nodeName and processingStrategy
 * if missing. Copy record->text verbatim if nothing was added and `has_changed`, which says that
 * the caller changed record->json, is false. record->json stays the caller's. NULL if memory runs
 * out. */
char *facts_line_new(
	const struct intake_record *record, const char *node, bool has_changed, size_t *length);

#endif

/* facts - what emit has to know of an event: how it is routed and found again, what it tells about
 * a condition, and the line that is delivered. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_FACTS_H
#define EMIT_FACTS_H

#include "intake.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* Longest text of each of the two that are put together here, bytes with the NUL: what one of our
 * own events has always fits. Longer ones are cut. */
#define FACTS_TEXT_SIZE 4096

/* What is in the metadata of healthy events that are said of everything after a boot. */
#define FACTS_BASELINE_KEY "baseline"
#define FACTS_BASELINE_VALUE "true"

/* What is in the metadata of an event that a silence covers: the silence's id, who made it and why,
 * and the processingStrategy that the event had. */
#define FACTS_SILENCE_KEY "silence"
#define FACTS_SILENCE_BY_KEY "silenceBy"
#define FACTS_SILENCE_WHY_KEY "silenceWhy"
#define FACTS_SILENCE_STRATEGY_KEY "silenceStrategy"

/* And in that of one for which there is a runbook: the page's address. */
#define FACTS_RUNBOOK_KEY "runbook"

/* Longest name of a check, a device or a port that is kept, bytes with the NUL. */
#define FACTS_NAME_SIZE 512

/* Longest name of a stream, bytes. Even with SOURCES_MAX of these names the acks file is short
 * enough to be read. */
#define FACTS_SOURCE_MAX 128

/* Strings are borrowed, from the record and from the room; "" where the record has none, or
 * something else in its place. */
struct facts {
	const char *cause; /* metadata.cause: the id of the event that this one follows from */
	const char *id, *agent, *node, *check, *message, *action;
	const char *source; /* "" also when it is too long */
	/* 0: none. Without source and seq an event cannot be recognised when it comes again. */
	uint64_t seq;
	bool fatal, healthy;
	const char *strategy; /* processingStrategy, or what it was before a silence; never "" */
	const char *silence;  /* the id of the silence that covers it; "": none does */
	bool baseline;        /* healthy, and said of everything after a boot: metadata.baseline */
	uint64_t time_ns;     /* generatedTimestamp, nanoseconds since 1970; 0: none */
	const char *device, *port; /* the first entities NIC and NICPort */
	const char *devices;       /* all entities NIC, or the devices of a card, with commas */
	/* Lists, in the order of the record: all entities, `NIC=mlx5_0,NICPort=1`, "" for the whole
	 * check; and all that are texts of errorCode, `link_downed,saturated`. A comma or backslash
	 * that belongs to a part has a backslash before it. */
	const char *about, *code;
};

/* Where the lists are put together. */
struct facts_room {
	char about[FACTS_TEXT_SIZE], code[FACTS_TEXT_SIZE], devices[FACTS_TEXT_SIZE];
};

/* `room` and `event` are to last as long as the facts. */
void facts_read(struct facts *facts, struct facts_room *room, const json_t *event);

/* Parses a record of `length` bytes and reads its facts; they last as long as the record, which is
 * the caller's. NULL when it is none, or memory ran out. */
json_t *facts_parse_new(
	struct facts *facts, struct facts_room *room, const char *text, size_t length);

/* A block of `before` bytes, for free(), with copies of the texts after them, which each of the
 * pointers then points to. NULL when memory ran out. */
void *facts_copy_texts_new(size_t before, const char **const *texts, size_t count);

/* The same facts with strings of their own, in one block for free(). NULL when memory ran out. */
struct facts *facts_copy_new(const struct facts *facts);

/* The metadata of an event, for more to be put in: borrowed, made if it has none. NULL when memory
 * ran out. */
json_t *facts_metadata(json_t *event);

/* Puts the address of its runbook, see runbook.h, into the metadata of an event that reports
 * something and does not come with one. NULL for `url`: there are no pages. True when it has. */
bool facts_add_runbook(json_t *event, const char *url);

/* Fatal and healthy events are sent at once (spec#routing). */
bool facts_are_urgent(const struct facts *facts);

/* The line of an event record, with its newline, in memory from malloc; nodeName and
 * processingStrategy are added where they are missing, and a record that has both is passed on as
 * it came, unless its json `has_changed`. `record->json` stays the caller's. NULL when memory runs
 * out. */
char *facts_line_new(
	const struct intake_record *record, const char *node, bool has_changed, size_t *length);

#endif

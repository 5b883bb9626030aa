/* event - event records (records#events). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_EVENT_H
#define NHM_EVENT_H

#include "num.h"
#include "opt.h"
#include "rec.h"

/* The agent of what was found in other events: NVSentinel's name for that. */
#define EVENT_ANALYZER "health-events-analyzer"

/* Room for a stream's name, 16 hexadecimal digits, and a NUL. */
#define EVENT_SOURCE_SIZE 17

/* Room for an event's id: its stream's name, a hyphen, its number, and a NUL. */
#define EVENT_ID_SIZE (EVENT_SOURCE_SIZE + NUM_U64_SIZE)

/* The last microsecond that clock_parse() knows, less what may still be added to it. */
#define EVENT_LAST_US_MAX (UINT64_MAX / 1000 - 1000000)

/* What processingStrategy may be. */
enum event_strategy {
	EVENT_EXECUTE_REMEDIATION,
	EVENT_STORE_ONLY,
	EVENT_STORE_AND_ANALYSE,
	EVENT_STRATEGY_N
};
extern const char *const event_strategies[EVENT_STRATEGY_N];

/* Sets `*out` to the entry of event_strategies that is this word. Returns NULL, or the reason why
 * the word will not do, valid until the next call. */
const char *event_strategy_parse(const char **out, const char *word);

/* A row in a tool's table of options: the word becomes a const char *, an entry of
 * event_strategies. */
#define EVENT_STRATEGY(struct_type, member) \
	OPT_OTHER(event_strategy_accept), .offset = OPT_MEMBER(const char *, struct_type, member)
const char *event_strategy_accept(void *target, const struct opt_given *given);

/* One of the entities that an event is about (its type and which it is), or one entry of its
 * metadata. */
struct event_pair {
	const char *name;
	const char *value; /* NULL: not in the record */
};

/* What the caller decides about an event. Everything is borrowed, for the call only. Any bytes will
 * do as a text: what is not UTF-8 becomes U+FFFD. Control characters above U+001F, and those that
 * turn the direction of writing, go into the record as they are: who has a text from outside
 * removes them before. */
struct event {
	const char *agent;
	const char *check; /* checkName */
	bool fatal, healthy;
	const char *action; /* recommendedAction; NULL: REPLACE_VM if it is fatal, else NONE */
	/* may hold NUL, which becomes U+FFFD, and be of any length: it is cut where the record must
	 * end */
	const char *message;
	size_t message_length;
	const char *const *codes; /* errorCode, in this order; NULL: not in the record */
	size_t code_count;
	const struct event_pair *entities; /* entitiesImpacted, in this order */
	size_t entity_count;
	/* in this order, names all different; the last are the first to be left out of too long a
	 * record */
	const struct event_pair *metadata;
	size_t metadata_count;
	/* When it was observed: RFC 3339. generatedTimestamp is this, or 1 us after that of the
	 * stream's last event, whichever is later; metadata.observed has the time of observation
	 * where the two are 1 s apart or more, as after a clock was set back. */
	const char *timestamp;
	const char *strategy; /* processingStrategy; NULL: the stream's */
};

/* One writer's stream of events: names them and numbers them. */
struct event_stream {
	char source[EVENT_SOURCE_SIZE];
	uint64_t seq;     /* of the latest event; 0 before the first */
	uint64_t last_us; /* its generatedTimestamp, microseconds since 1970; 0: none yet */
	bool has_node;
	char node[REC_NODE_MAX_BYTES + 1];
	const char *strategy;
};

/* Whose events they are; `node`, at most REC_NODE_MAX_BYTES, may be NULL. */
void event_stream_set_node(struct event_stream *stream, const char *node);

/* Begins a stream: its name is the hash of the tool, the node, the boot and the time of the first
 * record, so that the replay of a capture gives the same one. `node`, at most REC_NODE_MAX_BYTES,
 * and `boot_id` may be NULL. `strategy` is kept, not copied. */
void event_stream_init(struct event_stream *stream, const char *tool, const char *node,
	const char *boot_id, const char *first_ts, const char *strategy);

/* Writes the next record of the stream as a line, compact, with a newline and a NUL after it, and
 * returns its length without the NUL. What is longer than REC_EVENT_MAX_BYTES with its newline is
 * made to fit: the message is cut at a character's boundary and ends in U+2026, and when that is
 * not enough metadata is left out, from the end. 0, and the stream as it was, when the texts that
 * must stay are longer than a record may be. */
size_t event_format(
	struct event_stream *stream, const struct event *event, char out[REC_EVENT_MAX_BYTES + 1]);

/* The same record, to be given back with json_decref(). NULL, and the stream as it was, when
 * event_format() gives 0 or memory ran out. */
json_t *event_new(struct event_stream *stream, const struct event *event);

/* Begins another stream in place of this one, named after it and a moment. A tool needs that when
 * this stream may give the next numbers to other events after a restart. Its times go on after
 * those of this one. Records are moved to it with event_restamp(). */
void event_stream_fork(struct event_stream *stream, const char *ts);

/* Makes a record the next one of the stream. 0, or -1 when memory ran out. */
int event_restamp(struct event_stream *stream, json_t *record);

/* What an event record is about: the value of its first entity of this type, which belongs to it;
 * NULL when there is none. */
const char *event_entity(const json_t *record, const char *type);

#endif

/* event - formats and numbers event records (records#events). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_EVENT_H
#define NHM_EVENT_H

#include "num.h"
#include "opt.h"
#include "rec.h"

/* Agent of events derived from other events; NVSentinel's name for it. */
#define EVENT_ANALYZER "health-events-analyzer"

/* Room for a stream's name: 16 hexadecimal digits and a NUL. */
#define EVENT_SOURCE_SIZE 17

/* Room for an event's id: stream name, hyphen, seq, and a NUL. */
#define EVENT_ID_SIZE (EVENT_SOURCE_SIZE + NUM_U64_SIZE)

/* The latest time that clock_parse() accepts, in microseconds, with room for additions. */
#define EVENT_LAST_US_MAX (UINT64_MAX / 1000 - 1000000)

/* Values of processingStrategy. */
enum event_strategy {
	EVENT_EXECUTE_REMEDIATION,
	EVENT_STORE_ONLY,
	EVENT_STORE_AND_ANALYSE,
	EVENT_STRATEGY_N
};
extern const char *const event_strategies[EVENT_STRATEGY_N];

/* Set `*out` to the entry of event_strategies equal to `word`. Return NULL, or the reason to reject
 * the word, valid until the next call. */
const char *event_strategy_parse(const char **out, const char *word);

/* A row in a tool's table of options: the word becomes a const char *, an entry of
 * event_strategies. */
#define EVENT_STRATEGY(struct_type, member) \
	OPT_OTHER(event_strategy_accept), .offset = OPT_MEMBER(const char *, struct_type, member)
const char *event_strategy_accept(void *target, const struct opt_given *given);

/* One impacted entity of an event (type and value), or one entry of its metadata. */
struct event_pair {
	const char *name;
	const char *value; /* NULL: not in the record */
};

/* The caller's part of an event. Everything is borrowed for the call. Texts may hold any bytes:
 * invalid UTF-8 becomes U+FFFD. Control characters above U+001F, and those that change the writing
 * direction, are copied: the caller must remove them from external texts first. */
struct event {
	const char *agent;
	const char *check; /* checkName */
	bool fatal, healthy;
	const char *action; /* recommendedAction; NULL: REPLACE_VM if it is fatal, else NONE */
	/* of any length, cut if the record is too long; NUL becomes U+FFFD */
	const char *message;
	size_t message_length;
	const char *const *codes; /* errorCode, in this order; NULL entries are omitted */
	size_t code_count;
	const struct event_pair *entities; /* entitiesImpacted, in this order */
	size_t entity_count;
	/* in this order, with unique names; the last entries are the first to be dropped if the
	 * record is too long */
	const struct event_pair *metadata;
	size_t metadata_count;
	/* Time of observation, RFC 3339. generatedTimestamp is this, or 1 us after the stream's
	 * previous event, whichever is later. If they differ by 1 s or more, for example after a
	 * clock was set back, metadata.observed has the time of observation. */
	const char *timestamp;
	const char *strategy; /* processingStrategy; NULL: the stream's */
};

/* A stream of events of one writer: its name and its counter of events. */
struct event_stream {
	char source[EVENT_SOURCE_SIZE];
	uint64_t seq;     /* of the latest event; 0 before the first */
	uint64_t last_us; /* its generatedTimestamp, microseconds since 1970; 0: none yet */
	bool has_node;
	char node[REC_NODE_MAX_BYTES + 1];
	const char *strategy;
};

/* Set the node of the events. `node`, at most REC_NODE_MAX_BYTES, may be NULL. */
void event_stream_set_node(struct event_stream *stream, const char *node);

/* Begin a stream. Its name is the hash of the tool, the node, the boot and the time of the first
 * record, so that the replay of a capture gives the same name. `node`, at most REC_NODE_MAX_BYTES,
 * and `boot_id` may be NULL. The pointer `strategy` is kept. */
void event_stream_init(struct event_stream *stream, const char *tool, const char *node,
	const char *boot_id, const char *first_ts, const char *strategy);

/* Write the next record of the stream as one compact line, followed by a newline and a NUL. Return
 * its length without the NUL. A record longer than REC_EVENT_MAX_BYTES with its newline is
 * shortened: the message is cut between characters and ends in U+2026; if that is not enough,
 * metadata is dropped from its end. Return 0, and leave the stream unchanged, if the remaining
 * texts are too long for a record. */
size_t event_format(
	struct event_stream *stream, const struct event *event, char out[REC_EVENT_MAX_BYTES + 1]);

/* Create the same record as JSON; release it with json_decref(). Return NULL, and leave the stream
 * unchanged, if event_format() returns 0 or memory ran out. */
json_t *event_new(struct event_stream *stream, const struct event *event);

/* Replace the stream by a new one, named after it and `ts`. A tool needs that if, after a restart,
 * this stream may give its next numbers to other events. Timestamps continue after those of the old
 * stream. Move records to the new stream with event_restamp(). */
void event_stream_fork(struct event_stream *stream, const char *ts);

/* Give a record the next id and seq of the stream. Return 0, or -1 when memory ran out. */
int event_restamp(struct event_stream *stream, json_t *record);

/* Return the value of the record's first entity of this type, which belongs to the record; NULL if
 * there is none. */
const char *event_entity(const json_t *record, const char *type);

/* Return the record's first errorCode, which belongs to the record; NULL if there is none. */
const char *event_code(const json_t *record);

#endif

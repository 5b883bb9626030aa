/* event - event records: RECORDS.md, "Event records". */
#ifndef CTREVAL_EVENT_H
#define CTREVAL_EVENT_H

#include "rec.h"
#include "scanrec.h"

/* Room for a stream's name, 16 hexadecimal digits, and a NUL. */
#define EVENT_SOURCE_SIZE 17

/* What the caller decides about an event. Strings are borrowed. */
struct event {
	const char *check; /* checkName */
	bool fatal, healthy;
	const char *message;
	const char *error_code; /* nullable */
	const char *error_word; /* second errorCode; nullable */
	const char *
		device; /* entity NIC: a device's name or a card's PCI address; nullable: no entities */
	int64_t port;                     /* entity NICPort; 0: none */
	const char *pci, *role, *devices; /* metadata; nullable */
	const char *rate, *peer_rate;     /* the same */
	const char *timestamp;
};

/* One writer's stream of events: names them and numbers them. */
struct event_stream {
	char source[EVENT_SOURCE_SIZE];
	uint64_t seq; /* of the latest event; 0 before the first */
	bool has_node;
	char node[SCANREC_NODE_MAX_BYTES + 1];
	const char *strategy;
};

/* Whose events they are; `node`, at most SCANREC_NODE_MAX_BYTES, may be NULL. */
void event_stream_set_node(struct event_stream *stream, const char *node);

/* Begins a stream: its name is the hash of the tool, the node, the boot and the time of the first record, so that the
 * replay of a capture gives the same one. `node`, at most SCANREC_NODE_MAX_BYTES, and `boot_id` may be NULL. `strategy` is kept, not
 * copied. */
void event_stream_init(struct event_stream *stream, const char *tool, const char *node,
	const char *boot_id, const char *first_ts, const char *strategy);

/* The next record of the stream, at most REC_EVENT_MAX_BYTES with its newline: a longer message is cut. NULL when memory
 * runs out. */
json_t *event_new(struct event_stream *stream, const struct event *event);

/* Begins another stream in place of this one, named after it and a moment: for when what is said next must not have the numbers
 * that this one may give again after a restart. Records are moved to it with event_restamp(). */
void event_stream_fork(struct event_stream *stream, const char *ts);

/* Makes a record the next one of the stream. 0, or -1 when memory ran out. */
int event_restamp(struct event_stream *stream, json_t *record);

#endif

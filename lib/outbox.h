/* outbox - events that were decided and are not known to have been delivered (arch#nothing-lost).
 * An event that the receiver has stored and not delivered can still be lost with its spool.
 *
 * The latest that were delivered are kept as well. A receiver that loses its acks and the end of
 * its spool at once does not know that it has delivered them. It delivers again what is left of the
 * spool, and whoever receives that would believe what these events have changed since. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_OUTBOX_H
#define NHM_OUTBOX_H

#include "acks.h"
#include "event.h"

/* Events kept for a receiver that does not acknowledge. The oldest beyond that, all of which have
 * been written, are given up with a warning. */
#define OUTBOX_EVENTS_MAX 4096

/* Of events that are acknowledged and not delivered, the latest so many are kept. */
#define OUTBOX_ACKED_MAX 256

/* Of events that are delivered, the latest so many are kept: some 100 KiB of memory. */
#define OUTBOX_DELIVERED_MAX 32

struct outbox {
	json_t *events;    /* array of event records, oldest first */
	json_t *delivered; /* the same of what every sink has had */
};

/* 0, or -1 when memory ran out. Free with outbox_fini(). */
int outbox_init(struct outbox *outbox);
void outbox_fini(struct outbox *outbox);

/* Adds the events of an array. 0, or -1 when memory ran out. */
int outbox_add(struct outbox *outbox, json_t *events);

/* Puts the events of an array that are not in the outbox before those that are; they are `*added`,
 * an array to be given back with json_decref(), or NULL when there are none. 0, or -1 when memory
 * ran out. */
int outbox_merge(struct outbox *outbox, const json_t *events, json_t **added);

/* Drops what is acknowledged and either delivered or not among the latest OUTBOX_ACKED_MAX; of what
 * is delivered the latest OUTBOX_DELIVERED_MAX are kept in `delivered`. True when that was
 * anything. */
bool outbox_trim(struct outbox *outbox, const struct acks *acks);

/* Puts what was delivered, and is no longer acknowledged, before the other events: the receiver has
 * lost the end of what it had of that source. One that has nothing of a source has nothing to
 * deliver again, and gets nothing old. True when that was anything; without memory it is not. */
bool outbox_recall(struct outbox *outbox, const struct acks *acks);

/* Whether an event is acknowledged: `seqs` as struct acks has them, nullable. */
bool outbox_is_acked(const json_t *event, const json_t *seqs);

/* Drops the oldest beyond OUTBOX_EVENTS_MAX; how many. */
size_t outbox_bound(struct outbox *outbox);

/* Drops all. True when there were any. */
bool outbox_clear(struct outbox *outbox);

/* Adds to a state file's content what a restart needs: `source`, `seq` and `last_us` of the stream,
 * `outbox` and `delivered`. 0, or -1 when memory ran out. */
int outbox_encode(const struct outbox *outbox, const struct event_stream *stream, json_t *root);

/* Takes the same from a content, an object, into an empty outbox and stream; a member that is
 * missing or null leaves them so. 0, or -1 with `*error` when a member is not what it should be,
 * and then nothing of the content may be used. */
int outbox_decode(struct outbox *outbox, struct event_stream *stream, const json_t *root,
	struct rec_error *error);

#endif

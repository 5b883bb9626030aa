/* outbox - events that are not known to have been delivered (arch#nothing-lost). An event that the
 * receiver has stored but not delivered can still be lost with its spool.
 *
 * The latest delivered events are kept as well. A receiver that loses its acks and the end of its
 * spool together delivers the rest of the spool again. Its sink would then believe these older
 * events, unless the later ones that superseded them are sent again too. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_OUTBOX_H
#define NHM_OUTBOX_H

#include "acks.h"
#include "event.h"

/* Most events kept for a receiver that does not acknowledge. Older ones, which have all been
 * written, are dropped with a warning. */
#define OUTBOX_EVENTS_MAX 4096

/* Most events kept that are acknowledged but not delivered: the latest. */
#define OUTBOX_ACKED_MAX 256

/* Most delivered events kept: the latest, some 100 KiB of memory. */
#define OUTBOX_DELIVERED_MAX 32

struct outbox {
	json_t *events;    /* array of event records, oldest first */
	json_t *delivered; /* the same, of events that every sink has received */
};

/* Return 0, or -1 when out of memory. Free with outbox_fini(). */
int outbox_init(struct outbox *outbox);
void outbox_fini(struct outbox *outbox);

/* Append the events of an array. Return 0, or -1 when out of memory. */
int outbox_add(struct outbox *outbox, json_t *events);

/* Insert those of `events` that are not in the outbox before those that are. `*added` is an array
 * of them, to be freed with json_decref(), or NULL if there are none. Return 0, or -1 when out of
 * memory. */
int outbox_merge(struct outbox *outbox, const json_t *events, json_t **added);

/* Drop the acknowledged events that are delivered, or older than the latest OUTBOX_ACKED_MAX. Keep
 * the latest OUTBOX_DELIVERED_MAX delivered ones in `delivered`. Return whether `events`
 * changed. */
bool outbox_trim(struct outbox *outbox, const struct acks *acks);

/* Move the delivered events that are no longer acknowledged to the front of `events`: the receiver
 * has lost the end of their stream. Skip sources of which the receiver has nothing: it delivers
 * nothing of them again. Return whether any event was moved. When memory runs out, the older ones
 * stay in `delivered`. */
bool outbox_recall(struct outbox *outbox, const struct acks *acks);

/* Return whether an event is acknowledged by `seqs`, from struct acks, nullable. */
bool outbox_is_acked(const json_t *event, const json_t *seqs);

/* Drop the oldest events beyond OUTBOX_EVENTS_MAX. Return how many. */
size_t outbox_bound(struct outbox *outbox);

/* Drop all events, delivered ones too. Return whether `events` held any. */
bool outbox_clear(struct outbox *outbox);

/* Add to a state file's content `source`, `seq` and `last_us` of the stream, `outbox` and
 * `delivered`. Return 0, or -1 when out of memory. */
int outbox_encode(const struct outbox *outbox, const struct event_stream *stream, json_t *root);

/* Read these members from a state file's content, an object, into an empty outbox and stream; a
 * missing or null member leaves its part empty. Return 0, or -1 with `*error` if a member is
 * invalid; then nothing of the content may be used. */
int outbox_decode(struct outbox *outbox, struct event_stream *stream, const json_t *root,
	struct rec_error *error);

#endif

/* outbox - events that were decided and are not known to be stored by their receiver: ARCHITECTURE.md, "Nothing is lost". */
#ifndef CTREVAL_OUTBOX_H
#define CTREVAL_OUTBOX_H

#include "rec.h"

/* Events kept for a receiver that does not acknowledge. The oldest beyond that, all of which have been written, are given up with a warning. */
#define OUTBOX_EVENTS_MAX 4096

struct outbox {
	json_t *events; /* array of event records, oldest first */
};

/* 0, or -1 when memory ran out. Free with outbox_fini(). */
int outbox_init(struct outbox *outbox);
void outbox_fini(struct outbox *outbox);

/* Adds the events of an array. 0, or -1 when memory ran out. */
int outbox_add(struct outbox *outbox, json_t *events);

/* Puts the events of an array that are not in the outbox before those that are; they are `*added`, an array to be given back with json_decref(), or
 * NULL when there are none. 0, or -1 when memory ran out. */
int outbox_merge(struct outbox *outbox, const json_t *events, json_t **added);

/* Drops what is acknowledged: `acks` as acks_read_new() gives them. True when that was anything. */
bool outbox_trim(struct outbox *outbox, const json_t *acks);

/* Drops the oldest beyond OUTBOX_EVENTS_MAX; how many. */
size_t outbox_bound(struct outbox *outbox);

/* Drops all. True when there were any. */
bool outbox_clear(struct outbox *outbox);

#endif

/* feed - base of the feeds that read a fleet's events from a server: from a given number on, each
 * event once, in a fixed order.
 *
 * The server does not track what a reader has read. If it did, it would redeliver unacknowledged
 * events after newer ones, but patterns over time need the order. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FLEETREAD_FEED_H
#define FLEETREAD_FEED_H

#include "../emit/out/token.h"
#include "mark.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Buffer sizes: a failure reason, and a feed's name in messages. */
#define FEED_REASON_SIZE (TRUST_PROBLEM_SIZE + 64)
#define FEED_NAME_SIZE 160

struct feed_message {
	uint64_t number;
	/* once this message is read, every number up to this one is; never decreases */
	uint64_t upto;
	const char *text;
	size_t length;
	void *owner; /* private to the feed */
};

enum feed_status {
	FEED_MESSAGE,
	FEED_NOTHING, /* timeout */
	FEED_LOST,    /* closed; see `reason` */
};

/* Base of each kind of feed: its first member. */
struct feed {
	const struct feed_kind *kind;
	const char *url;           /* of the server, for messages */
	char name[FEED_NAME_SIZE]; /* "stream nic" */
	bool is_reading;           /* ask() succeeded and the feed is not lost */
	/* From the last connect(): the id of the source, within which numbers are unique, and its
	 * first and last number. `first` is 0 if unknown. */
	char source[MARK_SOURCE_MAX + 1];
	uint64_t first, last;
	char reason[FEED_REASON_SIZE]; /* why the feed was lost */
};

struct feed_kind {
	/* Connect if necessary, and set `source`, `first` and `last`. Return false with `reason`
	 * and close on failure. */
	bool (*connect)(struct feed *feed);
	/* Request the messages with a number above `after`, and no others any more. Return false
	 * with `reason` and close on failure. */
	bool (*ask)(struct feed *feed, uint64_t after);
	/* Wait up to `timeout_ms` for the next message. Release it with give_back(). */
	enum feed_status (*next)(struct feed *feed, uint64_t timeout_ms, struct feed_message *out);
	void (*give_back)(struct feed_message *message);
	/* Return true if every message up to `last` that is ours has been received: the others
	 * belong to other fabrics. Return false also if that is unknown. NULL: always unknown. */
	bool (*is_drained)(struct feed *feed);
	void (*close)(struct feed *feed);
};

/* For the kinds of feeds: set `reason` and close the feed. Return false. */
bool feed_lose(struct feed *feed, const char *what, const char *why);

#endif

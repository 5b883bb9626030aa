/* feed - the events of a fleet where a server keeps them, in an order that does not change, and
 * each once, from a number on.
 *
 * The server keeps no account of who has read what: one that does would give what was not
 * acknowledged once more behind what is newer, and patterns over time need an order. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FLEETREAD_FEED_H
#define FLEETREAD_FEED_H

#include "../emit/out/token.h"
#include "mark.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Room for why something did not work, and for what messages call a feed. */
#define FEED_REASON_SIZE (TRUST_PROBLEM_SIZE + 64)
#define FEED_NAME_SIZE 160

struct feed_message {
	uint64_t number;
	/* when this one has been read, too, all up to that number has; it never goes back */
	uint64_t upto;
	const char *text;
	size_t length;
	void *owner; /* of the feed */
};

enum feed_status {
	FEED_MESSAGE,
	FEED_NOTHING, /* nothing has come in that time */
	FEED_LOST,    /* `reason` says why; it is closed */
};

/* At the beginning of that of a kind. */
struct feed {
	const struct feed_kind *kind;
	const char *url;           /* of its server, for messages */
	char name[FEED_NAME_SIZE]; /* "stream nic" */
	bool is_reading;           /* it was asked for messages, and is not lost */
	/* When it was looked at last: what numbers mean something in it only, and the first and the
	 * last of them; `first` is 0 where that cannot be told. */
	char source[MARK_SOURCE_MAX + 1];
	uint64_t first, last;
	char reason[FEED_REASON_SIZE]; /* why it is lost */
};

struct feed_kind {
	/* Connects, unless it is, and looks at what is there. False with `reason`, and it is
	 * closed. */
	bool (*connect)(struct feed *feed);
	/* Asks for the messages that have a number above `after`, and no longer for any others.
	 * False with `reason`, and it is closed. */
	bool (*ask)(struct feed *feed, uint64_t after);
	/* Waits for the next message for so long. It is to be given back. */
	enum feed_status (*next)(struct feed *feed, uint64_t timeout_ms, struct feed_message *out);
	void (*give_back)(struct feed_message *message);
	void (*close)(struct feed *feed);
};

/* For the kinds: closes it, with that reason. Returns false. */
bool feed_lose(struct feed *feed, const char *what, const char *why);

#endif

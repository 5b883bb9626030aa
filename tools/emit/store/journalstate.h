/* journalstate - the journal's data, shared by journal*.c. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_JOURNALSTATE_H
#define EMIT_JOURNALSTATE_H

#include "../in/held.h"
#include "../in/sources.h"
#include "batch.h"
#include "desk.h"
#include "retention.h"

/* It is unknown what the sinks have: the spool has not been read. */
#define JOURNAL_UNASKED UINT64_MAX

/* Longest total wait for the disk in one round of the loop, so that a slow spool does not delay the
 * sinks. */
#define JOURNAL_PATIENCE_NS (2 * NUM_NS_PER_S)

struct journal_options {
	const char *spool_path;   /* NULL: no spool */
	const char *acks_path;    /* NULL: no acks */
	const char *node;         /* this node, whose boots end conditions */
	const char *boot_id_path; /* NULL: do not detect boots */
	struct retention retention;
	uint64_t patience_ns; /* usually JOURNAL_PATIENCE_NS */
};

/* Counters since the start. */
struct journal_tally {
	uint64_t stored;   /* events stored in the spool */
	uint64_t dropped;  /* undelivered events that were dropped */
	uint64_t missing;  /* acknowledged events that are in no spool */
	uint64_t answered; /* events that arrived after their answer */
	uint64_t failures; /* failed attempts to use the spool or the acks */
};

struct journal {
	const struct journal_options *options;
	/* Events that are not in the spool, with the numbers that they will have there; before them
	 * some that are stored, and that a sink does not have yet. */
	struct queue queue;
	uint64_t unstored;   /* number of the first event not stored; with a spool only */
	size_t stored_bytes; /* of the lines before `unstored` */
	struct desk *desk;   /* NULL: no spool */
	bool is_late;        /* the errand has not ended in time */
	uint64_t waited_ns;  /* time spent waiting in this round */
	bool begins;         /* opening at the start: may take longer */
	struct sources sources;
	/* standing conditions and acks as last read from the acks or made for them; or NULL */
	json_t *standing, *standing_acks;
	struct held held;
	struct routing routing;
	/* Set by the caller before journal_keep(): every writer that will come back has written
	 * what was due at this time or later, 0: unknown; and whether more input is readable. */
	uint64_t writers_ns;
	bool more_waits;
	uint64_t held_look_at_ns; /* earliest next check of held events */
	bool waiting;             /* a writer's absence was reported */
	bool failing;             /* the spool does not work; reported */
	uint64_t retry_at_ns;     /* 0: now */
	uint64_t retention_at_ns;
	uint64_t grown_bytes; /* stored since the last retention round */
	uint64_t lost;        /* undelivered events that were dropped, not reported yet */
	uint64_t report_lost_at_ns;
	struct journal_tally tally;
	bool overfull; /* the spool exceeds its limit; reported */
	char receiver[DESK_RECEIVER_SIZE];
	bool acks_due; /* the acks or `receiver` have changed */
	/* more events are delivered; write the acks at report_delivered_at_ns */
	bool delivered_due;
	uint64_t report_delivered_at_ns;
	bool acks_failing;
	/* number of openings; after each one all positions have to be stored */
	unsigned opened;
	unsigned known_opened; /* `opened` when the spool last knew all sinks' positions */
	bool has_sinks;        /* store nothing in a spool that does not know them */
	bool knows_delivered;  /* the acks at the start told what every sink has */
	uint64_t arrived;   /* last number that every sink has, if the spool lost the positions */
	uint64_t inherited; /* number of the spool's last event at its first opening */
	uint64_t moved;     /* by how much that opening raised the numbers in memory */
	/* Spool that was moved aside and has not been imported yet; "": none. */
	char broken[DESK_PATH_SIZE];
};

#endif

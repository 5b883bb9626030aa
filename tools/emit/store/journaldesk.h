/* journaldesk - runs the journal's errands (desk.h), limits how long a round of the loop waits for
 * them, and tracks the state of the spool. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_JOURNALDESK_H
#define EMIT_JOURNALDESK_H

#include "../in/held.h"
#include "../in/sources.h"
#include "batch.h"
#include "desk.h"
#include "retention.h"

/* It is unknown what the sinks have: the spool has not been read. */
#define JOURNAL_UNASKED UINT64_MAX

struct journal_options {
	const char *spool_path;   /* NULL: no spool */
	const char *acks_path;    /* NULL: no acks */
	const char *node;         /* this node, whose boots end conditions */
	const char *boot_id_path; /* NULL: do not detect boots */
	struct retention retention;
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
	json_t *standing;      /* standing conditions as last written to the acks; or NULL */
	json_t *standing_acks; /* the acks written with `standing` */
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

/* --- errands --- */

/* Return an errand to fill in, for journal_ask(), which waits for its end within the round's limit.
 * NULL while another errand is late; never NULL if journal_is_usable(). */
struct errand *journal_errand(struct journal *journal, enum errand_kind kind);
enum database_status journal_ask(struct journal *journal);

/* Free the errand's data, unless `status` is DATABASE_LATE: then it is still running, and its
 * result will be discarded. */
void journal_end_errand(struct journal *journal, enum database_status status);

/* Return true if a late errand has ended; its result can be used. */
bool journal_take_late(struct journal *journal);

/* Return since when the disk has not answered, CLOCK_MONOTONIC; 0: it does not hang. */
uint64_t journal_hangs_since_ns(const struct journal *journal);

/* Return when a late errand has to be reported as hanging; UINT64_MAX: never. */
uint64_t journal_will_hang_at_ns(const struct journal *journal);

/* Return a descriptor that is readable when a late errand has ended; -1: none. */
int journal_fd(const struct journal *journal);

/* --- the state of the spool --- */

/* Return true if the spool is open, has imported any broken one, and can be accessed now. */
bool journal_is_usable(const struct journal *journal);

/* Return true if stored events outlive the process. */
bool journal_is_durable(const struct journal *journal);

/* Return true if the spool works, as far as is known. */
bool journal_has_spool(const struct journal *journal);

/* Return the highest number that is always read from the spool. */
uint64_t journal_stored(const struct journal *journal);

/* Return whether the spool knows each sink's position; note that it does, for opening `opened`.
 * Until then nothing is stored in it: after a crash a sink that the spool does not know would get
 * none of its events. */
bool journal_knows_sinks(const struct journal *journal);
void journal_know_sinks(struct journal *journal, unsigned opened);

/* Report once that the spool does not work, and schedule a retry; report that it works again. */
void journal_note_failing(struct journal *journal, uint64_t now_ns);
void journal_note_working(struct journal *journal);

/* Set `stored` of each source to 0: a new spool knows none of them. */
void journal_forget_stored(struct journal *journal);

/* Choose a new receiver name: writers that see it write unacknowledged events again. */
void journal_name_receiver(struct journal *journal);

#endif

/* journaldesk - the journal, and how its spool is: errands for desk.h, with a limit to how long a
 * round of the loop waits for them, and what is known of the spool without asking. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_JOURNALDESK_H
#define EMIT_JOURNALDESK_H

#include "../in/held.h"
#include "../in/sources.h"
#include "batch.h"
#include "desk.h"
#include "retention.h"

/* What sinks have is not known: the spool has not been asked. */
#define JOURNAL_UNASKED UINT64_MAX

struct journal_options {
	const char *spool_path;   /* NULL: no spool */
	const char *acks_path;    /* NULL: nobody is told what is stored */
	const char *node;         /* this node, whose boots end conditions */
	const char *boot_id_path; /* NULL: boots are not noticed */
	struct retention retention;
};

/* What has become of events, and of the spool, since the start; these only grow. */
struct journal_tally {
	uint64_t stored;   /* events that the spool has taken */
	uint64_t dropped;  /* events that were dropped although they were owed */
	uint64_t missing;  /* events that were acknowledged and are in no spool */
	uint64_t answered; /* events that came after their answer */
	uint64_t failures; /* attempts to use the spool, or the acks, that failed */
};

struct journal {
	const struct journal_options *options;
	/* events that are not in the spool, numbered as they will be there; before them, some that
	 * are, and that a sink does not have yet */
	struct queue queue;
	uint64_t unstored;   /* number of the first that is not; without a spool unused */
	size_t stored_bytes; /* of those before it */
	struct desk *desk;   /* NULL: no spool */
	bool is_late;        /* the errand under way is late: waiting for it was in vain */
	uint64_t waited_ns;  /* for the disk, in this round */
	bool begins;         /* opening: what there is to do may take its time */
	struct sources sources;
	json_t *standing; /* what stood when the acks were written last, as they have it; or NULL */
	json_t *standing_acks; /* what was acknowledged then */
	struct held held;
	struct routing routing;
	/* Set by the caller before journal_keep(): all writers that are to come back have written
	 * what was due at this moment or later, 0: nobody says; and whether more may be waiting to
	 * be read. */
	uint64_t writers_ns;
	bool more_waits;
	uint64_t held_look_at_ns; /* when to look after what is held back, if it is due */
	bool waiting; /* something is held back for longer than usual, which has been said */
	bool failing; /* the spool does not work, which has been said */
	uint64_t retry_at_ns; /* when to try again; 0: now */
	uint64_t retention_at_ns;
	uint64_t grown_bytes; /* what has been stored since its size was looked at */
	uint64_t lost; /* events that were dropped although they were owed, and not said yet */
	uint64_t report_lost_at_ns;
	struct journal_tally tally;
	bool overfull; /* it is larger than it should be, which has been said */
	char receiver[DESK_RECEIVER_SIZE];
	bool acks_due; /* what may be acknowledged, or our name, has changed */
	/* the writers can be told that more is delivered, at report_delivered_at_ns */
	bool delivered_due;
	uint64_t report_delivered_at_ns;
	bool acks_failing;
	/* how often the spool was: each time it has to be told how far the sinks have got */
	unsigned opened;
	unsigned known_opened; /* the same, when it last knew all of them */
	bool has_sinks;        /* nothing is stored in a spool that does not know them */
	bool knows_delivered;  /* the acks at the start said what every sink has */
	uint64_t arrived;      /* the last number that every sink has, when the spool knows less */
	uint64_t inherited;    /* number of the last event that it had when it was opened first */
	uint64_t moved; /* how much higher the numbers of events in memory have become then */
	/* A spool that was moved aside, while its events have not been taken over; "": none. */
	char broken[DESK_PATH_SIZE];
};

/* --- errands --- */

/* An errand to be filled, which journal_ask() waits for as long as a round may. NULL: the disk is
 * late with another one; never when journal_is_usable(). */
struct errand *journal_errand(struct journal *journal, enum errand_kind kind);
enum database_status journal_ask(struct journal *journal);

/* Ends the errand. If it is still under way, nobody will use its result. */
void journal_end_errand(struct journal *journal, enum database_status status);

/* Takes the result of an errand that was late. False: there is none. */
bool journal_take_late(struct journal *journal);

/* Since when the disk has not answered, of CLOCK_MONOTONIC; 0: it answers in time. */
uint64_t journal_hangs_since_ns(const struct journal *journal);

/* When it is to be said that it hangs; UINT64_MAX: never. */
uint64_t journal_will_hang_at_ns(const struct journal *journal);

/* Readable when a late answer has come; -1: never. */
int journal_fd(const struct journal *journal);

/* --- how the spool is --- */

/* True when the spool is open, has all that it should have, and can be asked now. */
bool journal_is_usable(const struct journal *journal);

/* True when what is stored outlives the process. */
bool journal_is_durable(const struct journal *journal);

/* True when the spool works, as far as is known. */
bool journal_has_spool(const struct journal *journal);

/* Numbers up to this one will always be read from the spool. */
uint64_t journal_stored(const struct journal *journal);

/* Whether the spool knows how far each sink has got; and notes that it does, since it was opened
 * for the `opened`th time. Until then nothing is stored in it, because after a crash a sink that it
 * does not know would get nothing of what it has. */
bool journal_knows_sinks(const struct journal *journal);
void journal_know_sinks(struct journal *journal, unsigned opened);

/* Reports, once, that the spool does not work, and when to try again; and that it works again. */
void journal_note_failing(struct journal *journal, uint64_t now_ns);
void journal_note_working(struct journal *journal);

/* The spool is to be asked again what it has of each writer, because a new one knows none of them.
 */
void journal_forget_stored(struct journal *journal);

/* Takes another name: writers that see it write again what is not acknowledged. */
void journal_name_receiver(struct journal *journal);

#endif

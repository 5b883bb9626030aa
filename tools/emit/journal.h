/* journal - all events that have come in, in one order, for every sink to read at its own pace: in memory until the spool has them, in the spool from then on.
 *
 * Without a spool memory is all there is. With one that does not work at the moment events stay in memory, are sent all the same, and are not acknowledged; they are stored
 * when it works again. */
#ifndef EMIT_JOURNAL_H
#define EMIT_JOURNAL_H

#include "held.h"
#include "queue.h"
#include "retention.h"
#include "routing.h"
#include "sources.h"
#include "spool.h"
#include "spoolsize.h"

/* Room for the path of a spool that was moved aside. */
#define JOURNAL_PATH_SIZE 4096

/* Room for a receiver's name, 16 hexadecimal digits, and a NUL. */
#define JOURNAL_RECEIVER_SIZE 17

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
	uint64_t failures; /* attempts to use the spool, or the acks, that were in vain */
};

struct journal {
	const struct journal_options *options;
	struct queue queue; /* events that are not in the spool; numbered as they will be there */
	struct spool spool;
	struct sources sources;
	struct held held;
	struct routing routing;
	bool failing;         /* the spool does not work, which has been said */
	uint64_t retry_at_ns; /* when to try again; 0: now */
	uint64_t retention_at_ns;
	uint64_t grown_bytes; /* what has been stored since its size was looked at */
	uint64_t lost; /* events that were dropped although they were owed, and not said yet */
	uint64_t say_lost_at_ns;
	struct journal_tally tally;
	bool overfull; /* it is larger than it should be, which has been said */
	char receiver[JOURNAL_RECEIVER_SIZE];
	bool acks_due; /* what may be acknowledged, or our name, has changed */
	bool acks_failing;
	unsigned
		opened; /* how often the spool was: each time it has to be told how far the sinks have got */
	uint64_t inherited; /* number of the last event that it had when it was opened first */
	uint64_t moved;     /* how much higher the numbers of events in memory have become then */
	/* A spool that was moved aside, while its events have not been taken over; "": none. */
	char broken[JOURNAL_PATH_SIZE];
};

/* Begins; `options` is kept. 0, or the exit code to end with, which has been said: EXIT_TRY_LATER when another process has the spool, EXIT_CONFIG when the file is
 * somebody else's. A spool that does not work is no reason to end. */
int journal_open(struct journal *journal, const struct journal_options *options,
	const struct routing *routing);

/* An event has come: `line` (from malloc, with its newline) is stolen in every case. It is in the journal, or held back for a while, or known and dropped. 0, or -1 when memory
 * ran out. */
int journal_add(struct journal *journal, const struct facts *facts, char *line, size_t length,
	uint64_t now_ns);

/* Nothing more will come: what is held back is taken as it is. 0, or -1 when memory ran out. */
int journal_wait_no_longer(struct journal *journal, uint64_t now_ns);

/* A line of the input was lost: if it was an event, its writer has to write it again. */
void journal_doubt(struct journal *journal);

/* Stores what has come in, tells the writers, and does what is due. `delivered`: every sink has everything up to this number, or JOURNAL_UNASKED. To be called after each reading of inputs and when journal_wakes_at_ns() has come. */
void journal_keep(struct journal *journal, uint64_t delivered, uint64_t now_ns);
uint64_t journal_wakes_at_ns(const struct journal *journal);

/* False while so much is in memory that no more should be read. */
bool journal_has_room(const struct journal *journal);

/* Number of the last event. */
uint64_t journal_last(const struct journal *journal);

/* Numbers up to this one will always be read from the spool. */
uint64_t journal_stored(const struct journal *journal);

/* Appends events after number `after` and up to `upto` to the batch, oldest first, at most `max_events` and, but for the first, `max_bytes`. 0, or -1 when there may be
 * more but they cannot be read now. */
int journal_read(struct journal *journal, uint64_t after, uint64_t upto, size_t max_events,
	size_t max_bytes, struct batch *batch);

/* What there is after number `after`. False when the spool cannot be read now: then it is what is in memory. */
bool journal_measure(struct journal *journal, uint64_t after, struct owed *out);

/* Without a spool: forgets what every sink has. */
void journal_forget(struct journal *journal, uint64_t delivered);

/* Judges what a function of the spool has answered, outside of this module: says it, moves a broken file aside. True when it was OK. */
bool journal_accepts(struct journal *journal, enum database_status status, uint64_t now_ns);

/* True when what is stored outlives the process. */
bool journal_is_durable(const struct journal *journal);

/* True when the spool works, as far as is known. */
bool journal_has_spool(const struct journal *journal);

void journal_fini(struct journal *journal);

#endif

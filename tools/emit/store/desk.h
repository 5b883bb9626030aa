/* desk - runs errands on the spool and the acks file in a thread of its own, one at a time. An
 * errand holds all its data, because the caller may stop waiting before it ends. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_DESK_H
#define EMIT_DESK_H

#include "batch.h"
#include "conditions.h"
#include "keepsake.h"
#include "releases.h"
#include "retention.h"
#include "salvage.h"
#include "spoolevents.h"
#include "worker.h"

/* Size of the path of a spool that was moved aside. */
#define DESK_PATH_SIZE 4096

/* Size of a receiver's name: 16 hexadecimal digits and a NUL. */
#define DESK_RECEIVER_SIZE 17

enum errand_kind {
	/* open the spool, import what is readable of `broken`, and store those of `lines` that it
	 * lacks */
	ERRAND_OPEN,
	ERRAND_REPLACE,     /* move the spool aside, then open a new one */
	ERRAND_STORE,       /* store `lines`, whose first number is `number` */
	ERRAND_TRY,         /* write without changing anything */
	ERRAND_ACKNOWLEDGE, /* write `acks`, `arrived` and the standing conditions to `path` */
	ERRAND_RETAIN,
	ERRAND_READ,
	ERRAND_MEASURE,   /* count the events after `number` */
	ERRAND_LOOK,      /* get its size and its number of dead letters */
	ERRAND_FIND_SINK, /* get what the spool knows of `sink` */
	/* set the position of `sink` to `number`; add `count` delivered events */
	ERRAND_SET_POSITION,
	ERRAND_SET_DOUBT, /* event `number` is in doubt at `sink`, for `span_ns` so far */
	ERRAND_REFUSE,    /* store `letter`, which a sink rejected, as a dead letter */
	ERRAND_UPDATE,    /* update the counter value of the condition of event `id` */
	ERRAND_CONDITIONS,
	/* apply the silences in `line` to the standing conditions and undelivered events */
	ERRAND_SILENCE,
	ERRAND_CLOSE,
};

/* Parameters and results of an errand. It owns its pointers, except `path`, `sink`, `former`,
 * `node`, `boot_id_path` and `retention`, which outlive it. */
struct errand {
	enum errand_kind kind;
	enum database_status status;
	const char *path, *sink, *node, *boot_id_path;
	const char *former[2]; /* earlier names of the sink; NULL: none */
	const struct retention *retention;
	uint64_t number, upto, count, span_ns, delivered;
	uint64_t realtime_ns; /* now, since 1970 */
	char *id, *reason, *line, *value, *grown;
	struct spool_letter letter; /* points to `id`, `reason` and `line` */
	struct spool_sink found;
	/* ERRAND_OPEN, ERRAND_REPLACE: */
	char broken[DESK_PATH_SIZE]; /* spool that was moved aside earlier; "": none */
	char problem[256];           /* why ERRAND_REPLACE moved it aside */
	bool was_moved, was_taken_over;
	struct salvage salvage;
	struct sources sources; /* in the spool; for ERRAND_STORE: to store */
	/* Streams that were acknowledged. On return `stored` is the highest seq up to which every
	 * undelivered event is in the spool. */
	struct sources acked;
	/* Last event number that every sink has according to the acks, if the spool lost the sinks'
	 * positions; 0: not lost, or the spool has none of these events. */
	uint64_t arrived_upto;
	/* ERRAND_STORE; also ERRAND_OPEN, lines that an earlier spool may have stored. The queue
	 * owns the text of the lines and keeps it until the errand has ended. */
	struct queue_line *lines;
	bool keep_sources; /* with these lines every accepted event is stored */
	/* the file was removed or moved: nothing was stored, and it is closed */
	bool was_removed;
	uint64_t added, answered;
	/* ERRAND_READ and the others: */
	size_t max_events, max_bytes;
	struct batch batch;
	struct owed owed;
	uint64_t bytes, letters;
	struct retention_loss loss;
	struct conditions_range range;
	struct condition_list conditions;
	json_t *acks, *arrived; /* seq per source: stored, and delivered */
	/* standing conditions: from ERRAND_ACKNOWLEDGE, also if the acks could not be written; for
	 * ERRAND_OPEN and ERRAND_REPLACE: to restore */
	json_t *standing;
	char receiver[DESK_RECEIVER_SIZE];
	json_t *released; /* event records of conditions that no silence covers any more */
	int error;        /* errno if the acks could not be written */
};

struct desk {
	struct worker *worker;
	struct spool spool;   /* only for the thread while an errand runs */
	struct errand errand; /* the same */
};

/* Return a desk with a closed spool. `path` is kept. NULL if memory runs out. */
struct desk *desk_new(const char *path);

/* Return the errand, cleared except for its kind, for the caller to fill in and pass to
 * desk_begin(). Frees the results of the previous errand, which must have ended (worker_wait()). */
struct errand *desk_errand(struct desk *desk, enum errand_kind kind);
void desk_begin(struct desk *desk);

/* Free what the errand owns. */
void errand_fini(struct errand *errand);

/* Close the spool and free the desk. Return false, and free nothing, if an errand does not end
 * within that time. `desk` may be NULL. */
bool desk_free(struct desk *desk, uint64_t within_ns);

#endif

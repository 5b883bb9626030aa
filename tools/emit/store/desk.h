/* desk - errands for a thread that has the spool and the acks to itself, one at a time. Each has
 * all that it needs, because the caller may not wait for its end. */
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

/* Room for the path of a spool that was moved aside. */
#define DESK_PATH_SIZE 4096

/* Room for a receiver's name, 16 hexadecimal digits, and a NUL. */
#define DESK_RECEIVER_SIZE 17

enum errand_kind {
	/* opens the spool, and takes over what is left of `broken`, and of `lines` what it does
	 * not have */
	ERRAND_OPEN,
	ERRAND_REPLACE,     /* moves it aside, and opens a new one */
	ERRAND_STORE,       /* `lines`, the first of them being `number` */
	ERRAND_TRY,         /* writes, and changes nothing */
	ERRAND_ACKNOWLEDGE, /* writes `acks`, `arrived` and what stands to `path` */
	ERRAND_RETAIN,
	ERRAND_READ,
	ERRAND_MEASURE,      /* what there is after `number` */
	ERRAND_LOOK,         /* how large it is, and how many dead letters it has */
	ERRAND_FIND_SINK,    /* what it knows of `sink` */
	ERRAND_SET_POSITION, /* of `sink`: `number`, and that `count` more have arrived */
	ERRAND_SET_DOUBT,    /* of `sink`, at `number`, for `span_ns` */
	ERRAND_REFUSE,       /* a sink will not take `letter` */
	ERRAND_UPDATE,       /* what has become of the counter of the event `id` */
	ERRAND_CONDITIONS,
	ERRAND_SILENCE, /* what stands is compared with the silences that `line` has */
	ERRAND_CLOSE,
};

/* What is asked for, and what has come of it. Strings and other pointers are the errand's own, but
 * for `path`, `sink`, `former`, `node`, `boot_id_path` and `retention`, which outlive it. */
struct errand {
	enum errand_kind kind;
	enum database_status status;
	const char *path, *sink, *node, *boot_id_path;
	const char *former[2]; /* names that the sink may have had; NULL: none */
	const struct retention *retention;
	uint64_t number, upto, count, span_ns, delivered, now_ns;
	char *id, *reason, *line, *value, *grown;
	struct spool_letter letter; /* of `id`, `reason` and `line` */
	struct spool_sink found;
	/* Opening */
	char broken[DESK_PATH_SIZE]; /* a spool that was moved aside; "": none */
	char problem[256];           /* why the one that was moved aside just now was */
	bool was_moved, was_taken_over;
	struct salvage salvage;
	struct sources sources; /* that it knows; when storing, that it is to know */
	/* of each that was acknowledged: `stored` becomes the last up to which none is missing that
	 * is not delivered */
	struct sources acked;
	/* last number that the acks say every sink has, of a spool that knows less than they do; 0:
	 * it does not, or has nothing of it */
	uint64_t arrived_upto;
	/* Storing; opening, those that one before may have stored. The texts of the lines stay
	 * the queue's, which keeps them until the errand has ended. */
	struct queue_line *lines;
	bool keep_sources; /* everything that was accepted is stored with these lines */
	bool was_removed;  /* the file is not where it was: nothing is stored, and it is closed */
	uint64_t added, answered;
	/* Reading */
	size_t max_events, max_bytes;
	struct batch batch;
	struct owed owed;
	uint64_t bytes, letters;
	struct retention_loss loss;
	struct conditions_range range;
	struct condition_list conditions;
	json_t *acks, *arrived; /* what is stored, and what is delivered */
	/* what stood when the acks were written last; when writing them, what does */
	json_t *standing;
	char receiver[DESK_RECEIVER_SIZE];
	json_t *released; /* events of what no silence covers any more */
	int error;        /* errno, when the acks could not be written */
};

struct desk {
	struct worker *worker;
	struct spool spool;   /* not to be touched while an errand is under way */
	struct errand errand; /* the same */
};

/* Nothing is opened yet. `path` is kept. NULL when memory ran out. */
struct desk *desk_new(const char *path);

/* The errand, empty but for its kind: to be filled and begun, once the one before it has ended, as
 * the worker is asked; what that one had is gone. */
struct errand *desk_errand(struct desk *desk, enum errand_kind kind);
void desk_begin(struct desk *desk);

/* Frees what is the errand's own. */
void errand_fini(struct errand *errand);

/* Closes the spool. False when an errand does not end within that time: then everything stays as it
 * is. NULL is nothing to free. */
bool desk_free(struct desk *desk, uint64_t within_ns);

#endif

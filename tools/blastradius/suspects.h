/* suspects - finds the switches to blame for reports of many nodes at once. Pure.
 *
 * A place is found when enough of its nodes report a fault of their link within a few seconds. It
 * stands until few of its nodes have a port that is down. Then it settles: ports that are still
 * down after that have a fault of their own. Meanwhile events that would have these nodes replaced
 * are held back. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BLASTRADIUS_SUSPECTS_H
#define BLASTRADIUS_SUSPECTS_H

#include "fleet.h"

/* Stages of a place. */
enum suspects_stage {
	SUSPECTS_NONE,
	SUSPECTS_FOUND,    /* waits for further reports */
	SUSPECTS_STANDING, /* reported */
	SUSPECTS_SETTLING, /* reported as ended */
	SUSPECTS_STAGE_N,
};

struct suspects_limits {
	uint64_t nodes;   /* least number of nodes of a place with a report */
	uint64_t percent; /* least percentage of the place's present nodes */
	uint64_t within_us;
	uint64_t settle_us;
};

enum suspects_news {
	SUSPECTS_NEW,
	SUSPECTS_OVER,
	SUSPECTS_RELEASED, /* a held event is released: its port has a fault of its own */
};

struct suspects_report {
	enum suspects_news news;
	struct place *place;          /* for SUSPECTS_NEW the callback sets its `id` */
	const struct sighting *event; /* for SUSPECTS_RELEASED */
	uint64_t at_us;
};

struct suspects {
	struct suspects_limits limits;
	struct fleet fleet;
	uint64_t now_us;
	uint64_t refused; /* events of nodes or ports beyond the limits */
	/* return 0, or -1 with errno */
	int (*report)(void *context, const struct suspects_report *report);
	void *context;
};

/* Advance to `now_us`, microseconds since 1970, and report what is due by then. Return 0, or -1
 * with errno: ENOMEM, or that of `report`. The others return the same. */
int suspects_advance(struct suspects *suspects, uint64_t now_us);

/* Accept an event of the time `at_us`. Events must come in order. */
int suspects_accept(struct suspects *suspects, uint64_t at_us, struct sighting *event);

/* Report places that are found but not reported yet, without waiting for further reports. */
int suspects_hurry(struct suspects *suspects);

/* Return when something is due if no event comes before; MOMENT_NEVER if nothing is. */
uint64_t suspects_next_us(const struct suspects *suspects);

/* Decide whether an event is held back when it leaves the queue; it was accepted and is now older
 * than `within_us`. Set `*place` to the place because of which it is held (and which may release it
 * later), which is reported by then; NULL: it is not held. */
int suspects_leave(struct suspects *suspects, uint64_t at_us, const struct sighting *event,
	const struct place **place);

/* The clock was set or the machine was suspended: shift all times. */
void suspects_shift(struct suspects *suspects, int64_t by_us);

/* Rebuild the recent reports after fleet and places were decoded. A suspect port whose place is not
 * suspected, because the topology changed, makes its place settle. Return 0, or -1 when memory ran
 * out. */
int suspects_restore(struct suspects *suspects);

void suspects_fini(struct suspects *suspects);

#endif

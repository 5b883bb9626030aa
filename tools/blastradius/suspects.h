/* suspects - which switches are to blame for what many nodes report at once. Pure.
 *
 * A place is found when so many of its nodes report that something is wrong with their link within
 * a few seconds. It stands until few enough of its nodes have a port that is down, and then it
 * settles: what still is down after that is not the switch's fault. Meanwhile what would have
 * nodes replaced because of these ports is held back. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BLASTRADIUS_SUSPECTS_H
#define BLASTRADIUS_SUSPECTS_H

#include "fleet.h"

/* What becomes of a place. */
enum suspects_stage {
	SUSPECTS_NONE,
	SUSPECTS_FOUND,    /* and those that report a little later belong to it, too */
	SUSPECTS_STANDING, /* it has been said */
	SUSPECTS_SETTLING, /* it is over */
	SUSPECTS_STAGE_N,
};

struct suspects_limits {
	uint64_t nodes;   /* at least so many of a place have to report something */
	uint64_t percent; /* and so many of a hundred that were there within the hour */
	uint64_t within_us;
	uint64_t settle_us;
};

enum suspects_news {
	SUSPECTS_NEW,
	SUSPECTS_OVER,
	SUSPECTS_RELEASED, /* an event that was held back: what it says is true of the port */
};

struct suspects_report {
	enum suspects_news news;
	struct place *place;          /* of NEW the receiver sets `id` */
	const struct sighting *event; /* of RELEASED */
	uint64_t at_us;
};

struct suspects {
	struct suspects_limits limits;
	struct fleet fleet;
	uint64_t now_us;
	uint64_t refused; /* events of more nodes or ports than there may be */
	/* 0, or -1 with errno */
	int (*report)(void *context, const struct suspects_report *report);
	void *context;
};

/* Time has come to `now_us`, microseconds since 1970: reports what is due by then. 0, or -1 with
 * errno: ENOMEM, or what `report` said, as the others. */
int suspects_advance(struct suspects *suspects, uint64_t now_us);

/* Takes in an event of that moment; they come in the order of their time. */
int suspects_accept(struct suspects *suspects, uint64_t at_us, struct sighting *event);

/* Nobody can wait any longer: reports what has been found and was to be said a little later. */
int suspects_hurry(struct suspects *suspects);

/* When something is due if no event comes before; MOMENT_NEVER: nothing is. */
uint64_t suspects_next_us(const struct suspects *suspects);

/* An event of that moment, which has been taken in, and is older than `within_us` now, goes on its
 * way. The place because of which nothing is to come of it, and which releases it later if need be;
 * NULL: there is none. */
const struct place *suspects_leave(
	struct suspects *suspects, uint64_t at_us, const struct sighting *event);

/* The clock was set, or the machine stood still: all moments are so much later, or earlier. */
void suspects_shift(struct suspects *suspects, int64_t by_us);

/* After fleet and places were taken up from a state file: finds the reports that are recent. What
 * is suspected because of a switch that is none of the port's any more settles. 0, or -1 when
 * memory ran out. */
int suspects_restore(struct suspects *suspects);

void suspects_fini(struct suspects *suspects);

#endif

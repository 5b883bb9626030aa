/* rate - when a port that is slower than its peers is an event, as a pure function and one table. */
#ifndef CTREVAL_RATE_H
#define CTREVAL_RATE_H

/* What one scan says about a port's rate. */
enum rate_sight {
	RATE_NOT_JUDGED, /* no verdict among its peers, a port that cannot be read, or a torn scan */
	RATE_LINK_DOWN,  /* its link is not up, or the port is not there: it has no rate */
	RATE_MEETS,      /* not below its peers */
	RATE_BELOW_FIRST, /* below, and this is the first scan */
	RATE_BELOW_YOUNG, /* below, and not for long yet */
	RATE_BELOW,       /* below for long enough */
	RATE_SIGHT_N,
};

/* What has been said about a port's rate so far. */
enum rate_memory {
	RATE_FINE,
	RATE_WAITING, /* below its peers, not reported */
	RATE_SLOW,    /* reported; stays so until it is judged and no longer below */
	RATE_MEMORY_N,
};

enum rate_action {
	RATE_SAY_NOTHING,
	RATE_SAY_SLOW,
	RATE_SAY_HEALTHY,
};

/* What to do about a sight, and what to remember. */
enum rate_action rate_step(enum rate_memory *memory, enum rate_sight sight);

#endif

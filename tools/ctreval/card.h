/* card - when a card with fewer active ports than its peers is an event: SPEC section 4.3, as pure functions and one table. */
#ifndef CTREVAL_CARD_H
#define CTREVAL_CARD_H

#include <stddef.h>

/* What comparing the cards of one role and link layer gives. */
enum card_verdict {
	CARDS_DECISIVE,
	CARDS_SINGLETON, /* fewer than two cards: nobody to compare with */
	CARDS_TIED,      /* two counts are equally common */
	CARDS_ZERO,      /* most cards have no active port */
	CARDS_VERDICT_N,
};

/* The most common of `count` numbers of active ports. `*mode` is set for CARDS_DECISIVE only. The numbers are sorted in place. */
enum card_verdict card_mode(double *active, size_t count, unsigned *mode);

/* What one scan says about a card. */
enum card_sight {
	CARD_NOT_JUDGED, /* no verdict among its peers, a function that cannot be read, or a torn scan */
	CARD_MEETS,      /* as many active ports as its peers, or more */
	CARD_BELOW_FIRST,   /* fewer, and this is the first scan */
	CARD_BELOW_YOUNG,   /* fewer, and not for long yet */
	CARD_BELOW_COVERED, /* fewer for long enough, but every missing port is fatal by itself */
	CARD_BELOW,         /* fewer for long enough */
	CARD_SIGHT_N,
};

/* What has been said about a card so far. */
enum card_memory {
	CARD_FINE,
	CARD_WAITING,   /* below its peers, not reported */
	CARD_ANOMALOUS, /* reported; stays so until it is judged and no longer below */
	CARD_MEMORY_N,
};

enum card_action {
	CARD_SAY_NOTHING,
	CARD_SAY_ANOMALOUS,
	CARD_SAY_HEALTHY,
};

/* What to do about a sight, and what to remember. */
enum card_action card_step(enum card_memory *memory, enum card_sight sight);

#endif

/* cardlist - the cards of a scan, compared with each other (spec#card-peers). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_CARDLIST_H
#define CTREVAL_CARDLIST_H

#include "evaluation.h"

#include <stddef.h>

/* What comparing the cards of one role and link layer gives. */
enum card_verdict {
	CARDS_DECISIVE,
	CARDS_SINGLETON, /* fewer than two cards: nobody to compare with */
	CARDS_TIED,      /* two counts are equally common */
	CARDS_ZERO,      /* most cards have no active port */
	CARDS_VERDICT_N,
};

/* The most common of `count` numbers of active ports. `*mode` is set for CARDS_DECISIVE only. The
 * numbers are sorted in place. */
enum card_verdict cardlist_mode(double *active, size_t count, unsigned *mode);

/* One card's ports of one link layer in this scan. */
struct card_unit {
	struct card_entry *entry;
	const char *role; /* of its first port; nullable */
	unsigned active;  /* ports that are healthy, or count as that while they are held */
	bool unreadable;  /* a function or port of the card is not known */
	bool may_be_bond; /* a device of the card may stand for more than one of its functions */
	/* why the card has fewer ports by intent: a function of it is management or not monitored;
	 * NULL: it has not */
	const char *exempt;
	/* the inclusion override names it, and what it does not name says nothing about it */
	bool pinned;
	enum card_verdict verdict;
	unsigned mode;       /* for CARDS_DECISIVE */
	const char *why_not; /* in words, when it is not judged; NULL: it is */
};

struct cardlist {
	struct card_unit *items;
	size_t count;
};

/* Groups the judged ports of the scan by card and compares the cards. Free with
 * cardlist_fini(). */
void cardlist_collect(struct evaluation *evaluation, struct cardlist *list);
void cardlist_fini(struct cardlist *list);

#endif

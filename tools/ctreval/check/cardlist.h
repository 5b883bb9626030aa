/* cardlist - groups a scan's ports by card and compares the cards (spec#card-peers). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_CARDLIST_H
#define CTREVAL_CARDLIST_H

#include "evaluation.h"
#include "peers.h"

#include <stddef.h>

/* The result of comparing the cards of one kind. */
enum card_verdict {
	CARDS_DECISIVE,
	CARDS_SINGLETON, /* fewer than two cards: nothing to compare with */
	CARDS_TIED,      /* two counts are equally common */
	CARDS_ZERO,      /* most cards have no active port */
	CARDS_VERDICT_N,
};

/* Find the most common of `count` numbers of active ports. Sets `*mode` only for CARDS_DECISIVE.
 * Sorts the numbers in place. */
enum card_verdict cardlist_mode(double *active, size_t count, unsigned *mode);

/* The ports of one card and one link layer in this scan. */
struct card_unit {
	struct card_entry *entry;
	const char *role;       /* of its first port; nullable */
	struct peers_kind kind; /* likewise */
	unsigned ports;         /* watched */
	unsigned active;        /* ports that are healthy, or are held and count as healthy */
	bool unreadable;        /* a function or port of the card is unreadable */
	bool is_mixed;          /* the card also has ports of another link layer */
	bool may_be_bond;       /* a device of the card may be a bond of its functions */
	bool is_bond;           /* one is */
	/* why the card is not compared by intent: a function is or may be management, is not
	 * monitored or was handed away, its functions are joined in a bond, or the inclusion
	 * override names it; NULL: it is not exempt */
	const char *exempt;
	/* PCI address of the first function that exempts it by its role or exclusion; nullable */
	const char *exempt_function;
	/* the inclusion override names a device of the card, so the devices that it does not name
	 * say nothing */
	bool pinned;
	enum card_verdict verdict;
	unsigned mode;       /* for CARDS_DECISIVE */
	const char *why_not; /* why the card is not compared, in words; NULL: it is */
};

struct cardlist {
	struct card_unit *items;
	size_t count;
};

/* Group the watched ports of the scan by card and compare the cards. Free with cardlist_fini(). */
void cardlist_collect(struct evaluation *evaluation, struct cardlist *list);
void cardlist_fini(struct cardlist *list);

#endif

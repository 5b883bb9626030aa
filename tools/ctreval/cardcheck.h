/* cardcheck - the cards of one scan, compared with each other: SPEC section 4.3. */
#ifndef CTREVAL_CARDCHECK_H
#define CTREVAL_CARDCHECK_H

#include "evaluation.h"

/* One card's ports of one link layer in this scan. */
struct card_unit {
	struct card_entry *entry;
	const char *role; /* of its first port; nullable */
	unsigned active;  /* ports that are healthy */
	bool unreadable;  /* a function or port of the card is not known */
	bool exempt; /* a function of the card is management or not monitored: it has fewer ports by intent */
	enum card_verdict verdict;
	unsigned mode;       /* for CARDS_DECISIVE */
	const char *why_not; /* in words, when it is not judged; NULL: it is */
};

struct card_list {
	struct card_unit *items;
	size_t count;
};

/* Groups the judged ports of the scan by card and compares the cards. Free with cardcheck_fini(). */
void cardcheck_collect(struct evaluation *evaluation, struct card_list *list);
void cardcheck_fini(struct card_list *list);

/* Judges every card; nothing while the first verdicts wait. */
void cardcheck_judge(struct evaluation *evaluation, const struct card_list *list);

/* The baseline: a healthy event for every card of this check that was judged and is not below its peers. */
void cardcheck_baseline(
	struct evaluation *evaluation, const struct card_list *list, enum check check);

/* True when the port's card is reported: evidence about a port that was never seen before. */
bool cardcheck_is_anomalous(const struct evaluation *evaluation, const struct port_entry *entry);

/* The devices of a card that are watched, separated by commas, from malloc and bounded; NULL when memory ran out. */
char *cardcheck_devices_new(struct evaluation *evaluation, const char *card);

#endif

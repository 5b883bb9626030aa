/* evidence - what the other cards of a node say about a port that is not up, for people
 * (spec#card-peers). Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_EVIDENCE_H
#define NHM_EVIDENCE_H

#include "scan.h"

/* The active ports of a port's card, against the most common number among cards of the same role
 * and link layer. Without roles, cards of the same model are taken for peers. */
enum evidence_verdict {
	/* not compared: not watched, a function of its card is not or cannot be read, or named by
	 * the inclusion override */
	EVIDENCE_NONE,
	EVIDENCE_ALONE, /* no other card to compare with */
	EVIDENCE_TIED,  /* no number is the most common */
	EVIDENCE_ZERO,  /* most have no active port */
	EVIDENCE_MEETS, /* as many as its peers, or more */
	EVIDENCE_BELOW, /* fewer */
	EVIDENCE_VERDICT_N,
};

struct evidence {
	enum evidence_verdict verdict;
	unsigned ports, active; /* of its card */
	unsigned peer_active;   /* for EVIDENCE_MEETS and EVIDENCE_BELOW */
	unsigned most_active;   /* of any of its peers that are compared */
	bool first;             /* of the ports of its card */
};

/* True for a port that somebody relies on, as far as the records tell: monitored, and neither of a
 * virtual function nor a plane of another port. */
bool evidence_is_watched(const struct scan *scan, const struct scan_port *port);

/* Fills in one per port of the scan. 0, or -1 when memory ran out. */
int evidence_collect(const struct scan *scan, struct evidence *evidence);

#endif

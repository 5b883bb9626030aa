/* evidence - compares the card of a port that is not up with the other cards of the node, for
 * people (spec#card-peers). Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_EVIDENCE_H
#define NHM_EVIDENCE_H

#include "scan.h"

/* The active ports of a port's card, compared with the most common number among cards of the same
 * kind (peers.h), also of those without a role. */
enum evidence_verdict {
	/* not compared: the port or a function of its card is not watched, a function cannot be
	 * read, or the inclusion override names the card */
	EVIDENCE_NONE,
	EVIDENCE_ALONE, /* no other card to compare with */
	EVIDENCE_TIED,  /* no number is the most common */
	EVIDENCE_ZERO,  /* most cards have no active port */
	EVIDENCE_MEETS, /* as many as its peers, or more */
	EVIDENCE_BELOW, /* fewer than its peers */
	EVIDENCE_VERDICT_N,
};

struct evidence {
	enum evidence_verdict verdict;
	unsigned ports, active; /* of its card */
	unsigned peer_active;   /* for EVIDENCE_MEETS and EVIDENCE_BELOW */
	unsigned most_active;   /* maximum among the compared peers */
	bool first;             /* the first port of its card */
};

/* Return true for a port in use, as far as the records show: monitored, and neither of a virtual
 * function nor a plane of another port. */
bool evidence_is_watched(const struct scan *scan, const struct scan_port *port);

/* Fill `evidence`, one item per port of the scan. Return 0, or -1 when memory ran out. */
int evidence_collect(const struct scan *scan, struct evidence *evidence);

#endif

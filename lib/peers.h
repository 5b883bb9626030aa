/* peers - which ports and cards are evidence about each other (spec#peers), and which ports run
 * slower than others of their kind (spec#rate-peers). Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_PEERS_H
#define NHM_PEERS_H

#include "scan.h"

/* Size for any text of peers_reason() and peers_rate(). */
#define PEERS_TEXT_SIZE 80

enum peers_verdict {
	/* without a role, does not count, or neither rate nor width is known */
	PEERS_NOT_EVALUATED,
	PEERS_ALONE, /* fewer than two ports to compare */
	PEERS_TIED,  /* no value is the most common */
	PEERS_MEETS,
	PEERS_RATE_BELOW,
	PEERS_WIDTH_BELOW, /* at the same rate, or an unknown one */
	/* slower, but with more lanes than most: no fault adds lanes, so that it is connected to
	 * something else */
	PEERS_OTHER_WIRING,
	PEERS_VERDICT_N,
};

/* What peers have in common. The strings belong to the scan's records. */
struct peers_kind {
	const char *role;       /* NULL: unknown, so that its peers are too */
	const char *reason;     /* of the role; nullable, and NULL without a role */
	const char *link_layer; /* nullable */
	/* The model. A node may mix two generations on purpose, or have NICs for storage with the
	 * chip of those near the GPUs: then only the board (PSID) differs. */
	const char *hca_type; /* nullable */
	const char *board_id; /* nullable */
};

struct peers_port {
	struct peers_kind kind; /* without a role the port is not evaluated */
	/* its link is up and in use: it is evaluated, and compared with others */
	bool counts;
	/* 0: unknown; peers_eval() also ignores Ethernet's `40 Gb/sec (4X QDR)`, mlx5's
	 * placeholder */
	double rate_gbps;
	unsigned width; /* lanes; 0: unknown */
	/* results */
	enum peers_verdict verdict;
	double peer_rate_gbps; /* most common rate; 0 if there is none */
	unsigned peer_width;   /* most common width; 0 if there is none */
};

/* Return the kind of a port. */
struct peers_kind peers_kind_of(const struct scan *scan, const struct scan_port *port);

/* Order kinds, for qsort(). Return 0 for peers, and for kinds without a role that are otherwise the
 * same. */
int peers_compare_kinds(const struct peers_kind *a, const struct peers_kind *b);

/* Return the port as peers_eval() compares it. `counts` is copied. */
struct peers_port peers_describe(
	const struct scan *scan, const struct scan_port *port, bool counts);

/* Evaluate all ports of a scan together. Return 0, or -1 when out of memory: then no port is
 * evaluated. */
int peers_eval(struct peers_port *ports, size_t count);

/* Find the most common of `count` values, which are sorted in place. Return PEERS_MEETS and set
 * `*mode`, or return PEERS_ALONE or PEERS_TIED. */
enum peers_verdict peers_mode(double *values, size_t count, double *mode);

/* Return the lanes in a rate from sysfs: 4 for `400 Gb/sec (4X NDR)`; 0 if the text (nullable) has
 * none. */
unsigned peers_width(const char *rate);

/* Format `400 Gb/s`, `2.5 Gb/s`. Return `text`. */
char *peers_rate(double rate_gbps, char *text, size_t size);

/* Format `rate 200 Gb/s, peers 400 Gb/s` or `width 2X, peers 4X`; "" for a port that is not below
 * its peers. Return `text`. */
char *peers_reason(const struct peers_port *port, char *text, size_t size);

#endif

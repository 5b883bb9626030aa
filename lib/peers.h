/* peers - which ports run slower than others of their kind (spec#rate-peers). Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_PEERS_H
#define NHM_PEERS_H

#include "scan.h"

/* Room for any text of peers_reason() and peers_rate(). */
#define PEERS_TEXT_SIZE 80

enum peers_verdict {
	/* it has no role, does not count, or neither its rate nor its width is known */
	PEERS_NOT_EVALUATED,
	PEERS_ALONE, /* fewer than two to compare */
	PEERS_TIED,  /* no value is the most common */
	PEERS_MEETS,
	PEERS_RATE_BELOW,
	PEERS_WIDTH_BELOW, /* at the same rate, or at none that is known */
	/* slower, over more lanes than most: no fault adds lanes, so it is cabled to something
	 * else */
	PEERS_OTHER_WIRING,
	PEERS_VERDICT_N,
};

/* Peers have the same role, link layer and model. */
struct peers_port {
	const char *role;       /* NULL: not known, and so is who its peers are: not evaluated */
	const char *link_layer; /* nullable */
	const char *hca_type;   /* nullable; a node may have two generations on purpose */
	/* its link is up and somebody relies on it: evaluated, and evidence for others */
	bool counts;
	/* 0: not known; nor is it for `40 Gb/sec (4X QDR)` of Ethernet, mlx5's word for that */
	double rate_gbps;
	unsigned width; /* lanes; 0: not known */
	/* the answer */
	enum peers_verdict verdict;
	double peer_rate_gbps; /* the most common rate, where decisive; else 0 */
	unsigned peer_width;   /* the most common width, where decisive; else 0 */
};

/* A port as it is to be compared: one that `counts`, or not. */
struct peers_port peers_describe(
	const struct scan *scan, const struct scan_port *port, bool counts);

/* Evaluates all ports of a scan together. 0, or -1 when memory ran out: then none is evaluated. */
int peers_eval(struct peers_port *ports, size_t count);

/* The most common of `count` values, which are sorted in place: PEERS_MEETS, and `*mode` is set;
 * PEERS_ALONE, or PEERS_TIED. */
enum peers_verdict peers_mode(double *values, size_t count, double *mode);

/* The order of two texts, of which NULL (not known) comes first and equals itself. */
int peers_compare_texts(const char *a, const char *b);

/* The lanes of a rate as sysfs has it, `400 Gb/sec (4X NDR)`: 4; 0 when the text (nullable) names
 * none. */
unsigned peers_width(const char *rate);

/* `400 Gb/s`, `2.5 Gb/s`; returns `text`. */
char *peers_rate(double rate_gbps, char *text, size_t size);

/* `rate 200 Gb/s, peers 400 Gb/s` or `width 2X, peers 4X`; "" for a port that is not below its
 * peers. Returns `text`. */
char *peers_reason(const struct peers_port *port, char *text, size_t size);

#endif

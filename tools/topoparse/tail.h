/* tail - the columns after the matrix: CPU Affinity, NUMA Affinity, GPU NUMA ID. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOPOPARSE_TAIL_H
#define TOPOPARSE_TAIL_H

#include "text.h"

enum tail_title { TAIL_CPU, TAIL_NUMA, TAIL_GPU_NUMA, TAIL_TITLES_N };

/* The titles that the header has, in this order. */
struct tail_titles {
	enum tail_title titles[TAIL_TITLES_N];
	size_t count;
};

/* The titles' text without its blanks: complete, or the beginning of what may still be completed on
 * the next line. */
enum tail_match { TAIL_COMPLETE, TAIL_BEGINNING, TAIL_WRONG };

#define TAIL_TEXT_MAX 64

enum tail_match tail_match_titles(struct text_span compact, struct tail_titles *titles);

bool tail_has_numa(const struct tail_titles *titles);

/* MAX_NUMNODES is at most 1 << 10 (NODES_SHIFT): what is beyond that is not a node, but a CPU. */
#define TOPO_NUMA_MAX 1023

enum tail_status {
	TAIL_OK,
	/* what stands there is no list, number or N/A, or there are too many of them */
	TAIL_UNKNOWN,
	TAIL_AMBIGUOUS, /* values are missing, and which ones makes a difference */
	TAIL_CUT,       /* the text ends where the NUMA affinity is, or should be */
};

/* The NUMA node of a row: the first integer of the NUMA Affinity column, -1 when there is none.
 * `text` is what follows the last cell. Between tabs an empty value keeps its place; between blanks
 * it does not, and a number is only taken where no value is missing. `is_ended` tells that the line
 * has its newline. */
enum tail_status tail_parse(
	const struct tail_titles *titles, struct text_span text, bool is_ended, int *numa_node);

#endif

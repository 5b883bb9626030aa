/* tail - parses the columns after the matrix: CPU Affinity, NUMA Affinity, GPU NUMA ID. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOPOPARSE_TAIL_H
#define TOPOPARSE_TAIL_H

#include "text.h"

enum tail_title { TAIL_CPU, TAIL_NUMA, TAIL_GPU_NUMA, TAIL_TITLES_N };

/* The titles in the header, in this order. */
struct tail_titles {
	enum tail_title titles[TAIL_TITLES_N];
	size_t count;
};

/* How a text without blanks matches the titles: completely, as a beginning that the next line may
 * complete, or not at all. */
enum tail_match { TAIL_COMPLETE, TAIL_BEGINNING, TAIL_WRONG };

#define TAIL_TEXT_MAX 64

enum tail_match tail_match_titles(struct text_span compact, struct tail_titles *titles);

bool tail_has_numa(const struct tail_titles *titles);

/* MAX_NUMNODES is at most 1 << 10 (NODES_SHIFT): a larger number is not a node, but a CPU. */
#define TOPO_NUMA_MAX 1023

enum tail_status {
	TAIL_OK,
	/* a value is not a list, number or N/A, or there are too many values */
	TAIL_UNKNOWN,
	TAIL_AMBIGUOUS, /* values are missing, and the result depends on which */
	TAIL_CUT,       /* the text ends in or before the NUMA affinity */
};

/* Set `*numa_node` to the first number in a row's NUMA Affinity column, or -1 if there is none.
 * `text` follows the last cell. Between tabs an empty value keeps its place; between blanks it does
 * not, so a number is only used if no value is missing. `is_ended`: the line has its newline. */
enum tail_status tail_parse(
	const struct tail_titles *titles, struct text_span text, bool is_ended, int *numa_node);

#endif

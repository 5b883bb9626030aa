/* header - parses the line with the columns' labels, which may be wrapped over several lines and
 * glued together. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOPOPARSE_HEADER_H
#define TOPOPARSE_HEADER_H

#include "refusal.h"
#include "tail.h"
#include "text.h"

/* A node with 16 GPUs, 18 NICs and a few hundred virtual functions has less than half of this. */
#define TOPO_MAX_COLUMNS 1024

/* No line of a node's matrix has a longer word. Bounds the time to split a word into labels. */
#define HEADER_WORD_MAX 8192

/* The labels of the rows: the evidence for labels in the header that are device names. */
struct header_names {
	struct text_span names[TOPO_MAX_COLUMNS];
	size_t count;
};

/* The titles after the labels, as far as they have been parsed. */
struct header_tail {
	char text[TAIL_TEXT_MAX]; /* without blanks */
	struct tail_titles titles;
	enum tail_match match; /* also TAIL_COMPLETE before the first title */
};

struct header {
	struct text_span labels[TOPO_MAX_COLUMNS]; /* spans of the parsed text */
	size_t count;
	size_t line; /* number of the first line */
	struct header_tail tail;
};

/* Return true for GPU<n>, and set `*id` to its number unless `id` is NULL. */
bool header_is_gpu(struct text_span label, unsigned *id);

/* Return true for GPU<n>, NIC<n> and mlx5_<n>, which are labels without further evidence. */
bool header_is_label(struct text_span word);

/* Add a row's label to the evidence. */
void header_add_name(struct header_names *names, struct text_span name);

/* Return true for a line that can only be the first line of a header. */
bool header_begins(const struct header_names *names, struct text_span line);

/* Parse the next line of a header. If it cannot follow complete titles, the header stays
 * unchanged. */
enum topo_status header_add(struct header *header, const struct header_names *names,
	const struct text_line *line, struct topo_error *error);

/* Return the index of the column with this label, or SIZE_MAX. */
size_t header_find(const struct header *header, struct text_span label);

/* Return true if both have the same columns in the same order, and the same titles. */
bool header_is_same(const struct header *a, const struct header *b);

#endif

/* header - the line with the columns' labels, which may be wrapped over lines and have labels glued
 * together. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOPOPARSE_HEADER_H
#define TOPOPARSE_HEADER_H

#include "refusal.h"
#include "tail.h"
#include "text.h"

/* A node with 16 GPUs, 18 NICs and a few hundred virtual functions has less than half of this. */
#define TOPO_MAX_COLUMNS 1024

/* More would have no line of text in a node's matrix; it bounds the work on a label that may be
 * many. */
#define HEADER_WORD_MAX 8192

/* What the rows call themselves: the evidence for labels that only a device name could explain. */
struct header_names {
	struct text_span names[TOPO_MAX_COLUMNS];
	size_t count;
};

/* The titles after the labels, as far as they have come. */
struct header_tail {
	char text[TAIL_TEXT_MAX]; /* without blanks */
	struct tail_titles titles;
	enum tail_match match; /* TAIL_COMPLETE before the first title, too */
};

struct header {
	struct text_span labels[TOPO_MAX_COLUMNS]; /* parts of the text that was parsed */
	size_t count;
	size_t line; /* of the first line */
	struct header_tail tail;
};

/* True for GPU<n>, and its number, unless `id` is NULL. */
bool header_is_gpu(struct text_span label, unsigned *id);

/* True for GPU<n>, NIC<n> and mlx5_<n>, which are labels whoever else says so. */
bool header_is_label(struct text_span word);

/* Adds a row's label to the evidence. */
void header_add_name(struct header_names *names, struct text_span name);

/* True for a line that can only be a header's first. */
bool header_begins(const struct header_names *names, struct text_span line);

/* Accepts the next line of a header. When it will not do after a complete title, the header is as
 * it was. */
enum topo_status header_add(struct header *header, const struct header_names *names,
	const struct text_line *line, struct topo_error *error);

/* Index of the column with that label, or SIZE_MAX. */
size_t header_find(const struct header *header, struct text_span label);

/* True when both have the same columns in the same order. */
bool header_is_same(const struct header *a, const struct header *b);

#endif

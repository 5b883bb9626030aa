/* exposition - families of samples, announced once, with labels and exact numbers: as Prometheus'
 * text format, or into a page of numbers.
 *
 * Errors of a stream stay in it: whoever opened it asks ferror(). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_EXPOSITION_H
#define NHM_EXPOSITION_H

#include "metrics.h"
#include "strbuf.h"

#include <stdbool.h>
#include <stdio.h>

/* Where it goes, and the family and the sample that are being made. All zeros but for one of the
 * first two. */
struct exposition {
	FILE *out;               /* text */
	struct metrics *metrics; /* or the page, in a round: see metrics_begin() */
	struct metrics_family family;
	bool announced;       /* of a text: the family's HELP and TYPE are out */
	struct strbuf labels; /* of the sample */
	bool is_short;        /* memory ran out: a sample is missing */
};

/* What follows is of this family, whose strings must outlive it. A family without samples is never
 * announced. */
void exposition_family(
	struct exposition *exposition, const char *name, enum metrics_type type, const char *help);

/* A sample is begun, given labels, and ended by its value. All samples of a family are given the
 * same labels: one without a value (NULL) has "", which to Prometheus is not a label, so that
 * whoever reads the text finds one set of labels for each name. The value must be valid UTF-8. */
void exposition_sample(struct exposition *exposition);
void exposition_label(struct exposition *exposition, const char *key, const char *value);
void exposition_label_integer(struct exposition *exposition, const char *key, int64_t value);
/* Labels that are text already, as promtext_add_label() makes it: of what has many samples. */
void exposition_labels(struct exposition *exposition, const char *labels, size_t length);

/* In a page, what 64 bits cannot hold is the real number next to it. */
void exposition_value(struct exposition *exposition, unsigned __int128 value);
/* Millionths, written as ones with six decimals. */
void exposition_value_millionths(struct exposition *exposition, uint64_t value);
/* A finite number. */
void exposition_value_real(struct exposition *exposition, double value);

/* 0, or -1 when memory ran out, and not every sample is there. */
int exposition_fini(struct exposition *exposition);

#endif

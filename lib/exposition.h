/* exposition - writes metrics, families of samples with labels and exact values, as Prometheus'
 * text format or into a metrics page.
 *
 * The functions do not report write errors of a stream: its owner checks ferror(). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_EXPOSITION_H
#define NHM_EXPOSITION_H

#include "metrics.h"
#include "strbuf.h"

#include <stdbool.h>
#include <stdio.h>

/* The output, and the current family and sample. Initialise with zeros except for `out` or
 * `metrics`. */
struct exposition {
	FILE *out;               /* stream for the text format */
	struct metrics *metrics; /* or a metrics page, within a round: see metrics_begin() */
	struct metrics_family family;
	bool announced;       /* text format: the family's HELP and TYPE are written */
	struct strbuf labels; /* of the current sample */
	bool is_short;        /* memory ran out: a sample is missing */
};

/* Begin a family, whose strings must outlive it. A family without samples is not written. */
void exposition_family(
	struct exposition *exposition, const char *name, enum metrics_type type, const char *help);

/* Begin a sample, then add labels, then end it with its value. All samples of a family must have
 * the same labels: give a label without a value NULL, which is written as "", to Prometheus no
 * label, so that every sample of a name has the same set of labels. The value must be valid
 * UTF-8. */
void exposition_sample(struct exposition *exposition);
void exposition_label(struct exposition *exposition, const char *key, const char *value);
void exposition_label_integer(struct exposition *exposition, const char *key, int64_t value);
/* Add labels as text, from promtext_add_label(), for callers that reuse them for many samples. */
void exposition_labels(struct exposition *exposition, const char *labels, size_t length);

/* End the sample with an integer. In a page, a value beyond 64 bits is stored as the nearest real
 * number. */
void exposition_value(struct exposition *exposition, unsigned __int128 value);
/* End the sample with a value in millionths, written with six decimals. */
void exposition_value_millionths(struct exposition *exposition, uint64_t value);
/* End the sample with a finite real number. */
void exposition_value_real(struct exposition *exposition, double value);

/* Free the buffers. Return 0, or -1 if memory ran out and samples are missing. */
int exposition_fini(struct exposition *exposition);

#endif

/* exposition - Prometheus' text format: families of samples, announced once, with labels and exact numbers.
 *
 * Errors of the stream stay in it: whoever opened it asks ferror(). */
#ifndef IBSCAN_EXPOSITION_H
#define IBSCAN_EXPOSITION_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum exposition_type { EXPOSITION_GAUGE, EXPOSITION_COUNTER };

/* The family and the sample that are being written. */
struct exposition {
	FILE *out;
	const char *name, *help;
	enum exposition_type type;
	bool announced; /* its HELP and TYPE are out */
	bool labelled;  /* the sample has a label */
};

/* What follows is of this family, whose strings must outlive it. A family without samples is never announced. */
void exposition_family(struct exposition *exposition, const char *name, enum exposition_type type,
	const char *help);

/* A sample is begun, given labels, and ended by its value. A label without a value (NULL or "") is left out, which to
 * Prometheus is the same. The value must be valid UTF-8. */
void exposition_sample(struct exposition *exposition);
void exposition_label(struct exposition *exposition, const char *key, const char *value);
void exposition_value(struct exposition *exposition, unsigned __int128 value);
/* Millionths, written as ones with six decimals. */
void exposition_value_millionths(struct exposition *exposition, uint64_t value);
/* A finite number. */
void exposition_value_real(struct exposition *exposition, double value);

#endif

/* metricspage - a page of numbers, for whoever reads it; for the writer see metrics.h. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_METRICSPAGE_H
#define NHM_METRICSPAGE_H

#include "metricskinds.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A page, for whoever reads it. */
struct metrics_page {
	int fd;
	unsigned char *bytes; /* which only the writer changes */
};

/* Makes an empty page, with a descriptor that is not inherited. `name` is for people who look at
 * descriptors. 0, or -1 with errno. */
int metrics_page_init(struct metrics_page *page, const char *name);
void metrics_page_fini(struct metrics_page *page);

uint64_t metrics_page_vital(const struct metrics_page *page, enum metrics_vital vital);

/* Tells the writer something: METRICS_WRITERS_NS is the one vital that is the reader's. What goes
 * wrong leaves what was told before. */
void metrics_page_tell(const struct metrics_page *page, enum metrics_vital vital, uint64_t value);

/* How many series there was no room for. */
uint64_t metrics_page_dropped(const struct metrics_page *page);

/* One series as it is now. The texts are in the page. */
struct metrics_sample {
	uint32_t family_at;        /* where the page has the family */
	const char *family, *help; /* the help as it stands after `# HELP name ` */
	size_t family_length, help_length;
	enum metrics_type type;
	enum metrics_life life;
	/* what stands between the family's name and the value: "", `{device="mlx5_0"}`,
	 * `_sum{category="state"}` */
	const char *tail;
	size_t tail_length;
	bool is_real;
	uint64_t value;
	double real; /* if is_real, else 0 */
};

/* The series that is shown at or after `*at`, 0 for the first, and moves `*at` past it; `*out` has
 * the one before until then. False when there is none, or what is there is no series: the writer is
 * not trusted. */
bool metrics_page_next(const struct metrics_page *page, size_t *at, struct metrics_sample *out);

/* Writes the value as Prometheus' text format has it; returns its length. */
#define METRICS_VALUE_SIZE 32
size_t metrics_format_value(const struct metrics_sample *sample, char out[METRICS_VALUE_SIZE]);

#endif

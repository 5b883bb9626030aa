/* metricspage - the reader's side of a metrics page; metrics.h is the writer's side. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_METRICSPAGE_H
#define NHM_METRICSPAGE_H

#include "metricskinds.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The reader's handle of a page. */
struct metrics_page {
	int fd;
	unsigned char *bytes; /* the page's memory, read-only */
};

/* Create an empty page, with a close-on-exec descriptor. `name` is only for people who list
 * descriptors. Return 0, or -1 with errno. */
int metrics_page_init(struct metrics_page *page, const char *name);
void metrics_page_fini(struct metrics_page *page);

/* Return a vital that the writer set, unchecked: the writer is not trusted. */
uint64_t metrics_page_vital(const struct metrics_page *page, enum metrics_vital vital);

/* Set a vital for the writer; METRICS_WRITERS_NS is the only one that the reader sets. After an
 * error the old value stays. */
void metrics_page_tell(const struct metrics_page *page, enum metrics_vital vital, uint64_t value);

/* Return the number of series that the page had no room for. */
uint64_t metrics_page_dropped(const struct metrics_page *page);

/* A snapshot of one series. The texts are in the page. */
struct metrics_sample {
	uint32_t family_at;        /* position of the family in the page */
	const char *family, *help; /* the help as written after `# HELP name ` */
	size_t family_length, help_length;
	enum metrics_type type;
	enum metrics_life life;
	/* the text between the family's name and the value: "", `{device="mlx5_0"}`,
	 * `_sum{category="state"}` */
	const char *tail;
	size_t tail_length;
	bool is_real;
	uint64_t value;
	double real; /* if is_real, else 0 */
};

/* Read the next shown series at or after `*at` (0 for the first), and move `*at` past it. Between
 * calls leave `*out` unchanged. Return false at the end, or at an invalid entry: the writer is not
 * trusted. */
bool metrics_page_next(const struct metrics_page *page, size_t *at, struct metrics_sample *out);

/* Write the value in Prometheus' text format. Return its length. */
#define METRICS_VALUE_SIZE 32
size_t metrics_format_value(const struct metrics_sample *sample, char out[METRICS_VALUE_SIZE]);

#endif

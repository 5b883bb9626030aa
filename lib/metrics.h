/* metrics - the writer's side of a metrics page: memory through which another process reads this
 * process's metrics (arch#numbers-page).
 *
 * The reader creates the page (memfd_create(2)) and passes its descriptor to the writer. The writer
 * appends series and changes their values in place. Every value is one aligned 64-bit word, and a
 * series becomes visible only when it is complete: a writer that is killed at any instruction
 * leaves a valid page, and the next writer continues it. The processes exchange no messages, wait
 * for nothing and lock nothing, and the page disappears with them. nic-health-monitor-metrics(5)
 * describes the format.
 *
 * All functions of the writer accept NULL as page or cell and then do nothing, so a tool without a
 * page has no overhead. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_METRICS_H
#define NHM_METRICS_H

#include "metricskinds.h"

#include <stddef.h>
#include <stdint.h>

/* A family of series. The strings are copied. */
struct metrics_family {
	const char *name; /* valid in Prometheus */
	const char *help; /* one sentence */
	enum metrics_type type;
	enum metrics_life life;
};

struct metrics_label {
	const char *key;
	const char *value; /* NULL: "" */
};

struct metrics;

/* Open the page at `fd`, which the caller still owns. Hide all series that are not METRICS_LASTING,
 * and set the vitals to 0, except METRICS_WRITERS_NS, which the reader sets. Reset a page that an
 * earlier writer has damaged. Return NULL with errno: EINVAL if `fd` is not a metrics page. */
struct metrics *metrics_open(int fd);

/* The start of the option's row in a tool's table of options; the tool adds where the value goes, a
 * text for metrics_open_option(). */
#define METRICS_OPTION \
	"metrics-fd", "FD", \
		"count in the metrics page at descriptor FD, see nic-health-monitor-metrics(5)"

/* Open the page named by the option's value, which may be NULL, and close the descriptor. Return 0,
 * or an exit code after reporting the error. */
int metrics_open_option(const char *option, struct metrics **out);

void metrics_close(struct metrics *metrics);

/* Return the cell of a series; create it with value 0 if needed. A new series that is not
 * METRICS_LASTING is shown once it is set. All series of a family must have the same labels in the
 * same order, with "" for a missing value. The cell is valid until metrics_close(). Return NULL if
 * the page is full; the page counts that. */
struct metrics_cell *metrics_cell(struct metrics *metrics, const struct metrics_family *family,
	const struct metrics_label *labels, size_t count);

/* The same for labels as text, with their braces, see promtext.h. */
struct metrics_cell *metrics_cell_labelled(struct metrics *metrics,
	const struct metrics_family *family, const char *labels, size_t length);

/* Change the value. All but metrics_add() also show the series. A series holds either integers or
 * reals. */
void metrics_add(struct metrics_cell *cell, uint64_t more);
void metrics_set(struct metrics_cell *cell, uint64_t value);
void metrics_set_real(struct metrics_cell *cell, double value);
void metrics_add_real(struct metrics_cell *cell, double more);

/* Hide the series until it is set again. */
void metrics_remove(struct metrics_cell *cell);

/* Begin and end a round. At its end hide every METRICS_ROUND series whose cell was not requested
 * within the round. */
void metrics_begin(struct metrics *metrics);
void metrics_end(struct metrics *metrics);

/* Number of a histogram's upper bounds, without +Inf. They are those of the original (Go's client
 * library), in seconds. */
#define METRICS_BOUND_N 11

/* A histogram of durations in seconds. */
struct metrics_histogram {
	struct metrics_cell *buckets[METRICS_BOUND_N + 1], *sum, *count;
};

/* Most labels of a histogram. */
#define METRICS_LABELS_MAX 16

/* Create the series of a histogram; `count` at most METRICS_LABELS_MAX, otherwise, and without a
 * page, it stays empty and metrics_observe() does nothing. A series for which there is no room is
 * left out. */
void metrics_histogram_init(struct metrics_histogram *histogram, struct metrics *metrics,
	const struct metrics_family *family, const struct metrics_label *labels, size_t count);

/* Count one duration. */
void metrics_observe(struct metrics_histogram *histogram, double seconds);

/* Set a vital, which the reader gets with metrics_page_vital(). */
void metrics_set_vital(struct metrics *metrics, enum metrics_vital vital, uint64_t value);

/* Return a vital that the reader sets with metrics_page_tell(), 0 without a page. */
uint64_t metrics_told(const struct metrics *metrics, enum metrics_vital vital);

/* Record progress of the writer: METRICS_TICKS and METRICS_TICK_NS. */
void metrics_tick(struct metrics *metrics);

#endif

/* metrics - the numbers of one process, read by another: a page of memory that both have
 * (arch#numbers-page).
 *
 * The reader makes the page (memfd_create(2)) and gives the writer its descriptor. The writer adds
 * series to its end and changes their values in place. Every value is one aligned 64-bit word, and
 * a series counts only once it is whole: a writer that is killed at any instruction leaves a page
 * that is true, and the next writer goes on with it. Nothing is ever sent, waited for or locked,
 * and nothing is left behind when both are gone. nic-health-monitor-metrics(5) has the format.
 *
 * All functions of the writer take NULL for a page, and for a cell, and do nothing then: a tool
 * that nobody watches pays nothing. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_METRICS_H
#define NHM_METRICS_H

#include "metricskinds.h"

#include <stddef.h>
#include <stdint.h>

/* What a series belongs to. Its strings are copied. */
struct metrics_family {
	const char *name; /* of Prometheus' characters */
	const char *help; /* one sentence */
	enum metrics_type type;
	enum metrics_life life;
};

struct metrics_label {
	const char *key;
	const char *value; /* NULL: "" */
};

struct metrics;

/* Takes the page at `fd`, which stays the caller's: only what is METRICS_LASTING is still shown,
 * and the writer's vitals are 0. A page that a writer has damaged is begun anew. NULL with errno;
 * EINVAL when it is not such a page. */
struct metrics *metrics_open(int fd);

/* In the row of a tool's table of options by which it is given a page: all but where its value
 * goes, a text for metrics_open_option(). */
#define METRICS_OPTION \
	"metrics-fd", "FD", \
		"keep count in the page at descriptor FD, see nic-health-monitor-metrics(5)"

/* What main() does with the value of that option, which may be NULL: takes the page and closes the
 * descriptor. 0, or an exit code when it is not a page, which has been said. */
int metrics_open_option(const char *option, struct metrics **out);

void metrics_close(struct metrics *metrics);

/* The value of a series, which is made, with 0, if it is not there; one that is not METRICS_LASTING
 * is shown when it has been set. All series of a family have the same labels, in the same order:
 * what has no value for one has "". The cell is good until metrics_close(). NULL when there is no
 * room for it, which the page counts. */
struct metrics_cell *metrics_cell(struct metrics *metrics, const struct metrics_family *family,
	const struct metrics_label *labels, size_t count);

/* The same of labels that are text already, with their braces, see promtext.h. */
struct metrics_cell *metrics_cell_labelled(struct metrics *metrics,
	const struct metrics_family *family, const char *labels, size_t length);

void metrics_add(struct metrics_cell *cell, uint64_t more);
void metrics_set(struct metrics_cell *cell, uint64_t value);
void metrics_set_real(struct metrics_cell *cell, double value);
void metrics_add_real(struct metrics_cell *cell, double more);

/* The series is not shown until it is set again. */
void metrics_remove(struct metrics_cell *cell);

/* A round: the METRICS_ROUND series whose cells are not asked for between these two are removed at
 * its end. */
void metrics_begin(struct metrics *metrics);
void metrics_end(struct metrics *metrics);

/* Upper bounds of a histogram's buckets, in seconds: those of the original's (Go's client library),
 * +Inf left out. */
#define METRICS_BOUND_N 11

/* A histogram of seconds. */
struct metrics_histogram {
	struct metrics_cell *buckets[METRICS_BOUND_N + 1], *sum, *count;
};

/* `labels`: at most METRICS_LABELS_MAX. */
#define METRICS_LABELS_MAX 16
void metrics_histogram_init(struct metrics_histogram *histogram, struct metrics *metrics,
	const struct metrics_family *family, const struct metrics_label *labels, size_t count);
void metrics_observe(struct metrics_histogram *histogram, double seconds);

void metrics_set_vital(struct metrics *metrics, enum metrics_vital vital, uint64_t value);

/* What the reader has told with metrics_page_tell(); 0 without a page. */
uint64_t metrics_told(const struct metrics *metrics, enum metrics_vital vital);

/* The writer has got on: METRICS_TICKS and METRICS_TICK_NS. */
void metrics_tick(struct metrics *metrics);

#endif

/* metricsvalue - the numbers of one process, read by another: values, and histograms of them. */
#include "metricsparts.h"

#include <stdio.h>
#include <string.h>

void
metrics_add(struct metrics_cell *cell, uint64_t more)
{
	if (cell != NULL)
		atomic_fetch_add_explicit(&cell->entry.value, more, memory_order_relaxed);
}

void
metrics_set(struct metrics_cell *cell, uint64_t value)
{
	if (cell == NULL)
		return;
	atomic_store_explicit(&cell->entry.value, value, memory_order_relaxed);
	atomic_store_explicit(&cell->entry.shown, METRICS_SHOWN, memory_order_release);
}

void
metrics_set_real(struct metrics_cell *cell, double value)
{
	uint64_t bits;
	if (cell == NULL)
		return;
	memcpy(&bits, &value, sizeof bits);
	atomic_store_explicit(&cell->entry.value, bits, memory_order_relaxed);
	atomic_store_explicit(&cell->entry.shown, METRICS_SHOWN_REAL, memory_order_release);
}

void
metrics_remove(struct metrics_cell *cell)
{
	if (cell != NULL)
		atomic_store(&cell->entry.shown, METRICS_HIDDEN);
}

/* --- histograms --- */

static const double bounds[METRICS_BOUND_N] = {
	0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10};

/* One writer at a time, so reading and writing need not be one step. */
static void
add_real(struct metrics_cell *cell, double more)
{
	double value = 0;
	if (cell == NULL)
		return;
	uint64_t bits = atomic_load_explicit(&cell->entry.value, memory_order_relaxed);
	memcpy(&value, &bits, sizeof value);
	metrics_set_real(cell, value + more);
}

void
metrics_histogram_init(struct metrics_histogram *histogram, struct metrics *metrics,
	const struct metrics_family *family, const struct metrics_label *labels, size_t count)
{
	struct metrics_label all[METRICS_LABELS_MAX + 1];
	*histogram = (struct metrics_histogram){.sum = NULL};
	if (metrics == NULL || count > METRICS_LABELS_MAX)
		return;
	for (size_t i = 0; i < count; i++)
		all[i] = labels[i];
	for (size_t i = 0; i <= METRICS_BOUND_N; i++) {
		char bound[32] = "+Inf";
		if (i < METRICS_BOUND_N)
			snprintf(bound, sizeof bound, "%g", bounds[i]);
		all[count] = (struct metrics_label){"le", bound};
		histogram->buckets[i] = metrics_series(metrics, family, "_bucket", all, count + 1);
	}
	histogram->sum = metrics_series(metrics, family, "_sum", labels, count);
	add_real(histogram->sum,
		0); /* a real number from the start: a reader never takes one for an integer */
	histogram->count = metrics_series(metrics, family, "_count", labels, count);
}

void
metrics_observe(struct metrics_histogram *histogram, double seconds)
{
	for (size_t i = METRICS_BOUND_N + 1; i-- > 0;) {
		if (i == METRICS_BOUND_N || seconds <= bounds[i])
			metrics_add(histogram->buckets[i], 1);
	}
	add_real(histogram->sum, seconds);
	metrics_add(histogram->count, 1);
}

/* metrics - the writer's side of a metrics page. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "metrics.h"

#include "clock.h"
#include "diag.h"
#include "hash.h"
#include "map.h"
#include "metricslayout.h"
#include "num.h"
#include "promtext.h"
#include "strbuf.h"
#include "text.h"
#include "wraps.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct metrics {
	struct metrics_header *header;
	unsigned char *bytes; /* the same memory, as bytes */
	/* position of each entry in the page, by its text; never 0, because the header is there */
	struct map entries;
	/* position after the last entry found: a writer that sets the same series in the same order
	 * finds the next one there */
	size_t next;
	size_t family; /* position of the family found last */
	/* one bit per 8 bytes of the page: the entry there was requested in this round */
	uint8_t *asked;
};

static struct metrics_entry *
entry_at(const struct metrics *metrics, size_t at)
{
	return (struct metrics_entry *)(void *)(metrics->bytes + at);
}

/* In a damaged page `family` may be any number. */
WRAPS static uint64_t
hash_of(uint64_t family, const char *text, size_t length)
{
	return hash_words(HASH_START ^ (family * HASH_PRIME), text, length);
}

static bool
entry_matches(const struct metrics_entry *entry, uint32_t family, const char *text, size_t length)
{
	return entry->family == family && entry->text_bytes == length &&
	       memcmp(entry->text, text, length) == 0;
}

/* The entry of a family has family 0, so a series never matches a family of the same text. Return
 * the entry's position, or 0. */
static size_t
find(const struct metrics *metrics, uint32_t family, const char *text, size_t length)
{
	uint64_t hash = hash_of(family, text, length);
	for (size_t step = 0, at; (at = map_next(&metrics->entries, hash, &step)) != MAP_END;) {
		if (entry_matches(entry_at(metrics, at), family, text, length))
			return at;
	}
	return 0;
}

static int
remember(struct metrics *metrics, size_t at)
{
	const struct metrics_entry *entry = entry_at(metrics, at);
	return map_add(
		&metrics->entries, hash_of(entry->family, entry->text, entry->text_bytes), at);
}

/* Append an entry. It becomes visible when `used` covers it. Return its position, or 0 if there is
 * no room. */
static size_t
append(struct metrics *metrics, const struct metrics_entry *like, const char *text,
	const char *help)
{
	struct metrics_header *header = metrics->header;
	size_t at = atomic_load_explicit(&header->used, memory_order_relaxed);
	size_t text_bytes = strlen(text), help_bytes = help != NULL ? strlen(help) : 0;
	size_t bytes = metrics_entry_bytes(text_bytes + 1 + help_bytes + 1);
	if (text_bytes > METRICS_TEXT_MAX || help_bytes > METRICS_TEXT_MAX ||
		bytes > METRICS_PAGE_BYTES - at) {
		atomic_fetch_add(&header->dropped, 1);
		return 0;
	}
	struct metrics_entry *entry = entry_at(metrics, at);
	*entry = *like;
	entry->bytes = (uint32_t)bytes;
	entry->text_bytes = (uint16_t)text_bytes;
	entry->help_bytes = (uint16_t)help_bytes;
	memcpy(entry->text, text, text_bytes + 1);
	memcpy(entry->text + text_bytes + 1, text_or_empty(help), help_bytes + 1);
	if (remember(metrics, at) < 0) {
		atomic_fetch_add(&header->dropped, 1);
		return 0;
	}
	atomic_store_explicit(&header->used, at + bytes, memory_order_release);
	return at;
}

/* --- the page --- */

static enum metrics_life
life_of(const struct metrics *metrics, const struct metrics_entry *series)
{
	return entry_at(metrics, series->family)->life;
}

/* Adopt the previous writer's page if it is consistent. Return 0, or -1 with errno: EINVAL if
 * not. */
static int
adopt(struct metrics *metrics)
{
	size_t used = atomic_load(&metrics->header->used), at = sizeof(struct metrics_header);
	errno = EINVAL;
	if (metrics->header->magic != METRICS_MAGIC || used < at || used % 8 != 0 ||
		used > METRICS_PAGE_BYTES)
		return -1;
	while (at < used) {
		struct metrics_entry *entry = entry_at(metrics, at);
		if (used - at < sizeof *entry || entry->bytes % 8 != 0 ||
			entry->bytes > used - at ||
			entry->bytes < metrics_entry_bytes((size_t)entry->text_bytes + 1 +
							   entry->help_bytes + 1) ||
			(entry->kind == METRICS_ENTRY_SERIES &&
				(entry->family < sizeof(struct metrics_header) ||
					entry->family % 8 != 0 || entry->family >= at)))
			return -1;
		if (entry->kind == METRICS_ENTRY_SERIES &&
			life_of(metrics, entry) != METRICS_LASTING)
			atomic_store(&entry->shown, METRICS_HIDDEN);
		if (remember(metrics, at) < 0)
			return -1;
		at += entry->bytes;
	}
	return 0;
}

/* Return true if the file is sealed like a metrics page; no other file is. */
static bool
is_sealed(int fd)
{
	int seals = fcntl(fd, F_GET_SEALS);
	return seals >= 0 && (seals & F_SEAL_GROW) != 0 && (seals & F_SEAL_SHRINK) != 0;
}

/* Reset a damaged page. Its metrics are lost, but otherwise the next writer could not start. */
static void
reset_page(struct metrics *metrics)
{
	struct metrics_header *header = metrics->header;
	map_clear(&metrics->entries);
	header->magic = METRICS_MAGIC;
	header->header_bytes = sizeof *header;
	atomic_store(&header->dropped, 0);
	atomic_store(&header->used, sizeof *header);
}

struct metrics *
metrics_open(int fd)
{
	struct stat status;
	if (fstat(fd, &status) < 0)
		return NULL;
	if ((uint64_t)status.st_size != METRICS_PAGE_BYTES) {
		errno = EINVAL;
		return NULL;
	}
	struct metrics *metrics = calloc(1, sizeof *metrics);
	if (metrics == NULL)
		return NULL;
	metrics->bytes = mmap(NULL, METRICS_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (metrics->bytes == MAP_FAILED)
		metrics->bytes = NULL;
	metrics->header = (struct metrics_header *)(void *)metrics->bytes;
	if (metrics->bytes == NULL)
		goto fail;
	if (adopt(metrics) < 0) {
		if (errno != EINVAL || !is_sealed(fd))
			goto fail;
		reset_page(metrics);
	}
	for (enum metrics_vital i = 0; i < METRICS_VITAL_N; i++) {
		if (i != METRICS_WRITERS_NS)
			metrics_set_vital(metrics, i, 0);
	}
	return metrics;
fail:
	metrics_close(metrics);
	return NULL;
}

int
metrics_open_option(const char *option, struct metrics **out)
{
	uint64_t fd;
	*out = NULL;
	if (option == NULL)
		return 0;
	if (num_parse_u64(option, INT_MAX, &fd) != NUM_OK) {
		diag_error("--metrics-fd %s: not a descriptor", option);
		return EXIT_USAGE;
	}
	*out = metrics_open((int)fd);
	if (*out == NULL) {
		diag_error("--metrics-fd %s: %s", option,
			errno == EINVAL ? "not a metrics page" : strerror(errno));
		return EXIT_USAGE;
	}
	close((int)fd);
	return 0;
}

void
metrics_close(struct metrics *metrics)
{
	int saved_errno = errno;
	if (metrics == NULL)
		return;
	if (metrics->bytes != NULL)
		munmap(metrics->bytes, METRICS_PAGE_BYTES);
	map_fini(&metrics->entries);
	free(metrics->asked);
	free(metrics);
	errno = saved_errno;
}

/* --- series --- */

static size_t
find_family(struct metrics *metrics, const struct metrics_family *family)
{
	size_t length = strlen(family->name), at = metrics->family;
	if (at == 0 || !entry_matches(entry_at(metrics, at), 0, family->name, length))
		at = find(metrics, 0, family->name, length);
	if (at != 0)
		return metrics->family = at;
	char bytes[METRICS_TEXT_MAX + 1];
	struct strbuf help;
	strbuf_init(&help, bytes, sizeof bytes);
	promtext_add_help(&help, family->help);
	const struct metrics_entry entry = {.kind = METRICS_ENTRY_FAMILY,
		.type = (uint8_t)family->type,
		.life = (uint8_t)family->life};
	return append(metrics, &entry, family->name, help.bytes);
}

/* Find or create the series of a family with these labels. A part such as `_sum` stands before the
 * labels. */
static struct metrics_cell *
find_series(struct metrics *metrics, const struct metrics_family *family, const char *labels,
	size_t length)
{
	size_t owner = find_family(metrics, family), at = metrics->next;
	if (owner == 0)
		return NULL;
	if (at == 0 || at >= atomic_load(&metrics->header->used) ||
		!entry_matches(entry_at(metrics, at), (uint32_t)owner, labels, length))
		at = find(metrics, (uint32_t)owner, labels, length);
	if (at == 0) {
		const struct metrics_entry entry = {.kind = METRICS_ENTRY_SERIES,
			.family = (uint32_t)owner,
			.shown = family->life == METRICS_LASTING ? METRICS_SHOWN : METRICS_HIDDEN};
		at = append(metrics, &entry, labels, NULL);
	}
	if (at == 0)
		return NULL;
	metrics->next = at + entry_at(metrics, at)->bytes;
	if (metrics->asked != NULL)
		metrics->asked[at / 64] |= (uint8_t)(1 << (at / 8 % 8));
	return (struct metrics_cell *)entry_at(metrics, at);
}

/* The same for labels that are not text yet. */
static struct metrics_cell *
find_part(struct metrics *metrics, const struct metrics_family *family, const char *part,
	const struct metrics_label *labels, size_t count)
{
	char bytes[METRICS_TEXT_MAX + 1];
	struct strbuf text;
	strbuf_init(&text, bytes, sizeof bytes);
	strbuf_add(&text, part, strlen(part));
	promtext_begin_labels(&text);
	for (size_t i = 0; i < count; i++)
		promtext_add_label(&text, labels[i].key, labels[i].value);
	promtext_end_labels(&text);
	if (!text.is_short)
		return find_series(metrics, family, text.bytes, text.length);
	atomic_fetch_add(&metrics->header->dropped, 1);
	return NULL;
}

struct metrics_cell *
metrics_cell(struct metrics *metrics, const struct metrics_family *family,
	const struct metrics_label *labels, size_t count)
{
	return metrics != NULL ? find_part(metrics, family, "", labels, count) : NULL;
}

struct metrics_cell *
metrics_cell_labelled(struct metrics *metrics, const struct metrics_family *family,
	const char *labels, size_t length)
{
	return metrics != NULL ? find_series(metrics, family, labels, length) : NULL;
}

void
metrics_begin(struct metrics *metrics)
{
	if (metrics == NULL)
		return;
	/* Without memory nothing is hidden: old series stay visible. */
	if (metrics->asked == NULL)
		metrics->asked = calloc(METRICS_PAGE_BYTES / 64, 1);
	else
		memset(metrics->asked, 0, (atomic_load(&metrics->header->used) + 63) / 64);
}

void
metrics_end(struct metrics *metrics)
{
	if (metrics == NULL || metrics->asked == NULL)
		return;
	size_t used = atomic_load(&metrics->header->used);
	for (size_t at = sizeof(struct metrics_header); at < used;) {
		struct metrics_entry *entry = entry_at(metrics, at);
		bool was_asked = (metrics->asked[at / 64] >> (at / 8 % 8) & 1) != 0;
		if (entry->kind == METRICS_ENTRY_SERIES && !was_asked &&
			life_of(metrics, entry) == METRICS_ROUND)
			atomic_store(&entry->shown, METRICS_HIDDEN);
		at += entry->bytes;
	}
}

/* --- values --- */

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

/* The page has only one writer, so load and store need not be one atomic step. */
void
metrics_add_real(struct metrics_cell *cell, double more)
{
	double value = 0;
	if (cell == NULL)
		return;
	uint64_t bits = atomic_load_explicit(&cell->entry.value, memory_order_relaxed);
	memcpy(&value, &bits, sizeof value);
	metrics_set_real(cell, value + more);
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
		histogram->buckets[i] = find_part(metrics, family, "_bucket", all, count + 1);
	}
	histogram->sum = find_part(metrics, family, "_sum", labels, count);
	/* Make the sum a real number from the start: no reader then takes it for an integer. */
	metrics_add_real(histogram->sum, 0);
	histogram->count = find_part(metrics, family, "_count", labels, count);
}

void
metrics_observe(struct metrics_histogram *histogram, double seconds)
{
	for (size_t i = METRICS_BOUND_N + 1; i > 0; i--) {
		if (i > METRICS_BOUND_N || seconds <= bounds[i - 1])
			metrics_add(histogram->buckets[i - 1], 1);
	}
	metrics_add_real(histogram->sum, seconds);
	metrics_add(histogram->count, 1);
}

/* --- vitals --- */

void
metrics_set_vital(struct metrics *metrics, enum metrics_vital vital, uint64_t value)
{
	if (metrics != NULL)
		atomic_store_explicit(&metrics->header->vitals[vital], value, memory_order_release);
}

uint64_t
metrics_told(const struct metrics *metrics, enum metrics_vital vital)
{
	if (metrics == NULL)
		return 0;
	return atomic_load_explicit(&metrics->header->vitals[vital], memory_order_acquire);
}

void
metrics_tick(struct metrics *metrics)
{
	if (metrics == NULL)
		return;
	metrics_set_vital(metrics, METRICS_TICK_NS, clock_monotonic_ns());
	atomic_fetch_add(&metrics->header->vitals[METRICS_TICKS], 1);
}

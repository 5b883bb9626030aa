/* metrics - the numbers of one process, read by another: what the writer does. */
#include "metrics.h"

#include "clock.h"
#include "diag.h"
#include "hash.h"
#include "metricsparts.h"
#include "num.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where an entry is found by its text; 0: free. Headers are in the way of a real entry being there. */
struct metrics {
	struct metrics_header *header;
	unsigned char *bytes; /* the same */
	uint32_t *table;
	size_t table_size; /* a power of two */
	size_t count;
	size_t next; /* the entry behind the one found last: who writes the same series again finds it there */
	uint8_t *
		asked; /* one bit per 8 bytes of the page: the entry there was asked for in this round */
};

static struct metrics_entry *
entry_at(const struct metrics *metrics, size_t at)
{
	return (struct metrics_entry *)(void *)(metrics->bytes + at);
}

static uint64_t
hash_of(uint64_t family, const char *text, size_t length)
{
	return hash_words(HASH_START ^ (family * HASH_PRIME), text, length);
}

static bool
is_it(const struct metrics_entry *entry, uint32_t family, const char *text, size_t length)
{
	return entry->family == family && entry->text_bytes == length &&
	       memcmp(entry->text, text, length) == 0;
}

/* A family's entry has family 0, so that a series has the same text as a family of another. */
static size_t
find(const struct metrics *metrics, uint32_t family, const char *text, size_t length)
{
	size_t slot = hash_of(family, text, length) & (metrics->table_size - 1);
	while (metrics->table[slot] != 0) {
		if (is_it(entry_at(metrics, metrics->table[slot]), family, text, length))
			return metrics->table[slot];
		slot = (slot + 1) & (metrics->table_size - 1);
	}
	return 0;
}

static void
put_into(uint32_t *table, size_t size, const struct metrics_entry *entry, size_t at)
{
	size_t slot = hash_of(entry->family, entry->text, entry->text_bytes) & (size - 1);
	while (table[slot] != 0)
		slot = (slot + 1) & (size - 1);
	table[slot] = (uint32_t)at;
}

/* At most half of the table is full. */
static int
remember(struct metrics *metrics, size_t at)
{
	if ((metrics->count + 1) * 2 > metrics->table_size) {
		size_t size = metrics->table_size * 2;
		uint32_t *table = calloc(size, sizeof *table);
		if (table == NULL)
			return -1;
		for (size_t i = 0; i < metrics->table_size; i++) {
			if (metrics->table[i] != 0)
				put_into(table, size, entry_at(metrics, metrics->table[i]),
					metrics->table[i]);
		}
		free(metrics->table);
		metrics->table = table;
		metrics->table_size = size;
	}
	put_into(metrics->table, metrics->table_size, entry_at(metrics, at), at);
	metrics->count++;
	return 0;
}

/* Adds an entry, which counts from the moment that `used` covers it. Returns where it is; 0 when there is no room. */
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
	memcpy(entry->text + text_bytes + 1, help != NULL ? help : "", help_bytes + 1);
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

/* What the writer before has left is ours to go on with, if it is whole. -1 with EINVAL when it is not. */
static int
take_up(struct metrics *metrics)
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

/* Whoever has made it for numbers has sealed it, and nobody does so to a file. */
static bool
is_sealed(int fd)
{
	int seals = fcntl(fd, F_GET_SEALS);
	return seals >= 0 && (seals & F_SEAL_GROW) != 0 && (seals & F_SEAL_SHRINK) != 0;
}

/* A writer that went wild may have left anything. Its numbers are lost; that its successor could not begin would be worse. */
static void
begin_anew(struct metrics *metrics)
{
	struct metrics_header *header = metrics->header;
	memset(metrics->table, 0, metrics->table_size * sizeof *metrics->table);
	metrics->count = 0;
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
	metrics->table_size = 256;
	metrics->table = calloc(metrics->table_size, sizeof *metrics->table);
	metrics->bytes = mmap(NULL, METRICS_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (metrics->bytes == MAP_FAILED)
		metrics->bytes = NULL;
	metrics->header = (struct metrics_header *)(void *)metrics->bytes;
	if (metrics->table == NULL || metrics->bytes == NULL)
		goto fail;
	if (take_up(metrics) < 0) {
		if (errno != EINVAL || !is_sealed(fd))
			goto fail;
		begin_anew(metrics);
	}
	for (enum metrics_vital i = 0; i < METRICS_VITAL_N; i++)
		metrics_set_vital(metrics, i, 0);
	return metrics;
fail:
	metrics_close(metrics);
	return NULL;
}

int
metrics_take(const char *option, struct metrics **out)
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
			errno == EINVAL ? "no page of numbers is there" : strerror(errno));
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
	free(metrics->table);
	free(metrics->asked);
	free(metrics);
	errno = saved_errno;
}

/* --- series --- */

struct text {
	char bytes[METRICS_TEXT_MAX + 1];
	size_t length;
	bool overflow;
};

static void
put(struct text *text, const char *bytes, size_t length)
{
	if (length > METRICS_TEXT_MAX - text->length) {
		text->overflow = true;
		return;
	}
	memcpy(text->bytes + text->length, bytes, length);
	text->length += length;
}

/* As Prometheus wants it: backslash and line feed are escaped everywhere, the quote where there are quotes around it. */
static void
put_escaped(struct text *text, const char *value, const char *special)
{
	while (*value != '\0') {
		size_t plain = strcspn(value, special);
		put(text, value, plain);
		value += plain;
		if (*value == '\0')
			break;
		const char escaped[2] = {'\\', (char)(*value == '\n' ? 'n' : *value)};
		put(text, escaped, sizeof escaped);
		value++;
	}
}

static void
put_labels(struct text *text, const struct metrics_label *labels, size_t count)
{
	char before = '{';
	for (size_t i = 0; i < count; i++) {
		if (labels[i].value == NULL || *labels[i].value == '\0')
			continue;
		put(text, &before, 1);
		put(text, labels[i].key, strlen(labels[i].key));
		put(text, "=\"", 2);
		put_escaped(text, labels[i].value, "\\\"\n");
		put(text, "\"", 1);
		before = ',';
	}
	if (before == ',')
		put(text, "}", 1);
	text->bytes[text->length] = '\0';
}

static size_t
find_family(struct metrics *metrics, const struct metrics_family *family)
{
	size_t at = find(metrics, 0, family->name, strlen(family->name));
	if (at != 0)
		return at;
	struct text help = {.length = 0};
	put_escaped(&help, family->help, "\\\n");
	help.bytes[help.length] = '\0';
	const struct metrics_entry entry = {.kind = METRICS_ENTRY_FAMILY,
		.type = (uint8_t)family->type,
		.life = (uint8_t)family->life};
	return append(metrics, &entry, family->name, help.bytes);
}

struct metrics_cell *
metrics_series(struct metrics *metrics, const struct metrics_family *family, const char *suffix,
	const struct metrics_label *labels, size_t count)
{
	struct text text = {.length = 0};
	put(&text, suffix, strlen(suffix));
	put_labels(&text, labels, count);
	size_t owner = find_family(metrics, family);
	if (owner == 0 || text.overflow) {
		if (text.overflow)
			atomic_fetch_add(&metrics->header->dropped, 1);
		return NULL;
	}
	size_t at = metrics->next;
	if (at == 0 || at >= atomic_load(&metrics->header->used) ||
		!is_it(entry_at(metrics, at), (uint32_t)owner, text.bytes, text.length))
		at = find(metrics, (uint32_t)owner, text.bytes, text.length);
	if (at == 0) {
		const struct metrics_entry entry = {.kind = METRICS_ENTRY_SERIES,
			.family = (uint32_t)owner,
			.shown = family->life == METRICS_LASTING ? METRICS_SHOWN : METRICS_HIDDEN};
		at = append(metrics, &entry, text.bytes, NULL);
	}
	if (at == 0)
		return NULL;
	metrics->next = at + entry_at(metrics, at)->bytes;
	if (metrics->asked != NULL)
		metrics->asked[at / 64] |= (uint8_t)(1 << (at / 8 % 8));
	return (struct metrics_cell *)entry_at(metrics, at);
}

struct metrics_cell *
metrics_cell(struct metrics *metrics, const struct metrics_family *family,
	const struct metrics_label *labels, size_t count)
{
	return metrics != NULL ? metrics_series(metrics, family, "", labels, count) : NULL;
}

void
metrics_begin(struct metrics *metrics)
{
	if (metrics == NULL)
		return;
	/* Without memory nothing is removed: what is gone stays to be seen. */
	if (metrics->asked == NULL)
		metrics->asked = calloc(METRICS_PAGE_BYTES / 64, 1);
	else
		memset(metrics->asked, 0, atomic_load(&metrics->header->used) / 64 + 1);
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

/* --- vitals --- */

void
metrics_set_vital(struct metrics *metrics, enum metrics_vital vital, uint64_t value)
{
	if (metrics != NULL)
		atomic_store_explicit(&metrics->header->vitals[vital], value, memory_order_release);
}

void
metrics_tick(struct metrics *metrics)
{
	if (metrics == NULL)
		return;
	metrics_set_vital(metrics, METRICS_TICK_NS, clock_monotonic_ns());
	atomic_fetch_add(&metrics->header->vitals[METRICS_TICKS], 1);
}

/* metricspage - the reader's side of a metrics page. Trusts nothing in the page. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "metricspage.h"
#include "fd.h"
#include "metricslayout.h"
#include "num.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int
metrics_page_init(struct metrics_page *page, const char *name)
{
	*page = (struct metrics_page){.fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING)};
	if (page->fd < 0)
		return -1;
	/* Seal the size: otherwise one process could truncate memory that the other uses. */
	if (ftruncate(page->fd, (off_t)METRICS_PAGE_BYTES) < 0 ||
		fcntl(page->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0)
		goto fail;
	unsigned char *bytes =
		mmap(NULL, METRICS_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, page->fd, 0);
	if (bytes == MAP_FAILED)
		goto fail;
	struct metrics_header *header = (struct metrics_header *)(void *)bytes;
	header->magic = METRICS_MAGIC;
	header->header_bytes = sizeof *header;
	atomic_store(&header->used, sizeof *header);
	page->bytes = bytes;
	/* Protect the page against writes by mistake. */
	mprotect(bytes, METRICS_PAGE_BYTES, PROT_READ);
	return 0;
fail:
	fd_close(page->fd);
	page->fd = -1;
	return -1;
}

void
metrics_page_fini(struct metrics_page *page)
{
	if (page->bytes == NULL)
		return;
	munmap(page->bytes, METRICS_PAGE_BYTES);
	close(page->fd);
	*page = (struct metrics_page){.fd = -1};
}

static struct metrics_header *
header_of(const struct metrics_page *page)
{
	return (struct metrics_header *)(void *)page->bytes;
}

uint64_t
metrics_page_vital(const struct metrics_page *page, enum metrics_vital vital)
{
	return atomic_load_explicit(&header_of(page)->vitals[vital], memory_order_acquire);
}

void
metrics_page_tell(const struct metrics_page *page, enum metrics_vital vital, uint64_t value)
{
	size_t at = offsetof(struct metrics_header, vitals) + vital * sizeof value;
	/* The mapping is read-only, so write through the descriptor: one aligned word, which the
	 * writer never sees half written. */
	if (page->bytes != NULL && metrics_page_vital(page, vital) != value)
		(void)!pwrite(page->fd, &value, sizeof value, (off_t)at);
}

uint64_t
metrics_page_dropped(const struct metrics_page *page)
{
	return atomic_load(&header_of(page)->dropped);
}

/* An entry's fields, read once: the writer could change them between two reads. */
struct entry_look {
	uint32_t bytes, family;
	uint8_t kind, type, life;
	size_t text_bytes, help_bytes;
	const char *text;
};

static bool
look_at(const struct metrics_page *page, size_t at, size_t used, struct entry_look *look)
{
	if (at % 8 != 0 || at < sizeof(struct metrics_header) || at > used ||
		used - at < sizeof(struct metrics_entry))
		return false;
	const volatile struct metrics_entry *entry = (const volatile void *)(page->bytes + at);
	*look = (struct entry_look){
		.bytes = entry->bytes,
		.family = entry->family,
		.kind = entry->kind,
		.type = entry->type,
		.life = entry->life,
		.text_bytes = entry->text_bytes,
		.help_bytes = entry->help_bytes,
		.text = (const char *)page->bytes + at + sizeof(struct metrics_entry),
	};
	return look->bytes % 8 == 0 && look->bytes <= used - at &&
	       look->bytes >= metrics_entry_bytes(look->text_bytes + 1 + look->help_bytes + 1);
}

/* Return true if `text` is one line and ends with a NUL after `length` bytes. */
static bool
is_line(const char *text, size_t length)
{
	return text[length] == '\0' && memchr(text, '\n', length) == NULL &&
	       memchr(text, '\0', length) == NULL;
}

static bool
is_name(const char *name, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		char c = name[i];
		bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
		if (!is_letter && (i == 0 || c < '0' || c > '9'))
			return false;
	}
	return length > 0;
}

static bool
read_family(const struct metrics_page *page, uint32_t at, size_t used, struct metrics_sample *out)
{
	struct entry_look look;
	if (!look_at(page, at, used, &look) || look.kind != METRICS_ENTRY_FAMILY ||
		look.type >= METRICS_TYPE_N || look.life >= METRICS_LIFE_N)
		return false;
	out->family = look.text;
	out->help = look.text + look.text_bytes + 1;
	out->family_length = look.text_bytes;
	out->help_length = look.help_bytes;
	out->type = look.type;
	out->life = look.life;
	return is_line(out->family, look.text_bytes) && is_name(out->family, look.text_bytes) &&
	       is_line(out->help, look.help_bytes);
}

static bool
read_series(const struct metrics_page *page, size_t at, size_t used, const struct entry_look *look,
	uint64_t shown, struct metrics_sample *out)
{
	out->tail = look->text;
	out->tail_length = look->text_bytes;
	struct metrics_entry *entry = (struct metrics_entry *)(void *)(page->bytes + at);
	uint64_t value = atomic_load_explicit(&entry->value, memory_order_relaxed);
	out->is_real = shown == METRICS_SHOWN_REAL;
	out->real = 0;
	out->value = 0;
	if (out->is_real)
		memcpy(&out->real, &value, sizeof out->real);
	else
		out->value = value;
	/* Most series have the family of the previous one. A position within the header is
	 * invalid. */
	if (look->family < sizeof(struct metrics_header) ||
		(look->family != out->family_at && !read_family(page, look->family, used, out)))
		return false;
	out->family_at = look->family;
	return is_line(out->tail, out->tail_length);
}

bool
metrics_page_next(const struct metrics_page *page, size_t *at, struct metrics_sample *out)
{
	size_t used = atomic_load_explicit(&header_of(page)->used, memory_order_acquire);
	if (*at == 0) {
		*at = sizeof(struct metrics_header);
		out->family_at = 0;
	}
	if (used > METRICS_PAGE_BYTES)
		return false;
	while (*at < used) {
		struct entry_look look;
		if (!look_at(page, *at, used, &look))
			return false;
		size_t here = *at;
		*at += look.bytes;
		if (look.kind != METRICS_ENTRY_SERIES)
			continue;
		struct metrics_entry *entry = (struct metrics_entry *)(void *)(page->bytes + here);
		uint64_t shown = atomic_load_explicit(&entry->shown, memory_order_acquire);
		if (shown != METRICS_SHOWN && shown != METRICS_SHOWN_REAL)
			continue;
		return read_series(page, here, used, &look, shown, out);
	}
	return false;
}

/* Print as many digits as needed to parse as the same number. */
static int
format_real(char out[METRICS_VALUE_SIZE], double real)
{
	int length = 0;
	for (int digits = 15; digits <= 17; digits++) {
		length = snprintf(out, METRICS_VALUE_SIZE, "%.*g", digits, real);
		if (strtod(out, NULL) == real)
			break;
	}
	return length;
}

size_t
metrics_format_value(const struct metrics_sample *sample, char out[METRICS_VALUE_SIZE])
{
	int length;
	if (!sample->is_real)
		return num_format_u64(sample->value, out);
	if (isfinite(sample->real))
		length = format_real(out, sample->real);
	else
		length = snprintf(out, METRICS_VALUE_SIZE, "%s",
			isnan(sample->real) ? "NaN"
			: sample->real > 0  ? "+Inf"
					    : "-Inf");
	return (size_t)length;
}

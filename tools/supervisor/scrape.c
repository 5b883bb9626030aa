/* scrape - formats the metrics of all stages and of the service as one text for Prometheus. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "scrape.h"

#include "array.h"
#include "hash.h"
#include "map.h"
#include "promtext.h"
#include "strbuf.h"
#include "text.h"
#include "utf8.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Families with these prefixes get the label `node`: ours, and the original's log metrics. */
static const char *const prefixes[] = {"nic_health_monitor_", "syslog_health_monitor_"};

#define FAMILIES_MAX 4096

#define NONE UINT32_MAX

/* Room for the label with the node's name, escaped. */
#define NODE_SIZE 1024

/* One line of the text, stored in `lines`. */
struct series {
	size_t at;
	uint32_t length;
	uint32_t next; /* next series of the same family; NONE: it is the last */
};

struct family {
	size_t name, help; /* offsets in `names`, each with a NUL */
	size_t name_length, help_length;
	enum metrics_type type;
	bool is_ours;
	uint32_t first, last; /* indexes of its series; NONE: it has none */
};

/* Kept between calls only to reuse the memory. */
struct scrape {
	struct strbuf names, lines, text;
	struct family *families;
	size_t family_count, family_capacity;
	struct series *series;
	size_t series_count, series_capacity;
	struct map by_name; /* of the families */
	uint16_t order[FAMILIES_MAX];
	char node[NODE_SIZE]; /* `node="gpu-1"`, or empty */
	size_t node_length;
};

struct scrape *
scrape_new(void)
{
	return calloc(1, sizeof(struct scrape));
}

void
scrape_free(struct scrape *scrape)
{
	if (scrape == NULL)
		return;
	strbuf_fini(&scrape->names);
	strbuf_fini(&scrape->lines);
	strbuf_fini(&scrape->text);
	map_fini(&scrape->by_name);
	free(scrape->families);
	free(scrape->series);
	free(scrape);
}

/* Return room for `more` bytes; strbuf_wrote() then says how many were written. NULL with errno. */
static char *
reserve(struct strbuf *text, size_t more)
{
	if (text->length + more <= SCRAPE_MAX_BYTES)
		return strbuf_reserve(text, more);
	errno = EFBIG;
	return NULL;
}

static char *
put(char *out, const char *bytes, size_t length)
{
	memcpy(out, bytes, length);
	return out + length;
}

/* --- validation --- */

static const bool is_name_byte[256] = {
	['a' ... 'z'] = true, ['A' ... 'Z'] = true, ['0' ... '9'] = true, ['_'] = true};

static const char *
skip_name(const char *at, const char *end)
{
	while (at < end && is_name_byte[(unsigned char)*at])
		at++;
	return at;
}

/* Return the end of a quoted value; `at` is after its first quote. NULL if it is invalid. */
static const char *
skip_value(const char *at, const char *end)
{
	while (at < end && *at != '"') {
		size_t length = 1;
		if ((unsigned char)*at >= 0x80) {
			length = utf8_char(at, (size_t)(end - at));
		} else if (*at == '\\') {
			if (end - at < 2 || strchr("\\\"n", at[1]) == NULL)
				return NULL;
			length = 2;
		} else if (*at == '\n' || *at == '\0') {
			return NULL;
		}
		if (length == 0)
			return NULL;
		at += length;
	}
	return at < end ? at + 1 : NULL;
}

/* Return true if a family's name and what follows it are valid: name bytes, and perhaps labels.
 * Check a copy, because a stage may change its page meanwhile. */
static bool
is_sound(const char *at, const char *end)
{
	at = skip_name(at, end);
	if (at == end)
		return true;
	for (char before = '{'; at < end && *at == before; before = ',') {
		const char *key = at + 1;
		at = skip_name(key, end);
		if (at == key || (*key >= '0' && *key <= '9') || end - at < 2 || at[0] != '=' ||
			at[1] != '"')
			return false;
		at = skip_value(at + 2, end);
		if (at == NULL)
			return false;
		if (at + 1 == end && *at == '}')
			return true;
	}
	return false;
}

/* --- families --- */

static struct family *
add_family(struct scrape *scrape, const struct metrics_sample *sample)
{
	struct family *families = array_grown(
		scrape->families, scrape->family_count, &scrape->family_capacity, sizeof *families);
	if (families == NULL)
		return NULL;
	scrape->families = families;
	char *names = reserve(&scrape->names, sample->family_length + sample->help_length + 2);
	if (names == NULL)
		return NULL;
	struct family *family = &families[scrape->family_count++];
	*family = (struct family){
		.name = scrape->names.length,
		.help = scrape->names.length + sample->family_length + 1,
		.name_length = sample->family_length,
		.help_length = sample->help_length,
		.type = sample->type,
		.first = NONE,
		.last = NONE,
	};
	char *help = put(names, sample->family, sample->family_length) + 1;
	help[-1] = '\0';
	*put(help, sample->help, sample->help_length) = '\0';
	for (char *at = help; at < help + sample->help_length; at++) {
		if (*at == '\n' || *at == '\0')
			*at = ' ';
	}
	/* Prometheus would reject the whole text for a help that is not UTF-8. */
	if (!utf8_is_valid(help))
		family->help_length = 0;
	for (size_t i = 0; i < ARRAY_COUNT(prefixes); i++)
		family->is_ours |= text_has_prefix(names, prefixes[i]);
	strbuf_wrote(&scrape->names, sample->family_length + sample->help_length + 2);
	return family;
}

/* Return the family of the sample, adding it if it is new. NULL with errno. */
static struct family *
find_family(struct scrape *scrape, const struct metrics_sample *sample)
{
	size_t length = sample->family_length;
	uint64_t hash = hash_words(HASH_START, sample->family, length);
	for (size_t step = 0, i; (i = map_next(&scrape->by_name, hash, &step)) != MAP_END;) {
		struct family *family = &scrape->families[i];
		if (family->name_length == length &&
			memcmp(scrape->names.bytes + family->name, sample->family, length) == 0)
			return family;
	}
	if (scrape->family_count == FAMILIES_MAX) {
		errno = EFBIG;
		return NULL;
	}
	if (map_add(&scrape->by_name, hash, scrape->family_count) < 0)
		return NULL;
	return add_family(scrape, sample);
}

/* --- series --- */

/* Insert the label `node` before the other labels of `line`, which is `length` bytes long and has
 * room for it. Return the new length. */
static size_t
label_node(const struct scrape *scrape, char *line, size_t length)
{
	char *labels = memchr(line, '{', length);
	if (labels == NULL) {
		char *at = line + length;
		*at++ = '{';
		at = put(at, scrape->node, scrape->node_length);
		*at = '}';
	} else {
		size_t others = (size_t)(line + length - (labels + 1));
		memmove(labels + 1 + scrape->node_length + 1, labels + 1, others);
		*put(labels + 1, scrape->node, scrape->node_length) = ',';
	}
	return length + scrape->node_length + (labels == NULL ? 2 : 1);
}

/* Write the line of a sample after the others. Return its length, 0 if the sample is invalid, or -1
 * with errno. */
static ssize_t
write_line(struct scrape *scrape, const struct family *family, const struct metrics_sample *sample)
{
	char *line = reserve(&scrape->lines, family->name_length + sample->tail_length +
						     scrape->node_length + METRICS_VALUE_SIZE +
						     sizeof "{} \n");
	if (line == NULL)
		return -1;
	char *at = put(line, scrape->names.bytes + family->name, family->name_length);
	at = put(at, sample->tail, sample->tail_length);
	if (!is_sound(line, at))
		return 0;
	if (family->is_ours && scrape->node_length > 0)
		at = line + label_node(scrape, line, (size_t)(at - line));
	*at++ = ' ';
	at += metrics_format_value(sample, at);
	*at++ = '\n';
	return at - line;
}

static int
add_sample(struct scrape *scrape, struct family *family, const struct metrics_sample *sample)
{
	struct series *series = array_grown(
		scrape->series, scrape->series_count, &scrape->series_capacity, sizeof *series);
	if (series == NULL)
		return -1;
	scrape->series = series;
	ssize_t length = write_line(scrape, family, sample);
	if (length <= 0)
		return (int)length;
	uint32_t index = (uint32_t)scrape->series_count++;
	series[index] = (struct series){
		.at = scrape->lines.length, .length = (uint32_t)length, .next = NONE};
	strbuf_wrote(&scrape->lines, (size_t)length);
	if (family->first == NONE)
		family->first = index;
	else
		series[family->last].next = index;
	family->last = index;
	return 0;
}

static int
add_page(struct scrape *scrape, const struct metrics_page *page, bool is_up)
{
	struct metrics_sample sample;
	struct family *family = NULL;
	uint32_t family_at = 0;

	for (size_t at = 0; metrics_page_next(page, &at, &sample);) {
		if (!is_up && sample.life != METRICS_LASTING)
			continue;
		if (sample.family_at != family_at)
			family = find_family(scrape, &sample);
		family_at = sample.family_at;
		if (family == NULL || add_sample(scrape, family, &sample) < 0)
			return -1;
	}
	return 0;
}

/* --- the text --- */

static void
set_node(struct scrape *scrape, const char *node)
{
	char safe[NODE_SIZE / 2 - sizeof "node=\"\","];
	scrape->node_length = 0;
	utf8_sanitize(node, strlen(node), safe, sizeof safe);
	if (*safe == '\0')
		return;
	struct strbuf label;
	strbuf_init(&label, scrape->node, sizeof scrape->node);
	promtext_add_label(&label, "node", safe);
	/* label_node() adds the comma where there are other labels. */
	scrape->node_length = label.length - 1;
}

static int
compare_names(const void *a, const void *b, void *context)
{
	const struct scrape *scrape = context;
	const struct family *one = &scrape->families[*(const uint16_t *)a],
			    *other = &scrape->families[*(const uint16_t *)b];
	return strcmp(scrape->names.bytes + one->name, scrape->names.bytes + other->name);
}

static int
write_family(struct scrape *scrape, const struct family *family)
{
	const char *name = scrape->names.bytes + family->name;
	if (reserve(&scrape->text, 2 * family->name_length + family->help_length +
					   sizeof "# HELP  \n# TYPE  histogram\n") == NULL)
		return -1;
	strbuf_addf(&scrape->text, "# HELP %s ", name);
	strbuf_add(&scrape->text, scrape->names.bytes + family->help, family->help_length);
	strbuf_addf(&scrape->text, "\n# TYPE %s %s\n", name, promtext_types[family->type]);
	for (uint32_t i = family->first; i != NONE; i = scrape->series[i].next) {
		const struct series *series = &scrape->series[i];
		if (reserve(&scrape->text, series->length) == NULL)
			return -1;
		strbuf_add(&scrape->text, scrape->lines.bytes + series->at, series->length);
	}
	return 0;
}

const char *
scrape_text(struct scrape *scrape, const struct service_view *view, const struct metrics_page *own,
	size_t *length)
{
	strbuf_clear(&scrape->names);
	strbuf_clear(&scrape->lines);
	strbuf_clear(&scrape->text);
	map_clear(&scrape->by_name);
	scrape->family_count = scrape->series_count = 0;
	set_node(scrape, view->node);
	if (reserve(&scrape->text, 1) == NULL || add_page(scrape, own, true) < 0)
		return NULL;
	for (enum stage_id id = 0; id < STAGE_N; id++) {
		const struct stage_view *stage = &view->stages[id];
		if (stage->page != NULL &&
			add_page(scrape, stage->page, stage->condition == STAGE_UP) < 0)
			return NULL;
	}
	for (size_t i = 0; i < scrape->family_count; i++)
		scrape->order[i] = (uint16_t)i;
	qsort_r(scrape->order, scrape->family_count, sizeof *scrape->order, compare_names, scrape);
	for (size_t i = 0; i < scrape->family_count; i++) {
		const struct family *family = &scrape->families[scrape->order[i]];
		if (family->first != NONE && write_family(scrape, family) < 0)
			return NULL;
	}
	*length = scrape->text.length;
	return scrape->text.bytes;
}

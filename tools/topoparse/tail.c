/* tail - parses the columns after the matrix: CPU Affinity, NUMA Affinity, GPU NUMA ID. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tail.h"

#include <stdint.h>
#include <string.h>

/* Most fields between tabs, including blank ones: nvidia-smi prints two tabs after some columns,
 * and each row has at most six. */
#define FIELDS_MAX 16

#define NUMBER_DIGITS_MAX 7

static const char *const names[TAIL_TITLES_N] = {"CPUAffinity", "NUMAAffinity", "GPUNUMAID"};

enum tail_match
tail_match_titles(struct text_span compact, struct tail_titles *titles)
{
	struct text_span rest = compact;

	titles->count = 0;
	for (size_t title = 0; title < TAIL_TITLES_N && rest.length > 0; title++) {
		/* GPU NUMA ID is never the only title. */
		if (title == TAIL_GPU_NUMA && titles->count == 0)
			return TAIL_WRONG;
		size_t length = strlen(names[title]);
		if (text_begins(rest, names[title])) {
			titles->titles[titles->count++] = (enum tail_title)title;
			rest = text_behind(rest, length);
		} else if (rest.length < length &&
			   memcmp(rest.at, names[title], rest.length) == 0) {
			return TAIL_BEGINNING;
		}
	}
	return rest.length == 0 ? TAIL_COMPLETE : TAIL_WRONG;
}

/* value = "N/A" | range *( "," range ); range = number [ "-" number ] */
struct value {
	bool is_known, is_single;
	int64_t first;
};

static bool
parse_number(struct text_span *rest, int64_t *out)
{
	size_t digits = text_digits(*rest);
	if (digits == 0 || digits > NUMBER_DIGITS_MAX)
		return false;
	*out = text_number(*rest, digits);
	*rest = text_behind(*rest, digits);
	return true;
}

static bool
parse_value(struct text_span text, struct value *out)
{
	int64_t low, high;

	*out = (struct value){0};
	if (text_is(text, "N/A"))
		return true;
	for (size_t ranges = 0;; ranges++) {
		if (!parse_number(&text, &low))
			return false;
		if (ranges == 0)
			*out = (struct value){.is_known = true, .is_single = true, .first = low};
		if (text_begins(text, "-")) {
			text = text_behind(text, 1);
			if (!parse_number(&text, &high) || high < low)
				return false;
			out->is_single = false;
		}
		if (text.length == 0)
			return true;
		if (*text.at != ',')
			return false;
		text = text_behind(text, 1);
		out->is_single = false;
	}
}

static bool
fits(enum tail_title title, const struct value *value)
{
	if (!value->is_known || title == TAIL_CPU)
		return true;
	return value->first <= TOPO_NUMA_MAX && (title == TAIL_NUMA || value->is_single);
}

static int
node_of(const struct value *value)
{
	return value->is_known ? (int)value->first : -1;
}

bool
tail_has_numa(const struct tail_titles *titles)
{
	for (size_t i = 0; i < titles->count; i++) {
		if (titles->titles[i] == TAIL_NUMA)
			return true;
	}
	return false;
}

/* Parse values between blanks. Their columns are only certain if each column has a value. */
static enum tail_status
parse_words(const struct tail_titles *titles, struct text_span text, int *numa_node)
{
	struct value values[TAIL_TITLES_N];
	struct text_span word;
	size_t count = 0;
	bool is_any_known = false;

	while (text_next_word(&text, &word)) {
		if (count == titles->count || !parse_value(word, &values[count]))
			return TAIL_UNKNOWN;
		is_any_known |= values[count++].is_known;
	}
	for (size_t i = 0; i < titles->count; i++) {
		if (count < titles->count)
			continue;
		if (!fits(titles->titles[i], &values[i]))
			return TAIL_UNKNOWN;
		if (titles->titles[i] == TAIL_NUMA)
			*numa_node = node_of(&values[i]);
	}
	/* If no value is known, the node is -1, whichever columns the N/A belong to. */
	return count < titles->count && is_any_known && tail_has_numa(titles) ? TAIL_AMBIGUOUS
									      : TAIL_OK;
}

struct field {
	bool is_blank;
	struct value value;
};

static bool
split_fields(struct text_span text, struct field fields[FIELDS_MAX], size_t *count)
{
	*count = 0;
	for (;;) {
		const char *tab = memchr(text.at, '\t', text.length);
		struct text_span field = text;
		if (tab != NULL)
			field.length = (size_t)(tab - text.at);
		if (*count == FIELDS_MAX)
			return false;
		struct text_span content = text_trim(field);
		fields[*count].is_blank = content.length == 0;
		if (content.length > 0 && !parse_value(content, &fields[*count].value))
			return false;
		++*count;
		if (tab == NULL)
			return true;
		text = text_behind(text, field.length + 1);
	}
}

/* Parse values between tabs. CPU and NUMA Affinity have fixed places. nvidia-smi prints two tabs
 * before GPU NUMA ID, and in some versions before an N/A, so values after the fixed places are
 * loose. */
static enum tail_status
parse_fields(const struct tail_titles *titles, struct text_span text, int *numa_node)
{
	struct field fields[FIELDS_MAX];
	size_t count, placed = titles->count, values = 0;
	bool has_blank = false, is_loose_known = false, is_loose_early = false;

	if (!split_fields(text, fields, &count))
		return TAIL_UNKNOWN;
	bool has_gpu_numa = placed > 0 && titles->titles[placed - 1] == TAIL_GPU_NUMA;
	if (has_gpu_numa)
		placed--;
	for (size_t i = 0; i < count; i++) {
		const struct field *field = &fields[i];
		enum tail_title title = i < placed ? titles->titles[i] : TAIL_GPU_NUMA;
		has_blank |= i < placed && field->is_blank;
		if (field->is_blank)
			continue;
		values++;
		if (!fits(title, &field->value))
			return TAIL_UNKNOWN;
		if (title == TAIL_NUMA)
			*numa_node = node_of(&field->value);
		is_loose_known |= i >= placed && field->value.is_known;
		is_loose_early |= i == placed;
	}
	if (values > titles->count || (is_loose_known && !has_gpu_numa))
		return TAIL_UNKNOWN;
	/* A loose number may be the missing value. If a value and a tab are missing, two values may
	 * have been glued together. */
	if (has_blank && (is_loose_known || (has_gpu_numa && is_loose_early && values > 1 &&
						    values < titles->count)))
		return TAIL_AMBIGUOUS;
	return TAIL_OK;
}

static enum tail_status
parse(const struct tail_titles *titles, struct text_span text, int *numa_node)
{
	*numa_node = -1;
	while (text.length > 0 && *text.at == ' ')
		text = text_behind(text, 1);
	/* This tab ends the last cell. */
	if (text.length > 0 && *text.at == '\t')
		text = text_behind(text, 1);
	if (memchr(text.at, '\t', text.length) == NULL)
		return parse_words(titles, text, numa_node);
	return parse_fields(titles, text, numa_node);
}

/* Return whether more text could change the NUMA node: a number at the end of the text may go on
 * (but 0 has no more digits), and a missing one may have been cut off, unless an N/A stands for
 * it. */
static bool
may_be_cut(const struct tail_titles *titles, struct text_span text, int numa_node)
{
	struct value value;
	size_t start = text.length;
	int node;

	while (start > 0 && text.at[start - 1] != ' ' && text.at[start - 1] != '\t')
		start--;
	struct text_span last = text_behind(text, start);
	if (numa_node < 0)
		return tail_has_numa(titles) && !text_is(last, "N/A");
	if (numa_node == 0 || !parse_value(last, &value) || !value.is_single ||
		value.first != numa_node)
		return false;
	text.length = start;
	return parse(titles, text, &node) != TAIL_OK || node != numa_node;
}

enum tail_status
tail_parse(const struct tail_titles *titles, struct text_span text, bool is_ended, int *numa_node)
{
	enum tail_status status = parse(titles, text, numa_node);
	return status == TAIL_OK && !is_ended && may_be_cut(titles, text, *numa_node) ? TAIL_CUT
										      : status;
}

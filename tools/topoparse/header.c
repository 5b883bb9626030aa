/* header - parses the line with the columns' labels, which may be wrapped over several lines and
 * glued together. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "header.h"

#include <stdint.h>
#include <string.h>

/* Return the length of `prefix` and a number without leading zeros at the start of the span, or 0
 * if they are not there. */
static size_t
numbered(struct text_span span, const char *prefix)
{
	if (!text_begins(span, prefix))
		return 0;
	struct text_span number = text_behind(span, strlen(prefix));
	size_t digits = text_digits(number);
	if (digits == 0 || digits > 5 || (digits > 1 && *number.at == '0'))
		return 0;
	return strlen(prefix) + digits;
}

/* Return the length of GPU<n> or NIC<n> at the start of the span, or 0. Their end is certain, even
 * if another label is glued to them. */
static size_t
plain_label(struct text_span span)
{
	size_t length = numbered(span, "GPU");
	return length > 0 ? length : numbered(span, "NIC");
}

bool
header_is_gpu(struct text_span label, unsigned *id)
{
	if (label.length == 0 || numbered(label, "GPU") != label.length)
		return false;
	if (id != NULL)
		*id = text_number(text_behind(label, strlen("GPU")), label.length - strlen("GPU"));
	return true;
}

bool
header_is_label(struct text_span word)
{
	return word.length > 0 &&
	       (plain_label(word) == word.length || numbered(word, "mlx5_") == word.length);
}

void
header_add_name(struct header_names *names, struct text_span name)
{
	/* Plain labels need no evidence. A name added twice would make its word look ambiguous. */
	if (!text_is_name(name) || plain_label(name) == name.length)
		return;
	for (size_t i = 0; i < names->count; i++) {
		if (text_is_same(names->names[i], name))
			return;
	}
	/* A text with more names is not a matrix: some rows will have no column. */
	if (names->count < TOPO_MAX_COLUMNS)
		names->names[names->count++] = name;
}

/* The number of ways to split the first bytes of a word into labels; 2 means two or more. */
struct split {
	unsigned char ways[HEADER_WORD_MAX + 1];
	unsigned short last[HEADER_WORD_MAX + 1]; /* length of the last label in such a split */
};

static void
extend(struct split *split, size_t from, size_t length)
{
	size_t ways = (size_t)split->ways[from + length] + split->ways[from];
	split->ways[from + length] = ways > 1 ? 2 : 1;
	split->last[from + length] = (unsigned short)length;
}

/* Return in how many ways the word can be split into labels: 0, 1, or 2 for more. */
static unsigned
split_word(const struct header_names *names, struct text_span word, struct split *split)
{
	bool is_evident = false;

	if (word.length == 0 || word.length > HEADER_WORD_MAX)
		return 0;
	memset(split->ways, 0, word.length + 1);
	split->ways[0] = 1;
	for (size_t at = 0; at < word.length; at++) {
		struct text_span rest = text_behind(word, at);
		if (split->ways[at] == 0)
			continue;
		size_t plain = plain_label(rest);
		if (plain > 0)
			extend(split, at, plain);
		for (size_t i = 0; i < names->count; i++) {
			const struct text_span *name = &names->names[i];
			if (name->length > rest.length ||
				memcmp(name->at, rest.at, name->length) != 0)
				continue;
			extend(split, at, name->length);
			is_evident |= name->length == word.length;
		}
	}
	if (!is_evident && numbered(word, "mlx5_") == word.length)
		extend(split, 0, word.length);
	return split->ways[word.length];
}

static enum topo_status
add_label(struct header *header, struct text_span label, size_t line, struct topo_error *error)
{
	if (header_find(header, label) != SIZE_MAX)
		return topo_refuse(error, line, "two columns are called '%.*s'", TEXT_SHOWN(label));
	if (header->count == TOPO_MAX_COLUMNS)
		return topo_refuse(error, line, "more than %d columns", TOPO_MAX_COLUMNS);
	header->labels[header->count++] = label;
	return TOPO_OK;
}

/* Add the labels in a word. */
static enum topo_status
add_labels(struct header *header, const struct header_names *names, struct text_span word,
	size_t line, struct topo_error *error)
{
	struct split split;
	struct text_span labels[TOPO_MAX_COLUMNS + 1];
	size_t count = 0;

	unsigned ways = split_word(names, word, &split);
	if (ways == 0)
		return topo_refuse(error, line,
			"'%.*s' in the header is not a GPU<n>, NIC<n> or device that has a row",
			TEXT_SHOWN(word));
	if (ways > 1)
		return topo_refuse(error, line,
			"'%.*s' in the header can be read as labels in more than one way",
			TEXT_SHOWN(word));
	for (size_t end = word.length; end > 0; end -= split.last[end]) {
		if (count > TOPO_MAX_COLUMNS)
			return topo_refuse(error, line, "more than %d columns", TOPO_MAX_COLUMNS);
		labels[count++] =
			(struct text_span){word.at + end - split.last[end], split.last[end]};
	}
	enum topo_status status = TOPO_OK;
	while (count > 0 && status == TOPO_OK)
		status = add_label(header, labels[--count], line, error);
	return status;
}

/* Return the offset of the titles in a word, after its labels; the word's length if it has none. */
static size_t
titles_begin(struct text_span word)
{
	struct tail_titles titles;

	for (size_t at = 0; at < word.length; at++) {
		struct text_span rest = text_behind(word, at);
		if ((text_begins(rest, "CPU") || text_begins(rest, "NUMA")) &&
			tail_match_titles(rest, &titles) != TAIL_WRONG)
			return at;
	}
	return word.length;
}

static enum topo_status
add_title(struct header_tail *tail, struct text_span word, size_t line, struct topo_error *error)
{
	size_t used = strlen(tail->text);

	if (word.length == 0)
		return TOPO_OK;
	if (used + word.length < sizeof tail->text) {
		text_copy(tail->text + used, sizeof tail->text - used, word);
		const struct text_span compact = {tail->text, used + word.length};
		tail->match = tail_match_titles(compact, &tail->titles);
		if (tail->match != TAIL_WRONG)
			return TOPO_OK;
	}
	return topo_refuse(error, line,
		"'%.*s' in the header does not continue CPU Affinity, NUMA Affinity, GPU NUMA ID",
		TEXT_SHOWN(word));
}

/* True for labels, titles, and labels with titles glued to them. */
static bool
is_header_word(const struct header_names *names, struct text_span word)
{
	struct split split;
	const struct text_span labels = {word.at, titles_begin(word)};
	return labels.length == 0 || split_word(names, labels, &split) > 0;
}

bool
header_begins(const struct header_names *names, struct text_span line)
{
	struct text_span first, second, rest = line;

	if (!text_next_word(&rest, &first) || numbered(first, "GPU") == 0)
		return false;
	if (text_has(line, "Affinity"))
		return true;
	return is_header_word(names, first) &&
	       (!text_next_word(&rest, &second) || is_header_word(names, second));
}

enum topo_status
header_add(struct header *header, const struct header_names *names, const struct text_line *line,
	struct topo_error *error)
{
	const struct header_tail before = header->tail;
	struct text_span word, rest = line->text;
	enum topo_status status = TOPO_OK;

	if (header->line == 0)
		header->line = line->number;
	while (status == TOPO_OK && text_next_word(&rest, &word)) {
		size_t labels = *header->tail.text != '\0' ? 0 : titles_begin(word);
		const struct text_span glued = {word.at, labels};
		if (labels > 0)
			status = add_labels(header, names, glued, line->number, error);
		if (status == TOPO_OK)
			status = add_title(
				&header->tail, text_behind(word, labels), line->number, error);
	}
	if (status != TOPO_OK)
		header->tail = before;
	return status;
}

size_t
header_find(const struct header *header, struct text_span label)
{
	for (size_t i = 0; i < header->count; i++) {
		if (text_is_same(header->labels[i], label))
			return i;
	}
	return SIZE_MAX;
}

bool
header_is_same(const struct header *a, const struct header *b)
{
	if (a->count != b->count || strcmp(a->tail.text, b->tail.text) != 0)
		return false;
	for (size_t i = 0; i < a->count; i++) {
		if (!text_is_same(a->labels[i], b->labels[i]))
			return false;
	}
	return true;
}

/* row - parses a row of the matrix: a label, a level word per column, and a GPU's affinity. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "row.h"

#include "array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- levels --- */

static const char *const words[] = {
	[LEVEL_X] = "X",
	[LEVEL_PIX] = "PIX",
	[LEVEL_PXB] = "PXB",
	[LEVEL_PHB] = "PHB",
	[LEVEL_NODE] = "NODE",
	[LEVEL_SYS] = "SYS",
};

#define WORD_COUNT ARRAY_COUNT(words)

size_t
row_level_parse(struct text_span span, uint8_t *level)
{
	for (size_t i = LEVEL_X; i < WORD_COUNT; i++) {
		if (text_begins(span, words[i])) {
			*level = (uint8_t)i;
			return strlen(words[i]);
		}
	}
	if (!text_begins(span, "NV"))
		return 0;
	struct text_span number = text_behind(span, 2);
	size_t digits = text_digits(number);
	if (digits == 0 || digits > 2 || *number.at == '0')
		return 0;
	*level = (uint8_t)(LEVEL_NV + text_number(number, digits));
	return 2 + digits;
}

bool
row_level_is_cells(struct text_span span)
{
	uint8_t level;
	size_t taken = row_level_parse(span, &level);

	if (taken == 0)
		return false;
	for (; taken > 0; taken = row_level_parse(span, &level))
		span = text_behind(span, taken);
	return span.length == 0 || text_digits(span) > 0 || text_begins(span, "N/A");
}

const char *
row_level_text(uint8_t level, char buffer[8])
{
	if (level > LEVEL_NONE && level < WORD_COUNT)
		return words[level];
	snprintf(buffer, 8, "NV%u", (unsigned)level - LEVEL_NV);
	return buffer;
}

/* --- rows --- */

size_t
row_find(const struct header *header, struct text_span line, struct text_span *cells)
{
	struct text_span word, rest = line;
	size_t found = SIZE_MAX;

	if (!text_next_word(&rest, &word))
		return SIZE_MAX;
	*cells = rest;
	size_t exact = header_find(header, word);
	if (exact != SIZE_MAX)
		return exact;
	for (size_t i = 0; i < header->count; i++) {
		struct text_span label = header->labels[i];
		if (label.length >= word.length || memcmp(word.at, label.at, label.length) != 0 ||
			!row_level_is_cells(text_behind(word, label.length)))
			continue;
		/* Two matching labels make the word ambiguous. */
		if (found != SIZE_MAX)
			return SIZE_MAX;
		found = i;
		const char *behind = word.at + label.length;
		*cells = (struct text_span){behind, (size_t)(line.at + line.length - behind)};
	}
	return found;
}

/* Parse one cell per column and advance `rest` past them. */
static enum topo_status
parse_cells(const struct header *header, struct text_span label, size_t line,
	struct text_span *rest, uint8_t *cells, struct topo_error *error)
{
	struct text_span word = {rest->at, 0};

	for (size_t n = 0; n < header->count; n++) {
		if (word.length == 0 && !text_next_word(rest, &word))
			return topo_refuse(error, line, "%zu cells in the row of %.*s, %zu columns",
				n, TEXT_SHOWN(label), header->count);
		size_t taken = row_level_parse(word, &cells[n]);
		if (taken == 0)
			return topo_refuse(error, line,
				"'%.*s' in the row of %.*s, where %zu more of X PIX PXB PHB NODE "
				"SYS NV<n> should be: no matrix of nvidia-smi topo -m, or a "
				"damaged "
				"one",
				TEXT_SHOWN(word), TEXT_SHOWN(label), header->count - n);
		word = text_behind(word, taken);
	}
	/* The rest of the last word is glued to the last cell and belongs to the affinity. */
	*rest = (struct text_span){word.at, (size_t)(rest->at + rest->length - word.at)};
	return TOPO_OK;
}

/* Check a row by itself: the X must be on the diagonal and nowhere else, and NVLinks connect GPUs
 * only. This rejects a row with shifted cells. */
static enum topo_status
check_cells(const struct header *header, size_t index, size_t line, const uint8_t *cells,
	struct topo_error *error)
{
	struct text_span label = header->labels[index];

	for (size_t n = 0; n < header->count; n++) {
		struct text_span other = header->labels[n];
		if ((cells[n] == LEVEL_X) != (n == index))
			return topo_refuse(error, line,
				cells[n] == LEVEL_X
					? "the X in the row of %.*s is in the column of %.*s"
					: "no X in the row of %.*s in the column of %.*s",
				TEXT_SHOWN(label), TEXT_SHOWN(other));
		if (cells[n] > LEVEL_NV &&
			(!header_is_gpu(label, NULL) || !header_is_gpu(other, NULL)))
			return topo_refuse(error, line,
				"NVLinks between %.*s and %.*s, which are not both GPUs",
				TEXT_SHOWN(label), TEXT_SHOWN(other));
	}
	return TOPO_OK;
}

static bool
is_bare(const struct header *header, struct text_span text)
{
	size_t tabs = 0;

	for (size_t i = 0; i < text.length; i++)
		tabs += text.at[i] == '\t';
	return text_trim(text).length == 0 && tabs < header->tail.titles.count;
}

static enum topo_status
parse_affinity(const struct header *header, size_t index, const struct text_line *line,
	struct text_span text, int *numa_node, struct topo_error *error)
{
	struct text_span label = header->labels[index];
	struct text_span word, rest = text;
	uint8_t level;

	if (text_next_word(&rest, &word) && row_level_parse(word, &level) > 0)
		return topo_refuse(error, line->number, "more than %zu cells in the row of %.*s",
			header->count, TEXT_SHOWN(label));
	enum tail_status status = tail_parse(&header->tail.titles, text, line->is_ended, numa_node);
	bool is_gpu = header_is_gpu(label, NULL);
	if (status == TAIL_UNKNOWN)
		return topo_refuse(error, line->number,
			"'%.*s' after the cells of %.*s is not an affinity for %zu more columns",
			TEXT_SHOWN(text_trim(text)), TEXT_SHOWN(label), header->tail.titles.count);
	if (status == TAIL_AMBIGUOUS && is_gpu)
		return topo_refuse(error, line->number,
			"'%.*s' after the cells of %.*s: the NUMA affinity in it is ambiguous",
			TEXT_SHOWN(text_trim(text)), TEXT_SHOWN(label));
	if (status == TAIL_CUT && is_gpu)
		return topo_refuse(error, line->number,
			"the text ends in the NUMA affinity of %.*s, which may have been cut off",
			TEXT_SHOWN(label));
	return TOPO_OK;
}

enum topo_status
row_parse(const struct header *header, size_t index, const struct text_line *line,
	struct text_span text, struct matrix_row *row, struct topo_error *error)
{
	*row = (struct matrix_row){.line = line->number, .cells = calloc(header->count, 1)};
	if (row->cells == NULL)
		return TOPO_NO_MEMORY;
	enum topo_status status =
		parse_cells(header, header->labels[index], line->number, &text, row->cells, error);
	row->is_bare = is_bare(header, text);
	if (status == TOPO_OK)
		status = parse_affinity(header, index, line, text, &row->numa_node, error);
	if (status == TOPO_OK)
		status = check_cells(header, index, line->number, row->cells, error);
	if (status != TOPO_OK) {
		free(row->cells);
		*row = (struct matrix_row){0};
	}
	return status;
}

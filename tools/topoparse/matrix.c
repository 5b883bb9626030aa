/* matrix - finds the header, the rows and the legend among the lines of the text.
 *
 *   noise*  header line+  { row | noise }*  [ "Legend:" noise* ]  [ "NIC Legend:" { NIC<n>: name |
 *                                                                 noise }* ]
 *
 * The header and rows may be repeated if they are identical. Noise is a line that cannot be a part
 * of a matrix. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix.h"

#include "array.h"
#include "row.h"

#include <stdlib.h>
#include <string.h>

enum place { BEFORE_HEADER, IN_HEADER, IN_ROWS, IN_LEGEND };

struct reader {
	struct matrix *matrix;
	struct header_names names;
	enum place place;
	struct header again; /* a repeated header, after rows */
};

/* Errors that nvidia-smi prints instead of a matrix, or after a part of one. */
static const char *const failures[] = {
	"Failed to run topology matrix",
	"Failed to initialize NVML",
	"NVIDIA-SMI has failed",
	"No devices were found",
};

static bool
is_failure(struct text_span line)
{
	for (size_t i = 0; i < ARRAY_COUNT(failures); i++) {
		if (text_has(line, failures[i]))
			return true;
	}
	return false;
}

/* Return true if the second word of the line is cells, so that the first should be a label. */
static bool
looks_like_row(struct text_span line, struct text_span *label)
{
	struct text_span cells;
	return text_next_word(&line, label) && text_next_word(&line, &cells) &&
	       row_level_is_cells(cells) && !row_level_is_cells(*label);
}

static void
collect_names(struct header_names *names, struct text_span text)
{
	struct text_line line = {.number = 0};
	struct text_span label;

	while (line.number < MATRIX_LINES_MAX && text_next_line(&text, &line)) {
		if (looks_like_row(line.text, &label))
			header_add_name(names, label);
	}
}

/* --- rows --- */

static enum topo_status
accept_row(struct reader *reader, size_t index, const struct text_line *line,
	struct text_span cells, struct topo_error *error)
{
	const struct header *header = &reader->matrix->header;
	struct matrix_row *known = &reader->matrix->rows[index];
	struct matrix_row row;

	reader->place = IN_ROWS;
	enum topo_status status = row_parse(header, index, line, cells, &row, error);
	if (status != TOPO_OK)
		return status;
	if (known->line == 0) {
		*known = row;
		return TOPO_OK;
	}
	if (memcmp(known->cells, row.cells, header->count) != 0 ||
		known->numa_node != row.numa_node)
		status = topo_refuse(error, line->number,
			"a second row of %.*s, other than the one in line %zu",
			TEXT_SHOWN(header->labels[index]), known->line);
	free(row.cells);
	return status;
}

/* Ignore a line that belongs to no column, unless it could be a row. */
static enum topo_status
accept_other(const struct reader *reader, const struct text_line *line, struct topo_error *error)
{
	struct text_span first, second, label, rest = line->text;

	text_next_word(&rest, &first);
	text_next_word(&rest, &second);
	bool is_row = looks_like_row(line->text, &label);
	bool is_label = header_is_label(first);
	if (reader->place == IN_LEGEND ? is_row && is_label : is_row || is_label)
		return topo_refuse(error, line->number, "a row of '%.*s', which has no column",
			TEXT_SHOWN(first));
	/* Lines of the legend have the form: level, equals sign, explanation. */
	if (reader->place != IN_LEGEND && row_level_is_cells(first) && !text_is(second, "="))
		return topo_refuse(error, line->number, "cells without a label: '%.*s'",
			TEXT_SHOWN(text_trim(line->text)));
	return TOPO_OK;
}

/* --- the NIC legend --- */

/* Split a line of the form "NIC<n>: name". Return false if it has another form. */
static bool
split_entry(struct text_span line, struct text_span *label, struct text_span *name)
{
	struct text_span word, rest = line;

	text_next_word(&rest, &word);
	const char *colon = memchr(word.at, ':', word.length);
	if (colon == NULL)
		return false;
	*label = (struct text_span){word.at, (size_t)(colon - word.at)};
	*name = text_trim(
		(struct text_span){colon + 1, (size_t)(line.at + line.length - (colon + 1))});
	return header_is_label(*label) && text_begins(*label, "NIC");
}

/* Return whether the name may be cut off: the text ends in it without a newline, and another name
 * begins with it, or it has no number yet, as nearly all names have. */
static bool
may_be_cut(const struct matrix *matrix, const struct text_line *line, struct text_span name)
{
	if (line->is_ended)
		return false;
	for (size_t i = 0; i < matrix->header.count; i++) {
		const struct text_span other = matrix->legend[i].name;
		if (other.length > name.length && memcmp(other.at, name.at, name.length) == 0)
			return true;
	}
	return text_is(name, "mlx5") || text_digits(text_behind(name, name.length - 1)) == 0;
}

static enum topo_status
accept_entry(struct reader *reader, const struct text_line *line, struct text_span label,
	struct text_span name, struct topo_error *error)
{
	size_t index = header_find(&reader->matrix->header, label);

	if (index == SIZE_MAX)
		return topo_refuse(error, line->number,
			"the NIC Legend has %.*s, which has no column", TEXT_SHOWN(label));
	/* The text was cut off here: the NIC keeps its label as its name. */
	if (name.length == 0)
		return TOPO_OK;
	if (!text_is_name(name))
		return topo_refuse(error, line->number, "'%.*s' is not a device name for %.*s",
			TEXT_SHOWN(name), TEXT_SHOWN(label));
	if (may_be_cut(reader->matrix, line, name))
		return topo_refuse(error, line->number,
			"the text ends in the name of %.*s, '%.*s', which may have been cut off",
			TEXT_SHOWN(label), TEXT_SHOWN(name));
	struct legend_entry *entry = &reader->matrix->legend[index];
	if (entry->line != 0 && !text_is_same(entry->name, name))
		return topo_refuse(error, line->number, "%.*s is %.*s here, and %.*s in line %zu",
			TEXT_SHOWN(label), TEXT_SHOWN(name), TEXT_SHOWN(entry->name), entry->line);
	*entry = (struct legend_entry){name, line->number};
	return TOPO_OK;
}

/* --- headers --- */

/* Process a line before the first header. */
static enum topo_status
accept_preamble(struct reader *reader, const struct text_line *line, struct topo_error *error)
{
	struct text_span label;

	if (looks_like_row(line->text, &label)) {
		if (header_is_gpu(label, NULL))
			return topo_refuse(error, line->number, "a row of %.*s before any header",
				TEXT_SHOWN(label));
		return TOPO_OK;
	}
	if (!header_begins(&reader->names, line->text))
		return TOPO_OK;
	reader->place = IN_HEADER;
	return header_add(&reader->matrix->header, &reader->names, line, error);
}

/* Process a line that follows the header's first line and is not a row. After complete titles, a
 * line that does not belong to the header is noise. */
static enum topo_status
accept_header(struct reader *reader, const struct text_line *line, struct topo_error *error)
{
	struct header *header = &reader->matrix->header;
	bool is_complete = *header->tail.text != '\0' && header->tail.match == TAIL_COMPLETE;
	enum topo_status status = header_add(header, &reader->names, line, error);
	return status == TOPO_BAD && is_complete ? TOPO_OK : status;
}

static enum topo_status
accept_header_again(struct reader *reader, const struct text_line *line, struct topo_error *error)
{
	const struct header *header = &reader->matrix->header;

	reader->again = (struct header){0};
	enum topo_status status = header_add(&reader->again, &reader->names, line, error);
	if (status != TOPO_OK)
		return status;
	if (!header_is_same(header, &reader->again))
		return topo_refuse(error, line->number,
			"a second header, other than the one in line %zu", header->line);
	reader->place = IN_ROWS;
	return TOPO_OK;
}

/* --- lines --- */

static enum topo_status
accept_line(struct reader *reader, const struct text_line *line, struct topo_error *error)
{
	const struct header *header = &reader->matrix->header;
	struct text_span text = text_trim(line->text), cells, label, name;

	if (line->text.length > MATRIX_LINE_MAX_BYTES)
		return topo_refuse(error, line->number, "a line of more than %zu bytes",
			MATRIX_LINE_MAX_BYTES);
	if (is_failure(text))
		return topo_refuse(
			error, line->number, "the command failed: '%.*s'", TEXT_SHOWN(text));
	if (text.length == 0)
		return TOPO_OK;
	if (reader->place == BEFORE_HEADER)
		return accept_preamble(reader, line, error);

	/* Keep trailing blanks: tabs mark the places of missing values. */
	size_t index = row_find(header, line->text, &cells);
	bool is_row = looks_like_row(text, &label);
	if (reader->place == IN_HEADER) {
		if (index == SIZE_MAX && !is_row)
			return accept_header(reader, line, error);
		if (header->tail.match != TAIL_COMPLETE)
			return topo_refuse(error, header->line, "the header breaks off at '%s'",
				header->tail.text);
	} else if (!is_row && header_begins(&reader->names, text) &&
		   (index == SIZE_MAX || text_trim(cells).length > 0)) {
		return accept_header_again(reader, line, error);
	}
	if (index != SIZE_MAX && (reader->place != IN_LEGEND || text_trim(cells).length > 0))
		return accept_row(reader, index, line, cells, error);
	if (text_is(text, "Legend:") || text_is(text, "NIC Legend:")) {
		reader->place = IN_LEGEND;
		return TOPO_OK;
	}
	if (text_begins(text, "NIC Legend:"))
		return topo_refuse(error, line->number, "the NIC Legend is not one line per NIC");
	if (split_entry(text, &label, &name))
		return accept_entry(reader, line, label, name, error);
	return accept_other(reader, line, error);
}

static enum topo_status
read_lines(struct reader *reader, struct text_span text, struct topo_error *error)
{
	struct text_line line = {.number = 0};
	enum topo_status status = TOPO_OK;

	collect_names(&reader->names, text);
	while (status == TOPO_OK && text_next_line(&text, &line)) {
		if (line.number > MATRIX_LINES_MAX)
			return topo_refuse(error, 0, "more than %zu lines", MATRIX_LINES_MAX);
		status = accept_line(reader, &line, error);
	}
	if (status != TOPO_OK)
		return status;
	if (reader->place == BEFORE_HEADER)
		return topo_refuse(error, 0,
			"no GPU column: not what nvidia-smi topo -m prints on a node with GPUs");
	if (reader->place == IN_HEADER)
		return topo_refuse(error, reader->matrix->header.line, "a header without rows");
	return TOPO_OK;
}

enum topo_status
matrix_read(struct matrix *matrix, struct text_span text, struct topo_error *error)
{
	struct reader *reader = calloc(1, sizeof *reader);
	if (reader == NULL)
		return TOPO_NO_MEMORY;
	reader->matrix = matrix;
	enum topo_status status = read_lines(reader, text, error);
	free(reader);
	return status;
}

void
matrix_fini(struct matrix *matrix)
{
	for (size_t i = 0; i < TOPO_MAX_COLUMNS; i++)
		free(matrix->rows[i].cells);
}

/* Unit tests of topoparse's header, row and level: labels and cells, with or without blanks
 * between. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/topoparse/header.h"
#include "../../tools/topoparse/row.h"

#include "check.h"

#include <stdio.h>
#include <stdlib.h>

static struct text_span
span(const char *text)
{
	return (struct text_span){text, strlen(text)};
}

/* Return the level words of glued text, with commas, and then the rest. */
static const char *
taken(const char *text)
{
	static char out[200];
	struct text_span rest = span(text);
	uint8_t level;
	size_t length, used = 0;

	while ((length = row_level_parse(rest, &level)) > 0) {
		char buffer[8];
		used += (size_t)snprintf(
			out + used, sizeof out - used, "%s,", row_level_text(level, buffer));
		rest = text_behind(rest, length);
	}
	snprintf(out + used, sizeof out - used, "%.*s", (int)rest.length, rest.at);
	return out;
}

static void
levels(void)
{
	static const struct {
		const char *text, *parts;
		bool is_cells;
	} rows[] = {
		{"X", "X,", true},
		{"NODENODE", "NODE,NODE,", true},
		{"PIXPIX", "PIX,PIX,", true},
		{"PIXXPXB", "PIX,X,PXB,", true},
		{"SYSNV12NV1PHB", "SYS,NV12,NV1,PHB,", true},
		{"NV99", "NV99,", true},
		{"SYS0-63", "SYS,0-63", true},
		{"SYSN/A", "SYS,N/A", true},
		{"NV0", "NV0", false},
		{"NV01", "NV01", false},
		{"NV1212", "NV1212", false},
		{"NV120-63", "NV120-63", false},
		{"NV", "NV", false},
		{"NV#", "NV#", false},
		{"", "", false},
		{"pix", "pix", false},
		{"SOC", "SOC", false},
		{"PI", "PI", false},
		{"NODENOD", "NODE,NOD", false},
		{"N/A", "N/A", false},
		{"0-63", "0-63", false},
		{"X11", "X,11", true},
		{"XY", "X,Y", false},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("%s", rows[i].text);
		CHECK_STR(taken(rows[i].text), rows[i].parts);
		CHECK_INT(row_level_is_cells(span(rows[i].text)), rows[i].is_cells);
	}
}

/* Return the labels of a header's lines (separated by `|`), with blanks, and the number of titles;
 * or the error's reason. */
static const char *
labels(const char *lines, const char *names)
{
	static char out[400];
	static struct header header;
	struct header_names evidence = {.count = 0};
	struct text_span rest = span(names), name;
	struct topo_error error;
	char copy[300];
	size_t used = 0;

	header = (struct header){.count = 0};
	while (text_next_word(&rest, &name))
		header_add_name(&evidence, name);
	snprintf(copy, sizeof copy, "%s", lines);
	for (char *text = strtok(copy, "|"); text != NULL; text = strtok(NULL, "|")) {
		const struct text_line line = {.text = span(text), .number = 3};
		if (header_add(&header, &evidence, &line, &error) != TOPO_OK) {
			CHECK_U64(error.line, 3);
			snprintf(out, sizeof out, "%s", error.reason);
			return out;
		}
	}
	for (size_t i = 0; i < header.count; i++)
		used += (size_t)snprintf(out + used, sizeof out - used, "%.*s ",
			(int)header.labels[i].length, header.labels[i].at);
	snprintf(out + used, sizeof out - used, "%zu%s", header.tail.titles.count,
		header.tail.match == TAIL_COMPLETE ? "" : "...");
	return out;
}

static void
headers(void)
{
	static const struct {
		const char *lines, *names, *labels;
	} rows[] = {
		{"GPU0 GPU1 NIC0 CPU Affinity", "", "GPU0 GPU1 NIC0 1"},
		{"\tGPU0\tmlx5_0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID", "", "GPU0 mlx5_0 3"},
		{"GPU0 GPU7", "", "GPU0 GPU7 0"},
		{"GPU0GPU1GPU10NIC1NIC10", "", "GPU0 GPU1 GPU10 NIC1 NIC10 0"},
		{"GPU0GPU1NIC0CPU AffinityNUMA AffinityGPU NUMA ID", "", "GPU0 GPU1 NIC0 3"},
		{"GPU0mlx5_0mlx5_1", "mlx5_0 mlx5_1", "GPU0 mlx5_0 mlx5_1 0"},
		{"GPU0 mlx5_1mlx5_11CPU Affinity", "mlx5_1 mlx5_11", "GPU0 mlx5_1 mlx5_11 1"},
		{"GPU0 ibp3s0", "ibp3s0", "GPU0 ibp3s0 0"},
		{"GPU0 mlx5_0", "mlx5_0", "GPU0 mlx5_0 0"},
		/* ends like the start of a title */
		{"GPU0 ibN", "ibN", "GPU0 ibN 0"},
		{"GPU0 a", "a", "GPU0 a 0"},
		{"GPU0 GPU99999", "", "GPU0 GPU99999 0"},
		/* a name seen twice does not make it ambiguous */
		{"GPU0 ibp3s0 ibp4s0", "ibp3s0 ibp4s0 ibp4s0 ibp3s0", "GPU0 ibp3s0 ibp4s0 0"},
		{"GPU0|GPU1 NIC0|NIC1 CPU|Affinity NUMA|Affinity", "", "GPU0 GPU1 NIC0 NIC1 2"},
		{"GPU0 CPU Affinity NU", "", "GPU0 1..."},
		{"GPU0 CPU Affinity N", "", "GPU0 1..."},
		{"GPU0 CPU Affinity X", "", "'X' in the header does not continue"},
		/* as long as the buffer for titles, which must end with a NUL */
		{"GPU0 CPU 7890123456789012345678901234567890123456789012345678901234567", "",
			"in the header does not continue"},
		/* ambiguous labels */
		{"GPU0 mlx5_0mlx5_1", "", "'mlx5_0mlx5_1' in the header is not a GPU<n>"},
		{"GPU0 mlx5_0mlx5_1", "mlx5_0", "'mlx5_0mlx5_1' in the header is not a GPU<n>"},
		{"GPU0 mlx5_0mlx5_1", "mlx5_0 mlx5_1 mlx5_0mlx5_1", "more than one way"},
		{"GPU0 aab", "a aa ab b", "more than one way"},
		{"GPU0 ibp3s0", "", "'ibp3s0' in the header is not a GPU<n>"},
		{"GPU0 GPU01", "", "'GPU01' in the header"},
		{"GPU0 GPU01", "PU01", "'GPU01' in the header"},
		{"GPU0 GPU100000", "", "'GPU100000' in the header"},
		{"GPU0 GPU", "", "'GPU' in the header"},
		{"GPU0 GPU1 GPU0", "", "two columns are called 'GPU0'"},
		{"GPU0GPU0", "", "two columns are called 'GPU0'"},
		{"GPU0 CPU Affinity Memory", "", "'Memory' in the header does not continue"},
		{"GPU0 CPU Affinity NIC0", "", "'NIC0' in the header does not continue"},
		{"GPU0 GPU NUMA ID", "", "'GPU' in the header"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("%s", rows[i].lines);
		CHECK_HAS(labels(rows[i].lines, rows[i].names), rows[i].labels);
	}
}

/* Add a header of one word: `count` labels from GPU<first> on without blanks, and `behind`. */
static enum topo_status
add_glued(struct header *header, unsigned first, size_t count, const char *behind,
	struct topo_error *error)
{
	static char word[20000];
	const struct header_names nothing = {.count = 0};
	size_t used = 0;

	for (size_t i = 0; i < count; i++)
		used += (size_t)sprintf(word + used, "GPU%u", first + (unsigned)i);
	strcpy(word + used, behind);
	const struct text_line line = {.text = span(word), .number = 3};
	*header = (struct header){.count = 0};
	return header_add(header, &nothing, &line, error);
}

static void
longest_words(void)
{
	static struct header header;
	struct topo_error error;
	size_t most = TOPO_MAX_COLUMNS;

	/* 1024 labels of 8 bytes: the longest word, with the maximum number of columns. */
	CHECK_U64(most * strlen("GPU10000"), HEADER_WORD_MAX);
	CHECK_INT(add_glued(&header, 10000, most, "", &error), TOPO_OK);
	CHECK_U64(header.count, most);
	CHECK(text_is(header.labels[0], "GPU10000"));
	CHECK(text_is(header.labels[most - 1], "GPU11023"));
	/* Behind the last of them nothing may be compared. */
	CHECK(header_is_same(&header, &header));
	CHECK_INT(add_glued(&header, 10000, most - 1, "GPU9NIC12", &error), TOPO_BAD);
	CHECK_HAS(error.reason, "in the header is not a GPU<n>");
	for (size_t more = 1; more <= 3; more++) {
		check_row("%zu more", more);
		CHECK_INT(add_glued(&header, 0, most + more, "", &error), TOPO_BAD);
		CHECK_HAS(error.reason, "more than 1024 columns");
	}
}

static void
most_names(void)
{
	static struct header_names names;
	static char texts[TOPO_MAX_COLUMNS + 2][8];

	for (size_t i = 0; i < CHECK_COUNT(texts); i++) {
		snprintf(texts[i], sizeof texts[i], "ib%zu", i);
		header_add_name(&names, span(texts[i]));
	}
	CHECK_U64(names.count, TOPO_MAX_COLUMNS);
	CHECK(text_is(names.names[TOPO_MAX_COLUMNS - 1], "ib1023"));
}

static void
labels_alone(void)
{
	static const struct {
		const char *text;
		bool is_label, is_gpu;
		unsigned id;
	} rows[] = {
		{"GPU0", true, true, 0},
		{"GPU7", true, true, 7},
		{"GPU10", true, true, 10},
		{"GPU12345", true, true, 12345},
		{"NIC12", true, false, 0},
		{"mlx5_3", true, false, 0},
		{"", false, false, 0},
		{"G", false, false, 0},
		{"GPU", false, false, 0},
		{"GPU1x", false, false, 0},
		{"NIC1GPU1", false, false, 0},
		{"eth0", false, false, 0},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		unsigned id = 0;
		check_row("%s", rows[i].text);
		CHECK_INT(header_is_label(span(rows[i].text)), rows[i].is_label);
		CHECK_INT(header_is_gpu(span(rows[i].text), &id), rows[i].is_gpu);
		CHECK_U64(id, rows[i].id);
	}
}

static void
same_headers(void)
{
	static const struct {
		const char *a, *b;
		bool is_same;
	} rows[] = {
		{"GPU0 GPU1 GPU2 CPU Affinity", "GPU0GPU1 GPU2 CPUAffinity", true},
		{"GPU0 GPU1", "GPU9 GPU1", false},
		{"GPU0 GPU1", "GPU0 GPU9", false},
		{"GPU0 GPU1", "GPU0", false},
		{"GPU0", "GPU0 GPU1", false},
		{"GPU0 CPU Affinity", "GPU0", false},
		{"GPU0 CPU Affinity", "GPU0 NUMA Affinity", false},
	};
	const struct header_names nothing = {.count = 0};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		static struct header a, b;
		struct topo_error error;
		const struct text_line one = {.text = span(rows[i].a), .number = 1};
		const struct text_line other = {.text = span(rows[i].b), .number = 2};
		a = b = (struct header){.count = 0};
		CHECK_INT(header_add(&a, &nothing, &one, &error), TOPO_OK);
		CHECK_INT(header_add(&b, &nothing, &other, &error), TOPO_OK);
		check_row("%s: %s", rows[i].a, rows[i].b);
		CHECK_INT(header_is_same(&a, &b), rows[i].is_same);
	}
}

static void
beginnings(void)
{
	static const struct {
		const char *line;
		bool begins;
	} rows[] = {
		{"GPU0 GPU1", true},
		{"  GPU0\tCPU Affinity", true},
		{"GPU0", true},
		{"GPU0GPU1NIC0CPU AffinityNUMA Affinity", true},
		{"GPU0 what Affinity", true},
		{"GPU0 X", false},
		{"GPU0 is lost", false},
		{"GPU 0: NVIDIA H100", false},
		{"GPU0: NVIDIA H100", false},
		{"NIC0 NIC1", false},
		{"WARNING: GPU0 CPU Affinity", false},
		{"", false},
	};
	const struct header_names names = {.count = 0};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("%s", rows[i].line);
		CHECK_INT(header_begins(&names, span(rows[i].line)), rows[i].begins);
	}
}

/* Return the column of the line's row, in a header with GPU1, GPU10, mlx5_1, mlx5_1X:
 * "label|rest". */
static const char *
row_of(const char *line)
{
	static char out[200];
	static struct header header = {.count = 4};
	static const char *const columns[] = {"GPU1", "GPU10", "mlx5_1", "mlx5_1X"};
	struct text_span cells;

	for (size_t i = 0; i < CHECK_COUNT(columns); i++)
		header.labels[i] = span(columns[i]);
	size_t index = row_find(&header, span(line), &cells);
	if (index == SIZE_MAX)
		return "none";
	CHECK_U64(cells.length, strlen(cells.at));
	snprintf(out, sizeof out, "%s|%.*s", columns[index], (int)cells.length, cells.at);
	return out;
}

static void
labels_of_rows(void)
{
	CHECK_STR(row_of("GPU1 X"), "GPU1| X");
	CHECK_STR(row_of("  GPU10\tX"), "GPU10|\tX");
	CHECK_STR(row_of("GPU1X NV1"), "GPU1|X NV1");
	CHECK_STR(row_of("GPU10NV12SYS X"), "GPU10|NV12SYS X");
	CHECK_STR(row_of("mlx5_1X PIX"), "mlx5_1X| PIX");
	CHECK_STR(row_of("mlx5_1SYS PIX"), "mlx5_1|SYS PIX");
	/* mlx5_1 and X SYS, or mlx5_1X and SYS */
	CHECK_STR(row_of("mlx5_1XSYS PIX"), "none");
	CHECK_STR(row_of("GPU2 X"), "none");
	CHECK_STR(row_of("GPU100 X"), "none");
	CHECK_STR(row_of("GPU1foo X"), "none");
	CHECK_STR(row_of("NIC9SYS X"), "none");
	CHECK_STR(row_of("GP X"), "none");
	CHECK_STR(row_of(""), "none");
}

static const struct check_test tests[] = {
	{"glued level words are split only if they have one meaning", levels},
	{"glued labels are split only where the rows prove them", headers},
	{"one word may contain the maximum number of columns, and no more", longest_words},
	{"no more names are stored than the maximum number of columns", most_names},
	{"headers are equal if their labels and titles are", same_headers},
	{"a label is GPU<n>, NIC<n> or mlx5_<n>, and nothing else", labels_alone},
	{"a header begins with a GPU's label and continues with labels", beginnings},
	{"a row belongs to the one column whose label it begins with", labels_of_rows},
};
CHECK_MAIN(tests)

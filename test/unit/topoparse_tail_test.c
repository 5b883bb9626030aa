/* Unit tests of topoparse's tail: finding the NUMA node among the affinities behind the cells. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/topoparse/tail.h"

#include "check.h"

static struct text_span
span(const char *text)
{
	return (struct text_span){text, strlen(text)};
}

static void
titles(void)
{
	static const struct {
		const char *text;
		enum tail_match match;
		size_t count;
	} rows[] = {
		{"", TAIL_COMPLETE, 0},
		{"CPUAffinity", TAIL_COMPLETE, 1},
		{"CPUAffinityNUMAAffinity", TAIL_COMPLETE, 2},
		{"CPUAffinityNUMAAffinityGPUNUMAID", TAIL_COMPLETE, 3},
		{"CPUAffinityGPUNUMAID", TAIL_COMPLETE, 2},
		{"NUMAAffinity", TAIL_COMPLETE, 1},
		{"NUMAAffinityGPUNUMAID", TAIL_COMPLETE, 2},
		{"CPU", TAIL_BEGINNING, 0},
		{"CPUAff", TAIL_BEGINNING, 0},
		{"CPUAffinityN", TAIL_BEGINNING, 1},
		{"CPUAffinityNUMAAffinityGPUNUMA", TAIL_BEGINNING, 2},
		{"CPUAffinityG", TAIL_BEGINNING, 1},
		{"GPUNUMAID", TAIL_WRONG, 0},
		{"NUMAAffinityCPUAffinity", TAIL_WRONG, 1},
		{"CPUAffinityCPUAffinity", TAIL_WRONG, 1},
		{"CPUAffinityNUMAAffinityGPUNUMAIDX", TAIL_WRONG, 3},
		{"CPUaffinity", TAIL_WRONG, 0},
		{"MemoryAffinity", TAIL_WRONG, 0},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct tail_titles found;
		check_row("%s", rows[i].text);
		CHECK_INT(tail_match_titles(span(rows[i].text), &found), rows[i].match);
		if (rows[i].match == TAIL_COMPLETE)
			CHECK_U64(found.count, rows[i].count);
	}
}

#define CPU "CPUAffinity"
#define CPU_NUMA "CPUAffinityNUMAAffinity"
#define ALL "CPUAffinityNUMAAffinityGPUNUMAID"

static void
nodes(void)
{
	static const struct {
		const char *titles, *text;
		enum tail_status status;
		int node;
	} rows[] = {
		/* between tabs, as nvidia-smi prints them */
		{CPU_NUMA, "\t0-63\t0", TAIL_OK, 0},
		{CPU_NUMA, "\t0-63,128-191\t8", TAIL_OK, 8},
		{CPU_NUMA, "\t\t1", TAIL_OK, 1},
		{CPU_NUMA, "\t0-63\t", TAIL_OK, -1},
		{CPU_NUMA, "\t\t", TAIL_OK, -1},
		{CPU_NUMA, "\t0-31\t\tN/A", TAIL_OK, -1},
		{CPU_NUMA, "\t0,64\t0-3", TAIL_OK, 0},
		{ALL, "\t0-63\t3\t\tN/A", TAIL_OK, 3},
		{ALL, "\t0-63\t3\tN/A", TAIL_OK, 3},
		{ALL, " \t0-63\t 3 \t\tN/A", TAIL_OK, 3},
		{ALL, "\t0-71\t1,3-9,11-17\t\t2", TAIL_OK, 1},
		{ALL, "\t\t1\t\tN/A", TAIL_OK, 1},
		{ALL, "\t\t\t\tN/A", TAIL_OK, -1},
		{ALL, "\t0-7\t\t\tN/A", TAIL_OK, -1},
		{ALL, "\t0-7\tN/A\t\tN/A", TAIL_OK, -1},
		{ALL, "\t0-7\t\tN/A\t\tN/A", TAIL_OK, -1},
		{ALL, "\t\t\t\t", TAIL_OK, -1},
		{CPU, "\t0-63", TAIL_OK, -1},
		{"CPUAffinityGPUNUMAID", "\t0-63\t\t2", TAIL_OK, -1},
		{ALL, "\t\t\tN/A", TAIL_OK, -1},
		{CPU_NUMA, " \t\t1", TAIL_OK, 1},
		{CPU_NUMA, "\t\t1\tN/A", TAIL_OK, 1},
		{CPU_NUMA, "\t3-3\t0", TAIL_OK, 0},
		{"NUMAAffinity", "\t4", TAIL_OK, 4},
		{"", "", TAIL_OK, -1},
		{"", "\t\t", TAIL_OK, -1},
		/* a tab too few, or a value that may be two */
		{ALL, "\t0-630\t\tN/A", TAIL_AMBIGUOUS, -1},
		{ALL, "\t0-63\t\t0", TAIL_AMBIGUOUS, -1},
		{ALL, "\t0-63\t\t\t2", TAIL_AMBIGUOUS, -1},
		{CPU_NUMA, "\t0-630", TAIL_AMBIGUOUS, -1},
		{CPU_NUMA, "\t\t0-63\t0", TAIL_UNKNOWN, -1},
		{ALL, "\t\t0-63\t0\t\tN/A", TAIL_AMBIGUOUS, -1},
		{ALL, "\t\t64-127\t1\t\t", TAIL_AMBIGUOUS, -1},
		{CPU, "\t0-63\t0", TAIL_UNKNOWN, -1},
		{"", "\t0-63\t0", TAIL_UNKNOWN, -1},
		/* between blanks */
		{ALL, "    0-63   3       N/A", TAIL_OK, 3},
		{ALL, "    0-55,112-167    0 N/A", TAIL_OK, 0},
		{ALL, "0-63 3 N/A", TAIL_OK, 3},
		{ALL, "    0-71    0,3-9,11-17             2", TAIL_OK, 0},
		{ALL, "                N/A", TAIL_OK, -1},
		{ALL, "    N/A     N/A", TAIL_OK, -1},
		{ALL, "", TAIL_OK, -1},
		{CPU_NUMA, "    0-63    N/A", TAIL_OK, -1},
		{CPU, "    0-63", TAIL_OK, -1},
		{ALL, "    0-63            N/A", TAIL_AMBIGUOUS, -1},
		{ALL, "            1       N/A", TAIL_AMBIGUOUS, -1},
		{ALL, "    0-63    0", TAIL_AMBIGUOUS, -1},
		{CPU_NUMA, "    0-63", TAIL_AMBIGUOUS, -1},
		{CPU_NUMA, "    0-63 0 N/A", TAIL_UNKNOWN, -1},
		{ALL, "0-63, 70 0 N/A", TAIL_UNKNOWN, -1},
		/* no affinities */
		{CPU_NUMA, "\t0-63\tzero", TAIL_UNKNOWN, -1},
		{CPU_NUMA, "\tff,ff\t0", TAIL_UNKNOWN, -1},
		{CPU_NUMA, "\t63-0\t0", TAIL_UNKNOWN, -1},
		{CPU_NUMA, "\t0-63\t-1", TAIL_UNKNOWN, -1},
		{CPU_NUMA, "\t0-63\t0,", TAIL_UNKNOWN, -1},
		{CPU_NUMA, "\t0-63\t0 1", TAIL_UNKNOWN, -1},
		{CPU_NUMA, "\t0-63\t1024", TAIL_UNKNOWN, -1},
		{CPU_NUMA, "\t0-63\t1023", TAIL_OK, 1023},
		{CPU_NUMA, "\t0-63\t99999999999999999999", TAIL_UNKNOWN, -1},
		{CPU_NUMA, "\t9999999\t0", TAIL_OK, 0},
		{CPU_NUMA, "\t10000000\t0", TAIL_UNKNOWN, -1},
		{ALL, "\t0-63\t0\t\t1-2", TAIL_UNKNOWN, -1},
		{ALL, "\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\tN/A", TAIL_OK, -1},
		{ALL, "\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\tN/A", TAIL_UNKNOWN, -1},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		/* Entries behind the found titles do not count. */
		struct tail_titles found = {.titles = {TAIL_NUMA, TAIL_NUMA, TAIL_NUMA}};
		int node = 77;
		tail_match_titles(span(rows[i].titles), &found);
		check_row("%s: %s", rows[i].titles, rows[i].text);
		CHECK_INT(tail_parse(&found, span(rows[i].text), true, &node), rows[i].status);
		if (rows[i].status == TAIL_OK)
			CHECK_INT(node, rows[i].node);
	}
}

static void
cut(void)
{
	static const struct {
		const char *titles, *text;
		enum tail_status status;
	} rows[] = {
		{CPU_NUMA, "\t0-63\t1", TAIL_CUT},
		{CPU_NUMA, "    0-63    1", TAIL_CUT},
		{ALL, "\t0-63\t1", TAIL_CUT},
		{CPU_NUMA, "\t0-63\t", TAIL_CUT},
		{CPU_NUMA, "", TAIL_CUT},
		{"NUMAAffinity", "", TAIL_CUT},
		{"NUMAAffinity", "4", TAIL_CUT},
		{ALL, "\t\t\t\t", TAIL_CUT},
		{CPU_NUMA, "\t0-31\t\tN/A", TAIL_OK},
		{ALL, "\t\t\t\tN/A", TAIL_OK},
		{CPU, "\t0-63", TAIL_OK},
		/* 0 has no more digits, and bytes behind a first number do not matter */
		{CPU_NUMA, "\t0-63\t0", TAIL_OK},
		{CPU_NUMA, "\t0-63\t1,3", TAIL_OK},
		{CPU_NUMA, "\t0-63\t1\t", TAIL_OK},
		{ALL, "\t0-63\t1\t\tN/A", TAIL_OK},
		{ALL, "\t0-63\t1\t", TAIL_OK},
		{ALL, "\t0-63\t2\t\t2", TAIL_OK},
		{ALL, "  0-63  1   N/A", TAIL_OK},
		{ALL, "  0-63  1   N/", TAIL_UNKNOWN},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct tail_titles found;
		int node;
		tail_match_titles(span(rows[i].titles), &found);
		check_row("%s: %s", rows[i].titles, rows[i].text);
		CHECK_INT(tail_parse(&found, span(rows[i].text), false, &node), rows[i].status);
	}
	/* An N/A before the text does not count. */
	struct tail_titles found;
	int node;
	tail_match_titles(span(CPU_NUMA), &found);
	check_row("%s", "");
	CHECK_INT(tail_parse(&found, text_behind(span("N/A"), 3), false, &node), TAIL_CUT);
}

static const struct check_test tests[] = {
	{"titles are found without their blanks, and partial ones too", titles},
	{"a NUMA node is read only if its column is certain", nodes},
	{"a NUMA node at the end of a text without newline may be cut", cut},
};
CHECK_MAIN(tests)

/* Unit tests of logmatch's PCI addresses. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/logmatch/subject.h"

#include "check.h"

#include <stdlib.h>

static void
finding(void)
{
	static const struct {
		const char *text, *found;
	} rows[] = {
		{"", ""},
		{":", ""},
		{"0000:18:00.0", "0000:18:00.0"},
		{"mlx5_core 0000:18:00.0: wait_func:1176:(pid 126): ENABLE_HCA", "0000:18:00.0"},
		{"mlx5_core 0000:18:00.0 ens1f0np0: x", "0000:18:00.0"},
		{"ends in 0000:18:00.1", "0000:18:00.1"},
		/* Behind Intel's VMD; eight digits are Hyper-V's and others'. */
		{"mlx5_core 10000:e1:00.0: x", "10000:e1:00.0"},
		{"mlx5_core deadbeef:18:1f.7: x", ""},
		{"face0000:18:1f.7", ""},
		{"e0000:18:1f.7", ""},
		{"health0000:18:1f.7", "0000:18:1f.7"},
		{"mlx5_core ABCD:EF:1F.7: x", "abcd:ef:1f.7"},
		/* Directly behind other text. */
		{"Workqueue: mlx5_health0000:18:00.0 mlx5_x", "0000:18:00.0"},
		{"x=0000:18:00.0,", "0000:18:00.0"},
		{"(0000:18:00.0)", "0000:18:00.0"},
		{"0000:18:00.0.", "0000:18:00.0"},
		{"pci0000:18/0000:18:00.0/0000:19:00.0", "0000:18:00.0"},
		{"0000:18:00.0:0000:19:00.1", "0000:18:00.0"},
		{"::0000:18:00.0", "0000:18:00.0"},
		{"12:34:56 0000:18:00.0", "0000:18:00.0"},
		/* A device number has five bits, a function number three. */
		{"0000:18:20.0", ""},
		{"0000:18:1f.7", "0000:18:1f.7"},
		{"0000:18:00.8", ""},
		{"0000:18:00.8 0000:19:00.0", "0000:19:00.0"},
		{"0000:18:00.01", ""},
		{"0000:18:00.0a", ""},
		{"0000:18:00", ""},
		{"0000:18:00.", ""},
		{"0000:1:00.0", ""},
		{"0000:18:0.0", ""},
		{"0000:g8:00.0", ""},
		{"000:18:00.0", ""},
		{"18:00.0", ""},
		{"0000.18.00.0", ""},
		{"2026-01-02T03:04:05.1 x", ""},
		{"00:11:22:33:44:55.6", ""},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		size_t length = strlen(rows[i].text);
		char *text = malloc(length > 0 ? length : 1);
		char found[SUBJECT_PCI_SIZE];
		memcpy(text, rows[i].text, length);
		check_row("%s", rows[i].text);
		subject_find_pci(text, length, found);
		CHECK_STR(found, rows[i].found);
		free(text);
	}
}

/* Bytes behind the end of the text do not count. */
static void
cut(void)
{
	char found[SUBJECT_PCI_SIZE];
	for (size_t length = 0; length < strlen("0000:18:00.0"); length++) {
		subject_find_pci("0000:18:00.0", length, found);
		CHECK_STR(found, "");
	}
	subject_find_pci("0000:18:00.01", 12, found);
	CHECK_STR(found, "0000:18:00.0");
	subject_find_pci("a\0 0000:18:00.0", 15, found);
	CHECK_STR(found, "0000:18:00.0");
}

static void
whole(void)
{
	static const struct {
		const char *text;
		bool is;
	} rows[] = {
		{"0000:18:00.0", true},
		{"10000:e1:00.0", true},
		{"0000:18:00.0 ", false},
		{" 0000:18:00.0", false},
		{"0000:AB:00.0", false},
		{"0000:18:00.8", false},
		{"pci0000:18", false},
		{"", false},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("%s", rows[i].text);
		CHECK_INT(subject_is_pci(rows[i].text), rows[i].is);
	}
}

static void
card(void)
{
	char out[SUBJECT_PCI_SIZE];
	subject_card("0000:18:00.1", out);
	CHECK_STR(out, "0000:18:00");
	subject_card("10000:18:1f.7", out);
	CHECK_STR(out, "10000:18:1f");
}

static const struct check_test tests[] = {
	{"the first address is found, in lower case, and nothing that only looks like one",
		finding},
	{"an address that is cut off is none", cut},
	{"a text is an address as a whole, in lower case", whole},
	{"a card is its functions' address without the function", card},
};
CHECK_MAIN(tests)

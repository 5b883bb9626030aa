/* Unit tests of promtext: pieces of Prometheus' text format. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "promtext.h"

#include "check.h"

#include <string.h>

static void
no_labels(void)
{
	struct strbuf text = {0};
	strbuf_add(&text, "a", 1);
	promtext_begin_labels(&text);
	promtext_end_labels(&text);
	CHECK_STR(text.bytes, "a");
	strbuf_fini(&text);
}

static void
labels(void)
{
	static const struct {
		const char *value, *label;
	} rows[] = {
		{NULL, "k=\"\""},
		{"", "k=\"\""},
		{"{", "k=\"{\""},
		{"a,", "k=\"a,\""},
		{"\"", "k=\"\\\"\""},
		{"\\n\n", "k=\"\\\\n\\n\""},
		{"\t\xC3\xA4", "k=\"\t\xC3\xA4\""},
	};
	struct strbuf text = {0};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char once[64], twice[128];
		check_row("%s", rows[i].label);
		snprintf(once, sizeof once, "{%s}", rows[i].label);
		snprintf(twice, sizeof twice, "{%s,%s}", rows[i].label, rows[i].label);
		strbuf_clear(&text);
		promtext_begin_labels(&text);
		promtext_add_label(&text, "k", rows[i].value);
		promtext_end_labels(&text);
		CHECK_STR(text.bytes, once);
		strbuf_clear(&text);
		promtext_begin_labels(&text);
		promtext_add_label(&text, "k", rows[i].value);
		promtext_add_label(&text, "k", rows[i].value);
		promtext_end_labels(&text);
		CHECK_STR(text.bytes, twice);
	}
	strbuf_fini(&text);
}

static void
too_long(void)
{
	char bytes[16];
	for (size_t size = 1; size < sizeof bytes; size++) {
		struct strbuf text;
		strbuf_init(&text, bytes, size);
		promtext_begin_labels(&text);
		promtext_add_label(&text, "key", "value");
		promtext_end_labels(&text);
		check_row("%zu bytes", size);
		/* With a comma behind it until the end: 13 bytes and a NUL. */
		CHECK(text.is_short == (size < strlen("{key=\"value\",") + 1));
	}
}

static void
help(void)
{
	struct strbuf text = {0};
	promtext_add_help(&text, "A \"b\" \\ c\nd");
	CHECK_STR(text.bytes, "A \"b\" \\\\ c\\nd");
	strbuf_fini(&text);
}

static const struct check_test tests[] = {
	{"a series without labels has no braces", no_labels},
	{"the values of labels are escaped", labels},
	{"labels that do not fit are marked as too long", too_long},
	{"backslashes and line feeds in a help text are escaped", help},
};
CHECK_MAIN(tests)

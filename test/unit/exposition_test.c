/* Unit tests of exposition: Prometheus' text format. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "exposition.h"

#include "check.h"

#include <stdlib.h>
#include <string.h>

static char *text;
static size_t length;

static struct exposition
opened(void)
{
	return (struct exposition){.out = open_memstream(&text, &length)};
}

static void
check_text(struct exposition *to, const char *expected)
{
	fclose(to->out);
	CHECK_INT(exposition_fini(to), 0);
	CHECK_STR(text, expected);
	free(text);
}

static void
announced_once(void)
{
	struct exposition to = opened();
	exposition_family(&to, "a", METRICS_GAUGE, "First.");
	exposition_sample(&to);
	exposition_label(&to, "x", "1");
	exposition_label(&to, "y", "2");
	exposition_value(&to, 7);
	exposition_sample(&to);
	exposition_label(&to, "x", "2");
	exposition_value(&to, 8);
	exposition_family(&to, "b_total", METRICS_COUNTER, "Second.");
	exposition_sample(&to);
	exposition_value(&to, 0);
	check_text(&to, "# HELP a First.\n# TYPE a gauge\na{x=\"1\",y=\"2\"} 7\na{x=\"2\"} 8\n"
			"# HELP b_total Second.\n# TYPE b_total counter\nb_total 0\n");
}

static void
empty_family(void)
{
	struct exposition to = opened();
	exposition_family(&to, "a", METRICS_GAUGE, "None.");
	exposition_family(&to, "b", METRICS_GAUGE, "One.");
	exposition_sample(&to);
	exposition_value(&to, 1);
	check_text(&to, "# HELP b One.\n# TYPE b gauge\nb 1\n");
}

static void
no_value(void)
{
	struct exposition to = opened();
	exposition_family(&to, "a", METRICS_GAUGE, "A.");
	exposition_sample(&to);
	exposition_label(&to, "x", NULL);
	exposition_label(&to, "y", "");
	exposition_value(&to, 1);
	exposition_sample(&to);
	exposition_label(&to, "x", NULL);
	exposition_label(&to, "y", "z");
	exposition_value(&to, 1);
	check_text(&to, "# HELP a A.\n# TYPE a gauge\na{x=\"\",y=\"\"} 1\na{x=\"\",y=\"z\"} 1\n");
}

static void
ready_labels(void)
{
	static const char labels[] = "x=\"1\",y=\"2\",";
	struct exposition to = opened();
	exposition_family(&to, "a", METRICS_GAUGE, "A.");
	exposition_sample(&to);
	exposition_labels(&to, labels, strlen(labels));
	exposition_value(&to, 1);
	exposition_sample(&to);
	exposition_labels(&to, labels, strlen(labels));
	exposition_label(&to, "z", "3");
	exposition_label_integer(&to, "i", INT64_MIN);
	exposition_value(&to, 1);
	check_text(&to, "# HELP a A.\n# TYPE a gauge\na{x=\"1\",y=\"2\"} 1\n"
			"a{x=\"1\",y=\"2\",z=\"3\",i=\"-9223372036854775808\"} 1\n");
}

static void
escapes(void)
{
	struct exposition to = opened();
	exposition_family(&to, "a", METRICS_GAUGE, "A \"b\" \\ c\nd");
	exposition_sample(&to);
	exposition_label(&to, "x", "A \"b\" \\ c\nd \xC3\xA4\t}");
	exposition_value(&to, 1);
	check_text(&to, "# HELP a A \"b\" \\\\ c\\nd\n# TYPE a gauge\n"
			"a{x=\"A \\\"b\\\" \\\\ c\\nd \xC3\xA4\t}\"} 1\n");
}

static void
exact(void)
{
	struct exposition to = opened();
	exposition_family(&to, "a", METRICS_GAUGE, "A");
	static const uint64_t whole[] = {0, 9007199254740993, INT64_MAX, UINT64_MAX};
	for (size_t i = 0; i < CHECK_COUNT(whole); i++) {
		exposition_sample(&to);
		exposition_value(&to, whole[i]);
	}
	exposition_sample(&to);
	exposition_value(&to, (unsigned __int128)UINT64_C(9999999999999999999) + 1);
	exposition_sample(&to);
	exposition_value(&to, (unsigned __int128)UINT64_MAX * 4);
	exposition_sample(&to);
	exposition_value_millionths(&to, 1767409445678901);
	exposition_sample(&to);
	exposition_value_millionths(&to, 7);
	exposition_sample(&to);
	exposition_value_real(&to, 50e9);
	exposition_sample(&to);
	exposition_value_real(&to, 1562500000.5);
	check_text(&to,
		"# HELP a A\n# TYPE a gauge\na 0\na 9007199254740993\na 9223372036854775807\n"
		"a 18446744073709551615\na 10000000000000000000\na 73786976294838206460\n"
		"a 1767409445.678901\na 0.000007\na 50000000000\na 1562500000.5\n");
}

static const struct check_test tests[] = {
	{"a family is announced once, before its samples", announced_once},
	{"a family without samples is not announced", empty_family},
	{"a label without a value is written as empty", no_value},
	{"labels given as text are written unchanged", ready_labels},
	{"backslashes, quotes and line feeds are escaped", escapes},
	{"numbers are exact", exact},
};

CHECK_MAIN(tests)

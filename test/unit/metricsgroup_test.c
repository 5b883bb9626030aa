/* Unit tests of metricsgroup: series that are shown while a condition lasts. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "metricsgroup.h"

#include "check.h"
#include "metricspage.h"

#include <stdio.h>

static const struct metrics_family gauge = {
	"nic_lasts", "What lasts.", METRICS_GAUGE, METRICS_PROCESS};

static struct metrics_page page;
static struct metrics *metrics;
static struct metricsgroup group;

static void
begin(void)
{
	CHECK_INT(metrics_page_init(&page, "test"), 0);
	metrics = metrics_open(page.fd);
	group = (struct metricsgroup){.cells = NULL};
}

static void
end(void)
{
	metricsgroup_fini(&group);
	metrics_close(metrics);
	metrics_page_fini(&page);
}

static void
set(char name, uint64_t value)
{
	const char text[2] = {name, '\0'};
	metricsgroup_set(&group,
		metrics_cell(metrics, &gauge, &(struct metrics_label){"name", text}, 1), value);
}

/* Return the names and values of the shown series, as in `a1 b2`. */
static const char *
shown(void)
{
	static char text[256];
	struct metrics_sample sample;
	size_t length = 0;
	*text = '\0';
	for (size_t at = 0; metrics_page_next(&page, &at, &sample);)
		length += (size_t)snprintf(text + length, sizeof text - length, "%s%c%d",
			length > 0 ? " " : "", sample.tail[strlen("{name=\"")], (int)sample.value);
	return text;
}

static void
rounds(void)
{
	static const struct {
		const char *names;
		size_t count;
		const char *shown;
	} rows[] = {
		{"bca", 3, "b0 c0 a0"},
		{"c", 1, "c1"},
		{"", 0, ""},
		{"abcd", 4, "b3 c3 a3 d3"},
		{"dd", 1, "d4"},
		{"dadb", 3, "b5 a5 d5"},
	};
	begin();
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("round %zu", i);
		metricsgroup_begin(&group);
		for (const char *name = rows[i].names; *name != '\0'; name++)
			set(*name, i);
		CHECK_U64(metricsgroup_end(&group), rows[i].count);
		CHECK_STR(shown(), rows[i].shown);
	}
	end();
}

static void
never_a_gap(void)
{
	begin();
	metricsgroup_begin(&group);
	set('a', 1);
	metricsgroup_end(&group);
	metricsgroup_begin(&group);
	CHECK_STR(shown(), "a1");
	set('b', 1);
	CHECK_STR(shown(), "a1 b1");
	metricsgroup_end(&group);
	CHECK_STR(shown(), "b1");
	end();
}

static void
other_rounds(void)
{
	begin();
	metricsgroup_begin(&group);
	set('a', 1);
	metricsgroup_end(&group);
	metrics_begin(metrics);
	metrics_end(metrics);
	CHECK_STR(shown(), "a1");
	end();
}

static void
no_room(void)
{
	begin();
	metricsgroup_begin(&group);
	set('a', 1);
	metricsgroup_set(&group, NULL, 1);
	CHECK_U64(metricsgroup_end(&group), 2);
	CHECK_STR(shown(), "a1");
	end();
}

static const struct check_test tests[] = {
	{"a series that is not set in a round is removed at its end", rounds},
	{"a series that stays is shown during the round, too", never_a_gap},
	{"rounds of other series change nothing", other_rounds},
	{"a series without room on the page is counted but not shown", no_room},
};

CHECK_MAIN(tests)

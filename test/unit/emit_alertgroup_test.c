/* Unit tests of emit's alerts: grouping conditions into one alert. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/emit/out/alerts.h"

#include "check.h"

#include <stdio.h>

#define PARTS 4
#define NOW 100

/* A condition in short: severity, F or -; begin; end, which means standing if later than NOW; and
 * whether it is new. "" as severity: none. */
struct short_part {
	char severity;
	int since, end;
	bool is_new;
};

static size_t
expand(const struct short_part *shorts, struct condition *parts)
{
	static const char *const messages[PARTS] = {"a", "b", "c", "d"};
	size_t count = 0;
	for (; count < PARTS && shorts[count].severity != '\0'; count++)
		parts[count] = (struct condition){
			.node = "n",
			.check = "c",
			.device = "m",
			.port = "1",
			.code = "x",
			.fatal = shorts[count].severity == 'F',
			.message = messages[count],
			.action = shorts[count].severity == 'F' ? "REPLACE_VM" : "NONE",
			.since_ns = (uint64_t)shorts[count].since,
			.stands = shorts[count].end > NOW,
			.is_new = shorts[count].is_new,
			.ends_ns = (uint64_t)shorts[count].end,
		};
	return count;
}

/* Return the alerts as `severity[since-end)messages/action`. */
static const char *
text(const struct short_part *shorts)
{
	static char out[400];
	struct condition parts[PARTS];
	struct alert alerts[ALERTS_OF_ONE];
	const char *messages[2 * PARTS];
	size_t count = expand(shorts, parts), used = 0;
	size_t made = alerts_of(parts, count, NOW, messages, alerts);
	*out = '\0';
	for (size_t i = 0; i < made; i++) {
		used += (size_t)snprintf(out + used, sizeof out - used, "%s%c[%d-%d)",
			i > 0 ? " " : "", alerts[i].fatal ? 'F' : '-', (int)alerts[i].since_ns,
			(int)alerts[i].ends_ns);
		for (size_t j = 0; j < alerts[i].message_count; j++)
			used += (size_t)snprintf(
				out + used, sizeof out - used, "%s", alerts[i].messages[j]);
		used += (size_t)snprintf(out + used, sizeof out - used, "/%s", alerts[i].action);
		CHECK_STR(alerts[i].node, "n");
		CHECK_STR(alerts[i].device, "m");
		CHECK_STR(alerts[i].port, "1");
		CHECK_STR(alerts[i].check, "c");
		CHECK_STR(alerts[i].code, "x");
	}
	return out;
}

static void
groups(void)
{
	static const struct {
		const char *story;
		struct short_part parts[PARTS];
		const char *expected;
	} rows[] = {
		{"one stands", {{'F', 10, 200, true}}, "F[10-200)a/REPLACE_VM"},
		{"one that is not fatal", {{'-', 10, 200, true}}, "-[10-200)a/NONE"},
		{"one has ended", {{'F', 10, 50, false}}, "F[10-50)a/REPLACE_VM"},
		{"two with one cause are one alert, from the first start to the last end",
			{{'F', 20, 200, false}, {'F', 10, 300, true}}, "F[10-300)ab/REPLACE_VM"},
		{"as severe as the worst, with the label that it had from the start",
			{{'-', 10, 200, false}, {'F', 20, 200, true}},
			"-[10-100)a/NONE F[20-200)ba/REPLACE_VM"},
		{"and its earlier severity is not sent again",
			{{'-', 10, 200, false}, {'F', 20, 200, false}}, "F[20-200)ba/REPLACE_VM"},
		{"a later, less severe one changes only the text",
			{{'F', 10, 200, false}, {'-', 20, 200, true}}, "F[10-200)ab/REPLACE_VM"},
		{"the worst has ended: the rest is another alert",
			{{'-', 10, 200, false}, {'F', 20, 60, false}},
			"-[10-200)a/NONE F[20-60)b/REPLACE_VM"},
		{"the less severe one has ended", {{'-', 10, 60, false}, {'F', 20, 200, false}},
			"-[10-60)a/NONE F[20-200)b/REPLACE_VM"},
		{"one of two has ended", {{'F', 10, 60, false}, {'F', 20, 200, false}},
			"F[20-200)b/REPLACE_VM"},
		{"all have ended, the last one last",
			{{'F', 10, 60, false}, {'F', 20, 80, false}, {'-', 30, 70, false}},
			"-[30-70)c/NONE F[10-80)ab/REPLACE_VM"},
		{"ended and begun again", {{'F', 10, 60, false}, {'F', 70, 200, true}},
			"F[70-200)b/REPLACE_VM"},
		{"another severity in the place of one that has ended",
			{{'-', 10, 60, false}, {'F', 60, 200, true}},
			"-[10-60)a/NONE F[60-200)b/REPLACE_VM"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("%s", rows[i].story);
		CHECK_STR(text(rows[i].parts), rows[i].expected);
	}
}

static void
sameness(void)
{
	static const struct condition one = {
		.node = "n", .check = "c", .device = "m", .port = "1", .code = "x"};
	struct condition other = one;
	other.message = "other";
	other.fatal = true;
	CHECK(alerts_are_one(&one, &other));
	const char **const parts[] = {
		&other.node, &other.check, &other.device, &other.port, &other.code};
	for (size_t i = 0; i < CHECK_COUNT(parts); i++) {
		const char *before = *parts[i];
		check_row("%zu", i);
		*parts[i] = "";
		CHECK(!alerts_are_one(&one, &other));
		*parts[i] = before;
	}
}

static const struct check_test tests[] = {
	{"conditions with one cause are one alert, as severe as the worst", groups},
	{"conditions are one alert only if all their labels are equal", sameness},
};
CHECK_MAIN(tests)

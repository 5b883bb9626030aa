/* Unit tests of logmatch's patterns: samples of each kernel's wording, and near misses. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/logmatch/pattern.h"
#include "logpattern.h"
#include "rx.h"

#include "check.h"

#include <stdio.h>
#include <stdlib.h>

#define SAMPLES "test/logmatch/samples.tsv"
#define NEAR_MISSES "test/logmatch/near-misses.txt"

static struct rx **
compiled_new(void)
{
	struct rx **compiled = calloc(pattern_row_count, sizeof *compiled);
	for (size_t i = 0; compiled != NULL && i < pattern_row_count; i++) {
		struct rx_error error;
		const char *expression = pattern_rows[i].expression;
		check_row("%s", expression);
		compiled[i] = rx_new(expression, strlen(expression), &error);
		CHECK_STR(compiled[i] != NULL ? "" : error.reason, "");
	}
	return compiled;
}

static void
compiled_free(struct rx **compiled)
{
	for (size_t i = 0; i < pattern_row_count; i++)
		rx_free(compiled[i]);
	free(compiled);
}

/* Return the first row that matches; pattern_row_count: none. */
static size_t
first_row(struct rx **compiled, const char *text)
{
	for (size_t i = 0; i < pattern_row_count; i++) {
		if (rx_match(compiled[i], text))
			return i;
	}
	return pattern_row_count;
}

/* Return a line without its line end; NULL at the end of the file. */
static char *
next_line(FILE *file, char **line, size_t *capacity)
{
	ssize_t length = getline(line, capacity, file);
	if (length < 0)
		return NULL;
	(*line)[strcspn(*line, "\n")] = '\0';
	return *line;
}

static FILE *
open_table(const char *path)
{
	FILE *file = fopen(path, "re");
	check_row("%s", path);
	CHECK(file != NULL);
	return file;
}

static void
samples(void)
{
	struct rx **compiled = compiled_new();
	FILE *file = open_table(SAMPLES);
	size_t seen[LOGPATTERN_N] = {0};
	bool *used = calloc(pattern_row_count, sizeof *used);
	char *line = NULL;
	size_t capacity = 0;

	while (file != NULL && compiled != NULL && next_line(file, &line, &capacity) != NULL) {
		check_row("%s", line);
		char *versions = strchr(line, '\t');
		char *text = versions != NULL ? strchr(versions + 1, '\t') : NULL;
		if (!CHECK(text != NULL))
			continue;
		enum logpattern named = logpattern_find(line, (size_t)(versions - line));
		size_t row = first_row(compiled, ++text);
		if (!CHECK(named < LOGPATTERN_N) || !CHECK(row < pattern_row_count))
			continue;
		CHECK_STR(logpattern_name(pattern_rows[row].pattern), logpattern_name(named));
		CHECK_HAS(text, pattern_rows[row].key);
		seen[named]++;
		used[row] = true;
	}
	for (enum logpattern pattern = 0; pattern < LOGPATTERN_N; pattern++) {
		check_row("%s has samples", logpattern_name(pattern));
		CHECK(seen[pattern] > 0 || pattern_of(pattern)->stateful);
	}
	for (size_t i = 0; i < pattern_row_count; i++) {
		check_row("%s has samples", pattern_rows[i].expression);
		CHECK(used[i]);
	}
	free(line);
	free(used);
	compiled_free(compiled);
	if (file != NULL)
		fclose(file);
}

static void
near_misses(void)
{
	struct rx **compiled = compiled_new();
	FILE *file = open_table(NEAR_MISSES);
	char *line = NULL;
	size_t capacity = 0, count = 0;

	while (file != NULL && compiled != NULL && next_line(file, &line, &capacity) != NULL) {
		size_t row = first_row(compiled, line);
		check_row("%s", line);
		CHECK_STR(row < pattern_row_count ? pattern_rows[row].expression : "", "");
		count++;
	}
	check_row("%s", NEAR_MISSES);
	CHECK(count > pattern_row_count);
	free(line);
	compiled_free(compiled);
	if (file != NULL)
		fclose(file);
}

/* Return the expression without the backslashes before punctuation. */
static char *
unescaped_new(const char *expression)
{
	char *text = strdup(expression);
	if (text == NULL)
		return NULL;
	char *to = text;
	for (const char *from = expression; *from != '\0'; from++) {
		if (*from == '\\')
			from++;
		*to++ = *from;
	}
	*to = '\0';
	return text;
}

static void
keys(void)
{
	for (size_t i = 0; i < pattern_row_count; i++) {
		char *text = unescaped_new(pattern_rows[i].expression);
		check_row("%s", pattern_rows[i].expression);
		CHECK(strlen(pattern_rows[i].key) >= 7);
		if (CHECK(text != NULL))
			CHECK_HAS(text, pattern_rows[i].key);
		free(text);
	}
}

static void
sorted(void)
{
	for (size_t i = 1; i < pattern_row_count; i++) {
		check_row("%s", pattern_rows[i].expression);
		CHECK(pattern_rows[i - 1].pattern <= pattern_rows[i].pattern);
	}
	for (size_t i = 0; i < pattern_row_count; i++) {
		check_row("%s", pattern_rows[i].expression);
		CHECK(!pattern_of(pattern_rows[i].pattern)->stateful);
	}
}

/* spec#log-patterns. */
static const struct core {
	const char *name, *expression;
	bool fatal;
} core[] = {
	{"cmd_exec_timeout", "mlx5_core.*timeout\\. Will cause a leak of a command resource", true},
	{"health_poll_failed", "mlx5_core.*device's health compromised.*reached miss count", true},
	{"unrecoverable_err", "mlx5_core.*unrecoverable hardware error", true},
	{"mlx5_napi_soft_lockup", NULL, true},
	{"pci_power_insufficient", "mlx5_core.*Detected insufficient power on the PCIe slot",
		false},
	{"port_module_high_temp", "mlx5_core.*Port module event.*High Temperature", false},
	{"access_reg_failed", "mlx5_cmd_out_err.*ACCESS_REG.*failed", false},
	{"netdev_watchdog",
		"(NETDEV WATCHDOG.*mlx5_core|mlx5_core.*NETDEV WATCHDOG).*transmit queue.*timed "
		"out",
		false},
	{"module_unplugged", "mlx5_core.*Port module event.*Cable unplugged", false},
	{"mlx5_tx_timeout_detected", "mlx5_core.*TX timeout detected", false},
	{"mlx5_rx_timeout_detected", "mlx5_core.*RX timeout on channel", false},
};

static void
specified(void)
{
	for (size_t i = 0; i < CHECK_COUNT(core); i++) {
		enum logpattern pattern = logpattern_find(core[i].name, strlen(core[i].name));
		check_row("%s", core[i].name);
		if (!CHECK(pattern < LOGPATTERN_N))
			continue;
		CHECK_INT(pattern, i);
		CHECK(!logpattern_is_extended(pattern));
		CHECK_INT(pattern_of(pattern)->severity,
			core[i].fatal ? PATTERN_FATAL : PATTERN_NONFATAL);
		CHECK_INT(pattern_of(pattern)->stateful, core[i].expression == NULL);
		size_t row = 0;
		while (row < pattern_row_count && pattern_rows[row].pattern != pattern)
			row++;
		if (core[i].expression != NULL && CHECK(row < pattern_row_count))
			CHECK_STR(pattern_rows[row].expression, core[i].expression);
	}
	for (enum logpattern pattern = CHECK_COUNT(core); pattern < LOGPATTERN_N; pattern++) {
		check_row("%s", logpattern_name(pattern));
		CHECK(logpattern_is_extended(pattern));
	}
}

static const struct check_test tests[] = {
	{"the first row that matches a kernel's message has its pattern, and the message contains "
	 "the key",
		samples},
	{"a message that is no failure of an mlx5 NIC matches no row", near_misses},
	{"a key is a mandatory part of its expression, and long enough to be rare", keys},
	{"rows are in the order of the patterns, and lock-up patterns have no rows", sorted},
	{"the specification's expressions and severities are in the table word for word",
		specified},
};
CHECK_MAIN(tests)

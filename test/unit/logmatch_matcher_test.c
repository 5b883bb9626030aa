/* Unit tests of logmatch's matcher: its linear expressions match the same lines as the patterns'
 * plain ones, and never exceed the match limit. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/logmatch/matcher.h"

#include "check.h"
#include "randomness.h"

#include <stdio.h>
#include <stdlib.h>

#define SAMPLES "test/logmatch/samples.tsv"
#define NEAR_MISSES "test/logmatch/near-misses.txt"

#define PARTS_MAX 12
#define PART_ROOM 120
#define TEXT_ROOM 4096

/* The constant texts of an expression, with one text for each class of characters. */
struct parts {
	char texts[PARTS_MAX][PART_ROOM];
	size_t count;
};

struct row {
	struct rx *plain, *linear;
	struct parts parts;
};

static struct match
match_bytes(const struct matcher *matcher, const char *text, size_t length)
{
	return matcher_match(matcher, text, length, matcher_meaning(matcher, text, length));
}

static struct rx *
compiled_new(const char *expression)
{
	struct rx_error error;
	struct rx *rx = rx_bytes_new(expression, strlen(expression), &error);
	if (!CHECK(rx != NULL))
		CHECK_STR(error.reason, "");
	return rx;
}

static void
end_part(struct parts *parts, size_t *length)
{
	if (*length > 0 && parts->count < PARTS_MAX)
		parts->texts[parts->count++][*length] = '\0';
	*length = 0;
}

/* Roughly the texts between the operators. */
static void
split(const char *expression, struct parts *parts)
{
	size_t length = 0;
	for (const char *at = expression; *at != '\0'; at++) {
		if (parts->count == PARTS_MAX)
			return;
		char *text = parts->texts[parts->count];
		if (*at == '\\' && at[1] != '\0')
			text[length++] = *++at;
		else if (*at == '[') {
			text[length++] = at[1];
			at = strchr(at, ']');
		} else if (strchr(".*+()|?", *at) != NULL)
			end_part(parts, &length);
		else if (*at != ':' || at[-1] != '?')
			text[length++] = *at;
	}
	end_part(parts, &length);
}

static struct row *
rows_new(void)
{
	struct row *rows = calloc(pattern_row_count, sizeof *rows);
	for (size_t i = 0; i < pattern_row_count; i++) {
		const char *expression = pattern_rows[i].expression;
		char *linear = matcher_linear_new(expression);
		check_row("%s: %s", expression, linear);
		rows[i].plain = compiled_new(expression);
		rows[i].linear = compiled_new(linear);
		split(expression, &rows[i].parts);
		free(linear);
	}
	return rows;
}

static void
rows_free(struct row *rows)
{
	for (size_t i = 0; i < pattern_row_count; i++) {
		rx_free(rows[i].plain);
		rx_free(rows[i].linear);
	}
	free(rows);
}

/* Check that the linear form agrees with the plain one, unless the plain one gave up. Return
 * whether the text matches. */
static bool
check_same(const struct row *row, const char *expression, const char *text, size_t length)
{
	enum rx_verdict plain = rx_find(row->plain, text, length, NULL);
	enum rx_verdict linear = rx_find(row->linear, text, length, NULL);
	check_row("%s on %.*s", expression, (int)length, text);
	CHECK(linear != RX_GAVE_UP);
	if (plain != RX_GAVE_UP)
		CHECK_INT(linear, plain);
	return linear == RX_FOUND;
}

/* --- texts --- */

static void
append(char *text, size_t *length, const char *bytes, size_t size)
{
	if (size > TEXT_ROOM - *length)
		size = TEXT_ROOM - *length;
	memcpy(text + *length, bytes, size);
	*length += size;
}

static void
append_noise(char *text, size_t *length, uint64_t *state)
{
	for (size_t left = randomness_below(state, 6); left > 0; left--) {
		char byte = (char)randomness_below(state, 256);
		append(text, length, byte != '\n' ? &byte : "x", 1);
	}
}

/* Concatenate the row's parts in order, with a few misplaced, missing, repeated or cut, and
 * sometimes one of another row. */
static size_t
make_text(const struct row *rows, size_t row, uint64_t *state, char text[TEXT_ROOM])
{
	const struct parts *own = &rows[row].parts;
	size_t length = 0, next = 0;
	bool orderly = randomness_below(state, 2) != 0;

	for (size_t left = 1 + randomness_below(state, 2 * PARTS_MAX); left > 0; left--) {
		size_t other = randomness_below(state, 10) == 0
				       ? randomness_below(state, pattern_row_count)
				       : row;
		const struct parts *parts = &rows[other].parts;
		size_t which = orderly && parts == own ? next++ % own->count
						       : randomness_below(state, parts->count);
		size_t size = strlen(parts->texts[which]);
		if (randomness_below(state, 12) == 0)
			size = randomness_below(state, size + 1);
		append(text, &length, parts->texts[which], size);
		if (randomness_below(state, 3) == 0)
			append_noise(text, &length, state);
		if (orderly && randomness_below(state, 8) == 0)
			next = randomness_below(state, own->count);
	}
	return length;
}

static void
own_parts(void)
{
	struct row *rows = rows_new();
	char text[TEXT_ROOM];
	uint64_t state = 7;
	for (size_t row = 0; row < pattern_row_count; row++) {
		size_t found = 0;
		for (size_t i = 0; i < 3000; i++) {
			size_t length = make_text(rows, row, &state, text);
			char *copy = malloc(length + 1);
			memcpy(copy, text, length);
			found += check_same(&rows[row], pattern_rows[row].expression, copy, length);
			free(copy);
		}
		/* Matches and misses both occur; otherwise the comparison would be empty. */
		check_row("%s: %zu found", pattern_rows[row].expression, found);
		CHECK(found > 50 && found < 3000);
	}
	rows_free(rows);
}

static void
check_file_lines(const struct row *rows, const char *path)
{
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t capacity = 0;
	ssize_t length;

	check_row("%s", path);
	if (!CHECK(file != NULL))
		return;
	while ((length = getline(&line, &capacity, file)) > 0) {
		for (size_t row = 0; row < pattern_row_count; row++)
			check_same(&rows[row], pattern_rows[row].expression, line,
				(size_t)length - (line[length - 1] == '\n'));
	}
	free(line);
	fclose(file);
}

static void
samples(void)
{
	struct row *rows = rows_new();
	check_file_lines(rows, SAMPLES);
	check_file_lines(rows, NEAR_MISSES);
	rows_free(rows);
}

static void
any_bytes(void)
{
	struct row *rows = rows_new();
	uint64_t state = 8;
	for (size_t i = 0; i < 300; i++) {
		char text[300];
		for (size_t at = 0; at < sizeof text; at++) {
			text[at] = (char)randomness_below(&state, 256);
			if (text[at] == '\n')
				text[at] = '\0';
		}
		for (size_t row = 0; row < pattern_row_count; row++)
			check_same(&rows[row], pattern_rows[row].expression, text, sizeof text);
	}
	rows_free(rows);
}

/* --- match limit --- */

/* Each part but the last, repeated thousands of times or all in turn, and the last part without its
 * end. */
static char *
made_to_run_away_new(const struct parts *parts, size_t length, bool in_turn)
{
	char *text = malloc(length);
	size_t blocks = parts->count > 1 ? parts->count - 1 : 1;
	const char *last = parts->texts[parts->count - 1];
	size_t last_size = strlen(last) - 1;
	size_t used = 0, next = 0;

	while (used + last_size < length) {
		size_t which = in_turn ? next++ % blocks : used * blocks / length;
		size_t size = strlen(parts->texts[which]);
		if (size > length - last_size - used)
			size = length - last_size - used;
		memcpy(text + used, parts->texts[which], size);
		used += size;
	}
	memcpy(text + used, last, length - used);
	return text;
}

/* One part repeated, and another one at an end, without which a search may end early. */
static char *
repeated_new(const char *part, const char *other, size_t length, bool at_end)
{
	char *text = malloc(length);
	for (size_t at = 0; at < length; at++)
		text[at] = part[at % strlen(part)];
	memcpy(at_end ? text + length - strlen(other) : text, other, strlen(other));
	return text;
}

/* Take ownership of the text. */
static void
check_ends(const struct row *row, const char *expression, const char *kind, char *text)
{
	check_row("%s on %s: %.60s", expression, kind, text);
	CHECK(rx_find(row->linear, text, MATCHER_TEXT_MAX_BYTES, NULL) != RX_GAVE_UP);
	free(text);
}

static void
check_pairs(const struct row *row, const char *expression)
{
	const struct parts *parts = &row->parts;
	for (size_t part = 0; part < parts->count; part++) {
		for (size_t other = 0; other < parts->count; other++) {
			check_ends(row, expression, "repeated",
				repeated_new(parts->texts[part], parts->texts[other],
					MATCHER_TEXT_MAX_BYTES, false));
			check_ends(row, expression, "repeated",
				repeated_new(parts->texts[part], parts->texts[other],
					MATCHER_TEXT_MAX_BYTES, true));
		}
	}
}

static void
longest_texts(void)
{
	const size_t length = MATCHER_TEXT_MAX_BYTES;
	struct row *rows = rows_new();
	for (size_t row = 0; row < pattern_row_count; row++) {
		const char *expression = pattern_rows[row].expression;
		const struct parts *parts = &rows[row].parts;
		check_ends(
			&rows[row], expression, "each", made_to_run_away_new(parts, length, false));
		check_ends(&rows[row], expression, "all in turn",
			made_to_run_away_new(parts, length, true));
		check_pairs(&rows[row], expression);
	}
	rows_free(rows);
}

/* The limit is real: the same texts exceed it in the plain form. */
static void
plain_runs_away(void)
{
	struct row *rows = rows_new();
	size_t gave_up = 0;
	for (size_t row = 0; row < pattern_row_count; row++) {
		char *text = made_to_run_away_new(&rows[row].parts, MATCHER_TEXT_MAX_BYTES, false);
		gave_up +=
			rx_find(rows[row].plain, text, MATCHER_TEXT_MAX_BYTES, NULL) == RX_GAVE_UP;
		free(text);
	}
	CHECK(gave_up > 0);
	rows_free(rows);
}

/* --- the matcher --- */

static struct matcher *
whole_new(void)
{
	bool enabled[LOGPATTERN_N];
	memset(enabled, true, sizeof enabled);
	struct matcher *matcher = matcher_new(enabled);
	CHECK(matcher != NULL);
	return matcher;
}

/* Made of the parts of each row, with all of the row's keys in the searched part. */
static void
longer_texts(void)
{
	const size_t length = (size_t)1 << 20;
	struct matcher *matcher = whole_new();
	struct row *rows = rows_new();
	for (size_t row = 0; row < pattern_row_count; row++) {
		char *text = made_to_run_away_new(&rows[row].parts, length, true);
		const char *key = pattern_rows[row].key;
		memcpy(text, key, strlen(key));
		check_row("%.80s", text);
		CHECK(!match_bytes(matcher, text, length).gave_up);
		free(text);
	}
	rows_free(rows);
	matcher_free(matcher);
}

static struct match
match_text(const struct matcher *matcher, const char *text)
{
	return match_bytes(matcher, text, strlen(text));
}

static void
first_row_wins(void)
{
	static const struct {
		const char *text;
		enum logpattern pattern;
	} rows[] = {
		{"mlx5_core 0000:18:00.0: Fatal error 1 detected", LOGPATTERN_FATAL_SENSOR},
		{"mlx5_core 0000:18:00.0: Fatal error 3 detected", LOGPATTERN_NIC_RESET_SENSOR},
		{"mlx5_core 0000:18:00.0: Fatal error 10 detected", LOGPATTERN_NIC_RESET_SENSOR},
		{"mlx5_core 0000:18:00.0: device's health compromised - reached miss count",
			LOGPATTERN_HEALTH_POLL_FAILED},
		{"mlx5_core 0000:18:00.0: device's health compromised",
			LOGPATTERN_HEALTH_COMPROMISED},
		{"mlx5_core 0000:18:00.0: synd 0x8: unrecoverable hardware error",
			LOGPATTERN_UNRECOVERABLE_ERR},
		{"mlx5_core 0000:18:00.0: Port module event[error]: module 0, Cable error, High "
		 "Temperature",
			LOGPATTERN_PORT_MODULE_HIGH_TEMP},
		{"mlx5_core 0000:18:00.0: nothing in particular", LOGPATTERN_N},
		{"", LOGPATTERN_N},
		{"a Fatal error 1 detected in mlx5_core", LOGPATTERN_N},
		/* Any file's name is allowed there: the message does not start like the
		 * driver's. */
		{"a.out[1]: segfault at 0 in mlx5_core 0000:18:00.0: Fatal error 1 detected[4+1]",
			LOGPATTERN_N},
		{"a.out[1]: segfault at 0 in \nmlx5_core 0000:18:00.0: Fatal error 1 detected",
			LOGPATTERN_N},
		{"mlx5_core 0000:18:00.0: renamed from Fatal error 1 detected", LOGPATTERN_N},
		{"mlx5_core 0000:18:00.0: \nFatal error 1 detected", LOGPATTERN_N},
		{"mlx5_core 0000:18:00.0: Firmware over 1 MS in \ninitializing state, aborting",
			LOGPATTERN_N},
		{"nvme 0000:18:00.0: Fatal error 1 detected", LOGPATTERN_N},
	};
	struct matcher *matcher = whole_new();
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("%s", rows[i].text);
		struct match match = match_text(matcher, rows[i].text);
		CHECK_INT(match.pattern, rows[i].pattern);
		CHECK(!match.gave_up);
	}
	matcher_free(matcher);
	matcher_free(NULL);
}

static void
disabled(void)
{
	bool enabled[LOGPATTERN_N] = {false};
	enabled[LOGPATTERN_HEALTH_COMPROMISED] = true;
	struct matcher *matcher = matcher_new(enabled);
	CHECK_INT(
		match_text(matcher, "mlx5_core 0000:18:00.0: device's health compromised").pattern,
		LOGPATTERN_HEALTH_COMPROMISED);
	/* A text of a disabled pattern does not fall back to another pattern. */
	const char *text =
		"mlx5_core 0000:18:00.0: device's health compromised - reached miss count";
	CHECK_INT(match_text(matcher, text).pattern, LOGPATTERN_N);
	CHECK_INT(match_text(matcher, "mlx5_core 0000:18:00.0: Fatal error 1 detected").pattern,
		LOGPATTERN_N);
	CHECK(!match_text(matcher, "BUG: soft lockup - CPU#9 stuck for 22s!").is_frame);
	CHECK(match_text(matcher, "mlx5_x: 3 callbacks suppressed").is_suppressed);
	matcher_free(matcher);
}

static void
marks(void)
{
	struct matcher *matcher = whole_new();
	struct match match = match_text(matcher, "mlx5e_napi_poll+0x1a2/0x6b0 [mlx5_core]");
	CHECK(match.is_frame && !match.is_suppressed && match.pattern == LOGPATTERN_N);
	match = match_text(matcher, "mlx5_cmd_out_err: 12 callbacks suppressed");
	CHECK(!match.is_frame && match.is_suppressed);
	match = match_text(matcher, "eth0: link up");
	CHECK(!match.is_frame && !match.is_suppressed);
	matcher_free(matcher);
}

static void
long_text(void)
{
	struct matcher *matcher = whole_new();
	static const char fault[] = "mlx5_core 0000:18:00.0: Firmware over 1 MS in ",
			  rest[] = "initializing state, aborting";
	size_t length = 2 * MATCHER_TEXT_MAX_BYTES;
	char *text = check_repeat_new('-', length);
	memcpy(text, fault, strlen(fault));
	memcpy(text + MATCHER_TEXT_MAX_BYTES - strlen(rest), rest, strlen(rest));
	CHECK_INT(match_bytes(matcher, text, length).pattern, LOGPATTERN_FW_INIT_TIMEOUT);
	memset(text + strlen(fault), '-', length - strlen(fault));
	memcpy(text + MATCHER_TEXT_MAX_BYTES - strlen(rest) + 1, rest, strlen(rest));
	CHECK_INT(match_bytes(matcher, text, length).pattern, LOGPATTERN_N);
	free(text);
	matcher_free(matcher);
}

static void
candidates(void)
{
	static const struct {
		const char *line;
		bool is;
	} rows[] = {
		{"{\"MESSAGE\":\"eth0: link up\"}", false},
		{"{\"MESSAGE\":[109,108,120]}", true},
		{"{\"MESSAGE\" : [109,108,120]}", true},
		{"{\"MESSAGE\":null}", false},
		{"{\"MESSAGE\":\"mlx5_core 0000:18:00.0: Fatal error 1 detected\"}", true},
		{"{\"kind\":\"event\"}", true},
		{"{\"MESSAGE\"", false},
		{"mlx5_core 0000:18:00.0: Fatal error 1 detected", true},
		{"eth0: link up", false},
		{"", false},
	};
	struct matcher *matcher = whole_new();
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("%s", rows[i].line);
		CHECK_INT(matcher_is_candidate(
				  matcher_meaning(matcher, rows[i].line, strlen(rows[i].line)),
				  rows[i].line, strlen(rows[i].line)),
			rows[i].is);
	}
	matcher_free(matcher);
}

static void
linear_forms(void)
{
	static const struct {
		const char *plain, *linear;
	} rows[] = {
		{"A", "\\A(?>.*?A)"},
		{"A.*B", "\\A(?>.*?A)(?>.*?B)"},
		{"(A.*B|B.*A).*C", "\\A(?>.*?(A(*COMMIT).*?B|B(*COMMIT).*?A))(?>.*?C)"},
		{"A\\(.*B\\)", "\\A(?>.*?A\\()(?>.*?B\\))"},
		{"A\\..*B", "\\A(?>.*?A\\.)(?>.*?B)"},
		{"A(?!/| e)", "\\A(?>.*?A(?!/| e))"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char *linear = matcher_linear_new(rows[i].plain);
		CHECK_STR(linear, rows[i].linear);
		free(linear);
	}
}

static const struct check_test tests[] = {
	{"an expression is rewritten part by part", linear_forms},
	{"the linear form agrees with the plain one on texts of the row's own parts", own_parts},
	{"the linear form agrees with the plain one on the samples and near misses", samples},
	{"the linear form agrees with the plain one on any bytes", any_bytes},
	{"no text of the maximum length makes a linear form give up", longest_texts},
	{"no line of 1 MiB makes the matcher give up", longer_texts},
	{"the plain form gives up on adversarial texts", plain_runs_away},
	{"of several matching rows the first one counts", first_row_wins},
	{"a disabled pattern is not found under any name", disabled},
	{"frames and suppressed messages are marked", marks},
	{"only the start of a text that is too long is searched", long_text},
	{"a line of JSON is a candidate by its text or a byte array", candidates},
};
CHECK_MAIN(tests)

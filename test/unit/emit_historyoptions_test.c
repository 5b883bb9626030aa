/* Unit tests of emit's historyoptions: what of a spool is to be shown or sent again. */
#include "../../tools/emit/history.h"

#include "check.h"
#include "diag.h"
#include "num.h"

#include <stdlib.h>
#include <unistd.h>

struct given {
	enum history_option option;
	const char *value;
};

/* Longest command line of the tables below. */
#define GIVEN_MAX 5

static void
take_all(struct history_options *options, const struct given *given, size_t count)
{
	*options = (struct history_options){.now_ns = 86400 * NUM_NS_PER_S};
	for (size_t i = 0; i < count; i++)
		CHECK_STR(history_option_take(options, given[i].option, given[i].value), NULL);
}

static void
together(void)
{
	static const struct {
		struct given given[GIVEN_MAX];
		size_t count;
		const char *id;
		const char *said; /* NULL: it goes together */
	} rows[] = {
		{{{0}}, 0, NULL, NULL},
		{{{0}}, 0, "events.ndjson", NULL},
		{{{HISTORY_EVENTS, NULL}}, 1, NULL, NULL},
		{{{HISTORY_EVENTS, NULL}, {HISTORY_STANDING, NULL}, {HISTORY_DEAD_LETTERS, NULL},
			 {HISTORY_SINCE, "2h"}, {HISTORY_FORMAT, "json"}},
			5, NULL, NULL},
		{{{HISTORY_STANDING, NULL}, {HISTORY_FATAL, NULL}, {HISTORY_DEVICE, "mlx5_0"}}, 3,
			NULL, NULL},
		{{{HISTORY_REPLAY, NULL}}, 1, "t-1", NULL},
		{{{HISTORY_REPLAY, NULL}, {HISTORY_SINCE, "2h"}, {HISTORY_FATAL, NULL}}, 3, NULL,
			NULL},
		{{{HISTORY_EVENTS, NULL}}, 1, "t-1", "unexpected operand 't-1'"},
		{{{HISTORY_STANDING, NULL}, {HISTORY_SINCE, "2h"}}, 2, NULL,
			"--since belongs to --history, --dead-letters or --replay"},
		{{{HISTORY_SINCE, "2h"}}, 1, NULL, "--since, --device and --fatal belong to"},
		{{{HISTORY_DEVICE, "x"}}, 1, NULL, "--since, --device and --fatal belong to"},
		{{{HISTORY_FATAL, NULL}}, 1, NULL, "--since, --device and --fatal belong to"},
		{{{HISTORY_FORMAT, "table"}}, 1, NULL, "--format belongs to"},
		{{{HISTORY_REPLAY, NULL}, {HISTORY_FORMAT, "json"}}, 2, NULL,
			"--format belongs to"},
		{{{HISTORY_REPLAY, NULL}, {HISTORY_EVENTS, NULL}}, 2, NULL, "only show them"},
		{{{HISTORY_REPLAY, NULL}, {HISTORY_STANDING, NULL}}, 2, NULL, "only show them"},
		{{{HISTORY_REPLAY, NULL}, {HISTORY_FATAL, NULL}}, 2, "t-1", "but not both"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct history_options options;
		char *operands[2] = {rows[i].id != NULL ? strdup(rows[i].id) : NULL, NULL};
		check_row("row %zu", i);
		take_all(&options, rows[i].given, rows[i].count);
		check_capture(STDERR_FILENO);
		int status = history_options_check(&options, operands);
		char *said = check_captured_new(STDERR_FILENO);
		CHECK_INT(status, rows[i].said != NULL ? EXIT_USAGE : 0);
		CHECK_HAS(said, rows[i].said != NULL ? rows[i].said : "");
		CHECK_INT(check_occurrences(said, "\n"), rows[i].said != NULL);
		free(said);
		free(operands[0]);
	}
}

static void
values(void)
{
	struct history_options options = {.now_ns = 86400 * NUM_NS_PER_S};
	CHECK(!history_is_shown(&options));
	CHECK_STR(history_option_take(&options, HISTORY_SINCE, "2h"), NULL);
	CHECK_U64(options.since_ns, (86400 - 7200) * NUM_NS_PER_S);
	CHECK_HAS(history_option_take(&options, HISTORY_SINCE, "soon"), "not a duration");
	CHECK_STR(history_option_take(&options, HISTORY_DEVICE, "mlx5_0"), NULL);
	CHECK_STR(options.device, "mlx5_0");
	CHECK_STR(history_option_take(&options, HISTORY_DEVICE, ""), "a name is missing");
	CHECK_STR(history_option_take(&options, HISTORY_FORMAT, "json"), NULL);
	CHECK(options.json);
	CHECK_STR(history_option_take(&options, HISTORY_FORMAT, "table"), NULL);
	CHECK(!options.json);
	CHECK_STR(
		history_option_take(&options, HISTORY_FORMAT, "csv"), "table or json is expected");
	CHECK_STR(history_option_take(&options, HISTORY_REPLAY, NULL), NULL);
	CHECK(options.replay && !history_is_shown(&options));
	CHECK_STR(history_option_take(&options, HISTORY_DEAD_LETTERS, NULL), NULL);
	CHECK(history_is_shown(&options));
}

static const struct check_test tests[] = {
	{"options that do not go together are said in one line", together},
	{"values are taken, or refused with a reason", values},
};
CHECK_MAIN(tests)

/* Unit tests of nichist's options: what to show of a spool, or to send again. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/nichist/options.h"

#include "check.h"
#include "diag.h"
#include "num.h"

#include <stdlib.h>
#include <unistd.h>

/* Longest command line of the tables below. */
#define ARGS 6

/* Parse under this program name; return the messages in `*said`, to free(). */
static int
parse(struct options *options, const char *name, const char *const args[ARGS], int *exit_code,
	char **said)
{
	char *argv[ARGS + 2] = {strdup(name)};
	int argc = 1;
	for (; argc <= ARGS && args[argc - 1] != NULL; argc++)
		argv[argc] = (char *)args[argc - 1];
	diag_init(argv[0]);
	*exit_code = 0;
	check_capture(STDERR_FILENO);
	int first = options_parse(options, argc, argv, exit_code);
	*said = check_captured_new(STDERR_FILENO);
	diag_init("nichist");
	free(argv[0]);
	return first;
}

static void
together(void)
{
	static const struct {
		const char *args[ARGS];
		const char *said; /* NULL: accepted */
	} rows[] = {
		{{NULL}, NULL},
		{{"--history"}, NULL},
		{{"--history", "--standing", "--changes", "--dead-letters", "--since=2h",
			 "--format=json"},
			NULL},
		{{"--standing", "--fatal", "--device=mlx5_0"}, NULL},
		{{"--replay", "t-1"}, NULL},
		{{"--replay", "--since=2h", "--fatal"}, NULL},
		{{"--replay", "--sink=-", "--sink=file:f"}, NULL},
		{{"events.ndjson"}, "unexpected operand 'events.ndjson'"},
		{{"--history", "t-1"}, "unexpected operand 't-1'"},
		{{"--standing", "--since=2h"},
			"--since belongs to --history, --changes, --dead-letters or --replay"},
		{{"--replay", "--format=json"}, "--format belongs to"},
		{{"--replay", "--history"}, "only show them"},
		{{"--replay", "--standing"}, "only show them"},
		{{"--replay", "--fatal", "t-1"}, "but not both"},
		{{"--replay", "--node=n", "t-1"}, "but not both"},
		{{"--sink=-"}, "--sink: --history, --standing, --changes and --dead-letters "
			       "deliver nothing"},
		{{"--standing", "--sink=-"}, "deliver nothing"},
		{{"--replay", "--sink=-", "--sink=-"}, "-: it is given twice"},
		{{"--since=soon"}, "not a duration"},
		{{"--device="}, "a name is missing"},
		{{"--spool="}, "a path is missing"},
		{{"--format=csv"}, "table or json is expected"},
		{{"--sink=bogus"}, "unknown kind of sink"},
		{{"--kill-at=never"}, "known: store, send"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct options options;
		int exit_code;
		char *said;
		check_row("row %zu", i);
		int first = parse(&options, "nichist", rows[i].args, &exit_code, &said);
		CHECK_INT(first < 0, rows[i].said != NULL);
		CHECK_INT(exit_code, rows[i].said != NULL ? EXIT_USAGE : 0);
		CHECK_HAS(said, rows[i].said != NULL ? rows[i].said : "");
		CHECK_HAS(said, rows[i].said != NULL ? "(try 'nichist --help')" : "");
		CHECK_INT(check_occurrences(said, "\n"), rows[i].said != NULL);
		options_fini(&options);
		free(said);
	}
}

static void
values(void)
{
	const char *const args[ARGS] = {"--since=2h", "--device=mlx5_0", "--format=json",
		"--node=n", "--spool=s", "--baseline"};
	struct options options;
	const struct history_options *history = &options.history;
	int exit_code;
	char *said;
	CHECK_INT(parse(&options, "nichist", args, &exit_code, &said), 7);
	CHECK_STR(said, "");
	CHECK(history->events && options_show(&options) && !history->replay);
	CHECK_U64(history->since_ns, history->now_ns - 7200 * NUM_NS_PER_S);
	CHECK_STR(history->device, "mlx5_0");
	CHECK_STR(history->node, "n");
	CHECK_STR(history->path, "s");
	CHECK(history->json && history->baseline && !history->fatal);
	options_fini(&options);
	free(said);
}

static void
replay_defaults(void)
{
	const char *const args[ARGS] = {"--replay"};
	struct options options;
	int exit_code;
	char *said;
	CHECK_INT(parse(&options, "nichist", args, &exit_code, &said), 2);
	CHECK(options.history.replay && !options_show(&options));
	CHECK_STR(options.history.path, "/var/lib/nic-health-monitor/spool.db");
	CHECK_STR(options.history.node, NULL);
	CHECK_STR(options.run.journal.spool_path, NULL);
	CHECK(options.run.setting.baseline && !options.history.baseline);
	CHECK(*options.run.setting.node != '\0');
	CHECK_U64(options.run.spec_count, 1);
	CHECK_STR(options.run.specs[0].text, "-");
	options_fini(&options);
	free(said);
}

static void
as_emit(void)
{
	const char *const args[ARGS] = {"--since=soon"};
	struct options options;
	int exit_code;
	char *said;
	CHECK_INT(parse(&options, "emit", args, &exit_code, &said), -1);
	CHECK_INT(exit_code, EXIT_USAGE);
	CHECK_HAS(said, "emit: error: --since 'soon'");
	CHECK_HAS(said, "(try 'emit --help')");
	options_fini(&options);
	free(said);
}

static const struct check_test tests[] = {
	{"conflicting options are refused in one line", together},
	{"values of options are stored", values},
	{"a replay goes to stdout unless a sink is named, and to no spool", replay_defaults},
	{"started by emit, nichist uses emit's name in messages", as_emit},
};
CHECK_MAIN(tests)

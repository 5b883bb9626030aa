/* Unit tests of emit's options: parsing its command line. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/emit/options.h"
#include "../../tools/emit/out/sinkspec.h"

#include "check.h"
#include "diag.h"
#include "num.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define ARGS 10
#define HOUR_NS (3600 * NUM_NS_PER_S)

/* Parse, and return the messages in `*said`, to free(). */
static int
parse(struct options *options, const char *const args[ARGS], int *exit_code, char **said)
{
	char *argv[ARGS + 2] = {strdup("emit")};
	int argc = 1;
	for (; argc <= ARGS && args[argc - 1] != NULL; argc++)
		argv[argc] = (char *)args[argc - 1];
	diag_init("emit");
	*exit_code = 0;
	check_capture(STDERR_FILENO);
	int first = options_parse(options, argc, argv, exit_code);
	*said = check_captured_new(STDERR_FILENO);
	free(argv[0]);
	return first;
}

static void
defaults(void)
{
	struct options options;
	int exit_code;
	char *said;
	const char *const none[ARGS] = {NULL};
	CHECK_INT(parse(&options, none, &exit_code, &said), 1);
	const struct run_options *run = &options.run;
	CHECK_STR(said, "");
	CHECK_U64(run->spec_count, 1);
	CHECK(run->specs[0].kind == &sink_stdout);
	CHECK_STR(run->specs[0].text, "-");
	CHECK_U64(run->routing.window_ns, 5 * NUM_NS_PER_S);
	CHECK_U64(run->routing.batch_max, 100);
	CHECK_U64(run->setting.batch_max, 100);
	CHECK_U64(run->setting.timeout_ms, 5000);
	CHECK_U64(run->setting.resend_ns, 60 * NUM_NS_PER_S);
	CHECK_U64(run->flush_timeout_ns, 5 * NUM_NS_PER_S);
	CHECK_U64(run->journal.retention.keep_ns, 7 * 24 * HOUR_NS);
	CHECK_U64(run->journal.retention.max_bytes, 100 << 20);
	CHECK_STR(run->journal.spool_path, NULL);
	CHECK_STR(run->journal.acks_path, NULL);
	CHECK(run->setting.node != NULL && *run->setting.node != '\0');
	CHECK_STR(run->journal.node, run->setting.node);
	options_fini(&options);
	free(said);
}

static void
taken(void)
{
	struct options options;
	int exit_code;
	char *said;
	const char *const args[ARGS] = {"--sink", "tcp:h:1", "--sink=https://h/", "--token-file=t",
		"--ca-file=c", "--spool=s", "--acks=a", "--batch-max=7", "--node=n", "input"};
	CHECK_INT(parse(&options, args, &exit_code, &said), 10);
	const struct run_options *run = &options.run;
	CHECK_STR(said, "");
	CHECK_U64(run->spec_count, 2);
	CHECK_STR(run->specs[0].text, "tcp:h:1");
	CHECK_STR(run->specs[0].files.token, NULL);
	CHECK_STR(run->specs[1].text, "https://h/");
	CHECK_STR(run->specs[1].files.token, "t");
	CHECK_STR(run->specs[1].files.ca, "c");
	CHECK_STR(run->journal.spool_path, "s");
	CHECK_STR(run->journal.acks_path, "a");
	CHECK_STR(run->journal.node, "n");
	CHECK_STR(run->setting.node, "n");
	CHECK_U64(run->routing.batch_max, 7);
	CHECK_U64(run->setting.batch_max, 7);
	options_fini(&options);
	free(said);
}

static void
sizes(void)
{
	static const struct {
		const char *text;
		uint64_t bytes; /* 0: rejected */
		const char *reason;
	} rows[] = {
		{"--spool-max=1MiB", 1 << 20, NULL},
		{"--spool-max=1024KiB", 1 << 20, NULL},
		{"--spool-max=2GiB", UINT64_C(2) << 30, NULL},
		{"--spool-max=3TiB", UINT64_C(3) << 40, NULL},
		{"--spool-max=000000000000000000000000000001GiB", UINT64_C(1) << 30, NULL},
		{"--spool-max=8388607TiB", UINT64_C(8388607) << 40, NULL},
		{"--spool-max=8388608TiB", 0, "too large"},
		{"--spool-max=99999999999999999999GiB", 0, "too large"},
		{"--spool-max=1023KiB", 0, "less than 1MiB"},
		{"--spool-max=0GiB", 0, "less than 1MiB"},
		{"--spool-max=999999999999999999999GiB", 0, "too large"},
		{"--spool-max=100", 0, "not a size"},
		{"--spool-max=100M", 0, "not a size"},
		{"--spool-max=100MB", 0, "not a size"},
		{"--spool-max=100 MiB", 0, "not a size"},
		{"--spool-max=1.5GiB", 0, "not a size"},
		{"--spool-max=-1GiB", 0, "not a size"},
		{"--spool-max=MiB", 0, "not a size"},
		{"--spool-max=", 0, "not a size"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct options options;
		int exit_code;
		char *said;
		const char *const args[ARGS] = {rows[i].text};
		check_row("%s", rows[i].text);
		int first = parse(&options, args, &exit_code, &said);
		if (rows[i].bytes != 0) {
			CHECK_INT(first, 2);
			CHECK_U64(options.run.journal.retention.max_bytes, rows[i].bytes);
		} else {
			CHECK_INT(first, -1);
			CHECK_INT(exit_code, EXIT_USAGE);
			CHECK_HAS(said, rows[i].reason);
		}
		options_fini(&options);
		free(said);
	}
}

static void
refused(void)
{
	static const struct {
		const char *args[ARGS];
		const char *reason;
	} rows[] = {
		{{"--batch-max=0"}, "not a number from 1 to 10000"},
		{{"--batch-max=10001"}, "not a number from 1 to 10000"},
		{{"--batch-window=5"}, "not a duration"},
		{{"--batch-window=61m"}, "too long"},
		{{"--request-timeout=0"}, "not above 0"},
		{{"--alert-resend=0"}, "not above 0"},
		{{"--flush-timeout=x"}, "not a duration"},
		{{"--keep=forever"}, "not a duration"},
		{{"--spool="}, "a path is missing"},
		{{"--spool=s", "--acks="}, "a path is missing"},
		{{"--boot-id-file="}, "a path is missing"},
		{{"--acks=a"}, "--acks: it needs --spool"},
		{{"--token-file=t"}, "it must come after the --sink that it belongs to"},
		{{"--ca-file=t", "--sink=https://h/"}, "it must come after the --sink"},
		{{"--sink=https://h/", "--ca-file="}, "a file is missing"},
		{{"--sink=http://h/", "--token-file=t"},
			"http://h/: a token is not sent without TLS"},
		{{"--sink=https://h/", "--key-file=k"}, "go together"},
		{{"--sink=tcp:h:1", "--sink=-", "--sink=tcp:h:1"}, "tcp:h:1: it is given twice"},
		{{"--sink=bogus"}, "unknown kind of sink"},
		{{"--kill-at=never"}, "known: store, send"},
		{{"--since=2h"}, "--since, --device and --fatal belong to --history"},
		{{"--device=x"}, "--since, --device and --fatal belong to --history"},
		{{"--fatal"}, "--since, --device and --fatal belong to --history"},
		{{"--format=table"}, "--format belongs to --history"},
		{{"--history", "--test-sink"}, "--test-sink: it delivers only a"},
		{{"--replay", "--metrics-fd=3"}, "--metrics-fd: works only when emit"},
		{{"--standing", "--spool=s", "--acks=a"},
			"--acks: works only when emit receives events"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct options options;
		int exit_code;
		char *said;
		check_row("%s", rows[i].args[0]);
		CHECK_INT(parse(&options, rows[i].args, &exit_code, &said), -1);
		CHECK_INT(exit_code, EXIT_USAGE);
		CHECK_HAS(said, rows[i].reason);
		CHECK_U64(check_occurrences(said, "\n"), 1);
		options_fini(&options);
		free(said);
	}
}

static void
too_many_sinks(void)
{
	struct options options;
	char *argv[SINKS_MAX + 3] = {strdup("emit")};
	int exit_code = 0;
	diag_init("emit");
	for (int i = 1; i <= SINKS_MAX + 1; i++)
		CHECK(asprintf(&argv[i], "--sink=file:%d", i) > 0);
	CHECK_INT(options_parse(&options, SINKS_MAX + 1, argv, &exit_code), SINKS_MAX + 1);
	CHECK_U64(options.run.spec_count, SINKS_MAX);
	options_fini(&options);
	check_capture(STDERR_FILENO);
	CHECK_INT(options_parse(&options, SINKS_MAX + 2, argv, &exit_code), -1);
	char *said = check_captured_new(STDERR_FILENO);
	CHECK_INT(exit_code, EXIT_USAGE);
	CHECK_HAS(said, "too many sinks");
	free(said);
	options_fini(&options);
	for (int i = 0; i <= SINKS_MAX + 1; i++)
		free(argv[i]);
}

static void
keeps_conditions(void)
{
	struct options options;
	int exit_code;
	char *said;
	const char *const without[ARGS] = {"--sink=alertmanager:http://h:9093"},
			  *const with[ARGS] = {"--sink=alertmanager:http://h:9093", "--spool=s"};
	CHECK_INT(parse(&options, without, &exit_code, &said), 2);
	CHECK_STR(options.run.journal.spool_path, DATABASE_IN_MEMORY);
	CHECK_U64(options.run.journal.retention.keep_ns, HOUR_NS);
	options_fini(&options);
	free(said);
	CHECK_INT(parse(&options, with, &exit_code, &said), 3);
	CHECK_STR(options.run.journal.spool_path, "s");
	CHECK_U64(options.run.journal.retention.keep_ns, 7 * 24 * HOUR_NS);
	options_fini(&options);
	free(said);
}

static void
for_nichist(void)
{
	static const char *const words[] = {"emit", "--replay", "--spool=s",
		"--sink=https://h/secret", "--token-file=t", "--device=", "--check-config", "--",
		"t-1"};
	const char *const args[ARGS] = {"--replay", "--spool", "s", "--keep=2d",
		"--sink=https://h/secret", "--token-file=t", "--device=", "--check-config", "t-1",
		"--"};
	struct options options;
	int exit_code;
	char *said;
	char *copy = strdup(args[4]); /* options_parse() overwrites it */
	const char *given[ARGS];
	memcpy(given, args, sizeof given);
	given[4] = copy;
	CHECK(parse(&options, given, &exit_code, &said) > 0);
	CHECK_STR(said, "");
	CHECK(options.asks_nichist);
	CHECK(strstr(copy, "secret") == NULL);
	char *const *nichist = arguments_argv(&options.nichist);
	for (size_t i = 0; i < CHECK_COUNT(words); i++)
		CHECK_STR(nichist[i], words[i]);
	CHECK_STR(nichist[CHECK_COUNT(words)], NULL);
	options_fini(&options);
	free(copy);
	free(said);
}

static const struct check_test tests[] = {
	{"without options there is one sink and no spool", defaults},
	{"an option of a sink applies to the sink before it", taken},
	{"a size needs a unit", sizes},
	{"wrong or conflicting options are refused in one line", refused},
	{"sinks are accepted up to the limit, and no more", too_many_sinks},
	{"an Alertmanager sink without a spool keeps its conditions in memory", keeps_conditions},
	{"nichist gets its options whole and in order, without those of emit alone", for_nichist},
};
CHECK_MAIN(tests)

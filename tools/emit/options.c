/* options - parses emit's command line. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include "array.h"
#include "delivery.h"
#include "diag.h"
#include "fault.h"
#include "metrics.h"
#include "num.h"
#include "opt.h"
#include "overlap.h"

#include <string.h>

#define YEAR_NS (DELIVERY_DAY_NS * 365)
#define MIB ((uint64_t)1 << 20)

/* A smaller spool would hold too few events. */
#define SPOOL_LEAST_BYTES MIB

/* Scope of an option that nichist does not have. */
enum { ONLY_EMIT = 1 };

#define NO_PATH "a path is missing"

static const struct opt_limits keep = {
	0, YEAR_NS * 100, .malformed = "not a duration such as 250ms, 1s, 5m or 7d, or too long"};
static const struct opt_limits spool_size = {SPOOL_LEAST_BYTES, INT64_MAX,
	.malformed = "not a size such as 100MiB", .below = "less than 1MiB", .above = "too large"};

static const struct opt_spec specs[] = {
	OPT_TABLE(delivery_options, DELIVERY_OPTIONS_N, struct options, run),
	{"spool", "FILE", "keep events in FILE until they are delivered, and as history",
		OPT_PATH(struct options, run.journal.spool_path, NO_PATH)},
	{"acks", "FILE", "acknowledge stored events in FILE, for the programs that write events",
		OPT_PATH(struct options, run.journal.acks_path, NO_PATH), .scope = ONLY_EMIT},
	{"silences", "FILE", "silences set by operators, see nicsilence(1)",
		OPT_PATH(struct options, run.silences_path, NO_PATH), .scope = ONLY_EMIT},
	{"keep", "DURATION", "how long to keep delivered events (7d)",
		OPT_DURATION(struct options, run.journal.retention.keep_ns, &keep),
		.scope = ONLY_EMIT},
	{"spool-max", "SIZE", "largest size of the spool (100MiB)",
		OPT_SIZE(struct options, run.journal.retention.max_bytes, &spool_size),
		.scope = ONLY_EMIT},
	{"boot-id-file", "FILE", "take the boot id from FILE (/proc/sys/kernel/random/boot_id)",
		OPT_PATH(struct options, run.journal.boot_id_path, NO_PATH), .scope = ONLY_EMIT},
	{METRICS_OPTION, OPT_TEXT(struct options, metrics_fd), .scope = ONLY_EMIT},

	/* nichist parses the values of these. */
	{"history", NULL, "as nichist: show the events in the spool",
		OPT_FLAG(struct options, asks_nichist)},
	{"standing", NULL, "as nichist: show active conditions, and what sinks have not received",
		OPT_FLAG(struct options, asks_nichist)},
	{"changes", NULL, "as nichist: show changes of devices and ports",
		OPT_FLAG(struct options, asks_nichist)},
	{"dead-letters", NULL, "as nichist: show the events that sinks have refused",
		OPT_FLAG(struct options, asks_nichist)},
	{"replay", NULL, "as nichist: send events of the spool again: the operands are their ids",
		OPT_FLAG(struct options, asks_nichist)},
	{"since", "WHEN", "for these: since WHEN: 2h, 7d, yesterday, or a date and time",
		OPT_FLAG(struct options, has_choice)},
	{"device", "NAME", "for these: only this device", OPT_FLAG(struct options, has_choice)},
	{"fatal", NULL, "for these: only fatal ones", OPT_FLAG(struct options, has_choice)},
	{"format", "FORMAT", "for these: table or json (table)",
		OPT_FLAG(struct options, has_format)},

	{"test-sink", NULL, "send a healthy test event to each sink, print each answer, and exit",
		OPT_FLAG(struct options, test_sink), .scope = ONLY_EMIT},
	{"check-config", NULL, "check the options, and exit", OPT_FLAG(struct options, check_only)},
	{FAULT_OPTION},
};

/* Copy the value: delivery.c overwrites one that may be a secret. */
static void
note_option(void *target, size_t index, const struct opt_given *given)
{
	struct options *options = target;
	(void)index;
	if (given->spec->scope != ONLY_EMIT)
		arguments_add_option(&options->nichist, given->name, given->value);
}

static const struct opt_tool tool = {
	.name = "emit",
	.purpose = "Deliver event records to sinks, in order; records of other kinds are ignored.",
	.operands = "[FILE|-]...",
	.options = specs,
	.count = ARRAY_COUNT(specs),
	.note = note_option,
};

/* --- all of them --- */

/* Return NULL, or the reason why the options conflict; `*about` is its subject. */
static const char *
check(const struct options *options, const char **about)
{
	const struct journal_options *journal = &options->run.journal;
	*about = "--test-sink";
	if (options->test_sink && options->asks_nichist)
		return "it delivers only a test event";
	if (options->test_sink && (journal->spool_path != NULL || options->metrics_fd != NULL))
		return "a test event is neither stored nor counted";
	*about = "--metrics-fd";
	if (options->metrics_fd != NULL && options->asks_nichist)
		return "works only when emit delivers events";
	*about = "--acks";
	if (journal->acks_path != NULL && options->asks_nichist)
		return "works only when emit receives events";
	if (options->run.silences_path != NULL && journal->spool_path == NULL) {
		*about = "--silences";
		return "it needs --spool, to send conditions that are still active when a silence "
		       "ends";
	}
	if (journal->acks_path != NULL && journal->spool_path == NULL)
		return "it needs --spool: only stored events are acknowledged";
	if (journal->acks_path != NULL &&
		(strcmp(journal->spool_path, DATABASE_IN_MEMORY) == 0 ||
			strcmp(journal->spool_path, journal->acks_path) == 0))
		return "it needs a --spool that is another file";
	return NULL;
}

/* Return an error if an option is given that only nichist uses; NULL: none. */
static const char *
find_stray(const struct options *options)
{
	if (!options->asks_nichist && options->has_choice)
		return "--since, --device and --fatal belong to --history, --standing, --changes, "
		       "--dead-letters or --replay";
	if (!options->asks_nichist && options->has_format)
		return "--format belongs to --history, --standing, --changes or --dead-letters";
	return NULL;
}

/* Return 0, or the exit code after reporting the error. */
static int
check_all(struct options *options, char *const *operands)
{
	const char *stray = find_stray(options), *about;
	if (stray != NULL) {
		diag_error("%s (try 'emit --help')", stray);
		return EXIT_USAGE;
	}
	if (options->test_sink && *operands != NULL)
		return opt_unexpected_operand(*operands);
	int code = EXIT_USAGE;
	const char *reason = check(options, &about);
	/* nichist checks its sinks itself. */
	if (reason == NULL && !options->asks_nichist)
		reason = delivery_check(&options->run, &about, &code);
	if (reason == NULL)
		return 0;
	diag_error("%s: %s (try 'emit --help')", about, reason);
	return code;
}

/* Check that no file has two uses. Return 0, or the exit code after reporting it. */
static int
check_uses(const struct options *options, char *const *operands)
{
	static char stdin_name[] = "-";
	static char *const only_stdin[] = {stdin_name, NULL};
	bool reads_stdin = *operands == NULL && !options->test_sink;
	return overlap_check(&options->run, options->run.journal.spool_path,
		reads_stdin ? only_stdin : operands);
}

/* Append the operands to nichist's argv. */
static void
pass_on_operands(struct options *options, char *const *operands)
{
	arguments_add(&options->nichist, "--");
	for (; *operands != NULL; operands++)
		arguments_add(&options->nichist, *operands);
}

static void
set_defaults(struct options *options)
{
	*options = (struct options){0};
	delivery_init(&options->run);
	options->run.journal.boot_id_path = "/proc/sys/kernel/random/boot_id";
	options->run.journal.retention.keep_ns = DELIVERY_DAY_NS * 7;
	options->run.journal.retention.max_bytes = 100 * MIB;
	arguments_add(&options->nichist, "emit");
}

int
options_parse(struct options *options, int argc, char **argv, int *exit_code)
{
	set_defaults(options);
	int first = opt_parse(&tool, argc, argv, options, exit_code);
	if (first < 0)
		return -1;
	if (options->asks_nichist)
		pass_on_operands(options, argv + first);
	*exit_code = check_all(options, argv + first);
	/* nichist checks the rest itself. */
	if (*exit_code != 0 || options->asks_nichist)
		return *exit_code == 0 ? first : -1;
	*exit_code = delivery_complete(&options->run);
	if (*exit_code == 0)
		*exit_code = check_uses(options, argv + first);
	return *exit_code == 0 && !options->check_only ? first : -1;
}

void
options_fini(struct options *options)
{
	delivery_fini(&options->run);
	arguments_fini(&options->nichist);
}

/* options - parses nichist's command line. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include "../emit/delivery.h"
#include "../emit/fault.h"
#include "../emit/overlap.h"
#include "../emit/store/schema.h"
#include "array.h"
#include "clock.h"
#include "diag.h"
#include "opt.h"
#include "place.h"
#include "when.h"

#include <stdlib.h>
#include <string.h>

static const char *
accept_since(void *target, const struct opt_given *given)
{
	struct history_options *history = &((struct options *)target)->history;
	history->has_since = true;
	return when_parse(given->value, history->now_ns, &history->since_ns);
}

static const char *
accept_format(void *target, const struct opt_given *given)
{
	struct history_options *history = &((struct options *)target)->history;
	history->has_format = true;
	history->json = strcmp(given->value, "json") == 0;
	return history->json || strcmp(given->value, "table") == 0 ? NULL
								   : "table or json is expected";
}

static const struct opt_spec specs[] = {
	{"history", NULL, "show the events in the spool (default)",
		OPT_FLAG(struct options, history.events)},
	{"standing", NULL, "show active conditions, and what sinks have not received",
		OPT_FLAG(struct options, history.standing)},
	{"changes", NULL, "show changes of devices and ports",
		OPT_FLAG(struct options, history.changes)},
	{"dead-letters", NULL, "show the events that sinks have refused",
		OPT_FLAG(struct options, history.dead_letters)},
	{"replay", NULL, "send events of the spool again: the operands are their ids",
		OPT_FLAG(struct options, history.replay)},
	{"since", "WHEN", "since WHEN: 2h, 7d, yesterday, or a date and time",
		OPT_OTHER(accept_since)},
	{"device", "NAME", "only this device, or with /PORT only this port",
		OPT_PATH(struct options, history.place, "a name is missing")},
	{"fatal", NULL, "only fatal ones", OPT_FLAG(struct options, history.fatal)},
	{"format", "FORMAT", "table or json (table)", OPT_OTHER(accept_format)},
	{"spool", "FILE", "the spool (" SCHEMA_DEFAULT_PATH ")",
		OPT_PATH(struct options, history.path, "a path is missing")},
	OPT_TABLE(delivery_options, DELIVERY_OPTIONS_N, struct options, run),
	{"check-config", NULL, "check the options, and exit", OPT_FLAG(struct options, check_only)},
	{FAULT_OPTION},
};

/* --- checks --- */

bool
options_show(const struct options *options)
{
	const struct history_options *history = &options->history;
	return history->events || history->standing || history->changes || history->dead_letters;
}

/* Return a message about options that exclude each other, or NULL. */
static const char *
find_conflict(const struct options *options, bool has_ids)
{
	const struct history_options *history = &options->history;
	bool shows = options_show(options);
	bool chooses = history->has_since || history->place != NULL || history->fatal ||
		       history->node != NULL;

	if (history->replay && shows)
		return "--replay sends events; --history, --standing, --changes and --dead-letters "
		       "only show them";
	if (history->replay && history->has_format)
		return "--format belongs to --history, --standing, --changes or --dead-letters";
	/* Do not let --since hide a condition that has stood for long. */
	if (history->has_since && shows && !history->events && !history->changes &&
		!history->dead_letters)
		return "--since belongs to --history, --changes, --dead-letters or --replay; "
		       "--standing shows all active conditions, however old";
	if (history->replay && chooses && has_ids)
		return "--replay takes ids, or --since, --device, --fatal and --node, but not both";
	if (shows && options->run.spec_count > 0)
		return "--sink: --history, --standing, --changes and --dead-letters deliver "
		       "nothing";
	return NULL;
}

/* Return 0, or the exit code after a message. */
static int
check_all(struct options *options, char *const *operands)
{
	const char *about, *reason = find_conflict(options, *operands != NULL);
	if (reason != NULL) {
		diag_error("%s (try '%s --help')", reason, diag_name());
		return EXIT_USAGE;
	}
	if (options_show(options) && *operands != NULL)
		return opt_unexpected_operand(*operands);
	int code;
	reason = delivery_check(&options->run, &about, &code);
	if (reason == NULL)
		return 0;
	diag_error("%s: %s (try '%s --help')", about, reason, diag_name());
	return code;
}

/* Split the place into device and port. Return 0, or the exit code after a message. */
static int
split_place(struct history_options *history)
{
	if (history->place == NULL)
		return 0;
	history->device = strdup(history->place);
	if (history->device == NULL)
		return diag_no_memory();
	if (place_split(history->device, &history->port))
		return 0;
	diag_error("%s/...: not a port from 1 to 255", history->device);
	return EXIT_USAGE;
}

int
options_parse(struct options *options, int argc, char **argv, int *exit_code)
{
	const struct opt_tool tool = {
		.name = diag_name(),
		.purpose = "Show the events in a spool of emit, or send events again.",
		.operands = "[ID]...",
		.options = specs,
		.count = ARRAY_COUNT(specs),
	};
	static char *const no_inputs[] = {NULL};
	*options = (struct options){
		.history = {.path = SCHEMA_DEFAULT_PATH, .now_ns = clock_realtime_ns()}};
	delivery_init(&options->run);
	int first = opt_parse(&tool, argc, argv, options, exit_code);
	if (first < 0)
		return -1;
	struct history_options *history = &options->history;
	history->node = options->run.setting.node;
	history->baseline = options->run.setting.baseline;
	if (!history->replay && !options_show(options))
		history->events = true;
	*exit_code = split_place(history);
	if (*exit_code == 0)
		*exit_code = check_all(options, argv + first);
	/* --replay sends exactly the selected events, baseline events included. */
	options->run.setting.baseline |= history->replay;
	/* Where a sink needs a spool, it is in memory, and drops none of them for its size. */
	options->run.journal.retention.max_bytes = UINT64_MAX;
	if (*exit_code == 0)
		*exit_code = delivery_complete(&options->run);
	if (*exit_code == 0)
		*exit_code = overlap_check(&options->run, history->path, no_inputs);
	return *exit_code == 0 && !options->check_only ? first : -1;
}

void
options_fini(struct options *options)
{
	free(options->history.device);
	delivery_fini(&options->run);
}

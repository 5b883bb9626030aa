/* correlate - finds patterns over time in events of one node or of many.
 *
 *   main.c            options, exit code
 *   session.c         one run: reads events, stores and writes findings
 *   rules.c           parses the rule file; rules.yaml holds the built-in rules
 *   spool.c           reads events from emit's spool as they arrive
 *   match.c           pure: matches events against a rule's conditions
 *   nodes.c           pure: keeps the events of each node separate and in order
 *   patternmetrics.c  metrics
 *   memory.c          pure: state of all nodes as JSON
 *   engine.c          pure: applies the rules to one node's events
 *   groups.c          pure: groups of events that a rule counts together
 *   marks.c           pure: the events that a group counted, and whether they make its pattern
 *   lasting.c         pure: begins and ends the conditions of rules about how long one lasts
 *   open.c            pure: a group's conditions that no healthy event has answered yet
 *   downtime.c        pure: total downtime in a sliding window
 *   derive.c          pure: formats a finding as an event
 *   explain.c         pure: formats a decision as a record */
/* SPDX-License-Identifier: Apache-2.0 */
#include "array.h"
#include "confine.h"
#include "diag.h"
#include "jsonmemory.h"
#include "line.h"
#include "num.h"
#include "opt.h"
#include "session.h"

#include <string.h>
#include <unistd.h>

#define LATENESS_NS (60 * NUM_NS_PER_S)

struct options {
	struct session_options session;
	const char *rules_path; /* NULL: the built-in rules */
	const char *metrics_fd;
	bool check_rules, print_rules;
	enum confine_mode confine;
};

static const struct opt_limits latenesses = {
	0, 86400 * NUM_NS_PER_S, "not a duration such as 60s", NULL, "more than a day"};

#define NO_FILE "not a file's name"

static const char *
accept_spool(void *target, const struct opt_given *given)
{
	struct options *options = target;
	options->session.spool_path = given->value;
	options->session.live = true;
	return *given->value != '\0' ? NULL : NO_FILE;
}

static const struct opt_spec specs[] = {
	{"rules", "FILE", "read the rules from FILE (those of --print-rules)",
		OPT_TEXT(struct options, rules_path)},
	{"check-rules", NULL, "check the rules, report their errors, and exit",
		OPT_FLAG(struct options, check_rules)},
	{"print-rules", NULL, "print the built-in rules, and exit",
		OPT_FLAG(struct options, print_rules)},
	{"late", "DURATION", "how much later than others an event may arrive (60s)",
		OPT_DURATION(struct options, session.lateness_ns, &latenesses)},
	{"live", NULL, "advance the time by the clock, even while no events arrive",
		OPT_FLAG(struct options, session.live)},
	{"spool", "FILE", "live: read events from emit's spool, and write only derived events",
		OPT_OTHER(accept_spool)},
	{"state", "FILE", "keep the state in FILE across restarts; without it, keep none",
		OPT_PATH(struct options, session.state_path, NO_FILE)},
	{"acks", "FILE", "read from FILE which events the receiver has stored; needs --state",
		OPT_PATH(struct options, session.acks_path, NO_FILE)},
	{"strategy", "WORD", "processingStrategy of derived events (EXECUTE_REMEDIATION)",
		EVENT_STRATEGY(struct options, session.strategy)},
	{"explain", NULL, "also write, for each group of events, why it led to an event or not",
		OPT_FLAG(struct options, session.explain)},
	{CONFINE_OPTION(struct options, confine)},
	{METRICS_OPTION, OPT_TEXT(struct options, metrics_fd)},
};

static const struct opt_tool tool = {
	.name = "correlate",
	.purpose = "Find patterns over time in events, and add an event for each.",
	.operands = "",
	.options = specs,
	.count = ARRAY_COUNT(specs),
};

/* Restrict the process to the files it needs. The state and acks files are replaced by rename, so
 * allow their directories. Return an exit code. */
static int
give_up(const struct options *options)
{
	struct confine confine;
	confine_init(&confine, "correlate", options->confine);
	confine_allow_beside(&confine, options->session.state_path, LANDLOCK_KEEP);
	confine_allow_beside(&confine, options->session.acks_path, LANDLOCK_READ);
	confine_allow_beside(&confine, options->session.spool_path, LANDLOCK_READ);
	return confine_enter(&confine);
}

/* Return the exit code. */
static int
run(const struct options *options, const struct rules *rules)
{
	int status = give_up(options);
	if (status == 0)
		status = session_run(&options->session, rules);
	if (status == 0 && close(STDOUT_FILENO) < 0)
		status = diag_io_failure("stdout");
	return status;
}

static int
run_counted(struct options *options, const struct rules *rules)
{
	int status = metrics_open_option(options->metrics_fd, &options->session.metrics);
	if (status == 0)
		status = run(options, rules);
	metrics_close(options->session.metrics);
	return status;
}

static int
print_rules(void)
{
	if (line_write(STDOUT_FILENO, rules_default_text, strlen(rules_default_text)) < 0)
		return diag_io_failure("stdout");
	return 0;
}

int
main(int argc, char **argv)
{
	struct options options = {.session.lateness_ns = LATENESS_NS,
		.session.strategy = event_strategies[EVENT_EXECUTE_REMEDIATION],
		.confine = confine_default()};
	struct rules rules;

	diag_init("correlate");
	jsonmemory_require();
	int status;
	if (opt_parse(&tool, argc, argv, &options, &status) < 0)
		return status;
	if (options.session.acks_path != NULL && options.session.state_path == NULL) {
		diag_error("--acks needs --state");
		return EXIT_USAGE;
	}
	if (options.print_rules)
		return print_rules();
	status = rules_load(&rules, options.rules_path);
	if (status == 0 && !options.check_rules)
		status = run_counted(&options, &rules);
	rules_fini(&rules);
	return status;
}

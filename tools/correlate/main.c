/* correlate - patterns over time in events, of one node or of many.
 *
 *   main.c     options, events in and out, exit
 *   rules.c    the rule file; rules.yaml is the one that is built in
 *   match.c    pure: which events a rule is about
 *   nodes.c    each node's events by themselves
 *   order.c    pure: a node's events in the order of their time, each once
 *   engine.c   pure: what the rules make of them
 *   groups.c   pure: events that rules count together; heap.c knows what is due next, downtime.c
 *              for how long something was down
 *   derive.c   pure: what was found, as an event */
/* SPDX-License-Identifier: Apache-2.0 */
#include "clock.h"
#include "confine.h"
#include "derive.h"
#include "diag.h"
#include "filter.h"
#include "jsonmemory.h"
#include "nodes.h"
#include "num.h"
#include "opt.h"
#include "rules.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#define LATENESS_NS (60 * NUM_NS_PER_S)

struct options {
	const char *rules_path; /* NULL: those that are built in */
	uint64_t lateness_ns;
	const char *strategy;
	bool check_rules, print_rules;
	enum confine_mode confine;
};

static const struct opt_limits latenesses = {
	0, 86400 * NUM_NS_PER_S, "not a duration such as 60s", NULL, "more than a day"};

static const struct opt_spec specs[] = {
	{"rules", "FILE", "look for these patterns (those of --print-rules)",
		OPT_TEXT(struct options, rules_path)},
	{"check-rules", NULL, "read the rules, say what is wrong with them, and exit",
		OPT_FLAG(struct options, check_rules)},
	{"print-rules", NULL, "print the rules that are built in, and exit",
		OPT_FLAG(struct options, print_rules)},
	{"late", "DURATION", "events may come so much later than others (60s)",
		OPT_DURATION(struct options, lateness_ns, &latenesses)},
	{"strategy", "WORD", "processingStrategy of what is found (EXECUTE_REMEDIATION)",
		EVENT_STRATEGY(struct options, strategy)},
	{CONFINE_OPTION(struct options, confine)},
};

static const struct opt_tool tool = {
	.name = "correlate",
	.purpose = "Find patterns over time in events, and add an event for each.",
	.operands = "",
	.options = specs,
	.count = sizeof specs / sizeof *specs,
};

/* --- events --- */

static bool
is_own(const json_t *event)
{
	const char *agent = NULL;
	rec_get_string(event, "agent", &agent);
	return agent != NULL && strcmp(agent, DERIVE_AGENT) == 0;
}

static int
accept_event(struct nodes *nodes, struct intake *intake, json_t *event)
{
	uint64_t at_ns;
	const char *node = NULL, *stamp = NULL;
	struct rec_error error;
	rec_get_string(event, "nodeName", &node);
	rec_get_string(event, "generatedTimestamp", &stamp);
	if (node != NULL && strlen(node) > REC_NODE_MAX_BYTES)
		rec_refuse(&error, "\"nodeName\" is too long");
	else if (stamp == NULL || !clock_parse(stamp, &at_ns))
		rec_refuse(&error, "\"generatedTimestamp\" is not a time");
	else
		return nodes_accept(nodes, at_ns / 1000, event);
	intake_reject(intake, &error);
	return 0;
}

static int
accept_record(void *context, struct intake *intake, struct intake_record *record)
{
	json_t *json = json_incref(record->json);
	int status = filter_pass(record);
	/* What was derived before has been counted. */
	if (status == 0 && strcmp(rec_kind(json), "event") == 0 && !is_own(json))
		status = accept_event(context, intake, json);
	json_decref(json);
	return status;
}

static int
end(void *context)
{
	return nodes_end(context);
}

static int
write_line(void *context, const char *line, size_t length)
{
	(void)context;
	return line_write(STDOUT_FILENO, line, length);
}

/* --- a run --- */

static int
give_up(const struct options *options)
{
	struct confine confine;
	confine_init(&confine, "correlate", options->confine);
	return confine_enter(&confine);
}

static void
report_left_out(const struct nodes *nodes)
{
	uint64_t late = nodes_late(nodes);
	if (late > 0)
		diag_warn("%" PRIu64 " events came too late (--late), and were not counted", late);
	if (nodes->budget.refused > 0)
		diag_warn("%" PRIu64 " groups of events were given up: there are more than %d",
			nodes->budget.refused, GROUPS_MAX);
	if (nodes->refused > 0)
		diag_warn("%" PRIu64 " events were not counted: they are of more than %d nodes",
			nodes->refused, NODES_MAX);
}

/* Returns the exit code. */
static int
run(const struct options *options, const struct rules *rules)
{
	static const struct filter filter = {.accept = accept_record, .end = end};
	struct nodes nodes = {.rules = rules,
		.lateness_us = options->lateness_ns / 1000,
		.strategy = options->strategy,
		.write = write_line,
		.budget = {.most = GROUPS_MAX}};
	int status = give_up(options);
	if (status == 0)
		status = filter_run(&filter, &nodes);
	report_left_out(&nodes);
	nodes_fini(&nodes);
	if (status == 0 && close(STDOUT_FILENO) < 0)
		status = diag_io_failure("stdout");
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
	struct options options = {.lateness_ns = LATENESS_NS,
		.strategy = event_strategies[EVENT_EXECUTE_REMEDIATION],
		.confine = confine_default()};
	struct rules rules;

	diag_init("correlate");
	jsonmemory_require();
	int status;
	int first = opt_parse(&tool, argc, argv, &options, &status);
	if (first < 0)
		return status;
	if (first < argc)
		return opt_unexpected_operand(argv[first]);
	if (options.print_rules)
		return print_rules();
	status = rules_load(&rules, options.rules_path);
	if (status == 0 && !options.check_rules)
		status = run(&options, &rules);
	rules_fini(&rules);
	return status;
}

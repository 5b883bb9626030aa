/* ctreval - apply thresholds to scan records and write events.
 *
 *   main.c          options, exit
 *   session.c       one run: reads records, evaluates scans, stores the state and writes events
 *                   through lib's outlet
 *   announce.c      messages that are printed once, such as the available counters
 *   evalmetrics.c   the metrics; portmetrics.c has those of single ports, devices and cards;
 *                   tally.c, pure, counts the monitored devices and ports
 *
 *   check/          decisions, pure; each file has a state machine and the events of one subject:
 *     eval.c            evaluates one scan: calls all checks in order
 *     evaluation.c      shared by all checks: events, notes and decision records
 *     setting.h         settings of the evaluation, and its result
 *     watched.c         selects the devices, ports and counters to evaluate
 *     observe.c         records a scan's devices and ports in the state, and assigns interfaces'
 *                       counters from a file of the original to ports
 *     names.c           follows renamed devices
 *     baseline.c        events after a boot that make receivers drop older reports
 *     leave.c           forgets things that are no longer watched, and withdraws their reports
 *     withdraw.c        withdraws reports, or keeps them while their check is disabled
 *     port.c            the state of a port; portevent.c has its events
 *     portflap.c        links that go down and come up between two scans
 *     hold.c            delays the report of a port that went down
 *     plane.c           the planes of multi-plane NICs
 *     counter.c         the counters of a port; counterexplain.c has their decision records
 *     clear.c           counters that an operator has cleared
 *     saturation.c      counters that are stuck at their maximum
 *     flap.c            links that go down again and again
 *     below.c           state machine of cards and rates that are below their peers
 *     card.c            cards with fewer active ports than their peers; cardlist.c compares them
 *     rate.c            ports with a lower rate than their peers
 *     chardev.c         missing InfiniBand character devices
 *     device.c          events about a device: gone, back, unreadable, readable again
 *     grace.c           how long the reload of a driver keeps back what is reported about a device
 *     missing.c         devices and ports that are absent from a scan
 *     bond.c            devices that stand for several functions of their card
 *     hostnic.c         functions that may be the management NIC while there is no default route
 *     changed.c         changed facts of devices and ports, such as the firmware
 *     deviceevent.c     errors of devices and queues that the kernel reported
 *     unreachable.c     peers that cannot be reached through one device
 *     gids.c            ports that lost their last RoCE v2 GID
 *     lnet.c            faults that Lustre's network reports about a port's interface
 *     pollstall.c       whether the NICs can be observed
 *
 *   state/          what ctreval remembers between scans:
 *     state.c           ports, devices and cards, in the tables of table.c
 *     forget.c          forgets what a new boot, or another choice of devices, makes obsolete
 *     memory.c          what each check remembers, and the verdict on one reading of a port
 *     identity.c        facts that identify a device or port
 *     standing.c        the open conditions: reported and not yet withdrawn
 *     statefile.c       encodes and decodes the state file, a list of sections; stateports.c,
 *                       statedevices.c, statecounters.c, statechardevs.c, stateidentities.c and
 *                       stateorphans.c have the sections; content.h has what the file contains
 *     section.c         encodes and decodes sections that are lists of items
 *     codec.c           encodes and decodes JSON objects by tables of their members
 *     original.c        converts a state file of the original program */
/* SPDX-License-Identifier: Apache-2.0 */
#include "array.h"
#include "commalist.h"
#include "confine.h"
#include "diag.h"
#include "event.h"
#include "ingerometrics.h"
#include "jsonmemory.h"
#include "opt.h"
#include "scanrec.h"
#include "session.h"

#include <string.h>

struct options {
	struct session_options session;
	const char *config_path, *metrics_fd;
	bool check_config;
	enum confine_mode confine;
};

static const char *
parse_checks(bool enabled[CHECK_N], const char *list)
{
	static struct words words;
	const char *name;
	size_t length;
	bool any = false;

	memset(enabled, 0, CHECK_N * sizeof *enabled);
	while (commalist_next(&list, &name, &length)) {
		enum check check = check_find(name, length);
		if (check == CHECK_N)
			return check_unknown(&words, name, length);
		enabled[check] = any = true;
	}
	return any ? NULL : "no check is named";
}

static const char *
accept_checks(void *target, const struct opt_given *given)
{
	struct options *options = target;
	return parse_checks(options->session.enabled, given->value);
}

static const struct opt_limits deadline = {
	0, UINT64_MAX, .malformed = "not a duration such as 10s"};

#define NO_FILE "not a file name"

static const struct opt_spec specs[] = {
	{"config", "FILE", "configuration (" CONF_DEFAULT_PATH ")",
		OPT_TEXT(struct options, config_path)},
	{"state", "FILE", "keep the state in FILE across restarts; without it, keep none",
		OPT_PATH(struct options, session.state_path, NO_FILE)},
	{"acks", "FILE", "read from FILE which events the receiver has stored; needs --state",
		OPT_PATH(struct options, session.acks_path, NO_FILE)},
	{"silences", "FILE", "read what operators have cleared from FILE, see nicsilence(1)",
		OPT_PATH(struct options, session.silences_path, NO_FILE)},
	{"checks", "LIST",
		"run only these checks: InfiniBandStateCheck,InfiniBandDegradationCheck,... (all)",
		OPT_OTHER(accept_checks)},
	{"strategy", "WORD",
		"processingStrategy of the events: EXECUTE_REMEDIATION (default), STORE_ONLY, "
		"STORE_AND_ANALYSE",
		EVENT_STRATEGY(struct options, session.strategy)},
	{"baseline", NULL,
		"without --state: start with a healthy event for everything that is healthy",
		OPT_FLAG(struct options, session.baseline)},
	{"explain", NULL, "also write, for everything checked, why there was or was not an event",
		OPT_FLAG(struct options, session.explain)},
	{"poll-stall-deadline", "DURATION",
		"report that NICs cannot be observed after DURATION (10s); 0s: never",
		OPT_DURATION(struct options, session.poll_stall_deadline_ns, &deadline)},
	{"poll-stall-store-only", OPT_BOOL_ARGUMENT, "mark this event as store-only (true)",
		OPT_BOOL(struct options, session.poll_stall_store_only)},
	{"check-config", NULL, "show the rules in force, and exit",
		OPT_FLAG(struct options, check_config)},
	{CONFINE_OPTION(struct options, confine)},
	{METRICS_OPTION, OPT_TEXT(struct options, metrics_fd)},
	{INGEROMETRICS_OPTION, OPT_FLAG(struct options, session.ingero_names)},
};

static const struct opt_tool tool = {
	.name = "ctreval",
	.purpose = "Apply thresholds to scan records and write events.",
	.operands = "",
	.options = specs,
	.count = ARRAY_COUNT(specs),
};

/* The state file is replaced, and other programs replace the acks file and the silences file: allow
 * their directories. Return an exit code. */
static int
confine(const struct options *options)
{
	struct confine confine;
	confine_init(&confine, "ctreval", options->confine);
	confine_allow_beside(&confine, options->session.state_path, LANDLOCK_KEEP);
	confine_allow_beside(&confine, options->session.acks_path, LANDLOCK_READ);
	confine_allow_beside(&confine, options->session.silences_path, LANDLOCK_READ);
	return confine_enter(&confine);
}

static int
run_with(const struct options *options)
{
	struct conf conf;
	if (options->check_config)
		return conf_show(options->config_path);
	int status = conf_load(&conf, options->config_path);
	if (status != 0)
		return status;
	status = confine(options);
	if (status == 0)
		status = session_run(&options->session, &conf);
	conf_fini(&conf);
	return status;
}

int
main(int argc, char **argv)
{
	struct options options = {.session.strategy = event_strategies[EVENT_EXECUTE_REMEDIATION],
		.session.poll_stall_deadline_ns = SCANREC_STALL_DEADLINE_NS,
		.session.poll_stall_store_only = true,
		.confine = confine_default()};
	for (enum check check = 0; check < CHECK_N; check++)
		options.session.enabled[check] = true;

	diag_init("ctreval");
	jsonmemory_require();
	int status;
	if (opt_parse(&tool, argc, argv, &options, &status) < 0)
		return status;
	if (options.session.acks_path != NULL && options.session.state_path == NULL) {
		diag_error("--acks needs --state");
		return EXIT_USAGE;
	}
	status = metrics_open_option(options.metrics_fd, &options.session.metrics);
	if (status == 0)
		status = run_with(&options);
	metrics_close(options.session.metrics);
	return status;
}

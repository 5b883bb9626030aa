/* ctreval - apply thresholds to scan records and write events.
 *
 *   main.c          options, exit
 *   session.c       one run: records in, scans judged, state stored and events out by way of lib's
 *                   outlet
 *   announce.c      what is said once: which counters there are, and what cannot be listed
 *   evalmetrics.c   the metrics; tally.c, pure, counts what is monitored
 *
 *   check/          decisions, pure; the steps that one thing takes, and the events about it:
 *     eval.c            one scan and the state in, events and the new state out; what is done in
 *                       which order
 *     observe.c         which devices and ports the scan has, and to which port belongs what a file
 *                       of the original knows by a network interface
 *     names.c           devices that go on under other names
 *     port.c            the state of a port; portevent.c has the events about it
 *     portflap.c        links that go down and come up between two scans
 *     hold.c            when a port that goes down is held back before it is reported
 *     plane.c           the planes of multi-plane NICs
 *     clear.c           what operators have repaired
 *     counter.c         the counters of a port; counterexplain.c has their decision records
 *     saturation.c      counters that stand at the end of their width
 *     below.c           what is below its peers: when that is reported
 *     card.c            the cards of a scan: when one of them is below its peers; cardlist.c
 *                       compares them with each other
 *     rate.c            the rates of a scan's ports, compared with each other
 *     chardev.c         InfiniBand character devices that are missing
 *     flap.c            links that go down again and again
 *     device.c          what is said of a device; devices that are there, and cannot be read
 *     deviceevent.c     errors of devices and queues that the kernel has pushed
 *     unreachable.c     peers that cannot be reached through one device
 *     gids.c            RoCE v2 GIDs that are gone
 *     lnet.c            what Lustre's network tells of a port's interface
 *     missing.c         devices and ports that are gone
 *     pollstall.c       whether the NICs can be observed at all
 *     changed.c         devices and ports that are not what they were
 *     baseline.c        what is said after a boot
 *     leave.c           what nobody watches any more
 *     bond.c            devices that stand for more than one function
 *     evaluation.c      what these share: how to report what was found
 *     setting.h         the rules that scans are judged by, and what comes of one
 *     watched.c         what is judged
 *
 *   state/          what is remembered:
 *     state.c           ports, devices and cards, in the tables of table.c
 *     memory.c          what the checks remember of one thing, and what one sight of a port says
 *     identity.c        what says which device or port it is
 *     standing.c        all that was said and not yet taken back
 *     statefile.c       the state and what the outlet has of it, as JSON and back: a list of
 *                       sections; stateports.c, statedevices.c, statecounters.c and
 *                       statechardevs.c have those about ports, devices, counters and character
 *                       devices, stateidentities.c those about what all these were, and
 *                       stateorphans.c those about counters that are under no port;
 *                       content.h has all that is kept
 *     section.c         what sections share that are lists of items
 *     codec.c           the rows that describe the members of a section for both ways
 *     original.c        a state file of the original program as one of ours */
/* SPDX-License-Identifier: Apache-2.0 */
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

#define NO_FILE "not a file's name"

static const struct opt_spec specs[] = {
	{"config", "FILE", "configuration (" CONF_DEFAULT_PATH ")",
		OPT_TEXT(struct options, config_path)},
	{"state", "FILE", "remember in FILE across restarts; without it, nothing",
		OPT_PATH(struct options, session.state_path, NO_FILE)},
	{"acks", "FILE", "read from FILE what the events' receiver has stored; needs --state",
		OPT_PATH(struct options, session.acks_path, NO_FILE)},
	{"silences", "FILE", "what operators have cleared is in FILE, see nicsilence(1)",
		OPT_PATH(struct options, session.silences_path, NO_FILE)},
	{"checks", "LIST", "only these: InfiniBandStateCheck,InfiniBandDegradationCheck,... (all)",
		OPT_OTHER(accept_checks)},
	{"strategy", "WORD",
		"processingStrategy of the events: EXECUTE_REMEDIATION (default), STORE_ONLY, "
		"STORE_AND_ANALYSE",
		EVENT_STRATEGY(struct options, session.strategy)},
	{"baseline", NULL, "without --state: begin with healthy events for all that is healthy",
		OPT_FLAG(struct options, session.baseline)},
	{"explain", NULL, "also write, for all that was judged, why there was or was not an event",
		OPT_FLAG(struct options, session.explain)},
	{"poll-stall-deadline", "DURATION",
		"report that NICs cannot be observed after DURATION (10s); 0s: never",
		OPT_DURATION(struct options, session.poll_stall_deadline_ns, &deadline)},
	{"poll-stall-store-only", OPT_BOOL_ARGUMENT, "receivers are only to store that (true)",
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
	.count = sizeof specs / sizeof *specs,
};

/* What it remembers it replaces, and the acks are replaced by others. Returns an exit code. */
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

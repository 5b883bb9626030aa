/* ctreval - apply thresholds to scan records and write events.
 *
 *   main.c          options, exit
 *   session.c       one run: records in, scans judged, state stored and events out by way of lib's outlet
 *   announce.c      what is said once: which counters there are, and that devices cannot be listed
 *   numbers.c       what is counted for whoever watches, after tally.c, pure
 *
 *   eval.c          decision, pure: one scan and the state in, events and the new state out; what is done in which order
 *   observe.c         which devices and ports the scan has
 *   portcheck.c       the state of one port
 *   countercheck.c    the counters of one port
 *   cardcheck.c       the cards of a scan, compared with each other
 *   ratecheck.c       the rates of a scan's ports, compared with each other
 *   devicecheck.c     devices and ports that are gone, devices that cannot be read
 *   leave.c           what nobody watches any more
 *   evaluation.c      what these share: how to say what was found
 *   explain.c         decision records
 *   port.c counter.c card.c rate.c device.c    the tables and steps behind them, one value at a time
 *   check.c         names of the checks
 *
 *   state.c         what is remembered, in the tables of table.c
 *   stateencode.c   it and what the outlet has of it, as JSON
 *   statedecode.c decodecounters.c decoder.c    and back */
#include "diag.h"
#include "event.h"
#include "opt.h"
#include "session.h"

#include <stdio.h>
#include <string.h>

struct options {
	struct session_options session;
	const char *config_path, *metrics_fd;
	bool check_config;
};

enum {
	OPT_CONFIG,
	OPT_STATE,
	OPT_ACKS,
	OPT_CHECKS,
	OPT_STRATEGY,
	OPT_BASELINE,
	OPT_EXPLAIN,
	OPT_CHECK_CONFIG,
	OPT_METRICS_FD,
};

static const struct opt_spec specs[] = {
	[OPT_CONFIG] = {"config", "FILE", "configuration (" CONF_DEFAULT_PATH ")"},
	[OPT_STATE] = {"state", "FILE", "what is remembered across restarts; without it, nothing"},
	[OPT_ACKS] = {"acks", "FILE",
		"where the receiver of the events says what it has stored; needs --state"},
	[OPT_CHECKS] = {"checks", "LIST",
		"only these: InfiniBandStateCheck,InfiniBandDegradationCheck,... (all)"},
	[OPT_STRATEGY] = {"strategy", "WORD",
		"processingStrategy of the events: EXECUTE_REMEDIATION (default), STORE_ONLY, "
		"STORE_AND_ANALYSE"},
	[OPT_BASELINE] = {"baseline", NULL,
		"without --state: begin with healthy events for all that is healthy"},
	[OPT_EXPLAIN] = {"explain", NULL,
		"also write, for all that was judged, why there was or was not an event"},
	[OPT_CHECK_CONFIG] = {"check-config", NULL, "show the rules in force, and exit"},
	[OPT_METRICS_FD] = METRICS_OPTION,
};

static const char *
take_checks(bool enabled[CHECK_N], const char *list)
{
	memset(enabled, 0, CHECK_N * sizeof *enabled);
	for (;;) {
		size_t length = strcspn(list, ",");
		enum check check = check_find(list, length);
		if (check == CHECK_N)
			return "not a list of InfiniBandStateCheck, InfiniBandDegradationCheck, "
			       "EthernetStateCheck, EthernetDegradationCheck";
		enabled[check] = true;
		if (list[length] == '\0')
			return NULL;
		list += length + 1;
	}
}

static const char *
take_option(void *context, size_t index, const char *value)
{
	struct options *options = context;

	switch (index) {
	case OPT_CONFIG:
		options->config_path = value;
		return NULL;
	case OPT_STATE:
		options->session.state_path = value;
		return *value != '\0' ? NULL : "not a file's name";
	case OPT_ACKS:
		options->session.acks_path = value;
		return *value != '\0' ? NULL : "not a file's name";
	case OPT_CHECKS:
		return take_checks(options->session.enabled, value);
	case OPT_STRATEGY:
		return event_strategy_take(&options->session.strategy, value);
	case OPT_BASELINE:
		options->session.baseline = true;
		return NULL;
	case OPT_EXPLAIN:
		options->session.explain = true;
		return NULL;
	case OPT_CHECK_CONFIG:
		options->check_config = true;
		return NULL;
	case OPT_METRICS_FD:
		options->metrics_fd = value;
		return NULL;
	}
	return "unknown";
}

static const struct opt_tool tool = {
	.name = "ctreval",
	.purpose = "Apply thresholds to scan records and write events.",
	.operands = "",
	.options = specs,
	.count = sizeof specs / sizeof *specs,
	.take = take_option,
};

static int
run_with(const struct options *options)
{
	struct conf conf;
	if (options->check_config)
		return conf_show(options->config_path);
	int status = conf_load(&conf, options->config_path);
	if (status != 0)
		return status;
	status = session_run(&options->session, &conf);
	conf_fini(&conf);
	return status;
}

int
main(int argc, char **argv)
{
	struct options options = {.session.strategy = event_strategies[EVENT_EXECUTE_REMEDIATION]};
	for (enum check check = 0; check < CHECK_N; check++)
		options.session.enabled[check] = true;

	diag_init("ctreval");
	int status;
	int first = opt_parse(&tool, argc, argv, &options, &status);
	if (first < 0)
		return status;
	if (first < argc)
		return opt_unexpected_operand(argv[first]);
	if (options.session.acks_path != NULL && options.session.state_path == NULL) {
		diag_error("--acks needs --state");
		return EXIT_USAGE;
	}
	status = metrics_take(options.metrics_fd, &options.session.metrics);
	if (status == 0)
		status = run_with(&options);
	metrics_close(options.session.metrics);
	return status;
}

/* ctreval - apply thresholds to scan records and write events.
 *
 *   main.c     options, wiring, exit
 *   scan.c     reader: one scan gathered from its records, and whether it is all there
 *   eval.c     decision, pure: one scan and the state in, events and the new state out
 *   counter.c  decision, pure: when a counter's growth is an event (SPEC section 4.1)
 *   port.c     decision, pure: when a port's state is an event (SPEC section 4.2)
 *   state.c    what is remembered of ports and counters
 *   event.c    writer: event records */
#include "conf.h"
#include "diag.h"
#include "eval.h"
#include "filter.h"
#include "opt.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct options {
	const char *config_path, *strategy;
	bool enabled[CHECK_N];
};

enum { OPT_CONFIG, OPT_CHECKS, OPT_STRATEGY };

static const struct opt_spec specs[] = {
	[OPT_CONFIG] = {"config", "FILE", "configuration (" CONF_DEFAULT_PATH ")"},
	[OPT_CHECKS] = {"checks", "LIST",
		"only these: InfiniBandStateCheck,InfiniBandDegradationCheck,... (all)"},
	[OPT_STRATEGY] = {"strategy", "WORD",
		"processingStrategy of the events: EXECUTE_REMEDIATION (default), STORE_ONLY, "
		"STORE_AND_ANALYSE"},
};

static const char *
take_checks(struct options *options, const char *list)
{
	memset(options->enabled, 0, sizeof options->enabled);
	for (;;) {
		size_t length = strcspn(list, ",");
		enum check check = 0;
		while (check < CHECK_N && (strlen(check_name(check)) != length ||
						  strncmp(check_name(check), list, length) != 0))
			check++;
		if (check == CHECK_N)
			return "not a list of InfiniBandStateCheck, InfiniBandDegradationCheck, "
			       "EthernetStateCheck, EthernetDegradationCheck";
		options->enabled[check] = true;
		if (list[length] == '\0')
			return NULL;
		list += length + 1;
	}
}

static const char *
take_option(void *context, size_t index, const char *value)
{
	static const char *const strategies[] = {
		"EXECUTE_REMEDIATION", "STORE_ONLY", "STORE_AND_ANALYSE"};
	struct options *options = context;

	switch (index) {
	case OPT_CONFIG:
		options->config_path = value;
		return NULL;
	case OPT_CHECKS:
		return take_checks(options, value);
	case OPT_STRATEGY:
		for (size_t i = 0; i < sizeof strategies / sizeof *strategies; i++) {
			if (strcmp(value, strategies[i]) == 0) {
				options->strategy = value;
				return NULL;
			}
		}
		return "not one of EXECUTE_REMEDIATION, STORE_ONLY, STORE_AND_ANALYSE";
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

/* Everything a run works with. */
struct run {
	const struct options *options;
	struct eval_setting setting;
	struct scan scan;
	struct state state;
	struct event_stream stream;
	enum { ANNOUNCED_NOTHING, ANNOUNCED_NO_PORT, ANNOUNCED_COUNTERS } announced;
	struct rec_writer writer;
};

/* Says once which counters the ports have; before there is a port, once that there is none. */
static int
announce(struct run *run)
{
	char *available, *unavailable;

	if (run->announced == ANNOUNCED_COUNTERS)
		return 0;
	if (eval_judged_ports(&run->scan) == 0) {
		if (run->announced == ANNOUNCED_NOTHING)
			diag_warn(
				"scan %lld has no port to watch", (long long)run->scan.begin.scan);
		run->announced = ANNOUNCED_NO_PORT;
		return 0;
	}
	int status = eval_availability(&run->setting, &run->scan, &available, &unavailable);
	if (available != NULL)
		diag_note("counters available: %s", available);
	if (unavailable != NULL)
		diag_note("counters unavailable on every monitored port: %s", unavailable);
	free(available);
	free(unavailable);
	run->announced = ANNOUNCED_COUNTERS;
	return status;
}

/* Judges what was gathered, whole or not: a port that was read is evidence about itself. */
static int
finish_scan(struct run *run)
{
	struct eval_result result;
	size_t i;
	const json_t *item;

	/* The first scan is what the stream of events is named after. */
	if (*run->stream.source == '\0')
		event_stream_init(&run->stream, "ctreval", run->scan.begin.node,
			run->scan.begin.boot_id, run->scan.begin.ts, run->options->strategy);
	if (announce(run) < 0) {
		errno = ENOMEM;
		return -1;
	}
	if (!run->scan.whole)
		diag_warn("scan %lld is incomplete: only what it has is judged",
			(long long)run->scan.begin.scan);

	int status = eval_scan(&run->setting, &run->state, &run->stream, &run->scan, &result);
	if (status < 0)
		errno = ENOMEM;
	json_array_foreach (result.notes, i, item)
		diag_note("%s", json_string_value(item));
	json_array_foreach (result.events, i, item) {
		if (status == 0)
			status = rec_write(&run->writer, item);
	}
	int saved_errno = errno;
	json_decref(result.events);
	json_decref(result.notes);
	scan_clear(&run->scan);
	errno = saved_errno;
	return status;
}

static int
take_record(void *context, struct intake *intake, struct intake_record *record)
{
	struct run *run = context;
	struct rec_error error;
	enum scanrec_kind kind = scanrec_kind(record->json);

	if (kind == SCANREC_OTHER)
		return filter_pass(record);
	if (kind == SCANREC_BEGIN && run->scan.open) {
		run->scan.whole = false;
		if (finish_scan(run) < 0) {
			json_decref(record->json);
			return -1;
		}
	}
	switch (scan_take(&run->scan, kind, record->json, &error)) {
	case SCAN_TAKEN:
	case SCAN_IGNORED:
		return 0;
	case SCAN_FINISHED:
		return finish_scan(run);
	case SCAN_BAD:
		intake_reject(intake, &error);
		/* An end that cannot be read still ends the scan. */
		return kind == SCANREC_END ? finish_scan(run) : 0;
	case SCAN_NO_MEMORY:
		errno = ENOMEM;
		return -1;
	}
	return 0;
}

static void
lose_line(void *context)
{
	((struct run *)context)->scan.whole = false;
}

static int
end_input(void *context)
{
	struct run *run = context;
	if (!run->scan.open)
		return 0;
	run->scan.whole = false;
	return finish_scan(run);
}

static const struct filter filter = {.take = take_record, .lose = lose_line, .end = end_input};

static int
run_with(const struct options *options)
{
	struct conf conf;
	int status = conf_load(&conf, options->config_path);
	if (status != 0)
		return status;

	struct run run = {
		.options = options,
		.setting =
			{
				.counters = &conf.counters,
				.counter_detection = conf.counter_detection,
				.fatal_counters_as_degradation = conf.fatal_counters_as_degradation,
			},
	};
	memcpy(run.setting.enabled, options->enabled, sizeof run.setting.enabled);
	rec_writer_init(&run.writer, STDOUT_FILENO);
	if (state_init(&run.state, conf.counters.count) < 0) {
		diag_error("out of memory");
		status = EXIT_OS;
	} else {
		status = filter_run(&filter, &run);
	}
	scan_fini(&run.scan);
	state_fini(&run.state);
	rec_writer_fini(&run.writer);
	conf_fini(&conf);
	return status;
}

int
main(int argc, char **argv)
{
	struct options options = {.strategy = "EXECUTE_REMEDIATION"};
	for (enum check check = 0; check < CHECK_N; check++)
		options.enabled[check] = true;

	diag_init("ctreval");
	int status;
	int first = opt_parse(&tool, argc, argv, &options, &status);
	if (first < 0)
		return status;
	if (first < argc)
		return opt_unexpected_operand(argv[first]);
	return run_with(&options);
}

/* options - emit's command line. */
#include "options.h"

#include "clock.h"
#include "diag.h"
#include "fault.h"
#include "host.h"
#include "metrics.h"
#include "num.h"
#include "opt.h"
#include "schema.h"

#include <string.h>

#define HOUR_NS (3600 * NUM_NS_PER_S)
#define DAY_NS (HOUR_NS * 24)
#define YEAR_NS (DAY_NS * 365)
#define MIB ((uint64_t)1 << 20)

/* Smaller, and a spool would have no room for what it is for. */
#define SPOOL_LEAST_BYTES MIB
#define BATCH_MOST 10000

enum {
	OPT_SINK,
	OPT_CA_FILE,
	OPT_CERT_FILE,
	OPT_KEY_FILE,
	OPT_TOKEN_FILE,
	OPT_BATCH_WINDOW,
	OPT_BATCH_MAX,
	OPT_REQUEST_TIMEOUT,
	OPT_ALERT_RESEND,
	OPT_FLUSH_TIMEOUT,
	OPT_NODE,
	OPT_SPOOL,
	OPT_ACKS,
	OPT_KEEP,
	OPT_SPOOL_MAX,
	OPT_BOOT_ID_FILE,
	OPT_METRICS_FD,
	OPT_HISTORY, /* from here on in the order of enum history_option */
	OPT_STANDING,
	OPT_DEAD_LETTERS,
	OPT_REPLAY,
	OPT_SINCE,
	OPT_DEVICE,
	OPT_FATAL,
	OPT_FORMAT,
	OPT_CHECK_CONFIG,
	OPT_KILL_AT,
};

static const struct opt_spec specs[] = {
	[OPT_SINK] = {"sink", "SPEC",
		"-, file:, unix:, tcp:, grpc:, alertmanager:, http:// or https://; may be repeated (-)"},
	[OPT_CA_FILE] = {"ca-file", "FILE",
		"who may have signed the certificate of the sink before it, PEM"},
	[OPT_CERT_FILE] = {"cert-file", "FILE", "our certificate for the sink before it, PEM"},
	[OPT_KEY_FILE] = {"key-file", "FILE", "its key, PEM"},
	[OPT_TOKEN_FILE] = {"token-file", "FILE", "bearer token for the sink before it"},
	[OPT_BATCH_WINDOW] = {"batch-window", "DURATION",
		"events that are neither fatal nor healthy wait so long for others (5s)"},
	[OPT_BATCH_MAX] = {"batch-max", "N", "events in a request at most (100)"},
	[OPT_REQUEST_TIMEOUT] = {"request-timeout", "DURATION", "time for an answer (5s)"},
	[OPT_ALERT_RESEND] = {"alert-resend", "DURATION",
		"alerts that stand are renewed so often (1m)"},
	[OPT_FLUSH_TIMEOUT] = {"flush-timeout", "DURATION",
		"after the end of input, try that long to deliver what is left (5s)"},
	[OPT_NODE] = {"node", "NAME",
		"nodeName of events that have none ($NODE_NAME, else the host name)"},
	[OPT_SPOOL] = {"spool", "FILE",
		"keep events there until they are delivered, and as history"},
	[OPT_ACKS] = {"acks", "FILE", "say there what is stored, for those who write events"},
	[OPT_KEEP] = {"keep", "DURATION", "delivered events are kept so long (7d)"},
	[OPT_SPOOL_MAX] = {"spool-max", "SIZE", "size of the spool (100MiB)"},
	[OPT_BOOT_ID_FILE] = {"boot-id-file", "FILE",
		"the boot id (/proc/sys/kernel/random/boot_id)"},
	[OPT_METRICS_FD] = METRICS_OPTION,
	[OPT_HISTORY] = {"history", NULL, "show the events that the spool has"},
	[OPT_STANDING] = {"standing", NULL, "show what stands now, and what sinks have not got"},
	[OPT_DEAD_LETTERS] = {"dead-letters", NULL, "show the events that sinks have refused"},
	[OPT_REPLAY] = {"replay", NULL,
		"send events of the spool again: the operands are their ids"},
	[OPT_SINCE] = {"since", "WHEN", "only from then on: 2h, 7d, or a date and time"},
	[OPT_DEVICE] = {"device", "NAME", "only of this device"},
	[OPT_FATAL] = {"fatal", NULL, "only what is fatal"},
	[OPT_FORMAT] = {"format", "FORMAT", "table or json (table)"},
	[OPT_CHECK_CONFIG] = {"check-config", NULL, "check the options, and exit"},
	[OPT_KILL_AT] = {"kill-at", "POINT[:N]",
		"for tests: be killed at the N-th pass of store or send"},
};

static const char *
take_duration(const char *value, uint64_t most_ns, uint64_t *out_ns)
{
	return num_parse_duration(value, most_ns, out_ns) == NUM_OK
		       ? NULL
		       : "not a duration such as 250ms, 1s, 5m or 7d, or too long";
}

/* The same, where none at all would make no sense. */
static const char *
take_time(const char *value, uint64_t most_ns, uint64_t *out_ns)
{
	const char *reason = take_duration(value, most_ns, out_ns);
	return reason == NULL && *out_ns == 0 ? "not above 0" : reason;
}

static const char *
take_size(const char *value, uint64_t *out_bytes)
{
	static const struct {
		const char *name;
		unsigned shift;
	} units[] = {{"KiB", 10}, {"MiB", 20}, {"GiB", 30}, {"TiB", 40}};
	size_t digits = strspn(value, "0123456789");
	char number[NUM_U64_SIZE];
	uint64_t count;

	if (digits == 0 || digits >= sizeof number)
		return "not a size such as 100MiB";
	memcpy(number, value, digits);
	number[digits] = '\0';
	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		if (strcmp(value + digits, units[i].name) != 0)
			continue;
		if (num_parse_u64(number, INT64_MAX >> units[i].shift, &count) != NUM_OK)
			return "too large";
		*out_bytes = count << units[i].shift;
		return *out_bytes >= SPOOL_LEAST_BYTES ? NULL : "less than 1MiB";
	}
	return "not a size such as 100MiB";
}

static const char *
take_sink(struct run_options *run, const char *value)
{
	if (run->spec_count == RUN_SINKS_MAX)
		return "too many sinks";
	return sink_spec_parse(&run->specs[run->spec_count++], value);
}

/* What belongs to the sink before it. */
static const char *
take_for_sink(struct run_options *run, size_t index, const char *value)
{
	if (run->spec_count == 0)
		return "it belongs to a --sink, and comes behind it";
	struct sink_spec *spec = &run->specs[run->spec_count - 1];
	const char **place = index == OPT_CA_FILE     ? &spec->ca_file
			     : index == OPT_CERT_FILE ? &spec->cert_file
			     : index == OPT_KEY_FILE  ? &spec->key_file
						      : &spec->token_file;
	*place = value;
	return *value != '\0' ? NULL : "a file is missing";
}

static const char *
take_path(const char **place, const char *value)
{
	*place = value;
	return *value != '\0' ? NULL : "a path is missing";
}

static const char *
take_batch_max(struct run_options *run, const char *value)
{
	uint64_t count;
	if (num_parse_u64(value, BATCH_MOST, &count) != NUM_OK || count == 0)
		return "not a number from 1 to 10000";
	run->setting.batch_max = run->routing.batch_max = (size_t)count;
	return NULL;
}

static const char *
take_request_timeout(struct run_options *run, const char *value)
{
	uint64_t timeout_ns;
	const char *reason = take_time(value, HOUR_NS, &timeout_ns);
	/* None at all would be no limit. */
	run->setting.timeout_ms =
		reason == NULL ? (timeout_ns + NUM_NS_PER_MS - 1) / NUM_NS_PER_MS : 0;
	return reason;
}

static const char *
take_option(void *context, size_t index, const char *value)
{
	struct options *options = context;
	struct run_options *run = &options->run;

	switch (index) {
	case OPT_SINK:
		return take_sink(run, value);
	case OPT_CA_FILE:
	case OPT_CERT_FILE:
	case OPT_KEY_FILE:
	case OPT_TOKEN_FILE:
		return take_for_sink(run, index, value);
	case OPT_BATCH_WINDOW:
		return take_duration(value, HOUR_NS, &run->routing.window_ns);
	case OPT_BATCH_MAX:
		return take_batch_max(run, value);
	case OPT_REQUEST_TIMEOUT:
		return take_request_timeout(run, value);
	case OPT_ALERT_RESEND:
		return take_time(value, DAY_NS, &run->setting.resend_ns);
	case OPT_FLUSH_TIMEOUT:
		return take_duration(value, HOUR_NS, &run->flush_timeout_ns);
	case OPT_NODE:
		run->setting.node = run->journal.node = value;
		return NULL;
	case OPT_SPOOL:
		options->history.path = value;
		return take_path(&run->journal.spool_path, value);
	case OPT_ACKS:
		return take_path(&run->journal.acks_path, value);
	case OPT_KEEP:
		return take_duration(value, YEAR_NS * 100, &run->journal.retention.keep_ns);
	case OPT_SPOOL_MAX:
		return take_size(value, &run->journal.retention.max_bytes);
	case OPT_BOOT_ID_FILE:
		return take_path(&run->journal.boot_id_path, value);
	case OPT_METRICS_FD:
		options->metrics_fd = value;
		return NULL;
	case OPT_CHECK_CONFIG:
		options->check_only = true;
		return NULL;
	case OPT_KILL_AT:
		return fault_arm(value);
	default:
		return history_option_take(
			&options->history, (enum history_option)(index - OPT_HISTORY), value);
	}
}

static const struct opt_tool tool = {
	.name = "emit",
	.purpose = "Deliver event records to sinks, in order; records of other kinds are ignored.",
	.operands = "[FILE|-]...",
	.options = specs,
	.count = sizeof specs / sizeof *specs,
	.take = take_option,
};

/* What stands has to be kept somewhere. */
static bool
has_alertmanager(const struct run_options *run)
{
	for (size_t i = 0; i < run->spec_count; i++) {
		if (run->specs[i].kind == SINK_ALERTMANAGER)
			return true;
	}
	return false;
}

/* NULL, or why the options do not go together; `*about` is what that is about. */
static const char *
check(const struct options *options, const char **about)
{
	const struct run_options *run = &options->run;
	bool shows = history_is_shown(&options->history);
	*about = "--sink";
	if (shows && run->spec_count > 0)
		return "--history, --standing and --dead-letters deliver nothing";
	*about = "--metrics-fd";
	if (options->metrics_fd != NULL && (shows || options->history.replay))
		return "it is for who reads events and delivers them";
	*about = "--acks";
	if (run->journal.acks_path != NULL && (shows || options->history.replay))
		return "nothing is stored, and so nothing acknowledged";
	if (run->journal.acks_path != NULL && run->journal.spool_path == NULL)
		return "it needs --spool: what is not stored is not acknowledged";
	if (run->journal.acks_path != NULL &&
		(strcmp(run->journal.spool_path, DATABASE_IN_MEMORY) == 0 ||
			strcmp(run->journal.spool_path, run->journal.acks_path) == 0))
		return "it needs a --spool that is a file of its own";
	for (size_t i = 0; i < run->spec_count; i++) {
		const char *reason = sink_spec_check(&run->specs[i]);
		*about = run->specs[i].text;
		if (reason != NULL)
			return reason;
		/* In a spool each has its own place, under its name. */
		for (size_t j = 0; j < i; j++) {
			if (strcmp(run->specs[i].text, run->specs[j].text) == 0)
				return "it is named twice";
		}
	}
	return NULL;
}

int
options_parse(struct options *options, int argc, char **argv, int *exit_code)
{
	const char *node = host_node_name(), *about;
	*options = (struct options){
		.run =
			{
				.setting = {.node = node,
					.batch_max = 100,
					.timeout_ms = 5000,
					.resend_ns = 60 * NUM_NS_PER_S},
				.journal = {.node = node,
					.boot_id_path = "/proc/sys/kernel/random/boot_id",
					.retention = {.keep_ns = DAY_NS * 7,
						.max_bytes = 100 * MIB}},
				.routing = {.window_ns = 5 * NUM_NS_PER_S, .batch_max = 100},
				.flush_timeout_ns = 5 * NUM_NS_PER_S,
			},
		.history = {.now_ns = clock_realtime_ns()},
	};
	struct run_options *run = &options->run;
	int first = opt_parse(&tool, argc, argv, options, exit_code);
	if (first < 0)
		return -1;
	*exit_code = history_options_check(&options->history, argv + first);
	if (*exit_code != 0)
		return -1;
	const char *reason = check(options, &about);
	if (reason != NULL) {
		diag_error("%s: %s (try 'emit --help')", about, reason);
		*exit_code = EXIT_USAGE;
		return -1;
	}
	if (options->check_only) {
		*exit_code = 0;
		return -1;
	}
	if (run->spec_count == 0)
		sink_spec_parse(&run->specs[run->spec_count++], "-");
	if (options->history.replay)
		/* The spool is where the events come from. Whoever delivers from it has it, and goes on. */
		run->journal = (struct journal_options){.node = run->journal.node};
	if (has_alertmanager(run) && run->journal.spool_path == NULL) {
		run->journal.spool_path = DATABASE_IN_MEMORY;
		run->journal.retention.keep_ns = HOUR_NS;
	}
	return first;
}

void
options_fini(struct options *options)
{
	for (size_t i = 0; i < options->run.spec_count; i++)
		sink_spec_fini(&options->run.specs[i]);
}

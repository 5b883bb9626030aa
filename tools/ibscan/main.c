/* ibscan - reads RDMA devices, ports and counters from sysfs and writes scan records to stdout.
 *
 *   main.c         options, wiring, exit code
 *   ibscan.h       shared structs: configuration and readings
 *   scanoptions.c  options shared with nicview
 *   config.c       selection of devices and counters
 *
 *   live.c         scans on schedule
 *   scanner.c      one scan: list devices, read them, write records
 *   roster.c       list of devices
 *   events.c       reads and passes on ibevent's records; requests extra scans
 *   glance.c       extra scans: states of devices between two scans
 *   wish.c         pure: when an extra scan reads a device
 *   told.c         port states that were written last
 *   functions.c    NIC functions on the PCI bus, and their drivers
 *   chardevs.c     InfiniBand character devices
 *   readers.c      has threads read the devices, with deadlines
 *   walk.c         list of devices that one thread reads in turn
 *   stall.c        thread that reports a scan without progress
 *   device.c       opens and reads one device, detects its replacement
 *   identity.c     PCI function, names and network interfaces of a device
 *   parent.c       parent of a sub-device
 *   port.c         states, link and network interface of one port
 *   uplink.c       the port of a NIC in switchdev mode
 *   slots.c        counters of a port
 *   attribute.c    reads one attribute repeatedly through a kept descriptor
 *   descriptors.c  budget of kept descriptors
 *   parse.c        pure: parses sysfs attributes
 *   record.c       scan records, except those of ports
 *   portrecord.c   record of a port, formatted directly as text
 *
 *   output.c       writes records to stdout, or each scan as metrics
 *
 *   In lib:
 *   scanwriter.c   scan records from a file or a pipe; writes each scan as text
 *   scanmetrics.c  pure: a scan as Prometheus metrics
 *
 *   nicview prints the table. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "arguments.h"
#include "array.h"
#include "conf.h"
#include "config.h"
#include "confine.h"
#include "descriptors.h"
#include "diag.h"
#include "host.h"
#include "jsonmemory.h"
#include "live.h"
#include "metrics.h"
#include "num.h"
#include "opt.h"
#include "readers.h"
#include "scanoptions.h"
#include "scanwriter.h"
#include "sibling.h"
#include "stop.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_DEVICE_TIMEOUT_NS (2 * NUM_NS_PER_S)

/* Maximum number of options. */
#define OPTIONS_MAX 20

struct options {
	struct scanoptions scan; /* options of scans */
	const char *metrics_fd;
	uint64_t lifeline; /* descriptor; 0: none */
	enum output_format format;
	const char *output_path;   /* NULL: stdout */
	const char *recorded_path; /* scan records to read; NULL: scan this node */
	const char *events_path;   /* records of ibevent; NULL: none */
	enum confine_mode confine;
	char *configured_root; /* sysfs root in the configuration file; NULL: not set */
	struct opt_given given[OPTIONS_MAX]; /* in the order of --help; the last value of each */
};

static const struct opt_limits descriptor = {1, INT_MAX, .malformed = "not a descriptor"};
static const struct opt_words formats = {output_format_names, OUTPUT_FORMAT_N, "unknown format"};

static const struct opt_spec specs[] = {
	OPT_TABLE(scanoptions_table, SCANOPTIONS_N, struct options, scan),
	{"gids", NULL, "count the valid entries of each port's GID table",
		OPT_FLAG(struct options, scan.config.gids), .scope = SCANOPTIONS_OF_SCANS},
	{"format", "FORMAT", OUTPUT_FORMAT_NAMES, OPT_WORD(struct options, format, &formats)},
	{"output", "FILE", "atomically replace FILE by each scan (not with json)",
		OPT_PATH(struct options, output_path, "not a file name"),
		.scope = SCANOPTIONS_PASSED_ON},
	{"events", "FILE",
		"pass on ibevent's records from FILE (- is stdin), and read their devices at once",
		OPT_TEXT(struct options, events_path), .scope = SCANOPTIONS_OF_SCANS},
	{CONFINE_OPTION(struct options, confine), .scope = SCANOPTIONS_PASSED_ON},
	{METRICS_OPTION, OPT_TEXT(struct options, metrics_fd),
		.scope = SCANOPTIONS_OF_SCANS | SCANOPTIONS_PASSED_ON},
	{"lifeline", "FD", "stop when nobody reads the pipe at descriptor FD any more",
		OPT_NUMBER(struct options, lifeline, &descriptor), .scope = SCANOPTIONS_OF_SCANS},
};

static_assert(SCANOPTIONS_N + ARRAY_COUNT(specs) <= OPTIONS_MAX, "room for all");

static void
note_option(void *target, size_t index, const struct opt_given *given)
{
	struct options *options = target;
	options->given[index] = *given;
}

static const struct opt_tool tool = {
	.name = "ibscan",
	.purpose = "Enumerate RDMA devices, ports and counters from sysfs and write scan records.",
	.operands = "[FILE|-]",
	.options = specs,
	.count = ARRAY_COUNT(specs),
	.note = note_option,
};

/* Choose the counters: --counters, else those that --config enables, else all. Choose the sysfs
 * root: --sysfs-root, else that of the configuration file, if one is read, else /sys. Return an
 * exit code. */
static int
configure(struct options *options)
{
	struct scanoptions *asked = &options->scan;
	const char *choice = asked->counters;
	if (choice == NULL)
		choice = asked->config_path != NULL ? "configured" : "all";
	bool by_config = strcmp(choice, "configured") == 0;

	/* Read the file only if requested: a broken configuration must not prevent a scan in an
	 * incident. */
	bool configured = asked->config_path != NULL || by_config;
	struct conf conf = {0};
	int status = configured ? conf_load(&conf, asked->config_path) : 0;
	if (status != 0)
		return status;
	if (by_config && !conf.counter_detection)
		choice = "none";
	const char *reason = config_choose(&asked->config, choice, &conf.counters);
	if (configured) {
		options->configured_root = conf.sysfs_root;
		conf.sysfs_root = NULL;
		conf_fini(&conf);
	}
	if (asked->sysfs_root == NULL)
		asked->sysfs_root =
			options->configured_root != NULL ? options->configured_root : "/sys";
	if (reason == NULL)
		return 0;
	diag_error("--counters '%s': %s (try 'ibscan --help')", choice, reason);
	return EXIT_USAGE;
}

/* Check that the options are compatible. Return an exit code. */
static int
check_options(const struct options *options)
{
	bool recorded = options->recorded_path != NULL;

	if (options->format == OUTPUT_JSON && (recorded || options->output_path != NULL)) {
		diag_error("%s needs another --format than json (try 'ibscan --help')",
			recorded ? "reading records" : "--output");
		return EXIT_USAGE;
	}
	if (options->events_path != NULL &&
		(options->format != OUTPUT_JSON || options->scan.interval_ns == 0)) {
		diag_error("--events needs %s (try 'ibscan --help')",
			options->format != OUTPUT_JSON ? "--format json" : "--interval");
		return EXIT_USAGE;
	}
	for (size_t i = 0; i < OPTIONS_MAX && recorded; i++) {
		const struct opt_given *given = &options->given[i];
		if (given->spec == NULL || (given->spec->scope & SCANOPTIONS_OF_SCANS) == 0)
			continue;
		diag_error("--%s cannot be combined with records from %s (try 'ibscan --help')",
			given->name, options->recorded_path);
		return EXIT_USAGE;
	}
	return 0;
}

/* Become nicview with the same options. Pass at least one scan option if there is no operand: else
 * nicview would read records from a stdin that is no terminal. Return an exit code. */
static int
become_nicview(const struct options *options)
{
	struct arguments view = {0};

	arguments_add(&view, "ibscan");
	for (size_t i = 0; i < OPTIONS_MAX; i++) {
		const struct opt_given *given = &options->given[i];
		if (given->spec != NULL && (given->spec->scope & SCANOPTIONS_PASSED_ON) != 0)
			arguments_add_option(&view, given->name, given->value);
	}
	if (options->recorded_path == NULL && options->scan.count == 1)
		arguments_add_option(&view, "count", "1");
	for (int i = 0; i < diag_verbosity(); i++)
		arguments_add(&view, "-v");
	if (options->recorded_path != NULL) {
		arguments_add(&view, "--");
		arguments_add(&view, options->recorded_path);
	}
	int status = sibling_become("nicview", &view);
	arguments_fini(&view);
	return status;
}

/* `metrics` may be NULL. Return the exit code. */
static int
scan(const struct options *options, struct output *output, struct metrics *metrics)
{
	const struct scanoptions *asked = &options->scan;
	/* Static, because a thread that hangs in the kernel needs it until the process exits. */
	static struct live_setting live;
	live = (struct live_setting){
		.scan = {.output = output,
			.config = &asked->config,
			.node = asked->node,
			.boot_id_path = asked->boot_id_path,
			.interval_ns = asked->interval_ns,
			.device_timeout_ns = asked->device_timeout_ns},
		.sysfs_root = asked->sysfs_root,
		.count = asked->count,
		.events_path = options->events_path,
		.metrics = metrics,
	};
	return live_run(&live);
}

/* Return an exit code. */
static int
confine(const struct options *options)
{
	struct confine confine;
	confine_init(&confine, "ibscan", options->confine);
	confine_allow(&confine, options->recorded_path, LANDLOCK_READ);
	if (options->recorded_path == NULL) {
		confine_allow(&confine, options->scan.sysfs_root, LANDLOCK_READ);
		confine_allow(&confine, options->scan.boot_id_path, LANDLOCK_READ);
		confine_allow(&confine, options->events_path, LANDLOCK_READ);
		confine_allow(&confine, READERS_TASKS, LANDLOCK_READ);
	}
	confine_allow_beside(&confine, options->output_path, LANDLOCK_KEEP);
	return confine_enter(&confine);
}

/* Be ready to stop, also by --lifeline. Return an exit code. */
static int
catch_stops(const struct options *options)
{
	int lifeline = (int)options->lifeline;
	if (stop_catch() < 0)
		diag_die(EXIT_OS, "signals: %s", strerror(errno));
	if (lifeline == 0)
		return 0;
	if (fcntl(lifeline, F_GETFD) < 0) {
		diag_error("--lifeline %d: %s", lifeline, strerror(errno));
		return EXIT_USAGE;
	}
	stop_without_reader(lifeline);
	return 0;
}

static int
run(struct options *options)
{
	struct metrics *metrics = NULL;
	int status = check_options(options);
	if (status == 0 && options->format == OUTPUT_TABLE)
		return become_nicview(options);
	if (status == 0)
		status = metrics_open_option(options->metrics_fd, &metrics);
	if (status == 0)
		status = configure(options);
	if (status == 0)
		status = catch_stops(options);
	descriptors_init();
	if (status == 0)
		status = confine(options);
	if (status != 0) {
		metrics_close(metrics);
		return status;
	}

	struct output output;
	if (output_init(&output, options->format, options->output_path) < 0)
		diag_die(EXIT_OS, "out of memory");
	if (options->recorded_path != NULL)
		status = scanwriter_read(output.scans, options->recorded_path);
	else
		status = scan(options, &output, metrics);
	output_fini(&output);
	metrics_close(metrics);
	return status;
}

int
main(int argc, char **argv)
{
	struct options options = {
		.scan = {.boot_id_path = "/proc/sys/kernel/random/boot_id",
			.device_timeout_ns = DEFAULT_DEVICE_TIMEOUT_NS},
		.confine = confine_default(),
	};
	struct scanoptions *asked = &options.scan;

	diag_init("ibscan");
	jsonmemory_require();
	asked->node = host_node_name();

	int status;
	int first = opt_parse(&tool, argc, argv, &options, &status);
	if (first >= 0) {
		if (first < argc)
			options.recorded_path = argv[first];
		if (asked->count == 0 && asked->interval_ns == 0)
			asked->count = 1;
		status = host_check_node_name(asked->node);
		if (status == 0)
			status = run(&options);
	}
	config_fini(&asked->config);
	free(options.configured_root);
	return status;
}

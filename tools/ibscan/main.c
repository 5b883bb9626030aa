/* ibscan - enumerate RDMA devices, ports and counters from sysfs; scan records on stdout.
 *
 *   main.c         options, wiring, exit
 *   ibscan.h       what is to be read, and what was read: the structs these files share
 *   config.c       decision: which devices and counters are wanted
 *
 *   live.c         scans of this node, on schedule
 *   scanner.c      one pass over class/infiniband: list, ask, wait, write
 *   unbound.c      NICs on the PCI bus that no driver has
 *   readers.c      a pool of threads, so that a device that hangs delays nobody else
 *   device.c       one device: opened, read, noticed to be replaced
 *   identity.c     what a device is: PCI function, names, network interfaces
 *   port.c         one port: read through kept descriptors
 *   descriptors.c  how many may be kept open
 *   parse.c        pure: the texts of sysfs attributes
 *   record.c       readings as scan records
 *
 *   recorded.c     or scan records from a file or a pipe
 *   output.c       where records go: out as they are, or a scan at a time
 *
 *   table.c        pure: a scan as a table for people
 *   headline.c     pure: its first line
 *   rows.c         pure: its rows, what is wrong with each, in which order
 *   evidence.c     pure: what other cards say about a port that is not up
 *   cells.c        pure: the texts of the columns
 *   remarks.c      pure: the last column
 *   errorcounts.c  pure: error counters that have counted
 *   layout.c       pure: how wide the columns are, which are left out
 *   style.c        what the terminal can show
 *
 *   And lib's scanmetrics, a scan as Prometheus' metrics. */
#include "conf.h"
#include "config.h"
#include "diag.h"
#include "host.h"
#include "live.h"
#include "metrics.h"
#include "num.h"
#include "opt.h"
#include "recorded.h"
#include "scanrec.h"
#include "stop.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_DEVICE_TIMEOUT_NS (2 * NUM_NS_PER_S)
#define DURATION_MAX_NS (86400 * NUM_NS_PER_S)

enum {
	OPT_SYSFS_ROOT,
	OPT_INTERVAL,
	OPT_COUNT,
	OPT_COUNTERS,
	OPT_CONFIG,
	OPT_INCLUDE,
	OPT_EXCLUDE,
	OPT_DEVICE_TIMEOUT,
	OPT_VF_COUNTERS,
	OPT_GIDS,
	OPT_NODE,
	OPT_BOOT_ID_FILE,
	OPT_FORMAT,
	OPT_OUTPUT,
	OPT_METRICS_FD,
	OPT_N,
};

struct options {
	const char *counters, *config_path, *metrics_fd;
	struct live_setting live;
	struct scan_config scan;
	enum output_format format;
	const char *output_path;   /* NULL: stdout */
	const char *recorded_path; /* NULL: this node is scanned */
	char *configured_root;     /* where the configuration has sysfs; NULL: it does not say */
	bool given[OPT_N];
};

static const struct opt_spec specs[] = {
	[OPT_SYSFS_ROOT] = {"sysfs-root", "DIR", "read below DIR instead of /sys"},
	[OPT_INTERVAL] = {"interval", "DURATION",
		"scan every DURATION (250ms, 1s, 5m) until stopped"},
	[OPT_COUNT] = {"count", "N", "end after N scans"},
	[OPT_COUNTERS] = {"counters", "WHICH",
		"all (default), none, configured, or names: link_downed,hw_counters/x"},
	[OPT_CONFIG] = {"config", "FILE",
		"read the counters that FILE enables (implies --counters configured)"},
	[OPT_INCLUDE] = {"include", "REGEX", "only devices whose name matches"},
	[OPT_EXCLUDE] = {"exclude", "REGEX", "no devices whose name matches"},
	[OPT_DEVICE_TIMEOUT] = {"device-timeout", "DURATION",
		"report a device that has not answered by then as timeout (2s)"},
	[OPT_VF_COUNTERS] = {"vf-counters", NULL, "read the counters of virtual functions too"},
	[OPT_GIDS] = {"gids", NULL, "count the valid entries of each port's GID table"},
	[OPT_NODE] = {"node", "NAME", "node name in the records ($NODE_NAME, else the host name)"},
	[OPT_BOOT_ID_FILE] = {"boot-id-file", "FILE",
		"take the boot id from FILE (/proc/sys/kernel/random/boot_id)"},
	[OPT_FORMAT] = {"format", "FORMAT", OUTPUT_FORMAT_NAMES},
	[OPT_OUTPUT] = {"output", "FILE", "replace FILE, as a whole, by each scan (not with json)"},
	[OPT_METRICS_FD] = METRICS_OPTION,
};

static const char *
take_duration(const char *value, uint64_t *out_ns)
{
	switch (num_parse_duration(value, DURATION_MAX_NS, out_ns)) {
	case NUM_OK:
		return *out_ns > 0 ? NULL : "must be more than nothing";
	case NUM_MALFORMED:
		return "not a duration such as 250ms, 1s or 5m";
	case NUM_RANGE:
		break;
	}
	return "more than a day";
}

static const char *
take_regex(const char *value, struct rx **out)
{
	static struct rx_error error;
	rx_free(*out);
	*out = rx_new(value, strlen(value), &error);
	return *out != NULL ? NULL : error.reason;
}

static const char *
take_option(void *context, size_t index, const char *value)
{
	struct options *options = context;
	struct live_setting *live = &options->live;

	options->given[index] = true;
	switch (index) {
	case OPT_SYSFS_ROOT:
		live->sysfs_root = value;
		return NULL;
	case OPT_INTERVAL:
		return take_duration(value, &live->interval_ns);
	case OPT_COUNT:
		if (num_parse_u64(value, UINT64_MAX, &live->count) != NUM_OK || live->count == 0)
			return "not a number of scans";
		return NULL;
	case OPT_COUNTERS:
		options->counters = value;
		return NULL;
	case OPT_CONFIG:
		options->config_path = value;
		return NULL;
	case OPT_INCLUDE:
		return take_regex(value, &options->scan.include);
	case OPT_EXCLUDE:
		return take_regex(value, &options->scan.exclude);
	case OPT_DEVICE_TIMEOUT:
		return take_duration(value, &live->device_timeout_ns);
	case OPT_VF_COUNTERS:
		options->scan.vf_counters = true;
		return NULL;
	case OPT_GIDS:
		options->scan.gids = true;
		return NULL;
	case OPT_NODE:
		live->node = value;
		return strlen(value) <= REC_NODE_MAX_BYTES ? NULL : "longer than a DNS name";
	case OPT_BOOT_ID_FILE:
		live->boot_id_path = value;
		return NULL;
	case OPT_FORMAT:
		return output_parse_format(value, &options->format) ? NULL : "no such format";
	case OPT_OUTPUT:
		options->output_path = value;
		return *value != '\0' ? NULL : "not the name of a file";
	case OPT_METRICS_FD:
		options->metrics_fd = value;
		return NULL;
	}
	return "unknown";
}

static const struct opt_tool tool = {
	.name = "ibscan",
	.purpose = "Enumerate RDMA devices, ports and counters from sysfs and write scan records.",
	.operands = "[FILE|-]",
	.options = specs,
	.count = sizeof specs / sizeof *specs,
	.take = take_option,
};

/* Which counters to read: --counters, else what --config enables, else all. And where: --sysfs-root, else what the configuration says, if it is read, else /sys.
 * Returns an exit code. */
static int
configure(struct options *options)
{
	const char *choice = options->counters;
	if (choice == NULL)
		choice = options->config_path != NULL ? "configured" : "all";

	/* In an incident a broken configuration must not keep anybody from looking. */
	bool configured = options->config_path != NULL || strcmp(choice, "configured") == 0;
	struct conf conf = {0};
	int status = configured ? conf_load(&conf, options->config_path) : 0;
	if (status != 0)
		return status;
	if (configured && !conf.counter_detection)
		choice = "none";
	const char *reason = scan_config_choose(&options->scan, choice, &conf.counters);
	if (configured) {
		options->configured_root = conf.sysfs_root;
		conf.sysfs_root = NULL;
		conf_fini(&conf);
	}
	if (options->live.sysfs_root == NULL)
		options->live.sysfs_root =
			options->configured_root != NULL ? options->configured_root : "/sys";
	if (reason == NULL)
		return 0;
	diag_error("--counters '%s': %s (try 'ibscan --help')", choice, reason);
	return EXIT_USAGE;
}

/* What is asked for must go together. Returns an exit code. */
static int
check_options(const struct options *options)
{
	bool recorded = options->recorded_path != NULL;

	if (options->format == OUTPUT_JSON && (recorded || options->given[OPT_OUTPUT])) {
		diag_error("%s needs another --format than json (try 'ibscan --help')",
			recorded ? "reading records" : "--output");
		return EXIT_USAGE;
	}
	for (size_t i = 0; i < OPT_N && recorded; i++) {
		if (!options->given[i] || i == OPT_FORMAT || i == OPT_OUTPUT)
			continue;
		diag_error("--%s does not go with records from %s (try 'ibscan --help')",
			specs[i].name, options->recorded_path);
		return EXIT_USAGE;
	}
	return 0;
}

static int
run(struct options *options)
{
	int status = check_options(options);
	if (status == 0)
		status = metrics_take(options->metrics_fd, &options->live.metrics);
	if (status == 0)
		status = configure(options);
	if (status != 0)
		return status;

	/* A table says of a RoCE port whether anybody can connect to it. */
	options->scan.gids |= options->format == OUTPUT_TABLE;
	if (stop_catch() < 0)
		diag_die(EXIT_OS, "signals: %s", strerror(errno));
	struct output *output = output_new(options->format, options->output_path);
	if (output == NULL)
		diag_die(EXIT_OS, "out of memory");
	if (options->recorded_path != NULL)
		status = recorded_run(options->recorded_path, output);
	else
		status = live_run(&options->live, &options->scan, output);
	output_free(output);
	return status;
}

/* Records with too long a name are taken by nobody. Returns an exit code. */
static int
check_node(const struct options *options)
{
	if (strlen(options->live.node) <= REC_NODE_MAX_BYTES)
		return 0;
	diag_error("NODE_NAME: longer than a DNS name");
	return EXIT_USAGE;
}

int
main(int argc, char **argv)
{
	struct options options = {
		.live = {.boot_id_path = "/proc/sys/kernel/random/boot_id",
			.device_timeout_ns = DEFAULT_DEVICE_TIMEOUT_NS},
	};

	diag_init("ibscan");
	/* At boot a machine may take seconds to find the randomness for this: no device's time. */
	json_object_seed(0);
	options.live.node = host_node_name();

	int status;
	int first = opt_parse(&tool, argc, argv, &options, &status);
	if (first >= 0 && first < argc)
		options.recorded_path = argv[first++];
	if (first >= 0 && first < argc)
		status = opt_unexpected_operand(argv[first]);
	else if (first >= 0) {
		if (!options.given[OPT_COUNT])
			options.live.count = options.given[OPT_INTERVAL] ? 0 : 1;
		status = check_node(&options);
		if (status == 0)
			status = run(&options);
	}
	scan_config_fini(&options.scan);
	metrics_close(options.live.metrics);
	free(options.configured_root);
	return status;
}

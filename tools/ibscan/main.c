/* ibscan - enumerate RDMA devices, ports and counters from sysfs; scan records on stdout.
 *
 *   main.c         options, wiring, schedule, exit
 *   ibscan.h       what is to be read, and what was read: the structs these files share
 *   config.c       decision: which devices and counters are wanted
 *   scanner.c      one pass over class/infiniband: list, ask, wait, write
 *   readers.c      a pool of threads, so that a device that hangs delays nobody else
 *   device.c       one device: opened, read, noticed to be replaced
 *   identity.c     what a device is: PCI function, names, network interfaces
 *   port.c         one port: read through kept descriptors
 *   descriptors.c  how many may be kept open
 *   parse.c        pure: the texts of sysfs attributes
 *   record.c       readings as scan records */
#include "conf.h"
#include "config.h"
#include "descriptors.h"
#include "diag.h"
#include "host.h"
#include "num.h"
#include "opt.h"
#include "scanner.h"
#include "scanrec.h"
#include "stop.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_DEVICE_TIMEOUT_NS (2 * NUM_NS_PER_S)
#define DURATION_MAX_NS (86400 * NUM_NS_PER_S)

struct options {
	const char *sysfs_root, *counters, *config_path, *node, *boot_id_path;
	uint64_t interval_ns, device_timeout_ns;
	uint64_t count; /* scans; 0: without end */
	bool interval_given, count_given;
	struct scan_config scan;
};

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

	switch (index) {
	case OPT_SYSFS_ROOT:
		options->sysfs_root = value;
		return NULL;
	case OPT_INTERVAL:
		options->interval_given = true;
		return take_duration(value, &options->interval_ns);
	case OPT_COUNT:
		options->count_given = true;
		if (num_parse_u64(value, UINT64_MAX, &options->count) != NUM_OK ||
			options->count == 0)
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
		return take_duration(value, &options->device_timeout_ns);
	case OPT_VF_COUNTERS:
		options->scan.vf_counters = true;
		return NULL;
	case OPT_GIDS:
		options->scan.gids = true;
		return NULL;
	case OPT_NODE:
		options->node = value;
		return strlen(value) <= SCANREC_NODE_MAX_BYTES ? NULL : "longer than a DNS name";
	case OPT_BOOT_ID_FILE:
		options->boot_id_path = value;
		return NULL;
	}
	return "unknown";
}

static const struct opt_tool tool = {
	.name = "ibscan",
	.purpose = "Enumerate RDMA devices, ports and counters from sysfs and write scan records.",
	.operands = "",
	.options = specs,
	.count = sizeof specs / sizeof *specs,
	.take = take_option,
};

/* Which counters to read: --counters, else what --config enables, else all. Returns an exit code. */
static int
choose_counters(struct options *options)
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
	if (configured)
		conf_fini(&conf);
	if (reason == NULL)
		return 0;
	diag_error("--counters '%s': %s (try 'ibscan --help')", choice, reason);
	return EXIT_USAGE;
}

/* Sleeps until the next multiple of the interval that is still to come: a late scan skips, never bunches. */
static void
wait_for_slot(uint64_t start_ns, uint64_t interval_ns)
{
	uint64_t slots = (clock_monotonic_ns() - start_ns) / interval_ns + 1;
	uint64_t next_ns = start_ns + slots * interval_ns;
	uint64_t now_ns;
	while (!stop_requested() && (now_ns = clock_monotonic_ns()) < next_ns)
		stop_poll(NULL, 0, next_ns - now_ns);
}

/* Scans as often as asked for. Returns the exit code. */
static int
scan_all(struct scanner *scanner, const struct options *options)
{
	uint64_t start_ns = clock_monotonic_ns();

	for (uint64_t done = 0; !stop_requested();) {
		if (scanner_run(scanner) < 0)
			return diag_io_failure("stdout");
		if (++done == options->count)
			break;
		if (options->interval_ns > 0)
			wait_for_slot(start_ns, options->interval_ns);
	}
	return 0;
}

static int
run(const struct options *options)
{
	struct scan_setting setting = {
		.out = STDOUT_FILENO,
		.config = &options->scan,
		.node = options->node,
		.boot_id_path = options->boot_id_path,
		.interval_ns = options->interval_ns,
		.device_timeout_ns = options->device_timeout_ns,
	};
	setting.root = sysfs_open_root(options->sysfs_root);
	if (setting.root < 0) {
		diag_error("%s: %s", options->sysfs_root, strerror(errno));
		return errno == EACCES ? EXIT_NO_PERMISSION : EXIT_NO_INPUT;
	}
	/* Also where a bad reader never returns these must be reachable to the end, hence static. */
	static struct scanner *scanner;
	scanner = scanner_new(&setting);
	if (scanner == NULL) {
		diag_error("out of memory");
		close(setting.root);
		return EXIT_OS;
	}
	int status = scan_all(scanner, options);
	if (!scanner_free(scanner)) {
		/* exit() would tear down what a thread that hangs in the kernel still uses. */
		diag_info("a device still hangs: leaving its reader behind");
		_exit(status);
	}
	close(setting.root);
	return status;
}

int
main(int argc, char **argv)
{
	struct options options = {
		.sysfs_root = "/sys",
		.boot_id_path = "/proc/sys/kernel/random/boot_id",
		.device_timeout_ns = DEFAULT_DEVICE_TIMEOUT_NS,
	};

	diag_init("ibscan");
	options.node = host_node_name();

	int status;
	int first = opt_parse(&tool, argc, argv, &options, &status);
	if (first >= 0 && first < argc)
		status = opt_unexpected_operand(argv[first]);
	else if (first >= 0)
		status = choose_counters(&options);
	if (first < 0 || status != 0) {
		scan_config_fini(&options.scan);
		return status;
	}

	char boot_id[SYSFS_TEXT_MAX];
	if (sysfs_read_file(options.boot_id_path, boot_id, sizeof boot_id) != SYSFS_OK)
		diag_warn("%s: %s: records will have no boot id", options.boot_id_path,
			strerror(errno));
	if (!options.count_given)
		options.count = options.interval_given ? 0 : 1;

	if (stop_catch() < 0)
		diag_die(EXIT_OS, "signals: %s", strerror(errno));
	descriptors_init();
	status = run(&options);
	scan_config_fini(&options.scan);
	return status;
}

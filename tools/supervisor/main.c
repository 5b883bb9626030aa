/* nic-health-monitor - run the pipeline `ibscan | topoclass | ctreval | emit` as a supervised service.
 *
 *   main.c      options, wiring, exit
 *   pipeline.c  which stages there are, and what each is started with
 *   service.c   the stages kept running: pipes, deaths, restarts, an orderly end
 *   restart.c   pure: how long to wait before a stage is started again */
#include "diag.h"
#include "opt.h"
#include "service.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SINKS_MAX 16

/* SPEC section 4.5. */
#define DEFAULT_STATE_PATH "/var/run/nic_health_monitor/state.json"

struct options {
	struct service_options service;
	const char *sinks[SINKS_MAX];
};

enum {
	OPT_SYSFS_ROOT,
	OPT_INTERVAL,
	OPT_STATE_POLLING_INTERVAL,
	OPT_METADATA_PATH,
	OPT_ROUTE_PATH,
	OPT_ROUTE6_PATH,
	OPT_BOOT_ID_PATH,
	OPT_SINK,
	OPT_NODE_NAME,
	OPT_CONFIG,
	OPT_CHECKS,
	OPT_PROCESSING_STRATEGY,
	OPT_STATE_FILE,
};

static const struct opt_spec specs[] = {
	[OPT_SYSFS_ROOT] = {"sysfs-root", "DIR", "read below DIR instead of /sys"},
	[OPT_INTERVAL] = {"interval", "DURATION", "scan every DURATION (1s)"},
	[OPT_STATE_POLLING_INTERVAL] = {"state-polling-interval", "DURATION",
		"the same, by its name in NVSentinel"},
	[OPT_METADATA_PATH] = {"metadata-path", "FILE",
		"GPU metadata (/var/lib/nvsentinel/gpu_metadata.json)"},
	[OPT_ROUTE_PATH] = {"route-path", "FILE", "IPv4 routes (/proc/net/route)"},
	[OPT_ROUTE6_PATH] = {"route6-path", "FILE", "IPv6 routes (/proc/net/ipv6_route)"},
	[OPT_BOOT_ID_PATH] = {"boot-id-path", "FILE",
		"the boot id (/proc/sys/kernel/random/boot_id)"},
	[OPT_SINK] = {"sink", "SPEC",
		"where events go, see emit(1): -, file:, unix:, tcp:; may be repeated (-)"},
	[OPT_NODE_NAME] = {"node-name", "NAME", "node name ($NODE_NAME, else the host name)"},
	[OPT_CONFIG] = {"config", "FILE",
		"configuration for all stages (/etc/nic-health-monitor/config.yaml)"},
	[OPT_CHECKS] = {"checks", "LIST", "only these checks, see ctreval(1)"},
	[OPT_PROCESSING_STRATEGY] = {"processing-strategy", "WORD",
		"of the events: EXECUTE_REMEDIATION, STORE_ONLY, STORE_AND_ANALYSE"},
	[OPT_STATE_FILE] = {"state-file", "FILE",
		"what is known of the NICs (" DEFAULT_STATE_PATH "); empty: nothing is kept"},
};

static const char *
take_option(void *context, size_t index, const char *value)
{
	struct options *options = context;
	struct service_options *service = &options->service;

	switch (index) {
	case OPT_SYSFS_ROOT:
		service->sysfs_root = value;
		return NULL;
	case OPT_INTERVAL:
	case OPT_STATE_POLLING_INTERVAL:
		service->interval = value;
		return NULL;
	case OPT_METADATA_PATH:
		service->metadata_path = value;
		return NULL;
	case OPT_ROUTE_PATH:
		service->route_path = value;
		return NULL;
	case OPT_ROUTE6_PATH:
		service->route6_path = value;
		return NULL;
	case OPT_BOOT_ID_PATH:
		service->boot_id_path = value;
		return NULL;
	case OPT_SINK:
		if (service->sink_count == SINKS_MAX)
			return "too many sinks";
		options->sinks[service->sink_count++] = value;
		return NULL;
	case OPT_NODE_NAME:
		service->node_name = value;
		return NULL;
	case OPT_CONFIG:
		service->config_path = value;
		return NULL;
	case OPT_CHECKS:
		service->checks = value;
		return NULL;
	case OPT_PROCESSING_STRATEGY:
		service->strategy = value;
		return NULL;
	case OPT_STATE_FILE:
		service->state_path = *value != '\0' ? value : NULL;
		return NULL;
	}
	return "unknown";
}

static const struct opt_tool tool = {
	.name = "nic-health-monitor",
	.purpose = "Watch the RDMA NICs of this node and report failing ones.",
	.operands = "",
	.options = specs,
	.count = sizeof specs / sizeof *specs,
	.take = take_option,
};

/* The stages are installed beside this program. */
static int
find_programs(char directory[PATH_MAX])
{
	ssize_t n = readlink("/proc/self/exe", directory, PATH_MAX - 1);
	if (n < 0)
		return -1;
	directory[n] = '\0';
	char *slash = strrchr(directory, '/');
	if (slash == NULL) {
		errno = ENOENT;
		return -1;
	}
	*slash = '\0';
	return 0;
}

/* /run is empty after a boot. What cannot be made here is ctreval's to complain about. */
static void
make_directory(const char *file)
{
	char directory[PATH_MAX];
	const char *slash = strrchr(file, '/');
	if (slash == NULL || slash == file || (size_t)(slash - file) >= sizeof directory)
		return;
	memcpy(directory, file, (size_t)(slash - file));
	directory[slash - file] = '\0';
	mkdir(directory, 0750);
}

int
main(int argc, char **argv)
{
	struct options options = {.service = {.interval = "1s", .state_path = DEFAULT_STATE_PATH}};
	char programs[PATH_MAX];

	diag_init("nic-health-monitor");
	options.service.sinks = options.sinks;
	int status;
	int first = opt_parse(&tool, argc, argv, &options, &status);
	if (first < 0)
		return status;
	if (first < argc)
		return opt_unexpected_operand(argv[first]);
	if (options.service.state_path != NULL)
		make_directory(options.service.state_path);
	if (find_programs(programs) < 0)
		diag_die(EXIT_OS, "/proc/self/exe: %s", strerror(errno));
	return service_run(programs, &options.service);
}

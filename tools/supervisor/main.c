/* nic-health-monitor - run the pipeline `ibscan | topoclass | ctreval | emit`, and logmatch into its end, as a supervised service, or once.
 *
 *   main.c      options, wiring, exit
 *   pipeline.c  which stages there are, and what each is started with
 *
 *   service.c   the loop: what happens to the stages, and what is done about it
 *   stages.c    the processes and the pipes between them
 *   restart.c   pure: how long to wait before a stage is started again
 *   watch.c     pure: whether a stage that runs also gets on
 *   confcopy.c  the configuration that is in force
 *   notify.c    what systemd is told
 *   view.h      how the service is at one moment
 *
 *   once.c      one look at the node: the stages one after the other
 *   stagerun.c  one stage run once: bytes in, bytes out, and a deadline
 *   summary.c   pure: events in, findings and a verdict out
 *   lastscan.c  pure: findings of what the last scan shows and no event says
 *   report.c    a summary as lines for people, or as a record */
#include "diag.h"
#include "num.h"
#include "once.h"
#include "opt.h"
#include "service.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SINKS_MAX 16

/* Words about sinks: each and its value, and up to four files with theirs. */
#define SINK_WORDS_MAX ((size_t)10 * SINKS_MAX)

#define DEFAULT_INTERVAL "1s"

/* SPEC section 4.5. */
#define DEFAULT_STATE_PATH "/var/run/nic_health_monitor/state.json"

/* Beside the state file: what logmatch remembers, and what emit acknowledges. */
#define LOG_STATE_NAME "logmatch.json"
#define ACKS_NAME "acks.json"

#define DEFAULT_SPOOL_PATH "/var/lib/nic-health-monitor/spool.db"

#define DEFAULT_KMSG_PATH "/dev/kmsg"

enum {
	OPT_SYSFS_ROOT,
	OPT_INTERVAL,
	OPT_STATE_POLLING_INTERVAL,
	OPT_METADATA_PATH,
	OPT_ROUTE_PATH,
	OPT_ROUTE6_PATH,
	OPT_BOOT_ID_PATH,
	OPT_SINK,
	OPT_CA_FILE,
	OPT_CERT_FILE,
	OPT_KEY_FILE,
	OPT_TOKEN_FILE,
	OPT_SPOOL,
	OPT_NODE_NAME,
	OPT_CONFIG,
	OPT_CHECKS,
	OPT_PROCESSING_STRATEGY,
	OPT_STATE_FILE,
	OPT_KMSG_PATH,
	OPT_ONCE,
	OPT_SETTLE,
	OPT_JSON,
	OPT_QUIET,
	OPT_N,
};

/* Where an option means something. */
enum { FOR_SERVICE = 1, FOR_ONCE = 2 };
static const unsigned char belongs[OPT_N] = {
	[OPT_SYSFS_ROOT] = FOR_SERVICE | FOR_ONCE,
	[OPT_INTERVAL] = FOR_SERVICE,
	[OPT_STATE_POLLING_INTERVAL] = FOR_SERVICE,
	[OPT_METADATA_PATH] = FOR_SERVICE | FOR_ONCE,
	[OPT_ROUTE_PATH] = FOR_SERVICE | FOR_ONCE,
	[OPT_ROUTE6_PATH] = FOR_SERVICE | FOR_ONCE,
	[OPT_BOOT_ID_PATH] = FOR_SERVICE | FOR_ONCE,
	[OPT_SINK] = FOR_SERVICE,
	[OPT_CA_FILE] = FOR_SERVICE,
	[OPT_CERT_FILE] = FOR_SERVICE,
	[OPT_KEY_FILE] = FOR_SERVICE,
	[OPT_TOKEN_FILE] = FOR_SERVICE,
	[OPT_SPOOL] = FOR_SERVICE,
	[OPT_NODE_NAME] = FOR_SERVICE | FOR_ONCE,
	[OPT_CONFIG] = FOR_SERVICE | FOR_ONCE,
	[OPT_CHECKS] = FOR_SERVICE | FOR_ONCE,
	[OPT_PROCESSING_STRATEGY] = FOR_SERVICE | FOR_ONCE,
	[OPT_STATE_FILE] = FOR_SERVICE,
	[OPT_KMSG_PATH] = FOR_SERVICE,
	[OPT_ONCE] = FOR_ONCE,
	[OPT_SETTLE] = FOR_ONCE,
	[OPT_JSON] = FOR_ONCE,
	[OPT_QUIET] = FOR_ONCE,
};

#define DEFAULT_SETTLE_NS (2 * NUM_NS_PER_S)
#define SETTLE_MAX_NS (3600 * NUM_NS_PER_S)

struct options {
	struct service_options service;
	struct once_options once;
	const char *sink_words[SINK_WORDS_MAX];
	size_t sink_count;
	char log_state_path[PATH_MAX];
	char acks_path[PATH_MAX];
	bool given[OPT_N];
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
		"where events go, see emit(1): file:, grpc:, ...; may be repeated (-)"},
	[OPT_CA_FILE] = {"ca-file", "FILE", "of the --sink before it, see emit(1)"},
	[OPT_CERT_FILE] = {"cert-file", "FILE", "the same"},
	[OPT_KEY_FILE] = {"key-file", "FILE", "the same"},
	[OPT_TOKEN_FILE] = {"token-file", "FILE", "the same"},
	[OPT_SPOOL] = {"spool", "FILE",
		"where events are kept (" DEFAULT_SPOOL_PATH "); empty: in memory"},
	[OPT_NODE_NAME] = {"node-name", "NAME", "node name ($NODE_NAME, else the host name)"},
	[OPT_CONFIG] = {"config", "FILE",
		"configuration for all stages (/etc/nic-health-monitor/config.yaml)"},
	[OPT_CHECKS] = {"checks", "LIST", "only these checks, see ctreval(1)"},
	[OPT_PROCESSING_STRATEGY] = {"processing-strategy", "WORD",
		"of the events: EXECUTE_REMEDIATION, STORE_ONLY, STORE_AND_ANALYSE"},
	[OPT_STATE_FILE] = {"state-file", "FILE",
		"what is known of the NICs (" DEFAULT_STATE_PATH "); empty: nothing is kept"},
	[OPT_KMSG_PATH] = {"kmsg-path", "FILE",
		"the kernel's log (" DEFAULT_KMSG_PATH "); empty: it is not read"},
	[OPT_ONCE] = {"once", NULL,
		"check the node once: exit 0 healthy, 1 fatal, 2 degraded, 3 cannot tell"},
	[OPT_SETTLE] = {"settle", "DURATION",
		"with --once: time between the first scan and the last (2s)"},
	[OPT_JSON] = {"json", NULL, "with --once: one record instead of lines for people"},
	[OPT_QUIET] = {"quiet", NULL, "with --once: nothing but the exit code"},
};

/* `name` in the directory of `path`, which is `directory` bytes long. NULL, or why that will not do. */
static const char *
put_beside(char out[PATH_MAX], const char *path, size_t directory, const char *name)
{
	if (directory + strlen(name) >= PATH_MAX)
		return "too long";
	if (strcmp(path + directory, name) == 0)
		return "that is the name of a file of its own, beside it";
	memcpy(out, path, directory);
	strcpy(out + directory, name);
	return NULL;
}

/* Sets both state files, and where acknowledgements are. */
static const char *
take_state_file(struct options *options, const char *path)
{
	struct service_options *service = &options->service;
	const char *slash = strrchr(path, '/');
	size_t directory = slash != NULL ? (size_t)(slash + 1 - path) : 0;

	service->state_path = service->log_state_path = service->acks_path = NULL;
	if (*path == '\0')
		return NULL;
	const char *reason = put_beside(options->log_state_path, path, directory, LOG_STATE_NAME);
	if (reason == NULL)
		reason = put_beside(options->acks_path, path, directory, ACKS_NAME);
	if (reason != NULL)
		return reason;
	service->state_path = path;
	service->log_state_path = options->log_state_path;
	service->acks_path = options->acks_path;
	return NULL;
}

/* emit's own option, with its value; what is wrong with it, emit says. */
static const char *
take_sink_word(struct options *options, const char *option, const char *value)
{
	struct service_options *service = &options->service;
	if (service->sink_word_count + 2 > SINK_WORDS_MAX)
		return "too much about sinks";
	options->sink_words[service->sink_word_count++] = option;
	options->sink_words[service->sink_word_count++] = value;
	return NULL;
}

static const char *
take_option(void *context, size_t index, const char *value)
{
	struct options *options = context;
	struct service_options *service = &options->service;

	options->given[index] = true;
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
		if (options->sink_count++ == SINKS_MAX)
			return "too many sinks";
		return take_sink_word(options, "--sink", value);
	case OPT_CA_FILE:
		return take_sink_word(options, "--ca-file", value);
	case OPT_CERT_FILE:
		return take_sink_word(options, "--cert-file", value);
	case OPT_KEY_FILE:
		return take_sink_word(options, "--key-file", value);
	case OPT_TOKEN_FILE:
		return take_sink_word(options, "--token-file", value);
	case OPT_SPOOL:
		service->spool_path = *value != '\0' ? value : NULL;
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
		return take_state_file(options, value);
	case OPT_KMSG_PATH:
		service->kmsg_path = *value != '\0' ? value : NULL;
		return NULL;
	case OPT_ONCE:
		return NULL;
	case OPT_SETTLE:
		return num_parse_duration(value, SETTLE_MAX_NS, &options->once.settle_ns) == NUM_OK
			       ? NULL
			       : "not a duration of at most an hour, such as 500ms or 2s";
	case OPT_JSON:
		options->once.json = true;
		return NULL;
	case OPT_QUIET:
		options->once.quiet = true;
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

/* /run is empty after a boot. What cannot be made here is for ctreval and logmatch to complain about. */
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

/* An option that would do nothing is a misunderstanding. Returns an exit code. */
static int
check_options(const struct options *options)
{
	bool once = options->given[OPT_ONCE];
	for (size_t i = 0; i < OPT_N; i++) {
		if (!options->given[i] || (belongs[i] & (once ? FOR_ONCE : FOR_SERVICE)) != 0)
			continue;
		diag_error("--%s %s --once (try 'nic-health-monitor --help')", specs[i].name,
			once ? "does not go with" : "needs");
		return EXIT_USAGE;
	}
	return 0;
}

int
main(int argc, char **argv)
{
	struct options options = {
		.service = {.kmsg_path = DEFAULT_KMSG_PATH, .spool_path = DEFAULT_SPOOL_PATH},
		.once = {.settle_ns = DEFAULT_SETTLE_NS},
	};
	char programs[PATH_MAX];

	diag_init("nic-health-monitor");
	options.service.sink_words = options.sink_words;
	take_state_file(&options, DEFAULT_STATE_PATH);
	int status;
	int first = opt_parse(&tool, argc, argv, &options, &status);
	if (first < 0)
		return status;
	if (first < argc)
		return opt_unexpected_operand(argv[first]);
	status = check_options(&options);
	if (status != 0)
		return status;
	if (find_programs(programs) < 0)
		diag_die(EXIT_OS, "/proc/self/exe: %s", strerror(errno));

	if (options.given[OPT_ONCE]) {
		options.service.state_path = options.service.log_state_path = NULL;
		options.service.spool_path = options.service.acks_path = NULL;
		return once_run(programs, &options.service, &options.once);
	}
	if (options.service.interval == NULL)
		options.service.interval = DEFAULT_INTERVAL;
	if (options.service.state_path != NULL)
		make_directory(options.service.state_path);
	return service_run(programs, &options.service);
}

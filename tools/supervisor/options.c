/* options - the command line of the service, and of its other modes. */
#include "options.h"

#include "connector.h"
#include "diag.h"
#include "host.h"
#include "num.h"
#include "opt.h"
#include "rec.h"

#include <arpa/inet.h>
#include <string.h>

#define DEFAULT_INTERVAL "1s"

/* SPEC section 4.5. */
#define DEFAULT_STATE_PATH "/var/run/nic_health_monitor/state.json"

#define DEFAULT_SPOOL_PATH "/var/lib/nic-health-monitor/spool.db"

#define DEFAULT_KMSG_PATH "/dev/kmsg"

/* Nobody but this host is served unless that is asked for. */
#define DEFAULT_METRICS_ADDRESS "127.0.0.1"
#define DEFAULT_METRICS_PORT 2112

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
	OPT_CONNECTOR_SOCKET,
	OPT_CONNECTOR_TOKEN_PATH,
	OPT_SPOOL,
	OPT_NODE_NAME,
	OPT_CONFIG,
	OPT_CHECKS,
	OPT_PROCESSING_STRATEGY,
	OPT_STATE_FILE,
	OPT_KMSG_PATH,
	OPT_METRICS_PORT,
	OPT_METRICS_ADDRESS,
	OPT_CHECK_CONFIG,
	OPT_ONCE,
	OPT_SETTLE,
	OPT_JSON,
	OPT_QUIET,
	OPT_N,
};

/* Where an option means something; the others do everywhere. */
enum { FOR_SERVICE = 1, FOR_ONCE };
static const unsigned char belongs[OPT_N] = {
	[OPT_INTERVAL] = FOR_SERVICE,
	[OPT_STATE_POLLING_INTERVAL] = FOR_SERVICE,
	[OPT_SINK] = FOR_SERVICE,
	[OPT_CA_FILE] = FOR_SERVICE,
	[OPT_CERT_FILE] = FOR_SERVICE,
	[OPT_KEY_FILE] = FOR_SERVICE,
	[OPT_TOKEN_FILE] = FOR_SERVICE,
	[OPT_CONNECTOR_SOCKET] = FOR_SERVICE,
	[OPT_CONNECTOR_TOKEN_PATH] = FOR_SERVICE,
	[OPT_SPOOL] = FOR_SERVICE,
	[OPT_STATE_FILE] = FOR_SERVICE,
	[OPT_KMSG_PATH] = FOR_SERVICE,
	[OPT_METRICS_PORT] = FOR_SERVICE,
	[OPT_METRICS_ADDRESS] = FOR_SERVICE,
	[OPT_CHECK_CONFIG] = FOR_SERVICE,
	[OPT_SETTLE] = FOR_ONCE,
	[OPT_JSON] = FOR_ONCE,
	[OPT_QUIET] = FOR_ONCE,
};

#define DEFAULT_SETTLE_NS (2 * NUM_NS_PER_S)
#define SETTLE_MAX_NS (3600 * NUM_NS_PER_S)

#define INTERVAL_MAX_NS (86400 * NUM_NS_PER_S)

/* The options as they are taken, one by one. */
struct parse {
	struct options *options;
	bool given[OPT_N];
	const char *metrics_address; /* NULL: not given */
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
		"where events go, see emit(1): -, file:, grpc:, ...; may be repeated"},
	[OPT_CA_FILE] = {"ca-file", "FILE", "of the --sink before it, see emit(1)"},
	[OPT_CERT_FILE] = {"cert-file", "FILE", "the same"},
	[OPT_KEY_FILE] = {"key-file", "FILE", "the same"},
	[OPT_TOKEN_FILE] = {"token-file", "FILE", "the same"},
	[OPT_CONNECTOR_SOCKET] = {"platform-connector-socket", "TARGET",
		"NVSentinel's Platform Connector; without any --sink: " CONNECTOR_DEFAULT_TARGET},
	[OPT_CONNECTOR_TOKEN_PATH] = {"platform-connector-token-path", "FILE",
		"bearer token for it"},
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
	[OPT_METRICS_PORT] = {"metrics-port", "PORT",
		"serve metrics and health there (2112, for this host only); empty: nowhere"},
	[OPT_METRICS_ADDRESS] = {"metrics-address", "ADDRESS",
		"serve them at this address only (any, when there is a --metrics-port)"},
	[OPT_CHECK_CONFIG] = {"check-config", NULL,
		"check all that is checked at the start, show the configuration, and exit"},
	[OPT_ONCE] = {"once", NULL,
		"check the node once: exit 0 healthy, 1 fatal, 2 degraded, 3 cannot tell"},
	[OPT_SETTLE] = {"settle", "DURATION",
		"with --once: time between the first scan and the last (2s)"},
	[OPT_JSON] = {"json", NULL, "with --once: one record instead of lines for people"},
	[OPT_QUIET] = {"quiet", NULL, "with --once: nothing but the exit code"},
};

/* --- HTTP --- */

static const char *
take_metrics_port(struct service_options *service, const char *text)
{
	uint64_t port;
	if (*text == '\0') {
		service->metrics_port = -1;
		return NULL;
	}
	if (num_parse_u64(text, 65535, &port) != NUM_OK)
		return "not a port number";
	service->metrics_port = (int)port;
	return NULL;
}

static const char *
take_metrics_address(struct parse *parse, const char *text)
{
	struct in6_addr address;
	parse->metrics_address = text;
	return inet_pton(AF_INET, text, &address) == 1 || inet_pton(AF_INET6, text, &address) == 1
		       ? NULL
		       : "not an IP address";
}

/* Whoever names a port has somebody in mind who asks from elsewhere, such as the kubelet. */
static void
choose_metrics_address(struct parse *parse)
{
	struct service_options *service = &parse->options->service;
	if (parse->given[OPT_METRICS_ADDRESS])
		service->metrics_address = parse->metrics_address;
	else if (parse->given[OPT_METRICS_PORT])
		service->metrics_address = NULL;
}

/* --- others --- */

/* ibscan parses it again. */
static const char *
take_interval(struct service_options *service, const char *text)
{
	service->interval = text;
	if (num_parse_duration(text, INTERVAL_MAX_NS, &service->interval_ns) != NUM_OK ||
		service->interval_ns == 0)
		return "not a duration of more than nothing and at most a day, such as 1s or 500ms";
	return NULL;
}

static const char *
take_node_name(struct service_options *service, const char *name)
{
	service->node_name = name;
	return *name != '\0' && strlen(name) <= REC_NODE_MAX_BYTES ? NULL : "not a node's name";
}

/* Of the original's files there will be many. */
static const char *
take_config(struct service_options *service, const char *path)
{
	static const char toml[] = ".toml";
	size_t length = strlen(path);
	service->config_path = path;
	return length < strlen(toml) || strcmp(path + length - strlen(toml), toml) != 0
		       ? NULL
		       : "TOML is not read: write the same keys in YAML, see nic-health-monitor.yaml(5)";
}

static const char *
take_checks(struct options *options, const char *list)
{
	options->service.checks = options->checks.wanted;
	return checks_take(&options->checks, list);
}

/* --- all options --- */

static const char *
take_option(void *context, size_t index, const char *value)
{
	struct parse *parse = context;
	struct options *options = parse->options;
	struct service_options *service = &options->service;
	struct sinkwords *sinks = &options->sinks;

	parse->given[index] = true;
	switch (index) {
	case OPT_SYSFS_ROOT:
		service->sysfs_root = value;
		return NULL;
	case OPT_INTERVAL:
	case OPT_STATE_POLLING_INTERVAL:
		return take_interval(service, value);
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
		return sinkwords_take_sink(sinks, value);
	case OPT_CA_FILE:
		return sinkwords_take(sinks, "--ca-file", value);
	case OPT_CERT_FILE:
		return sinkwords_take(sinks, "--cert-file", value);
	case OPT_KEY_FILE:
		return sinkwords_take(sinks, "--key-file", value);
	case OPT_TOKEN_FILE:
		return sinkwords_take(sinks, "--token-file", value);
	case OPT_CONNECTOR_SOCKET:
		return sinkwords_take_connector(sinks, value);
	case OPT_CONNECTOR_TOKEN_PATH:
		sinks->connector_token = *value != '\0' ? value : NULL;
		return NULL;
	case OPT_SPOOL:
		service->spool_path = *value != '\0' ? value : NULL;
		return NULL;
	case OPT_NODE_NAME:
		return take_node_name(service, value);
	case OPT_CONFIG:
		return take_config(service, value);
	case OPT_CHECKS:
		return take_checks(options, value);
	case OPT_PROCESSING_STRATEGY:
		service->strategy = value;
		return NULL;
	case OPT_STATE_FILE:
		return statefiles_take(&options->files, service, value);
	case OPT_KMSG_PATH:
		service->kmsg_path = *value != '\0' ? value : NULL;
		return NULL;
	case OPT_METRICS_PORT:
		return take_metrics_port(service, value);
	case OPT_METRICS_ADDRESS:
		return take_metrics_address(parse, value);
	case OPT_CHECK_CONFIG:
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
	/* The command lines of the original, which is written in Go, work here. */
	.single_dash = true,
	.take = take_option,
};

/* An option that would do nothing is a misunderstanding. Returns an exit code. */
static int
check_scopes(const struct parse *parse)
{
	bool once = parse->given[OPT_ONCE];
	for (size_t i = 0; i < OPT_N; i++) {
		if (!parse->given[i] || belongs[i] == 0 ||
			belongs[i] == (once ? FOR_ONCE : FOR_SERVICE))
			continue;
		diag_error("--%s %s --once (try 'nic-health-monitor --help')", specs[i].name,
			once ? "does not go with" : "needs");
		return EXIT_USAGE;
	}
	return 0;
}

/* What is left to decide once all options are known. Returns an exit code. */
static int
finish(struct parse *parse)
{
	struct options *options = parse->options;
	struct service_options *service = &options->service;
	int status = check_scopes(parse);
	if (status != 0)
		return status;
	/* Of a scan with too long a name no stage would take anything. */
	if (service->node_name == NULL && strlen(host_node_name()) > REC_NODE_MAX_BYTES) {
		diag_error(
			"NODE_NAME: longer than %d bytes: not a node's name", REC_NODE_MAX_BYTES);
		return EXIT_USAGE;
	}
	if (*options->checks.left_out != '\0' && !options->once.quiet)
		diag_warn("--checks: not known here, and left out: %s", options->checks.left_out);
	if (parse->given[OPT_ONCE]) {
		options->mode = OPTIONS_ONCE;
		service->state_path = service->log_state_path = NULL;
		service->spool_path = service->acks_path = NULL;
		return 0;
	}
	if (parse->given[OPT_CHECK_CONFIG])
		options->mode = OPTIONS_CHECK;
	const char *reason = sinkwords_finish(&options->sinks);
	if (reason != NULL) {
		diag_error("%s (try 'nic-health-monitor --help')", reason);
		return EXIT_USAGE;
	}
	service->sink_words = options->sinks.words;
	service->sink_word_count = options->sinks.count;
	if (service->interval == NULL)
		take_interval(service, DEFAULT_INTERVAL);
	choose_metrics_address(parse);
	return 0;
}

int
options_parse(struct options *options, int argc, char **argv, int *exit_code)
{
	struct parse parse = {.options = options};

	*options = (struct options){
		.service = {.kmsg_path = DEFAULT_KMSG_PATH,
			.spool_path = DEFAULT_SPOOL_PATH,
			.metrics_address = DEFAULT_METRICS_ADDRESS,
			.metrics_port = DEFAULT_METRICS_PORT},
		.once = {.settle_ns = DEFAULT_SETTLE_NS},
	};
	statefiles_take(&options->files, &options->service, DEFAULT_STATE_PATH);
	int first = opt_parse(&tool, argc, argv, &parse, exit_code);
	if (first < 0)
		return -1;
	*exit_code = first < argc ? opt_unexpected_operand(argv[first]) : finish(&parse);
	return *exit_code == 0 ? 0 : -1;
}

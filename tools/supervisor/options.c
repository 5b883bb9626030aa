/* options - parses the command line of the service and of its other modes. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include "array.h"
#include "diag.h"
#include "ingerometrics.h"
#include "num.h"
#include "opt.h"
#include "places.h"
#include "scanrec.h"
#include "sinkkinds.h"
#include "text.h"
#include "webaddress.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_INTERVAL "1s"

/* The original's path (spec#state-file). */
#define DEFAULT_STATE_PATH "/var/run/nic_health_monitor/state.json"

/* Files in the state file's directory. */
#define LOG_STATE_NAME "logmatch.json"
#define PATTERN_STATE_NAME "correlate.json"
#define ACKS_NAME "acks.json"

/* File in the spool's directory: both survive a reboot. */
#define SILENCES_NAME "silences.ndjson"

#define DEFAULT_SPOOL_PATH "/var/lib/nic-health-monitor/spool.db"

#define DEFAULT_KMSG_PATH "/dev/kmsg"

/* Serve only this host by default. */
#define DEFAULT_METRICS_ADDRESS "127.0.0.1"
#define DEFAULT_METRICS_PORT 2112

#define INTERVAL_MAX_NS (86400 * NUM_NS_PER_S)

/* --- HTTP --- */

static const char *
accept_metrics_port(void *target, const struct opt_given *given)
{
	struct options *options = target;
	uint64_t port;
	options->has_metrics_port = true;
	if (*given->value == '\0') {
		options->service.metrics_port = -1;
		return NULL;
	}
	if (num_parse_u64(given->value, 65535, &port) != NUM_OK)
		return "not a port number";
	options->service.metrics_port = (int)port;
	return NULL;
}

static const char *
accept_metrics_address(void *target, const struct opt_given *given)
{
	struct options *options = target;
	struct in6_addr address;
	options->service.metrics_address = given->value;
	return inet_pton(AF_INET, given->value, &address) == 1 ||
			       inet_pton(AF_INET6, given->value, &address) == 1
		       ? NULL
		       : "not an IP address";
}

/* A given port is meant for clients on other hosts, such as the kubelet: listen on all
 * addresses. */
static void
choose_metrics_address(struct options *options)
{
	struct service_options *service = &options->service;
	if (service->metrics_address == NULL && !options->has_metrics_port)
		service->metrics_address = DEFAULT_METRICS_ADDRESS;
}

/* --- the state file --- */

/* Write the path of `name` in the subdirectory `program` of the directory of `path`, whose length
 * is `directory`. */
static void
put_beside(char out[STATEFILES_SIZE], const char *path, size_t directory, const char *program,
	const char *name)
{
	/* Truncate a directory or name that is too long, but so that the whole path is still too
	 * long: the stages report it. */
	if (directory > PATH_MAX)
		directory = PATH_MAX;
	memcpy(out, path, directory);
	sprintf(out + directory, "%s/%.*s", program, NAME_MAX + 1, name);
}

/* Set the four paths of `service`, which point into `files`; an empty `path` clears them. Return
 * NULL, or the error. */
static const char *
set_state_file(struct statefiles *files, struct service_options *service, const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t directory = slash != NULL ? (size_t)(slash + 1 - path) : 0;
	const char *name = path + directory;

	service->state_path = service->log_state_path = NULL;
	service->pattern_state_path = service->acks_path = NULL;
	if (*path == '\0')
		return NULL;
	if (strcmp(name, LOG_STATE_NAME) == 0 || strcmp(name, PATTERN_STATE_NAME) == 0 ||
		strcmp(name, ACKS_NAME) == 0)
		return "that is the name of a file of its own, beside it";
	put_beside(files->state, path, directory, "ctreval", name);
	put_beside(files->log_state, path, directory, "logmatch", LOG_STATE_NAME);
	put_beside(files->pattern_state, path, directory, "correlate", PATTERN_STATE_NAME);
	put_beside(files->acks, path, directory, "emit", ACKS_NAME);
	service->state_path = files->state;
	service->log_state_path = files->log_state;
	service->pattern_state_path = files->pattern_state;
	service->acks_path = files->acks;
	return NULL;
}

static const char *
accept_state_file(void *target, const struct opt_given *given)
{
	struct options *options = target;
	return set_state_file(&options->files, &options->service, given->value);
}

/* Put the silences beside the spool, if there is one. */
static void
set_silences(struct options *options)
{
	const char *spool = options->service.spool_path;
	if (spool == NULL)
		return;
	const char *slash = strrchr(spool, '/');
	int directory = slash != NULL ? (int)(slash + 1 - spool) : 0;
	/* emit reports a directory that is too long. */
	snprintf(options->files.silences, sizeof options->files.silences, "%.*s" SILENCES_NAME,
		directory < PATH_MAX ? directory : PATH_MAX, spool);
	options->service.silences_path = options->files.silences;
}

/* Return 0, or an exit code if the spool is also a file of the state. */
static int
check_spool(const struct service_options *service)
{
	if (service->spool_path == NULL || !places_have(service, service->spool_path))
		return 0;
	diag_error("--spool '%s': that is a file of --state (try 'nic-health-monitor --help')",
		service->spool_path);
	return EXIT_USAGE;
}

/* --- sinks --- */

/* Add a sink with a secret address, which goes into the environment. Return NULL, or the error. */
static const char *
add_secret(struct sinkwords *sinks, const char *address)
{
	enum sinkkind kind;
	const char *variable, *rest;
	const char *reason = sinkkinds_parse(address, &kind, &rest);
	if (reason != NULL)
		return reason;
	if (webaddress_rest(address) == NULL)
		return kind == SINKKIND_WEBHOOK ? webaddress_expected : webaddress_password;
	reason = sinkwords_add_secret(sinks, &variable);
	return reason == NULL && setenv(variable, address, 1) < 0 ? strerror(errno) : reason;
}

/* Add a sink. A webhook's address may be a secret, so move it from the command line, which all
 * users of the machine can read, to the environment, which they cannot. */
static const char *
add_sink(struct sinkwords *sinks, char *address)
{
	if (address[webaddress_shown(address)] == '\0')
		return sinkwords_add_sink(sinks, address);
	const char *reason = add_secret(sinks, address);
	webaddress_hide(address);
	return reason;
}

static const char *
accept_sink(void *target, const struct opt_given *given)
{
	return add_sink(&((struct options *)target)->sinks, (char *)given->value);
}

static const char *
accept_sink_option(void *target, const struct opt_given *given)
{
	static const char *const words[] = {"--ca-file", "--cert-file", "--key-file",
		"--token-file", "--server-name", "--clear-token", "--min-severity", "--only-codes",
		"--only-roles"};
	struct options *options = target;
	/* emit would say this too, but not if the configuration's sinks take the place of ours. */
	if (options->sinks.sinks == 0)
		return "it must come after the --sink that it belongs to";
	for (size_t i = 0; i < ARRAY_COUNT(words); i++)
		if (strcmp(words[i] + strlen("--"), given->spec->name) == 0)
			return sinkwords_add(&options->sinks, words[i], given->value);
	return NULL;
}

static const char *
accept_connector(void *target, const struct opt_given *given)
{
	struct options *options = target;
	return sinkwords_set_connector(&options->sinks, given->value);
}

/* --- all options --- */

static const char *
set_interval(struct service_options *service, const char *text)
{
	service->interval = text;
	if (num_parse_duration(text, INTERVAL_MAX_NS, &service->interval_ns) != NUM_OK ||
		service->interval_ns == 0)
		return "not a duration above 0 and at most a day, such as 1s or 500ms";
	return NULL;
}

static const char *
accept_interval(void *target, const struct opt_given *given)
{
	struct options *options = target;
	options->service.names_interval = true;
	return set_interval(&options->service, given->value);
}

static const char *
accept_poll_stall_deadline(void *target, const struct opt_given *given)
{
	struct service_options *service = &((struct options *)target)->service;
	service->poll_stall_deadline = given->value;
	return num_parse_duration(given->value, UINT64_MAX, &service->poll_stall_deadline_ns) ==
			       NUM_OK
		       ? NULL
		       : "not a duration such as 10s";
}

/* Values of an option's scope: the modes in which it has an effect. 0: in all. */
enum { FOR_SERVICE = 1, FOR_ONCE, CHOOSES_ONCE };

static const struct opt_spec specs[] = {
	OPT_TABLE(nodeoptions, NODEOPTIONS_N, struct options, service),
	{"interval", "DURATION", "scan every DURATION (1s)", OPT_OTHER(accept_interval),
		.alias = "state-polling-interval", .scope = FOR_SERVICE},
	{"sink", "SPEC", "where events go, see emit(1): -, file:, grpc:, ...; may be repeated",
		OPT_OTHER(accept_sink), .scope = FOR_SERVICE},
	{"ca-file", "FILE", "CA certificates to verify the sink before it, PEM",
		OPT_OTHER(accept_sink_option), .scope = FOR_SERVICE},
	{"cert-file", "FILE", "client certificate for the sink before it, PEM",
		OPT_OTHER(accept_sink_option), .scope = FOR_SERVICE},
	{"key-file", "FILE", "key of the client certificate, PEM", OPT_OTHER(accept_sink_option),
		.scope = FOR_SERVICE},
	{"token-file", "FILE", "bearer token for the sink before it", OPT_OTHER(accept_sink_option),
		.scope = FOR_SERVICE},
	{"server-name", "NAME", "name expected in the certificate of the sink before it (its host)",
		OPT_OTHER(accept_sink_option), .scope = FOR_SERVICE},
	{"clear-token", NULL, "send the token of the sink before it even without TLS",
		OPT_OTHER(accept_sink_option), .scope = FOR_SERVICE},
	{"min-severity", "WORD",
		"events to send to the sink before it: all, degraded or fatal (all)",
		OPT_OTHER(accept_sink_option), .scope = FOR_SERVICE},
	{"only-codes", "LIST", "send only events with such an errorCode to the sink before it",
		OPT_OTHER(accept_sink_option), .scope = FOR_SERVICE},
	{"only-roles", "LIST", "send only events of NICs with such a role to the sink before it",
		OPT_OTHER(accept_sink_option), .scope = FOR_SERVICE},
	{"grpc-event-id", NULL, "set HealthEvent.id as well as event_id in the metadata",
		OPT_FLAG(struct options, service.grpc_event_id), .scope = FOR_SERVICE},
	{"default-sink", "SPEC",
		"where events go if neither options nor configuration name a sink (the one below)",
		OPT_TEXT_OR_NULL(struct options, default_sink), .scope = FOR_SERVICE},
	{"platform-connector-socket", "TARGET",
		"NVSentinel's Platform Connector; without any --sink: " CONNECTOR_DEFAULT_TARGET,
		OPT_OTHER(accept_connector), .scope = FOR_SERVICE},
	{"platform-connector-token-path", "FILE", "bearer token for the Platform Connector",
		OPT_TEXT_OR_NULL(struct options, sinks.connector_token), .scope = FOR_SERVICE},
	{"spool", "FILE", "the spool (" DEFAULT_SPOOL_PATH "); empty: in memory",
		OPT_TEXT_OR_NULL(struct options, service.spool_path), .scope = FOR_SERVICE},
	{"state", "FILE",
		"keep the state in FILE (" DEFAULT_STATE_PATH ") across restarts; empty: keep none",
		OPT_OTHER(accept_state_file), .alias = "state-file", .scope = FOR_SERVICE},
	{"kmsg", "FILE",
		"the kernel's log (" DEFAULT_KMSG_PATH "); -: stdin; empty: it is not read",
		OPT_TEXT_OR_NULL(struct options, service.kmsg_path), .alias = "kmsg-path",
		.scope = FOR_SERVICE},
	{"events", "LIST", "kernel events to read: ibevent(1)'s --sources (all); empty: none",
		OPT_TEXT_OR_NULL(struct options, service.event_sources), .scope = FOR_SERVICE},
	{"trace", "PATH", "kernel tracepoints to read, see rdmatrace(1); empty: none (empty)",
		OPT_TEXT_OR_NULL(struct options, service.trace_path), .scope = FOR_SERVICE},
	{"lnet", "FILE", "output of lnetctl to read, see lnetread(1); empty: none (empty)",
		OPT_TEXT_OR_NULL(struct options, service.lnet_path), .scope = FOR_SERVICE},
	{"rules", "FILE", "patterns over time to report, see correlate(1) (built in); empty: none",
		OPT_TEXT_OR_NULL(struct options, service.rules_path), .scope = FOR_SERVICE},
	{"poll-stall-deadline", "DURATION",
		"report that NICs cannot be observed after DURATION (10s); 0s: never",
		OPT_OTHER(accept_poll_stall_deadline), .scope = FOR_SERVICE},
	{"poll-stall-store-only", OPT_BOOL_ARGUMENT, "mark this event as store-only (true)",
		OPT_BOOL(struct options, service.poll_stall_store_only), .scope = FOR_SERVICE},
	{"metrics-port", "PORT",
		"metrics and health on PORT (2112, for this host only); empty: nowhere",
		OPT_OTHER(accept_metrics_port), .scope = FOR_SERVICE},
	{"metrics-address", "ADDRESS",
		"serve them at this address only (any, when there is a --metrics-port)",
		OPT_OTHER(accept_metrics_address), .scope = FOR_SERVICE},
	{INGEROMETRICS_OPTION, OPT_FLAG(struct options, service.ingero_names),
		.scope = FOR_SERVICE},
	{"check-config", NULL, "run the checks of a start, show the configuration, and exit",
		OPT_FLAG(struct options, check_only), .scope = FOR_SERVICE},
	{"once", NULL, "check the node once: exit 0 healthy, 1 fatal, 2 degraded, 3 unknown",
		OPT_FLAG(struct options, once), .scope = CHOOSES_ONCE},

	/* niccheck(1) parses the values of these. */
	{"settle", "DURATION", "with --once: time between the first scan and the last (2s)",
		OPT_NOTED, .scope = FOR_ONCE},
	{"json", NULL, "with --once: one JSON record instead of text", OPT_NOTED,
		.scope = FOR_ONCE},
	{"quiet", NULL, "with --once: nothing but the exit code", OPT_NOTED, .scope = FOR_ONCE},
};

static_assert(NODEOPTIONS_N + ARRAY_COUNT(specs) <= OPTIONS_MAX, "room for all");

static void
note_option(void *target, size_t index, const struct opt_given *given)
{
	struct options *options = target;
	options->given[index] = *given;
}

static const struct opt_tool tool = {
	.name = "nic-health-monitor",
	.purpose = "Watch the RDMA NICs of this node and report failing ones.",
	.operands = "",
	.options = specs,
	.count = ARRAY_COUNT(specs),
	/* Accept the command lines of the original, which is written in Go. */
	.single_dash = true,
	.note = note_option,
};

/* Reject options that have no effect in this mode. Return 0 or an exit code. */
static int
check_scopes(const struct options *options)
{
	for (size_t i = 0; i < OPTIONS_MAX; i++) {
		const struct opt_given *given = &options->given[i];
		if (given->spec == NULL ||
			given->spec->scope != (options->once ? FOR_SERVICE : FOR_ONCE))
			continue;
		diag_error("--%s %s --once (try 'nic-health-monitor --help')", given->name,
			options->once ? "cannot be combined with" : "needs");
		return EXIT_USAGE;
	}
	return 0;
}

/* Build the command line of niccheck(1): the same options without --once. Its messages get our
 * name. */
static void
fill_check(struct arguments *check, const struct opt_given given[OPTIONS_MAX])
{
	arguments_add(check, diag_name());
	for (int i = 0; i < diag_verbosity(); i++)
		arguments_add(check, "-v");
	for (size_t i = 0; i < OPTIONS_MAX; i++)
		if (given[i].spec != NULL && given[i].spec->scope != CHOOSES_ONCE)
			arguments_add_option(check, given[i].name, given[i].value);
}

static const char *
get_variable(const char *name)
{
	return getenv(name);
}

/* Set the sinks from the environment and the options. Return NULL, or the error. */
static const char *
finish_sinks(struct options *options)
{
	struct direct *direct = &options->direct;
	bool has_connector = *options->sinks.connector != '\0';
	const char *reason = direct_parse(direct, get_variable);
	if (reason == NULL)
		reason = direct_add(direct, &options->sinks);
	if (reason == NULL && *direct->sink != '\0' && has_connector)
		diag_note("HEALTH_PUBLISH_TARGET is set: events go there, and not to "
			  "--platform-connector-socket");
	if (reason == NULL && direct->unused != NULL)
		diag_note("%s has no effect: events wait in the spool until they are delivered",
			direct->unused);
	if (reason != NULL)
		return reason;
	options->service.names_sinks =
		options->sinks.sinks > 0 || *options->sinks.connector != '\0';
	/* Use the default only if no sink is named. */
	if (!options->service.names_sinks && options->default_sink != NULL)
		reason = add_sink(&options->sinks, (char *)options->default_sink);
	if (reason == NULL)
		reason = sinkwords_finish(&options->sinks);
	options->service.default_has_token =
		!options->service.names_sinks && options->sinks.connector_token != NULL;
	return reason;
}

/* Complete the options after all of them were parsed. Return 0 or an exit code. */
static int
finish(struct options *options)
{
	struct service_options *service = &options->service;
	int status = check_scopes(options);
	if (status != 0)
		return status;
	if (options->once) {
		options->mode = OPTIONS_ONCE;
		fill_check(&options->check, options->given);
		return 0;
	}
	status = nodeoptions_check_name(service);
	if (status != 0)
		return status;
	nodeoptions_warn(service);
	if (options->check_only)
		options->mode = OPTIONS_CHECK;
	const char *reason = pipeline_check_sources(service);
	if (reason != NULL) {
		diag_error("--events '%s': %s (try 'nic-health-monitor --help')",
			text_or_empty(service->event_sources), reason);
		return EXIT_USAGE;
	}
	reason = finish_sinks(options);
	if (reason != NULL) {
		diag_error("%s (try 'nic-health-monitor --help')", reason);
		return EXIT_USAGE;
	}
	service->sink_words = options->sinks.words;
	service->sink_word_count = options->sinks.count;
	if (service->interval == NULL)
		set_interval(service, DEFAULT_INTERVAL);
	choose_metrics_address(options);
	set_silences(options);
	return check_spool(service);
}

int
options_parse(struct options *options, int argc, char **argv, int *exit_code)
{
	*options = (struct options){
		.service = {.confine = confine_default(),
			.kmsg_path = DEFAULT_KMSG_PATH,
			.event_sources = PIPELINE_ALL_SOURCES,
			.rules_path = pipeline_built_in_rules,
			.spool_path = DEFAULT_SPOOL_PATH,
			.poll_stall_deadline_ns = SCANREC_STALL_DEADLINE_NS,
			.poll_stall_store_only = true,
			.metrics_port = DEFAULT_METRICS_PORT},
	};
	set_state_file(&options->files, &options->service, DEFAULT_STATE_PATH);
	if (opt_parse(&tool, argc, argv, options, exit_code) < 0)
		return -1;
	*exit_code = finish(options);
	return *exit_code == 0 ? 0 : -1;
}

void
options_fini(struct options *options)
{
	arguments_fini(&options->check);
}

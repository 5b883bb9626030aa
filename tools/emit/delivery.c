/* delivery - the options about sinks. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "delivery.h"

#include "diag.h"
#include "host.h"
#include "hostport.h"
#include "num.h"
#include "out/curllib.h"
#include "out/request.h"
#include "out/sinkspec.h"
#include "out/starter.h"
#include "runbook.h"
#include "webaddress.h"
#include "words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BATCH_MOST 10000

void
delivery_init(struct run_options *run)
{
	*run = (struct run_options){
		.journal.patience_ns = JOURNAL_PATIENCE_NS,
		.confine = confine_default(),
		.setting = {.batch_max = 100,
			.doubt_ns = 4 * DELIVERY_HOUR_NS,
			.resend_ns = 60 * NUM_NS_PER_S},
		.routing = {.window_ns = 5 * NUM_NS_PER_S, .batch_max = 100},
		.request_timeout_ns = 5 * NUM_NS_PER_S,
		.flush_timeout_ns = 5 * NUM_NS_PER_S,
	};
}

/* --- option by option --- */

static const char *
accept_sink(void *target, const struct opt_given *given)
{
	struct run_options *run = target;
	if (run->spec_count == SINKS_MAX)
		return "too many sinks";
	const char *reason = sink_spec_parse(&run->specs[run->spec_count++], given->value);
	/* Hide the address: it may hold a secret, and ps(1) and messages would show the
	 * argument. */
	webaddress_hide((char *)given->value);
	return reason;
}

static struct sink_spec *
last_sink(struct run_options *run)
{
	return run->spec_count > 0 ? &run->specs[run->spec_count - 1] : NULL;
}

static const char comes_after[] = "it must come after the --sink that it belongs to";

/* Store a file of the preceding sink; the option's row has the member. */
static const char *
accept_sink_file(void *target, const struct opt_given *given)
{
	struct sink_spec *spec = last_sink(target);
	if (spec == NULL)
		return comes_after;
	*(const char **)((char *)&spec->files + given->spec->offset) = given->value;
	return *given->value != '\0' ? NULL : "a file is missing";
}

static const char *
accept_server_name(void *target, const struct opt_given *given)
{
	struct sink_spec *spec = last_sink(target);
	if (spec == NULL)
		return comes_after;
	spec->server_name = given->value;
	return hostport_is_host(given->value) ? NULL : HOSTPORT_NO_HOST;
}

static const char *
accept_clear_token(void *target, const struct opt_given *given)
{
	struct sink_spec *spec = last_sink(target);
	(void)given;
	if (spec == NULL)
		return comes_after;
	spec->clear_token = true;
	return NULL;
}

static const char *
accept_severity(void *target, const struct opt_given *given)
{
	static struct words near;
	struct sink_spec *spec = last_sink(target);
	size_t severity;
	if (spec == NULL)
		return comes_after;
	const char *reason = words_parse(
		&near, "severity", choice_severities, CHOICE_SEVERITY_N, given->value, &severity);
	if (reason == NULL)
		spec->choice.severity = (enum choice_severity)severity;
	return reason;
}

static const char *
accept_codes(void *target, const struct opt_given *given)
{
	struct sink_spec *spec = last_sink(target);
	if (spec == NULL)
		return comes_after;
	spec->choice.codes = given->value;
	return choice_check_codes(given->value);
}

static const char *
accept_roles(void *target, const struct opt_given *given)
{
	struct sink_spec *spec = last_sink(target);
	if (spec == NULL)
		return comes_after;
	spec->choice.roles = given->value;
	return choice_check_roles(given->value);
}

static const char *
accept_batch_max(void *target, const struct opt_given *given)
{
	struct run_options *run = target;
	uint64_t count;
	if (num_parse_u64(given->value, BATCH_MOST, &count) != NUM_OK || count == 0)
		return "not a number from 1 to 10000";
	run->setting.batch_max = run->routing.batch_max = (size_t)count;
	return NULL;
}

static const char *
accept_runbook_url(void *target, const struct opt_given *given)
{
	struct run_options *run = target;
	run->setting.runbook_url = given->value;
	return runbook_url_check(given->value);
}

#define NO_DURATION "not a duration such as 250ms, 1s, 5m or 7d, or too long"

static const struct opt_limits up_to_hour = {0, DELIVERY_HOUR_NS, .malformed = NO_DURATION};
static const struct opt_limits up_to_week = {0, DELIVERY_DAY_NS * 7, .malformed = NO_DURATION};
/* 0 would mean no limit, or permanent renewal of alerts. */
static const struct opt_limits within_hour = {
	1, DELIVERY_HOUR_NS, .malformed = NO_DURATION, .below = "not above 0"};
static const struct opt_limits within_day = {
	1, DELIVERY_DAY_NS, .malformed = NO_DURATION, .below = "not above 0"};

#define SINK_FILE(member) \
	OPT_OTHER(accept_sink_file), .offset = OPT_MEMBER(const char *, struct trust_files, member)

const struct opt_spec delivery_options[DELIVERY_OPTIONS_N] = {
	{"sink", "SPEC",
		"-, file:, journal, unix:, tcp:, grpc:, alertmanager:, nats:, postgresql:, http:, "
		"https:, webhook:@FILE or exec: (-)",
		OPT_OTHER(accept_sink)},
	{"ca-file", "FILE", "CA certificates to verify the sink before it, PEM", SINK_FILE(ca)},
	{"cert-file", "FILE", "client certificate for the sink before it, PEM", SINK_FILE(cert)},
	{"key-file", "FILE", "key of the client certificate, PEM", SINK_FILE(key)},
	{"token-file", "FILE", "bearer token for the sink before it", SINK_FILE(token)},
	{"server-name", "NAME", "name in the certificate of the sink before it (its host)",
		OPT_OTHER(accept_server_name)},
	{"clear-token", NULL, "send the token of the sink before it without TLS, too",
		OPT_OTHER(accept_clear_token)},
	{"min-severity", "WORD", "of the sink before it: all, degraded or fatal (all)",
		OPT_OTHER(accept_severity)},
	{"only-codes", "LIST", "of the sink before it: only events with such an errorCode",
		OPT_OTHER(accept_codes)},
	{"only-roles", "LIST", "of the sink before it: only events of NICs with such a role",
		OPT_OTHER(accept_roles)},
	{"batch-window", "DURATION", "how long degraded events wait for others in a batch (5s)",
		OPT_DURATION(struct run_options, routing.window_ns, &up_to_hour)},
	{"batch-max", "N", "maximum number of events in a request (100)",
		OPT_OTHER(accept_batch_max)},
	{"request-timeout", "DURATION", "how long to wait for an answer (5s)",
		OPT_DURATION(struct run_options, request_timeout_ns, &within_hour)},
	{"retry-unknown", "DURATION",
		"how long to retry an event that a gRPC server answers with UNKNOWN (4h)",
		OPT_DURATION(struct run_options, setting.doubt_ns, &up_to_week)},
	{"alert-resend", "DURATION", "how often to resend active alerts (1m)",
		OPT_DURATION(struct run_options, setting.resend_ns, &within_day)},
	{"grpc-event-id", NULL, "set HealthEvent.id as well as event_id in the metadata",
		OPT_FLAG(struct run_options, setting.grpc_event_id)},
	{"baseline", NULL,
		"deliver a baseline's healthy events to every kind of sink, and show them",
		OPT_FLAG(struct run_options, setting.baseline)},
	{"flush-timeout", "DURATION",
		"how long to try to deliver remaining events at the end of input (5s)",
		OPT_DURATION(struct run_options, flush_timeout_ns, &up_to_hour)},
	{"runbook-url", "URL", "address of the runbooks; {page} and {code} are replaced",
		OPT_OTHER(accept_runbook_url)},
	{"node", "NAME", "nodeName of events that have none ($NODE_NAME, else the host name)",
		OPT_TEXT_WITHIN(struct run_options, setting.node, &host_name_limits)},
	{CONFINE_OPTION(struct run_options, confine)},
};

/* --- all of them --- */

/* The exit codes differ from EXIT_USAGE, because a file can be repaired without changing the
 * command line. */
static const char *
read_address_file(struct sink_spec *spec, int *code)
{
	static char problem[TOKEN_PROBLEM_SIZE];
	char address[TOKEN_SIZE];
	bool exposed;
	*code = access(spec->address_file, F_OK) < 0 ? EXIT_NO_INPUT : EXIT_NO_PERMISSION;
	const char *reason = trust_check_secret(spec->address_file, &exposed);
	if (reason != NULL)
		return reason;
	if (exposed)
		diag_warn("--sink %s: every user of this machine can read it and post to that "
			  "address",
			spec->text);
	*code = EXIT_CONFIG;
	return token_read("address file", spec->address_file, address, problem) < 0
		       ? problem
		       : sink_spec_set_address(spec, address);
}

/* Read the address of a webhook from a file or the environment. Return NULL or the reason of an
 * error. */
static const char *
read_address(struct sink_spec *spec, int *code)
{
	if (spec->address_file != NULL)
		return read_address_file(spec, code);
	*code = EXIT_USAGE;
	const char *value = getenv(spec->address_variable);
	return value != NULL ? sink_spec_set_address(spec, value)
			     : "the environment variable is not set";
}

/* Read all such addresses; `*about` is the subject of an error. */
static const char *
read_addresses(struct run_options *run, const char **about, int *code)
{
	for (size_t i = 0; i < run->spec_count; i++) {
		struct sink_spec *spec = &run->specs[i];
		*about = spec->text;
		bool is_elsewhere = spec->address_file != NULL || spec->address_variable != NULL;
		const char *reason = is_elsewhere ? read_address(spec, code) : NULL;
		if (reason != NULL)
			return reason;
	}
	return NULL;
}

const char *
delivery_check(struct run_options *run, const char **about, int *code)
{
	const char *reason = read_addresses(run, about, code);
	if (reason == NULL)
		*code = EXIT_USAGE;
	for (size_t i = 0; i < run->spec_count && reason == NULL; i++) {
		*about = run->specs[i].text;
		reason = sink_spec_check(&run->specs[i]);
		/* Each sink has its own position in the spool, under its name. */
		for (size_t j = 0; j < i && reason == NULL; j++) {
			if (strcmp(run->specs[i].name, run->specs[j].name) == 0)
				reason = "it is given twice";
		}
	}
	return reason;
}

/* Return true if a sink needs the conditions, which the spool stores. */
static bool
needs_spool(const struct run_options *run)
{
	for (size_t i = 0; i < run->spec_count; i++) {
		if (run->specs[i].kind->needs_spool)
			return true;
	}
	return false;
}

/* Return 0, or the exit code after reporting a file that others could have changed. */
static int
check_files(const struct run_options *run)
{
	for (size_t i = 0; i < run->spec_count; i++) {
		const char *reason = trust_check_files(&run->specs[i].files);
		if (reason != NULL) {
			char label[SINK_LABEL_SIZE];
			sink_spec_label(&run->specs[i], label);
			diag_error("sink %s: %s", label, reason);
			return EXIT_NO_PERMISSION;
		}
	}
	return 0;
}

int
delivery_complete(struct run_options *run)
{
	struct sink_setting *setting = &run->setting;
	if (setting->node == NULL)
		setting->node = host_node_name();
	run->journal.node = setting->node;
	setting->timeout_ms = (run->request_timeout_ns + NUM_NS_PER_MS - 1) / NUM_NS_PER_MS;
	if (run->spec_count == 0)
		sink_spec_parse(&run->specs[run->spec_count++], "-");
	if (needs_spool(run) && run->journal.spool_path == NULL) {
		run->journal.spool_path = DATABASE_IN_MEMORY;
		run->journal.retention.keep_ns = DELIVERY_HOUR_NS;
	}
	int status = host_check_node_name(setting->node);
	return status != 0 ? status : check_files(run);
}

/* Load the library or start the process that a sink needs. Return NULL or the reason of an
 * error. */
static const char *
start(struct sink_spec *spec, uint64_t timeout_ms)
{
	const char *reason = request_uses_http(spec->kind->request) ? curllib_load() : NULL;
	if (reason != NULL || !spec->kind->is_program)
		return reason;
	spec->starter = starter_begin(spec->path, timeout_ms);
	return spec->starter >= 0 ? NULL : strerror(errno);
}

int
delivery_start(struct run_options *run)
{
	for (size_t i = 0; i < run->spec_count; i++) {
		const char *reason = start(&run->specs[i], run->setting.timeout_ms);
		if (reason != NULL) {
			char label[SINK_LABEL_SIZE];
			sink_spec_label(&run->specs[i], label);
			diag_error("sink %s: cannot be started: %s", label, reason);
			return EXIT_OS;
		}
	}
	return 0;
}

void
delivery_fini(struct run_options *run)
{
	for (size_t i = 0; i < run->spec_count; i++)
		sink_spec_fini(&run->specs[i]);
}

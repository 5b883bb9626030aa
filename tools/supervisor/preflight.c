/* preflight - checks that the service has everything it needs.
 *
 * Each stage checks its own options: pre-flight runs it once with them, in a mode that changes
 * nothing. For this, ibscan makes one scan without counters, and topoclass adds roles. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "preflight.h"

#include "clock.h"
#include "conf.h"
#include "diag.h"
#include "host.h"
#include "logstdin.h"
#include "num.h"
#include "places.h"
#include "probe.h"
#include "readiness.h"
#include "settings.h"
#include "stagerun.h"
#include "text.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Time limits of the stages. ibscan waits for a device as long as by default, which is 2 s. */
#define SCAN_NS (4 * NUM_NS_PER_S)
#define TRIAL_NS (2 * NUM_NS_PER_S)

/* For a reload the caller has an earlier deadline for everything. */
#define RELOAD_TRIAL_NS (60 * NUM_NS_PER_S)

/* A previous service may still be stopping: wait this long for it, and poll this often. */
#define MEETING_NS (2 * NUM_NS_PER_S)
#define MEETING_LOOK_NS (50 * NUM_NS_PER_MS)

/* Empty configuration, for trying stages if there is no good one. */
#define NO_CONFIGURATION "/dev/null"

#define DEFAULT_BOOT_ID_PATH "/proc/sys/kernel/random/boot_id"

struct preflight {
	const char *programs;
	enum preflight_mode mode;
	struct service_options options; /* with which the stages are tried */
	struct conf conf;
	bool has_conf;
	struct settings settings; /* of the configuration */
	struct stagerun runs[STAGE_N];
	char troubles[STAGE_N][80];
	struct scan scan;
	struct readiness_facts facts;
};

/* --- trying stages --- */

/* Run a stage and record what it reports about its options. Return false if its output is
 * useless. */
static bool
try_stage(struct preflight *preflight, enum stage_id stage, const char *const *extra,
	const struct strbuf *input, uint64_t time_ns)
{
	struct stagerun *run = &preflight->runs[stage];
	struct readiness_trial *trial = &preflight->facts.trials[stage];
	char *trouble = preflight->troubles[stage];
	const size_t size = sizeof preflight->troubles[stage];
	const struct stagerun_stage call = {
		.programs = preflight->programs,
		.options = &preflight->options,
		.id = stage,
		.extra = extra,
		.input = input,
		.scan_ends = stage == STAGE_IBSCAN ? 1 : 0,
		.time_ns = time_ns,
	};

	/* The program is missing or not executable. */
	if (preflight->facts.program_errors[stage] != 0)
		return false;
	if (stagerun_run_stage(&call, run) < 0)
		snprintf(trouble, size, "could not be started: %s", strerror(errno));
	else if (stagerun_was_refused(run))
		*trial = (struct readiness_trial){
			.is_refused = true, .exit_code = run->info.si_status};
	/* A stage that wrote its scan may have been killed because a device hangs: no error. */
	else if (run->scan_ends == 0)
		stagerun_describe_trouble(run, trouble, size);
	trial->said = run->err.bytes;
	if (*trouble != '\0')
		trial->trouble = trouble;
	return !trial->is_refused && trial->trouble == NULL;
}

/* Parse the scan that topoclass wrote. Return false if it has none. */
static bool
parse_scan(struct preflight *preflight, const struct strbuf *text)
{
	struct rec_error error;
	const char *line;
	size_t at = 0, length;
	bool finished = false;
	while (stagerun_next_line(text, &at, &line, &length)) {
		json_t *record = rec_parse_new(line, length, &error);
		if (record != NULL)
			finished |= scan_accept(&preflight->scan, scanrec_kind(record), record,
					    &error) == SCAN_FINISHED;
	}
	return finished;
}

static const char *const nothing_more[] = {NULL};

static void
try_scanning(struct preflight *preflight)
{
	static const char *const scan[] = {"--count", "1", "--counters", "none", NULL};
	struct stagerun *runs = preflight->runs;
	bool scanned = preflight->facts.sysfs_root.error == 0 &&
		       try_stage(preflight, STAGE_IBSCAN, scan, NULL, SCAN_NS);
	/* Try topoclass even without a scan: the metadata can still be bad. */
	if (try_stage(preflight, STAGE_TOPOCLASS, nothing_more,
		    scanned ? &runs[STAGE_IBSCAN].out : NULL, TRIAL_NS) &&
		parse_scan(preflight, &runs[STAGE_TOPOCLASS].out))
		preflight->facts.scan = &preflight->scan;
}

static bool
has_stage(const struct preflight *preflight, enum stage_id stage)
{
	return pipeline_has_stage(stage, &preflight->options) &&
	       preflight->facts.program_errors[stage] == 0;
}

static void
try_rules(struct preflight *preflight, uint64_t time_ns)
{
	static const char *const check[] = {"--check-rules", NULL};
	if (has_stage(preflight, STAGE_CORRELATE))
		try_stage(preflight, STAGE_CORRELATE, check, NULL, time_ns);
}

/* Return a file sink that is also a file of the state, whose stage would replace it; NULL: none.
 * emit knows only its own files. */
static const char *
find_state_sink(const struct service_options *options)
{
	static const char scheme[] = "file:";
	for (size_t i = 0; i < options->sink_word_count; i++) {
		const char *word = options->sink_words[i];
		if (text_has_prefix(word, scheme) && places_have(options, word + strlen(scheme)))
			return word;
	}
	return NULL;
}

/* An error in the configuration's sinks is EXIT_CONFIG, not EXIT_USAGE: systemd never restarts the
 * service after a usage error. */
static void
try_sinks(struct preflight *preflight, uint64_t time_ns)
{
	static const char *const check[] = {"--check-config", NULL};
	struct readiness_trial *trial = &preflight->facts.trials[STAGE_EMIT];
	bool is_configured = preflight->has_conf && preflight->conf.sinks.count > 0 &&
			     !preflight->options.names_sinks;
	try_stage(preflight, STAGE_EMIT, check, NULL, time_ns);
	if (is_configured && trial->exit_code == EXIT_USAGE)
		trial->exit_code = EXIT_CONFIG;
	preflight->facts.sinks_are_configured = is_configured;
	preflight->facts.state_sink = find_state_sink(&preflight->options);
}

static void
try_stages(struct preflight *preflight)
{
	static const char *const check[] = {"--check-config", NULL};
	try_scanning(preflight);
	try_stage(preflight, STAGE_CTREVAL, check, NULL, TRIAL_NS);
	try_rules(preflight, TRIAL_NS);
	try_sinks(preflight, TRIAL_NS);
}

/* --- facts --- */

/* Report what is not used because only the command line or the configuration names the sinks. A
 * reload does not repeat it. */
static void
report_unused(const struct service_options *options, const struct conf *conf)
{
	if (conf->sinks.count == 0)
		return;
	if (options->names_sinks)
		diag_note("the sinks of the configuration are not used: the command line names "
			  "others");
	if (options->default_has_token)
		diag_warn("--platform-connector-token-path is not used: the configuration names "
			  "the sinks");
}

static void
load_configuration(struct preflight *preflight)
{
	struct service_options *options = &preflight->options;
	struct conf *conf = &preflight->conf;
	preflight->facts.conf_status = conf_load(conf, options->config_path);
	preflight->has_conf = preflight->facts.conf_status == 0;
	if (options->config_path == NULL && access(CONF_DEFAULT_TOML, F_OK) == 0 &&
		strcmp(conf_file(NULL), CONF_DEFAULT_TOML) != 0)
		preflight->facts.unread_toml = CONF_DEFAULT_TOML;
	if (!preflight->has_conf) {
		options->config_path = NO_CONFIGURATION;
		return;
	}
	if (options->sysfs_root == NULL)
		options->sysfs_root = conf->sysfs_root;
	if (preflight->mode != PREFLIGHT_RELOAD)
		report_unused(options, conf);
	if (settings_of(&preflight->settings, conf) == NULL)
		*options = settings_apply(&preflight->settings, options);
}

static void
check_programs(struct preflight *preflight)
{
	for (enum stage_id id = 0; id < STAGE_N; id++) {
		if (pipeline_has_stage(id, &preflight->options))
			preflight->facts.program_errors[id] =
				probe_program(preflight->programs, pipeline_plan[id].program);
	}
}

static bool
is_sysfs(const char *root)
{
	char path[PATH_MAX];
	return snprintf(path, sizeof path, "%s/class/net", root) < (int)sizeof path &&
	       access(path, F_OK) == 0;
}

static struct readiness_file
file(const char *path, int error)
{
	return (struct readiness_file){.path = path, .error = error};
}

static void
check_sysfs(struct preflight *preflight)
{
	const char *root = preflight->options.sysfs_root;
	if (root == NULL)
		root = "/sys";
	preflight->facts.sysfs_root = file(root, probe_directory(root));
	preflight->facts.is_sysfs = is_sysfs(root);
}

static void
check_files(struct preflight *preflight)
{
	const struct service_options *options = &preflight->options;
	struct readiness_facts *facts = &preflight->facts;
	const char *boot_id =
		options->boot_id_path != NULL ? options->boot_id_path : DEFAULT_BOOT_ID_PATH;
	bool has_correlate = has_stage(preflight, STAGE_CORRELATE);
	bool has_logmatch = has_stage(preflight, STAGE_LOGMATCH);
	struct readiness_place (*look)(const char *path, bool needs_writing, unsigned levels) =
		preflight->mode == PREFLIGHT_CHECK ? probe_owners_place : probe_place;

	facts->boot_id = file(boot_id, probe_line(boot_id));
	if (has_logmatch)
		facts->kmsg =
			file(logstdin_name(options->kmsg_path), probe_log(options->kmsg_path));
	if (preflight->mode == PREFLIGHT_START) {
		places_settle(options->state_path);
		places_settle(has_logmatch ? options->log_state_path : NULL);
		places_settle(has_correlate ? options->pattern_state_path : NULL);
		places_settle(options->acks_path);
	}
	facts->state = look(options->state_path, false, 2);
	if (has_logmatch)
		facts->log_state = look(options->log_state_path, false, 2);
	if (has_correlate)
		facts->pattern_state = look(options->pattern_state_path, false, 2);
	facts->acks = look(options->acks_path, false, 2);
	facts->spool = look(options->spool_path, true, 1);
	facts->metrics_address = options->metrics_address;
	facts->metrics_port = options->metrics_port;
	/* A service that starts reports this itself, and retries. */
	if (preflight->mode == PREFLIGHT_CHECK && options->metrics_port > 0)
		facts->metrics_error = probe_port(options->metrics_address, options->metrics_port);
	facts->is_served = facts->metrics_error == EADDRINUSE &&
			   probe_server(options->metrics_address, options->metrics_port);
}

static bool
find_user(struct readiness_place *place)
{
	*place->user = '\0';
	return probe_user(place->path, place->user);
}

/* Return true if another process uses a file that this service needs for itself. */
static bool
find_users(struct readiness_facts *facts)
{
	bool state = find_user(&facts->state);
	bool log_state = find_user(&facts->log_state);
	bool spool = find_user(&facts->spool);
	return state || log_state || spool;
}

static void
wait_for_users(struct preflight *preflight)
{
	const struct timespec pause = {.tv_nsec = MEETING_LOOK_NS};
	uint64_t until_ns = clock_monotonic_ns() + MEETING_NS;
	while (find_users(&preflight->facts) && preflight->mode == PREFLIGHT_START &&
		clock_monotonic_ns() < until_ns)
		nanosleep(&pause, NULL);
}

/* --- report --- */

static void
report_finding(const struct finding *finding)
{
	if (finding->is_heard) {
		diag_relay(finding->text);
		return;
	}
	switch (finding->severity) {
	case FINDING_FATAL:
	case FINDING_LOUD:
		diag_error("%s", finding->text);
		break;
	case FINDING_WARNING:
		diag_warn("%s", finding->text);
		break;
	case FINDING_NOTE:
		diag_note("%s", finding->text);
		break;
	}
}

/* Return the exit code. */
static int
report(const struct preflight *preflight)
{
	struct findings findings;
	readiness_eval(&findings, &preflight->facts);
	for (size_t i = 0; i < findings.count; i++) {
		if (preflight->mode != PREFLIGHT_RELOAD ||
			findings.items[i].severity == FINDING_FATAL)
			report_finding(&findings.items[i]);
	}
	int status = findings_exit_code(&findings);
	if (findings.failed)
		diag_error("out of memory");
	if (findings.failed && status == 0)
		status = EXIT_OS;
	findings_fini(&findings);
	if (status != 0 && preflight->mode != PREFLIGHT_RELOAD)
		diag_error("pre-flight: the service does not start: exit code %d", status);
	if (preflight->mode == PREFLIGHT_CHECK && preflight->has_conf &&
		conf_print(&preflight->conf, stdout) < 0 && status == 0)
		status = diag_io_failure("stdout");
	return status;
}

int
preflight_run(const char *programs, const struct service_options *options, enum preflight_mode mode)
{
	/* Too large for the stack. */
	static struct preflight preflight;
	preflight = (struct preflight){
		.programs = programs,
		.mode = mode,
		.options = *options,
		.facts = {.programs = programs,
			.thorough = mode == PREFLIGHT_CHECK,
			.node = options->node_name != NULL ? options->node_name : host_node_name(),
			.now_ns = clock_realtime_ns()},
	};
	load_configuration(&preflight);
	check_programs(&preflight);
	check_sysfs(&preflight);
	if (mode == PREFLIGHT_RELOAD) {
		/* Apart from the configuration, only these inputs can keep stages from starting. */
		try_stage(&preflight, STAGE_TOPOCLASS, nothing_more, NULL, RELOAD_TRIAL_NS);
		try_rules(&preflight, RELOAD_TRIAL_NS);
		try_sinks(&preflight, RELOAD_TRIAL_NS);
	} else {
		check_files(&preflight);
		try_stages(&preflight);
		wait_for_users(&preflight);
	}
	int status = report(&preflight);
	scan_fini(&preflight.scan);
	for (enum stage_id id = 0; id < STAGE_N; id++)
		stagerun_fini(&preflight.runs[id]);
	if (preflight.has_conf)
		conf_fini(&preflight.conf);
	return status;
}

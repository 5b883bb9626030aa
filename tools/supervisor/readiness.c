/* readiness - evaluates facts about this node: whether the service can start here, and what it
 * cannot see. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "readiness.h"

#include "clock.h"
#include "diag.h"
#include "findings.h"
#include "num.h"
#include "text.h"

#include <errno.h>
#include <string.h>

/* Times outside this range show that the clock is not set. */
#define CLOCK_EARLIEST_NS (1735689600 * NUM_NS_PER_S) /* 2025 */
#define CLOCK_LATEST_NS (4102444800 * NUM_NS_PER_S)   /* 2100 */

/* Longest part of a path to print, so that there is room for the reason. */
#define SHOWN_PATH_BYTES 500

/* --- the stages --- */

static void
eval_programs(struct findings *findings, const struct readiness_facts *facts)
{
	for (enum stage_id id = 0; id < STAGE_N; id++) {
		const struct stage_plan *plan = &pipeline_plan[id];
		int error = facts->program_errors[id];
		if (error == 0)
			continue;
		if (!plan->optional)
			findings_report(findings, FINDING_FATAL, error == ENOENT ? 127 : 126,
				"%s/%s: %s: all stages have to be installed beside "
				"nic-health-monitor",
				facts->programs, plan->program, strerror(error));
		else if (error != ENOENT)
			findings_report(findings, FINDING_LOUD, 0,
				"%s/%s: %s: continuing without it", facts->programs, plan->program,
				strerror(error));
	}
}

static bool
has_level(const char *line, size_t length, const char *level)
{
	const char *colon = memchr(line, ':', length);
	size_t left = colon != NULL ? length - (size_t)(colon - line) : 0;
	return left >= strlen(level) && memcmp(colon, level, strlen(level)) == 0;
}

/* Add a stage's errors if it rejected its options, and its warnings if `thorough`, since it will
 * not be started to print them. Return the number of errors. */
static size_t
add_messages(struct findings *findings, const struct readiness_trial *trial, bool thorough)
{
	size_t errors = 0;
	for (const char *line = text_or_empty(trial->said); *line != '\0';) {
		size_t length = strcspn(line, "\n");
		struct finding finding = {.severity = FINDING_WARNING, .is_heard = true};
		bool is_error = trial->is_refused && has_level(line, length, ": error: ");
		if (is_error) {
			finding.severity = FINDING_FATAL;
			finding.exit_code = trial->exit_code;
			errors++;
		}
		if (is_error || (thorough && has_level(line, length, ": warning: "))) {
			finding.text = strndup(line, length);
			findings_add(findings, &finding);
		}
		line += length + (line[length] == '\n');
	}
	return errors;
}

static void
eval_metadata(struct findings *findings, const struct readiness_trial *trial)
{
	int length;
	const char *reason = pipeline_metadata_reason(trial->said, &length);
	findings_report(findings, FINDING_FATAL, trial->exit_code,
		"GPU metadata: %.*s: without it the NICs have no roles: create it with "
		"NVSentinel's metadata collector or topoparse(1) and name it with --metadata, or "
		"the NICs in nicInclusionRegexOverride",
		length, reason);
}

static void
eval_trials(struct findings *findings, const struct readiness_facts *facts)
{
	for (enum stage_id id = 0; id < STAGE_N; id++) {
		const struct readiness_trial *trial = &facts->trials[id];
		/* This refusal is about the GPU metadata: the configuration was already checked, or
		 * replaced by an empty one. */
		if (id == STAGE_TOPOCLASS && trial->is_refused && trial->exit_code == EXIT_CONFIG) {
			eval_metadata(findings, trial);
			continue;
		}
		if (add_messages(findings, trial, facts->thorough) == 0 && trial->is_refused)
			findings_report(findings, FINDING_FATAL, trial->exit_code,
				"%s rejected its options without a message",
				pipeline_plan[id].program);
		if (trial->trouble != NULL)
			findings_report(findings, FINDING_LOUD, 0, "%s, when it was tried: %s",
				pipeline_plan[id].program, trial->trouble);
	}
}

/* emit reports all other faults of sinks. */
static void
eval_sinks(struct findings *findings, const struct readiness_facts *facts)
{
	if (facts->state_sink != NULL)
		findings_report(findings, FINDING_FATAL,
			facts->sinks_are_configured ? EXIT_CONFIG : EXIT_USAGE,
			"sink %s: it is also a file of --state", facts->state_sink);
}

/* --- files that are read --- */

static void
eval_configuration(struct findings *findings, const struct readiness_facts *facts)
{
	if (facts->conf_status != 0)
		findings_report(findings, FINDING_FATAL, facts->conf_status,
			"the configuration cannot be used, see above");
	if (facts->unread_toml != NULL)
		findings_report(findings, FINDING_WARNING, 0,
			"%s is not read, since there is a config.yaml beside it",
			facts->unread_toml);
}

static void
eval_sysfs(struct findings *findings, const struct readiness_file *root)
{
	if (root->error != 0)
		findings_report(findings, FINDING_FATAL, diag_open_code(root->error),
			"%s: %s: mount the host's sysfs there, or name it with --sysfs-root",
			root->path, strerror(root->error));
}

static void
eval_kmsg(struct findings *findings, const struct readiness_file *kmsg)
{
	if (kmsg->path == NULL || kmsg->error == 0)
		return;
	bool denied = kmsg->error == EPERM || kmsg->error == EACCES;
	findings_report(findings, FINDING_LOUD, 0,
		"the kernel's log will not be watched: %s: %s: %s, or turn it off with --kmsg ''",
		kmsg->path, strerror(kmsg->error),
		denied ? "give the service CAP_SYSLOG" : "name it with --kmsg");
}

static void
eval_boot_id(struct findings *findings, const struct readiness_file *boot_id)
{
	if (boot_id->error != 0)
		findings_report(findings, FINDING_WARNING, 0,
			"the boot id cannot be read, so reboots will go unnoticed: %s: %s: name it "
			"with --boot-id-file",
			boot_id->path, strerror(boot_id->error));
}

/* --- files that are written --- */

static const char *
describe_error(int error)
{
	if (error == READINESS_LINK)
		return "a symbolic link";
	return error == READINESS_SPECIAL ? "not a regular file" : strerror(error);
}

/* Report that another process uses a file that only one can use. For --check-config that is normal:
 * it may run beside the service. */
static void
eval_user(struct findings *findings, const char *what, const struct readiness_place *place,
	bool asked)
{
	if (place->path == NULL || *place->user == '\0')
		return;
	findings_report(findings, asked ? FINDING_NOTE : FINDING_FATAL, EXIT_TRY_LATER,
		asked ? "%s %s: %s uses it: a service is running"
		      : "%s %s: %s uses it: is another nic-health-monitor running on this node?",
		what, place->path, place->user);
}

/* Report a file that another user can write to: the stages reject it. */
static void
eval_owner(struct findings *findings, const char *what, const struct readiness_place *place)
{
	if (*place->refusal != '\0')
		findings_report(findings, FINDING_FATAL, EXIT_NO_PERMISSION,
			"%s %.*s: %s: name a file in a directory of the service's own", what,
			SHOWN_PATH_BYTES, place->path, place->refusal);
}

/* Note that the file was checked as the directory's owner, because a service that runs as root
 * would reject it. */
static void
eval_other(struct findings *findings, const char *what, const struct readiness_place *place)
{
	if (place->owner != 0)
		findings_report(findings, FINDING_NOTE, 0,
			"%s %.*s: its directory belongs to user %u: checked as that user", what,
			SHOWN_PATH_BYTES, place->path, (unsigned)place->owner);
}

static void
eval_owners(struct findings *findings, const struct readiness_facts *facts)
{
	const char *said = facts->state.refusal;
	eval_other(findings, "state file", &facts->state);
	eval_other(findings, "spool", &facts->spool);
	eval_owner(findings, "state file", &facts->state);
	/* Do not repeat a reason that is about their common directory. */
	if (strcmp(facts->log_state.refusal, said) != 0)
		eval_owner(findings, "state file", &facts->log_state);
	if (strcmp(facts->pattern_state.refusal, said) != 0)
		eval_owner(findings, "state file", &facts->pattern_state);
	if (strcmp(facts->acks.refusal, said) != 0)
		eval_owner(findings, "acks file", &facts->acks);
	eval_owner(findings, "spool", &facts->spool);
}

/* Report a state file that cannot be used. At the start ctreval and logmatch report this
 * themselves, and continue. */
static void
eval_state_file(
	struct findings *findings, const struct readiness_place *place, const char *consequence)
{
	if (place->path != NULL && place->error != 0)
		findings_report(findings, FINDING_LOUD, 0,
			"state file %.*s: %s: %s with each restart: name another one with "
			"--state",
			SHOWN_PATH_BYTES, place->path, describe_error(place->error), consequence);
}

/* Report once that the directory of both state files is not writable. */
static void
eval_state_directory(struct findings *findings, const struct readiness_place *place)
{
	if (place->path != NULL && place->directory_error != 0 && place->error == 0)
		findings_report(findings, FINDING_LOUD, 0,
			"state file %.*s: its directory cannot be written to (%s): the state of "
			"the NICs will be lost with each restart",
			SHOWN_PATH_BYTES, place->path, strerror(place->directory_error));
}

static void
eval_states(struct findings *findings, const struct readiness_facts *facts)
{
	eval_state_file(findings, &facts->state, "the state of the NICs will be lost");
	/* Do not repeat a reason that is about their common directory. */
	if (facts->log_state.error != facts->state.error)
		eval_state_file(findings, &facts->log_state,
			"what the kernel's log contains will be reported again");
	eval_state_directory(findings, &facts->state);
}

static void
eval_spool(struct findings *findings, const struct readiness_place *place)
{
	if (place->path == NULL || (place->error == 0 && place->directory_error == 0))
		return;
	findings_report(findings, FINDING_WARNING, 0,
		"spool %s: %s (%s): events are kept in memory until that works", place->path,
		place->directory_error != 0 ? "its directory cannot be written to"
					    : "it cannot be written to",
		describe_error(
			place->directory_error != 0 ? place->directory_error : place->error));
}

/* --- clock, node and port --- */

static void
eval_clock(struct findings *findings, uint64_t now_ns)
{
	char stamp[CLOCK_STAMP_SIZE];
	if (now_ns >= CLOCK_EARLIEST_NS && now_ns < CLOCK_LATEST_NS)
		return;
	clock_format(now_ns, stamp);
	findings_report(findings, FINDING_WARNING, 0,
		"the clock says %s: the times of all events will be wrong until it is set", stamp);
}

static void
eval_node(struct findings *findings, const char *node)
{
	if (*node == '\0' || strcmp(node, "localhost") == 0 || strcmp(node, "(none)") == 0)
		findings_report(findings, FINDING_WARNING, 0,
			"this node's name is '%s', which other nodes may have too: set one with "
			"--node or NODE_NAME",
			node);
}

static void
eval_metrics(struct findings *findings, const struct readiness_facts *facts)
{
	if (facts->metrics_error != 0 && facts->is_served)
		findings_report(findings, FINDING_NOTE, 0,
			"metrics and health at port %d: a nic-health-monitor that is running "
			"serves them",
			facts->metrics_port);
	else if (facts->metrics_error != 0)
		findings_report(findings, FINDING_WARNING, 0,
			"metrics and health cannot be served at %s port %d: %s: name another "
			"port with --metrics-port",
			facts->metrics_address != NULL ? facts->metrics_address : "any address,",
			facts->metrics_port, strerror(facts->metrics_error));
}

void
readiness_eval(struct findings *findings, const struct readiness_facts *facts)
{
	*findings = (struct findings){0};
	eval_configuration(findings, facts);
	eval_programs(findings, facts);
	eval_sysfs(findings, &facts->sysfs_root);
	eval_trials(findings, facts);
	eval_sinks(findings, facts);
	eval_kmsg(findings, &facts->kmsg);
	eval_boot_id(findings, &facts->boot_id);
	eval_owners(findings, facts);
	eval_user(findings, "state file", &facts->state, facts->thorough);
	eval_user(findings, "state file", &facts->log_state, facts->thorough);
	eval_user(findings, "spool", &facts->spool, facts->thorough);
	if (facts->thorough)
		eval_states(findings, facts);
	eval_spool(findings, &facts->spool);
	eval_clock(findings, facts->now_ns);
	eval_node(findings, facts->node);
	eval_metrics(findings, facts);
	if (facts->scan != NULL)
		findings_eval_scan(findings, facts->scan, facts->sysfs_root.path, facts->is_sysfs);
}

/* readiness - may the service start on this node, and will it see anything? */
#include "readiness.h"

#include "array.h"
#include "clock.h"
#include "diag.h"
#include "watched.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Nobody ran this before, and a clock that is a lifetime ahead is none. */
#define CLOCK_EARLIEST_NS (UINT64_C(1735689600) * 1000000000) /* 2025 */
#define CLOCK_LATEST_NS (UINT64_C(4102444800) * 1000000000)   /* 2100 */

/* --- findings --- */

/* Takes `text`, from malloc, over. */
static void
add(struct readiness *readiness, const struct readiness_finding *finding)
{
	struct readiness_finding *findings = array_grown(
		readiness->findings, readiness->count, &readiness->capacity, sizeof *findings);
	if (findings != NULL)
		readiness->findings = findings;
	if (findings == NULL || finding->text == NULL) {
		readiness->failed = true;
		free(finding->text);
		return;
	}
	readiness->findings[readiness->count++] = *finding;
}

void
readiness_say(struct readiness *readiness, enum readiness_severity severity, int exit_code,
	const char *format, ...)
{
	struct readiness_finding finding = {.severity = severity, .exit_code = exit_code};
	va_list arguments;
	va_start(arguments, format);
	if (vasprintf(&finding.text, format, arguments) < 0)
		finding.text = NULL;
	va_end(arguments);
	add(readiness, &finding);
}

int
readiness_exit_code(const struct readiness *readiness)
{
	for (size_t i = 0; i < readiness->count; i++) {
		if (readiness->findings[i].severity == READINESS_FATAL)
			return readiness->findings[i].exit_code;
	}
	return 0;
}

void
readiness_fini(struct readiness *readiness)
{
	for (size_t i = 0; i < readiness->count; i++)
		free(readiness->findings[i].text);
	free(readiness->findings);
	*readiness = (struct readiness){0};
}

/* --- the stages --- */

static void
judge_programs(struct readiness *readiness, const struct readiness_facts *facts)
{
	for (enum stage_id id = 0; id < STAGE_N; id++) {
		const struct stage_plan *plan = &pipeline_plan[id];
		int error = facts->program_errors[id];
		if (error == 0)
			continue;
		if (!plan->optional)
			readiness_say(readiness, READINESS_FATAL, error == ENOENT ? 127 : 126,
				"%s/%s: %s: all stages have to be installed beside nic-health-monitor",
				facts->programs, plan->program, strerror(error));
		else if (error != ENOENT)
			readiness_say(readiness, READINESS_LOUD, 0,
				"%s/%s: %s: going on without it", facts->programs, plan->program,
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

/* Passes on a stage's errors, when that is why it will not work, and its warnings, when nobody else will hear them. Returns the number of errors. */
static size_t
hear(struct readiness *readiness, const struct readiness_trial *trial, bool thorough)
{
	size_t errors = 0;
	for (const char *line = trial->said != NULL ? trial->said : ""; *line != '\0';) {
		size_t length = strcspn(line, "\n");
		struct readiness_finding finding = {
			.severity = READINESS_WARNING, .is_heard = true};
		bool is_error = trial->is_refused && has_level(line, length, ": error: ");
		if (is_error) {
			finding.severity = READINESS_FATAL;
			finding.exit_code = trial->exit_code;
			errors++;
		}
		if (is_error || (thorough && has_level(line, length, ": warning: "))) {
			finding.text = strndup(line, length);
			add(readiness, &finding);
		}
		line += length + (line[length] == '\n');
	}
	return errors;
}

/* What topoclass says about metadata that it cannot use, without its advice, which is about its own options. */
static void
judge_metadata(struct readiness *readiness, const struct readiness_trial *trial)
{
	const char *reason = trial->said != NULL ? strstr(trial->said, ": error: ") : NULL;
	reason = reason != NULL ? reason + strlen(": error: ") : "not usable";
	const char *advice = strstr(reason, " (name the GPU metadata");
	size_t length = advice != NULL ? (size_t)(advice - reason) : strcspn(reason, "\n");
	readiness_say(readiness, READINESS_FATAL, trial->exit_code,
		"GPU metadata: %.*s: without it nobody knows which NIC matters: NVSentinel's metadata "
		"collector or topoparse(1) makes it; name it with --metadata-path, or the NICs in "
		"nicInclusionRegexOverride",
		(int)length, reason);
}

static void
judge_trials(struct readiness *readiness, const struct readiness_facts *facts)
{
	for (enum stage_id id = 0; id < STAGE_N; id++) {
		const struct readiness_trial *trial = &facts->trials[id];
		/* Its configuration is known to be good, or is not the one that is meant. */
		if (id == STAGE_TOPOCLASS && trial->is_refused && trial->exit_code == EXIT_CONFIG) {
			judge_metadata(readiness, trial);
			continue;
		}
		if (hear(readiness, trial, facts->thorough) == 0 && trial->is_refused)
			readiness_say(readiness, READINESS_FATAL, trial->exit_code,
				"%s will not work as it is told to, and does not say why",
				pipeline_plan[id].program);
		if (trial->trouble != NULL)
			readiness_say(readiness, READINESS_LOUD, 0, "%s, when it was tried: %s",
				pipeline_plan[id].program, trial->trouble);
	}
}

/* --- what is read --- */

static void
judge_configuration(struct readiness *readiness, const struct readiness_facts *facts)
{
	if (facts->conf_status != 0)
		readiness_say(readiness, READINESS_FATAL, facts->conf_status,
			"the configuration is not good, see above");
	if (facts->unread_toml != NULL)
		readiness_say(readiness, READINESS_WARNING, 0,
			"%s is not read: write the same keys in YAML, see nic-health-monitor.yaml(5)",
			facts->unread_toml);
}

static void
judge_sysfs(struct readiness *readiness, const struct readiness_file *root)
{
	if (root->error != 0)
		readiness_say(readiness, READINESS_FATAL,
			root->error == EACCES ? EXIT_NO_PERMISSION : EXIT_NO_INPUT,
			"%s: %s: mount the host's sysfs there, or name it with --sysfs-root",
			root->path, strerror(root->error));
}

static void
judge_kmsg(struct readiness *readiness, const struct readiness_file *kmsg)
{
	if (kmsg->path == NULL || kmsg->error == 0)
		return;
	bool denied = kmsg->error == EPERM || kmsg->error == EACCES;
	readiness_say(readiness, READINESS_LOUD, 0,
		"the kernel's log will not be watched: %s: %s: %s, or leave it out with --kmsg-path ''",
		kmsg->path, strerror(kmsg->error),
		denied ? "give the service CAP_SYSLOG" : "name it with --kmsg-path");
}

static void
judge_boot_id(struct readiness *readiness, const struct readiness_file *boot_id)
{
	if (boot_id->error != 0)
		readiness_say(readiness, READINESS_WARNING, 0,
			"the boot id cannot be read, and no reboot noticed: %s: %s: name it with --boot-id-path",
			boot_id->path, strerror(boot_id->error));
}

/* --- what is written --- */

static const char *
describe_error(int error)
{
	return error == READINESS_SPECIAL ? "not a regular file" : strerror(error);
}

/* A state that cannot be read may hold events that nobody has received: ctreval and logmatch will not start without it. */
static void
judge_state(struct readiness *readiness, const struct readiness_place *place, bool optional)
{
	if (place->path == NULL || place->error == 0)
		return;
	bool denied = place->error == EACCES || place->error == EPERM;
	readiness_say(readiness, optional ? READINESS_LOUD : READINESS_FATAL,
		denied ? EXIT_NO_PERMISSION : EXIT_CONFIG,
		"state file %s: %s: make it readable, or name another one with --state-file",
		place->path, describe_error(place->error));
}

static void
judge_state_directory(struct readiness *readiness, const struct readiness_place *place)
{
	if (place->path != NULL && place->directory_error != 0)
		readiness_say(readiness, READINESS_LOUD, 0,
			"state file %s: its directory cannot be written to (%s): what is known of the "
			"NICs will be forgotten with each restart",
			place->path, strerror(place->directory_error));
}

static void
judge_spool(struct readiness *readiness, const struct readiness_place *place)
{
	if (place->path == NULL || (place->error == 0 && place->directory_error == 0))
		return;
	readiness_say(readiness, READINESS_WARNING, 0,
		"spool %s: %s (%s): events are kept in memory until that works", place->path,
		place->directory_error != 0 ? "its directory cannot be written to"
					    : "it cannot be written to",
		describe_error(
			place->directory_error != 0 ? place->directory_error : place->error));
}

/* --- where and when --- */

static void
judge_clock(struct readiness *readiness, uint64_t now_ns)
{
	char stamp[CLOCK_STAMP_SIZE];
	if (now_ns >= CLOCK_EARLIEST_NS && now_ns < CLOCK_LATEST_NS)
		return;
	clock_format(now_ns, stamp);
	readiness_say(readiness, READINESS_WARNING, 0,
		"the clock says %s: the times of all events will be wrong until it is set", stamp);
}

static void
judge_node(struct readiness *readiness, const char *node)
{
	if (*node == '\0' || strcmp(node, "localhost") == 0 || strcmp(node, "(none)") == 0)
		readiness_say(readiness, READINESS_WARNING, 0,
			"this node is called '%s', as others may be: give it a name with --node-name or "
			"NODE_NAME",
			node);
}

static void
judge_metrics(struct readiness *readiness, const struct readiness_facts *facts)
{
	if (facts->metrics_error != 0)
		readiness_say(readiness, READINESS_WARNING, 0,
			"metrics and health cannot be served at %s port %d: %s: name another port with "
			"--metrics-port",
			facts->metrics_address != NULL ? facts->metrics_address : "any address,",
			facts->metrics_port, strerror(facts->metrics_error));
}

void
readiness_judge(struct readiness *readiness, const struct readiness_facts *facts)
{
	*readiness = (struct readiness){0};
	judge_configuration(readiness, facts);
	judge_programs(readiness, facts);
	judge_sysfs(readiness, &facts->sysfs_root);
	judge_trials(readiness, facts);
	judge_kmsg(readiness, &facts->kmsg);
	judge_boot_id(readiness, &facts->boot_id);
	judge_state(readiness, &facts->state, false);
	judge_state(readiness, &facts->log_state, true);
	judge_state_directory(readiness, &facts->state);
	judge_spool(readiness, &facts->spool);
	judge_clock(readiness, facts->now_ns);
	judge_node(readiness, facts->node);
	judge_metrics(readiness, facts);
	if (facts->scan != NULL)
		watched_judge(readiness, facts);
}

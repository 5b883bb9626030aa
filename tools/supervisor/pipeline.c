/* pipeline - the stages, the arguments that each starts with, and the pipes between them. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "pipeline.h"

#include "via.h"

#include <stdlib.h>
#include <string.h>

const struct stage_plan pipeline_plan[STAGE_N] = {
	/* receives kernel notifications, so that ibscan scans at once; without it, the next
	 * periodic scan shows the change */
	[STAGE_IBEVENT] = {"ibevent", .in = PIPE_NONE, .out = PIPE_KERNEL, .is_source = true,
		.optional = true},
	/* reads lnetctl's output, and shares the pipe with ibevent: both write at most what a pipe
	 * accepts atomically */
	[STAGE_LNETREAD] = {"lnetread", .in = PIPE_NONE, .out = PIPE_KERNEL, .is_source = true,
		.optional = true},
	/* reads sysfs, the source of everything but the kernel log; it scans even without input */
	[STAGE_IBSCAN] = {"ibscan", .in = PIPE_KERNEL, .out = PIPE_SCANS, .is_source = true},
	/* reads the kernel log, and shares the pipe with ctreval: both write at most what a pipe
	 * accepts atomically. A node whose log is not readable is still monitored. */
	[STAGE_LOGMATCH] = {"logmatch", .in = PIPE_NONE, .out = PIPE_EVENTS, .is_source = true,
		.optional = true, .reads_log = true},
	/* knows the GPUs, and so which NICs matter */
	[STAGE_TOPOCLASS] = {"topoclass", .in = PIPE_SCANS, .out = PIPE_ROLES},
	/* evaluates the records and writes events */
	[STAGE_CTREVAL] = {"ctreval", .in = PIPE_ROLES, .out = PIPE_EVENTS},
	/* finds patterns in the events that emit has stored. It reads the spool, not the pipe, so
	 * it cannot delay or lose events, and its own events follow those that they are based
	 * on. */
	[STAGE_CORRELATE] = {"correlate", .in = PIPE_NONE, .out = PIPE_EVENTS, .is_source = true,
		.optional = true},
	/* the only stage that talks to other hosts */
	[STAGE_EMIT] = {"emit", .in = PIPE_EVENTS, .out = PIPE_NONE},
};

const char pipeline_built_in_rules[] = "built in";

/* Poll interval of lnetread's file; a timer writes a new one each minute. */
#define LNET_INTERVAL "5s"

/* Add an option if its value is not NULL. */
static void
add_option(struct arguments *arguments, const char *name, const char *value)
{
	if (value == NULL)
		return;
	arguments_add(arguments, name);
	arguments_add(arguments, value);
}

/* emit acknowledges only stored events, so acknowledgements need a spool. */
static const char *
acks_path(const struct service_options *options)
{
	return options->spool_path != NULL ? options->acks_path : NULL;
}

static void
add_stage_options(
	struct arguments *arguments, enum stage_id stage, const struct service_options *options)
{
	switch (stage) {
	case STAGE_IBEVENT:
		if (strcmp(options->event_sources, PIPELINE_ALL_SOURCES) != 0)
			add_option(arguments, "--sources", options->event_sources);
		add_option(arguments, "--trace", options->trace_path);
		add_option(arguments, "--sysfs-root", options->sysfs_root);
		add_option(arguments, "--node", options->node_name);
		if (options->ingero_names)
			arguments_add(arguments, "--ingero-names");
		break;
	case STAGE_LNETREAD:
		add_option(arguments, "--interval", LNET_INTERVAL);
		arguments_add(arguments, options->lnet_path);
		break;
	case STAGE_IBSCAN:
		if (pipeline_has_stage(STAGE_IBEVENT, options) ||
			pipeline_has_stage(STAGE_LNETREAD, options))
			add_option(arguments, "--events", "-");
		add_option(arguments, "--sysfs-root", options->sysfs_root);
		add_option(arguments, "--interval", options->interval);
		add_option(arguments, "--boot-id-file", options->boot_id_path);
		add_option(arguments, "--node", options->node_name);
		add_option(arguments, "--config", options->config_path);
		/* On real hardware each counter costs a firmware command: read only those that are
		 * evaluated. */
		add_option(arguments, "--counters", "configured");
		/* Cheap: they are read once a minute, with the rest of a port's identity. */
		arguments_add(arguments, "--gids");
		break;
	case STAGE_LOGMATCH:
		/* Its value is optional, and so must be in the same word. */
		if (options->kmsg_path != NULL)
			arguments_add_option(arguments, "kmsg", options->kmsg_path);
		add_option(arguments, "--sysfs-root", options->sysfs_root);
		add_option(arguments, "--boot-id-file", options->boot_id_path);
		add_option(arguments, "--node", options->node_name);
		add_option(arguments, "--config", options->config_path);
		add_option(arguments, "--strategy", options->strategy);
		add_option(arguments, "--state", options->log_state_path);
		add_option(arguments, "--acks", acks_path(options));
		break;
	case STAGE_TOPOCLASS:
		add_option(arguments, "--metadata", options->metadata_path);
		add_option(arguments, "--sysfs-root", options->sysfs_root);
		add_option(arguments, "--route", options->route_path);
		add_option(arguments, "--route6", options->route6_path);
		add_option(arguments, "--config", options->config_path);
		break;
	case STAGE_CTREVAL:
		add_option(arguments, "--config", options->config_path);
		add_option(arguments, "--checks", options->checks);
		add_option(arguments, "--strategy", options->strategy);
		add_option(arguments, "--state", options->state_path);
		add_option(arguments, "--acks", acks_path(options));
		add_option(arguments, "--silences", options->silences_path);
		add_option(arguments, "--poll-stall-deadline", options->poll_stall_deadline);
		if (!options->poll_stall_store_only)
			arguments_add_option(arguments, "poll-stall-store-only", "false");
		if (options->ingero_names)
			arguments_add(arguments, "--ingero-names");
		break;
	case STAGE_CORRELATE:
		if (options->rules_path != pipeline_built_in_rules)
			add_option(arguments, "--rules", options->rules_path);
		add_option(arguments, "--spool", options->spool_path);
		add_option(arguments, "--state", options->pattern_state_path);
		if (options->pattern_state_path != NULL)
			add_option(arguments, "--acks", acks_path(options));
		add_option(arguments, "--strategy", options->strategy);
		break;
	case STAGE_EMIT:
		for (size_t i = 0; i < options->sink_word_count; i++)
			arguments_add(arguments, options->sink_words[i]);
		if (options->grpc_event_id)
			arguments_add(arguments, "--grpc-event-id");
		add_option(arguments, "--runbook-url", options->runbook_url);
		add_option(arguments, "--node", options->node_name);
		add_option(arguments, "--spool", options->spool_path);
		add_option(arguments, "--silences", options->silences_path);
		add_option(arguments, "--acks", acks_path(options));
		add_option(arguments, "--boot-id-file", options->boot_id_path);
		/* Less than the service's own deadline, even after a source had to be killed, so
		 * that emit itself reports what is left. */
		add_option(arguments, "--flush-timeout", "3500ms");
		break;
	case STAGE_N:
		break;
	}
}

bool
pipeline_has_stage(enum stage_id stage, const struct service_options *options)
{
	switch (stage) {
	case STAGE_IBEVENT:
		return options->event_sources != NULL;
	case STAGE_LNETREAD:
		return options->lnet_path != NULL;
	case STAGE_LOGMATCH:
		return options->kmsg_path != NULL;
	case STAGE_CORRELATE:
		return options->rules_path != NULL && options->spool_path != NULL;
	default:
		return true;
	}
}

const char *
pipeline_check_sources(const struct service_options *options)
{
	bool wanted[VIA_N] = {false};
	const char *list = options->event_sources;
	if (list != NULL && strcmp(list, PIPELINE_ALL_SOURCES) == 0)
		return NULL;
	const char *reason = list != NULL ? via_parse(wanted, list) : NULL;
	return reason != NULL ? reason : via_find_conflict(wanted, options->trace_path != NULL);
}

struct arguments
pipeline_arguments_new(
	enum stage_id stage, const struct service_options *options, const char *const *extra)
{
	struct arguments arguments = {0};
	arguments_add(&arguments, pipeline_plan[stage].program);
	arguments_add_option(&arguments, "confine", confine_mode_name(options->confine));
	add_stage_options(&arguments, stage, options);
	for (; *extra != NULL; extra++)
		arguments_add(&arguments, *extra);
	return arguments;
}

const char *
pipeline_metadata_reason(const char *said, int *length)
{
	static const char level[] = ": error: ";
	const char *reason = said != NULL ? strstr(said, level) : NULL;
	reason = reason != NULL ? reason + strlen(level) : "not usable";
	const char *advice = strstr(reason, " (name the GPU metadata");
	*length = advice != NULL ? (int)(advice - reason) : (int)strcspn(reason, "\n");
	return reason;
}

/* --- environment --- */

/* Return the value of a variable, or NULL. */
static const char *
find_variable(char *const *environment, const char *name)
{
	size_t length = strlen(name);
	for (; *environment != NULL; environment++) {
		if (strncmp(*environment, name, length) == 0 && (*environment)[length] == '=')
			return *environment + length + 1;
	}
	return NULL;
}

/* Return true if the variable, as NAME=VALUE, contains the secret address of a sink. */
static bool
is_secret(const struct service_options *options, char *const *environment, const char *variable)
{
	static const char scheme[] = "webhook:$";
	for (size_t i = 0; i < options->sink_word_count; i++) {
		const char *word = options->sink_words[i];
		if (strncmp(word, scheme, sizeof scheme - 1) != 0)
			continue;
		const char *secret = find_variable(environment, word + sizeof scheme - 1);
		if (secret != NULL && *secret != '\0' && strstr(variable, secret) != NULL)
			return true;
	}
	return false;
}

char **
pipeline_environment_new(
	enum stage_id stage, const struct service_options *options, char *const *environment)
{
	size_t count = 0;
	while (environment[count] != NULL)
		count++;
	char **kept = calloc(count + 1, sizeof *kept);
	for (size_t i = 0, at = 0; i < count && kept != NULL; i++) {
		if (stage == STAGE_EMIT || !is_secret(options, environment, environment[i]))
			kept[at++] = environment[i];
	}
	return kept;
}

/* pipeline - which stages there are, what each is started with, and which pipe joins it to which. */
#include "pipeline.h"

#include <stdlib.h>
#include <string.h>

/* More than any stage takes besides its sinks. */
#define FIXED_ARGUMENTS_MAX 24

/* Its value is optional, and so stands in the same word. */
#define KMSG_OPTION "--kmsg="

const struct stage_plan pipeline_plan[STAGE_N] = {
	/* reads sysfs: the source of everything but the kernel log */
	[STAGE_IBSCAN] = {"ibscan", .in = PIPE_NONE, .out = PIPE_SCANS},
	/* reads the kernel log, and shares a pipe with ctreval: neither writes more at once than a pipe takes whole. A node whose log may not be read
	 * is still watched. */
	[STAGE_LOGMATCH] = {"logmatch", .in = PIPE_NONE, .out = PIPE_EVENTS, .optional = true},
	/* knows the GPUs, and so which NIC matters */
	[STAGE_TOPOCLASS] = {"topoclass", .in = PIPE_SCANS, .out = PIPE_ROLES},
	/* decides */
	[STAGE_CTREVAL] = {"ctreval", .in = PIPE_ROLES, .out = PIPE_EVENTS},
	/* the only one that talks to the world */
	[STAGE_EMIT] = {"emit", .in = PIPE_EVENTS, .out = PIPE_NONE},
};

struct arguments {
	const char **items;
	size_t count;
	char *room; /* for the one word that is made here */
};

static void
add(struct arguments *arguments, const char *text)
{
	arguments->items[arguments->count++] = text;
}

/* An option, if it was given. */
static void
add_option(struct arguments *arguments, const char *name, const char *value)
{
	if (value == NULL)
		return;
	add(arguments, name);
	add(arguments, value);
}

/* The same in one word. */
static void
add_joined(struct arguments *arguments, const char *name, const char *value)
{
	if (value == NULL)
		return;
	strcpy(stpcpy(arguments->room, name), value);
	add(arguments, arguments->room);
}

/* Only what is stored is acknowledged, and only to those who remember. */
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
	case STAGE_IBSCAN:
		add_option(arguments, "--sysfs-root", options->sysfs_root);
		add_option(arguments, "--interval", options->interval);
		add_option(arguments, "--boot-id-file", options->boot_id_path);
		add_option(arguments, "--node", options->node_name);
		add_option(arguments, "--config", options->config_path);
		/* On real hardware every counter is a firmware command: only those that are judged are read. */
		add_option(arguments, "--counters", "configured");
		break;
	case STAGE_LOGMATCH:
		add_joined(arguments, KMSG_OPTION, options->kmsg_path);
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
		break;
	case STAGE_EMIT:
		for (size_t i = 0; i < options->sink_word_count; i++)
			add(arguments, options->sink_words[i]);
		add_option(arguments, "--node", options->node_name);
		add_option(arguments, "--spool", options->spool_path);
		add_option(arguments, "--acks", acks_path(options));
		add_option(arguments, "--boot-id-file", options->boot_id_path);
		/* Within the service's own deadline for its end, also when a source had to be killed before, so that emit itself says what is left. */
		add_option(arguments, "--flush-timeout", "3500ms");
		break;
	case STAGE_N:
		break;
	}
}

bool
pipeline_has_stage(enum stage_id stage, const struct service_options *options)
{
	return stage != STAGE_LOGMATCH || options->kmsg_path != NULL;
}

char **
pipeline_argv_new(
	enum stage_id stage, const struct service_options *options, const char *const *extra)
{
	size_t more = options->sink_word_count;
	for (const char *const *argument = extra; *argument != NULL; argument++)
		more++;
	size_t room =
		options->kmsg_path != NULL ? sizeof KMSG_OPTION + strlen(options->kmsg_path) : 0;
	size_t words = FIXED_ARGUMENTS_MAX + more;
	char **argv = calloc(1, words * sizeof *argv + room);
	if (argv == NULL)
		return NULL;
	struct arguments arguments = {.items = (const char **)argv, .room = (char *)(argv + words)};
	add(&arguments, pipeline_plan[stage].program);
	add_stage_options(&arguments, stage, options);
	for (; *extra != NULL; extra++)
		add(&arguments, *extra);
	return argv;
}

/* pipeline - which stages there are, what each is started with, and which pipe joins it to which. */
#ifndef SUPERVISOR_PIPELINE_H
#define SUPERVISOR_PIPELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The order of the enum is the order of the flow. */
enum stage_id { STAGE_IBSCAN, STAGE_LOGMATCH, STAGE_TOPOCLASS, STAGE_CTREVAL, STAGE_EMIT, STAGE_N };

/* Each pipe carries records into one stage. */
enum pipe_id { PIPE_SCANS, PIPE_ROLES, PIPE_EVENTS, PIPE_N, PIPE_NONE = PIPE_N };

/* What never changes about a stage. */
struct stage_plan {
	const char *program;
	enum pipe_id in, out; /* PIPE_NONE: /dev/null, and our own stdout */
	bool optional;        /* the service goes on without it */
};

extern const struct stage_plan pipeline_plan[STAGE_N];

/* What the service was asked for. NULL: the stage's own default. */
struct service_options {
	uint64_t interval_ns; /* what `interval` says */
	const char *sysfs_root, *interval, *metadata_path, *route_path, *route6_path, *boot_id_path;
	const char *node_name, *config_path, *checks, *strategy;
	const char *kmsg_path; /* NULL: no kernel log is read */
	/* Where ctreval and logmatch keep what they know; NULL: it is forgotten when they end. */
	const char *state_path, *log_state_path;
	/* Where emit keeps events; NULL: in memory. And where it acknowledges them to the other two, when both sides keep something. */
	const char *spool_path, *acks_path;
	const char **sink_words; /* emit's options about sinks */
	size_t sink_word_count;
	/* Where HTTP is served. */
	const char *metrics_address; /* an IPv4 or IPv6 address; NULL: all of this host's */
	int metrics_port;            /* 0: any that is free; -1: none */
};

/* True when the options leave the stage something to do. */
bool pipeline_has_stage(enum stage_id stage, const struct service_options *options);

/* The arguments of a stage, argv[0] to NULL, in one block of memory that is the caller's to free(); the strings of the options are
 * borrowed. `extra`, which ends with NULL, comes behind the others. NULL when memory runs out. */
char **pipeline_argv_new(
	enum stage_id stage, const struct service_options *options, const char *const *extra);

#endif

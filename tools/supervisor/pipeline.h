/* pipeline - which stages there are, what each is started with, and which pipe joins it to
 * which. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERVISOR_PIPELINE_H
#define SUPERVISOR_PIPELINE_H

#include "checklist.h"
#include "confine.h"

#include "arguments.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The order of the enum is the order of the flow. */
enum stage_id {
	STAGE_IBEVENT,
	STAGE_LNETREAD,
	STAGE_IBSCAN,
	STAGE_LOGMATCH,
	STAGE_TOPOCLASS,
	STAGE_CTREVAL,
	STAGE_CORRELATE,
	STAGE_EMIT,
	STAGE_N
};

/* Each pipe carries records into one stage. */
enum pipe_id { PIPE_KERNEL, PIPE_SCANS, PIPE_ROLES, PIPE_EVENTS, PIPE_N, PIPE_NONE = PIPE_N };

/* What never changes about a stage. */
struct stage_plan {
	const char *program;
	enum pipe_id in, out; /* PIPE_NONE: /dev/null, and our own stdout */
	bool is_source;       /* it ends when it is asked to, not when its input does */
	bool optional;        /* the service goes on without it */
	bool reads_log;       /* with the capability for that, which the others do not get */
};

extern const struct stage_plan pipeline_plan[STAGE_N];

/* What the service was asked for. NULL: the stage's own default. */
struct service_options {
	uint64_t interval_ns; /* what `interval` says */
	const char *sysfs_root, *interval, *metadata_path, *route_path, *route6_path, *boot_id_path;
	const char *node_name, *config_path, *checks, *strategy;
	const char *poll_stall_deadline; /* as it was given; NULL: ctreval's default */
	uint64_t poll_stall_deadline_ns;
	bool poll_stall_store_only;
	struct checklist named_checks; /* what `checks` may point into */
	const char *kmsg_path;         /* NULL: no kernel log is read */
	/* what ibevent is to read: its --sources, or PIPELINE_ALL_SOURCES; NULL: nothing */
	const char *event_sources;
	const char *trace_path; /* where rdmatrace writes; NULL: it is not read */
	const char *lnet_path;  /* what a timer asks lnetctl is in this file; NULL: nothing is */
	/* what correlate is to find: its --rules, pipeline_built_in_rules, or NULL: nothing
	 */
	const char *rules_path;
	/* Where ctreval, logmatch and correlate keep what they know; NULL: it is forgotten when
	 * they end. */
	const char *state_path, *log_state_path, *pattern_state_path;
	/* Where emit keeps events; NULL: in memory. And where it acknowledges them to the other
	 * three, when both sides keep something. */
	const char *spool_path, *acks_path;
	const char
		*silences_path;  /* what operators have silenced; NULL: nothing, without a spool */
	const char **sink_words; /* emit's options about sinks */
	size_t sink_word_count;
	const char *runbook_url;          /* where the runbooks are, see runbook.h; NULL: nowhere */
	bool names_sinks, names_interval; /* the command line does, and not only a default */
	bool grpc_event_id;               /* emit fills HealthEvent.id */
	bool ingero_names;                /* see ingerometrics.h */
	enum confine_mode confine;        /* of each stage, and of the service itself */
	/* Where HTTP is served. */
	const char *metrics_address; /* an IPv4 or IPv6 address; NULL: all of this host's */
	int metrics_port;            /* 0: any that is free; -1: none */
};

/* What ibevent reads without --sources. */
#define PIPELINE_ALL_SOURCES "all"

/* The rules that correlate has without --rules: no file has this address. */
extern const char pipeline_built_in_rules[];

/* True when the options leave the stage something to do. */
bool pipeline_has_stage(enum stage_id stage, const struct service_options *options);

/* The command line of a stage; `extra`, which ends with NULL, comes after the others. To be given
 * to arguments_fini(). */
struct arguments pipeline_arguments_new(
	enum stage_id stage, const struct service_options *options, const char *const *extra);

/* What of an environment, NULL-terminated, a stage is started with: emit with all of it, the others
 * without the addresses of webhooks, which are secrets: variables that a sink names
 * (`webhook:$NAME`), and those that have such an address in them, as the one from which our own
 * options came. An array that is the caller's to free(), of borrowed strings. NULL when memory runs
 * out. */
char **pipeline_environment_new(
	enum stage_id stage, const struct service_options *options, char *const *environment);

/* What topoclass says on stderr about GPU metadata that it cannot use, without its advice, which is
 * about its own options: where in `said`, which may be NULL, and `*length` bytes. Never NULL. */
const char *pipeline_metadata_reason(const char *said, int *length);

#endif

/* pipeline - the stages, the arguments that each starts with, and the pipes between them. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERVISOR_PIPELINE_H
#define SUPERVISOR_PIPELINE_H

#include "arguments.h"
#include "checklist.h"
#include "confine.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In the order of the data flow. */
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

/* Each pipe carries records to one stage. */
enum pipe_id { PIPE_KERNEL, PIPE_SCANS, PIPE_ROLES, PIPE_EVENTS, PIPE_N, PIPE_NONE = PIPE_N };

/* The fixed properties of a stage. */
struct stage_plan {
	const char *program;
	enum pipe_id in, out; /* PIPE_NONE: /dev/null, and the service's stdout */
	bool is_source;       /* SIGTERM ends it, not the end of its input */
	bool optional;        /* the service works without it */
	bool reads_log;       /* it keeps the capabilities for that, unlike the other stages */
};

extern const struct stage_plan pipeline_plan[STAGE_N];

/* The options of the service. NULL: the stage's own default. */
struct service_options {
	uint64_t interval_ns; /* `interval`, parsed */
	const char *sysfs_root, *interval, *metadata_path, *route_path, *route6_path, *boot_id_path;
	const char *node_name, *config_path, *checks, *strategy;
	const char *poll_stall_deadline; /* as given; NULL: ctreval's default */
	uint64_t poll_stall_deadline_ns;
	bool poll_stall_store_only;
	struct checklist named_checks; /* `checks` may point into it */
	const char *kmsg_path;         /* NULL: no kernel log is read */
	/* ibevent's --sources, or PIPELINE_ALL_SOURCES; NULL: no ibevent */
	const char *event_sources;
	const char *trace_path; /* output of rdmatrace; NULL: it is not read */
	const char *lnet_path;  /* output of lnetctl, written by a timer; NULL: none */
	/* correlate's --rules, pipeline_built_in_rules, or NULL: no correlate */
	const char *rules_path;
	/* State files of ctreval, logmatch and correlate; NULL: they forget everything at their
	 * end. */
	const char *state_path, *log_state_path, *pattern_state_path;
	/* File in which emit keeps events; NULL: in memory. And file in which it acknowledges them
	 * to the other three stages, if both sides keep files. */
	const char *spool_path, *acks_path;
	const char *silences_path; /* the operators' silences; NULL without a spool: none */
	const char **sink_words;   /* emit's options about sinks */
	size_t sink_word_count;
	const char *runbook_url; /* base address of the runbooks, see runbook.h; NULL: none */
	bool names_sinks, names_interval; /* on the command line, not by a default */
	bool default_has_token;           /* --platform-connector-token-path, for the default */
	bool grpc_event_id;               /* emit fills HealthEvent.id */
	bool ingero_names;                /* see ingerometrics.h */
	enum confine_mode confine;        /* of each stage and of the service itself */
	/* Where to serve HTTP. */
	const char *metrics_address; /* an IPv4 or IPv6 address; NULL: all */
	int metrics_port;            /* 0: any free port; -1: do not serve */
};

/* Stands for what ibevent reads without --sources. */
#define PIPELINE_ALL_SOURCES "all"

/* Stands for correlate's default rules; compared by address, so no file name equals it. */
extern const char pipeline_built_in_rules[];

/* Return true if the options give the stage something to do. */
bool pipeline_has_stage(enum stage_id stage, const struct service_options *options);

/* Return why ibevent would reject the list of its sources, valid until the next call; NULL: it
 * would not. The service goes on without an ibevent that does not start, so check it before. */
const char *pipeline_check_sources(const struct service_options *options);

/* Return the command line of a stage; `extra`, terminated by NULL, comes last. Free it with
 * arguments_fini(). */
struct arguments pipeline_arguments_new(
	enum stage_id stage, const struct service_options *options, const char *const *extra);

/* Return the environment for a stage, from the NULL-terminated `environment`. emit gets all of it.
 * The others get no variable that a sink names (`webhook:$NAME`), since it holds a webhook's secret
 * address, nor one that contains such an address, like the one from which the service's own options
 * came. Return an array of borrowed strings for the caller to free(), or NULL if memory runs
 * out. */
char **pipeline_environment_new(
	enum stage_id stage, const struct service_options *options, char *const *environment);

/* Return where topoclass' stderr `said`, which may be NULL, has the reason why it rejects the GPU
 * metadata, and its `*length` in bytes. The reason excludes topoclass' advice, which is about its
 * own options. Never returns NULL. */
const char *pipeline_metadata_reason(const char *said, int *length);

#endif

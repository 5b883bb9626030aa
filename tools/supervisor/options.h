/* options - parses the command line of the service and of its other modes. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERVISOR_OPTIONS_H
#define SUPERVISOR_OPTIONS_H

#include "direct.h"
#include "nodeoptions.h"
#include "pipeline.h"
#include "sinkwords.h"

#include "arguments.h"

#include <limits.h>

/* Maximum of options. */
#define OPTIONS_MAX 48

enum options_mode {
	OPTIONS_SERVE,
	OPTIONS_CHECK, /* --check-config */
	OPTIONS_ONCE,  /* --once: run niccheck(1) */
};

/* Room for a path, a program's name and a file name. It exceeds PATH_MAX: a path that is too long
 * is kept, and the stage reports it. */
#define STATEFILES_SIZE (PATH_MAX + 16 + NAME_MAX + 1)

/* The files that stages keep. Each stage has its own directory beside the path of --state, because
 * it may write nowhere else (places.h). */
struct statefiles {
	char state[STATEFILES_SIZE];         /* of ctreval */
	char log_state[STATEFILES_SIZE];     /* of logmatch */
	char pattern_state[STATEFILES_SIZE]; /* of correlate */
	char acks[STATEFILES_SIZE];          /* of emit */
	char silences[STATEFILES_SIZE];      /* of nicsilence, beside the spool */
};

/* The parsed command line. Texts belong to the command line or to this struct, which must not
 * move. */
struct options {
	enum options_mode mode;
	struct service_options service;
	struct arguments check; /* OPTIONS_ONCE: the arguments of niccheck(1) */

	/* targets of the pointers in `service` */
	struct sinkwords sinks;
	const char *default_sink; /* NULL: the Platform Connector */
	struct direct direct;
	struct statefiles files;

	/* `mode`, `check` and the metrics address are derived from these */
	bool once, check_only, has_metrics_port;
	struct opt_given given[OPTIONS_MAX]; /* in the order of --help, the last use of each */
};

/* Parse the command line. Return 0, or -1 if the program has to exit with `*exit_code`; all
 * messages have been printed. Call options_fini() in all cases. */
int options_parse(struct options *options, int argc, char **argv, int *exit_code);

void options_fini(struct options *options);

#endif

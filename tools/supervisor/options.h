/* options - the command line of the service, and of its other modes. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERVISOR_OPTIONS_H
#define SUPERVISOR_OPTIONS_H

#include "direct.h"
#include "nodeoptions.h"
#include "pipeline.h"
#include "sinkwords.h"

#include "arguments.h"

#include <limits.h>

/* Room for all options. */
#define OPTIONS_MAX 48

enum options_mode {
	OPTIONS_SERVE,
	OPTIONS_CHECK, /* --check-config */
	OPTIONS_ONCE,  /* --once: niccheck(1) does it */
};

/* A path, a program's name and a file's; longer than any path may be, for one that is too long. */
#define STATEFILES_SIZE (PATH_MAX + 16 + NAME_MAX + 1)

/* The files that stages keep, each in a directory of its own where the state file is said to be:
 * no stage can write what another remembers (places.h). */
struct statefiles {
	char state[STATEFILES_SIZE];         /* what ctreval remembers */
	char log_state[STATEFILES_SIZE];     /* what logmatch remembers */
	char pattern_state[STATEFILES_SIZE]; /* what correlate remembers */
	char acks[STATEFILES_SIZE];          /* what emit acknowledges */
	char silences[STATEFILES_SIZE];      /* what nicsilence writes, beside the spool */
};

/* What the command line asks for. Texts are the command line's own, or in here: it is not to be
 * moved. */
struct options {
	enum options_mode mode;
	struct service_options service;
	struct arguments check; /* OPTIONS_ONCE: what niccheck(1) is started with */

	/* what service points to */
	struct sinkwords sinks;
	const char *default_sink; /* NULL: the Platform Connector */
	struct direct direct;
	struct statefiles files;

	/* what `mode`, `check` and service's addresses follow from */
	bool once, check_only, has_metrics_port;
	struct opt_given given[OPTIONS_MAX]; /* in the order of --help, the last one of each */
};

/* Parses the command line. 0, or -1 when the program is to end with `*exit_code`; whatever there is
 * to say has been said. options_fini() in all cases. */
int options_parse(struct options *options, int argc, char **argv, int *exit_code);

void options_fini(struct options *options);

#endif

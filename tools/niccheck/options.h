/* options - the command line. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NICCHECK_OPTIONS_H
#define NICCHECK_OPTIONS_H

#include "../supervisor/nodeoptions.h"

#include <stdbool.h>
#include <stdint.h>

/* What the command line asks for. Texts are the command line's own, or in here: it is not to be
 * moved. */
struct options {
	struct service_options service; /* for the stages */
	uint64_t settle_ns;             /* between the first scan and the last */
	bool json;                      /* one record instead of lines for people */
	bool quiet; /* nothing but the exit code, unless it cannot be done at all */
	bool npd;   /* as a plugin of the node-problem-detector: a line, and its exit codes */
};

/* Parses the command line. 0, or -1 when the program is to end with `*exit_code`; whatever there is
 * to say has been said. */
int options_parse(struct options *options, int argc, char **argv, int *exit_code);

#endif

/* options - parses the command line. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NICCHECK_OPTIONS_H
#define NICCHECK_OPTIONS_H

#include "../supervisor/nodeoptions.h"

#include <stdbool.h>
#include <stdint.h>

/* The parsed command line. Strings point into argv or into this struct, which must not be moved. */
struct options {
	struct service_options service; /* options of the stages */
	uint64_t settle_ns;             /* between the first scan and the last */
	bool json;                      /* one record instead of lines for people */
	bool quiet;                     /* print nothing, unless no check is possible */
	bool npd; /* print one line, with the exit codes of a node-problem-detector plugin */
};

/* Parse the command line. Return 0, or -1 after printing all messages if the program must exit with
 * `*exit_code`. */
int options_parse(struct options *options, int argc, char **argv, int *exit_code);

#endif

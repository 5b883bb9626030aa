/* options - emit's command line. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_OPTIONS_H
#define EMIT_OPTIONS_H

#include "run.h"

#include "arguments.h"

struct options {
	struct run_options run;
	const char *metrics_fd; /* as given; nullable */
	bool test_sink;         /* --test-sink: a test event is all that is delivered */
	bool check_only;        /* --check-config: that it could be parsed is all */

	/* What a spool has is a question for nichist: --history, --standing, --changes,
	 * --dead-letters or --replay was given. */
	bool asks_nichist;
	bool has_choice; /* --since, --device or --fatal */
	bool has_format;
	struct arguments nichist; /* our name, those of the options that it has, the operands */
};

/* Parses the command line, with what is not given as it is by default. Returns the index of the
 * first operand, or -1 when the program is to end with `*exit_code`: then all has been said.
 * With `asks_nichist` nothing else is of use but `nichist`. options_fini() in all cases. */
int options_parse(struct options *options, int argc, char **argv, int *exit_code);

void options_fini(struct options *options);

#endif

/* options - parses emit's command line. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_OPTIONS_H
#define EMIT_OPTIONS_H

#include "run.h"

#include "arguments.h"

struct options {
	struct run_options run;
	const char *metrics_fd; /* as given; NULL: not given */
	bool test_sink;         /* --test-sink: deliver only a test event */
	bool check_only;        /* --check-config: exit after parsing */

	/* --history, --standing, --changes, --dead-letters or --replay: run nichist instead. */
	bool asks_nichist;
	bool has_choice; /* --since, --device or --fatal */
	bool has_format;
	struct arguments nichist; /* argv of nichist: "emit", its options, the operands */
};

/* Parse the command line and set the defaults. Return the index of the first operand, or -1 to exit
 * with `*exit_code`; errors have been reported. If `asks_nichist`, only `nichist` is valid. Call
 * options_fini() in all cases. */
int options_parse(struct options *options, int argc, char **argv, int *exit_code);

void options_fini(struct options *options);

#endif

/* options - emit's command line. */
#ifndef EMIT_OPTIONS_H
#define EMIT_OPTIONS_H

#include "history.h"
#include "run.h"

struct options {
	struct run_options run;
	struct history_options history;
	const char *metrics_fd; /* as given; nullable */
	bool check_only;        /* --check-config: that it could be parsed is all */
};

/* Parses the command line, with what is not given as it is by default. Returns the index of the first operand, or -1 when the program is to end with `*exit_code`: then
 * all has been said. options_fini() in both cases. */
int options_parse(struct options *options, int argc, char **argv, int *exit_code);

void options_fini(struct options *options);

#endif

/* options - nichist's command line. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NICHIST_OPTIONS_H
#define NICHIST_OPTIONS_H

#include "../emit/run.h"
#include "list.h"

struct options {
	struct history_options history;
	struct run_options run; /* of --replay: without a spool, which is only read from */
	bool check_only;        /* --check-config: that it could be parsed is all */
};

/* Parses the command line, with what is not given as it is by default; messages have the name that
 * was given to diag_init(). Returns the index of the first operand, or -1 when the program is to
 * end with `*exit_code`: then all has been said. options_fini() in both cases. */
int options_parse(struct options *options, int argc, char **argv, int *exit_code);

/* Whether something is to be shown: report_print(). Else events are to be sent again. */
bool options_show(const struct options *options);

void options_fini(struct options *options);

#endif

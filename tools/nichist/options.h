/* options - parses nichist's command line. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NICHIST_OPTIONS_H
#define NICHIST_OPTIONS_H

#include "../emit/run.h"
#include "list.h"

struct options {
	struct history_options history;
	struct run_options run; /* for --replay; has no spool of its own */
	bool check_only;        /* --check-config: only parse the options */
};

/* Parse the command line and set defaults. Messages begin with the name given to diag_init().
 * Return the index of the first operand, or -1 if the program must exit with `*exit_code`; messages
 * are printed then. Call options_fini() in both cases. */
int options_parse(struct options *options, int argc, char **argv, int *exit_code);

/* Return true to show something with report_print(), false to send events again. */
bool options_show(const struct options *options);

void options_fini(struct options *options);

#endif

/* report - prints the lists of a spool as tables or records, while the service may write to it. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NICHIST_REPORT_H
#define NICHIST_REPORT_H

#include "list.h"

/* Print what the options request to stdout. Return the exit code, after a message on failure. A
 * reader that leaves early is no failure, provided that SIGPIPE is ignored. */
int report_print(const struct history_options *options);

#endif

/* report - what a spool tells people and tools. It is read while the service runs and writes to
 * it. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NICHIST_REPORT_H
#define NICHIST_REPORT_H

#include "list.h"

/* Prints what is asked for to stdout. Returns the exit code; a failure has been said. Somebody who
 * does not read to the end is no failure, as far as SIGPIPE is ignored. */
int report_print(const struct history_options *options);

#endif

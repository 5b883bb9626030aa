/* logstdin - the kernel's log on standard input: whoever has opened it had the right to, which its
 * reader need not have (kernel#kmsg-writers). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_LOGSTDIN_H
#define NHM_LOGSTDIN_H

#include <stdbool.h>

/* True for the value of --kmsg that means standard input, "-"; `path` may be NULL. */
bool logstdin_is_meant(const char *path);

/* What messages call the log at `path`. */
const char *logstdin_name(const char *path);

/* 0 when standard input can be the kernel's log, or a file or pipe that stands in for it; else what
 * is wrong, as in errno: a terminal or /dev/null is not (ENODEV). Nothing is read. */
int logstdin_error(void);

#endif

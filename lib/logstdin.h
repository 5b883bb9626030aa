/* logstdin - the kernel log on standard input. The process that opened it had the privilege; the
 * reader needs none (kernel#kmsg-writers). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_LOGSTDIN_H
#define NHM_LOGSTDIN_H

#include <stdbool.h>

/* Return true if `path`, the value of --kmsg, is "-": standard input. `path` may be NULL. */
bool logstdin_is_meant(const char *path);

/* Return the name of the log at `path` in messages. */
const char *logstdin_name(const char *path);

/* Return 0 if standard input can be the kernel log, or a file or pipe in its place, else an errno
 * value, such as ENODEV for a terminal or /dev/null. Reads nothing. */
int logstdin_error(void);

#endif

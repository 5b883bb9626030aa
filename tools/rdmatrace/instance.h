/* instance - a tracefs instance of our own: what others trace on this node is not disturbed
 * (Documentation/trace/ftrace.rst, "Instances"). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RDMATRACE_INSTANCE_H
#define RDMATRACE_INSTANCE_H

struct instance {
	int tracefs; /* its directories; -1: not open */
	int directory;
	int pipe; /* trace_pipe, which does not wait; -1: not open */
};

/* Makes it, or takes up the one that a killed run has left, without what was traced meanwhile.
 * `tracefs` is where that is mounted. 0, or the exit code to end with, which has been said:
 * EXIT_TRY_LATER when another process has the instance. */
int instance_open(struct instance *instance, const char *tracefs);

/* Writes a line into the file at `path` below `directory`, one of the above. 0, or -1 with errno.
 */
int instance_write(int directory, const char *path, const char *text);

/* Removes it, if it is open. */
void instance_remove(struct instance *instance);

#endif

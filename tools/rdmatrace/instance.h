/* instance - creates and removes a private tracefs instance, so that other traces on this node are
 * not disturbed (Documentation/trace/ftrace.rst, "Instances"). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RDMATRACE_INSTANCE_H
#define RDMATRACE_INSTANCE_H

struct instance {
	int tracefs; /* directories of tracefs and of the instance; -1: not open */
	int directory;
	int pipe; /* trace_pipe, non-blocking; -1: not open */
};

/* Create the instance, or adopt the one of a killed run and discard its buffers. `tracefs` is the
 * mount point. Return 0, or the exit code after a message; EXIT_TRY_LATER: another process has the
 * instance. */
int instance_open(struct instance *instance, const char *tracefs);

/* Write a line into the file `path` below `directory`, a member of struct instance. Return 0, or -1
 * with errno. */
int instance_write(int directory, const char *path, const char *text);

/* Close and remove the instance, if it is open. */
void instance_remove(struct instance *instance);

#endif

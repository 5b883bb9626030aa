/* proc - starts child processes and describes their exits. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_PROC_H
#define NHM_PROC_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* A program to start. */
struct proc_command {
	const char *path;         /* absolute, or relative to the working directory */
	char *const *argv;        /* NULL-terminated */
	char *const *environment; /* NULL-terminated; NULL: that of this process */
	int in, out;              /* become its stdin and stdout */
	int err;                  /* becomes its stderr; 0: shares ours */
	bool keeps_capabilities;  /* do not clear the ambient ones */
	const int *more;          /* become 3, 4, ...; NULL: none */
	size_t more_count;        /* at most PROC_MORE_MAX */
};

#define PROC_MORE_MAX 4

/* Start a program in its own process group, with a clean signal mask and only these descriptors.
 * After them the child gets one more, a pipe by which the kernel kills it when this process exits,
 * even if exec gives it more rights; the program need not use it. Every other descriptor of the
 * caller must be O_CLOEXEC. The caller closes `*pidfd`. The child exits 127 if the program does not
 * exist, 126 if it cannot be run. Return the pid, or -1 with errno. */
pid_t proc_spawn(const struct proc_command *command, int *pidfd);

/* fork(2) for a task that may be slow or hang. The child continues in this program, in its own
 * process group, keeps blocked signals blocked, and is killed by the kernel when this process
 * exits. Of the O_CLOEXEC descriptors it keeps only `kept`. It must end with _exit(2). The caller
 * closes `*pidfd`. Return the pid, 0 in the child, or -1 with errno. */
pid_t proc_fork(int kept, int *pidfd);

/* Describe `info`, from waitid(2): "exited with 78", "killed by SIGKILL". Return `text`. */
const char *proc_describe_end(const siginfo_t *info, char *text, size_t size);

/* Return whether starting the program again with the same input and options cannot help
 * (spec#exit-codes). */
bool proc_end_is_permanent(const siginfo_t *info);

#endif

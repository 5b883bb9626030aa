/* proc - other processes: starting them, and what their end means. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_PROC_H
#define NHM_PROC_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* A program to start. */
struct proc_command {
	const char *path;         /* absolute, or looked up from the working directory */
	char *const *argv;        /* NULL-terminated */
	char *const *environment; /* NULL-terminated; NULL: ours */
	int in, out;              /* become its stdin and stdout */
	int err;                  /* becomes its stderr; 0: it is shared */
	bool keeps_capabilities;  /* those that are ambient, which it would lose otherwise */
	const int *more;          /* become 3, 4, ...; NULL: none */
	size_t more_count;        /* at most PROC_MORE_MAX */
};

#define PROC_MORE_MAX 4

/* Starts a program in its own process group, with a clean signal mask and only these descriptors.
 * The child gets one more after them, a pipe by which the kernel kills it when this process ends,
 * even if exec gives it more rights; it need not know of this. Every other descriptor of the caller
 * must be O_CLOEXEC. `*pidfd` is the caller's to close. The child ends with 127 when the program
 * does not exist, 126 when it cannot be run. Returns the pid, or -1 with errno. */
pid_t proc_spawn(const struct proc_command *command, int *pidfd);

/* fork(2) for a task that takes its time, or may hang: a child that goes on in this program, in its
 * own process group, and is killed by the kernel when this process ends. Signals that are blocked
 * stay so. Of descriptors that are O_CLOEXEC it has `kept` only. The child is to end with _exit(2).
 * In the caller `*pidfd` is the caller's to close. Returns the pid, 0 in the child, or -1 with
 * errno. */
pid_t proc_fork(int kept, int *pidfd);

/* Puts what `info` (of waitid(2)) says into words: "exited with 78", "killed by SIGKILL". Returns
 * `text`. */
const char *proc_describe_end(const siginfo_t *info, char *text, size_t size);

/* True for exits after which starting the program again with the same input and options cannot help
 * (spec#exit-codes). */
bool proc_end_is_permanent(const siginfo_t *info);

#endif

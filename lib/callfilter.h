/* callfilter - restricts the system calls of a process with seccomp
 * (Documentation/userspace-api/seccomp_filter.rst) and libseccomp.
 *
 * Calls are in groups by purpose. Some calls of a group are allowed only with certain arguments;
 * the table in callfilter.c lists them. Any other call ends the process with SIGSYS, after a line
 * on stderr that names the call. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_CALLFILTER_H
#define NHM_CALLFILTER_H

#include <stddef.h>

/* Purposes of calls. */
enum callfilter_group {
	CALLFILTER_PLAIN,   /* memory, time, waiting, and open descriptors */
	CALLFILTER_OPEN,    /* open and stat files and directories */
	CALLFILTER_KEEP,    /* write, replace, lock and remove files */
	CALLFILTER_THREADS, /* start threads, and wake threads of the same process */
	CALLFILTER_TALK,    /* connect to peers: local sockets, TCP, name servers */
	CALLFILTER_START,   /* start programs, and drop privileges before and after */
	CALLFILTER_MIND,    /* signal and wait for child processes */
	CALLFILTER_SERVE,   /* serve HTTP, notify systemd */
	CALLFILTER_LISTEN,  /* receive kernel events: netlink, RDMA devices */
	CALLFILTER_GROUP_N,
};

#define CALLFILTER_BIT(group) (1U << (group))

/* Return the name of a group, as in the manuals. */
const char *callfilter_group_name(enum callfilter_group group);

/* Return the name of call `index` of a group, for display; NULL after the last one. */
const char *callfilter_call_name(enum callfilter_group group, size_t index);

/* Allow the calls of `groups` (CALLFILTER_BIT of each), and no others from now on. This cannot be
 * undone; it applies to all threads and child processes, also after exec. Sets no_new_privs. Return
 * 0, or a negative errno. `program` starts the line on stderr; the pointer is kept. */
int callfilter_enforce(unsigned groups, const char *program);

#endif

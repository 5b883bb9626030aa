/* callfilter - which system calls a process may still make, enforced by the kernel's seccomp
 * (Documentation/userspace-api/seccomp_filter.rst), put together by libseccomp.
 *
 * Calls come in groups, each for one purpose. Some calls of a group are allowed with certain
 * arguments only, which the table of callfilter.c has. Any other call ends the process with SIGSYS,
 * after one line on stderr that names it. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_CALLFILTER_H
#define NHM_CALLFILTER_H

#include <stddef.h>

/* What calls are for. */
enum callfilter_group {
	CALLFILTER_PLAIN,   /* memory, time, waiting, and descriptors that are open */
	CALLFILTER_OPEN,    /* open files and directories, ask about them */
	CALLFILTER_KEEP,    /* write, replace, lock and remove files */
	CALLFILTER_THREADS, /* start threads, and wake those of the same process */
	CALLFILTER_TALK,    /* connect to others: local sockets, TCP, name servers */
	CALLFILTER_START,   /* start programs, and give up rights before and after */
	CALLFILTER_MIND,    /* signal and wait for what was started */
	CALLFILTER_SERVE,   /* serve HTTP, tell systemd */
	CALLFILTER_LISTEN,  /* get the kernel's notices: netlink, devices of RDMA */
	CALLFILTER_GROUP_N,
};

#define CALLFILTER_BIT(group) (1U << (group))

/* The name of a group, as manuals have it. */
const char *callfilter_group_name(enum callfilter_group group);

/* The calls of a group by name, for callers that show them; NULL at the end of the list. */
const char *callfilter_call_name(enum callfilter_group group, size_t index);

/* Allows the calls of `groups`, bits of the above, and from now on no others. This holds for good,
 * in this thread and in all that it starts, also after exec. Sets no_new_privs. Returns 0, or a
 * negative errno. `program` is what the line on stderr begins with; it is kept. */
int callfilter_enforce(unsigned groups, const char *program);

#endif

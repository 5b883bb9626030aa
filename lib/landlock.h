/* landlock - restricts the files and ports of a process with the kernel's Landlock
 * (Documentation/userspace-api/landlock.rst).
 *
 * Open descriptors keep working; only later opens are restricted. The restriction is permanent, for
 * the calling thread and its children. It does not cover stat(2) and connecting to a Unix socket
 * with a path. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_LANDLOCK_H
#define NHM_LANDLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* Permitted use of a file, or of everything below a directory. */
enum landlock_use {
	LANDLOCK_READ,   /* read files, list directories */
	LANDLOCK_KEEP,   /* the same, and create, write, replace and remove files */
	LANDLOCK_EMPTY,  /* the same, and remove directories */
	LANDLOCK_RUN,    /* read and execute files, list directories */
	LANDLOCK_DEVICE, /* read, write and control devices, list directories */
};

struct landlock {
	int fd;         /* ruleset; -1: none */
	uint64_t files; /* file rights that this kernel supports */
	uint64_t ports; /* TCP port rights that are restricted */
};

/* Begin with rules that allow nothing, or with `any_port` only connecting to TCP ports. An older
 * kernel enforces only the part of Landlock that it knows: ports from Linux 6.7, signals from 6.12.
 * Return 0, or -1 with errno: ENOSYS or EOPNOTSUPP without Landlock. Always end with
 * landlock_fini(). */
int landlock_init(struct landlock *landlock, bool any_port);

/* Allow a use of `path`. For a path in procfs a descriptor stays open for good. Return 0, or -1
 * with errno. */
int landlock_allow(struct landlock *landlock, const char *path, enum landlock_use use);

/* Allow connecting to a TCP port of any host, or listening on one of this host (0: any free port).
 * Return 0, or -1 with errno. */
int landlock_allow_connecting(struct landlock *landlock, uint16_t port);
int landlock_allow_listening(struct landlock *landlock, uint16_t port);

/* Put the rules into force. no_new_privs must be set before. Return 0, or -1 with errno. */
int landlock_enforce(const struct landlock *landlock);

void landlock_fini(struct landlock *landlock);

#endif

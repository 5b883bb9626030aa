/* landlock - which files and ports a process may still reach, enforced by the kernel's Landlock
 * (Documentation/userspace-api/landlock.rst).
 *
 * Descriptors that are open stay what they are: what is restricted is what is opened from then on.
 * It holds for the calling thread and what it starts, for good. Not restricted by it are stat(2)
 * and connecting to a socket that has a path. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_LANDLOCK_H
#define NHM_LANDLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* What may be done with a file, or with everything below a directory. */
enum landlock_use {
	LANDLOCK_READ,   /* read files, list directories */
	LANDLOCK_KEEP,   /* the same, and make, write, replace and remove files */
	LANDLOCK_EMPTY,  /* the same, and remove directories */
	LANDLOCK_RUN,    /* read and execute files, list directories */
	LANDLOCK_DEVICE, /* read, write and control devices, list directories */
};

struct landlock {
	int fd;         /* of the rules; -1: none */
	uint64_t files; /* the rights about files that this kernel knows */
	uint64_t ports; /* the rights about TCP ports that are restricted */
};

/* Begins with rules that allow nothing, or with `any_port` nothing but connecting to TCP ports. A
 * kernel may know only a part of Landlock, and enforces that part: ports from Linux 6.7, signals
 * from 6.12. Returns 0, or -1 with errno: ENOSYS or EOPNOTSUPP where there is no Landlock. End with
 * landlock_fini() in every case. */
int landlock_init(struct landlock *landlock, bool any_port);

/* Allows a use of `path`. Of procfs a descriptor stays open for good. Returns 0, or -1 with
 * errno. */
int landlock_allow(struct landlock *landlock, const char *path, enum landlock_use use);

/* Allows connecting to a TCP port of whatever host; or listening to one of this host, 0: any that
 * is free. Returns 0, or -1 with errno. */
int landlock_allow_connecting(struct landlock *landlock, uint16_t port);
int landlock_allow_listening(struct landlock *landlock, uint16_t port);

/* Puts the rules into force; no_new_privs is set. Returns 0, or -1 with errno. */
int landlock_enforce(const struct landlock *landlock);

void landlock_fini(struct landlock *landlock);

#endif

/* landlock - restricts the files and ports of a process with the kernel's Landlock. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "landlock.h"

#include "fd.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <linux/magic.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

/* Additions to include/uapi/linux/landlock.h since that of Debian 12 (Linux 6.1, ABI 2). The number
 * after each is the first ABI that supports it. */
#define ACCESS_FS_TRUNCATE (UINT64_C(1) << 14)    /* 3 */
#define ACCESS_FS_IOCTL_DEV (UINT64_C(1) << 15)   /* 5 */
#define ACCESS_NET_BIND_TCP (UINT64_C(1) << 0)    /* 4 */
#define ACCESS_NET_CONNECT_TCP (UINT64_C(1) << 1) /* 4 */
#define SCOPE_SIGNAL (UINT64_C(1) << 1)           /* 6 */
#define RULE_NET_PORT 2                           /* 4 */

/* struct landlock_ruleset_attr as of ABI 6; each kernel is given only the part that it supports. */
struct ruleset {
	uint64_t files;  /* 1 */
	uint64_t net;    /* 4 */
	uint64_t scoped; /* 6 */
};

/* struct landlock_net_port_attr */
struct port_rule {
	uint64_t access, port;
};

/* All file rights of ABI 1. */
#define FILES_FIRST ((LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1)

#define READ (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define KEEP \
	(READ | LANDLOCK_ACCESS_FS_WRITE_FILE | ACCESS_FS_TRUNCATE | LANDLOCK_ACCESS_FS_MAKE_REG | \
		LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE)

static const uint64_t rights[] = {
	[LANDLOCK_READ] = READ,
	[LANDLOCK_KEEP] = KEEP,
	[LANDLOCK_EMPTY] = KEEP | LANDLOCK_ACCESS_FS_REMOVE_DIR,
	[LANDLOCK_RUN] = READ | LANDLOCK_ACCESS_FS_EXECUTE,
	[LANDLOCK_DEVICE] = READ | LANDLOCK_ACCESS_FS_WRITE_FILE | ACCESS_FS_IOCTL_DEV,
};

/* Rights that a rule for a single file may have. */
#define OF_FILE \
	(LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE | \
		LANDLOCK_ACCESS_FS_READ_FILE | ACCESS_FS_TRUNCATE)

int
landlock_init(struct landlock *landlock, bool any_port)
{
	*landlock = (struct landlock){.fd = -1};
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
	if (abi < 0)
		return -1;
	struct ruleset ruleset = {.files = FILES_FIRST};
	size_t size = sizeof ruleset.files;
	if (abi >= 2)
		ruleset.files |= LANDLOCK_ACCESS_FS_REFER;
	if (abi >= 3)
		ruleset.files |= ACCESS_FS_TRUNCATE;
	if (abi >= 4) {
		ruleset.net = ACCESS_NET_BIND_TCP | (any_port ? 0 : ACCESS_NET_CONNECT_TCP);
		size = offsetof(struct ruleset, scoped);
	}
	if (abi >= 5)
		ruleset.files |= ACCESS_FS_IOCTL_DEV;
	if (abi >= 6) {
		ruleset.scoped = SCOPE_SIGNAL;
		size = sizeof ruleset;
	}
	landlock->files = ruleset.files;
	landlock->ports = ruleset.net;
	landlock->fd = (int)syscall(SYS_landlock_create_ruleset, &ruleset, size, 0);
	return landlock->fd < 0 ? -1 : 0;
}

int
landlock_allow(struct landlock *landlock, const char *path, enum landlock_use use)
{
	struct stat status;
	struct statfs where;
	int fd = open(path, O_PATH | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &status) < 0 || fstatfs(fd, &where) < 0) {
		fd_close(fd);
		return -1;
	}
	struct landlock_path_beneath_attr rule = {
		.allowed_access = rights[use] & landlock->files &
				  (S_ISDIR(status.st_mode) ? UINT64_MAX : OF_FILE),
		.parent_fd = fd,
	};
	long result =
		syscall(SYS_landlock_add_rule, landlock->fd, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
	/* A rule holds an inode. procfs makes a new inode for a name when the old one was dropped
	 * from the cache, and the rule would not apply to it: keep the descriptor open. */
	if (result < 0 || where.f_type != PROC_SUPER_MAGIC)
		fd_close(fd);
	return result < 0 ? -1 : 0;
}

static int
allow_port(struct landlock *landlock, uint64_t access, uint16_t port)
{
	const struct port_rule rule = {.access = access & landlock->ports, .port = port};
	if (rule.access == 0)
		return 0;
	return (int)syscall(SYS_landlock_add_rule, landlock->fd, RULE_NET_PORT, &rule, 0);
}

int
landlock_allow_connecting(struct landlock *landlock, uint16_t port)
{
	return allow_port(landlock, ACCESS_NET_CONNECT_TCP, port);
}

int
landlock_allow_listening(struct landlock *landlock, uint16_t port)
{
	return allow_port(landlock, ACCESS_NET_BIND_TCP, port);
}

int
landlock_enforce(const struct landlock *landlock)
{
	return (int)syscall(SYS_landlock_restrict_self, landlock->fd, 0);
}

void
landlock_fini(struct landlock *landlock)
{
	fd_close(landlock->fd);
	landlock->fd = -1;
}

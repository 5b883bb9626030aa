/* ownfile - checks who owns a file and who else can change it. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "ownfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Size of the description of a directory or link on the way to a file, with its NUL. */
#define WHAT_SIZE 100

/* Most directories above a file to check: more than a path has. */
#define LEVELS_MAX (PATH_MAX / 2)

/* /proc/self/uid_map has at most 340 lines. */
#define MAP_MAX_BYTES 16384

/* --- decisions --- */

/* Return whether the mode lets untrusted users write. */
static bool
is_shared(mode_t mode, bool in_group)
{
	return (mode & S_IWOTH) != 0 || ((mode & S_IWGRP) != 0 && !in_group);
}

static bool
is_foreign(const struct stat *status, uid_t uid)
{
	return status->st_uid != 0 && status->st_uid != uid;
}

enum ownfile_verdict
ownfile_eval(const struct stat *status, uid_t uid, bool in_group)
{
	if (S_ISCHR(status->st_mode) || S_ISBLK(status->st_mode))
		return OWNFILE_OURS;
	if (is_foreign(status, uid))
		return OWNFILE_FOREIGN;
	/* A link always has mode 0777, and nobody can write to it. */
	if (!S_ISLNK(status->st_mode) && is_shared(status->st_mode, in_group))
		return OWNFILE_SHARED;
	return OWNFILE_OURS;
}

enum ownfile_verdict
ownfile_eval_directory(const struct stat *status, uid_t uid, bool in_group)
{
	if (is_foreign(status, uid))
		return OWNFILE_FOREIGN;
	if ((status->st_mode & S_ISVTX) == 0 && is_shared(status->st_mode, in_group))
		return OWNFILE_SHARED;
	return OWNFILE_OURS;
}

enum ownfile_verdict
ownfile_eval_shown(const struct stat *status, const struct stat *directory, uid_t uid,
	bool in_group, bool in_directory_group)
{
	bool is_private = !is_shared(directory->st_mode, in_directory_group);
	return ownfile_eval(status, is_private ? directory->st_uid : uid, in_group) == OWNFILE_OURS
		       ? OWNFILE_OURS
		       : ownfile_eval(status, uid, in_group);
}

bool
ownfile_is_outside(const char *map, uid_t uid)
{
	for (;;) {
		char *at;
		unsigned long inside = strtoul(map, &at, 10);
		if (at == map)
			return true;
		strtoul(at, &at, 10);
		unsigned long count = strtoul(at, &at, 10);
		if (uid >= inside && uid - inside < count)
			return false;
		map = at;
	}
}

/* --- files on disk --- */

/* Group 0 is as privileged as root. */
static bool
is_own_group(gid_t gid)
{
	return gid == 0 || group_member(gid) != 0;
}

/* --- directories on the way to a file: renaming one of them replaces every file below it --- */

/* The text of /proc/self/uid_map; "" if it cannot be read. */
static char user_map[MAP_MAX_BYTES];

static void
read_users(void)
{
	int fd = open("/proc/self/uid_map", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	size_t length = 0;
	ssize_t n;
	/* One read returns at most a page, of which a long map fills several. */
	while ((n = read(fd, user_map + length, sizeof user_map - 1 - length)) > 0)
		length += (size_t)n;
	close(fd);
	user_map[n == 0 ? length : 0] = '\0';
}

void
ownfile_learn_users(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, read_users);
}

/* Return whether a uid stands for users outside this user namespace. Such users own the mount
 * points of a container. */
static bool
is_from_outside(uid_t uid)
{
	ownfile_learn_users();
	return *user_map != '\0' && ownfile_is_outside(user_map, uid);
}

/* Return whether it is the root of a mount. Kubernetes gives a volume's own directory mode 0777,
 * for any user that may run in the container. */
static bool
is_volume(int fd, const char *path)
{
	struct statx found;
	return statx(fd, path, AT_EMPTY_PATH | AT_NO_AUTOMOUNT, 0, &found) == 0 &&
	       (found.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

/* Evaluate a directory above a file: `path` from `fd`, or `fd` itself if `path` is "". */
static enum ownfile_verdict
eval(int fd, const char *path, const struct stat *status)
{
	struct stat seen = *status;
	if (seen.st_uid != 0 && seen.st_uid != geteuid() && is_from_outside(seen.st_uid))
		seen.st_uid = 0;
	enum ownfile_verdict verdict =
		ownfile_eval_directory(&seen, geteuid(), is_own_group(seen.st_gid));
	return verdict == OWNFILE_SHARED && is_volume(fd, path) ? OWNFILE_OURS : verdict;
}

/* Describe a place in `what`. Cut a long path at the front: its end identifies it. */
static void
name_place(const char *kind, const char *path, char what[WHAT_SIZE])
{
	int room = (int)(WHAT_SIZE - sizeof "the directory ... above it");
	int length = (int)strlen(path);
	bool is_long = length > room;
	snprintf(what, WHAT_SIZE, "the %s %s%.*s above it", kind, is_long ? "..." : "", room,
		is_long ? path + length - room : path);
}

/* Evaluate `path` up to its `length`th byte: as a link, and unless `is_last` as a directory. */
static enum ownfile_verdict
eval_named(const char *path, size_t length, bool is_last, struct stat *status, char what[WHAT_SIZE])
{
	enum ownfile_verdict verdict = OWNFILE_OURS;
	char *prefix = strndup(path, length);
	if (prefix == NULL)
		return OWNFILE_OURS;
	if (lstat(prefix, status) == 0 && S_ISLNK(status->st_mode)) {
		verdict = ownfile_eval(status, geteuid(), false);
		name_place("link", prefix, what);
	}
	if (verdict == OWNFILE_OURS && !is_last && stat(prefix, status) == 0) {
		verdict = eval(AT_FDCWD, prefix, status);
		name_place("directory", prefix, what);
	}
	free(prefix);
	return verdict;
}

/* Evaluate the directories above `fd`, to which the links in the path may lead. Close `fd`. */
static enum ownfile_verdict
eval_above(int fd, struct stat *status, char what[WHAT_SIZE])
{
	enum ownfile_verdict verdict = OWNFILE_OURS;
	struct stat below;
	int got = fstat(fd, &below);
	for (int level = 0; got == 0 && level < LEVELS_MAX; level++) {
		int above = openat(fd, "..", O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		close(fd);
		fd = above;
		if (fd < 0 || fstat(fd, status) < 0 ||
			(status->st_dev == below.st_dev && status->st_ino == below.st_ino))
			break;
		verdict = eval(fd, "", status);
		if (verdict != OWNFILE_OURS)
			break;
		below = *status;
	}
	if (verdict != OWNFILE_OURS) {
		char link[48], path[PATH_MAX] = "";
		snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
		ssize_t length = readlink(link, path, sizeof path - 1);
		path[length > 0 ? length : 0] = '\0';
		name_place("directory", path, what);
	}
	if (fd >= 0)
		close(fd);
	return verdict;
}

/* Evaluate every directory above `directory` up to the root, and the directories and links that its
 * path names. The caller evaluates `directory` itself. Follow no link of another user, and go no
 * higher than a path can be deep. An object that cannot be examined passes, and so does the root of
 * a mounted volume to which others may write.
 *
 * Return OWNFILE_OURS, or the first other verdict, with the status and description of its
 * object. */
static enum ownfile_verdict
eval_path(const char *directory, struct stat *status, char what[WHAT_SIZE])
{
	size_t end = strlen(directory);
	for (size_t at = 1; at <= end; at++) {
		if (at < end && directory[at] != '/')
			continue;
		enum ownfile_verdict verdict = eval_named(directory, at, at == end, status, what);
		if (verdict != OWNFILE_OURS)
			return verdict;
	}
	int fd = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? OWNFILE_OURS : eval_above(fd, status, what);
}

/* --- files --- */

/* Return whether the verdict is OWNFILE_OURS, else write the reason. `what`: "it", or a description
 * of the file. */
static bool
accept(enum ownfile_verdict verdict, const struct stat *status, const char *what,
	char reason[OWNFILE_REASON_SIZE])
{
	uid_t uid = geteuid();
	switch (verdict) {
	case OWNFILE_OURS:
		return true;
	case OWNFILE_FOREIGN:
		if (uid == 0)
			snprintf(reason, OWNFILE_REASON_SIZE, "%s belongs to user %u, not to root",
				what, (unsigned)status->st_uid);
		else
			snprintf(reason, OWNFILE_REASON_SIZE,
				"%s belongs to user %u, neither to user %u, who runs this, nor to "
				"root",
				what, (unsigned)status->st_uid, (unsigned)uid);
		return false;
	case OWNFILE_SHARED:
		snprintf(reason, OWNFILE_REASON_SIZE, "others may write to %s (mode %04o)", what,
			(unsigned)status->st_mode & 07777u);
		return false;
	}
	return false;
}

static bool
is_ours(const struct stat *status, const char *what, char reason[OWNFILE_REASON_SIZE])
{
	enum ownfile_verdict verdict =
		ownfile_eval(status, geteuid(), is_own_group(status->st_gid));
	return accept(verdict, status, what, reason);
}

char *
ownfile_directory_new(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash == NULL   ? strdup(".")
	       : slash == path ? strdup("/")
			       : strndup(path, (size_t)(slash - path));
}

/* stat(2) of the directory that contains `path`. */
static int
stat_directory(const char *path, struct stat *status)
{
	char *directory = ownfile_directory_new(path);
	if (directory == NULL)
		return -1;
	int result = stat(directory, status);
	free(directory);
	return result;
}

/* Check `path` itself. `what` is its name in the reason. */
static bool
may_keep_there(const char *path, const char *what, char reason[OWNFILE_REASON_SIZE])
{
	struct stat status;
	/* A directory cannot be mistaken for a file, so that its owner does not matter. */
	return lstat(path, &status) < 0 || S_ISDIR(status.st_mode) ||
	       is_ours(&status, what, reason);
}

/* Check the directory of a file, and those above it, also if the directory is still to be
 * created. */
static bool
may_keep_in(const char *directory, char reason[OWNFILE_REASON_SIZE])
{
	struct stat status;
	char what[WHAT_SIZE];
	if (stat(directory, &status) == 0) {
		if (!S_ISDIR(status.st_mode))
			return true;
		enum ownfile_verdict own =
			ownfile_eval_directory(&status, geteuid(), is_own_group(status.st_gid));
		if (!accept(own, &status, "its directory", reason))
			return false;
	} else if (errno != ENOENT) {
		return true;
	}
	enum ownfile_verdict verdict = eval_path(directory, &status, what);
	return accept(verdict, &status, what, reason);
}

bool
ownfile_may_keep(const char *path, char reason[OWNFILE_REASON_SIZE])
{
	char *directory = ownfile_directory_new(path);
	/* Out of memory: the caller cannot open the file either. */
	if (directory == NULL)
		return true;
	bool may = may_keep_in(directory, reason);
	free(directory);
	return may && may_keep_there(path, "it", reason);
}

bool
ownfile_may_keep_all(const char *path, const char *const *endings, char reason[OWNFILE_REASON_SIZE])
{
	if (!ownfile_may_keep(path, reason))
		return false;
	for (; *endings != NULL; endings++) {
		char *file, what[32];
		/* Out of memory: the caller cannot open the file either. */
		if (asprintf(&file, "%s%s", path, *endings) < 0)
			return true;
		snprintf(what, sizeof what, "its file %s", *endings);
		bool may = may_keep_there(file, what, reason);
		free(file);
		if (!may)
			return false;
	}
	return true;
}

bool
ownfile_may_show(const char *path, char reason[OWNFILE_REASON_SIZE])
{
	struct stat status, directory;
	if (stat_directory(path, &directory) < 0 || stat(path, &status) < 0 ||
		S_ISDIR(status.st_mode))
		return true;
	enum ownfile_verdict verdict = ownfile_eval_shown(&status, &directory, geteuid(),
		is_own_group(status.st_gid), is_own_group(directory.st_gid));
	return accept(verdict, &status, "it", reason);
}

bool
ownfile_may_believe(int fd, char reason[OWNFILE_REASON_SIZE])
{
	struct stat status;
	return fstat(fd, &status) < 0 || is_ours(&status, "it", reason);
}

int
ownfile_link_flag(const char *path)
{
	struct stat status;
	return lstat(path, &status) == 0 && S_ISLNK(status.st_mode) &&
			       ownfile_eval(&status, geteuid(), false) == OWNFILE_OURS
		       ? 0
		       : O_NOFOLLOW;
}

int
ownfile_require(int fd)
{
	char reason[OWNFILE_REASON_SIZE];
	if (ownfile_may_believe(fd, reason))
		return 0;
	errno = EPERM;
	return -1;
}

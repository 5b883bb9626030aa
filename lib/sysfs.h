/* sysfs - reads below a root directory: /sys, a container's view of it, or a recorded tree.
 *
 * Opens nothing outside the root: refuses paths with parent components, and resolves links as if
 * the root were `/`. (Without openat2(2), before Linux 5.6, links lead wherever they point.) Only
 * sysfs_read_file() has no root. Distinguishes present, absent and unreadable. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_SYSFS_H
#define NHM_SYSFS_H

#include "hash.h"

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

/* A sysfs attribute shows at most one page (fs/sysfs/file.c). */
#define SYSFS_TEXT_MAX 4096

enum sysfs_status {
	SYSFS_OK,
	SYSFS_ABSENT,     /* no such file, directory or link */
	SYSFS_UNREADABLE, /* exists, but cannot be read: see errno */
};

/* Open the root. Return a descriptor, or -1 with errno. */
int sysfs_open_root(const char *path);

/* Open a directory below `root`, e.g. "class/infiniband/mlx5_0/ports". The caller closes `*fd`. An
 * absolute path or one with a `..` is SYSFS_UNREADABLE with EINVAL. */
enum sysfs_status sysfs_open_dir(int root, const char *path, int *fd);

/* Open the attribute `name` in directory `dir` for sysfs_pread(). `name` is a single component.
 * Links are not followed: attributes are never links. */
enum sysfs_status sysfs_open_attribute(int dir, const char *name, int *fd);

/* Read an attribute from its beginning through an open descriptor. `text` gets the first line,
 * stripped of white space at both ends and NUL-terminated. Text that does not fit is
 * SYSFS_UNREADABLE with EOVERFLOW, never cut. */
enum sysfs_status sysfs_pread(int fd, char *text, size_t size);

/* sysfs_open_attribute(), sysfs_pread(), close. */
enum sysfs_status sysfs_read(int dir, const char *name, char *text, size_t size);

/* Read the attribute at `path` below `root`; links are followed inside the root. Blocks on a device
 * that hangs, or on a pipe in its place. */
enum sysfs_status sysfs_read_path(int root, const char *path, char *text, size_t size);

/* The same for callers that must not block, and attributes that need no answer from a device: a
 * pipe is SYSFS_UNREADABLE with ESPIPE. */
enum sysfs_status sysfs_read_plain(int root, const char *path, char *text, size_t size);

/* Like sysfs_read_plain(), for any file that a person has named, such as that of the boot id. */
enum sysfs_status sysfs_read_file(const char *path, char *text, size_t size);

/* Like sysfs_read_path(), but all lines unchanged (for `uevent`). */
enum sysfs_status sysfs_read_lines(int root, const char *path, char *text, size_t size);

/* Copy the target of the link at `path`, without trailing slashes. The target need not exist. */
enum sysfs_status sysfs_link_target(int root, const char *path, char target[PATH_MAX]);

/* Copy the last component of the target of the link at `path`. The target need not exist. */
enum sysfs_status sysfs_link_name(int root, const char *path, char *name, size_t size);

/* stat(2) of `path`, following links. */
enum sysfs_status sysfs_stat(int root, const char *path, struct stat *status);

/* Called for each entry of a directory except `.` and `..`, in no particular order. Returning -1
 * with errno stops the walk with SYSFS_UNREADABLE. */
typedef int sysfs_visit(void *context, const struct dirent *entry);

/* Visit the entries of directory `dir` (a descriptor, which stays open). */
enum sysfs_status sysfs_walk(int dir, sysfs_visit *visit, void *context);

/* A directory below a root that stays open to be listed repeatedly. All zeros: not open yet. */
struct sysfs_kept {
	DIR *stream;
};

/* Visit the entries of the directory at `path`, the same in every call with `kept`. If it has no
 * entries, open it again: it may have been removed and created anew. */
enum sysfs_status sysfs_walk_kept(
	struct sysfs_kept *kept, int root, const char *path, sysfs_visit *visit, void *context);

void sysfs_kept_fini(struct sysfs_kept *kept);

/* Add an entry, by name and inode number, to a hash. An equal hash means that no entry of the
 * directory was added, removed or replaced. */
#define SYSFS_HASH_START HASH_START
uint64_t sysfs_hash(uint64_t hash, const struct dirent *entry);

/* The same as a sysfs_visit: `hash` is a uint64_t that starts as SYSFS_HASH_START. */
int sysfs_hash_entry(void *hash, const struct dirent *entry);

/* The entries of a directory except `.` and `..`, in natural order (strverscmp(3)): mlx5_2 before
 * mlx5_10. */
struct sysfs_names {
	char **names;
	size_t count;
};

/* List directory `dir` (a descriptor, which stays open). More than `max` names are SYSFS_UNREADABLE
 * with E2BIG. Free with sysfs_names_fini(), also after a failure. */
enum sysfs_status sysfs_list(int dir, size_t max, struct sysfs_names *out);

/* The same for a directory below `root`. */
enum sysfs_status sysfs_list_path(int root, const char *path, size_t max, struct sysfs_names *out);

/* Return whether the name is among them. */
bool sysfs_names_have(const struct sysfs_names *names, const char *name);

void sysfs_names_fini(struct sysfs_names *names);

/* Return whether it is a path component: not empty, no slash, not `.` or `..`. */
bool sysfs_is_name(const char *name);

/* Call after a read failed. If errno means that memory or descriptors ran out, which says nothing
 * about the file, copy it to `*shortage`, unless that is already set. */
void sysfs_note_shortage(int *shortage);

/* Return the name of an errno value for records, e.g. "ENODEV". Never NULL. */
const char *sysfs_errno_name(int error);

#endif

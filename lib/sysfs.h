/* sysfs - reads below a root directory, which is /sys, a container's view of it, or a recorded
 * tree.
 *
 * Nothing outside the root is ever opened: paths with parent components are refused, and links are
 * resolved as if the root were `/`. Present, absent and unreadable are three different answers. */
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
	SYSFS_UNREADABLE, /* it is there, but errno says why it cannot be read */
};

/* Opens the root. A descriptor, or -1 with errno. */
int sysfs_open_root(const char *path);

/* Opens a directory below `root`, e.g. "class/infiniband/mlx5_0/ports". `*fd` is the caller's to
 * close. A path that is absolute or has a `..` is SYSFS_UNREADABLE with EINVAL. */
enum sysfs_status sysfs_open_dir(int root, const char *path, int *fd);

/* Opens the attribute `name` in directory `dir` for sysfs_pread(). `name` is a single component;
 * links are not followed, since attributes never are links. */
enum sysfs_status sysfs_open_attribute(int dir, const char *name, int *fd);

/* Reads an attribute from its beginning through a kept descriptor. `text` gets the first line,
 * stripped of white space at both ends and NUL-terminated. Text that does not fit is
 * SYSFS_UNREADABLE with EOVERFLOW, never cut. */
enum sysfs_status sysfs_pread(int fd, char *text, size_t size);

/* sysfs_open_attribute(), sysfs_pread(), close. */
enum sysfs_status sysfs_read(int dir, const char *name, char *text, size_t size);

/* Reads the attribute at `path` below `root`; links on the way are followed inside the root. A
 * device that hangs, or a pipe in its place, keeps the caller waiting. */
enum sysfs_status sysfs_read_path(int root, const char *path, char *text, size_t size);

/* The same for callers that cannot wait, of what no device has to be asked for: a pipe is
 * SYSFS_UNREADABLE with ESPIPE. */
enum sysfs_status sysfs_read_plain(int root, const char *path, char *text, size_t size);

/* As sysfs_read(), for a file anywhere that a person has named, such as the boot id's; without
 * waiting, as sysfs_read_plain(). */
enum sysfs_status sysfs_read_file(const char *path, char *text, size_t size);

/* As sysfs_read_path(), but all lines as they are (for `uevent`). */
enum sysfs_status sysfs_read_lines(int root, const char *path, char *text, size_t size);

/* What the link at `path` points to, as it says, without slashes at its end. The target need not
 * exist. */
enum sysfs_status sysfs_link_target(int root, const char *path, char target[PATH_MAX]);

/* Last component of what the link at `path` points to. The link's target need not exist. */
enum sysfs_status sysfs_link_name(int root, const char *path, char *name, size_t size);

/* stat(2) of what `path` leads to. */
enum sysfs_status sysfs_stat(int root, const char *path, struct stat *status);

/* Is called for each entry of a directory, without `.` and `..`, in no particular order. -1 with
 * errno ends it early, with SYSFS_UNREADABLE. */
typedef int sysfs_visit(void *context, const struct dirent *entry);

/* Visits the entries of directory `dir` (a descriptor, which stays open). */
enum sysfs_status sysfs_walk(int dir, sysfs_visit *visit, void *context);

/* A directory below a root that is listed again and again, and stays open. All zeros: not yet. */
struct sysfs_kept {
	DIR *stream;
};

/* Visits the entries of the directory at `path`, always of the same one. One that has none is
 * opened again: it may have been removed, and another one made. */
enum sysfs_status sysfs_walk_kept(
	struct sysfs_kept *kept, int root, const char *path, sysfs_visit *visit, void *context);

void sysfs_kept_fini(struct sysfs_kept *kept);

/* The hash of entries, by name and inode number, one after the other: as long as a directory has
 * the same, nothing in it has come, gone or become another. */
#define SYSFS_HASH_START HASH_START
uint64_t sysfs_hash(uint64_t hash, const struct dirent *entry);

/* A sysfs_visit for it: `hash` is an uint64_t that starts as SYSFS_HASH_START. */
int sysfs_hash_entry(void *hash, const struct dirent *entry);

/* The entries of a directory, without `.` and `..`, in natural order (strverscmp(3)): mlx5_2 before
 * mlx5_10. */
struct sysfs_names {
	char **names;
	size_t count;
};

/* Lists directory `dir` (a descriptor, which stays open). At most `max` names are taken: more than
 * that is SYSFS_UNREADABLE with E2BIG. Free with sysfs_names_fini(), also after a failure. */
enum sysfs_status sysfs_list(int dir, size_t max, struct sysfs_names *out);

/* The same of a directory below `root`. */
enum sysfs_status sysfs_list_path(int root, const char *path, size_t max, struct sysfs_names *out);

bool sysfs_names_have(const struct sysfs_names *names, const char *name);

void sysfs_names_fini(struct sysfs_names *names);

/* True for a name that can stand between two slashes: not empty, no slash, not `.` or `..`. */
bool sysfs_is_name(const char *name);

/* After something could not be read, with errno: sets `*shortage`, if it is still 0, to that errno
 * if memory or descriptors ran out, which says nothing about what was to be read. */
void sysfs_note_shortage(int *shortage);

/* The name of an errno value as records carry it, e.g. "ENODEV". Never NULL. */
const char *sysfs_errno_name(int error);

#endif

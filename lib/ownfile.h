/* ownfile - checks who can change a file: only a file that nobody but root and the current user
 * could have written is trusted (spec#own-files). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_OWNFILE_H
#define NHM_OWNFILE_H

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

enum ownfile_verdict {
	/* only root, this user and, if the mode allows it, one of our groups can change it */
	OWNFILE_OURS,
	OWNFILE_FOREIGN, /* owned by another user than root */
	OWNFILE_SHARED,  /* its mode lets others write */
};

/* --- decisions, pure --- */

/* Evaluate a file, or a link itself, for the user `uid`. `in_group`: the file's group is one of
 * that user's, or root's. A device always passes, because only root can create one. */
enum ownfile_verdict ownfile_eval(const struct stat *status, uid_t uid, bool in_group);

/* The same for the directory of a file. A directory to which others may write passes if its sticky
 * bit keeps them from removing our files, as in /tmp. */
enum ownfile_verdict ownfile_eval_directory(const struct stat *status, uid_t uid, bool in_group);

/* The same for a file in `directory` that a person wants to see. It may belong to another user if
 * that user also owns the directory and nobody else can write there, as in a service's own
 * directory. */
enum ownfile_verdict ownfile_eval_shown(const struct stat *status, const struct stat *directory,
	uid_t uid, bool in_group, bool in_directory_group);

/* Return whether `map`, the text of /proc/self/uid_map, does not map `uid`, which then stands for
 * users outside the user namespace. */
bool ownfile_is_outside(const char *map, uid_t uid);

/* --- files on disk --- */

/* Size of a reason, with its NUL. */
#define OWNFILE_REASON_SIZE 240

/* Read which users are outside this user namespace, unless that is known. A confined program cannot
 * read it any more: confine_init() calls this. */
void ownfile_learn_users(void);

/* Return whether our own file may be kept at `path`, which need not exist: neither the file, nor
 * its directory, nor a directory above may be controlled by others. An object that cannot be
 * examined passes. On false, `reason` continues a message that begins with the path. */
bool ownfile_may_keep(const char *path, char reason[OWNFILE_REASON_SIZE]);

/* The same for `path`, and for `path` with each of `endings` appended; NULL ends that list. The
 * reason names the file if it is not `path` itself. */
bool ownfile_may_keep_all(
	const char *path, const char *const *endings, char reason[OWNFILE_REASON_SIZE]);

/* Return whether the file that a person named, or the target of a link, may be shown, by
 * ownfile_eval_shown(). Unlike ownfile_may_keep(), do not check the directories above. An object
 * that cannot be examined passes. False with a reason, as above. */
bool ownfile_may_show(const char *path, char reason[OWNFILE_REASON_SIZE]);

/* Return whether the content of `fd`, which a privileged user should have written, is trusted. Its
 * path does not count: mounted configurations are reached by links in directories that are open to
 * all. False with a reason, as above. */
bool ownfile_may_believe(int fd, char reason[OWNFILE_REASON_SIZE]);

/* Check a file of our own that has just been opened. Return 0, or -1 with errno EPERM if it is not
 * ours. */
int ownfile_require(int fd);

/* Return the flag for opening `path`: 0 if it is a link that we or root made, else O_NOFOLLOW.
 * Another user's link could redirect our writes. */
int ownfile_link_flag(const char *path);

/* Return the directory that contains `path`, from malloc, or NULL when out of memory. */
char *ownfile_directory_new(const char *path);

#endif

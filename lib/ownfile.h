/* ownfile - whose a file is: what only root, or the user who runs this, could have written may be
 * believed (spec#own-files). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_OWNFILE_H
#define NHM_OWNFILE_H

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

enum ownfile_verdict {
	/* only root, this user and, if it lets them write, a group of ours can change it */
	OWNFILE_OURS,
	OWNFILE_FOREIGN, /* it belongs to another user, who is not root */
	OWNFILE_SHARED,  /* its mode lets others write to it */
};

/* --- decisions, pure --- */

/* Evaluates a file, or a link itself, for the user `uid`. `in_group`: the file's group is one of
 * that user's, or root's. A device always passes, because only root can make one. */
enum ownfile_verdict ownfile_eval(const struct stat *status, uid_t uid, bool in_group);

/* The same for the directory that a file is kept in. A directory to which all may write will do if
 * its sticky bit keeps them from taking our files away, as in /tmp. */
enum ownfile_verdict ownfile_eval_directory(const struct stat *status, uid_t uid, bool in_group);

/* The same for a file that a person wants to look at, in `directory`: it may belong to another user
 * if the directory does too, and only that user can write there, as a service's own directory. */
enum ownfile_verdict ownfile_eval_shown(const struct stat *status, const struct stat *directory,
	uid_t uid, bool in_group, bool in_directory_group);

/* True if `uid` has no place in a user namespace's map, `/proc/self/uid_map` as text: then it
 * stands for users outside, whom nobody inside can be. */
bool ownfile_is_outside(const char *map, uid_t uid);

/* --- the same, for what is there --- */

/* Room for a reason, with its NUL. */
#define OWNFILE_REASON_SIZE 240

/* Whether a file of our own may be kept at `path`: neither what is there, which need not be
 * anything, nor the directory, nor one above that, is another's. What cannot be looked at does not
 * count against it. False with a reason, which is to follow the path in a message. */
bool ownfile_may_keep(const char *path, char reason[OWNFILE_REASON_SIZE]);

/* The same for `path` and every file that is named by it and one of `endings`, of which NULL is the
 * last. The reason names the file if it is not `path` itself. */
bool ownfile_may_keep_all(
	const char *path, const char *const *endings, char reason[OWNFILE_REASON_SIZE]);

/* Whether what a person has named may be shown; as ownfile_may_keep(), with
 * ownfile_eval_shown(). */
bool ownfile_may_show(const char *path, char reason[OWNFILE_REASON_SIZE]);

/* Whether what is read from `fd`, which somebody with privileges is expected to have written, may
 * be believed. How it was reached does not count: mounted configurations are behind links, in
 * directories that are open to all. False with a reason, as above. */
bool ownfile_may_believe(int fd, char reason[OWNFILE_REASON_SIZE]);

/* For a file of our own that has just been opened: 0, or -1 with errno EPERM when it is not
 * ours. */
int ownfile_require(int fd);

/* What to open `path` with, which need not be ours: O_NOFOLLOW unless it is a link that we or root
 * made. Another user's link leads to where that user would have us write. */
int ownfile_link_flag(const char *path);

/* The directory that `path` is in, from malloc. NULL when memory ran out. */
char *ownfile_directory_new(const char *path);

#endif

/* atomfile - files that are replaced as a whole: whoever reads one, at any moment, even after a
 * crash, finds the old text or the new one. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_ATOMFILE_H
#define NHM_ATOMFILE_H

#include "ownfile.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

/* Modes of files: for their owner and group only, like the directories that they are in; or
 * readable by everybody. */
#define ATOMFILE_MODE 0640
#define ATOMFILE_PUBLIC_MODE 0644

/* Replaces `path` by a file of these bytes, with `mode` less the umask: written to `path`.tmp,
 * which is made anew, made durable, renamed. One writer per path at a time. 0, or -1 with errno and
 * the old file as it was; EEXIST when what has the name is not a file. */
int atomfile_write(const char *path, const char *bytes, size_t length, mode_t mode);

/* Reads all of `path`, a file of our own, at most `max_bytes`, into memory from malloc, with a NUL
 * after it. NULL with errno; EFBIG when it is longer, ELOOP when it is a link, EPERM when it is
 * not ours (ownfile). */
char *atomfile_read_new(const char *path, size_t max_bytes, size_t *length);

/* What the errno of that means. */
void atomfile_explain(const char *path, int error, char reason[OWNFILE_REASON_SIZE]);

/* True if the file exists and differs from `seen`; `*now` is its status. */
bool atomfile_has_changed(const char *path, const struct stat *seen, struct stat *now);

/* The same as atomfile_read_new() for a descriptor, which stays open and is waited for. */
char *atomfile_read_fd_new(int fd, size_t max_bytes, size_t *length);

/* Takes the lock file `path`, making it if need be. The lock lasts until the descriptor that is
 * returned is closed. -1 with errno: EWOULDBLOCK when another process has it, ELOOP when it is a
 * link, EPERM when it is not ours (ownfile), because whoever may write to it may hold it. */
int atomfile_lock(const char *path);

/* Who has the lock file `path`, for a message. Not to be asked by a process that has it itself. */
enum atomfile_holder {
	ATOMFILE_NOBODY, /* or a process that does not tell, as one of an earlier version */
	ATOMFILE_PROCESS,
	ATOMFILE_STRANGER, /* a process that has no number here: it is in another container */
};

/* Finds out, and leaves the lock alone. Sets `*pid` for ATOMFILE_PROCESS. */
enum atomfile_holder atomfile_find_holder(const char *path, pid_t *pid);

/* Room for what atomfile_describe_holder() writes, with its NUL. */
#define ATOMFILE_HOLDER_SIZE 48

/* Writes who has the lock file `path`, which somebody has: `process 4711`, or as much as is known.
 * Returns `text`. */
const char *atomfile_describe_holder(const char *path, char text[ATOMFILE_HOLDER_SIZE]);

/* True while the locked file is the one that `path` names: a directory that was removed and made
 * again has another, which anybody may lock. */
bool atomfile_is_locked(int fd, const char *path);

#endif

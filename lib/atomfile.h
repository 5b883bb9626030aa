/* atomfile - replaces files atomically: a reader finds the old text or the new one, even after a
 * crash. Also reads and locks the program's own files. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_ATOMFILE_H
#define NHM_ATOMFILE_H

#include "ownfile.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

/* File modes: for owner and group only, like the directories; or readable by all. */
#define ATOMFILE_MODE 0640
#define ATOMFILE_PUBLIC_MODE 0644

/* Replace `path` with these bytes, with `mode` less the umask: create `path`.tmp, sync it, rename
 * it. Only one writer per path at a time. Return 0, or -1 with errno: EEXIST if `path` is neither a
 * regular file nor a directory. After a failure the old file is unchanged, unless only syncing the
 * directory failed: then the new file is there, but a crash may undo that. */
int atomfile_write(const char *path, const char *bytes, size_t length, mode_t mode);

/* Read all of `path`, a file of our own of at most `max_bytes`. Return it from malloc with a NUL
 * appended, or NULL with errno: EFBIG if it is longer, ELOOP if it is a link, EPERM if it is not
 * ours (ownfile). */
char *atomfile_read_new(const char *path, size_t max_bytes, size_t *length);

/* Write a message for the errno of atomfile_read_new() to `reason`. */
void atomfile_explain(const char *path, int error, char reason[OWNFILE_REASON_SIZE]);

/* Return true if the file exists and differs from `seen`. Set `*now` to its status. */
bool atomfile_has_changed(const char *path, const struct stat *seen, struct stat *now);

/* Do the same as atomfile_read_new() for a descriptor, without its ownership check. Reads may
 * block; the descriptor stays open. */
char *atomfile_read_fd_new(int fd, size_t max_bytes, size_t *length);

/* Lock the file `path`, creating it if needed. Closing the returned descriptor releases the lock.
 * Return -1 with errno: EWOULDBLOCK if another process holds it, ELOOP if it is a link, EPERM if it
 * is not ours (ownfile), because any process that can write to the file can hold the lock. */
int atomfile_lock(const char *path);

/* The holder of a lock file, for messages. The holder itself must not ask. */
enum atomfile_holder {
	ATOMFILE_NOBODY, /* or a process without the fcntl(2) lock, such as an earlier version */
	ATOMFILE_PROCESS,
	ATOMFILE_STRANGER, /* a process in another PID namespace, such as another container */
};

/* Find the holder without changing the lock. Set `*pid` for ATOMFILE_PROCESS. */
enum atomfile_holder atomfile_find_holder(const char *path, pid_t *pid);

/* Room for the text of atomfile_describe_holder() and its NUL, bytes. */
#define ATOMFILE_HOLDER_SIZE 48

/* Write the holder of the locked file `path` to `text`, such as `process 4711` or `another
 * process`. Return `text`. */
const char *atomfile_describe_holder(const char *path, char text[ATOMFILE_HOLDER_SIZE]);

/* Return true while `path` still names the locked file. If its directory was removed and created
 * again, `path` names another file, which other processes can lock. */
bool atomfile_is_locked(int fd, const char *path);

#endif

/* atomfile - files that are replaced as a whole: whoever reads one, at any moment, even after a crash, finds the old text or the new one. */
#ifndef NHM_ATOMFILE_H
#define NHM_ATOMFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Modes of files: for their owner and group, as the directories they are in; or for whoever wants to know. */
#define ATOMFILE_MODE 0640
#define ATOMFILE_PUBLIC_MODE 0644

/* Replaces `path` by a file of these bytes, with `mode` less the umask: written to `path`.tmp, made durable, renamed. One writer per path at a time. 0, or
 * -1 with errno and the old file as it was; EEXIST when what has the name is no file. */
int atomfile_write(const char *path, const char *bytes, size_t length, mode_t mode);

/* Reads all of `path`, at most `max_bytes`, into memory from malloc, with a NUL behind it. NULL with errno; EFBIG when it is longer. */
char *atomfile_read_new(const char *path, size_t max_bytes, size_t *length);

/* The same for a descriptor, which stays open and is waited for. */
char *atomfile_read_fd_new(int fd, size_t max_bytes, size_t *length);

/* Takes the lock file `path`, making it if need be. The lock lasts until the descriptor that is returned is closed. -1 with errno:
 * EWOULDBLOCK when another process has it. */
int atomfile_lock(const char *path);

/* True while the locked file is the one that `path` names: a directory that was removed and made again has another, which anybody may lock. */
bool atomfile_is_locked(int fd, const char *path);

#endif

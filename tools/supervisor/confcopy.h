/* confcopy - the configuration that is in force: read, found to be good, and kept, whatever becomes of the file.
 *
 * A stage that is started again months later gets the configuration that the others have, and not a file that somebody has half edited. */
#ifndef SUPERVISOR_CONFCOPY_H
#define SUPERVISOR_CONFCOPY_H

/* Copies `path` (NULL: the default place, where none need be) into memory that nobody can change, and checks the copy; every problem is a line on stderr. 0 and
 * `*fd`, the caller's to close and not inherited; or the exit code to end with: see conf_load(). */
int confcopy_make(const char *path, int *fd);

#endif

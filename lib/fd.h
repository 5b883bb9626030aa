/* fd - closing descriptors on the way out, where errno already says what went wrong. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_FD_H
#define NHM_FD_H

/* Closes a descriptor, if it is one (-1 is none), and leaves errno as it is. What was written to it
 * must be known to have arrived: an error of close(2) is not reported. (free(3) leaves errno alone
 * by itself, from glibc 2.33 on.) */
void fd_close(int fd);

#endif

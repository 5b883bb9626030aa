/* fd - closes descriptors without changing errno. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_FD_H
#define NHM_FD_H

/* Close a descriptor (-1: none) and preserve errno, which has the reason of a failure. Errors of
 * close(2) are ignored, so written data must already be safe. (free(3) preserves errno itself, from
 * glibc 2.33 on.) */
void fd_close(int fd);

#endif

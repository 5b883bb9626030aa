/* fault - maps errors of lnetctl to errno values and exit codes. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_LNETREAD_FAULT_H
#define NHM_LNETREAD_FAULT_H

#include <stddef.h>

/* Return the errno that lnetctl prints, as a positive or negative number; 0 if the text is none. */
int fault_errno(const char *text);

/* Return the errno of an English error message, for the few with which opening /dev/lnet fails; 0
 * for others. */
int fault_errno_of_message(const char *text);

/* Return EXIT_NO_PERMISSION for EPERM and EACCES, else EXIT_UNAVAILABLE: LNet is not loaded, not
 * up, or does not answer. */
int fault_exit_code(int error);

#endif

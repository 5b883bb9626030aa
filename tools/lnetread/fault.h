/* fault - why lnetctl could not show something. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_LNETREAD_FAULT_H
#define NHM_LNETREAD_FAULT_H

#include <stddef.h>

/* The errno that lnetctl prints, of either sign; 0 when it is none. */
int fault_errno(const char *text);

/* The errno whose message in English this is, for the few with which /dev/lnet cannot be opened; 0
 * for others. */
int fault_errno_of_message(const char *text);

/* The exit code for it: EXIT_NO_PERMISSION, or EXIT_UNAVAILABLE: LNet is not loaded or not up, or
 * does not answer. */
int fault_exit_code(int error);

#endif

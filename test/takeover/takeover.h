/* takeover - what code that got into a program would try, tried from within the program. Linked
 * into programs that are built for this alone. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_TAKEOVER_H
#define TEST_TAKEOVER_H

/* In the program that $NHM_TAKEOVER_IN names: tries the act of $NHM_TAKEOVER, says on stderr
 * whether it was done, or why not, and ends the process. Elsewhere, or without an act: nothing. */
void takeover(const char *program);

#endif

/* takeover - tries from within a program what injected code would try. Linked only into programs
 * that are built for this test. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_TAKEOVER_H
#define TEST_TAKEOVER_H

/* In the program named by $NHM_TAKEOVER_IN: try the act in $NHM_TAKEOVER, print on stderr whether
 * it was done or the errno of its refusal, and exit. In other programs, or without an act, do
 * nothing. */
void takeover(const char *program);

#endif

/* diagout - bytes to stderr that keep nobody waiting and kill nobody.
 *
 * Whoever reads our stderr may stall (a journal that is stopped, a container's log that nobody
 * empties) or go away. Neither is a reason to stop watching the node. The ways to write without
 * waiting depend on what stderr is:
 *
 *   a pipe or a terminal   through an open file description of our own, which is O_NONBLOCK. Set on
 *                          the one that we were started with, O_NONBLOCK would reach everybody who
 *                          shares it: the shell, `less`, the other stages, our stdout. Where it
 *                          cannot be opened (another user's pipe), RWF_NOWAIT, and before Linux 6.5
 *                          a look with poll(2) before each write of at most PIPE_BUF bytes
 *   a socket (systemd)     MSG_DONTWAIT, which holds for one call
 *   anything else          a file is written as ever: the system has no other way for all of them
 *
 * SIGPIPE and SIGXFSZ do not arise, whatever the process does about them elsewhere. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_DIAGOUT_H
#define NHM_DIAGOUT_H

#include <stdbool.h>
#include <stddef.h>

/* Prepares for the stderr that is open now; one that is opened later works, too. Call it before
 * starting threads. */
void diagout_init(void);

/* Writes a line of at most PIPE_BUF bytes as a whole, and waits at most `patience_ms` for room.
 * False when stderr did not take all of it; what it took of a line (a terminal may take a part) is
 * ended before the next one. Threads may call it. Changes errno. */
bool diagout_write(const char *line, size_t length, int patience_ms);

#endif

/* diagout - writes to stderr without blocking for long and without SIGPIPE.
 *
 * The reader of stderr may stall (a stopped journal, a full container log) or exit. The program
 * must go on watching the node. How to write without blocking depends on the kind of stderr:
 *
 *   a pipe or a terminal   write to an open file description of our own with O_NONBLOCK. On the
 *                          inherited description O_NONBLOCK would affect every process that shares
 *                          it: the shell, `less`, the other stages, our stdout. If it cannot be
 *                          opened again (another user's pipe), use RWF_NOWAIT, and before Linux 6.5
 *                          poll(2) before each write of at most PIPE_BUF bytes
 *   a socket (systemd)     MSG_DONTWAIT, which affects one call
 *   anything else          plain write(2): not all files support non-blocking writes
 *
 * Writing raises neither SIGPIPE nor SIGXFSZ, whatever the process does about them elsewhere. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_DIAGOUT_H
#define NHM_DIAGOUT_H

#include <stdbool.h>
#include <stddef.h>

/* Prepare for the current stderr; one opened later works too. Call it before starting threads. */
void diagout_init(void);

/* Write a line of at most PIPE_BUF bytes, and wait at most `patience_ms` for room. Return false if
 * stderr did not accept all of it; a partial line (a terminal may accept a part) is ended before
 * the next one. Thread-safe. Changes errno. */
bool diagout_write(const char *line, size_t length, int patience_ms);

#endif

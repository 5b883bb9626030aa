/* unreachable - peers that cannot be reached through one device, as the RDMA connection manager
 * tells by way of ibevent: when that says something about the device (spec#unreachable-peers). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_UNREACHABLE_H
#define CTREVAL_UNREACHABLE_H

#include "cmrec.h"
#include "evaluation.h"

/* Fewer may have failed themselves. */
#define UNREACHABLE_PEERS_MIN 3

/* For so long it is seen whether other devices fail, too; and how long before. */
#define UNREACHABLE_WAIT_NS (UINT64_C(60) * 1000 * 1000 * 1000)

/* A connection could not be made, at `at_ns`, and with it so many peers could not be reached. */
void unreachable_note(struct unreachable_memory *memory, int64_t peers, uint64_t at_ns);

/* How many peers are to be reported now, and are forgotten then; 0: none. `others_ns`: the latest
 * failure of any other device, 0: there was none. */
int64_t unreachable_step(struct unreachable_memory *memory, uint64_t others_ns, uint64_t now_ns);

/* Takes in an event of the connection manager. */
void unreachable_accept(struct state *state, const struct cmrec *event);

/* Reports what is due of the devices that a scan has, and can read. */
void unreachable_eval(struct evaluation *evaluation);

#endif

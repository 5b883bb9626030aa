/* unreachable - peers that cannot be reached through one device, from the RDMA connection manager's
 * events that ibevent reports (spec#unreachable-peers). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_UNREACHABLE_H
#define CTREVAL_UNREACHABLE_H

#include "cmrec.h"
#include "evaluation.h"
#include "num.h"

/* With fewer peers, the peers themselves may have failed. */
#define UNREACHABLE_PEERS_MIN 3

/* Time to wait for failures of other devices; earlier failures count as far back. */
#define UNREACHABLE_WAIT_NS (60 * NUM_NS_PER_S)

/* Record a connection failure at `at_ns`, after which `peers` peers were unreachable. */
void unreachable_note(struct unreachable_memory *memory, int64_t peers, uint64_t at_ns);

/* Return the number of peers to report now, and forget them; 0: none. `others_ns`: the latest
 * failure of any other device; 0: none. */
int64_t unreachable_step(struct unreachable_memory *memory, uint64_t others_ns, uint64_t now_ns);

/* Record an event of the connection manager. */
void unreachable_accept(struct state *state, const struct cmrec *event);

/* Report unreachable peers of the scan's readable devices. */
void unreachable_eval(struct evaluation *evaluation);

#endif

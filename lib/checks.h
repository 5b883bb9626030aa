/* checks - the checks that events belong to: per link layer one for states and one for degradation,
 * and one for InfiniBand character devices. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_CHECKS_H
#define NHM_CHECKS_H

#include "layer.h"
#include "num.h"
#include "words.h"

#include <stdbool.h>
#include <stddef.h>

/* Checks of no link layer, which --checks does not switch: ctreval's for NICs that cannot be polled
 * and for NIC identity, and logmatch's for the kernel log. */
#define CHECKS_POLL_STALL "NICPollStallCheck"
#define CHECKS_IDENTITY "NICIdentityCheck"
#define CHECKS_LOG "SysLogsNICDriverError"

/* How long a condition of CHECKS_LOG that is not fatal is active after its last event. */
#define CHECKS_LOG_NS (3600 * NUM_NS_PER_S)

enum check {
	CHECK_IB_STATE,
	CHECK_IB_DEGRADATION,
	CHECK_IB_CHARDEV,
	CHECK_ETH_STATE,
	CHECK_ETH_DEGRADATION,
	CHECK_EFA_STATE,
	CHECK_EFA_DEGRADATION,
	CHECK_N,
};

/* Return the check's name, such as InfiniBandStateCheck, or NULL for CHECK_N. */
const char *check_name(enum check check);

/* Return the check named by the first `length` bytes of `name`, or CHECK_N if there is none. */
enum check check_find(const char *name, size_t length);

/* Return the check of the states of ports with this link layer, and that of their counters. */
enum check check_state(enum layer layer);
enum check check_degradation(enum layer layer);

/* Return an error message for the unknown check named by the first `length` bytes of `name`; it
 * lists the known checks. The text is in `words`, until their next use. */
const char *check_unknown(struct words *words, const char *name, size_t length);

/* Return the link layer of a check. */
enum layer check_layer(enum check check);

/* Return the check of a counter's breach. Fatal breaches belong to the state check, unless
 * `fatal_as_degradation`. */
enum check check_of_counter(enum layer layer, bool fatal, bool fatal_as_degradation);

#endif

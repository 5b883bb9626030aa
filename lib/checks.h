/* checks - the checks that events belong to: one for states and one for degradation, per link
 * layer, and one for InfiniBand's character devices. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_CHECKS_H
#define NHM_CHECKS_H

#include "layer.h"
#include "words.h"

#include <stdbool.h>
#include <stddef.h>

/* The checks that belong to no link layer, and are not switched by --checks: that NICs can be
 * observed at all, and what they have become, which are ctreval's, too; and the kernel log, which
 * is logmatch's. */
#define CHECKS_POLL_STALL "NICPollStallCheck"
#define CHECKS_IDENTITY "NICIdentityCheck"
#define CHECKS_LOG "SysLogsNICDriverError"

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

/* InfiniBandStateCheck and so on; NULL for CHECK_N. */
const char *check_name(enum check check);

/* The check of this name, of which `length` bytes count; CHECK_N when there is none. */
enum check check_find(const char *name, size_t length);

enum check check_state(enum layer layer);
enum check check_degradation(enum layer layer);

/* Why this name, of which `length` bytes count, is no check's, and which there are. Lives as long
 * as `words`, or until its next use. */
const char *check_unknown(struct words *words, const char *name, size_t length);

/* The link layer whose check it is. */
enum layer check_layer(enum check check);

/* The check of a counter's breach: those that are fatal carry the state check's name, unless they
 * are all to be degradations. */
enum check check_of_counter(enum layer layer, bool fatal, bool fatal_as_degradation);

#endif

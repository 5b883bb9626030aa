/* check - the checks that events belong to: one for states and one for degradation, per link
 * layer. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_CHECK_H
#define CTREVAL_CHECK_H

#include <stdbool.h>
#include <stddef.h>

/* The check that belongs to no link layer, and is not switched by --checks: see pollstall.h. */
#define POLLSTALL_CHECK "NICPollStallCheck"

enum check {
	CHECK_IB_STATE,
	CHECK_IB_DEGRADATION,
	CHECK_ETH_STATE,
	CHECK_ETH_DEGRADATION,
	CHECK_N,
};

/* InfiniBandStateCheck and so on; NULL for CHECK_N. */
const char *check_name(enum check check);

/* The check of this name, of which `length` bytes count; CHECK_N when there is none. */
enum check check_find(const char *name, size_t length);

/* Everything that is not Ethernet behaves like InfiniBand, Omni-Path above all. */
bool check_is_ethernet(const char *link_layer);

enum check check_state(bool ethernet);
enum check check_degradation(bool ethernet);

/* The check of a counter's breach: those that are fatal carry the state check's name, unless they
 * are all to be degradations. */
enum check check_of_counter(bool ethernet, bool fatal, bool fatal_as_degradation);

#endif

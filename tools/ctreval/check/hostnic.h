/* hostnic - remembers which functions carried the node's default route: they may still be its
 * management NICs while no device carries it (spec#card-peers). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_HOSTNIC_H
#define CTREVAL_HOSTNIC_H

#include "evaluation.h"

/* Return true if a device of the scan carries the default route, or has carried it in this run of
 * topoclass. */
bool hostnic_is_known(const struct scan *scan);

/* Remember the functions that carry the default route. While none does, forget a function that is
 * watched and has a port that is up: it can be evaluated like any other. */
void hostnic_note(struct evaluation *evaluation);

/* Return true if no device carries the default route, and this one is remembered. After
 * hostnic_note(). */
bool hostnic_may_be(const struct evaluation *evaluation, const struct scanrec_device *device);

#endif

/* forget - forgets what a new boot, or another choice of devices, makes obsolete. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_FORGET_H
#define CTREVAL_FORGET_H

#include "state.h"

/* Start a new boot: forget everything but reported missing character devices, identities, the
 * functions that exempt cards or carried the default route, the scope, issm_mode and a reported
 * poll stall. The first verdicts are due again. */
void forget_boot(struct state *state);

/* Other inclusion and exclusion settings: learn again which ports and devices exist, so that none
 * counts as disappeared. Keeps open reports and counters. The first verdicts are due again. */
void forget_scope(struct state *state);

#endif

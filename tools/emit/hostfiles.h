/* hostfiles - what a confined program needs to find hosts by their names, and to trust them. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_HOSTFILES_H
#define EMIT_HOSTFILES_H

#include "confine.h"

/* Lets it go on reading what look-ups of names read, and whom TLS trusts by default, and asking
 * servers of names. */
void hostfiles_allow(struct confine *confine);

#endif

/* hostfiles - files and ports that a confined program needs for name lookups and TLS. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_HOSTFILES_H
#define EMIT_HOSTFILES_H

#include "confine.h"

/* Allow reading the files of name lookups and the default CA files, and connecting to name
 * servers. */
void hostfiles_allow(struct confine *confine);

#endif

/* hostfiles - files and ports that a confined program needs for name lookups and TLS. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_HOSTFILES_H
#define EMIT_HOSTFILES_H

#include "confine.h"

/* Allow reading the files of name lookups and the default CA files, and connecting to name
 * servers. */
void hostfiles_allow(struct confine *confine);

/* Report, once each, the files of name lookups that were replaced since hostfiles_allow(): the
 * confined process cannot read the new ones. Call it when a server could not be reached. */
void hostfiles_report_replaced(void);

#endif

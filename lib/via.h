/* via - the sources from which ibevent reads the kernel's events, and lists of them on command
 * lines. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_VIA_H
#define NHM_VIA_H

#include <stdbool.h>

enum via { VIA_LINK, VIA_UEVENT, VIA_VERBS, VIA_TRACE, VIA_N };

/* Their names on command lines and in records (records#asynchronous-events). */
extern const char *const via_names[VIA_N];

/* Set `wanted` to the sources in a comma-separated list. Return NULL, or the error, valid until the
 * next call: a name is unknown, or there is none. */
const char *via_parse(bool wanted[VIA_N], const char *list);

/* Return why ibevent cannot read just these sources, with or without its option --trace; NULL: it
 * can. */
const char *via_find_conflict(const bool wanted[VIA_N], bool has_trace);

#endif

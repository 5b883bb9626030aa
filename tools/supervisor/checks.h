/* checks - sorts the names in a list of checks into our own and others. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERVISOR_CHECKS_H
#define SUPERVISOR_CHECKS_H

#include "words.h"

/* Far more than all names there are. */
#define CHECKS_MAX_BYTES 1024

/* The value of --checks, as the original takes it: names, separated by commas. */
struct checks {
	char wanted[CHECKS_MAX_BYTES];  /* for ctreval */
	char unknown[CHECKS_MAX_BYTES]; /* the rest, which the original passes over, too */
};

/* --checks: sorts the names of a list. White space around names and empty items are nothing.
 * Returns NULL, or why nothing would be checked. */
const char *checks_parse(struct checks *checks, const char *list);

/* The message about the next unknown name; `*rest` is what is left of the list. NULL at its end.
 * Lives as long as `words`, or until the next call. */
const char *checks_next_unknown(const char **rest, struct words *words);

#endif

/* checklist - sorts the names in a list of checks into our own and others. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERVISOR_CHECKLIST_H
#define SUPERVISOR_CHECKLIST_H

#include "words.h"

/* Far more than all names there are. */
#define CHECKLIST_MAX_BYTES 1024

/* The value of --checks, as the original takes it: names, separated by commas. */
struct checklist {
	char wanted[CHECKLIST_MAX_BYTES];  /* for ctreval */
	char unknown[CHECKLIST_MAX_BYTES]; /* the rest, which the original passes over, too */
};

/* Sorts the names of a list. White space around names and empty items are nothing. Returns NULL, or
 * why nothing would be checked, which lives until the next call. */
const char *checklist_parse(struct checklist *checks, const char *list);

/* The message about the next unknown name; `*rest` is what is left of the list. NULL at its end.
 * Lives as long as `words`, or until the next call. */
const char *checklist_next_unknown(const char **rest, struct words *words);

#endif

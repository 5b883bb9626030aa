/* checklist - splits a list of check names into known and unknown ones. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERVISOR_CHECKLIST_H
#define SUPERVISOR_CHECKLIST_H

#include "words.h"

/* Much longer than all check names together. */
#define CHECKLIST_MAX_BYTES 1024

/* The value of --checks in the original's format: comma-separated names. */
struct checklist {
	char wanted[CHECKLIST_MAX_BYTES];  /* known names, for ctreval */
	char unknown[CHECKLIST_MAX_BYTES]; /* the other names; the original ignores them, too */
};

/* Split the names of a list. Ignores white space around names, and empty items. Return NULL, or why
 * the list is rejected: it is too long, or has no known name. The reason is valid until the next
 * call. */
const char *checklist_parse(struct checklist *checks, const char *list);

/* Return the message about the next unknown name of the list `*rest` and move `*rest` past it; NULL
 * at the end. The message is valid as long as `words`, until the next call. */
const char *checklist_next_unknown(const char **rest, struct words *words);

#endif

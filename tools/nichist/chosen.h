/* chosen - the events of a spool that are to be sent again. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NICHIST_CHOSEN_H
#define NICHIST_CHOSEN_H

#include "list.h"

#include <stddef.h>

/* Hands the records to be sent again, without newlines, to accept(), in the order in which they
 * came: the events with these ids (NULL-terminated; each id once, also where only a dead letter is
 * left of it), or without any id all that the options choose. An id that is nowhere is said, and
 * then nothing is handed over: EXIT_NO_INPUT. accept() may last: the spool is not held meanwhile.
 * What it returns, if not 0, ends the replay and is its exit code. */
int chosen_read(const struct history_options *options, char *const *ids,
	int (*accept)(void *context, const char *record, size_t length), void *context);

#endif

/* chosen - selects the events of a spool to be sent again. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NICHIST_CHOSEN_H
#define NICHIST_CHOSEN_H

#include "list.h"

#include <stddef.h>

/* Pass the records to be sent again, without newlines, to accept(), in the order of their arrival:
 * the events with these ids (NULL-terminated; each once, even if only a dead letter of it is left),
 * or without ids all that the options select. If an id does not exist, report it, pass nothing and
 * return EXIT_NO_INPUT. accept() may block: the spool is not locked meanwhile. A nonzero result of
 * accept() ends the replay and is returned. */
int chosen_read(const struct history_options *options, char *const *ids,
	int (*accept)(void *context, const char *record, size_t length), void *context);

#endif

/* historylines - a list as records, one in each line. */
#ifndef EMIT_HISTORYLINES_H
#define EMIT_HISTORYLINES_H

#include "historylist.h"
#include "spoolview.h"

/* Reads what the options choose of the list, as it is now: page() takes some lines at a time, see spool_view_read(), whose result this returns. */
int history_lines_read(const struct spool_view *view, const struct list *list,
	const struct history_options *options,
	int (*page)(void *context, const char *lines, size_t length), void *context);

#endif

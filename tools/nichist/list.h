/* list - what a user requests from a spool, and the lists of a spool as SQL: rows, order, columns,
 * and each row as a record. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NICHIST_LIST_H
#define NICHIST_LIST_H

#include "spoolview.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What to show or send again. All zeros: nothing. */
struct history_options {
	bool events, standing, changes, dead_letters; /* to be shown, in any combination */
	bool replay;                                  /* send events again; excludes the others */
	bool has_since;
	uint64_t since_ns; /* ns since 1970; 0: no limit */
	const char *place; /* DEVICE or DEVICE/PORT; NULL: all */
	char *device;      /* device of `place`, from malloc */
	uint64_t port;     /* port of `place`; 0: any */
	const char *node;  /* NULL: all */
	bool baseline;     /* include healthy baseline events that ended no condition */
	bool fatal;        /* only fatal ones */
	bool has_format, json;
	const char *path; /* path of the spool */
	uint64_t now_ns;  /* ns since 1970; set before the options are parsed */
};

enum list_cell {
	LIST_TEXT,
	LIST_NUMBER,
	LIST_TIME,     /* ns since 1970 */
	LIST_AGE,      /* same value, shown as the time since then */
	LIST_SEVERITY, /* one of the words below */
	LIST_MESSAGE,  /* the last column, not limited in width */
};

#define LIST_FATAL "FATAL"
#define LIST_DEGRADED "degraded"
#define LIST_HEALTHY "healthy"

struct list_column {
	const char *header;
	const char *value; /* SQL expression; '' or NULL is shown as `-` */
	enum list_cell cell;
	bool only_if_several; /* shown only if its rows differ */
	bool may_go_below;    /* moves below the row with the message if lines are too long */
};

/* Maximum number of columns. */
#define LIST_COLUMNS_MAX 10

/* Expressions may use the columns of `from` and the values of a spoolview. */
struct list {
	const char *from;
	const char *key;   /* identifies a row */
	const char *order; /* NULL: by key, which allows any number of rows */
	const char *node;  /* the row's node */
	const char *json;  /* the row as a record */
	const struct list_column *columns;
	size_t count;
	/* SQL conditions: rows of the list, and those for --since, --device, its port, --fatal and
	 * --node. NULL: not applicable. */
	const char *where, *since, *device, *port, *fatal, *of_node;
	const char *quiet; /* rows that a table omits by default; NULL: none */
};

extern const struct list list_events, list_standing, list_changes, list_dead_letters, list_sinks;

/* Part of the selected rows. */
enum list_part {
	LIST_ALL,
	LIST_SHOWN, /* without quiet rows, unless requested */
	LIST_QUIET,
};

/* Return the selected rows as `FROM ... WHERE ...`, from malloc, or NULL when memory ran out. */
char *list_chosen_new(
	const struct list *list, const struct history_options *options, enum list_part part);

/* Return a query for the key of each such row, followed by `values`: in the list's order or,
 * without one, by key from VIEW_AFTER up to VIEW_LAST, so that reading a growing spool ends. From
 * malloc; NULL when memory ran out. */
char *list_sql_new(const struct list *list, const char *values, const char *chosen);

/* Return the values that such a query uses. */
struct view_values list_values(const struct history_options *options);

/* Read the rows selected by the options as records. page() gets some lines at a time, see
 * spoolview_read(), whose result is returned. */
int list_read(const struct spoolview *view, const struct list *list,
	const struct history_options *options,
	int (*page)(void *context, const char *lines, size_t length), void *context);

#endif

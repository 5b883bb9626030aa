/* list - what somebody asks of a spool, and the lists that there are, as SQL: which rows, in which
 * order, and what is shown of each; as records, one in each line. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NICHIST_LIST_H
#define NICHIST_LIST_H

#include "spoolview.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is asked of a spool: what of it is to be shown, or sent again. All zero: nothing. */
struct history_options {
	bool events, standing, changes, dead_letters; /* to be shown, in any combination */
	bool replay; /* to be sent again; goes with none of these */
	bool has_since;
	uint64_t since_ns; /* nanoseconds since 1970; 0: as far back as it goes */
	const char *place; /* DEVICE or DEVICE/PORT; NULL: all */
	char *device;      /* of the place, from malloc */
	uint64_t port;     /* of the place; 0: none, any */
	const char *node;  /* NULL: all */
	bool baseline;     /* also healthy events of a baseline that have ended nothing */
	bool fatal;        /* only what is */
	bool has_format, json;
	const char *path; /* of the spool */
	uint64_t now_ns;  /* nanoseconds since 1970; set before the command line is read */
};

enum list_cell {
	LIST_TEXT,
	LIST_NUMBER,
	LIST_TIME,     /* nanoseconds since 1970 */
	LIST_AGE,      /* the same, as how long ago that is */
	LIST_SEVERITY, /* one of the three words below */
	LIST_MESSAGE,  /* the last column: as long as it is */
};

#define LIST_FATAL "FATAL"
#define LIST_DEGRADED "degraded"
#define LIST_HEALTHY "healthy"

struct list_column {
	const char *header;
	const char *value; /* an SQL expression; '' or NULL is shown as `-` */
	enum list_cell cell;
	bool only_if_several; /* shown where not all rows have the same */
	bool may_go_below;    /* where lines are short, it joins the message */
};

/* Most columns of a list. */
#define LIST_COLUMNS_MAX 10

/* Expressions may use the columns of `from`, and the values of a spoolview. */
struct list {
	const char *from;
	const char *key;   /* what the rows are numbered by */
	const char *order; /* NULL: by the key, so that there may be any number of them */
	const char *node;  /* whose it is */
	const char *json;  /* the row as a record */
	const struct list_column *columns;
	size_t count;
	/* Of all rows those that --since, --device, its port, --fatal and --node choose. NULL: this
	 * choice does not exist. */
	const char *where, *since, *device, *port, *fatal, *of_node;
	const char *quiet; /* those that a table leaves out unless they are asked for; NULL: none */
};

extern const struct list list_events, list_standing, list_changes, list_dead_letters, list_sinks;

/* Which of the rows that the options choose are meant. */
enum list_part {
	LIST_ALL,
	LIST_SHOWN, /* without those that are quiet, unless they are asked for */
	LIST_QUIET,
};

/* Which rows of the list the options choose, as `FROM ... WHERE ...`. From malloc; NULL when memory
 * runs out. */
char *list_chosen_new(
	const struct list *list, const struct history_options *options, enum list_part part);

/* A query for the key of each such row and, after it, `values`: in the list's order, else in that
 * of the keys and only up to VIEW_LAST, since a reader of a spool that grows must come to an end.
 * From malloc; NULL when memory runs out. */
char *list_sql_new(const struct list *list, const char *values, const char *chosen);

/* What the options give such a query to ask for. */
struct view_values list_values(const struct history_options *options);

/* Reads what the options choose of the list, as it is now: page() takes some lines at a time, see
 * spoolview_read(), whose result this returns. */
int list_read(const struct spoolview *view, const struct list *list,
	const struct history_options *options,
	int (*page)(void *context, const char *lines, size_t length), void *context);

#endif

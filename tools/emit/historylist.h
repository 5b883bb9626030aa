/* historylist - what of a spool can be listed, as SQL: which rows, in which order, and what is said of each. Pure. */
#ifndef EMIT_HISTORYLIST_H
#define EMIT_HISTORYLIST_H

#include "history.h"

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

/* Expressions may use the columns of `from`, and the values of a spool_view. */
struct list {
	const char *from;
	const char *key;   /* what the rows are numbered by */
	const char *order; /* NULL: by the key, so that there may be any number of them */
	const char *node;  /* whose it is */
	const char *json;  /* the row as a record */
	const struct list_column *columns;
	size_t count;
	/* Of all rows those that --since, --device and --fatal choose. NULL: this choice does not exist. */
	const char *where, *since, *device, *fatal;
};

extern const struct list list_events, list_standing, list_dead_letters, list_sinks;

/* Which rows of the list the options choose, as `FROM ... WHERE ...`. From malloc; NULL when memory runs out. */
char *list_chosen_new(const struct list *list, const struct history_options *options);

#endif

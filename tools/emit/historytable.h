/* historytable - a list as a table for people: aligned, with the message beside its row where it fits, else below. */
#ifndef EMIT_HISTORYTABLE_H
#define EMIT_HISTORYTABLE_H

#include "historylist.h"
#include "spoolview.h"

struct table_style {
	unsigned
		columns; /* no longer lines, where words and names are not; 0: as long as they get */
	bool colour;
};

struct history_table {
	const struct spool_view *view;
	const struct list *list;
	const struct table_style *style;
	char *chosen; /* FROM ... WHERE ... */
	struct view_values values;

	/* What there is: by history_table_survey(). */
	int64_t rows, nodes;
	char *node;                     /* safe to print; NULL when there is none, or several */
	size_t width[LIST_COLUMNS_MAX]; /* 0: the column is not shown */
	bool below[LIST_COLUMNS_MAX];   /* it is, but with the message */
	bool message_below;

	/* What history_table_print() has formatted. */
	int64_t fatal, degraded, healthy;
};

/* Finds out what there is and how wide it is. 0, or an exit code after saying why; history_table_fini() in any case. */
int history_table_survey(struct history_table *table, const struct spool_view *view,
	const struct list *list, const struct history_options *options,
	const struct table_style *style);

/* Formats the rows; page() takes the text and is lent the table as its context, see spool_view_read(), whose result this returns. Rows that come meanwhile are left out. */
int history_table_print(struct history_table *table, int (*page)(void *, const char *, size_t));

void history_table_fini(struct history_table *table);

#endif

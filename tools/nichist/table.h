/* table - a list as a table for people: aligned, with the message beside its row where it
 * fits, else below. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NICHIST_TABLE_H
#define NICHIST_TABLE_H

#include "list.h"
#include "spoolview.h"

#include <stddef.h>
#include <stdio.h>

struct table_style {
	/* no longer lines, where words and names are not; 0: as long as they get */
	unsigned columns;
	bool colour;
};

struct table {
	const struct spoolview *view;
	const struct list *list;
	const struct table_style *style;
	char *chosen; /* FROM ... WHERE ... */
	struct view_values values;

	/* What there is: by table_survey(). */
	int64_t rows, nodes;
	char *node;                     /* safe to print; NULL when there is none, or several */
	size_t width[LIST_COLUMNS_MAX]; /* 0: the column is not shown */
	bool below[LIST_COLUMNS_MAX];   /* it is, but with the message */
	bool message_below;

	/* What table_print() has formatted. */
	int64_t fatal, degraded, healthy;
};

/* Finds out what there is and how wide it is. 0, or an exit code after saying why;
 * table_fini() in any case. */
int table_survey(struct table *table, const struct spoolview *view, const struct list *list,
	const struct history_options *options, const struct table_style *style);

/* Formats the rows; page() takes the text and is lent the table as its context, see
 * spoolview_read(), whose result this returns. Rows that come meanwhile are left out. */
int table_print(struct table *table, int (*page)(void *, const char *, size_t));

void table_fini(struct table *table);

/* `text` as a heading, with a newline. */
void table_put_heading(const struct table_style *style, const char *text, FILE *out);

/* The names of the columns, in a line. */
void table_put_header(const struct table *table, FILE *out);

#endif

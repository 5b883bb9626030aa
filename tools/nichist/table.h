/* table - prints a list as a table: aligned, with the message beside its row if it fits, else
 * below. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NICHIST_TABLE_H
#define NICHIST_TABLE_H

#include "list.h"
#include "spoolview.h"

#include <stddef.h>
#include <stdio.h>

struct table_style {
	/* width to fold lines at, between words; 0: unlimited */
	unsigned columns;
	bool colour;
};

struct table {
	const struct spoolview *view;
	const struct list *list;
	const struct table_style *style;
	char *chosen; /* FROM ... WHERE ... */
	struct view_values values;

	/* Set by table_survey(). */
	int64_t rows, nodes;
	char *node;                     /* safe to print; NULL unless there is exactly one */
	size_t width[LIST_COLUMNS_MAX]; /* 0: column not shown */
	bool below[LIST_COLUMNS_MAX];   /* shown below, with the message */
	bool message_below;

	/* Counted by table_print(). */
	int64_t fatal, degraded, healthy;
};

/* Count the rows and measure the columns. Return 0, or an exit code after a message. Call
 * table_fini() in any case. */
int table_survey(struct table *table, const struct spoolview *view, const struct list *list,
	const struct history_options *options, const struct table_style *style);

/* Format the rows. page() gets the text, with the table as its context, see spoolview_read(), whose
 * result is returned. Rows stored meanwhile are omitted. */
int table_print(struct table *table, int (*page)(void *, const char *, size_t));

void table_fini(struct table *table);

/* Print `text` as a heading with a newline. */
void table_put_heading(const struct table_style *style, const char *text, FILE *out);

/* Print the line of column names. */
void table_put_header(const struct table *table, FILE *out);

#endif

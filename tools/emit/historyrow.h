/* historyrow - a row of a table for people. */
#ifndef EMIT_HISTORYROW_H
#define EMIT_HISTORYROW_H

#include "historytable.h"

/* Blanks between columns. */
#define HISTORY_GAP 2

/* A text of a row, safe to print. From malloc; NULL when memory ran out. */
char *history_row_text_new(sqlite3_stmt *row, int column);

/* `text` as a heading, with a newline. */
void history_row_heading(const struct table_style *style, const char *text, FILE *out);

/* The names of the columns, in a line. */
void history_row_header(const struct history_table *table, FILE *out);

/* Prints a row, which has its key before the list's columns, of the history_table `context`, and counts its severity there. 0, or -1 when memory ran out. */
int history_row_print(void *context, sqlite3_stmt *row, FILE *out);

#endif

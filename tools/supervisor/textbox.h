/* textbox - a text put together piece by piece in memory of a fixed size; what does not fit is cut off. */
#ifndef SUPERVISOR_TEXTBOX_H
#define SUPERVISOR_TEXTBOX_H

#include <stddef.h>

struct textbox {
	char *bytes; /* the caller's; ends with a NUL at any time */
	size_t size, length;
};

/* An empty text; `size` is at least 1. */
void textbox_init(struct textbox *box, char *bytes, size_t size);

void textbox_add(struct textbox *box, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif

/* textbox - a text put together piece by piece in memory of a fixed size. */
#include "textbox.h"

#include <stdarg.h>
#include <stdio.h>

void
textbox_init(struct textbox *box, char *bytes, size_t size)
{
	*box = (struct textbox){.bytes = bytes, .size = size};
	bytes[0] = '\0';
}

void
textbox_add(struct textbox *box, const char *format, ...)
{
	va_list arguments;
	size_t room = box->size - box->length;
	va_start(arguments, format);
	int wanted = vsnprintf(box->bytes + box->length, room, format, arguments);
	va_end(arguments);
	if (wanted > 0)
		box->length += (size_t)wanted < room ? (size_t)wanted : room - 1;
}

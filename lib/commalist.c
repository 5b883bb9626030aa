/* commalist - parses comma-separated lists. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "commalist.h"

#include <string.h>

#define BLANKS " \t\r\n"

bool
commalist_next(const char **rest, const char **item, size_t *length)
{
	while (**rest != '\0') {
		const char *at = *rest + strspn(*rest, BLANKS);
		size_t end = strcspn(at, ",");
		*rest = at + end + (at[end] == ',');
		while (end > 0 && strchr(BLANKS, at[end - 1]) != NULL)
			end--;
		if (end > 0) {
			*item = at;
			*length = end;
			return true;
		}
	}
	return false;
}

bool
commalist_has(const char *list, const char *text, size_t length)
{
	const char *item;
	size_t item_length;
	while (commalist_next(&list, &item, &item_length)) {
		if (item_length == length && memcmp(item, text, length) == 0)
			return true;
	}
	return false;
}

/* checks - the value of --checks, as the original takes it. */
#include "checks.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define WHITE_SPACE " \t\r\n"

static bool
is_left_out(const char *name, size_t length)
{
	static const char *const names[] = {
		"InfiniBandCharDeviceCheck",
		"EFAStateCheck",
		"EFADegradationCheck",
	};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (strlen(names[i]) == length && memcmp(names[i], name, length) == 0)
			return true;
	}
	return false;
}

static void
append(char *list, const char *name, size_t length)
{
	size_t used = strlen(list);
	if (used > 0)
		list[used++] = ',';
	memcpy(list + used, name, length);
	list[used + length] = '\0';
}

const char *
checks_take(struct checks *checks, const char *list)
{
	size_t length;

	*checks = (struct checks){0};
	/* What becomes of it is no longer than it is. */
	if (strlen(list) >= CHECKS_MAX_BYTES)
		return "too long";
	for (const char *item = list;; item += length + 1) {
		length = strcspn(item, ",");
		size_t indent = strspn(item, WHITE_SPACE), end = length;
		while (end > indent && strchr(WHITE_SPACE, item[end - 1]) != NULL)
			end--;
		if (end > indent)
			append(is_left_out(item + indent, end - indent) ? checks->left_out
									: checks->wanted,
				item + indent, end - indent);
		if (item[length] == '\0')
			break;
	}
	if (*checks->wanted != '\0')
		return NULL;
	return *checks->left_out != '\0' ? "none of these checks is known here"
					 : "no check is named";
}

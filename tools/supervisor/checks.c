/* checks - sorts the names in a list of checks into our own and others. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "checks.h"

#include "commalist.h"

#include <stdbool.h>
#include <string.h>

static const char *const ours[] = {
	"InfiniBandStateCheck",
	"InfiniBandDegradationCheck",
	"InfiniBandCharDeviceCheck",
	"EthernetStateCheck",
	"EthernetDegradationCheck",
	"EFAStateCheck",
	"EFADegradationCheck",
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static bool
is_ours(const char *name, size_t length)
{
	for (size_t i = 0; i < COUNT(ours); i++) {
		if (strlen(ours[i]) == length && memcmp(ours[i], name, length) == 0)
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
checks_parse(struct checks *checks, const char *list)
{
	const char *name;
	size_t length;

	*checks = (struct checks){0};
	/* What becomes of it is no longer than it is. */
	if (strlen(list) >= CHECKS_MAX_BYTES)
		return "too long";
	while (commalist_next(&list, &name, &length)) {
		if (is_ours(name, length))
			append(checks->wanted, name, length);
		else
			append(checks->unknown, name, length);
	}
	if (*checks->wanted != '\0')
		return NULL;
	return *checks->unknown == '\0'
		       ? "no check is named"
		       : "none of these checks is known here: InfiniBandStateCheck, "
			 "InfiniBandDegradationCheck, InfiniBandCharDeviceCheck, "
			 "EthernetStateCheck, EthernetDegradationCheck, EFAStateCheck, "
			 "EFADegradationCheck";
}

const char *
checks_next_unknown(const char **rest, struct words *words)
{
	const char *name;
	size_t length;
	if (!commalist_next(rest, &name, &length))
		return NULL;
	words_begin(words, name, length);
	for (size_t i = 0; i < COUNT(ours); i++)
		words_offer(words, ours[i]);
	return words_unknown(words, "check");
}

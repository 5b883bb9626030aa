/* checklist - splits a list of check names into known and unknown ones. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "checklist.h"

#include "checks.h"
#include "commalist.h"
#include "strbuf.h"

#include <string.h>

static void
append(char *list, const char *name, size_t length)
{
	size_t used = strlen(list);
	if (used > 0)
		list[used++] = ',';
	memcpy(list + used, name, length);
	list[used + length] = '\0';
}

static const char *
refuse_all(void)
{
	static char reason[CHECKLIST_MAX_BYTES];
	struct strbuf text;
	strbuf_init(&text, reason, sizeof reason);
	strbuf_addf(&text, "no known check in the list; the known ones are %s", check_name(0));
	for (enum check check = 1; check < CHECK_N; check++)
		strbuf_addf(&text, ", %s", check_name(check));
	return reason;
}

const char *
checklist_parse(struct checklist *checks, const char *list)
{
	const char *name;
	size_t length;

	*checks = (struct checklist){0};
	/* Neither output list is longer than the input. */
	if (strlen(list) >= CHECKLIST_MAX_BYTES)
		return "too long";
	while (commalist_next(&list, &name, &length)) {
		if (check_find(name, length) != CHECK_N)
			append(checks->wanted, name, length);
		else
			append(checks->unknown, name, length);
	}
	if (*checks->wanted != '\0')
		return NULL;
	return *checks->unknown == '\0' ? "no check is named" : refuse_all();
}

const char *
checklist_next_unknown(const char **rest, struct words *words)
{
	const char *name;
	size_t length;
	if (!commalist_next(rest, &name, &length))
		return NULL;
	return check_unknown(words, name, length);
}

/* confine - checks that each program's confinement matches its manual. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "callfilter.h"
#include "check.h"
#include "confine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Return a file of the repository as text, to free(); the test fails if it cannot be read. */
static char *
text_new(const char *path)
{
	char *text = NULL;
	size_t length;
	FILE *in = fopen(path, "r"), *out = open_memstream(&text, &length);
	int byte;
	CHECK(in != NULL);
	while (in != NULL && (byte = fgetc(in)) != EOF)
		fputc(byte, out);
	if (in != NULL)
		fclose(in);
	fclose(out);
	return text;
}

/* Format the words of a program's groups as in its manual. */
static void
format_groups(unsigned calls, char *out, size_t size)
{
	size_t used = 0;
	*out = '\0';
	for (enum callfilter_group group = 0; group < CALLFILTER_GROUP_N; group++)
		if ((calls & CALLFILTER_BIT(group)) != 0)
			used += (size_t)snprintf(out + used, size - used, "%s%s",
				used > 0 ? ", " : "", callfilter_group_name(group));
}

static void
manuals(void)
{
	const char *program;
	size_t count = 0;
	for (; (program = confine_program_name(count)) != NULL; count++) {
		char path[256], groups[256], line[300];
		const char *room =
			strcmp(program, "nic-health-monitor") == 0 ? "supervisor" : program;
		snprintf(path, sizeof path, "tools/%s/%s.1", room, program);
		check_row("%s", path);
		char *text = text_new(path);
		format_groups(confine_program_calls(count), groups, sizeof groups);
		snprintf(line, sizeof line, "\n.Dl %s\n", groups);
		CHECK(strstr(text, ".Sh CONFINEMENT\n") != NULL);
		CHECK(strstr(text, line) != NULL);
		free(text);
	}
	CHECK_INT(count, 23);
}

static void
calls(void)
{
	char *text = text_new("doc/nic-health-monitor.7");
	for (enum callfilter_group group = 0; group < CALLFILTER_GROUP_N; group++) {
		char item[64], *rest = NULL;
		const char *name;
		check_row("%s", callfilter_group_name(group));
		snprintf(item, sizeof item, ".It Cm %s\n", callfilter_group_name(group));
		char *at = strstr(text, item);
		CHECK(at != NULL && (at = strstr(at, ":\n")) != NULL);
		if (at == NULL)
			continue;
		char *list = strndup(at + 2, strcspn(at, ".") - 2);
		char *word = strtok_r(list, ", \n", &rest);
		for (size_t i = 0; (name = callfilter_call_name(group, i)) != NULL; i++) {
			CHECK_STR(word, name);
			word = strtok_r(NULL, ", \n", &rest);
		}
		CHECK_STR(word, NULL);
		free(list);
	}
	free(text);
}

static void
modes(void)
{
	setenv("NHM_CONFINE", "require", 1);
	CHECK_INT(confine_default(), CONFINE_REQUIRE);
	setenv("NHM_CONFINE", "off", 1);
	CHECK_INT(confine_default(), CONFINE_OFF);
	unsetenv("NHM_CONFINE");
	enum confine_mode unasked = confine_default();
	CHECK(unasked == CONFINE_TRY || unasked == CONFINE_OFF);
	setenv("NHM_CONFINE", "sometimes", 1);
	CHECK_INT(confine_default(), unasked);
	CHECK_STR(confine_mode_name(CONFINE_REQUIRE), "require");
}

static const struct check_test tests[] = {
	{"the confinement of each program matches its manual", manuals},
	{"each group has the system calls of its manual", calls},
	{"NHM_CONFINE sets the mode if the command line does not", modes},
};
CHECK_MAIN(tests)

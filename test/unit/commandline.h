/* commandline - for unit tests of a tool's options: parse a command line that is accepted or
 * rejected. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COMMANDLINE_H
#define COMMANDLINE_H

#include "check.h"
#include "diag.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The tool's options_parse(); the test that includes this defines it. */
static int parse_words(int argc, char **argv, int *exit_code);

/* Parse the words of `line`, where '' is an empty one; they are valid until the next call. Return
 * the messages, to free(). */
static inline char *
commandline_parse_new(const char *line, int *exit_code)
{
	static char words[400];
	char *argv[40], *rest;
	int argc = 0;
	snprintf(words, sizeof words, "t %s", line);
	for (char *word = strtok_r(words, " ", &rest); word != NULL;
		word = strtok_r(NULL, " ", &rest)) {
		char *empty = strstr(word, "''");
		if (empty != NULL)
			*empty = '\0';
		argv[argc++] = word;
	}
	argv[argc] = NULL;
	diag_init("t");
	check_row("%s", line);
	check_capture(STDERR_FILENO);
	*exit_code = 0;
	int status = parse_words(argc, argv, exit_code);
	char *said = check_captured_new(STDERR_FILENO);
	CHECK_INT(status, *exit_code == 0 ? 0 : -1);
	return said;
}

/* Check that the line is accepted, with this message. */
static inline void
accept(const char *line, const char *said)
{
	int exit_code;
	char *got = commandline_parse_new(line, &exit_code);
	CHECK_INT(exit_code, 0);
	CHECK_STR(got, said);
	free(got);
}

/* Check that the line is rejected, with one line that contains `part`. */
static inline void
refuse(const char *line, const char *part)
{
	int exit_code;
	char *got = commandline_parse_new(line, &exit_code);
	CHECK_INT(exit_code, 64);
	CHECK_HAS(got, part);
	CHECK_INT((int64_t)check_occurrences(got, "\n"), 1);
	free(got);
}

#endif

/* Unit tests of emit's token: reading the secret for a server from its file. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/emit/out/token.h"

#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static void
accepted(void)
{
	static const struct {
		const char *content, *token;
	} rows[] = {
		{"secret", "secret"},
		{"secret\n", "secret"},
		{"secret\r\n \t\n", "secret"},
		{"!#~eyJhbGciOi.J9_-/+=", "!#~eyJhbGciOi.J9_-/+="},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char token[TOKEN_SIZE], problem[TOKEN_PROBLEM_SIZE];
		check_row("row %zu", i);
		CHECK_INT(token_read("token file", check_file("token", rows[i].content), token,
				  problem),
			0);
		CHECK_STR(token, rows[i].token);
	}
}

static void
refused(void)
{
#define BYTES(literal) literal, sizeof(literal) - 1
	static const struct {
		const char *content;
		size_t length;
		const char *reason;
	} rows[] = {
		{BYTES(""), ": empty"},
		{BYTES(" \r\n\t"), ": empty"},
		{BYTES("hidden word"), ": is not a single word"},
		{BYTES("hidden\nX-Header: injected"), ": is not a single word"},
		{BYTES(" hidden"), ": is not a single word"},
		{BYTES("hidden\0"), ": is not a single word"},
		{BYTES("\0"), ": is not a single word"},
		{BYTES("hidden\x7F"), ": is not a single word"},
		{BYTES("hidden\xC3\xBC"), ": is not a single word"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char token[TOKEN_SIZE], problem[TOKEN_PROBLEM_SIZE];
		check_row("row %zu", i);
		const char *path = check_file_bytes("token", rows[i].content, rows[i].length);
		CHECK_INT(token_read("token file", path, token, problem), -1);
		CHECK_HAS(problem, path);
		CHECK_HAS(problem, rows[i].reason);
		CHECK(strstr(problem, "hidden") == NULL);
	}
}

static void
sizes(void)
{
	char token[TOKEN_SIZE], problem[TOKEN_PROBLEM_SIZE];
	for (size_t length = TOKEN_SIZE - 2; length <= TOKEN_SIZE + 1; length++) {
		char *content = check_repeat_new('t', length);
		check_row("%zu bytes", length);
		int status = token_read("token file", check_file("token", content), token, problem);
		CHECK_INT(status, length < TOKEN_SIZE ? 0 : -1);
		if (status == 0)
			CHECK_STR(token, content);
		else
			CHECK_HAS(problem, "longer than 16 KiB");
		free(content);
	}
}

static void
no_file(void)
{
	char token[TOKEN_SIZE], problem[TOKEN_PROBLEM_SIZE], path[200];
	CHECK_INT(token_read("token file", check_dir(), token, problem), -1);
	CHECK_HAS(problem, "Is a directory");
	CHECK_INT(token_read("token file", "/dev/zero", token, problem), -1);
	CHECK_HAS(problem, "not a regular file");
	snprintf(path, sizeof path, "%s/none", check_dir());
	CHECK_INT(token_read("token file", path, token, problem), -1);
	CHECK_HAS(problem, "No such file or directory");
	/* A FIFO without a writer. */
	CHECK_INT(mkfifo(path, 0600), 0);
	CHECK_INT(token_read("token file", path, token, problem), -1);
	CHECK_HAS(problem, "not a regular file");
}

/* Sinks check their files in several threads: none may overwrite the reason of another. */
static void
own_reasons(void)
{
	char first[300], second[300], problem[TRUST_PROBLEM_SIZE];
	bool exposed;
	snprintf(first, sizeof first, "%s", check_file("first", "a"));
	snprintf(second, sizeof second, "%s", check_file("second", "b"));
	CHECK_INT(chmod(first, 0646), 0);
	CHECK_INT(chmod(second, 0602), 0);
	const char *reason = trust_check_secret(first, &exposed);
	CHECK(!trust_may_use(&(const struct trust_files){.token = second}, problem));
	CHECK_HAS(problem, "(mode 0602)");
	if (CHECK(reason != NULL))
		CHECK_HAS(reason, "(mode 0646)");
}

static const struct check_test tests[] = {
	{"white space after a token is not part of it", accepted},
	{"a token that no header can carry is refused and not shown", refused},
	{"a token has up to 16 KiB", sizes},
	{"a check before a use leaves the reason of another check alone", own_reasons},
	{"a path that is no regular file is refused with the reason and does not block", no_file},
};
CHECK_MAIN(tests)

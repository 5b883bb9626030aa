/* token - reads secrets from files, also the address of a webhook, and checks whether other users
 * may change or read them. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "token.h"

#include "array.h"
#include "diag.h"
#include "fd.h"
#include "ownfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int
refuse(const char *what, const char *path, const char *reason, char problem[TOKEN_PROBLEM_SIZE])
{
	snprintf(problem, TOKEN_PROBLEM_SIZE, "%s %s: %s", what, path, reason);
	return -1;
}

/* Read up to `size` bytes or the end of file. Return the number of bytes, or -1 with errno. */
static ssize_t
read_some(int fd, char *out, size_t size)
{
	size_t length = 0;
	while (length < size) {
		ssize_t n = read(fd, out + length, size - length);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (n == 0)
			break;
		length += (size_t)n;
	}
	return (ssize_t)length;
}

/* Read the file; TOKEN_SIZE bytes mean that it is too long. Return -1 with errno on failure. */
static ssize_t
read_file(const char *path, char out[TOKEN_SIZE])
{
	struct stat status;
	/* O_NONBLOCK: opening a FIFO would wait for its writer. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return -1;
	ssize_t length = fstat(fd, &status);
	if (length == 0 && !S_ISREG(status.st_mode)) {
		errno = S_ISDIR(status.st_mode) ? EISDIR : EINVAL;
		length = -1;
	}
	if (length == 0)
		length = read_some(fd, out, TOKEN_SIZE);
	fd_close(fd);
	return length;
}

int
token_read(const char *what, const char *path, char token[TOKEN_SIZE],
	char problem[TOKEN_PROBLEM_SIZE])
{
	ssize_t length = read_file(path, token);
	if (length < 0)
		return refuse(what, path, errno == EINVAL ? "not a regular file" : strerror(errno),
			problem);
	if ((size_t)length == TOKEN_SIZE)
		return refuse(what, path, "longer than 16 KiB", problem);
	while (length > 0 && strchr(" \t\r\n", token[length - 1]) != NULL &&
		token[length - 1] != '\0')
		length--;
	if (length == 0)
		return refuse(what, path, "empty", problem);
	token[length] = '\0';
	for (ssize_t i = 0; i < length; i++)
		if (token[i] <= ' ' || token[i] > '~')
			return refuse(what, path, "is not a single word of visible ASCII", problem);
	return 0;
}

/* --- trust: owners and modes of the files --- */

/* Return NULL if the file may be used, else the reason, which may be in `room`: several threads
 * check files. `*is_there`: it could be opened. */
static const char *
check_file(const char *path, char room[OWNFILE_REASON_SIZE], bool *is_there, bool *exposed)
{
	struct stat status;
	/* O_NONBLOCK: opening a FIFO would wait for its writer. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	*is_there = fd >= 0;
	*exposed = false;
	if (fd < 0)
		return strerror(errno);
	bool is_believed = ownfile_may_believe(fd, room);
	*exposed = fstat(fd, &status) == 0 && (status.st_mode & S_IROTH) != 0;
	close(fd);
	return is_believed ? NULL : room;
}

const char *
trust_check_secret(const char *path, bool *exposed)
{
	static char reason[OWNFILE_REASON_SIZE];
	bool is_there;
	return check_file(path, reason, &is_there, exposed);
}

bool
trust_may_use(const struct trust_files *files, char problem[TRUST_PROBLEM_SIZE])
{
	const struct {
		const char *option, *path;
	} all[] = {
		{"--ca-file", files->ca},
		{"--cert-file", files->cert},
		{"--key-file", files->key},
		{"--token-file", files->token},
	};
	for (size_t i = 0; i < ARRAY_COUNT(all); i++) {
		char room[OWNFILE_REASON_SIZE];
		bool is_there = false, exposed;
		const char *reason = all[i].path != NULL
					     ? check_file(all[i].path, room, &is_there, &exposed)
					     : NULL;
		if (reason == NULL || !is_there)
			continue;
		snprintf(problem, TRUST_PROBLEM_SIZE, "%s %.300s: %s", all[i].option, all[i].path,
			reason);
		return false;
	}
	return true;
}

/* Find the first secret that all users of this machine can read; write it to `name` as `--key-file
 * FILE`. Return false if there is none. */
static bool
find_exposed(const struct trust_files *files, char name[TRUST_PROBLEM_SIZE])
{
	const struct {
		const char *option, *path;
	} secrets[] = {{"--key-file", files->key}, {"--token-file", files->token}};
	for (size_t i = 0; i < ARRAY_COUNT(secrets); i++) {
		char room[OWNFILE_REASON_SIZE];
		bool is_there, exposed = false;
		if (secrets[i].path != NULL)
			check_file(secrets[i].path, room, &is_there, &exposed);
		if (!exposed)
			continue;
		snprintf(name, TRUST_PROBLEM_SIZE, "%s %.300s", secrets[i].option, secrets[i].path);
		return true;
	}
	return false;
}

const char *
trust_check_files(const struct trust_files *files)
{
	static char problem[TRUST_PROBLEM_SIZE];
	if (!trust_may_use(files, problem))
		return problem;
	if (find_exposed(files, problem))
		diag_warn("%s: every user of this machine can read it and send events in our name",
			problem);
	return NULL;
}

const char *
trust_check(const struct trust_files *files, const char *server_name, bool clear_token,
	bool has_tls, bool is_local)
{
	if ((files->ca != NULL || files->cert != NULL || files->key != NULL) && !has_tls)
		return "certificates and keys need https:// or tls://";
	if (server_name != NULL && !has_tls)
		return "a name in a certificate needs https:// or tls://";
	if ((files->cert == NULL) != (files->key == NULL))
		return "--cert-file and --key-file go together";
	if (clear_token && (files->token == NULL || has_tls || is_local))
		return "--clear-token applies only to a token sent over http:// or nats://";
	if (files->token != NULL && !has_tls && !is_local && !clear_token)
		return "a token is not sent without TLS: use https:// or tls://";
	return NULL;
}

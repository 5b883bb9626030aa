/* token - the secret by which a server knows us, from its file. */
#include "token.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int
refuse(const char *path, const char *reason, char problem[TOKEN_PROBLEM_SIZE])
{
	snprintf(problem, TOKEN_PROBLEM_SIZE, "token file %s: %s", path, reason);
	return -1;
}

/* Fills `out` as far as the file goes. The number of bytes, or -1 with errno. */
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

/* The file's bytes; one more than a token may have says that it is too long. -1 with errno. */
static ssize_t
read_file(const char *path, char out[TOKEN_SIZE])
{
	struct stat status;
	/* O_NONBLOCK: to open a FIFO would wait for who writes to it. */
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
	int saved = errno;
	close(fd);
	errno = saved;
	return length;
}

int
token_read(const char *path, char token[TOKEN_SIZE], char problem[TOKEN_PROBLEM_SIZE])
{
	ssize_t length = read_file(path, token);
	if (length < 0)
		return refuse(
			path, errno == EINVAL ? "not a regular file" : strerror(errno), problem);
	if ((size_t)length == TOKEN_SIZE)
		return refuse(path, "longer than 16 KiB", problem);
	while (length > 0 && strchr(" \t\r\n", token[length - 1]) != NULL &&
		token[length - 1] != '\0')
		length--;
	if (length == 0)
		return refuse(path, "empty", problem);
	token[length] = '\0';
	for (ssize_t i = 0; i < length; i++)
		if (token[i] <= ' ' || token[i] > '~')
			return refuse(path, "holds more than one word of visible ASCII", problem);
	return 0;
}

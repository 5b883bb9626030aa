/* input - a whole text, from a file or stdin. */
#include "input.h"

#include "diag.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int
grow(char **bytes, size_t *capacity)
{
	size_t wanted = *capacity == 0 ? 64 << 10 : 2 * *capacity;
	char *more = realloc(*bytes, wanted);
	if (more == NULL)
		return -1;
	*bytes = more;
	*capacity = wanted;
	return 0;
}

/* Reads to the end, or one byte more than is allowed. */
static int
read_all(int fd, char **bytes, size_t *length)
{
	size_t capacity = 0;

	*length = 0;
	while (*length <= INPUT_MAX_BYTES) {
		if (*length == capacity && grow(bytes, &capacity) < 0)
			return -1;
		ssize_t count = read(fd, *bytes + *length, capacity - *length);
		if (count == 0)
			return 0;
		if (count < 0 && errno != EINTR)
			return -1;
		if (count > 0)
			*length += (size_t)count;
	}
	return 0;
}

int
input_read_new(const char *path, char **text, size_t *length)
{
	const char *name = path != NULL ? path : "stdin";
	char *bytes = NULL;
	int status = 0;

	int fd = path != NULL ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
	if (fd < 0) {
		diag_error("%s: %s", name, strerror(errno));
		return errno == EACCES ? EXIT_NO_PERMISSION : EXIT_NO_INPUT;
	}
	if (read_all(fd, &bytes, length) < 0) {
		status = diag_io_failure(name);
	} else if (*length > INPUT_MAX_BYTES) {
		diag_error("%s: more than %zu MiB", name, INPUT_MAX_BYTES >> 20);
		status = EXIT_DATA;
	}
	if (path != NULL)
		close(fd);
	if (status != 0) {
		free(bytes);
		return status;
	}
	*text = bytes;
	return 0;
}

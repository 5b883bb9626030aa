/* input - a whole text, from a file or stdin. */
#include "input.h"

#include "atomfile.h"
#include "diag.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int
input_read_new(const char *path, char **text, size_t *length)
{
	const char *name = path != NULL ? path : "stdin";
	int status = 0;

	int fd = path != NULL ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
	if (fd < 0)
		return diag_open_failure(name);
	*text = atomfile_read_fd_new(fd, INPUT_MAX_BYTES, length);
	if (*text == NULL && errno == EFBIG) {
		diag_error("%s: more than %zu MiB", name, INPUT_MAX_BYTES >> 20);
		status = EXIT_DATA;
	} else if (*text == NULL) {
		status = diag_io_failure(name);
	}
	if (path != NULL)
		close(fd);
	return status;
}

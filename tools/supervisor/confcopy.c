/* confcopy - the configuration that is in force: read, found to be good, and kept, whatever becomes of the file. */
#include "confcopy.h"

#include "atomfile.h"
#include "conf.h"
#include "diag.h"
#include "line.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* What conf would not read either; it says so. */
#define CONFIG_MAX_BYTES ((size_t)1 << 21)

/* The file's text, from malloc. NULL when there is none, with the exit code. A file that nobody named need not be there. */
static char *
read_new(const char *path, size_t *length, int *status)
{
	struct conf conf;
	char *text = atomfile_read_new(
		path != NULL ? path : CONF_DEFAULT_PATH, CONFIG_MAX_BYTES, length);
	*status = 0;
	if (text != NULL)
		return text;
	if (path == NULL && errno == ENOENT) {
		*length = 0;
		return calloc(1, 1);
	}
	/* It says why not, as every stage would. */
	*status = conf_load(&conf, path);
	if (*status == 0) {
		conf_fini(&conf);
		diag_error(
			"%s: it changes while it is read", path != NULL ? path : CONF_DEFAULT_PATH);
		*status = EXIT_TRY_LATER;
	}
	return NULL;
}

static int
seal_new(const char *text, size_t length)
{
	int fd = memfd_create("configuration", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0)
		return -1;
	if (line_write(fd, text, length) < 0 ||
		fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) <
			0) {
		close(fd);
		return -1;
	}
	return fd;
}

int
confcopy_make(const char *path, int *fd)
{
	struct conf conf;
	char copy[64];
	size_t length;
	int status;

	*fd = -1;
	char *text = read_new(path, &length, &status);
	if (status != 0)
		return status;
	int made = text != NULL ? seal_new(text, length) : -1;
	free(text);
	if (made < 0) {
		diag_error("cannot keep the configuration: %s", strerror(errno));
		return EXIT_OS;
	}
	snprintf(copy, sizeof copy, "/proc/self/fd/%d", made);
	status = conf_load_as(&conf, copy, path != NULL ? path : CONF_DEFAULT_PATH);
	if (status != 0) {
		close(made);
		return status;
	}
	conf_fini(&conf);
	*fd = made;
	return 0;
}

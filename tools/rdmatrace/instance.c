/* instance - creates and removes a private tracefs instance. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "instance.h"

#include "array.h"
#include "diag.h"
#include "fd.h"
#include "probe.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define PLACE "instances/" PROBE_GROUP

/* Buffers are per CPU, and a node can have hundreds: for 512 CPUs, 16 KiB each take 8 MiB instead
 * of the default's 700. The clock is common to all CPUs, so that their lines are in order. */
static const struct setting {
	const char *file, *text;
} settings[] = {
	{PLACE "/buffer_size_kb", "16"},
	{PLACE "/trace_clock", "boot"},
};

int
instance_write(int directory, const char *path, const char *text)
{
	int fd = openat(directory, path, O_WRONLY | O_APPEND | O_CLOEXEC);
	if (fd < 0)
		return -1;
	int status = dprintf(fd, "%s\n", text);
	fd_close(fd);
	return status < 0 ? -1 : 0;
}

/* Clear the buffers: opening `trace` with O_TRUNC does it. */
static int
forget(int directory)
{
	int fd = openat(directory, "trace", O_WRONLY | O_TRUNC | O_CLOEXEC);
	fd_close(fd);
	return fd < 0 ? -1 : 0;
}

/* Report errno for `file`. Return the exit code. */
static int
refuse(const char *tracefs, const char *file)
{
	diag_error("%s/%s: %s", tracefs, file, strerror(errno));
	return errno == EACCES || errno == EPERM ? EXIT_NO_PERMISSION : EXIT_UNAVAILABLE;
}

static int
set_up(struct instance *instance, const char *tracefs)
{
	for (size_t i = 0; i < ARRAY_COUNT(settings); i++)
		if (instance_write(instance->tracefs, settings[i].file, settings[i].text) < 0)
			return refuse(tracefs, settings[i].file);
	if (forget(instance->directory) < 0)
		return refuse(tracefs, PLACE "/trace");
	instance->pipe =
		openat(instance->directory, "trace_pipe", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	return instance->pipe < 0 ? refuse(tracefs, PLACE "/trace_pipe") : 0;
}

int
instance_open(struct instance *instance, const char *tracefs)
{
	*instance = (struct instance){.directory = -1, .pipe = -1};
	instance->tracefs = open(tracefs, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (instance->tracefs < 0)
		return diag_open_failure(tracefs);
	if (mkdirat(instance->tracefs, PLACE, S_IRWXU) < 0 && errno != EEXIST) {
		if (errno != ENOENT)
			return refuse(tracefs, PLACE);
		diag_error("%s: tracefs is not mounted there", tracefs);
		return EXIT_UNAVAILABLE;
	}
	int directory = openat(instance->tracefs, PLACE, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (directory < 0)
		return refuse(tracefs, PLACE);
	/* The kernel releases the lock when its owner is killed. */
	if (flock(directory, LOCK_EX | LOCK_NB) < 0) {
		diag_error("%s/" PLACE ": another rdmatrace uses it", tracefs);
		close(directory);
		return EXIT_TRY_LATER;
	}
	instance->directory = directory;
	return set_up(instance, tracefs);
}

void
instance_remove(struct instance *instance)
{
	fd_close(instance->pipe);
	if (instance->directory >= 0 && unlinkat(instance->tracefs, PLACE, AT_REMOVEDIR) < 0)
		diag_warn(PLACE ": not removed: %s", strerror(errno));
	fd_close(instance->directory);
	fd_close(instance->tracefs);
}

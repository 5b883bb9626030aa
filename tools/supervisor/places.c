/* places - creates a directory for each stage that keeps files. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "places.h"

#include "diag.h"
#include "probe.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MODE 0750

void
places_settle(const char *path)
{
	char own[PATH_MAX], directory[PATH_MAX], former[PATH_MAX];
	struct stat status;
	/* `path` is DIR/STAGE/NAME. */
	if (path == NULL || !probe_parent(path, own) || !probe_parent(own, directory))
		return;
	mkdir(directory, MODE);
	mkdir(own, MODE);
	const char *name = strrchr(path, '/') + 1;
	if ((size_t)snprintf(former, sizeof former, "%s/%s", directory, name) >= sizeof former)
		return;
	if (lstat(former, &status) == 0 && S_ISREG(status.st_mode) && rename(former, path) == 0)
		diag_note("%s: moved to %s", former, path);
	const char *target = path + strlen(path) - strlen(name) - strlen("/");
	while (target > path && target[-1] != '/')
		target--;
	if (lstat(former, &status) < 0 && errno == ENOENT && symlink(target, former) < 0)
		diag_debug("%s: %s", former, strerror(errno));
}

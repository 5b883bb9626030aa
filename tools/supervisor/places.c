/* places - creates a directory for each stage that keeps files, and recognises these files. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "places.h"

#include "array.h"
#include "diag.h"
#include "ownfile.h"
#include "probe.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MODE 0750

/* Split `path`, DIR/STAGE/NAME. Return false if no directories are to be created for it. */
static bool
split(const char *path, char own[PATH_MAX], char directory[PATH_MAX])
{
	char reason[OWNFILE_REASON_SIZE];
	if (path == NULL || !probe_parent(path, own) || !probe_parent(own, directory))
		return false;
	/* The service of another user could not use our directories, and ours does not start. */
	return ownfile_may_keep(own, reason);
}

/* Return true if there is something at `own` now. */
static bool
make(const char *own, const char *directory)
{
	mkdir(directory, MODE);
	return mkdir(own, MODE) == 0 || errno == EEXIST;
}

bool
places_make(const char *path)
{
	char own[PATH_MAX], directory[PATH_MAX];
	return !split(path, own, directory) || make(own, directory);
}

void
places_settle(const char *path)
{
	char own[PATH_MAX], directory[PATH_MAX], former[PATH_MAX];
	struct stat status;
	if (!split(path, own, directory))
		return;
	make(own, directory);
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

static bool
are_same_directory(const char *left, const char *right)
{
	struct stat one, other;
	return strcmp(left, right) == 0 ||
	       (stat(left, &one) == 0 && stat(right, &other) == 0 && one.st_dev == other.st_dev &&
		       one.st_ino == other.st_ino);
}

/* Return true if `path` is `kept`, DIR/STAGE/NAME, or the link DIR/NAME to it. */
static bool
is_place(const char *path, const char *kept)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash != NULL ? slash + 1 : path;
	bool is_same = false;
	if (kept == NULL || strcmp(name, strrchr(kept, '/') + 1) != 0)
		return false;
	char *directory = ownfile_directory_new(path), *own = ownfile_directory_new(kept);
	char *above = own != NULL ? ownfile_directory_new(own) : NULL;
	if (directory != NULL && above != NULL)
		is_same =
			are_same_directory(directory, own) || are_same_directory(directory, above);
	free(directory);
	free(own);
	free(above);
	return is_same;
}

bool
places_have(const struct service_options *options, const char *path)
{
	const char *const kept[] = {options->state_path, options->log_state_path,
		options->pattern_state_path, options->acks_path};
	for (size_t i = 0; i < ARRAY_COUNT(kept); i++)
		if (is_place(path, kept[i]))
			return true;
	return false;
}

/* sibling - finds and executes programs of this project, installed beside the running one. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sibling.h"

#include "diag.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int
sibling_directory(char directory[PATH_MAX])
{
	ssize_t n = readlink("/proc/self/exe", directory, PATH_MAX - 1);
	if (n < 0)
		return -1;
	directory[n] = '\0';
	char *slash = strrchr(directory, '/');
	if (slash == NULL) {
		errno = ENOENT;
		return -1;
	}
	*slash = '\0';
	return 0;
}

int
sibling_path(const char *name, char path[SIBLING_PATH_SIZE])
{
	char directory[PATH_MAX];

	if (sibling_directory(directory) < 0)
		return -1;
	snprintf(path, SIBLING_PATH_SIZE, "%s/%s", directory, name);
	return 0;
}

int
sibling_become(const char *name, const struct arguments *arguments)
{
	char path[SIBLING_PATH_SIZE];
	char *const *argv = arguments_argv(arguments);

	if (argv == NULL)
		return diag_no_memory();
	if (sibling_path(name, path) < 0) {
		diag_error("/proc/self/exe: %s", strerror(errno));
		return EXIT_OS;
	}
	execv(path, argv);
	diag_error("%s: %s", path, strerror(errno));
	return EXIT_OS;
}

const char *
sibling_own_name(char *const *argv, const char *sibling, const char *name)
{
	return argv[0] != NULL && strcmp(argv[0], sibling) == 0 ? sibling : name;
}

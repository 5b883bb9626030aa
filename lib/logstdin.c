/* logstdin - the kernel log on standard input. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "logstdin.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* MEM_MAJOR and the minor of kmsg, include/uapi/linux/major.h and drivers/char/mem.c. */
#define KMSG_MAJOR 1
#define KMSG_MINOR 11

bool
logstdin_is_meant(const char *path)
{
	return path != NULL && strcmp(path, "-") == 0;
}

const char *
logstdin_name(const char *path)
{
	return logstdin_is_meant(path) ? "stdin" : path;
}

int
logstdin_error(void)
{
	struct stat status;
	if (fstat(STDIN_FILENO, &status) < 0)
		return errno;
	if (S_ISDIR(status.st_mode))
		return EISDIR;
	if (S_ISCHR(status.st_mode) && status.st_rdev != makedev(KMSG_MAJOR, KMSG_MINOR))
		return ENODEV;
	return 0;
}

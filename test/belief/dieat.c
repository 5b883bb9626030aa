/* dieat - a library to be preloaded: the program is killed before its Nth call, N being NHM_DIE_AT,
 * of those that others can see.
 *
 * Between two of these calls nothing outside of the process changes but for the temporary file of a
 * state, so that to be killed before each of them is to be killed anywhere. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

int rename(const char *from, const char *to);

static void
count_call(void)
{
	static long left = -1;
	if (left < 0) {
		const char *at = getenv("NHM_DIE_AT");
		left = at != NULL ? atol(at) : 0;
	}
	if (left > 0 && --left == 0)
		kill(getpid(), SIGKILL);
}

ssize_t
write(int fd, const void *bytes, size_t length)
{
	static ssize_t (*next)(int, const void *, size_t);
	if (next == NULL)
		*(void **)&next = dlsym(RTLD_NEXT, "write");
	if (fd != STDERR_FILENO)
		count_call();
	return next(fd, bytes, length);
}

int
fsync(int fd)
{
	static int (*next)(int);
	if (next == NULL)
		*(void **)&next = dlsym(RTLD_NEXT, "fsync");
	count_call();
	return next(fd);
}

int
rename(const char *from, const char *to)
{
	static int (*next)(const char *, const char *);
	if (next == NULL)
		*(void **)&next = dlsym(RTLD_NEXT, "rename");
	count_call();
	return next(from, to);
}

int
unlink(const char *path)
{
	static int (*next)(const char *);
	if (next == NULL)
		*(void **)&next = dlsym(RTLD_NEXT, "unlink");
	count_call();
	return next(path);
}

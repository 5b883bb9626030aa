/* sysfs - reads below a root directory: /sys, a container's view of it, or a recorded tree. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sysfs.h"

#include "array.h"
#include "fd.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static enum sysfs_status
failed(void)
{
	return errno == ENOENT || errno == ENOTDIR ? SYSFS_ABSENT : SYSFS_UNREADABLE;
}

bool
sysfs_is_name(const char *name)
{
	return *name != '\0' && strchr(name, '/') == NULL && strcmp(name, ".") != 0 &&
	       strcmp(name, "..") != 0;
}

#define OPEN_ATTEMPTS_MAX 1000

static bool
is_below(const char *path)
{
	if (*path == '/' || *path == '\0')
		return false;
	for (const char *at = path; at != NULL; at = strchr(at, '/')) {
		at += *at == '/';
		if (strncmp(at, "..", 2) == 0 && (at[2] == '/' || at[2] == '\0'))
			return false;
	}
	return true;
}

/* Open `path`, resolving links as if the root were `/`. Without openat2(2) (before Linux 5.6, or
 * filtered by an old container runtime), the path itself is still checked, but the kernel follows
 * links wherever they lead. */
static int
open_below(int root, const char *path, int flags)
{
	if (!is_below(path)) {
		errno = EINVAL;
		return -1;
	}
	struct open_how how = {
		.flags = (uint64_t)flags | O_CLOEXEC,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	long fd;
	/* openat2(2) returns EAGAIN if it cannot verify a `..` because of a rename anywhere in the
	 * system, and leaves it to the caller to retry. One attempt takes microseconds: a rename
	 * during each of a thousand would be no coincidence. */
	unsigned attempts = 0;
	do
		fd = syscall(SYS_openat2, root, path, &how, sizeof how);
	while (fd < 0 && errno == EAGAIN && ++attempts < OPEN_ATTEMPTS_MAX);
	if (fd < 0 && (errno == ENOSYS || errno == EPERM))
		fd = openat(root, path, flags | O_CLOEXEC);
	return (int)fd;
}

int
sysfs_open_root(const char *path)
{
	return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

enum sysfs_status
sysfs_open_dir(int root, const char *path, int *fd)
{
	*fd = open_below(root, path, O_RDONLY | O_DIRECTORY);
	return *fd >= 0 ? SYSFS_OK : failed();
}

/* A recorded tree may contain a pipe. Opened for reading, it would block the whole scan until
 * somebody writes. Return 0, or -1 with errno after closing `fd`. */
static int
refuse_pipe(int fd)
{
	struct stat status;
	int error = fstat(fd, &status) < 0 ? errno : S_ISFIFO(status.st_mode) ? ESPIPE : 0;
	if (error == 0)
		return 0;
	close(fd);
	errno = error;
	return -1;
}

enum sysfs_status
sysfs_open_attribute(int dir, const char *name, int *fd)
{
	*fd = -1;
	if (!sysfs_is_name(name)) {
		errno = EINVAL;
		return SYSFS_UNREADABLE;
	}
	*fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	return *fd >= 0 ? SYSFS_OK : failed();
}

/* Read the whole text and terminate it. A short read is the end: sysfs returns an attribute
 * whole. */
static enum sysfs_status
pread_all(int fd, char *text, size_t size, size_t *length)
{
	ssize_t n = pread(fd, text, size, 0);
	/* A pipe in place of an attribute (the simulator's hung register) cannot be read at an
	 * offset. */
	if (n < 0 && errno == ESPIPE)
		n = read(fd, text, size);
	if (n < 0)
		return SYSFS_UNREADABLE;
	if ((size_t)n == size) {
		errno = EOVERFLOW;
		return SYSFS_UNREADABLE;
	}
	text[n] = '\0';
	*length = (size_t)n;
	return SYSFS_OK;
}

enum sysfs_status
sysfs_pread(int fd, char *text, size_t size)
{
	size_t length;
	enum sysfs_status status = pread_all(fd, text, size, &length);
	if (status != SYSFS_OK)
		return status;

	size_t start = 0;
	while (isspace((unsigned char)text[start]))
		start++;
	size_t end = (size_t)(strchrnul(text + start, '\n') - text);
	while (end > start && isspace((unsigned char)text[end - 1]))
		end--;
	if (start > 0)
		memmove(text, text + start, end - start);
	text[end - start] = '\0';
	return SYSFS_OK;
}

/* sysfs_pread() from a descriptor that was just opened, then close it. `fd` may be -1, with errno.
 * `plain`: refuse a pipe. */
static enum sysfs_status
read_once(int fd, bool plain, char *text, size_t size)
{
	if (fd < 0 || (plain && refuse_pipe(fd) < 0))
		return failed();
	enum sysfs_status status = sysfs_pread(fd, text, size);
	fd_close(fd);
	return status;
}

enum sysfs_status
sysfs_read(int dir, const char *name, char *text, size_t size)
{
	int fd;
	enum sysfs_status status = sysfs_open_attribute(dir, name, &fd);
	return status == SYSFS_OK ? read_once(fd, false, text, size) : status;
}

enum sysfs_status
sysfs_read_file(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	return read_once(fd, true, text, size);
}

enum sysfs_status
sysfs_read_path(int root, const char *path, char *text, size_t size)
{
	return read_once(open_below(root, path, O_RDONLY), false, text, size);
}

enum sysfs_status
sysfs_read_plain(int root, const char *path, char *text, size_t size)
{
	return read_once(open_below(root, path, O_RDONLY | O_NONBLOCK), true, text, size);
}

enum sysfs_status
sysfs_read_lines(int root, const char *path, char *text, size_t size)
{
	int fd = open_below(root, path, O_RDONLY);
	if (fd < 0)
		return failed();
	size_t length;
	enum sysfs_status status = pread_all(fd, text, size, &length);
	fd_close(fd);
	return status;
}

enum sysfs_status
sysfs_link_target(int root, const char *path, char target[PATH_MAX])
{
	int fd = open_below(root, path, O_PATH | O_NOFOLLOW);
	if (fd < 0)
		return failed();

	ssize_t n = readlinkat(fd, "", target, PATH_MAX - 1);
	fd_close(fd);
	if (n < 0) {
		/* EINVAL: it is not a link. */
		return errno == ENOENT || errno == EINVAL ? SYSFS_ABSENT : SYSFS_UNREADABLE;
	}
	while (n > 1 && target[n - 1] == '/')
		n--;
	target[n] = '\0';
	return SYSFS_OK;
}

enum sysfs_status
sysfs_link_name(int root, const char *path, char *name, size_t size)
{
	char target[PATH_MAX];
	enum sysfs_status status = sysfs_link_target(root, path, target);
	if (status != SYSFS_OK)
		return status;
	const char *slash = strrchr(target, '/');
	const char *last = slash != NULL ? slash + 1 : target;
	if (strlen(last) >= size) {
		errno = EOVERFLOW;
		return SYSFS_UNREADABLE;
	}
	strcpy(name, last);
	return SYSFS_OK;
}

enum sysfs_status
sysfs_stat(int root, const char *path, struct stat *status)
{
	int fd = open_below(root, path, O_PATH);
	if (fd < 0)
		return failed();
	int result = fstat(fd, status);
	fd_close(fd);
	return result == 0 ? SYSFS_OK : SYSFS_UNREADABLE;
}

static int
by_natural_order(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

/* Return SYSFS_ABSENT if there was no entry. */
static enum sysfs_status
visit_all(DIR *stream, sysfs_visit *visit, void *context)
{
	const struct dirent *entry;
	enum sysfs_status status = SYSFS_ABSENT;

	for (errno = 0; (entry = readdir(stream)) != NULL; errno = 0) {
		if (!sysfs_is_name(entry->d_name))
			continue;
		status = SYSFS_OK;
		if (visit(context, entry) < 0)
			break;
	}
	return errno == 0 ? status : SYSFS_UNREADABLE;
}

/* Take ownership of the descriptor, also on failure. */
static DIR *
open_stream(int fd)
{
	DIR *stream = fdopendir(fd);
	if (stream == NULL)
		fd_close(fd);
	return stream;
}

static void
close_stream(DIR *stream)
{
	int saved_errno = errno;
	closedir(stream);
	errno = saved_errno;
}

enum sysfs_status
sysfs_walk(int dir, sysfs_visit *visit, void *context)
{
	/* fdopendir() takes ownership, and a duplicate would share the position: open the directory
	 * again. */
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return failed();
	DIR *stream = open_stream(fd);
	if (stream == NULL)
		return SYSFS_UNREADABLE;
	enum sysfs_status status = visit_all(stream, visit, context);
	close_stream(stream);
	return status == SYSFS_ABSENT ? SYSFS_OK : status;
}

void
sysfs_kept_fini(struct sysfs_kept *kept)
{
	if (kept->stream != NULL)
		close_stream(kept->stream);
	kept->stream = NULL;
}

enum sysfs_status
sysfs_walk_kept(
	struct sysfs_kept *kept, int root, const char *path, sysfs_visit *visit, void *context)
{
	int fd;

	if (kept->stream != NULL) {
		rewinddir(kept->stream);
		enum sysfs_status status = visit_all(kept->stream, visit, context);
		if (status == SYSFS_OK)
			return status;
		sysfs_kept_fini(kept);
		/* Entries have been visited: do not visit them twice. */
		if (status == SYSFS_UNREADABLE && errno != ENOENT)
			return status;
	}
	enum sysfs_status status = sysfs_open_dir(root, path, &fd);
	if (status != SYSFS_OK)
		return status;
	kept->stream = open_stream(fd);
	if (kept->stream == NULL)
		return SYSFS_UNREADABLE;
	status = visit_all(kept->stream, visit, context);
	return status == SYSFS_ABSENT ? SYSFS_OK : status;
}

uint64_t
sysfs_hash(uint64_t hash, const struct dirent *entry)
{
	hash = hash_words(hash, entry->d_name, strlen(entry->d_name));
	return hash_words(hash, (const char *)&entry->d_ino, sizeof entry->d_ino);
}

int
sysfs_hash_entry(void *hash, const struct dirent *entry)
{
	*(uint64_t *)hash = sysfs_hash(*(uint64_t *)hash, entry);
	return 0;
}

/* State of sysfs_list(). */
struct listing {
	struct sysfs_names *out;
	size_t capacity, max;
};

/* Append a copy of the entry's name. */
static int
add_name(void *context, const struct dirent *entry)
{
	struct listing *listing = context;
	struct sysfs_names *out = listing->out;

	if (out->count == listing->max) {
		errno = E2BIG;
		return -1;
	}
	char **names = array_grown(out->names, out->count, &listing->capacity, sizeof *names);
	if (names == NULL)
		return -1;
	out->names = names;
	names[out->count] = strdup(entry->d_name);
	if (names[out->count] == NULL)
		return -1;
	out->count++;
	return 0;
}

enum sysfs_status
sysfs_list(int dir, size_t max, struct sysfs_names *out)
{
	struct listing listing = {.out = out, .max = max};

	*out = (struct sysfs_names){0};
	enum sysfs_status status = sysfs_walk(dir, add_name, &listing);
	int saved_errno = errno;
	if (out->count > 0)
		qsort(out->names, out->count, sizeof *out->names, by_natural_order);
	errno = saved_errno;
	return status;
}

enum sysfs_status
sysfs_list_path(int root, const char *path, size_t max, struct sysfs_names *out)
{
	int dir;
	*out = (struct sysfs_names){0};
	enum sysfs_status status = sysfs_open_dir(root, path, &dir);
	if (status != SYSFS_OK)
		return status;
	status = sysfs_list(dir, max, out);
	fd_close(dir);
	return status;
}

bool
sysfs_names_have(const struct sysfs_names *names, const char *name)
{
	for (size_t i = 0; i < names->count; i++) {
		if (strcmp(names->names[i], name) == 0)
			return true;
	}
	return false;
}

void
sysfs_names_fini(struct sysfs_names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->names[i]);
	free(names->names);
	*names = (struct sysfs_names){0};
}

void
sysfs_note_shortage(int *shortage)
{
	if (*shortage == 0 && (errno == ENOMEM || errno == EMFILE || errno == ENFILE))
		*shortage = errno;
}

const char *
sysfs_errno_name(int error)
{
	const char *name = strerrorname_np(error);
	return name != NULL ? name : "EUNKNOWN";
}

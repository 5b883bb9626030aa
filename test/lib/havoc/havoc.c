/* havoc - preloaded library: carries out orders inside a program's call for a file of the room: the
 * call fails, is torn or slow, or the program is killed or stopped there.
 *
 * All programs of a room map the file of orders (NHM_HAVOC); NHM_HAVOC_ROOM is the room's
 * directory. orders.py writes the orders and has the same layouts. Without an order, the library
 * notes files that are renamed before their data is synced. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum call {
	CALL_WRITE = 1,
	CALL_PWRITE = 2,
	CALL_SYNC = 4,
	CALL_RENAME = 8,
	CALL_TRUNCATE = 16,
	CALL_OPEN = 32,
	CALL_STAT = 64
};
enum action { FAIL = 1, TEAR, TEAR_AND_DIE, SLOW, DIE_BEFORE, DIE_AFTER, STOP };

#define ORDERS 32
#define PROCESSES 512
#define NOTE_SIZE 512

struct order {
	uint32_t armed;
	uint32_t calls; /* enum call, several */
	uint32_t action;
	int32_t skip; /* calls to let pass before it strikes */
	int32_t left; /* calls that it still strikes */
	int32_t error;
	uint32_t delay_ms;
	uint32_t hits;
	uint32_t inside;  /* process delayed by it, or killed there; 0: none */
	char program[16]; /* "": any */
	char part[64];    /* of the path */
};

struct orders {
	struct order items[ORDERS];
	/* The service and its stages, each time they start: the room's only list of processes. */
	uint32_t process_count;
	struct {
		uint32_t pid;
		char program[16];
	} processes[PROCESSES];
	uint32_t notes;
	char note[NOTE_SIZE]; /* the last one */
};

static struct orders *orders;
static const char *room;
static size_t room_length;

/* Files with unsynced data. */
static struct {
	dev_t device;
	ino_t inode;
} unsynced[64];

/* Return true for the service and for working stages, which have a page of metrics, not for trial
 * runs. */
static bool
is_to_be_known(char **argv)
{
	if (strcmp(program_invocation_short_name, "nic-health-monitor") == 0)
		return true;
	for (; *argv != NULL; argv++) {
		if (strcmp(*argv, "--metrics-fd") == 0)
			return true;
	}
	return false;
}

static void
register_process(void)
{
	uint32_t place = __atomic_fetch_add(&orders->process_count, 1, __ATOMIC_SEQ_CST);
	if (place >= PROCESSES)
		return;
	strncpy(orders->processes[place].program, program_invocation_short_name,
		sizeof orders->processes[place].program - 1);
	__atomic_store_n(&orders->processes[place].pid, (uint32_t)getpid(), __ATOMIC_SEQ_CST);
}

__attribute__((constructor)) static void
open_orders(int argc, char **argv)
{
	(void)argc;
	const char *path = getenv("NHM_HAVOC");
	room = getenv("NHM_HAVOC_ROOM");
	if (path == NULL || room == NULL)
		return;
	int fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return;
	void *map = mmap(NULL, sizeof *orders, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	room_length = strlen(room);
	orders = map != MAP_FAILED ? map : NULL;
	if (orders != NULL && is_to_be_known(argv))
		register_process();
}

static bool
is_ours(const char *path)
{
	return strncmp(path, room, room_length) == 0;
}

/* --- what is synced --- */

static void
note_written(int fd)
{
	struct stat file;
	size_t place = 0;
	if (orders == NULL || fstat(fd, &file) < 0 || !S_ISREG(file.st_mode))
		return;
	for (size_t i = 0; i < sizeof unsynced / sizeof *unsynced; i++) {
		if (unsynced[i].inode == file.st_ino && unsynced[i].device == file.st_dev)
			return;
		if (unsynced[i].inode == 0)
			place = i;
	}
	unsynced[place].device = file.st_dev;
	unsynced[place].inode = file.st_ino;
}

/* Forget the file's unsynced data. Return true if there was any. */
static bool
take_synced(const struct stat *file)
{
	for (size_t i = 0; i < sizeof unsynced / sizeof *unsynced; i++) {
		if (unsynced[i].inode == file->st_ino && unsynced[i].device == file->st_dev) {
			unsynced[i].inode = 0;
			return true;
		}
	}
	return false;
}

static void
note_synced(int fd)
{
	struct stat file;
	/* A deliberate flaw, to check that tests find it. */
	if (getenv("NHM_HAVOC_UNSYNCED") != NULL)
		return;
	if (orders != NULL && fstat(fd, &file) == 0)
		take_synced(&file);
}

static void
note_renamed(const char *from, const char *to)
{
	struct stat file;
	/* Moving a damaged file aside does not count. */
	bool counts = is_ours(to) && strstr(to, ".corrupt-") == NULL;
	if (orders == NULL || !counts || stat(from, &file) < 0 || !take_synced(&file))
		return;
	snprintf(orders->note, NOTE_SIZE, "%s: %s is renamed to before it is synced",
		program_invocation_short_name, to);
	__atomic_add_fetch(&orders->notes, 1, __ATOMIC_SEQ_CST);
}

/* --- orders --- */

static bool
is_about(const struct order *order, enum call call)
{
	return __atomic_load_n(&order->armed, __ATOMIC_SEQ_CST) != 0 &&
	       (order->calls & call) != 0 &&
	       (*order->program == '\0' || strncmp(order->program, program_invocation_short_name,
						   sizeof order->program - 1) == 0);
}

/* Return the order for this call, or NULL. The file is `path`, or that of `fd`. */
static struct order *
find_order(enum call call, int fd, const char *path)
{
	char name[PATH_MAX] = "", link[64];
	for (size_t i = 0; orders != NULL && i < ORDERS; i++) {
		struct order *order = &orders->items[i];
		if (!is_about(order, call))
			continue;
		if (*name == '\0' && path == NULL) {
			snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
			ssize_t n = readlink(link, name, sizeof name - 1);
			name[n > 0 ? n : 0] = '\0';
			path = name;
		}
		if (!is_ours(path) || strstr(path, order->part) == NULL ||
			__atomic_fetch_sub(&order->skip, 1, __ATOMIC_SEQ_CST) > 0)
			continue;
		if (__atomic_fetch_sub(&order->left, 1, __ATOMIC_SEQ_CST) <= 0)
			continue;
		__atomic_add_fetch(&order->hits, 1, __ATOMIC_SEQ_CST);
		return order;
	}
	return NULL;
}

/* Delay the call as long as the order stands. */
static void
take_time(struct order *order)
{
	__atomic_store_n(&order->inside, (uint32_t)getpid(), __ATOMIC_SEQ_CST);
	const uint32_t step_ms = 10;
	for (uint32_t ms = 0; ms < order->delay_ms; ms += step_ms) {
		if (__atomic_load_n(&order->armed, __ATOMIC_SEQ_CST) == 0)
			break;
		nanosleep(&(struct timespec){.tv_nsec = step_ms * 1000000L}, NULL);
	}
	__atomic_store_n(&order->inside, 0, __ATOMIC_SEQ_CST);
}

/* Carry out the order before the call. Return true, with errno set, if the call fails. */
static bool
fails(struct order *order)
{
	if (order == NULL)
		return false;
	if (order->action == DIE_BEFORE)
		kill(getpid(), SIGKILL);
	if (order->action == STOP)
		kill(getpid(), SIGSTOP);
	if (order->action == SLOW)
		take_time(order);
	errno = order->error;
	return order->action == FAIL;
}

/* Return how much to write. */
static size_t
torn(const struct order *order, size_t length)
{
	bool is_torn = order != NULL && (order->action == TEAR || order->action == TEAR_AND_DIE);
	return is_torn && length > 1 ? length / 2 : length;
}

static void
after(const struct order *order)
{
	if (order != NULL && (order->action == DIE_AFTER || order->action == TEAR_AND_DIE))
		kill(getpid(), SIGKILL);
}

/* --- the calls --- */

static void *
find_next(void **next, const char *name)
{
	if (*next == NULL)
		*next = dlsym(RTLD_NEXT, name);
	return *next;
}

#define NEXT(type, name) \
	static void *found; \
	type next; \
	*(void **)&next = find_next(&found, name)

typedef ssize_t (*write_function)(int, const void *, size_t);
typedef ssize_t (*pwrite_function)(int, const void *, size_t, off_t);
typedef int (*sync_function)(int);
typedef int (*truncate_function)(int, off_t);
typedef int (*rename_function)(const char *, const char *);
typedef int (*open_function)(const char *, int, ...);
typedef int (*stat_function)(const char *, struct stat *);

ssize_t
write(int fd, const void *bytes, size_t length)
{
	NEXT(write_function, "write");
	struct order *order = find_order(CALL_WRITE, fd, NULL);
	if (fails(order))
		return -1;
	ssize_t n = next(fd, bytes, torn(order, length));
	note_written(fd);
	after(order);
	return n;
}

static ssize_t
write_at(pwrite_function next, int fd, const void *bytes, size_t length, off_t at)
{
	struct order *order = find_order(CALL_PWRITE, fd, NULL);
	if (fails(order))
		return -1;
	ssize_t n = next(fd, bytes, torn(order, length), at);
	note_written(fd);
	after(order);
	return n;
}

ssize_t
pwrite(int fd, const void *bytes, size_t length, off_t at)
{
	NEXT(pwrite_function, "pwrite");
	return write_at(next, fd, bytes, length, at);
}

ssize_t
pwrite64(int fd, const void *bytes, size_t length, off64_t at)
{
	NEXT(pwrite_function, "pwrite64");
	return write_at(next, fd, bytes, length, at);
}

static int
sync_file(sync_function next, int fd)
{
	struct order *order = find_order(CALL_SYNC, fd, NULL);
	if (fails(order))
		return -1;
	int status = next(fd);
	note_synced(fd);
	after(order);
	return status;
}

int
fsync(int fd)
{
	NEXT(sync_function, "fsync");
	return sync_file(next, fd);
}

int
fdatasync(int fd)
{
	NEXT(sync_function, "fdatasync");
	return sync_file(next, fd);
}

static int
truncate_file(truncate_function next, int fd, off_t length)
{
	struct order *order = find_order(CALL_TRUNCATE, fd, NULL);
	if (fails(order))
		return -1;
	int status = next(fd, length);
	after(order);
	return status;
}

int
ftruncate(int fd, off_t length)
{
	NEXT(truncate_function, "ftruncate");
	return truncate_file(next, fd, length);
}

int
ftruncate64(int fd, off64_t length)
{
	NEXT(truncate_function, "ftruncate64");
	return truncate_file(next, fd, length);
}

int
rename(const char *from, const char *to)
{
	NEXT(rename_function, "rename");
	struct order *order = find_order(CALL_RENAME, -1, to);
	if (fails(order))
		return -1;
	note_renamed(from, to);
	int status = next(from, to);
	after(order);
	return status;
}

int
open64(const char *path, int flags, ...)
{
	NEXT(open_function, "open64");
	va_list arguments;
	va_start(arguments, flags);
	mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
	va_end(arguments);
	struct order *order = find_order(CALL_OPEN, -1, path);
	if (fails(order))
		return -1;
	int fd = next(path, flags, mode);
	after(order);
	return fd;
}

/* Programs with 64-bit files by default call these names. */
int open(const char *path, int flags, ...) __attribute__((alias("open64")));

int
stat(const char *path, struct stat *status)
{
	NEXT(stat_function, "stat");
	struct order *order = find_order(CALL_STAT, -1, path);
	return fails(order) ? -1 : next(path, status);
}

/* inject - library for LD_PRELOAD that counts a program's calls from main() on, and makes the N-th
 * call of one kind fail.
 *
 * The order is in a file that all processes of a run map (NHM_INJECT). orders.py writes it and
 * depends on the layout of struct order. Other programs' processes are not affected. Calls on
 * stderr do not count, because another test covers lost messages. Neither do calls that cannot fail
 * in this way, such as those on an eventfd. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind {
	KIND_MEMORY,
	KIND_READ,
	KIND_WRITE,
	KIND_SYNC,
	KIND_RENAME,
	KIND_OPEN,
	KIND_CONNECT,
	KIND_TRUNCATE,
	KIND_DESCRIPTOR,
	KIND_PROCESS,
	KIND_MAP,
	KIND_WATCH,
	KIND_WAIT,
	KIND_N
};

#define FRAMES 24

struct order {
	uint32_t kind;
	int32_t error;
	uint32_t number; /* number of the call that fails, from 1; 0: none */
	uint32_t failed; /* number of calls that failed */
	uint32_t calls[KIND_N];
	char program[16];
	uint32_t frame_count;
	uint64_t frames[FRAMES]; /* backtrace of the failed call, as offsets in the program */
};

static struct order *order;
/* Set in main(): calls of the loader do not count. */
static bool armed;
static uintptr_t base;

/* glibc's own functions, which work before dlsym() does. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);

__attribute__((constructor)) static void
open_order(void)
{
	const char *path = getenv("NHM_INJECT");
	int fd = path != NULL ? open(path, O_RDWR | O_CLOEXEC) : -1;
	if (fd < 0)
		return;
	void *map = mmap(NULL, sizeof *order, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (map == MAP_FAILED)
		return;
	order = map;
	if (strncmp(order->program, program_invocation_short_name, sizeof order->program - 1) != 0)
		order = NULL;
}

typedef int (*main_function)(int, char **, char **);
typedef int (*start_function)(
	main_function, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);
static main_function real_main;

static int
main_counted(int argc, char **argv, char **environment)
{
	Dl_info info;
	void *frames[FRAMES];
	if (dladdr((void *)(uintptr_t)real_main, &info) != 0)
		base = (uintptr_t)info.dli_fbase;
	/* The first backtrace() loads a library: do it before calls are counted. */
	backtrace(frames, FRAMES);
	armed = order != NULL;
	return real_main(argc, argv, environment);
}

int __libc_start_main(main_function program, int argc, char **argv, void (*init)(void),
	void (*fini)(void), void (*loader_fini)(void), void *stack_end);

int
__libc_start_main(main_function program, int argc, char **argv, void (*init)(void),
	void (*fini)(void), void (*loader_fini)(void), void *stack_end)
{
	start_function next;
	*(void **)&next = dlsym(RTLD_NEXT, "__libc_start_main");
	real_main = program;
	return next(main_counted, argc, argv, init, fini, loader_fini, stack_end);
}

/* Record the backtrace for the report. */
static void
note_place(void)
{
	static _Thread_local bool inside;
	void *frames[FRAMES];
	if (inside)
		return;
	inside = true;
	int count = backtrace(frames, FRAMES);
	for (int i = 0; i < count; i++)
		order->frames[i] = (uint64_t)((uintptr_t)frames[i] - base);
	order->frame_count = (uint32_t)count;
	inside = false;
}

/* Count a call. Return true with errno set if it must fail. */
static bool
fails(enum kind kind)
{
	if (!armed)
		return false;
	uint32_t number = __atomic_add_fetch(&order->calls[kind], 1, __ATOMIC_SEQ_CST);
	if (order->kind != kind || number != order->number)
		return false;
	order->failed++;
	note_place();
	errno = order->error;
	return true;
}

/* Return whether calls on `fd` may fail: files, pipes, sockets and devices, but not the kernel's
 * own objects such as eventfd and epoll. EINTR needs a descriptor that can block. */
static bool
may_fail(int fd)
{
	struct stat status;
	if (fd == STDERR_FILENO || fstat(fd, &status) < 0 || (status.st_mode & S_IFMT) == 0)
		return false;
	bool may_wait = (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode)) &&
			(fcntl(fd, F_GETFL) & O_NONBLOCK) == 0;
	return order->error != EINTR || may_wait;
}

/* Like fails(), for a call on a descriptor. */
static bool
fails_at(enum kind kind, int fd)
{
	int saved_errno = errno;
	bool is_one = armed && may_fail(fd);
	errno = saved_errno;
	return is_one && fails(kind);
}

static void *
find_next(void **next, const char *name)
{
	if (*next == NULL)
		*next = dlsym(RTLD_NEXT, name);
	return *next;
}

/* --- memory --- */

void *
malloc(size_t size)
{
	return fails(KIND_MEMORY) ? NULL : __libc_malloc(size);
}

void *
calloc(size_t count, size_t size)
{
	return fails(KIND_MEMORY) ? NULL : __libc_calloc(count, size);
}

void *
realloc(void *old, size_t size)
{
	/* realloc() to size 0 frees and cannot fail. */
	if (size > 0 && fails(KIND_MEMORY))
		return NULL;
	return __libc_realloc(old, size);
}

void *
reallocarray(void *old, size_t count, size_t size)
{
	size_t bytes;
	if (__builtin_mul_overflow(count, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(old, bytes);
}

/* --- calls that fail with -1 --- */

/* Define a wrapper for a call on a descriptor: its declaration, and the arguments to pass on. */
#define CALL_AT(kind, type, name, parameters, arguments) \
	type name parameters; \
	type name parameters \
	{ \
		static void *found; \
		type(*next) parameters; \
		*(void **)&next = find_next(&found, #name); \
		return fails_at(kind, fd) ? -1 : next arguments; \
	}

#define CALL(kind, type, name, parameters, arguments) \
	type name parameters; \
	type name parameters \
	{ \
		static void *found; \
		type(*next) parameters; \
		*(void **)&next = find_next(&found, #name); \
		return fails(kind) ? -1 : next arguments; \
	}

CALL_AT(KIND_READ, ssize_t, read, (int fd, void *bytes, size_t length), (fd, bytes, length))
CALL_AT(KIND_READ, ssize_t, pread, (int fd, void *bytes, size_t length, off_t at),
	(fd, bytes, length, at))
CALL_AT(KIND_READ, ssize_t, pread64, (int fd, void *bytes, size_t length, off64_t at),
	(fd, bytes, length, at))
CALL_AT(KIND_READ, ssize_t, readv, (int fd, const struct iovec *parts, int count),
	(fd, parts, count))
CALL_AT(KIND_READ, ssize_t, recv, (int fd, void *bytes, size_t length, int flags),
	(fd, bytes, length, flags))
CALL_AT(KIND_READ, ssize_t, recvmsg, (int fd, struct msghdr *message, int flags),
	(fd, message, flags))
CALL_AT(KIND_READ, ssize_t, __read_chk, (int fd, void *bytes, size_t length, size_t room),
	(fd, bytes, length, room))
CALL_AT(KIND_READ, ssize_t, __pread_chk,
	(int fd, void *bytes, size_t length, off_t at, size_t room), (fd, bytes, length, at, room))
CALL_AT(KIND_READ, ssize_t, __pread64_chk,
	(int fd, void *bytes, size_t length, off64_t at, size_t room),
	(fd, bytes, length, at, room))
CALL_AT(KIND_READ, ssize_t, __recv_chk,
	(int fd, void *bytes, size_t length, size_t room, int flags),
	(fd, bytes, length, room, flags))

CALL_AT(KIND_WRITE, ssize_t, write, (int fd, const void *bytes, size_t length), (fd, bytes, length))
CALL_AT(KIND_WRITE, ssize_t, pwrite, (int fd, const void *bytes, size_t length, off_t at),
	(fd, bytes, length, at))
CALL_AT(KIND_WRITE, ssize_t, pwrite64, (int fd, const void *bytes, size_t length, off64_t at),
	(fd, bytes, length, at))
CALL_AT(KIND_WRITE, ssize_t, writev, (int fd, const struct iovec *parts, int count),
	(fd, parts, count))
CALL_AT(KIND_WRITE, ssize_t, pwritev2,
	(int fd, const struct iovec *parts, int count, off_t at, int flags),
	(fd, parts, count, at, flags))
CALL_AT(KIND_WRITE, ssize_t, send, (int fd, const void *bytes, size_t length, int flags),
	(fd, bytes, length, flags))
CALL_AT(KIND_WRITE, ssize_t, sendmsg, (int fd, const struct msghdr *message, int flags),
	(fd, message, flags))

/* glibc's internal writes cannot be intercepted, so wrap dprintf() itself. */
#define PRINT_TO(name, parameters, format) \
	int name parameters; \
	int name parameters \
	{ \
		if (fails_at(KIND_WRITE, fd)) \
			return -1; \
		va_list rest; \
		va_start(rest, format); \
		int written = vdprintf(fd, format, rest); \
		va_end(rest); \
		return written; \
	}

PRINT_TO(dprintf, (int fd, const char *format, ...), format)
PRINT_TO(__dprintf_chk, (int fd, int flags, const char *format, ...), format)

CALL_AT(KIND_SYNC, int, fsync, (int fd), (fd))
CALL_AT(KIND_SYNC, int, fdatasync, (int fd), (fd))

CALL_AT(KIND_TRUNCATE, int, ftruncate, (int fd, off_t length), (fd, length))
CALL_AT(KIND_TRUNCATE, int, ftruncate64, (int fd, off64_t length), (fd, length))

CALL(KIND_RENAME, int, rename, (const char *from, const char *to), (from, to))
CALL(KIND_RENAME, int, renameat, (int from_fd, const char *from, int to_fd, const char *to),
	(from_fd, from, to_fd, to))
CALL(KIND_RENAME, int, link, (const char *from, const char *to), (from, to))

CALL(KIND_OPEN, int, __open_2, (const char *path, int flags), (path, flags))
CALL(KIND_OPEN, int, __open64_2, (const char *path, int flags), (path, flags))
CALL(KIND_OPEN, int, __openat_2, (int at, const char *path, int flags), (at, path, flags))
CALL(KIND_OPEN, int, __openat64_2, (int at, const char *path, int flags), (at, path, flags))

CALL_AT(KIND_CONNECT, int, connect, (int fd, const struct sockaddr *to, socklen_t length),
	(fd, to, length))

/* The mode is only passed if the call may create a file. */
#define MODE_OF(flags, mode) \
	mode_t mode = 0; \
	if (((flags) & (O_CREAT | __O_TMPFILE)) != 0) { \
		va_list rest; \
		va_start(rest, flags); \
		mode = va_arg(rest, mode_t); \
		va_end(rest); \
	}

#define OPEN(name, parameters, arguments) \
	int name parameters \
	{ \
		static void *found; \
		int(*next) parameters; \
		*(void **)&next = find_next(&found, #name); \
		MODE_OF(flags, mode) \
		return fails(KIND_OPEN) ? -1 : next arguments; \
	}

OPEN(open, (const char *path, int flags, ...), (path, flags, mode))
OPEN(open64, (const char *path, int flags, ...), (path, flags, mode))
OPEN(openat, (int at, const char *path, int flags, ...), (at, path, flags, mode))
OPEN(openat64, (int at, const char *path, int flags, ...), (at, path, flags, mode))

/* --- new descriptors, processes and maps; waiting --- */

CALL(KIND_DESCRIPTOR, int, pipe2, (int ends[2], int flags), (ends, flags))
CALL(KIND_DESCRIPTOR, int, eventfd, (unsigned count, int flags), (count, flags))
CALL(KIND_DESCRIPTOR, int, memfd_create, (const char *name, unsigned flags), (name, flags))
CALL(KIND_DESCRIPTOR, int, signalfd, (int fd, const sigset_t *signals, int flags),
	(fd, signals, flags))
CALL(KIND_DESCRIPTOR, int, epoll_create1, (int flags), (flags))
CALL(KIND_DESCRIPTOR, int, socket, (int domain, int type, int protocol), (domain, type, protocol))
CALL(KIND_DESCRIPTOR, int, accept4, (int fd, struct sockaddr *from, socklen_t *length, int flags),
	(fd, from, length, flags))

/* Only F_DUPFD_CLOEXEC fails: it makes a new descriptor. */
#define FCNTL(name) \
	int name(int fd, int command, ...) \
	{ \
		static void *found; \
		int (*next)(int, int, ...); \
		*(void **)&next = find_next(&found, #name); \
		va_list rest; \
		va_start(rest, command); \
		void *argument = va_arg(rest, void *); \
		va_end(rest); \
		if (command == F_DUPFD_CLOEXEC && fails(KIND_DESCRIPTOR)) \
			return -1; \
		return next(fd, command, argument); \
	}

FCNTL(fcntl)
FCNTL(fcntl64)

CALL(KIND_PROCESS, pid_t, fork, (void), ())

/* pidfd_open() has no wrapper in every C library. */
long
syscall(long number, ...)
{
	static void *found;
	long (*next)(long, ...);
	long arguments[6];
	*(void **)&next = find_next(&found, "syscall");
	va_list rest;
	va_start(rest, number);
	for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++)
		arguments[i] = va_arg(rest, long);
	va_end(rest);
	if (number == SYS_pidfd_open && fails(KIND_PROCESS))
		return -1;
	return next(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4],
		arguments[5]);
}

int
pthread_create(
	pthread_t *thread, const pthread_attr_t *attributes, void *(*begin)(void *), void *context)
{
	static void *found;
	int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
	*(void **)&next = find_next(&found, "pthread_create");
	return fails(KIND_PROCESS) ? errno : next(thread, attributes, begin, context);
}

void *
mmap(void *at, size_t length, int protection, int flags, int fd, off_t offset)
{
	static void *found;
	void *(*next)(void *, size_t, int, int, int, off_t);
	*(void **)&next = find_next(&found, "mmap");
	return fails(KIND_MAP) ? MAP_FAILED : next(at, length, protection, flags, fd, offset);
}

/* Only EPOLL_CTL_ADD fails: it needs memory. */
int
epoll_ctl(int set, int operation, int fd, struct epoll_event *event)
{
	static void *found;
	int (*next)(int, int, int, struct epoll_event *);
	*(void **)&next = find_next(&found, "epoll_ctl");
	if (operation == EPOLL_CTL_ADD && fails(KIND_WATCH))
		return -1;
	return next(set, operation, fd, event);
}

CALL(KIND_WAIT, int, poll, (struct pollfd * fds, nfds_t count, int timeout), (fds, count, timeout))
CALL(KIND_WAIT, int, __poll_chk, (struct pollfd * fds, nfds_t count, int timeout, size_t room),
	(fds, count, timeout, room))
CALL(KIND_WAIT, int, ppoll,
	(struct pollfd * fds, nfds_t count, const struct timespec *timeout,
		const sigset_t *signals),
	(fds, count, timeout, signals))
CALL(KIND_WAIT, int, __ppoll_chk,
	(struct pollfd * fds, nfds_t count, const struct timespec *timeout, const sigset_t *signals,
		size_t room),
	(fds, count, timeout, signals, room))
CALL(KIND_WAIT, int, epoll_wait, (int set, struct epoll_event *events, int most, int timeout),
	(set, events, most, timeout))

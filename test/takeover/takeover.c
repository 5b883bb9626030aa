/* takeover - tries from within a program what injected code would try. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "takeover.h"

#include "array.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <linux/if_ether.h>
#include <linux/perf_event.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

/* Return an environment variable that the test sets: a file and a process that do not belong to the
 * program, a directory for new files, or a TCP port on which another process listens. */
static const char *
prepared(const char *name)
{
	const char *value = getenv(name);
	if (value == NULL) {
		fprintf(stderr, "takeover: $%s is missing\n", name);
		_exit(EXIT_FAILURE);
	}
	return value;
}

static const char *
foreign_file(void)
{
	return prepared("NHM_TAKEOVER_FILE");
}

static pid_t
neighbour(void)
{
	return (pid_t)atoi(prepared("NHM_TAKEOVER_PID"));
}

static bool
opens(const char *path, int flags)
{
	return open(path, flags | O_CLOEXEC, 0600) >= 0;
}

static const char *
new_file(void)
{
	static char path[4096];
	snprintf(path, sizeof path, "%s/new", prepared("NHM_TAKEOVER_DIR"));
	return path;
}

/* --- files --- */

static bool
read_passwd(void)
{
	return opens("/etc/passwd", O_RDONLY);
}
static bool
read_file(void)
{
	return opens(foreign_file(), O_RDONLY);
}
static bool
write_file(void)
{
	return opens(foreign_file(), O_WRONLY);
}
static bool
truncate_file(void)
{
	return truncate(foreign_file(), 0) == 0;
}
static bool
make_file(void)
{
	return opens(new_file(), O_WRONLY | O_CREAT);
}
static bool
make_link(void)
{
	return symlink(foreign_file(), new_file()) == 0;
}
static bool
make_device(void)
{
	return mknod(new_file(), S_IFCHR | 0600, 0x103) == 0;
}
static bool
remove_file(void)
{
	return unlink(foreign_file()) == 0;
}
static bool
move_file(void)
{
	return rename(foreign_file(), new_file()) == 0;
}
static bool
change_mode(void)
{
	return chmod(foreign_file(), 0666) == 0;
}

static bool
read_memory(void)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/mem", (int)neighbour());
	return opens(path, O_RDONLY);
}

/* --- processes --- */

static bool
run_program(void)
{
	char *const arguments[] = {(char *)"true", NULL};
	execve("/bin/true", arguments, arguments + 1);
	return false;
}

static bool
run_memory(void)
{
	char bytes[4096], *const arguments[] = {(char *)"true", NULL};
	int program = open("/bin/true", O_RDONLY), copy = memfd_create("true", 0);
	ssize_t n;
	while (program >= 0 && (n = read(program, bytes, sizeof bytes)) > 0)
		if (write(copy, bytes, (size_t)n) != n)
			return false;
	fexecve(copy, arguments, arguments + 1);
	return false;
}

static bool
make_process(void)
{
	pid_t pid = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
	if (pid == 0)
		_exit(0);
	return pid > 0;
}

/* Signal 0 only checks whether a signal could be sent. */
static bool
signal_neighbour(void)
{
	return kill(neighbour(), 0) == 0;
}
static bool
trace_neighbour(void)
{
	return ptrace(PTRACE_ATTACH, neighbour(), NULL, NULL) == 0;
}
static bool
limit_neighbour(void)
{
	struct rlimit limit = {64, 64};
	return prlimit(neighbour(), RLIMIT_NOFILE, &limit, NULL) == 0;
}

static bool
read_neighbour(void)
{
	char byte;
	struct iovec own = {&byte, 1}, other = {prepared, 1};
	return process_vm_readv(neighbour(), &own, 1, &other, 1, 0) >= 0 || errno == EFAULT;
}

static bool
signal_by_descriptor(void)
{
	int fd = (int)syscall(SYS_pidfd_open, neighbour(), 0);
	return fd >= 0 && syscall(SYS_pidfd_send_signal, fd, 0, NULL, 0) == 0;
}

/* --- the network --- */

static bool
connect_elsewhere(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
		.sin_port = htons((uint16_t)atoi(prepared("NHM_TAKEOVER_PORT"))),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	return fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) == 0;
}

static bool
serve(void)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	return fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof address) == 0 &&
	       listen(fd, 1) == 0;
}

static bool
send_raw(void)
{
	return socket(AF_INET, SOCK_RAW, IPPROTO_ICMP) >= 0;
}
static bool
read_packets(void)
{
	return socket(AF_PACKET, SOCK_RAW, htons(ETH_P_ALL)) >= 0;
}

/* --- the kernel --- */

static bool
mount_something(void)
{
	return mount("none", "/proc", "tmpfs", 0, NULL) == 0;
}
static bool
leave_namespace(void)
{
	return unshare(CLONE_NEWUSER) == 0;
}
static bool
change_root(void)
{
	return chroot("/proc") == 0;
}
static bool
change_user(void)
{
	return syscall(SYS_setresuid, 65534, 65534, 65534) == 0;
}
static bool
read_log(void)
{
	return klogctl(3, (char[64]){0}, 64) >= 0;
}
static bool
open_log(void)
{
	return opens("/dev/kmsg", O_RDONLY | O_NONBLOCK);
}
static bool
load_module(void)
{
	return syscall(SYS_finit_module, -1, "", 0) == 0;
}
static bool
add_key(void)
{
	return syscall(SYS_add_key, "user", "x", "x", 1, -3) >= 0;
}
static bool
use_ring(void)
{
	return syscall(SYS_io_uring_setup, 1, (char[120]){0}) >= 0;
}
static bool
set_time(void)
{
	return syscall(SYS_clock_settime, 99, NULL) == 0;
}

static bool
load_filter(void)
{
	union bpf_attr attributes = {
		.map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 4, .max_entries = 1};
	return syscall(SYS_bpf, BPF_MAP_CREATE, &attributes, sizeof attributes) >= 0;
}

static bool
count_events(void)
{
	struct perf_event_attr attributes = {.type = PERF_TYPE_SOFTWARE,
		.size = sizeof attributes,
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.exclude_kernel = 1};
	return syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0) >= 0;
}

static bool
run_written(void)
{
	return mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		       0) != MAP_FAILED;
}

static bool
raise_capabilities(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {{0}, {0}};
	data[1].effective = data[1].permitted = 1U << (CAP_SYSLOG - 32);
	return syscall(SYS_capset, &header, data) == 0;
}

/* --- helpers for the test --- */

/* Listen on a TCP port, print it, and never return. */
static bool
listen_for_others(void)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof address;
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) < 0 ||
		listen(fd, 8) < 0 || getsockname(fd, (struct sockaddr *)&address, &length) < 0)
		return false;
	dprintf(STDOUT_FILENO, "%u\n", ntohs(address.sin_port));
	for (;;)
		pause();
}

/* Print the kernel's Landlock ABI version. */
static bool
tell_abi(void)
{
	dprintf(STDOUT_FILENO, "%ld\n", syscall(SYS_landlock_create_ruleset, NULL, 0, 1));
	return true;
}

/* --- all of them --- */

static const struct {
	const char *name;
	bool (*act)(void);
} acts[] = {
	{"add-key", add_key},
	{"change-mode", change_mode},
	{"change-root", change_root},
	{"change-user", change_user},
	{"connect-elsewhere", connect_elsewhere},
	{"count-events", count_events},
	{"leave-namespace", leave_namespace},
	{"limit-neighbour", limit_neighbour},
	{"listen-for-others", listen_for_others},
	{"load-filter", load_filter},
	{"load-module", load_module},
	{"make-device", make_device},
	{"make-file", make_file},
	{"make-link", make_link},
	{"make-process", make_process},
	{"mount", mount_something},
	{"move-file", move_file},
	{"open-log", open_log},
	{"raise-capabilities", raise_capabilities},
	{"read-file", read_file},
	{"read-log", read_log},
	{"read-memory", read_memory},
	{"read-neighbour", read_neighbour},
	{"read-packets", read_packets},
	{"read-passwd", read_passwd},
	{"remove-file", remove_file},
	{"run-memory", run_memory},
	{"run-program", run_program},
	{"run-written", run_written},
	{"send-raw", send_raw},
	{"serve", serve},
	{"set-time", set_time},
	{"signal-by-descriptor", signal_by_descriptor},
	{"signal-neighbour", signal_neighbour},
	{"tell-abi", tell_abi},
	{"trace-neighbour", trace_neighbour},
	{"truncate-file", truncate_file},
	{"use-ring", use_ring},
	{"write-file", write_file},
};

void
takeover(const char *program)
{
	const char *where = getenv("NHM_TAKEOVER_IN"), *what = getenv("NHM_TAKEOVER");
	if (where == NULL || what == NULL || strcmp(where, program) != 0)
		return;
	for (size_t i = 0; i < ARRAY_COUNT(acts); i++) {
		if (strcmp(what, acts[i].name) != 0)
			continue;
		errno = 0;
		if (acts[i].act())
			dprintf(STDERR_FILENO, "takeover: %s: done\n", what);
		else
			dprintf(STDERR_FILENO, "takeover: %s: refused: %s\n", what,
				strerrorname_np(errno));
		_exit(EXIT_SUCCESS);
	}
	dprintf(STDERR_FILENO, "takeover: %s: no such act\n", what);
	_exit(EXIT_FAILURE);
}

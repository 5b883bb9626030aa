/* callfilter - restricts the system calls of a process with seccomp. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "callfilter.h"

#include "array.h"
#include "diag.h"

#include <asm/termbits.h>
#include <errno.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/sockios.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* --- the table --- */

/* Condition under which a call is allowed. */
enum pass {
	PASS_ALWAYS,
	PASS_NOT_RUN,     /* memory, but not executable */
	PASS_NOT_BOTH,    /* memory, but not writable and executable at once */
	PASS_FOR_SELF,    /* the first argument is this process */
	PASS_OWN_THREADS, /* clone: a thread, not a process */
	PASS_UNKNOWN,     /* fails with ENOSYS, as on a kernel without it; libraries expect that */
	PASS_OWN_LIMITS,  /* prlimit: of this process */
	PASS_READ_LIMITS, /* the same, read only */
	PASS_NOT_SIGSYS,  /* rt_sigaction: of any signal but SIGSYS */
	PASS_TERMINAL,    /* ioctl: terminal test and width; bytes queued in a pipe or socket */
	PASS_CONNECTED,   /* sendto: only to the connected peer, as when stderr is a socket */
	PASS_SOCKETS,     /* socket: the families and types that sinks use */
	PASS_NETLINK,     /* socket: query interfaces and RDMA devices, receive device events */
	PASS_VERBS,       /* ioctl: the requests of libibverbs */
	PASS_KNOWN_CAPS,  /* prctl: which capabilities exist; libcap asks when it is loaded */
	PASS_INTERFACES,  /* ioctl: number and name of an interface, for link-local addresses */
};

struct call {
	const char *name;
	enum pass pass;
};

static const struct call plain[] = {
	{"brk", PASS_ALWAYS},
	{"clock_getres", PASS_ALWAYS},
	{"clock_gettime", PASS_ALWAYS},
	{"clock_nanosleep", PASS_ALWAYS},
	{"close", PASS_ALWAYS},
	{"dup", PASS_ALWAYS},
	{"eventfd2", PASS_ALWAYS},
	{"exit", PASS_ALWAYS},
	{"exit_group", PASS_ALWAYS},
	{"fcntl", PASS_ALWAYS},
	{"fstat", PASS_ALWAYS},
	{"futex", PASS_ALWAYS},
	{"getegid", PASS_ALWAYS},
	{"geteuid", PASS_ALWAYS},
	{"getgid", PASS_ALWAYS},
	{"getgroups", PASS_ALWAYS},
	{"getpid", PASS_ALWAYS},
	{"getppid", PASS_ALWAYS},
	{"getrandom", PASS_ALWAYS},
	{"getrusage", PASS_ALWAYS},
	{"gettid", PASS_ALWAYS},
	{"gettimeofday", PASS_ALWAYS},
	{"getuid", PASS_ALWAYS},
	{"ioctl", PASS_TERMINAL},
	{"kill", PASS_FOR_SELF},
	{"lseek", PASS_ALWAYS},
	{"madvise", PASS_ALWAYS},
	{"mmap", PASS_NOT_RUN},
	{"mprotect", PASS_NOT_RUN},
	{"mremap", PASS_ALWAYS},
	{"munmap", PASS_ALWAYS},
	{"nanosleep", PASS_ALWAYS},
	{"newfstatat", PASS_ALWAYS},
	{"poll", PASS_ALWAYS},
	{"ppoll", PASS_ALWAYS},
	{"pread64", PASS_ALWAYS},
	{"prlimit64", PASS_READ_LIMITS},
	{"pselect6", PASS_ALWAYS},
	{"pwritev2", PASS_ALWAYS},
	{"read", PASS_ALWAYS},
	{"readv", PASS_ALWAYS},
	{"restart_syscall", PASS_ALWAYS},
	{"rt_sigaction", PASS_NOT_SIGSYS},
	{"rt_sigpending", PASS_ALWAYS},
	{"rt_sigprocmask", PASS_ALWAYS},
	{"rt_sigreturn", PASS_ALWAYS},
	{"rt_sigtimedwait", PASS_ALWAYS},
	{"sched_getaffinity", PASS_ALWAYS},
	{"sched_yield", PASS_ALWAYS},
	{"select", PASS_ALWAYS},
	{"sendto", PASS_CONNECTED},
	{"sigaltstack", PASS_ALWAYS},
	{"sysinfo", PASS_ALWAYS},
	{"tgkill", PASS_FOR_SELF},
	{"time", PASS_ALWAYS},
	{"uname", PASS_ALWAYS},
	{"write", PASS_ALWAYS},
	{"writev", PASS_ALWAYS},
	{NULL, PASS_ALWAYS},
};

static const struct call open_[] = {
	{"access", PASS_ALWAYS},
	{"faccessat", PASS_ALWAYS},
	{"faccessat2", PASS_ALWAYS},
	{"fstatfs", PASS_ALWAYS},
	{"getcwd", PASS_ALWAYS},
	{"getdents64", PASS_ALWAYS},
	{"inotify_add_watch", PASS_ALWAYS},
	{"inotify_init1", PASS_ALWAYS},
	{"lstat", PASS_ALWAYS},
	{"open", PASS_ALWAYS},
	{"openat", PASS_ALWAYS},
	{"openat2", PASS_ALWAYS},
	{"readlink", PASS_ALWAYS},
	{"readlinkat", PASS_ALWAYS},
	{"stat", PASS_ALWAYS},
	{"statfs", PASS_ALWAYS},
	{"statx", PASS_ALWAYS},
	{NULL, PASS_ALWAYS},
};

static const struct call keep[] = {
	{"fallocate", PASS_ALWAYS},
	{"fchmod", PASS_ALWAYS},
	{"fchown", PASS_ALWAYS},
	{"fdatasync", PASS_ALWAYS},
	{"flock", PASS_ALWAYS},
	{"fsync", PASS_ALWAYS},
	{"ftruncate", PASS_ALWAYS},
	{"link", PASS_ALWAYS},
	{"linkat", PASS_ALWAYS},
	{"mkdir", PASS_ALWAYS},
	{"mkdirat", PASS_ALWAYS},
	{"pwrite64", PASS_ALWAYS},
	{"rename", PASS_ALWAYS},
	{"renameat", PASS_ALWAYS},
	{"renameat2", PASS_ALWAYS},
	{"umask", PASS_ALWAYS},
	{"unlink", PASS_ALWAYS},
	{"unlinkat", PASS_ALWAYS},
	{"utimensat", PASS_ALWAYS},
	{NULL, PASS_ALWAYS},
};

static const struct call threads[] = {
	{"clone", PASS_OWN_THREADS},
	/* Its flags are in memory, which seccomp cannot read. */
	{"clone3", PASS_UNKNOWN},
	{"membarrier", PASS_ALWAYS},
	{"rseq", PASS_ALWAYS},
	{"set_robust_list", PASS_ALWAYS},
	{NULL, PASS_ALWAYS},
};

static const struct call talk[] = {
	/* libkrb5 may look for tickets in the kernel's keys (this and keyctl), as by Red Hat's
	 * default, when a database server asks for Kerberos. */
	{"add_key", PASS_UNKNOWN},
	{"bind", PASS_ALWAYS},
	{"connect", PASS_ALWAYS},
	{"epoll_create1", PASS_ALWAYS},
	{"epoll_ctl", PASS_ALWAYS},
	{"epoll_pwait", PASS_ALWAYS},
	{"epoll_wait", PASS_ALWAYS},
	{"getpeername", PASS_ALWAYS},
	{"getsockname", PASS_ALWAYS},
	{"getsockopt", PASS_ALWAYS},
	{"ioctl", PASS_INTERFACES},
	{"keyctl", PASS_UNKNOWN},
	/* Resolver modules are shared libraries. */
	{"mmap", PASS_NOT_BOTH},
	{"pipe2", PASS_ALWAYS},
	/* Resolver modules, such as nss-mymachines, may load libcap. */
	{"prctl", PASS_KNOWN_CAPS},
	{"recvfrom", PASS_ALWAYS},
	{"recvmmsg", PASS_ALWAYS},
	{"recvmsg", PASS_ALWAYS},
	{"sendmmsg", PASS_ALWAYS},
	{"sendmsg", PASS_ALWAYS},
	{"sendto", PASS_ALWAYS},
	{"setsockopt", PASS_ALWAYS},
	{"shutdown", PASS_ALWAYS},
	{"socket", PASS_SOCKETS},
	{"socketpair", PASS_ALWAYS},
	{NULL, PASS_ALWAYS},
};

static const struct call start[] = {
	{"arch_prctl", PASS_ALWAYS},
	{"capget", PASS_ALWAYS},
	{"capset", PASS_ALWAYS},
	{"clone", PASS_ALWAYS},
	{"clone3", PASS_ALWAYS},
	{"close_range", PASS_ALWAYS},
	{"dup2", PASS_ALWAYS},
	{"dup3", PASS_ALWAYS},
	{"execve", PASS_ALWAYS},
	{"fork", PASS_ALWAYS},
	{"landlock_add_rule", PASS_ALWAYS},
	{"landlock_create_ruleset", PASS_ALWAYS},
	{"landlock_restrict_self", PASS_ALWAYS},
	{"mmap", PASS_ALWAYS},
	{"mprotect", PASS_ALWAYS},
	{"pidfd_open", PASS_ALWAYS},
	{"pipe", PASS_ALWAYS},
	{"pipe2", PASS_ALWAYS},
	{"prctl", PASS_ALWAYS},
	{"prlimit64", PASS_OWN_LIMITS},
	{"rseq", PASS_ALWAYS},
	{"rt_sigaction", PASS_ALWAYS},
	{"seccomp", PASS_ALWAYS},
	{"set_robust_list", PASS_ALWAYS},
	{"set_tid_address", PASS_ALWAYS},
	{"setpgid", PASS_ALWAYS},
	{"umask", PASS_ALWAYS},
	{"vfork", PASS_ALWAYS},
	{NULL, PASS_ALWAYS},
};

static const struct call mind[] = {
	{"epoll_create1", PASS_ALWAYS},
	{"epoll_ctl", PASS_ALWAYS},
	{"epoll_pwait", PASS_ALWAYS},
	{"epoll_wait", PASS_ALWAYS},
	{"kill", PASS_ALWAYS},
	{"memfd_create", PASS_ALWAYS},
	{"pidfd_send_signal", PASS_ALWAYS},
	{"signalfd4", PASS_ALWAYS},
	{"tgkill", PASS_ALWAYS},
	{"timerfd_create", PASS_ALWAYS},
	{"timerfd_settime", PASS_ALWAYS},
	{"wait4", PASS_ALWAYS},
	{"waitid", PASS_ALWAYS},
	{NULL, PASS_ALWAYS},
};

static const struct call serve[] = {
	{"accept4", PASS_ALWAYS},
	{"bind", PASS_ALWAYS},
	{"epoll_create1", PASS_ALWAYS},
	{"epoll_ctl", PASS_ALWAYS},
	{"epoll_pwait", PASS_ALWAYS},
	{"epoll_wait", PASS_ALWAYS},
	{"getpeername", PASS_ALWAYS},
	{"getsockname", PASS_ALWAYS},
	{"getsockopt", PASS_ALWAYS},
	{"ioctl", PASS_INTERFACES},
	{"listen", PASS_ALWAYS},
	{"recvfrom", PASS_ALWAYS},
	{"recvmsg", PASS_ALWAYS},
	{"sendmsg", PASS_ALWAYS},
	{"sendto", PASS_ALWAYS},
	{"setsockopt", PASS_ALWAYS},
	{"shutdown", PASS_ALWAYS},
	{"socket", PASS_SOCKETS},
	{NULL, PASS_ALWAYS},
};

static const struct call listen_[] = {
	{"bind", PASS_ALWAYS},
	{"getsockname", PASS_ALWAYS},
	{"getsockopt", PASS_ALWAYS},
	{"ioctl", PASS_VERBS},
	/* The providers of libibverbs are shared libraries. */
	{"mmap", PASS_NOT_BOTH},
	{"recvfrom", PASS_ALWAYS},
	{"recvmsg", PASS_ALWAYS},
	{"sendmsg", PASS_ALWAYS},
	{"sendto", PASS_ALWAYS},
	{"setsockopt", PASS_ALWAYS},
	{"socket", PASS_NETLINK},
	{NULL, PASS_ALWAYS},
};

static const struct {
	const char *name;
	const struct call *calls;
} groups_of_calls[CALLFILTER_GROUP_N] = {
	[CALLFILTER_PLAIN] = {"plain", plain},
	[CALLFILTER_OPEN] = {"open", open_},
	[CALLFILTER_KEEP] = {"keep", keep},
	[CALLFILTER_THREADS] = {"threads", threads},
	[CALLFILTER_TALK] = {"talk", talk},
	[CALLFILTER_START] = {"start", start},
	[CALLFILTER_MIND] = {"mind", mind},
	[CALLFILTER_SERVE] = {"serve", serve},
	[CALLFILTER_LISTEN] = {"listen", listen_},
};

const char *
callfilter_group_name(enum callfilter_group group)
{
	return groups_of_calls[group].name;
}

const char *
callfilter_call_name(enum callfilter_group group, size_t index)
{
	return groups_of_calls[group].calls[index].name;
}

/* --- the message before the process ends --- */

static const char *program_name;

/* Call names by number, for this architecture. */
static const char *const names[] = {
#include "syscallnames.inc"
};

static char *
put(char *at, const char *end, const char *text)
{
	while (*text != '\0' && at < end)
		*at++ = *text++;
	return at;
}

static char *
put_number(char *at, const char *end, unsigned number)
{
	char digits[sizeof "4294967295"], *first = digits + sizeof digits - 1;
	*first = '\0';
	do
		*--first = (char)('0' + number % 10);
	while ((number /= 10) != 0);
	return put(at, end, first);
}

/* Name the refused call, using only write(2): the signal may have interrupted any code. Then make
 * another refused call: while SIGSYS is being handled, the kernel does not deliver it again but
 * kills the process with it. */
static void
on_refusal(int signal_number, siginfo_t *info, void *context)
{
	char line[160], *at = line;
	const char *end = line + sizeof line - 1;
	unsigned number = (unsigned)info->si_syscall;
	const char *name = number < ARRAY_COUNT(names) ? names[number] : NULL;
	(void)signal_number;
	(void)context;
	at = put(at, end, program_name);
	at = put(at, end, ": error: confinement: system call ");
	at = put(at, end, name != NULL ? name : "number");
	at = put(at, end, " (");
	at = put_number(at, end, number);
	at = put(at, end, ") or its arguments are not allowed: terminating");
	*at++ = '\n';
	ssize_t ignored = write(STDERR_FILENO, line, (size_t)(at - line));
	(void)ignored;
	/* No group allows ptrace. */
	syscall(SYS_ptrace, -1L, 0L, NULL, NULL);
	_exit(EXIT_OS);
}

static int
catch_refusal(void)
{
	struct sigaction action = {.sa_sigaction = on_refusal, .sa_flags = SA_SIGINFO};
	sigemptyset(&action.sa_mask);
	return sigaction(SIGSYS, &action, NULL);
}

/* --- the filter --- */

#define ADD(action, ...) \
	seccomp_rule_add_array(filter, action, number, \
		sizeof((struct scmp_arg_cmp[]){__VA_ARGS__}) / sizeof(struct scmp_arg_cmp), \
		(struct scmp_arg_cmp[]){__VA_ARGS__})

/* Build an argument comparison; for SCMP_CMP_MASKED_EQ `first` is the mask. */
static struct scmp_arg_cmp
arg(unsigned index, enum scmp_compare how, uint64_t first, uint64_t second)
{
	return (struct scmp_arg_cmp){.arg = index, .op = how, .datum_a = first, .datum_b = second};
}

/* Allow the call with each of these values of `argument`; other arguments are not checked. Return
 * 0, or a negative errno. */
static int
add_values(
	scmp_filter_ctx filter, int number, unsigned argument, const uint64_t *values, size_t count)
{
	int status = 0;
	for (size_t i = 0; i < count && status == 0; i++)
		status = ADD(SCMP_ACT_ALLOW, arg(argument, SCMP_CMP_EQ, values[i], 0));
	return status;
}

/* Allow netlink sockets of these protocols. Return 0, or a negative errno. */
static int
add_protocols(scmp_filter_ctx filter, int number, const int *protocols, size_t count)
{
	int status = 0;
	for (size_t i = 0; i < count && status == 0; i++)
		status = ADD(SCMP_ACT_ALLOW, arg(0, SCMP_CMP_EQ, AF_NETLINK, 0),
			arg(2, SCMP_CMP_EQ, (uint64_t)protocols[i], 0));
	return status;
}

/* Name look-ups read this machine's addresses from netlink; sock_diag reports which user owns a
 * local connection. */
static int
add_sockets(scmp_filter_ctx filter, int number)
{
	static const int families[] = {AF_UNIX, AF_INET, AF_INET6};
	static const int types[] = {SOCK_STREAM, SOCK_DGRAM};
	static const int protocols[] = {NETLINK_ROUTE, NETLINK_SOCK_DIAG};
	const uint64_t kind = ~(uint64_t)(SOCK_CLOEXEC | SOCK_NONBLOCK);
	int status = 0;
	for (size_t i = 0; i < ARRAY_COUNT(families); i++)
		for (size_t j = 0; j < ARRAY_COUNT(types) && status == 0; j++)
			status = ADD(SCMP_ACT_ALLOW, arg(0, SCMP_CMP_EQ, (uint64_t)families[i], 0),
				arg(1, SCMP_CMP_MASKED_EQ, kind, (uint64_t)types[j]));
	return status == 0 ? add_protocols(filter, number, protocols, ARRAY_COUNT(protocols))
			   : status;
}

static int
add_netlink(scmp_filter_ctx filter, int number)
{
	static const int protocols[] = {NETLINK_ROUTE, NETLINK_KOBJECT_UEVENT, NETLINK_RDMA};
	return add_protocols(filter, number, protocols, ARRAY_COUNT(protocols));
}

static int
add_call(scmp_filter_ctx filter, int number, enum pass pass)
{
	/* isatty() of glibc uses TCGETS2 from version 2.42 on. */
	static const uint64_t ioctl_requests[] = {TCGETS, TCGETS2, TIOCGWINSZ, FIONREAD, SIOCOUTQ};
	static const uint64_t interface_requests[] = {SIOCGIFINDEX, SIOCGIFNAME};
	switch (pass) {
	case PASS_ALWAYS:
		return seccomp_rule_add(filter, SCMP_ACT_ALLOW, number, 0);
	case PASS_NOT_BOTH:
		return ADD(SCMP_ACT_ALLOW, arg(2, SCMP_CMP_MASKED_EQ, PROT_WRITE, 0));
	case PASS_NOT_RUN:
		return ADD(SCMP_ACT_ALLOW, arg(2, SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
	case PASS_FOR_SELF:
		return ADD(SCMP_ACT_ALLOW, arg(0, SCMP_CMP_EQ, (uint64_t)getpid(), 0));
	case PASS_OWN_THREADS:
		return ADD(SCMP_ACT_ALLOW, arg(0, SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD));
	case PASS_UNKNOWN:
		return seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), number, 0);
	case PASS_OWN_LIMITS:
		return ADD(SCMP_ACT_ALLOW, arg(0, SCMP_CMP_EQ, 0, 0));
	case PASS_READ_LIMITS:
		return ADD(SCMP_ACT_ALLOW, arg(0, SCMP_CMP_EQ, 0, 0), arg(2, SCMP_CMP_EQ, 0, 0));
	case PASS_NOT_SIGSYS:
		return ADD(SCMP_ACT_ALLOW, arg(0, SCMP_CMP_NE, SIGSYS, 0));
	case PASS_TERMINAL:
		return add_values(filter, number, 1, ioctl_requests, ARRAY_COUNT(ioctl_requests));
	case PASS_CONNECTED:
		return ADD(SCMP_ACT_ALLOW, arg(4, SCMP_CMP_EQ, 0, 0));
	case PASS_SOCKETS:
		return add_sockets(filter, number);
	case PASS_NETLINK:
		return add_netlink(filter, number);
	case PASS_KNOWN_CAPS:
		return ADD(SCMP_ACT_ALLOW, arg(0, SCMP_CMP_EQ, PR_CAPBSET_READ, 0));
	case PASS_INTERFACES:
		return add_values(
			filter, number, 1, interface_requests, ARRAY_COUNT(interface_requests));
	case PASS_VERBS:
		return ADD(SCMP_ACT_ALLOW, arg(1, SCMP_CMP_EQ, RDMA_VERBS_IOCTL, 0));
	}
	return -EINVAL;
}

/* A call that is always allowed needs no other rule, and a stricter one would conflict with it. */
static bool
passes_always(unsigned groups, const char *name)
{
	for (enum callfilter_group group = 0; group < CALLFILTER_GROUP_N; group++) {
		if ((groups & CALLFILTER_BIT(group)) == 0)
			continue;
		for (const struct call *call = groups_of_calls[group].calls; call->name != NULL;
			call++)
			if (call->pass == PASS_ALWAYS && strcmp(call->name, name) == 0)
				return true;
	}
	return false;
}

static int
add_group(scmp_filter_ctx filter, unsigned groups, enum callfilter_group group)
{
	int status = 0;
	for (const struct call *call = groups_of_calls[group].calls;
		call->name != NULL && status == 0; call++) {
		int number = seccomp_syscall_resolve_name(call->name);
		/* Not every architecture has every call. */
		if (number < 0 || (call->pass != PASS_ALWAYS && passes_always(groups, call->name)))
			continue;
		status = add_call(filter, number, call->pass);
		/* Another group added the same rule. */
		if (status == -EEXIST)
			status = 0;
	}
	return status;
}

int
callfilter_enforce(unsigned groups, const char *program)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_TRAP);
	int status = filter != NULL ? 0 : -ENOMEM;
	program_name = program;
	if (status == 0 && catch_refusal() < 0)
		status = -errno;
	if (status == 0)
		status = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
	if (status == 0)
		status = seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1);
	/* Do not enable SSBD and STIBP, which a filter enabled by default before Linux 5.16 and
	 * which slow down the processor. They protect programs that run untrusted code. */
	if (status == 0)
		status = seccomp_attr_set(filter, SCMP_FLTATR_CTL_SSB, 1);
	/* Build the filter as a binary tree, not as a list. */
	if (status == 0)
		status = seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	for (enum callfilter_group group = 0; group < CALLFILTER_GROUP_N && status == 0; group++)
		if ((groups & CALLFILTER_BIT(group)) != 0)
			status = add_group(filter, groups, group);
	if (status == 0)
		status = seccomp_load(filter);
	seccomp_release(filter);
	return status;
}

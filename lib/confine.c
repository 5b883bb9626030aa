/* confine - drops the privileges that a program does not need. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "confine.h"

#include "array.h"
#include "callfilter.h"
#include "diag.h"
#include "ownfile.h"
#include "words.h"
#ifdef TEST_TAKEOVER /* never in shipped programs: see test/takeover */
#include "../test/takeover/takeover.h"
#endif

#include <assert.h>
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <link.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* --- the programs --- */

struct confine_program {
	const char *name;
	unsigned calls;        /* groups of callfilter.h */
	bool any_port;         /* only its children know which TCP ports are needed */
	bool is_secretive;     /* has secrets in memory: tokens and addresses */
	unsigned descriptors;  /* limit of open descriptors; 0: unchanged */
	uint64_t capabilities; /* capabilities to keep, if it has them */
};

#define CALLS(group) CALLFILTER_BIT(CALLFILTER_##group)
#define READS (CALLS(PLAIN) | CALLS(OPEN))

/* Without these root cannot read or replace files of other users. The file rules decide which
 * files. */
#define CAPABILITY(name) (UINT64_C(1) << CAP_##name)
#define ANY_FILE (CAPABILITY(DAC_OVERRIDE) | CAPABILITY(DAC_READ_SEARCH) | CAPABILITY(FOWNER))

/* A program that starts others must keep what they need, and what they need to confine
 * themselves. */
#define STARTS (READS | CALLS(KEEP) | CALLS(THREADS) | CALLS(START) | CALLS(MIND))

static const struct confine_program programs[] = {
	{"blastradius", .calls = READS | CALLS(KEEP), .descriptors = 64, .capabilities = ANY_FILE},
	{"correlate", .calls = READS | CALLS(KEEP), .descriptors = 64, .capabilities = ANY_FILE},
	{"ctreval", .calls = READS | CALLS(KEEP), .descriptors = 64, .capabilities = ANY_FILE},
	{"emit", .calls = READS | CALLS(KEEP) | CALLS(THREADS) | CALLS(TALK), .is_secretive = true,
		.capabilities = ANY_FILE},
	{"fleetpage", .calls = READS | CALLS(SERVE) | CALLS(LISTEN), .descriptors = 256,
		.capabilities = ANY_FILE},
	{"fleetread", .calls = READS | CALLS(THREADS) | CALLS(TALK), .is_secretive = true,
		.capabilities = ANY_FILE},
	{"fleetsetup", .calls = READS | CALLS(THREADS) | CALLS(TALK), .is_secretive = true,
		.capabilities = ANY_FILE},
	{"fleetview", .calls = READS, .descriptors = 64, .capabilities = ANY_FILE},
	{"ibevent", .calls = READS | CALLS(THREADS) | CALLS(LISTEN), .descriptors = 256,
		.capabilities = ANY_FILE},
	{"ibscan", .calls = READS | CALLS(KEEP) | CALLS(THREADS), .capabilities = ANY_FILE},
	{"lnetread", .calls = READS, .descriptors = 64, .capabilities = ANY_FILE},
	{"logmatch", .calls = READS | CALLS(KEEP), .descriptors = 64, .capabilities = ANY_FILE},
	{"nic-health-monitor", .calls = STARTS | CALLS(TALK) | CALLS(SERVE) | CALLS(LISTEN),
		.any_port = true, .is_secretive = true,
		.capabilities = ANY_FILE | CAPABILITY(SYSLOG)},
	{"niccheck", .calls = STARTS, .capabilities = ANY_FILE},
	{"nicdiff", .calls = READS, .descriptors = 64},
	/* SQLite makes files beside the spool of another user, and gives them to that user, who
	 * could not open the spool otherwise. */
	{"nichist", .calls = READS | CALLS(KEEP) | CALLS(THREADS) | CALLS(TALK),
		.is_secretive = true, .capabilities = ANY_FILE | CAPABILITY(CHOWN)},
	{"nicsilence", .calls = READS | CALLS(KEEP), .descriptors = 64, .capabilities = ANY_FILE},
	{"nicview", .calls = STARTS, .capabilities = ANY_FILE},
	{"nicwhy", .calls = READS, .descriptors = 64},
	{"pcitopo", .calls = READS, .descriptors = 64, .capabilities = ANY_FILE},
	{"rdmatrace", .calls = READS | CALLS(KEEP), .descriptors = 64},
	{"topoclass", .calls = READS, .descriptors = 64, .capabilities = ANY_FILE},
	{"topoparse", .calls = READS, .descriptors = 64, .capabilities = ANY_FILE},
};

const char *
confine_program_name(size_t index)
{
	return index < ARRAY_COUNT(programs) ? programs[index].name : NULL;
}

unsigned
confine_program_calls(size_t index)
{
	return programs[index].calls;
}

/* --- the option --- */

static const char *const mode_names[CONFINE_MODE_N] = {
	[CONFINE_TRY] = "try", [CONFINE_REQUIRE] = "require", [CONFINE_OFF] = "off"};
const struct opt_words confine_words = {mode_names, CONFINE_MODE_N, "not one of try, require, off"};

#ifndef __has_feature /* clang only */
#define __has_feature(feature) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
	__has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_SANITIZER true
#else
#define HAS_SANITIZER false
#endif

const char *
confine_mode_name(enum confine_mode mode)
{
	return mode_names[mode];
}

enum confine_mode
confine_default(void)
{
	const char *word = getenv("NHM_CONFINE");
	size_t mode = word != NULL ? words_find(mode_names, CONFINE_MODE_N, word) : CONFINE_MODE_N;
	if (mode < CONFINE_MODE_N)
		return (enum confine_mode)mode;
	return HAS_SANITIZER ? CONFINE_OFF : CONFINE_TRY;
}

/* --- rights to keep --- */

/* As many links as the kernel follows. */
#define LINKS_MAX 40

static const struct confine_program *
find_program(const char *name)
{
	size_t i = 0;
	while (i + 1 < ARRAY_COUNT(programs) && strcmp(programs[i].name, name) != 0)
		i++;
	assert(strcmp(programs[i].name, name) == 0);
	return &programs[i];
}

void
confine_init(struct confine *confine, const char *program, enum confine_mode mode)
{
	*confine =
		(struct confine){.program = find_program(program), .mode = mode, .landlock.fd = -1};
	ownfile_learn_users();
	if (mode != CONFINE_OFF &&
		landlock_init(&confine->landlock, confine->program->any_port) < 0)
		confine->landlock_error = errno;
}

void
confine_allow(struct confine *confine, const char *path, enum landlock_use use)
{
	if (path == NULL || confine->landlock.fd < 0)
		return;
	/* A path that cannot be opened now cannot be opened later either. */
	if (landlock_allow(&confine->landlock, path, use) < 0)
		diag_debug("confinement: %s: %s", path, strerror(errno));
}

/* Allow a directory, or the nearest one above it that exists and that its disk can read. */
static void
allow_nearest(struct confine *confine, char *directory, enum landlock_use use)
{
	while (access(directory, F_OK) < 0 && (errno == ENOENT || errno == ENOTDIR || errno == EIO))
		directory = dirname(directory);
	if (strcmp(directory, "/") != 0)
		confine_allow(confine, directory, use);
}

/* Replace `path`, if it is a symbolic link, by what it leads to, which need not exist: a log that
 * was rotated away is created again. Return false if it is no link, or leads nowhere. */
static bool
follow(char path[PATH_MAX])
{
	char target[PATH_MAX], directory[PATH_MAX];
	int links = 0;
	for (ssize_t length; (length = readlink(path, target, sizeof target - 1)) >= 0; links++) {
		target[length] = '\0';
		snprintf(directory, sizeof directory, "%s", path);
		int n = *target == '/'
				? snprintf(path, PATH_MAX, "%s", target)
				: snprintf(path, PATH_MAX, "%s/%s", dirname(directory), target);
		if (n >= PATH_MAX || links == LINKS_MAX)
			return false;
	}
	return links > 0;
}

void
confine_allow_beside(struct confine *confine, const char *path, enum landlock_use use)
{
	char room[PATH_MAX], target[PATH_MAX];
	if (path == NULL || (size_t)snprintf(room, sizeof room, "%s", path) >= sizeof room)
		return;
	memcpy(target, room, sizeof target);
	allow_nearest(confine, dirname(room), use);
	if (follow(target))
		allow_nearest(confine, dirname(target), use);
}

/* Find the dynamic loader, which the kernel runs with each program; all our programs use the
 * same. */
static int
find_loader(struct dl_phdr_info *info, size_t size, void *context)
{
	const char **loader = context;
	(void)size;
	for (size_t i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_INTERP)
			/* NOLINTNEXTLINE(performance-no-int-to-ptr): it is an address */
			*loader = (const char *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	return 1;
}

void
confine_allow_starting(struct confine *confine, const char *directory, const char *program)
{
	char path[PATH_MAX];
	const char *loader = NULL;
	dl_iterate_phdr(find_loader, &loader);
	confine_allow(confine, loader, LANDLOCK_RUN);
	if ((size_t)snprintf(path, sizeof path, "%s/%s", directory, program) < sizeof path)
		confine_allow(confine, path, LANDLOCK_RUN);
	confine_allow(confine, "/", LANDLOCK_READ);
}

void
confine_allow_connecting(struct confine *confine, uint16_t port)
{
	if (confine->landlock.fd >= 0 && landlock_allow_connecting(&confine->landlock, port) < 0)
		diag_debug("confinement: port %u: %s", port, strerror(errno));
}

void
confine_allow_listening(struct confine *confine, uint16_t port)
{
	if (confine->landlock.fd >= 0 && landlock_allow_listening(&confine->landlock, port) < 0)
		diag_debug("confinement: port %u: %s", port, strerror(errno));
}

/* --- dropping privileges --- */

/* Report a missing protection. Return 0 to continue without it, else the exit code. */
static int
miss(const struct confine *confine, const char *what, int error)
{
	if (confine->mode == CONFINE_TRY) {
		diag_info("confinement: %s: %s: continuing without it", what, strerror(error));
		return 0;
	}
	diag_error(
		"confinement: %s: %s (--confine=try continues without it)", what, strerror(error));
	return EXIT_OS;
}

/* Only root, or a program that got capabilities from systemd or its file, has any to drop. */
static int
drop_capabilities(uint64_t kept)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
	if (syscall(SYS_capget, &header, data) < 0)
		return -1;
	uint32_t lost = 0;
	for (size_t i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
		uint32_t keep = (uint32_t)(kept >> 32 * i);
		lost |= (data[i].permitted | data[i].inheritable) & ~keep;
		data[i].effective &= keep;
		data[i].permitted &= keep;
		data[i].inheritable &= keep;
	}
	/* Skip capset() if there is nothing to drop: a seccomp filter, such as the unit's, may
	 * refuse it. */
	if (lost == 0)
		return 0;
	/* The kernel drops ambient capabilities with the permitted and inheritable ones. */
	return (int)syscall(SYS_capset, &header, data);
}

static int
limit(int resource, rlim_t most)
{
	struct rlimit limit;
	if (getrlimit(resource, &limit) < 0)
		return -1;
	if (limit.rlim_max > most)
		limit.rlim_max = most;
	if (limit.rlim_cur > limit.rlim_max)
		limit.rlim_cur = limit.rlim_max;
	return setrlimit(resource, &limit);
}

static int
limit_resources(const struct confine_program *program)
{
	if (program->descriptors != 0 && limit(RLIMIT_NOFILE, program->descriptors) < 0)
		return -1;
	if (!program->is_secretive)
		return 0;
	return prctl(PR_SET_DUMPABLE, 0) < 0 || limit(RLIMIT_CORE, 0) < 0 ? -1 : 0;
}

static int
enforce_landlock(const struct confine *confine)
{
	int error = confine->landlock_error;
	if (error == 0 && landlock_enforce(&confine->landlock) < 0)
		error = errno;
	return error != 0 ? miss(confine, "Landlock", error) : 0;
}

static int
give_up(const struct confine *confine)
{
	const struct confine_program *program = confine->program;
	int status = 0;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		status = miss(confine, "no_new_privs", errno);
	if (status == 0)
		status = enforce_landlock(confine);
	if (status == 0 && drop_capabilities(program->capabilities) < 0)
		status = miss(confine, "capabilities", errno);
	if (status == 0 && limit_resources(program) < 0)
		status = miss(confine, "limits", errno);
	if (status != 0)
		return status;
	int error = -callfilter_enforce(program->calls, program->name);
	return error != 0 ? miss(confine, "seccomp", error) : 0;
}

#ifdef TEST_TAKEOVER
/* Weaken the protection that $NHM_TAKEOVER_WEAK names; the test must notice it. */
static void
weaken(struct confine *confine)
{
	static struct confine_program weak;
	const char *which = getenv("NHM_TAKEOVER_WEAK");
	if (which == NULL)
		return;
	weak = *confine->program;
	if (strcmp(which, "calls") == 0)
		weak.calls |= CALLS(START);
	else if (strcmp(which, "capabilities") == 0)
		weak.capabilities = UINT64_MAX;
	else if (strcmp(which, "files") == 0)
		confine_allow(confine, "/", LANDLOCK_READ);
	confine->program = &weak;
}
#endif

int
confine_enter(struct confine *confine)
{
#ifdef TEST_TAKEOVER
	weaken(confine);
#endif
	int status = confine->mode != CONFINE_OFF ? give_up(confine) : 0;
	landlock_fini(&confine->landlock);
#ifdef TEST_TAKEOVER
	takeover(confine->program->name);
#endif
	return status;
}

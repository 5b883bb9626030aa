/* confcopy - keeps a sealed copy of the configuration in force, and checks a new one. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "confcopy.h"

#include "clock.h"
#include "conf.h"
#include "confdoc.h"
#include "diag.h"
#include "fd.h"
#include "preflight.h"
#include "proc.h"
#include "settings.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* With these seals no process can change the file. */
#define SEALS (F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

/* Write the rules to `fd`, and close it. Return 0, or -1 with errno. */
static int
print_to(int fd, const struct conf *conf)
{
	FILE *out = fdopen(fd, "w");
	if (out == NULL) {
		close(fd);
		return -1;
	}
	int printed = conf_print(conf, out);
	int saved_errno = errno;
	if (fclose(out) != 0 && printed == 0)
		return -1;
	errno = saved_errno;
	return printed;
}

/* Return 0, or -1 with errno: EFBIG if the stages would reject the copy as too long. */
static int
write_sealed(int fd, const struct conf *conf)
{
	int out = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (out < 0 || print_to(out, conf) < 0)
		return -1;
	/* memfd_create() sets mode 0777, and the stages reject a file to which others may write. */
	if (fchmod(fd, 0444) < 0)
		return -1;
	if (lseek(fd, 0, SEEK_END) >= CONFDOC_MAX_BYTES) {
		errno = EFBIG;
		return -1;
	}
	return fcntl(fd, F_ADD_SEALS, SEALS);
}

int
confcopy_open(void)
{
	return memfd_create("configuration", MFD_CLOEXEC | MFD_ALLOW_SEALING);
}

int
confcopy_fill(int fd, const char *path)
{
	struct conf conf;
	int status = conf_load(&conf, path);
	if (status != 0)
		return status;
	int written = write_sealed(fd, &conf), failure = errno;
	conf_fini(&conf);
	if (written == 0)
		return 0;
	/* The copy spells out every rule, so it can be too large where the original is just small
	 * enough. */
	diag_error("%s: cannot copy all its rules: %s", conf_file(path), strerror(failure));
	return failure == EFBIG ? EXIT_CONFIG : EXIT_OS;
}

bool
confcopy_is_filled(int fd)
{
	return fcntl(fd, F_GET_SEALS) == SEALS;
}

int
confcopy_make(const char *path, int *fd)
{
	*fd = confcopy_open();
	if (*fd < 0) {
		diag_error("cannot copy the configuration: %s", strerror(errno));
		return EXIT_OS;
	}
	int status = confcopy_fill(*fd, path);
	if (status == 0)
		return 0;
	close(*fd);
	*fd = -1;
	return status;
}

/* --- checking a new configuration --- */

/* Name of the process in ps(1), at most 15 bytes. */
#define PROCESS_NAME "check-config"

/* Check that the sinks of the copy can work with the rights that remain. Return 0 or an exit code.
 */
static int
check_rights(int fd, const struct service_options *options, const struct confined *confined)
{
	struct settings fresh;
	if (settings_read(&fresh, fd) < 0) {
		diag_error("the configuration cannot be loaded: %s", strerror(errno));
		return EXIT_OS;
	}
	const struct service_options now = settings_apply(&fresh, options);
	bool has_kept = confined_has_kept(confined, &now);
	settings_fini(&fresh);
	return has_kept ? 0 : EXIT_CONFIG;
}

/* Main function of the child process. Try the stages as well: a configuration can be valid and name
 * a sysfs that does not exist, or the GPU metadata that the running topoclass has read may be gone.
 * Stages that run are worth more than new ones that fail for good. */
static _Noreturn void
check_and_exit(int fd, const char *programs, const struct service_options *options,
	const struct confined *confined)
{
	prctl(PR_SET_NAME, PROCESS_NAME);
	int status = confcopy_fill(fd, options->config_path);
	if (status == 0)
		status = preflight_run(programs, options, PREFLIGHT_RELOAD);
	if (status == 0)
		status = check_rights(fd, options, confined);
	_exit(status);
}

int
confcopy_begin_check(struct confcopy_check *check, const char *programs,
	const struct service_options *options, const struct confined *confined)
{
	int fd = confcopy_open();
	if (fd < 0)
		return -1;
	*check = (struct confcopy_check){
		.fd = fd, .deadline_ns = clock_monotonic_ns() + CONFCOPY_CHECK_LIMIT_NS};
	check->pid = proc_fork(fd, &check->pidfd);
	if (check->pid == 0)
		check_and_exit(fd, programs, options, confined);
	if (check->pid > 0)
		return 0;
	fd_close(fd);
	return -1;
}

/* Write why the configuration is rejected. Its errors have been printed. */
static void
describe_refusal(const siginfo_t *info, char *reason, size_t size)
{
	char end[64];
	if (info->si_code == CLD_EXITED)
		snprintf(reason, size, "the configuration cannot be used");
	else
		snprintf(reason, size, "the configuration was not checked: %s",
			proc_describe_end(info, end, sizeof end));
}

bool
confcopy_finish_check(struct confcopy_check *check, int *fd, char *reason, size_t size)
{
	siginfo_t info = {0};
	if (waitid(P_PIDFD, (id_t)check->pidfd, &info, WEXITED | WNOHANG) < 0 || info.si_pid == 0)
		return false;
	close(check->pidfd);
	*fd = check->fd;
	if (info.si_code == CLD_EXITED && info.si_status == 0 && confcopy_is_filled(check->fd))
		return true;
	close(check->fd);
	*fd = -1;
	describe_refusal(&info, reason, size);
	return true;
}

void
confcopy_drop_check(struct confcopy_check *check)
{
	kill(check->pid, SIGKILL);
	close(check->pidfd);
	close(check->fd);
}

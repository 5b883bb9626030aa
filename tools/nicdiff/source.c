/* source - reads the scans of a file of records, a capture, or a node's tree. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "source.h"

#include "diag.h"
#include "fd.h"
#include "filter.h"
#include "proc.h"
#include "sibling.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- records --- */

static void
keep_scan(struct source *source)
{
	/* Skip an extra scan, which has only some devices. */
	if (source->open.begin.extra)
		return;
	struct scan *kept = source->count == 0 ? &source->first : &source->last;
	if (!source->open.whole)
		diag_warn("scan %" PRId64 " is incomplete: what it lacks may still exist",
			source->open.begin.scan);
	/* ENOENT: there are no RDMA devices. */
	const char *error = source->open.end.error;
	if (error != NULL && strcmp(error, "ENOENT") != 0)
		diag_warn("scan %" PRId64 " could not list the devices (%s): they may still exist",
			source->open.begin.scan, error);
	scan_fini(kept);
	*kept = source->open;
	source->open = (struct scan){.open = false};
	source->count++;
}

static int
accept_record(void *context, struct intake *intake, struct intake_record *record)
{
	struct source *source = context;
	struct rec_error error;
	enum scanrec_kind kind = scanrec_kind(record->json);
	if (kind == SCANREC_OTHER || kind == SCANREC_STALL) {
		json_decref(record->json);
		return 0;
	}
	switch (scan_accept(&source->open, kind, record->json, &error)) {
	case SCAN_FINISHED:
		keep_scan(source);
		break;
	case SCAN_BAD:
		intake_reject(intake, &error);
		source->open.whole = false;
		break;
	case SCAN_NO_MEMORY:
		errno = ENOMEM;
		return -1;
	case SCAN_ACCEPTED:
	case SCAN_IGNORED:
		break;
	}
	return 0;
}

static void
lose(void *context)
{
	struct source *source = context;
	source->open.whole = false;
}

/* --- nhm-capture --- */

/* Converts anything but a file of records to scans. It reports its own errors; there is no scan
 * then. */
#define READER "nhm-capture"

/* Return 0, or -1 with errno. */
static int
start_reader(struct source *source, const char *operand)
{
	char path[SIBLING_PATH_SIZE];
	const char *argv[] = {READER, "--scan", operand, NULL};
	int ends[2];
	if (sibling_path(READER, path) < 0 || pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	const struct proc_command command = {
		.path = path, .argv = (char *const *)argv, .in = STDIN_FILENO, .out = ends[1]};
	pid_t pid = proc_spawn(&command, &source->pidfd);
	fd_close(ends[1]);
	if (pid < 0)
		fd_close(ends[0]);
	else
		source->fd = ends[0];
	return pid < 0 ? -1 : 0;
}

/* --- source --- */

/* Return true for directories, and for files that do not begin like records. A pipe cannot be
 * inspected. */
static bool
is_capture(int fd)
{
	struct stat status;
	char first;
	if (fstat(fd, &status) < 0)
		return false;
	if (S_ISDIR(status.st_mode))
		return true;
	return S_ISREG(status.st_mode) && pread(fd, &first, 1, 0) == 1 && first != '{';
}

int
source_open(struct source *source, const char *operand)
{
	*source = (struct source){.name = "stdin", .fd = STDIN_FILENO, .pidfd = -1};
	if (operand == NULL || strcmp(operand, "-") == 0)
		return 0;
	source->name = operand;
	source->fd = open(operand, O_RDONLY | O_CLOEXEC);
	if (source->fd < 0)
		return diag_open_failure(operand);
	if (!is_capture(source->fd))
		return 0;
	fd_close(source->fd);
	source->fd = -1;
	if (start_reader(source, operand) == 0)
		return 0;
	diag_error(READER " cannot be started: %s", strerror(errno));
	return EXIT_OS;
}

int
source_read(struct source *source)
{
	const struct filter filter = {
		.accept = accept_record, .lose = lose, .output_name = source->name};
	return filter_run_file(&filter, source, source->fd, source->name);
}

const struct scan *
source_last(const struct source *source)
{
	if (source->count == 0)
		return NULL;
	return source->count == 1 ? &source->first : &source->last;
}

void
source_fini(struct source *source)
{
	if (source->fd != STDIN_FILENO)
		fd_close(source->fd);
	fd_close(source->pidfd);
	scan_fini(&source->first);
	scan_fini(&source->last);
	scan_fini(&source->open);
}

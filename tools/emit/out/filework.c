/* filework - opens and writes a file or FIFO in a thread. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "filework.h"

#include "../store/worker.h"
#include "clock.h"
#include "num.h"
#include "ownfile.h"
#include "strbuf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Longest total wait for this file in a round: far more than a healthy disk needs, and too short to
 * delay other sinks. */
#define PATIENCE_NS (20 * NUM_NS_PER_MS)

/* While a call runs, the thread owns everything but `worker`, `has_begun`, `waited_ns` and
 * `full_since_ns`. */
struct filework {
	struct worker *worker;
	bool has_begun; /* a call was started whose result was not returned yet */
	uint64_t waited_ns;
	uint64_t full_since_ns; /* 0: not full */
	char *path;             /* NULL: `fd` is the caller's */
	int fd;
	bool in_line;       /* the last byte written is not a newline */
	struct strbuf text; /* copy of the bytes to write: has to outlive a late call */
	size_t written;
	int error; /* 0: success */
};

/* --- in the thread --- */

static void
close_file(void *context)
{
	struct filework *work = context;
	if (work->fd >= 0 && work->path != NULL)
		close(work->fd);
	if (work->path != NULL)
		work->fd = -1;
}

/* Complete a line that a killed writer or a full disk has cut, so that the next event starts on a
 * new line. */
static int
mend_last_line(int fd)
{
	struct stat status;
	char last = '\n';
	if (fstat(fd, &status) < 0)
		return -1;
	if (!S_ISREG(status.st_mode) || status.st_size == 0)
		return 0;
	if (pread(fd, &last, 1, status.st_size - 1) < 0)
		return -1;
	return last == '\n' || write(fd, "\n", 1) == 1 ? 0 : -1;
}

static void
open_file(void *context)
{
	struct filework *work = context;
	struct stat status;
	close_file(work);
	bool is_fifo = stat(work->path, &status) == 0 && S_ISFIFO(status.st_mode);
	/* O_NONBLOCK: opening a FIFO without a reader fails (ENXIO: the sink is down), and writing
	 * to a full one does not block. It has no effect on a regular file. That is opened for
	 * reading, too, to check its last byte. */
	work->fd = open(work->path,
		(is_fifo ? O_WRONLY : O_RDWR) | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY |
			O_NONBLOCK | ownfile_link_flag(work->path),
		0640);
	work->in_line = false;
	work->error = work->fd < 0 || mend_last_line(work->fd) < 0 ? errno : 0;
	if (work->error != 0)
		close_file(work);
}

/* Return true if the file was rotated away. */
static bool
is_stale(const struct filework *work)
{
	struct stat at_path, ours;
	return stat(work->path, &at_path) < 0 || fstat(work->fd, &ours) < 0 ||
	       at_path.st_dev != ours.st_dev || at_path.st_ino != ours.st_ino;
}

static void
write_file(void *context)
{
	struct filework *work = context;
	work->error = 0;
	work->written = 0;
	if (work->path != NULL && !work->in_line && is_stale(work))
		open_file(work);
	if (work->error != 0)
		return;
	ssize_t n = write(work->fd, work->text.bytes, work->text.length);
	if (n < 0 && errno != EAGAIN && errno != EINTR)
		work->error = errno;
	if (n <= 0)
		return;
	work->written = (size_t)n;
	work->in_line = work->text.bytes[n - 1] != '\n';
}

/* --- for the loop --- */

struct filework *
filework_new(const char *path, int fd)
{
	struct filework *work = calloc(1, sizeof *work);
	if (work == NULL)
		return NULL;
	work->path = path != NULL ? strdup(path) : NULL;
	work->fd = path != NULL ? -1 : fd;
	work->worker = work->path != NULL || path == NULL ? worker_new() : NULL;
	if (work->worker != NULL)
		return work;
	free(work->path);
	free(work);
	errno = ENOMEM;
	return NULL;
}

/* Wait for the running call within this round's limit. */
static bool
wait_for_it(struct filework *work)
{
	uint64_t began_ns = clock_monotonic_ns();
	bool has_ended = worker_wait(
		work->worker, work->waited_ns < PATIENCE_NS ? PATIENCE_NS - work->waited_ns : 0);
	work->waited_ns += clock_monotonic_ns() - began_ns;
	work->has_begun = !has_ended;
	return has_ended;
}

static enum filework_status
answer(const struct filework *work, int *error)
{
	*error = work->error;
	return work->error == 0 ? FILEWORK_DONE : FILEWORK_FAILED;
}

enum filework_status
filework_open(struct filework *work, int *error)
{
	if (!work->has_begun) {
		work->full_since_ns = 0;
		worker_begin(work->worker, open_file, work);
	}
	return wait_for_it(work) ? answer(work, error) : FILEWORK_LATE;
}

enum filework_status
filework_write(struct filework *work, const char *bytes, size_t length, size_t *written, int *error)
{
	*written = 0;
	if (!work->has_begun) {
		strbuf_clear(&work->text);
		strbuf_add(&work->text, bytes, length);
		if (work->text.is_short) {
			*error = ENOMEM;
			return FILEWORK_FAILED;
		}
		worker_begin(work->worker, write_file, work);
	}
	if (!wait_for_it(work))
		return FILEWORK_LATE;
	*written = work->written;
	if (work->written > 0 || work->error != 0)
		work->full_since_ns = 0;
	else if (work->full_since_ns == 0)
		work->full_since_ns = clock_monotonic_ns();
	return answer(work, error);
}

void
filework_turn(struct filework *work)
{
	work->waited_ns = 0;
}

int
filework_file(const struct filework *work)
{
	return work->fd;
}

int
filework_fd(const struct filework *work)
{
	return work->has_begun ? worker_fd(work->worker) : -1;
}

uint64_t
filework_stuck_since_ns(const struct filework *work)
{
	return work->has_begun ? worker_late_since_ns(work->worker) : work->full_since_ns;
}

void
filework_free(struct filework *work)
{
	if (work == NULL || !worker_wait(work->worker, 0))
		return;
	worker_begin(work->worker, close_file, work);
	if (!worker_wait(work->worker, PATIENCE_NS))
		return;
	worker_free(work->worker);
	free(work->path);
	strbuf_fini(&work->text);
	free(work);
}

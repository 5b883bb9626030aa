/* follow - polls a file that each new read replaces. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "follow.h"

#include "clock.h"
#include "diag.h"
#include "ownfile.h"
#include "stop.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Identifies the contents that were processed last. */
struct seen {
	dev_t device;
	ino_t inode;
	off_t size;
	struct timespec modified;
	bool is_believed; /* only root and this user may write to it */
	int error;        /* why it could not be opened, already printed; 0: it was */
};

static bool
is_same(const struct seen *a, const struct seen *b)
{
	return a->error == b->error && a->is_believed == b->is_believed && a->device == b->device &&
	       a->inode == b->inode && a->size == b->size &&
	       a->modified.tv_sec == b->modified.tv_sec &&
	       a->modified.tv_nsec == b->modified.tv_nsec;
}

/* Open the file, without waiting if it is a FIFO, and fill `now`. Return the descriptor, or -1.
 * `distrust`: why the file's contents must not be used. */
static int
open_file(const char *path, struct seen *now, char distrust[OWNFILE_REASON_SIZE])
{
	struct stat status;

	*now = (struct seen){0};
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
		now->device = status.st_dev;
		now->inode = status.st_ino;
		now->size = status.st_size;
		now->modified = status.st_mtim;
		now->is_believed = ownfile_may_believe(fd, distrust);
		return fd;
	}
	now->error = fd < 0 ? errno : EINVAL;
	if (fd >= 0)
		close(fd);
	return -1;
}

static int
pass_changed(struct pass *pass, const char *path, struct seen *seen)
{
	struct seen now;
	char distrust[OWNFILE_REASON_SIZE];
	int status = 0;

	int fd = open_file(path, &now, distrust);
	if (!is_same(&now, seen)) {
		if (now.is_believed)
			status = pass_all(pass, fd, path);
		else
			diag_warn("%s: %s", path,
				fd >= 0               ? distrust
				: now.error == EINVAL ? "not a file"
						      : strerror(now.error));
		*seen = now;
	}
	if (fd >= 0)
		close(fd);
	return status;
}

int
follow(struct pass *pass, const char *path, uint64_t interval_ns, struct metrics *metrics)
{
	struct seen seen = {.error = 0, .size = -1};
	int status = 0;

	while (status == 0 && !stop_requested()) {
		status = pass_changed(pass, path, &seen);
		metrics_tick(metrics);
		diag_catch_up();
		if (status == 0 && !stop_requested())
			stop_poll(NULL, 0, interval_ns);
	}
	return status;
}

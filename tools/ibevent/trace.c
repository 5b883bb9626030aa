/* trace - reads events of other processes' objects and of the connection manager from a
 * trace_pipe. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "trace.h"

#include "diag.h"
#include "fd.h"
#include "traceline.h"

#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

/* The kernel's lines are at most a page long. */
#define LINE_MAX_BYTES 4096

/* Without O_NONBLOCK, open() of a FIFO would block until there is a writer. */
static int
open_path(const char *path)
{
	return open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
}

int
trace_open(struct trace *trace, const char *path, struct devicelook *look,
	const struct verbs *verbs, struct output *output)
{
	*trace = (struct trace){.path = path, .look = look, .verbs = verbs, .output = output};
	/* Without random bytes use the clock: counting needs some salt. */
	if (getrandom(&trace->peers.salt, sizeof trace->peers.salt, GRND_NONBLOCK) < 0)
		trace->peers.salt = clock_realtime_ns();
	trace->fd = open_path(path);
	line_reader_init(&trace->reader, trace->fd, LINE_MAX_BYTES);
	return trace->fd < 0 ? -1 : 0;
}

static void
warn(struct trace *trace, const char *reason)
{
	if (!trace->has_warned)
		diag_warn("%s: line %" PRIu64
			  ": %s: skipped (further lines like it are not reported)",
			trace->path, trace->lines, reason);
	trace->has_warned = true;
}

static void
complete_cm(struct trace *trace, const struct traceline_ends *ends, struct notice *notice)
{
	devicelook_address(trace->look, &ends->here, notice);
	if (strcmp(notice->cause, "network") == 0 && *notice->device != '\0' &&
		ends->peer.family != AF_UNSPEC)
		notice->peers = failedpeers_note(
			&trace->peers, notice->device, &ends->peer, clock_monotonic_ns());
}

static void
accept_line(struct trace *trace, const char *line)
{
	struct notice notice;
	struct traceline_ends ends;
	switch (traceline_parse(line, &notice, &ends)) {
	case TRACELINE_NOTICE:
		if (notice.kind == NOTICE_CM)
			complete_cm(trace, &ends, &notice);
		output_accept(trace->output, &notice);
		break;
	case TRACELINE_OF_DEVICE:
		if (!verbs_watches(trace->verbs, notice.device))
			output_accept(trace->output, &notice);
		break;
	case TRACELINE_MALFORMED:
		warn(trace, "not in the kernel's format");
		break;
	case TRACELINE_OTHER:
		break;
	}
}

int
trace_read(struct trace *trace)
{
	char *line;
	size_t length;
	enum line_status filled = line_fill(&trace->reader), status;
	if (filled == LINE_ERROR)
		return -1;
	while ((status = line_next(&trace->reader, &line, &length)) == LINE_OK ||
		status == LINE_OVERSIZED) {
		trace->lines++;
		if (status == LINE_OK)
			accept_line(trace, line);
		else
			warn(trace, "too long");
	}
	return status == LINE_MORE ? 0 : status == LINE_END ? 1 : -1;
}

int
trace_reopen(struct trace *trace)
{
	struct stat status;
	if (fstat(trace->fd, &status) < 0 || !S_ISFIFO(status.st_mode))
		return -1;
	/* Open it again before closing it: a FIFO that always has a reader never blocks a writer's
	 * open(). */
	int fd = open_path(trace->path);
	if (fd < 0)
		return -1;
	trace_close(trace);
	trace->fd = fd;
	line_reader_init(&trace->reader, fd, LINE_MAX_BYTES);
	return 0;
}

void
trace_close(struct trace *trace)
{
	fd_close(trace->fd);
	trace->fd = -1;
	line_reader_fini(&trace->reader);
}

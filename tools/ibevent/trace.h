/* trace - reads events of other processes' objects and of the connection manager from the
 * trace_pipe of a tracefs instance, or from a file or FIFO with its text. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBEVENT_TRACE_H
#define IBEVENT_TRACE_H

#include "devicelook.h"
#include "failedpeers.h"
#include "line.h"
#include "output.h"
#include "verbs.h"

struct trace {
	int fd; /* -1: closed */
	const char *path;
	struct line_reader reader;
	uint64_t lines;
	bool has_warned; /* a skipped line was reported */
	struct devicelook *look;
	const struct verbs *verbs;
	struct output *output;
	struct failedpeers peers;
};

/* Open `path`. Of devices that verbs watches, events that verbs also receives are skipped. Return
 * 0, or -1 with errno. */
int trace_open(struct trace *trace, const char *path, struct devicelook *look,
	const struct verbs *verbs, struct output *output);

/* Read a part of the available lines. Return 0; 1 at the end; or -1 with errno on error. */
int trace_read(struct trace *trace);

/* Open a FIFO again after its end, for the next writer. Return 0, or -1 if it is not a FIFO or
 * cannot be opened. */
int trace_reopen(struct trace *trace);

void trace_close(struct trace *trace);

#endif

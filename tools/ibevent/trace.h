/* trace - events of other processes' objects and of the connection manager, from the trace_pipe of
 * a tracefs instance, or from a file or pipe with its text. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBEVENT_TRACE_H
#define IBEVENT_TRACE_H

#include "devicelook.h"
#include "failedpeers.h"
#include "line.h"
#include "output.h"
#include "verbs.h"

struct trace {
	int fd; /* -1: it is not open */
	const char *path;
	struct line_reader reader;
	uint64_t lines;
	bool has_warned; /* of a line that cannot be read */
	struct devicelook *look;
	const struct verbs *verbs;
	struct output *output;
	struct failedpeers peers;
};

/* Opens it; of devices that verbs watches, what verbs hears as well is left out. 0, or -1 with
 * errno. */
int trace_open(struct trace *trace, const char *path, struct devicelook *look,
	const struct verbs *verbs, struct output *output);

/* Reads a part of what is there. 0; 1 at its end; or -1 with errno when it can read no more. */
int trace_read(struct trace *trace);

/* Opens a pipe with a name again after its end: it is read on when the next one writes into it. 0,
 * or -1 when it is no pipe, or cannot be opened. */
int trace_open_again(struct trace *trace);

void trace_close(struct trace *trace);

#endif

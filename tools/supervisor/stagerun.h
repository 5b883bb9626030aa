/* stagerun - one stage run once, as the service would start it: bytes in, bytes out, and a deadline
 * that it cannot miss. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERVISOR_STAGERUN_H
#define SUPERVISOR_STAGERUN_H

#include "pipeline.h"
#include "strbuf.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A program. */
struct stagerun_request {
	const char *path;
	char *const *argv, *const *environment; /* as in struct proc_command */
	const char *input;                      /* its stdin; NULL: nothing */
	size_t input_length;
	/* so many scan.end records are all that is wanted; 0: everything it writes */
	unsigned scan_ends;
	uint64_t deadline_ns; /* CLOCK_MONOTONIC */
};

enum stagerun_end {
	STAGERUN_DONE,     /* it wrote all that was wanted */
	STAGERUN_LATE,     /* the deadline came first; what it wrote until then is there */
	STAGERUN_TOO_MUCH, /* it wrote more than anybody would read */
};

struct stagerun {
	enum stagerun_end end;
	bool ended;     /* the process is gone; one that hangs in the kernel is left to it */
	siginfo_t info; /* then: how, see waitid(2) */
	struct strbuf out, err;
	/* where scans are wanted: how many whole ones `out` has, and where the last of them ends */
	unsigned scan_ends;
	size_t scans_length;
};

/* A stage of the pipeline. */
struct stagerun_stage {
	const char *programs; /* the directory of the stages */
	const struct service_options *options;
	enum stage_id id;
	const char *const *extra;   /* further arguments, NULL-terminated */
	const struct strbuf *input; /* its stdin; NULL: nothing */
	unsigned scan_ends;         /* as in struct stagerun_request */
	uint64_t time_ns;           /* that it may take */
};

/* Runs the stage and kills it when it has served. 0, or -1 with errno when it could not be started
 * or memory ran out. Free with stagerun_fini() in both cases. */
int stagerun_run_stage(const struct stagerun_stage *stage, struct stagerun *run);

/* The same with any program. */
int stagerun_run(const struct stagerun_request *request, struct stagerun *run);

/* True when the stage has said that it cannot work as it was told to. */
bool stagerun_was_refused(const struct stagerun *run);

/* Writes how else the run failed, as in "did not finish in time" or "killed by SIGSEGV"; "" when it
 * did not, or has not said how it ended. */
void stagerun_describe_trouble(const struct stagerun *run, char *text, size_t size);

void stagerun_fini(struct stagerun *run);

/* The line that begins at `*at`, 0 for the first, without its end; moves `*at` past it. False
 * when there is none. */
bool stagerun_next_line(const struct strbuf *text, size_t *at, const char **line, size_t *length);

/* True for a line that ends a scan, as ibscan writes it. */
bool stagerun_is_scan_end(const char *line, size_t length);

#endif

/* stagerun - runs a stage once as the service would start it, with a deadline, and collects its
 * output. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERVISOR_STAGERUN_H
#define SUPERVISOR_STAGERUN_H

#include "pipeline.h"
#include "strbuf.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A program to run. */
struct stagerun_request {
	const char *path;
	char *const *argv, *const *environment; /* as in struct proc_command */
	const char *input;                      /* its stdin; NULL: empty */
	size_t input_length;
	/* stop after this many scan.end records; 0: read all output */
	unsigned scan_ends;
	uint64_t deadline_ns; /* CLOCK_MONOTONIC */
};

enum stagerun_end {
	STAGERUN_DONE,     /* its output ended, or has the requested scans */
	STAGERUN_LATE,     /* the deadline passed; the output until then is kept */
	STAGERUN_TOO_MUCH, /* it wrote too much */
};

struct stagerun {
	enum stagerun_end end;
	bool ended;     /* the process was reaped; one that hangs in the kernel is left behind */
	siginfo_t info; /* valid if `ended`, see waitid(2) */
	struct strbuf out, err;
	/* if scans are requested: the number of complete scans in `out`, and the end of the last
	 * one */
	unsigned scan_ends;
	size_t scans_length;
};

/* A stage of the pipeline to run. */
struct stagerun_stage {
	const char *programs; /* the directory of the stages */
	const struct service_options *options;
	enum stage_id id;
	const char *const *extra;   /* further arguments, NULL-terminated */
	const struct strbuf *input; /* its stdin; NULL: empty */
	unsigned scan_ends;         /* as in struct stagerun_request */
	uint64_t time_ns;           /* time limit */
};

/* Run the stage, and kill it when its output is complete or late. Return 0, or -1 with errno if it
 * could not be started or memory ran out. Free with stagerun_fini() in both cases. */
int stagerun_run_stage(const struct stagerun_stage *stage, struct stagerun *run);

/* The same for any program. */
int stagerun_run(const struct stagerun_request *request, struct stagerun *run);

/* Return true if the stage rejected its options. */
bool stagerun_was_refused(const struct stagerun *run);

/* Describe how else the run failed, as in "did not finish in time" or "killed by SIGSEGV"; "" if it
 * did not fail, or how it ended is unknown. */
void stagerun_describe_trouble(const struct stagerun *run, char *text, size_t size);

void stagerun_fini(struct stagerun *run);

/* Return the line at offset `*at`, 0 for the first, without its newline, and move `*at` past it.
 * Return false at the end of the text. */
bool stagerun_next_line(const struct strbuf *text, size_t *at, const char **line, size_t *length);

/* Return true for a line that ends a scan, as ibscan writes it. */
bool stagerun_is_scan_end(const char *line, size_t length);

#endif

/* session - one run of logmatch: what it knows of earlier lines, where it is in the kernel's log,
 * and what both are kept in. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGMATCH_SESSION_H
#define LOGMATCH_SESSION_H

#include "analysis.h"
#include "conf.h"
#include "confine.h"
#include "metrics.h"

struct session_options {
	const char *kmsg_path; /* followed; NULL: the files are read */
	const char *const *files;
	size_t file_count; /* 0: stdin */
	enum logline_format format;
	const char *state_path, *acks_path; /* NULL: none */
	const char *sysfs_root;
	const char *boot_id_path;
	const char *node;
	const char *strategy;      /* processingStrategy where the configuration has none */
	bool wanted[LOGPATTERN_N]; /* of the patterns that the configuration has enabled */
	uint64_t window_ns;        /* of noise control; 0: none */
	bool has_boot_time, has_now;
	uint64_t boot_ns, now_ns;
	bool counting, trusts_text;
	enum confine_mode confine;
	struct metrics *metrics; /* nullable */
};

/* Runs to the end of input or a request to stop. Returns the exit code; what went wrong has been
 * said. */
int session_run(const struct session_options *options, const struct conf *conf);

#endif

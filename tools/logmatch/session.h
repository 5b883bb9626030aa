/* session - one run of logmatch: its memory of earlier lines, its position in the kernel's log, and
 * the state file of both. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGMATCH_SESSION_H
#define LOGMATCH_SESSION_H

#include "analysis.h"
#include "conf.h"
#include "confine.h"
#include "metrics.h"

struct session_options {
	const char *kmsg_path; /* log to follow; NULL: read the files */
	const char *const *files;
	size_t file_count; /* 0: stdin */
	enum logline_format format;
	const char *state_path, *acks_path; /* NULL: none */
	const char *sysfs_root;
	const char *boot_id_path;
	const char *node;
	const char *strategy;      /* default processingStrategy */
	bool wanted[LOGPATTERN_N]; /* among the patterns enabled in the configuration */
	uint64_t window_ns;        /* of noise control; 0: off */
	bool has_boot_time, has_now;
	uint64_t boot_ns, now_ns;
	bool counting, trusts_text;
	enum confine_mode confine;
	struct metrics *metrics; /* NULL: no metrics page */
};

/* Run to the end of the input or to a stop request. Return the exit code; errors have been
 * reported. */
int session_run(const struct session_options *options, const struct conf *conf);

#endif

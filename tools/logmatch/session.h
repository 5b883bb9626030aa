/* session - one run of logmatch: what it knows of earlier lines, where it is in the kernel's log, and what both are kept in. */
#ifndef LOGMATCH_SESSION_H
#define LOGMATCH_SESSION_H

#include "analysis.h"
#include "conf.h"
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
	uint64_t window_ns;        /* of noise control; UINT64_MAX: each pattern's own */
	bool has_boot_time, has_now;
	uint64_t boot_ns, now_ns;
	bool counting;
	struct metrics *metrics; /* nullable */
};

/* Runs to the end of input or a request to stop. Returns the exit code; what went wrong has been said. */
int session_run(const struct session_options *options, const struct conf *conf);

/* Where a log is followed, besides the analysis. */
struct session_position {
	bool known;
	uint64_t seq; /* of the last record that was taken */
};

#endif

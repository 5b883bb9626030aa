/* lockup - lock-ups of CPUs in the driver: a header, and in the lines behind it a frame of the driver. SPEC section 5. Pure.
 *
 *   BUG: soft lockup - CPU#9 stuck for 22s!     opens a window of 150 lines of the kernel
 *   mlx5e_napi_poll+0x1a2/0x6b0                 in it is one event, unless it is a speculative frame, or another CPU's
 *
 * Hard lock-ups, RCU stalls and hung tasks have windows of their own, so that none ends another's. */
#ifndef LOGMATCH_LOCKUP_H
#define LOGMATCH_LOCKUP_H

#include "lockupline.h"
#include "logpattern.h"

/* Lines behind a header in which a frame belongs to it, and how long a pattern is quiet then, in the time of the log. */
#define LOCKUP_WINDOW_LINES 150
#define LOCKUP_QUIET_NS (UINT64_C(30) * 60 * 1000 * 1000 * 1000)

/* Lines before a header in which a frame belongs to it: a CPU that is stuck may be shown before it is said so. */
#define LOCKUP_BEFORE_LINES 60

/* Most of a header that is kept, for the message. */
#define LOCKUP_HEADER_MAX_BYTES 160

/* CPUs that are remembered of a report that names several. */
#define LOCKUP_CPUS_MAX 8

#define LOCKUP_UNKNOWN LOCKUPLINE_UNKNOWN

/* A report that may still get its frame. */
struct lockup_window {
	unsigned lines_left;            /* 0: none */
	bool concluded;                 /* it has its frame */
	uint32_t cpus[LOCKUP_CPUS_MAX]; /* that are stuck; empty: not known */
	size_t cpu_count;
	uint32_t seconds; /* or LOCKUP_UNKNOWN */
	char header[LOCKUP_HEADER_MAX_BYTES + 1];
};

/* What is remembered of the lines before. */
struct lockup {
	struct lockup_window windows[LOCKUP_KIND_N];
	bool in_backtrace; /* the lines are the stack of `backtrace_cpu` */
	uint32_t backtrace_cpu;
	unsigned
		frame_left; /* lines in which a header still takes the last frame that no window took; 0: none */
	uint64_t quiet_until_ns[LOGPATTERN_N]; /* 0: not quiet */
};

struct lockup_finding {
	enum logpattern pattern;
	uint32_t cpu, seconds; /* or LOCKUP_UNKNOWN */
	const char *
		header; /* in `lockup`, until the next step; "" when the line itself is the header */
};

/* Takes the next line of the kernel's. `interesting`: it has one of lockupline_keys. True when a lock-up in the driver is found. */
bool lockup_step(struct lockup *lockup, const bool enabled[LOGPATTERN_N], const char *text,
	size_t length, bool interesting, uint64_t time_ns, struct lockup_finding *out);

/* True when lines without any of the keys have to be shown, too: they are counted. */
bool lockup_counts_lines(const struct lockup *lockup);

#endif

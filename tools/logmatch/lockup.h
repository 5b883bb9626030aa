/* lockup - detects lock-ups of CPUs in the driver: a header, then a frame of the driver in the
 * lines after it (spec#log-lockup). Pure.
 *
 *   BUG: soft lockup - CPU#9 stuck for 22s!   opens a window of 150 lines of the kernel
 *   mlx5e_napi_poll+0x1a2/0x6b0               makes one event in it, unless the frame is
 *                                             speculative or of another CPU
 *
 * Hard lock-ups, RCU stalls and hung tasks each have their own window, so that no report ends
 * another's. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGMATCH_LOCKUP_H
#define LOGMATCH_LOCKUP_H

#include "logpattern.h"
#include "num.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Value of a number that the line does not have. */
#define LOCKUP_UNKNOWN UINT32_MAX

/* CPUs remembered of a report that names several. */
#define LOCKUP_CPUS_MAX 8

enum lockup_kind { LOCKUP_SOFT, LOCKUP_HARD, LOCKUP_RCU, LOCKUP_TASK, LOCKUP_KIND_N };

/* Frames by the callers of their functions (mlx5: en_txrx.c, en/ptp.c, en/trap.c, eq.c, cq.c,
 * health.c). */
enum lockup_frame {
	LOCKUP_FRAME_NONE,
	LOCKUP_FRAME_CORE,  /* the two functions of the core pattern */
	LOCKUP_FRAME_BELOW, /* called by mlx5e_napi_poll, which is on the stack as well */
	LOCKUP_FRAME_POLL,  /* other functions that poll packets and completions */
	LOCKUP_FRAME_WORK,  /* work items of the driver's health watch */
};

struct lockup_header {
	enum lockup_kind kind;
	uint32_t cpus[LOCKUP_CPUS_MAX]; /* the first of them if there are more */
	size_t cpu_count;
	uint32_t seconds; /* or LOCKUP_UNKNOWN */
};

/* Keys for the sieve: each header, frame and start of a backtrace contains one of them. */
extern const char *const lockupline_keys[];
extern const size_t lockupline_key_count;

/* Return true if the line begins a report: `BUG: soft lockup - CPU#9 stuck for 22s!`, `Watchdog
 * detected hard LOCKUP on cpu 9`, `rcu_sched self-detected stall on CPU`, `INFO: task NAME:PID
 * blocked for more than 120 seconds` (kernel/watchdog.c, kernel/watchdog_hld.c,
 * kernel/rcu/tree_stall.h, kernel/hung_task.c). */
bool lockupline_header(const char *text, size_t length, struct lockup_header *out);

/* Return the frame that the line shows. Speculative frames (`? `), which are only leftovers on the
 * stack, give LOCKUP_FRAME_NONE. */
enum lockup_frame lockupline_frame(const char *text, size_t length);

/* Parse `NMI backtrace for cpu 9` (lib/nmi_backtrace.c), `Task dump for CPU 9:` or, of any stack
 * that a CPU prints of itself, `[WARNING: ]CPU: 9 PID: ` or `... UID: `. The frames that follow are
 * of that CPU. */
bool lockupline_backtrace(const char *text, size_t length, uint32_t *cpu);

/* Parse `rcu: <tab>9-....: (20999 ticks this GP)`: a stalled CPU. */
bool lockupline_stalled(const char *text, size_t length, uint32_t *cpu);

/* Lines after a header in which a frame belongs to it, and how long the pattern is then quiet, in
 * the time of the log. */
#define LOCKUP_WINDOW_LINES 150
#define LOCKUP_QUIET_NS (UINT64_C(30) * 60 * NUM_NS_PER_S)

/* How far in time a frame may be from its header. The kernel prints a report within seconds; a slow
 * serial console, or the stacks of all other CPUs between, can make minutes of it. What comes later
 * has another cause, and a report of a CPU that is still stuck has a new header by then. */
#define LOCKUP_WINDOW_NS (UINT64_C(3) * 60 * NUM_NS_PER_S)

/* Lines before a header in which a frame of the same CPU belongs to it: the kernel may print the
 * stack of a stuck CPU before the header. */
#define LOCKUP_BEFORE_LINES 60

/* Bytes of a header kept for the message. */
#define LOCKUP_HEADER_MAX_BYTES 160

/* A report that may still get its frame. */
struct lockup_window {
	unsigned lines_left;            /* 0: closed */
	bool concluded;                 /* its frame was found */
	uint32_t cpus[LOCKUP_CPUS_MAX]; /* stuck CPUs; empty: unknown */
	size_t cpu_count;
	uint32_t seconds;  /* or LOCKUP_UNKNOWN */
	uint64_t since_ns; /* time of the header; 0: unknown */
	char header[LOCKUP_HEADER_MAX_BYTES + 1];
};

/* State from earlier lines. */
struct lockup {
	struct lockup_window windows[LOCKUP_KIND_N];
	bool in_backtrace; /* the lines are the stack of `backtrace_cpu` */
	uint32_t backtrace_cpu;
	/* lines left in which a header can still claim the last frame without a window; 0: none */
	unsigned frame_left;
	uint64_t frame_ns;                     /* time of that frame; 0: unknown */
	uint32_t frame_cpu;                    /* its CPU, or LOCKUP_UNKNOWN */
	uint64_t quiet_until_ns[LOGPATTERN_N]; /* 0: not quiet */
};

/* A line of the kernel. */
struct lockup_line {
	const char *text; /* not terminated */
	size_t length;
	bool interesting; /* contains one of lockupline_keys */
	bool is_timed;    /* the time is that of the line, not only that of reading it */
	uint64_t time_ns;
};

struct lockup_finding {
	enum logpattern pattern;
	uint32_t cpu, seconds; /* or LOCKUP_UNKNOWN */
	/* points into `lockup`, valid until the next step; "" if the line is the header */
	const char *header;
};

/* Process the kernel's next line. Return true if a lock-up in the driver was found. */
bool lockup_step(struct lockup *lockup, const bool enabled[LOGPATTERN_N],
	const struct lockup_line *line, struct lockup_finding *out);

/* Return true while lines without a key must be passed to lockup_step() too, because it counts
 * them. */
bool lockup_counts_lines(const struct lockup *lockup);

#endif

/* lockup - lock-ups of CPUs in the driver: a header, and in the lines after it a frame of the
 * driver (spec#log-lockup). Pure.
 *
 *   BUG: soft lockup - CPU#9 stuck for 22s!   opens a window of 150 lines of the kernel
 *   mlx5e_napi_poll+0x1a2/0x6b0               is one event in it, unless the frame is speculative
 *                                             or another CPU's
 *
 * Hard lock-ups, RCU stalls and hung tasks have windows of their own, so that none ends
 * another's. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGMATCH_LOCKUP_H
#define LOGMATCH_LOCKUP_H

#include "logpattern.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A number that a line does not have. */
#define LOCKUP_UNKNOWN UINT32_MAX

enum lockup_kind { LOCKUP_SOFT, LOCKUP_HARD, LOCKUP_RCU, LOCKUP_TASK, LOCKUP_KIND_N };

/* What a frame is, by where its function is called from (mlx5: en_txrx.c, en/ptp.c, en/trap.c,
 * eq.c, cq.c, health.c). */
enum lockup_frame {
	LOCKUP_FRAME_NONE,
	LOCKUP_FRAME_CORE,  /* the two that the core pattern knows */
	LOCKUP_FRAME_BELOW, /* called by mlx5e_napi_poll, which is on the stack, too */
	LOCKUP_FRAME_POLL,  /* what else packets and completions are polled by */
	LOCKUP_FRAME_WORK,  /* work of the driver's health watch */
};

struct lockup_header {
	enum lockup_kind kind;
	uint32_t cpu, seconds; /* or LOCKUP_UNKNOWN */
};

/* Texts of which one is in each header, frame and backtrace's beginning, for the sieve. */
extern const char *const lockupline_keys[];
extern const size_t lockupline_key_count;

/* True when the line begins a report: `BUG: soft lockup - CPU#9 stuck for 22s!`, `Watchdog detected
 * hard LOCKUP on cpu 9`, `rcu_sched self-detected stall on CPU`, `INFO: task NAME:PID blocked for
 * more than 120 seconds` (kernel/watchdog.c, kernel/watchdog_hld.c, kernel/rcu/tree_stall.h,
 * kernel/hung_task.c). */
bool lockupline_header(const char *text, size_t length, struct lockup_header *out);

/* The frame that the line shows, unless it is a speculative one (`? `), which is only what was left
 * on the stack. */
enum lockup_frame lockupline_frame(const char *text, size_t length);

/* `NMI backtrace for cpu 9` (lib/nmi_backtrace.c) or `Task dump for CPU 9:`: the frames that follow
 * are that CPU's. */
bool lockupline_backtrace(const char *text, size_t length, uint32_t *cpu);

/* `rcu: <tab>9-....: (20999 ticks this GP)`: a CPU that has stalled. */
bool lockupline_stalled(const char *text, size_t length, uint32_t *cpu);

/* Lines after a header in which a frame belongs to it, and how long a pattern is quiet then, in
 * the time of the log. */
#define LOCKUP_WINDOW_LINES 150
#define LOCKUP_QUIET_NS (UINT64_C(30) * 60 * 1000 * 1000 * 1000)

/* Lines before a header in which a frame belongs to it: a CPU that is stuck may be shown before it
 * is said so. */
#define LOCKUP_BEFORE_LINES 60

/* Most of a header that is kept, for the message. */
#define LOCKUP_HEADER_MAX_BYTES 160

/* CPUs that are remembered of a report that names several. */
#define LOCKUP_CPUS_MAX 8

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
	/* lines in which a header still takes the last frame that no window took; 0: none */
	unsigned frame_left;
	uint64_t quiet_until_ns[LOGPATTERN_N]; /* 0: not quiet */
};

struct lockup_finding {
	enum logpattern pattern;
	uint32_t cpu, seconds; /* or LOCKUP_UNKNOWN */
	/* in `lockup`, until the next step; "" when the line itself is the header */
	const char *header;
};

/* Accepts the next line of the kernel's. `interesting`: it has one of lockupline_keys. True when a
 * lock-up in the driver is found. */
bool lockup_step(struct lockup *lockup, const bool enabled[LOGPATTERN_N], const char *text,
	size_t length, bool interesting, uint64_t time_ns, struct lockup_finding *out);

/* True when lines without any of the keys have to be shown, too: they are counted. */
bool lockup_counts_lines(const struct lockup *lockup);

#endif

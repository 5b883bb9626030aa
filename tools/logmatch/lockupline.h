/* lockupline - what a line of a lock-up's report says: a header, a frame, which CPU. Pure. */
#ifndef LOGMATCH_LOCKUPLINE_H
#define LOGMATCH_LOCKUPLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A number that a line does not have. */
#define LOCKUPLINE_UNKNOWN UINT32_MAX

enum lockup_kind { LOCKUP_SOFT, LOCKUP_HARD, LOCKUP_RCU, LOCKUP_TASK, LOCKUP_KIND_N };

/* What a frame is, by where its function is called from (mlx5: en_txrx.c, en/ptp.c, en/trap.c, eq.c, cq.c, health.c). */
enum lockup_frame {
	LOCKUP_FRAME_NONE,
	LOCKUP_FRAME_SPEC,  /* the two of SPEC section 5 */
	LOCKUP_FRAME_BELOW, /* called by mlx5e_napi_poll, which is on the stack, too */
	LOCKUP_FRAME_POLL,  /* what else packets and completions are polled by */
	LOCKUP_FRAME_WORK,  /* work of the driver's health watch */
};

struct lockup_header {
	enum lockup_kind kind;
	uint32_t cpu, seconds; /* or LOCKUPLINE_UNKNOWN */
};

/* Texts of which one is in each header, frame and backtrace's beginning, for the sieve. */
extern const char *const lockupline_keys[];
extern const size_t lockupline_key_count;

/* True when the line begins a report: `BUG: soft lockup - CPU#9 stuck for 22s!`, `Watchdog detected hard LOCKUP on cpu 9`, `rcu_sched self-detected stall on CPU`,
 * `INFO: task NAME:PID blocked for more than 120 seconds` (kernel/watchdog.c, kernel/watchdog_hld.c, kernel/rcu/tree_stall.h, kernel/hung_task.c). */
bool lockupline_header(const char *text, size_t length, struct lockup_header *out);

/* The frame that the line shows, unless it is a speculative one (`? `), which is only what was left on the stack. */
enum lockup_frame lockupline_frame(const char *text, size_t length);

/* `NMI backtrace for cpu 9` (lib/nmi_backtrace.c) or `Task dump for CPU 9:`: the frames that follow are that CPU's. */
bool lockupline_backtrace(const char *text, size_t length, uint32_t *cpu);

/* `rcu: <tab>9-....: (20999 ticks this GP)`: a CPU that has stalled. */
bool lockupline_stalled(const char *text, size_t length, uint32_t *cpu);

#endif

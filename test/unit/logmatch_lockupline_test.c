/* Unit tests of logmatch's lockupline: parsing one line of a lock-up's report. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/logmatch/lockup.h"

#include "check.h"

#include <stdio.h>
#include <stdlib.h>

#define UNKNOWN LOCKUP_UNKNOWN

/* Return a copy without a NUL, so that the sanitizer detects reads beyond it. */
static char *
exact_new(const char *text)
{
	char *copy = malloc(strlen(text) > 0 ? strlen(text) : 1);
	memcpy(copy, text, strlen(text));
	return copy;
}

static void
headers(void)
{
	static const struct {
		const char *text;
		enum lockup_kind kind; /* LOCKUP_KIND_N: no header */
		uint32_t cpu, seconds;
	} rows[] = {
		{"BUG: soft lockup - CPU#9 stuck for 22s! [ksoftirqd/9:62]", LOCKUP_SOFT, 9, 22},
		{"watchdog: BUG: soft lockup - CPU#94 stuck for 226s!", LOCKUP_SOFT, 94, 226},
		{"NMI watchdog: BUG: soft lockup - CPU#0 stuck for 23s!", LOCKUP_SOFT, 0, 23},
		{"BUG: soft lockup - CPU#9 stuck for 22s", LOCKUP_SOFT, 9, 22},
		{"BUG: soft lockup - CPU#9 stuck for 22", LOCKUP_KIND_N, 0, 0},
		{"BUG: soft lockup - CPU#9 stuck for ", LOCKUP_KIND_N, 0, 0},
		{"BUG: soft lockup - CPU#", LOCKUP_KIND_N, 0, 0},
		{"BUG: soft lockup - CPU#x stuck for 22s!", LOCKUP_KIND_N, 0, 0},
		{"BUG: soft lockup - CPU#1234567890 stuck for 22s!", LOCKUP_KIND_N, 0, 0},
		{"soft lockup - CPU#9 stuck for 22s!", LOCKUP_KIND_N, 0, 0},
		{"in BUG: soft lockup - CPU#9 stuck for 22s!", LOCKUP_KIND_N, 0, 0},
		{"a: BUG: soft lockup - CPU#9 stuck for 22s!", LOCKUP_KIND_N, 0, 0},
		{"x\nBUG: soft lockup - CPU#9 stuck for 22s!", LOCKUP_KIND_N, 0, 0},
		{"watchdog: CPU14: Watchdog detected hard LOCKUP on cpu 14", LOCKUP_HARD, 14,
			UNKNOWN},
		{"Kernel panic - not syncing: Watchdog detected hard LOCKUP on cpu 14", LOCKUP_HARD,
			14, UNKNOWN},
		{"in Watchdog detected hard LOCKUP on cpu 14", LOCKUP_KIND_N, 0, 0},
		{"a b: rcu_sched self-detected stall on CPU", LOCKUP_KIND_N, 0, 0},
		{" self-detected stall on CPU", LOCKUP_KIND_N, 0, 0},
		{"in INFO: task a:1 blocked for more than 120 seconds.", LOCKUP_KIND_N, 0, 0},
		{"watchdog: Watchdog detected hard LOCKUP on cpu 14", LOCKUP_HARD, 14, UNKNOWN},
		{"Watchdog detected hard LOCKUP on cpu ", LOCKUP_KIND_N, 0, 0},
		{"rcu: INFO: rcu_sched self-detected stall on CPU", LOCKUP_RCU, UNKNOWN, UNKNOWN},
		{"INFO: rcu_sched self-detected stall on CPU { 9}  (t=60000 jiffies)", LOCKUP_RCU,
			9, UNKNOWN},
		{"INFO: rcu_sched detected stalls on CPUs/tasks: { 9} (detected by 3)", LOCKUP_RCU,
			9, UNKNOWN},
		{"rcu: INFO: rcu_preempt detected expedited stalls on CPUs/tasks: { 7-...! } 5",
			LOCKUP_RCU, 7, UNKNOWN},
		{"INFO: task kworker/u64:3:1234 blocked for more than 120 seconds.", LOCKUP_TASK,
			UNKNOWN, 120},
		{"INFO: task a:1 blocked in I/O wait for more than 122 seconds.", LOCKUP_TASK,
			UNKNOWN, 122},
		{"INFO: task kworker/u64:3:1234 blocked for more than x seconds.", LOCKUP_KIND_N, 0,
			0},
		{"INFO: task for more than 120 seconds", LOCKUP_KIND_N, 0, 0},
		{"hung_task: blocked tasks for more than 120 seconds", LOCKUP_KIND_N, 0, 0},
		{"", LOCKUP_KIND_N, 0, 0},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct lockup_header header;
		char *text = exact_new(rows[i].text);
		bool is = lockupline_header(text, strlen(rows[i].text), &header);
		check_row("%s", rows[i].text);
		CHECK_INT(is, rows[i].kind != LOCKUP_KIND_N);
		if (is && rows[i].kind != LOCKUP_KIND_N) {
			CHECK_INT(header.kind, rows[i].kind);
			CHECK_U64(header.cpu_count > 0 ? header.cpus[0] : UNKNOWN, rows[i].cpu);
			CHECK_U64(header.seconds, rows[i].seconds);
		}
		free(text);
	}
}

/* Write the CPUs of a header, each with a blank behind it. */
static void
list_cpus(const char *text, char out[100])
{
	struct lockup_header header;
	char *copy = exact_new(text);
	size_t used = 0;

	*out = '\0';
	CHECK(lockupline_header(copy, strlen(text), &header));
	for (size_t i = 0; i < header.cpu_count; i++)
		used += (size_t)snprintf(out + used, 100 - used, "%u ", header.cpus[i]);
	free(copy);
}

static void
stalled_together(void)
{
#define STALLS "INFO: rcu_sched detected stalls on CPUs/tasks:"
#define EXPEDITED "rcu: INFO: rcu_preempt detected expedited stalls on CPUs/tasks:"
	static const char *const rows[][2] = {
		{STALLS " { 3 9} (detected by 1, t=60002 jiffies, g=2351)", "3 9 "},
		{STALLS "{ 3 9}", "3 9 "},
		{STALLS " { 3", "3 "},
		{STALLS " {} (detected by 1, t=60002 jiffies)", ""},
		{STALLS " {", ""},
		{STALLS, ""},
		{EXPEDITED " { 3-...D 9-...D } 21000 jiffies s: 1234 root: 0x208/.", "3 9 "},
		{EXPEDITED " { P812 9-...! } 21000 jiffies s: 1234 root: 0x208/T", "9 "},
		{EXPEDITED " { P812 } 21000 jiffies s: 1234 root: 0x208/T", ""},
		{EXPEDITED " { 0-... 1-... 2-... 3-... 4-... 5-... 6-... 7-... 8-... } 2 jiffies",
			"0 1 2 3 4 5 6 7 "},
		{"INFO: rcu_sched self-detected stall on CPU (t=60002 jiffies)", ""},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char got[100];
		check_row("%s", rows[i][0]);
		list_cpus(rows[i][0], got);
		CHECK_STR(got, rows[i][1]);
	}
}

static void
frames(void)
{
	static const struct {
		const char *text;
		enum lockup_frame frame;
	} rows[] = {
		{" mlx5e_napi_poll+0x1a2/0x6b0 [mlx5_core]", LOCKUP_FRAME_CORE},
		{"mlx5e_poll_ico_cq+0x1/0x2", LOCKUP_FRAME_CORE},
		{"RIP: 0010:mlx5e_napi_poll+0x1a2/0x6b0 [mlx5_core]", LOCKUP_FRAME_CORE},
		{" [<ffffffffc0a1b2c3>] mlx5e_napi_poll+0x1a2/0x6b0 [mlx5_core]",
			LOCKUP_FRAME_CORE},
		{"pc : mlx5e_napi_poll+0x1a2/0x6b0 [mlx5_core]", LOCKUP_FRAME_CORE},
		{"lr : mlx5e_napi_poll+0x1a2/0x6b0 [mlx5_core]", LOCKUP_FRAME_NONE},
		{" ? mlx5e_napi_poll+0x1a2/0x6b0 [mlx5_core]", LOCKUP_FRAME_NONE},
		{" mlx5e_napi_poll.isra.0+0x1a2/0x6b0 [mlx5_core]", LOCKUP_FRAME_POLL},
		{" mlx5e_napi_poll [mlx5_core]", LOCKUP_FRAME_NONE},
		{" mlx5e_napi_poll+0x", LOCKUP_FRAME_NONE},
		{" mlx5e_napi_poll+0x1", LOCKUP_FRAME_NONE},
		{" mlx5e_napi_poll+0x1/0x", LOCKUP_FRAME_NONE},
		{" mlx5e_napi_poll+0", LOCKUP_FRAME_NONE},
		{" my_mlx5e_napi_poll+0x1/0x2", LOCKUP_FRAME_NONE},
		{" mlx5e_napi_poll2+0x1/0x2", LOCKUP_FRAME_NONE},
		{" mlx5e_poll_tx_cq+0x1/0x2", LOCKUP_FRAME_BELOW},
		{" mlx5e_poll_tx_cq.constprop.0.cold+0x1/0x2", LOCKUP_FRAME_BELOW},
		{" mlx5_cq_tasklet_cb+0x1/0x2", LOCKUP_FRAME_POLL},
		{" mlx5_health_try_recover+0x1/0x2", LOCKUP_FRAME_WORK},
		{"Workqueue: mlx5_health0000:18:00.0 mlx5_fw_fatal_reporter_err_work [mlx5_core]",
			LOCKUP_FRAME_WORK},
		{" ? mlx5_cq_tasklet_cb+0x1/0x2 mlx5e_napi_poll+0x1/0x2", LOCKUP_FRAME_NONE},
		{" <IRQ>  [<ffffffffa0291f0c>] mlx5e_napi_poll+0x1/0x2 [mlx5_core]",
			LOCKUP_FRAME_CORE},
		{"RIP: 0010:[<ffffffffa0291f0c>]  [<ffffffffa0291f0c>] mlx5e_napi_poll+0x1/0x2",
			LOCKUP_FRAME_CORE},
		/* In a message of a program the function is not at the start. */
		{"a.out[1]: segfault at 0 in mlx5e_napi_poll+0x1/0x2[4+1]", LOCKUP_FRAME_NONE},
		{"INFO: task mlx5e_napi_poll+0x1/0x2:1 blocked", LOCKUP_FRAME_NONE},
		{"task:Workqueue: mlx5 mlx5_health0000:18:00.0", LOCKUP_FRAME_NONE},
		{"in Workqueue: mlx5_health0000:18:00.0", LOCKUP_FRAME_NONE},
		{"x\nmlx5e_napi_poll+0x1/0x2", LOCKUP_FRAME_NONE},
		{" mlx4_en_poll_rx_cq+0x1/0x2 [mlx4_en]", LOCKUP_FRAME_NONE},
		{"mlx5", LOCKUP_FRAME_NONE},
		{"", LOCKUP_FRAME_NONE},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char *text = exact_new(rows[i].text);
		check_row("%s", rows[i].text);
		CHECK_INT(lockupline_frame(text, strlen(rows[i].text)), rows[i].frame);
		free(text);
	}
}

static bool
has_key(const char *text)
{
	for (size_t i = 0; i < lockupline_key_count; i++) {
		if (strstr(text, lockupline_keys[i]) != NULL)
			return true;
	}
	return false;
}

/* The sieve passes only lines with a key to the state machine. */
static void
keys(void)
{
	static const char *const texts[] = {
		"BUG: soft lockup - CPU#9 stuck for 22s!",
		"Watchdog detected hard LOCKUP on cpu 9",
		"rcu_sched self-detected stall on CPU",
		"rcu_sched detected stalls on CPUs/tasks: {",
		"INFO: task a:1 blocked for more than 120 seconds.",
		"mlx5e_napi_poll+0x1/0x2",
		"mlx5e_poll_ico_cq+0x1/0x2",
		"mlx5e_poll_tx_cq+0x1/0x2",
		"mlx5e_poll_rx_cq+0x1/0x2",
		"mlx5e_poll_xdpsq_cq+0x1/0x2",
		"mlx5e_handle_rx_cqe+0x1/0x2",
		"mlx5e_handle_rx_cqe_mpwrq+0x1/0x2",
		"mlx5e_handle_rx_cqe_mpwrq_shampo+0x1/0x2",
		"mlx5e_post_rx_wqes+0x1/0x2",
		"mlx5e_post_rx_mpwqes+0x1/0x2",
		"mlx5e_ptp_napi_poll+0x1/0x2",
		"mlx5e_ptp_poll_ts_cq+0x1/0x2",
		"mlx5e_trap_napi_poll+0x1/0x2",
		"mlx5_eq_comp_int+0x1/0x2",
		"mlx5_eq_async_int+0x1/0x2",
		"mlx5_cmd_comp_handler+0x1/0x2",
		"mlx5_cmd_flush+0x1/0x2",
		"mlx5_cq_tasklet_cb+0x1/0x2",
		"mlx5_ib_poll_cq+0x1/0x2",
		"mlx5_poll_one+0x1/0x2",
		"mlx5_health_try_recover+0x1/0x2",
		"mlx5_health_wait_pci_up+0x1/0x2",
		"mlx5_health_log_ts_update+0x1/0x2",
		"mlx5_fw_reporter_err_work+0x1/0x2",
		"mlx5_fw_fatal_reporter_err_work+0x1/0x2",
		"mlx5_enter_error_state+0x1/0x2",
		"mlx5_error_sw_reset+0x1/0x2",
		"mlx5_recover_device+0x1/0x2",
		"mlx5_crdump_collect+0x1/0x2",
		"mlx5_vsc_gw_lock+0x1/0x2",
		"Workqueue: mlx5_health0000:18:00.0",
	};
	for (size_t i = 0; i < CHECK_COUNT(texts); i++) {
		struct lockup_header header;
		check_row("%s", texts[i]);
		CHECK(lockupline_header(texts[i], strlen(texts[i]), &header) ||
			lockupline_frame(texts[i], strlen(texts[i])) != LOCKUP_FRAME_NONE);
		CHECK(has_key(texts[i]));
	}
	CHECK(has_key("CPU: 9 PID: 58 Comm: ksoftirqd/9 Not tainted 4.4.0"));
}

static void
cpus(void)
{
	static const struct {
		const char *text;
		uint32_t backtrace, stalled;
	} rows[] = {
		{"NMI backtrace for cpu 9", 9, UNKNOWN},
		{"NMI backtrace for cpu 9 skipped: idling at pc 0x1", 9, UNKNOWN},
		{"Task dump for CPU 12:", 12, UNKNOWN},
		{"CPU: 9 PID: 58 Comm: ksoftirqd/9 Not tainted 4.4.0", 9, UNKNOWN},
		{"CPU: 0 UID: 1000 PID: 58 Comm: a Not tainted 6.12.41", 0, UNKNOWN},
		{"WARNING: CPU: 5 PID: 0 at net/ipv4/tcp_input.c:2946 a+0x8/0x9", 5, UNKNOWN},
		{"CPU: 9 Comm: a", UNKNOWN, UNKNOWN},
		{"CPU: x PID: 58", UNKNOWN, UNKNOWN},
		{"CPU: 9 PID:58", UNKNOWN, UNKNOWN},
		{"in CPU: 9 PID: 58", UNKNOWN, UNKNOWN},
		{"WARNING: ", UNKNOWN, UNKNOWN},
		{"NMI backtrace for cpu ", UNKNOWN, UNKNOWN},
		{"in NMI backtrace for cpu 9", UNKNOWN, UNKNOWN},
		{"rcu: \t9-....: (20999 ticks this GP)", UNKNOWN, 9},
		{"\t9-...!: (1 GPs behind)", UNKNOWN, 9},
		{"rcu: #0119-....: (20999 ticks this GP)", UNKNOWN, 9},
		{"#01117-...!: (1 GPs behind)", UNKNOWN, 17},
		{"rcu: #011 (t=21000 jiffies g=1093 q=2170)", UNKNOWN, UNKNOWN},
		{"9: (20999 ticks this GP)", UNKNOWN, UNKNOWN},
		{"rcu: \t9-....", UNKNOWN, UNKNOWN},
		{"rcu: \t-....: (1", UNKNOWN, UNKNOWN},
		{"", UNKNOWN, UNKNOWN},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		uint32_t cpu;
		char *text = exact_new(rows[i].text);
		size_t length = strlen(rows[i].text);
		check_row("%s", rows[i].text);
		CHECK_U64(lockupline_backtrace(text, length, &cpu) ? cpu : UNKNOWN,
			rows[i].backtrace);
		CHECK_U64(lockupline_stalled(text, length, &cpu) ? cpu : UNKNOWN, rows[i].stalled);
		free(text);
	}
}

static const struct check_test tests[] = {
	{"headers of each kind and kernel are recognised, and nothing that only looks like one",
		headers},
	{"the header of a stall names all CPUs that are stuck", stalled_together},
	{"a frame is recognised by its function, unless it is uncertain", frames},
	{"each header and frame contains a key of the sieve", keys},
	{"the CPUs of a backtrace and of a stall are read", cpus},
};
CHECK_MAIN(tests)

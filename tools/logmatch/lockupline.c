/* lockupline - parses one line of a lock-up report: header, frame or CPU. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "lockup.h"

#include "array.h"
#include "cursor.h"
#include "words.h"

#include <ctype.h>
#include <string.h>

static bool
is_symbol_byte(const struct cursor *at)
{
	return !cursor_at_end(at) && (isalnum((unsigned char)*at->at) != 0 || *at->at == '_');
}

/* Skip the given characters. */
static void
skip_any(struct cursor *at, const char *characters)
{
	while (!cursor_at_end(at) && *at->at != '\0' && strchr(characters, *at->at) != NULL)
		at->at++;
}

/* Move past the next occurrence of `part`. Return false if there is none. */
static bool
skip_to(struct cursor *at, const char *part)
{
	const char *found = memmem(at->at, (size_t)(at->end - at->at), part, strlen(part));
	if (found != NULL)
		at->at = found + strlen(part);
	return found != NULL;
}

/* Parse a number of at most nine digits. The caller checks what follows. */
static bool
parse_number(struct cursor *at, uint32_t *out)
{
	const char *start = at->at;
	uint32_t value = 0;
	for (; cursor_is_digit(at) && at->at - start < 9; at->at++)
		value = value * 10 + (uint32_t)(*at->at - '0');
	if (at->at == start)
		return false;
	*out = value;
	return true;
}

/* --- headers ---
 *
 *   header   = [ watchdog ] "BUG: soft lockup - CPU#" n " stuck for " n "s" ...              ; (1)
 *            / [ watchdog ] [ "CPU" n ": " ] "Watchdog detected hard LOCKUP on cpu " n       ; (2)
 *            / [ "rcu: " ] [ "INFO: " ] flavour " self-detected stall on CPU" ...            ; (3)
 *            / [ "rcu: " ] [ "INFO: " ] flavour " detected [expedited ]stalls on CPUs/tasks" ; (4)
 *            / "INFO: task " name ":" pid " blocked " ... "for more than " n " seconds" ...  ; (5)
 *   watchdog = "watchdog: " / "NMI watchdog: " / "Kernel panic - not syncing: "
 *
 * (1) watchdog_timer_fn() and (2) watchdog_hardlockup_check(), kernel/watchdog.c; (3)
 * print_cpu_stall() and (4) print_other_cpu_stall(), kernel/rcu/tree_stall.h, or
 * synchronize_rcu_expedited_wait(), kernel/rcu/tree_exp.h; (5) check_hung_task(),
 * kernel/hung_task.c.
 *
 * Any user can choose the name of a task, so the text after `INFO: task ` cannot be trusted. */

static bool
parse_cpu(struct cursor *at, struct lockup_header *out)
{
	bool found = parse_number(at, &out->cpus[out->cpu_count]);
	out->cpu_count += found;
	return found;
}

/* `9 stuck for 22s!` */
static bool
parse_soft(struct cursor *at, struct lockup_header *out)
{
	return parse_cpu(at, out) && cursor_skip_text(at, " stuck for ") &&
	       parse_number(at, &out->seconds) && cursor_is(at, 's');
}

/* `9` */
static bool
parse_hard(struct cursor *at, struct lockup_header *out)
{
	return parse_cpu(at, out);
}

/* ` { 3 9} (t=60000 jiffies`, ` { 3-...D P812 9-...D } 21000 jiffies` with a task among the CPUs,
 * or nothing if the CPUs are on the lines that follow */
static bool
parse_rcu(struct cursor *at, struct lockup_header *out)
{
	struct cursor word;
	bool ends = !skip_to(at, "{");

	while (!ends && out->cpu_count < LOCKUP_CPUS_MAX) {
		cursor_skip_blanks(at);
		ends = !cursor_parse_word(at, &word) || word.end[-1] == '}';
		parse_cpu(&word, out);
	}
	return true;
}

/* `kworker/u64:3:1234 blocked for more than 120 seconds.` */
static bool
parse_task(struct cursor *at, struct lockup_header *out)
{
	return skip_to(at, " blocked ") && skip_to(at, "for more than ") &&
	       parse_number(at, &out->seconds) && cursor_skip_text(at, " seconds");
}

/* Skip what may precede the text of a header. */
static void
skip_watchdog(struct cursor *at)
{
	uint32_t cpu;
	if (!cursor_skip_text(at, "watchdog: ") && !cursor_skip_text(at, "NMI watchdog: "))
		cursor_skip_text(at, "Kernel panic - not syncing: ");
	struct cursor behind = *at;
	if (cursor_skip_text(&behind, "CPU") && parse_number(&behind, &cpu) &&
		cursor_skip_text(&behind, ": "))
		*at = behind;
}

/* `rcu: INFO: rcu_sched ` */
static void
skip_rcu(struct cursor *at)
{
	cursor_skip_text(at, "rcu: ");
	cursor_skip_text(at, "INFO: ");
	const char *flavour = at->at;
	while (is_symbol_byte(at))
		at->at++;
	if (at->at > flavour)
		cursor_skip_char(at, ' ');
}

static const struct {
	enum lockup_kind kind;
	void (*skip)(struct cursor *at); /* skips an optional prefix; NULL: no prefix */
	const char *text;                /* `parse` starts after it */
	bool (*parse)(struct cursor *at, struct lockup_header *out);
} headers[] = {
	{LOCKUP_SOFT, skip_watchdog, "BUG: soft lockup - CPU#", parse_soft},
	{LOCKUP_HARD, skip_watchdog, "Watchdog detected hard LOCKUP on cpu ", parse_hard},
	{LOCKUP_RCU, skip_rcu, "self-detected stall on CPU", parse_rcu},
	{LOCKUP_RCU, skip_rcu, "detected stalls on CPUs/tasks", parse_rcu},
	{LOCKUP_RCU, skip_rcu, "detected expedited stalls on CPUs/tasks", parse_rcu},
	{LOCKUP_TASK, NULL, "INFO: task ", parse_task},
};

bool
lockupline_header(const char *text, size_t length, struct lockup_header *out)
{
	for (size_t i = 0; i < ARRAY_COUNT(headers); i++) {
		struct cursor at = {text, text + length};
		*out = (struct lockup_header){.kind = headers[i].kind, .seconds = LOCKUP_UNKNOWN};
		if (headers[i].skip != NULL)
			headers[i].skip(&at);
		if (cursor_skip_text(&at, headers[i].text) && headers[i].parse(&at, out))
			return true;
	}
	return false;
}

/* --- frames ---
 *
 *   frame    = *blank [ register ] *( address blank ) symbol [ suffix ] "+0x" 1*hex "/0x" 1*hex ...
 *              ; printk_stack_address(), arch/x86/kernel/dumpstack.c;
 *              ; dump_backtrace_entry(), arch/arm64/kernel/stacktrace.c
 *            / *blank "Workqueue: mlx5_health" ...
 *              ; print_worker_info(), kernel/workqueue.c
 *   register = "<IRQ> " / "RIP: " [ 4 hex ":" ] / "pc : "
 *              ; show_ip(), there; show_regs(), arch/arm64/kernel/process.c
 *   address  = "[<" 1*hex ">]"                  ; until Linux 4.x
 *
 * `? ` before the symbol marks a leftover on the stack, and `lr : ` is where a register happens to
 * point. Neither proves that the function runs. */

static const struct {
	const char *name;
	enum lockup_frame frame;
} symbols[] = {
	{"mlx5e_napi_poll", LOCKUP_FRAME_CORE},
	{"mlx5e_poll_ico_cq", LOCKUP_FRAME_CORE},
	{"mlx5e_poll_tx_cq", LOCKUP_FRAME_BELOW},
	{"mlx5e_poll_rx_cq", LOCKUP_FRAME_BELOW},
	{"mlx5e_poll_xdpsq_cq", LOCKUP_FRAME_BELOW},
	{"mlx5e_handle_rx_cqe", LOCKUP_FRAME_BELOW},
	{"mlx5e_handle_rx_cqe_mpwrq", LOCKUP_FRAME_BELOW},
	{"mlx5e_handle_rx_cqe_mpwrq_shampo", LOCKUP_FRAME_BELOW},
	{"mlx5e_post_rx_wqes", LOCKUP_FRAME_BELOW},
	{"mlx5e_post_rx_mpwqes", LOCKUP_FRAME_BELOW},
	{"mlx5e_ptp_napi_poll", LOCKUP_FRAME_POLL},
	{"mlx5e_ptp_poll_ts_cq", LOCKUP_FRAME_POLL},
	{"mlx5e_trap_napi_poll", LOCKUP_FRAME_POLL},
	{"mlx5_eq_comp_int", LOCKUP_FRAME_POLL},
	{"mlx5_eq_async_int", LOCKUP_FRAME_POLL},
	{"mlx5_cmd_comp_handler", LOCKUP_FRAME_POLL},
	{"mlx5_cmd_flush", LOCKUP_FRAME_POLL},
	{"mlx5_cq_tasklet_cb", LOCKUP_FRAME_POLL},
	{"mlx5_ib_poll_cq", LOCKUP_FRAME_POLL},
	{"mlx5_poll_one", LOCKUP_FRAME_POLL},
	{"mlx5_health_try_recover", LOCKUP_FRAME_WORK},
	{"mlx5_health_wait_pci_up", LOCKUP_FRAME_WORK},
	{"mlx5_health_log_ts_update", LOCKUP_FRAME_WORK},
	{"mlx5_fw_reporter_err_work", LOCKUP_FRAME_WORK},
	{"mlx5_fw_fatal_reporter_err_work", LOCKUP_FRAME_WORK},
	{"mlx5_enter_error_state", LOCKUP_FRAME_WORK},
	{"mlx5_error_sw_reset", LOCKUP_FRAME_WORK},
	{"mlx5_recover_device", LOCKUP_FRAME_WORK},
	{"mlx5_crdump_collect", LOCKUP_FRAME_WORK},
	{"mlx5_vsc_gw_lock", LOCKUP_FRAME_WORK},
};

/* Queue of the health watch's work; the PCI address follows in its name. */
#define WORKQUEUE "Workqueue: mlx5_health"

/* Each header and symbol above contains one of these, and so does a line by which a stack of a CPU
 * begins. */
const char *const lockupline_keys[] = {
	"soft lockup - CPU#",
	"hard LOCKUP on cpu ",
	"self-detected stall on CPU",
	"stalls on CPUs/tasks",
	"for more than ",
	"NMI backtrace for cpu ",
	"Task dump for CPU ",
	" Comm: ",
	"mlx5e_napi_poll",
	"mlx5e_poll_",
	"mlx5e_handle_rx_cqe",
	"mlx5e_post_rx_",
	"mlx5e_ptp_",
	"mlx5e_trap_napi_poll",
	"_eq_comp_int",
	"_eq_async_int",
	"mlx5_cmd_comp_handler",
	"mlx5_cmd_flush",
	"mlx5_cq_tasklet_cb",
	"mlx5_ib_poll_cq",
	"mlx5_poll_one",
	"mlx5_health",
	"reporter_err_work",
	"mlx5_enter_error_state",
	"mlx5_error_sw_reset",
	"mlx5_recover_device",
	"mlx5_crdump_collect",
	"mlx5_vsc_gw_lock",
};

const size_t lockupline_key_count = ARRAY_COUNT(lockupline_keys);

static bool
skip_hex(struct cursor *at)
{
	const char *start = at->at;
	while (!cursor_at_end(at) && isxdigit((unsigned char)*at->at) != 0)
		at->at++;
	return at->at > start;
}

/* `[<ffffffffc0a1b2c3>]` */
static bool
skip_address(struct cursor *at)
{
	struct cursor address = *at;
	if (!cursor_skip_text(&address, "[<") || !skip_hex(&address) ||
		!cursor_skip_text(&address, ">]"))
		return false;
	*at = address;
	return true;
}

/* `RIP: 0010:` and the like. */
static void
skip_register(struct cursor *at)
{
	if (cursor_skip_text(at, "<IRQ>") || cursor_skip_text(at, "pc : ") ||
		!cursor_skip_text(at, "RIP: "))
		return;
	struct cursor segment = *at;
	if (skip_hex(&segment) && cursor_skip_char(&segment, ':'))
		*at = segment;
}

/* Skip to the symbol of a frame. */
static void
skip_to_symbol(struct cursor *at)
{
	skip_any(at, " \t");
	skip_register(at);
	skip_any(at, " \t");
	while (skip_address(at))
		skip_any(at, " \t");
}

/* Return the frame of the symbol: `name+0x12/0x34`, or `name.isra.0+0x12/0x34` with a compiler's
 * suffix. */
static enum lockup_frame
frame_at(struct cursor at)
{
	const char *name = at.at;
	while (is_symbol_byte(&at))
		at.at++;
	size_t length = (size_t)(at.at - name);
	/* The core pattern's expression allows no compiler suffix. */
	bool exact = cursor_is(&at, '+');
	while (is_symbol_byte(&at) || cursor_is(&at, '.'))
		at.at++;
	if (!cursor_skip_text(&at, "+0x") || !skip_hex(&at) || !cursor_skip_text(&at, "/0x") ||
		!skip_hex(&at))
		return LOCKUP_FRAME_NONE;
	for (size_t i = 0; i < ARRAY_COUNT(symbols); i++) {
		if (words_equal(symbols[i].name, name, length))
			return symbols[i].frame == LOCKUP_FRAME_CORE && !exact ? LOCKUP_FRAME_POLL
									       : symbols[i].frame;
	}
	return LOCKUP_FRAME_NONE;
}

enum lockup_frame
lockupline_frame(const char *text, size_t length)
{
	struct cursor at = {text, text + length};
	skip_to_symbol(&at);
	struct cursor workqueue = at;
	return cursor_skip_text(&workqueue, WORKQUEUE) ? LOCKUP_FRAME_WORK : frame_at(at);
}

/* --- CPUs ---
 *
 *   backtrace = "NMI backtrace for cpu " n ...
 *               ; nmi_cpu_backtrace(), lib/nmi_backtrace.c
 *             / "Task dump for CPU " n ...
 *               ; dump_cpu_task(), kernel/sched/core.c
 *             / [ "WARNING: " ] "CPU: " n ( " PID: " / " UID: " ) ...
 *               ; dump_stack_print_info(), lib/dump_stack.c; __warn(), kernel/panic.c
 *   stalled   = [ "rcu: " ] *blank [ "#011" ] n "-" ... ": (" ...
 *               ; print_cpu_stall_info(), kernel/rcu/tree_stall.h; rsyslog writes the tab as
 *               ; #011 */

bool
lockupline_backtrace(const char *text, size_t length, uint32_t *cpu)
{
	struct cursor at = {text, text + length};
	if (cursor_skip_text(&at, "NMI backtrace for cpu ") ||
		cursor_skip_text(&at, "Task dump for CPU "))
		return parse_number(&at, cpu);
	cursor_skip_text(&at, "WARNING: ");
	return cursor_skip_text(&at, "CPU: ") && parse_number(&at, cpu) &&
	       (cursor_skip_text(&at, " PID: ") || cursor_skip_text(&at, " UID: "));
}

bool
lockupline_stalled(const char *text, size_t length, uint32_t *cpu)
{
	struct cursor at = {text, text + length};
	cursor_skip_text(&at, "rcu: ");
	skip_any(&at, " \t");
	cursor_skip_text(&at, "#011");
	return parse_number(&at, cpu) && cursor_skip_char(&at, '-') && skip_to(&at, ": (");
}

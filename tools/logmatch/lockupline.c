/* lockupline - what a line of a lock-up's report says: a header, a frame, which CPU. */
#include "lockupline.h"

#include <ctype.h>
#include <string.h>

static const char *
find(const char *text, const char *end, const char *part)
{
	return memmem(text, (size_t)(end - text), part, strlen(part));
}

/* True when the text goes on with `part` at `*at`, which is then moved behind it. */
static bool
take(const char **at, const char *end, const char *part)
{
	size_t length = strlen(part);
	if ((size_t)(end - *at) < length || memcmp(*at, part, length) != 0)
		return false;
	*at += length;
	return true;
}

/* True when the text goes on with a number of at most nine digits. */
static bool
take_number(const char **at, const char *end, uint32_t *out)
{
	const char *start = *at;
	uint32_t value = 0;
	while (*at < end && **at >= '0' && **at <= '9' && *at - start < 9)
		value = value * 10 + (uint32_t)(*(*at)++ - '0');
	if (*at == start)
		return false;
	*out = value;
	return true;
}

/* Whatever comes before a number. */
static void
pass(const char **at, const char *end, const char *characters)
{
	while (*at < end && strchr(characters, **at) != NULL && **at != '\0')
		(*at)++;
}

/* --- headers --- */

/* `9 stuck for 22s!` */
static bool
read_soft(const char *at, const char *end, struct lockup_header *out)
{
	return take_number(&at, end, &out->cpu) && take(&at, end, " stuck for ") &&
	       take_number(&at, end, &out->seconds) && take(&at, end, "s");
}

/* `9` */
static bool
read_hard(const char *at, const char *end, struct lockup_header *out)
{
	return take_number(&at, end, &out->cpu);
}

/* ` { 9}  (t=60000 jiffies`, or nothing: then the CPUs are on the lines that follow */
static bool
read_rcu(const char *at, const char *end, struct lockup_header *out)
{
	pass(&at, end, ": {");
	take_number(&at, end, &out->cpu);
	return true;
}

/* `kworker/u64:3:1234 blocked for more than 120 seconds.` */
static bool
read_task(const char *at, const char *end, struct lockup_header *out)
{
	at = find(at, end, " blocked ");
	if (at == NULL || (at = find(at, end, "for more than ")) == NULL)
		return false;
	at += strlen("for more than ");
	return take_number(&at, end, &out->seconds) && take(&at, end, " seconds");
}

static const struct {
	enum lockup_kind kind;
	const char *text; /* what is read is behind it */
	bool (*read)(const char *at, const char *end, struct lockup_header *out);
} headers[] = {
	{LOCKUP_SOFT, "BUG: soft lockup - CPU#", read_soft},
	{LOCKUP_HARD, "Watchdog detected hard LOCKUP on cpu ", read_hard},
	{LOCKUP_RCU, " self-detected stall on CPU", read_rcu},
	{LOCKUP_RCU, " stalls on CPUs/tasks", read_rcu},
	{LOCKUP_TASK, "INFO: task ", read_task},
};

bool
lockupline_header(const char *text, size_t length, struct lockup_header *out)
{
	const char *end = text + length;
	for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
		const char *at = find(text, end, headers[i].text);
		*out = (struct lockup_header){
			headers[i].kind, LOCKUPLINE_UNKNOWN, LOCKUPLINE_UNKNOWN};
		if (at != NULL && headers[i].read(at + strlen(headers[i].text), end, out))
			return true;
	}
	return false;
}

/* --- frames --- */

static const struct {
	const char *name;
	enum lockup_frame frame;
} symbols[] = {
	{"mlx5e_napi_poll", LOCKUP_FRAME_SPEC},
	{"mlx5e_poll_ico_cq", LOCKUP_FRAME_SPEC},
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

/* The queue that such work is in; its name has the PCI address. */
#define WORKQUEUE "Workqueue: mlx5_health"

/* One of these is in each symbol. */
const char *const lockupline_keys[] = {
	"soft lockup - CPU#",
	"hard LOCKUP on cpu ",
	"self-detected stall on CPU",
	"stalls on CPUs/tasks",
	"for more than ",
	"NMI backtrace for cpu ",
	"Task dump for CPU ",
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

const size_t lockupline_key_count = sizeof lockupline_keys / sizeof *lockupline_keys;

static bool
is_symbol_byte(char c)
{
	return isalnum((unsigned char)c) != 0 || c == '_';
}

/* `? name+0x..` was left on the stack, `lr : name+0x..` is where a register happens to point: neither says that the function runs. */
static bool
is_certain(const char *text, const char *name)
{
	static const char *const marks[] = {"? ", "lr : "};
	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
		size_t length = strlen(marks[i]);
		if ((size_t)(name - text) >= length && memcmp(name - length, marks[i], length) == 0)
			return false;
	}
	return true;
}

/* Which frame the symbol that begins at `name` is: `name+0x12/0x34`, or with what compilers add, `name.isra.0+0x12/0x34`. */
static enum lockup_frame
frame_at(const char *name, const char *end)
{
	const char *stop = name;
	while (stop < end && is_symbol_byte(*stop))
		stop++;
	const char *at = stop;
	while (at < end && (is_symbol_byte(*at) || *at == '.'))
		at++;
	if (!take(&at, end, "+0x"))
		return LOCKUP_FRAME_NONE;
	for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
		if (strlen(symbols[i].name) != (size_t)(stop - name) ||
			memcmp(symbols[i].name, name, (size_t)(stop - name)) != 0)
			continue;
		/* SPEC's expression has no place for what compilers add. */
		bool exact = *stop == '+';
		return symbols[i].frame == LOCKUP_FRAME_SPEC && !exact ? LOCKUP_FRAME_POLL
								       : symbols[i].frame;
	}
	return LOCKUP_FRAME_NONE;
}

enum lockup_frame
lockupline_frame(const char *text, size_t length)
{
	const char *end = text + length;
	if (find(text, end, WORKQUEUE) != NULL)
		return LOCKUP_FRAME_WORK;
	for (const char *at = text; (at = find(at, end, "mlx5")) != NULL; at++) {
		if (at > text && is_symbol_byte(at[-1]))
			continue;
		enum lockup_frame frame = frame_at(at, end);
		if (frame != LOCKUP_FRAME_NONE && is_certain(text, at))
			return frame;
	}
	return LOCKUP_FRAME_NONE;
}

/* --- CPUs --- */

bool
lockupline_backtrace(const char *text, size_t length, uint32_t *cpu)
{
	static const char *const announcements[] = {"NMI backtrace for cpu ", "Task dump for CPU "};
	const char *end = text + length;
	for (size_t i = 0; i < sizeof announcements / sizeof *announcements; i++) {
		const char *at = find(text, end, announcements[i]);
		if (at == NULL)
			continue;
		at += strlen(announcements[i]);
		return take_number(&at, end, cpu);
	}
	return false;
}

bool
lockupline_stalled(const char *text, size_t length, uint32_t *cpu)
{
	const char *at = text, *end = text + length;
	take(&at, end, "rcu: ");
	pass(&at, end, " \t");
	return take_number(&at, end, cpu) && take(&at, end, "-") && find(at, end, ": (") != NULL;
}

/* lockup - detects lock-ups of CPUs in the driver: a header, then a frame of the driver in the
 * lines after it. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "lockup.h"

#include "logtime.h"

/* How far the times of lines may be out of order. */
#define LOCKUP_DISORDER_NS (60 * NUM_NS_PER_S)

/* Return the pattern of a frame in a report of this kind, or LOGPATTERN_N for none. A soft lock-up
 * below mlx5e_napi_poll is detected by the frame of mlx5e_napi_poll itself, which belongs to the
 * core pattern. */
static enum logpattern
pattern_for(enum lockup_kind kind, enum lockup_frame frame)
{
	bool polls = frame == LOCKUP_FRAME_CORE || frame == LOCKUP_FRAME_BELOW ||
		     frame == LOCKUP_FRAME_POLL;
	switch (kind) {
	case LOCKUP_SOFT:
		return frame == LOCKUP_FRAME_CORE   ? LOGPATTERN_NAPI_SOFT_LOCKUP
		       : frame == LOCKUP_FRAME_POLL ? LOGPATTERN_DRIVER_SOFT_LOCKUP
						    : LOGPATTERN_N;
	case LOCKUP_HARD:
		return polls ? LOGPATTERN_DRIVER_HARD_LOCKUP : LOGPATTERN_N;
	case LOCKUP_RCU:
		return polls ? LOGPATTERN_DRIVER_RCU_STALL : LOGPATTERN_N;
	case LOCKUP_TASK:
		return frame == LOCKUP_FRAME_WORK ? LOGPATTERN_HEALTH_TASK_HUNG : LOGPATTERN_N;
	case LOCKUP_KIND_N:
		break;
	}
	return LOGPATTERN_N;
}

/* --- quiet --- */

/* True if the time is in the quiet period. A much earlier time means another log. */
static bool
is_within(uint64_t until_ns, uint64_t time_ns)
{
	return time_ns < until_ns && time_ns + LOCKUP_DISORDER_NS >= until_ns - LOCKUP_QUIET_NS;
}

/* A soft lock-up in the driver is one fault with two patterns: the core pattern also silences the
 * other one. */
static bool
is_quiet(const struct lockup *lockup, enum logpattern pattern, uint64_t time_ns)
{
	return is_within(lockup->quiet_until_ns[pattern], time_ns) ||
	       (pattern == LOGPATTERN_DRIVER_SOFT_LOCKUP &&
		       is_within(lockup->quiet_until_ns[LOGPATTERN_NAPI_SOFT_LOCKUP], time_ns));
}

/* --- windows --- */

/* Return the line's own time, 0 if it has none. */
static uint64_t
moment_of(const struct lockup_line *line)
{
	return line->is_timed ? line->time_ns : 0;
}

/* True if both times are known and too far apart. */
static bool
is_apart(uint64_t since_ns, uint64_t time_ns)
{
	return since_ns > 0 && time_ns > 0 &&
	       logtime_apart_ns(since_ns, time_ns) > LOCKUP_WINDOW_NS;
}

/* Close what began too long before the line. A much earlier line is of another log. */
static void
close_old(struct lockup *lockup, const struct lockup_line *line)
{
	uint64_t time_ns = moment_of(line);

	for (enum lockup_kind kind = 0; kind < LOCKUP_KIND_N; kind++) {
		if (is_apart(lockup->windows[kind].since_ns, time_ns))
			lockup->windows[kind].lines_left = 0;
	}
	if (is_apart(lockup->frame_ns, time_ns))
		lockup->frame_left = 0;
}

static bool
has_window(const struct lockup *lockup)
{
	for (enum lockup_kind kind = 0; kind < LOCKUP_KIND_N; kind++) {
		if (lockup->windows[kind].lines_left > 0)
			return true;
	}
	return false;
}

static bool
has_cpu(const struct lockup_window *window, uint32_t cpu)
{
	for (size_t i = 0; i < window->cpu_count; i++) {
		if (window->cpus[i] == cpu)
			return true;
	}
	return false;
}

static void
add_cpu(struct lockup_window *window, uint32_t cpu)
{
	if (window->cpu_count < LOCKUP_CPUS_MAX && !has_cpu(window, cpu))
		window->cpus[window->cpu_count++] = cpu;
}

static void
open_window(struct lockup_window *window, const struct lockup_header *header,
	const struct lockup_line *line)
{
	const char *text = line->text;
	size_t length = line->length;
	size_t kept = length < LOCKUP_HEADER_MAX_BYTES ? length : LOCKUP_HEADER_MAX_BYTES;

	/* One more, because count_line() also counts the header. */
	*window = (struct lockup_window){.lines_left = LOCKUP_WINDOW_LINES + 1,
		.seconds = header->seconds,
		.since_ns = moment_of(line)};
	for (size_t i = 0; i < header->cpu_count; i++)
		add_cpu(window, header->cpus[i]);
	for (size_t i = 0; i < kept; i++) {
		bool plain = text[i] >= ' ' && text[i] <= '~';
		window->header[i] = (char)(plain ? text[i] : ' ');
	}
	window->header[kept] = '\0';
}

/* After `NMI backtrace for cpu 5` or `CPU: 5 PID: `, frames belong to CPU 5, which may be busy in
 * the driver while another CPU is stuck elsewhere. */
static uint32_t
frame_cpu(const struct lockup *lockup)
{
	return lockup->in_backtrace ? lockup->backtrace_cpu : LOCKUP_UNKNOWN;
}

/* If the list of stuck CPUs is full or empty, any CPU may be one. */
static bool
is_of(const struct lockup_window *window, uint32_t cpu)
{
	return cpu == LOCKUP_UNKNOWN || window->cpu_count == 0 ||
	       window->cpu_count == LOCKUP_CPUS_MAX || has_cpu(window, cpu);
}

/* --- findings --- */

/* Report the frame as belonging to the window. Return false if the pattern is disabled or quiet. */
static bool
conclude(struct lockup *lockup, const bool enabled[LOGPATTERN_N], enum logpattern pattern,
	const struct lockup_window *window, uint64_t time_ns, struct lockup_finding *out)
{
	if (!enabled[pattern] || is_quiet(lockup, pattern, time_ns))
		return false;
	lockup->quiet_until_ns[pattern] = time_ns + LOCKUP_QUIET_NS;
	*out = (struct lockup_finding){.pattern = pattern,
		.cpu = lockup->in_backtrace && window->cpu_count > 0 ? lockup->backtrace_cpu
		       : window->cpu_count > 0                       ? window->cpus[0]
								     : LOCKUP_UNKNOWN,
		.seconds = window->seconds,
		.header = window->header};
	return true;
}

/* CPUs that get stuck together may all be reported before the first stack: if none has begun since
 * the header before, the stack of its CPU is still to come. */
static void
keep_cpus(
	const struct lockup *lockup, const struct lockup_window *old, struct lockup_window *window)
{
	if (old->lines_left == 0 || old->concluded || lockup->in_backtrace)
		return;
	for (size_t i = 0; i < old->cpu_count; i++)
		add_cpu(window, old->cpus[i]);
}

/* Open the window of a report. Its frame may have come before the header. */
static bool
accept_header(struct lockup *lockup, const bool enabled[LOGPATTERN_N],
	const struct lockup_header *header, const struct lockup_line *line,
	struct lockup_finding *out)
{
	struct lockup_window *window = &lockup->windows[header->kind];
	enum logpattern pattern = pattern_for(header->kind, LOCKUP_FRAME_POLL);
	const struct lockup_window old = *window;

	open_window(window, header, line);
	keep_cpus(lockup, &old, window);
	bool before = lockup->frame_left > 0 && pattern != LOGPATTERN_N &&
		      is_of(window, lockup->frame_cpu);
	lockup->frame_left = 0;
	lockup->in_backtrace = false;
	if (!before || !conclude(lockup, enabled, pattern, window, line->time_ns, out))
		return false;
	out->header = "";
	return true;
}

static bool
accept_frame(struct lockup *lockup, const bool enabled[LOGPATTERN_N], enum lockup_frame frame,
	const struct lockup_line *line, struct lockup_finding *out)
{
	bool reported = false;

	for (enum lockup_kind kind = 0; kind < LOCKUP_KIND_N && !reported; kind++) {
		struct lockup_window *window = &lockup->windows[kind];
		enum logpattern pattern = pattern_for(kind, frame);
		if (window->lines_left == 0 || window->concluded || pattern == LOGPATTERN_N ||
			!is_of(window, frame_cpu(lockup)))
			continue;
		reported = conclude(lockup, enabled, pattern, window, line->time_ns, out);
		/* The core pattern's frame may still follow. */
		window->concluded = pattern != LOGPATTERN_DRIVER_SOFT_LOCKUP;
	}
	if (!has_window(lockup) && frame != LOCKUP_FRAME_WORK) {
		lockup->frame_left = LOCKUP_BEFORE_LINES + 1;
		lockup->frame_ns = moment_of(line);
		lockup->frame_cpu = frame_cpu(lockup);
	}
	return reported;
}

static void
accept_cpus(struct lockup *lockup, const char *text, size_t length)
{
	struct lockup_window *rcu = &lockup->windows[LOCKUP_RCU];
	uint32_t cpu;

	if (rcu->lines_left > 0 && lockupline_stalled(text, length, &cpu))
		add_cpu(rcu, cpu);
	if (lockupline_backtrace(text, length, &cpu)) {
		lockup->in_backtrace = true;
		lockup->backtrace_cpu = cpu;
	}
}

static void
count_line(struct lockup *lockup)
{
	for (enum lockup_kind kind = 0; kind < LOCKUP_KIND_N; kind++) {
		if (lockup->windows[kind].lines_left > 0)
			lockup->windows[kind].lines_left--;
	}
	if (lockup->frame_left > 0)
		lockup->frame_left--;
}

bool
lockup_step(struct lockup *lockup, const bool enabled[LOGPATTERN_N], const struct lockup_line *line,
	struct lockup_finding *out)
{
	struct lockup_header header;
	bool reported = false;

	close_old(lockup, line);
	if (line->interesting || has_window(lockup))
		accept_cpus(lockup, line->text, line->length);
	if (line->interesting && lockupline_header(line->text, line->length, &header)) {
		reported = accept_header(lockup, enabled, &header, line, out);
	} else if (line->interesting) {
		enum lockup_frame frame = lockupline_frame(line->text, line->length);
		if (frame != LOCKUP_FRAME_NONE)
			reported = accept_frame(lockup, enabled, frame, line, out);
	}
	count_line(lockup);
	return reported;
}

bool
lockup_counts_lines(const struct lockup *lockup)
{
	return lockup->frame_left > 0 || has_window(lockup);
}

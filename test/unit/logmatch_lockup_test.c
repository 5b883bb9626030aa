/* Unit tests of logmatch's lockup: whole reports, the edges of its windows, and restarts between
 * two lines. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/logmatch/lineform.h"
#include "../../tools/logmatch/lockup.h"
#include "../../tools/logmatch/matcher.h"
#include "../../tools/logmatch/memory.h"

#include "check.h"
#include "num.h"

#include <stdio.h>
#include <stdlib.h>

#define LOCKUPS "test/logmatch/lockups"

#define SOFT "watchdog: BUG: soft lockup - CPU#5 stuck for 24s! [ksoftirqd/5:93]"
#define HARD "NMI watchdog: Watchdog detected hard LOCKUP on cpu 5"
#define STALL "rcu: INFO: rcu_sched self-detected stall on CPU"
#define HUNG "INFO: task kworker/u64:3:1234 blocked for more than 120 seconds."
#define FRAME " mlx5e_napi_poll+0x1a2/0x6b0 [mlx5_core]"
#define TASKLET " mlx5_cq_tasklet_cb+0x12/0x34 [mlx5_core]"
#define BELOW " mlx5e_poll_rx_cq+0x12/0x34 [mlx5_core]"
#define WORK " mlx5_health_try_recover+0x1/0x2 [mlx5_core]"
#define OTHER "XFS (nvme0n1p1): Ending clean mount"

#define MINUTES(count) (UINT64_C(count) * 60 * NUM_NS_PER_S)
#define DAY_NS MINUTES(24 * 60)

/* The state machine as logmatch runs it. */
struct run {
	struct eval_memory *memory; /* large */
	struct matcher *matcher;
	bool enabled[LOGPATTERN_N];
	bool restarting; /* after every line */
	bool timeless;   /* the lines have no time */
	struct lockup_finding finding;
};

static struct run
run_new(void)
{
	struct run run = {.memory = calloc(1, sizeof *run.memory)};
	memset(run.enabled, true, sizeof run.enabled);
	run.matcher = matcher_new(run.enabled);
	CHECK(run.matcher != NULL);
	return run;
}

static void
run_free(struct run *run)
{
	free(run->memory);
	matcher_free(run->matcher);
}

static void
restart(struct run *run)
{
	json_t *json = memory_encode_new(run->memory);
	*run->memory = (struct eval_memory){0};
	CHECK(memory_decode(json, run->memory));
	json_decref(json);
}

/* Return the pattern that the line completes; LOGPATTERN_N: none. */
static enum logpattern
step_bytes(struct run *run, const char *text, size_t length, uint64_t time_ns)
{
	struct lockup *lockup = &run->memory->lockup;
	struct match match = matcher_match(
		run->matcher, text, length, matcher_meaning(run->matcher, text, length));
	bool found = (match.is_frame || lockup_counts_lines(lockup)) &&
		     lockup_step(lockup, run->enabled,
			     &(struct lockup_line){.text = text,
				     .length = length,
				     .interesting = match.is_frame,
				     .is_timed = !run->timeless,
				     .time_ns = time_ns},
			     &run->finding);
	enum logpattern pattern = found ? run->finding.pattern : LOGPATTERN_N;
	if (run->restarting)
		restart(run);
	return pattern;
}

static enum logpattern
step(struct run *run, const char *text, uint64_t time_ns)
{
	return step_bytes(run, text, strlen(text), time_ns);
}

static void
others(struct run *run, size_t count)
{
	for (size_t i = 0; i < count; i++)
		CHECK_INT(step(run, OTHER, DAY_NS), LOGPATTERN_N);
}

/* --- whole reports --- */

static void
number_or_dash(uint32_t number, char out[16])
{
	if (number == LOCKUP_UNKNOWN)
		strcpy(out, "-");
	else
		snprintf(out, 16, "%u", number);
}

static void
add_result(const char *name, const struct lockup_finding *finding, char *out, size_t size)
{
	char cpu[16], seconds[16];
	size_t used = strlen(out);
	number_or_dash(finding->cpu, cpu);
	number_or_dash(finding->seconds, seconds);
	snprintf(out + used, size - used, "%s\t%s\t%s\t%s\n", name,
		logpattern_name(finding->pattern), cpu, seconds);
}

/* Run a file and write the findings in the form of expect.tsv. */
static void
run_file(const char *name, bool restarting, char *out, size_t size)
{
	char path[200];
	struct run run = run_new();
	struct strbuf scratch = {0};
	char *line = NULL;
	size_t capacity = 0;
	ssize_t length;

	run.restarting = restarting;
	*out = '\0';
	snprintf(path, sizeof path, LOCKUPS "/%s", name);
	FILE *file = fopen(path, "re");
	CHECK(file != NULL);
	while (file != NULL && (length = getline(&line, &capacity, file)) > 0) {
		struct logline parsed;
		size_t bytes = (size_t)length - (line[length - 1] == '\n');
		CHECK_INT(lineform_parse(LOGLINE_AUTO, line, bytes, false, &scratch, &parsed), 0);
		/* A time well after zero, as boot time would give. */
		if (parsed.kind == LOGLINE_MESSAGE &&
			step_bytes(&run, parsed.text, parsed.length, DAY_NS + parsed.time_ns) !=
				LOGPATTERN_N)
			add_result(name, &run.finding, out, size);
	}
	if (*out == '\0')
		snprintf(out, size, "%s\t-\t-\t-\n", name);
	if (file != NULL)
		fclose(file);
	free(line);
	strbuf_fini(&scratch);
	run_free(&run);
}

static void
check_reports(bool restarting)
{
	char expected[1000] = "", name[200] = "", got[1000];
	char *line = NULL;
	size_t capacity = 0, files = 0;
	bool more;
	FILE *file = fopen(LOCKUPS "/expect.tsv", "re");

	if (!CHECK(file != NULL))
		return;
	do {
		more = getline(&line, &capacity, file) > 0;
		size_t length = more ? strcspn(line, "\t") : 0;
		bool same = length == strlen(name) && strncmp(line, name, length) == 0;
		if (!same && *name != '\0') {
			check_row("%s", name);
			run_file(name, restarting, got, sizeof got);
			CHECK_STR(got, expected);
			files++;
			*expected = '\0';
		}
		snprintf(name, sizeof name, "%.*s", (int)length, more ? line : "");
		strncat(expected, more ? line : "", sizeof expected - strlen(expected) - 1);
	} while (more);
	CHECK(files > 30);
	free(line);
	fclose(file);
}

static void
reports(void)
{
	check_reports(false);
}

static void
reports_with_restarts(void)
{
	check_reports(true);
}

/* --- windows --- */

static void
window_edges(void)
{
	static const struct {
		size_t between;
		enum logpattern pattern;
	} rows[] = {
		{0, LOGPATTERN_NAPI_SOFT_LOCKUP},
		{148, LOGPATTERN_NAPI_SOFT_LOCKUP},
		{149, LOGPATTERN_NAPI_SOFT_LOCKUP},
		{150, LOGPATTERN_N},
		{151, LOGPATTERN_N},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct run run = run_new();
		run.restarting = i % 2 != 0;
		check_row("%zu lines between", rows[i].between);
		CHECK_INT(step(&run, SOFT, DAY_NS), LOGPATTERN_N);
		others(&run, rows[i].between);
		CHECK_INT(step(&run, FRAME, DAY_NS), rows[i].pattern);
		run_free(&run);
	}
}

/* Each way: much earlier lines are of another log. */
static void
window_time(void)
{
	static const struct {
		int64_t after_ns;
		bool timeless, belongs;
	} rows[] = {
		{(int64_t)LOCKUP_WINDOW_NS, false, true},
		{(int64_t)LOCKUP_WINDOW_NS + 1, false, false},
		{(int64_t)MINUTES(48 * 60), false, false},
		{-(int64_t)LOCKUP_WINDOW_NS, false, true},
		{-(int64_t)LOCKUP_WINDOW_NS - 1, false, false},
		{(int64_t)MINUTES(48 * 60), true, true},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct run run = run_new();
		uint64_t then_ns = (uint64_t)((int64_t)DAY_NS * 3 + rows[i].after_ns);
		run.restarting = i % 2 != 0;
		check_row("%lld ns later", (long long)rows[i].after_ns);
		CHECK_INT(step(&run, SOFT, DAY_NS * 3), LOGPATTERN_N);
		run.timeless = rows[i].timeless;
		CHECK_INT(step(&run, FRAME, then_ns),
			rows[i].belongs ? LOGPATTERN_NAPI_SOFT_LOCKUP : LOGPATTERN_N);
		run_free(&run);
		/* The same with the frame first. */
		run = run_new();
		run.restarting = i % 2 != 0;
		CHECK_INT(step(&run, FRAME, DAY_NS * 3), LOGPATTERN_N);
		run.timeless = rows[i].timeless;
		CHECK_INT(step(&run, SOFT, then_ns),
			rows[i].belongs ? LOGPATTERN_DRIVER_SOFT_LOCKUP : LOGPATTERN_N);
		run_free(&run);
	}
}

/* Of `dmesg -H`, only one line a minute has a time. */
static void
window_of_timeless(void)
{
	struct run run = run_new();
	run.timeless = true;
	step(&run, SOFT, DAY_NS * 3);
	run.timeless = false;
	CHECK_INT(step(&run, FRAME, DAY_NS), LOGPATTERN_NAPI_SOFT_LOCKUP);
	run_free(&run);
}

static void
counting(void)
{
	struct run run = run_new();
	CHECK(!lockup_counts_lines(&run.memory->lockup));
	step(&run, SOFT, DAY_NS);
	others(&run, LOCKUP_WINDOW_LINES - 1);
	CHECK(lockup_counts_lines(&run.memory->lockup));
	others(&run, 1);
	CHECK(!lockup_counts_lines(&run.memory->lockup));
	run_free(&run);
}

static void
reopened(void)
{
	struct run run = run_new();
	step(&run, SOFT, DAY_NS);
	others(&run, 140);
	step(&run, "BUG: soft lockup - CPU#7 stuck for 46s!", DAY_NS);
	others(&run, 149);
	CHECK_INT(step(&run, FRAME, DAY_NS), LOGPATTERN_NAPI_SOFT_LOCKUP);
	CHECK_INT(run.finding.cpu, 7);
	CHECK_INT(run.finding.seconds, 46);
	CHECK_STR(run.finding.header, "BUG: soft lockup - CPU#7 stuck for 46s!");
	run_free(&run);
}

/* However late its lines are. */
static void
concluded(void)
{
	struct run run = run_new();
	step(&run, SOFT, DAY_NS);
	CHECK_INT(step(&run, FRAME, DAY_NS), LOGPATTERN_NAPI_SOFT_LOCKUP);
	CHECK_INT(step(&run, FRAME, DAY_NS + MINUTES(40)), LOGPATTERN_N);
	run.restarting = true;
	CHECK_INT(step(&run, FRAME, DAY_NS + MINUTES(80)), LOGPATTERN_N);
	CHECK_INT(step(&run, TASKLET, DAY_NS + MINUTES(120)), LOGPATTERN_N);
	run_free(&run);
}

/* The meaning of a frame in a report of each kind. */
static void
kinds_and_frames(void)
{
	static const struct {
		const char *header, *frame;
		enum logpattern pattern;
	} rows[] = {
		{SOFT, FRAME, LOGPATTERN_NAPI_SOFT_LOCKUP},
		{SOFT, BELOW, LOGPATTERN_N},
		{SOFT, TASKLET, LOGPATTERN_DRIVER_SOFT_LOCKUP},
		{SOFT, WORK, LOGPATTERN_N},
		{HARD, FRAME, LOGPATTERN_DRIVER_HARD_LOCKUP},
		{HARD, BELOW, LOGPATTERN_DRIVER_HARD_LOCKUP},
		{HARD, TASKLET, LOGPATTERN_DRIVER_HARD_LOCKUP},
		{HARD, WORK, LOGPATTERN_N},
		{STALL, FRAME, LOGPATTERN_DRIVER_RCU_STALL},
		{STALL, BELOW, LOGPATTERN_DRIVER_RCU_STALL},
		{STALL, TASKLET, LOGPATTERN_DRIVER_RCU_STALL},
		{STALL, WORK, LOGPATTERN_N},
		{HUNG, FRAME, LOGPATTERN_N},
		{HUNG, BELOW, LOGPATTERN_N},
		{HUNG, TASKLET, LOGPATTERN_N},
		{HUNG, WORK, LOGPATTERN_HEALTH_TASK_HUNG},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct run run = run_new();
		check_row("%s:%s", rows[i].header, rows[i].frame);
		CHECK_INT(step(&run, rows[i].header, DAY_NS), LOGPATTERN_N);
		CHECK_INT(step(&run, rows[i].frame, DAY_NS), rows[i].pattern);
		run_free(&run);
	}
}

static void
before_header(void)
{
	static const struct {
		size_t between;
		enum logpattern pattern;
	} rows[] = {
		{0, LOGPATTERN_DRIVER_SOFT_LOCKUP},
		{59, LOGPATTERN_DRIVER_SOFT_LOCKUP},
		{60, LOGPATTERN_N},
		{61, LOGPATTERN_N},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct run run = run_new();
		run.restarting = i % 2 != 0;
		check_row("%zu lines between", rows[i].between);
		CHECK_INT(step(&run, FRAME, DAY_NS), LOGPATTERN_N);
		others(&run, rows[i].between);
		CHECK_INT(step(&run, SOFT, DAY_NS), rows[i].pattern);
		if (rows[i].pattern != LOGPATTERN_N)
			CHECK_STR(run.finding.header, "");
		/* The core pattern's frame behind the header is still reported. */
		CHECK_INT(step(&run, FRAME, DAY_NS), LOGPATTERN_NAPI_SOFT_LOCKUP);
		run_free(&run);
	}
}

static void
before_header_once(void)
{
	struct run run = run_new();
	step(&run, FRAME, DAY_NS);
	CHECK_INT(step(&run, HUNG, DAY_NS), LOGPATTERN_N);
	/* It was used for that header, and for no other. */
	CHECK_INT(step(&run, SOFT, DAY_NS), LOGPATTERN_N);
	run_free(&run);
}

static void
two_kinds(void)
{
	struct run run = run_new();
	step(&run, SOFT, DAY_NS);
	step(&run, STALL, DAY_NS);
	step(&run, HUNG, DAY_NS);
	/* One frame gives one event; the other reports wait for theirs. */
	CHECK_INT(step(&run, FRAME, DAY_NS), LOGPATTERN_NAPI_SOFT_LOCKUP);
	CHECK_INT(step(&run, FRAME, DAY_NS), LOGPATTERN_DRIVER_RCU_STALL);
	CHECK_INT(step(&run, FRAME, DAY_NS), LOGPATTERN_N);
	CHECK_INT(step(&run, WORK, DAY_NS), LOGPATTERN_HEALTH_TASK_HUNG);
	CHECK_STR(run.finding.header, HUNG);
	run_free(&run);
}

static void
other_cpu(void)
{
	struct run run = run_new();
	step(&run, HARD, DAY_NS);
	step(&run, "Sending NMI from CPU 5 to CPUs 7:", DAY_NS);
	step(&run, "NMI backtrace for cpu 7", DAY_NS);
	CHECK_INT(step(&run, FRAME, DAY_NS), LOGPATTERN_N);
	step(&run, "NMI backtrace for cpu 0", DAY_NS);
	CHECK_INT(step(&run, FRAME, DAY_NS), LOGPATTERN_N);
	step(&run, "NMI backtrace for cpu 5", DAY_NS);
	CHECK_INT(step(&run, FRAME, DAY_NS), LOGPATTERN_DRIVER_HARD_LOCKUP);
	CHECK_INT(run.finding.cpu, 5);
	run_free(&run);
}

/* A warning in the receive path shows a stack as well, of a CPU that works. */
static void
other_cpus_stack(void)
{
	static const char *const others[] = {
		"CPU: 7 UID: 0 PID: 0 Comm: swapper/7 Not tainted 6.12.41-amd64 #1",
		"CPU: 7 PID: 0 Comm: swapper/7 Not tainted 6.1.0-18-amd64 #1",
		"WARNING: CPU: 7 PID: 0 at net/ipv4/tcp_input.c:2946 "
		"tcp_fastretrans_alert+0x8e5/0x9f0",
	};
	for (size_t i = 0; i < CHECK_COUNT(others); i++) {
		struct run run = run_new();
		run.restarting = i % 2 != 0;
		check_row("%s", others[i]);
		step(&run, SOFT, DAY_NS);
		step(&run, "CPU: 5 UID: 0 PID: 93 Comm: ksoftirqd/5 Not tainted", DAY_NS);
		step(&run, others[i], DAY_NS);
		CHECK_INT(step(&run, FRAME, DAY_NS), LOGPATTERN_N);
		step(&run, "CPU: 5 UID: 0 PID: 93 Comm: ksoftirqd/5 Not tainted", DAY_NS);
		CHECK_INT(step(&run, FRAME, DAY_NS), LOGPATTERN_NAPI_SOFT_LOCKUP);
		CHECK_INT(run.finding.cpu, 5);
		run_free(&run);
	}
}

/* The frame may be on each of several CPUs, CPU 0 as well. */
static void
any_stalled_cpu(void)
{
	static const unsigned stalled[] = {100, 0, 102};
	for (size_t i = 0; i < CHECK_COUNT(stalled); i++) {
		struct run run = run_new();
		char line[80];
		step(&run, "rcu: INFO: rcu_sched detected stalls on CPUs/tasks:", DAY_NS);
		for (size_t cpu = 0; cpu < CHECK_COUNT(stalled); cpu++) {
			snprintf(line, sizeof line, "rcu: \t%u-....: (20999 ticks this GP)",
				stalled[cpu]);
			CHECK_INT(step(&run, line, DAY_NS), LOGPATTERN_N);
		}
		step(&run, "NMI backtrace for cpu 101", DAY_NS);
		CHECK_INT(step(&run, FRAME, DAY_NS), LOGPATTERN_N);
		snprintf(line, sizeof line, "NMI backtrace for cpu %u", stalled[i]);
		step(&run, line, DAY_NS);
		check_row("CPU %u", stalled[i]);
		CHECK_INT(step(&run, FRAME, DAY_NS), LOGPATTERN_DRIVER_RCU_STALL);
		CHECK_U64(run.finding.cpu, stalled[i]);
		run_free(&run);
	}
}

/* The CPU of a backtrace need not be the stuck one. */
static void
unknown_cpu(void)
{
	struct run run = run_new();
	step(&run, HUNG, DAY_NS);
	step(&run, "NMI backtrace for cpu 3", DAY_NS);
	CHECK_INT(step(&run, WORK, DAY_NS), LOGPATTERN_HEALTH_TASK_HUNG);
	CHECK_U64(run.finding.cpu, LOCKUP_UNKNOWN);
	run_free(&run);
}

static void
many_cpus(void)
{
	struct run run = run_new();
	char line[80];
	step(&run, "rcu: INFO: rcu_sched detected stalls on CPUs/tasks:", DAY_NS);
	for (unsigned cpu = 100; cpu < 107; cpu++) {
		snprintf(line, sizeof line, "rcu: \t%u-....: (20999 ticks this GP)", cpu);
		CHECK_INT(step(&run, line, DAY_NS), LOGPATTERN_N);
	}
	step(&run, "NMI backtrace for cpu 112", DAY_NS);
	CHECK_INT(step(&run, FRAME, DAY_NS), LOGPATTERN_N);
	for (unsigned cpu = 107; cpu < 120; cpu++) {
		snprintf(line, sizeof line, "rcu: \t%u-....: (20999 ticks this GP)", cpu);
		CHECK_INT(step(&run, line, DAY_NS), LOGPATTERN_N);
	}
	step(&run, "NMI backtrace for cpu 112", DAY_NS);
	CHECK_INT(step(&run, FRAME, DAY_NS), LOGPATTERN_DRIVER_RCU_STALL);
	CHECK_INT(run.finding.cpu, 112);
	run_free(&run);
}

/* --- quiet time --- */

static enum logpattern
whole_report(struct run *run, const char *header, const char *frame, uint64_t time_ns)
{
	CHECK_INT(step(run, header, time_ns), LOGPATTERN_N);
	return step(run, frame, time_ns);
}

static void
quiet(void)
{
	static const struct {
		int64_t after_ns;
		enum logpattern pattern;
	} rows[] = {
		{0, LOGPATTERN_N},
		{1, LOGPATTERN_N},
		{(int64_t)LOCKUP_QUIET_NS - 1, LOGPATTERN_N},
		{(int64_t)LOCKUP_QUIET_NS, LOGPATTERN_NAPI_SOFT_LOCKUP},
		{(int64_t)LOCKUP_QUIET_NS + 1, LOGPATTERN_NAPI_SOFT_LOCKUP},
		/* Lines of several CPUs are not in order. A much older line is from another log. */
		{-(int64_t)NUM_NS_PER_S, LOGPATTERN_N},
		{-60 * (int64_t)NUM_NS_PER_S, LOGPATTERN_N},
		{-60 * (int64_t)NUM_NS_PER_S - 1, LOGPATTERN_NAPI_SOFT_LOCKUP},
		{-(int64_t)MINUTES(600), LOGPATTERN_NAPI_SOFT_LOCKUP},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct run run = run_new();
		run.restarting = i % 2 == 0;
		check_row("%lld ns later", (long long)rows[i].after_ns);
		CHECK_INT(whole_report(&run, SOFT, FRAME, DAY_NS), LOGPATTERN_NAPI_SOFT_LOCKUP);
		uint64_t then_ns = (uint64_t)((int64_t)DAY_NS + rows[i].after_ns);
		CHECK_INT(whole_report(&run, SOFT, FRAME, then_ns), rows[i].pattern);
		run_free(&run);
	}
}

/* The quiet time counts from the report, not from the last one suppressed: one report every half an
 * hour. */
static void
quiet_ends(void)
{
	struct run run = run_new();
	size_t told = 0;
	for (uint64_t minute = 0; minute < 120; minute++)
		told += whole_report(&run, SOFT, FRAME, DAY_NS + minute * MINUTES(1)) !=
			LOGPATTERN_N;
	CHECK_U64(told, 4);
	run_free(&run);
}

static void
quiet_apart(void)
{
	struct run run = run_new();
	CHECK_INT(whole_report(&run, SOFT, FRAME, DAY_NS), LOGPATTERN_NAPI_SOFT_LOCKUP);
	CHECK_INT(whole_report(&run, HARD, FRAME, DAY_NS), LOGPATTERN_DRIVER_HARD_LOCKUP);
	CHECK_INT(whole_report(&run, STALL, FRAME, DAY_NS), LOGPATTERN_DRIVER_RCU_STALL);
	/* A soft lock-up is reported once, under either pattern. */
	CHECK_INT(whole_report(&run, SOFT, TASKLET, DAY_NS), LOGPATTERN_N);
	CHECK_INT(whole_report(&run, SOFT, TASKLET, DAY_NS + LOCKUP_QUIET_NS),
		LOGPATTERN_DRIVER_SOFT_LOCKUP);
	run_free(&run);
}

static void
disabled(void)
{
	struct run run = run_new();
	run.enabled[LOGPATTERN_NAPI_SOFT_LOCKUP] = false;
	CHECK_INT(whole_report(&run, SOFT, FRAME, DAY_NS), LOGPATTERN_N);
	CHECK_INT(whole_report(&run, HARD, FRAME, DAY_NS), LOGPATTERN_DRIVER_HARD_LOCKUP);
	/* A report that was not made does not suppress another one. */
	CHECK_INT(whole_report(&run, SOFT, TASKLET, DAY_NS), LOGPATTERN_DRIVER_SOFT_LOCKUP);
	run_free(&run);
}

/* --- untrusted texts --- */

static void
odd_headers(void)
{
	struct run run = run_new();
	char long_header[1000];
	memset(long_header, '\x1b', sizeof long_header);
	memcpy(long_header, SOFT, strlen(SOFT));
	CHECK_INT(step_bytes(&run, long_header, sizeof long_header, DAY_NS), LOGPATTERN_N);
	CHECK_INT(step(&run, FRAME, DAY_NS), LOGPATTERN_NAPI_SOFT_LOCKUP);
	CHECK_U64(strlen(run.finding.header), LOCKUP_HEADER_MAX_BYTES);
	CHECK(strchr(run.finding.header, '\x1b') == NULL);
	CHECK_INT(step(&run, HARD " ~\x7F\t!", DAY_NS), LOGPATTERN_N);
	CHECK_INT(step(&run, FRAME, DAY_NS), LOGPATTERN_DRIVER_HARD_LOCKUP);
	CHECK_STR(run.finding.header, HARD " ~  !");
	CHECK_INT(step(&run, "BUG: soft lockup - CPU#99999999999 stuck for 22s!", DAY_NS),
		LOGPATTERN_N);
	run_free(&run);
}

static const struct check_test tests[] = {
	{"each report gives the expected findings", reports},
	{"a restart after every line changes no finding", reports_with_restarts},
	{"a frame belongs to the header up to 150 lines before it", window_edges},
	{"a frame more than three minutes from the header does not belong to it", window_time},
	{"without a header's time, lines alone limit its window", window_of_timeless},
	{"lines are counted as long as a window is open", counting},
	{"a new header replaces the old one of its kind", reopened},
	{"a report has one frame", concluded},
	{"the report's kind decides what a frame means", kinds_and_frames},
	{"a frame up to 60 lines before a header belongs to it", before_header},
	{"a frame belongs to one later header only", before_header_once},
	{"simultaneous reports of two kinds each get a frame", two_kinds},
	{"a frame of a CPU that is not stuck does not count", other_cpu},
	{"the stack of a CPU that is not stuck does not count", other_cpus_stack},
	{"any CPU that has stalled may have the frame", any_stalled_cpu},
	{"a backtrace does not name the stuck CPU if the report does not", unknown_cpu},
	{"with more stalled CPUs than are stored, the frame may be on any CPU", many_cpus},
	{"after a report the pattern is quiet for 30 minutes of the log's time", quiet},
	{"a suppressed report does not extend the quiet time", quiet_ends},
	{"each kind of report has its own quiet time", quiet_apart},
	{"a disabled pattern is not reported", disabled},
	{"a header of any bytes and any length is stored safely", odd_headers},
};
CHECK_MAIN(tests)

/* Unit tests of the supervisor's stagerun: running a stage once, whatever it does. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/supervisor/stagerun.h"

#include "../../lib/clock.h"
#include "../../lib/num.h"
#include "check.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Never reached: the harness gives up earlier. */
#define NEVER_MS 60000

/* For scripts that never end by themselves. */
#define SOON_MS 200

#define END(number) "{\"kind\":\"scan.end\",\"scan\":" number ",\"devices\":0}\n"

/* Return a request to run this script in a shell; `argv` has room for four. */
static struct stagerun_request
shell(const char *script, char **argv)
{
	static char name[] = "sh", option[] = "-c";
	argv[0] = name;
	argv[1] = option;
	argv[2] = (char *)script;
	argv[3] = NULL;
	return (struct stagerun_request){.path = "/bin/sh", .argv = argv};
}

static int
run_within(struct stagerun_request *request, uint64_t time_ms, struct stagerun *run)
{
	request->deadline_ns = clock_monotonic_ns() + time_ms * NUM_NS_PER_MS;
	return stagerun_run(request, run);
}

/* Run a script; `input` is nullable. */
static struct stagerun
run_script(const char *script, const char *input, unsigned scan_ends, uint64_t time_ms)
{
	char *argv[4];
	struct stagerun run;
	struct stagerun_request request = shell(script, argv);
	request.input = input;
	request.input_length = input != NULL ? strlen(input) : 0;
	request.scan_ends = scan_ends;
	CHECK_INT(run_within(&request, time_ms, &run), 0);
	return run;
}

static void
check_end(const struct stagerun *run, enum stagerun_end end, int code, int status)
{
	CHECK_INT(run->end, end);
	CHECK(run->ended);
	CHECK_INT(run->info.si_code, code);
	CHECK_INT(run->info.si_status, status);
}

static void
check_text(const struct strbuf *text, const char *expected)
{
	CHECK_STR(text->bytes, expected);
	CHECK_U64(text->length, strlen(expected));
}

/* --- input and output --- */

static void
outputs(void)
{
	static const struct {
		const char *script, *out, *err;
		int status;
	} rows[] = {
		{"echo out; echo err >&2; exit 3", "out\n", "err\n", 3},
		{"echo out", "out\n", "", 0},
		{"echo err >&2", "", "err\n", 0},
		{":", "", "", 0},
		{"printf unended", "unended", "", 0},
		{"echo a; echo b >&2; echo c; echo d >&2; exit 255", "a\nc\n", "b\nd\n", 255},
		{"echo later >&2; exec 2>&-; echo out", "out\n", "later\n", 0},
		{"exec >&-; echo err >&2", "", "err\n", 0},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("%s", rows[i].script);
		struct stagerun run = run_script(rows[i].script, NULL, 0, NEVER_MS);
		check_end(&run, STAGERUN_DONE, CLD_EXITED, rows[i].status);
		check_text(&run.out, rows[i].out);
		check_text(&run.err, rows[i].err);
		stagerun_fini(&run);
		CHECK(run.out.bytes == NULL);
		stagerun_fini(&run);
	}
}

static void
much_output(void)
{
	struct stagerun run =
		run_script("head -c 3000001 /dev/zero; head -c 2000003 /dev/zero >&2; echo end",
			NULL, 0, NEVER_MS);
	check_end(&run, STAGERUN_DONE, CLD_EXITED, 0);
	CHECK_U64(run.err.length, 2000003);
	if (CHECK_U64(run.out.length, 3000005))
		CHECK_STR(run.out.bytes + 3000001, "end\n");
	stagerun_fini(&run);
}

static void
inputs(void)
{
	static const char *const rows[] = {NULL, "", "one line\n", "no newline"};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("row %zu", i + 1);
		struct stagerun run = run_script("cat; echo end", rows[i], 0, NEVER_MS);
		check_end(&run, STAGERUN_DONE, CLD_EXITED, 0);
		char expected[40];
		snprintf(expected, sizeof expected, "%send\n", rows[i] != NULL ? rows[i] : "");
		check_text(&run.out, expected);
		stagerun_fini(&run);
	}
}

/* More than any pipe holds. */
#define MUCH ((size_t)3 << 20)

static void
much_input(void)
{
	char *input = check_repeat_new('x', MUCH);
	for (size_t i = 0; i < MUCH; i += 997)
		input[i] = (char)('a' + i % 23);
	struct stagerun run = run_script("cat", input, 0, NEVER_MS);
	check_end(&run, STAGERUN_DONE, CLD_EXITED, 0);
	if (CHECK_U64(run.out.length, MUCH))
		CHECK(memcmp(run.out.bytes, input, MUCH) == 0);
	stagerun_fini(&run);

	check_row("not read");
	run = run_script("echo done", input, 0, NEVER_MS);
	check_end(&run, STAGERUN_DONE, CLD_EXITED, 0);
	check_text(&run.out, "done\n");
	stagerun_fini(&run);

	check_row("closed");
	run = run_script("exec <&-; echo done", input, 0, NEVER_MS);
	check_end(&run, STAGERUN_DONE, CLD_EXITED, 0);
	check_text(&run.out, "done\n");
	stagerun_fini(&run);
	free(input);
}

static void
binary_input(void)
{
	char *argv[4];
	struct stagerun run;
	struct stagerun_request request = shell("cat", argv);
	request.input = "a\0b\0";
	/* The length counts, not the NUL. */
	request.input_length = 4;
	CHECK_INT(run_within(&request, NEVER_MS, &run), 0);
	if (CHECK_U64(run.out.length, 4))
		CHECK(memcmp(run.out.bytes, "a\0b\0", 5) == 0);
	stagerun_fini(&run);
}

/* --- the end --- */

static void
ends(void)
{
	static const struct {
		const char *script;
		int code, status;
	} rows[] = {
		{"exit 78", CLD_EXITED, 78},
		{"kill -TERM $$", CLD_KILLED, SIGTERM},
		{"kill -KILL $$", CLD_KILLED, SIGKILL},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("%s", rows[i].script);
		struct stagerun run = run_script(rows[i].script, NULL, 0, NEVER_MS);
		check_end(&run, STAGERUN_DONE, rows[i].code, rows[i].status);
		stagerun_fini(&run);
	}
}

static void
check_cannot_run(const char *path, int status, const char *reason)
{
	char *argv[] = {(char[]){"x"}, NULL};
	struct stagerun run;
	struct stagerun_request request = {.path = path, .argv = argv};
	check_row("%s", path);
	CHECK_INT(run_within(&request, NEVER_MS, &run), 0);
	check_end(&run, STAGERUN_DONE, CLD_EXITED, status);
	check_text(&run.out, "");
	CHECK_HAS(run.err.bytes, path);
	CHECK_HAS(run.err.bytes, reason);
	stagerun_fini(&run);
}

static void
cannot_run(void)
{
	check_cannot_run("/no/such/program", 127, "No such file or directory");
	check_cannot_run(check_file("not-executable", "#!/bin/sh\n"), 126, "Permission denied");
}

/* --- stages that never end by themselves --- */

static void
late(void)
{
	static const char *const rows[] = {
		"echo before; echo err >&2; exec sleep 1000",
		"echo before; echo err >&2; sleep 1000; echo after",
		"trap '' TERM INT HUP PIPE; echo before; echo err >&2; while :; do sleep 1; done",
		"echo before; echo err >&2; kill -STOP $$",
		/* Only one of its outputs ends. */
		"echo before; echo err >&2; exec >&-; sleep 1000",
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct stagerun run = {0};
		check_row("%s", rows[i]);
		/* A busy machine may take long to start it. */
		for (uint64_t time_ms = SOON_MS; time_ms < 10000; time_ms *= 2) {
			run = run_script(rows[i], NULL, 0, time_ms);
			if (run.err.length > 0)
				break;
			CHECK_INT(run.end, STAGERUN_LATE);
			stagerun_fini(&run);
		}
		check_end(&run, STAGERUN_LATE, CLD_KILLED, SIGKILL);
		check_text(&run.out, "before\n");
		check_text(&run.err, "err\n");
		stagerun_fini(&run);
	}
}

static void
late_from_the_start(void)
{
	/* Killed before it has executed its own program: nothing of it may stay. */
	for (int i = 0; i < 50; i++) {
		struct stagerun run = run_script("exec sleep 1000", NULL, 0, 0);
		check_end(&run, STAGERUN_LATE, CLD_KILLED, SIGKILL);
		stagerun_fini(&run);
	}
}

static void
writes_for_ever(void)
{
	static const char *const rows[] = {
		"while :; do echo x; done",
		"while :; do echo x >&2; done",
		"exec yes >&2",
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("%s", rows[i]);
		struct stagerun run = run_script(rows[i], NULL, 0, SOON_MS);
		/* The fastest of them may reach the output limit first. */
		CHECK(run.end == STAGERUN_LATE || run.end == STAGERUN_TOO_MUCH);
		check_end(&run, run.end, CLD_KILLED, SIGKILL);
		stagerun_fini(&run);
	}
}

static void
children_too(void)
{
	char path[500], script[700];
	snprintf(path, sizeof path, "%s/fifo", check_dir());
	CHECK_INT(mkfifo(path, 0600), 0);
	snprintf(script, sizeof script,
		"exec 3>'%s'; (trap '' TERM HUP; exec sleep 1000) & exec 3>&-; echo started; wait",
		path);
	struct stagerun run = {0};
	int fd = -1;
	for (uint64_t time_ms = SOON_MS; time_ms < 10000; time_ms *= 2) {
		fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		run = run_script(script, NULL, 0, time_ms);
		check_end(&run, STAGERUN_LATE, CLD_KILLED, SIGKILL);
		if (run.out.length > 0)
			break;
		stagerun_fini(&run);
		close(fd);
	}
	check_text(&run.out, "started\n");
	/* The child was the last writer, and is gone, whichever process reaps it. */
	struct pollfd end = {.fd = fd, .events = POLLIN};
	CHECK_INT(poll(&end, 1, 10000), 1);
	CHECK((end.revents & POLLHUP) != 0);
	close(fd);
	stagerun_fini(&run);
}

static void
goes_on_without_output(void)
{
	struct stagerun run = run_script("echo out; exec >&- 2>&-; sleep 1000", NULL, 0, NEVER_MS);
	check_end(&run, STAGERUN_DONE, CLD_KILLED, SIGKILL);
	check_text(&run.out, "out\n");
	stagerun_fini(&run);
}

/* --- scans --- */

static void
scan_end_lines(void)
{
	static const struct {
		const char *line;
		bool is;
	} rows[] = {
		{"{\"kind\":\"scan.end\",\"scan\":1}", true},
		{"{\"kind\":\"scan.end\",", true},
		{"{\"kind\":\"scan.end\"}", false},
		{"{\"kind\":\"scan.end\"", false},
		{"{\"kind\":\"scan.ending\",", false},
		{"{\"kind\":\"scan.begin\",", false},
		{" {\"kind\":\"scan.end\",", false},
		{"{ \"kind\":\"scan.end\",", false},
		{"{\"scan\":1,\"kind\":\"scan.end\",", false},
		{"", false},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("%s", rows[i].line);
		CHECK_INT(stagerun_is_scan_end(rows[i].line, strlen(rows[i].line)), rows[i].is);
		if (rows[i].is)
			CHECK(!stagerun_is_scan_end(
				rows[i].line, strlen("{\"kind\":\"scan.end\"")));
	}
}

/* A shell command that writes the line. */
#define SAY_END(number) \
	"printf '%s\\n' '{\"kind\":\"scan.end\",\"scan\":" number ",\"devices\":0}';"

static void
enough_scans(void)
{
	static const struct {
		const char *script, *out;
		unsigned wanted;
	} rows[] = {
		{"echo begin;" SAY_END("1") "sleep 1000", "begin\n" END("1"), 1},
		{SAY_END("1") SAY_END("2") SAY_END("3") "sleep 1000", END("1") END("2") END("3"),
			3},
		{"trap '' TERM HUP INT;" SAY_END("1") "while :; do sleep 1; done", END("1"), 1},
		/* In pieces that arrive one by one. */
		{"printf '{\"kind\":\"sc'; sleep 0.1; printf 'an.end\",\"scan\":1,\"dev';"
		 "sleep 0.1; printf 'ices\":0}'; sleep 0.1; echo;" SAY_END("2") "sleep 1000",
			END("1") END("2"), 2},
		/* Each counts once, even if the next one arrives much later. */
		{SAY_END("1") "sleep 0.1; echo a; sleep 0.1; echo b;" SAY_END("2") "sleep 1000",
			END("1") "a\nb\n" END("2"), 2},
		/* All at once, more than requested, or with an unfinished last line. */
		{"printf '%s\\n%s' '{\"kind\":\"scan.end\",\"scan\":1,\"devices\":0}' 'rest'; "
		 "sleep 1000",
			END("1") "rest", 1},
		{"exec 2>&-;" SAY_END("1") "sleep 1000", END("1"), 1},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("%s", rows[i].script);
		struct stagerun run = run_script(rows[i].script, NULL, rows[i].wanted, NEVER_MS);
		check_end(&run, STAGERUN_DONE, CLD_KILLED, SIGKILL);
		check_text(&run.out, rows[i].out);
		stagerun_fini(&run);
	}
}

static void
said_before_the_last_scan(void)
{
	/* Both outputs are read, whichever is ready first. */
	for (int i = 0; i < 50; i++) {
		struct stagerun run = run_script(
			"echo 1; echo warning >&2;" SAY_END("1") "sleep 1000", NULL, 1, NEVER_MS);
		check_end(&run, STAGERUN_DONE, CLD_KILLED, SIGKILL);
		check_text(&run.err, "warning\n");
		stagerun_fini(&run);
	}
}

static void
too_few_scans(void)
{
	static const char script[] = SAY_END("1") "echo '{\"kind\":\"scan.ending\",';" SAY_END("2");
	struct stagerun run = run_script(script, NULL, 3, NEVER_MS);
	check_end(&run, STAGERUN_DONE, CLD_EXITED, 0);
	check_text(&run.out, END("1") "{\"kind\":\"scan.ending\",\n" END("2"));
	stagerun_fini(&run);

	check_row("the last is not whole");
	for (uint64_t time_ms = SOON_MS; time_ms < 10000; time_ms *= 2) {
		run = run_script(SAY_END("1") "printf '{\"kind\":\"scan.end\",'; sleep 1000", NULL,
			2, time_ms);
		CHECK_INT(run.end, STAGERUN_LATE);
		if (run.out.length > strlen(END("1")))
			break;
		stagerun_fini(&run);
	}
	check_end(&run, STAGERUN_LATE, CLD_KILLED, SIGKILL);
	check_text(&run.out, END("1") "{\"kind\":\"scan.end\",");
	stagerun_fini(&run);
}

static void
every_scan(void)
{
	/* 0: scan ends are lines like any other. */
	struct stagerun run =
		run_script(SAY_END("1") SAY_END("2") "echo rest; exit 5", NULL, 0, NEVER_MS);
	check_end(&run, STAGERUN_DONE, CLD_EXITED, 5);
	check_text(&run.out, END("1") END("2") "rest\n");
	stagerun_fini(&run);
}

/* --- leaks --- */

static size_t
open_descriptors(void)
{
	size_t count = 0;
	DIR *dir = opendir("/proc/self/fd");
	while (readdir(dir) != NULL)
		count++;
	closedir(dir);
	return count;
}

static void
leaves_nothing(void)
{
	static const struct {
		const char *script, *input;
		unsigned scan_ends;
		uint64_t time_ms;
		enum stagerun_end end;
		int code;
	} rows[] = {
		{"echo out", NULL, 0, NEVER_MS, STAGERUN_DONE, CLD_EXITED},
		{"cat", "input", 0, NEVER_MS, STAGERUN_DONE, CLD_EXITED},
		{"sleep 1000", "input", 0, SOON_MS, STAGERUN_LATE, CLD_KILLED},
		{"sleep 1000", NULL, 0, 0, STAGERUN_LATE, CLD_KILLED},
		{SAY_END("1") "sleep 1000", NULL, 1, NEVER_MS, STAGERUN_DONE, CLD_KILLED},
		{"exec >&- 2>&-; sleep 1000", NULL, 0, NEVER_MS, STAGERUN_DONE, CLD_KILLED},
	};
	/* The first run opens what all runs share. */
	struct stagerun first = run_script("exit 0", NULL, 0, NEVER_MS);
	stagerun_fini(&first);
	size_t before = open_descriptors();
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("%s", rows[i].script);
		struct stagerun run = run_script(
			rows[i].script, rows[i].input, rows[i].scan_ends, rows[i].time_ms);
		CHECK(run.ended);
		CHECK_INT(run.end, rows[i].end);
		CHECK_INT(run.info.si_code, rows[i].code);
		stagerun_fini(&run);
		CHECK_U64(open_descriptors(), before);
		/* No child is left either, dead or alive. */
		errno = 0;
		CHECK_INT(waitpid(-1, NULL, WNOHANG), -1);
		CHECK_INT(errno, ECHILD);
	}
}

static void
no_descriptors(void)
{
	/* Its input, two pipes, the process: at most six are open at a time, and each may exceed
	 * the limit. */
	struct rlimit limit, saved;
	size_t before = open_descriptors();
	CHECK_INT(getrlimit(RLIMIT_NOFILE, &saved), 0);
	int first_free = fcntl(0, F_DUPFD_CLOEXEC, 0);
	close(first_free);
	for (rlim_t room = 0; room < 6; room++) {
		char *argv[4];
		struct stagerun run;
		struct stagerun_request request = shell("exec sleep 1000", argv);
		request.input = "input";
		request.input_length = 5;
		request.deadline_ns = clock_monotonic_ns() + NEVER_MS * NUM_NS_PER_MS;
		check_row("room for %d", (int)room);
		limit = (struct rlimit){(rlim_t)first_free + room, saved.rlim_max};
		CHECK_INT(setrlimit(RLIMIT_NOFILE, &limit), 0);
		errno = 0;
		int status = stagerun_run(&request, &run);
		int error = errno;
		CHECK_INT(setrlimit(RLIMIT_NOFILE, &saved), 0);
		CHECK_INT(status, -1);
		CHECK_INT(error, EMFILE);
		CHECK(!run.ended);
		stagerun_fini(&run);
		CHECK_U64(open_descriptors(), before);
		CHECK_INT(waitpid(-1, NULL, WNOHANG), -1);
	}
}

static const struct check_test tests[] = {
	{"both outputs are collected, and the exit status", outputs},
	{"megabytes of output are returned whole", much_output},
	{"the stage reads exactly the given input, or none", inputs},
	{"megabytes of input are written, and a stage need not read them", much_input},
	{"the input has the given length, with NUL bytes", binary_input},
	{"the end is returned as exit status or signal", ends},
	{"a missing program gives 127, one that is not executable 126", cannot_run},
	{"a stage that does not end is killed at the deadline, and its output is returned", late},
	{"a stage with an expired deadline is killed, too", late_from_the_start},
	{"a stage that writes forever is ended", writes_for_ever},
	{"a stage's children are killed with it", children_too},
	{"a stage that closes its outputs and runs on is killed", goes_on_without_output},
	{"a scan's end is recognised as ibscan writes it", scan_end_lines},
	{"after the requested scans the stage is not waited for", enough_scans},
	{"output before the last scan's end is returned", said_before_the_last_scan},
	{"with fewer scans the run lasts to the stage's end, or the deadline", too_few_scans},
	{"without a number of scans everything is read", every_scan},
	{"no descriptor and no process is leaked", leaves_nothing},
	{"without free descriptors the run fails, and leaks nothing", no_descriptors},
};
CHECK_MAIN(tests)

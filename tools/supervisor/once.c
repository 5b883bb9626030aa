/* once - one look at the node: a few scans through the stages, one after the other, a verdict and an exit code.
 *
 * The stages are those of the service, but each gets the whole output of the one before it. Nothing here waits for anything
 * without a deadline. */
#include "once.h"

#include "clock.h"
#include "diag.h"
#include "host.h"
#include "lastscan.h"
#include "line.h"
#include "num.h"
#include "proc.h"
#include "report.h"
#include "stagecall.h"
#include "summary.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ctreval waits at most three scans for a device that cannot be read before it judges the others: SPEC section 4.2. */
#define SCANS 3

/* A device that hangs is waited for once; half a second is ages for one that does not. */
#define DEVICE_TIMEOUT_MS 500

/* What a stage may take beyond what it takes by design. On a sane machine it is milliseconds. */
#define STAGE_SLACK_NS (2 * NUM_NS_PER_S)

struct check {
	const char *programs;
	const struct service_options *options;
	const struct once_options *once;
	struct summary summary;
};

/* --- stages --- */

/* Runs a stage. `extra` is a NULL-terminated list of further arguments. */
static int
run_stage(const struct check *check, enum stage_id stage, const char *const *extra,
	const struct stagerun_text *input, uint64_t time_ns, struct stagerun *run)
{
	const struct stagecall call = {
		.programs = check->programs,
		.options = check->options,
		.stage = stage,
		.extra = extra,
		.input = input,
		.scan_ends = stage == STAGE_IBSCAN ? SCANS : 0,
		.time_ns = time_ns,
	};
	return stagecall_run(&call, run);
}

/* Passes on what the stage has to say to people, line by line; what it merely notes is for those who ask, and whoever asked for quiet hears only why
 * there is no check. Returns the stage's exit code when that is so, else 0. */
static int
hear(const struct check *check, const struct stagerun *run)
{
	bool refused = stagecall_was_refused(run);
	char *line = run->err.bytes, *newline;
	for (; line != NULL && *line != '\0'; line = newline) {
		newline = strchr(line, '\n');
		if (newline != NULL)
			*newline++ = '\0';
		bool loud =
			strstr(line, ": error: ") != NULL || strstr(line, ": warning: ") != NULL;
		if (loud && (refused || !check->once->quiet))
			dprintf(STDERR_FILENO, "%s\n", line);
		else
			diag_info("%s", line);
	}
	return refused ? run->info.si_status : 0;
}

/* Says how a stage failed, if it did. One that is still there has not said how it ended. */
static void
judge_run(struct check *check, enum stage_id stage, const struct stagerun *run)
{
	const char *program = pipeline_plan[stage].program;
	char end[64];
	if (run->end == STAGERUN_LATE || !run->ended)
		summary_say(&check->summary, FINDING_UNKNOWN, "%s did not finish in time", program);
	else if (run->end == STAGERUN_TOO_MUCH)
		summary_say(&check->summary, FINDING_UNKNOWN, "%s wrote too much", program);
	else if (run->ended && (run->info.si_code != CLD_EXITED || run->info.si_status != 0))
		summary_say(&check->summary, FINDING_UNKNOWN, "%s %s", program,
			proc_describe_end(&run->info, end, sizeof end));
}

/* Cuts the text behind its last whole scan. Returns the number of scans. */
static unsigned
keep_whole_scans(struct stagerun_text *text)
{
	unsigned count = 0;
	size_t kept = 0, length;
	const char *newline;
	for (size_t at = 0; at < text->length; at += length) {
		newline = memchr(text->bytes + at, '\n', text->length - at);
		if (newline == NULL)
			break;
		length = (size_t)(newline + 1 - (text->bytes + at));
		if (!stagerun_is_scan_end(text->bytes + at, length))
			continue;
		count++;
		kept = at + length;
	}
	text->length = kept;
	return count;
}

static int
scan(struct check *check, struct stagerun *run)
{
	char interval[24], timeout[24];
	uint64_t interval_ms = check->once->settle_ns / (SCANS - 1) / NUM_NS_PER_MS;
	snprintf(interval, sizeof interval, "%" PRIu64 "ms", interval_ms);
	/* Whatever the interval: a scan that is late for the next one is followed by the one after. */
	snprintf(timeout, sizeof timeout, "%dms", DEVICE_TIMEOUT_MS);

	const char *extra[] = {"--count", "3", "--gids", "--device-timeout", timeout,
		interval_ms > 0 ? "--interval" : NULL, interval, NULL};
	_Static_assert(SCANS == 3, "the number of scans is in the arguments, too");
	return run_stage(
		check, STAGE_IBSCAN, extra, NULL, check->once->settle_ns + STAGE_SLACK_NS, run);
}

/* What topoclass says about metadata that it cannot use, without its advice. */
static void
say_no_metadata(struct check *check, const struct stagerun_text *err)
{
	const char *reason = err->bytes != NULL ? strstr(err->bytes, ": error: ") : NULL;
	reason = reason != NULL ? reason + strlen(": error: ") : "not usable";
	const char *advice = strstr(reason, " (name the GPU metadata");
	size_t length = advice != NULL ? (size_t)(advice - reason) : strcspn(reason, "\n");
	summary_say(&check->summary, FINDING_NOTE,
		"no GPU metadata (%.*s): the NICs are judged without regard to their roles",
		(int)length, reason);
}

/* Roles, where the node has what that takes. */
static int
classify(struct check *check, const struct stagerun_text *scans, struct stagerun *run)
{
	static const char *const none[] = {NULL}, *const roleless[] = {"--no-metadata", NULL};

	if (run_stage(check, STAGE_TOPOCLASS, none, scans, STAGE_SLACK_NS, run) < 0)
		return -1;
	if (!run->ended || run->info.si_code != CLD_EXITED || run->info.si_status != EXIT_CONFIG)
		return 0;
	struct stagerun again;
	int status = run_stage(check, STAGE_TOPOCLASS, roleless, scans, STAGE_SLACK_NS, &again);
	if (status == 0 && !stagecall_was_refused(&again))
		say_no_metadata(check, &run->err);
	int saved_errno = errno;
	stagerun_fini(run);
	*run = again;
	errno = saved_errno;
	return status;
}

/* --- what comes of it --- */

/* Hands each record of a text to `take`. */
static void
for_each_record(struct check *check, const struct stagerun_text *text,
	void (*take)(struct check *check, void *context, json_t *record), void *context)
{
	struct rec_error error;
	const char *line;
	size_t at = 0, length;
	while (stagerun_next_line(text, &at, &line, &length)) {
		json_t *record = rec_parse_new(line, length, &error);
		if (record == NULL)
			summary_say(
				&check->summary, FINDING_UNKNOWN, "not a record: %s", error.reason);
		else
			take(check, context, record);
		json_decref(record);
	}
}

static void
take_judgement(struct check *check, void *context, json_t *record)
{
	const int64_t *last_scan = context;
	int64_t number = 0;
	if (strcmp(rec_kind(record), "event") == 0)
		summary_event(&check->summary, record);
	else if (strcmp(rec_kind(record), "decision") == 0 &&
		 rec_get_int(record, "scan", &number) == REC_OK && number == *last_scan)
		lastscan_decision(&check->summary, record);
}

static void
take_scan(struct check *check, void *context, json_t *record)
{
	struct rec_error error;
	enum scan_status status =
		scan_take(context, scanrec_kind(record), json_incref(record), &error);
	if (status == SCAN_BAD)
		summary_say(&check->summary, FINDING_UNKNOWN, "%s record: %s", rec_kind(record),
			error.reason);
	else if (status == SCAN_NO_MEMORY)
		check->summary.failed = true;
}

/* The scans judged: events and the last scan into the summary. */
static int
judge(struct check *check, const struct stagerun_text *scans)
{
	static const char *const extra[] = {"--explain", NULL};
	struct scan last = {0};
	struct stagerun run;

	int status = run_stage(check, STAGE_CTREVAL, extra, scans, STAGE_SLACK_NS, &run);
	if (status == 0) {
		status = hear(check, &run);
		for_each_record(check, scans, take_scan, &last);
		judge_run(check, STAGE_CTREVAL, &run);
		for_each_record(check, &run.out, take_judgement, &last.begin.scan);
		lastscan_take(&check->summary, &last);
	}
	int saved_errno = errno;
	scan_fini(&last);
	stagerun_fini(&run);
	errno = saved_errno;
	return status;
}

/* Scans, roles, judgement. 0, an exit code when that cannot be done as it was asked for, or -1 with errno. */
static int
look(struct check *check)
{
	struct stagerun scans, roles = {0};
	int status = scan(check, &scans);
	if (status < 0)
		goto done;
	status = hear(check, &scans);
	if (status != 0)
		goto done;
	unsigned count = keep_whole_scans(&scans.out);
	if (count < SCANS) {
		judge_run(check, STAGE_IBSCAN, &scans);
		/* It was told to stop, which is no failure. */
		if (count > 0 && scans.end == STAGERUN_DONE && scans.info.si_status == 0)
			summary_say(&check->summary, FINDING_UNKNOWN,
				"only %u of %d scans were made", count, SCANS);
	}
	if (count == 0) {
		lastscan_take(&check->summary, &(const struct scan){0});
		goto done;
	}
	status = classify(check, &scans.out, &roles);
	if (status < 0)
		goto done;
	status = hear(check, &roles);
	if (status != 0)
		goto done;
	judge_run(check, STAGE_TOPOCLASS, &roles);
	status = judge(check, &roles.out);
done:
	stagerun_fini(&scans);
	stagerun_fini(&roles);
	return status;
}

static int
print(const struct check *check)
{
	const struct summary *summary = &check->summary;
	size_t length = 0;
	char *text = NULL;

	if (check->once->quiet)
		return 0;
	if (check->once->json) {
		json_t *record = report_json_new(summary);
		text = record != NULL ? rec_dump_new(record, &length) : NULL;
		json_decref(record);
	} else {
		FILE *out = open_memstream(&text, &length);
		if (out != NULL) {
			report_text(summary, out);
			fclose(out);
		}
	}
	if (text == NULL)
		errno = ENOMEM;
	int status = text != NULL && line_write(STDOUT_FILENO, text, length) == 0
			     ? 0
			     : diag_io_failure("stdout");
	free(text);
	return status;
}

int
once_run(const char *programs, const struct service_options *options,
	const struct once_options *once)
{
	struct check check = {.programs = programs, .options = options, .once = once};
	const char *node = options->node_name != NULL ? options->node_name : host_node_name();

	/* Files in memory count too where the size of files is limited: no room is an error, not a death without a word. */
	signal(SIGXFSZ, SIG_IGN);
	summary_init(&check.summary, node);
	int status = look(&check);
	if (status < 0 || check.summary.failed) {
		diag_error("cannot check the node: %s",
			check.summary.failed ? "out of memory" : strerror(errno));
		status = EXIT_OS;
	}
	if (status == 0) {
		summary_sort(&check.summary);
		status = print(&check);
	}
	if (status == 0)
		status = summary_exit_code(&check.summary);
	summary_fini(&check.summary);
	return status;
}

/* look - one check of the node: a few scans through the stages, one after the other, a verdict and
 * an exit code.
 *
 * The stages are those of the service, but each starts after the previous one and reads its whole
 * output. Every wait has a deadline. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "look.h"

#include "../supervisor/stagerun.h"
#include "diag.h"
#include "host.h"
#include "lastscan.h"
#include "line.h"
#include "num.h"
#include "report.h"
#include "strbuf.h"
#include "summary.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ctreval waits at most three scans for a device that cannot be read before it checks the others
 * (spec#first-verdicts). */
#define SCANS 3

/* A scan waits for a hung device once. A working device needs far less than half a second. */
#define DEVICE_TIMEOUT_MS 500

/* Time limit of a stage beyond its planned time. A healthy machine needs milliseconds. */
#define STAGE_SLACK_NS (2 * NUM_NS_PER_S)

struct check {
	const char *programs;
	const struct options *options;
	struct summary summary;
};

/* --- stages --- */

/* Run a stage. `extra` is a NULL-terminated list of further arguments. */
static int
run_stage(const struct check *check, enum stage_id stage, const char *const *extra,
	const struct strbuf *input, uint64_t time_ns, struct stagerun *run)
{
	const struct stagerun_stage call = {
		.programs = check->programs,
		.options = &check->options->service,
		.id = stage,
		.extra = extra,
		.input = input,
		.scan_ends = stage == STAGE_IBSCAN ? SCANS : 0,
		.time_ns = time_ns,
	};
	return stagerun_run_stage(&call, run);
}

/* Relay the stage's messages line by line: errors and warnings as they are, others as info. With
 * --quiet, relay errors and warnings only if the stage refused to run. Return its exit code if it
 * refused, else 0. */
static int
relay(const struct check *check, const struct stagerun *run)
{
	bool refused = stagerun_was_refused(run);
	char *line = run->err.bytes, *newline;
	for (; line != NULL && *line != '\0'; line = newline) {
		newline = strchr(line, '\n');
		if (newline != NULL)
			*newline++ = '\0';
		bool loud =
			strstr(line, ": error: ") != NULL || strstr(line, ": warning: ") != NULL;
		if (loud && (refused || !check->options->quiet))
			diag_relay(line);
		else
			diag_info("%s", line);
	}
	return refused ? run->info.si_status : 0;
}

/* Add a finding if the stage failed. Without an exit status it did not finish in time. */
static void
add_trouble(struct check *check, enum stage_id stage, const struct stagerun *run)
{
	char trouble[80] = "did not finish in time";
	if (run->ended)
		stagerun_describe_trouble(run, trouble, sizeof trouble);
	if (*trouble != '\0')
		summary_add(&check->summary, FINDING_UNKNOWN, NULL, 0, "%s %s",
			pipeline_plan[stage].program, trouble);
}

static int
scan(struct check *check, struct stagerun *run)
{
	char interval[24], timeout[24];
	uint64_t interval_ms = check->options->settle_ns / (SCANS - 1) / NUM_NS_PER_MS;
	snprintf(interval, sizeof interval, "%" PRIu64 "ms", interval_ms);
	/* The timeout may exceed the interval: after a late scan ibscan waits for the next
	 * scheduled one. */
	snprintf(timeout, sizeof timeout, "%dms", DEVICE_TIMEOUT_MS);

	const char *extra[] = {"--count", "3", "--gids", "--device-timeout", timeout,
		interval_ms > 0 ? "--interval" : NULL, interval, NULL};
	_Static_assert(SCANS == 3, "the number of scans is in the arguments, too");
	return run_stage(
		check, STAGE_IBSCAN, extra, NULL, check->options->settle_ns + STAGE_SLACK_NS, run);
}

static void
add_no_metadata(struct check *check, const struct strbuf *err)
{
	int length;
	const char *reason = pipeline_metadata_reason(err->bytes, &length);
	summary_add(&check->summary, FINDING_NOTE, NULL, 0,
		"no GPU metadata (%.*s): the NICs are checked without regard to their roles",
		length, reason);
}

/* Run topoclass to add the roles, or with --no-metadata if it lacks GPU metadata. */
static int
classify(struct check *check, const struct strbuf *scans, struct stagerun *run)
{
	static const char *const none[] = {NULL}, *const roleless[] = {"--no-metadata", NULL};

	if (run_stage(check, STAGE_TOPOCLASS, none, scans, STAGE_SLACK_NS, run) < 0)
		return -1;
	if (!run->ended || run->info.si_code != CLD_EXITED || run->info.si_status != EXIT_CONFIG)
		return 0;
	struct stagerun again;
	int status = run_stage(check, STAGE_TOPOCLASS, roleless, scans, STAGE_SLACK_NS, &again);
	if (status == 0 && !stagerun_was_refused(&again))
		add_no_metadata(check, &run->err);
	stagerun_fini(run);
	*run = again;
	return status;
}

/* --- what comes of it --- */

/* Call `accept` for each record of a text. */
static void
for_each_record(struct check *check, const struct strbuf *text,
	void (*accept)(struct check *check, void *context, json_t *record), void *context)
{
	struct rec_error error;
	const char *line;
	size_t at = 0, length;
	while (stagerun_next_line(text, &at, &line, &length)) {
		json_t *record = rec_parse_new(line, length, &error);
		if (record == NULL)
			summary_add(&check->summary, FINDING_UNKNOWN, NULL, 0, "not a record: %s",
				error.reason);
		else
			accept(check, context, record);
		json_decref(record);
	}
}

static void
accept_result(struct check *check, void *context, json_t *record)
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
accept_scan(struct check *check, void *context, json_t *record)
{
	struct rec_error error;
	enum scanrec_kind kind = scanrec_kind(record);
	enum scan_status status = scan_accept(context, kind, json_incref(record), &error);
	if (kind == SCANREC_BEGIN)
		lastscan_begin(&check->summary, record);
	if (status == SCAN_BAD)
		summary_add(&check->summary, FINDING_UNKNOWN, NULL, 0, "%s record: %s",
			rec_kind(record), error.reason);
	else if (status == SCAN_NO_MEMORY)
		check->summary.failed = true;
}

/* Run ctreval on the scans, and add its events and the last scan's faults to the summary. */
static int
eval_scans(struct check *check, const struct strbuf *scans)
{
	static const char *const extra[] = {"--explain", NULL};
	struct scan last = {0};
	struct stagerun run;

	int status = run_stage(check, STAGE_CTREVAL, extra, scans, STAGE_SLACK_NS, &run);
	if (status == 0) {
		status = relay(check, &run);
		for_each_record(check, scans, accept_scan, &last);
		add_trouble(check, STAGE_CTREVAL, &run);
		for_each_record(check, &run.out, accept_result, &last.begin.scan);
		lastscan_eval(&check->summary, &last);
	}
	scan_fini(&last);
	stagerun_fini(&run);
	return status;
}

/* Run ibscan, topoclass and ctreval. Return 0, the exit code of a stage that refused to run, or -1
 * with errno. */
static int
look_at_node(struct check *check)
{
	struct stagerun scans, roles = {0};
	int status = scan(check, &scans);
	if (status < 0)
		goto done;
	status = relay(check, &scans);
	if (status != 0)
		goto done;
	unsigned count = scans.scan_ends;
	scans.out.length = scans.scans_length;
	if (count < SCANS) {
		add_trouble(check, STAGE_IBSCAN, &scans);
		/* add_trouble() added nothing: ibscan ended cleanly, because it was told to
		 * stop. */
		if (count > 0 && scans.end == STAGERUN_DONE && scans.info.si_status == 0)
			summary_add(&check->summary, FINDING_UNKNOWN, NULL, 0,
				"only %u of %d scans were made", count, SCANS);
	}
	if (count == 0) {
		lastscan_eval(&check->summary, &(const struct scan){0});
		goto done;
	}
	status = classify(check, &scans.out, &roles);
	if (status < 0)
		goto done;
	status = relay(check, &roles);
	if (status != 0)
		goto done;
	add_trouble(check, STAGE_TOPOCLASS, &roles);
	status = eval_scans(check, &roles.out);
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

	if (check->options->quiet)
		return 0;
	if (check->options->json) {
		json_t *record = report_json_new(summary);
		text = record != NULL ? rec_dump_new(record, &length) : NULL;
		json_decref(record);
	} else {
		struct strbuf lines = {0};
		FILE *out = strbuf_open(&lines);
		if (out != NULL)
			(check->options->npd ? report_line : report_text)(summary, out);
		lines.is_short |= out == NULL || fclose(out) != 0;
		length = lines.length;
		text = strbuf_detach_new(&lines);
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
look_run(const char *programs, const struct options *options)
{
	struct check check = {.programs = programs, .options = options};
	const char *node = options->service.node_name;

	if (node == NULL)
		node = host_node_name();
	summary_init(&check.summary, node);
	int status = look_at_node(&check);
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
		status = options->npd ? summary_npd_code(&check.summary)
				      : summary_exit_code(&check.summary);
	summary_fini(&check.summary);
	return status;
}

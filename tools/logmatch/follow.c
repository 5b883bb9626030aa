/* follow - the kernel's log as it grows: each record once, also over restarts. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "follow.h"

#include "clock.h"
#include "diag.h"
#include "kmsgform.h"
#include "lineform.h"
#include "num.h"
#include "stop.h"

#include <errno.h>
#include <inttypes.h>

/* Records that are taken before what they gave is stored and written. */
#define BATCH_RECORDS 512

/* How often it is learned anew which ports are above which NICs. */
#define LEARN_NS (UINT64_C(600) * NUM_NS_PER_S)

struct follow {
	struct kmsg *kmsg;
	/* of what is not a device: the record that was read last, while the rest of it is missing,
	 * without which it proves nothing */
	struct strbuf held;
	struct strbuf scratch; /* of lineform_parse() */
	bool after_kmsg;       /* the line before was a record, or of its dictionary */
	struct analysis *analysis;
	struct follow_position *position;
	uint64_t learned_ns; /* CLOCK_MONOTONIC */
	uint64_t lines;      /* read since the start */
	uint64_t now_ns; /* in the time of the log, since 1970: the latest moment that is known */
	uint64_t passed; /* number of the record read last, while it is not past the position */
	bool is_passing;
	bool moved;     /* the position, or what is remembered, is not the stored one */
	bool caught_up; /* it has been read as far as it went */
	bool ended;
	int code; /* exit code */
};

static void
note_time(struct follow *follow, uint64_t ns)
{
	if (ns > follow->now_ns)
		follow->now_ns = ns;
}

/* Reports what was overwritten before it could be read. */
static int
report_gap(struct follow *follow, uint64_t lost, const struct logline *next)
{
	diag_warn("%s: %" PRIu64 " records were overwritten before they could be read",
		follow->kmsg->path, lost);
	logmetrics_count_gap(&follow->analysis->metrics, lost);
	if (follow->analysis->counting)
		return 0;
	return output_gap(follow->analysis->output, follow->kmsg->path, lost,
		logtime_resolve(&follow->analysis->time, next));
}

static int
accept_parsed(struct follow *follow, const struct logline *parsed)
{
	struct follow_position *position = follow->position;
	struct analysis_place place = {follow->kmsg->path, "line", follow->lines};

	if (!parsed->has_seq) {
		metrics_add(follow->analysis->metrics.records, 1);
		return analysis_accept(follow->analysis, &place, parsed, 0);
	}
	place.unit = "record";
	place.number = parsed->seq;
	follow->is_passing = position->known && parsed->seq <= position->seq;
	follow->passed = parsed->seq;
	if (follow->is_passing)
		return 0;
	/* Numbers begin at 0 with the boot, and have no holes. */
	uint64_t lost = position->known ? parsed->seq - position->seq - 1 : parsed->seq;
	if (lost > 0 && report_gap(follow, lost, parsed) < 0)
		return -1;
	metrics_add(follow->analysis->metrics.records, 1);
	note_time(follow, logtime_resolve(&follow->analysis->time, parsed));
	if (analysis_accept(follow->analysis, &place, parsed, 0) < 0)
		return -1;
	/* Not before: what is stored in front of a gap must not be past it. */
	*position = (struct follow_position){true, parsed->seq};
	follow->moved = true;
	return 0;
}

/* The device always has its last record. A position after that is of another log, as after a
 * machine was put back to an earlier state: waiting until the numbers get there would be to see
 * nothing. */
static bool
is_of_another_log(const struct follow *follow)
{
	return follow->kmsg->device && follow->is_passing && follow->passed < follow->position->seq;
}

static void
begin_anew(struct follow *follow)
{
	diag_warn("%s: its last record is %" PRIu64 ", and it was read to %" PRIu64
		  ": reading it from its beginning",
		follow->kmsg->path, follow->passed, follow->position->seq);
	*follow->position = (struct follow_position){0};
	follow->is_passing = false;
	kmsg_rewind(follow->kmsg);
}

static int
accept_record(struct follow *follow, const char *bytes, size_t length)
{
	struct logline parsed;
	int status = follow->kmsg->device ? kmsgform_parse(bytes, length, &follow->scratch, &parsed)
					  : lineform_parse(LOGLINE_KMSG, bytes, length,
						    follow->after_kmsg, &follow->scratch, &parsed);
	if (status < 0) {
		errno = ENOMEM;
		return -1;
	}
	follow->after_kmsg = parsed.of_kmsg;
	return accept_parsed(follow, &parsed);
}

/* Accepts the record that is held, if there is one. */
static int
release(struct follow *follow)
{
	size_t length = follow->held.length;
	follow->held.length = 0;
	return length > 0 ? accept_record(follow, follow->held.bytes, length) : 0;
}

/* Of what is not a device: a record's dictionary is on the lines after it. */
static int
accept_line(struct follow *follow, const char *line, size_t length)
{
	struct strbuf *held = &follow->held;
	bool goes_on = kmsgform_goes_on(held, line, length);

	if (!goes_on && release(follow) < 0)
		return -1;
	follow->lines++;
	if (!goes_on && !kmsgform_begins(line, length))
		return accept_record(follow, line, length);
	if (kmsgform_hold(held, line, length) < 0)
		return -1;
	return kmsgform_is_whole(held->bytes, held->length) ? release(follow) : 0;
}

static void
skip_line(struct follow *follow)
{
	struct analysis_place place = {follow->kmsg->path, "line", ++follow->lines};
	analysis_skip(follow->analysis, &place, "longer than a record can be");
}

/* What was read is dealt with; when it is the end, what is held is all of its record. */
static int
accept_status(struct follow *follow, enum kmsg_status status, const char *bytes, size_t length)
{
	switch (status) {
	case KMSG_RECORD:
		follow->lines += follow->kmsg->device;
		return follow->kmsg->device ? accept_record(follow, bytes, length)
					    : accept_line(follow, bytes, length);
	case KMSG_OVERSIZED:
		if (release(follow) < 0)
			return -1;
		skip_line(follow);
		return 0;
	case KMSG_END:
		return release(follow);
	case KMSG_NOTHING:
	case KMSG_OVERRUN:
	case KMSG_ERROR:
		break;
	}
	return 0;
}

/* Reads and accepts what is there. True when there was nothing more. */
static bool
read_batch(struct follow *follow)
{
	const char *bytes;
	size_t length;

	for (unsigned i = 0; i < BATCH_RECORDS; i++) {
		enum kmsg_status status = kmsg_read(follow->kmsg, &bytes, &length);
		if (status == KMSG_ERROR) {
			follow->code = diag_io_failure(follow->kmsg->path);
		} else if (accept_status(follow, status, bytes, length) < 0) {
			follow->code = diag_io_failure("stdout");
			status = KMSG_ERROR;
		}
		if (status == KMSG_ERROR || status == KMSG_END) {
			follow->ended = true;
			return true;
		}
		if (status == KMSG_NOTHING && !is_of_another_log(follow))
			return true;
		if (status == KMSG_NOTHING)
			begin_anew(follow);
	}
	return false;
}

static void
learn(struct follow *follow)
{
	uint64_t now_ns = clock_monotonic_ns();
	pcilook_refresh(follow->analysis->look);
	if (follow->learned_ns != 0 && now_ns - follow->learned_ns < LEARN_NS)
		return;
	pcilook_learn(follow->analysis->look);
	follow->learned_ns = now_ns;
}

/* What has been read so far is what there was to say of it. */
static int
catch_up(struct follow *follow)
{
	if (follow->caught_up || follow->analysis->counting)
		return 0;
	follow->caught_up = true;
	return analysis_take_back(follow->analysis, follow->now_ns);
}

/* A clock that is set while a record is waited for, for example. What has been said keeps its time;
 * what comes after it goes on from there, see event.h. */
static void
follow_clock(struct follow *follow)
{
	struct analysis *analysis = follow->analysis;
	if (!analysis->is_live || !logtime_follow_clock(&analysis->time))
		return;
	follow->now_ns = 0;
	follow->moved = true;
}

/* The kernel counts the time of its messages on, also where it writes none. */
static void
let_time_pass(struct follow *follow)
{
	struct analysis *analysis = follow->analysis;
	if (analysis->is_live)
		note_time(follow, analysis->time.boot_ns + clock_monotonic_ns());
	follow->moved |= standing_expire(&analysis->memory.standing, follow->now_ns) > 0;
}

/* 0, or -1 with errno when writing failed. */
static int
run(struct follow *follow)
{
	struct analysis *analysis = follow->analysis;
	const struct outlet *outlet = &analysis->output->outlet;

	if (analysis_begin(analysis) < 0)
		return -1;
	while (!follow->ended && !stop_requested()) {
		struct clock_moment now;
		learn(follow);
		follow_clock(follow);
		bool idle = read_batch(follow);
		if (analysis->output->failed)
			return 0;
		let_time_pass(follow);
		if (idle && catch_up(follow) < 0)
			return -1;
		clock_now(&now);
		if (output_commit(analysis->output, follow->moved ? OUTLET_MAY_WAIT : OUTLET_SAME,
			    now.boottime_ns) < 0)
			return -1;
		follow->moved = false;
		logmetrics_update(&analysis->metrics, &analysis->memory.standing);
		diag_catch_up();
		if (!idle || follow->ended)
			continue;
		/* What was written just now is not to be written again after a kill. */
		if (output_settle(analysis->output, now.boottime_ns) < 0)
			return -1;
		kmsg_wait(follow->kmsg, outlet_patience_ns(outlet));
	}
	return 0;
}

int
follow_run(struct kmsg *kmsg, struct analysis *analysis, struct follow_position *position)
{
	struct follow follow = {.kmsg = kmsg, .analysis = analysis, .position = position};

	if (run(&follow) < 0)
		follow.code = diag_io_failure("stdout");
	analysis_end_input(analysis, kmsg->path);
	strbuf_fini(&follow.held);
	strbuf_fini(&follow.scratch);
	return follow.code;
}

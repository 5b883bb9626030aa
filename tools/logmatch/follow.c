/* follow - follows the kernel's log and processes each record once, also across restarts. */
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

/* Records read before their events are committed. */
#define BATCH_RECORDS 512

/* How often the ports above NICs are learned again. */
#define LEARN_NS (UINT64_C(600) * NUM_NS_PER_S)

struct follow {
	struct kmsg *kmsg;
	/* not a device: a record that waits for the lines of its dictionary, which prove its
	 * origin */
	struct strbuf held;
	struct strbuf scratch; /* of lineform_parse() */
	bool after_kmsg;       /* the previous line was a record or of its dictionary */
	struct analysis *analysis;
	struct follow_position *position;
	uint64_t learned_ns; /* CLOCK_MONOTONIC */
	/* CLOCK_MONOTONIC: every record that is still to be read was written later. 0: unknown. */
	uint64_t drained_ns;
	uint64_t lines;  /* since the start */
	uint64_t now_ns; /* latest known time of the log, ns since 1970 */
	uint64_t passed; /* last record read that is not past the position */
	bool is_passing;
	bool moved;     /* position or memory differ from the stored state */
	bool caught_up; /* read to the end of the log once */
	bool ended;
	int code; /* exit code */
};

static void
note_time(struct follow *follow, uint64_t ns)
{
	if (ns > follow->now_ns)
		follow->now_ns = ns;
}

/* Report records that were overwritten before they could be read. */
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

/* After weeks the clock of the kernel's records may be minutes behind or ahead. A file or pipe may
 * have records from another time. */
static void
follow_record(struct follow *follow, const struct logline *parsed)
{
	struct analysis *analysis = follow->analysis;
	if (follow->kmsg->device && analysis->is_live)
		logtime_follow_record(
			&analysis->time, parsed->time_ns, follow->drained_ns, clock_monotonic_ns());
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
	follow_record(follow, parsed);
	/* Sequence numbers start at 0 at boot and have no holes. */
	uint64_t lost = position->known ? parsed->seq - position->seq - 1 : parsed->seq;
	if (lost > 0 && report_gap(follow, lost, parsed) < 0)
		return -1;
	metrics_add(follow->analysis->metrics.records, 1);
	note_time(follow, logtime_resolve(&follow->analysis->time, parsed));
	if (analysis_accept(follow->analysis, &place, parsed, 0) < 0)
		return -1;
	/* Move the position only now: the state stored in front of a gap must not be past the
	 * gap. */
	*position = (struct follow_position){true, parsed->seq};
	follow->moved = true;
	return 0;
}

/* The device always holds its last record. A position after that belongs to another log, for
 * example when a machine was restored to an earlier state. Waiting for that position would miss
 * every record until then. */
static bool
is_of_another_log(const struct follow *follow)
{
	return follow->kmsg->device && follow->is_passing && follow->passed < follow->position->seq;
}

static void
reread_log(struct follow *follow)
{
	diag_warn("%s: its last record is %" PRIu64 ", and it was read to %" PRIu64
		  ": reading it from its beginning",
		follow->kmsg->path, follow->passed, follow->position->seq);
	*follow->position = (struct follow_position){0};
	follow->is_passing = false;
	follow->drained_ns = 0;
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

/* Accept the held record, if any. */
static int
release(struct follow *follow)
{
	size_t length = follow->held.length;
	follow->held.length = 0;
	return length > 0 ? accept_record(follow, follow->held.bytes, length) : 0;
}

/* For a file or pipe: the dictionary of a record is on the lines after it. */
static int
accept_line(struct follow *follow, const char *line, size_t length)
{
	struct strbuf *held = &follow->held;
	bool goes_on = kmsgform_continues(held, line, length);

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

/* Accept what kmsg_read() returned. At the end of the input, the held record is complete. */
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

/* Read and accept the available records, up to BATCH_RECORDS. Return true if no more are
 * available. */
static bool
read_batch(struct follow *follow)
{
	const char *bytes;
	size_t length;
	uint64_t began_ns = clock_monotonic_ns();

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
		if (status == KMSG_NOTHING && !is_of_another_log(follow)) {
			follow->drained_ns = began_ns;
			return true;
		}
		if (status == KMSG_NOTHING)
			reread_log(follow);
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

/* The first time the log is read to its end, end the conditions of patterns no longer enabled:
 * earlier lines may still have reported some. */
static int
catch_up(struct follow *follow)
{
	if (follow->caught_up || follow->analysis->counting)
		return 0;
	follow->caught_up = true;
	return analysis_take_back(follow->analysis, follow->now_ns);
}

/* The clock may be set while logmatch waits for a record. Events that were written keep their time;
 * later ones follow the new clock, see event.h. */
static void
follow_clock(struct follow *follow)
{
	struct analysis *analysis = follow->analysis;
	if (!analysis->is_live || !logtime_follow_clock(&analysis->time))
		return;
	follow->now_ns = 0;
	follow->moved = true;
}

/* The log's clock advances even when the kernel writes no messages. */
static void
let_time_pass(struct follow *follow)
{
	struct analysis *analysis = follow->analysis;
	if (analysis->is_live)
		note_time(follow, analysis->time.boot_ns + clock_monotonic_ns());
	follow->moved |= standing_expire(&analysis->memory.standing, follow->now_ns) > 0;
}

/* Return 0, or -1 with errno when writing failed. */
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
		/* Store before waiting, so that a kill does not repeat the events just written. */
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

/* follow - the kernel's log as it grows: each record once, also over restarts. */
#include "follow.h"

#include "clock.h"
#include "diag.h"
#include "kmsg.h"
#include "num.h"
#include "stop.h"

#include <errno.h>
#include <inttypes.h>

/* Records that are taken before what they gave is stored and written. */
#define BATCH_RECORDS 512

/* How often it is learned anew which ports are above which NICs. */
#define LEARN_NS (UINT64_C(600) * NUM_NS_PER_S)

struct follow {
	struct kmsg kmsg;
	struct analysis *analysis;
	struct session_position *position;
	uint64_t learned_ns; /* CLOCK_MONOTONIC */
	uint64_t lines;      /* read since the start */
	uint64_t passed;     /* number of the record read last, while it is not past the position */
	bool is_passing;
	bool moved; /* the position is not the stored one */
	bool ended;
	int code; /* exit code */
};

/* Says what was overwritten before it could be read. */
static int
take_gap(struct follow *follow, uint64_t lost, const struct logline *next)
{
	diag_warn("%s: %" PRIu64 " records were overwritten before they could be read",
		follow->kmsg.path, lost);
	numbers_count_gap(&follow->analysis->numbers, lost);
	if (follow->analysis->counting)
		return 0;
	return output_gap(follow->analysis->output, follow->kmsg.path, lost,
		logtime_resolve(&follow->analysis->time, next));
}

/* Numbers begin at 0 with the boot, and have no holes: how many are missing before this one. */
static uint64_t
missing_before(const struct session_position *position, uint64_t seq)
{
	return position->known ? seq - position->seq - 1 : seq;
}

static int
take_parsed(struct follow *follow, const struct logline *parsed)
{
	struct session_position *position = follow->position;
	struct analysis_place place = {follow->kmsg.path, "line", follow->lines};

	if (!parsed->has_seq) {
		metrics_add(follow->analysis->numbers.records, 1);
		return analysis_take(follow->analysis, &place, parsed);
	}
	place.unit = "record";
	place.number = parsed->seq;
	follow->is_passing = position->known && parsed->seq <= position->seq;
	follow->passed = parsed->seq;
	if (follow->is_passing)
		return 0;
	uint64_t lost = missing_before(position, parsed->seq);
	if (lost > 0 && take_gap(follow, lost, parsed) < 0)
		return -1;
	metrics_add(follow->analysis->numbers.records, 1);
	if (analysis_take(follow->analysis, &place, parsed) < 0)
		return -1;
	/* Not before: what is stored in front of a gap must not be past it. */
	*position = (struct session_position){true, parsed->seq};
	follow->moved = true;
	return 0;
}

/* The device always has its last record. A position behind that is of another log, as after a machine was put back to an earlier state: waiting until the
 * numbers get there would be to see nothing. */
static bool
is_of_another_log(const struct follow *follow)
{
	return follow->kmsg.device && follow->is_passing && follow->passed < follow->position->seq;
}

static void
begin_anew(struct follow *follow)
{
	diag_warn("%s: its last record is %" PRIu64 ", and it was read to %" PRIu64
		  ": reading it from its beginning",
		follow->kmsg.path, follow->passed, follow->position->seq);
	*follow->position = (struct session_position){0};
	follow->is_passing = false;
	kmsg_rewind(&follow->kmsg);
}

static int
take_record(struct follow *follow, const char *bytes, size_t length)
{
	struct analysis *analysis = follow->analysis;
	struct logline parsed;
	int status = follow->kmsg.device
			     ? lineform_parse_kmsg(bytes, length, &analysis->scratch, &parsed)
			     : lineform_parse(LOGLINE_KMSG, bytes, length, analysis->after_kmsg,
				       &analysis->scratch, &parsed);
	if (status < 0) {
		errno = ENOMEM;
		return -1;
	}
	analysis->after_kmsg = parsed.of_kmsg;
	follow->lines++;
	return take_parsed(follow, &parsed);
}

static void
skip_line(struct follow *follow)
{
	struct analysis_place place = {follow->kmsg.path, "line", ++follow->lines};
	analysis_skip(follow->analysis, &place, "longer than a record can be");
}

/* Takes what is there. True when there was nothing more. */
static bool
take_batch(struct follow *follow)
{
	const char *bytes;
	size_t length;

	for (unsigned i = 0; i < BATCH_RECORDS; i++) {
		switch (kmsg_read(&follow->kmsg, &bytes, &length)) {
		case KMSG_RECORD:
			if (take_record(follow, bytes, length) < 0) {
				follow->code = diag_io_failure("stdout");
				follow->ended = true;
				return true;
			}
			break;
		case KMSG_OVERSIZED:
			skip_line(follow);
			break;
		case KMSG_OVERRUN:
			break;
		case KMSG_NOTHING:
			if (!is_of_another_log(follow))
				return true;
			begin_anew(follow);
			break;
		case KMSG_ERROR:
			follow->code = diag_io_failure(follow->kmsg.path);
			follow->ended = true;
			return true;
		case KMSG_END:
			follow->ended = true;
			return true;
		}
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

static void
run(struct follow *follow)
{
	const struct outlet *outlet = &follow->analysis->output->outlet;

	while (!follow->ended && !stop_requested()) {
		struct clock_moment now;
		learn(follow);
		bool idle = take_batch(follow);
		if (follow->analysis->output->failed)
			return;
		clock_now(&now);
		if (output_commit(follow->analysis->output,
			    follow->moved ? OUTLET_MAY_WAIT : OUTLET_SAME, now.boottime_ns) < 0) {
			follow->code = diag_io_failure("stdout");
			return;
		}
		follow->moved = false;
		numbers_turn(&follow->analysis->numbers, json_array_size(outlet->outbox.events));
		if (!idle || follow->ended)
			continue;
		/* What was written just now is not to be written again after a kill. */
		if (output_settle(follow->analysis->output, now.boottime_ns) < 0) {
			follow->code = diag_io_failure("stdout");
			return;
		}
		kmsg_wait(&follow->kmsg, outlet_patience_ns(outlet));
	}
}

int
follow_run(const char *path, struct analysis *analysis, struct session_position *position)
{
	struct follow follow = {.analysis = analysis, .position = position};

	follow.code = kmsg_open(&follow.kmsg, path);
	if (follow.code != 0)
		return follow.code;
	run(&follow);
	analysis_end_input(analysis, path);
	kmsg_close(&follow.kmsg);
	return follow.code;
}

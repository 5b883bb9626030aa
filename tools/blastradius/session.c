/* session - one run of blastradius: reads events, writes them and the suspected switches. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "session.h"

#include "clock.h"
#include "diag.h"
#include "filter.h"
#include "memory.h"
#include "moment.h"
#include "num.h"
#include "order.h"
#include "outlet.h"
#include "pace.h"
#include "queue.h"
#include "stop.h"
#include "verdicts.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#define STATE_VERSION 1

/* Tolerance for late events, and how long a live run waits for earlier ones. Clocks of nodes differ
 * by about half of that wait, and correlate delays its derived events by as much again. */
#define LATENESS_US (60 * NUM_NS_PER_S / NUM_NS_PER_US)
#define LIVE_WAIT_US (4 * NUM_NS_PER_S / NUM_NS_PER_US)

/* Streams whose repeated events are recognised. A node has about four. */
#define STREAMS_MAX ((size_t)4 * FLEET_NODES_MAX)

/* Limit for the bytes of queued records in a live run. */
#define QUEUE_BYTES_MAX ((size_t)256 << 20)

struct session {
	const struct session_options *options;
	struct topology *topology;
	struct layoutfiles files;
	struct suspects suspects;
	struct order order;
	struct queue queue;
	struct outlet outlet;
	struct sighting *read; /* record parsed by read_line(); NULL: none */
	struct pace pace;
	bool changed;   /* state changed since it was last handed to the outlet */
	json_t *events; /* array of found events not written yet */
};

/* --- the state file --- */

static bool
keeps(const struct session *session)
{
	return session->options->state_path != NULL;
}

static int
decode(void *context, const json_t *root, struct rec_error *error)
{
	struct session *session = context;
	if (store_check_version(root, STATE_VERSION, error) < 0 ||
		outbox_decode(&session->outlet.outbox, &session->outlet.stream, root, error) < 0 ||
		order_decode(&session->order, json_object_get(root, "order"), error) < 0)
		return -1;
	return memory_decode(&session->suspects, json_object_get(root, "fleet"), error);
}

static int accept_report(void *context, const struct suspects_report *report);

static void
begin(struct session *session)
{
	const struct session_options *options = session->options;
	session->suspects = (struct suspects){.limits = options->limits,
		.fleet.topology = session->topology,
		.report = accept_report,
		.context = session};
	session->suspects.limits.within_us = options->within_ns / NUM_NS_PER_US;
	session->suspects.limits.settle_us = options->settle_ns / NUM_NS_PER_US;
	if (options->live)
		order_init(&session->order, LATENESS_US, LIVE_WAIT_US);
	else
		order_init(&session->order, MOMENT_NEVER, MOMENT_NEVER);
	session->order.most_streams = STREAMS_MAX;
}

static void
reset(void *context)
{
	struct session *session = context;
	order_fini(&session->order);
	suspects_fini(&session->suspects);
	begin(session);
}

static char *
encode_new(void *context)
{
	const struct session *session = context;
	json_t *order = json_object();
	json_t *root = json_pack("{s:i, s:o, s:o}", "version", STATE_VERSION, "order", order,
		"fleet", memory_encode_new(&session->suspects));
	if (root != NULL && (order_encode(&session->order, order) < 0 ||
				    outbox_encode(&session->outlet.outbox, &session->outlet.stream,
					    root) < 0)) {
		json_decref(root);
		return NULL;
	}
	return store_text_new(root);
}

/* Held events name the event because of which they are held. */
static void
follow_rename(void *context, const char *old_id, const char *new_id)
{
	struct session *session = context;
	const struct fleet *fleet = &session->suspects.fleet;
	for (size_t i = 0; i < fleet->place_count; i++)
		if (strcmp(fleet->places[i]->id, old_id) == 0)
			strcpy(fleet->places[i]->id, new_id);
}

static const struct outlet_owner owner = {.version = STATE_VERSION,
	.decode = decode,
	.reset = reset,
	.encode_new = encode_new,
	.renamed = follow_rename};

/* --- findings --- */

static int
accept_report(void *context, const struct suspects_report *report)
{
	struct session *session = context;
	char stamp[CLOCK_STAMP_SIZE], node[REC_NODE_MAX_BYTES + 1];
	bool is_released = report->news == SUSPECTS_RELEASED;
	const char *name = is_released ? report->event->fields[SIGHTING_NODE]
				       : verdicts_name(report->place, session->options->fabric);
	snprintf(node, sizeof node, "%s", name);
	clock_format(report->at_us * NUM_NS_PER_US, stamp);
	outlet_name_stream(&session->outlet, node, NULL, stamp);
	struct event_stream *stream = &session->outlet.stream;
	errno = 0;
	json_t *event = is_released ? verdicts_release_new(stream, report)
				    : verdicts_new(stream, &session->suspects, report);
	if (event == NULL && errno == ENOMEM)
		return -1;
	if (event == NULL) {
		diag_warn("%s: discarded its event, which exceeds the limits of an event", node);
		return 0;
	}
	if (report->news == SUSPECTS_NEW)
		strcpy(report->place->id, json_string_value(json_object_get(event, "id")));
	session->changed = true;
	return json_array_append_new(session->events, event);
}

/* Store the findings if there is a state file, and write them. Return 0, or -1 with errno. */
static int
send_found(struct session *session)
{
	struct clock_moment now;
	if (!keeps(session) && json_array_size(session->events) == 0)
		return 0;
	clock_now(&now);
	int status = outlet_send(&session->outlet,
		&(struct outlet_batch){
			.events = session->events,
			.change = session->changed ? OUTLET_MAY_WAIT : OUTLET_SAME,
			.ts = now.stamp,
			.now_ns = now.boottime_ns,
		});
	session->changed = false;
	json_array_clear(session->events);
	return status;
}

/* --- queued records --- */

static bool
has_kind(const struct sighting *record, const char *kind)
{
	return strcmp(record->fields[SIGHTING_KIND], kind) == 0;
}

static int
write_held(const struct line *line, const struct place *place)
{
	size_t length;
	char *text = verdicts_hold_new(line, place, &length);
	int status = text != NULL ? line_write(STDOUT_FILENO, text, length) : -1;
	free(text);
	return status;
}

/* Write a queued record, after the findings up to its time. Return 0, or -1 with errno. */
static int
write_line(struct session *session, struct line *line)
{
	const struct place *place = NULL;
	bool is_mark = false;
	int status = 0;
	if (line->is_event &&
		suspects_leave(&session->suspects, line->moment.at_us, line->record, &place) < 0)
		return -1;
	if (json_array_size(session->events) > 0 && send_found(session) < 0)
		return -1;
	if (has_kind(line->record, "mark"))
		status = outlet_take_mark(&session->outlet, line->text, line->length - 1, &is_mark);
	if (place != NULL)
		status = write_held(line, place);
	else if (status == 0 && !is_mark)
		status = line_write(STDOUT_FILENO, line->text, line->length);
	queue_drop(&session->queue, line);
	return status;
}

/* Return when a record may leave the queue: all related events have arrived by then. */
static uint64_t
leave_us(const struct session *session, const struct line *line)
{
	return line != NULL ? moment_later(line->moment.at_us, session->suspects.limits.within_us)
			    : MOMENT_NEVER;
}

/* Accept events up to that time. Return 0, or -1 with errno. */
static int
accept_until(struct session *session, uint64_t until_us)
{
	struct sighting *event;
	uint64_t at_us;
	int status = 0;
	while (status == 0 && (event = order_next_new(&session->order, until_us, &at_us)) != NULL) {
		status = suspects_accept(&session->suspects, at_us, event);
		session->changed = true;
		sighting_release(event);
	}
	return status;
}

/* Advance to `now_us`: write the records due. Return 0, or -1 with errno. */
static int
advance(struct session *session, uint64_t now_us)
{
	struct line *line;
	while ((line = queue_first(&session->queue)) != NULL) {
		uint64_t at_us = leave_us(session, line);
		bool is_due = at_us <= now_us;
		if (!is_due && (!session->options->live || session->queue.bytes <= QUEUE_BYTES_MAX))
			break;
		if (is_due && (accept_until(session, at_us) < 0 ||
				      suspects_advance(&session->suspects, at_us) < 0))
			return -1;
		if (write_line(session, line) < 0)
			return -1;
	}
	if (accept_until(session, now_us) < 0)
		return -1;
	return suspects_advance(&session->suspects, now_us);
}

/* --- time --- */

/* Write all queued records at once, without advancing the time. Return 0, or -1 with errno. */
static int
flush(struct session *session)
{
	struct line *line;
	if (accept_until(session, MOMENT_NEVER) < 0 || suspects_hurry(&session->suspects) < 0)
		return -1;
	while ((line = queue_first(&session->queue)) != NULL)
		if (write_line(session, line) < 0)
			return -1;
	return 0;
}

/* The time continues at `to_us` instead of `from_us`. Return 0, or -1 with errno. */
static int
jump(struct session *session, uint64_t from_us, uint64_t to_us)
{
	diag_note(
		"the clock was set, or the machine was suspended: durations do not count the jump");
	if (flush(session) < 0)
		return -1;
	suspects_shift(&session->suspects, (int64_t)(to_us - from_us));
	order_restart(&session->order, to_us);
	session->changed = true;
	return 0;
}

/* Advance by the clock, or handle a jump of it. Return 0, or -1 with errno. */
static int
follow_clock(struct session *session)
{
	const struct pace now = pace_now();
	uint64_t before_us = pace_expected_us(&session->pace, now.monotonic_us);
	if (pace_advance(&session->pace, now.now_us, now.monotonic_us, LATENESS_US))
		return jump(session, before_us, now.now_us);
	order_advance(&session->order, session->pace.now_us);
	return advance(session, order_settled_us(&session->order));
}

/* Events that come after the clock was set back must not be taken for late ones, and the times of
 * those that come after it was set forward must not be shifted. */
static int
follow_jump(struct session *session, uint64_t at_us)
{
	return pace_has_jumped(&session->pace, at_us, LATENESS_US) ? follow_clock(session) : 0;
}

/* Start the clock of a live run. The state file may have later times, if the clock was set back
 * since. Return 0, or -1 with errno. */
static int
start_clock(struct session *session)
{
	uint64_t before_us = session->order.newest_us, now_us = session->pace.now_us;
	if (before_us > moment_later(now_us, LATENESS_US))
		return jump(session, before_us, now_us);
	order_advance(&session->order, now_us);
	return 0;
}

/* --- the topology --- */

/* After the files changed: read them, and apply the new topology to what is known. */
static void
read_topology(struct session *session)
{
	struct rec_error error;
	json_t *memory = memory_encode_new(&session->suspects);
	if (memory != NULL && layoutfiles_read_anew(&session->files, session->topology)) {
		suspects_fini(&session->suspects);
		session->suspects.fleet = (struct fleet){.topology = session->topology};
		if (memory_decode(&session->suspects, memory, &error) < 0)
			diag_warn("with the new topology: %s", error.reason);
		session->changed = true;
	}
	json_decref(memory);
}

/* --- the loop --- */

static uint64_t
patience_ns(const struct session *session)
{
	uint64_t leaves_us = leave_us(session, queue_first(&session->queue));
	uint64_t next_us = clock_earlier(leaves_us, suspects_next_us(&session->suspects));
	uint64_t wait_ns = moment_wait_ns(next_us, order_settled_us(&session->order));
	wait_ns = clock_earlier(wait_ns, layoutfiles_patience_ns(&session->files));
	return keeps(session) ? clock_earlier(wait_ns, outlet_patience_ns(&session->outlet))
			      : wait_ns;
}

static int
settle(void *context, uint64_t *wait_ns)
{
	struct session *session = context;
	*wait_ns = UINT64_MAX;
	if (!session->options->live)
		return 0;
	if (layoutfiles_poll(&session->files))
		read_topology(session);
	if (follow_clock(session) < 0 || send_found(session) < 0)
		return -1;
	*wait_ns = patience_ns(session);
	return 0;
}

static bool
read_line(void *context, const char *text, size_t length)
{
	struct session *session = context;
	session->read = sighting_read_new(text, length);
	return session->read != NULL;
}

/* A run may begin with a mark that covers no event. It tells later stages that marks will come, so
 * do not queue it. Return 0 and set `*is_taken`, or -1 with errno. */
static int
take_first_mark(struct session *session, const struct intake_record *record, bool *is_taken)
{
	struct mark mark;
	struct rec_error error;
	json_t *json = rec_parse_new(record->text, record->length, &error);
	*is_taken = json != NULL && mark_read(json, &mark) && mark.after == mark.seq;
	json_decref(json);
	return *is_taken
		       ? outlet_take_mark(&session->outlet, record->text, record->length, is_taken)
		       : 0;
}

/* Queue a record, and an event with a time also to be evaluated. Nobody would release an event that
 * comes too late for that, so it is not held back either. Return 0, or -1 with errno. */
static int
enqueue(struct session *session, const uint64_t *at_us, struct sighting *event,
	const struct intake_record *record)
{
	uint64_t late_before = session->order.late;
	struct line *line = queue_add(&session->queue, at_us, event, record->text, record->length);
	if (line == NULL || (at_us != NULL && order_add(&session->order, *at_us, event) < 0))
		return -1;
	line->is_event &= session->order.late == late_before;
	return 0;
}

/* Accept a record. One that is no valid event only passes through. Return 0, or -1 with errno. */
static int
accept_record(void *context, struct intake *intake, struct intake_record *record)
{
	struct session *session = context;
	struct sighting *event = sighting_claim_new(&session->read, record->json);
	struct rec_error error = {.reason = ""};
	uint64_t at_us = 0;
	json_decref(record->json);
	if (event == NULL)
		return -1;
	bool has_moment = has_kind(event, "event") && sighting_moment(event, &at_us, &error);
	bool is_taken = false;
	int status = 0;
	if (has_moment && session->options->live) {
		at_us = pace_not_ahead_us(at_us);
		status = follow_jump(session, at_us);
	}
	if (status == 0 && has_kind(event, "mark"))
		status = take_first_mark(session, record, &is_taken);
	if (status == 0 && !is_taken)
		status = enqueue(session, has_moment ? &at_us : NULL, event, record);
	if (*error.reason != '\0')
		intake_reject(intake, &error);
	sighting_release(event);
	return status;
}

static int
end_input(void *context)
{
	struct session *session = context;
	struct clock_moment now;
	uint64_t end_us =
		moment_later(session->order.newest_us, session->suspects.limits.within_us);
	/* With a state file, the next run continues. */
	int status = keeps(session) || session->options->live
			     ? advance(session, session->order.newest_us)
			     : advance(session, end_us);
	if (status < 0 || flush(session) < 0 || send_found(session) < 0)
		return -1;
	clock_now(&now);
	outlet_finish(&session->outlet, OUTLET_MAY_WAIT, now.boottime_ns);
	return 0;
}

/* --- a run --- */

static int
run(struct session *session)
{
	const struct filter filter = {
		.read = read_line, .accept = accept_record, .settle = settle, .end = end_input};
	if ((keeps(session) || session->options->live) && stop_catch() < 0)
		return diag_io_failure("signals");
	int status = outlet_open(&session->outlet);
	if (status != 0)
		return status;
	session->pace = pace_now();
	if (outlet_resend(&session->outlet) < 0 ||
		(session->options->live && start_clock(session) < 0))
		return diag_io_failure("stdout");
	return filter_run(&filter, session);
}

static void
report_left_out(const struct session *session)
{
	if (session->order.late > 0)
		diag_warn("%" PRIu64 " events arrived more than a minute late, and were passed on "
			  "without evaluation",
			session->order.late);
	if (session->suspects.refused > 0)
		diag_warn("%" PRIu64 " events were passed on without evaluation: they come from "
			  "more than %d nodes, or %d ports of a node",
			session->suspects.refused, FLEET_NODES_MAX, FLEET_PORTS_MAX);
}

int
session_run(const struct session_options *options, struct topology *topology)
{
	const struct outlet_options outlet_options = {
		.tool = "blastradius",
		.state_path = options->state_path,
		.acks_path = options->acks_path,
		.strategy = options->strategy,
	};
	struct session session = {.options = options,
		.topology = topology,
		.files = options->files,
		.events = json_array()};
	begin(&session);
	int status;
	if (outlet_init(&session.outlet, &outlet_options, &owner, &session, STDOUT_FILENO) < 0)
		status = diag_no_memory();
	else
		status = run(&session);
	report_left_out(&session);
	outlet_fini(&session.outlet);
	queue_fini(&session.queue);
	order_fini(&session.order);
	suspects_fini(&session.suspects);
	topology_fini(topology);
	json_decref(session.events);
	return status;
}

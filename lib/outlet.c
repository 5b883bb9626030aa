/* outlet - stores events, writes them, and keeps them until they are acknowledged. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "outlet.h"

#include "atomfile.h"
#include "clock.h"
#include "diag.h"

#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

/* This many events take some hundred KiB, as objects and again as text to be stored. */
#define MANY_EVENTS 100

static void
note_change(struct outlet *outlet, enum outlet_change change)
{
	if (change > outlet->change)
		outlet->change = change;
}

/* --- the state file's owner, for store --- */

/* Running out of memory does not make the file invalid. */
static enum store_verdict
refusal(const struct rec_error *error)
{
	return error->no_memory ? STORE_NO_MEMORY : STORE_REFUSED;
}

static enum store_verdict
decode(void *context, const json_t *root, struct rec_error *error)
{
	struct outlet *outlet = context;
	return outlet->owner->decode(outlet->context, root, error) == 0 ? STORE_ACCEPTED
									: refusal(error);
}

static void
reset(void *context)
{
	struct outlet *outlet = context;
	*outlet->stream.source = '\0';
	outlet->stream.seq = 0;
	outlet->stream.last_us = 0;
	outbox_clear(&outlet->outbox);
	outlet->owner->reset(outlet->context);
}

/* Take only the events from a state file that appeared late: they may not have been received. The
 * rest of the file is older than the state of this process. */
static enum store_verdict
decode_late(void *context, const json_t *root, struct rec_error *error)
{
	struct outlet *outlet = context;
	struct event_stream stream = {.source = ""};
	struct outbox outbox;
	json_t *added = NULL;
	enum store_verdict verdict = STORE_ACCEPTED;

	if (outbox_init(&outbox) < 0)
		return STORE_NO_MEMORY;
	/* outbox_merge() skips the events in this process's own outbox: they have been written. */
	if (store_check_version(root, outlet->owner->version, error) < 0 ||
		outbox_decode(&outbox, &stream, root, error) < 0)
		verdict = refusal(error);
	else if (outbox_merge(&outlet->outbox, outbox.events, &added) < 0)
		verdict = STORE_NO_MEMORY;
	outbox_fini(&outbox);
	if (added != NULL) {
		json_decref(outlet->found);
		outlet->found = added;
	}
	return verdict;
}

static char *
encode_new(void *context)
{
	const struct outlet *outlet = context;
	return outlet->owner->encode_new(outlet->context);
}

static const struct store_owner store_owner = {
	.decode = decode,
	.reset = reset,
	.decode_late = decode_late,
	.encode_new = encode_new,
};

/* --- acknowledgements in --- */

/* A new receiver lacks the events that the last one read but did not store: write them again. */
static void
note_receiver(struct outlet *outlet, const char *receiver)
{
	if (*receiver == '\0' || strcmp(receiver, outlet->receiver) == 0)
		return;
	strcpy(outlet->receiver, receiver);
	outlet->again = true;
}

/* Warn once about the errno of acks_read(). */
static void
note_bad_acks(struct outlet *outlet, const char *path)
{
	char reason[OWNFILE_REASON_SIZE];
	acks_explain(path, errno, reason);
	if (!outlet->acks_bad)
		diag_warn("%s: %s: treating every event as unacknowledged", path, reason);
	outlet->acks_bad = true;
}

/* Read the acks file if it changed: drop acknowledged and delivered events from the outbox, and put
 * those back that are no longer acknowledged. A receiver that lost events changes its name, which
 * has them written again. */
static void
read_acks(struct outlet *outlet)
{
	struct stat now;
	struct acks acks;
	const char *path = outlet->options->acks_path;

	if (path == NULL || !atomfile_has_changed(path, &outlet->acks, &now))
		return;
	if (acks_read(&acks, path) < 0) {
		if (errno == ENOENT)
			outlet->acks_bad = false;
		else
			note_bad_acks(outlet, path);
		return;
	}
	outlet->acks_bad = false;
	outlet->acks = now;
	json_decref(outlet->acked);
	outlet->acked = json_incref(acks.seqs);
	bool trimmed = outbox_trim(&outlet->outbox, &acks);
	if (outbox_recall(&outlet->outbox, &acks) || trimmed)
		note_change(outlet, OUTLET_AT_ONCE);
	note_receiver(outlet, acks.receiver);
	acks_fini(&acks);
}

/* Without an acks file, written events count as received. */
static void
forget_written(struct outlet *outlet)
{
	if (outlet->options->acks_path == NULL && outbox_clear(&outlet->outbox))
		note_change(outlet, OUTLET_AT_ONCE);
}

/* --- the state --- */

/* After many events, as from a first scan, return their memory to the kernel: the process would
 * otherwise keep it for months. */
static void
give_memory_back(struct outlet *outlet)
{
	size_t count = json_array_size(outlet->outbox.events);
	outlet->had_many |= count >= MANY_EVENTS;
	if (!outlet->had_many || count > 0)
		return;
	malloc_trim(0);
	outlet->had_many = false;
}

static bool
is_due(const struct outlet *outlet, uint64_t now_ns)
{
	uint64_t saved_ns = outlet->store.saved_ns;
	if (outlet->change == OUTLET_AT_ONCE || outlet->store.failing)
		return true;
	return outlet->change == OUTLET_MAY_WAIT &&
	       (now_ns < saved_ns || now_ns - saved_ns >= OUTLET_LAG_NS);
}

/* Return 0, or -1 after a warning. */
static int
save(struct outlet *outlet, uint64_t now_ns)
{
	if (store_save(&outlet->store, now_ns) < 0)
		return -1;
	outlet->change = OUTLET_SAME;
	outlet->forked = false;
	give_memory_back(outlet);
	return 0;
}

/* --- events out --- */

/* Update the records that refer to an event by its id. */
static void
refer_to(const json_t *records, const json_t *old_id, json_t *id)
{
	size_t i;
	json_t *record;
	json_array_foreach (records, i, record) {
		if (json_equal(json_object_get(record, "event"), old_id))
			json_object_set(record, "event", id);
	}
}

static int
move_to_fork(struct outlet *outlet, const struct outlet_batch *batch)
{
	size_t i;
	json_t *event;

	outlet->forked = true;
	/* Readers see no gap before the first event of a new stream. If a receiver died,
	 * the end of the old stream may be lost with it: write that end again before the
	 * new stream. */
	outlet->again = true;
	event_stream_fork(&outlet->stream, batch->ts);
	json_array_foreach (batch->events, i, event) {
		json_t *old_id = json_incref(json_object_get(event, "id"));
		int status = event_restamp(&outlet->stream, event);
		json_t *id = json_object_get(event, "id");
		if (status == 0)
			refer_to(batch->after, old_id, id);
		if (status == 0 && outlet->owner->renamed != NULL)
			outlet->owner->renamed(
				outlet->context, json_string_value(old_id), json_string_value(id));
		json_decref(old_id);
		if (status < 0)
			return -1;
	}
	return 0;
}

/* Add the events to the outbox and store the state, if that is due. Return 0, or -1 when out of
 * memory. */
static int
commit(struct outlet *outlet, const struct outlet_batch *batch)
{
	note_change(outlet, json_array_size(batch->events) > 0 ? OUTLET_AT_ONCE : batch->change);
	read_acks(outlet);
	if (outbox_add(&outlet->outbox, batch->events) < 0)
		return -1;
	if (!is_due(outlet, batch->now_ns) || save(outlet, batch->now_ns) == 0 || outlet->forked)
		return 0;
	return move_to_fork(outlet, batch);
}

static int
write_all(struct outlet *outlet, const json_t *records)
{
	size_t i;
	const json_t *record;
	json_array_foreach (records, i, record) {
		if (rec_write(&outlet->writer, record) < 0)
			return -1;
	}
	return 0;
}

/* Write the first `count` events of the outbox, except the acknowledged ones, which are only kept
 * until they are delivered. */
static int
write_unacked(struct outlet *outlet, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const json_t *event = json_array_get(outlet->outbox.events, i);
		if (!outbox_is_acked(event, outlet->acked) && rec_write(&outlet->writer, event) < 0)
			return -1;
	}
	return 0;
}

/* Write the events that are due before this batch, which is the end of the outbox: all of them, or
 * only those from a late state file. */
static int
write_earlier(struct outlet *outlet, size_t batch_count)
{
	if (!outlet->again)
		return write_all(outlet, outlet->found);
	return write_unacked(outlet, json_array_size(outlet->outbox.events) - batch_count);
}

/* Shorten the outbox after its events were written. */
static void
settle_outbox(struct outlet *outlet)
{
	forget_written(outlet);
	size_t dropped = outbox_bound(&outlet->outbox);
	if (dropped > 0 && !outlet->overfull)
		diag_warn("%s: %d events are not acknowledged: dropping the oldest",
			outlet->options->acks_path, OUTBOX_EVENTS_MAX);
	outlet->overfull = json_array_size(outlet->outbox.events) == OUTBOX_EVENTS_MAX;
	if (dropped > 0)
		note_change(outlet, OUTLET_AT_ONCE);
}

/* --- marks --- */

static int
write_marks(struct outlet *outlet, json_t *marks)
{
	const char *source;
	const json_t *mark;
	json_object_foreach (marks, source, mark) {
		if (rec_write(&outlet->writer, mark) < 0)
			return -1;
	}
	return 0;
}

/* Write marks for the events in the outbox, all of which have been written. */
static int
mark_outbox(struct outlet *outlet)
{
	size_t i;
	const json_t *event;
	json_t *marks = json_object();
	int status = 0;
	json_array_foreach (outlet->outbox.events, i, event) {
		struct mark mark = {.source = json_string_value(json_object_get(event, "source"))};
		rec_get_u64(event, "seq", &mark.seq);
		mark.after = mark.seq - 1;
		if (status == 0)
			status = mark_join(marks, &mark);
	}
	if (status == 0)
		status = write_marks(outlet, marks);
	json_decref(marks);
	return status;
}

/* Pass on the marks of others, unless the state file is older than they are. */
static int
pass_marks(struct outlet *outlet)
{
	bool is_stored = outlet->change == OUTLET_SAME && !outlet->store.failing;
	if (outlet->store.path != NULL && !is_stored)
		return 0;
	int status = write_marks(outlet, outlet->marks);
	json_object_clear(outlet->marks);
	return status;
}

int
outlet_take_mark(struct outlet *outlet, const char *text, size_t length, bool *is_mark)
{
	struct rec_error error;
	struct mark mark;
	json_t *record = rec_parse_new(text, length, &error);
	int status = 0;
	*is_mark = record != NULL && mark_read(record, &mark);
	if (outlet->marks == NULL && *is_mark)
		outlet->marks = json_object();
	if (*is_mark && mark.after == mark.seq)
		status = rec_write(&outlet->writer, record);
	else if (*is_mark && (status = mark_join(outlet->marks, &mark)) < 0)
		errno = ENOMEM;
	json_decref(record);
	if (status == 0 && *is_mark && outlet->store.path == NULL)
		status = pass_marks(outlet);
	return status;
}

/* Publish when the acks file was read: everything that was due by `looked_ns` is written, so that
 * the receiver can stop waiting for it. */
static void
report_looked(const struct outlet *outlet, uint64_t looked_ns)
{
	metrics_set_vital(outlet->options->metrics, METRICS_LOOKED_NS, looked_ns);
}

int
outlet_send(struct outlet *outlet, const struct outlet_batch *batch)
{
	bool keeps = outlet->store.path != NULL;
	uint64_t looked_ns = clock_monotonic_ns();

	if (keeps && commit(outlet, batch) < 0) {
		errno = ENOMEM;
		return -1;
	}
	if (write_earlier(outlet, json_array_size(batch->events)) < 0 ||
		write_all(outlet, batch->events) < 0 || write_all(outlet, batch->after) < 0)
		return -1;
	bool wrote_own = outlet->again || json_array_size(batch->events) > 0;
	if (outlet->marks != NULL &&
		((wrote_own && mark_outbox(outlet) < 0) || pass_marks(outlet) < 0))
		return -1;
	json_decref(outlet->found);
	outlet->found = NULL;
	outlet->again = false;
	if (keeps)
		settle_outbox(outlet);
	metrics_set(outlet->kept, json_array_size(outlet->outbox.events));
	report_looked(outlet, looked_ns);
	return 0;
}

bool
outlet_is_behind(const struct outlet *outlet)
{
	const struct event_stream *stream = &outlet->stream;
	return acks_seq(outlet->acked, stream->source) > stream->seq;
}

bool
outlet_is_of_other_node(const struct outlet *outlet, const char *node)
{
	const struct event_stream *stream = &outlet->stream;
	return outlet->options->is_of_node && outlet->options->state_path != NULL &&
	       *stream->source != '\0' && stream->has_node && node != NULL &&
	       strcmp(stream->node, node) != 0;
}

/* Nodes that were made from one image begin with copies of one state file. Under one source, their
 * events would have the same ids, and a receiver of them all would keep those of one node only. */
static void
leave_copy(struct outlet *outlet, const char *node)
{
	diag_note("%s: belongs to node %s, and this is %s: continuing under a new source",
		outlet->options->state_path, outlet->stream.node, node);
	*outlet->stream.source = '\0';
	note_change(outlet, OUTLET_AT_ONCE);
}

void
outlet_name_stream(struct outlet *outlet, const char *node, const char *boot_id, const char *ts)
{
	const uint64_t last_us = outlet->stream.last_us;
	if (outlet_is_of_other_node(outlet, node))
		leave_copy(outlet, node);
	if (*outlet->stream.source == '\0')
		event_stream_init(&outlet->stream, outlet->options->tool, node, boot_id, ts,
			outlet->options->strategy);
	else
		event_stream_set_node(&outlet->stream, node);
	outlet->stream.last_us = last_us;
	if (!outlet_is_behind(outlet))
		return;
	diag_warn("%s: the receiver has later events than the state file: continuing under a new "
		  "source",
		outlet->options->acks_path);
	/* Stream names are made of times, which repeat when a recording is read again. */
	while (outlet_is_behind(outlet))
		event_stream_fork(&outlet->stream, ts);
	note_change(outlet, OUTLET_AT_ONCE);
}

/* --- begin and end --- */

static const struct metrics_family kept = {"nic_health_monitor_outbox_events",
	"Events that the receiver has not reported as delivered yet.", METRICS_GAUGE,
	METRICS_PROCESS};

int
outlet_init(struct outlet *outlet, const struct outlet_options *options,
	const struct outlet_owner *owner, void *context, int fd)
{
	*outlet = (struct outlet){.options = options,
		.owner = owner,
		.context = context,
		.stream.strategy = options->strategy,
		.store.lock_fd = -1};
	outlet->kept = metrics_cell(
		options->metrics, &kept, &(struct metrics_label){"stage", options->tool}, 1);
	rec_writer_init(&outlet->writer, fd);
	return outbox_init(&outlet->outbox);
}

int
outlet_open(struct outlet *outlet)
{
	const char *path = outlet->options->state_path;
	if (path == NULL)
		return 0;
	signal(SIGXFSZ, SIG_IGN);
	return store_open(&outlet->store, path, &store_owner, outlet);
}

int
outlet_resend(struct outlet *outlet)
{
	if (outlet->store.path == NULL)
		return 0;
	uint64_t looked_ns = clock_monotonic_ns();
	read_acks(outlet);
	if (write_unacked(outlet, json_array_size(outlet->outbox.events)) < 0)
		return -1;
	outlet->again = false;
	forget_written(outlet);
	report_looked(outlet, looked_ns);
	return 0;
}

uint64_t
outlet_patience_ns(const struct outlet *outlet)
{
	return json_array_size(outlet->outbox.events) > 0 ? OUTLET_LOOK_NS : OUTLET_LAG_NS;
}

void
outlet_finish(struct outlet *outlet, enum outlet_change change, uint64_t now_ns)
{
	note_change(outlet, change);
	if (outlet->store.path != NULL && (outlet->change != OUTLET_SAME || outlet->store.failing))
		save(outlet, now_ns);
	/* If saving failed, keep the marks: the records before them are then read again. */
	if (outlet->marks != NULL)
		pass_marks(outlet);
}

void
outlet_fini(struct outlet *outlet)
{
	json_decref(outlet->found);
	json_decref(outlet->marks);
	json_decref(outlet->acked);
	store_close(&outlet->store);
	outbox_fini(&outlet->outbox);
	rec_writer_fini(&outlet->writer);
}

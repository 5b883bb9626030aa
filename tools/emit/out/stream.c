/* stream - engine of the sinks that write lines. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "stream.h"

#include "../fault.h"
#include "clock.h"
#include "diag.h"
#include "num.h"
#include "sink.h"
#include "transport.h"
#include "when.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

/* Polling interval of what poll(2) cannot report: a finished name lookup, a drained socket, a spool
 * that works again. */
#define ASK_AGAIN_NS (20 * NUM_NS_PER_MS)

/* How long a file or FIFO may accept nothing. */
#define STUCK_NS (2 * NUM_NS_PER_S)

/* Read this much from the journal at a time. */
#define BATCH_EVENTS 256
#define BATCH_BYTES ((size_t)128 << 10)

struct stream {
	struct transport transport;
	struct batch batch;   /* lines being written */
	size_t index;         /* next line to write */
	size_t written;       /* bytes of it that were written */
	uint64_t sent;        /* number of the last event written */
	bool unreadable;      /* the next events cannot be read from the spool now */
	uint64_t unconfirmed; /* events written and not confirmed */
};

static const struct transport_kind *
kind_of(const struct sink *sink)
{
	return sink->spec.kind->transport;
}

static int
init(struct sink *sink)
{
	struct stream *stream = calloc(1, sizeof *stream);
	if (stream == NULL)
		return -1;
	stream->transport = (struct transport){.spec = &sink->spec, .fd = -1};
	stream->sent = sink->position;
	sink->stream = stream;
	return 0;
}

static void
fini(struct sink *sink)
{
	transport_close(&sink->stream->transport);
	batch_fini(&sink->stream->batch);
	free(sink->stream);
}

/* Read the unconfirmed events again. */
static void
go_back(struct sink *sink)
{
	struct stream *stream = sink->stream;
	batch_clear(&stream->batch);
	stream->index = stream->written = 0;
	stream->sent = sink->position;
	stream->unconfirmed = 0;
	sent_forget(sink->sent);
}

static void
restart(struct sink *sink)
{
	struct stream *stream = sink->stream;
	if (stream->written == 0 && !transport_is_late(&stream->transport)) {
		go_back(sink);
		return;
	}
	/* Complete a partly written line, or the next one would be appended to it. */
	batch_cut(&stream->batch, stream->index + 1);
	stream->batch.events[stream->index].number = stream->sent = sink->position;
	stream->unconfirmed = 0;
	sent_forget(sink->sent);
}

static void
shift(struct sink *sink, uint64_t by)
{
	batch_shift(&sink->stream->batch, by);
	sink->stream->sent += by;
}

/* Close, go back, and schedule the next attempt. */
static void
give_up_for_now(struct sink *sink, uint64_t now_ns)
{
	sink_fail(sink, sink->stream->transport.problem, now_ns);
	transport_close(&sink->stream->transport);
	go_back(sink);
}

/* The reader of stdout has exited: stop for good. */
static void
give_up(struct sink *sink)
{
	sink_note_answer(sink, sink->stream->transport.problem);
	if (!sink->setting->is_test)
		diag_error("sink %s: %s", sink_name(sink), sink->stream->transport.problem);
	sink->state = SINK_GONE;
}

static void
note_status(struct sink *sink, enum transport_status status, uint64_t now_ns)
{
	switch (status) {
	case TRANSPORT_PENDING:
		sink->state = SINK_OPENING;
		break;
	case TRANSPORT_READY:
		sink->state = SINK_OPEN;
		break;
	case TRANSPORT_FAILED:
		give_up_for_now(sink, now_ns);
		break;
	}
}

/* Return true if there is a line to write. */
static bool
has_line(struct stream *stream, struct journal *journal)
{
	if (stream->index < stream->batch.count)
		return true;
	batch_clear(&stream->batch);
	stream->index = 0;
	if (stream->sent >= journal_last(journal))
		return false;
	stream->unreadable = journal_read(journal, stream->sent, UINT64_MAX, BATCH_EVENTS,
				     BATCH_BYTES, &stream->batch) < 0;
	if (stream->unreadable)
		return false;
	/* Events missing from the spool were dropped. */
	if (stream->batch.count == 0)
		stream->sent = journal_last(journal);
	return stream->batch.count > 0;
}

/* Return true if the sink does not get the next line. */
static bool
is_left_out(const struct sink *sink)
{
	const struct stream *stream = sink->stream;
	return stream->written == 0 && batch_is_left_out(&stream->batch, stream->index,
					       sink->setting->baseline, &sink->spec.choice);
}

/* Write lines until there are none or the other side accepts no more. Return false on failure. */
static bool
write_lines(struct sink *sink, struct journal *journal)
{
	struct stream *stream = sink->stream;
	while (has_line(stream, journal)) {
		const struct batch_event *event = &stream->batch.events[stream->index];
		if (is_left_out(sink)) {
			stream->sent = event->number;
			stream->index++;
			continue;
		}
		if (sink->began_ns == 0)
			sink->began_ns = clock_monotonic_ns();
		ssize_t n = kind_of(sink)->write(&stream->transport,
			batch_line(&stream->batch, stream->index) + stream->written,
			event->length - stream->written);
		if (n < 0)
			return false;
		if (n == 0)
			return true;
		stream->written += (size_t)n;
		if (stream->written < event->length)
			continue;
		stream->sent = event->number;
		stream->unconfirmed++;
		sink_note_sent(sink, &stream->batch, stream->index);
		stream->index++;
		stream->written = 0;
	}
	return true;
}

/* Confirm what the other side has accepted. After a peer closed with unread bytes the queue is
 * empty, too, so check last that the connection is alive. */
static void
confirm(struct sink *sink, uint64_t now_ns)
{
	struct stream *stream = sink->stream;
	if (sink->position == stream->sent || !transport_is_drained(&stream->transport))
		return;
	if (!transport_is_alive(&stream->transport)) {
		give_up_for_now(sink, now_ns);
		return;
	}
	fault_pass(FAULT_SEND);
	sink_note_answer(sink, kind_of(sink)->confirmation);
	sink_advance(sink, stream->sent, stream->unconfirmed);
	stream->unconfirmed = 0;
	sent_arrive(sink->sent);
	sink_note_accepted(sink, clock_monotonic_ns());
	sink_works(sink);
}

static void
pump_open(struct sink *sink, struct journal *journal, uint64_t now_ns, bool ready)
{
	struct stream *stream = sink->stream;
	if (ready && !transport_is_alive(&stream->transport)) {
		give_up_for_now(sink, now_ns);
		return;
	}
	if (!write_lines(sink, journal)) {
		if (kind_of(sink)->ends_for_good)
			give_up(sink);
		else
			give_up_for_now(sink, now_ns);
		return;
	}
	confirm(sink, now_ns);
}

/* Return when a pending connection has failed: the kernel's limit is two minutes. */
static uint64_t
stops_connecting_at_ns(const struct sink *sink)
{
	return sink->stream->transport.connecting_since_ns +
	       sink->setting->timeout_ms * NUM_NS_PER_MS;
}

static void
pump_transport(struct sink *sink, struct journal *journal, uint64_t now_ns, bool ready)
{
	struct transport *transport = &sink->stream->transport;
	if (sink->state == SINK_WAITING && now_ns >= sink->retry_at_ns)
		note_status(sink, kind_of(sink)->open(transport), now_ns);
	else if (sink->state == SINK_OPENING && transport->fd < 0)
		note_status(sink, kind_of(sink)->open(transport), now_ns);
	else if (sink->state == SINK_OPENING && ready)
		note_status(sink, transport_connected(transport), now_ns);
	else if (sink->state == SINK_OPENING && now_ns >= stops_connecting_at_ns(sink))
		note_status(sink, transport_stop_connecting(transport), now_ns);
	else if (sink->state == SINK_OPEN) {
		pump_open(sink, journal, now_ns, ready);
		return;
	}
	/* Write at once after opening. */
	if (sink->state == SINK_OPEN)
		pump_open(sink, journal, now_ns, false);
}

/* How long the other side may accept nothing. */
static uint64_t
patience_ns(const struct sink *sink)
{
	return kind_of(sink)->is_socket ? sink->setting->timeout_ms * NUM_NS_PER_MS : STUCK_NS;
}

/* Wait for a slow reader, but reconnect if the network has lost the connection. */
static void
check_taking(struct sink *sink, uint64_t now_ns)
{
	struct transport *transport = &sink->stream->transport;
	uint64_t since_ns = transport_stuck_since_ns(transport);
	char span[WHEN_SPAN_SIZE];
	if (since_ns == 0 || clock_monotonic_ns() - since_ns < patience_ns(sink))
		return;
	snprintf(transport->problem, sizeof transport->problem, "it has accepted no data for %s",
		when_span(patience_ns(sink), span));
	if (transport_is_cut_off(transport))
		give_up_for_now(sink, now_ns);
	else
		sink_note_stuck(sink, transport->problem);
}

static void
pump(struct sink *sink, struct journal *journal, uint64_t now_ns, bool ready)
{
	struct transport *transport = &sink->stream->transport;
	transport_turn(transport);
	pump_transport(sink, journal, now_ns, ready);
	check_taking(sink, now_ns);
}

static int
waits_for(const struct sink *sink, const struct journal *journal, short *events)
{
	*events = 0;
	if (sink->state == SINK_OPENING)
		*events = POLLOUT;
	else if (sink->state != SINK_OPEN)
		return -1;
	else if (kind_of(sink)->is_socket)
		*events = POLLIN | POLLRDHUP;
	if (sink->state == SINK_OPEN && sink->stream->sent < journal_last(journal) &&
		!sink->stream->unreadable)
		*events |= POLLOUT;
	return *events != 0 ? transport_fd(&sink->stream->transport, events) : -1;
}

static uint64_t
wakes_at_ns(const struct sink *sink, const struct journal *journal, uint64_t now_ns)
{
	(void)journal;
	if (sink->state == SINK_WAITING)
		return sink->retry_at_ns;
	if (sink->state == SINK_OPENING && sink->stream->transport.fd >= 0)
		return stops_connecting_at_ns(sink);
	uint64_t since_ns = transport_stuck_since_ns(&sink->stream->transport);
	bool asks = sink->state == SINK_OPENING ||
		    (sink->state == SINK_OPEN &&
			    (sink->position != sink->stream->sent || sink->stream->unreadable));
	if (asks)
		return now_ns + ASK_AGAIN_NS;
	return since_ns != 0 && !sink->complained ? since_ns + patience_ns(sink) : UINT64_MAX;
}

const struct sink_engine stream_engine = {
	.init = init,
	.restart = restart,
	.shift = shift,
	.pump = pump,
	.waits_for = waits_for,
	.wakes_at_ns = wakes_at_ns,
	.fini = fini,
};

/* stream - a sink that takes lines. */
#include "stream.h"

#include "clock.h"
#include "diag.h"
#include "fault.h"
#include "num.h"
#include "sink.h"

#include <poll.h>

/* How often to ask what poll(2) cannot tell: whether a name has been found, whether all has been read, whether the spool works again. */
#define ASK_AGAIN_NS (20 * NUM_NS_PER_MS)

/* So much is taken out of the journal at a time. */
#define BATCH_EVENTS 256
#define BATCH_BYTES ((size_t)128 << 10)

void
stream_init(struct sink *sink)
{
	transport_init(&sink->stream.transport, &sink->spec);
	sink->stream.sent = sink->position;
}

void
stream_fini(struct sink *sink)
{
	transport_close(&sink->stream.transport);
	batch_fini(&sink->stream.batch);
}

/* What has not been confirmed is read again. */
static void
go_back(struct sink *sink)
{
	struct stream *stream = &sink->stream;
	batch_clear(&stream->batch);
	stream->index = stream->written = 0;
	stream->sent = sink->position;
	stream->unconfirmed = 0;
	sent_forget(sink->sent);
}

void
stream_restart(struct sink *sink)
{
	struct stream *stream = &sink->stream;
	if (stream->written == 0) {
		go_back(sink);
		return;
	}
	/* A line that is half out is finished, or the next one would be its end. */
	stream->batch.count = stream->index + 1;
	stream->batch.events[stream->index].number = stream->sent = sink->position;
	stream->unconfirmed = 0;
	sent_forget(sink->sent);
}

/* Closes, goes back, and waits before the next attempt. */
static void
give_up_for_now(struct sink *sink, uint64_t now_ns)
{
	sink_fail(sink, sink->stream.transport.problem, now_ns);
	transport_close(&sink->stream.transport);
	go_back(sink);
}

/* The reader of our stdout has left and will not come back. */
static void
give_up(struct sink *sink)
{
	diag_error("sink %s: %s", sink->spec.text, sink->stream.transport.problem);
	sink->state = SINK_GONE;
}

static void
take_status(struct sink *sink, enum transport_status status, uint64_t now_ns)
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

/* True when there is a line to write. */
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
	/* Those that are gone from the spool have been given up. */
	if (stream->batch.count == 0)
		stream->sent = journal_last(journal);
	return stream->batch.count > 0;
}

/* Writes lines until there are none, or the other side takes no more. False when it failed. */
static bool
write_lines(struct sink *sink, struct journal *journal)
{
	struct stream *stream = &sink->stream;
	while (has_line(stream, journal)) {
		const struct batch_event *event = &stream->batch.events[stream->index];
		if (sink->began_ns == 0)
			sink->began_ns = clock_monotonic_ns();
		ssize_t n = transport_write(&stream->transport,
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
		sent_add(sink->sent, batch_line(&stream->batch, stream->index), event->length);
		stream->index++;
		stream->written = 0;
	}
	return true;
}

/* What the other side has taken has arrived. A peer that closed with bytes unread leaves nothing to be drained either, so
 * being alive is asked last. */
static void
confirm(struct sink *sink, uint64_t now_ns)
{
	struct stream *stream = &sink->stream;
	if (sink->position == stream->sent || !transport_is_drained(&stream->transport))
		return;
	if (!transport_is_alive(&stream->transport)) {
		give_up_for_now(sink, now_ns);
		return;
	}
	fault_pass(FAULT_SEND);
	sink_advance(sink, stream->sent, stream->unconfirmed);
	stream->unconfirmed = 0;
	sent_arrive(sink->sent);
	sink_taken(sink, clock_monotonic_ns());
	sink_works(sink);
}

static void
pump_open(struct sink *sink, struct journal *journal, uint64_t now_ns, bool ready)
{
	struct stream *stream = &sink->stream;
	if (ready && !transport_is_alive(&stream->transport)) {
		give_up_for_now(sink, now_ns);
		return;
	}
	/* Between two lines a rotated file is left for the new one of its name. */
	if (stream->written == 0 && stream->sent < journal_last(journal) &&
		transport_is_stale(&stream->transport)) {
		transport_close(&stream->transport);
		take_status(sink, transport_open(&stream->transport), now_ns);
		if (sink->state != SINK_OPEN)
			return;
	}
	if (!write_lines(sink, journal)) {
		if (sink->spec.kind == SINK_STDOUT)
			give_up(sink);
		else
			give_up_for_now(sink, now_ns);
		return;
	}
	confirm(sink, now_ns);
}

void
stream_pump(struct sink *sink, struct journal *journal, uint64_t now_ns, bool ready)
{
	struct transport *transport = &sink->stream.transport;
	if (sink->state == SINK_WAITING && now_ns >= sink->retry_at_ns)
		take_status(sink, transport_open(transport), now_ns);
	else if (sink->state == SINK_OPENING && transport->fd < 0)
		take_status(sink, transport_open(transport), now_ns);
	else if (sink->state == SINK_OPENING && ready)
		take_status(sink, transport_connected(transport), now_ns);
	else if (sink->state == SINK_OPEN) {
		pump_open(sink, journal, now_ns, ready);
		return;
	}
	/* What was just opened is fed at once. */
	if (sink->state == SINK_OPEN)
		pump_open(sink, journal, now_ns, false);
}

int
stream_waits_for(const struct sink *sink, const struct journal *journal, short *events)
{
	*events = 0;
	if (sink->state == SINK_OPENING)
		*events = POLLOUT;
	else if (sink->state != SINK_OPEN)
		return -1;
	else if (sink->spec.kind == SINK_UNIX || sink->spec.kind == SINK_TCP)
		*events = POLLIN | POLLRDHUP;
	if (sink->state == SINK_OPEN && sink->stream.sent < journal_last(journal) &&
		!sink->stream.unreadable)
		*events |= POLLOUT;
	return *events != 0 ? sink->stream.transport.fd : -1;
}

uint64_t
stream_wakes_at_ns(const struct sink *sink, uint64_t now_ns)
{
	bool asks = (sink->state == SINK_OPENING && sink->stream.transport.fd < 0) ||
		    (sink->state == SINK_OPEN &&
			    (sink->position != sink->stream.sent || sink->stream.unreadable));
	return asks ? now_ns + ASK_AGAIN_NS : UINT64_MAX;
}

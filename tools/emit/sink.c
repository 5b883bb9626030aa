/* sink - one place events go to: delivered in order, tried again for ever, and nobody else's problem. */
#include "sink.h"

#include "diag.h"
#include "num.h"
#include "retry.h"

#include <inttypes.h>
#include <poll.h>
#include <sys/random.h>

/* How often to ask what poll(2) cannot tell: whether a name has been found, whether all has been read. */
#define ASK_AGAIN_NS (20 * NUM_NS_PER_MS)

void
sink_init(struct sink *sink, struct sink_spec *spec, uint64_t first)
{
	*sink = (struct sink){.spec = *spec, .next = first, .confirmed = first};
	transport_init(&sink->transport, &sink->spec);
}

void
sink_fini(struct sink *sink)
{
	transport_close(&sink->transport);
	sink_spec_fini(&sink->spec);
}

/* Closes, goes back to the first line that may not have arrived, and waits before the next attempt. */
static void
give_up_for_now(struct sink *sink, uint64_t now_ns)
{
	uint32_t random = 0;

	if (!sink->complained)
		diag_warn("sink %s: %s: trying again", sink->spec.text, sink->transport.problem);
	sink->complained = true;
	transport_close(&sink->transport);
	sink->next = sink->confirmed;
	sink->written = 0;
	/* Without randomness the delay is only less spread. */
	if (getrandom(&random, sizeof random, GRND_NONBLOCK) < 0)
		random = (uint32_t)now_ns;
	sink->retry_at_ns = now_ns + retry_delay_ms(++sink->attempt, random) * NUM_NS_PER_MS;
	sink->state = SINK_WAITING;
}

/* The reader of our stdout has left and will not come back. */
static void
give_up(struct sink *sink)
{
	diag_error("sink %s: %s", sink->spec.text, sink->transport.problem);
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

/* Writes lines until there are none, or the other side takes no more. False when it failed. */
static bool
write_lines(struct sink *sink, const struct queue *queue)
{
	while (sink->next < queue->end) {
		const struct queue_line *line = queue_at(queue, sink->next);
		ssize_t n = transport_write(
			&sink->transport, line->text + sink->written, line->length - sink->written);
		if (n < 0)
			return false;
		if (n == 0)
			return true;
		sink->written += (size_t)n;
		if (sink->written == line->length) {
			sink->next++;
			sink->written = 0;
		}
	}
	return true;
}

/* What the other side has taken has arrived. A peer that closed with bytes unread leaves nothing to be drained either, so
 * being alive is asked last. */
static void
confirm(struct sink *sink, uint64_t now_ns)
{
	if (sink->confirmed == sink->next || !transport_is_drained(&sink->transport))
		return;
	if (!transport_is_alive(&sink->transport)) {
		give_up_for_now(sink, now_ns);
		return;
	}
	sink->confirmed = sink->next;
	sink->attempt = 0;
	if (sink->complained)
		diag_note("sink %s: delivering again", sink->spec.text);
	sink->complained = false;
}

static void
pump_open(struct sink *sink, const struct queue *queue, uint64_t now_ns, bool ready)
{
	if (ready && !transport_is_alive(&sink->transport)) {
		give_up_for_now(sink, now_ns);
		return;
	}
	/* Between two lines a rotated file is left for the new one of its name. */
	if (sink->next < queue->end && sink->written == 0 && transport_is_stale(&sink->transport)) {
		transport_close(&sink->transport);
		take_status(sink, transport_open(&sink->transport), now_ns);
		if (sink->state != SINK_OPEN)
			return;
	}
	if (!write_lines(sink, queue)) {
		if (sink->spec.kind == SINK_STDOUT)
			give_up(sink);
		else
			give_up_for_now(sink, now_ns);
		return;
	}
	confirm(sink, now_ns);
}

void
sink_pump(struct sink *sink, const struct queue *queue, uint64_t now_ns, bool ready)
{
	if (sink->state == SINK_WAITING && now_ns >= sink->retry_at_ns)
		take_status(sink, transport_open(&sink->transport), now_ns);
	else if (sink->state == SINK_OPENING && sink->transport.fd < 0)
		take_status(sink, transport_open(&sink->transport), now_ns);
	else if (sink->state == SINK_OPENING && ready)
		take_status(sink, transport_connected(&sink->transport), now_ns);
	else if (sink->state == SINK_OPEN) {
		pump_open(sink, queue, now_ns, ready);
		return;
	}
	/* What was just opened is fed at once. */
	if (sink->state == SINK_OPEN)
		pump_open(sink, queue, now_ns, false);
}

int
sink_waits_for(const struct sink *sink, const struct queue *queue, short *events)
{
	*events = 0;
	if (sink->state == SINK_OPENING)
		*events = POLLOUT;
	else if (sink->state != SINK_OPEN)
		return -1;
	else if (sink->spec.kind == SINK_UNIX || sink->spec.kind == SINK_TCP)
		*events = POLLIN | POLLRDHUP;
	if (sink->state == SINK_OPEN && sink->next < queue->end)
		*events |= POLLOUT;
	return *events != 0 ? sink->transport.fd : -1;
}

uint64_t
sink_wakes_at_ns(const struct sink *sink, uint64_t now_ns)
{
	if (sink->state == SINK_WAITING)
		return sink->retry_at_ns;
	bool asks = (sink->state == SINK_OPENING && sink->transport.fd < 0) ||
		    (sink->state == SINK_OPEN && sink->confirmed != sink->next);
	return asks ? now_ns + ASK_AGAIN_NS : UINT64_MAX;
}

bool
sink_is_done(const struct sink *sink, const struct queue *queue)
{
	return sink->confirmed == queue->end;
}

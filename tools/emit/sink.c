/* sink - one place events go to: what all kinds have in common. */
#include "sink.h"

#include "diag.h"
#include "num.h"
#include "retry.h"

#include <sys/random.h>

int
sink_init(struct sink *sink, struct sink_spec *spec, const struct sink_setting *setting,
	uint64_t position)
{
	*sink = (struct sink){
		.spec = *spec, .setting = setting, .position = position, .noted = position};
	if (sink_spec_takes_requests(&sink->spec))
		return request_init(sink);
	stream_init(sink);
	return 0;
}

void
sink_restart(struct sink *sink, uint64_t position)
{
	sink->position = sink->noted = position;
	sink->delivered = 0;
	sink->began_ns = 0;
	if (sink_spec_takes_requests(&sink->spec))
		request_restart(sink);
	else
		stream_restart(sink);
}

void
sink_fini(struct sink *sink)
{
	if (sink_spec_takes_requests(&sink->spec))
		request_fini(sink);
	else
		stream_fini(sink);
	sink_spec_fini(&sink->spec);
}

void
sink_fail(struct sink *sink, const char *problem, uint64_t now_ns)
{
	uint32_t random = 0;

	if (!sink->complained)
		diag_warn("sink %s: %s: trying again", sink->spec.text, problem);
	sink->complained = true;
	sink->tally.failures++;
	sink->began_ns = 0;
	/* Without randomness the delay is only less spread. */
	if (getrandom(&random, sizeof random, GRND_NONBLOCK) < 0)
		random = (uint32_t)now_ns;
	sink->retry_at_ns = now_ns + retry_delay_ms(++sink->attempt, random) * NUM_NS_PER_MS;
	sink->state = SINK_WAITING;
}

void
sink_works(struct sink *sink)
{
	sink->attempt = 0;
	if (sink->complained)
		diag_note("sink %s: delivering again", sink->spec.text);
	sink->complained = false;
}

void
sink_advance(struct sink *sink, uint64_t position, uint64_t count)
{
	sink->position = position;
	sink->delivered += count;
	sink->tally.delivered += count;
}

void
sink_taken(struct sink *sink, uint64_t now_ns)
{
	/* Events that are gone from the spool arrive without anything going out. */
	if (sink->began_ns == 0)
		return;
	sink->tally.takings++;
	sink->took_ns = now_ns - sink->began_ns;
	sink->began_ns = 0;
}

void
sink_pump(struct sink *sink, struct journal *journal, uint64_t now_ns, bool ready)
{
	if (sink_spec_takes_requests(&sink->spec))
		request_pump(sink, journal, now_ns);
	else
		stream_pump(sink, journal, now_ns, ready);
}

int
sink_waits_for(const struct sink *sink, const struct journal *journal, short *events)
{
	*events = 0;
	/* The descriptor of requests is everybody's: http_fd(). */
	return sink_spec_takes_requests(&sink->spec) ? -1 : stream_waits_for(sink, journal, events);
}

uint64_t
sink_wakes_at_ns(const struct sink *sink, const struct journal *journal, uint64_t now_ns)
{
	if (sink->state == SINK_WAITING)
		return sink->retry_at_ns;
	return sink_spec_takes_requests(&sink->spec) ? request_wakes_at_ns(sink, journal, now_ns)
						     : stream_wakes_at_ns(sink, now_ns);
}

bool
sink_is_done(const struct sink *sink, const struct journal *journal)
{
	return sink->position >= journal_last(journal);
}

bool
sink_is_up(const struct sink *sink, const struct journal *journal)
{
	/* A connection that was made again is as good as anything written, when there is nothing to write. */
	bool is_idle = !sink_spec_takes_requests(&sink->spec) && sink->state == SINK_OPEN &&
		       sink_is_done(sink, journal);
	return sink->state != SINK_GONE && (!sink->complained || is_idle);
}

/* sink - delivers events to one destination: common to all kinds. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sink.h"

#include "diag.h"
#include "num.h"
#include "rec.h"
#include "words.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

/* --- delivered events by check and severity --- */

static const char *const others[SENT_CHECKS - CHECK_N] = {CHECKS_POLL_STALL, CHECKS_LOG, "other"};

const char *
sent_check_name(size_t index)
{
	return index < CHECK_N ? check_name(index) : others[index - CHECK_N];
}

static size_t
find(const char *name)
{
	size_t check = check_find(name, strlen(name));
	return check < CHECK_N ? check : check + words_find(others, SENT_OTHER - CHECK_N, name);
}

void
sent_add(struct sent *sent, const json_t *record)
{
	bool is_fatal = false;
	if (sent == NULL)
		return;
	rec_get_bool(record, "isFatal", &is_fatal);
	size_t check = find(rec_text(record, "checkName"));
	sent->on_its_way[check][is_fatal ? SENT_FATAL : SENT_NOT_FATAL]++;
}

void
sent_arrive(struct sent *sent)
{
	if (sent == NULL)
		return;
	for (size_t check = 0; check < SENT_CHECKS; check++) {
		for (size_t i = 0; i < SENT_SEVERITY_N; i++)
			sent->arrived[check][i] += sent->on_its_way[check][i];
	}
	sent_forget(sent);
}

void
sent_forget(struct sent *sent)
{
	if (sent != NULL)
		memset(sent->on_its_way, 0, sizeof sent->on_its_way);
}

/* --- backoff --- */

uint64_t
retry_delay_ms(unsigned attempt, uint32_t random)
{
	uint64_t most = RETRY_FIRST_MS;
	for (unsigned i = 1; i < attempt && most < RETRY_MOST_MS; i++)
		most *= 2;
	if (most > RETRY_MOST_MS)
		most = RETRY_MOST_MS;
	return 1 + random % most;
}

static const struct sink_engine *
engine_of(const struct sink *sink)
{
	return sink->spec.kind->engine;
}

int
sink_init(struct sink *sink, struct sink_spec *spec, const struct sink_setting *setting,
	uint64_t position)
{
	*sink = (struct sink){
		.spec = *spec, .setting = setting, .position = position, .noted = position};
	sink_spec_label(&sink->spec, sink->label);
	return engine_of(sink)->init(sink);
}

const char *
sink_name(const struct sink *sink)
{
	return sink->spec.kind->hides_address ? sink->label : sink->spec.text;
}

void
sink_restart(struct sink *sink, uint64_t position)
{
	sink->position = sink->noted = position;
	sink->delivered = 0;
	sink->began_ns = 0;
	engine_of(sink)->restart(sink);
}

void
sink_shift(struct sink *sink, uint64_t by)
{
	sink->position += by;
	sink->noted = sink->position;
	if (sink->doubt.number != 0)
		sink->doubt.number += by;
	engine_of(sink)->shift(sink, by);
}

void
sink_hurry(struct sink *sink, uint64_t now_ns)
{
	sink->attempt = 0;
	sink->retry_at_ns = now_ns;
}

void
sink_renew(struct sink *sink)
{
	if (engine_of(sink)->renew != NULL)
		engine_of(sink)->renew(sink);
}

void
sink_fini(struct sink *sink)
{
	engine_of(sink)->fini(sink);
	sink_spec_fini(&sink->spec);
}

void
sink_fail(struct sink *sink, const char *problem, uint64_t now_ns)
{
	uint32_t random = 0;

	sink_note_answer(sink, problem);
	if (!sink->complained && !sink->setting->is_test)
		diag_warn("sink %s: %s: retrying", sink_name(sink), problem);
	sink->complained = true;
	sink->tally.failures++;
	sink->began_ns = 0;
	/* Without random bytes the delays are only less spread. */
	if (getrandom(&random, sizeof random, GRND_NONBLOCK) < 0)
		random = (uint32_t)now_ns;
	sink->retry_at_ns = now_ns + retry_delay_ms(++sink->attempt, random) * NUM_NS_PER_MS;
	/* A test makes one attempt per sink, however long other sinks take. */
	if (sink->setting->is_test)
		sink->retry_at_ns = UINT64_MAX;
	sink->state = SINK_WAITING;
}

void
sink_note_stuck(struct sink *sink, const char *problem)
{
	if (sink->complained)
		return;
	sink_note_answer(sink, problem);
	if (!sink->setting->is_test)
		diag_warn("sink %s: %s: waiting for it", sink_name(sink), problem);
	sink->complained = true;
	sink->tally.failures++;
}

void
sink_note_answer(struct sink *sink, const char *answer)
{
	snprintf(sink->answer, sizeof sink->answer, "%s", answer);
}

void
sink_works(struct sink *sink)
{
	sink->attempt = 0;
	if (sink->complained && !sink->setting->is_test)
		diag_note("sink %s: delivering again", sink_name(sink));
	sink->complained = false;
}

void
sink_note_sent(struct sink *sink, const struct batch *batch, size_t index)
{
	if (sink->sent != NULL)
		sent_add(sink->sent, batch_record(batch, index));
}

void
sink_advance(struct sink *sink, uint64_t position, uint64_t count)
{
	sink->position = position;
	sink->delivered += count;
	sink->tally.delivered += count;
}

void
sink_note_accepted(struct sink *sink, uint64_t now_ns)
{
	/* Events that were dropped from the spool advance the position without a request. */
	if (sink->began_ns == 0)
		return;
	sink->tally.accepted++;
	sink->took_ns = now_ns - sink->began_ns;
	sink->began_ns = 0;
}

void
sink_pump(struct sink *sink, struct journal *journal, uint64_t now_ns, bool ready)
{
	engine_of(sink)->pump(sink, journal, now_ns, ready);
}

int
sink_waits_for(const struct sink *sink, const struct journal *journal, short *events)
{
	const struct sink_engine *engine = engine_of(sink);
	*events = 0;
	return engine->waits_for != NULL ? engine->waits_for(sink, journal, events) : -1;
}

uint64_t
sink_wakes_at_ns(const struct sink *sink, const struct journal *journal, uint64_t now_ns)
{
	return engine_of(sink)->wakes_at_ns(sink, journal, now_ns);
}

bool
sink_is_done(const struct sink *sink, const struct journal *journal)
{
	return sink->position >= journal_last(journal);
}

bool
sink_is_up(const struct sink *sink, const struct journal *journal)
{
	/* If there is nothing to write, a new connection is as good as a successful write. */
	bool is_idle = !sink_spec_takes_requests(&sink->spec) && sink->state == SINK_OPEN &&
		       sink_is_done(sink, journal);
	return sink->state != SINK_GONE && (!sink->complained || is_idle);
}

/* request - engine of the sinks that send batches and read a response. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "request.h"

#include "../fault.h"
#include "carrier.h"
#include "clock.h"
#include "diag.h"
#include "num.h"
#include "rec.h"
#include "resolver.h"
#include "sink.h"
#include "sinkspec.h"
#include "when.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Largest batch: by default a gRPC server accepts 4 MiB. */
#define BATCH_BYTES ((size_t)1 << 20)

/* After this many consecutive failures each further attempt sends half as many events. */
#define ATTEMPTS_BEFORE_LESS 3

/* Size of the duration that is appended to a reason. */
#define DURATION_SIZE 64

/* Interval of polling a name lookup, which has no descriptor. */
#define LOOKUP_NS (20 * NUM_NS_PER_MS)

/* Interval of retrying to read events from the spool. */
#define ASK_AGAIN_NS (100 * NUM_NS_PER_MS)

static const struct request_kind *
kind_of(const struct sink *sink)
{
	return sink->spec.kind->request;
}

bool
request_uses_http(const struct request_kind *kind)
{
	return kind != NULL && kind->carrier == NULL;
}

/* --- the host --- */

/* No name has a colon. An IPv6 address may have a zone, such as fe80::1%eth0. */
static bool
is_address(const char *host)
{
	struct in_addr address;
	return inet_pton(AF_INET, host, &address) == 1 || strchr(host, ':') != NULL;
}

/* Report an unknown host at the start instead of when the first fault has to be sent. Each request
 * looks the host up again. */
static void
begin_lookup(struct sink *sink)
{
	const struct sink_spec *spec = &sink->spec;
	if (spec->host != NULL && !is_address(spec->host))
		sink->request->resolver = resolver_new(spec->host, spec->service);
}

static void
end_lookup(struct sink *sink)
{
	const struct addrinfo *addresses;
	struct request *request = sink->request;
	int status = resolver_poll(request->resolver, &addresses);
	if (status == EAI_INPROGRESS)
		return;
	if (status != 0)
		diag_warn("sink %s: cannot resolve the host %s: %s", sink_name(sink),
			sink->spec.host, gai_strerror(status));
	resolver_free(request->resolver);
	request->resolver = NULL;
}

/* --- init and fini --- */

static int
init(struct sink *sink)
{
	struct request *request = calloc(1, sizeof *request);
	if (request == NULL)
		return -1;
	sink->state = SINK_OPEN;
	sink->request = request;
	request->renew_at_ns = clock_monotonic_ns();
	if (carrier_init(sink) < 0) {
		sink->request = NULL;
		free(request);
		return -1;
	}
	begin_lookup(sink);
	return 0;
}

static void
forget(struct request *request)
{
	free(request->body);
	request->body = NULL;
	request->rest = NULL;
	request->under_way = false;
	batch_clear(&request->batch);
}

static void
fini(struct sink *sink)
{
	struct request *request = sink->request;
	carrier_fini(sink);
	resolver_free(request->resolver);
	forget(request);
	batch_fini(&request->batch);
	free(request);
}

static void
restart(struct sink *sink)
{
	carrier_cancel(sink);
	forget(sink->request);
	sink->request->suspects = 0;
	sink->request->repeat_upto = 0;
}

static void
shift(struct sink *sink, uint64_t by)
{
	batch_shift(&sink->request->batch, by);
}

static void
renew(struct sink *sink)
{
	struct request *request = sink->request;
	request->renew_at_ns = clock_earlier(request->renew_at_ns, clock_monotonic_ns());
}

/* --- sending --- */

enum request_outcome
request_post(struct sink *sink, const char *content_type, const char *const *headers, char *body,
	size_t length)
{
	struct request *request = sink->request;
	const struct http_request post = {.content_type = content_type,
		.headers = headers,
		.body = body,
		.length = length,
		.timeout_ms = sink->setting->timeout_ms};
	request->body = body;
	return body != NULL && http_client_post(request->client, &post) == 0 ? REQUEST_POSTED
									     : REQUEST_NO_MEMORY;
}

/* Post the first part of `parts`. Return false if memory runs out. */
static bool
post_part(struct sink *sink, const char *parts)
{
	struct request *request = sink->request;
	size_t length = strlen(parts);
	const struct http_request post = {.content_type = request->content_type,
		.body = parts,
		.length = length,
		.timeout_ms = sink->setting->timeout_ms};
	const char *rest = parts + length + 1;
	request->rest = *rest != '\0' ? rest : NULL;
	return http_client_post(request->client, &post) == 0;
}

enum request_outcome
request_post_parts(struct sink *sink, const char *content_type, char *body)
{
	struct request *request = sink->request;
	request->body = body;
	request->content_type = content_type;
	return body != NULL && post_part(sink, body) ? REQUEST_POSTED : REQUEST_NO_MEMORY;
}

uint64_t
request_end(const struct sink *sink)
{
	const struct batch *batch = &sink->request->batch;
	return batch->count > 0 ? batch->events[batch->count - 1].number : sink->position;
}

static void
mark_delivered(struct sink *sink)
{
	struct request *request = sink->request;
	size_t count = request->batch.count;
	if (count > 0)
		fault_pass(FAULT_SEND);
	for (size_t i = 0; i < count; i++)
		sink_note_sent(sink, &request->batch, i);
	sent_arrive(sink->sent);
	sink_advance(sink, request_end(sink), count);
	request->suspects -= count < request->suspects ? count : request->suspects;
	forget(request);
}

/* If the request was a renewal, schedule the next one. */
static void
note_renewed(struct sink *sink, uint64_t now_ns)
{
	if (sink->request->renews)
		sink->request->renew_at_ns = now_ns + sink->setting->resend_ns;
}

/* Return the number of the last event that may be sent now. */
static uint64_t
may_go_upto(const struct sink *sink, const struct journal *journal)
{
	uint64_t released = journal->routing.released, stored = journal_stored(journal);
	if (sink->request->repeat_upto > sink->position)
		return sink->request->repeat_upto;
	return kind_of(sink)->is_of_stored && stored < released ? stored : released;
}

/* Remove the events that the sink does not get. If none are left, they count as delivered. */
static void
leave_out(struct sink *sink)
{
	uint64_t end = request_end(sink);
	bool with_quiet = !kind_of(sink)->asks_for_quiet || sink->setting->baseline;
	/* For alerts the options select conditions, not events, so that standing ones are selected,
	 * too. */
	static const struct choice all;
	batch_leave_out(&sink->request->batch, with_quiet,
		kind_of(sink)->renews ? &all : &sink->spec.choice);
	if (sink->request->batch.count == 0)
		sink_advance(sink, end, 0);
}

/* Fill the empty batch with as many events as may be sent now. Return false if they cannot be
 * read. */
static bool
fill_batch(struct sink *sink, struct journal *journal)
{
	struct request *request = sink->request;
	uint64_t upto = may_go_upto(sink, journal);
	size_t most = sink->setting->batch_max;
	/* One of these events is rejected: bisect. */
	if (request->suspects > 0)
		most = request->suspects > 1 ? request->suspects / 2 : 1;
	if (sink->position >= upto)
		return true;
	if (journal_read(journal, sink->position, upto, most, BATCH_BYTES, &request->batch) < 0)
		return false;
	/* Events missing from the spool were dropped. */
	if (request->batch.count == 0)
		sink_advance(sink, upto, 0);
	else
		leave_out(sink);
	if (kind_of(sink)->prefix == NULL)
		return true;
	size_t count;
	if (kind_of(sink)->prefix(&request->batch, &count) < 0)
		return false;
	batch_cut(&request->batch, count);
	return true;
}

/* Return true if a renewal is due, and has been for `since_ns`. */
static bool
is_renewal_due(const struct sink *sink, uint64_t since_ns, uint64_t now_ns)
{
	uint64_t due_ns = sink->request->renew_at_ns;
	return kind_of(sink)->renews && !sink->setting->is_test && now_ns >= due_ns &&
	       now_ns - due_ns >= since_ns;
}

/* Handle a failed request. Renew soon, because a server that was down may have forgotten the
 * alerts; but if a renewal failed, send events first. */
static void
fail(struct sink *sink, const char *reason, uint64_t now_ns)
{
	struct request *request = sink->request;
	request->renew_at_ns =
		request->renews ? now_ns : clock_earlier(request->renew_at_ns, now_ns);
	forget(request);
	sink_fail(sink, reason, now_ns);
}

/* Start the next request, if any. Events come before renewals, unless a renewal is late by a whole
 * interval: at a server slower than the events the alerts would expire. */
static void
start_next(struct sink *sink, struct journal *journal, uint64_t now_ns)
{
	struct request *request = sink->request;
	batch_clear(&request->batch);
	if (!is_renewal_due(sink, sink->setting->resend_ns, now_ns) && !fill_batch(sink, journal)) {
		sink->state = SINK_WAITING;
		sink->retry_at_ns = now_ns + ASK_AGAIN_NS;
		return;
	}
	request->renews = request->batch.count == 0 && is_renewal_due(sink, 0, now_ns);
	if (request->batch.count == 0 && !request->renews)
		return;
	switch (kind_of(sink)->post(sink, journal)) {
	case REQUEST_POSTED:
		request->under_way = true;
		sink->began_ns = now_ns;
		break;
	case REQUEST_NOTHING:
		note_renewed(sink, now_ns);
		mark_delivered(sink);
		break;
	case REQUEST_UNREADABLE:
		fail(sink, "the spool cannot be read", now_ns);
		break;
	case REQUEST_NO_MEMORY:
		fail(sink, strerror(ENOMEM), now_ns);
		break;
	}
}

/* --- results --- */

static void
note_accepted(struct sink *sink)
{
	char answer[SINK_ANSWER_SIZE];
	carrier_describe(sink, answer, sizeof answer);
	sink_note_answer(sink, answer);
}

/* Handle the rejection of a batch of one event, which must not block later ones. */
static void
handle_rejected_event(
	struct sink *sink, struct journal *journal, const char *reason, uint64_t now_ns)
{
	struct request *request = sink->request;
	const struct batch_event *event = &request->batch.events[0];
	const char *line = batch_line(&request->batch, 0);
	const char *id = rec_text(batch_record(&request->batch, 0), "id");

	const struct spool_letter letter = {.sink = sink->spec.name,
		.id = id,
		.reason = reason,
		.line = line,
		.length = event->length,
		.number = event->number,
		.refused_at_ns = clock_realtime_ns()};
	bool has_spool = journal->options->spool_path != NULL;
	if (has_spool && !journal_refuse(journal, &letter, now_ns)) {
		/* The event is sent again, and stored when it is rejected again. */
		sink_fail(sink, "an event was refused and cannot be kept as a dead letter", now_ns);
	} else {
		sink_note_answer(sink, reason);
		const char *fate = journal_is_durable(journal) ? "kept as a dead letter"
				   : sink->setting->refused != NULL
					   ? "kept in the spool unchanged"
					   : "dropped: there is no spool to keep it in";
		if (!sink->setting->is_test)
			diag_warn("sink %s: event %s refused: %s: %s", sink_name(sink),
				*id != '\0' ? id : "without an id", reason, fate);
		if (sink->setting->refused != NULL)
			sink->setting->refused(sink->setting->refused_context, sink, event->number);
		sink->tally.refused++;
		sink_advance(sink, event->number, 0);
		request->suspects = 0;
		sink_works(sink);
	}
	forget(request);
}

/* Handle a response that leaves open whether these events will ever be accepted. Add up the time,
 * also in the spool, to keep it over a restart. Return the resulting verdict; if it is REFUSED,
 * append the time to `reason`. */
static enum verdict
eval_doubt(struct sink *sink, struct journal *journal, char *reason, size_t size, uint64_t now_ns)
{
	struct request *request = sink->request;
	struct doubt *doubt = &sink->doubt;
	uint64_t spent_ns = doubt_note(doubt, request->batch.events[0].number, now_ns);
	journal_set_doubt(journal, sink->spec.name, doubt->number, spent_ns, now_ns);
	if (spent_ns < sink->setting->doubt_ns) {
		/* Bisect: the events before the rejected one are then delivered soon. */
		request->suspects = request->batch.count;
		return VERDICT_RETRY;
	}
	char span[WHEN_SPAN_SIZE];
	size_t used = strlen(reason);
	snprintf(reason + used, size - used, ", for %s", when_span(spent_ns, span));
	return VERDICT_REFUSED;
}

static void
handle_answer(struct sink *sink, struct journal *journal, uint64_t now_ns)
{
	struct request *request = sink->request;
	char reason[VERDICT_REASON_SIZE + DURATION_SIZE] = "";
	enum verdict verdict = carrier_eval(sink, reason);

	if (kind_of(sink)->code != NULL)
		sink->tally.codes[kind_of(sink)->code(request->client)]++;
	if (verdict == VERDICT_DOUBTED && request->batch.count > 0)
		verdict = eval_doubt(sink, journal, reason, sizeof reason, now_ns);
	else
		doubt_pause(&sink->doubt);
	if (verdict == VERDICT_REFUSED && request->batch.count == 1) {
		handle_rejected_event(sink, journal, reason, now_ns);
		return;
	}
	if (verdict == VERDICT_REFUSED && request->batch.count > 1) {
		request->suspects = request->batch.count;
		forget(request);
		return;
	}
	if (verdict == VERDICT_ACCEPTED && request->rest != NULL) {
		if (!post_part(sink, request->rest))
			fail(sink, strerror(ENOMEM), now_ns);
		return;
	}
	if (verdict == VERDICT_ACCEPTED) {
		note_accepted(sink);
		note_renewed(sink, now_ns);
		mark_delivered(sink);
		sink_note_accepted(sink, now_ns);
		sink_works(sink);
		return;
	}
	/* Send fewer events to a server that may lack room. Do not split a batch that the server
	 * recognises by its key and may have stored. */
	bool repeats = kind_of(sink)->repeats && verdict == VERDICT_RETRY;
	request->repeat_upto = repeats ? request_end(sink) : 0;
	if (!repeats && sink->attempt >= ATTEMPTS_BEFORE_LESS)
		request->suspects = request->batch.count;
	fail(sink, reason, now_ns);
}

static void
pump(struct sink *sink, struct journal *journal, uint64_t now_ns, bool ready)
{
	struct request *request = sink->request;
	(void)ready;
	if (request->resolver != NULL)
		end_lookup(sink);
	if (sink->state == SINK_WAITING && now_ns < sink->retry_at_ns)
		return;
	sink->state = SINK_OPEN;
	if (carrier_is_busy(sink))
		return;
	if (request->under_way)
		handle_answer(sink, journal, now_ns);
	/* A further part may be under way. */
	if (sink->state == SINK_OPEN && !request->under_way)
		start_next(sink, journal, now_ns);
}

static uint64_t
next_request_at_ns(const struct sink *sink, const struct journal *journal, uint64_t now_ns)
{
	const struct request *request = sink->request;
	if (sink->state == SINK_WAITING)
		return sink->retry_at_ns;
	if (carrier_is_busy(sink))
		return UINT64_MAX;
	if (request->under_way)
		return now_ns;
	if (sink->position < may_go_upto(sink, journal))
		return now_ns;
	return kind_of(sink)->renews ? request->renew_at_ns : UINT64_MAX;
}

static uint64_t
wakes_at_ns(const struct sink *sink, const struct journal *journal, uint64_t now_ns)
{
	uint64_t wakes_ns = next_request_at_ns(sink, journal, now_ns);
	return sink->request->resolver != NULL ? clock_earlier(wakes_ns, now_ns + LOOKUP_NS)
					       : wakes_ns;
}

static int
waits_for(const struct sink *sink, const struct journal *journal, short *events)
{
	(void)journal;
	*events = POLLIN;
	return carrier_fd(sink);
}

const struct sink_engine request_engine = {
	.init = init,
	.restart = restart,
	.shift = shift,
	.renew = renew,
	.pump = pump,
	.waits_for = waits_for,
	.wakes_at_ns = wakes_at_ns,
	.fini = fini,
};

/* request - a sink that gets events in batches and answers for each. */
#include "request.h"

#include "alertmanager.h"
#include "alerts.h"
#include "clock.h"
#include "diag.h"
#include "fault.h"
#include "grpc.h"
#include "num.h"
#include "rec.h"
#include "sink.h"
#include "webhook.h"
#include "wire.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Longest batch: a gRPC server takes 4 MiB unless it is told otherwise. */
#define BATCH_BYTES ((size_t)1 << 20)

/* After so many failures in a row each further attempt is made with half as many events. */
#define ATTEMPTS_BEFORE_LESS 3

/* How soon events that could not be read out of the spool are asked for again. */
#define ASK_AGAIN_NS (100 * NUM_NS_PER_MS)

int
request_init(struct sink *sink)
{
	struct request *request = &sink->request;
	const struct sink_spec *spec = &sink->spec;
	sink->state = SINK_OPEN;
	request->target = (struct http_target){
		.url = spec->url,
		.unix_path = spec->path,
		.http2 = spec->kind == SINK_GRPC,
		.ca_file = spec->ca_file,
		.cert_file = spec->cert_file,
		.key_file = spec->key_file,
		.token_file = spec->token_file,
	};
	request->client = http_client_new(sink->setting->http, &request->target);
	return request->client != NULL ? 0 : -1;
}

static void
forget(struct request *request)
{
	free(request->body);
	request->body = NULL;
	request->under_way = false;
	batch_clear(&request->batch);
}

void
request_fini(struct sink *sink)
{
	struct request *request = &sink->request;
	http_client_free(request->client);
	forget(request);
	batch_fini(&request->batch);
}

void
request_restart(struct sink *sink)
{
	http_client_cancel(sink->request.client);
	forget(&sink->request);
	sink->request.suspects = 0;
}

/* --- asking --- */

static int
post_grpc(struct sink *sink)
{
	struct request *request = &sink->request;
	char timeout[GRPC_TIMEOUT_SIZE],
		timeout_header[sizeof "grpc-timeout: " + GRPC_TIMEOUT_SIZE];
	const char *const headers[] = {GRPC_TE_HEADER, timeout_header, NULL};
	struct http_request post = {.content_type = GRPC_CONTENT_TYPE,
		.headers = headers,
		.timeout_ms = sink->setting->timeout_ms};
	grpc_timeout(timeout, post.timeout_ms);
	strcpy(stpcpy(timeout_header, "grpc-timeout: "), timeout);
	post.body = request->body = wire_encode_new(&request->batch, &post.length);
	return post.body != NULL ? http_client_post(request->client, &post) : -1;
}

static int
post_plain(struct sink *sink, const char *content_type, size_t length)
{
	struct request *request = &sink->request;
	const struct http_request post = {.content_type = content_type,
		.body = request->body,
		.length = length,
		.timeout_ms = sink->setting->timeout_ms};
	return request->body != NULL ? http_client_post(request->client, &post) : -1;
}

static int
post_webhook(struct sink *sink)
{
	size_t length = 0;
	sink->request.body = webhook_encode_new(&sink->request.batch, sink->setting->node, &length);
	return post_plain(sink, WEBHOOK_CONTENT_TYPE, length);
}

/* The last event of the batch. */
static uint64_t
batch_end(const struct sink *sink)
{
	const struct batch *batch = &sink->request.batch;
	return batch->count > 0 ? batch->events[batch->count - 1].number : sink->position;
}

static void
accept(struct sink *sink)
{
	struct request *request = &sink->request;
	size_t count = request->batch.count;
	if (count > 0)
		fault_pass(FAULT_SEND);
	for (size_t i = 0; i < count; i++)
		sent_add(sink->sent, batch_line(&request->batch, i),
			request->batch.events[i].length);
	sent_arrive(sink->sent);
	sink_advance(sink, batch_end(sink), count);
	request->suspects -= count < request->suspects ? count : request->suspects;
	forget(request);
}

static uint64_t
renewed_at(const struct sink *sink, uint64_t now_ns)
{
	return now_ns + sink->setting->resend_ns;
}

/* Events that change no alert have arrived when they have been looked at. */
static int
post_alerts(struct sink *sink, struct journal *journal, uint64_t now_ns)
{
	struct request *request = &sink->request;
	uint64_t realtime_ns = clock_realtime_ns();
	const struct conditions_range range = {
		.after = sink->position,
		.upto = batch_end(sink),
		.all_standing = request->renews,
		.now_ns = realtime_ns,
		.ends_ns = realtime_ns + ALERTMANAGER_LIVES * sink->setting->resend_ns,
	};
	size_t length = 0;
	enum database_status status;
	request->body = alertmanager_encode_new(&journal->spool, &range, &length, &status);
	if (status != DATABASE_OK) {
		journal_accepts(journal, status, now_ns);
		sink_fail(sink, "the spool cannot be read", now_ns);
		forget(request);
		return 0;
	}
	if (request->body != NULL)
		return post_plain(sink, ALERTS_CONTENT_TYPE, length);
	if (request->renews)
		request->renew_at_ns = renewed_at(sink, now_ns);
	accept(sink);
	return 0;
}

/* Number of the last event that may go out now. */
static uint64_t
may_go_upto(const struct sink *sink, const struct journal *journal)
{
	uint64_t released = journal->routing.released, stored = journal_stored(journal);
	/* What stands is known of what is stored. */
	return sink->spec.kind == SINK_ALERTMANAGER && stored < released ? stored : released;
}

/* Fills the batch with what may go out now, and no more than it is good for. False when it cannot be read. */
static bool
fill_batch(struct sink *sink, struct journal *journal)
{
	struct request *request = &sink->request;
	uint64_t upto = may_go_upto(sink, journal);
	size_t most = sink->setting->batch_max;
	/* One of the suspects is bad: half of them tells in which half. */
	if (request->suspects > 0)
		most = request->suspects > 1 ? request->suspects / 2 : 1;
	batch_clear(&request->batch);
	if (sink->position >= upto)
		return true;
	if (journal_read(journal, sink->position, upto, most, BATCH_BYTES, &request->batch) < 0)
		return false;
	/* Those that are gone from the spool have been given up. */
	if (request->batch.count == 0)
		sink_advance(sink, upto, 0);
	return true;
}

/* Starts the next request, if there is something to tell. */
static void
ask(struct sink *sink, struct journal *journal, uint64_t now_ns)
{
	struct request *request = &sink->request;
	if (!fill_batch(sink, journal)) {
		sink->state = SINK_WAITING;
		sink->retry_at_ns = now_ns + ASK_AGAIN_NS;
		return;
	}
	request->renews = sink->spec.kind == SINK_ALERTMANAGER && now_ns >= request->renew_at_ns &&
			  request->batch.count == 0;
	if (request->batch.count == 0 && !request->renews)
		return;
	int status = sink->spec.kind == SINK_GRPC      ? post_grpc(sink)
		     : sink->spec.kind == SINK_WEBHOOK ? post_webhook(sink)
						       : post_alerts(sink, journal, now_ns);
	if (status < 0) {
		forget(request);
		sink_fail(sink, strerror(ENOMEM), now_ns);
		return;
	}
	request->under_way = request->body != NULL;
	sink->began_ns = now_ns;
}

/* --- the answer --- */

static enum verdict
judge(const struct sink *sink, char reason[VERDICT_REASON_SIZE])
{
	const struct http_client *client = sink->request.client;
	const struct http_reply *reply = http_client_reply(client);
	if (sink->spec.kind != SINK_GRPC)
		return webhook_judge(reply, reason);
	return grpc_judge(reply, http_client_header(client, "grpc-status"),
		http_client_header(client, "grpc-message"), reason);
}

/* The batch is one event, and it is refused: it must not hold up those behind it. */
static void
bury(struct sink *sink, struct journal *journal, const char *reason, uint64_t now_ns)
{
	struct request *request = &sink->request;
	const struct batch_event *event = &request->batch.events[0];
	const char *line = batch_line(&request->batch, 0), *id = "";
	struct rec_error error;
	json_t *record = rec_parse_new(line, event->length - 1, &error);
	rec_get_string(record, "id", &id);

	const struct spool_letter letter = {.sink = sink->spec.text,
		.id = id,
		.reason = reason,
		.line = line,
		.length = event->length,
		.number = event->number,
		.now_ns = clock_realtime_ns()};
	bool has_spool = journal->options->spool_path != NULL;
	if (has_spool && (!journal_has_spool(journal) ||
				 !journal_accepts(journal, spool_refuse(&journal->spool, &letter),
					 now_ns))) {
		/* It is refused once more when it can be kept. */
		sink_fail(
			sink, "an event was refused, and cannot be kept as a dead letter", now_ns);
	} else {
		diag_warn("sink %s: event %s refused: %s: %s", sink->spec.text,
			*id != '\0' ? id : "without an id", reason,
			journal_is_durable(journal)
				? "kept as a dead letter"
				: "dropped, since there is no spool to keep it in");
		sink->tally.refused++;
		sink_advance(sink, event->number, 0);
		request->suspects = 0;
		sink_works(sink);
	}
	json_decref(record);
	forget(request);
}

static void
take_answer(struct sink *sink, struct journal *journal, uint64_t now_ns)
{
	struct request *request = &sink->request;
	char reason[VERDICT_REASON_SIZE] = "";
	enum verdict verdict = judge(sink, reason);

	if (verdict == VERDICT_REFUSED && request->batch.count == 1) {
		bury(sink, journal, reason, now_ns);
		return;
	}
	if (verdict == VERDICT_REFUSED && request->batch.count > 1) {
		request->suspects = request->batch.count;
		forget(request);
		return;
	}
	if (verdict == VERDICT_ACCEPTED) {
		if (request->renews)
			request->renew_at_ns = renewed_at(sink, now_ns);
		accept(sink);
		sink_taken(sink, now_ns);
		sink_works(sink);
		return;
	}
	/* A server that was away may have forgotten what stands; and one that has no room for so much may have it for less. */
	request->renew_at_ns = 0;
	if (sink->attempt >= ATTEMPTS_BEFORE_LESS)
		request->suspects = request->batch.count;
	forget(request);
	sink_fail(sink, reason, now_ns);
}

void
request_pump(struct sink *sink, struct journal *journal, uint64_t now_ns)
{
	struct request *request = &sink->request;
	if (sink->state == SINK_WAITING && now_ns < sink->retry_at_ns)
		return;
	sink->state = SINK_OPEN;
	if (request->under_way && http_client_is_busy(request->client))
		return;
	if (request->under_way)
		take_answer(sink, journal, now_ns);
	if (sink->state == SINK_OPEN)
		ask(sink, journal, now_ns);
}

uint64_t
request_wakes_at_ns(const struct sink *sink, const struct journal *journal, uint64_t now_ns)
{
	const struct request *request = &sink->request;
	if (request->under_way)
		return http_client_is_busy(request->client) ? UINT64_MAX : now_ns;
	if (sink->position < may_go_upto(sink, journal))
		return now_ns;
	return sink->spec.kind == SINK_ALERTMANAGER ? request->renew_at_ns : UINT64_MAX;
}

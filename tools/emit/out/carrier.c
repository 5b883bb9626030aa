/* carrier - takes the requests of a sink to its server: by HTTP, or by the courier of its kind. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "carrier.h"

#include "courier.h"
#include "requestkind.h"
#include "sink.h"
#include "sinkspec.h"

#include <stdio.h>

/* --- HTTP --- */

static int
init_http(struct sink *sink)
{
	const struct sink_spec *spec = &sink->spec;
	struct request *request = sink->request;
	request->target = (struct http_target){
		.url = spec->url,
		.unix_path = spec->path,
		.server_name = spec->server_name,
		.http2 = spec->kind->request->http2,
		.files = spec->files,
	};
	request->client = http_client_new(sink->setting->http, &request->target);
	return request->client != NULL ? 0 : -1;
}

static void
fini_http(struct sink *sink)
{
	http_client_free(sink->request->client);
}

static enum verdict
eval_http(const struct sink *sink, char reason[VERDICT_REASON_SIZE])
{
	const struct http_client *client = sink->request->client;
	const struct request_kind *kind = sink->spec.kind->request;
	return kind->eval != NULL ? kind->eval(client, reason)
				  : verdict_of_http(http_client_reply(client), reason);
}

/* Describe the result by its HTTP status. */
static void
describe_http(const struct sink *sink, char *answer, size_t size)
{
	const struct http_reply *reply = http_client_reply(sink->request->client);
	snprintf(answer, size, "HTTP %ld%s", reply->status, sink->spec.kind->request->accepted);
}

static const struct request_carrier http = {
	.init = init_http,
	.fini = fini_http,
	.describe = describe_http,
};

/* --- HTTP or a courier --- */

static const struct request_carrier *
carrier_of(const struct sink *sink)
{
	const struct request_kind *kind = sink->spec.kind->request;
	return kind->carrier != NULL ? kind->carrier : &http;
}

int
carrier_init(struct sink *sink)
{
	return carrier_of(sink)->init(sink);
}

void
carrier_fini(struct sink *sink)
{
	carrier_of(sink)->fini(sink);
}

bool
carrier_is_busy(const struct sink *sink)
{
	const struct request *request = sink->request;
	return request->courier != NULL ? courier_is_busy(request->courier)
					: http_client_is_busy(request->client);
}

int
carrier_fd(const struct sink *sink)
{
	const struct request *request = sink->request;
	return request->courier != NULL ? courier_fd(request->courier) : -1;
}

enum verdict
carrier_eval(const struct sink *sink, char reason[VERDICT_REASON_SIZE])
{
	const struct request *request = sink->request;
	return request->courier != NULL ? courier_eval(request->courier, reason)
					: eval_http(sink, reason);
}

void
carrier_describe(const struct sink *sink, char *answer, size_t size)
{
	carrier_of(sink)->describe(sink, answer, size);
}

void
carrier_cancel(struct sink *sink)
{
	if (sink->request->client != NULL)
		http_client_cancel(sink->request->client);
}

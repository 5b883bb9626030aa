/* postgres - the sink that stores events in a PostgreSQL database: each batch by one call of a
 * function in the schema of dist/fleet. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "opt.h"
#include "pgaddress.h"
#include "pglink.h"
#include "request.h"
#include "sink.h"
#include "sinkspec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- address --- */

static const char *
parse(struct sink_spec *spec, const char *rest)
{
	struct pgaddress address;
	if (asprintf(&spec->url, "postgresql:%s", rest) < 0) {
		spec->url = NULL;
		return opt_no_memory;
	}
	const char *reason = pgaddress_parse(&address, spec->url);
	*(address.is_local ? &spec->path : &spec->host) = address.host;
	spec->service = address.port;
	spec->database = address.database;
	spec->user = address.user;
	spec->has_tls = address.has_tls;
	return reason;
}

/* --- storing --- */

static enum request_outcome
post(struct sink *sink, struct journal *journal)
{
	size_t length;
	(void)journal;
	char *text = batch_lines_new(&sink->request->batch, &length);
	if (text == NULL)
		return REQUEST_NO_MEMORY;
	pglink_begin(sink->request->pglink, text);
	return REQUEST_POSTED;
}

/* --- connection --- */

static int
init(struct sink *sink)
{
	const struct sink_spec *spec = &sink->spec;
	const struct pgdial dial = {.host = spec->host != NULL ? spec->host : spec->path,
		.port = spec->service,
		.database = spec->database,
		.user = spec->user,
		.has_tls = spec->has_tls,
		.server_name = spec->server_name,
		.files = &spec->files,
		.name = "nic-health-monitor emit"};
	sink->request->pglink = pglink_new(&dial, sink->setting->timeout_ms);
	if (sink->request->pglink == NULL)
		return -1;
	sink->request->courier = pglink_courier(sink->request->pglink);
	return 0;
}

static void
fini(struct sink *sink)
{
	pglink_free(sink->request->pglink);
}

static void
describe(const struct sink *sink, char *answer, size_t size)
{
	(void)sink;
	snprintf(answer, size, "stored in the database");
}

static const struct request_carrier carrier = {
	.init = init,
	.fini = fini,
	.describe = describe,
};

static const struct request_kind requests = {.carrier = &carrier, .post = post};

const struct sink_kind sink_postgres = {
	.parse = parse,
	.engine = &request_engine,
	.request = &requests,
};

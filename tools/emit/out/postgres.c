/* postgres - the kind of sink that stores events in a database of PostgreSQL: all of a batch, by
 * one call of a function of the schema that dist/fleet has. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "opt.h"
#include "pglink.h"
#include "request.h"
#include "sink.h"
#include "sinkspec.h"
#include "webaddress.h"

#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- where to --- */

/* Where a part of the address goes; NULL: nowhere. */
static char **
place_of(struct sink_spec *spec, const char *keyword)
{
	if (strcmp(keyword, "host") == 0)
		return &spec->host;
	if (strcmp(keyword, "port") == 0)
		return &spec->service;
	if (strcmp(keyword, "dbname") == 0)
		return &spec->database;
	return strcmp(keyword, "user") == 0 ? &spec->user : NULL;
}

/* Takes over one part of the address. NULL, or why it will not do. */
static const char *
take(struct sink_spec *spec, const PQconninfoOption *part)
{
	char **place = place_of(spec, part->keyword);
	if (strcmp(part->keyword, "password") == 0)
		return webaddress_password;
	if (strcmp(part->keyword, "sslmode") == 0) {
		spec->has_tls = strcmp(part->val, "verify-full") == 0;
		return spec->has_tls || strcmp(part->val, "disable") == 0
			       ? NULL
			       : "sslmode is verify-full (the default) or disable";
	}
	if (place == NULL)
		return "postgresql://USER@HOST/DATABASE, and sslmode, is all that may be said";
	*place = strdup(part->val);
	return *place != NULL ? NULL : opt_no_memory;
}

static const char *
parse(struct sink_spec *spec, const char *rest)
{
	char *words = NULL;
	if (asprintf(&spec->url, "postgresql:%s", rest) < 0) {
		spec->url = NULL;
		return opt_no_memory;
	}
	PQconninfoOption *parts = PQconninfoParse(spec->url, &words);
	PQfreemem(words);
	if (parts == NULL)
		return "not an address: postgresql://USER@HOST/DATABASE is expected";
	const char *reason = NULL;
	spec->has_tls = true;
	for (const PQconninfoOption *part = parts; part->keyword != NULL && reason == NULL; part++)
		if (part->val != NULL)
			reason = take(spec, part);
	PQconninfoFree(parts);
	if (reason != NULL)
		return reason;
	if (spec->host == NULL || strchr(spec->host, ',') != NULL)
		return "one host is expected, or the directory of a socket";
	if (spec->service == NULL && (spec->service = strdup("5432")) == NULL)
		return opt_no_memory;
	if (*spec->host == '/') {
		spec->path = spec->host;
		spec->host = NULL;
		spec->has_tls = false;
	}
	return NULL;
}

/* --- what is stored --- */

static enum request_outcome
post(struct sink *sink, struct journal *journal)
{
	const struct batch *batch = &sink->request->batch;
	size_t length = 0, used = 0;
	(void)journal;
	for (size_t i = 0; i < batch->count; i++)
		length += batch->events[i].length;
	char *text = malloc(length + 1);
	if (text == NULL)
		return REQUEST_NO_MEMORY;
	for (size_t i = 0; i < batch->count; used += batch->events[i++].length)
		memcpy(text + used, batch_line(batch, i), batch->events[i].length);
	text[used] = '\0';
	pglink_begin(sink->request->pglink, text);
	return REQUEST_POSTED;
}

/* --- how it gets there --- */

static int
init(struct sink *sink)
{
	const struct sink_spec *spec = &sink->spec;
	const struct pgdial dial = {.host = spec->host != NULL ? spec->host : spec->path,
		.port = spec->service,
		.database = spec->database,
		.user = spec->user,
		.has_tls = spec->has_tls,
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
	.is_busy = request_courier_is_busy,
	.fd = request_courier_fd,
	.eval = request_courier_eval,
	.describe = describe,
};

static const struct request_kind requests = {.carrier = &carrier, .post = post};

const struct sink_kind sink_postgres = {
	.schemes = {"postgresql:"},
	.usage = "postgresql://HOST/DATABASE",
	.parse = parse,
	.engine = &request_engine,
	.request = &requests,
};

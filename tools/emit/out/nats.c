/* nats - the kind of sink that publishes to a stream of NATS JetStream: each event under the
 * subject nic.FABRIC.NODE, and with its id, by which the server knows it when it comes again. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../in/facts.h"
#include "hash.h"
#include "natslink.h"
#include "num.h"
#include "opt.h"
#include "rec.h"
#include "request.h"
#include "sink.h"
#include "sinkspec.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_PORT ":4222"
#define DEFAULT_FABRIC "fabric"

/* --- where to --- */

/* What a stream, or a part of a subject, may be made of for us; and a host with its port. */
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"
#define HOST_LETTERS LETTERS ".:[]%"

static bool
is_word(const char *text)
{
	return *text != '\0' && text[strspn(text, LETTERS)] == '\0';
}

/* STREAM or STREAM/FABRIC. */
static const char *
parse_stream(struct sink_spec *spec, const char *text)
{
	size_t length = strcspn(text, "/");
	const char *fabric = text[length] == '/' ? text + length + 1 : DEFAULT_FABRIC;
	spec->stream = strndup(text, length);
	spec->fabric = strdup(fabric);
	if (spec->stream == NULL || spec->fabric == NULL)
		return opt_no_memory;
	return is_word(spec->stream) && is_word(spec->fabric)
		       ? NULL
		       : "nats://HOST/STREAM/FABRIC: letters, digits, - and _ are expected";
}

static const char *
parse(struct sink_spec *spec, const char *rest)
{
	static const char *const schemes[] = {"nats://", "tls://"};
	size_t i = 0;
	while (i < 2 && strncmp(rest, schemes[i], strlen(schemes[i])) != 0)
		i++;
	if (i == 2)
		return "nats://HOST/STREAM or tls://HOST/STREAM is expected";
	const char *authority = rest + strlen(schemes[i]);
	size_t length = strcspn(authority, "/");
	if (authority[length] == '\0')
		return "the name of a stream is missing";
	if (memchr(authority, '@', length) != NULL)
		return "a password does not belong on the command line: use --token-file";
	if (strspn(authority, HOST_LETTERS) < length)
		return "not a host and port";
	const char *closing = memchr(authority, ']', length);
	const char *behind = closing != NULL ? closing : authority;
	bool has_port = memchr(behind, ':', (size_t)(authority + length - behind)) != NULL;
	if (asprintf(&spec->url, "%s%.*s%s", schemes[i], (int)length, authority,
		    has_port ? "" : DEFAULT_PORT) < 0) {
		spec->url = NULL;
		return opt_no_memory;
	}
	const char *reason = sink_spec_parse_host_and_port(spec, spec->url + strlen(schemes[i]));
	return reason != NULL ? reason : parse_stream(spec, authority + length + 1);
}

/* --- what is published --- */

/* A part of a subject: without what would make it several, or a pattern. */
static void
put_token(char *out, size_t size, const char *text)
{
	size_t length = 0;
	for (; text[length] != '\0' && length + 1 < size; length++) {
		char c = text[length];
		bool is_plain = c > ' ' && c < 0x7f && c != '.' && c != '*' && c != '>';
		out[length] = '_';
		if (is_plain)
			out[length] = c;
	}
	out[length] = '\0';
}

static int
add(struct sink *sink, size_t index)
{
	const struct batch *batch = &sink->request->batch;
	const char *line = batch_line(batch, index), *node = "", *id = "";
	size_t length = batch->events[index].length;
	char token[REC_NODE_MAX_BYTES + 1], subject[REC_NODE_MAX_BYTES + 128], own[32];
	rec_get_string(batch_record(batch, index), "nodeName", &node);
	rec_get_string(batch_record(batch, index), "id", &id);
	put_token(token, sizeof token, *node != '\0' ? node : "_");
	snprintf(subject, sizeof subject, "nic.%.64s.%s", sink->spec.fabric, token);
	/* One without an id is known by what it says. */
	snprintf(own, sizeof own, "%016" PRIx64, hash_bytes(HASH_START, line, length));
	/* The newline is not a part of it. */
	return natslink_add(sink->request->link, subject, *id != '\0' ? id : own, line, length - 1);
}

static enum request_outcome
post(struct sink *sink, struct journal *journal)
{
	struct natslink *link = sink->request->link;
	(void)journal;
	natslink_clear(link);
	for (size_t i = 0; i < sink->request->batch.count; i++)
		if (add(sink, i) < 0)
			return REQUEST_NO_MEMORY;
	natslink_begin(link);
	return REQUEST_POSTED;
}

/* --- how it gets there --- */

static int
init(struct sink *sink)
{
	const struct sink_spec *spec = &sink->spec;
	const struct natslink_target target = {.url = spec->url,
		.host = spec->host,
		.stream = spec->stream,
		.server_name = spec->server_name,
		.files = &spec->files,
		.timeout_ms = sink->setting->timeout_ms};
	sink->request->link = natslink_new(&target);
	return sink->request->link != NULL ? 0 : -1;
}

static void
fini(struct sink *sink)
{
	natslink_free(sink->request->link);
}

static bool
is_busy(const struct sink *sink)
{
	return natslink_is_busy(sink->request->link);
}

static int
fd(const struct sink *sink)
{
	return natslink_fd(sink->request->link);
}

static enum verdict
eval(const struct sink *sink, char reason[VERDICT_REASON_SIZE])
{
	return natslink_eval(sink->request->link, reason);
}

static void
describe(const struct sink *sink, char *answer, size_t size)
{
	snprintf(answer, size, "stored in the stream %s", sink->spec.stream);
}

static const struct request_carrier carrier = {
	.init = init,
	.fini = fini,
	.is_busy = is_busy,
	.fd = fd,
	.eval = eval,
	.describe = describe,
};

static const struct request_kind requests = {.carrier = &carrier, .post = post};

const struct sink_kind sink_nats = {
	.schemes = {"nats:"},
	.usage = "nats:nats://HOST/STREAM",
	.parse = parse,
	.engine = &request_engine,
	.request = &requests,
};

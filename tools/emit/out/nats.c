/* nats - the sink that publishes to a stream of NATS JetStream: each event under the subject
 * nic.FABRIC.NODE, with its id, by which the server recognises duplicates. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../in/facts.h"
#include "hash.h"
#include "natsaddress.h"
#include "natslib.h"
#include "natslink.h"
#include "opt.h"
#include "rec.h"
#include "request.h"
#include "sink.h"
#include "sinkspec.h"
#include "text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- address --- */

static const char *
parse(struct sink_spec *spec, const char *rest)
{
	struct natsaddress address;
	/* The address alone, as fleetread and fleetsetup have it. */
	if (text_has_prefix(rest, "//"))
		return "nats:nats://HOST/STREAM is expected";
	const char *reason = natsaddress_parse(&address, rest);
	spec->url = address.url;
	spec->host = address.host;
	spec->service = address.port;
	if (reason != NULL)
		return reason;
	spec->has_tls = natsaddress_has_tls(&address);
	spec->stream = strdup(address.stream);
	spec->fabric = strdup(address.fabric);
	return spec->stream != NULL && spec->fabric != NULL ? natslib_load() : opt_no_memory;
}

/* --- messages --- */

/* Copy a token of a subject; replace characters that separate tokens or are wildcards. */
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
	const char *line = batch_line(batch, index);
	const char *node = rec_text(batch_record(batch, index), "nodeName");
	const char *id = rec_text(batch_record(batch, index), "id");
	size_t length = batch->events[index].length;
	char token[REC_NODE_MAX_BYTES + 1], subject[REC_NODE_MAX_BYTES + 128], own[32];
	put_token(token, sizeof token, *node != '\0' ? node : "_");
	snprintf(subject, sizeof subject, "nic.%s.%s", sink->spec.fabric, token);
	/* Identify an event without an id by the hash of its line. */
	snprintf(own, sizeof own, "%016" PRIx64, hash_bytes(HASH_START, line, length));
	/* without the newline */
	return natslink_add(
		sink->request->natslink, subject, *id != '\0' ? id : own, line, length - 1);
}

static enum request_outcome
post(struct sink *sink, struct journal *journal)
{
	struct natslink *link = sink->request->natslink;
	(void)journal;
	natslink_clear(link);
	for (size_t i = 0; i < sink->request->batch.count; i++)
		if (add(sink, i) < 0)
			return REQUEST_NO_MEMORY;
	natslink_begin(link);
	return REQUEST_POSTED;
}

/* --- connection --- */

static int
init(struct sink *sink)
{
	const struct sink_spec *spec = &sink->spec;
	const struct natsdial dial = {.url = spec->url,
		.host = spec->host,
		.server_name = spec->server_name,
		.files = &spec->files,
		.name = "nic-health-monitor emit",
		.timeout_ms = sink->setting->timeout_ms};
	sink->request->natslink = natslink_new(&dial, spec->stream);
	if (sink->request->natslink == NULL)
		return -1;
	sink->request->courier = natslink_courier(sink->request->natslink);
	return 0;
}

static void
fini(struct sink *sink)
{
	natslink_free(sink->request->natslink);
}

static void
describe(const struct sink *sink, char *answer, size_t size)
{
	snprintf(answer, size, "stored in the stream %s", sink->spec.stream);
}

static const struct request_carrier carrier = {
	.init = init,
	.fini = fini,
	.describe = describe,
};

static const struct request_kind requests = {.carrier = &carrier, .post = post};

const struct sink_kind sink_nats = {
	.parse = parse,
	.engine = &request_engine,
	.request = &requests,
};

/* webhook - encodes events as a CloudEvents 1.0 batch; the webhook sink. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "webhook.h"

#include "../in/facts.h"
#include "hash.h"
#include "rec.h"
#include "request.h"
#include "sink.h"
#include "sinkspec.h"
#include "strbuf.h"
#include "webaddress.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Prefix of the node's name in a source. */
#define SOURCE_ROOT "/nic-health-monitor"

/* Write as a JSON string. Return false if memory runs out. */
static bool
put_string(FILE *out, const char *text)
{
	json_t *string = json_string(text);
	int status = json_dumpf(string, out, JSON_COMPACT | JSON_ENCODE_ANY);
	json_decref(string);
	return status == 0;
}

/* Write the node as the last segment of a URI path, percent-encoded. */
static void
put_source(FILE *out, const char *node)
{
	static const char unreserved[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
					 "0123456789-._~";
	fprintf(out, "\"" SOURCE_ROOT "%s", *node != '\0' ? "/" : "");
	for (; *node != '\0'; node++)
		fprintf(out, strchr(unreserved, *node) != NULL ? "%c" : "%%%02X",
			(unsigned char)*node);
	fputc('"', out);
}

static bool
put_id(FILE *out, const char *id, const char *line, size_t length)
{
	if (*id != '\0')
		return put_string(out, id);
	return fprintf(out, "\"%016" PRIx64 "\"", hash_bytes(HASH_START, line, length)) > 0;
}

/* Write the device and its port. */
static bool
put_subject(FILE *out, const struct facts *facts)
{
	char *subject;
	if (*facts->device == '\0')
		return true;
	if (asprintf(&subject, "%s%s%s", facts->device, *facts->port != '\0' ? "/" : "",
		    facts->port) < 0)
		return false;
	fputs(",\"subject\":", out);
	bool written = put_string(out, subject);
	free(subject);
	return written;
}

static bool
put_event(FILE *out, const struct batch *batch, size_t index, const char *node)
{
	const char *line = batch_line(batch, index);
	size_t length = batch->events[index].length - 1; /* without the newline */
	const json_t *record = batch_record(batch, index);
	struct facts facts;
	struct facts_room room;
	bool written;

	facts_read(&facts, &room, record);
	fputs("{\"specversion\":\"1.0\",\"type\":\"" WEBHOOK_EVENT_TYPE "\",\"source\":", out);
	put_source(out, *facts.node != '\0' ? facts.node : node);
	fputs(",\"id\":", out);
	written = put_id(out, facts.id, line, length) && put_subject(out, &facts);
	if (facts.time_ns != 0)
		fprintf(out, ",\"time\":\"%s\"", rec_text(record, "generatedTimestamp"));
	/* The parser accepted this line. Copy it verbatim: serialising it again could change it. */
	if (record != NULL) {
		fputs(",\"datacontenttype\":\"application/json\",\"data\":", out);
		fwrite(line, 1, length, out);
	}
	fputc('}', out);
	return written;
}

char *
webhook_encode_new(const struct batch *batch, const char *node, size_t *length)
{
	struct strbuf body = {0};
	FILE *out = strbuf_open(&body);
	bool written = true;

	if (out == NULL)
		return NULL;
	for (size_t i = 0; i < batch->count && written; i++) {
		fputc(i == 0 ? '[' : ',', out);
		written = put_event(out, batch, i, node);
	}
	fputs(batch->count == 0 ? "[]" : "]", out);
	body.is_short |= fclose(out) != 0 || !written;
	*length = body.length;
	return strbuf_detach_new(&body);
}

/* --- the sink --- */

#define ELSEWHERE "webhook:"

/* Parse webhook:@FILE or webhook:$VARIABLE. */
static const char *
parse_elsewhere(struct sink_spec *spec, const char *rest)
{
	if (*rest == '@')
		spec->address_file = rest + 1;
	else if (*rest == '$')
		spec->address_variable = rest + 1;
	return (*rest == '@' || *rest == '$') && rest[1] != '\0' ? NULL : webaddress_expected;
}

static const char *
parse(struct sink_spec *spec, const char *rest)
{
	return strncmp(spec->text, ELSEWHERE, sizeof ELSEWHERE - 1) == 0
		       ? parse_elsewhere(spec, rest)
		       : sink_spec_set_address(spec, spec->text);
}

static enum request_outcome
post(struct sink *sink, struct journal *journal)
{
	size_t length = 0;
	(void)journal;
	char *body = webhook_encode_new(&sink->request->batch, sink->setting->node, &length);
	return request_post(sink, WEBHOOK_CONTENT_TYPE, NULL, body, length);
}

static const struct request_kind requests = {
	.asks_for_quiet = true,
	.post = post,
	.accepted = "",
};

const struct sink_kind sink_webhook = {
	.parse = parse,
	.hides_address = true,
	.engine = &request_engine,
	.request = &requests,
};

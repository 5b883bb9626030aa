/* webhook - event records as a CloudEvents 1.0 batch, and what a web server's answer means. */
#include "webhook.h"

#include "facts.h"
#include "hash.h"
#include "rec.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Before the node's name in a source. */
#define SOURCE_ROOT "/nic-health-monitor"

/* As JSON, in quotes. False when memory ran out. */
static bool
put_string(FILE *out, const char *text)
{
	json_t *string = json_string(text);
	int status = json_dumpf(string, out, JSON_COMPACT | JSON_ENCODE_ANY);
	json_decref(string);
	return status == 0;
}

/* The node as the last part of a URI's path: nothing that has a meaning there stays. */
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

/* The device, and the port on it. */
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

/* One event. `line` is without its newline. */
static bool
put_event(FILE *out, const char *line, size_t length, const char *node)
{
	struct rec_error error;
	struct facts facts;
	json_t *record = rec_parse_new(line, length, &error);
	bool written;

	facts_read(&facts, record);
	fputs("{\"specversion\":\"1.0\",\"type\":\"" WEBHOOK_EVENT_TYPE "\",\"source\":", out);
	put_source(out, *facts.node != '\0' ? facts.node : node);
	fputs(",\"id\":", out);
	written = put_id(out, facts.id, line, length) && put_subject(out, &facts);
	if (facts.time_ns != 0) {
		const char *time = "";
		rec_get_string(record, "generatedTimestamp", &time);
		fprintf(out, ",\"time\":\"%s\"", time);
	}
	/* What the parser has taken is well-formed, and not printed anew nothing of it can change. */
	if (record != NULL) {
		fputs(",\"datacontenttype\":\"application/json\",\"data\":", out);
		fwrite(line, 1, length, out);
	}
	fputc('}', out);
	json_decref(record);
	return written;
}

char *
webhook_encode_new(const struct batch *batch, const char *node, size_t *length)
{
	char *body = NULL;
	FILE *out = open_memstream(&body, length);
	bool written = true;

	if (out == NULL)
		return NULL;
	for (size_t i = 0; i < batch->count && written; i++) {
		fputc(i == 0 ? '[' : ',', out);
		written = put_event(out, batch_line(batch, i), batch->events[i].length - 1, node);
	}
	fputs(batch->count == 0 ? "[]" : "]", out);
	written = written && !ferror(out);
	if (fclose(out) != 0 || !written) {
		free(body);
		return NULL;
	}
	return body;
}

enum verdict
webhook_judge(const struct http_reply *reply, char reason[VERDICT_REASON_SIZE])
{
	char what[32];

	if (reply->problem != NULL) {
		verdict_explain(reason, reply->problem, NULL, 0);
		return VERDICT_RETRY;
	}
	if (reply->status >= 200 && reply->status <= 299)
		return VERDICT_ACCEPTED;
	snprintf(what, sizeof what, "HTTP %ld", reply->status);
	verdict_explain(reason, what, reply->body, reply->length);
	switch (reply->status) {
	case 400: /* Bad Request */
	case 413: /* Content Too Large: fewer at a time may do, and a batch that is refused is halved */
	case 415: /* Unsupported Media Type */
	case 422: /* Unprocessable Content */
		return VERDICT_REFUSED;
	default:
		return VERDICT_RETRY;
	}
}

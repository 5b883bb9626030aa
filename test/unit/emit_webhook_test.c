/* Unit tests of emit's webhook: batches of CloudEvents, and the verdict for a web server's
 * reply. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/emit/out/verdict.h"
#include "../../tools/emit/out/webhook.h"

#include "check.h"
#include "utf8.h"

#include <stdio.h>
#include <stdlib.h>

/* Encode a batch of lines, written with ' for ", and return its body parsed. */
static json_t *
encoded_new(const char *const *lines, size_t count, const char *node)
{
	struct batch batch = {0};
	size_t length = 0;
	for (size_t i = 0; i < count; i++) {
		char *line = check_replaced_new(strdup(lines[i]), "'", "\"");
		CHECK_INT(batch_add(&batch, i + 1, line, strlen(line)), 0);
		free(line);
	}
	char *body = webhook_encode_new(&batch, node, &length);
	CHECK_U64(length, strlen(body));
	json_t *events = json_loads(body, JSON_REJECT_DUPLICATES, NULL);
	CHECK_U64(json_array_size(events), count);
	free(body);
	batch_fini(&batch);
	return events;
}

static json_t *
one_new(const char *line, const char *node)
{
	json_t *events = encoded_new(&line, 1, node);
	json_t *event = json_incref(json_array_get(events, 0));
	json_decref(events);
	return event;
}

static const char *
text(const json_t *event, const char *key)
{
	return json_string_value(json_object_get(event, key));
}

static void
whole_event(void)
{
	static const char line[] =
		"{'kind':'event','id':'c0ffee12-7','version':1,'agent':'nic-health-monitor','"
		"checkName':'InfiniBandStateCheck','isFatal':true,'message':'Größe \\u0001 "
		"\\\"quoted\\\"','entitiesImpacted':[{'entityType':'NIC','entityValue':'mlx5_0'},"
		"{'entityType':'NICPort','entityValue':'1'}],'generatedTimestamp':'2026-01-02T03:"
		"04:05.678901Z','nodeName':'gpu-42'}";
	json_t *event = one_new(line, "other");
	CHECK_STR(text(event, "specversion"), "1.0");
	CHECK_STR(text(event, "type"), WEBHOOK_EVENT_TYPE);
	CHECK_STR(text(event, "source"), "/nic-health-monitor/gpu-42");
	CHECK_STR(text(event, "id"), "c0ffee12-7");
	CHECK_STR(text(event, "subject"), "mlx5_0/1");
	CHECK_STR(text(event, "time"), "2026-01-02T03:04:05.678901Z");
	CHECK_STR(text(event, "datacontenttype"), "application/json");
	CHECK_STR(text(json_object_get(event, "data"), "message"), "Größe \x01 \"quoted\"");
	CHECK_U64(json_object_size(event), 8);
	json_decref(event);
}

static void
data_as_it_came(void)
{
	/* jansson would read this number as a real. */
	static const char line[] = "{\"kind\":\"event\",  \"n\":18446744073709551615,\"x\":1.10}\n";
	struct batch batch = {0};
	size_t length;
	CHECK_INT(batch_add(&batch, 1, line, strlen(line) - 1), 0);
	char *body = webhook_encode_new(&batch, "n", &length);
	CHECK_HAS(body, "\"data\":{\"kind\":\"event\",  \"n\":18446744073709551615,\"x\":1.10}}]");
	free(body);
	batch_fini(&batch);
}

static void
sources(void)
{
	static const struct {
		const char *node, *source;
	} rows[] = {
		{"gpu-42.example_1~", "/nic-health-monitor/gpu-42.example_1~"},
		{"a/b?c#d", "/nic-health-monitor/a%2Fb%3Fc%23d"},
		{"100% \\u0001", "/nic-health-monitor/100%25%20%01"},
		{"ö", "/nic-health-monitor/%C3%B6"},
		{"", "/nic-health-monitor/fallback"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char line[200];
		snprintf(line, sizeof line, "{'kind':'event','nodeName':'%s'}", rows[i].node);
		check_row("%s", rows[i].node);
		json_t *event = one_new(line, "fallback");
		CHECK_STR(text(event, "source"), rows[i].source);
		json_decref(event);
	}
	json_t *event = one_new("{'kind':'event','nodeName':7}", "");
	CHECK_STR(text(event, "source"), "/nic-health-monitor");
	json_decref(event);
}

static void
subjects(void)
{
#define NIC "{'entityType':'NIC','entityValue':'mlx5_0'}"
	static const struct {
		const char *entities, *subject;
	} rows[] = {
		{"[" NIC "]", "mlx5_0"},
		{"[" NIC ",{'entityType':'NICPort','entityValue':'2'}]", "mlx5_0/2"},
		{"[{'entityType':'NICPort','entityValue':'2'}]", NULL},
		{"[]", NULL},
		{"null", NULL},
		{"'mlx5_0'", NULL},
		{"[{'entityType':'NIC','entityValue':'a\\nb'}]", "a\nb"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char line[200];
		snprintf(line, sizeof line, "{'kind':'event','id':'1','entitiesImpacted':%s}",
			rows[i].entities);
		check_row("%s", rows[i].entities);
		json_t *event = one_new(line, "n");
		CHECK_STR(text(event, "subject"), rows[i].subject);
		json_decref(event);
	}
}

static void
times(void)
{
	static const struct {
		const char *stamp;
		bool valid;
	} rows[] = {
		{"'2026-01-02T03:04:05Z'", true},
		{"'2026-01-02T03:04:05.123456789+02:00'", true},
		{"'yesterday'", false},
		{"'2026-01-02'", false},
		{"''", false},
		{"1767323045", false},
		{"null", false},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char line[200];
		snprintf(line, sizeof line, "{'kind':'event','generatedTimestamp':%s}",
			rows[i].stamp);
		check_row("%s", rows[i].stamp);
		json_t *event = one_new(line, "n");
		CHECK((json_object_get(event, "time") != NULL) == rows[i].valid);
		json_decref(event);
	}
}

static void
ids(void)
{
	/* Required, never empty, and the same when the event is sent again. */
	static const char *const lines[] = {"{'kind':'event','seq':1}", "{'kind':'event','seq':2}",
		"{'kind':'event','seq':1}", "{'kind':'event','id':''}", "{'kind':'event','id':7}"};
	json_t *events = encoded_new(lines, CHECK_COUNT(lines), "n");
	for (size_t i = 0; i < CHECK_COUNT(lines); i++)
		CHECK_U64(strlen(text(json_array_get(events, i), "id")), 16);
	const char *first = text(json_array_get(events, 0), "id");
	CHECK_STR(text(json_array_get(events, 2), "id"), first);
	CHECK(strcmp(text(json_array_get(events, 1), "id"), first) != 0);
	json_decref(events);
}

static void
batches(void)
{
	static const char *lines[100];
	char buffer[100][60];
	json_t *events = encoded_new(NULL, 0, "n");
	CHECK(json_is_array(events));
	json_decref(events);

	for (size_t i = 0; i < CHECK_COUNT(lines); i++) {
		snprintf(buffer[i], sizeof buffer[i], "{'kind':'event','id':'s-%zu'}", i);
		lines[i] = buffer[i];
	}
	events = encoded_new(lines, CHECK_COUNT(lines), "n");
	for (size_t i = 0; i < CHECK_COUNT(lines); i++) {
		char id[20];
		snprintf(id, sizeof id, "s-%zu", i);
		CHECK_STR(text(json_array_get(events, i), "id"), id);
	}
	json_decref(events);
}

static void
no_record(void)
{
	static const char *const lines[] = {
		"", "garbage \"", "[1]", "{}", "{'kind':'event'} x", "\xFF"};
	json_t *events = encoded_new(lines, CHECK_COUNT(lines), "n");
	for (size_t i = 0; i < CHECK_COUNT(lines); i++) {
		CHECK(text(json_array_get(events, i), "id") != NULL);
		CHECK(json_object_get(json_array_get(events, i), "data") == NULL);
	}
	json_decref(events);
}

static void
judged(void)
{
	static const struct {
		long status;
		enum verdict verdict;
	} rows[] = {
		{200, VERDICT_ACCEPTED},
		{201, VERDICT_ACCEPTED},
		{202, VERDICT_ACCEPTED},
		{204, VERDICT_ACCEPTED},
		{299, VERDICT_ACCEPTED},
		{101, VERDICT_RETRY},
		{300, VERDICT_RETRY},
		{301, VERDICT_RETRY},
		{307, VERDICT_RETRY},
		{400, VERDICT_REFUSED},
		{401, VERDICT_RETRY},
		{403, VERDICT_RETRY},
		{404, VERDICT_RETRY},
		{408, VERDICT_RETRY},
		{413, VERDICT_REFUSED},
		{415, VERDICT_REFUSED},
		{422, VERDICT_REFUSED},
		{429, VERDICT_RETRY},
		{500, VERDICT_RETRY},
		{502, VERDICT_RETRY},
		{503, VERDICT_RETRY},
	};
	char reason[VERDICT_REASON_SIZE], expected[40];
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct http_reply reply = {.status = rows[i].status, .body = " no\n", .length = 4};
		check_row("HTTP %ld", rows[i].status);
		CHECK_INT(verdict_of_http(&reply, reason), rows[i].verdict);
		if (rows[i].verdict == VERDICT_ACCEPTED)
			continue;
		snprintf(expected, sizeof expected, "HTTP %ld: no", rows[i].status);
		CHECK_STR(reason, expected);
		reply = (struct http_reply){.status = rows[i].status, .body = ""};
		CHECK_INT(verdict_of_http(&reply, reason), rows[i].verdict);
		snprintf(expected, sizeof expected, "HTTP %ld", rows[i].status);
		CHECK_STR(reason, expected);
	}
	const struct http_reply half = {.problem = "reset", .status = 200, .body = ""};
	CHECK_INT(verdict_of_http(&half, reason), VERDICT_RETRY);
	CHECK_STR(reason, "reset");
}

static void
judged_odd_bodies(void)
{
	char body[1000], reason[VERDICT_REASON_SIZE];
	memset(body, 0xFF, sizeof body);
	body[7] = '\0';
	const struct http_reply reply = {.status = 400, .body = body, .length = sizeof body};
	CHECK_INT(verdict_of_http(&reply, reason), VERDICT_REFUSED);
	CHECK(utf8_is_valid(reason));
	CHECK(strlen(reason) > VERDICT_REASON_SIZE - 4);
}

static const struct check_test tests[] = {
	{"an event has all attributes, and the whole record as its data", whole_event},
	{"the data is the record byte for byte", data_as_it_came},
	{"the source is a URI reference, whatever the node's name", sources},
	{"the subject is the device or port, if there is one", subjects},
	{"a time that is not an RFC 3339 time is left out", times},
	{"an event without an id gets one that stays the same", ids},
	{"a batch is an array, empty or of a hundred events", batches},
	{"a line that is no record does not invalidate the batch", no_record},
	{"each HTTP status has its verdict", judged},
	{"a reason is valid UTF-8 and bounded, whatever the body", judged_odd_bodies},
};
CHECK_MAIN(tests)

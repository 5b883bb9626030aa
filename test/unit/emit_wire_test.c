/* Unit tests of emit's wire: records as HealthEvents messages (spec#wire). The tests decode the
 * messages by hand, with the original's numbers and types, so that they do not depend on protoc-c's
 * code from the .proto. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/emit/out/wire.h"

#include "../../tools/emit/out/grpc.h"
#include "check.h"

#include <stdio.h>
#include <stdlib.h>

enum wire_type { VARINT = 0, BYTES = 2 };

/* A message, or the rest of it. */
struct bytes {
	const unsigned char *at, *end;
};

/* One of its fields. */
struct field {
	unsigned number;
	unsigned type;
	uint64_t value;     /* of a VARINT */
	struct bytes bytes; /* of BYTES */
};

static uint64_t
take_varint(struct bytes *bytes)
{
	uint64_t value = 0;
	for (unsigned shift = 0; bytes->at < bytes->end && shift < 64; shift += 7) {
		unsigned char byte = *bytes->at++;
		value |= (uint64_t)(byte & 0x7F) << shift;
		if ((byte & 0x80) == 0)
			return value;
	}
	CHECK(!"a varint ends");
	return 0;
}

/* Return false at the end. */
static bool
take_field(struct bytes *bytes, struct field *field)
{
	if (bytes->at == bytes->end)
		return false;
	uint64_t tag = take_varint(bytes);
	*field = (struct field){.number = (unsigned)(tag >> 3), .type = tag & 7};
	uint64_t value = take_varint(bytes);
	if (field->type == VARINT) {
		field->value = value;
		return true;
	}
	if (!CHECK_INT(field->type, BYTES) || !CHECK(value <= (size_t)(bytes->end - bytes->at)))
		return false;
	field->bytes = (struct bytes){bytes->at, bytes->at + value};
	bytes->at += value;
	return true;
}

/* Find the n-th field (from 0) with this number. */
static bool
find(struct bytes message, unsigned number, size_t n, struct field *field)
{
	while (take_field(&message, field)) {
		if (field->number != number)
			continue;
		if (n == 0)
			return true;
		n--;
	}
	return false;
}

static size_t
count(struct bytes message, unsigned number)
{
	struct field field;
	size_t n = 0;
	while (take_field(&message, &field))
		n += field.number == number;
	return n;
}

/* Return the n-th text with this number, or "", as in proto3, without one. Valid until the next
 * call. */
static const char *
text_at(struct bytes message, unsigned number, size_t n)
{
	static char text[8192];
	struct field field;
	if (!find(message, number, n, &field) || !CHECK_INT(field.type, BYTES))
		return "";
	snprintf(text, sizeof text, "%.*s", (int)(field.bytes.end - field.bytes.at),
		(const char *)field.bytes.at);
	return text;
}

static const char *
text(struct bytes message, unsigned number)
{
	return text_at(message, number, 0);
}

static uint64_t
number(struct bytes message, unsigned field_number)
{
	struct field field;
	if (!find(message, field_number, 0, &field))
		return 0;
	CHECK_INT(field.type, VARINT);
	return field.value;
}

static struct bytes
part(struct bytes message, unsigned field_number, size_t n)
{
	struct field field;
	if (!CHECK(find(message, field_number, n, &field)) || !CHECK_INT(field.type, BYTES))
		return (struct bytes){NULL, NULL};
	return field.bytes;
}

/* Encode lines written with ' for ", and check the prefix. Valid until the next call. */
static struct bytes
encoded_with(const char *const *lines, size_t line_count, bool fill_ids)
{
	static char *out;
	struct batch batch = {0};
	size_t length;
	free(out);
	for (size_t i = 0; i < line_count; i++) {
		char *line = check_replaced_new(strdup(lines[i]), "'", "\"");
		CHECK_INT(batch_add(&batch, i + 1, line, strlen(line)), 0);
		free(line);
	}
	out = wire_encode_new(&batch, fill_ids, &length);
	batch_fini(&batch);
	unsigned char prefix[GRPC_PREFIX_BYTES];
	grpc_prefix(prefix, length - sizeof prefix);
	CHECK(memcmp(prefix, out, sizeof prefix) == 0);
	const unsigned char *bytes = (const unsigned char *)out;
	return (struct bytes){bytes + sizeof prefix, bytes + length};
}

static struct bytes
encoded(const char *const *lines, size_t line_count)
{
	return encoded_with(lines, line_count, false);
}

/* Return the only event of the message for one line. */
static struct bytes
event_of(const char *line)
{
	struct bytes events = encoded(&line, 1);
	CHECK_U64(number(events, 1), 1);
	CHECK_U64(count(events, 2), 1);
	return part(events, 2, 0);
}

static void
golden(void)
{
	/* Written by hand. */
	static const unsigned char expected[] = {
		0x08, 1,                /* 1 version: 1 */
		0x12, 99,               /* 2 events, the first of them: 99 bytes */
		0x08, 1,                /* 1 version: 1 */
		0x12, 1, 'a',           /* 2 agent */
		0x1A, 3, 'N', 'I', 'C', /* 3 componentClass */
		0x22, 2, 'c', 'k',      /* 4 checkName */
		0x28, 1,                /* 5 isFatal */
		0x30, 1,                /* 6 isHealthy */
		0x3A, 1, 'm',           /* 7 message */
		0x40, 25,               /* 8 recommendedAction: REPLACE_VM */
		0x4A, 2, 'e', '1',      /* 9 errorCode */
		0x4A, 2, 'e', '2',      /* another */
		0x52, 8,                /* 10 entitiesImpacted */
		0x0A, 3, 'N', 'I', 'C', /* 1 entityType */
		0x12, 1, '0',           /* 2 entityValue */
		0x52, 12,               /* 10 entitiesImpacted, another */
		0x0A, 7, 'N', 'I', 'C', 'P', 'o', 'r', 't',      /* 1 entityType */
		0x12, 1, '1',                                    /* 2 entityValue */
		0x5A, 6,                                         /* 11 metadata */
		0x0A, 1, 'k',                                    /* 1 key */
		0x12, 1, 'v',                                    /* 2 value */
		0x5A, 15,                                        /* 11 metadata, another */
		0x0A, 8, 'e', 'v', 'e', 'n', 't', '_', 'i', 'd', /* 1 key */
		0x12, 3, 's', '-', '1',                          /* 2 value */
		0x62, 11,                                        /* 12 generatedTimestamp */
		0x08, 0xA5, 0xEB, 0xDC, 0xCA, 0x06,              /* 1 seconds: 1767323045 */
		0x10, 0x80, 0xC2, 0xD7, 0x2F,                    /* 2 nanos: 100000000 */
		0x6A, 1, 'n',                                    /* 13 nodeName */
		0x80, 0x01, 2, /* 16 processingStrategy: STORE_ONLY */
	};
	const char *line =
		"{'kind':'event','id':'s-1','version':1,'agent':'a','componentClass':'"
		"NIC','checkName':'ck','isFatal':true,'isHealthy':true,"
		"'message':'m','recommendedAction':'REPLACE_VM','errorCode':['e1','e2'],"
		"'entitiesImpacted':[{'entityType':'NIC',"
		"'entityValue':'0'},{'entityType':'NICPort','entityValue':'1'}],'"
		"metadata':{'k':'v'},'generatedTimestamp':'2026-01-02T03:04:05.1Z','nodeName':'n','"
		"processingStrategy':'STORE_ONLY','source':'s','seq':1}";
	struct bytes events = encoded(&line, 1);
	CHECK_U64(events.end - events.at, sizeof expected);
	for (size_t i = 0; i < sizeof expected && events.at + i < events.end; i++) {
		check_row("byte %zu", i);
		CHECK_INT(events.at[i], expected[i]);
	}
}

static void
ids(void)
{
	static const struct {
		const char *line;
		size_t entries;
		const char *key, *value; /* of the last entry */
		const char *id;          /* if it is filled */
	} rows[] = {
		{"{'kind':'event','id':'s-1'}", 1, "event_id", "s-1", "s-1"},
		{"{'kind':'event','id':'s-1','metadata':{'k':'v'}}", 2, "event_id", "s-1", "s-1"},
		/* A metadata entry of that name is kept. */
		{"{'kind':'event','id':'s-1','metadata':{'event_id':'mine','k':'v'}}", 2,
			"event_id", "s-1", "s-1"},
		{"{'kind':'event','metadata':{'event_id':'mine'}}", 1, "event_id", "mine", ""},
		{"{'kind':'event','id':'','metadata':{'k':'v'}}", 1, "k", "v", ""},
		{"{'kind':'event','id':7}", 0, "", "", ""},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("%s", rows[i].line);
		struct bytes event = event_of(rows[i].line);
		CHECK_STR(text(event, 17), "");
		CHECK_U64(count(event, 11), rows[i].entries);
		if (rows[i].entries > 0) {
			struct bytes entry = part(event, 11, rows[i].entries - 1);
			CHECK_STR(text(entry, 1), rows[i].key);
			CHECK_STR(text(entry, 2), rows[i].value);
		}
		event = part(encoded_with(&rows[i].line, 1, true), 2, 0);
		CHECK_STR(text(event, 17), rows[i].id);
		CHECK_U64(count(event, 11), rows[i].entries);
	}
}

static void
absent(void)
{
	/* Each of these gives a message of defaults only. */
	static const char *const lines[] = {
		"{'kind':'event'}",
		"{'kind':'event','id':null,'version':null,'errorCode':null,'metadata':null,'"
		"generatedTimestamp':null}",
		"{'kind':'event','id':1,'version':'x','agent':[],'componentClass':{},'checkName':"
		"true,'isFatal':'true','isHealthy':1,'message':1.5,'recommendedAction':25,'"
		"errorCode':'link_downed','entitiesImpacted':"
		"{'entityType':'NIC'},'metadata':['a'],'generatedTimestamp':1767323045,'nodeName':"
		"false,'processingStrategy':1}",
		"{'kind':'event','version':-1,'errorCode':[1,null,{}],'entitiesImpacted':['mlx5_0',"
		"7,null,[]],'metadata':{}}",
		"{'kind':'event','version':4294967296,'metadata':'x'}",
		"{'kind':'event','isFatal':false,'isHealthy':false,'recommendedAction':'NONE','"
		"processingStrategy':'UNSPECIFIED'}",
		"not a record",
		"",
	};
	for (size_t i = 0; i < CHECK_COUNT(lines); i++) {
		check_row("%s", lines[i]);
		struct bytes event = event_of(lines[i]);
		CHECK(event.at == event.end);
	}
}

static void
times(void)
{
	static const struct {
		const char *stamp;
		bool present;
		uint64_t seconds, nanos;
	} rows[] = {
		{"1970-01-01T00:00:00Z", true, 0, 0},
		{"1970-01-01T00:00:00.000000001Z", true, 0, 1},
		{"2026-01-02T03:04:05.678901Z", true, 1767323045, 678901000},
		{"2026-01-02T03:04:05.999999999+01:00", true, 1767319445, 999999999},
		{"2554-07-21T23:34:33Z", true, UINT64_C(18446744073), 0},
		{"1969-12-31T23:59:59Z", false, 0, 0},
		{"2600-01-01T00:00:00Z", false, 0, 0},
		{"2026-02-30T00:00:00Z", false, 0, 0},
		{"today", false, 0, 0},
		{"", false, 0, 0},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char line[120];
		snprintf(line, sizeof line, "{'kind':'event','generatedTimestamp':'%s'}",
			rows[i].stamp);
		check_row("%s", rows[i].stamp);
		struct bytes event = event_of(line);
		CHECK_U64(count(event, 12), rows[i].present ? 1 : 0);
		if (!rows[i].present)
			continue;
		struct bytes time = part(event, 12, 0);
		CHECK_U64(number(time, 1), rows[i].seconds);
		CHECK_U64(number(time, 2), rows[i].nanos);
	}
}

static void
actions(void)
{
	static const struct {
		const char *name;
		unsigned number;
	} rows[] = {
		{"NONE", 0},
		{"COMPONENT_RESET", 2},
		{"CONTACT_SUPPORT", 5},
		{"RUN_FIELDDIAG", 6},
		{"RESTART_VM", 15},
		{"RESTART_BM", 24},
		{"REPLACE_VM", 25},
		{"RUN_DCGMEUD", 26},
		{"CUSTOM", 27},
		{"REMEDIATE", 28},
		{"UNKNOWN", 99},
		{"REBOOT", 99},
		{"replace_vm", 99},
		{"", 99},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char line[120];
		snprintf(line, sizeof line, "{'kind':'event','recommendedAction':'%s'}",
			rows[i].name);
		check_row("%s", rows[i].name);
		CHECK_U64(number(event_of(line), 8), rows[i].number);
	}
}

static void
requests(void)
{
	struct bytes event = event_of("{'kind':'event','quarantineOverrides':{'force':true},"
				      "'drainOverrides':{'force':false,'skip':true},"
				      "'recommendedAction':'CUSTOM',"
				      "'customRecommendedAction':'reseat'}");
	CHECK_U64(number(part(event, 14, 0), 1), 1);
	CHECK_U64(number(part(event, 14, 0), 2), 0);
	CHECK_U64(number(part(event, 15, 0), 1), 0);
	CHECK_U64(number(part(event, 15, 0), 2), 1);
	CHECK_STR(text(event, 18), "reseat");
	/* Present but empty; and of a wrong type. */
	event = event_of("{'kind':'event','quarantineOverrides':{},'drainOverrides':[true]}");
	CHECK_U64(count(event, 14), 1);
	CHECK_U64(count(event, 15) + count(event, 18), 0);
	event = event_of("{'kind':'event','quarantineOverrides':null,'customRecommendedAction':1}");
	CHECK_U64(count(event, 14) + count(event, 15) + count(event, 18), 0);
}

static void
strategies(void)
{
	static const struct {
		const char *name;
		unsigned number;
	} rows[] = {
		{"UNSPECIFIED", 0},
		{"EXECUTE_REMEDIATION", 1},
		{"STORE_ONLY", 2},
		{"STORE_AND_ANALYSE", 3},
		{"STORE", 0},
		{"", 0},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char line[120];
		snprintf(line, sizeof line, "{'kind':'event','processingStrategy':'%s'}",
			rows[i].name);
		check_row("%s", rows[i].name);
		CHECK_U64(number(event_of(line), 16), rows[i].number);
	}
}

static void
metadata(void)
{
	static const struct {
		const char *json, *key, *value;
	} rows[] = {
		{"{'pci':'0000:18:00.0'}", "pci", "0000:18:00.0"},
		{"{'n':7}", "n", "7"},
		{"{'n':-1.5}", "n", "-1.5"},
		{"{'n':2.1}", "n", "2.1"},
		{"{'b':true}", "b", "true"},
		{"{'z':null}", "z", "null"},
		{"{'a':[1,'x',{}]}", "a", "[1,\"x\",{}]"},
		{"{'o':{'x':{'y':[]}}}", "o", "{\"x\":{\"y\":[]}}"},
		{"{'':'empty'}", "", "empty"},
		{"{'e':''}", "e", ""},
		{"{'ü\\n':'日本 €'}", "ü\n", "日本 €"},
		/* Of a repeated key the last value counts. */
		{"{'k':'1','k':'2'}", "k", "2"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char line[200];
		snprintf(line, sizeof line, "{'kind':'event','metadata':%s}", rows[i].json);
		check_row("%s", rows[i].json);
		struct bytes event = event_of(line);
		CHECK_U64(count(event, 11), 1);
		struct bytes entry = part(event, 11, 0);
		CHECK_STR(text(entry, 1), rows[i].key);
		CHECK_STR(text(entry, 2), rows[i].value);
	}
	/* In the record's order. */
	struct bytes event = event_of("{'kind':'event','metadata':{'z':'1','a':2,'m':'3'}}");
	CHECK_U64(count(event, 11), 3);
	CHECK_STR(text(part(event, 11, 0), 1), "z");
	CHECK_STR(text(part(event, 11, 1), 1), "a");
	CHECK_STR(text(part(event, 11, 2), 1), "m");
}

static void
deep_metadata(void)
{
	/* As deep as the parser allows, and deeper, which is no record. */
	for (size_t depth = 1000; depth <= 3000; depth += 2000) {
		char *open = check_repeat_new('[', depth), *close = check_repeat_new(']', depth),
		     *line;
		CHECK(asprintf(&line, "{'kind':'event','metadata':{'d':%s%s}}", open, close) > 0);
		struct bytes event = event_of(line);
		if (depth == 1000)
			CHECK_U64(strlen(text(part(event, 11, 0), 2)), 2 * depth);
		else
			CHECK(event.at == event.end);
		free(line);
		free(open);
		free(close);
	}
}

static void
odd_items(void)
{
	struct bytes event = event_of("{'kind':'event','errorCode':['a',1,'',null,'b'],'"
				      "entitiesImpacted':[7,{'entityType':'NIC'},{'entityValue':1},"
				      "{'entityType':'T','entityValue':'V'}]}");
	CHECK_U64(count(event, 9), 3);
	CHECK_STR(text_at(event, 9, 0), "a");
	CHECK_STR(text_at(event, 9, 1), "");
	CHECK_STR(text_at(event, 9, 2), "b");
	CHECK_U64(count(event, 10), 3);
	CHECK_STR(text(part(event, 10, 0), 1), "NIC");
	CHECK_STR(text(part(event, 10, 0), 2), "");
	CHECK_STR(text(part(event, 10, 1), 1), "");
	CHECK_STR(text(part(event, 10, 1), 2), "");
	CHECK_STR(text(part(event, 10, 2), 1), "T");
	CHECK_STR(text(part(event, 10, 2), 2), "V");
}

static void
texts(void)
{
	struct bytes event = event_of("{'kind':'event','version':4294967295,'message':'Größe 日本 "
				      "\\u0001\\n \\ud83d\\ude00','agent':'\\u007f'}");
	CHECK_U64(number(event, 1), UINT32_MAX);
	CHECK_STR(text(event, 7), "Größe 日本 \x01\n \xF0\x9F\x98\x80");
	CHECK_STR(text(event, 2), "\x7F");
}

static void
hundred(void)
{
	static char buffers[100][5000];
	const char *lines[100];
	char *message = check_repeat_new('x', 4000);
	for (size_t i = 0; i < 100; i++) {
		snprintf(buffers[i], sizeof buffers[i],
			"{'kind':'event','id':'s-%zu','message':'%s'}", i, message);
		lines[i] = buffers[i];
	}
	struct bytes events = encoded(lines, 100);
	CHECK_U64(count(events, 2), 100);
	for (size_t i = 0; i < 100; i++) {
		char id[20];
		snprintf(id, sizeof id, "s-%zu", i);
		check_row("event %zu", i);
		CHECK_STR(text(part(part(events, 2, i), 11, 0), 2), id);
		CHECK_STR(text(part(events, 2, i), 7), message);
	}
	free(message);
}

static void
none(void)
{
	struct bytes events = encoded(NULL, 0);
	CHECK_U64(number(events, 1), 1);
	CHECK_U64(count(events, 2), 0);
}

static const struct check_test tests[] = {
	{"a full event is encoded to exactly these bytes", golden},
	{"the id becomes a metadata entry, and fills its own field only on request", ids},
	{"a member that is absent or of a wrong type has proto3's default", absent},
	{"times are seconds and nanoseconds since 1970, and earlier ones are left out", times},
	{"actions are encoded by name, and unknown ones as UNKNOWN", actions},
	{"strategies are encoded by name, and unknown ones as UNSPECIFIED", strategies},
	{"overrides and a custom action for NVSentinel are encoded", requests},
	{"metadata become map entries, whatever their JSON type", metadata},
	{"metadata may be nested as deeply as a record allows", deep_metadata},
	{"items of the wrong type are left out, and the others stay in order", odd_items},
	{"texts keep their UTF-8", texts},
	{"a hundred long events keep their order", hundred},
	{"an empty batch is a message without events", none},
};
CHECK_MAIN(tests)

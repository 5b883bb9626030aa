/* Unit tests of emit's facts: the values that emit reads from an event. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/emit/in/facts.h"

#include "check.h"
#include "utf8.h"

#include <stdio.h>
#include <stdlib.h>

static void
reads(void)
{
	json_t *event = check_json_new("{'kind':'event','id':'c0ffee-7','agent':'nic-health-"
				       "monitor','checkName':'InfiniBandStateCheck','isFatal':true,"
				       "'isHealthy':false,'message':'gone','recommendedAction':'"
				       "REPLACE_VM','errorCode':['link_downed','saturated'],"
				       "'entitiesImpacted':[{'entityType':'NIC','entityValue':'"
				       "mlx5_0'},{'entityType':'NICPort','entityValue':'1'}],"
				       "'generatedTimestamp':'2026-01-02T03:04:05.678901Z','"
				       "nodeName':'gpu-42','processingStrategy':'STORE_ONLY',"
				       "'source':'c0ffee','seq':7}");
	struct facts facts;
	struct facts_room room;
	facts_read(&facts, &room, event);
	CHECK_STR(facts.id, "c0ffee-7");
	CHECK_STR(facts.source, "c0ffee");
	CHECK_U64(facts.seq, 7);
	CHECK_STR(facts.agent, "nic-health-monitor");
	CHECK_STR(facts.node, "gpu-42");
	CHECK_STR(facts.check, "InfiniBandStateCheck");
	CHECK_STR(facts.message, "gone");
	CHECK_STR(facts.action, "REPLACE_VM");
	CHECK(facts.fatal && !facts.healthy);
	CHECK_U64(facts.time_ns, UINT64_C(1767323045678901000));
	CHECK_STR(facts.device, "mlx5_0");
	CHECK_STR(facts.port, "1");
	CHECK_STR(facts.about, "NIC=mlx5_0,NICPort=1");
	CHECK_STR(facts.code, "link_downed,saturated");
	json_decref(event);
}

/* Check that every fact is as in an empty event. */
static void
check_nothing(const struct facts *facts)
{
	const char *const texts[] = {facts->id, facts->source, facts->agent, facts->node,
		facts->check, facts->message, facts->action, facts->device, facts->port,
		facts->code};
	for (size_t i = 0; i < CHECK_COUNT(texts); i++)
		CHECK_STR(texts[i], "");
	CHECK(!facts->fatal && !facts->healthy);
	CHECK_U64(facts->seq, 0);
	CHECK_U64(facts->time_ns, 0);
}

static void
reads_what_is_wrong(void)
{
	static const char *const values[] = {"null", "7.5", "{}", "[]", "-3", "[7]", "{'a':1}"};
	struct facts facts;
	struct facts_room room;
	json_t *event = check_json_new("{'kind':'event'}");
	facts_read(&facts, &room, event);
	check_nothing(&facts);
	CHECK_STR(facts.about, "");
	json_decref(event);
	for (size_t i = 0; i < CHECK_COUNT(values); i++) {
		static const char *const keys[] = {"id", "source", "seq", "agent", "nodeName",
			"checkName", "message", "recommendedAction", "processingStrategy",
			"isFatal", "isHealthy", "generatedTimestamp"};
		check_row("%s", values[i]);
		event = check_json_new("{'kind':'event'}");
		for (size_t j = 0; j < CHECK_COUNT(keys); j++)
			json_object_set_new(event, keys[j], check_json_new(values[i]));
		facts_read(&facts, &room, event);
		check_nothing(&facts);
		CHECK_STR(facts.about, "");
		json_decref(event);
	}
}

static void
reads_numbers(void)
{
	static const struct {
		const char *seq;
		uint64_t expected;
	} rows[] = {
		{"1", 1},
		{"'12'", 12},
		{"9223372036854775807", INT64_MAX},
		/* A number beyond the range of SQLite and JSON is none. */
		{"'9223372036854775808'", 0},
		{"'18446744073709551615'", 0},
		{"0", 0},
		{"-1", 0},
		{"1.5", 0},
		{"2.0", 0},
		{"1e30", 0},
		{"''", 0},
		{"true", 0},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct facts facts;
		struct facts_room room;
		json_t *event = check_json_new("{'kind':'event'}");
		check_row("%s", rows[i].seq);
		json_object_set_new(event, "seq", check_json_new(rows[i].seq));
		facts_read(&facts, &room, event);
		CHECK_U64(facts.seq, rows[i].expected);
		json_decref(event);
	}
}

static void
reads_entities(void)
{
	static const struct {
		const char *entities, *about, *device, *port;
	} rows[] = {
		{"[]", "", "", ""},
		{"null", "", "", ""},
		{"'NIC'", "", "", ""},
		{"{'entityType':'NIC','entityValue':'mlx5_0'}", "", "", ""},
		{"[{'entityType':'NIC','entityValue':'mlx5_0'}]", "NIC=mlx5_0", "mlx5_0", ""},
		{"[{'entityType':'NICPort','entityValue':'2'},{'entityType':'NIC','entityValue':'"
		 "mlx5_0'}]",
			"NICPort=2,NIC=mlx5_0", "mlx5_0", "2"},
		/* The first entity of a type counts. */
		{"[{'entityType':'NIC','entityValue':'a'},{'entityType':'NIC','entityValue':'b'}]",
			"NIC=a,NIC=b", "a", ""},
		{"[{'entityType':'GPU','entityValue':'0'}]", "GPU=0", "", ""},
		{"[{'entityType':'NICPort','entityValue':1}]", "NICPort=", "", ""},
		{"[{'entityValue':'x'}]", "=x", "", ""},
		{"[7,null,{}]", "=,=,=", "", ""},
		/* A comma in a value does not separate entities. */
		{"[{'entityType':'NIC','entityValue':'a,NIC=b'}]", "NIC=a\\,NIC=b", "a,NIC=b", ""},
		{"[{'entityType':'x,','entityValue':'\\\\'}]", "x\\,=\\\\", "", ""},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct facts facts;
		struct facts_room room;
		json_t *event = check_json_new("{'kind':'event'}");
		check_row("%s", rows[i].entities);
		json_object_set_new(event, "entitiesImpacted", check_json_new(rows[i].entities));
		facts_read(&facts, &room, event);
		CHECK_STR(facts.about, rows[i].about);
		CHECK_STR(facts.device, rows[i].device);
		CHECK_STR(facts.port, rows[i].port);
		json_decref(event);
	}
}

static void
reads_codes(void)
{
	static const struct {
		const char *codes, *expected;
	} rows[] = {
		{"[]", ""},
		{"['a']", "a"},
		{"['a','b','c']", "a,b,c"},
		{"['b','a']", "b,a"},
		/* A code that is not a string is dropped. */
		{"[1,'a',null]", "a"},
		{"['','a','']", "a"},
		{"['']", ""},
		{"['a,b','c']", "a\\,b,c"},
		{"'a'", ""},
		{"{'a':'b'}", ""},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct facts facts;
		struct facts_room room;
		json_t *event = check_json_new("{'kind':'event'}");
		check_row("%s", rows[i].codes);
		json_object_set_new(event, "errorCode", check_json_new(rows[i].codes));
		facts_read(&facts, &room, event);
		CHECK_STR(facts.code, rows[i].expected);
		json_decref(event);
	}
}

static void
cuts_long_texts(void)
{
	/* Try each position at which a character of one to four bytes may be cut. */
	static const char *const characters[] = {
		"x", "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x98\x80"};
	for (size_t i = 0; i < CHECK_COUNT(characters); i++) {
		for (size_t before = FACTS_TEXT_SIZE - 9; before <= FACTS_TEXT_SIZE + 6; before++) {
			struct facts facts;
			struct facts_room room;
			char *text = check_repeat_new('x', before + 4);
			strcpy(text + before, characters[i]);
			check_row("%zu bytes and one of %zu", before, strlen(characters[i]));
			json_t *event = json_pack("{s:s, s:[s, s], s:[{s:s, s:s}]}", "kind",
				"event", "errorCode", text, "b", "entitiesImpacted", "entityType",
				text, "entityValue", "v");
			facts_read(&facts, &room, event);
			CHECK(strlen(facts.code) < FACTS_TEXT_SIZE);
			CHECK(strlen(facts.code) >= FACTS_TEXT_SIZE - 9);
			CHECK(utf8_is_valid(facts.code));
			CHECK(utf8_is_valid(facts.about));
			json_decref(event);
			free(text);
		}
	}
}

/* A backslash and its character are cut together, so that no text ends in a backslash. */
static void
cuts_no_escape(void)
{
	for (size_t before = FACTS_TEXT_SIZE - 9; before <= FACTS_TEXT_SIZE; before++) {
		struct facts facts;
		struct facts_room room;
		char *text = check_repeat_new('x', before + 2);
		memcpy(text + before, ",,", 2);
		check_row("%zu bytes before", before);
		json_t *event = json_pack("{s:s, s:[s]}", "kind", "event", "errorCode", text);
		facts_read(&facts, &room, event);
		size_t length = strlen(facts.code);
		CHECK(length < FACTS_TEXT_SIZE);
		CHECK(facts.code[length - 1] != '\\');
		CHECK(strchr(facts.code, ',') == NULL || strchr(facts.code, '\\') != NULL);
		json_decref(event);
		free(text);
	}
}

static void
streams_have_short_names(void)
{
	for (size_t length = FACTS_SOURCE_MAX; length <= FACTS_SOURCE_MAX + 1; length++) {
		struct facts facts;
		struct facts_room room;
		char *name = check_repeat_new('s', length);
		json_t *event =
			json_pack("{s:s, s:s, s:i}", "kind", "event", "source", name, "seq", 1);
		facts_read(&facts, &room, event);
		CHECK_STR(facts.source, length <= FACTS_SOURCE_MAX ? name : "");
		json_decref(event);
		free(name);
	}
}

static void
baselines(void)
{
	static const struct {
		const char *event;
		bool expected;
	} rows[] = {
		{"{'kind':'event','isHealthy':true,'metadata':{'baseline':'true'}}", true},
		{"{'kind':'event','isHealthy':false,'metadata':{'baseline':'true'}}", false},
		{"{'kind':'event','isHealthy':true,'metadata':{'baseline':'false'}}", false},
		{"{'kind':'event','isHealthy':true,'metadata':{'baseline':true}}", false},
		{"{'kind':'event','isHealthy':true,'metadata':'baseline'}", false},
		{"{'kind':'event','isHealthy':true}", false},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct facts facts;
		struct facts_room room;
		json_t *event = check_json_new(rows[i].event);
		check_row("%s", rows[i].event);
		facts_read(&facts, &room, event);
		CHECK_INT(facts.baseline, rows[i].expected);
		json_decref(event);
	}
}

static void
causes(void)
{
	struct facts facts;
	struct facts_room room;
	json_t *event = check_json_new("{'kind':'event','metadata':{'cause':'s-1'}}");
	facts_read(&facts, &room, event);
	CHECK_STR(facts.cause, "s-1");
	json_decref(event);
	event = check_json_new("{'kind':'event','metadata':{'cause':7}}");
	facts_read(&facts, &room, event);
	CHECK_STR(facts.cause, "");
	json_decref(event);
}

static void
copies(void)
{
	json_t *event = check_json_new(
		"{'kind':'event','id':'i','agent':'a','nodeName':'n','checkName':'c','message':'m',"
		"'recommendedAction':'NONE','processingStrategy':'STORE_ONLY','source':'s','seq':7,"
		"'isFatal':true,'errorCode':['x'],'metadata':{'cause':'j'},"
		"'entitiesImpacted':[{'entityType':'NIC','entityValue':'d'},"
		"{'entityType':'NICPort','entityValue':'1'}]}");
	struct facts facts;
	struct facts_room room;
	facts_read(&facts, &room, event);
	struct facts *copy = facts_copy_new(&facts);
	memset(&room, 'x', sizeof room);
	json_decref(event);
	const char *const texts[] = {copy->id, copy->agent, copy->node, copy->check, copy->message,
		copy->action, copy->source, copy->cause, copy->device, copy->port, copy->about,
		copy->code};
	const char *const expected[] = {
		"i", "a", "n", "c", "m", "NONE", "s", "j", "d", "1", "NIC=d,NICPort=1", "x"};
	for (size_t i = 0; i < CHECK_COUNT(texts); i++)
		CHECK_STR(texts[i], expected[i]);
	CHECK_U64(copy->seq, 7);
	CHECK(copy->fatal && !copy->healthy);
	free(copy);
}

static void
urgency(void)
{
	for (int i = 0; i < 4; i++) {
		const struct facts facts = {.fatal = i & 1, .healthy = i & 2};
		CHECK_INT(facts_are_urgent(&facts), i != 0);
	}
}

static const struct check_test tests[] = {
	{"all facts of an event are read", reads},
	{"a member that is missing or of a wrong type is ignored", reads_what_is_wrong},
	{"a seq is a whole number from 1 to 2^63-1, or a string of one", reads_numbers},
	{"entities become one text, with the device and port", reads_entities},
	{"error codes become one text", reads_codes},
	{"long texts are cut between UTF-8 characters", cuts_long_texts},
	{"an escaped comma at the cut is dropped with its backslash", cuts_no_escape},
	{"a source name that is too long is dropped", streams_have_short_names},
	{"a copy outlives the event", copies},
	{"a fatal or healthy event is urgent", urgency},
	{"only a healthy event can belong to a baseline", baselines},
	{"the cause is the id of another event", causes},
};
CHECK_MAIN(tests)

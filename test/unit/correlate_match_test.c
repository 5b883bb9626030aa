/* Unit tests of correlate's match and sighting: the values of an event that rules can ask for. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/correlate/match.h"

#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char text[] =
	"{'kind':'event','agent':'a','checkName':'C','componentClass':'NIC','isFatal':true,"
	"'isHealthy':false,'message':'m','errorCode':['e1','e2'],'recommendedAction':'NONE',"
	"'nodeName':'n','processingStrategy':'STORE_ONLY','id':'s-7','source':'s','seq':7,"
	"'generatedTimestamp':'t','metadata':{'pci':'0000:18:00.0','role':'compute','n':3},"
	"'entitiesImpacted':[{'entityType':'NIC','entityValue':'mlx5_0'},{'entityType':'NICPort',"
	"'entityValue':'1'},{'entityType':'NIC','entityValue':'mlx5_1'}]}";

/* Parse an event from a JSON text with ' for ". */
static struct sighting *
parse(const char *json)
{
	char copy[1024];
	snprintf(copy, sizeof copy, "%s", json);
	for (char *at = copy; (at = strchr(at, '\'')) != NULL;)
		*at = '"';
	json_t *record = json_loads(copy, JSON_DECODE_ANY, NULL);
	CHECK(record != NULL);
	struct sighting *sighting = sighting_new(record);
	CHECK(sighting != NULL);
	json_decref(record);
	return sighting;
}

/* Return the value of a key; "no key" for an unknown key, "none" without a value. */
static const char *
value_of(const struct sighting *event, const char *key)
{
	struct match_key parsed;
	char *copy = strdup(key);
	bool is_key = match_key_parse(&parsed, copy);
	const char *value = is_key ? match_value(event, &parsed) : "no key";
	free(copy);
	return value != NULL ? value : "none";
}

static void
values(void)
{
	static const struct {
		const char *key, *full, *empty;
	} rows[] = {
		{"agent", "a", "none"},
		{"checkName", "C", "none"},
		{"componentClass", "NIC", "none"},
		{"errorCode", "e1", "none"},
		{"isFatal", "true", "false"},
		{"message", "m", "none"},
		{"nodeName", "n", "none"},
		{"processingStrategy", "STORE_ONLY", "none"},
		{"recommendedAction", "NONE", "none"},
		{"entity.NIC", "mlx5_0", "none"},
		{"entity.NICPort", "1", "none"},
		{"entity.GPU", "none", "none"},
		{"metadata.role", "compute", "none"},
		{"metadata.n", "none", "none"},
		{"metadata.rail", "none", "none"},
		{"entity.", "no key", "no key"},
		{"metadata.", "no key", "no key"},
		{"id", "no key", "no key"},
		{"source", "no key", "no key"},
		{"isHealthy", "no key", "no key"},
		{"", "no key", "no key"},
	};
	struct sighting *full = parse(text), *empty = parse("{}");
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("%s", rows[i].key);
		CHECK_STR(value_of(full, rows[i].key), rows[i].full);
		CHECK_STR(value_of(empty, rows[i].key), rows[i].empty);
	}
	CHECK(full->has_seq && full->seq == 7 && !full->is_healthy);
	CHECK_STR(full->fields[SIGHTING_ID], "s-7");
	CHECK(!empty->has_seq);
	sighting_release(full);
	sighting_release(empty);
}

/* Any other form counts as absent. */
static void
malformed(void)
{
	static const struct {
		const char *json, *key, *value;
	} rows[] = {
		{"[]", "message", "none"},
		{"3", "message", "none"},
		{"{'message':3}", "message", "none"},
		{"{'message':true}", "message", "none"},
		{"{'isFatal':'true'}", "isFatal", "false"},
		{"{'errorCode':'e'}", "errorCode", "e"},
		{"{'errorCode':[]}", "errorCode", "none"},
		{"{'errorCode':[3,'e']}", "errorCode", "e"},
		{"{'errorCode':{'e':'e'}}", "errorCode", "none"},
		{"{'entitiesImpacted':[3,{},{'entityType':'NIC'}]}", "entity.NIC", "none"},
		{"{'entitiesImpacted':[{'entityValue':'x'}]}", "entity.NIC", "none"},
		{"{'entitiesImpacted':{'entityType':'NIC'}}", "entity.NIC", "none"},
		{"{'metadata':[{'role':'x'}]}", "metadata.role", "none"},
		{"{'metadata':{'role':null,'other':'x'}}", "metadata.other", "x"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct sighting *event = parse(rows[i].json);
		check_row("%s", rows[i].json);
		CHECK_STR(value_of(event, rows[i].key), rows[i].value);
		sighting_release(event);
	}
}

static void
is_kept(void)
{
	struct sighting *first = parse(text);
	json_t *record = sighting_encode_new(first);
	struct sighting *again = sighting_new(record);
	json_t *same = sighting_encode_new(again);
	CHECK(json_equal(record, same));
	CHECK_INT((int)again->entity_count, 3);
	CHECK_STR(again->entities[2].value, "mlx5_1");
	CHECK_INT((int)again->code_count, 2);
	CHECK_STR(again->codes[1], "e2");
	CHECK_STR(value_of(again, "metadata.pci"), "0000:18:00.0");
	CHECK(again->is_fatal && !again->is_healthy && again->seq == 7);
	/* The holder's reference stays valid. */
	CHECK(sighting_hold(again) == again);
	sighting_release(again);
	CHECK_STR(again->fields[SIGHTING_STAMP], "t");
	sighting_release(again);
	sighting_release(first);
	sighting_release(NULL);
	json_decref(record);
	json_decref(same);
}

static const struct check_test tests[] = {
	{"each known key finds the event's value, and any other key is rejected", values},
	{"a malformed member counts as absent", malformed},
	{"an encoded and decoded event keeps every value that rules can ask for", is_kept},
};
CHECK_MAIN(tests)

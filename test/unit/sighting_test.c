/* Unit tests of sighting: the time of an event, which events a healthy event answers, and
 * which report the same. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sighting.h"

#include "check.h"

#include <string.h>

#define ABOUT(nic, port) \
	"\"entitiesImpacted\":[{\"entityType\":\"NIC\",\"entityValue\":\"" nic \
	"\"},{\"entityType\":\"NICPort\",\"entityValue\":\"" port "\"}]"

/* Return an event with these members. */
static struct sighting *
event_new_of(const char *members)
{
	char text[512];
	snprintf(text, sizeof text, "{\"kind\":\"event\",%s}", members);
	struct sighting *event = sighting_read_new(text, strlen(text));
	CHECK(event != NULL);
	return event;
}

static void
answers(void)
{
	static const char event[] =
		"\"checkName\":\"C\",\"errorCode\":[\"a\",\"b\"]," ABOUT("mlx5_0", "1");
	static const struct {
		const char *healthy;
		bool answers;
	} rows[] = {
		{"\"checkName\":\"C\"", true},
		{"\"checkName\":\"C\",\"errorCode\":[]", true},
		{"\"checkName\":\"C\",\"errorCode\":[\"a\",\"b\"]", true},
		{"\"checkName\":\"C\",\"errorCode\":[\"c\",\"b\",\"a\"]", true},
		{"\"checkName\":\"C\",\"errorCode\":[\"a\"]", false},
		{"\"checkName\":\"C\",\"errorCode\":[\"b\"]", false},
		{"\"checkName\":\"D\"", false},
		{"\"message\":\"of no check\"", false},
		{"\"checkName\":\"C\"," ABOUT("mlx5_0", "1"), true},
		{"\"checkName\":\"C\"," ABOUT("mlx5_1", "1"), false},
		{"\"checkName\":\"C\"," ABOUT("mlx5_0", "2"), false},
		{"\"checkName\":\"C\",\"entitiesImpacted\":[{\"entityType\":\"NIC\","
		 "\"entityValue\":\"mlx5_0\"}]",
			true},
		{"\"checkName\":\"C\",\"entitiesImpacted\":[{\"entityType\":\"Fan\","
		 "\"entityValue\":\"mlx5_0\"}]",
			false},
	};
	struct sighting *subject = event_new_of(event);
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct sighting *healthy = event_new_of(rows[i].healthy);
		check_row("%s", rows[i].healthy);
		CHECK(sighting_answers(healthy, subject) == rows[i].answers);
		sighting_release(healthy);
	}
	sighting_release(subject);
}

/* As one PCIe failure of several cards. */
static void
answers_of_several_nics(void)
{
	static const char several[] = "\"checkName\":\"C\",\"entitiesImpacted\":["
				      "{\"entityType\":\"NIC\",\"entityValue\":\"mlx5_0\"},"
				      "{\"entityType\":\"NIC\",\"entityValue\":\"mlx5_1\"}]";
	struct sighting *both = event_new_of(several);
	struct sighting *second =
		event_new_of("\"checkName\":\"C\",\"entitiesImpacted\":["
			     "{\"entityType\":\"NIC\",\"entityValue\":\"mlx5_1\"}]");
	struct sighting *coded = event_new_of("\"checkName\":\"C\",\"errorCode\":[\"a\"]");
	CHECK(sighting_answers(both, both));
	CHECK(sighting_answers(second, both));
	CHECK(!sighting_answers(both, second));
	CHECK(!sighting_answers(coded, both));
	sighting_release(both);
	sighting_release(second);
	sighting_release(coded);
}

static void
says_the_same(void)
{
#define CODED "\"checkName\":\"C\",\"errorCode\":[\"a\",\"b\"],"
#define OF(entities) "\"entitiesImpacted\":[" entities "]"
	static const struct {
		const char *one, *other;
		bool same;
	} rows[] = {
		{CODED ABOUT("m0", "1"), CODED ABOUT("m0", "1") ",\"message\":\"later\"", true},
		{CODED ABOUT("m0", "1"), CODED ABOUT("m1", "1"), false},
		{CODED ABOUT("m0", "1"), CODED ABOUT("m0", "2"), false},
		{CODED ABOUT("m0", "1"), CODED OF("{\"entityType\":\"NIC\"}"), false},
		{CODED OF("{\"entityType\":\"NIC\"}"), CODED OF("{\"entityType\":\"NIC\"}"), true},
		{CODED OF("{\"entityType\":\"NIC\"}"), CODED OF("{\"entityType\":\"Fan\"}"), false},
		{CODED OF("{\"entityType\":\"NIC\"}"),
			CODED OF("{\"entityType\":\"NIC\",\"entityValue\":\"m0\"}"), false},
		{CODED OF("{}"), "\"checkName\":\"C\"," OF("{}"), false},
		{CODED OF("{}"), "\"checkName\":\"C\",\"errorCode\":[\"a\",\"c\"]," OF("{}"),
			false},
		{CODED OF("{}"), "\"checkName\":\"C\",\"errorCode\":[\"c\",\"b\"]," OF("{}"),
			false},
		{"\"checkName\":\"C\"", "\"checkName\":\"D\"", false},
		{"\"checkName\":\"C\"", "\"message\":\"of no check\"", false},
		{"\"message\":\"of no check\"", "\"message\":\"of no check either\"", true},
	};
#undef OF
#undef CODED
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct sighting *one = event_new_of(rows[i].one);
		struct sighting *other = event_new_of(rows[i].other);
		check_row("%s, %s", rows[i].one, rows[i].other);
		CHECK(sighting_says_the_same(one, other) == rows[i].same);
		CHECK(sighting_says_the_same(other, one) == rows[i].same);
		sighting_release(one);
		sighting_release(other);
	}
}

static void
moments(void)
{
	static const struct {
		const char *members, *reason;
	} rows[] = {
		{"\"generatedTimestamp\":\"2023-11-14T22:13:20.000001Z\"", NULL},
		{"\"generatedTimestamp\":\"yesterday\"", "\"generatedTimestamp\" is not a time"},
		{"\"nodeName\":\"n\"", "\"generatedTimestamp\" is not a time"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct sighting *event = event_new_of(rows[i].members);
		struct rec_error error;
		uint64_t at_us = 0;
		check_row("%s", rows[i].members);
		CHECK(sighting_moment(event, &at_us, &error) == (rows[i].reason == NULL));
		if (rows[i].reason != NULL)
			CHECK_STR(error.reason, rows[i].reason);
		else
			CHECK_U64(at_us, UINT64_C(1700000000000001));
		sighting_release(event);
	}
	char members[REC_NODE_MAX_BYTES + 64],
		*node = check_repeat_new('n', REC_NODE_MAX_BYTES + 1);
	snprintf(members, sizeof members, "\"nodeName\":\"%s\"", node);
	struct sighting *event = event_new_of(members);
	struct rec_error error;
	uint64_t at_us;
	CHECK(!sighting_moment(event, &at_us, &error));
	CHECK_STR(error.reason, "\"nodeName\" is too long");
	sighting_release(event);
	free(node);
}

static void
claims(void)
{
	struct sighting *parsed = event_new_of("\"message\":\"parsed\""), *read = parsed;
	json_t *json = check_json_new("{\"kind\":\"event\",\"message\":\"of JSON\"}");
	struct sighting *first = sighting_claim_new(&read, json);
	CHECK(first == parsed);
	CHECK(read == NULL);
	struct sighting *second = sighting_claim_new(&read, json);
	CHECK_STR(second->fields[SIGHTING_MESSAGE], "of JSON");
	CHECK(read == NULL);
	sighting_release(first);
	sighting_release(second);
	json_decref(json);
}

static const struct check_test tests[] = {
	{"a healthy event answers events of its check; a member that it lacks may have any value",
		answers},
	{"a healthy event about one of several NICs answers an event about all, and not otherwise",
		answers_of_several_nics},
	{"events of the same check, codes and entities report the same condition", says_the_same},
	{"the record parsed before is claimed once; then the JSON is read", claims},
	{"an event has a time, and a node name within the limit", moments},
};
CHECK_MAIN(tests)

/* Unit tests of cmrec: decoding records of the connection manager's events. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "cmrec.h"

#include "check.h"

static void
decodes(void)
{
	struct cmrec event;
	struct rec_error error;
	json_t *record = check_json_new("{'kind':'cm','device':'mlx5_0','event':'UNREACHABLE',"
					"'cause':'network','peers':3,'boottime_ns':7}");
	CHECK(cmrec_is(record));
	CHECK(cmrec_decode(record, &event, &error));
	CHECK_STR(event.device, "mlx5_0");
	CHECK_STR(event.cause, "network");
	CHECK_INT(event.peers, 3);
	CHECK_U64(event.boottime_ns, 7);
	json_decref(record);

	record = check_json_new("{'kind':'cm','device':null,'event':'REJECTED','cause':'remote',"
				"'boottime_ns':0}");
	CHECK(cmrec_decode(record, &event, &error));
	CHECK_STR(event.device, NULL);
	CHECK_INT(event.peers, 0);
	json_decref(record);

	record = check_json_new("{'kind':'async'}");
	CHECK(!cmrec_is(record));
	json_decref(record);
}

static void
refuses(void)
{
	static const char *const records[] = {
		"{'kind':'cm','event':'UNREACHABLE','boottime_ns':1}",
		"{'kind':'cm','event':'UNREACHABLE','cause':'network'}",
		"{'kind':'cm','event':'UNREACHABLE','cause':'network','boottime_ns':-1}",
		"{'kind':'cm','event':'UNREACHABLE','cause':'network','boottime_ns':1,'peers':-1}",
		"{'kind':'cm','event':'UNREACHABLE','cause':'network','boottime_ns':1,'peers':'3'}",
		"{'kind':'cm','event':'UNREACHABLE','cause':1,'boottime_ns':1}",
	};
	for (size_t i = 0; i < CHECK_COUNT(records); i++) {
		struct cmrec event;
		struct rec_error error = {.reason = ""};
		json_t *record = check_json_new(records[i]);
		check_row("%s", records[i]);
		CHECK(!cmrec_decode(record, &event, &error));
		CHECK(*error.reason != '\0');
		json_decref(record);
	}
}

static const struct check_test tests[] = {
	{"an event is decoded, and its missing members are unknown", decodes},
	{"an event without a required member is rejected with a reason", refuses},
};

CHECK_MAIN(tests)

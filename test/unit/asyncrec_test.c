/* Unit tests of asyncrec: decoding records of asynchronous events. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "asyncrec.h"

#include "check.h"

static void
decodes(void)
{
	struct asyncrec event;
	struct rec_error error;
	json_t *record = check_json_new("{'kind':'async','device':'mlx5_0','port':2,'via':'verbs',"
					"'event':'PORT_ERR','boottime_ns':7,'count':3}");
	CHECK(asyncrec_is(record));
	CHECK(asyncrec_decode(record, &event, &error));
	CHECK_STR(event.device, "mlx5_0");
	CHECK_STR(event.event, "PORT_ERR");
	CHECK_STR(event.via, "verbs");
	CHECK_INT(event.port, 2);
	CHECK_INT(event.count, 3);
	CHECK_U64(event.boottime_ns, 7);
	json_decref(record);

	record = check_json_new("{'kind':'async','device':null,'port':null,'via':'uevent',"
				"'event':'PCI_FAILED_RECOVERY','boottime_ns':0}");
	CHECK(asyncrec_decode(record, &event, &error));
	CHECK_STR(event.device, NULL);
	CHECK_INT(event.port, 0);
	CHECK_INT(event.count, 1);
	json_decref(record);
}

static void
refuses(void)
{
	static const char *const records[] = {
		"{'kind':'async','via':'link','boottime_ns':1}",
		"{'kind':'async','event':'LINK_UP','boottime_ns':1}",
		"{'kind':'async','event':'LINK_UP','via':'link'}",
		"{'kind':'async','event':'LINK_UP','via':'link','boottime_ns':-1}",
		"{'kind':'async','event':['LINK_UP'],'via':'link','boottime_ns':1}",
		"{'kind':'async','event':'LINK_UP','via':'link','boottime_ns':1,'count':0}",
		"{'kind':'async','event':'LINK_UP','via':'link','boottime_ns':1,'count':1.5}",
		"{'kind':'async','event':'LINK_UP','via':'link','boottime_ns':1,'port':-1}",
		"{'kind':'async','event':'LINK_UP','via':'link','boottime_ns':1,'device':7}",
	};
	for (size_t i = 0; i < CHECK_COUNT(records); i++) {
		struct asyncrec event;
		struct rec_error error = {.reason = ""};
		json_t *record = check_json_new(records[i]);
		check_row("%s", records[i]);
		CHECK(!asyncrec_decode(record, &event, &error));
		CHECK(*error.reason != '\0');
		json_decref(record);
	}
}

static void
knows_its_kind(void)
{
	json_t *record = check_json_new("{'kind':'cm'}");
	CHECK(!asyncrec_is(record));
	json_decref(record);
}

static const struct check_test tests[] = {
	{"an event is decoded, and its missing members are unknown", decodes},
	{"an event without a required member is rejected with a reason", refuses},
	{"a record of another kind is no asynchronous event", knows_its_kind},
};

CHECK_MAIN(tests)

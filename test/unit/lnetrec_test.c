/* Unit tests of lnetrec: decoding records of LNet. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "lnetrec.h"

#include "check.h"

/* Decode a record. The result points into the record. */
static bool
decode(const char *text, json_t **record, struct lnetrec *out)
{
	struct rec_error error = {.reason = ""};
	*record = check_json_new(text);
	bool is_good = lnetrec_decode(*record, lnetrec_kind(*record), out, &error);
	CHECK_INT(is_good, *error.reason == '\0');
	return is_good;
}

static void
decodes(void)
{
	struct lnetrec lnet;
	json_t *record;
	CHECK(decode("{'kind':'lnet.ni','boottime_ns':7,'net':'o2ib','netdev':'ib0',"
		     "'fatal_error':true,'counters':{'timeouts':1}}",
		&record, &lnet));
	CHECK_U64(lnet.boottime_ns, 7);
	CHECK_STR(lnet.net, "o2ib");
	CHECK_STR(lnet.netdev, "ib0");
	CHECK(lnet.fatal_error);
	CHECK_INT((int64_t)json_object_size(lnet.counters), 1);
	json_decref(record);
	CHECK(decode("{'kind':'lnet.ni','boottime_ns':7,'net':'tcp1','fatal_error':null}", &record,
		&lnet));
	CHECK_STR(lnet.netdev, NULL);
	CHECK(!lnet.fatal_error);
	CHECK(lnet.counters == NULL);
	json_decref(record);
	CHECK(decode("{'kind':'lnet.stats','boottime_ns':7,'counters':{}}", &record, &lnet));
	CHECK(lnet.counters != NULL);
	json_decref(record);
	CHECK(decode("{'kind':'lnet.end','boottime_ns':7,'complete':true}", &record, &lnet));
	CHECK(lnet.complete);
	json_decref(record);

	record = check_json_new("{'kind':'lnet'}");
	CHECK_INT(lnetrec_kind(record), LNETREC_OTHER);
	json_decref(record);
}

static void
refuses(void)
{
	static const char *const records[] = {
		"{'kind':'lnet.ni','boottime_ns':7,'netdev':'ib0'}",
		"{'kind':'lnet.ni','boottime_ns':7,'net':'o2ib0123456789012345678901234567'}",
		"{'kind':'lnet.ni','boottime_ns':7,'net':'o2ib','netdev':'a-name-of-16-bytes'}",
		"{'kind':'lnet.ni','boottime_ns':7,'net':'o2ib','counters':[]}",
		"{'kind':'lnet.ni','net':'o2ib'}",
		"{'kind':'lnet.stats','boottime_ns':-1}",
		"{'kind':'lnet.peers','boottime_ns':1,'counters':1}",
		"{'kind':'lnet.end','boottime_ns':7}",
	};
	for (size_t i = 0; i < CHECK_COUNT(records); i++) {
		struct lnetrec lnet;
		json_t *record;
		check_row("%s", records[i]);
		CHECK(!decode(records[i], &record, &lnet));
		json_decref(record);
	}
}

static void
sums(void)
{
	static const char *const names[] = {"a", "b", NULL};
	uint64_t sum = 0;
	json_t *counters = check_json_new("{'a':1,'b':'18446744073709551610','c':null}");
	CHECK(lnetrec_sum(counters, names, &sum));
	CHECK_U64(sum, UINT64_MAX - 4);
	json_object_set_new(counters, "a", json_integer(9));
	CHECK(!lnetrec_sum(counters, names, &sum));
	json_object_set_new(counters, "a", json_null());
	CHECK(!lnetrec_sum(counters, names, &sum));
	json_decref(counters);
	CHECK(!lnetrec_sum(NULL, names, &sum));
}

static const struct check_test tests[] = {
	{"a record is decoded, and its missing members are unknown", decodes},
	{"a record without a required or with a malformed member is rejected with a reason",
		refuses},
	{"a sum is known only if all its counters are known and it fits 64 bits", sums},
};

CHECK_MAIN(tests)

/* Unit tests of nicview's errorcounts: a port's error counters that are not 0. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/nicview/remarks.h"

#include "check.h"

#include <stdio.h>

/* Return the names and values of a port's error counters, `link_downed=3 symbol_error=7`; `>=` for
 * a saturated one. */
static const char *
found(const char *port_json)
{
	static char text[1024];
	struct counter_list list;
	struct errorcount counts[ERRORCOUNTS_MAX];
	json_t *json = check_json_new(port_json);
	struct scanrec_port port = {
		.counters = json_object_get(json, "counters"),
		.hw_counters = json_object_get(json, "hw_counters"),
		.net = json_object_get(json, "net"),
		.link_layer = json_string_value(json_object_get(json, "link_layer")),
	};

	*text = '\0';
	CHECK_INT(counter_list_init(&list), 0);
	size_t count = remarks_count_errors(&list, &port, counts);
	for (size_t i = 0; i < count; i++)
		sprintf(text + strlen(text), "%s%s%s%llu", i > 0 ? " " : "", counts[i].name,
			counts[i].full ? ">=" : "=", (unsigned long long)counts[i].value);
	counter_list_fini(&list);
	json_decref(json);
	return text;
}

static void
which(void)
{
	static const struct {
		const char *port, *expected;
	} rows[] = {
		{"{}", ""},
		{"{'counters':{'link_downed':0,'symbol_error':0}}", ""},
		{"{'counters':{'link_downed':3}}", "link_downed=3"},
		/* traffic and congestion are no errors */
		{"{'counters':{'port_rcv_data':9,'port_xmit_packets':9,'port_xmit_wait':9}}", ""},
		{"{'hw_counters':{'lifespan':10,'rx_write_requests':9}}", ""},
		/* off by default, but still an error */
		{"{'net':{'rx_crc_errors':2},'hw_counters':{'packet_seq_err':1}}",
			"packet_seq_err=1 rx_crc_errors=2"},
		/* one file, two counters */
		{"{'counters':{'symbol_error':7}}", "symbol_error=7"},
		/* a link that came up once or twice is no error */
		{"{'net':{'carrier_changes':2}}", ""},
		{"{'net':{'carrier_changes':3}}", "carrier_changes=3"},
		{"{'net':{'carrier_changes':3},'link_layer':'InfiniBand'}", ""},
		/* in the right group */
		{"{'net':{'link_downed':3},'counters':{'rnr_nak_retry_err':3}}", ""},
		/* not a number */
		{"{'counters':{'link_downed':'N/A','symbol_error':null,'port_rcv_errors':{}}}", ""},
		{"{'counters':{'symbol_error':'18446744073709551615'}}",
			"symbol_error=18446744073709551615"},
		/* saturated */
		{"{'counters':{'link_downed':255,'port_rcv_errors':65535,'symbol_error':65534}}",
			"link_downed>=255 symbol_error=65534 port_rcv_errors>=65535"},
		{"{'counters':{'link_downed':256}}", "link_downed=256"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("%s", rows[i].port);
		CHECK_STR(found(rows[i].port), rows[i].expected);
	}
}

static void
order(void)
{
	CHECK_STR(found("{'net':{'carrier_changes':9,'rx_errors':1},"
			"'hw_counters':{'out_of_sequence':2,'req_rnr_retries_exceeded':3},"
			"'counters':{'port_rcv_errors':4,'symbol_error':5,'link_error_recovery':6,"
			"'local_link_integrity_errors':7,'link_downed':8}}"),
		"link_downed=8 local_link_integrity_errors=7 symbol_error=5 "
		"req_rnr_retries_exceeded=3 link_error_recovery=6 port_rcv_errors=4 "
		"out_of_sequence=2 carrier_changes=9 rx_errors=1");
}

static void
room(void)
{
	/* ERRORCOUNTS_MAX is an upper bound. */
	struct counter_list list;
	CHECK_INT(counter_list_init(&list), 0);
	CHECK(list.count <= ERRORCOUNTS_MAX);
	counter_list_fini(&list);
}

static const struct check_test tests[] = {
	{"only error counters above zero are shown", which},
	{"errors that break a job come first", order},
	{"there is room for every counter of the list", room},
};
CHECK_MAIN(tests)

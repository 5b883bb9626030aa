/* Unit tests of ctreval's metrics and tally: the metrics page after evaluated scans. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/ctreval/evalmetrics.h"

#include "check.h"
#include "metricspage.h"
#include "num.h"

#include <stdio.h>

/* --- ctreval without its streams --- */

static struct metrics_page page;
static struct metrics *metrics;
static struct evalmetrics evalmetrics;
static struct counter_list counters;
static struct eval_setting setting;
static struct state state;
static struct event_stream stream;
static int scan_number;

/* The state of the next scan. `list_error`: why the devices could not be listed, or NULL. */
static bool torn;
static const char *list_error;

/* When ctreval starts, in nanoseconds since 1970. */
#define START_NS (1000 * NUM_NS_PER_S)

static void
take_page(void)
{
	metrics = metrics_open(page.fd);
	evalmetrics_init(&evalmetrics, metrics, &setting, START_NS);
}

static void
begin(void)
{
	CHECK_INT(counter_list_init(&counters), 0);
	setting = (struct eval_setting){.counters = &counters,
		.counter_detection = true,
		.enabled = {[CHECK_IB_STATE] = true,
			[CHECK_IB_DEGRADATION] = true,
			[CHECK_IB_CHARDEV] = true,
			[CHECK_ETH_STATE] = true,
			[CHECK_ETH_DEGRADATION] = true},
		.settle_ns = 30 * NUM_NS_PER_S,
		.confirm_scans = 1};
	state_init(&state, counters.count);
	event_stream_init(&stream, "ctreval", "n", "b", "T", "STORE_ONLY");
	CHECK_INT(metrics_page_init(&page, "test"), 0);
	take_page();
}

static void
end(void)
{
	evalmetrics_fini(&evalmetrics);
	metrics_close(metrics);
	metrics_page_fini(&page);
	state_fini(&state);
	counter_list_fini(&counters);
}

static void
give(struct scan *scan, const char *text)
{
	struct rec_error error = {.reason = ""};
	char ts[CLOCK_STAMP_SIZE];
	json_t *json = check_json_new(text);
	clock_format((uint64_t)(1700000000 + scan_number) * NUM_NS_PER_S, ts);
	json_object_set_new(json, "scan", json_integer(scan_number));
	json_object_set_new(json, "ts", json_string(ts));
	json_object_set_new(json, "boottime_ns",
		json_integer((json_int_t)((uint64_t)scan_number * NUM_NS_PER_S)));
	scan_accept(scan, scanrec_kind(json), json, &error);
	CHECK_STR(error.reason, "");
}

/* Evaluate a scan of the records of devices and ports, up to NULL. Scans are a second apart. */
static void
take_scan(const char *const *records)
{
	struct scan scan = {0};
	struct eval_result result;
	char text[256], error[32] = "";
	int complete = list_error == NULL;

	scan_number++;
	give(&scan, "{'kind':'scan.begin','node':'n','boot_id':'b'}");
	for (size_t i = 0; records[i] != NULL; i++) {
		complete &= strstr(records[i], "'error'") == NULL;
		give(&scan, records[i]);
	}
	if (list_error != NULL)
		snprintf(error, sizeof error, ",'error':'%s'", list_error);
	snprintf(text, sizeof text,
		"{'kind':'scan.end','devices':%zu,'ports':%zu,'complete':%s,'duration_us':20000%s}",
		scan.device_count + (torn ? 1 : 0), scan.port_count, complete ? "true" : "false",
		error);
	give(&scan, text);
	CHECK_INT(eval_scan(&setting, &state, &stream, &scan, &result), 0);
	evalmetrics_count(
		&evalmetrics, &(struct evalmetrics_scan){.scan = &scan,
				      .state = &state,
				      .result = &result,
				      .duration_ns = 7 * NUM_NS_PER_MS,
				      .now_ns = START_NS + (uint64_t)scan_number * NUM_NS_PER_S});
	eval_result_fini(&result);
	scan_fini(&scan);
	torn = false;
	list_error = NULL;
}

#define SCAN(...) take_scan((const char *const[]){__VA_ARGS__, NULL})

static void
take_unlisted(const char *error)
{
	list_error = error;
	take_scan((const char *const[]){NULL});
}

#define DEVICE(name, role, more) \
	"{'kind':'device','device':'" name "','ports':1,'pci':'0000:0" name \
	":00.0','monitored':true," role more "}"
#define PORT_OF(device, state, more) \
	"{'kind':'port','device':'" device "','port':1,'link_layer':'InfiniBand','state':'" state \
	"','phys_state':'LinkUp','monitored':true,'role':'compute'" more "}"
#define COMPUTE "'role':'compute'"
#define STORAGE "'role':'storage'"
#define NO_ROLE "'role':null"
#define UP(device) PORT_OF(device, "ACTIVE", "")
#define ETHERNET(device) \
	"{'kind':'port','device':'" device "','port':1,'link_layer':'Ethernet','state':'ACTIVE'," \
	"'phys_state':'LinkUp','monitored':true}"
#define DOWN(device) PORT_OF(device, "DOWN", "")
#define COUNTING(device, link_downed) \
	PORT_OF(device, "ACTIVE", ",'counters':{'link_downed':" link_downed "}")

/* --- the metrics page --- */

/* Return the value of a series on the page as text, or "" if it is missing. */
static const char *
shown(const char *series)
{
	static char value[METRICS_VALUE_SIZE];
	struct metrics_sample sample;
	for (size_t at = 0; metrics_page_next(&page, &at, &sample);) {
		size_t length = strlen(sample.family);
		if (strncmp(series, sample.family, length) != 0 ||
			strcmp(series + length, sample.tail) != 0)
			continue;
		metrics_format_value(&sample, value);
		return value;
	}
	return "";
}

#define OURS "nic_health_monitor_"
#define CHECK_SHOWN(series, value) CHECK_STR(shown(series), value)
#define CHECK_VITAL(vital, value) CHECK_U64(metrics_page_vital(&page, vital), value)

/* Return the number of series of a family. */
static size_t
count_shown(const char *family)
{
	struct metrics_sample sample;
	size_t count = 0;
	for (size_t at = 0; metrics_page_next(&page, &at, &sample);)
		count += strcmp(sample.family, family) == 0;
	return count;
}

/* Start again with a new page and other settings. */
static void
again_with(bool states, bool counted)
{
	evalmetrics_fini(&evalmetrics);
	metrics_close(metrics);
	metrics_page_fini(&page);
	CHECK_INT(metrics_page_init(&page, "test"), 0);
	for (enum layer layer = 0; layer < LAYER_N; layer++)
		setting.enabled[check_state(layer)] = states;
	setting.counter_detection = counted;
	take_page();
}

static size_t
link_downed(void)
{
	return (size_t)(counter_list_find(&counters, "link_downed") - counters.items);
}

static void
monitored(void)
{
	begin();
	SCAN(DEVICE("1", COMPUTE, ""), UP("1"), DEVICE("2", STORAGE, ""), ETHERNET("2"),
		DEVICE("3", NO_ROLE, ""), UP("3"), DEVICE("4", COMPUTE, ",'vf':true"), UP("4"),
		DEVICE("5", COMPUTE, ""), UP("5"),
		"{'kind':'device','device':'6','ports':1,'role':'management','monitored':false}",
		"{'kind':'port','device':'6','port':1,'link_layer':'Ethernet','monitored':false}",
		DEVICE("7", COMPUTE, ""));
	CHECK_SHOWN(OURS "monitored_ports{role=\"compute\"}", "2");
	CHECK_SHOWN(OURS "monitored_ports{role=\"storage\"}", "1");
	CHECK_SHOWN(OURS "monitored_ports{role=\"none\"}", "1");
	CHECK_SHOWN(OURS "devices_discovered{check=\"InfiniBandStateCheck\"}", "3");
	CHECK_SHOWN(OURS "devices_discovered{check=\"InfiniBandDegradationCheck\"}", "3");
	CHECK_SHOWN(OURS "devices_discovered{check=\"InfiniBandCharDeviceCheck\"}", "3");
	CHECK_SHOWN(OURS "devices_discovered{check=\"EthernetStateCheck\"}", "1");
	CHECK_SHOWN(OURS "devices_discovered{check=\"EthernetDegradationCheck\"}", "1");
	CHECK_VITAL(METRICS_DEVICES, 7);
	CHECK_VITAL(METRICS_MONITORED_DEVICES, 4);
	CHECK_VITAL(METRICS_MONITORED_PORTS, 4);
	CHECK_VITAL(METRICS_COMPUTE, 2);
	CHECK_VITAL(METRICS_STORAGE, 1);
	CHECK_VITAL(METRICS_NO_ROLE, 1);
	CHECK_VITAL(METRICS_TICKS, 1);
	CHECK_SHOWN("nic_port_info{device=\"6\",port=\"1\",transport=\"Ethernet\",state=\"\",phys_"
		    "state=\"\",rate=\"\",netdev=\"\",operstate=\"\"}",
		"1");
	CHECK_SHOWN("nic_scan_devices", "7");
	end();
}

static void
checks_switched_off(void)
{
	begin();
	evalmetrics_fini(&evalmetrics);
	metrics_close(metrics);
	setting.enabled[CHECK_ETH_STATE] = false;
	metrics_page_fini(&page);
	CHECK_INT(metrics_page_init(&page, "test"), 0);
	take_page();
	SCAN(DEVICE("1", COMPUTE, ""), ETHERNET("1"));
	CHECK_SHOWN(OURS "devices_discovered{check=\"EthernetStateCheck\"}", "");
	CHECK_SHOWN(OURS "devices_discovered{check=\"EthernetDegradationCheck\"}", "1");
	end();
}

static uint64_t
port_set(void)
{
	return metrics_page_vital(&page, METRICS_PORT_SET);
}

static void
which_ports(void)
{
	begin();
	CHECK_U64(port_set(), 0);
	SCAN(DEVICE("1", COMPUTE, ""), UP("1"), DEVICE("2", COMPUTE, ""), UP("2"));
	uint64_t both = port_set();
	CHECK(both != 0);
	check_row("in another order, and one down");
	SCAN(DEVICE("2", COMPUTE, ""), UP("2"), DEVICE("1", COMPUTE, ""), DOWN("1"));
	CHECK_U64(port_set(), both);
	check_row("another role");
	SCAN(DEVICE("1", COMPUTE, ""), UP("1"), DEVICE("2", STORAGE, ""), UP("2"));
	CHECK(port_set() != both && port_set() != 0);
	check_row("one is gone");
	SCAN(DEVICE("1", COMPUTE, ""), UP("1"));
	uint64_t one = port_set();
	CHECK(one != both && one != 0);
	check_row("and back");
	SCAN(DEVICE("1", COMPUTE, ""), UP("1"), DEVICE("2", COMPUTE, ""), UP("2"));
	CHECK_U64(port_set(), both);
	check_row("none");
	take_scan((const char *const[]){NULL});
	CHECK(port_set() != 0 && port_set() != one);
	CHECK_VITAL(METRICS_MONITORED_PORTS, 0);
	CHECK_SHOWN(OURS "monitored_ports{role=\"compute\"}", "0");
	end();
}

#define PORT_1 "{device=\"1\",port=\"1\",transport=\"InfiniBand\"}"

static void
unreadable(void)
{
	begin();
	SCAN(DEVICE("1", COMPUTE, ""), COUNTING("1", "5"), DEVICE("2", COMPUTE, ""), UP("2"));
	uint64_t both = port_set();
	CHECK_SHOWN("nic_port_link_downed_total" PORT_1, "5");
	SCAN(DEVICE("1", COMPUTE, ",'error':'timeout'"), DEVICE("2", COMPUTE, ""), UP("2"));
	CHECK_U64(port_set(), both);
	CHECK_VITAL(METRICS_MONITORED_DEVICES, 2);
	CHECK_SHOWN(OURS "monitored_ports{role=\"compute\"}", "2");
	CHECK_SHOWN(OURS "devices_unreadable", "1");
	CHECK_SHOWN(OURS "scan_deadline_misses_total{device=\"1\"}", "1");
	CHECK_SHOWN(OURS "scan_deadline_misses_total{device=\"2\"}", "0");
	CHECK_SHOWN("nic_device_readable{device=\"1\"}", "0");
	CHECK_SHOWN("nic_port_link_downed_total" PORT_1, "");
	CHECK_SHOWN("nic_scan_complete", "0");
	check_row("another reason, which is reported");
	for (int i = 0; i < 2; i++)
		SCAN(DEVICE("1", COMPUTE, ",'error':'EIO'"), DEVICE("2", COMPUTE, ""), UP("2"));
	CHECK_SHOWN(OURS "scan_deadline_misses_total{device=\"1\"}", "1");
	CHECK_SHOWN(OURS "standing_conditions{stage=\"ctreval\",is_fatal=\"false\"}", "1");
	CHECK_VITAL(METRICS_STANDING_DEGRADED, 1);
	SCAN(DEVICE("1", COMPUTE, ""), COUNTING("1", "5"), DEVICE("2", COMPUTE, ""), UP("2"));
	CHECK_SHOWN(OURS "standing_conditions{stage=\"ctreval\",is_fatal=\"false\"}", "0");
	CHECK_SHOWN(OURS "devices_unreadable", "0");
	CHECK_SHOWN("nic_port_link_downed_total" PORT_1, "5");
	end();
}

static void
unreadable_from_the_start(void)
{
	begin();
	for (int i = 1; i < EVAL_WAIT_SCANS; i++) {
		SCAN(DEVICE("1", COMPUTE, ",'error':'timeout'"), DEVICE("2", COMPUTE, ""), UP("2"));
		CHECK_U64(port_set(), 0);
		CHECK_SHOWN(OURS "monitored_ports{role=\"compute\"}", "");
		CHECK_SHOWN("nic_scan_devices", "2");
	}
	SCAN(DEVICE("1", COMPUTE, ",'error':'timeout'"), DEVICE("2", COMPUTE, ""), UP("2"));
	uint64_t one = port_set();
	CHECK(one != 0);
	CHECK_VITAL(METRICS_MONITORED_DEVICES, 1);
	SCAN(DEVICE("1", COMPUTE, ""), UP("1"), DEVICE("2", COMPUTE, ""), UP("2"));
	CHECK(port_set() != one);
	CHECK_VITAL(METRICS_MONITORED_DEVICES, 2);
	end();
}

static void
check_standing(const char *fatal, const char *degraded)
{
	CHECK_SHOWN(OURS "standing_conditions{stage=\"ctreval\",is_fatal=\"true\"}", fatal);
	CHECK_SHOWN(OURS "standing_conditions{stage=\"ctreval\",is_fatal=\"false\"}", degraded);
	CHECK_VITAL(METRICS_STANDING_FATAL, (uint64_t)(*fatal - '0'));
	CHECK_VITAL(METRICS_STANDING_DEGRADED, (uint64_t)(*degraded - '0'));
}

static void
standing_from_the_start(void)
{
	static const char number[] =
		OURS "standing_conditions{stage=\"ctreval\",is_fatal=\"true\"}";
	begin();
	setting.boot_grace_ns = (uint64_t)(scan_number + 3) * NUM_NS_PER_S;
	evalmetrics_show_standing(&evalmetrics, &state);
	for (int i = 0; i < 2; i++) {
		SCAN(DEVICE("1", COMPUTE, ""), UP("1"));
		CHECK_SHOWN(number, "");
		CHECK_VITAL(METRICS_STANDING_FATAL, 0);
	}
	SCAN(DEVICE("1", COMPUTE, ""), UP("1"));
	check_standing("0", "0");
	end();
	/* A condition is counted even before them. */
	begin();
	setting.boot_grace_ns = UINT64_MAX;
	state.pollstall.reported = true;
	evalmetrics_show_standing(&evalmetrics, &state);
	check_standing("0", "1");
	SCAN(DEVICE("1", COMPUTE, ""), UP("1"));
	check_standing("0", "0");
	end();
}

static void
lost_records(void)
{
	begin();
	SCAN(DEVICE("1", COMPUTE, ""), COUNTING("1", "5"), DEVICE("2", COMPUTE, ""), UP("2"));
	uint64_t both = port_set();
	torn = true;
	SCAN(DEVICE("2", COMPUTE, ""), UP("2"));
	CHECK_U64(port_set(), both);
	CHECK_SHOWN(OURS "scans_incomplete_total", "1");
	CHECK_SHOWN(OURS "scans_evaluated_total", "2");
	CHECK_SHOWN("nic_port_link_downed_total" PORT_1, "5");
	CHECK_SHOWN("nic_scan_complete", "1");
	CHECK_VITAL(METRICS_TICKS, 2);
	check_row("again");
	torn = true;
	SCAN(DEVICE("2", COMPUTE, ""), UP("2"));
	CHECK_U64(port_set(), both);
	CHECK_SHOWN("nic_port_link_downed_total" PORT_1, "");
	CHECK_SHOWN("nic_scan_complete", "0");
	check_row("whole");
	SCAN(DEVICE("1", COMPUTE, ""), COUNTING("1", "6"), DEVICE("2", COMPUTE, ""), UP("2"));
	torn = true;
	SCAN(DEVICE("2", COMPUTE, ""), UP("2"));
	CHECK_SHOWN("nic_port_link_downed_total" PORT_1, "6");
	CHECK_SHOWN(OURS "scans_incomplete_total", "3");
	end();
}

static void
not_listed(void)
{
	begin();
	SCAN(DEVICE("1", COMPUTE, ""), COUNTING("1", "5"));
	uint64_t one = port_set();
	take_unlisted("ENOENT");
	CHECK_U64(port_set(), one);
	CHECK_SHOWN(OURS "monitored_ports{role=\"compute\"}", "1");
	CHECK_SHOWN("nic_port_link_downed_total" PORT_1, "");
	CHECK_SHOWN("nic_scan_listed", "0");
	CHECK_VITAL(METRICS_UNLISTED, 1);
	CHECK_SHOWN(OURS "scans_incomplete_total", "0");
	end();
}

#define ERRORS OURS "state_check_errors_total{check=\"InfiniBandStateCheck\",device=\"1\""

static void
states(void)
{
	begin();
	SCAN(DEVICE("1", COMPUTE, ""), UP("1"));
	check_standing("0", "0");
	CHECK_SHOWN(ERRORS ",port=\"\"}", "0");
	CHECK_SHOWN(ERRORS ",port=\"1\"}", "0");
	for (int i = 0; i < 2; i++)
		SCAN(DEVICE("1", COMPUTE, ""), DOWN("1"));
	check_standing("1", "0");
	CHECK_SHOWN(ERRORS ",port=\"1\"}", "1");
	check_row("the port's report stands beside it");
	take_scan((const char *const[]){NULL});
	check_standing("2", "0");
	CHECK_SHOWN(ERRORS ",port=\"\"}", "1");
	CHECK_SHOWN(ERRORS ",port=\"1\"}", "1");
	check_row("it is back, as it was");
	SCAN(DEVICE("1", COMPUTE, ""), DOWN("1"));
	check_standing("2", "0");
	SCAN(DEVICE("1", COMPUTE, ""), UP("1"));
	check_standing("0", "0");
	check_row("its port is gone");
	SCAN(DEVICE("1", COMPUTE, ""));
	check_standing("1", "0");
	CHECK_SHOWN(ERRORS ",port=\"1\"}", "2");
	check_row("not fatal");
	SCAN(DEVICE("1", COMPUTE, ""), UP("1"));
	SCAN(DEVICE("1", COMPUTE, ""), PORT_OF("1", "INIT", ""));
	check_standing("0", "1");
	CHECK_SHOWN(ERRORS ",port=\"1\"}", "2");
	check_row("fatal, and begun without a code by an older version");
	*state_find_port(&state, "1", 1)->state_said.code = '\0';
	SCAN(DEVICE("1", COMPUTE, ""), DOWN("1"));
	check_standing("1", "0");
	CHECK_SHOWN(ERRORS ",port=\"1\"}", "3");
	end();
}

#define CHARDEV_ERRORS \
	OURS "state_check_errors_total{check=\"InfiniBandCharDeviceCheck\",device=\"1\""

static void
character_devices(void)
{
	begin();
	SCAN(DEVICE("1", COMPUTE, ",'uverbs':true"), PORT_OF("1", "ACTIVE", ",'umad':true"),
		DEVICE("2", COMPUTE, ""), ETHERNET("2"));
	CHECK_SHOWN(OURS "devices_discovered{check=\"InfiniBandCharDeviceCheck\"}", "1");
	CHECK_SHOWN(CHARDEV_ERRORS ",port=\"0\"}", "0");
	CHECK_SHOWN(CHARDEV_ERRORS ",port=\"1\"}", "0");
	CHECK_SHOWN(OURS "state_check_errors_total{check=\"InfiniBandCharDeviceCheck\",device="
			 "\"2\",port=\"0\"}",
		"");
	for (int i = 0; i < 3; i++)
		SCAN(DEVICE("1", COMPUTE, ",'uverbs':false"),
			PORT_OF("1", "ACTIVE", ",'umad':false"), DEVICE("2", COMPUTE, ""),
			ETHERNET("2"));
	check_standing("2", "0");
	CHECK_SHOWN(CHARDEV_ERRORS ",port=\"0\"}", "1");
	CHECK_SHOWN(CHARDEV_ERRORS ",port=\"1\"}", "1");
	end();
}

static void
breaches(void)
{
	static const char series[] = OURS "counter_threshold_breaches_total{counter=\"link_"
					  "downed\",device=\"1\",port=\"1\",is_"
					  "fatal=\"true\"}";
	begin();
	SCAN(DEVICE("1", COMPUTE, ""), COUNTING("1", "0"));
	CHECK_SHOWN(series, "0");
	SCAN(DEVICE("1", COMPUTE, ""), COUNTING("1", "1"));
	check_standing("1", "0");
	CHECK_SHOWN(series, "1");
	CHECK_SHOWN(ERRORS ",port=\"1\"}", "0");
	check_row("not reported again after the port's recovery");
	SCAN(DEVICE("1", COMPUTE, ""), DOWN("1"));
	check_standing("2", "0");
	SCAN(DEVICE("1", COMPUTE, ""), COUNTING("1", "1"));
	check_standing("1", "0");
	CHECK_SHOWN(series, "1");
	check_row("recovered");
	SCAN(DEVICE("1", COMPUTE, ""), COUNTING("1", "0"));
	check_standing("0", "0");
	SCAN(DEVICE("1", COMPUTE, ""), COUNTING("1", "9"));
	CHECK_SHOWN(series, "2");
	end();
}

/* A card is named by its address; too few of its ports are active. */
static void
cards(void)
{
	begin();
	SCAN(DEVICE("1", COMPUTE, ""), UP("1"), DEVICE("2", COMPUTE, ""), UP("2"),
		DEVICE("3", COMPUTE, ""), DOWN("3"));
	CHECK_SHOWN(OURS "state_check_errors_total{check=\"InfiniBandStateCheck\",device=\"0000:03:"
			 "00\",port=\"\"}",
		"1");
	check_standing("2", "0");
	end();
}

static void
durations(void)
{
	begin();
	for (int i = 0; i < 2; i++)
		SCAN(DEVICE("1", COMPUTE, ""), UP("1"));
#define CYCLE OURS "poll_cycle_duration_seconds"
	static const char *const categories[] = {"state", "counter"};
	for (size_t i = 0; i < CHECK_COUNT(categories); i++) {
		char series[128];
		check_row("%s", categories[i]);
		snprintf(series, sizeof series, CYCLE "_count{category=\"%s\"}", categories[i]);
		CHECK_SHOWN(series, "2");
		snprintf(series, sizeof series, CYCLE "_sum{category=\"%s\"}", categories[i]);
		CHECK_SHOWN(series, "0.054");
		snprintf(series, sizeof series, CYCLE "_bucket{category=\"%s\",le=\"0.025\"}",
			categories[i]);
		CHECK_SHOWN(series, "0");
	}
	CHECK_SHOWN(OURS "scan_duration_seconds_sum", "0.04");
	CHECK_SHOWN(OURS "scan_duration_seconds_bucket{le=\"0.01\"}", "0");
	CHECK_SHOWN(OURS "scan_duration_seconds_bucket{le=\"0.025\"}", "2");
	CHECK_SHOWN(OURS "evaluation_duration_seconds_count", "2");
	CHECK_SHOWN(OURS "evaluation_duration_seconds_sum", "0.014");
	CHECK_SHOWN(OURS "evaluation_duration_seconds_bucket{le=\"0.01\"}", "2");
	end();
}

static void
no_cycle_of_what_is_not_judged(void)
{
	begin();
	again_with(false, false);
	SCAN(DEVICE("1", COMPUTE, ""), UP("1"));
	CHECK_SHOWN(CYCLE "_count{category=\"state\"}", "");
	CHECK_SHOWN(CYCLE "_count{category=\"counter\"}", "");
	again_with(true, false);
	SCAN(DEVICE("1", COMPUTE, ""), UP("1"));
	CHECK_SHOWN(CYCLE "_count{category=\"state\"}", "1");
	CHECK_SHOWN(CYCLE "_count{category=\"counter\"}", "");
	end();
}

static void
completions(void)
{
#define COMPLETED OURS "poll_cycle_last_completed_timestamp_seconds"
	begin();
	scan_number = 0;
	check_row("at the start");
	again_with(true, true);
	CHECK_SHOWN(COMPLETED "{category=\"state\"}", "1000");
	check_row("a scan");
	SCAN(DEVICE("1", COMPUTE, ""), UP("1"));
	CHECK_SHOWN(COMPLETED "{category=\"state\"}", "1001");
	CHECK_SHOWN(COMPLETED "{category=\"counter\"}", "1001");
	check_row("one torn scan, and one without a list of devices");
	torn = true;
	SCAN(DEVICE("1", COMPUTE, ""), UP("1"));
	take_unlisted("ENOENT");
	CHECK_SHOWN(COMPLETED "{category=\"state\"}", "1001");
	check_row("a device that cannot be read");
	SCAN(DEVICE("1", COMPUTE, ",'error':'timeout'"));
	CHECK_SHOWN(COMPLETED "{category=\"state\"}", "1004");
	check_row("nothing is evaluated");
	again_with(false, false);
	SCAN(DEVICE("1", COMPUTE, ""), UP("1"));
	CHECK_SHOWN(COMPLETED "{category=\"state\"}", "");
	end();
}

static void
no_rdma(void)
{
	begin();
	scan_number = 0;
	again_with(true, true);
	check_row("any other error tells nothing");
	take_unlisted("EIO");
	CHECK_SHOWN(COMPLETED "{category=\"state\"}", "1000");
	CHECK_VITAL(METRICS_UNLISTED, 1);
	CHECK_U64(port_set(), 0);
	check_row("no class directory: there are no devices");
	take_unlisted("ENOENT");
	CHECK_SHOWN(COMPLETED "{category=\"state\"}", "1002");
	CHECK_SHOWN(COMPLETED "{category=\"counter\"}", "1002");
	CHECK_SHOWN("nic_scan_devices", "0");
	CHECK_VITAL(METRICS_UNLISTED, 0);
	CHECK_VITAL(METRICS_DEVICES, 0);
	uint64_t none = port_set();
	CHECK(none != 0);
	check_row("the scan lost a record");
	torn = true;
	take_unlisted("ENOENT");
	CHECK_SHOWN(COMPLETED "{category=\"state\"}", "1002");
	check_row("the driver is loaded");
	SCAN(DEVICE("1", COMPUTE, ""), UP("1"));
	CHECK_SHOWN(COMPLETED "{category=\"state\"}", "1004");
	CHECK(port_set() != none);
	check_row("a known device is not seen");
	take_unlisted("ENOENT");
	CHECK_SHOWN(COMPLETED "{category=\"state\"}", "1004");
	CHECK_VITAL(METRICS_UNLISTED, 1);
	end();
}

#define DEFERRED(check) shown(OURS "first_poll_deferred_total{check=\"" check "\"}")

static void
deferrals(void)
{
	begin();
	again_with(true, true);
	CHECK_STR(DEFERRED("InfiniBandStateCheck"), "0");
	CHECK_STR(DEFERRED("EthernetDegradationCheck"), "0");
	check_row("nothing can be listed, so no verdict waits");
	take_unlisted("ENOENT");
	CHECK_STR(DEFERRED("InfiniBandStateCheck"), "0");
	check_row("a boot, after which verdicts wait for no device");
	setting.boot_grace_ns = UINT64_MAX;
	SCAN(DEVICE("1", COMPUTE, ",'error':'timeout'"), DEVICE("2", COMPUTE, ""), UP("2"));
	CHECK_STR(DEFERRED("InfiniBandStateCheck"), "0");
	setting.boot_grace_ns = 0;
	check_row("a device cannot be read");
	for (int i = 1; i < EVAL_WAIT_SCANS; i++)
		SCAN(DEVICE("1", COMPUTE, ",'error':'timeout'"), DEVICE("2", COMPUTE, ""), UP("2"));
	CHECK_STR(DEFERRED("InfiniBandStateCheck"), "2");
	CHECK_STR(DEFERRED("EthernetDegradationCheck"), "2");
	check_row("the verdicts no longer wait");
	for (int i = 0; i < 2; i++)
		SCAN(DEVICE("1", COMPUTE, ",'error':'timeout'"), DEVICE("2", COMPUTE, ""), UP("2"));
	CHECK_STR(DEFERRED("InfiniBandStateCheck"), "2");
	end();
}

#define BREACHES(counter, fatal) \
	shown(OURS "counter_threshold_breaches_total{counter=\"" counter \
		   "\",device=\"1\",port=\"1\",is_fatal=\"" fatal "\"}")

static void
zero_from_the_start(void)
{
	begin();
	SCAN(DEVICE("1", COMPUTE, ""), COUNTING("1", "7,'symbol_error':0"),
		DEVICE("2", COMPUTE, ""), UP("2"));
	CHECK_STR(BREACHES("link_downed", "true"), "0");
	CHECK_STR(BREACHES("symbol_error", "false"), "0");
	CHECK_STR(BREACHES("symbol_error_fatal", "true"), "0");
	check_row("the other severity, an unwatched counter, one that the port lacks");
	CHECK_STR(BREACHES("link_downed", "false"), "");
	CHECK_STR(BREACHES("port_rcv_data", "false"), "");
	CHECK_STR(BREACHES("port_rcv_errors", "false"), "");
	CHECK_INT((int64_t)count_shown(OURS "counter_threshold_breaches_total"), 3);
	check_row("one that is readable later");
	SCAN(DEVICE("1", COMPUTE, ""), COUNTING("1", "7,'port_rcv_errors':3"),
		DEVICE("2", COMPUTE, ""), UP("2"));
	CHECK_STR(BREACHES("port_rcv_errors", "false"), "0");
	check_row("cards, which are compared by link layer");
	CHECK_SHOWN(OURS "state_check_errors_total{check=\"InfiniBandStateCheck\",device="
			 "\"0000:02:00\",port=\"\"}",
		"0");
	end();
}

static void
counters_switched_off(void)
{
	begin();
	again_with(true, false);
	SCAN(DEVICE("1", COMPUTE, ""), COUNTING("1", "7"));
	CHECK_INT((int64_t)count_shown(OURS "counter_threshold_breaches_total"), 0);
	end();
}

#define CONDITION(device, port, check, code, severity) \
	shown(OURS "condition{device=\"" device "\",port=\"" port "\",check=\"" check \
		   "\",code=\"" code "\",severity=\"" severity "\"}")
#define COUNT_CONDITIONS() (int64_t) count_shown(OURS "condition")
#define IB "InfiniBandStateCheck"

static void
conditions(void)
{
	begin();
	SCAN(DEVICE("1", COMPUTE, ""), COUNTING("1", "0"));
	CHECK_INT(COUNT_CONDITIONS(), 0);
	SCAN(DEVICE("1", COMPUTE, ""), PORT_OF("1", "INIT", ""));
	CHECK_STR(CONDITION("1", "1", IB, "port_state", "non_fatal"), "1");
	CHECK_INT(COUNT_CONDITIONS(), 1);
	check_row("it gets worse");
	SCAN(DEVICE("1", COMPUTE, ""), DOWN("1"));
	CHECK_STR(CONDITION("1", "1", IB, "port_state", "fatal"), "1");
	CHECK_INT(COUNT_CONDITIONS(), 1);
	check_row("a counter beside it; the scan has lost a record, and is not shown");
	torn = true;
	SCAN(DEVICE("1", COMPUTE, ""), PORT_OF("1", "ACTIVE", ",'counters':{'link_downed':1}"));
	CHECK_STR(CONDITION("1", "1", IB, "port_state", "fatal"), "");
	CHECK_STR(CONDITION("1", "1", IB, "link_downed", "fatal"), "1");
	CHECK_INT(COUNT_CONDITIONS(), 1);
	check_row("it is gone");
	take_scan((const char *const[]){NULL});
	CHECK_STR(CONDITION("1", "", IB, "nic_gone", "fatal"), "1");
	CHECK_STR(CONDITION("1", "1", IB, "link_downed", "fatal"), "1");
	check_row("all is well");
	SCAN(DEVICE("1", COMPUTE, ""), COUNTING("1", "0"));
	CHECK_INT(COUNT_CONDITIONS(), 0);
	end();
}

static void
conditions_of_others(void)
{
	begin();
	SCAN(DEVICE("1", COMPUTE, ""), UP("1"), DEVICE("2", COMPUTE, ""),
		PORT_OF("2", "ACTIVE", ",'counters':{'link_downed':0,'symbol_error':65535}"),
		DEVICE("3", COMPUTE, ""), DOWN("3"));
	check_row("a card, by its address");
	CHECK_STR(CONDITION("0000:03:00", "", IB, "card_ports", "fatal"), "1");
	CHECK_INT(COUNT_CONDITIONS(), 2);
	check_row("a saturated counter");
	SCAN(DEVICE("1", COMPUTE, ""), UP("1"), DEVICE("2", COMPUTE, ""),
		PORT_OF("2", "ACTIVE", ",'counters':{'link_downed':0,'symbol_error':65535}"),
		DEVICE("3", COMPUTE, ""), DOWN("3"));
	CHECK_STR(CONDITION("2", "1", "InfiniBandDegradationCheck", "symbol_error,saturated",
			  "non_fatal"),
		"1");
	check_standing("2", "1");
	CHECK_INT(COUNT_CONDITIONS(), 3);
	end();
}

/* Conditions restored from a state file stand before any scan. */
static void
conditions_of_the_run_before(void)
{
	begin();
	SCAN(DEVICE("1", COMPUTE, ""), COUNTING("1", "0"));
	SCAN(DEVICE("1", COMPUTE, ""), COUNTING("1", "1"));
	evalmetrics_fini(&evalmetrics);
	metrics_close(metrics);
	take_page();
	CHECK_INT(COUNT_CONDITIONS(), 0);
	evalmetrics_show_standing(&evalmetrics, &state);
	CHECK_STR(CONDITION("1", "1", IB, "link_downed", "fatal"), "1");
	check_standing("1", "0");
	CHECK_VITAL(METRICS_TICKS, 0);
	end();
}

#define OF_LINK_DOWNED "{device=\"1\",port=\"1\",check=\"" IB "\",code=\"link_downed\"}"

static void
growth(void)
{
	static const char value[] = OURS "breach_value" OF_LINK_DOWNED,
			  grown[] = OURS "breach_growth" OF_LINK_DOWNED;
	begin();
	SCAN(DEVICE("1", COMPUTE, ""), COUNTING("1", "4"));
	CHECK_SHOWN(value, "");
	SCAN(DEVICE("1", COMPUTE, ""), COUNTING("1", "5"));
	CHECK_SHOWN(value, "5");
	CHECK_SHOWN(grown, "0");
	SCAN(DEVICE("1", COMPUTE, ""), COUNTING("1", "45"));
	CHECK_SHOWN(value, "45");
	CHECK_SHOWN(grown, "40");
	check_row("the device is unreadable: the known state");
	SCAN(DEVICE("1", COMPUTE, ""), UP("1"));
	CHECK_SHOWN(value, "45");
	check_row("without the state when it was reported, as in a file of the original");
	state_find_port(&state, "1", 1)->counters[link_downed()].breach.has_value = false;
	SCAN(DEVICE("1", COMPUTE, ""), COUNTING("1", "46"));
	CHECK_SHOWN(value, "46");
	CHECK_SHOWN(grown, "");
	check_row("it has ended");
	SCAN(DEVICE("1", COMPUTE, ""), COUNTING("1", "0"));
	CHECK_SHOWN(value, "");
	end();
}

static void
flaps(void)
{
	static const char downs[] =
		OURS "flap_link_downs{device=\"1\",port=\"1\",check=\"InfiniBandDegradationCheck\","
		     "code=\"link_flap\"}";
	begin();
	SCAN(DEVICE("1", COMPUTE, ""), UP("1"));
	for (int i = 0; i < 4; i++) {
		CHECK_SHOWN(downs, i == 3 ? "3" : "");
		SCAN(DEVICE("1", COMPUTE, ""), DOWN("1"));
		SCAN(DEVICE("1", COMPUTE, ""), UP("1"));
	}
	CHECK_SHOWN(downs, "4");
	CHECK_STR(CONDITION("1", "1", "InfiniBandDegradationCheck", "link_flap", "non_fatal"), "1");
	end();
}

static void
held_back(void)
{
#define OF_PORT "{check=\"InfiniBandStateCheck\",device=\"1\",port=\"1\"}"
	static const char blips[] = OURS "port_state_blips_total" OF_PORT;
	static const char held[] = OURS "port_state_held_seconds" OF_PORT;
	begin();
	SCAN(DEVICE("1", COMPUTE, ""), UP("1"));
	CHECK_SHOWN(blips, "");
	check_row("with a hold-down");
	end();
	begin();
	setting.hold_down_ns = 3 * NUM_NS_PER_S;
	SCAN(DEVICE("1", COMPUTE, ""), UP("1"));
	CHECK_SHOWN(blips, "0");
	CHECK_SHOWN(held, "");
	SCAN(DEVICE("1", COMPUTE, ""), DOWN("1"));
	CHECK_SHOWN(held, "0");
	SCAN(DEVICE("1", COMPUTE, ""), DOWN("1"));
	CHECK_SHOWN(held, "1");
	CHECK_SHOWN(blips, "0");
	CHECK_SHOWN(ERRORS ",port=\"1\"}", "0");
	check_row("it ends by itself");
	SCAN(DEVICE("1", COMPUTE, ""), UP("1"));
	CHECK_SHOWN(held, "");
	CHECK_SHOWN(blips, "1");
	check_row("it is due");
	for (int i = 0; i < 4; i++)
		SCAN(DEVICE("1", COMPUTE, ""), DOWN("1"));
	CHECK_SHOWN(held, "");
	CHECK_SHOWN(blips, "1");
	CHECK_SHOWN(ERRORS ",port=\"1\"}", "1");
	end();
}

static void
next_process(void)
{
	begin();
	SCAN(DEVICE("1", COMPUTE, ""), UP("1"));
	SCAN(DEVICE("1", COMPUTE, ""), DOWN("1"));
	evalmetrics_fini(&evalmetrics);
	metrics_close(metrics);
	take_page();
	CHECK_U64(port_set(), 0);
	CHECK_SHOWN(ERRORS ",port=\"1\"}", "1");
	CHECK_SHOWN(OURS "scans_evaluated_total", "2");
	CHECK_SHOWN(OURS "standing_conditions{stage=\"ctreval\",is_fatal=\"true\"}", "");
	CHECK_SHOWN("nic_scan_devices", "");
	SCAN(DEVICE("1", COMPUTE, ""), DOWN("1"));
	CHECK(port_set() != 0);
	check_standing("1", "0");
	CHECK_SHOWN(OURS "scans_evaluated_total", "3");
	CHECK_SHOWN("nic_scan_devices", "1");
	end();
}

static void
no_page(void)
{
	begin();
	evalmetrics_fini(&evalmetrics);
	evalmetrics_init(&evalmetrics, NULL, &setting, START_NS);
	SCAN(DEVICE("1", COMPUTE, ""), UP("1"));
	CHECK_VITAL(METRICS_TICKS, 0);
	CHECK_SHOWN(OURS "scans_evaluated_total", "0");
	end();
}

static const struct check_test tests[] = {
	{"monitored ports and devices are counted by role and by check", monitored},
	{"a check that is switched off discovers no devices", checks_switched_off},
	{"the port set changes only with ports and roles", which_ports},
	{"an unreadable device keeps its ports, but shows no values of them", unreadable},
	{"no port is monitored until the first verdicts", unreadable_from_the_start},
	{"the number of standing conditions is unknown until the first verdicts",
		standing_from_the_start},
	{"one torn scan removes no series, but a second one in a row does", lost_records},
	{"when devices cannot be listed, their series vanish but they stay monitored", not_listed},
	{"fatal states are counted, and stand until they end", states},
	{"missing character devices count as state errors, those of a device under port 0",
		character_devices},
	{"a breach is counted when it begins, and stands until it ends", breaches},
	{"a card with fewer active ports than its peers is a state error", cards},
	{"scans and evaluations are measured", durations},
	{"a category that is not evaluated has no poll cycle", no_cycle_of_what_is_not_judged},
	{"the time of the last evaluated scan is shown, and before it the start of ctreval",
		completions},
	{"a missing class directory is an empty list of devices, unless some were known", no_rdma},
	{"scans whose verdicts wait for a device are counted for each check", deferrals},
	{"every possible breach counter starts at 0", zero_from_the_start},
	{"without counter detection there are no breach counters", counters_switched_off},
	{"each standing condition is a series, even after a torn scan", conditions},
	{"anomalous cards and saturated counters are conditions, too", conditions_of_others},
	{"conditions from before a restart keep their start time", conditions_of_the_run_before},
	{"a standing breach shows its counter's value and its growth", growth},
	{"a flapping link shows how often it went down", flaps},
	{"a held port shows for how long, and counts as a blip when it recovers by itself",
		held_back},
	{"the next process continues the counters", next_process},
	{"without a metrics page nothing happens", no_page},
};

CHECK_MAIN(tests)

/* Unit tests of ctreval's numbers and tally: what the page shows after scans that were judged. */
#include "../../tools/ctreval/numbers.h"

#include "check.h"
#include "num.h"

#include <stdio.h>

/* --- ctreval without its streams --- */

static struct metrics_page page;
static struct metrics *metrics;
static struct numbers numbers;
static struct counter_list counters;
static struct eval_setting setting;
static struct state state;
static struct event_stream stream;
static int scan_number;

/* How the next scan is. */
static bool torn, unlisted;

static void
take_page(void)
{
	metrics = metrics_open(page.fd);
	numbers_init(&numbers, metrics, setting.enabled);
}

static void
begin(void)
{
	CHECK_INT(counter_list_init(&counters), 0);
	setting = (struct eval_setting){.counters = &counters,
		.counter_detection = true,
		.enabled = {true, true, true, true},
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
	scan_take(scan, scanrec_kind(json), json, &error);
	CHECK_STR(error.reason, "");
}

/* The records of devices and ports; they end with NULL. Scans are a second apart. */
static void
take_scan(const char *const *records)
{
	struct scan scan = {0};
	struct eval_result result;
	char text[256];
	int complete = !unlisted;

	scan_number++;
	give(&scan, "{'kind':'scan.begin','node':'n','boot_id':'b'}");
	for (size_t i = 0; records[i] != NULL; i++) {
		complete &= strstr(records[i], "'error'") == NULL;
		give(&scan, records[i]);
	}
	snprintf(text, sizeof text,
		"{'kind':'scan.end','devices':%zu,'ports':%zu,'complete':%s,'duration_us':20000%s}",
		scan.device_count + (torn ? 1 : 0), scan.port_count, complete ? "true" : "false",
		unlisted ? ",'error':'ENOENT'" : "");
	give(&scan, text);
	CHECK_INT(eval_scan(&setting, &state, &stream, &scan, &result), 0);
	numbers_take(&numbers, &(struct numbers_scan){.scan = &scan,
				       .state = &state,
				       .result = &result,
				       .outbox_events = json_array_size(result.events),
				       .duration_ns = 7 * NUM_NS_PER_MS});
	eval_result_fini(&result);
	scan_fini(&scan);
	torn = unlisted = false;
}

#define SCAN(...) take_scan((const char *const[]){__VA_ARGS__, NULL})

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

/* --- what is seen --- */

/* The value of a series of the page as text; "" when it is not shown. */
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
	CHECK_SHOWN(OURS "devices_discovered{check=\"EthernetStateCheck\"}", "1");
	CHECK_SHOWN(OURS "devices_discovered{check=\"EthernetDegradationCheck\"}", "1");
	CHECK_VITAL(METRICS_DEVICES, 7);
	CHECK_VITAL(METRICS_MONITORED_DEVICES, 4);
	CHECK_VITAL(METRICS_MONITORED_PORTS, 4);
	CHECK_VITAL(METRICS_COMPUTE, 2);
	CHECK_VITAL(METRICS_STORAGE, 1);
	CHECK_VITAL(METRICS_NO_ROLE, 1);
	CHECK_VITAL(METRICS_TICKS, 1);
	CHECK_SHOWN("nic_port_info{device=\"6\",port=\"1\",transport=\"Ethernet\"}", "1");
	CHECK_SHOWN("nic_scan_devices", "7");
	end();
}

static void
checks_switched_off(void)
{
	begin();
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
	check_row("in another order, and one is down");
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
	check_row("another reason, and it is said");
	for (int i = 0; i < 2; i++)
		SCAN(DEVICE("1", COMPUTE, ",'error':'EIO'"), DEVICE("2", COMPUTE, ""), UP("2"));
	CHECK_SHOWN(OURS "scan_deadline_misses_total{device=\"1\"}", "1");
	CHECK_SHOWN(OURS "standing_conditions{is_fatal=\"false\"}", "1");
	CHECK_VITAL(METRICS_STANDING_DEGRADED, 1);
	SCAN(DEVICE("1", COMPUTE, ""), COUNTING("1", "5"), DEVICE("2", COMPUTE, ""), UP("2"));
	CHECK_SHOWN(OURS "standing_conditions{is_fatal=\"false\"}", "0");
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
	unlisted = true;
	take_scan((const char *const[]){NULL});
	CHECK_U64(port_set(), one);
	CHECK_SHOWN(OURS "monitored_ports{role=\"compute\"}", "1");
	CHECK_SHOWN("nic_port_link_downed_total" PORT_1, "");
	CHECK_SHOWN("nic_scan_listed", "0");
	CHECK_VITAL(METRICS_UNLISTED, 1);
	CHECK_SHOWN(OURS "scans_incomplete_total", "0");
	end();
}

static void
check_standing(const char *fatal, const char *degraded)
{
	CHECK_SHOWN(OURS "standing_conditions{is_fatal=\"true\"}", fatal);
	CHECK_SHOWN(OURS "standing_conditions{is_fatal=\"false\"}", degraded);
	CHECK_VITAL(METRICS_STANDING_FATAL, (uint64_t)(*fatal - '0'));
	CHECK_VITAL(METRICS_STANDING_DEGRADED, (uint64_t)(*degraded - '0'));
}

#define ERRORS OURS "state_check_errors_total{check=\"InfiniBandStateCheck\",device=\"1\""

static void
states(void)
{
	begin();
	SCAN(DEVICE("1", COMPUTE, ""), UP("1"));
	check_standing("0", "0");
	CHECK_SHOWN(ERRORS "}", "0");
	CHECK_SHOWN(ERRORS ",port=\"1\"}", "0");
	for (int i = 0; i < 2; i++)
		SCAN(DEVICE("1", COMPUTE, ""), DOWN("1"));
	check_standing("1", "0");
	CHECK_SHOWN(ERRORS ",port=\"1\"}", "1");
	check_row("its ports are not counted beside it");
	take_scan((const char *const[]){NULL});
	check_standing("1", "0");
	CHECK_SHOWN(ERRORS "}", "1");
	CHECK_SHOWN(ERRORS ",port=\"1\"}", "1");
	check_row("it is back, as it was");
	SCAN(DEVICE("1", COMPUTE, ""), DOWN("1"));
	check_standing("1", "0");
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
	end();
}

static void
breaches(void)
{
	static const char series[] = OURS
		"counter_threshold_breaches_total{counter=\"link_downed\",device=\"1\",port=\"1\",is_"
		"fatal=\"true\"}";
	begin();
	SCAN(DEVICE("1", COMPUTE, ""), COUNTING("1", "0"));
	CHECK_SHOWN(series, "");
	SCAN(DEVICE("1", COMPUTE, ""), COUNTING("1", "1"));
	check_standing("1", "0");
	CHECK_SHOWN(series, "1");
	CHECK_SHOWN(ERRORS ",port=\"1\"}", "0");
	check_row("said again, behind the port's recovery");
	SCAN(DEVICE("1", COMPUTE, ""), DOWN("1"));
	check_standing("2", "0");
	SCAN(DEVICE("1", COMPUTE, ""), COUNTING("1", "1"));
	check_standing("1", "0");
	CHECK_SHOWN(OURS "outbox_events{stage=\"ctreval\"}", "2");
	CHECK_SHOWN(series, "1");
	check_row("recovered");
	SCAN(DEVICE("1", COMPUTE, ""), COUNTING("1", "0"));
	check_standing("0", "0");
	CHECK_SHOWN(OURS "outbox_events{stage=\"ctreval\"}", "1");
	SCAN(DEVICE("1", COMPUTE, ""), COUNTING("1", "9"));
	CHECK_SHOWN(series, "2");
	end();
}

/* A card is known by its address, and none of its kind has so few active ports. */
static void
cards(void)
{
	begin();
	SCAN(DEVICE("1", COMPUTE, ""), UP("1"), DEVICE("2", COMPUTE, ""), UP("2"),
		DEVICE("3", COMPUTE, ""), DOWN("3"));
	CHECK_SHOWN(OURS
		"state_check_errors_total{check=\"InfiniBandStateCheck\",device=\"0000:03:00\"}",
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
#define DURATION OURS "poll_cycle_duration_seconds"
	CHECK_SHOWN(DURATION "_count{category=\"scan\"}", "2");
	CHECK_SHOWN(DURATION "_sum{category=\"scan\"}", "0.04");
	CHECK_SHOWN(DURATION "_bucket{category=\"scan\",le=\"0.01\"}", "0");
	CHECK_SHOWN(DURATION "_bucket{category=\"scan\",le=\"0.025\"}", "2");
	CHECK_SHOWN(DURATION "_count{category=\"evaluation\"}", "2");
	CHECK_SHOWN(DURATION "_sum{category=\"evaluation\"}", "0.014");
	CHECK_SHOWN(DURATION "_bucket{category=\"evaluation\",le=\"0.01\"}", "2");
	end();
}

static void
next_process(void)
{
	begin();
	SCAN(DEVICE("1", COMPUTE, ""), UP("1"));
	SCAN(DEVICE("1", COMPUTE, ""), DOWN("1"));
	metrics_close(metrics);
	take_page();
	CHECK_U64(port_set(), 0);
	CHECK_SHOWN(ERRORS ",port=\"1\"}", "1");
	CHECK_SHOWN(OURS "scans_evaluated_total", "2");
	CHECK_SHOWN(OURS "standing_conditions{is_fatal=\"true\"}", "");
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
	numbers_init(&numbers, NULL, setting.enabled);
	SCAN(DEVICE("1", COMPUTE, ""), UP("1"));
	CHECK_VITAL(METRICS_TICKS, 0);
	CHECK_SHOWN(OURS "scans_evaluated_total", "0");
	end();
}

static const struct check_test tests[] = {
	{"what is monitored is counted by role and by check", monitored},
	{"a check that is switched off looks at nothing", checks_switched_off},
	{"the set of ports changes with ports and roles, and with nothing else", which_ports},
	{"a device that cannot be read keeps its ports, but shows nothing of them", unreadable},
	{"nothing is monitored until the first verdicts", unreadable_from_the_start},
	{"a scan that lost a record takes nothing away, a second one in a row does", lost_records},
	{"what cannot be listed is not shown, and still monitored", not_listed},
	{"fatal states are counted, and stand until they end", states},
	{"a breach is counted when it begins, and stands until it ends", breaches},
	{"a card that its peers show to be short of ports is an error", cards},
	{"scans and evaluations are measured", durations},
	{"the next process goes on counting", next_process},
	{"without a page nothing is done", no_page},
};

CHECK_MAIN(tests)

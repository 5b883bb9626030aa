/* Unit tests of scanmetrics: a scan in Prometheus' text format, and as a metrics page. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "scanmetrics.h"

#include "check.h"
#include "metricspage.h"

#include <stdlib.h>

#define BEGIN \
	"{'kind':'scan.begin','scan':1,'node':'n','boot_id':'b','ts':'2026-01-02T03:04:05Z'," \
	"'boottime_ns':1}"
#define END_WITH(devices, ports, more) \
	"{'kind':'scan.end','scan':1,'devices':" devices ",'ports':" ports \
	",'ts':'2026-01-02T03:04:06.5Z'" more "}"
#define END(devices, ports) END_WITH(devices, ports, ",'complete':true")
#define DEVICE(name, more) "{'kind':'device','scan':1,'device':'" name "','ports':1" more "}"
#define PORT(device, n, more) \
	"{'kind':'port','scan':1,'ts':'T','boottime_ns':1,'device':'" device "','port':" n more "}"

static struct scan
scan_of(const char *const *records)
{
	struct scan scan = {0};
	struct rec_error error;
	for (size_t i = 0; records[i] != NULL; i++) {
		json_t *json = check_json_new(records[i]);
		scan_accept(&scan, scanrec_kind(json), json, &error);
	}
	return scan;
}

/* Return the exposition of these records, to free(). */
static char *
printed_new(const char *const *records)
{
	struct scan scan = scan_of(records);
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);
	CHECK_INT(scanmetrics_print(&scan, out), 0);
	fclose(out);
	scan_fini(&scan);
	return text;
}

#define PRINTED(...) printed_new((const char *const[]){__VA_ARGS__, NULL})

/* Check that the text has these lines, up to NULL. */
static void
check_lines(const char *text, const char *const *lines)
{
	for (size_t i = 0; lines[i] != NULL; i++) {
		char line[512];
		snprintf(line, sizeof line, "\n%s\n", lines[i]);
		CHECK_HAS(text, line);
	}
}

#define CHECK_LINES(text, ...) check_lines(text, (const char *const[]){__VA_ARGS__, NULL})

static void
empty_scan(void)
{
	char *text = PRINTED(BEGIN, END("0", "0"));
	CHECK_STR(text,
		"# HELP nic_scan_info Node and boot of the scan; always 1.\n"
		"# TYPE nic_scan_info gauge\n"
		"nic_scan_info{node=\"n\",boot_id=\"b\"} 1\n"
		"# HELP nic_scan_timestamp_seconds When the scan ended, in seconds since 1970.\n"
		"# TYPE nic_scan_timestamp_seconds gauge\n"
		"nic_scan_timestamp_seconds 1767323046.500000\n"
		"# HELP nic_scan_listed 1 when the class directory of RDMA devices could be "
		"listed.\n"
		"# TYPE nic_scan_listed gauge\n"
		"nic_scan_listed 1\n"
		"# HELP nic_scan_complete 1 when every device was read in full and no record was "
		"lost.\n"
		"# TYPE nic_scan_complete gauge\n"
		"nic_scan_complete 1\n"
		"# HELP nic_scan_devices Devices found, readable or not.\n"
		"# TYPE nic_scan_devices gauge\n"
		"nic_scan_devices 0\n"
		"# HELP nic_scan_ports Ports found.\n"
		"# TYPE nic_scan_ports gauge\n"
		"nic_scan_ports 0\n");
	free(text);
}

static void
scan_end(void)
{
	char *text = PRINTED(BEGIN,
		END_WITH("0", "0",
			",'complete':true,'duration_us':1000045,'unbound':['0000:01:00.0']"));
	CHECK_LINES(text, "nic_scan_duration_seconds 1.000045", "nic_pci_functions_unbound 1");
	free(text);
	text = PRINTED(BEGIN, END_WITH("0", "0", ",'complete':true,'unbound':[]"));
	CHECK_LINES(text, "nic_pci_functions_unbound 0");
	free(text);
}

/* The labels of unknown facts of a device are empty. */
#define NOTHING_KNOWN \
	"pci=\"\",vendor=\"\",driver=\"\",hca_type=\"\",fw_ver=\"\",board_id=\"\",node_guid=\"\"," \
	"numa_node=\"\","
#define NOT_CLASSIFIED "card=\"\",role=\"\",reason=\"\",monitored=\"\""

static void
not_whole(void)
{
	char *text = PRINTED(BEGIN, END("1", "0"));
	check_row("a record was lost");
	CHECK_LINES(text, "nic_scan_listed 1", "nic_scan_complete 0");
	free(text);

	check_row("a device was not read");
	text = PRINTED(
		BEGIN, DEVICE("a", ",'error':'timeout'"), END_WITH("1", "0", ",'complete':false"));
	CHECK_LINES(text, "nic_scan_listed 1", "nic_scan_complete 0", "nic_scan_devices 1",
		"nic_device_info{device=\"a\"," NOTHING_KNOWN
		"vf=\"false\",parent=\"\",error=\"timeout\"," NOT_CLASSIFIED "} 1",
		"nic_device_readable{device=\"a\"} 0");
	CHECK(strstr(text, "nic_port_") == NULL);
	free(text);

	check_row("no class directory");
	text = PRINTED(BEGIN, END_WITH("0", "0", ",'complete':false,'error':'ENOENT'"));
	CHECK_LINES(text, "nic_scan_listed 0", "nic_scan_complete 0", "nic_scan_devices 0");
	free(text);

	check_row("cut off before its end");
	text = PRINTED(BEGIN, DEVICE("a", ""));
	CHECK_LINES(text, "nic_scan_complete 0", "nic_scan_devices 1",
		"nic_scan_timestamp_seconds 1767323045.000000");
	CHECK(strstr(text, "nic_scan_listed") == NULL);
	free(text);
}

static void
device_labels(void)
{
	char *text = PRINTED(BEGIN,
		DEVICE("a",
			",'pci':'0000:18:00.0','vendor':'0x15b3','driver':'mlx5_core','hca_type':"
			"'MT4129','fw_ver':'28','board_id':'B 1','node_guid':'g','numa_node':1,'vf'"
			":true,'card':'0000:18:00','role':'compute','reason':'numa_gate',"
			"'monitored':false"),
		DEVICE("b", ",'pci':null,'numa_node':-1,'fw_ver':''"), END("2", "0"));
	CHECK_LINES(text,
		"nic_device_info{device=\"a\",pci=\"0000:18:00.0\",vendor=\"0x15b3\","
		"driver=\"mlx5_core\",hca_type=\"MT4129\",fw_ver=\"28\",board_id=\"B 1\","
		"node_guid=\"g\",numa_node=\"1\",vf=\"true\",parent=\"\",error=\"\",card=\"0000:18:"
		"00\",role=\"compute\",reason=\"numa_gate\",monitored=\"false\"} 1",
		"nic_device_info{device=\"b\"," NOTHING_KNOWN
		"vf=\"false\",parent=\"\",error=\"\"," NOT_CLASSIFIED "} 1");
	free(text);
}

static void
port_gauges(void)
{
	char *text = PRINTED(BEGIN, DEVICE("a", ""),
		PORT("a", "2",
			",'link_layer':'OmniPath','state':'ACTIVE','state_id':4,'phys_state':"
			"'LinkUp','phys_state_id':5,'rate':'2.5 Gb/sec','rate_gbps':2.5,"
			"'netdev':'e','operstate':'up','gids':{'total':3,'ipv4_mapped':1,"
			"'roce_v2':2}"),
		END("1", "1"));
#define LABELS "{device=\"a\",port=\"2\",transport=\"OmniPath\""
	CHECK_LINES(text,
		"nic_port_info" LABELS ",state=\"ACTIVE\",phys_state=\"LinkUp\","
		"rate=\"2.5 Gb/sec\",netdev=\"e\",operstate=\"up\"} 1",
		"nic_port_state" LABELS "} 4", "nic_port_phys_state" LABELS "} 5",
		"nic_port_rate_bytes_per_second" LABELS "} 312500000",
		"nic_port_gids" LABELS ",kind=\"total\"} 3",
		"nic_port_gids" LABELS ",kind=\"ipv4_mapped\"} 1",
		"nic_port_gids" LABELS ",kind=\"roce_v2\"} 2");
	free(text);
}

static void
absent(void)
{
	char *text = PRINTED(BEGIN, DEVICE("a", ""),
		PORT("a", "1",
			",'state_id':null,'rate_gbps':0,'gids':{'total':null},'counters':{'x':null,"
			"'y':'N/A','z':-1,'r':0.5},'hw_counters':null"),
		END("1", "1"));
	CHECK_INT((int64_t)check_occurrences(text, "\nnic_port_"), 1);
	CHECK_LINES(text,
		"nic_port_info{device=\"a\",port=\"1\",transport=\"\",state=\"\",phys_state=\"\","
		"rate=\"\",netdev=\"\",operstate=\"\"} 1");
	free(text);
}

static void
rate_beyond_numbers(void)
{
	char *text = PRINTED(
		BEGIN, DEVICE("a", ""), PORT("a", "1", ",'rate_gbps':1.7e308"), END("1", "1"));
	CHECK(strstr(text, "rate_bytes") == NULL);
	free(text);
}

static void
counters(void)
{
	char *text = PRINTED(BEGIN, DEVICE("a", ""),
		PORT("a", "1",
			",'link_layer':'InfiniBand','counters':{'link_downed':1,'port_rcv_data':5,"
			"'port_xmit_data':'18446744073709551615','port_rcv_packets':9},"
			"'hw_counters':{'out_of_sequence':'18446744073709551615','lifespan':12,"
			"'port_rcv_data':6},'net':{'carrier_changes':2,'lifespan':3}"),
		END("1", "1"));
#undef LABELS
#define LABELS "{device=\"a\",port=\"1\",transport=\"InfiniBand\"}"
	CHECK_LINES(text, "# TYPE nic_port_link_downed_total counter",
		"# HELP nic_port_link_downed_total Port Training State Machine failed - QP "
		"disconnect (counters/link_downed of the port).",
		"# HELP nic_port_rcv_packets_total Counter counters/port_rcv_packets of the "
		"port.",
		"# HELP nic_port_rcv_data_total Counter counters/port_rcv_data of the port, "
		"in bytes (sysfs counts 4-byte words).",
		"nic_port_link_downed_total" LABELS " 1", "nic_port_rcv_data_total" LABELS " 20",
		"nic_port_xmit_data_total" LABELS " 73786976294838206460",
		"nic_port_rcv_packets_total" LABELS " 9",
		"nic_port_out_of_sequence_total" LABELS " 18446744073709551615",
		"nic_port_hw_rcv_data_total" LABELS " 6",
		"nic_port_carrier_changes_total" LABELS " 2",
		"nic_port_lifespan_total" LABELS " 3");
	CHECK_INT((int64_t)check_occurrences(text, "lifespan_total{"), 1);
	free(text);
}

static void
contiguous(void)
{
	char *text = PRINTED(BEGIN, DEVICE("mlx5_2", ""),
		PORT("mlx5_2", "1", ",'counters':{'c':1,'a10':2}"), DEVICE("mlx5_10", ""),
		PORT("mlx5_10", "1", ",'counters':{'a9':3,'c':4,'a10':5}"), END("2", "2"));
	static const char expected[] =
		"# HELP nic_port_a9_total Counter counters/a9 of the port.\n"
		"# TYPE nic_port_a9_total counter\n"
		"nic_port_a9_total{device=\"mlx5_10\",port=\"1\",transport=\"\"} 3\n"
		"# HELP nic_port_a10_total Counter counters/a10 of the port.\n"
		"# TYPE nic_port_a10_total counter\n"
		"nic_port_a10_total{device=\"mlx5_2\",port=\"1\",transport=\"\"} 2\n"
		"nic_port_a10_total{device=\"mlx5_10\",port=\"1\",transport=\"\"} 5\n"
		"# HELP nic_port_c_total Counter counters/c of the port.\n"
		"# TYPE nic_port_c_total counter\n"
		"nic_port_c_total{device=\"mlx5_2\",port=\"1\",transport=\"\"} 1\n"
		"nic_port_c_total{device=\"mlx5_10\",port=\"1\",transport=\"\"} 4\n";
	const char *first = strstr(text, "# HELP nic_port_a9_total");
	if (CHECK(first != NULL))
		CHECK_STR(first, expected);
	free(text);
}

static void
collisions(void)
{
	/* The same name in two directories, and files of one directory that map to one name. */
	char *text = PRINTED(BEGIN, DEVICE("a", ""),
		PORT("a", "1",
			",'counters':{'own':1},'hw_counters':{'own':2,'rx_bytes':3,'x.y':4,'x-y':5,"
			"'xY':6,'port_p':10,'p':11},'net':{'own':7,'rx_bytes':8}"),
		PORT("a", "2", ",'hw_counters':{'rx_bytes':9}"), END("1", "2"));
#undef LABELS
#define LABELS "{device=\"a\",port=\"1\",transport=\"\"}"
	CHECK_LINES(text, "nic_port_own_total" LABELS " 1", "nic_port_hw_own_total" LABELS " 2",
		"nic_port_net_own_total" LABELS " 7", "nic_port_hw_rx_bytes_total" LABELS " 3",
		"nic_port_rx_bytes_total" LABELS " 8", "nic_port_x_y_total" LABELS " 4",
		"nic_port_hw_x_y_total" LABELS " 5", "nic_port_p_total" LABELS " 10",
		"nic_port_hw_p_total" LABELS " 11",
		/* A port with only one of them has the same name for it. */
		"nic_port_hw_rx_bytes_total{device=\"a\",port=\"2\",transport=\"\"} 9");
	CHECK_INT((int64_t)check_occurrences(text, "_y_x"), 3); /* HELP, TYPE and the sample */
	CHECK_INT((int64_t)check_occurrences(text, LABELS " "), 10);
	free(text);
}

/* Ports usually have the same counters in the same order; in any other case the names are the same,
 * too. */
static void
other_ports(void)
{
	char *text = PRINTED(BEGIN, DEVICE("a", ""),
		PORT("a", "1", ",'counters':{'x-y':1,'x.y':2,'z':3}"),
		PORT("a", "2", ",'counters':{'x.y':4,'z':5}"),
		PORT("a", "3", ",'counters':{'z':6,'x.y':7,'x-y':8}"), END("1", "3"));
#define SERIES(name, port) "nic_port_" name "_total{device=\"a\",port=\"" port "\",transport=\"\"} "
	CHECK_LINES(text, SERIES("x_y", "1") "1", SERIES("counters_x_y", "1") "2",
		SERIES("x_y", "2") "4", SERIES("x_y", "3") "7", SERIES("counters_x_y", "3") "8",
		SERIES("z", "1") "3", SERIES("z", "2") "5", SERIES("z", "3") "6");
	free(text);
}

static void
many_collisions(void)
{
	json_t *map = json_object();
	for (int i = 0; i < 20000; i++) {
		/* Binary digits in characters that are not allowed in a name. */
		char file[40] = "x";
		for (int bit = 0; bit < 15; bit++)
			file[1 + bit] = (i >> bit & 1) != 0 ? '-' : '.';
		json_object_set_new(map, file, json_integer(i));
	}
	json_t *port = check_json_new(PORT("a", "1", ""));
	json_object_set_new(port, "counters", map);
	struct scan scan = {0};
	struct rec_error error;
	scan_accept(&scan, SCANREC_BEGIN, check_json_new(BEGIN), &error);
	CHECK_INT(scan_accept(&scan, SCANREC_PORT, port, &error), SCAN_ACCEPTED);

	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);
	CHECK_INT(scanmetrics_print(&scan, out), 0);
	fclose(out);
	/* HELP, TYPE and one sample for each counter and for the six metrics of such a scan. */
	int64_t lines = 0;
	for (const char *at = text; *at != '\0'; at++)
		lines += *at == '\n';
	CHECK_INT(lines, 3 * (20000 + 6));
	scan_fini(&scan);
	free(text);
}

static void
full_stream(void)
{
	struct scan scan = {0};
	struct rec_error error;
	scan_accept(&scan, SCANREC_BEGIN, check_json_new(BEGIN), &error);
	FILE *out = fopen("/dev/full", "w");
	setvbuf(out, NULL, _IONBF, 0);
	CHECK_INT(scanmetrics_print(&scan, out), -1);
	fclose(out);
	scan_fini(&scan);
}

/* --- the page --- */

static void
set_page_with(struct scanmetrics *kept, struct metrics *metrics, const char *const *records)
{
	struct scan scan = scan_of(records);
	metrics_begin(metrics);
	CHECK_INT(scanmetrics_set(kept, &scan, metrics), 0);
	metrics_end(metrics);
	scan_fini(&scan);
}

/* Set the page in one round. */
static void
set_page(struct metrics *metrics, const char *const *records)
{
	struct scanmetrics once = {.known = {.items = NULL}};
	set_page_with(&once, metrics, records);
	scanmetrics_fini(&once);
}

#define SET_PAGE(metrics, ...) set_page(metrics, (const char *const[]){__VA_ARGS__, NULL})

/* Return the page in the text format. */
static const char *
page_text(const struct metrics_page *page)
{
	static char text[20000];
	struct metrics_sample sample;
	const char *family = "";
	size_t length = 0;
	text[0] = '\0';
	for (size_t at = 0; metrics_page_next(page, &at, &sample);) {
		char value[METRICS_VALUE_SIZE];
		if (strcmp(family, sample.family) != 0)
			length += (size_t)snprintf(text + length, sizeof text - length,
				"# HELP %s %s\n# TYPE %s %s\n", sample.family, sample.help,
				sample.family, sample.type == METRICS_GAUGE ? "gauge" : "counter");
		family = sample.family;
		metrics_format_value(&sample, value);
		length += (size_t)snprintf(text + length, sizeof text - length, "%s%s %s\n",
			sample.family, sample.tail, value);
	}
	return text;
}

#define EVERYTHING \
	BEGIN, \
		DEVICE("a", ",'pci':'0000:18:00.0','fw_ver':'2\\u00228\\\\','numa_node':1,'role':" \
			    "'compute'"), \
		PORT("a", "1", \
			",'link_layer':'InfiniBand','state':'ACTIVE','state_id':4,'phys_state':" \
			"'LinkUp','phys_state_id':5,'rate':'2.5 Gb/sec','rate_gbps':2.5,'gids':" \
			"{'total':3},'counters':{'link_downed':1,'port_rcv_data':5},'hw_counters'" \
			":" \
			"{'x':'18446744073709551615'},'net':{'rx_bytes':7}"), \
		DEVICE("b", ",'error':'timeout'"), \
		END_WITH("2", "1", ",'complete':false,'duration_us':1500000,'unbound':[]")

static void
page_is_the_text(void)
{
	struct metrics_page page;
	CHECK_INT(metrics_page_init(&page, "test"), 0);
	struct metrics *metrics = metrics_open(page.fd);
	SET_PAGE(metrics, EVERYTHING);
	char *text = PRINTED(EVERYTHING);
	/* A page has no trailing zeros. */
	static const char *const times[][2] = {
		{"1767323046.500000\n", "1767323046.5\n"}, {"1.500000\n", "1.5\n"}};
	for (size_t i = 0; i < CHECK_COUNT(times); i++) {
		char *at = strstr(text, times[i][0]);
		size_t cut = strlen(times[i][0]) - strlen(times[i][1]);
		CHECK(at != NULL);
		if (at != NULL)
			memmove(at + strlen(times[i][1]) - 1, at + strlen(times[i][1]) - 1 + cut,
				strlen(at + strlen(times[i][1]) - 1 + cut) + 1);
	}
	CHECK_STR(page_text(&page), text);
	free(text);
	metrics_close(metrics);
	metrics_page_fini(&page);
}

#define INFO_OF_A(state) \
	"nic_port_info{device=\"a\",port=\"1\",transport=\"\",state=\"" state \
	"\",phys_state=\"\",rate=\"\",netdev=\"\",operstate=\"\"} 1\n"

static void
page_loses_what_is_gone(void)
{
	struct metrics_page page;
	CHECK_INT(metrics_page_init(&page, "test"), 0);
	struct metrics *metrics = metrics_open(page.fd);
	SET_PAGE(metrics, BEGIN, DEVICE("a", ""),
		PORT("a", "1", ",'state':'ACTIVE','counters':{'link_downed':1}"), DEVICE("b", ""),
		PORT("b", "1", ",'counters':{'link_downed':2,'x':3}"), END("2", "2"));
	CHECK_HAS(page_text(&page), INFO_OF_A("ACTIVE"));
	CHECK_HAS(page_text(&page), "nic_port_x_total{device=\"b\",port=\"1\",transport=\"\"} 3\n");
	check_row("one is unreadable, the other in another state");
	SET_PAGE(metrics, BEGIN, DEVICE("a", ""),
		PORT("a", "1", ",'state':'DOWN','counters':{'link_downed':2}"),
		DEVICE("b", ",'error':'timeout'"), END_WITH("2", "1", ",'complete':false"));
	CHECK(strstr(page_text(&page), "nic_port_x_total") == NULL);
	CHECK(strstr(page_text(&page), "ACTIVE") == NULL);
	CHECK_HAS(page_text(&page), INFO_OF_A("DOWN"));
	CHECK_HAS(page_text(&page), "nic_port_link_downed_total{device=\"a\",port=\"1\",transport="
				    "\"\"} 2\n# HELP nic_device");
	CHECK_HAS(page_text(&page), "nic_device_readable{device=\"b\"} 0\n");
	check_row("it is gone");
	SET_PAGE(metrics, BEGIN, END("0", "0"));
	CHECK(strstr(page_text(&page), "nic_port_") == NULL);
	CHECK(strstr(page_text(&page), "nic_device_") == NULL);
	CHECK_HAS(page_text(&page), "nic_scan_devices 0\n");
	metrics_close(metrics);
	metrics_page_fini(&page);
}

/* Scan after scan a page set with what was kept has the same as one that is set anew. */
static void
page_with_kept_names(void)
{
	static const char *const scans[][6] = {
		{BEGIN, DEVICE("a", ""), PORT("a", "1", ",'counters':{'x-y':1,'x.y':2,'z':3}"),
			PORT("a", "2", ",'counters':{'x.y':4,'z':5}"), END("1", "2")},
		{BEGIN, DEVICE("a", ""), PORT("a", "1", ",'counters':{'x-y':6,'x.y':7,'z':8}"),
			PORT("a", "2", ",'counters':{'x.y':9,'z':10}"), END("1", "2")},
		{BEGIN, DEVICE("a", ""), PORT("a", "1", ",'counters':{'z':1,'x.y':2,'x-y':3}"),
			PORT("a", "2", ",'counters':{'z':4,'x-y':5},'net':{'z':6}"), END("1", "2")},
		{BEGIN, DEVICE("a", ""), PORT("a", "1", ",'counters':{'z':1}"), END("1", "1")},
		{BEGIN, END("0", "0")},
		{BEGIN, DEVICE("a", ""), PORT("a", "1", ",'counters':{'x-y':1,'x.y':2,'z':3}"),
			END("1", "1")},
	};
	struct metrics_page pages[2];
	struct metrics *metrics[2];
	struct scanmetrics kept = {.known = {.items = NULL}};
	for (size_t i = 0; i < 2; i++) {
		CHECK_INT(metrics_page_init(&pages[i], "test"), 0);
		metrics[i] = metrics_open(pages[i].fd);
	}
	for (size_t i = 0; i < CHECK_COUNT(scans); i++) {
		check_row("scan %zu", i);
		set_page(metrics[0], scans[i]);
		set_page_with(&kept, metrics[1], scans[i]);
		char *expected = strdup(page_text(&pages[0]));
		CHECK_STR(page_text(&pages[1]), expected);
		free(expected);
	}
	scanmetrics_fini(&kept);
	for (size_t i = 0; i < 2; i++) {
		metrics_close(metrics[i]);
		metrics_page_fini(&pages[i]);
	}
}

/* A file name that is gone takes no memory for long. */
static void
names_are_dropped(void)
{
	struct scanmetrics kept = {.known = {.items = NULL}};
	struct metrics_page page;
	CHECK_INT(metrics_page_init(&page, "test"), 0);
	struct metrics *metrics = metrics_open(page.fd);
	for (int i = 0; i < 20; i++) {
		char port[200];
		snprintf(port, sizeof port, PORT("a", "1", ",'counters':{'name_%d':1,'z':2}"), i);
		set_page_with(&kept, metrics,
			(const char *const[]){BEGIN, DEVICE("a", ""), port, END("1", "1"), NULL});
		CHECK(kept.counters.family_count <= 3);
	}
	scanmetrics_fini(&kept);
	metrics_close(metrics);
	metrics_page_fini(&page);
}

static void
page_beyond_64_bits(void)
{
	struct metrics_page page;
	CHECK_INT(metrics_page_init(&page, "test"), 0);
	struct metrics *metrics = metrics_open(page.fd);
#define WORDS(value) \
	BEGIN, DEVICE("a", ""), PORT("a", "1", ",'counters':{'port_rcv_data':" value "}"), \
		END("1", "1")
	static const char name[] =
		"nic_port_rcv_data_total{device=\"a\",port=\"1\",transport=\"\"} ";
	SET_PAGE(metrics, WORDS("4611686018427387903"));
	CHECK_STR(strstr(page_text(&page), name) + strlen(name), "18446744073709551612\n");
	SET_PAGE(metrics, WORDS("'18446744073709551615'"));
	CHECK_STR(strstr(page_text(&page), name) + strlen(name), "7.378697629483821e+19\n");
	SET_PAGE(metrics, WORDS("2"));
	CHECK_STR(strstr(page_text(&page), name) + strlen(name), "8\n");
	metrics_close(metrics);
	metrics_page_fini(&page);
}

static const struct check_test tests[] = {
	{"a scan without devices still gives an exposition", empty_scan},
	{"the values of the scan's end are shown", scan_end},
	{"a scan with missing or unread records is not complete", not_whole},
	{"a device's labels have its known facts", device_labels},
	{"a port's state, rate and GIDs are gauges", port_gauges},
	{"a value that was not read has no series", absent},
	{"a rate beyond the range of numbers has no series", rate_beyond_numbers},
	{"counters are exact, data is in bytes, and settings are no counters", counters},
	{"each family is in one place, in natural order", contiguous},
	{"two counters of a port never share a name", collisions},
	{"a counter's name does not depend on other ports", other_ports},
	{"thousands of names that map to one take little time", many_collisions},
	{"a failing stream is an error", full_stream},
	{"a page has the same content as the text", page_is_the_text},
	{"a page has no series of values that are gone or unreadable", page_loses_what_is_gone},
	{"a page with names kept from the scan before is as one made anew", page_with_kept_names},
	{"names of counters that are gone are dropped", names_are_dropped},
	{"a byte count beyond 64 bits is a real number", page_beyond_64_bits},
};

CHECK_MAIN(tests)

/* Unit tests of the supervisor's scrape and self: merging the metrics pages of all stages and the
 * service's own into one text. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/supervisor/scrape.h"

#include "../../tools/supervisor/answers.h"
#include "check.h"
#include "metrics.h"
#include "metricslayout.h"
#include "randomness.h"
#include "views.h"

#include <errno.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define OURS "nic_health_monitor_"

static const struct metrics_family lines_total = {
	OURS "lines_total", "Lines that were not records.", METRICS_COUNTER, METRICS_LASTING};
static const struct metrics_family depth = {
	OURS "depth", "How much waits.", METRICS_GAUGE, METRICS_PROCESS};
static const struct metrics_family seconds = {
	OURS "poll_seconds", "How long it takes.", METRICS_HISTOGRAM, METRICS_LASTING};
static const struct metrics_family state = {
	"nic_port_state", "The state.", METRICS_GAUGE, METRICS_ROUND};
static const struct metrics_family errors = {
	"nic_port_errors_total", "Errors of a port.", METRICS_COUNTER, METRICS_ROUND};

/* A service in which ctreval and emit have pages; the other stages and the service have empty
 * ones. */
struct world {
	struct service_view view;
	struct metrics_page pages[STAGE_N], own;
	struct metrics *ctreval, *emit;
	struct scrape *scrape;
};

static void
world_init(struct world *world)
{
	*world = (struct world){.view = view_of_a_healthy_node(), .scrape = scrape_new()};
	CHECK_INT(metrics_page_init(&world->own, "own"), 0);
	for (enum stage_id id = 0; id < STAGE_N; id++) {
		if (id == STAGE_LOGMATCH)
			continue;
		CHECK_INT(metrics_page_init(&world->pages[id], "test"), 0);
		world->view.stages[id].page = &world->pages[id];
	}
	world->ctreval = metrics_open(world->pages[STAGE_CTREVAL].fd);
	world->emit = metrics_open(world->pages[STAGE_EMIT].fd);
}

static void
world_fini(struct world *world)
{
	metrics_close(world->ctreval);
	metrics_close(world->emit);
	for (enum stage_id id = 0; id < STAGE_N; id++)
		metrics_page_fini(&world->pages[id]);
	metrics_page_fini(&world->own);
	scrape_free(world->scrape);
}

static const char *
text_of(struct world *world)
{
	static char text[65536];
	size_t length = 0;
	const char *made = scrape_text(world->scrape, &world->view, &world->own, &length);
	CHECK(made != NULL && length < sizeof text);
	memcpy(text, made, length);
	text[length] = '\0';
	return text;
}

static struct metrics_cell *
cell(struct metrics *metrics, const struct metrics_family *family, const char *key,
	const char *value)
{
	const struct metrics_label label = {key, value};
	return metrics_cell(metrics, family, &label, key != NULL ? 1 : 0);
}

/* --- tests --- */

static void
grouped(void)
{
	struct world world;
	world_init(&world);
	CHECK_STR(text_of(&world), "");
	/* One port after the other, as ctreval writes them. */
	static const char *const devices[] = {"b", "a"};
	for (size_t i = 0; i < CHECK_COUNT(devices); i++) {
		metrics_set(cell(world.ctreval, &state, "device", devices[i]), 1);
		metrics_set(cell(world.ctreval, &errors, "device", devices[i]), UINT64_MAX);
	}
	metrics_add(cell(world.emit, &lines_total, "stage", "emit"), 2);
	metrics_add(cell(world.ctreval, &lines_total, "stage", "ctreval"), 1);
	metrics_set_real(cell(world.emit, &depth, NULL, NULL), 0.5);
	static const struct metrics_family originals = {
		"syslog_health_monitor_errors", "Errors.", METRICS_COUNTER, METRICS_LASTING};
	metrics_add(cell(world.emit, &originals, "event", "x"), 3);
	static const char expected[] =
		"# HELP nic_health_monitor_depth How much waits.\n"
		"# TYPE nic_health_monitor_depth gauge\n"
		"nic_health_monitor_depth{node=\"gpu-1\"} 0.5\n"
		"# HELP nic_health_monitor_lines_total Lines that were not records.\n"
		"# TYPE nic_health_monitor_lines_total counter\n"
		"nic_health_monitor_lines_total{node=\"gpu-1\",stage=\"ctreval\"} 1\n"
		"nic_health_monitor_lines_total{node=\"gpu-1\",stage=\"emit\"} 2\n"
		"# HELP nic_port_errors_total Errors of a port.\n"
		"# TYPE nic_port_errors_total counter\n"
		"nic_port_errors_total{device=\"b\"} 18446744073709551615\n"
		"nic_port_errors_total{device=\"a\"} 18446744073709551615\n"
		"# HELP nic_port_state The state.\n"
		"# TYPE nic_port_state gauge\n"
		"nic_port_state{device=\"b\"} 1\n"
		"nic_port_state{device=\"a\"} 1\n"
		"# HELP syslog_health_monitor_errors Errors.\n"
		"# TYPE syslog_health_monitor_errors counter\n"
		"syslog_health_monitor_errors{node=\"gpu-1\",event=\"x\"} 3\n";
	CHECK_STR(text_of(&world), expected);
	CHECK_STR(text_of(&world), expected);
	world_fini(&world);
}

static void
first_wins(void)
{
	struct world world;
	world_init(&world);
	struct metrics_family other = {state.name, "Another help.", METRICS_COUNTER, METRICS_ROUND};
	metrics_set(cell(world.emit, &other, "device", "b"), 2);
	metrics_set(cell(world.ctreval, &state, "device", "a"), 1);
	CHECK_STR(text_of(&world), "# HELP nic_port_state The state.\n"
				   "# TYPE nic_port_state gauge\n"
				   "nic_port_state{device=\"a\"} 1\n"
				   "nic_port_state{device=\"b\"} 2\n");
	world_fini(&world);
}

static void
only_what_is_up(void)
{
	struct world world;
	world_init(&world);
	metrics_add(cell(world.ctreval, &lines_total, NULL, NULL), 1);
	metrics_set(cell(world.ctreval, &state, "device", "a"), 1);
	metrics_set(cell(world.ctreval, &depth, NULL, NULL), 1);
	CHECK_HAS(text_of(&world), "nic_port_state{");
	CHECK_HAS(text_of(&world), "depth{");
	static const enum stage_condition conditions[] = {STAGE_DOWN, STAGE_LOST, STAGE_UNWANTED};
	for (size_t i = 0; i < CHECK_COUNT(conditions); i++) {
		check_row("condition %zu", i);
		world.view.stages[STAGE_CTREVAL].condition = conditions[i];
		CHECK_STR(text_of(&world),
			"# HELP nic_health_monitor_lines_total Lines that were not records.\n"
			"# TYPE nic_health_monitor_lines_total counter\n"
			"nic_health_monitor_lines_total{node=\"gpu-1\"} 1\n");
	}
	world_fini(&world);
}

static void
nodes(void)
{
	static const struct {
		const char *node, *labels;
	} rows[] = {
		{"gpu-1", "{node=\"gpu-1\",a=\"x\"}"},
		{"", "{a=\"x\"}"},
		{"q\"b\\l\nend", "{node=\"q\\\"b\\\\l\\nend\",a=\"x\"}"},
		{"é\xff", "{node=\"é\xef\xbf\xbd\",a=\"x\"}"},
	};
	struct world world;
	world_init(&world);
	metrics_set(cell(world.emit, &depth, "a", "x"), 1);
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char line[128];
		check_row("row %zu", i);
		world.view.node = rows[i].node;
		snprintf(line, sizeof line, "\nnic_health_monitor_depth%s 1\n", rows[i].labels);
		CHECK_HAS(text_of(&world), line);
	}
	char *longest = check_repeat_new('"', 5000);
	world.view.node = longest;
	CHECK_HAS(text_of(&world), "\\\"\",a=\"x\"} 1\n");
	free(longest);
	world_fini(&world);
}

static void
histogram(void)
{
	struct world world;
	struct metrics_histogram timing;
	static const struct metrics_label scan = {"category", "scan"};
	world_init(&world);
	metrics_histogram_init(&timing, world.ctreval, &seconds, &scan, 1);
	metrics_observe(&timing, 0.75);
	CHECK_HAS(text_of(&world), "# TYPE nic_health_monitor_poll_seconds histogram\n");
	CHECK_HAS(text_of(&world),
		"nic_health_monitor_poll_seconds_bucket{node=\"gpu-1\",category=\"scan\",le=\"+"
		"Inf\"} 1\n"
		"nic_health_monitor_poll_seconds_sum{node=\"gpu-1\",category=\"scan\"} 0.75\n"
		"nic_health_monitor_poll_seconds_count{node=\"gpu-1\",category=\"scan\"} 1\n");
	metrics_histogram_init(&timing, world.ctreval, &seconds, NULL, 0);
	CHECK_HAS(text_of(&world), "\nnic_health_monitor_poll_seconds_count{node=\"gpu-1\"} 0\n");
	world_fini(&world);
}

/* Damage the page: replace each `placeholder` by `with`, which has the same length. */
static void
spoil(const struct metrics_page *page, const char *placeholder, const char *with, size_t length)
{
	unsigned char *bytes =
		mmap(NULL, METRICS_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, page->fd, 0);
	for (unsigned char *at = bytes;
		(at = memmem(at, 65536 - (size_t)(at - bytes), placeholder, length)) != NULL;)
		memcpy(at, with, length);
	munmap(bytes, METRICS_PAGE_BYTES);
}

static void
spoiled(void)
{
	static const struct {
		const char *with; /* in the place of {a="012345"} */
		bool is_good;
	} rows[] = {
		{"{a=\"0\\n345\"}", true},
		{"{a=\"0\\\"\\\\5\"}", true},
		{"{a=\"\",b=\"1\"}", true},
		{"{a=\"é2345\"}", true},
		{"_bu{a=\"345\"}", true},
		{"_count123456", true},
		{"{a=\"012345\" ", false},
		{"{a=\"012345}}", false},
		{"{a=\"01\"345\"}", false},
		{"{a=\"0\\x345\"}", false},
		{"{a=\"01234\\\"}", false},
		{"{a=\"01\xff"
		 "345\"}",
			false},
		{"{a=\"01234\xc3\"}", false},
		{"{0=\"012345\"}", false},
		{"{=\"a012345\"}", false},
		{"{a='012345'}", false},
		{"{a=\"\",,b=\"\"}", false},
		{"{a=\"\"bcd=\"\"}", false},
		{"{a=\"0123\"}}}", false},
		{"{a=\"01234\",}", false},
		{" 123456789 1", false},
		{"{}0123456789", false},
		{"{{{{{{{{{{{{", false},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct world world;
		world_init(&world);
		check_row("row %zu", i);
		metrics_set(cell(world.ctreval, &state, "a", "before"), 1);
		metrics_set(cell(world.ctreval, &state, "a", "012345"), 1);
		metrics_set(cell(world.ctreval, &state, "a", "behind"), 1);
		CHECK_INT(strlen(rows[i].with), 12);
		spoil(&world.pages[STAGE_CTREVAL], "{a=\"012345\"}", rows[i].with, 12);
		const char *text = text_of(&world);
		CHECK_INT(check_occurrences(text, "\nnic_port_state"), rows[i].is_good ? 3 : 2);
		CHECK_HAS(text, "\nnic_port_state{a=\"before\"} 1\n");
		CHECK_HAS(text, "\nnic_port_state{a=\"behind\"} 1\n");
		world_fini(&world);
	}
}

/* Prometheus rejects all metrics because of one help text that is not UTF-8. */
static void
spoiled_help(void)
{
	static const struct {
		const char *with, *help; /* of 10 bytes, and what is shown for them */
	} rows[] = {
		{"Th\xc3\xa9 state", "Th\xc3\xa9 state"},
		{"The\xff state", ""},
		{"The state\xc3", ""},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct world world;
		char expected[100];
		world_init(&world);
		check_row("row %zu", i);
		metrics_set(cell(world.ctreval, &state, NULL, NULL), 1);
		spoil(&world.pages[STAGE_CTREVAL], state.help, rows[i].with, strlen(state.help));
		snprintf(expected, sizeof expected,
			"# HELP nic_port_state %s\n# TYPE nic_port_state gauge\n"
			"nic_port_state 1\n",
			rows[i].help);
		CHECK_STR(text_of(&world), expected);
		world_fini(&world);
	}
}

/* Whatever a stage writes over its page, each line has Prometheus' form, and the other stages'
 * series are there. */
static void
hostile(void)
{
	uint64_t random = 1;
	struct world world;
	regex_t form;
	world_init(&world);
	CHECK_INT(regcomp(&form,
			  "^(# HELP [a-zA-Z_][a-zA-Z0-9_]* [^\n]*|# TYPE [a-zA-Z_][a-zA-Z0-9_]* "
			  "(gauge|counter|histogram)|[a-zA-Z_][a-zA-Z0-9_]*(\\{[a-zA-Z_][a-zA-Z0-9_"
			  "]*=\"([^\\\"]|\\\\[\\n\"])"
			  "*\"(,[a-zA-Z_][a-zA-Z0-9_]*=\"([^\\\"]|\\\\[\\n\"])*\")*\\})? "
			  "[-+0-9a-zA-Z.]+)$",
			  REG_EXTENDED | REG_NOSUB),
		0);
	metrics_add(cell(world.emit, &lines_total, "stage", "emit"), 1);
	for (int i = 0; i < 8; i++) {
		char device[8];
		snprintf(device, sizeof device, "%d", i);
		metrics_set(cell(world.ctreval, &state, "device", device), 1);
		metrics_set_real(cell(world.ctreval, &depth, "device", device), i);
	}
	unsigned char good[2048], *bytes = mmap(NULL, METRICS_PAGE_BYTES, PROT_READ | PROT_WRITE,
					  MAP_SHARED, world.pages[STAGE_CTREVAL].fd, 0);
	memcpy(good, bytes, sizeof good);
	for (int round = 0; round < 5000; round++) {
		memcpy(bytes, good, sizeof good);
		for (int i = 0; i < 4; i++) {
			size_t at = randomness_below(&random, 1300);
			bytes[at] = (unsigned char)randomness_below(&random, 256);
		}
		char *text = strdup(text_of(&world)), *rest = text;
		CHECK_HAS(
			text, "nic_health_monitor_lines_total{node=\"gpu-1\",stage=\"emit\"} 1\n");
		for (char *line; (line = strsep(&rest, "\n")) != NULL && *line != '\0';) {
			if (regexec(&form, line, 0, NULL, 0) != 0) {
				CHECK_STR(line, "in Prometheus' form");
				return;
			}
		}
		free(text);
	}
	munmap(bytes, METRICS_PAGE_BYTES);
	regfree(&form);
	world_fini(&world);
}

/* A series that points to the page's header as its family is not shown, and hides no other page. */
static void
headless(void)
{
	for (uint32_t family = 0; family < sizeof(struct metrics_header); family += 8) {
		struct world world;
		world_init(&world);
		metrics_add(cell(world.emit, &lines_total, "stage", "emit"), 1);
		metrics_set(cell(world.ctreval, &state, NULL, NULL), 1);
		unsigned char *bytes = mmap(NULL, METRICS_PAGE_BYTES, PROT_READ | PROT_WRITE,
			MAP_SHARED, world.pages[STAGE_CTREVAL].fd, 0);
		struct metrics_entry *entry = (void *)(bytes + sizeof(struct metrics_header));
		entry = (void *)((unsigned char *)entry + entry->bytes);
		CHECK_INT(entry->kind, METRICS_ENTRY_SERIES);
		entry->family = family;
		const char *text = text_of(&world);
		CHECK_HAS(
			text, "nic_health_monitor_lines_total{node=\"gpu-1\",stage=\"emit\"} 1\n");
		CHECK(strstr(text, "nic_port_state") == NULL);
		munmap(bytes, METRICS_PAGE_BYTES);
		world_fini(&world);
	}
}

static void
too_much(void)
{
	struct world world;
	size_t length;
	world_init(&world);
	metrics_set(cell(world.emit, &depth, NULL, NULL), 1);
	/* The page has each name once, but the text repeats it in each line. */
	char *name = check_repeat_new('n', 4000);
	const struct metrics_family family = {name, "help", METRICS_GAUGE, METRICS_PROCESS};
	for (int i = 0; i < 17000; i++) {
		char number[8];
		snprintf(number, sizeof number, "%d", i);
		metrics_set(cell(world.ctreval, &family, "i", number), 1);
	}
	errno = 0;
	CHECK(scrape_text(world.scrape, &world.view, &world.own, &length) == NULL);
	CHECK_INT(errno, EFBIG);
	world.view.stages[STAGE_CTREVAL].condition = STAGE_DOWN;
	CHECK_HAS(text_of(&world), "nic_health_monitor_depth{node=\"gpu-1\"} 1\n");
	for (int i = 0; i < 4100; i++) {
		char many[16];
		snprintf(many, sizeof many, "nic_%d", i);
		const struct metrics_family one = {many, "help", METRICS_GAUGE, METRICS_LASTING};
		metrics_set(cell(world.ctreval, &one, NULL, NULL), 1);
	}
	errno = 0;
	CHECK(scrape_text(world.scrape, &world.view, &world.own, &length) == NULL);
	CHECK_INT(errno, EFBIG);
	free(name);
	world_fini(&world);
}

/* --- self --- */

static void
own_numbers(void)
{
	struct world world;
	struct answers_self self;
	world_init(&world);
	metrics_page_fini(&world.own);
	CHECK_INT(answers_init_self(&self, UINT64_C(1767323045678901234)), 0);
	world.own = self.page;
	world.view.last_scan_ns = world.view.now_ns - 1234567890;
	world.view.reloads = 3;
	world.view.refused_reloads = 2;
	world.view.config_refused = true;
	world.view.stages[STAGE_LOGMATCH].condition = STAGE_UNWANTED;
	world.view.stages[STAGE_CTREVAL] = (struct stage_view){
		.condition = STAGE_DOWN, .reason = "", .restarts = 5, .stalls = 1};
	answers_update_self(&self, &world.view);
	static const char *const expected[] = {
		"# TYPE nic_health_monitor_build_info gauge\n"
		"nic_health_monitor_build_info{node=\"gpu-1\",version=\"",
		"nic_health_monitor_start_time_seconds{node=\"gpu-1\"} 1767323045.678\n",
		"nic_health_monitor_last_evaluated_scan_age_seconds{node=\"gpu-1\"} 1.234\n",
		"nic_health_monitor_stage_up{node=\"gpu-1\",stage=\"ibscan\"} 1\n"
		"nic_health_monitor_stage_up{node=\"gpu-1\",stage=\"topoclass\"} 1\n"
		"nic_health_monitor_stage_up{node=\"gpu-1\",stage=\"ctreval\"} 0\n"
		"nic_health_monitor_stage_up{node=\"gpu-1\",stage=\"correlate\"} 1\n"
		"nic_health_monitor_stage_up{node=\"gpu-1\",stage=\"emit\"} 1\n#",
		"# TYPE nic_health_monitor_stage_restarts_total counter\n",
		"nic_health_monitor_stage_restarts_total{node=\"gpu-1\",stage=\"ctreval\"} 5\n",
		"nic_health_monitor_stage_stalls_total{node=\"gpu-1\",stage=\"ctreval\"} 1\n",
		"nic_health_monitor_metrics_series_dropped{node=\"gpu-1\",stage=\"emit\"} 0\n",
		"nic_health_monitor_config_reloads_total{node=\"gpu-1\",result=\"taken\"} 3\n",
		"nic_health_monitor_config_reloads_total{node=\"gpu-1\",result=\"refused\"} 2\n",
		"nic_health_monitor_config_in_force{node=\"gpu-1\"} 0\n",
	};
	const char *text = text_of(&world);
	for (size_t i = 0; i < CHECK_COUNT(expected); i++)
		CHECK_HAS(text, expected[i]);
	CHECK(strstr(text, "logmatch") == NULL);
	/* Values that no longer apply are not shown. */
	world.view.last_scan_ns = 0;
	world.view.config_refused = false;
	world.view.stages[STAGE_CTREVAL].condition = STAGE_UNWANTED;
	answers_update_self(&self, &world.view);
	text = text_of(&world);
	CHECK(strstr(text, "scan_age") == NULL);
	CHECK(strstr(text, "ctreval") == NULL);
	CHECK_HAS(text, "nic_health_monitor_config_in_force{node=\"gpu-1\"} 1\n");
	answers_fini_self(&self);
	world.own = (struct metrics_page){.fd = -1};
	world_fini(&world);
}

static const struct check_test tests[] = {
	{"each family is in one place, sorted by name, with one help and type", grouped},
	{"the first page with a family gives its help and type", first_wins},
	{"of a stage that is not up only lasting series are shown", only_what_is_up},
	{"the service's own families have the node's name", nodes},
	{"a histogram is one family", histogram},
	{"a series that is not in Prometheus' form is left out, and no other", spoiled},
	{"a help text that is not UTF-8 is left out, and nothing else", spoiled_help},
	{"a stage that damages its page cannot damage the text", hostile},
	{"a series whose family is in the header is not shown, and hides nothing", headless},
	{"a text over the limit is refused with EFBIG", too_much},
	{"the service's own metrics match the view", own_numbers},
};
CHECK_MAIN(tests)

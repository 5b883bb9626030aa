/* Unit tests of conditionmetrics: the standing conditions as metrics. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "conditionmetrics.h"

#include "check.h"
#include "pagetext.h"
#include "utf8.h"

#include <stdio.h>

#define OURS "nic_health_monitor_"

static struct metrics_page page;
static struct metrics *metrics;
static struct condition_metrics conditions;

static void
begin(void)
{
	CHECK_INT(metrics_page_init(&page, "test"), 0);
	metrics = metrics_open(page.fd);
	condition_metrics_init(&conditions, metrics, "stage-1");
}

static void
end(void)
{
	condition_metrics_fini(&conditions);
	metrics_close(metrics);
	metrics_page_fini(&page);
}

static const char *
shown(void)
{
	return pagetext(&page);
}

static void
check_standing(const char *degraded, const char *fatal)
{
	char line[128];
	snprintf(line, sizeof line,
		OURS "standing_conditions{stage=\"stage-1\",is_fatal=\"false\"} %s\n", degraded);
	CHECK_HAS(shown(), line);
	snprintf(line, sizeof line,
		OURS "standing_conditions{stage=\"stage-1\",is_fatal=\"true\"} %s\n", fatal);
	CHECK_HAS(shown(), line);
	CHECK_U64(
		metrics_page_vital(&page, METRICS_STANDING_DEGRADED), (uint64_t)(*degraded - '0'));
	CHECK_U64(metrics_page_vital(&page, METRICS_STANDING_FATAL), (uint64_t)(*fatal - '0'));
}

static void
series(void)
{
	const struct condition_labels port = {.device = "mlx5_0",
		.port = 1,
		.check = "X",
		.code = "symbol_error",
		.word = "saturated"};
	const struct condition_labels check = {
		.device = "", .check = "Y", .code = "", .fatal = true};
	begin();
	condition_metrics_begin(&conditions);
	condition_metrics_add(&conditions, &port);
	condition_metrics_add(&conditions, &check);
	condition_metrics_add(&conditions, &check);
	condition_metrics_end(&conditions);
	check_standing("1", "1");
	CHECK_HAS(shown(),
		OURS "condition{device=\"mlx5_0\",port=\"1\",check=\"X\",code=\"symbol_error,"
		     "saturated\",severity=\"non_fatal\"} 1\n");
	CHECK_HAS(shown(), OURS "condition{device=\"\",port=\"\",check=\"Y\",code=\"\",severity="
				"\"fatal\"} 1\n");
	condition_metrics_begin(&conditions);
	condition_metrics_end(&conditions);
	check_standing("0", "0");
	CHECK(strstr(shown(), "condition{device") == NULL);
	end();
}

static void
severity_changes(void)
{
	struct condition_labels condition = {.device = "a", .check = "X", .code = "port_state"};
	begin();
	condition_metrics_begin(&conditions);
	condition_metrics_add(&conditions, &condition);
	condition_metrics_end(&conditions);
	check_standing("1", "0");
	condition.fatal = true;
	condition_metrics_begin(&conditions);
	condition_metrics_add(&conditions, &condition);
	condition_metrics_end(&conditions);
	check_standing("0", "1");
	CHECK_INT((int64_t)check_occurrences(shown(), "code=\"port_state\""), 1);
	CHECK_HAS(shown(), "severity=\"fatal\"");
	end();
}

static void
long_code(void)
{
	char *name = check_repeat_new('x', 254);
	char code[512];
	begin();
	snprintf(code, sizeof code, "%s\xC3\xA4\xC3\xA4", name);
	condition_metrics_begin(&conditions);
	condition_metrics_add(
		&conditions, &(struct condition_labels){.device = "a", .check = "X", .code = code});
	condition_metrics_end(&conditions);
	check_standing("1", "0");
	CHECK(utf8_is_valid(shown()));
	CHECK_HAS(shown(), name);
	free(name);
	end();
}

static void
no_page(void)
{
	condition_metrics_init(&conditions, NULL, "stage-1");
	condition_metrics_begin(&conditions);
	condition_metrics_add(
		&conditions, &(struct condition_labels){.device = "a", .check = "X", .code = "c"});
	condition_metrics_end(&conditions);
	condition_metrics_fini(&conditions);
}

static const struct check_test tests[] = {
	{"each condition is one series and is counted once", series},
	{"a condition that gets worse shows only its new severity", severity_changes},
	{"a long code is cut between UTF-8 characters", long_code},
	{"without a metrics page nothing happens", no_page},
};

CHECK_MAIN(tests)

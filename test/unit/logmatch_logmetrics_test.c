/* Unit tests of logmatch's metrics: counted errors and standing conditions on the metrics page. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/logmatch/logmetrics.h"

#include "check.h"
#include "metricspage.h"

#include <stdio.h>

#define OURS "nic_health_monitor_"
#define ERRORS "syslog_health_monitor_nic_driver_errors"

static struct metrics_page page;
static struct metrics *metrics;
static struct logmetrics numbers;
static struct standing standing;
static bool enabled[LOGPATTERN_N];

static void
begin(void)
{
	for (size_t i = 0; i < LOGPATTERN_N; i++)
		enabled[i] = true;
	enabled[LOGPATTERN_NETDEV_WATCHDOG] = false;
	standing = (struct standing){.count = 0};
	CHECK_INT(metrics_page_init(&page, "test"), 0);
	metrics = metrics_open(page.fd);
	logmetrics_init(&numbers, metrics, enabled);
}

static void
end(void)
{
	logmetrics_fini(&numbers);
	metrics_close(metrics);
	metrics_page_fini(&page);
}

/* Return all series of a family, one a line. */
static const char *
shown(const char *family)
{
	static char text[16384];
	struct metrics_sample sample;
	size_t length = 0;
	*text = '\0';
	for (size_t at = 0; metrics_page_next(&page, &at, &sample);) {
		char value[METRICS_VALUE_SIZE];
		metrics_format_value(&sample, value);
		if (strcmp(sample.family, family) == 0)
			length += (size_t)snprintf(
				text + length, sizeof text - length, "%s %s\n", sample.tail, value);
	}
	return text;
}

static void
errors_begin_with_zero(void)
{
	begin();
	CHECK_HAS(shown(ERRORS), "{event=\"health_poll_failed\",severity=\"fatal\"} 0\n");
	CHECK_HAS(shown(ERRORS), "{event=\"module_unplugged\",severity=\"non_fatal\"} 0\n");
	check_row("a pattern that may be either");
	CHECK_HAS(shown(ERRORS), "{event=\"probe_failed\",severity=\"fatal\"} 0\n");
	CHECK_HAS(shown(ERRORS), "{event=\"probe_failed\",severity=\"non_fatal\"} 0\n");
	check_row("a severity that it never has, a pattern that is no error, a disabled pattern");
	CHECK(strstr(shown(ERRORS), "{event=\"health_poll_failed\",severity=\"non_fatal\"}") ==
		NULL);
	CHECK(strstr(shown(ERRORS), "recovery_succeeded") == NULL);
	CHECK(strstr(shown(ERRORS), "netdev_watchdog") == NULL);
	CHECK(strstr(shown(OURS "kernel_log_matches_total"), "netdev_watchdog") == NULL);
	end();
}

static void
say(const char *device, enum logpattern pattern, bool fatal, const char *nic)
{
	struct standing_entry entry = {
		.pattern = pattern, .fatal = fatal, .strategy = "STORE_ONLY"};
	strcpy(entry.device, device);
	entry.nics.count = nic != NULL;
	snprintf(entry.nics.names[0], sizeof entry.nics.names[0], "%s", nic != NULL ? nic : "");
	standing_add(&standing, &entry);
}

#define CONDITION(device, code, severity) \
	"{device=\"" device "\",port=\"\",check=\"SysLogsNICDriverError\",code=\"" code \
	"\",severity=\"" severity "\"} 1\n"

static void
conditions(void)
{
	begin();
	CHECK_STR(shown(OURS "standing_conditions"), "");
	logmetrics_update(&numbers, &standing);
	CHECK_STR(shown(OURS "standing_conditions"), "{stage=\"logmatch\",is_fatal=\"false\"} 0\n"
						     "{stage=\"logmatch\",is_fatal=\"true\"} 0\n");
	say("0000:18:00.0", LOGPATTERN_HEALTH_POLL_FAILED, true, "mlx5_0");
	say("0000:3a:00.0", LOGPATTERN_MODULE_UNPLUGGED, false, "mlx5_1");
	logmetrics_update(&numbers, &standing);
	CHECK_STR(shown(OURS "condition"),
		CONDITION("mlx5_0", "health_poll_failed", "fatal")
			CONDITION("mlx5_1", "module_unplugged", "non_fatal"));
	CHECK_U64(metrics_page_vital(&page, METRICS_STANDING_FATAL), 1);
	CHECK_U64(metrics_page_vital(&page, METRICS_STANDING_DEGRADED), 1);
	check_row("it has ended, but cannot be taken back yet: it still stands for receivers");
	standing.entries[0].over = true;
	logmetrics_update(&numbers, &standing);
	CHECK_HAS(shown(OURS "condition"), CONDITION("mlx5_0", "health_poll_failed", "fatal"));
	check_row("it is taken back");
	struct standing_group group;
	CHECK(standing_consume(&standing, &group));
	logmetrics_update(&numbers, &standing);
	CHECK_STR(shown(OURS "condition"), CONDITION("mlx5_1", "module_unplugged", "non_fatal"));
	CHECK_STR(shown(OURS "standing_conditions"), "{stage=\"logmatch\",is_fatal=\"false\"} 1\n"
						     "{stage=\"logmatch\",is_fatal=\"true\"} 0\n");
	end();
}

/* Receivers cannot tell two devices without a name apart: they are one condition, fatal if one of
 * them is. */
static void
conditions_of_nobody(void)
{
	begin();
	say("0000:18:00.0", LOGPATTERN_PROBE_FAILED, true, NULL);
	say("0000:3a:00.0", LOGPATTERN_PROBE_FAILED, false, NULL);
	logmetrics_update(&numbers, &standing);
	CHECK_STR(shown(OURS "condition"), CONDITION("", "probe_failed", "fatal"));
	CHECK_U64(metrics_page_vital(&page, METRICS_STANDING_FATAL), 1);
	CHECK_U64(metrics_page_vital(&page, METRICS_STANDING_DEGRADED), 0);
	end();
}

static void
no_page(void)
{
	logmetrics_init(&numbers, NULL, enabled);
	logmetrics_update(&numbers, &standing);
	logmetrics_fini(&numbers);
}

static const struct check_test tests[] = {
	{"counters of enabled patterns start at 0, by severity", errors_begin_with_zero},
	{"a condition of the kernel's log is shown as long as it stands for receivers", conditions},
	{"conditions without a NIC are one condition", conditions_of_nobody},
	{"without a metrics page nothing happens", no_page},
};

CHECK_MAIN(tests)

/* Unit tests of the supervisor's restart: the backoff before a stage is restarted. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/supervisor/watch.h"

#include "check.h"
#include "num.h"

#define S NUM_NS_PER_S

static void
doubling(void)
{
	static const uint64_t seconds[] = {1, 2, 4, 8, 16, 32, 60, 60, 60};
	struct watch_restart restart = {0};
	for (size_t i = 0; i < CHECK_COUNT(seconds); i++) {
		check_row("failure %zu", i + 1);
		CHECK_U64(watch_restart_delay_ns(&restart, 0), seconds[i] * S);
	}
}

static void
for_ever(void)
{
	struct watch_restart restart = {0};
	for (int i = 0; i < 100000; i++)
		watch_restart_delay_ns(&restart, S);
	CHECK_U64(watch_restart_delay_ns(&restart, S), 60 * S);
	restart.failures = 4294967295u - 1;
	CHECK_U64(watch_restart_delay_ns(&restart, S), 60 * S);
}

static void
healthy_run(void)
{
	struct watch_restart restart = {0};
	for (int i = 0; i < 5; i++)
		watch_restart_delay_ns(&restart, 0);
	/* A minute counts as healthy, a nanosecond less does not. */
	CHECK_U64(watch_restart_delay_ns(&restart, 60 * S - 1), 32 * S);
	CHECK_U64(watch_restart_delay_ns(&restart, 60 * S), 1 * S);
	CHECK_U64(watch_restart_delay_ns(&restart, 0), 2 * S);
	CHECK_U64(watch_restart_delay_ns(&restart, UINT64_MAX), 1 * S);
}

static void
always_healthy(void)
{
	struct watch_restart restart = {0};
	for (int i = 0; i < 10; i++)
		CHECK_U64(watch_restart_delay_ns(&restart, 3600 * S), 1 * S);
}

static const struct check_test tests[] = {
	{"the delay doubles from 1 s to 60 s", doubling},
	{"the delay stays at 60 s forever", for_ever},
	{"after a minute of health the delay is 1 s again", healthy_run},
	{"a stage that always runs for an hour always waits 1 s", always_healthy},
};
CHECK_MAIN(tests)

/* live - scans this node on schedule. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "live.h"

#include "diag.h"
#include "events.h"
#include "glance.h"
#include "num.h"
#include "stop.h"
#include "told.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>
#include <unistd.h>

/* State of a run: scans, and extra scans between them. */
struct run {
	const struct live_setting *live;
	struct scanner *scanner;
	struct events events; /* valid if `glance` is not NULL */
	struct glance *glance;
};

/* Wait until `until_ns`, and meanwhile pass on events and run extra scans. Return 0, or the exit
 * code after a message. */
static int
wait_until(struct run *run, uint64_t until_ns)
{
	int status = 0;
	uint64_t now_ns;

	while (status == 0 && !stop_requested() && (now_ns = clock_monotonic_ns()) < until_ns) {
		uint64_t wake_ns = clock_earlier(until_ns, scanner_look(run->scanner));
		if (run->glance == NULL)
			stop_poll(NULL, 0, clock_left_ns(wake_ns, now_ns));
		else if (glance_due_ns(run->glance) <= now_ns)
			status = glance_run(run->glance);
		else
			status = events_wait(
				&run->events, clock_earlier(wake_ns, glance_due_ns(run->glance)));
	}
	return status < 0 ? diag_io_failure(output_name(run->live->scan.output)) : 0;
}

/* Wait until the next multiple of the interval. A late scan skips multiples instead of running
 * several at once. If the process wakes up late, it was not running: report that time as lost.
 * Returns as wait_until(). */
static int
wait_for_slot(struct run *run, uint64_t start_ns, uint64_t interval_ns)
{
	uint64_t slots = (clock_monotonic_ns() - start_ns) / interval_ns + 1;
	uint64_t next_ns = start_ns + slots * interval_ns;
	int status = wait_until(run, next_ns);
	if (status == 0 && !stop_requested())
		scanner_lose(run->scanner, clock_monotonic_ns() - next_ns);
	return status;
}

static int
scan_all(struct run *run)
{
	const struct live_setting *live = run->live;
	uint64_t start_ns = clock_monotonic_ns(), interval_ns = live->scan.interval_ns;
	int status = 0;

	for (uint64_t done = 0; status == 0 && !stop_requested();) {
		status = scanner_run(run->scanner);
		if (status != 0)
			break;
		metrics_tick(live->metrics);
		diag_catch_up();
		if (++done == live->count)
			break;
		if (interval_ns > 0)
			status = wait_for_slot(run, start_ns, interval_ns);
	}
	return status;
}

static void
check_boot_id(const char *path)
{
	char boot_id[SYSFS_TEXT_MAX];
	if (sysfs_read_file(path, boot_id, sizeof boot_id) != SYSFS_OK)
		diag_warn("%s: %s: records will have no boot id", path, strerror(errno));
}

/* Start the stall thread, if the output is records and there is an interval: metrics cannot show a
 * scan.stall, and without an interval no reader expects another scan at a given time. */
static void
watch_for_stalls(struct live_setting *live)
{
	struct scan_setting *setting = &live->scan;
	if (setting->output->scans != NULL || setting->interval_ns == 0)
		return;
	live->stall = (struct stall_setting){
		.output = setting->output,
		.node = setting->node,
		.allowed_ns = scanner_patience_ns(setting) + NUM_NS_PER_S,
	};
	setting->stall = stall_start(&live->stall);
	if (setting->stall == NULL)
		diag_warn("cannot start a thread: a scan that hangs will not be reported");
}

/* Start reading events, if --events is given; check_options() allows it only with records, which
 * show extra scans. Return an exit code. */
static int
open_events(struct run *run, struct scan_setting *setting)
{
	if (run->live->events_path == NULL)
		return 0;
	setting->told = told_new();
	run->glance = glance_new(run->scanner, setting);
	if (setting->told == NULL || run->glance == NULL) {
		diag_error("cannot start: %s", strerror(errno));
		return EXIT_OS;
	}
	run->events.output = setting->output;
	run->events.glance = run->glance;
	run->events.is_stage = run->live->metrics != NULL;
	return events_open(&run->events, run->live->events_path);
}

int
live_run(struct live_setting *live)
{
	/* Static, because a thread that hangs in the kernel may need it until the process exits. */
	static struct run run;
	struct scan_setting *setting = &live->scan;

	/* Seed now: at boot the kernel may take seconds to provide randomness, which must not count
	 * as a device's time. */
	json_object_seed(0);
	check_boot_id(setting->boot_id_path);
	setting->root = sysfs_open_root(live->sysfs_root);
	if (setting->root < 0)
		return diag_open_failure(live->sysfs_root);
	run = (struct run){.live = live, .events.fd = -1, .scanner = scanner_new(setting)};
	if (run.scanner == NULL) {
		diag_error("cannot start: %s", strerror(errno));
		close(setting->root);
		return EXIT_OS;
	}
	int status = open_events(&run, setting);
	if (status == 0) {
		watch_for_stalls(live);
		status = scan_all(&run);
		stall_stop(setting->stall);
	}
	events_close(&run.events);
	bool all_ended = glance_free(run.glance);
	if (!scanner_free(run.scanner) || !all_ended) {
		/* exit() would destroy data that a thread hanging in the kernel still uses. */
		diag_info("a device still hangs: leaving its reader behind");
		_exit(status);
	}
	told_free(setting->told);
	close(setting->root);
	return status;
}

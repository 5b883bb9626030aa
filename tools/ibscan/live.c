/* live - scans of this node, as often as asked for. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "live.h"

#include "diag.h"
#include "num.h"
#include "stop.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>
#include <unistd.h>

/* Sleeps until the next multiple of the interval that is still to come: a late scan skips, never
 * bunches. Who wakes up late was not let run. */
static void
wait_for_slot(struct scanner *scanner, uint64_t start_ns, uint64_t interval_ns)
{
	uint64_t slots = (clock_monotonic_ns() - start_ns) / interval_ns + 1;
	uint64_t next_ns = start_ns + slots * interval_ns;
	uint64_t now_ns;
	while (!stop_requested() && (now_ns = clock_monotonic_ns()) < next_ns)
		stop_poll(NULL, 0, next_ns - now_ns);
	if (!stop_requested())
		scanner_lose(scanner, clock_monotonic_ns() - next_ns);
}

static int
scan_all(struct scanner *scanner, const struct live_setting *live)
{
	uint64_t start_ns = clock_monotonic_ns(), interval_ns = live->scan.interval_ns;

	for (uint64_t done = 0; !stop_requested();) {
		int code = scanner_run(scanner);
		if (code != 0)
			return code;
		metrics_tick(live->metrics);
		diag_catch_up();
		if (++done == live->count)
			break;
		if (interval_ns > 0)
			wait_for_slot(scanner, start_ns, interval_ns);
	}
	return 0;
}

static void
check_boot_id(const char *path)
{
	char boot_id[SYSFS_TEXT_MAX];
	if (sysfs_read_file(path, boot_id, sizeof boot_id) != SYSFS_OK)
		diag_warn("%s: %s: records will have no boot id", path, strerror(errno));
}

/* Only records as they are can say that a scan stalls, and only to whom waits for others. */
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
		diag_warn("cannot start a thread: nothing will say that a scan does not get on");
}

int
live_run(struct live_setting *live)
{
	/* Also where a bad reader never returns it must be reachable to the end, hence static. */
	static struct scanner *scanner;
	struct scan_setting *setting = &live->scan;

	/* At boot a machine may take seconds to find the randomness for this: no device's time. */
	json_object_seed(0);
	check_boot_id(setting->boot_id_path);
	setting->root = sysfs_open_root(live->sysfs_root);
	if (setting->root < 0)
		return diag_open_failure(live->sysfs_root);
	scanner = scanner_new(setting);
	if (scanner == NULL) {
		diag_error("out of memory");
		close(setting->root);
		return EXIT_OS;
	}
	watch_for_stalls(live);
	int status = scan_all(scanner, live);
	stall_stop(setting->stall);
	if (!scanner_free(scanner)) {
		/* exit() would tear down what a thread that hangs in the kernel still uses. */
		diag_info("a device still hangs: leaving its reader behind");
		_exit(status);
	}
	close(setting->root);
	return status;
}

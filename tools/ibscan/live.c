/* live - scans of this node, as often as asked for. */
#include "live.h"

#include "descriptors.h"
#include "diag.h"
#include "num.h"
#include "scanner.h"
#include "stop.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* Sleeps until the next multiple of the interval that is still to come: a late scan skips, never bunches. */
static void
wait_for_slot(uint64_t start_ns, uint64_t interval_ns)
{
	uint64_t slots = (clock_monotonic_ns() - start_ns) / interval_ns + 1;
	uint64_t next_ns = start_ns + slots * interval_ns;
	uint64_t now_ns;
	while (!stop_requested() && (now_ns = clock_monotonic_ns()) < next_ns)
		stop_poll(NULL, 0, next_ns - now_ns);
}

static int
scan_all(struct scanner *scanner, const struct live_setting *setting, const char *output_name)
{
	uint64_t start_ns = clock_monotonic_ns();

	for (uint64_t done = 0; !stop_requested();) {
		if (scanner_run(scanner) < 0)
			return diag_io_failure(output_name);
		metrics_tick(setting->metrics);
		if (++done == setting->count)
			break;
		if (setting->interval_ns > 0)
			wait_for_slot(start_ns, setting->interval_ns);
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

int
live_run(const struct live_setting *live, const struct scan_config *config, struct output *output)
{
	/* Also where a bad reader never returns these must be reachable to the end, hence static. */
	static struct scan_setting setting;
	static struct scanner *scanner;
	setting = (struct scan_setting){
		.output = output,
		.config = config,
		.node = live->node,
		.boot_id_path = live->boot_id_path,
		.interval_ns = live->interval_ns,
		.device_timeout_ns = live->device_timeout_ns,
	};
	check_boot_id(live->boot_id_path);
	descriptors_init();
	setting.root = sysfs_open_root(live->sysfs_root);
	if (setting.root < 0)
		return diag_open_failure(live->sysfs_root);
	scanner = scanner_new(&setting);
	if (scanner == NULL) {
		diag_error("out of memory");
		close(setting.root);
		return EXIT_OS;
	}
	int status = scan_all(scanner, live, output_name(output));
	if (!scanner_free(scanner)) {
		/* exit() would tear down what a thread that hangs in the kernel still uses. */
		diag_info("a device still hangs: leaving its reader behind");
		_exit(status);
	}
	close(setting.root);
	return status;
}

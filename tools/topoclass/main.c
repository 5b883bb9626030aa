/* topoclass - adds to scan records which NIC is compute, storage or management.
 *
 *   main.c      options, wiring, exit
 *   scanbuf.c   buffers the records of one scan until its end
 *   gpus.c      loads and refreshes the locations of the GPUs
 *   metadata.c  reader: GPUs and their distance to each NIC, from gpu_metadata.json or the PCI bus
 *   route.c     reader: the interface of the host's default route
 *   memory.c    what a run remembers between scans
 *   classify.c  decision, pure: spec#role-rules
 *   absent.c    decision, pure: which NICs of the metadata or the bus are absent, and which lost
 *   annotate.c  collects facts from records and adds verdicts to records */
/* SPDX-License-Identifier: Apache-2.0 */
#include "absent.h"
#include "annotate.h"
#include "array.h"
#include "conf.h"
#include "confine.h"
#include "diag.h"
#include "filter.h"
#include "gpus.h"
#include "jsonmemory.h"
#include "metrics.h"
#include "opt.h"
#include "route.h"
#include "text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define METADATA_PATH "/var/lib/nvsentinel/gpu_metadata.json"

struct options {
	const char *metadata_path;
	bool or_bus; /* use the PCI bus if the file does not exist */
	const char *sysfs_root, *config_path, *metrics_fd;
	struct route_files routes;
	bool no_metadata;
	enum confine_mode confine;
};

static const char *
accept_metadata(void *target, const struct opt_given *given)
{
	struct options *options = target;
	static const char automatic[] = "auto";
	const char *rest = given->value;
	options->or_bus = text_has_prefix(rest, automatic);
	rest += options->or_bus ? strlen(automatic) : 0;
	/* A file's name may begin with "auto", too. */
	options->or_bus = options->or_bus && (*rest == '\0' || *rest == ':');
	if (!options->or_bus)
		options->metadata_path = given->value;
	else
		options->metadata_path = *rest == ':' ? rest + 1 : METADATA_PATH;
	return *options->metadata_path != '\0' ? NULL : "a path is missing";
}

static const struct opt_spec specs[] = {
	{"metadata", "FILE",
		"GPU metadata, or auto:FILE, else the PCI bus (auto:" METADATA_PATH ")",
		OPT_OTHER(accept_metadata)},
	{"sysfs-root", "DIR", "read the PCI bus below DIR instead of /sys",
		OPT_TEXT(struct options, sysfs_root)},
	{"no-metadata", NULL, "use no GPU metadata: every NVIDIA NIC is monitored, none has a role",
		OPT_FLAG(struct options, no_metadata)},
	{"route", "FILE", "IPv4 routes (/proc/1/net/route)", OPT_TEXT(struct options, routes.ipv4)},
	{"route6", "FILE", "IPv6 routes (/proc/1/net/ipv6_route)",
		OPT_TEXT(struct options, routes.ipv6)},
	{"config", "FILE", "configuration: which NICs to exclude or to pin (" CONF_DEFAULT_PATH ")",
		OPT_TEXT(struct options, config_path)},
	{CONFINE_OPTION(struct options, confine)},
	{METRICS_OPTION, OPT_TEXT(struct options, metrics_fd)},
};

static const struct opt_tool tool = {
	.name = "topoclass",
	.purpose = "Add to scan records which NIC is compute, storage or management.",
	.operands = "",
	.options = specs,
	.count = ARRAY_COUNT(specs),
};

struct run {
	const struct options *options;
	struct metrics *metrics; /* nullable */
	struct conf conf;
	struct gpus gpus;
	struct memory memory;
	struct recall *recall;
	struct scanbuf scan;
	struct strbuf out; /* the annotated scan to write */
	bool in_scan;      /* between scan.begin and scan.end */
	bool in_extra;     /* in an extra scan */
	struct route route;
};

/* Set the sources of the GPUs. The PCI bus is looked up in the sysfs that ibscan uses, too. */
static void
find_gpus(struct run *run)
{
	struct gpus *gpus = &run->gpus;
	gpus->source.path = run->options->metadata_path;
	if (!run->options->or_bus)
		return;
	gpus->sysfs_root = run->options->sysfs_root;
	if (gpus->sysfs_root == NULL)
		gpus->sysfs_root = run->conf.sysfs_root;
	if (gpus->sysfs_root == NULL)
		gpus->sysfs_root = "/sys";
}

/* Read the metadata for the first time. Fail without it: there would be no roles, and guessing them
 * could drain a healthy node. Return an exit code. */
static int
load_metadata(struct run *run)
{
	if (run->options->no_metadata)
		return 0;
	const char *reason = gpus_load(&run->gpus);
	if (reason == NULL)
		return 0;
	if (run->conf.inclusion.count > 0) {
		diag_warn("%s: %s: continuing without it, since nicInclusionRegexOverride names "
			  "the NICs to monitor",
			run->gpus.source.path, reason);
		return 0;
	}
	diag_error(
		"%s: %s (name the GPU metadata with --metadata FILE, or the NICs to watch with "
		"nicInclusionRegexOverride in --config FILE; to run without roles: --no-metadata)",
		run->gpus.source.path, reason);
	int code = diag_open_code(run->gpus.source.error);
	return code == EXIT_OS || code == EXIT_IO ? code : EXIT_CONFIG;
}

/* Return false if there is no default route now, or it cannot be read. A device that an IPv6
 * default route went over before there was one of IPv4, as happens at boot, may be a GPU's. */
static bool
refresh_route(struct run *run)
{
	const bool was_ipv4 = run->route.is_ipv4;
	bool found = route_read(&run->options->routes, &run->route);
	if (run->route.is_ipv4 && !was_ipv4)
		memory_forget_carried(&run->memory);
	return found;
}

static int
annotate(struct run *run)
{
	if (run->in_extra)
		return annotate_extra(&run->scan, &run->memory, &run->out);
	gpus_refresh(&run->gpus, &run->scan);
	bool has_route = refresh_route(run);
	const char *interface = run->route.interface;

	const struct rules rules = {
		.exclusion = &run->conf.exclusion,
		.inclusion = &run->conf.inclusion,
		.gpu_numa = run->gpus.metadata.gpu_numa,
		.gpu_numa_count = run->gpus.metadata.gpu_numa_count,
		.strangers = run->gpus.strangers,
		.nearness = gpus_nearness(&run->gpus),
	};
	const struct criteria criteria = {
		.rules = &rules,
		.metadata = &run->gpus.metadata,
		/* While the route is away, another NIC's interface may have its name. */
		.default_interface = has_route ? interface : NULL,
		.last_interface = *interface != '\0' ? interface : NULL,
		.names_devices = conf_names_devices(&run->conf),
	};
	return annotate_scan(&run->scan, &criteria, &run->memory, &run->out);
}

/* Write the buffered scan, complete or not, in one write, so that its reader wakes up once. */
static int
finish_scan(struct run *run)
{
	strbuf_clear(&run->out);
	int status = annotate(run);
	if (status < 0)
		errno = ENOMEM;
	else
		status = line_write(STDOUT_FILENO, run->out.bytes, run->out.length);
	scanbuf_clear(&run->scan);
	recall_turn(run->recall);
	run->in_scan = false;
	return status;
}

/* Decode the record. Return false if it lacks what its kind requires; it is then skipped like a
 * torn line. */
static bool
decode(const struct intake_record *record, struct scanbuf_line *line, struct scanrec_begin *begin,
	struct rec_error *error)
{
	*line = (struct scanbuf_line){
		.json = record->json,
		.text = record->text,
		.length = record->length,
		.kind = scanrec_kind(record->json),
	};
	switch (line->kind) {
	case SCANREC_BEGIN:
		return scanrec_decode_begin(record->json, begin, error);
	case SCANREC_DEVICE:
		return scanrec_decode_known_device(
			record->json, &line->device, record->memo, error);
	case SCANREC_PORT:
		return scanrec_decode_known_port(record->json, &line->port, record->memo, error);
	case SCANREC_END:
	case SCANREC_STALL:
	case SCANREC_OTHER:
		break;
	}
	return true;
}

/* Accept a record, and write the scan when it ends. Return 0, or -1 with errno when memory ran out
 * or writing failed. */
static int
accept_record(void *context, struct intake *intake, struct intake_record *record)
{
	struct run *run = context;
	struct scanbuf_line line;
	struct scanrec_begin begin = {.extra = false};
	struct rec_error error;

	if (!decode(record, &line, &begin, &error)) {
		intake_reject(intake, &error);
		json_decref(record->json);
		return 0;
	}
	/* Pass a stall record on at once: the scan's other records may never come. */
	if (line.kind == SCANREC_STALL)
		return filter_pass(record);
	if (line.kind == SCANREC_BEGIN) {
		if (run->in_scan) {
			diag_warn("%s: line %llu: a scan begins before the last one ended",
				intake->name, (unsigned long long)intake->line_number);
			if (finish_scan(run) < 0)
				return -1;
		}
		run->in_scan = true;
		run->in_extra = begin.extra;
	}
	if (!run->in_scan) {
		/* Drop the rest of a scan whose beginning was missed. Other kinds pass. */
		if (line.kind == SCANREC_OTHER)
			return filter_pass(record);
		json_decref(line.json);
		return 0;
	}

	bool last = line.kind == SCANREC_END;
	if (scanbuf_add(&run->scan, &line) < 0) {
		if (errno != EMSGSIZE)
			return -1;
		diag_warn("%s: line %llu: a scan of more than %zu bytes: dropped up to here",
			intake->name, (unsigned long long)intake->line_number, SCANBUF_MAX_BYTES);
		scanbuf_clear(&run->scan);
		run->in_scan = false;
		return 0;
	}
	if (!last)
		return 0;
	if (finish_scan(run) < 0)
		return -1;
	metrics_tick(run->metrics);
	diag_catch_up();
	return 0;
}

/* Write a scan that was cut off: its reader sees that scan.end is missing. */
static int
end_input(void *context)
{
	struct run *run = context;
	return run->in_scan ? finish_scan(run) : 0;
}

/* Allow directories and files to be read again: the metadata may be replaced, NICs appear, and
 * routes change. Return an exit code. */
static int
confine(const struct run *run)
{
	const struct options *options = run->options;
	struct confine confine;
	confine_init(&confine, "topoclass", options->confine);
	if (!options->no_metadata)
		confine_allow_beside(&confine, run->gpus.source.path, LANDLOCK_READ);
	if (run->gpus.metadata.of_bus)
		confine_allow(&confine, run->gpus.sysfs_root, LANDLOCK_READ);
	confine_allow(&confine, options->routes.ipv4, LANDLOCK_READ);
	confine_allow(&confine, options->routes.ipv6, LANDLOCK_READ);
	for (size_t i = 0; options->routes.directories[i] != NULL; i++)
		confine_allow(&confine, options->routes.directories[i], LANDLOCK_READ);
	return confine_enter(&confine);
}

static struct metrics_cell *
reloads_of(struct metrics *metrics, const char *result)
{
	static const struct metrics_family reloads = {"nic_health_monitor_metadata_reloads_total",
		"Changes of the GPU metadata: loaded (taken), or rejected as unusable (refused).",
		METRICS_COUNTER, METRICS_LASTING};
	return metrics_cell(metrics, &reloads, &(struct metrics_label){"result", result}, 1);
}

static int
run_with(const struct options *options, struct metrics *metrics)
{
	struct run run = {.options = options,
		.metrics = metrics,
		.gpus = {.is_asked = !options->no_metadata,
			.taken = reloads_of(metrics, "taken"),
			.refused = reloads_of(metrics, "refused")}};
	int status = conf_load(&run.conf, options->config_path);
	if (status != 0)
		return status;
	run.recall = recall_new();
	const struct filter filter = {.recall = run.recall,
		.accept = accept_record,
		.end = end_input,
		.malformed = intake_malformed(metrics, "topoclass")};
	if (memory_init(&run.memory) < 0 || run.recall == NULL)
		status = diag_no_memory();
	find_gpus(&run);
	if (status == 0)
		status = load_metadata(&run);
	if (status == 0)
		status = confine(&run);
	if (status == 0)
		status = filter_run(&filter, &run);
	scanbuf_fini(&run.scan);
	strbuf_fini(&run.out);
	recall_free(run.recall);
	memory_fini(&run.memory);
	gpus_fini(&run.gpus);
	conf_fini(&run.conf);
	return status;
}

int
main(int argc, char **argv)
{
	struct options options = {
		.metadata_path = METADATA_PATH,
		.or_bus = true,
		.routes = {.directories = route_default_directories},
		.confine = confine_default(),
	};

	diag_init("topoclass");
	jsonmemory_require();
	int status;
	if (opt_parse(&tool, argc, argv, &options, &status) < 0)
		return status;
	struct metrics *metrics;
	status = metrics_open_option(options.metrics_fd, &metrics);
	if (status == 0)
		status = run_with(&options, metrics);
	metrics_close(metrics);
	return status;
}

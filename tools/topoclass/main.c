/* topoclass - tell compute, storage and management NICs apart; a filter of scan records.
 *
 *   main.c      options, wiring, exit
 *   scanbuf.c   the lines of one scan, held until its end
 *   metadata.c  reader: gpu_metadata.json, GPUs and their distance to each NIC
 *   route.c     reader: the host's default route
 *   classify.c  decision, pure: the table of SPEC section 3
 *   annotate.c  facts from records, verdicts into records */
#include "annotate.h"
#include "conf.h"
#include "diag.h"
#include "filter.h"
#include "metrics.h"
#include "opt.h"
#include "route.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct options {
	const char *metadata_path, *config_path, *route_path, *route6_path, *metrics_fd;
	bool no_metadata;
};

enum { OPT_METADATA, OPT_NO_METADATA, OPT_ROUTE, OPT_ROUTE6, OPT_CONFIG, OPT_METRICS_FD };

static const struct opt_spec specs[] = {
	[OPT_METADATA] = {"metadata", "FILE",
		"GPU metadata (/var/lib/nvsentinel/gpu_metadata.json)"},
	[OPT_NO_METADATA] = {"no-metadata", NULL,
		"go without it: every NVIDIA NIC counts, none has a role"},
	[OPT_ROUTE] = {"route", "FILE", "IPv4 routes (/proc/net/route)"},
	[OPT_ROUTE6] = {"route6", "FILE", "IPv6 routes (/proc/net/ipv6_route)"},
	[OPT_CONFIG] = {"config", "FILE",
		"configuration: which NICs to leave out or to pin (" CONF_DEFAULT_PATH ")"},
	[OPT_METRICS_FD] = METRICS_OPTION,
};

static const char *
take_option(void *context, size_t index, const char *value)
{
	struct options *options = context;

	switch (index) {
	case OPT_METADATA:
		options->metadata_path = value;
		return NULL;
	case OPT_NO_METADATA:
		options->no_metadata = true;
		return NULL;
	case OPT_ROUTE:
		options->route_path = value;
		return NULL;
	case OPT_ROUTE6:
		options->route6_path = value;
		return NULL;
	case OPT_CONFIG:
		options->config_path = value;
		return NULL;
	case OPT_METRICS_FD:
		options->metrics_fd = value;
		return NULL;
	}
	return "unknown";
}

static const struct opt_tool tool = {
	.name = "topoclass",
	.purpose = "Add to scan records which NIC is compute, storage or management.",
	.operands = "",
	.options = specs,
	.count = sizeof specs / sizeof *specs,
	.take = take_option,
};

/* Everything a run works with. */
struct run {
	const struct options *options;
	struct metrics *metrics;              /* nullable */
	struct metrics_cell *taken, *refused; /* metadata that had changed */
	struct conf conf;
	struct metadata_source source;
	struct metadata metadata;
	struct memory memory;
	struct scanbuf scan;
	bool in_scan;                        /* a scan.begin has come whose scan.end has not */
	char default_interface[IF_NAMESIZE]; /* the latest one known, "" before */
};

/* Reads the metadata for the first time. Without it there are no roles, and guessing them could drain a healthy node. */
static int
load_metadata(struct run *run)
{
	if (run->options->no_metadata)
		return 0;
	const char *reason = metadata_load(&run->source, &run->metadata);
	if (reason == NULL)
		return 0;
	if (run->conf.inclusion.count > 0) {
		diag_warn(
			"%s: %s: going on without it, as nicInclusionRegexOverride says which NICs count",
			run->source.path, reason);
		return 0;
	}
	diag_error(
		"%s: %s (name the GPU metadata with --metadata FILE, or the NICs to watch with "
		"nicInclusionRegexOverride in --config FILE; to go without roles: --no-metadata)",
		run->source.path, reason);
	return EXIT_CONFIG;
}

/* A file that changed is read again; one that became unusable leaves what was known in force. */
static void
refresh_metadata(struct run *run)
{
	if (run->options->no_metadata || !metadata_changed(&run->source))
		return;
	struct metadata fresh;
	const char *reason = metadata_load(&run->source, &fresh);
	if (reason != NULL) {
		diag_warn("%s: %s: keeping what was read before", run->source.path, reason);
		metrics_add(run->refused, 1);
		return;
	}
	diag_info("%s: read again", run->source.path);
	metrics_add(run->taken, 1);
	metadata_fini(&run->metadata);
	run->metadata = fresh;
}

/* Writes the scan that is held, whole or not. */
static int
finish_scan(struct run *run)
{
	refresh_metadata(run);
	route_read(run->options->route_path, run->options->route6_path, run->default_interface);

	const struct rules rules = {
		.exclusion = &run->conf.exclusion,
		.inclusion = &run->conf.inclusion,
		.gpu_numa = run->metadata.gpu_numa,
		.gpu_numa_count = run->metadata.gpu_numa_count,
		.no_metadata = run->options->no_metadata,
	};
	const struct judgement judgement = {
		.rules = &rules,
		.metadata = &run->metadata,
		.default_interface =
			*run->default_interface != '\0' ? run->default_interface : NULL,
	};
	int status = annotate_scan(&run->scan, &judgement, &run->memory, STDOUT_FILENO);
	scanbuf_clear(&run->scan);
	run->in_scan = false;
	return status;
}

/* Decodes what the table needs. A record that is not what its kind promises is skipped like a torn line. */
static bool
decode(const struct intake_record *record, struct scanbuf_line *line, struct rec_error *error)
{
	struct scanrec_begin begin;

	*line = (struct scanbuf_line){
		.json = record->json,
		.text = record->text,
		.length = record->length,
		.kind = scanrec_kind(record->json),
	};
	switch (line->kind) {
	case SCANREC_BEGIN:
		return scanrec_decode_begin(record->json, &begin, error);
	case SCANREC_DEVICE:
		return scanrec_decode_device(record->json, &line->device, error);
	case SCANREC_PORT:
		return scanrec_decode_port(record->json, &line->port, error);
	case SCANREC_END:
	case SCANREC_OTHER:
		break;
	}
	return true;
}

/* Takes one record in, and lets a scan out when it is whole. -1 with errno when writing failed. */
static int
take_record(void *context, struct intake *intake, struct intake_record *record)
{
	struct run *run = context;
	struct scanbuf_line line;
	struct rec_error error;

	if (!decode(record, &line, &error)) {
		intake_reject(intake, &error);
		json_decref(record->json);
		return 0;
	}
	if (line.kind == SCANREC_BEGIN) {
		if (run->in_scan) {
			diag_warn("%s: line %llu: a scan begins before the last one ended",
				intake->name, (unsigned long long)intake->line_number);
			if (finish_scan(run) < 0)
				return -1;
		}
		run->in_scan = true;
	}
	if (!run->in_scan) {
		/* The rest of a scan whose beginning was missed is nobody's evidence. Other kinds pass. */
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
	return 0;
}

/* What came of a scan that was cut off is passed on: its reader sees that the end is missing. */
static int
end_input(void *context)
{
	struct run *run = context;
	return run->in_scan ? finish_scan(run) : 0;
}

static struct metrics_cell *
reloads_of(struct metrics *metrics, const char *result)
{
	static const struct metrics_family reloads = {"nic_health_monitor_metadata_reloads_total",
		"How often the GPU metadata had changed: taken, or refused as it was not usable.",
		METRICS_COUNTER, METRICS_LASTING};
	return metrics_cell(metrics, &reloads, &(struct metrics_label){"result", result}, 1);
}

static int
run_with(const struct options *options, struct metrics *metrics)
{
	struct run run = {.options = options,
		.metrics = metrics,
		.taken = reloads_of(metrics, "taken"),
		.refused = reloads_of(metrics, "refused"),
		.source = {.path = options->metadata_path}};
	const struct filter filter = {.take = take_record,
		.end = end_input,
		.malformed = intake_malformed(metrics, "topoclass")};

	int status = conf_load(&run.conf, options->config_path);
	if (status != 0)
		return status;
	if (memory_init(&run.memory) < 0) {
		diag_error("out of memory");
		status = EXIT_OS;
	}
	if (status == 0)
		status = load_metadata(&run);
	if (status == 0)
		status = filter_run(&filter, &run);
	scanbuf_fini(&run.scan);
	memory_fini(&run.memory);
	metadata_fini(&run.metadata);
	conf_fini(&run.conf);
	return status;
}

int
main(int argc, char **argv)
{
	struct options options = {
		.metadata_path = "/var/lib/nvsentinel/gpu_metadata.json",
		.route_path = "/proc/net/route",
		.route6_path = "/proc/net/ipv6_route",
	};

	diag_init("topoclass");
	int status;
	int first = opt_parse(&tool, argc, argv, &options, &status);
	if (first < 0)
		return status;
	if (first < argc)
		return opt_unexpected_operand(argv[first]);
	struct metrics *metrics;
	status = metrics_take(options.metrics_fd, &metrics);
	if (status == 0)
		status = run_with(&options, metrics);
	metrics_close(metrics);
	return status;
}

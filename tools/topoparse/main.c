/* topoparse - GPU metadata from what nvidia-smi topo -m prints: where the GPUs are, and how near each NIC is to them.
 *
 *   main.c      options, wiring, exit
 *   input.c     a whole text, from a file or stdin
 *   text.c      pure: the text made plain; lines and words
 *   matrix.c    pure: which line is header, row, legend or none of these
 *   header.c    pure: the columns' labels, wrapped, glued or not
 *   row.c       pure: the cells of a line
 *   level.c     pure: X PIX PXB PHB NODE SYS NV<n>, glued or not
 *   tail.c      pure: the NUMA node, among the affinities behind the cells
 *   topo.c      pure: rows and legend put together
 *   gpus.c      pure: UUIDs and addresses, from a query in CSV
 *   devices.c   do the devices exist?
 *   output.c    the JSON document */
#include "devices.h"
#include "diag.h"
#include "gpus.h"
#include "input.h"
#include "line.h"
#include "opt.h"
#include "output.h"
#include "sysfs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct options {
	const char *gpus_path, *sysfs_root; /* NULL: not given */
};

enum { OPT_GPUS, OPT_SYSFS_ROOT };

static const struct opt_spec specs[] = {
	[OPT_GPUS] = {"gpus", "CSV",
		"a file with nvidia-smi --query-gpu=index,uuid,serial,pci.bus_id --format=csv, to be added"},
	[OPT_SYSFS_ROOT] = {"sysfs-root", "DIR",
		"warn of devices that do not exist in DIR, which stands for /sys"},
};

static const char *
take_option(void *context, size_t index, const char *value)
{
	struct options *options = context;

	switch (index) {
	case OPT_GPUS:
		options->gpus_path = value;
		return NULL;
	case OPT_SYSFS_ROOT:
		options->sysfs_root = value;
		return NULL;
	}
	return "unknown";
}

static const struct opt_tool tool = {
	.name = "topoparse",
	.purpose = "Make GPU metadata, which topoclass reads, of what nvidia-smi topo -m prints.",
	.operands = "[FILE|-]",
	.options = specs,
	.count = sizeof specs / sizeof *specs,
	.take = take_option,
};

/* Words what a parser has found; returns the exit code. */
static int
say_status(enum topo_status status, const char *source, const struct topo_error *error)
{
	switch (status) {
	case TOPO_OK:
		return 0;
	case TOPO_NO_MEMORY:
		diag_error("out of memory");
		return EXIT_OS;
	case TOPO_BAD:
		break;
	}
	if (error->line == 0)
		diag_error("%s: %s", source, error->reason);
	else
		diag_error("%s: line %zu: %s", source, error->line, error->reason);
	return EXIT_DATA;
}

typedef enum topo_status parse_text(
	const char *text, size_t length, struct topo *topo, struct topo_error *error);

/* Reads the file, or stdin for NULL, and has it parsed. Returns the exit code. */
static int
take_text(const char *path, parse_text *parse, struct topo *topo)
{
	struct topo_error error;
	size_t length;
	char *text;

	int status = input_read_new(path, &text, &length);
	if (status != 0)
		return status;
	status = say_status(
		parse(text, length, topo, &error), path != NULL ? path : "stdin", &error);
	free(text);
	return status;
}

static int
check_devices(const char *root_name, const struct topo *topo)
{
	int root = sysfs_open_root(root_name);
	if (root < 0)
		return diag_open_failure(root_name);
	devices_check(topo, root, root_name);
	close(root);
	return 0;
}

/* Says what of the result is of no use to topoclass, though it is what the text says. */
static void
warn_useless(const struct topo *topo)
{
	const char *placeholder = NULL;
	size_t placeholders = 0;
	bool has_node = false;

	for (size_t i = 0; i < topo->nic_count; i++) {
		if (topo->nics[i].is_named)
			continue;
		placeholder = placeholders++ == 0 ? topo->nics[i].name : placeholder;
	}
	if (topo->nic_count == 0)
		diag_warn("no NIC columns: to topoclass, no NIC will be near a GPU");
	if (placeholders > 0)
		diag_warn(
			"the NIC Legend does not say which device %s is (%zu of %zu NICs like this)",
			placeholder, placeholders, topo->nic_count);
	for (size_t i = 0; i < topo->gpu_count; i++)
		has_node |= topo->gpus[i].numa_node >= 0;
	if (!has_node)
		diag_warn("no GPU has a known NUMA node: topoclass will not take this");
}

/* Nothing has been written before; a document that could not be written in full is a failed run. */
static int
write_topo(const struct topo *topo)
{
	size_t length;
	char *text = output_format_new(topo, &length);

	if (text == NULL) {
		diag_error("out of memory");
		return EXIT_OS;
	}
	int status = 0;
	if (line_write(STDOUT_FILENO, text, length) < 0 || close(STDOUT_FILENO) < 0)
		status = diag_io_failure("stdout");
	free(text);
	return status;
}

static int
run_with(const struct options *options, const char *path)
{
	struct topo topo = {0};

	int status = take_text(path, topo_parse, &topo);
	if (status == 0 && options->gpus_path != NULL)
		status = take_text(options->gpus_path, gpus_join, &topo);
	if (status == 0 && options->sysfs_root != NULL)
		status = check_devices(options->sysfs_root, &topo);
	if (status == 0) {
		warn_useless(&topo);
		status = write_topo(&topo);
	}
	topo_fini(&topo);
	return status;
}

int
main(int argc, char **argv)
{
	struct options options = {0};

	diag_init("topoparse");
	int status;
	int first = opt_parse(&tool, argc, argv, &options, &status);
	if (first < 0)
		return status;
	if (argc - first > 1)
		return opt_unexpected_operand(argv[first + 1]);
	bool is_stdin = first == argc || strcmp(argv[first], "-") == 0;
	return run_with(&options, is_stdin ? NULL : argv[first]);
}

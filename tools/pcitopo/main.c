/* pcitopo - writes GPU metadata read from the PCI bus: locations of the GPUs and distances of the
 * RDMA devices to them.
 *
 *   main.c             options, output, exit code
 *   lib/pcitopo.c      finds GPUs and RDMA devices on the bus
 *   lib/pcipath.c      pure: distance between two places on the bus
 *   lib/gpumetadata.c  pure: the document */
/* SPDX-License-Identifier: Apache-2.0 */
#include "pcitopo.h"

#include "array.h"
#include "confine.h"
#include "diag.h"
#include "gpumetadata.h"
#include "jsonmemory.h"
#include "line.h"
#include "opt.h"
#include "sysfs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct options {
	const char *sysfs_root;
	enum confine_mode confine;
};

static const struct opt_spec specs[] = {
	{"sysfs-root", "DIR", "read below DIR instead of /sys",
		OPT_TEXT(struct options, sysfs_root)},
	{CONFINE_OPTION(struct options, confine)},
};

static const struct opt_tool tool = {
	.name = "pcitopo",
	.purpose = "Make GPU metadata for topoclass from the PCI bus.",
	.operands = "",
	.options = specs,
	.count = ARRAY_COUNT(specs),
};

/* Return an exit code. */
static int
confine(const struct options *options)
{
	struct confine confine;
	confine_init(&confine, "pcitopo", options->confine);
	confine_allow(&confine, options->sysfs_root, LANDLOCK_READ);
	return confine_enter(&confine);
}

/* Write the document to stdout. Return an exit code: not 0 if it was not written completely. */
static int
write_document(const json_t *document)
{
	size_t length;
	char *text = gpumetadata_format_new(document, &length);
	int status = 0;
	if (text == NULL)
		return diag_no_memory();
	if (line_write(STDOUT_FILENO, text, length) < 0 || close(STDOUT_FILENO) < 0)
		status = diag_io_failure("stdout");
	free(text);
	return status;
}

/* Print the document only if all distances are known: topoclass would trust an incomplete one.
 * Return an exit code. */
static int
print(int root, const char *root_name)
{
	const char *reason;
	json_t *document = pcitopo_read_new(root, &reason);
	int status = 0;
	if (document == NULL)
		return diag_io_failure(root_name);
	if (reason != NULL) {
		diag_error("%s: %s: the distances between NICs and GPUs are unknown (try "
			   "nvidia-smi topo -m, see topoparse)",
			root_name, reason);
		status = EXIT_DATA;
	} else {
		if (json_array_size(json_object_get(document, "gpus")) == 0)
			diag_warn("%s: no GPUs on the PCI bus", root_name);
		status = write_document(document);
	}
	json_decref(document);
	return status;
}

static int
run(const struct options *options)
{
	int status = confine(options);
	if (status != 0)
		return status;
	int root = sysfs_open_root(options->sysfs_root);
	if (root < 0)
		return diag_open_failure(options->sysfs_root);
	status = print(root, options->sysfs_root);
	close(root);
	return status;
}

int
main(int argc, char **argv)
{
	struct options options = {.sysfs_root = "/sys", .confine = confine_default()};

	diag_init("pcitopo");
	jsonmemory_require();
	int status;
	if (opt_parse(&tool, argc, argv, &options, &status) < 0)
		return status;
	return run(&options);
}

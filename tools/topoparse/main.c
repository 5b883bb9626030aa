/* topoparse - converts the output of nvidia-smi topo -m to GPU metadata: the places of the GPUs and
 * their distances to the NICs.
 *
 *   main.c      options, files, exit
 *   text.c      pure: removes escape sequences; splits into lines and words
 *   matrix.c    pure: finds the header, the rows and the legend
 *   header.c    pure: parses the columns' labels, wrapped or glued together
 *   row.c       pure: parses the cells of a row, X PIX PXB PHB NODE SYS NV<n>, glued or not
 *   tail.c      pure: parses the affinities after the cells, with the NUMA node
 *   refusal.c   pure: the reason why a text is rejected
 *   topo.c      pure: combines rows and legend; formats the JSON document
 *   gpus.c      pure: adds UUIDs and addresses from a query in CSV */
/* SPDX-License-Identifier: Apache-2.0 */
#include "array.h"
#include "atomfile.h"
#include "confine.h"
#include "diag.h"
#include "gpus.h"
#include "jsonmemory.h"
#include "line.h"
#include "opt.h"
#include "sysfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A matrix of TOPO_MAX_COLUMNS columns and rows has little more than 4 MiB. */
#define INPUT_MAX_BYTES ((size_t)8 << 20)

/* More than a node has, including all virtual functions. */
#define DEVICES_MAX 8192

/* Print at most this many warnings, and the number of the others. */
#define WARNINGS_MAX 32

struct options {
	const char *gpus_path, *sysfs_root; /* NULL: not given */
	enum confine_mode confine;
};

static const struct opt_spec specs[] = {
	{"gpus", "CSV",
		"add the output of nvidia-smi --query-gpu=index,uuid,serial,pci.bus_id "
		"--format=csv",
		OPT_TEXT(struct options, gpus_path)},
	{"sysfs-root", "DIR",
		"warn of devices that do not exist in DIR, a copy of /sys or /sys itself",
		OPT_TEXT(struct options, sysfs_root)},
	{CONFINE_OPTION(struct options, confine)},
};

static const struct opt_tool tool = {
	.name = "topoparse",
	.purpose = "Make GPU metadata for topoclass from the output of nvidia-smi topo -m.",
	.operands = "[FILE|-]",
	.options = specs,
	.count = ARRAY_COUNT(specs),
};

/* Print a parser's error. Return the exit code. */
static int
report_status(enum topo_status status, const char *source, const struct topo_error *error)
{
	switch (status) {
	case TOPO_OK:
		return 0;
	case TOPO_NO_MEMORY:
		return diag_no_memory();
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

/* Read the whole file, or stdin if `path` is NULL, into `*text`, to free(). Return the exit
 * code. */
static int
read_text_new(const char *path, char **text, size_t *length)
{
	const char *name = path != NULL ? path : "stdin";
	int status = 0;

	int fd = path != NULL ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
	if (fd < 0)
		return diag_open_failure(name);
	*text = atomfile_read_fd_new(fd, INPUT_MAX_BYTES, length);
	if (*text == NULL && errno == EFBIG) {
		diag_error("%s: more than %zu MiB", name, INPUT_MAX_BYTES >> 20);
		status = EXIT_DATA;
	} else if (*text == NULL) {
		status = diag_io_failure(name);
	}
	if (path != NULL)
		close(fd);
	return status;
}

/* Read and parse a file, or stdin if `path` is NULL. Return the exit code. */
static int
read_and_parse(const char *path, parse_text *parse, struct topo *topo)
{
	struct topo_error error;
	size_t length = 0;
	char *text = NULL;

	int status = read_text_new(path, &text, &length);
	if (status != 0)
		return status;
	status = report_status(
		parse(text, length, topo, &error), path != NULL ? path : "stdin", &error);
	free(text);
	return status;
}

static void
warn_missing(const struct topo *topo, const struct sysfs_names *devices, const char *root_name)
{
	size_t missing = 0;

	for (size_t i = 0; i < topo->nic_count; i++) {
		const char *name = topo->nics[i].name;
		if (!sysfs_names_have(devices, name) && ++missing <= WARNINGS_MAX)
			diag_warn("%s is in the matrix, but not in %s/class/infiniband", name,
				root_name);
	}
	if (missing > WARNINGS_MAX)
		diag_warn("and %zu more that are not in %s/class/infiniband",
			missing - WARNINGS_MAX, root_name);
}

/* Warn about each device of the matrix that does not exist. Return the exit code. */
static int
check_devices(const char *root_name, const struct topo *topo)
{
	struct sysfs_names devices;
	int root = sysfs_open_root(root_name);
	if (root < 0)
		return diag_open_failure(root_name);
	if (sysfs_list_path(root, "class/infiniband", DEVICES_MAX, &devices) == SYSFS_OK)
		warn_missing(topo, &devices, root_name);
	else
		diag_warn("%s/class/infiniband cannot be listed, device names are not checked: %s",
			root_name, strerror(errno));
	sysfs_names_fini(&devices);
	close(root);
	return 0;
}

/* Warn about results that topoclass cannot use, although the text is valid. */
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
		diag_warn("no NIC columns: topoclass will find no NIC near a GPU");
	if (placeholders > 0)
		diag_warn("the NIC Legend does not say which device %s is (%zu of %zu NICs like "
			  "this)",
			placeholder, placeholders, topo->nic_count);
	for (size_t i = 0; i < topo->gpu_count; i++)
		has_node |= topo->gpus[i].numa_node >= 0;
	if (!has_node)
		diag_warn("no GPU has a known NUMA node: topoclass will reject this");
}

/* Write the document. If stdout does not accept all of it, the run fails. Return the exit code. */
static int
write_topo(const struct topo *topo)
{
	size_t length;
	char *text = topo_format_new(topo, &length);

	if (text == NULL)
		return diag_no_memory();
	int status = 0;
	if (line_write(STDOUT_FILENO, text, length) < 0 || close(STDOUT_FILENO) < 0)
		status = diag_io_failure("stdout");
	free(text);
	return status;
}

/* Return the exit code, 0 if confined. */
static int
confine(const struct options *options, const char *path)
{
	struct confine confine;
	confine_init(&confine, "topoparse", options->confine);
	confine_allow(&confine, path, LANDLOCK_READ);
	confine_allow(&confine, options->gpus_path, LANDLOCK_READ);
	confine_allow(&confine, options->sysfs_root, LANDLOCK_READ);
	return confine_enter(&confine);
}

static int
run_with(const struct options *options, const char *path)
{
	struct topo topo = {0};

	int status = confine(options, path);
	if (status == 0)
		status = read_and_parse(path, topo_parse, &topo);
	if (status == 0 && options->gpus_path != NULL)
		status = read_and_parse(options->gpus_path, gpus_join, &topo);
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
	struct options options = {.confine = confine_default()};

	diag_init("topoparse");
	jsonmemory_require();
	int status;
	int first = opt_parse(&tool, argc, argv, &options, &status);
	if (first < 0)
		return status;
	bool is_stdin = first == argc || strcmp(argv[first], "-") == 0;
	return run_with(&options, is_stdin ? NULL : argv[first]);
}

/* metadata - gpu_metadata.json: where the GPUs are, and how near each NIC is to them. */
#include "metadata.h"

#include "diag.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The words of nvidia-smi topo -m; NV<n> stands for n bonded NVLinks. */
static bool
is_cell(const char *text)
{
	static const char *const words[] = {"X", "PIX", "PXB", "PHB", "NODE", "SYS"};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		if (strcmp(text, words[i]) == 0)
			return true;
	}
	return strncmp(text, "NV", 2) == 0 && text[2] != '\0' &&
	       text[2 + strspn(text + 2, "0123456789")] == '\0';
}

static bool
is_row(const json_t *row, size_t gpu_count)
{
	size_t i;
	const json_t *cell;

	if (json_array_size(row) != gpu_count)
		return false;
	json_array_foreach (row, i, cell) {
		if (!json_is_string(cell) || !is_cell(json_string_value(cell)))
			return false;
	}
	return true;
}

static int
by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

static const char *
decode_gpus(const json_t *gpus, struct metadata *out)
{
	size_t i;
	const json_t *gpu;

	out->gpu_count = json_array_size(gpus);
	if (out->gpu_count == 0)
		return "no GPUs in it (\"gpus\" is empty or missing)";
	out->gpu_numa = calloc(out->gpu_count, sizeof *out->gpu_numa);
	if (out->gpu_numa == NULL)
		return "out of memory";

	json_array_foreach (gpus, i, gpu) {
		const json_t *node = json_object_get(gpu, "numa_node");
		if (json_is_integer(node) && json_integer_value(node) >= 0)
			out->gpu_numa[out->gpu_numa_count++] = json_integer_value(node);
	}
	if (out->gpu_numa_count == 0)
		return "no GPU with a known NUMA node in it";

	qsort(out->gpu_numa, out->gpu_numa_count, sizeof *out->gpu_numa, by_value);
	size_t kept = 1;
	for (size_t n = 1; n < out->gpu_numa_count; n++) {
		if (out->gpu_numa[n] != out->gpu_numa[kept - 1])
			out->gpu_numa[kept++] = out->gpu_numa[n];
	}
	out->gpu_numa_count = kept;
	return NULL;
}

static const char *
decode_rows(json_t *rows, struct metadata *out)
{
	const char *device;
	json_t *row;

	if (!json_is_object(rows))
		return "no \"nic_topology\" in it";
	out->rows = json_object();
	if (out->rows == NULL)
		return "out of memory";
	json_object_foreach (rows, device, row) {
		if (!is_row(row, out->gpu_count))
			diag_warn(
				"metadata: nic_topology of %s is not one of X PIX PXB PHB NODE SYS NV<n> "
				"for each of the %zu GPUs: left out",
				device, out->gpu_count);
		else if (json_object_set(out->rows, device, row) < 0)
			return "out of memory";
	}
	return NULL;
}

const char *
metadata_decode(const json_t *root, struct metadata *out)
{
	*out = (struct metadata){0};
	const char *reason = decode_gpus(json_object_get(root, "gpus"), out);
	if (reason == NULL)
		reason = decode_rows(json_object_get(root, "nic_topology"), out);
	if (reason != NULL)
		metadata_fini(out);
	return reason;
}

static const char *
load_from(int fd, struct metadata *out)
{
	static char reason[300];
	json_error_t error;
	struct stat status;

	if (fstat(fd, &status) == 0 && status.st_size > METADATA_MAX_BYTES)
		return "too large to be GPU metadata";
	json_t *root = json_loadfd(fd, 0, &error);
	if (root == NULL) {
		snprintf(reason, sizeof reason, "not JSON: line %d, column %d: %s", error.line,
			error.column, error.text);
		return reason;
	}
	const char *why = metadata_decode(root, out);
	json_decref(root);
	return why;
}

const char *
metadata_load(struct metadata_source *source, struct metadata *out)
{
	*out = (struct metadata){0};
	source->ever_seen = stat(source->path, &source->seen) == 0;
	int fd = open(source->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return strerror(errno);
	const char *reason = load_from(fd, out);
	close(fd);
	return reason;
}

bool
metadata_changed(const struct metadata_source *source)
{
	struct stat now;
	if (stat(source->path, &now) < 0)
		return source->ever_seen;
	const struct stat *seen = &source->seen;
	return !source->ever_seen || now.st_dev != seen->st_dev || now.st_ino != seen->st_ino ||
	       now.st_size != seen->st_size || now.st_mtim.tv_sec != seen->st_mtim.tv_sec ||
	       now.st_mtim.tv_nsec != seen->st_mtim.tv_nsec;
}

struct topo_row
metadata_row(const struct metadata *metadata, const char *device)
{
	size_t i;
	const json_t *cell;
	const json_t *cells = json_object_get(metadata->rows, device);
	struct topo_row row = {.present = cells != NULL, .all_sys = cells != NULL};

	json_array_foreach (cells, i, cell) {
		const char *word = json_string_value(cell);
		row.pix_or_pxb |= strcmp(word, "PIX") == 0 || strcmp(word, "PXB") == 0;
		row.node_or_phb |= strcmp(word, "NODE") == 0 || strcmp(word, "PHB") == 0;
		row.all_sys &= strcmp(word, "SYS") == 0;
	}
	return row;
}

void
metadata_fini(struct metadata *metadata)
{
	free(metadata->gpu_numa);
	json_decref(metadata->rows);
	*metadata = (struct metadata){0};
}

/* metadata - locations of the GPUs and distances of the NICs to them. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "metadata.h"

#include "array.h"
#include "atomfile.h"
#include "diag.h"
#include "ownfile.h"
#include "pcitopo.h"
#include "sysfs.h"
#include "words.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The words of nvidia-smi topo -m; NV<n> is n bonded NVLinks. */
static bool
is_cell(const char *text)
{
	static const char *const words[] = {"X", "PIX", "PXB", "PHB", "NODE", "SYS"};
	const size_t count = ARRAY_COUNT(words);
	return words_find(words, count, text) < count ||
	       (strncmp(text, "NV", 2) == 0 && text[2] != '\0' &&
		       text[2 + strspn(text + 2, "0123456789")] == '\0');
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
	out->gpu_numa = calloc(out->gpu_count + 1, sizeof *out->gpu_numa);
	if (out->gpu_numa == NULL)
		return "out of memory";

	json_array_foreach (gpus, i, gpu) {
		const json_t *node = json_object_get(gpu, "numa_node");
		if (json_is_integer(node) && json_integer_value(node) >= 0)
			out->gpu_numa[out->gpu_numa_count++] = json_integer_value(node);
	}
	out->unplaced_count = out->gpu_count - out->gpu_numa_count;
	qsort(out->gpu_numa, out->gpu_numa_count, sizeof *out->gpu_numa, by_value);
	size_t kept = out->gpu_numa_count > 0;
	for (size_t n = 1; n < out->gpu_numa_count; n++) {
		if (out->gpu_numa[n] != out->gpu_numa[kept - 1])
			out->gpu_numa[kept++] = out->gpu_numa[n];
	}
	out->gpu_numa_count = kept;
	return NULL;
}

/* Return the valid rows of `rows`, and warn about the others, naming `key`. NULL when memory ran
 * out. */
static json_t *
valid_rows_new(json_t *rows, const char *key, size_t gpu_count)
{
	const char *name;
	json_t *row, *valid = json_object();

	json_object_foreach (rows, name, row) {
		if (!is_row(row, gpu_count))
			diag_warn("metadata: %s of %s is not one of X PIX PXB PHB NODE SYS NV<n> "
				  "for each of the %zu GPUs: skipped",
				key, name, gpu_count);
		else if (json_object_set(valid, name, row) < 0) {
			json_decref(valid);
			return NULL;
		}
	}
	return valid;
}

static const char *
decode_rows(const json_t *root, struct metadata *out)
{
	json_t *rows = json_object_get(root, "nic_topology");
	if (!json_is_object(rows))
		return "no NICs in it (\"nic_topology\" is missing)";
	out->rows = valid_rows_new(rows, "nic_topology", out->gpu_count);
	out->unbound = valid_rows_new(json_object_get(root, "unbound"), "unbound", out->gpu_count);
	if (out->rows == NULL || out->unbound == NULL)
		return "out of memory";
	return json_object_size(out->rows) > 0 || json_object_size(rows) == 0
		       ? NULL
		       : "no row of its \"nic_topology\" is usable";
}

/* Return why the metadata says nothing about NICs, or NULL if it does. */
static const char *
find_lack(const struct metadata *metadata)
{
	if (metadata->gpu_count == 0)
		return "no GPUs in it (\"gpus\" is empty or missing)";
	return metadata->gpu_numa_count == 0 ? "no GPU with a known NUMA node in it" : NULL;
}

static const char *
decode(const json_t *root, struct metadata *out, bool may_lack)
{
	*out = (struct metadata){0};
	const char *reason = decode_gpus(json_object_get(root, "gpus"), out);
	if (reason == NULL && !may_lack)
		reason = find_lack(out);
	if (reason == NULL && !may_lack && out->unplaced_count > 0)
		diag_warn("metadata: %zu of the %zu GPUs have no known NUMA node: NICs that are on "
			  "no other GPU's node are not monitored",
			out->unplaced_count, out->gpu_count);
	if (reason == NULL)
		reason = decode_rows(root, out);
	if (reason != NULL)
		metadata_fini(out);
	return reason;
}

const char *
metadata_decode(const json_t *root, struct metadata *out)
{
	return decode(root, out, false);
}

static const char *
parse(const char *text, size_t length, struct metadata *out)
{
	static char reason[300];
	json_error_t error;
	json_t *root = json_loadb(text, length, 0, &error);
	if (root == NULL) {
		snprintf(reason, sizeof reason, "not JSON: line %d, column %d: %s", error.line,
			error.column, error.text);
		return reason;
	}
	const char *why = metadata_decode(root, out);
	json_decref(root);
	return why;
}

static const char *
fail(struct metadata_source *source)
{
	source->error = errno;
	return strerror(errno);
}

static const char *
load_from(struct metadata_source *source, int fd, struct metadata *out)
{
	static char distrust[OWNFILE_REASON_SIZE];
	size_t length;
	struct stat status;

	if (!ownfile_may_believe(fd, distrust))
		return distrust;
	if (fstat(fd, &status) < 0)
		return fail(source);
	if (!S_ISREG(status.st_mode))
		return "not a regular file";
	if (status.st_size > METADATA_MAX_BYTES)
		return "too large to be GPU metadata";
	char *text = atomfile_read_fd_new(fd, METADATA_MAX_BYTES, &length);
	if (text == NULL)
		return fail(source);
	errno = 0;
	const char *why = parse(text, length, out);
	/* Otherwise the file itself is wrong. */
	if (why != NULL && errno == ENOMEM)
		source->error = errno;
	free(text);
	return why;
}

const char *
metadata_load(struct metadata_source *source, struct metadata *out)
{
	*out = (struct metadata){0};
	source->error = 0;
	source->ever_seen = stat(source->path, &source->seen) == 0;
	int fd = open(source->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return fail(source);
	const char *reason = load_from(source, fd, out);
	close(fd);
	return reason;
}

const char *
metadata_load_bus(const char *root_name, struct metadata *out)
{
	*out = (struct metadata){0};
	const char *unknown = NULL, *reason = NULL;
	int root = sysfs_open_root(root_name);
	json_t *bus = root >= 0 ? pcitopo_read_new(root, &unknown) : NULL;
	if (bus == NULL)
		reason = strerror(errno);
	else if (unknown == NULL)
		reason = decode(bus, out, true);
	if (reason == NULL) {
		out->addresses = json_incref(json_object_get(bus, "addresses"));
		out->bus_gpus = json_incref(json_object_get(bus, "gpus"));
	}
	out->of_bus = reason == NULL;
	out->unknown = unknown;
	json_decref(bus);
	if (root >= 0)
		close(root);
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

/* Return true if no GPU is in the PCI domain of this address, as far as the bus shows. */
static bool
is_apart(const struct metadata *metadata, const char *pci)
{
	const size_t length = strcspn(pci, ":") + 1;
	size_t i;
	const json_t *gpu;

	json_array_foreach (metadata->bus_gpus, i, gpu) {
		const char *address = json_string_value(json_object_get(gpu, "pci_address"));
		if (strncmp(address, pci, length) == 0)
			return false;
	}
	return json_array_size(metadata->bus_gpus) > 0;
}

/* `pci` is NULL if it is not known. */
static struct topo_row
summarize(const struct metadata *metadata, const json_t *cells, const char *pci)
{
	size_t i;
	const json_t *cell;
	struct topo_row row = {.present = cells != NULL, .all_sys = json_array_size(cells) > 0};

	json_array_foreach (cells, i, cell) {
		const char *word = json_string_value(cell);
		row.pix_or_pxb |= strcmp(word, "PIX") == 0 || strcmp(word, "PXB") == 0;
		row.node_or_phb |= strcmp(word, "NODE") == 0 || strcmp(word, "PHB") == 0;
		row.all_sys &= strcmp(word, "SYS") == 0;
	}
	row.apart = row.present && pci != NULL && is_apart(metadata, pci);
	return row;
}

struct topo_row
metadata_row(const struct metadata *metadata, const char *device)
{
	return summarize(metadata, json_object_get(metadata->rows, device),
		json_string_value(json_object_get(metadata->addresses, device)));
}

struct topo_row
metadata_unbound_row(const struct metadata *metadata, const char *pci)
{
	return summarize(metadata, json_object_get(metadata->unbound, pci), pci);
}

void
metadata_fini(struct metadata *metadata)
{
	free(metadata->gpu_numa);
	json_decref(metadata->rows);
	json_decref(metadata->addresses);
	json_decref(metadata->bus_gpus);
	json_decref(metadata->unbound);
	*metadata = (struct metadata){0};
}

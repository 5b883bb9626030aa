/* topo - combines the rows and the legend of a topology matrix, if they do not contradict each
 * other, and formats them as GPU metadata, in the format that NVSentinel's collector writes and
 * topoclass reads. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "topo.h"

#include "gpumetadata.h"
#include "matrix.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- rows and legend --- */

/* Return the level between two columns, from the row of either; LEVEL_NONE if neither has a row. */
static uint8_t
level_between(const struct matrix *matrix, size_t a, size_t b)
{
	if (matrix->rows[a].line != 0)
		return matrix->rows[a].cells[b];
	return matrix->rows[b].line != 0 ? matrix->rows[b].cells[a] : LEVEL_NONE;
}

/* Two rows must have the same level for each other. This finds a row that lost one cell and gained
 * another. */
static enum topo_status
check_symmetry(const struct matrix *matrix, struct topo_error *error)
{
	const struct header *header = &matrix->header;
	char one[8], other[8];

	for (size_t a = 0; a < header->count; a++) {
		for (size_t b = a + 1; b < header->count; b++) {
			const struct matrix_row *x = &matrix->rows[a], *y = &matrix->rows[b];
			if (x->line == 0 || y->line == 0 || x->cells[b] == y->cells[a])
				continue;
			return topo_refuse(error, y->line,
				"%.*s and %.*s are %s to each other here, and %s in line %zu",
				TEXT_SHOWN(header->labels[a]), TEXT_SHOWN(header->labels[b]),
				row_level_text(y->cells[a], one),
				row_level_text(x->cells[b], other), x->line);
		}
	}
	return TOPO_OK;
}

/* If a GPU has no row, its levels are in the others' rows, but its NUMA node is not. */
static enum topo_status
check_gpu_rows(const struct matrix *matrix, struct topo_error *error)
{
	const struct header *header = &matrix->header;
	bool has_numa = tail_has_numa(&header->tail.titles);

	for (size_t gpu = 0; gpu < header->count; gpu++) {
		if (!header_is_gpu(header->labels[gpu], NULL) || matrix->rows[gpu].line != 0)
			continue;
		if (has_numa)
			return topo_refuse(error, header->line,
				"%.*s has a column but no row: its NUMA node is not known",
				TEXT_SHOWN(header->labels[gpu]));
		for (size_t nic = 0; nic < header->count; nic++) {
			if (header_is_gpu(header->labels[nic], NULL) || matrix->rows[nic].line != 0)
				continue;
			return topo_refuse(error, header->line, "neither %.*s nor %.*s has a row",
				TEXT_SHOWN(header->labels[gpu]), TEXT_SHOWN(header->labels[nic]));
		}
	}
	return TOPO_OK;
}

/* If one GPU's row has no affinity, not even an empty one, and another's has, the row was cut
 * off. */
static enum topo_status
check_affinities(const struct matrix *matrix, struct topo_error *error)
{
	const struct header *header = &matrix->header;
	const struct matrix_row *bare = NULL, *whole = NULL;

	for (size_t i = 0; i < header->count; i++) {
		const struct matrix_row *row = &matrix->rows[i];
		if (row->line == 0 || !header_is_gpu(header->labels[i], NULL))
			continue;
		if (row->is_bare)
			bare = row;
		else
			whole = row;
	}
	if (bare == NULL || whole == NULL)
		return TOPO_OK;
	return topo_refuse(
		error, bare->line, "nothing follows the cells, unlike in line %zu", whole->line);
}

static int
by_id(const void *a, const void *b)
{
	unsigned x = ((const struct topo_gpu *)a)->id, y = ((const struct topo_gpu *)b)->id;
	return (x > y) - (x < y);
}

static enum topo_status
fill_gpus(const struct matrix *matrix, struct topo *out)
{
	const struct header *header = &matrix->header;

	out->gpus = calloc(header->count, sizeof *out->gpus);
	if (out->gpus == NULL)
		return TOPO_NO_MEMORY;
	for (size_t i = 0; i < header->count; i++) {
		struct topo_gpu *gpu = &out->gpus[out->gpu_count];
		if (!header_is_gpu(header->labels[i], &gpu->id))
			continue;
		gpu->numa_node = matrix->rows[i].line != 0 ? matrix->rows[i].numa_node : -1;
		out->gpu_count++;
	}
	qsort(out->gpus, out->gpu_count, sizeof *out->gpus, by_id);
	return TOPO_OK;
}

static enum topo_status
fill_levels(
	const struct matrix *matrix, size_t column, const struct topo *topo, struct topo_nic *nic)
{
	nic->levels = calloc(topo->gpu_count, 1);
	if (nic->levels == NULL)
		return TOPO_NO_MEMORY;
	for (size_t i = 0; i < topo->gpu_count; i++) {
		char text[16];
		int length = snprintf(text, sizeof text, "GPU%u", topo->gpus[i].id);
		const struct text_span label = {text, (size_t)length};
		size_t gpu = header_find(&matrix->header, label);
		nic->levels[i] = level_between(matrix, gpu, column);
	}
	return TOPO_OK;
}

static enum topo_status
fill_nics(const struct matrix *matrix, struct topo *out, struct topo_error *error)
{
	const struct header *header = &matrix->header;

	out->nics = calloc(header->count, sizeof *out->nics);
	if (out->nics == NULL)
		return TOPO_NO_MEMORY;
	for (size_t i = 0; i < header->count; i++) {
		const struct legend_entry *entry = &matrix->legend[i];
		struct text_span label = header->labels[i];
		if (header_is_gpu(label, NULL))
			continue;
		struct topo_nic *nic = &out->nics[out->nic_count++];
		nic->is_named = entry->line != 0 || !text_begins(label, "NIC");
		text_copy(nic->name, sizeof nic->name, entry->line != 0 ? entry->name : label);
		for (size_t n = 0; n + 1 < out->nic_count; n++) {
			if (strcmp(out->nics[n].name, nic->name) == 0)
				return topo_refuse(error,
					entry->line != 0 ? entry->line : header->line,
					"two columns for %s", nic->name);
		}
		if (fill_levels(matrix, i, out, nic) != TOPO_OK)
			return TOPO_NO_MEMORY;
	}
	return TOPO_OK;
}

static enum topo_status
parse_clean(struct text_span text, struct topo *out, struct topo_error *error)
{
	struct matrix *matrix = calloc(1, sizeof *matrix);
	if (matrix == NULL)
		return TOPO_NO_MEMORY;
	enum topo_status status = matrix_read(matrix, text, error);
	if (status == TOPO_OK)
		status = check_symmetry(matrix, error);
	if (status == TOPO_OK)
		status = check_gpu_rows(matrix, error);
	if (status == TOPO_OK)
		status = check_affinities(matrix, error);
	if (status == TOPO_OK)
		status = fill_gpus(matrix, out);
	if (status == TOPO_OK)
		status = fill_nics(matrix, out, error);
	matrix_fini(matrix);
	free(matrix);
	return status;
}

enum topo_status
topo_parse(const char *text, size_t length, struct topo *out, struct topo_error *error)
{
	struct text_span clean;

	*out = (struct topo){0};
	char *bytes = text_clean_new(text, length, &clean.length);
	if (bytes == NULL)
		return TOPO_NO_MEMORY;
	clean.at = bytes;
	enum topo_status status = parse_clean(clean, out, error);
	if (status != TOPO_OK)
		topo_fini(out);
	free(bytes);
	return status;
}

void
topo_fini(struct topo *topo)
{
	for (size_t i = 0; i < topo->nic_count; i++)
		free(topo->nics[i].levels);
	free(topo->nics);
	free(topo->gpus);
	*topo = (struct topo){0};
}

/* --- the document --- */

/* json_pack() omits the key of an unknown value. */
static const char *
if_known(const char *value)
{
	return *value != '\0' ? value : NULL;
}

static json_t *
gpu_new(const struct topo_gpu *gpu)
{
	return json_pack("{s:i, s:s*, s:s*, s:s*, s:i}", "gpu_id", (int)gpu->id, "uuid",
		if_known(gpu->uuid), "pci_address", if_known(gpu->pci_address), "serial_number",
		if_known(gpu->serial), "numa_node", gpu->numa_node);
}

static json_t *
levels_new(const struct topo *topo, const struct topo_nic *nic)
{
	json_t *array = json_array();
	for (size_t i = 0; i < topo->gpu_count; i++) {
		char buffer[8];
		const char *word = row_level_text(nic->levels[i], buffer);
		json_array_append_new(array, json_string(word));
	}
	return array;
}

static json_t *
gpus_new(const struct topo *topo)
{
	json_t *gpus = json_array();
	for (size_t i = 0; i < topo->gpu_count; i++)
		json_array_append_new(gpus, gpu_new(&topo->gpus[i]));
	return gpus;
}

static json_t *
rows_new(const struct topo *topo)
{
	json_t *rows = json_object();
	for (size_t i = 0; i < topo->nic_count; i++)
		json_object_set_new(rows, topo->nics[i].name, levels_new(topo, &topo->nics[i]));
	return rows;
}

char *
topo_format_new(const struct topo *topo, size_t *length)
{
	json_t *root =
		json_pack("{s:o, s:o}", "gpus", gpus_new(topo), "nic_topology", rows_new(topo));
	char *text = root != NULL ? gpumetadata_format_new(root, length) : NULL;
	json_decref(root);
	return text;
}

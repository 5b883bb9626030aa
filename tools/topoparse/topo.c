/* topo - what a topology matrix says: its rows and its legend put together, where they do not contradict each other. */
#include "topo.h"

#include "level.h"
#include "matrix.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum topo_status
topo_bad(struct topo_error *error, size_t line, const char *format, ...)
{
	va_list args;

	error->line = line;
	va_start(args, format);
	if (vsnprintf(error->reason, sizeof error->reason, format, args) < 0)
		*error->reason = '\0';
	va_end(args);
	return TOPO_BAD;
}

/* The level between two columns, from either's row; 0 when neither is there. */
static uint8_t
level_between(const struct matrix *matrix, size_t a, size_t b)
{
	if (matrix->rows[a].line != 0)
		return matrix->rows[a].cells[b];
	return matrix->rows[b].line != 0 ? matrix->rows[b].cells[a] : LEVEL_NONE;
}

/* What two rows say of each other must be the same: a row that lost a cell and gained another is found here. */
static enum topo_status
check_symmetry(const struct matrix *matrix, struct topo_error *error)
{
	const struct header *header = &matrix->header;
	char one[8], other[8];

	for (size_t a = 0; a < header->count; a++) {
		for (size_t b = a + 1; b < header->count; b++) {
			const struct row *x = &matrix->rows[a], *y = &matrix->rows[b];
			if (x->line == 0 || y->line == 0 || x->cells[b] == y->cells[a])
				continue;
			return topo_bad(error, y->line,
				"%.*s and %.*s are %s to each other here, and %s in line %zu",
				TEXT_SHOWN(header->labels[a]), TEXT_SHOWN(header->labels[b]),
				level_text(y->cells[a], one), level_text(x->cells[b], other),
				x->line);
		}
	}
	return TOPO_OK;
}

/* A GPU without a row can be put together from the others' rows, but not its NUMA node. */
static enum topo_status
check_gpu_rows(const struct matrix *matrix, struct topo_error *error)
{
	const struct header *header = &matrix->header;
	bool has_numa = tail_has_title(&header->tail.titles, TAIL_NUMA);
	unsigned id;

	for (size_t gpu = 0; gpu < header->count; gpu++) {
		if (!header_is_gpu(header->labels[gpu], &id) || matrix->rows[gpu].line != 0)
			continue;
		if (has_numa)
			return topo_bad(error, header->line,
				"%.*s has a column but no row: its NUMA node is not known",
				TEXT_SHOWN(header->labels[gpu]));
		for (size_t nic = 0; nic < header->count; nic++) {
			if (header_is_gpu(header->labels[nic], &id) || matrix->rows[nic].line != 0)
				continue;
			return topo_bad(error, header->line, "neither %.*s nor %.*s has a row",
				TEXT_SHOWN(header->labels[gpu]), TEXT_SHOWN(header->labels[nic]));
		}
	}
	return TOPO_OK;
}

/* That one GPU has no affinity, not even an empty one, and another has: then its row has been cut off. */
static enum topo_status
check_affinities(const struct matrix *matrix, struct topo_error *error)
{
	const struct header *header = &matrix->header;
	const struct row *bare = NULL, *whole = NULL;
	unsigned id;

	for (size_t i = 0; i < header->count; i++) {
		const struct row *row = &matrix->rows[i];
		if (row->line == 0 || !header_is_gpu(header->labels[i], &id))
			continue;
		if (row->is_bare)
			bare = row;
		else
			whole = row;
	}
	if (bare == NULL || whole == NULL)
		return TOPO_OK;
	return topo_bad(error, bare->line, "nothing behind the cells, as there is in line %zu",
		whole->line);
}

static int
by_id(const void *a, const void *b)
{
	unsigned x = ((const struct topo_gpu *)a)->id, y = ((const struct topo_gpu *)b)->id;
	return (x > y) - (x < y);
}

static enum topo_status
take_gpus(const struct matrix *matrix, struct topo *out)
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
take_levels(
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
take_nics(const struct matrix *matrix, struct topo *out, struct topo_error *error)
{
	const struct header *header = &matrix->header;
	unsigned id;

	out->nics = calloc(header->count, sizeof *out->nics);
	if (out->nics == NULL)
		return TOPO_NO_MEMORY;
	for (size_t i = 0; i < header->count; i++) {
		const struct legend_entry *entry = &matrix->legend[i];
		struct text_span label = header->labels[i];
		if (header_is_gpu(label, &id))
			continue;
		struct topo_nic *nic = &out->nics[out->nic_count++];
		nic->is_named = entry->line != 0 || !text_begins(label, "NIC");
		text_copy(nic->name, sizeof nic->name, entry->line != 0 ? entry->name : label);
		for (size_t n = 0; n + 1 < out->nic_count; n++) {
			if (strcmp(out->nics[n].name, nic->name) == 0)
				return topo_bad(error,
					entry->line != 0 ? entry->line : header->line,
					"two columns are of %s", nic->name);
		}
		if (take_levels(matrix, i, out, nic) != TOPO_OK)
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
		status = take_gpus(matrix, out);
	if (status == TOPO_OK)
		status = take_nics(matrix, out, error);
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

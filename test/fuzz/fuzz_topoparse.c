/* fuzz_topoparse - parses arbitrary bytes as a topology matrix, and the bytes after a NUL as the
 * CSV query: topoclass accepts the result if a NUMA node is known. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/topoclass/metadata.h"
#include "../../tools/topoparse/gpus.h"
#include "../../tools/topoparse/row.h"
#include "../../tools/topoparse/text.h"
#include "../../tools/topoparse/topo.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_topo(const struct topo *topo)
{
	assert(topo->gpu_count > 0);
	for (size_t i = 0; i < topo->gpu_count; i++) {
		assert(i == 0 || topo->gpus[i - 1].id < topo->gpus[i].id);
		assert(topo->gpus[i].numa_node >= -1 && topo->gpus[i].numa_node <= TOPO_NUMA_MAX);
	}
	for (size_t i = 0; i < topo->nic_count; i++) {
		const struct text_span name = {topo->nics[i].name, strlen(topo->nics[i].name)};
		assert(text_is_name(name));
		for (size_t n = 0; n < topo->gpu_count; n++)
			assert(topo->nics[i].levels[n] >= LEVEL_PIX &&
				topo->nics[i].levels[n] <= LEVEL_SYS);
	}
}

static void
check_output(const struct topo *topo)
{
	struct metadata metadata;
	size_t length;
	char *text = topo_format_new(topo, &length);
	assert(text != NULL && length == strlen(text));
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	assert(root != NULL);
	assert(json_object_size(json_object_get(root, "nic_topology")) == topo->nic_count);
	const char *reason = metadata_decode(root, &metadata);
	if (reason == NULL) {
		assert(metadata.gpu_count == topo->gpu_count);
		assert(json_object_size(metadata.rows) == topo->nic_count);
		metadata_fini(&metadata);
	} else {
		for (size_t i = 0; i < topo->gpu_count; i++)
			assert(topo->gpus[i].numa_node == -1);
	}
	json_decref(root);
	free(text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	const char *nul = size == 0 ? NULL : memchr(text, '\0', size);
	size_t length = nul == NULL ? size : (size_t)(nul - text);
	struct topo_error error = {.line = SIZE_MAX};
	struct topo topo;

	enum topo_status status = topo_parse(text, length, &topo, &error);
	if (status != TOPO_OK) {
		assert(status == TOPO_BAD && *error.reason != '\0' && error.line <= size);
		assert(topo.gpus == NULL && topo.nics == NULL);
		return 0;
	}
	check_topo(&topo);
	check_output(&topo);
	if (nul != NULL && gpus_join(nul + 1, size - length - 1, &topo, &error) == TOPO_OK)
		check_output(&topo);
	topo_fini(&topo);
	return 0;
}

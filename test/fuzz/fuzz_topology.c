/* fuzz_topology - parses arbitrary bytes as route tables and as GPU metadata, with topoclass'
 * readers. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/topoclass/metadata.h"
#include "../../tools/topoclass/route.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char interface[IF_NAMESIZE];
	char *text = malloc(size + 1);
	assert(text != NULL);
	memcpy(text, data, size);
	text[size] = '\0';
	if (route_parse_ipv4(text, interface))
		assert(strlen(interface) > 0 && strlen(interface) < IF_NAMESIZE);
	if (route_parse_ipv6(text, interface))
		assert(strlen(interface) > 0 && strcmp(interface, "lo") != 0);
	free(text);

	struct metadata metadata;
	json_t *root = json_loadb((const char *)data, size, 0, NULL);
	if (root != NULL && metadata_decode(root, &metadata) == NULL) {
		const char *device;
		json_t *row;
		assert(metadata.gpu_numa_count > 0);
		for (size_t i = 1; i < metadata.gpu_numa_count; i++)
			assert(metadata.gpu_numa[i - 1] < metadata.gpu_numa[i]);
		json_object_foreach (metadata.rows, device, row)
			assert(metadata_row(&metadata, device).present);
		metadata_fini(&metadata);
	}
	json_decref(root);
	return 0;
}

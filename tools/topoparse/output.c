/* output - the topology as GPU metadata, in the shape that NVSentinel's collector writes and topoclass reads. */
#include "output.h"

#include "level.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

/* What is not known has no key. */
static int
set_known(json_t *object, const char *key, const char *value)
{
	return *value == '\0' ? 0 : json_object_set_new(object, key, json_string(value));
}

static json_t *
gpu_new(const struct topo_gpu *gpu)
{
	json_t *object = json_object();
	if (json_object_set_new(object, "gpu_id", json_integer(gpu->id)) < 0 ||
		set_known(object, "uuid", gpu->uuid) < 0 ||
		set_known(object, "pci_address", gpu->pci_address) < 0 ||
		set_known(object, "serial_number", gpu->serial) < 0 ||
		json_object_set_new(object, "numa_node", json_integer(gpu->numa_node)) < 0) {
		json_decref(object);
		return NULL;
	}
	return object;
}

static json_t *
levels_new(const struct topo *topo, const struct topo_nic *nic)
{
	json_t *array = json_array();
	for (size_t i = 0; i < topo->gpu_count; i++) {
		char buffer[8];
		const char *word = level_text(nic->levels[i], buffer);
		if (json_array_append_new(array, json_string(word)) < 0) {
			json_decref(array);
			return NULL;
		}
	}
	return array;
}

/* Writes a value and the end of its line; `json` is taken. */
static int
put_new(FILE *out, json_t *json, bool is_last)
{
	char *text = json == NULL ? NULL : json_dumps(json, 0);
	json_decref(json);
	if (text == NULL)
		return -1;
	fprintf(out, "%s%s\n", text, is_last ? "" : ",");
	free(text);
	return 0;
}

static int
write_topo(FILE *out, const struct topo *topo)
{
	fputs("{\n  \"gpus\": [\n", out);
	for (size_t i = 0; i < topo->gpu_count; i++) {
		fputs("    ", out);
		if (put_new(out, gpu_new(&topo->gpus[i]), i + 1 == topo->gpu_count) < 0)
			return -1;
	}
	fputs("  ],\n  \"nic_topology\": {\n", out);
	for (size_t i = 0; i < topo->nic_count; i++) {
		/* A device name needs no escaping, see text_is_name(). */
		fprintf(out, "    \"%s\": ", topo->nics[i].name);
		if (put_new(out, levels_new(topo, &topo->nics[i]), i + 1 == topo->nic_count) < 0)
			return -1;
	}
	fputs("  }\n}\n", out);
	return 0;
}

char *
output_format_new(const struct topo *topo, size_t *length)
{
	char *text = NULL;

	FILE *out = open_memstream(&text, length);
	if (out == NULL)
		return NULL;
	int status = write_topo(out, topo);
	bool is_short = ferror(out) != 0;
	if (fclose(out) != 0 || is_short || status < 0) {
		free(text);
		return NULL;
	}
	return text;
}

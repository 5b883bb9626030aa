/* gpumetadata - formats the GPU metadata document. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "gpumetadata.h"

#include "strbuf.h"

#include <stdlib.h>

static void
add_json(struct strbuf *out, const json_t *json)
{
	char *text = json_dumps(json, JSON_ENCODE_ANY);
	if (text != NULL)
		strbuf_addf(out, "%s", text);
	free(text);
}

static void
end_line(struct strbuf *out, bool is_last)
{
	strbuf_addf(out, is_last ? "\n" : ",\n");
}

static void
add_gpus(struct strbuf *out, const json_t *gpus)
{
	size_t i;
	const json_t *gpu;
	json_array_foreach (gpus, i, gpu) {
		strbuf_addf(out, "    ");
		add_json(out, gpu);
		end_line(out, i + 1 == json_array_size(gpus));
	}
}

static void
add_rows(struct strbuf *out, json_t *rows)
{
	const char *device;
	json_t *row;
	size_t left = json_object_size(rows);
	json_object_foreach (rows, device, row) {
		json_t *name = json_string(device);
		strbuf_addf(out, "    ");
		add_json(out, name);
		strbuf_addf(out, ": ");
		add_json(out, row);
		end_line(out, --left == 0);
		json_decref(name);
	}
}

char *
gpumetadata_format_new(const json_t *root, size_t *length)
{
	struct strbuf text = {0};
	json_t *unbound = json_object_get(root, "unbound");

	strbuf_addf(&text, "{\n  \"gpus\": [\n");
	add_gpus(&text, json_object_get(root, "gpus"));
	strbuf_addf(&text, "  ],\n  \"nic_topology\": {\n");
	add_rows(&text, json_object_get(root, "nic_topology"));
	if (json_object_size(unbound) > 0) {
		strbuf_addf(&text, "  },\n  \"unbound\": {\n");
		add_rows(&text, unbound);
	}
	strbuf_addf(&text, "  }\n}\n");
	*length = text.length;
	return strbuf_detach_new(&text);
}

/* section - encodes and decodes the sections of a state file that are lists of items. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "section.h"

#include "num.h"

#include <stdio.h>

bool
section_has(const struct section *section, const void *entry)
{
	const char *member = (const char *)entry + section->offset;
	if (section->holds != NULL)
		return section->holds(entry);
	for (size_t i = 0; i < section->size; i++) {
		if (member[i] != 0)
			return true;
	}
	return section->size == 0;
}

/* Ports have keys such as `mlx5_0_1`, which are for people: decoding ignores them. */
static void
encode_key(struct encoder *encoder, const struct section *section, const struct table_node *node)
{
	char number[NUM_U64_SIZE];
	const struct port_entry *port = (const struct port_entry *)node;

	if (section->list != offsetof(struct encoder, ports)) {
		jsonout_key_of(&encoder->out, (const char *const[]){node->key, NULL});
		return;
	}
	num_format_u64((uint64_t)port->number, number);
	jsonout_key_of(&encoder->out, (const char *const[]){port->device, "_", number, NULL});
}

void
section_encode_items(struct encoder *encoder, const struct section *section)
{
	const struct codec_list *list =
		(const struct codec_list *)((const char *)encoder + section->list);
	for (size_t i = 0; i < list->count; i++) {
		const struct table_node *node = list->nodes[i];
		if (!section_has(section, node))
			continue;
		if (section->keyed)
			encode_key(encoder, section, node);
		if (section->fields != NULL)
			codec_encode_object(&encoder->out, section->fields, node);
		else
			jsonout_string(&encoder->out, node->key);
	}
}

void
section_encode_entries(struct encoder *encoder, const struct section *section)
{
	jsonout_key(&encoder->out, section->key);
	jsonout_open(&encoder->out, section->keyed ? '{' : '[');
	section_encode_items(encoder, section);
	jsonout_close(&encoder->out, section->keyed ? '}' : ']');
}

int
section_decode_items(struct decoder *decoder, const struct section *section)
{
	size_t i;
	const char *key;
	json_t *item;
	json_t *items = json_object_get(decoder->root, section->key);

	if (items == NULL || json_is_null(items))
		return 0;
	if (!(section->keyed ? json_is_object(items) : json_is_array(items)))
		return rec_refuse(decoder->error, "\"%s\" has the wrong type", section->key);
	decoder->section = section;
	json_object_foreach (items, key, item) {
		decoder->key = key;
		if (section->decode_one(decoder, item) < 0)
			return -1;
	}
	decoder->key = NULL;
	json_array_foreach (items, i, item) {
		if (section->decode_one(decoder, item) < 0)
			return -1;
	}
	return 0;
}

int
section_decode_entry(struct decoder *decoder, const json_t *item)
{
	const struct section *section = decoder->section;

	snprintf(decoder->what, sizeof decoder->what, "%s", section->what);
	char *entry = section->find(decoder, item);
	if (entry == NULL || codec_decode(decoder, section->fields, item, entry) < 0)
		return -1;
	if (section->complete != NULL)
		section->complete(entry);
	return 0;
}

void *
section_find_port(struct decoder *decoder, const json_t *item)
{
	int64_t number;
	const char *device = codec_name(item, "device");
	if (device == NULL || !codec_port_number(item, &number)) {
		codec_refuse(decoder, decoder->section->nameless);
		return NULL;
	}
	struct port_entry *port = state_find_or_add_port(decoder->file->state, device, number);
	if (port == NULL)
		codec_no_entry(decoder);
	return port;
}

struct device_entry *
section_find_device(struct decoder *decoder, const char *name)
{
	struct device_entry *device = state_find_or_add_device(decoder->file->state, name);
	if (device == NULL)
		codec_no_entry(decoder);
	return device;
}

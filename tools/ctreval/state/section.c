/* section - encodes and decodes the sections of a state file that are lists of items. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "section.h"

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
add_item(struct encoder *encoder, const struct section *section, json_t *items,
	const struct table_node *node)
{
	char key[TABLE_KEY_SIZE];
	const struct port_entry *port = (const struct port_entry *)node;
	json_t *item = section->fields != NULL ? codec_encode_new(encoder, section->fields, node)
					       : json_string(node->key);

	if (!section->keyed) {
		codec_append(encoder, items, item);
	} else if (section->list == offsetof(struct encoder, ports)) {
		snprintf(key, sizeof key, "%s_%lld", port->device, port->number);
		codec_put(encoder, items, key, item);
	} else {
		codec_put(encoder, items, node->key, item);
	}
}

void
section_add_items(struct encoder *encoder, const struct section *section, json_t *items)
{
	const struct codec_list *list =
		(const struct codec_list *)((const char *)encoder + section->list);
	for (size_t i = 0; i < list->count; i++) {
		if (section_has(section, list->nodes[i]))
			add_item(encoder, section, items, list->nodes[i]);
	}
}

void
section_encode_entries(struct encoder *encoder, const struct section *section, json_t *root)
{
	json_t *items = section->keyed ? json_object() : json_array();
	section_add_items(encoder, section, items);
	codec_put(encoder, root, section->key, items);
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

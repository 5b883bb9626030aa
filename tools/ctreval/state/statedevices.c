/* statedevices - devices in the state file, and how many scans devices and ports were missing. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "statedevices.h"

#include <stdio.h>
#include <string.h>

/* Code of unreadable devices before states had codes. */
#define CODE_UNREADABLE_BEFORE "unreadable"

static const struct field device_fields[] = {
	{"pci", FIELD_TEXT, FIELD_AT(struct device_entry, pci), FIELD_OR_NULL},
	{"node_guid", FIELD_TEXT, FIELD_AT(struct device_entry, node_guid), FIELD_OR_NULL},
	{"role", FIELD_TEXT, FIELD_AT(struct device_entry, role), FIELD_OR_NULL},
	{"card", FIELD_TEXT, FIELD_AT(struct device_entry, card), FIELD_OR_NULL},
	{"link_layer", FIELD_LAYER, FIELD_AT(struct device_entry, layer)},
	{"vendor", FIELD_TEXT, FIELD_AT(struct device_entry, vendor), FIELD_IF_ANY},
	{"store_only", FIELD_FLAG, FIELD_AT(struct device_entry, store_only), FIELD_LEFT_OUT},
	{"gone_said", FIELD_SAID, FIELD_AT(struct device_entry, gone_said), FIELD_OR_NULL},
	{"unreadable_said", FIELD_SAID, FIELD_AT(struct device_entry, unreadable_said),
		FIELD_OR_NULL},
	{.key = NULL},
};

static void *
find_device_of_key(struct decoder *decoder, const json_t *item)
{
	if (json_is_object(item) && codec_is_name(decoder->key))
		return section_find_device(decoder, decoder->key);
	rec_refuse(decoder->error, "device \"%.64s\" is not an object", decoder->key);
	return NULL;
}

const struct section statedevices_all = {"devices", ROUND_THINGS, .keyed = true,
	SECTION_ENTRIES(devices, device_fields), .find = find_device_of_key, .what = "a device"};

/* --- lists of device names --- */

/* For each named device, call `complete`, or else set the bool at `offset`. */
static int
decode_name(struct decoder *decoder, const json_t *item)
{
	const char *name = json_string_value(item);
	if (name == NULL || !codec_is_name(name))
		return rec_refuse(
			decoder->error, "\"%s\" is not a list of names", decoder->section->key);
	struct device_entry *device = section_find_device(decoder, name);
	if (device == NULL)
		return -1;
	if (decoder->section->complete != NULL)
		decoder->section->complete(device);
	else
		*(bool *)((char *)device + decoder->section->offset) = true;
	return 0;
}

static bool
is_gone(const void *entry)
{
	const struct device_entry *device = entry;
	return device->presence == DEVICE_GONE || device->presence == DEVICE_GONE_SILENT;
}

static void
complete_gone(void *entry)
{
	struct device_entry *device = entry;
	device->presence = device->presence == DEVICE_SILENT ? DEVICE_GONE_SILENT : DEVICE_GONE;
	if (!device->gone_said.stands)
		state_report(&device->gone_said, true, "");
}

static bool
is_silent(const void *entry)
{
	const struct device_entry *device = entry;
	return device->presence == DEVICE_SILENT || device->presence == DEVICE_GONE_SILENT;
}

static void
complete_silent(void *entry)
{
	struct device_entry *device = entry;
	device->presence = device->presence == DEVICE_GONE ? DEVICE_GONE_SILENT : DEVICE_SILENT;
	if (!device->unreadable_said.stands)
		state_report(&device->unreadable_said, false, CODE_UNREADABLE_BEFORE);
}

#define NAMES \
	SECTION_ITEMS(section_encode_entries, decode_name), \
		.list = offsetof(struct encoder, devices)

const struct section statedevices_known = {
	"known_devices", ROUND_THINGS, NAMES, FIELD_AT(struct device_entry, known)};

const struct section statedevices_gone = {
	"disappeared_devices", ROUND_STANDINGS, NAMES, .holds = is_gone, .complete = complete_gone};

const struct section statedevices_unreadable = {"unreadable_devices", ROUND_STANDINGS, NAMES,
	.holds = is_silent, .complete = complete_silent};

const struct section statedevices_baseline_owed = {"baseline_owed_devices", ROUND_STANDINGS, NAMES,
	FIELD_AT(struct device_entry, baseline_owed)};

const struct section statedevices_clear_owed = {
	"clear_owed_devices", ROUND_STANDINGS, NAMES, FIELD_AT(struct device_entry, clear_owed)};

int
statedevices_check(const struct decoder *decoder)
{
	const struct table *devices = &decoder->file->state->devices;
	table_foreach (devices, const struct device_entry, device) {
		if (is_gone(device) != device->gone_said.stands ||
			is_silent(device) != device->unreadable_said.stands)
			return rec_refuse(decoder->error,
				"device \"%.64s\" has an open report that its state contradicts",
				device->node.key);
	}
	return 0;
}

/* --- scans in a row in which a device or port was missing or unreadable --- */

static const struct field missing_device_fields[] = {
	{"device", FIELD_KEY, FIELD_AT(struct device_entry, node.key)},
	{"missing", FIELD_COUNT, FIELD_AT(struct device_entry, missing)},
	{"unreadable", FIELD_COUNT, FIELD_AT(struct device_entry, unreadable)},
	{"missing_since_ns", FIELD_U64, FIELD_AT(struct device_entry, missing_since_ns),
		.why = "has a \"missing_since_ns\" that is not a time"},
	{"reloading", FIELD_FLAG, FIELD_AT(struct device_entry, reloading), FIELD_LEFT_OUT},
	{.key = NULL},
};

static const struct field missing_port_fields[] = {
	FIELD_KEYS(struct port_entry),
	{"missing", FIELD_COUNT, FIELD_AT(struct port_entry, missing)},
	{.key = NULL},
};

/* The grace of a device that is back without a healthy port continues. */
static bool
is_missing_device(const void *entry)
{
	const struct device_entry *device = entry;
	return device->missing > 0 || device->unreadable > 0 || device->reloading ||
	       (device->gone_said.stands && !device->gone_said.fatal);
}

/* Encode devices first, then ports. */
static void
encode_missing(struct encoder *encoder, const struct section *section)
{
	const struct section devices = {.list = offsetof(struct encoder, devices),
		.holds = is_missing_device,
		.fields = missing_device_fields};
	const struct section ports = {.list = offsetof(struct encoder, ports),
		FIELD_AT(struct port_entry, missing),
		.fields = missing_port_fields};

	jsonout_key(&encoder->out, section->key);
	jsonout_open(&encoder->out, '[');
	section_encode_items(encoder, &devices);
	section_encode_items(encoder, &ports);
	jsonout_close(&encoder->out, ']');
}

static int
decode_missing(struct decoder *decoder, const json_t *item)
{
	const char *name = codec_name(item, "device");
	int64_t number;

	snprintf(decoder->what, sizeof decoder->what, "%s", decoder->section->what);
	if (name == NULL)
		return codec_refuse(decoder, decoder->section->nameless);
	if (json_object_get(item, "port") == NULL) {
		struct device_entry *device = section_find_device(decoder, name);
		return device != NULL ? codec_decode(decoder, missing_device_fields, item, device)
				      : -1;
	}
	if (!codec_port_number(item, &number))
		return codec_refuse(decoder, "has a bad port");
	struct port_entry *port = section_find_port(decoder, item);
	return port != NULL ? codec_decode(decoder, missing_port_fields, item, port) : -1;
}

const struct section statedevices_missing = {"miss_counts", ROUND_STANDINGS,
	SECTION_ITEMS(encode_missing, decode_missing), .what = "a miss count",
	.nameless = "has no device"};

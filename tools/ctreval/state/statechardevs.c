/* statechardevs - missing InfiniBand character devices in the state file. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "statechardevs.h"

static const struct field chardev_fields[] = {
	{"kind", FIELD_KEY_LENT, FIELD_AT(struct chardev_entry, name)},
	FIELD_KEYS(struct chardev_entry),
	{"missing", FIELD_COUNT, FIELD_AT(struct chardev_entry, missing)},
	{"said", FIELD_SAID, FIELD_AT(struct chardev_entry, said), FIELD_OR_NULL},
	{.key = NULL},
};

static void *
find_chardev(struct decoder *decoder, const json_t *item)
{
	int64_t number;
	const char *device = codec_name(item, "device"), *name = codec_name(item, "kind");
	enum chardev_kind kind = name != NULL ? chardev_find(name) : CHARDEV_KIND_N;

	if (device == NULL || kind == CHARDEV_KIND_N || !codec_port_number(item, &number)) {
		codec_refuse(decoder, decoder->section->nameless);
		return NULL;
	}
	struct chardev_entry *entry =
		state_find_or_add_chardev(decoder->file->state, kind, device, number);
	if (entry == NULL)
		codec_no_entry(decoder);
	return entry;
}

/* A reported device must have been missing for CHARDEV_MISSING_SCANS. */
static void
complete_chardev(void *item)
{
	struct chardev_entry *entry = item;
	if (entry->said.stands || entry->missing > CHARDEV_MISSING_SCANS)
		entry->missing = CHARDEV_MISSING_SCANS;
}

const struct section statechardevs_missing = {"missing_char_devices", ROUND_STANDINGS,
	.keyed = true, SECTION_ENTRIES(chardevs, chardev_fields), .find = find_chardev,
	.complete = complete_chardev, .what = "a missing character device",
	.nameless = "has no kind, device and port"};

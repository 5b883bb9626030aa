/* section - the sections of a state file: their order, and how each is encoded and decoded.
 * Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_SECTION_H
#define CTREVAL_SECTION_H

#include "codec.h"

struct counter_key;

/* Sections are decoded in this order, since later ones look up entries of earlier ones. */
enum round {
	ROUND_PORTS,
	ROUND_THINGS,    /* counters, and the known devices */
	ROUND_STANDINGS, /* open reports about them */
	ROUND_LAST,
	ROUND_N,
};

/* One section of the file: functions, and tables for them. */
struct section {
	const char *key;
	enum round round;
	void (*encode)(struct encoder *encoder, const struct section *section);
	int (*decode)(struct decoder *decoder, const struct section *section);

	/* Sections with items: `keyed` if they are an object, else an array; decode_one() decodes
	 * one item. */
	bool keyed;
	int (*decode_one)(struct decoder *decoder, const json_t *item);

	/* Members of an item, or of the state itself. NULL: each item is the name of a device. */
	const struct field *fields;

	/* Sections of entries or counters: only entries, or counters' memories, for which `holds`
	 * returns true are encoded, or without `holds` those in which the member at `offset` is not
	 * 0; with neither, all. */
	bool (*holds)(const void *entry);
	size_t offset, size;

	/* Sections of entries: the list in struct encoder. */
	size_t list;
	/* Return the entry that an item is about; NULL with the decoder's error. */
	void *(*find)(struct decoder *decoder, const json_t *item);
	/* Set fields that follow from the members, or from being in the section; nullable. */
	void (*complete)(void *entry);
	/* For error messages: the kind of item, and the fault of an item that names no entry. */
	const char *what, *nameless;

	/* Sections of counters: encode one counter with its key, and decode one. When decoding,
	 * `memory` is NULL if the counter is not watched. */
	void (*encode_counter)(struct encoder *encoder, const struct port_entry *port,
		const struct counter_def *def, const struct counter_memory *memory);
	int (*read_counter)(struct decoder *decoder, const json_t *object,
		const struct counter_key *key, struct counter_memory *memory);
};

/* A section whose items are made by these functions, and one whose items are the entries of a list
 * in struct encoder. */
#define SECTION_ITEMS(encode_all, one) \
	.encode = (encode_all), .decode = section_decode_items, .decode_one = (one)
#define SECTION_ENTRIES(lists, rows) \
	SECTION_ITEMS(section_encode_entries, section_decode_entry), \
		.list = offsetof(struct encoder, lists), .fields = rows

/* Return true if the entry belongs in the section. */
bool section_has(const struct section *section, const void *entry);

/* Encode the section's entries, without the brackets around them. */
void section_encode_items(struct encoder *encoder, const struct section *section);

/* Encode or decode a whole section of entries; section_decode_entry() decodes one item. Decoding
 * returns 0, or -1 with the decoder's error. */
void section_encode_entries(struct encoder *encoder, const struct section *section);
int section_decode_items(struct decoder *decoder, const struct section *section);
int section_decode_entry(struct decoder *decoder, const json_t *item);

/* Find or add the port that an item names, or the device with this name. Return NULL with the
 * decoder's error. */
void *section_find_port(struct decoder *decoder, const json_t *item);
struct device_entry *section_find_device(struct decoder *decoder, const char *name);

#endif

/* section - the sections of a state file: in which order they are read, how each is written and
 * read, and what those share that are lists of items. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_SECTION_H
#define CTREVAL_SECTION_H

#include "codec.h"

struct counter_key;

/* In which order the sections are read: what others look up goes first. */
enum round {
	ROUND_PORTS,
	ROUND_THINGS,    /* counters, and which devices there are */
	ROUND_STANDINGS, /* what was said about what there is */
	ROUND_LAST,
	ROUND_N,
};

/* A section of the file: how it is written and read, and the rows or functions for that. */
struct section {
	const char *key;
	enum round round;
	void (*encode)(struct encoder *encoder, const struct section *section, json_t *root);
	int (*decode)(struct decoder *decoder, const struct section *section);

	/* Of items: an object of them, under keys, else an array; and what reads one of them. */
	bool keyed;
	int (*decode_one)(struct decoder *decoder, const json_t *item);

	/* Of members of an object or of the state itself; NULL: an item is the name of a device. */
	const struct field *fields;

	/* Of entries: where they are in struct encoder, and which of them it has: those that
	 * `holds`, or in which this member is not 0; with neither, all. */
	size_t list;
	bool (*holds)(const void *entry);
	size_t offset, size;
	/* The entry that an item is about; NULL with the decoder's error. */
	void *(*find)(struct decoder *decoder, const json_t *item);
	/* Makes true what follows from the members, or from being in the section; nullable. */
	void (*complete)(void *entry);
	/* For people: what an item is, and what one is that names no entry. */
	const char *what, *nameless;

	/* Of counters: what the file has of one, NULL: nothing; and back. Without `memory` nobody
	 * watches the counter. */
	json_t *(*counter_new)(struct encoder *encoder, const struct port_entry *port,
		const struct counter_def *def, const struct counter_memory *memory);
	int (*read_counter)(struct decoder *decoder, const json_t *object,
		const struct counter_key *key, struct counter_memory *memory);
};

/* Of a section whose items are about entries: the rows, and in which list of struct encoder. */
#define SECTION_ITEMS(encode_all, one) \
	.encode = (encode_all), .decode = section_decode_items, .decode_one = (one)
#define SECTION_ENTRIES(lists, rows) \
	SECTION_ITEMS(section_encode_entries, section_decode_entry), \
		.list = offsetof(struct encoder, lists), .fields = rows

/* True when the entry belongs into the section. */
bool section_has(const struct section *section, const void *entry);

/* Adds the items of the section's entries to `items`, an object or array. */
void section_add_items(struct encoder *encoder, const struct section *section, json_t *items);

/* The whole section of entries; and back: each of its items, one that is about an entry. 0, or -1
 * with the decoder's error. */
void section_encode_entries(struct encoder *encoder, const struct section *section, json_t *root);
int section_decode_items(struct decoder *decoder, const struct section *section);
int section_decode_entry(struct decoder *decoder, const json_t *item);

/* Finds or makes the entry of an item's device and port, or of a device's name. NULL with the
 * decoder's error. */
void *section_find_port(struct decoder *decoder, const json_t *item);
struct device_entry *section_find_device(struct decoder *decoder, const char *name);

#endif

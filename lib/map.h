/* map - finds items by their keys: a hash table beside the array in which the caller has them.
 *
 * The map has the hash (hash.h) of each key and the item's index, and nothing of the key itself:
 * whoever looks something up compares the keys of the items of that hash, mostly one.
 *
 *	for (size_t step = 0, i; (i = map_next(&map, hash, &step)) != MAP_END;) {
 *		if (strcmp(items[i].key, key) == 0)
 *			return &items[i];
 *	} */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_MAP_H
#define NHM_MAP_H

#include <stddef.h>
#include <stdint.h>

#define MAP_END SIZE_MAX

struct map_slot {
	uint64_t hash;
	size_t item; /* its index, plus 1; 0: the slot is free */
};

/* All zeros: empty. */
struct map {
	struct map_slot *slots;
	size_t size; /* a power of two, or 0 before the first item; at most half of it is used */
	size_t count;
};

/* The index of the first item of that hash, with 0 in `*step`, and of further ones with what the
 * call before has left there; MAP_END after the last one. */
size_t map_next(const struct map *map, uint64_t hash, size_t *step);

/* Adds an item, below MAP_END. 0, or -1 with errno when memory runs out. */
int map_add(struct map *map, uint64_t hash, size_t item);

/* Takes out an item that was added with that hash. */
void map_remove(struct map *map, uint64_t hash, size_t item);

/* Forgets all items and keeps the memory. */
void map_clear(struct map *map);

void map_fini(struct map *map);

#endif

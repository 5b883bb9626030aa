/* map - hash table that finds the items of a caller's array by their keys.
 *
 * The map stores the hash (hash.h) of each key and the item's index, but not the key: the caller
 * compares the keys of the items with that hash, mostly one.
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
	size_t item; /* the item's index plus 1; 0: free */
};

/* All zeros: empty. */
struct map {
	struct map_slot *slots;
	size_t size; /* a power of two, or 0 before the first item; at most half is used */
	size_t count;
};

/* Return the index of the next item with this hash, or MAP_END after the last one. Set `*step` to 0
 * for the first; the function advances it. */
size_t map_next(const struct map *map, uint64_t hash, size_t *step);

/* Add an item, whose index is below MAP_END. Return 0, or -1 with errno when memory runs out. */
int map_add(struct map *map, uint64_t hash, size_t item);

/* Remove an item that was added with this hash. */
void map_remove(struct map *map, uint64_t hash, size_t item);

/* Remove all items and keep the memory. */
void map_clear(struct map *map);

void map_fini(struct map *map);

#endif

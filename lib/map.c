/* map - hash table of indexes, with open addressing and linear probing. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "map.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_SIZE 256

size_t
map_next(const struct map *map, uint64_t hash, size_t *step)
{
	if (map->size == 0)
		return MAP_END;
	size_t mask = map->size - 1;
	for (;;) {
		const struct map_slot *slot = &map->slots[((hash & mask) + *step) & mask];
		if (slot->item == 0)
			return MAP_END;
		++*step;
		if (slot->hash == hash)
			return slot->item - 1;
	}
}

static void
put(struct map *map, struct map_slot added)
{
	size_t at = added.hash & (map->size - 1);
	while (map->slots[at].item != 0)
		at = (at + 1) & (map->size - 1);
	map->slots[at] = added;
}

static int
grow(struct map *map)
{
	struct map grown = {
		.size = map->size == 0 ? FIRST_SIZE : 2 * map->size, .count = map->count};
	grown.slots = calloc(grown.size, sizeof *grown.slots);
	if (grown.slots == NULL)
		return -1;
	for (size_t i = 0; i < map->size; i++) {
		if (map->slots[i].item != 0)
			put(&grown, map->slots[i]);
	}
	free(map->slots);
	*map = grown;
	return 0;
}

int
map_add(struct map *map, uint64_t hash, size_t item)
{
	if (2 * (map->count + 1) > map->size && grow(map) < 0)
		return -1;
	put(map, (struct map_slot){.hash = hash, .item = item + 1});
	map->count++;
	return 0;
}

/* No search may end early at the freed slot: move back the entries that were pushed beyond it,
 * unless they would then lie before the slot where their search begins. */
void
map_remove(struct map *map, uint64_t hash, size_t item)
{
	size_t mask = map->size - 1, hole = hash & mask;
	while (map->slots[hole].item != item + 1)
		hole = (hole + 1) & mask;
	for (size_t at = (hole + 1) & mask; map->slots[at].item != 0; at = (at + 1) & mask) {
		size_t begin = map->slots[at].hash & mask;
		if (((at - begin) & mask) < ((at - hole) & mask))
			continue;
		map->slots[hole] = map->slots[at];
		hole = at;
	}
	map->slots[hole] = (struct map_slot){0};
	map->count--;
}

void
map_clear(struct map *map)
{
	if (map->count > 0)
		memset(map->slots, 0, map->size * sizeof *map->slots);
	map->count = 0;
}

void
map_fini(struct map *map)
{
	free(map->slots);
	*map = (struct map){0};
}

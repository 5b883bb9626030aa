/* Unit tests of map: items found by the hash of their keys. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "map.h"

#include "check.h"
#include "hash.h"

#define ITEMS 5000

static uint64_t
hash_of(size_t item)
{
	return hash_bytes(HASH_START, &item, sizeof item);
}

static void
finds(void)
{
	struct map map = {0};
	size_t step = 0;

	CHECK_U64(map_next(&map, hash_of(0), &step), MAP_END);
	for (size_t i = 0; i < ITEMS; i++) {
		if (!CHECK_INT(map_add(&map, hash_of(i), i), 0))
			break;
	}
	CHECK_U64(map.count, ITEMS);
	for (size_t i = 0; i < ITEMS; i++) {
		step = 0;
		CHECK_U64(map_next(&map, hash_of(i), &step), i);
		CHECK_U64(map_next(&map, hash_of(i), &step), MAP_END);
	}
	step = 0;
	CHECK_U64(map_next(&map, hash_of(ITEMS), &step), MAP_END);
	map_fini(&map);
	CHECK(map.slots == NULL && map.size == 0 && map.count == 0);
}

static void
tells_all_of_a_hash(void)
{
	/* The last two start in the same slot as the others. */
	static const uint64_t hashes[] = {7, 7, 7, 7 + (UINT64_C(1) << 32), 7 + 4096};
	struct map map = {0};

	for (size_t i = 0; i < CHECK_COUNT(hashes); i++)
		CHECK_INT(map_add(&map, hashes[i], i), 0);
	size_t step = 0, item, told = 0;
	while ((item = map_next(&map, 7, &step)) != MAP_END)
		told |= (size_t)1 << item;
	CHECK_U64(told, 7);
	for (size_t i = 3; i < CHECK_COUNT(hashes); i++) {
		step = 0;
		CHECK_U64(map_next(&map, hashes[i], &step), i);
		CHECK_U64(map_next(&map, hashes[i], &step), MAP_END);
	}
	map_fini(&map);
}

static void
goes_round(void)
{
	struct map map = {0};

	/* From the last slot on, in a table of any size. */
	for (size_t i = 0; i < 100; i++)
		CHECK_INT(map_add(&map, UINT64_MAX, i), 0);
	size_t step = 0, count = 0;
	while (map_next(&map, UINT64_MAX, &step) != MAP_END)
		count++;
	CHECK_U64(count, 100);
	map_fini(&map);
}

static void
forgets(void)
{
	struct map map = {0};
	size_t step = 0;

	map_clear(&map);
	CHECK_INT(map_add(&map, 1, 1), 0);
	const struct map_slot *memory = map.slots;
	map_clear(&map);
	CHECK_U64(map_next(&map, 1, &step), MAP_END);
	CHECK_U64(map.count, 0);
	CHECK_INT(map_add(&map, 1, 2), 0);
	CHECK_U64(map_next(&map, 1, &step), 2);
	CHECK(map.slots == memory);
	map_fini(&map);
}

/* Few hashes that start at few slots, so that most items are displaced. */
static uint64_t
crowded_hash(size_t item)
{
	return item % 7 + 256 * (item % 3);
}

static bool
has(const struct map *map, size_t item)
{
	for (size_t step = 0, i; (i = map_next(map, crowded_hash(item), &step)) != MAP_END;)
		if (i == item)
			return true;
	return false;
}

static void
removes(void)
{
	struct map map = {0};
	bool is_in[120] = {false};
	/* In an order that visits every item often. */
	for (size_t i = 0, item = 0; i < 5000; i++, item = (item * 31 + 17 + i) % 120) {
		if (is_in[item])
			map_remove(&map, crowded_hash(item), item);
		else if (!CHECK_INT(map_add(&map, crowded_hash(item), item), 0))
			break;
		is_in[item] = !is_in[item];
		for (size_t other = 0; other < CHECK_COUNT(is_in); other++)
			if (has(&map, other) != is_in[other])
				CHECK_INT((int)other, -1);
	}
	map_fini(&map);
}

static const struct check_test tests[] = {
	{"a removed item is gone, and no other", removes},
	{"every added item is found, and no other", finds},
	{"all items of a hash are found, and none of another", tells_all_of_a_hash},
	{"items that wrap around the table's end are found", goes_round},
	{"a map that was cleared is empty, and keeps its memory", forgets},
};
CHECK_MAIN(tests)

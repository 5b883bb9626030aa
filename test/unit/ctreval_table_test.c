/* Unit tests of ctreval's table: entries found by a short text, and walked in natural order. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/ctreval/state/table.h"

#include "check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
	struct table_node node;
	unsigned value;
};

static struct entry *
add(struct table *table, const char *key, unsigned value)
{
	struct entry *entry = table_add(table, key, sizeof *entry);
	if (CHECK(entry != NULL))
		entry->value = value;
	return entry;
}

static void
empty(void)
{
	struct table table = {0};
	size_t count = 7;
	CHECK(table_find(&table, "") == NULL);
	CHECK(table_find(&table, "a") == NULL);
	CHECK(table_next(&table, NULL) == NULL);
	struct table_node **nodes = table_sorted_new(&table, &count);
	CHECK(nodes != NULL);
	CHECK_INT((int64_t)count, 0);
	free(nodes);
	table_fini(&table, NULL);
}

static void
finds(void)
{
	static const char *const keys[] = {
		"", "a", "b", "aa", "A", "a:1", "a:2", "mlx5_0:1", "mlx5_0:10", " ", "\xC3\xA4"};
	struct table table = {0};
	for (unsigned i = 0; i < CHECK_COUNT(keys); i++) {
		check_row("%s", keys[i]);
		CHECK(table_find(&table, keys[i]) == NULL);
		add(&table, keys[i], i);
	}
	CHECK_INT((int64_t)table.count, (int64_t)CHECK_COUNT(keys));
	for (unsigned i = 0; i < CHECK_COUNT(keys); i++) {
		const struct entry *entry = table_find(&table, keys[i]);
		check_row("%s", keys[i]);
		if (CHECK(entry != NULL)) {
			CHECK_STR(entry->node.key, keys[i]);
			CHECK_INT(entry->value, i);
		}
	}
	CHECK(table_find(&table, "ab") == NULL);
	CHECK(table_find(&table, "mlx5_0:") == NULL);
	table_fini(&table, NULL);
}

static void
longest_key(void)
{
	struct table table = {0};
	char *key = check_repeat_new('k', TABLE_KEY_SIZE - 1);
	add(&table, key, 1);
	const struct entry *entry = table_find(&table, key);
	CHECK(entry != NULL && strcmp(entry->node.key, key) == 0);
	key[TABLE_KEY_SIZE - 2] = '\0';
	CHECK(table_find(&table, key) == NULL);
	free(key);
	table_fini(&table, NULL);
}

static void
begins_at_zero(void)
{
	struct table table = {0};
	struct entry *entry = table_add(&table, "a", sizeof *entry);
	CHECK_INT(entry->value, 0);
	table_fini(&table, NULL);
}

static void
stays_where_it_is(void)
{
	/* A caller may keep using an entry while others are added and the table grows. */
	struct table table = {0};
	struct entry *first = add(&table, "first", 4711);
	for (unsigned i = 0; i < 10000; i++) {
		char key[TABLE_KEY_SIZE];
		snprintf(key, sizeof key, "mlx5_%u:%u", i / 4, i % 4);
		add(&table, key, i);
	}
	CHECK(table_find(&table, "first") == first);
	CHECK_INT(first->value, 4711);
	CHECK(table.bucket_count >= table.count / 2);
	CHECK_INT((int64_t)(table.bucket_count & (table.bucket_count - 1)), 0);
	for (unsigned i = 0; i < 10000; i++) {
		char key[TABLE_KEY_SIZE];
		snprintf(key, sizeof key, "mlx5_%u:%u", i / 4, i % 4);
		const struct entry *entry = table_find(&table, key);
		check_row("%s", key);
		if (!CHECK(entry != NULL && entry->value == i))
			break;
	}
	table_fini(&table, NULL);
}

static void
walks(void)
{
	struct table table = {0};
	static unsigned seen[1000];
	for (unsigned i = 0; i < 1000; i++) {
		char key[16];
		snprintf(key, sizeof key, "%u", i);
		add(&table, key, i);
	}
	size_t steps = 0;
	for (const struct table_node *node = table_next(&table, NULL); node != NULL && steps < 2000;
		node = table_next(&table, node), steps++)
		seen[((const struct entry *)node)->value]++;
	CHECK_INT((int64_t)steps, 1000);
	for (unsigned i = 0; i < 1000; i++) {
		check_row("entry %u", i);
		CHECK_INT(seen[i], 1);
	}
	table_fini(&table, NULL);
}

static void
removes_while_walking(void)
{
	struct table table = {0};
	for (unsigned i = 0; i < 1000; i++) {
		char key[16];
		snprintf(key, sizeof key, "%u", i);
		add(&table, key, i);
	}
	size_t steps = 0;
	table_foreach_safe (&table, struct entry, entry, next) {
		steps++;
		if (entry->value % 3 != 0) {
			table_remove(&table, &entry->node);
			free(entry);
		}
	}
	CHECK_INT((int64_t)steps, 1000);
	CHECK_INT((int64_t)table.count, 334);
	for (unsigned i = 0; i < 1000; i++) {
		char key[16];
		snprintf(key, sizeof key, "%u", i);
		check_row("entry %u", i);
		CHECK_INT(table_find(&table, key) != NULL, i % 3 == 0);
	}
	table_fini(&table, NULL);
}

static void
comes_back(void)
{
	struct table table = {0};
	struct entry *entry = add(&table, "a", 1);
	table_remove(&table, &entry->node);
	free(entry);
	CHECK(table_find(&table, "a") == NULL);
	CHECK_INT((int64_t)table.count, 0);
	CHECK(table_next(&table, NULL) == NULL);
	add(&table, "a", 2);
	entry = table_find(&table, "a");
	CHECK(entry != NULL && entry->value == 2);
	table_fini(&table, NULL);
}

static void
natural_order(void)
{
	static const char *const sorted[] = {"eth0", "mlx5_0", "mlx5_0:1", "mlx5_0:2", "mlx5_0:10",
		"mlx5_1", "mlx5_2", "mlx5_10", "mlx5_100", "rocep1"};
	static const size_t order[] = {7, 3, 9, 0, 5, 4, 8, 1, 2, 6};
	struct table table = {0};
	size_t count = 0;
	for (size_t i = 0; i < CHECK_COUNT(order); i++)
		add(&table, sorted[order[i]], 0);
	struct table_node **nodes = table_sorted_new(&table, &count);
	if (CHECK_INT((int64_t)count, (int64_t)CHECK_COUNT(sorted))) {
		for (size_t i = 0; i < count; i++)
			CHECK_STR(nodes[i]->key, sorted[i]);
	}
	free(nodes);
	table_fini(&table, NULL);
}

static void
limit(void)
{
	struct table table = {0};
	char key[16];
	for (unsigned i = 0; i < TABLE_ENTRIES_MAX; i++) {
		snprintf(key, sizeof key, "%u", i);
		if (!CHECK(table_add(&table, key, sizeof(struct table_node)) != NULL))
			break;
	}
	errno = 0;
	CHECK(table_add(&table, "one more", sizeof(struct table_node)) == NULL);
	CHECK_INT(errno, ENOSPC);
	CHECK_INT((int64_t)table.count, TABLE_ENTRIES_MAX);
	CHECK(table_find(&table, "one more") == NULL);
	/* A removed entry makes room for another. */
	struct table_node *node = table_find(&table, "4711");
	if (CHECK(node != NULL)) {
		table_remove(&table, node);
		free(node);
	}
	CHECK(table_add(&table, "one more", sizeof(struct table_node)) != NULL);
	table_fini(&table, NULL);
}

static unsigned ended;

static void
end(struct table_node *node)
{
	ended += ((struct entry *)node)->value;
}

static void
ends(void)
{
	struct table table = {0};
	add(&table, "a", 1);
	add(&table, "b", 10);
	add(&table, "c", 100);
	table_fini(&table, end);
	CHECK_INT(ended, 111);
	/* The table is empty and usable again. */
	CHECK(table_find(&table, "a") == NULL);
	add(&table, "a", 1);
	CHECK_INT((int64_t)table.count, 1);
	table_fini(&table, NULL);
}

/* What the visits act on and record. */
struct visit {
	struct table *table;
	char seen[64];
};

static bool
is_odd(const struct table_node *node, void *context)
{
	(void)context;
	return ((const struct entry *)node)->value % 2 == 1;
}

/* Remove the visited entry, and make the last one even. */
static void
visit_one(struct table_node *node, void *context)
{
	struct visit *visit = context;
	struct entry *last = table_find(visit->table, "e11");
	strcat(visit->seen, node->key);
	strcat(visit->seen, " ");
	if (last != NULL)
		last->value = 0;
	table_remove(visit->table, node);
	free(node);
}

static void
each_in_order(void)
{
	struct table table = {0};
	struct visit visit = {.table = &table, .seen = ""};
	CHECK_INT(table_each(&table, is_odd, visit_one, &visit), 0);
	add(&table, "e10", 3);
	add(&table, "e2", 1);
	add(&table, "e3", 2);
	add(&table, "e11", 5);
	CHECK_INT(table_each(&table, is_odd, visit_one, &visit), 0);
	/* e11 was odd when the walk began, and is checked again before its visit. */
	CHECK_STR(visit.seen, "e2 e10 ");
	CHECK_INT((int64_t)table.count, 2);
	CHECK_INT(table_each(&table, is_odd, visit_one, &visit), 0);
	CHECK_STR(visit.seen, "e2 e10 ");
	table_fini(&table, NULL);
}

static const struct check_test tests[] = {
	{"chosen entries are visited in order, may be removed, and are checked again before a "
	 "visit",
		each_in_order},
	{"an empty table finds nothing", empty},
	{"an entry is found by its key and by no other", finds},
	{"the longest key is kept whole", longest_key},
	{"a new entry is zero apart from its key", begins_at_zero},
	{"entries keep their address and are found while the table grows", stays_where_it_is},
	{"a walk visits every entry once", walks},
	{"an entry may be removed in a walk once the next one is known", removes_while_walking},
	{"a removed entry is gone, and may come back as new", comes_back},
	{"sorted entries are in natural order", natural_order},
	{"entries beyond the limit are refused until one is removed", limit},
	{"ending a table calls its function once per entry", ends},
};
CHECK_MAIN(tests)

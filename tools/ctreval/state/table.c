/* table - hash table with short text keys, and iteration in natural order. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "table.h"

#include "hash.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_BUCKETS 64

static size_t
bucket_of(uint64_t hash, size_t bucket_count)
{
	return hash & (bucket_count - 1);
}

static void
put(struct table_node **buckets, size_t bucket_count, struct table_node *node)
{
	size_t bucket = bucket_of(node->hash, bucket_count);
	node->next = buckets[bucket];
	buckets[bucket] = node;
}

void *
table_find(const struct table *table, const char *key)
{
	if (table->bucket_count == 0)
		return NULL;
	uint64_t hash = hash_text(HASH_START, key);
	struct table_node *node = table->buckets[bucket_of(hash, table->bucket_count)];
	while (node != NULL && (node->hash != hash || strcmp(node->key, key) != 0))
		node = node->next;
	return node;
}

/* Double the buckets, so that chains stay short. */
static int
grow(struct table *table)
{
	size_t bucket_count = table->bucket_count == 0 ? FIRST_BUCKETS : 2 * table->bucket_count;
	struct table_node **buckets = calloc(bucket_count, sizeof(struct table_node *));
	if (buckets == NULL)
		return -1;

	for (size_t i = 0; i < table->bucket_count; i++) {
		for (struct table_node *node = table->buckets[i]; node != NULL;) {
			struct table_node *next = node->next;
			put(buckets, bucket_count, node);
			node = next;
		}
	}
	free(table->buckets);
	table->buckets = buckets;
	table->bucket_count = bucket_count;
	return 0;
}

void *
table_add(struct table *table, const char *key, size_t size)
{
	if (table->count == TABLE_ENTRIES_MAX) {
		errno = ENOSPC;
		return NULL;
	}
	if (table->count >= table->bucket_count && grow(table) < 0)
		return NULL;
	struct table_node *node = calloc(1, size);
	if (node == NULL)
		return NULL;

	memcpy(node->key, key, strlen(key) + 1);
	node->hash = hash_text(HASH_START, key);
	put(table->buckets, table->bucket_count, node);
	table->count++;
	return node;
}

void
table_rekey(struct table *table, struct table_node *node, const char *key)
{
	table_remove(table, node);
	memcpy(node->key, key, strlen(key) + 1);
	node->hash = hash_text(HASH_START, key);
	put(table->buckets, table->bucket_count, node);
	table->count++;
}

void
table_remove(struct table *table, struct table_node *node)
{
	struct table_node **at = &table->buckets[bucket_of(node->hash, table->bucket_count)];
	while (*at != node)
		at = &(*at)->next;
	*at = node->next;
	table->count--;
}

void *
table_next(const struct table *table, const struct table_node *node)
{
	size_t bucket = 0;
	if (node != NULL) {
		if (node->next != NULL)
			return node->next;
		bucket = bucket_of(node->hash, table->bucket_count) + 1;
	}
	while (bucket < table->bucket_count && table->buckets[bucket] == NULL)
		bucket++;
	return bucket < table->bucket_count ? table->buckets[bucket] : NULL;
}

static int
compare(const void *a, const void *b)
{
	const struct table_node *const *left = a, *const *right = b;
	return strverscmp((*left)->key, (*right)->key);
}

struct table_node **
table_sorted_new(const struct table *table, size_t *count)
{
	/* One more, because malloc(0) may return NULL. */
	struct table_node **nodes = malloc((table->count + 1) * sizeof(struct table_node *));
	*count = 0;
	if (nodes == NULL)
		return NULL;
	for (struct table_node *node = table_next(table, NULL); node != NULL;
		node = table_next(table, node))
		nodes[(*count)++] = node;
	qsort(nodes, *count, sizeof *nodes, compare);
	return nodes;
}

int
table_each(const struct table *table, bool (*holds)(const struct table_node *node, void *context),
	void (*act)(struct table_node *node, void *context), void *context)
{
	const struct table_node *first = table_next(table, NULL);
	while (first != NULL && !holds(first, context))
		first = table_next(table, first);
	if (first == NULL)
		return 0;

	size_t count;
	struct table_node **nodes = table_sorted_new(table, &count);
	if (nodes == NULL)
		return -1;
	for (size_t i = 0; i < count; i++) {
		if (holds(nodes[i], context))
			act(nodes[i], context);
	}
	free(nodes);
	return 0;
}

void
table_fini(struct table *table, void (*fini)(struct table_node *node))
{
	for (size_t i = 0; i < table->bucket_count; i++) {
		for (struct table_node *node = table->buckets[i]; node != NULL;) {
			struct table_node *next = node->next;
			if (fini != NULL)
				fini(node);
			free(node);
			node = next;
		}
	}
	free(table->buckets);
	*table = (struct table){0};
}

/* table - hash table with short text keys, and iteration in natural order. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_TABLE_H
#define CTREVAL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Size of a key with its NUL: a name of 64 bytes, a separator, and a number or the name of a
 * check. */
#define TABLE_KEY_SIZE 96

/* More entries than any node has. The limit keeps a stream of ever new names from exhausting
 * memory. */
#define TABLE_ENTRIES_MAX 16384

/* First member of every entry. */
struct table_node {
	struct table_node *next; /* next in the bucket */
	uint64_t hash;           /* of the key */
	char key[TABLE_KEY_SIZE];
};

struct table {
	struct table_node **buckets;
	size_t bucket_count; /* a power of two, or 0 before the first entry */
	size_t count;
};

/* Return the entry with this key, or NULL. A zeroed table is empty. */
void *table_find(const struct table *table, const char *key);

/* Add an entry of `size` bytes, zeroed but for its key. The key must be new and shorter than
 * TABLE_KEY_SIZE. Return NULL with errno: ENOMEM, or ENOSPC when the table has
 * TABLE_ENTRIES_MAX. */
void *table_add(struct table *table, const char *key, size_t size);

/* Change the key of an entry. The new key must not be in the table yet. */
void table_rekey(struct table *table, struct table_node *node, const char *key);

/* Remove an entry from the table. The caller must free() it. */
void table_remove(struct table *table, struct table_node *node);

/* Iterate over all entries in no particular order: pass NULL for the first, then the previous one.
 * Return NULL at the end. */
void *table_next(const struct table *table, const struct table_node *node);

/* Loop over all entries of a type whose first member is `node`. */
/* NOLINTBEGIN(bugprone-macro-parentheses): a type and a name have none */
#define table_foreach(table, type, entry) \
	for (type *entry = table_next(table, NULL); entry != NULL; \
		entry = table_next(table, &entry->node))
/* The same, but the body may remove or rekey `entry`; with a new key it may come again. `following`
 * is the next entry. */
#define table_foreach_safe(table, type, entry, following) \
	for (type *entry = table_next(table, NULL), *following; \
		entry != NULL && (following = table_next(table, &entry->node), true); \
		entry = following)
/* NOLINTEND(bugprone-macro-parentheses) */

/* Return all entries in natural order of their keys, in an array from malloc with `*count` items;
 * NULL when memory ran out. */
struct table_node **table_sorted_new(const struct table *table, size_t *count);

/* Call `act` for every entry for which `holds` returns true, in natural order of their keys.
 * `holds` is called again before each `act`, since an earlier call may have changed the result.
 * `act` may remove the entry it receives and no other. Sorts only if such an entry exists. Return
 * 0, or -1 when memory ran out. */
int table_each(const struct table *table,
	bool (*holds)(const struct table_node *node, void *context),
	void (*act)(struct table_node *node, void *context), void *context);

/* Free the table and every entry, after calling `fini` for each; `fini` may be NULL. */
void table_fini(struct table *table, void (*fini)(struct table_node *node));

#endif

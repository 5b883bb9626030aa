/* table - entries found by a short text, and walked in the order people expect. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_TABLE_H
#define CTREVAL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Longest key with its NUL: a name of 64 bytes, a separator, and a number or the name of a
 * check. */
#define TABLE_KEY_SIZE 96

/* More entries than any node has; what is beyond is refused, so that a stream of ever new names
 * cannot take all memory. */
#define TABLE_ENTRIES_MAX 16384

/* What every entry begins with. */
struct table_node {
	struct table_node *next; /* in its bucket */
	uint64_t hash;           /* of the key */
	char key[TABLE_KEY_SIZE];
};

struct table {
	struct table_node **buckets;
	size_t bucket_count; /* a power of two, or 0 before the first entry */
	size_t count;
};

/* The entry of this key, or NULL. A table of all zeros is empty. */
void *table_find(const struct table *table, const char *key);

/* Adds an entry of `size` bytes, all zeros but its key, which must not be there yet and be shorter
 * than TABLE_KEY_SIZE. NULL with errno: ENOMEM, or ENOSPC when the table has TABLE_ENTRIES_MAX. */
void *table_add(struct table *table, const char *key, size_t size);

/* Gives an entry another key, which must not be there yet. */
void table_rekey(struct table *table, struct table_node *node, const char *key);

/* Takes the entry out; it is the caller's to free(). */
void table_remove(struct table *table, struct table_node *node);

/* Walks all entries in no particular order: `node` NULL for the first one, else the one before.
 * NULL at the end. */
void *table_next(const struct table *table, const struct table_node *node);

/* The same as a loop over entries of a type, which begins with its node. */
/* NOLINTBEGIN(bugprone-macro-parentheses): a type and a name have none */
#define table_foreach(table, type, entry) \
	for (type *entry = table_next(table, NULL); entry != NULL; \
		entry = table_next(table, &entry->node))
/* NOLINTEND(bugprone-macro-parentheses) */

/* All entries in natural order of their keys, in an array from malloc; NULL when memory runs out.
 * `*count` entries. */
struct table_node **table_sorted_new(const struct table *table, size_t *count);

/* Calls `act` for every entry of which `holds` is true, in natural order of their keys. It is asked
 * again before each call, for a call may change what holds of others; `act` may remove the entry it
 * is given and no other. Sorts only when there is such an entry. 0, or -1 when memory ran out. */
int table_each(const struct table *table,
	bool (*holds)(const struct table_node *node, void *context),
	void (*act)(struct table_node *node, void *context), void *context);

/* Frees every entry, after `fini` has been called for each (NULL: nothing to be done), and the
 * table. */
void table_fini(struct table *table, void (*fini)(struct table_node *node));

#endif

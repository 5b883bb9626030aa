/* standing - conditions of NICs that were reported and have not ended. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "standing.h"

#include "checks.h"
#include "event.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

const char *
standing_further(const char *a, const char *b)
{
	const char *all = event_strategies[EVENT_EXECUTE_REMEDIATION];
	const char *least = event_strategies[EVENT_STORE_ONLY];
	return strcmp(a, all) == 0 || strcmp(b, least) == 0 ? a : b;
}

bool
standing_nics_is_same(const struct standing_nics *a, const struct standing_nics *b)
{
	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++) {
		if (strcmp(a->names[i], b->names[i]) != 0)
			return false;
	}
	return true;
}

static bool
is_of(const struct standing_entry *entry, const char *device, enum logpattern pattern)
{
	return entry->pattern == pattern && strcmp(entry->device, device) == 0;
}

static void
remove_at(struct standing *standing, size_t at)
{
	standing->count--;
	memmove(&standing->entries[at], &standing->entries[at + 1],
		(standing->count - at) * sizeof *standing->entries);
}

static size_t
find_same(const struct standing *standing, const struct standing_entry *like)
{
	size_t at = 0;
	while (at < standing->count &&
		!(is_of(&standing->entries[at], like->device, like->pattern) &&
			strcmp(standing->entries[at].command, like->command) == 0 &&
			standing_nics_is_same(&standing->entries[at].nics, &like->nics)))
		at++;
	return at;
}

/* Return the entry to evict: the oldest non-fatal one, else the oldest. */
static size_t
find_least(const struct standing *standing)
{
	for (size_t at = 0; at < standing->count; at++) {
		if (!standing->entries[at].fatal)
			return at;
	}
	return 0;
}

void
standing_add(struct standing *standing, const struct standing_entry *entry)
{
	struct standing_entry added = *entry;
	size_t same = find_same(standing, entry);

	if (same < standing->count) {
		added.strategy =
			standing_further(standing->entries[same].strategy, entry->strategy);
		/* A receiver that was told fatal treats the condition as fatal until it ends. */
		added.fatal |= standing->entries[same].fatal;
		added.is_text &= standing->entries[same].is_text;
		if (added.last_ns < standing->entries[same].last_ns)
			added.last_ns = standing->entries[same].last_ns;
		remove_at(standing, same);
	} else if (standing->count == STANDING_MAX) {
		remove_at(standing, find_least(standing));
	}
	standing->entries[standing->count++] = added;
}

bool
standing_is_fatal(const struct standing *standing, const char *device, enum logpattern pattern)
{
	for (size_t i = 0; i < standing->count; i++) {
		const struct standing_entry *entry = &standing->entries[i];
		if (entry->fatal && !entry->over && is_of(entry, device, pattern))
			return true;
	}
	return false;
}

size_t
standing_expire(struct standing *standing, uint64_t now_ns)
{
	if (now_ns < CHECKS_LOG_NS)
		return 0;

	size_t before = standing->count;
	uint64_t since_ns = now_ns - CHECKS_LOG_NS;
	for (size_t i = standing->count; i > 0; i--) {
		const struct standing_entry *entry = &standing->entries[i - 1];
		if (!entry->fatal && entry->last_ns <= since_ns)
			remove_at(standing, i - 1);
	}
	return before - standing->count;
}

/* --- ended conditions --- */

static void
group_begin(struct standing_group *group, const struct standing_nics *nics)
{
	group->nics = *nics;
	group->count = 0;
	group->strategy = event_strategies[EVENT_STORE_ONLY];
}

/* Entries are added in the order of their reports, so the last id of a pattern wins. */
static void
group_add(struct standing_group *group, const struct standing_entry *entry)
{
	size_t at = 0;
	while (at < group->count && group->patterns[at] < entry->pattern)
		at++;
	if (at == group->count || group->patterns[at] != entry->pattern) {
		memmove(&group->patterns[at + 1], &group->patterns[at],
			(group->count - at) * sizeof *group->patterns);
		memmove(&group->ids[at + 1], &group->ids[at],
			(group->count - at) * sizeof *group->ids);
		group->count++;
	}
	group->patterns[at] = entry->pattern;
	strcpy(group->ids[at], entry->id);
	group->strategy = standing_further(group->strategy, entry->strategy);
}

static const struct standing_nics no_nics;

void
standing_end(struct standing *standing,
	bool (*ends)(const void *context, const struct standing_entry *entry), const void *context,
	struct standing_group *out)
{
	group_begin(out, &no_nics);
	for (size_t i = 0; i < standing->count; i++) {
		struct standing_entry *entry = &standing->entries[i];
		if (entry->over || !ends(context, entry))
			continue;
		entry->over = true;
		group_add(out, entry);
	}
}

/* Return true if no condition that still stands has the same pattern and NICs, such as that of
 * another device that had this NIC's name before or has it now. To a receiver they are one
 * condition. */
static bool
is_over_for_all(const struct standing *standing, const struct standing_entry *entry)
{
	for (size_t i = 0; entry->over && i < standing->count; i++) {
		const struct standing_entry *other = &standing->entries[i];
		if (!other->over && other->pattern == entry->pattern &&
			standing_nics_is_same(&other->nics, &entry->nics))
			return false;
	}
	return entry->over;
}

static void
consume_nics(
	struct standing *standing, const struct standing_nics *nics, struct standing_group *out)
{
	group_begin(out, nics);
	for (size_t i = 0; i < standing->count;) {
		const struct standing_entry *entry = &standing->entries[i];
		if (!standing_nics_is_same(&entry->nics, &out->nics) ||
			!is_over_for_all(standing, entry)) {
			i++;
			continue;
		}
		group_add(out, entry);
		remove_at(standing, i);
	}
}

static bool
may_end_all(const struct standing *standing)
{
	bool any = false;
	for (size_t i = 0; i < standing->count; i++) {
		const struct standing_entry *entry = &standing->entries[i];
		if (entry->fatal && !entry->over)
			return false;
		any |= entry->fatal;
	}
	return any;
}

bool
standing_consume(struct standing *standing, struct standing_group *out)
{
	for (size_t i = 0; i < standing->count; i++) {
		const struct standing_entry *entry = &standing->entries[i];
		if (entry->nics.count > 0 && is_over_for_all(standing, entry)) {
			const struct standing_nics nics = entry->nics;
			consume_nics(standing, &nics, out);
			return true;
		}
	}
	if (!may_end_all(standing))
		return false;
	consume_nics(standing, &no_nics, out);
	standing->count = 0;
	return true;
}

/* --- commands --- */

const struct standing_entry *
standing_find(const struct standing *standing, const char *device, enum logpattern pattern,
	const char *command)
{
	const struct standing_entry *found = NULL;
	for (size_t i = 0; i < standing->count; i++) {
		const struct standing_entry *entry = &standing->entries[i];
		if (entry->over || !is_of(entry, device, pattern) ||
			(*command != '\0' && strcmp(entry->command, command) != 0))
			continue;
		if (found != NULL && strcmp(found->command, entry->command) != 0)
			return NULL;
		found = entry;
	}
	return found;
}

void
standing_rename(struct standing *standing, const char *old_id, const char *new_id)
{
	for (size_t i = 0; i < standing->count; i++) {
		struct standing_entry *entry = &standing->entries[i];
		if (strcmp(entry->id, old_id) == 0)
			snprintf(entry->id, sizeof entry->id, "%s", new_id);
	}
}

void
standing_command(const char *text, size_t length, char out[STANDING_COMMAND_SIZE])
{
	const char *open = memmem(text, length, "(0x", 3);
	*out = '\0';
	if (open == NULL)
		return;
	const char *start = open;
	while (start > text && (isupper((unsigned char)start[-1]) ||
				       isdigit((unsigned char)start[-1]) || start[-1] == '_'))
		start--;
	const char *end = open + strlen("(0x");
	while (end < text + length && isxdigit((unsigned char)*end))
		end++;
	if (start == open || end == text + length || *end != ')' ||
		(size_t)(end + 1 - start) >= STANDING_COMMAND_SIZE)
		return;
	memcpy(out, start, (size_t)(end + 1 - start));
	out[end + 1 - start] = '\0';
}

/* standing - what was reported of a function and has not been answered. */
#include "standing.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static struct standing_entry *
find(struct standing *standing, const char *pci, enum logpattern pattern, const char *command)
{
	for (size_t i = 0; i < standing->count; i++) {
		struct standing_entry *entry = &standing->entries[i];
		if (entry->pattern == pattern && strcmp(entry->pci, pci) == 0 &&
			strcmp(entry->command, command) == 0)
			return entry;
	}
	return NULL;
}

static void
remove_at(struct standing *standing, size_t at)
{
	standing->count--;
	memmove(&standing->entries[at], &standing->entries[at + 1],
		(standing->count - at) * sizeof *standing->entries);
}

void
standing_add(struct standing *standing, const struct standing_entry *entry)
{
	struct standing_entry *same = find(standing, entry->pci, entry->pattern, entry->command);
	if (same != NULL)
		remove_at(standing, (size_t)(same - standing->entries));
	else if (standing->count == STANDING_MAX)
		remove_at(standing, 0);
	standing->entries[standing->count++] = *entry;
}

size_t
standing_take(struct standing *standing, const char *pci, bool (*answers)(enum logpattern pattern),
	struct standing_entry *out)
{
	size_t count = 0;

	/* One per pattern: of several commands that timed out, the one that was reported last. */
	for (enum logpattern pattern = 0; pattern < LOGPATTERN_N; pattern++) {
		bool found = false;
		for (size_t i = 0; answers(pattern) && i < standing->count;) {
			const struct standing_entry *entry = &standing->entries[i];
			if (entry->pattern != pattern || strcmp(entry->pci, pci) != 0) {
				i++;
				continue;
			}
			out[count] = *entry;
			found = true;
			remove_at(standing, i);
		}
		count += found;
	}
	return count;
}

const struct standing_entry *
standing_find(const struct standing *standing, const char *pci, enum logpattern pattern,
	const char *command)
{
	const struct standing_entry *found = NULL;
	for (size_t i = 0; i < standing->count; i++) {
		const struct standing_entry *entry = &standing->entries[i];
		if (entry->pattern != pattern || strcmp(entry->pci, pci) != 0 ||
			(*command != '\0' && strcmp(entry->command, command) != 0))
			continue;
		if (found != NULL)
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

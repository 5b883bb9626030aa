/* cards - events of several functions of one card at once. */
#include "cards.h"

#include <stdio.h>
#include <string.h>

static bool
is_same_card(const char *pci, const char *other)
{
	size_t length = strcspn(pci, ".");
	return strncmp(pci, other, length) == 0 && other[length] == '.';
}

static struct cards_entry *
entry_for(struct cards *cards, const char *pci)
{
	struct cards_entry *oldest = &cards->entries[0];
	for (size_t i = 0; i < cards->count; i++) {
		struct cards_entry *entry = &cards->entries[i];
		if (is_same_card(pci, entry->first_pci))
			return entry;
		if (entry->last_ns < oldest->last_ns)
			oldest = entry;
	}
	if (cards->count < CARDS_MAX)
		oldest = &cards->entries[cards->count++];
	*oldest = (struct cards_entry){0};
	return oldest;
}

/* Lines of several CPUs are not in order. */
static bool
is_near(uint64_t a_ns, uint64_t b_ns)
{
	return (a_ns > b_ns ? a_ns - b_ns : b_ns - a_ns) <= CARDS_APART_NS;
}

const char *
cards_take(struct cards *cards, const char *pci, const char *id, uint64_t time_ns)
{
	struct cards_entry *entry = entry_for(cards, pci);

	if (*entry->first_id == '\0' || !is_near(entry->last_ns, time_ns)) {
		*entry = (struct cards_entry){0};
		strncpy(entry->first_pci, pci, sizeof entry->first_pci - 1);
		strncpy(entry->first_id, id, sizeof entry->first_id - 1);
	}
	entry->last_ns = time_ns;
	entry->several |= strcmp(entry->first_pci, pci) != 0;
	return entry->several ? entry->first_id : "";
}

void
cards_rename(struct cards *cards, const char *old_id, const char *new_id)
{
	for (size_t i = 0; i < cards->count; i++) {
		struct cards_entry *entry = &cards->entries[i];
		if (strcmp(entry->first_id, old_id) == 0)
			snprintf(entry->first_id, sizeof entry->first_id, "%s", new_id);
	}
}

/* noise - counts storms of repeated lines, and groups events of one card. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "noise.h"

#include "hash.h"
#include "logtime.h"

#include <stdio.h>
#include <string.h>

/* --- storms --- */

static uint64_t
device_of(const char *device)
{
	return hash_text(HASH_START, device);
}

static uint64_t
key_of(enum logpattern pattern, const char *device)
{
	uint64_t hash = hash_text(device_of(device), logpattern_name(pattern));
	return hash != 0 ? hash : 1;
}

/* Return the entry of a pattern and device. If there is none, add one, and evict the oldest if the
 * table is full. */
static struct noise_entry *
entry_for(struct noise *noise, enum logpattern pattern, const char *device)
{
	struct noise_entry *oldest = &noise->entries[0];
	uint64_t key = key_of(pattern, device);

	for (size_t i = 0; i < noise->count; i++) {
		struct noise_entry *entry = &noise->entries[i];
		if (entry->key == key)
			return entry;
		if (entry->since_ns < oldest->since_ns)
			oldest = entry;
	}
	if (noise->count < NOISE_ENTRIES_MAX)
		oldest = &noise->entries[noise->count++];
	*oldest = (struct noise_entry){.key = key, .device = device_of(device)};
	return oldest;
}

bool
noise_accept(struct noise *noise, enum logpattern pattern, const char *device, uint64_t time_ns,
	uint64_t window_ns, uint64_t *repeats)
{
	*repeats = 0;
	if (window_ns == 0)
		return true;
	struct noise_entry *entry = entry_for(noise, pattern, device);
	if (entry->since_ns == 0 || logtime_apart_ns(entry->since_ns, time_ns) >= window_ns) {
		entry->since_ns = time_ns;
		entry->told = 0;
	}
	if (entry->told == NOISE_TOLD_MAX) {
		entry->repeats++;
		return false;
	}
	entry->told++;
	*repeats = entry->repeats;
	entry->repeats = 0;
	return true;
}

void
noise_end_device(struct noise *noise, const char *device)
{
	uint64_t hash = device_of(device);
	for (size_t i = 0; i < noise->count; i++) {
		if (noise->entries[i].device == hash)
			noise->entries[i].since_ns = 0;
	}
}

/* --- cards --- */

static bool
is_same_card(const char *pci, const char *other)
{
	size_t length = strcspn(pci, ".");
	return strncmp(pci, other, length) == 0 && other[length] == '.';
}

static struct noise_card *
card_for(struct noise_cards *cards, const char *pci)
{
	struct noise_card *oldest = &cards->entries[0];
	for (size_t i = 0; i < cards->count; i++) {
		struct noise_card *entry = &cards->entries[i];
		if (is_same_card(pci, entry->first_pci))
			return entry;
		if (entry->last_ns < oldest->last_ns)
			oldest = entry;
	}
	if (cards->count < NOISE_CARDS_MAX)
		oldest = &cards->entries[cards->count++];
	*oldest = (struct noise_card){0};
	return oldest;
}

const char *
noise_accept_card(struct noise_cards *cards, const char *pci, const char *id, uint64_t time_ns)
{
	struct noise_card *entry = card_for(cards, pci);

	if (*entry->first_id == '\0' ||
		logtime_apart_ns(entry->last_ns, time_ns) > NOISE_CARDS_APART_NS) {
		*entry = (struct noise_card){0};
		strncpy(entry->first_pci, pci, sizeof entry->first_pci - 1);
		strncpy(entry->first_id, id, sizeof entry->first_id - 1);
	}
	entry->last_ns = time_ns;
	entry->several |= strcmp(entry->first_pci, pci) != 0;
	return entry->several ? entry->first_id : "";
}

void
noise_rename_card(struct noise_cards *cards, const char *old_id, const char *new_id)
{
	for (size_t i = 0; i < cards->count; i++) {
		struct noise_card *entry = &cards->entries[i];
		if (strcmp(entry->first_id, old_id) == 0)
			snprintf(entry->first_id, sizeof entry->first_id, "%s", new_id);
	}
}

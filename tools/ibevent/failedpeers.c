/* failedpeers - counts the peers that recently could not be reached through a device. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "failedpeers.h"

#include "hash.h"

#include <string.h>

static bool
is_same(const struct failedpeers_entry *entry, const char *device, uint64_t hash)
{
	return entry->hash == hash && strcmp(entry->device, device) == 0;
}

/* Return the peer's entry, or an entry for it to use: a free one or the oldest. */
static struct failedpeers_entry *
place_of(struct failedpeers *peers, const char *device, uint64_t hash)
{
	struct failedpeers_entry *oldest = peers->entries;
	for (size_t i = 0; i < peers->count; i++) {
		struct failedpeers_entry *entry = &peers->entries[i];
		if (is_same(entry, device, hash))
			return entry;
		if (entry->failed_ns < oldest->failed_ns)
			oldest = entry;
	}
	return peers->count < FAILEDPEERS_MAX ? &peers->entries[peers->count++] : oldest;
}

uint32_t
failedpeers_note(struct failedpeers *peers, const char *device,
	const struct traceline_address *peer, uint64_t now_ns)
{
	uint64_t hash = hash_bytes(HASH_START ^ peers->salt, &peer->bytes, sizeof peer->bytes);
	struct failedpeers_entry *place = place_of(peers, device, hash);
	uint32_t failed = 0;

	*place = (struct failedpeers_entry){.hash = hash, .failed_ns = now_ns};
	notice_copy(place->device, sizeof place->device, device, strlen(device));
	for (size_t i = 0; i < peers->count; i++)
		failed += strcmp(peers->entries[i].device, device) == 0 &&
			  now_ns - peers->entries[i].failed_ns < FAILEDPEERS_WINDOW_NS;
	return failed;
}

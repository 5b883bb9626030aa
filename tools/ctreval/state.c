/* state - what ctreval remembers of ports and their counters. */
#include "state.h"

#include "hash.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_BUCKETS 64

int
state_init(struct state *state, size_t counter_count)
{
	*state = (struct state){.counter_count = counter_count, .bucket_count = FIRST_BUCKETS};
	state->buckets = calloc(FIRST_BUCKETS, sizeof *state->buckets);
	return state->buckets != NULL ? 0 : -1;
}

void
state_fini(struct state *state)
{
	for (size_t i = 0; i < state->bucket_count && state->buckets != NULL; i++) {
		for (struct port_entry *entry = state->buckets[i]; entry != NULL;) {
			struct port_entry *next = entry->next;
			free(entry->device);
			free(entry);
			entry = next;
		}
	}
	free(state->buckets);
	*state = (struct state){0};
}

static size_t
bucket_of(const struct state *state, const char *device, long long number)
{
	uint64_t hash = hash_bytes(HASH_START, device, strlen(device));
	return hash_bytes(hash, &number, sizeof number) & (state->bucket_count - 1);
}

/* Twice the buckets, so that a chain stays a step or two long. Without memory for it the chains just grow. */
static void
rehash(struct state *state)
{
	struct port_entry **old = state->buckets;
	size_t old_count = state->bucket_count;
	struct port_entry **buckets = calloc(2 * old_count, sizeof *buckets);
	if (buckets == NULL)
		return;

	state->buckets = buckets;
	state->bucket_count = 2 * old_count;
	for (size_t i = 0; i < old_count; i++) {
		for (struct port_entry *entry = old[i]; entry != NULL;) {
			struct port_entry *next = entry->next;
			size_t bucket = bucket_of(state, entry->device, entry->number);
			entry->next = buckets[bucket];
			buckets[bucket] = entry;
			entry = next;
		}
	}
	free(old);
}

struct port_entry *
state_port(struct state *state, const char *device, long long number)
{
	size_t bucket = bucket_of(state, device, number);
	for (struct port_entry *entry = state->buckets[bucket]; entry != NULL;
		entry = entry->next) {
		if (entry->number == number && strcmp(entry->device, device) == 0)
			return entry;
	}

	struct port_entry *entry =
		calloc(1, sizeof *entry + state->counter_count * sizeof entry->counters[0]);
	if (entry == NULL)
		return NULL;
	entry->device = strdup(device);
	if (entry->device == NULL) {
		free(entry);
		return NULL;
	}
	entry->number = number;
	entry->next = state->buckets[bucket];
	state->buckets[bucket] = entry;
	if (++state->port_count > state->bucket_count)
		rehash(state);
	return entry;
}

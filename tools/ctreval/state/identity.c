/* identity - facts that identify a device or port and seldom change. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "identity.h"

#include "hash.h"

#define ROW(fact, key, noun) [IDENTITY_##fact] = {key, noun},
static const struct {
	const char *key, *noun;
} names[IDENTITY_N] = {IDENTITY_FACTS(ROW)};
#undef ROW

const char *
identity_key(enum identity_fact fact)
{
	return names[fact].key;
}

const char *
identity_noun(enum identity_fact fact)
{
	return names[fact].noun;
}

bool
identity_differs(const struct identity *told, const struct identity *now, enum identity_fact fact)
{
	return *told->facts[fact] != '\0' && *now->facts[fact] != '\0' &&
	       strcmp(told->facts[fact], now->facts[fact]) != 0;
}

/* Return a hash of all facts that differ, or 0 if none does. */
static uint64_t
look_of(const struct identity *told, const struct identity *now)
{
	uint64_t look = HASH_START;
	bool differs = false;
	for (enum identity_fact fact = 0; fact < IDENTITY_N; fact++) {
		const char *text = identity_differs(told, now, fact) ? now->facts[fact] : "";
		differs |= *text != '\0';
		look = hash_bytes(look, text, strlen(text) + 1);
	}
	return differs ? look : 0;
}

bool
identity_step(struct identity_entry *entry, const struct identity *now, uint64_t now_ns)
{
	uint64_t look = look_of(&entry->told, now);
	if (look != entry->look || now_ns < entry->since_ns) {
		entry->look = look;
		entry->since_ns = look != 0 ? now_ns : 0;
	}
	return look != 0 && now_ns - entry->since_ns >= IDENTITY_SETTLE_NS;
}

bool
identity_learn(struct identity *told, const struct identity *now)
{
	bool is_new = false;
	for (enum identity_fact fact = 0; fact < IDENTITY_N; fact++) {
		if (*told->facts[fact] != '\0' || *now->facts[fact] == '\0')
			continue;
		strcpy(told->facts[fact], now->facts[fact]);
		is_new = true;
	}
	return is_new;
}

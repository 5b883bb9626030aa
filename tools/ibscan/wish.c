/* wish - when an extra scan reads a device. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "wish.h"

#include "array.h"
#include "num.h"

/* Delays of the readings after an event. In a virtual machine with soft RoCE, sysfs was up to 3 ms
 * behind rtnetlink, and once 26 ms. */
static const uint64_t delays_ns[] = {0, 2 * NUM_NS_PER_MS, 10 * NUM_NS_PER_MS, 50 * NUM_NS_PER_MS};

/* Delay after a reading without an answer. */
#define AGAIN_NS (50 * NUM_NS_PER_MS)

void
wish_begin(struct wish *wish, uint64_t now_ns)
{
	*wish = (struct wish){.stands = true, .since_ns = now_ns};
}

uint64_t
wish_due_ns(const struct wish *wish)
{
	if (!wish->stands)
		return UINT64_MAX;
	return wish->again_ns != 0 ? wish->again_ns : wish->since_ns + delays_ns[wish->looks];
}

void
wish_record(struct wish *wish, enum wish_sight sight, uint64_t now_ns)
{
	bool is_over = sight == WISH_NEWS;
	wish->again_ns = 0;
	if (sight == WISH_NOTHING) {
		is_over = ++wish->looks == ARRAY_COUNT(delays_ns);
	} else if (sight == WISH_SILENCE) {
		is_over = now_ns - wish->since_ns >= WISH_PATIENCE_NS;
		wish->again_ns = now_ns + AGAIN_NS;
	}
	if (is_over)
		*wish = (struct wish){.stands = false};
}

uint64_t
wish_allowed_ns(const struct wish_looks *looks, uint64_t due_ns)
{
	uint64_t oldest_ns = looks->at_ns[looks->next];
	uint64_t free_ns = oldest_ns != 0 ? oldest_ns + NUM_NS_PER_S : 0;
	return due_ns > free_ns ? due_ns : free_ns;
}

void
wish_note_reading(struct wish_looks *looks, uint64_t now_ns)
{
	looks->at_ns[looks->next] = now_ns;
	looks->next = (looks->next + 1) % WISH_LOOKS_MAX;
}

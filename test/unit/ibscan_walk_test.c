/* Unit tests of ibscan's walk: each device is read once, whatever the scan does meanwhile. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/ibscan/walk.h"

#include "check.h"
#include "num.h"

#include <errno.h>
#include <sched.h>

#define DEVICES 5
#define ROUNDS 3000

/* Far longer than any machine needs. */
#define PATIENCE_NS (60 * NUM_NS_PER_S)

static const struct scan_config config = {.choice = COUNTERS_NONE};

struct party {
	struct walkers walkers;
	struct walk walk;
	struct device *devices[DEVICES];
};

/* There is nothing to read: each reading is short and fails. */
static void
set_up(struct party *party)
{
	static const char *const names[DEVICES] = {"a", "b", "c", "d", "e"};
	CHECK(walkers_init(&party->walkers, -1, &config));
	CHECK(walk_init(&party->walk, &party->walkers));
	for (size_t i = 0; i < DEVICES; i++)
		party->devices[i] = device_new(names[i]);
}

static void
tear_down(struct party *party)
{
	struct walk *const walks[] = {&party->walk};
	CHECK(walkers_end(&party->walkers, walks, 1, clock_monotonic_ns() + PATIENCE_NS));
	for (size_t i = 0; i < DEVICES; i++)
		device_free(party->devices[i]);
	walk_fini(&party->walk);
	walkers_fini(&party->walkers);
}

static void
put_all(struct party *party)
{
	for (size_t i = 0; i < DEVICES; i++) {
		party->devices[i]->fresh = false;
		walk_put(&party->walk, party->devices[i]);
	}
}

static bool
are_idle(const struct party *party)
{
	for (size_t i = 0; i < DEVICES; i++) {
		if (atomic_load(&party->devices[i]->phase) != DEVICE_IDLE)
			return false;
	}
	return true;
}

/* Return false if one of them is never read. */
static bool
wait_for_all(const struct party *party)
{
	uint64_t until_ns = clock_monotonic_ns() + PATIENCE_NS;
	while (!are_idle(party)) {
		if (clock_monotonic_ns() > until_ns)
			return false;
		sched_yield();
	}
	return true;
}

static size_t
fresh(const struct party *party)
{
	size_t count = 0;
	for (size_t i = 0; i < DEVICES; i++)
		count += party->devices[i]->fresh;
	return count;
}

/* Repeat walks, and call `disturb` during each; it returns false if a promise is broken. */
static void
walk_on(bool disturb(struct party *party, unsigned round))
{
	static struct party party;
	bool good = true;
	set_up(&party);
	for (unsigned round = 0; good && round < ROUNDS; round++) {
		put_all(&party);
		CHECK_INT(walk_go(&party.walk), 0);
		good = disturb(&party, round);
	}
	tear_down(&party);
}

/* At any moment of a walk, even before its thread has started. */
static bool
pass(struct party *party, unsigned round)
{
	for (unsigned turn = 0; turn < round % 4; turn++)
		CHECK_INT(walk_pass(&party->walk, walk_at(&party->walk)), 0);
	bool good = CHECK(wait_for_all(party)) && CHECK_INT((int64_t)fresh(party), DEVICES);
	while (!walk_is_over(&party->walk))
		sched_yield();
	return good;
}

static void
passed(void)
{
	walk_on(pass);
}

/* Each device is either read or marked as not read. */
static bool
stop(struct party *party, unsigned round)
{
	for (unsigned i = 0; i < round % 64; i++)
		sched_yield();
	walk_stop(&party->walk, EAGAIN);
	CHECK(walk_is_over(&party->walk));
	bool good = CHECK(wait_for_all(party));
	for (size_t i = 0; good && i < DEVICES; i++)
		good = CHECK_INT(party->devices[i]->fresh, party->devices[i]->unasked != EAGAIN);
	return good;
}

static void
stopped(void)
{
	walk_on(stop);
}

static const struct check_test tests[] = {
	{"each device is read once, whenever its thread is replaced", passed},
	{"after a walk is stopped, each device was read or marked as not read", stopped},
};

CHECK_MAIN(tests)

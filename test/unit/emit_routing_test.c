/* Unit tests of emit's routing: when events are released to the sinks. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/emit/in/held.h"

#include "check.h"

#define MS UINT64_C(1000000)

/* An action at a time, and the last event that may be sent then. Events are numbered from 1. */
struct step {
	uint64_t at_ms;
	char what; /* e: an event, u: an urgent one, t: time has passed, r: release */
	uint64_t released;
	uint64_t wakes_at_ms; /* 0: no event waits */
};

#define STEPS 8

static void
walks(void)
{
	static const struct {
		const char *story;
		uint64_t window_ms;
		size_t batch_max;
		struct step steps[STEPS];
	} rows[] = {
		{"a lone event waits for its window", 5000, 100,
			{{1, 'e', 0, 5001}, {5000, 't', 0, 5001}, {5001, 't', 1, 0}}},
		{"the window is that of the first that waits", 5000, 100,
			{{1, 'e', 0, 5001}, {4000, 'e', 0, 5001}, {5001, 't', 2, 0},
				{6000, 'e', 2, 11000}, {11000, 't', 3, 0}}},
		{"an urgent event goes at once and takes the older ones along", 5000, 100,
			{{1, 'e', 0, 5001}, {2, 'e', 0, 5001}, {3, 'u', 3, 0}, {4, 'e', 3, 5004}}},
		{"an urgent event alone goes at once", 5000, 100, {{1, 'u', 1, 0}, {2, 'u', 2, 0}}},
		{"a full batch goes at once", 5000, 3,
			{{1, 'e', 0, 5001}, {2, 'e', 0, 5001}, {3, 'e', 3, 0}, {4, 'e', 3, 5004},
				{5, 'e', 3, 5004}, {6, 'e', 6, 0}}},
		{"batches of one wait for nobody", 5000, 1, {{1, 'e', 1, 0}, {2, 'e', 2, 0}}},
		{"without a window events go when time is looked at", 0, 100,
			{{1, 'e', 0, 1}, {1, 't', 1, 0}}},
		{"what is released waits no longer", 5000, 100,
			{{1, 'e', 0, 5001}, {2, 'r', 1, 0}, {6000, 't', 1, 0},
				{7000, 'e', 1, 12000}}},
		{"time without events changes nothing", 5000, 100,
			{{1, 't', 0, 0}, {9000, 'r', 0, 0}, {10000, 't', 0, 0}}},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct routing routing = {
			.window_ns = rows[i].window_ms * MS, .batch_max = rows[i].batch_max};
		uint64_t number = 0;
		for (size_t j = 0; j < STEPS && rows[i].steps[j].what != '\0'; j++) {
			const struct step *step = &rows[i].steps[j];
			check_row("%s: step %zu", rows[i].story, j + 1);
			if (step->what == 't')
				routing_tick(&routing, step->at_ms * MS);
			else if (step->what == 'r')
				routing_release(&routing);
			else
				routing_event(
					&routing, ++number, step->what == 'u', step->at_ms * MS);
			CHECK_U64(routing.released, step->released);
			CHECK_U64(routing.last, number);
			CHECK_U64(routing_wakes_at_ns(&routing),
				step->wakes_at_ms != 0 ? step->wakes_at_ms * MS : UINT64_MAX);
		}
	}
}

static void
goes_on_from_the_spool(void)
{
	/* They are released, and later numbers follow. */
	struct routing routing = {.window_ns = 5000 * MS, .batch_max = 100, .last = 41};
	routing_release(&routing);
	CHECK_U64(routing.released, 41);
	routing_event(&routing, 50, false, MS);
	CHECK_U64(routing.released, 41);
	CHECK_U64(routing.waiting, 1);
	routing_event(&routing, 51, true, MS);
	CHECK_U64(routing.released, 51);
	CHECK_U64(routing.waiting, 0);
}

static const struct check_test tests[] = {
	{"events wait for their batch as configured, and never overtake each other", walks},
	{"events from before the start do not wait", goes_on_from_the_spool},
};
CHECK_MAIN(tests)

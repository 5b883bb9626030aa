/* Unit tests of correlate's open: the conditions that no healthy event has answered yet. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/correlate/open.h"

#include "check.h"

#include <stdio.h>

/* Return an event about a NIC; without a NIC if that is NULL. */
static struct sighting *
event_new_of(const char *nic)
{
	char text[256];
	int length = snprintf(text, sizeof text,
		nic != NULL ? "{\"kind\":\"event\",\"checkName\":\"C\",\"entitiesImpacted\":"
			      "[{\"entityType\":\"NIC\",\"entityValue\":\"%s\"}]}"
			    : "{\"kind\":\"event\",\"checkName\":\"C\"}",
		nic);
	struct sighting *event = sighting_read_new(text, (size_t)length);
	CHECK(event != NULL);
	return event;
}

static int
add(struct open *open, uint64_t at_us, const char *nic)
{
	struct sighting *event = event_new_of(nic);
	int added = open_add(open, at_us, event);
	sighting_release(event);
	return added;
}

/* End what a healthy event about this NIC answers. */
static bool
end(struct open *open, uint64_t at_us, const char *nic)
{
	struct sighting *healthy = event_new_of(nic);
	bool ended = open_end(open, at_us, healthy);
	sighting_release(healthy);
	return ended;
}

/* Check the times of the open conditions: `seconds` are written like "1 2 ". */
static void
has(const struct open *open, const char *times)
{
	char text[256] = "";
	for (size_t i = 0, length = 0; i < open->count && length < sizeof text; i++)
		length += (size_t)snprintf(
			text + length, sizeof text - length, "%u ", (unsigned)open->items[i].at_us);
	CHECK_STR(text, times);
}

static void
remembers(void)
{
	struct open open = {.count = 0};
	CHECK_INT(add(&open, 20, "m1"), 1);
	CHECK_INT(add(&open, 30, "m2"), 1);
	CHECK_INT(add(&open, 10, "m0"), 1);
	CHECK_INT(add(&open, 20, "m3"), 1);
	/* Each only repeats another. */
	CHECK_INT(add(&open, 5, "m0"), 0);
	CHECK_INT(add(&open, 40, "m2"), 0);
	has(&open, "10 20 20 30 ");
	CHECK_STR(sighting_entity(open.items[1].event, "NIC"), "m1");
	CHECK_STR(sighting_entity(open.items[2].event, "NIC"), "m3");
	open_fini(&open);
}

static void
ends(void)
{
	struct open open = {.count = 0};
	CHECK(!end(&open, 10, NULL));
	CHECK_INT(add(&open, 10, "m0"), 1);
	CHECK_INT(add(&open, 20, "m1"), 1);
	CHECK_INT(add(&open, 30, "m2"), 1);
	CHECK(!end(&open, 40, "m3"));
	CHECK(!end(&open, 19, "m1"));
	has(&open, "10 20 30 ");
	CHECK(end(&open, 20, "m1"));
	has(&open, "10 30 ");
	CHECK(end(&open, 29, NULL));
	has(&open, "30 ");
	CHECK(!open_end(&open, 29, NULL));
	CHECK(open_end(&open, 30, NULL));
	has(&open, "");
	/* It may begin again. */
	CHECK_INT(add(&open, 40, "m1"), 1);
	has(&open, "40 ");
	open_fini(&open);
}

static void
is_bounded(void)
{
	struct open open = {.count = 0};
	char nic[16];
	for (unsigned i = 0; i < OPEN_MAX; i++) {
		snprintf(nic, sizeof nic, "m%u", i);
		CHECK_INT(add(&open, i, nic), 1);
	}
	CHECK_INT(add(&open, 0, "another"), 0);
	CHECK_INT((int)open.count, OPEN_MAX);
	CHECK(end(&open, 100, "m1"));
	CHECK_INT(add(&open, 100, "another"), 1);
	CHECK_INT((int)open.count, OPEN_MAX);
	open_fini(&open);
}

static void
starts_over(void)
{
	struct open open = {.count = 0};
	CHECK_INT(add(&open, 10, "m0"), 1);
	CHECK_INT(add(&open, 200, "m1"), 1);
	CHECK_U64(open_since_us(&open), 10);
	open.from_us = 100;
	CHECK_U64(open_since_us(&open), 100);
	/* What began before the clock's new time stays at its own. */
	open_set_back(&open, 10);
	has(&open, "10 190 ");
	CHECK_U64(open.from_us, 90);
	open_set_back(&open, 90);
	has(&open, "10 100 ");
	CHECK_U64(open.from_us, 90);
	open_set_back(&open, 9);
	has(&open, "1 91 ");
	CHECK_U64(open_since_us(&open), 81);
	CHECK(end(&open, 100, "m0"));
	CHECK_U64(open_since_us(&open), 91);
	open_fini(&open);
}

static const struct check_test tests[] = {
	{"each condition is remembered once, the oldest first", remembers},
	{"a healthy event ends the conditions that it answers, but none that began later", ends},
	{"conditions beyond the limit are not remembered", is_bounded},
	{"what began before a gap lasts since its end, and a clock that is set back moves both",
		starts_over},
};
CHECK_MAIN(tests)

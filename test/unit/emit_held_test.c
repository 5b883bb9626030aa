/* Unit tests of emit's held: events held back until the missing earlier one arrives. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/emit/in/held.h"

#include "check.h"

#include <stdlib.h>

static void
add(struct held *held, const char *source, uint64_t seq, size_t length)
{
	const struct held_event event = {.source = (char *)source,
		.seq = seq,
		.since_ns = 10 * seq,
		.line = check_repeat_new('x', length),
		.length = length};
	CHECK_INT(held_add(held, &event), 0);
}

static void
drop(struct held *held, size_t index)
{
	struct held_event event = held_remove(held, index);
	free(event.source);
	free(event.line);
}

static void
finds(void)
{
	struct held held = {0};
	CHECK(held_find(&held, "a", 1) == NULL);
	CHECK_U64(held_lowest(&held, "a"), 0);
	add(&held, "a", 7, 10);
	add(&held, "b", 3, 10);
	add(&held, "a", 5, 10);
	add(&held, "a", 6, 10);
	CHECK(held_find(&held, "a", 5) == &held.events[2]);
	CHECK(held_find(&held, "b", 5) == NULL);
	CHECK(held_find(&held, "c", 5) == NULL);
	CHECK_U64(held_lowest(&held, "a"), 2);
	CHECK_U64(held_lowest(&held, "b"), 1);
	CHECK_U64(held_lowest(&held, "c"), held.count);
	held_fini(&held);
	CHECK(held.count == 0 && held.events == NULL && held.bytes == 0);
}

static void
keeps_its_order(void)
{
	struct held held = {0};
	for (uint64_t seq = 1; seq <= 100; seq++)
		add(&held, "a", seq, 10);
	drop(&held, 0);
	drop(&held, 98);
	drop(&held, 49);
	CHECK_U64(held.count, 97);
	CHECK_U64(held.bytes, 970);
	CHECK_U64(held.events[0].seq, 2);
	CHECK_U64(held.events[48].seq, 50);
	CHECK_U64(held.events[49].seq, 52);
	CHECK_U64(held.events[96].seq, 99);
	CHECK_STR(held.events[96].source, "a");
	CHECK_U64(held.events[96].since_ns, 990);
	held_fini(&held);
}

static void
doubts(void)
{
	struct held held = {0};
	add(&held, "a", 1, 10);
	held_doubt(&held);
	add(&held, "a", 2, 10);
	CHECK(held_find(&held, "a", 1)->doubted);
	CHECK(!held_find(&held, "a", 2)->doubted);
	held_fini(&held);
}

static void
is_bounded(void)
{
	struct held held = {0};
	for (uint64_t seq = 1; seq <= HELD_MAX_EVENTS; seq++)
		add(&held, "a", seq, 1);
	CHECK(!held_is_full(&held));
	add(&held, "b", 1, 1);
	CHECK(held_is_full(&held));
	drop(&held, 0);
	CHECK(!held_is_full(&held));
	held_fini(&held);

	add(&held, "a", 1, HELD_MAX_BYTES);
	CHECK(!held_is_full(&held));
	add(&held, "a", 2, 1);
	CHECK(held_is_full(&held));
	drop(&held, 0);
	CHECK(!held_is_full(&held));
	held_fini(&held);
}

static const struct check_test tests[] = {
	{"an event is found by its source and seq, and so is a source's lowest seq", finds},
	{"events keep the order of their arrival", keeps_its_order},
	{"events held when a line was lost are marked as doubted", doubts},
	{"the number of held events and their bytes are limited", is_bounded},
};
CHECK_MAIN(tests)

/* Unit tests of logmatch's grouping of events by card. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/logmatch/noise.h"

#include "check.h"
#include "num.h"

#include <stdio.h>
#include <stdlib.h>

#define SECOND_NS NUM_NS_PER_S
#define START_NS (UINT64_C(1767323045) * SECOND_NS)

static void
groups(void)
{
	static const struct {
		const char *pci, *id;
		int64_t time_ns;
		const char *group;
	} rows[] = {
		{"0000:18:00.0", "a-1", 0, ""},
		/* A single function is no group. */
		{"0000:18:00.0", "a-2", 1, ""},
		{"0000:18:00.1", "a-3", (int64_t)SECOND_NS, "a-1"},
		{"0000:18:00.0", "a-4", (int64_t)SECOND_NS + 1, "a-1"},
		/* Other cards with the same start of the address. */
		{"0000:18:01.0", "a-5", (int64_t)SECOND_NS, ""},
		{"10000:18:00.1", "a-6", (int64_t)SECOND_NS, ""},
		/* 5 s after the latest event, and slightly before it. */
		{"0000:18:00.1", "a-7", (int64_t)(6 * SECOND_NS) + 1, "a-1"},
		{"0000:18:00.1", "a-8", (int64_t)(2 * SECOND_NS), "a-1"},
		{"0000:18:00.0", "a-9", (int64_t)(7 * SECOND_NS) + 1, ""},
		{"0000:18:00.1", "a-10", (int64_t)(7 * SECOND_NS), "a-9"},
		{"0000:18:00.1", "a-11", -(int64_t)SECOND_NS, ""},
	};
	struct noise_cards *cards = calloc(1, sizeof *cards);
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("%s %s", rows[i].pci, rows[i].id);
		CHECK_STR(noise_accept_card(cards, rows[i].pci, rows[i].id,
				  (uint64_t)((int64_t)START_NS + rows[i].time_ns)),
			rows[i].group);
	}
	CHECK_U64(cards->count, 3);
	free(cards);
}

static void
forgotten(void)
{
	struct noise_cards *cards = calloc(1, sizeof *cards);
	char pci[SUBJECT_PCI_SIZE];
	for (unsigned i = 0; i < NOISE_CARDS_MAX; i++) {
		snprintf(pci, sizeof pci, "0000:%02x:00.0", i);
		CHECK_STR(noise_accept_card(cards, pci, "a-1", START_NS + i), "");
	}
	CHECK_STR(noise_accept_card(cards, "0000:00:00.1", "a-2", START_NS + 100), "a-1");
	/* Now the second card has been without an event for the longest time. */
	CHECK_STR(noise_accept_card(cards, "0001:00:00.0", "a-3", START_NS + 101), "");
	CHECK_STR(noise_accept_card(cards, "0000:01:00.1", "a-4", START_NS + 102), "");
	CHECK_STR(noise_accept_card(cards, "0000:00:00.0", "a-5", START_NS + 103), "a-1");
	CHECK_U64(cards->count, NOISE_CARDS_MAX);
	free(cards);
}

static void
renamed(void)
{
	struct noise_cards *cards = calloc(1, sizeof *cards);
	CHECK_STR(noise_accept_card(cards, "0000:18:00.0", "a-1", START_NS), "");
	CHECK_STR(noise_accept_card(cards, "0000:3a:00.0", "a-11", START_NS), "");
	noise_rename_card(cards, "a-1", "b-1");
	CHECK_STR(noise_accept_card(cards, "0000:18:00.1", "b-2", START_NS), "b-1");
	CHECK_STR(noise_accept_card(cards, "0000:3a:00.1", "b-3", START_NS), "a-11");
	free(cards);
}

static void
longest(void)
{
	struct noise_cards *cards = calloc(1, sizeof *cards);
	const char *id = "0123456789abcdef-18446744073709551615";
	CHECK_STR(noise_accept_card(cards, "10000:18:1f.0", id, UINT64_MAX), "");
	CHECK_STR(noise_accept_card(cards, "10000:18:1f.7", "a-2", UINT64_MAX), id);
	free(cards);
}

static const struct check_test tests[] = {
	{"events of several functions of a card within 5 s name the first event", groups},
	{"of too many cards the one without an event for the longest time is evicted", forgotten},
	{"after an event's id changed, the group has the new id", renamed},
	{"the longest ids and addresses fit", longest},
};
CHECK_MAIN(tests)

/* Unit tests of ctreval's card: events for a card with fewer active ports than its peers
 * (spec#card-peers). */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/ctreval/check/below.h"
#include "../../tools/ctreval/check/cardlist.h"

#include "below_cells.h"
#include "check.h"

static void
modes(void)
{
	static const struct {
		const char *what;
		double active[8];
		size_t count;
		enum card_verdict verdict;
		unsigned mode;
	} rows[] = {
		{"no card", {0}, 0, CARDS_SINGLETON, 0},
		{"one card", {2}, 1, CARDS_SINGLETON, 0},
		{"one card without an active port", {0}, 1, CARDS_SINGLETON, 0},
		{"two alike", {2, 2}, 2, CARDS_DECISIVE, 2},
		{"two with different counts", {1, 2}, 2, CARDS_TIED, 0},
		{"two with different counts, one has none", {0, 2}, 2, CARDS_TIED, 0},
		{"two without", {0, 0}, 2, CARDS_ZERO, 0},
		{"one of three below", {2, 1, 2}, 3, CARDS_DECISIVE, 2},
		{"one of three above", {1, 2, 1}, 3, CARDS_DECISIVE, 1},
		{"most are without", {0, 2, 0}, 3, CARDS_ZERO, 0},
		{"all differ", {0, 1, 2}, 3, CARDS_TIED, 0},
		{"two and two", {1, 1, 2, 2}, 4, CARDS_TIED, 0},
		{"two and two, mixed", {2, 1, 2, 1}, 4, CARDS_TIED, 0},
		{"counts shared by two, two and one", {2, 1, 0, 2, 1}, 5, CARDS_TIED, 0},
		{"counts shared by two, one and two", {3, 1, 2, 3, 1}, 5, CARDS_TIED, 0},
		{"zero is as common as two", {0, 0, 2, 2}, 4, CARDS_TIED, 0},
		/* A tie among rarer counts does not matter, before the mode or behind it. */
		{"a tie below the mode", {0, 1, 2, 2}, 4, CARDS_DECISIVE, 2},
		{"a tie above the mode", {1, 1, 2, 3}, 4, CARDS_DECISIVE, 1},
		{"a tie below a larger group", {1, 1, 2, 2, 3, 3, 3}, 7, CARDS_DECISIVE, 3},
		{"a tie around the mode", {1, 2, 2, 2, 3}, 5, CARDS_DECISIVE, 2},
		{"the first is the most common", {4, 4, 4, 0, 0, 1}, 6, CARDS_DECISIVE, 4},
		{"a smaller group behind a tie", {1, 1, 2, 2, 3}, 5, CARDS_TIED, 0},
		{"seven of eight alike", {1, 1, 1, 1, 1, 0, 1, 1}, 8, CARDS_DECISIVE, 1},
		{"large numbers", {4294967295U, 0, 4294967295U}, 3, CARDS_DECISIVE, 4294967295U},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		double active[8];
		unsigned mode = 4711;
		memcpy(active, rows[i].active, sizeof active);
		check_row("%s", rows[i].what);
		CHECK_INT(cardlist_mode(active, rows[i].count, &mode), rows[i].verdict);
		CHECK_INT(mode, rows[i].verdict == CARDS_DECISIVE ? rows[i].mode : 4711);
	}
}

static void
order_does_not_matter(void)
{
	/* Each combination of four cards with 0, 1 or 2 active ports, against plain counting. */
	for (unsigned code = 0; code < 81; code++) {
		double active[4];
		unsigned often[3] = {0}, mode = 4711, best = 0;
		for (unsigned i = 0, rest = code; i < 4; i++, rest /= 3) {
			active[i] = rest % 3;
			often[rest % 3]++;
		}
		for (unsigned n = 1; n < 3; n++)
			best = often[n] > often[best] ? n : best;
		bool tied = false;
		for (unsigned n = 0; n < 3; n++)
			tied |= n != best && often[n] == often[best];
		enum card_verdict expected = tied        ? CARDS_TIED
					     : best == 0 ? CARDS_ZERO
							 : CARDS_DECISIVE;
		check_row("cards with %.0f %.0f %.0f %.0f", active[0], active[1], active[2],
			active[3]);
		CHECK_INT(cardlist_mode(active, 4, &mode), expected);
		CHECK_INT(mode, expected == CARDS_DECISIVE ? best : 4711);
	}
}

static const struct check_test tests[] = {
	{"the most common number of active ports is the mode, but ties, zero and single cards have "
	 "none",
		modes},
	{"the order of the cards does not matter", order_does_not_matter},
	{"every step of the table matches the specification", steps},
	{"reports and recoveries of a card alternate", alternates},
};
CHECK_MAIN(tests)

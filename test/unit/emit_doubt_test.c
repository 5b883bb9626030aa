/* Unit tests of emit's doubt: how long it has been uncertain whether a sink will ever accept an
 * event. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/emit/out/verdict.h"

#include "check.h"

static void
counts(void)
{
	struct doubt doubt = {0};
	CHECK_U64(doubt_note(&doubt, 7, 100), 0);
	CHECK_U64(doubt_note(&doubt, 7, 130), 30);
	CHECK_U64(doubt_note(&doubt, 7, 131), 31);
	CHECK_U64(doubt.number, 7);
}

static void
pauses(void)
{
	struct doubt doubt = {0};
	doubt_note(&doubt, 7, 100);
	doubt_note(&doubt, 7, 130);
	doubt_pause(&doubt);
	doubt_pause(&doubt);
	CHECK_U64(doubt_note(&doubt, 7, 1000), 30);
	CHECK_U64(doubt_note(&doubt, 7, 1005), 35);
}

static void
begins_anew(void)
{
	struct doubt doubt = {0};
	doubt_note(&doubt, 7, 100);
	doubt_note(&doubt, 7, 130);
	CHECK_U64(doubt_note(&doubt, 8, 140), 0);
	CHECK_U64(doubt_note(&doubt, 8, 150), 10);
	/* The time of an earlier event is forgotten. */
	CHECK_U64(doubt_note(&doubt, 7, 160), 0);
}

static void
goes_on_after_a_restart(void)
{
	struct doubt doubt = {.number = 7, .spent_ns = 5000};
	CHECK_U64(doubt_note(&doubt, 7, 100), 5000);
	CHECK_U64(doubt_note(&doubt, 7, 200), 5100);
	doubt = (struct doubt){.number = 7, .spent_ns = 5000};
	CHECK_U64(doubt_note(&doubt, 8, 100), 0);
}

static const struct check_test tests[] = {
	{"the time between two doubts counts", counts},
	{"time in which other events were answered does not count", pauses},
	{"each event has its own time", begins_anew},
	{"the time counted in the run before continues", goes_on_after_a_restart},
};
CHECK_MAIN(tests)

/* Unit tests of ctreval's device: events for devices that are gone or cannot be read
 * (spec#device-gone, spec#device-unreadable). */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/ctreval/check/device.h"

#include "check.h"

#define NOTHING DEVICE_REPORT_NOTHING

static const struct cell {
	enum device_memory memory;
	enum device_sight sight;
	enum device_memory next;
	unsigned actions;
} cells[] = {
	{DEVICE_FINE, DEVICE_SEEN_HEALTHY, DEVICE_FINE, NOTHING},
	{DEVICE_FINE, DEVICE_SEEN, DEVICE_FINE, NOTHING},
	{DEVICE_FINE, DEVICE_UNREADABLE, DEVICE_FINE, NOTHING},
	{DEVICE_FINE, DEVICE_STILL_UNREADABLE, DEVICE_SILENT, DEVICE_REPORT_UNREADABLE},
	{DEVICE_FINE, DEVICE_MISSING, DEVICE_FINE, NOTHING},
	{DEVICE_FINE, DEVICE_CONFIRMED_MISSING, DEVICE_GONE, DEVICE_REPORT_GONE},

	{DEVICE_SILENT, DEVICE_SEEN_HEALTHY, DEVICE_FINE, DEVICE_REPORT_READABLE},
	/* Whether it can be read counts here, not the health of its ports. */
	{DEVICE_SILENT, DEVICE_SEEN, DEVICE_FINE, DEVICE_REPORT_READABLE},
	{DEVICE_SILENT, DEVICE_UNREADABLE, DEVICE_SILENT, NOTHING},
	{DEVICE_SILENT, DEVICE_STILL_UNREADABLE, DEVICE_SILENT, NOTHING},
	{DEVICE_SILENT, DEVICE_MISSING, DEVICE_SILENT, NOTHING},
	{DEVICE_SILENT, DEVICE_CONFIRMED_MISSING, DEVICE_GONE_SILENT, DEVICE_REPORT_GONE},

	{DEVICE_GONE, DEVICE_SEEN_HEALTHY, DEVICE_FINE, DEVICE_REPORT_BACK},
	/* A job cannot use a device that is back without a healthy port. */
	{DEVICE_GONE, DEVICE_SEEN, DEVICE_GONE, NOTHING},
	{DEVICE_GONE, DEVICE_UNREADABLE, DEVICE_GONE, NOTHING},
	{DEVICE_GONE, DEVICE_STILL_UNREADABLE, DEVICE_GONE_SILENT, DEVICE_REPORT_UNREADABLE},
	{DEVICE_GONE, DEVICE_MISSING, DEVICE_GONE, NOTHING},
	{DEVICE_GONE, DEVICE_CONFIRMED_MISSING, DEVICE_GONE, NOTHING},

	{DEVICE_GONE_SILENT, DEVICE_SEEN_HEALTHY, DEVICE_FINE,
		DEVICE_REPORT_BACK | DEVICE_REPORT_READABLE},
	{DEVICE_GONE_SILENT, DEVICE_SEEN, DEVICE_GONE, DEVICE_REPORT_READABLE},
	{DEVICE_GONE_SILENT, DEVICE_UNREADABLE, DEVICE_GONE_SILENT, NOTHING},
	{DEVICE_GONE_SILENT, DEVICE_STILL_UNREADABLE, DEVICE_GONE_SILENT, NOTHING},
	{DEVICE_GONE_SILENT, DEVICE_MISSING, DEVICE_GONE_SILENT, NOTHING},
	{DEVICE_GONE_SILENT, DEVICE_CONFIRMED_MISSING, DEVICE_GONE_SILENT, NOTHING},
};

static void
steps(void)
{
	unsigned visited[DEVICE_MEMORY_N][DEVICE_SIGHT_N] = {0};
	for (size_t i = 0; i < CHECK_COUNT(cells); i++) {
		enum device_memory memory = cells[i].memory;
		check_row("memory %d, sight %d", (int)cells[i].memory, (int)cells[i].sight);
		CHECK_INT(device_step(&memory, cells[i].sight), cells[i].actions);
		CHECK_INT(memory, cells[i].next);
		visited[cells[i].memory][cells[i].sight]++;
	}
	for (int m = 0; m < DEVICE_MEMORY_N; m++) {
		for (int s = 0; s < DEVICE_SIGHT_N; s++) {
			check_row("memory %d, sight %d", m, s);
			CHECK_INT(visited[m][s], 1);
		}
	}
}

static void
take_turns(void)
{
	/* In every sequence a report ends before it is made again, and only a report that was made
	 * ends. */
	for (unsigned code = 0; code < 46656; code++) {
		enum device_memory memory = DEVICE_FINE;
		bool gone = false, silent = false;
		for (unsigned i = 0, rest = code; i < 6; i++, rest /= DEVICE_SIGHT_N) {
			unsigned actions = device_step(&memory, rest % DEVICE_SIGHT_N);
			bool good = true;
			check_row("series %u, scan %u", code, i);
			if ((actions & DEVICE_REPORT_BACK) != 0)
				good &= CHECK(gone);
			if ((actions & DEVICE_REPORT_READABLE) != 0)
				good &= CHECK(silent);
			gone &= (actions & DEVICE_REPORT_BACK) == 0;
			silent &= (actions & DEVICE_REPORT_READABLE) == 0;
			if ((actions & DEVICE_REPORT_GONE) != 0)
				good &= CHECK(!gone);
			if ((actions & DEVICE_REPORT_UNREADABLE) != 0)
				good &= CHECK(!silent);
			gone |= (actions & DEVICE_REPORT_GONE) != 0;
			silent |= (actions & DEVICE_REPORT_UNREADABLE) != 0;
			good &= CHECK_INT(
				memory == DEVICE_GONE || memory == DEVICE_GONE_SILENT, gone);
			good &= CHECK_INT(
				memory == DEVICE_SILENT || memory == DEVICE_GONE_SILENT, silent);
			if (!good)
				return;
		}
	}
}

static void
ends_well(void)
{
	/* One healthy scan of a device ends every report about it. */
	for (enum device_memory before = 0; before < DEVICE_MEMORY_N; before++) {
		enum device_memory memory = before;
		device_step(&memory, DEVICE_SEEN_HEALTHY);
		CHECK_INT(memory, DEVICE_FINE);
	}
}

static const struct check_test tests[] = {
	{"every step of the table matches the specification", steps},
	{"a report about a device ends before it is made again", take_turns},
	{"a healthy device leaves no report standing", ends_well},
};
CHECK_MAIN(tests)

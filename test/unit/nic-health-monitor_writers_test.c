/* Unit tests of the supervisor's writers: when the last writer of events has read the acks. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/supervisor/watch.h"

#include "array.h"
#include "check.h"

#define NOW 1000

static void
writers(void)
{
	static const struct {
		const char *name;
		struct watch_writer looks[2];
		uint64_t looked_ns;
	} rows[] = {
		{"both run: the earlier of the two times counts",
			{{true, true, 10, 900}, {true, true, 10, 700}}, 700},
		{"one will be restarted: it is waited for, whatever it did before its death",
			{{true, false, 10, 900}, {true, true, 10, 700}}, WATCH_WRITERS_AWAITED},
		{"one was restarted and has not read the acks yet",
			{{true, true, 10, 900}, {true, true, 800, 700}}, WATCH_WRITERS_AWAITED},
		{"one was started, and its page is empty",
			{{true, true, 10, 0}, {true, true, 10, 700}}, WATCH_WRITERS_AWAITED},
		{"a time in the future does not count",
			{{true, true, 10, NOW + 1}, {true, true, 10, 700}}, WATCH_WRITERS_AWAITED},
		{"one that does not come back is not waited for",
			{{false, false, 10, 0}, {true, true, 10, 700}}, 700},
		{"nor are two", {{false, false, 0, 0}, {false, false, 10, 300}}, NOW},
		{"just now", {{true, true, NOW, NOW}, {true, true, 10, NOW}}, NOW},
	};
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		check_row("%s", rows[i].name);
		CHECK_U64(watch_writers_looked_ns(rows[i].looks, 2, NOW), rows[i].looked_ns);
	}
	CHECK_U64(watch_writers_looked_ns(NULL, 0, NOW), NOW);
}

static const struct check_test tests[] = {
	{"the time is that of the last writer that still has to come back", writers},
};
CHECK_MAIN(tests)

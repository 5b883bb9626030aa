/* Unit tests of clock: the two times every record carries. */
#include "clock.h"

#include "check.h"
#include "num.h"

#include <ctype.h>
#include <time.h>

static void
formats(void)
{
	static const struct {
		uint64_t ns;
		const char *stamp;
	} rows[] = {
		{0, "1970-01-01T00:00:00.000000Z"},
		{999, "1970-01-01T00:00:00.000000Z"},
		{1000, "1970-01-01T00:00:00.000001Z"},
		{UINT64_C(951782399999999999), "2000-02-28T23:59:59.999999Z"},
		{UINT64_C(951782400000000000), "2000-02-29T00:00:00.000000Z"},
		{UINT64_C(1709209845123456789), "2024-02-29T12:30:45.123456Z"},
		{UINT64_C(1767323045678901000), "2026-01-02T03:04:05.678901Z"},
		{UINT64_C(4107542400000000000), "2100-03-01T00:00:00.000000Z"},
		{UINT64_MAX, "2554-07-21T23:34:33.709551Z"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char stamp[CLOCK_STAMP_SIZE];
		clock_format(rows[i].ns, stamp);
		CHECK_STR(stamp, rows[i].stamp);
	}
}

static void
now_has_both(void)
{
	struct clock_moment a, b;
	char first[CLOCK_STAMP_SIZE];
	struct timespec wall;

	clock_gettime(CLOCK_REALTIME, &wall);
	clock_format((uint64_t)wall.tv_sec * NUM_NS_PER_S + (uint64_t)wall.tv_nsec, first);
	clock_now(&a);
	clock_now(&b);
	CHECK(a.boottime_ns > 0);
	CHECK(b.boottime_ns >= a.boottime_ns);
	CHECK_INT((int64_t)strlen(a.stamp), CLOCK_STAMP_SIZE - 1);
	/* The text of a later moment sorts behind; only a step of the clock could break this. */
	CHECK(strcmp(a.stamp, first) >= 0);
	CHECK(strcmp(b.stamp, a.stamp) >= 0);
}

static void
stamp_shape(void)
{
	struct clock_moment now;
	clock_now(&now);
	static const char shape[] = "dddd-dd-ddTdd:dd:dd.ddddddZ";
	for (size_t i = 0; i < sizeof shape; i++) {
		check_row("character %zu", i);
		CHECK(shape[i] == 'd' ? isdigit((unsigned char)now.stamp[i]) != 0
				      : now.stamp[i] == shape[i]);
	}
}

static void
monotonic(void)
{
	uint64_t before = clock_monotonic_ns();
	nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
	CHECK(clock_monotonic_ns() - before >= 2000000);
}

static const struct check_test tests[] = {
	{"a stamp is UTC with microseconds, cut and never rounded, leap days included", formats},
	{"now is one moment on both clocks", now_has_both},
	{"a stamp always has the same shape", stamp_shape},
	{"the monotonic clock counts nanoseconds", monotonic},
};
CHECK_MAIN(tests)

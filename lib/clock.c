/* clock - the two times every record carries: one for arithmetic, one for people. */
#include "clock.h"

#include "num.h"

#include <stdio.h>
#include <time.h>

/* 9999-12-31T23:59:59Z; RFC 3339 has four digits for the year. */
#define LAST_SECOND INT64_C(253402300799)

static uint64_t
read_ns(clockid_t id)
{
	struct timespec t;
	/* Cannot fail: the three clocks used here exist on every Linux this is built for. */
	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * NUM_NS_PER_S + (uint64_t)t.tv_nsec;
}

uint64_t
clock_monotonic_ns(void)
{
	return read_ns(CLOCK_MONOTONIC);
}

void
clock_format(uint64_t realtime_ns, char out[CLOCK_STAMP_SIZE])
{
	time_t seconds = (time_t)(realtime_ns / NUM_NS_PER_S);
	unsigned micros = (unsigned)(realtime_ns % NUM_NS_PER_S / 1000);
	if (seconds > LAST_SECOND)
		seconds = LAST_SECOND;

	struct tm t;
	gmtime_r(&seconds, &t);
	/* The masks change no value that can occur; they let the compiler see that the text fits. */
	snprintf(out, CLOCK_STAMP_SIZE, "%04u-%02u-%02uT%02u:%02u:%02u.%06uZ",
		(unsigned)(t.tm_year + 1900) % 10000, (unsigned)(t.tm_mon + 1) % 100,
		(unsigned)t.tm_mday % 100, (unsigned)t.tm_hour % 100, (unsigned)t.tm_min % 100,
		(unsigned)t.tm_sec % 100, micros % 1000000);
}

void
clock_now(struct clock_moment *out)
{
	out->boottime_ns = read_ns(CLOCK_BOOTTIME);
	clock_format(read_ns(CLOCK_REALTIME), out->stamp);
}

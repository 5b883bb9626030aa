/* Unit tests of emit's retry: the backoff before a sink is tried again. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/emit/out/sink.h"

#include "check.h"

/* Longest delay before attempt 1, 2, ...: 100 ms doubling up to 30 s. */
static const uint64_t most[] = {
	100, 200, 400, 800, 1600, 3200, 6400, 12800, 25600, 30000, 30000, 30000};
static const unsigned far_attempts[] = {13, 32, 33, 64, 65, 1000, 4294967295u};

static void
check_bounds(unsigned attempt, uint64_t longest)
{
	static const uint32_t randoms[] = {0, 1, 99, 100, 12345678, 2147483648u, 4294967295u};
	check_row("attempt %u", attempt);
	for (size_t r = 0; r < CHECK_COUNT(randoms); r++) {
		uint64_t delay = retry_delay_ms(attempt, randoms[r]);
		CHECK(delay >= 1 && delay <= longest);
	}
	/* Both ends are reached. */
	CHECK_U64(retry_delay_ms(attempt, 0), 1);
	CHECK_U64(retry_delay_ms(attempt, (uint32_t)longest - 1), longest);
	CHECK_U64(retry_delay_ms(attempt, (uint32_t)longest), 1);
}

static void
bounds(void)
{
	for (size_t i = 0; i < CHECK_COUNT(most); i++)
		check_bounds((unsigned)i + 1, most[i]);
}

static void
far_bounds(void)
{
	for (size_t i = 0; i < CHECK_COUNT(far_attempts); i++)
		check_bounds(far_attempts[i], RETRY_MOST_MS);
	CHECK_INT(RETRY_MOST_MS, 30000);
	CHECK_INT(RETRY_FIRST_MS, 100);
}

static void
spread(void)
{
	/* A thousand evenly spaced random numbers give a thousand evenly spaced delays: nodes
	 * reconnect at different times. */
	uint64_t sum = 0;
	unsigned early = 0;
	for (uint32_t i = 0; i < 1000; i++) {
		uint64_t delay = retry_delay_ms(20, i * 4294967u);
		sum += delay;
		early += delay <= RETRY_MOST_MS / 4;
	}
	CHECK(sum / 1000 > 14000 && sum / 1000 < 16000);
	CHECK(early > 200 && early < 300);
}

static void
hurry(void)
{
	static const struct sink_setting setting;
	struct sink_spec spec;
	struct sink sink;
	uint64_t now_ns = 3600 * NUM_NS_PER_S;

	CHECK(sink_spec_parse(&spec, "unix:/nobody") == NULL);
	CHECK_INT(sink_init(&sink, &spec, &setting, 0), 0);
	sink.complained = true;
	for (unsigned i = 0; i < 20; i++)
		sink_fail(&sink, "nobody is there", now_ns);
	CHECK(sink_wakes_at_ns(&sink, NULL, now_ns) > now_ns);
	sink_hurry(&sink, now_ns);
	CHECK_U64(sink_wakes_at_ns(&sink, NULL, now_ns), now_ns);
	sink_fail(&sink, "nobody is there", now_ns);
	CHECK(sink_wakes_at_ns(&sink, NULL, now_ns) <= now_ns + RETRY_FIRST_MS * NUM_NS_PER_MS);
	sink_fini(&sink);
}

static const struct check_test tests[] = {
	{"a delay is between 1 ms and 100 ms doubled with each attempt", bounds},
	{"a delay is never longer than 30 s, however many attempts", far_bounds},
	{"delays are spread evenly over their whole range", spread},
	{"a sink that must hurry is tried at once, and again within 100 ms", hurry},
};
CHECK_MAIN(tests)

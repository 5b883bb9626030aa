/* Unit tests of ibevent's merger: counting repeated notices without changing their order. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/ibevent/merger.h"

#include "check.h"
#include "num.h"

#include <inttypes.h>
#include <stdio.h>

#define MS(n) ((uint64_t)(n)*NUM_NS_PER_MS)
#define BEGIN_NS (1000 * NUM_NS_PER_S)

static struct merger merger;
static char passed[8192]; /* "EVENT*COUNT " for each */

static void
note_passed(void *context, const struct notice *notice)
{
	(void)context;
	size_t used = strlen(passed);
	snprintf(passed + used, sizeof passed - used, "%s*%" PRIu64 " ",
		notice->event != NULL ? notice->event : "gap", notice->count);
}

static void
happens(const char *event, unsigned at_ms)
{
	struct notice notice = {.kind = NOTICE_ASYNC,
		.event = event,
		.count = 1,
		.when.boottime_ns = BEGIN_NS + MS(at_ms)};
	merger_accept(&merger, &notice, note_passed, NULL);
}

static void
loses(uint64_t count, unsigned at_ms)
{
	struct notice notice = {
		.kind = NOTICE_GAP, .count = count, .when.boottime_ns = BEGIN_NS + MS(at_ms)};
	merger_accept(&merger, &notice, note_passed, NULL);
}

static void
expire(unsigned at_ms)
{
	merger_expire(&merger, BEGIN_NS + MS(at_ms), note_passed, NULL);
}

static void
first_at_once(void)
{
	happens("DOWN", 0);
	CHECK_STR(passed, "DOWN*1 ");
	CHECK_U64(merger_deadline_ns(&merger), UINT64_MAX);
	happens("UP", 1);
	CHECK_STR(passed, "DOWN*1 UP*1 ");
}

static void
repeats(void)
{
	happens("DOWN", 0);
	happens("DOWN", 1);
	happens("DOWN", 99);
	CHECK_STR(passed, "DOWN*1 ");
	CHECK_U64(merger_deadline_ns(&merger), BEGIN_NS + MS(100));
	expire(99);
	CHECK_STR(passed, "DOWN*1 ");
	expire(100);
	CHECK_STR(passed, "DOWN*1 DOWN*2 ");
	CHECK_U64(merger_deadline_ns(&merger), UINT64_MAX);
}

static void
window(void)
{
	happens("DOWN", 0);
	happens("DOWN", 100);
	CHECK_STR(passed, "DOWN*1 DOWN*1 ");
	happens("DOWN", 199);
	CHECK_STR(passed, "DOWN*1 DOWN*1 ");
	/* The held repeat begins a window of its own. */
	expire(200);
	CHECK_STR(passed, "DOWN*1 DOWN*1 DOWN*1 ");
	happens("DOWN", 299);
	CHECK_STR(passed, "DOWN*1 DOWN*1 DOWN*1 ");
	expire(300);
	happens("DOWN", 400);
	CHECK_STR(passed, "DOWN*1 DOWN*1 DOWN*1 DOWN*1 DOWN*1 ");
}

/* The last notice passed on is the one that happened last. */
static void
order_of_repeats(void)
{
	happens("UP", 0);
	happens("DOWN", 1);
	happens("UP", 2);
	happens("DOWN", 3);
	happens("UP", 4);
	expire(100);
	CHECK_STR(passed, "UP*1 DOWN*1 DOWN*1 UP*2 ");
}

/* The first does not come again. */
static void
repeats_of_the_second(void)
{
	happens("UP", 0);
	happens("DOWN", 1);
	happens("DOWN", 2);
	CHECK_STR(passed, "UP*1 DOWN*1 ");
	CHECK_U64(merger_deadline_ns(&merger), BEGIN_NS + MS(101));
	expire(101);
	CHECK_STR(passed, "UP*1 DOWN*1 DOWN*1 ");
}

static void
order_with_others(void)
{
	happens("DOWN", 0);
	happens("DOWN", 1);
	happens("REMOVED", 2);
	CHECK_STR(passed, "DOWN*1 DOWN*1 REMOVED*1 ");
}

static void
gaps(void)
{
	loses(3, 0);
	loses(4, 1);
	loses(5, 2);
	expire(100);
	CHECK_STR(passed, "gap*3 gap*9 ");
	loses(1, 101);
	loses(0, 102);
	expire(200);
	CHECK_STR(passed, "gap*3 gap*9 gap*0 ");
	*passed = '\0';
	loses(2, 301);
	loses(0, 302);
	loses(4, 303);
	expire(401);
	CHECK_STR(passed, "gap*2 gap*0 ");
	*passed = '\0';
	loses(2, 502);
	loses(1, 503);
	loses(4, 504);
	expire(602);
	CHECK_STR(passed, "gap*2 gap*5 ");
}

static void
flushed(void)
{
	happens("DOWN", 0);
	happens("DOWN", 1);
	merger_flush(&merger, BEGIN_NS + MS(2), note_passed, NULL);
	CHECK_STR(passed, "DOWN*1 DOWN*1 ");
	merger_flush(&merger, BEGIN_NS + MS(3), note_passed, NULL);
	CHECK_STR(passed, "DOWN*1 DOWN*1 ");
}

/* Different notices beyond the limit are passed on at once. */
static void
full(void)
{
	struct notice notice = {.kind = NOTICE_ASYNC, .event = "E", .when.boottime_ns = BEGIN_NS};
	for (notice.port = 0; notice.port < MERGER_MAX + 10; notice.port++) {
		notice.count = 1;
		merger_accept(&merger, &notice, note_passed, NULL);
	}
	CHECK_U64(check_occurrences(passed, "E*1 "), MERGER_MAX + 10);
	CHECK_U64(merger.count, MERGER_MAX);
	*passed = '\0';
	merger_accept(&merger, &notice, note_passed, NULL);
	merger_accept(&merger, &notice, note_passed, NULL);
	CHECK_STR(passed, "E*1 E*1 ");
	expire(100);
	CHECK_U64(merger.count, 0);
}

static void
subjects(void)
{
	const struct notice one = {.kind = NOTICE_CM,
		.via = VIA_TRACE,
		.device = "mlx5_0",
		.event = "REJECTED",
		.status = 8,
		.cause = "remote"};
	struct notice other = one;
	other.count = 7;
	other.when.boottime_ns = 1;
	CHECK(notice_is_same(&one, &other));
	other.status = 9;
	CHECK(!notice_is_same(&one, &other));
	other = one;
	other.via = VIA_VERBS;
	CHECK(!notice_is_same(&one, &other));
	other = one;
	other.device[5] = '1';
	CHECK(!notice_is_same(&one, &other));
	other = one;
	other.cause = "network";
	CHECK(!notice_is_same(&one, &other));
	other = one;
	other.removed = true;
	CHECK(!notice_is_same(&one, &other));
	other = one;
	other.pci[0] = '1';
	CHECK(!notice_is_same(&one, &other));
	other = one;
	other.event = NULL;
	CHECK(!notice_is_same(&one, &other));
}

static const struct check_test tests[] = {
	{"a new notice is passed on at once", first_at_once},
	{"repeats within 100 ms become one notice with their count", repeats},
	{"a window ends after 100 ms, and a held repeat begins the next one", window},
	{"of held repeats the latest is passed on last", order_of_repeats},
	{"the second of two notices is merged as the first is", repeats_of_the_second},
	{"held repeats are passed on before a new notice", order_with_others},
	{"gaps add up, unless one is of unknown size", gaps},
	{"a flush passes on held repeats once", flushed},
	{"subjects beyond the limit are passed on without merging", full},
	{"two notices that differ in anything but time and count are separate", subjects},
};

CHECK_MAIN(tests)

/* Unit tests of order: events sorted by time, each once. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "order.h"

#include "check.h"

#include <stdio.h>
#include <stdlib.h>

/* Add an event of a stream; `source` NULL: of none. */
static void
add(struct order *order, uint64_t at_us, const char *source, unsigned seq)
{
	char id[64];
	snprintf(id, sizeof id, "%s-%u", source != NULL ? source : "", seq);
	json_t *record = json_pack("{s:s, s:s*, s:i}", "id", id, "source", source, "seq", (int)seq);
	struct sighting *event = sighting_new(record);
	CHECK(event != NULL);
	CHECK_INT(order_add(order, at_us, event), 0);
	sighting_release(event);
	json_decref(record);
}

/* Write the ids of the events that are due into `text`, a blank behind each. */
static const char *
take(struct order *order, bool all, char *text, size_t size)
{
	uint64_t at_us, before_us = 0;
	struct sighting *event;
	size_t used = 0;
	*text = '\0';
	while ((event = order_next_new(
			order, all ? UINT64_MAX : order_settled_us(order), &at_us)) != NULL) {
		CHECK(at_us >= before_us);
		before_us = at_us;
		used += (size_t)snprintf(
			text + used, size - used, "%s ", event->fields[SIGHTING_ID]);
		sighting_release(event);
	}
	return text;
}

static void
waits(void)
{
	struct order order;
	char text[256];
	order_init(&order, 60, 60);
	add(&order, 100, "a", 1);
	add(&order, 130, "a", 2);
	add(&order, 159, "b", 1);
	CHECK_STR(take(&order, false, text, sizeof text), "");
	CHECK_U64(order_settled_us(&order), 99);
	add(&order, 160, "b", 2);
	CHECK_STR(take(&order, false, text, sizeof text), "a-1 ");
	/* Earlier than waiting events, and not too late. */
	add(&order, 110, "c", 1);
	add(&order, 190, "b", 3);
	CHECK_STR(take(&order, false, text, sizeof text), "c-1 a-2 ");
	/* Too late. */
	add(&order, 129, "d", 1);
	add(&order, 130, "d", 2);
	CHECK_INT((int)order.late, 1);
	CHECK_STR(take(&order, true, text, sizeof text), "d-2 b-1 b-2 b-3 ");
	order_fini(&order);
}

/* With a shorter wait, later arrivals come behind the others. */
static void
does_not_wait(void)
{
	struct order order;
	char text[256];
	order_init(&order, 60, 2);
	add(&order, 100, "a", 1);
	CHECK_STR(take(&order, false, text, sizeof text), "");
	order_advance(&order, 101);
	CHECK_STR(take(&order, false, text, sizeof text), "");
	order_advance(&order, 102);
	order_advance(&order, 90);
	CHECK_STR(take(&order, false, text, sizeof text), "a-1 ");
	add(&order, 50, "b", 1);
	CHECK_STR(take(&order, false, text, sizeof text), "b-1 ");
	order_advance(&order, 110);
	add(&order, 49, "b", 2);
	CHECK_STR(take(&order, false, text, sizeof text), "");
	CHECK_INT((int)order.late, 1);
	add(&order, 50, "b", 3);
	CHECK_STR(take(&order, false, text, sizeof text), "b-3 ");
	order_restart(&order, 40);
	add(&order, 39, "c", 1);
	CHECK_STR(take(&order, false, text, sizeof text), "");
	order_advance(&order, 41);
	CHECK_STR(take(&order, false, text, sizeof text), "c-1 ");
	order_fini(&order);
}

static void
good_news(void)
{
	struct order order;
	uint64_t at_us;
	order_init(&order, 60, 60);
	order_advance(&order, 1000);
	json_t *record = json_pack("{s:b, s:s, s:i}", "isHealthy", 1, "source", "a", "seq", 1);
	struct sighting *event = sighting_new(record);
	CHECK_INT(order_add(&order, 10, event), 0);
	CHECK_INT((int)order.late, 0);
	struct sighting *found = order_next_new(&order, order_settled_us(&order), &at_us);
	CHECK(found == event);
	CHECK_U64(at_us, 10);
	sighting_release(found);
	sighting_release(event);
	json_decref(record);
	order_fini(&order);
}

static void
once(void)
{
	struct order order;
	char text[256];
	order_init(&order, 60, 60);
	for (unsigned again = 0; again < 2; again++) {
		add(&order, 100, "a", 1);
		add(&order, 101, "a", 2);
		add(&order, 101, "b", 2);
		/* Without a stream repetitions cannot be recognised. */
		add(&order, 102, NULL, 1);
	}
	CHECK_STR(take(&order, true, text, sizeof text), "a-1 a-2 b-2 -1 -1 ");
	/* Repeated events behind newer ones are late. */
	add(&order, 103, "a", 3);
	add(&order, 102, "a", 2);
	CHECK_STR(take(&order, true, text, sizeof text), "a-3 ");
	order_fini(&order);
}

/* Events whose numbers have another order than their times, as from a log whose lines have. */
static void
overtaken(void)
{
	struct order order, restored;
	char text[256];
	struct rec_error error;
	order_init(&order, 60, 60);
	add(&order, 103, "a", 1);
	add(&order, 102, "a", 3);
	add(&order, 101, "a", 2);
	add(&order, 100, "a", 60);
	CHECK_STR(take(&order, true, text, sizeof text), "a-60 a-2 a-3 a-1 ");
	add(&order, 104, "a", 6);
	add(&order, 105, "a", 70);
	add(&order, 106, "a", 5);
	CHECK_STR(take(&order, true, text, sizeof text), "a-6 a-70 ");
	json_t *kept = json_object();
	CHECK_INT(order_encode(&order, kept), 0);
	order_init(&restored, 60, 60);
	CHECK_INT(order_decode(&restored, kept, &error), 0);
	json_decref(kept);
	order_fini(&order);
	/* Each comes once, also after a restart; 6 is as far as the memory goes. */
	for (unsigned seq = 1; seq <= 9; seq++)
		add(&restored, 107, "a", seq);
	for (unsigned seq = 68; seq <= 72; seq++)
		add(&restored, 108, "a", seq);
	CHECK_STR(take(&restored, true, text, sizeof text), "a-7 a-8 a-9 a-68 a-69 a-71 a-72 ");
	order_fini(&restored);
}

/* No writer of this project begins with 0, but others may. */
static void
zero(void)
{
	struct order order;
	char text[64];
	order_init(&order, 60, 60);
	for (unsigned again = 0; again < 2; again++)
		add(&order, 100, "a", 0);
	CHECK_STR(take(&order, true, text, sizeof text), "a-0 ");
	json_t *kept = json_object(), *expected = json_pack("{s:i}", "a", 0);
	CHECK_INT(order_encode(&order, kept), 0);
	CHECK(json_equal(json_object_get(kept, "sources"), expected));
	json_decref(expected);
	json_decref(kept);
	order_fini(&order);
}

/* A source of the maximum length, and a longer one, which is ignored. */
static void
long_sources(void)
{
	struct order order;
	char text[256];
	order_init(&order, 60, 60);
	for (unsigned again = 0; again < 2; again++) {
		add(&order, 100, "0123456789abcdef", 1);
		add(&order, 101, "0123456789abcdef0", 1);
	}
	CHECK_STR(take(&order, true, text, sizeof text),
		"0123456789abcdef-1 0123456789abcdef0-1 0123456789abcdef0-1 ");
	order_fini(&order);
}

/* Beyond the limit the stream that has been silent for longest is forgotten. */
static void
many_streams(void)
{
	struct order order, restored;
	char text[256], source[16];
	struct rec_error error;
	order_init(&order, 60, 60);
	order.most_streams = 3;
	for (unsigned i = 0; i < 3; i++) {
		snprintf(source, sizeof source, "s%u", i);
		add(&order, 100 + i, source, 1);
	}
	add(&order, 110, "s0", 2);
	CHECK_STR(take(&order, true, text, sizeof text), "s0-1 s1-1 s2-1 s0-2 ");
	json_t *kept = json_object();
	CHECK_INT(order_encode(&order, kept), 0);
	order_init(&restored, 60, 60);
	restored.most_streams = 3;
	CHECK_INT(order_decode(&restored, kept, &error), 0);
	json_decref(kept);
	struct order *both[] = {&order, &restored};
	for (size_t i = 0; i < CHECK_COUNT(both); i++) {
		check_row("%s", i == 0 ? "as it was" : "restored");
		add(both[i], 120, "s3", 1);
		add(both[i], 121, "s3", 1);
		add(both[i], 122, "s0", 2);
		add(both[i], 123, "s2", 1);
		CHECK_STR(take(both[i], true, text, sizeof text), "s3-1 ");
		add(both[i], 124, "s1", 1);
		CHECK_STR(take(both[i], true, text, sizeof text), "s1-1 ");
		CHECK_INT((int)both[i]->stream_count, 3);
		order_fini(both[i]);
	}
}

static void
shuffled(void)
{
	char sorted[4096], text[4096];
	for (unsigned turn = 0; turn < 50; turn++) {
		struct order order;
		unsigned at[100];
		order_init(&order, 1000, 1000);
		for (unsigned i = 0; i < CHECK_COUNT(at); i++)
			at[i] = i;
		for (unsigned i = CHECK_COUNT(at); turn > 0 && i-- > 1;) {
			/* NOLINTNEXTLINE: any order will do */
			unsigned other = (unsigned)rand() % (i + 1), kept = at[i];
			at[i] = at[other];
			at[other] = kept;
		}
		/* Three of each moment. */
		for (unsigned i = 0; i < CHECK_COUNT(at); i++)
			add(&order, 100 + at[i] / 3, "a", at[i] + 1);
		take(&order, true, turn == 0 ? sorted : text, sizeof text);
		if (turn > 0)
			CHECK_STR(text, sorted);
		CHECK_INT(check_occurrences(sorted, " "), CHECK_COUNT(at));
		order_fini(&order);
	}
}

static const struct check_test tests[] = {
	{"an event waits for as long as an earlier one may come", waits},
	{"with a shorter wait, an event that comes after it follows the others", does_not_wait},
	{"a healthy event is never too late", good_news},
	{"a repeated event is returned once", once},
	{"an event with a higher number and an earlier time does not hide those that it overtakes",
		overtaken},
	{"a stream may begin with number 0", zero},
	{"a source name that is too long is ignored", long_sources},
	{"of too many streams those with the latest events are remembered", many_streams},
	{"the order does not depend on the order of arrival", shuffled},
};
CHECK_MAIN(tests)

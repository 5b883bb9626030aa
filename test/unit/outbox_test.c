/* Unit tests of outbox: events that the receiver may not have stored yet. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "outbox.h"

#include "check.h"

#include <stdio.h>

static json_t *
event_of(const char *source, int seq)
{
	return json_pack("{s:s, s:s, s:i}", "kind", "event", "source", source, "seq", seq);
}

static void
add(struct outbox *outbox, const char *source, int seq)
{
	json_t *events = json_pack("[o]", event_of(source, seq));
	CHECK_INT(outbox_add(outbox, events), 0);
	json_decref(events);
}

/* As `a1 a2 b1`. */
static const char *
list(const json_t *events)
{
	static char text[400];
	size_t i, used = 0;
	const json_t *event;
	*text = '\0';
	json_array_foreach (events, i, event)
		used += (size_t)snprintf(text + used, sizeof text - used, "%s%s%lld",
			i > 0 ? " " : "", json_string_value(json_object_get(event, "source")),
			(long long)json_integer_value(json_object_get(event, "seq")));
	return text;
}

static const char *
content(const struct outbox *outbox)
{
	return list(outbox->events);
}

static void
keeps_order(void)
{
	struct outbox outbox;
	CHECK_INT(outbox_init(&outbox), 0);
	CHECK_STR(content(&outbox), "");
	json_t *events = json_pack("[o, o]", event_of("a", 1), event_of("a", 2));
	CHECK_INT(outbox_add(&outbox, events), 0);
	/* The events are shared; the caller keeps its references. */
	CHECK_INT((int64_t)json_array_size(events), 2);
	json_decref(events);
	events = json_array();
	CHECK_INT(outbox_add(&outbox, events), 0);
	json_decref(events);
	add(&outbox, "b", 1);
	CHECK_STR(content(&outbox), "a1 a2 b1");
	outbox_fini(&outbox);
}

static void
trims(void)
{
	static const struct {
		const char *acks, *left;
	} rows[] = {
		{"{}", "a1 a2 b1 a3 b2 c9"},
		{"{'a':0}", "a1 a2 b1 a3 b2 c9"},
		{"{'x':99}", "a1 a2 b1 a3 b2 c9"},
		{"{'a':1}", "a2 b1 a3 b2 c9"},
		{"{'a':2}", "b1 a3 b2 c9"},
		{"{'a':3}", "b1 b2 c9"},
		{"{'a':99}", "b1 b2 c9"},
		{"{'b':1}", "a1 a2 a3 b2 c9"},
		{"{'b':2,'a':1}", "a2 a3 c9"},
		{"{'c':8}", "a1 a2 b1 a3 b2 c9"},
		{"{'c':9}", "a1 a2 b1 a3 b2"},
		{"{'a':'2','b':2.0,'c':null}", "a3 c9"},
		{"{'a':-1,'b':'x'}", "a1 a2 b1 a3 b2 c9"},
		{"{'a':3,'b':2,'c':9}", ""},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct outbox outbox;
		CHECK_INT(outbox_init(&outbox), 0);
		add(&outbox, "a", 1);
		add(&outbox, "a", 2);
		add(&outbox, "b", 1);
		add(&outbox, "a", 3);
		add(&outbox, "b", 2);
		add(&outbox, "c", 9);
		json_t *seqs = check_json_new(rows[i].acks);
		struct acks acks = {.seqs = seqs, .delivered = seqs};
		check_row("%s", rows[i].acks);
		CHECK_INT(outbox_trim(&outbox, &acks), strlen(rows[i].left) < 17);
		CHECK_STR(content(&outbox), rows[i].left);
		/* Trimming again changes nothing. */
		CHECK(!outbox_trim(&outbox, &acks));
		CHECK_STR(content(&outbox), rows[i].left);
		json_decref(seqs);
		outbox_fini(&outbox);
	}
}

/* Stored events can be lost with the spool until they are delivered. */
static void
keeps_until_delivered(void)
{
	struct outbox outbox;
	json_t *seqs = check_json_new("{'a':300,'b':1}"), *some = check_json_new("{'a':20}");
	json_t *more = check_json_new("{'a':999,'b':1}");
	struct acks acks = {.seqs = seqs, .delivered = some};
	CHECK_INT(outbox_init(&outbox), 0);
	add(&outbox, "b", 1);
	for (int i = 1; i <= 310; i++)
		add(&outbox, "a", i);
	CHECK(outbox_trim(&outbox, &acks));
	/* The latest of the acknowledged events, and all of the others. */
	CHECK_INT((int64_t)json_array_size(outbox.events), OUTBOX_ACKED_MAX + 10);
	CHECK_INT(json_integer_value(json_object_get(json_array_get(outbox.events, 0), "seq")),
		300 - OUTBOX_ACKED_MAX + 1);
	CHECK(!outbox_trim(&outbox, &acks));
	CHECK(outbox_is_acked(json_array_get(outbox.events, 0), seqs));
	CHECK(!outbox_is_acked(json_array_get(outbox.events, 0), NULL));
	CHECK(!outbox_is_acked(json_array_get(outbox.events, OUTBOX_ACKED_MAX), seqs));
	/* An event that is not acknowledged does not count as delivered, whatever the acks file
	 * says. */
	acks.delivered = more;
	CHECK(outbox_trim(&outbox, &acks));
	CHECK_INT((int64_t)json_array_size(outbox.events), 10);
	json_decref(seqs);
	json_decref(some);
	json_decref(more);
	outbox_fini(&outbox);
}

static void
recalls(void)
{
	static const struct {
		const char *acks, *events, *delivered;
	} rows[] = {
		{"{'a':3,'b':1}", "a4", "a1 a2 b1 a3"},
		{"{'a':9,'b':9}", "a4", "a1 a2 b1 a3"},
		/* From each source the events behind those that the receiver has, in order. */
		{"{'a':1,'b':1}", "a2 a3 a4", "a1 b1"},
		{"{'a':2,'b':1}", "a3 a4", "a1 a2 b1"},
		/* A receiver without any event of a source gets no old ones. */
		{"{}", "a4", "a1 a2 b1 a3"},
		{"{'a':0,'b':0}", "a4", "a1 a2 b1 a3"},
		{"{'a':2}", "a3 a4", "a1 a2 b1"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct outbox outbox;
		json_t *all = check_json_new("{'a':3,'b':1}"), *seqs = check_json_new(rows[i].acks);
		const struct acks before = {.seqs = all, .delivered = all};
		const struct acks now = {.seqs = seqs, .delivered = seqs};
		CHECK_INT(outbox_init(&outbox), 0);
		check_row("%s", rows[i].acks);
		add(&outbox, "a", 1);
		add(&outbox, "a", 2);
		add(&outbox, "b", 1);
		add(&outbox, "a", 3);
		add(&outbox, "a", 4);
		CHECK(outbox_trim(&outbox, &before));
		CHECK_INT(outbox_recall(&outbox, &now), strlen(rows[i].events) > 2);
		CHECK_STR(content(&outbox), rows[i].events);
		CHECK_STR(list(outbox.delivered), rows[i].delivered);
		json_decref(all);
		json_decref(seqs);
		outbox_fini(&outbox);
	}
}

/* The latest, in order. */
static void
keeps_some_delivered(void)
{
	struct outbox outbox;
	json_t *all = check_json_new("{'a':99}"), *seqs = check_json_new("{'a':1}");
	const struct acks before = {.seqs = all, .delivered = all};
	const struct acks now = {.seqs = seqs, .delivered = seqs};
	CHECK_INT(outbox_init(&outbox), 0);
	for (int i = 1; i <= OUTBOX_DELIVERED_MAX + 8; i++) {
		add(&outbox, "a", i);
		CHECK(outbox_trim(&outbox, &before));
	}
	CHECK(outbox_recall(&outbox, &now));
	CHECK_INT((int64_t)json_array_size(outbox.events), OUTBOX_DELIVERED_MAX);
	for (int i = 0; i < OUTBOX_DELIVERED_MAX; i++)
		CHECK_INT(json_integer_value(
				  json_object_get(json_array_get(outbox.events, (size_t)i), "seq")),
			i + 9);
	json_decref(all);
	json_decref(seqs);
	outbox_fini(&outbox);
}

static void
bounds(void)
{
	struct outbox outbox;
	CHECK_INT(outbox_init(&outbox), 0);
	for (int i = 1; i <= OUTBOX_EVENTS_MAX; i++)
		add(&outbox, "a", i);
	CHECK_INT((int64_t)outbox_bound(&outbox), 0);
	add(&outbox, "a", OUTBOX_EVENTS_MAX + 1);
	add(&outbox, "a", OUTBOX_EVENTS_MAX + 2);
	CHECK_INT((int64_t)outbox_bound(&outbox), 2);
	CHECK_INT((int64_t)json_array_size(outbox.events), OUTBOX_EVENTS_MAX);
	CHECK_INT(json_integer_value(json_object_get(json_array_get(outbox.events, 0), "seq")), 3);
	CHECK_INT((int64_t)outbox_bound(&outbox), 0);
	outbox_fini(&outbox);
}

static void
clears(void)
{
	struct outbox outbox;
	CHECK_INT(outbox_init(&outbox), 0);
	CHECK(!outbox_clear(&outbox));
	add(&outbox, "a", 1);
	json_array_append_new(outbox.delivered, event_of("a", 1));
	CHECK(outbox_clear(&outbox));
	CHECK_STR(content(&outbox), "");
	CHECK_STR(list(outbox.delivered), "");
	CHECK(!outbox_clear(&outbox));
	add(&outbox, "a", 2);
	CHECK_STR(content(&outbox), "a2");
	outbox_fini(&outbox);
}

static void
bounds_at_once(void)
{
	/* Far too many at once: the latest stay, in order. */
	struct outbox outbox;
	CHECK_INT(outbox_init(&outbox), 0);
	for (int i = 1; i <= 3 * OUTBOX_EVENTS_MAX; i++)
		add(&outbox, "a", i);
	CHECK_INT((int64_t)outbox_bound(&outbox), (int64_t)2 * OUTBOX_EVENTS_MAX);
	CHECK_INT((int64_t)json_array_size(outbox.events), OUTBOX_EVENTS_MAX);
	for (int i = 0; i < OUTBOX_EVENTS_MAX; i++)
		CHECK_INT(json_integer_value(
				  json_object_get(json_array_get(outbox.events, (size_t)i), "seq")),
			2 * OUTBOX_EVENTS_MAX + 1 + i);
	outbox_fini(&outbox);
}

/* --- in a state file --- */

static void
goes_round(void)
{
	struct outbox outbox, again;
	struct event_stream stream = {.source = "0123456789abcdef", .seq = 41},
			    found = {.source = ""};
	struct rec_error error;
	json_t *root = json_object();
	CHECK_INT(outbox_init(&outbox), 0);
	CHECK_INT(outbox_init(&again), 0);
	add(&outbox, "a", 1);
	add(&outbox, "b", 2);
	json_array_append_new(outbox.delivered, event_of("c", 3));
	CHECK_INT(outbox_encode(&outbox, &stream, root), 0);
	CHECK_INT(outbox_decode(&again, &found, root, &error), 0);
	CHECK_STR(content(&again), "a1 b2");
	CHECK_STR(list(again.delivered), "c3");
	CHECK_STR(found.source, stream.source);
	CHECK_U64(found.seq, 41);
	json_decref(root);
	outbox_fini(&outbox);
	outbox_fini(&again);
}

static void
decodes(void)
{
	static const struct {
		const char *root, *reason; /* NULL: accepted */
	} rows[] = {
		{"{}", NULL},
		{"{'source':null,'seq':null,'outbox':null}", NULL},
		{"{'source':'s','seq':'7','outbox':[]}", NULL},
		{"{'source':1}", "\"source\" is not text of at most 16 bytes"},
		{"{'source':'0123456789abcdef0'}", "\"source\" is not text of at most 16 bytes"},
		{"{'seq':-1}", "\"seq\" is not a valid event number"},
		{"{'seq':9223372036854775807}", "\"seq\" is not a valid event number"},
		{"{'outbox':{}}", "\"outbox\" has the wrong type"},
		{"{'outbox':[],'delivered':null}", NULL},
		{"{'delivered':7}", "\"delivered\" has the wrong type"},
		{"{'delivered':[{'kind':'event','source':'s'}]}",
			"entry 1 of \"delivered\" is not an event"},
		{"{'outbox':[7]}", "entry 1 of \"outbox\" is not an event"},
		{"{'outbox':[{'kind':'event','source':'s','seq':1},{'source':'s','seq':2}]}",
			"entry 2 of \"outbox\" is not an event"},
		{"{'outbox':[{'kind':'gap','source':'s','seq':1}]}",
			"entry 1 of \"outbox\" is not an event"},
		{"{'outbox':[{'kind':'event','seq':1}]}", "entry 1 of \"outbox\" is not an event"},
		{"{'outbox':[{'kind':'event','source':'s'}]}",
			"entry 1 of \"outbox\" is not an event"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct outbox outbox;
		struct event_stream stream = {.source = ""};
		struct rec_error error = {.reason = ""};
		json_t *root = check_json_new(rows[i].root);
		CHECK_INT(outbox_init(&outbox), 0);
		check_row("%s", rows[i].root);
		CHECK_INT(outbox_decode(&outbox, &stream, root, &error),
			rows[i].reason == NULL ? 0 : -1);
		CHECK_STR(error.reason, rows[i].reason != NULL ? rows[i].reason : "");
		json_decref(root);
		outbox_fini(&outbox);
	}
}

static const struct check_test tests[] = {
	{"however many are too many, the latest stay, in order", bounds_at_once},
	{"an outbox and its stream read back from a state file unchanged", goes_round},
	{"a malformed stream or outbox is refused with its reason", decodes},
	{"events are kept in the order of their arrival", keeps_order},
	{"only acknowledged events are removed, source by source", trims},
	{"acknowledged events are kept until they are delivered, up to a limit",
		keeps_until_delivered},
	{"delivered events are taken back if the receiver has lost the end of their source",
		recalls},
	{"of the delivered events the latest are kept", keeps_some_delivered},
	{"beyond the limit the oldest are dropped and counted", bounds},
	{"all events can be dropped, and the result says whether there were any", clears},
};
CHECK_MAIN(tests)

/* judged - tells the decisions of the last scan. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "judged.h"

#include "clock.h"
#include "when.h"

#include <inttypes.h>
#include <string.h>

/* Reason for a counter that has not grown. */
#define STILL "not grown since the last scan"

/* The parts of a decision record that are told. */
struct decision {
	const char *about, *reason, *counter, *node, *verdict, *event;
	int64_t port;
	bool latched;
};

static struct decision
read_decision(const json_t *record)
{
	struct decision decision = {.about = ""};
	rec_get_string(record, "about", &decision.about);
	rec_get_string(record, "reason", &decision.reason);
	rec_get_string(record, "counter", &decision.counter);
	rec_get_string(record, "node", &decision.node);
	rec_get_string(record, "verdict", &decision.verdict);
	rec_get_string(record, "event", &decision.event);
	rec_get_int(record, "port", &decision.port);
	rec_get_bool(record, "latched", &decision.latched);
	return decision;
}

/* --- one decision --- */

/* Return what was judged: a counter, a character device, or a rule. */
static const char *
subject(const struct decision *decision)
{
	if (decision->counter != NULL)
		return decision->counter;
	if (decision->node != NULL)
		return decision->node;
	return decision->about;
}

/* Return true if the decision had no consequence, so that it can be grouped with others of its
 * port. */
static bool
is_plain(const json_t *record, const struct decision *decision)
{
	uint64_t delta = 0;
	if (decision->event != NULL || decision->latched)
		return false;
	if (decision->counter == NULL)
		return decision->node != NULL;
	bool is_over = decision->verdict != NULL && strcmp(decision->verdict, "recovery") == 0;
	rec_get_u64(record, "delta", &delta);
	return delta == 0 && !is_over;
}

/* Return the reason of a decision without consequence. */
static const char *
plain_reason(const json_t *record, const struct decision *decision)
{
	bool was_measured = json_is_integer(json_object_get(record, "delta"));
	return was_measured ? STILL : decision->reason;
}

/* Tell one decision. For a counter include its value; the reason has its growth. */
static void
tell_one(const json_t *record, const struct decision *decision, struct speech *speech)
{
	uint64_t value = 0;
	const char *reported = decision->event != NULL ? ": reported now" : "";
	if (decision->counter == NULL || rec_get_u64(record, "value", &value) != REC_OK)
		speech_say(speech, SPEECH_INDENT, "%s: %s%s", subject(decision), decision->reason,
			reported);
	else
		speech_say(speech, SPEECH_INDENT, "%s is %" PRIu64 ": %s%s", subject(decision),
			value, decision->reason, reported);
}

/* --- decisions of the device, or of a port --- */

/* Tell the groups of decisions without consequence: `REASON: NAME, NAME`. */
static void
tell_plain(const json_t *groups, struct speech *speech)
{
	const char *reason;
	json_t *names;
	json_object_foreach ((json_t *)groups, reason, names)
		speech_say(speech, SPEECH_INDENT, "%s: %s", reason, json_string_value(names));
}

/* Add a name to the group of its reason. Return false when memory ran out. */
static bool
add_plain(json_t *groups, const char *reason, const char *name)
{
	const char *names = json_string_value(json_object_get(groups, reason));
	json_t *longer = names == NULL ? json_string(name) : json_sprintf("%s, %s", names, name);
	return json_object_set_new(groups, reason, longer) == 0;
}

static void
tell_those_of(const struct story *story, int64_t port, struct speech *speech)
{
	json_t *groups = json_object();
	const json_t *record;
	size_t i;
	json_array_foreach (story->decisions, i, record) {
		struct decision decision = read_decision(record);
		if (decision.port != port)
			continue;
		if (!is_plain(record, &decision))
			tell_one(record, &decision, speech);
		else if (!add_plain(groups, plain_reason(record, &decision), subject(&decision)))
			speech->failed = true;
	}
	if (groups == NULL)
		speech->failed = true;
	else
		tell_plain(groups, speech);
	json_decref(groups);
}

/* Return the next port above `port` that has a decision; 0: none. */
static int64_t
next_port(const struct story *story, int64_t port)
{
	const json_t *record;
	int64_t next = 0;
	size_t i;
	json_array_foreach (story->decisions, i, record) {
		int64_t its = read_decision(record).port;
		if (its > port && (next == 0 || its < next))
			next = its;
	}
	return next;
}

void
judged_tell(const struct story *story, struct speech *speech)
{
	char time[WHEN_TIME_SIZE];
	const char *ts = NULL;
	uint64_t when_ns;
	if (json_array_size(story->decisions) == 0) {
		speech_head(
			speech, "Evaluations are unknown: the input has no decisions about it.");
		return;
	}
	rec_get_string(json_array_get(story->decisions, 0), "ts", &ts);
	if (ts != NULL && clock_parse(ts, &when_ns))
		speech_head(speech, "Evaluated at %s UTC:", when_time(when_ns, time));
	else
		speech_head(speech, "Evaluated:");
	tell_those_of(story, 0, speech);
	for (int64_t port = next_port(story, 0); port > 0; port = next_port(story, port)) {
		speech_head(speech, "Evaluated for port %" PRId64 ":", port);
		tell_those_of(story, port, speech);
	}
}

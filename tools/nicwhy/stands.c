/* stands - tells standing conditions, the sinks that know them, and silences. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "stands.h"

#include "clock.h"
#include "runbook.h"
#include "silence.h"
#include "strbuf.h"
#include "when.h"

#include <inttypes.h>
#include <string.h>

/* --- silences --- */

/* Find a silence by id. Return false if there is none. */
static bool
find_silence(const struct story *story, const char *id, struct silence *out)
{
	struct rec_error ignored;
	const json_t *record;
	size_t i;
	json_array_foreach (story->silences, i, record) {
		if (silence_decode(record, out, &ignored) && strcmp(out->id, id) == 0)
			return true;
	}
	return false;
}

static void
tell_silence(const struct silence *silence, struct speech *speech)
{
	char until[WHEN_TIME_SIZE], port[32] = "the device";
	const char *code = silence->code;
	if (silence->port > 0)
		snprintf(port, sizeof port, "port %" PRIu64, silence->port);
	if (silence->clears)
		speech_say(speech, SPEECH_INDENT, "Repaired: %s of %s, by %s: %s",
			code != NULL ? code : "all counters", port, silence->by, silence->why);
	else
		speech_say(speech, SPEECH_INDENT, "Silenced until %s UTC: %s of %s, by %s: %s",
			when_time(silence->until_ns, until), code != NULL ? code : "all events",
			port, silence->by, silence->why);
}

static void
tell_silences(const struct story *story, uint64_t now_ns, struct speech *speech)
{
	struct rec_error ignored;
	struct silence silence;
	const json_t *record;
	bool begun = false;
	size_t i;
	json_array_foreach (story->silences, i, record) {
		if (!silence_decode(record, &silence, &ignored) || silence.until_ns <= now_ns)
			continue;
		if (!begun)
			speech_head(speech, "Set by operators:");
		begun = true;
		tell_silence(&silence, speech);
	}
}

/* --- sinks --- */

/* What became of an event at a sink. */
enum fate {
	FATE_DELIVERED,
	FATE_REFUSED,
	FATE_WAITING,
	FATE_EARLIER, /* the sink was added after the event */
	FATE_N,
	FATE_NONE = FATE_N, /* a sink that is not in the configuration, and was not told */
};

static const char *const fates[FATE_N] = {
	[FATE_DELIVERED] = "Delivered to",
	[FATE_REFUSED] = "Refused by",
	[FATE_WAITING] = "Not delivered yet to",
	[FATE_EARLIER] = "Added later",
};

static bool
has_refused(const struct story *story, const char *name, int64_t number)
{
	const json_t *letter;
	size_t i;
	json_array_foreach (story->letters, i, letter) {
		int64_t its = 0;
		rec_get_int(letter, "number", &its);
		if (its == number && strcmp(rec_text(letter, "sink"), name) == 0)
			return true;
	}
	return false;
}

/* A refused event stays refused until nichist has delivered it and removed its dead letter. */
static enum fate
fate_at(const struct story *story, const json_t *sink, const char *name, int64_t number)
{
	int64_t position = 0, began_after = 0;
	bool in_use = true;
	rec_get_int(sink, "position", &position);
	rec_get_int(sink, "began_after", &began_after);
	rec_get_bool(sink, "in_use", &in_use);
	if (position < number)
		return in_use ? FATE_WAITING : FATE_NONE;
	if (has_refused(story, name, number))
		return FATE_REFUSED;
	if (number <= began_after)
		return in_use ? FATE_EARLIER : FATE_NONE;
	return FATE_DELIVERED;
}

/* Append the names of the sinks where this became of the event of this number: `a, b`. */
static void
add_sinks(const struct story *story, int64_t number, enum fate fate, struct strbuf *text)
{
	const char *between = "";
	const json_t *sink;
	size_t i;
	json_array_foreach (story->sinks, i, sink) {
		const char *name = "?";
		rec_get_string(sink, "name", &name);
		if (fate_at(story, sink, name, number) != fate)
			continue;
		strbuf_addf(text, "%s%s", between, name);
		between = ", ";
	}
}

static void
tell_sinks(const struct story *story, int64_t number, struct speech *speech)
{
	bool has_any = false;
	if (number <= 0) {
		speech_say(speech, 2 * SPEECH_INDENT, "Receivers are unknown.");
		return;
	}
	for (enum fate fate = 0; fate < FATE_N; fate++) {
		struct strbuf names = {0};
		add_sinks(story, number, fate, &names);
		if (names.length > 0)
			speech_say(speech, 2 * SPEECH_INDENT, "%s: %s", fates[fate], names.bytes);
		has_any |= names.length > 0;
		speech->failed |= names.is_short;
		strbuf_fini(&names);
	}
	if (!has_any)
		speech_say(speech, 2 * SPEECH_INDENT, "No sink receives it.");
}

/* --- conditions --- */

/* Name the runbook's heading. Counters and patterns of the configuration have none: name the page
 * about these. */
static void
tell_runbook(const json_t *record, struct speech *speech)
{
	struct runbook runbook =
		runbook_find(rec_text(record, "checkName"), rec_text(record, "code"));
	if (strcmp(runbook.page, RUNBOOK_OWN) == 0)
		runbook = (struct runbook){RUNBOOK_OWN, RUNBOOK_OWN, strlen(RUNBOOK_OWN)};
	speech_say(speech, 2 * SPEECH_INDENT, "What to do: nhm runbook %.*s", (int)runbook.length,
		runbook.heading);
}

static void
tell_condition(
	const struct story *story, const json_t *record, uint64_t now_ns, struct speech *speech)
{
	const char *message = "", *action = "NONE", *since = "", *id = NULL;
	char time[WHEN_TIME_SIZE] = "?", span[WHEN_SPAN_SIZE], lasted[WHEN_SPAN_SIZE + 8] = "";
	int64_t times = 1, number = 0;
	uint64_t since_ns = 0;
	bool is_fatal = false;
	struct silence silence;
	rec_get_string(record, "message", &message);
	rec_get_string(record, "recommendedAction", &action);
	rec_get_string(record, "since", &since);
	rec_get_string(record, "silence", &id);
	rec_get_bool(record, "isFatal", &is_fatal);
	rec_get_int(record, "times", &times);
	rec_get_int(record, "updated", &number);
	if (clock_parse(since, &since_ns))
		when_time(since_ns, time);
	if (now_ns > since_ns && since_ns > 0)
		snprintf(lasted, sizeof lasted, ", for %s", when_span(now_ns - since_ns, span));
	speech_say(speech, SPEECH_INDENT, "%s since %s UTC%s: %s", is_fatal ? "Fatal" : "Degraded",
		time, lasted, message);
	if (times > 1)
		speech_say(speech, 2 * SPEECH_INDENT, "Reported %" PRId64 " times.", times);
	speech_say(speech, 2 * SPEECH_INDENT, "Recommended action: %s", action);
	tell_runbook(record, speech);
	if (id != NULL && find_silence(story, id, &silence))
		speech_say(
			speech, 2 * SPEECH_INDENT, "Silenced by %s: %s", silence.by, silence.why);
	else if (id != NULL)
		speech_say(speech, 2 * SPEECH_INDENT, "Silenced (%s)", id);
	tell_sinks(story, number, speech);
}

void
stands_tell(const struct story *story, uint64_t now_ns, struct speech *speech)
{
	const json_t *record;
	size_t i;
	if (!story->has_history)
		speech_head(speech, "Active conditions are unknown: the input has no history.");
	else if (json_array_size(story->conditions) == 0)
		speech_head(speech, "No active conditions.");
	else
		speech_head(speech, "Active conditions:");
	json_array_foreach (story->conditions, i, record)
		tell_condition(story, record, now_ns, speech);
	tell_silences(story, now_ns, speech);
}

/* summary - the verdict of one check of a node. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "summary.h"

#include "array.h"
#include "errorcode.h"
#include "event.h"
#include "utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longest text of a finding; an event's message is shorter than an event. */
#define TEXT_MAX_BYTES REC_EVENT_MAX_BYTES

/* Return a JSON string of a text that may be invalid UTF-8, such as a name from the command line,
 * or a text that was cut off. */
static json_t *
string_new(const char *text)
{
	char safe[TEXT_MAX_BYTES];
	utf8_sanitize(text, strlen(text), safe, sizeof safe);
	return json_string(safe);
}

void
summary_init(struct summary *summary, const char *node)
{
	*summary = (struct summary){
		.lost = json_object(),
		.node = string_new(node),
		.boot_id = json_null(),
		.ts = json_null(),
	};
	summary->failed = summary->lost == NULL || summary->node == NULL;
}

static void
finding_fini(struct finding *finding)
{
	json_decref(finding->event);
	json_decref(finding->text);
	free(finding->device);
}

void
summary_fini(struct summary *summary)
{
	for (size_t i = 0; i < summary->count; i++)
		finding_fini(&summary->findings[i]);
	free(summary->findings);
	json_decref(summary->lost);
	json_decref(summary->node);
	json_decref(summary->boot_id);
	json_decref(summary->ts);
	*summary = (struct summary){0};
}

/* Append the finding, which the summary then owns. */
static void
add(struct summary *summary, struct finding *finding)
{
	struct finding *findings = array_grown(
		summary->findings, summary->count, &summary->capacity, sizeof *findings);
	if (findings != NULL)
		summary->findings = findings;
	if (findings == NULL || finding->text == NULL) {
		summary->failed = true;
		finding_fini(finding);
		return;
	}
	summary->counts[finding->level]++;
	summary->findings[summary->count++] = *finding;
}

static void
remove_at(struct summary *summary, size_t index)
{
	struct finding *finding = &summary->findings[index];
	summary->counts[finding->level]--;
	finding_fini(finding);
	summary->count--;
	memmove(finding, finding + 1, (summary->count - index) * sizeof *finding);
}

void
summary_add(struct summary *summary, enum finding_level level, const char *device, int64_t port,
	const char *format, ...)
{
	char text[TEXT_MAX_BYTES];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	struct finding finding = {
		.level = level,
		.text = string_new(text),
		.device = device != NULL ? strdup(device) : NULL,
		.port = port,
	};
	summary->failed |= device != NULL && finding.device == NULL;
	add(summary, &finding);
}

/* --- events --- */

/* A fault and its end name the same check, entities and error codes. */
static bool
are_about_the_same(const json_t *a, const json_t *b)
{
	static const char *const keys[] = {"checkName", "entitiesImpacted", "errorCode"};
	for (size_t i = 0; i < ARRAY_COUNT(keys); i++) {
		if (!json_equal(json_object_get(a, keys[i]), json_object_get(b, keys[i])))
			return false;
	}
	return true;
}

static bool
has_code(const json_t *event, size_t index, const char *word)
{
	const char *code =
		json_string_value(json_array_get(json_object_get(event, "errorCode"), index));
	return code != NULL && strcmp(code, word) == 0;
}

static enum finding_level
level_of(const json_t *event)
{
	bool fatal = false;
	rec_get_bool(event, "isFatal", &fatal);
	if (fatal)
		return FINDING_FATAL;
	/* A saturated counter reached its limit before the check. */
	return has_code(event, 1, CODE_SATURATED) ? FINDING_NOTE : FINDING_DEGRADED;
}

void
summary_event(struct summary *summary, json_t *event)
{
	bool healthy = false;
	rec_get_bool(event, "isHealthy", &healthy);
	for (size_t i = 0; i < summary->count; i++) {
		const json_t *earlier = summary->findings[i].event;
		if (earlier != NULL && are_about_the_same(earlier, event)) {
			remove_at(summary, i);
			break;
		}
	}
	/* The last scan shows devices that cannot be read; they count as unknown, not as faults. */
	if (healthy || has_code(event, 0, "nic_unreadable"))
		return;

	const char *device = event_entity(event, "NIC"), *port = event_entity(event, "NICPort");
	struct finding finding = {
		.level = level_of(event),
		.event = json_incref(event),
		.text = json_string(rec_text(event, "message")),
		.device = device != NULL ? strdup(device) : NULL,
		.port = port != NULL ? strtoll(port, NULL, 10) : 0,
	};
	add(summary, &finding);
}

/* --- the verdict --- */

static bool
comes_before(const struct finding *a, const struct finding *b)
{
	if (a->level != b->level)
		return a->level < b->level;
	return a->port != 0 && b->port == 0;
}

void
summary_sort(struct summary *summary)
{
	/* Insertion sort is stable, and there are few findings. */
	for (size_t i = 1; i < summary->count; i++) {
		struct finding finding = summary->findings[i];
		size_t at = i;
		for (; at > 0 && comes_before(&finding, &summary->findings[at - 1]); at--)
			summary->findings[at] = summary->findings[at - 1];
		summary->findings[at] = finding;
	}
}

enum finding_level
summary_verdict(const struct summary *summary)
{
	for (int level = 0; level < FINDING_NOTE; level++) {
		if (summary->counts[level] > 0)
			return (enum finding_level)level;
	}
	return FINDING_NOTE;
}

int
summary_npd_code(const struct summary *summary)
{
	enum finding_level verdict = summary_verdict(summary);
	if (verdict == FINDING_UNKNOWN)
		return 2;
	return verdict == FINDING_NOTE ? 0 : 1;
}

int
summary_exit_code(const struct summary *summary)
{
	switch (summary_verdict(summary)) {
	case FINDING_FATAL:
		return 1;
	case FINDING_DEGRADED:
		return 2;
	case FINDING_UNKNOWN:
		return 3;
	case FINDING_NOTE:
	case FINDING_LEVEL_N:
		break;
	}
	return 0;
}

/* alerts - the Alertmanager sink. It sends the alerts that new events changed, and repeats all
 * standing alerts at intervals, because Alertmanager ends an alert that is not renewed. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "alerts.h"

#include "clock.h"
#include "num.h"
#include "request.h"
#include "runbook.h"
#include "sink.h"
#include "sinkspec.h"
#include "strbuf.h"
#include "text.h"
#include "utf8.h"

#include <ctype.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of U+FFFD, which replaces an invalid byte. */
#define REPLACEMENT_BYTES 3

static json_t *
string_new(const char *text)
{
	if (utf8_is_valid(text))
		return json_string(text);
	size_t length = strlen(text), size = REPLACEMENT_BYTES * length + 1;
	char *safe = malloc(size);
	if (safe == NULL)
		return NULL;
	utf8_sanitize(text, length, safe, size);
	json_t *string = json_string(safe);
	free(safe);
	return string;
}

/* Set `key` unless `text` is empty. Return false if memory runs out. */
static bool
set(json_t *object, const char *key, const char *text)
{
	return text == NULL || *text == '\0' ||
	       json_object_set_new(object, key, string_new(text)) == 0;
}

/* --- labels --- */

char *
alerts_name(const char *code, char name[ALERTS_NAME_SIZE])
{
	static const char nic[] = "nic_";
	size_t used = strlen(ALERTS_PREFIX);
	bool begins = true; /* of a word */
	strcpy(name, ALERTS_PREFIX);
	/* "nic_gone" becomes NicGone. */
	if (text_has_prefix(code, nic))
		code += strlen(nic);
	for (; *code != '\0' && used + 1 < ALERTS_NAME_SIZE; code++) {
		/* The locale is always "C", so this is ASCII. */
		unsigned char c = (unsigned char)*code;
		bool counts = isalnum(c);
		if (counts)
			name[used++] = (char)(begins ? toupper(c) : c);
		begins = !counts;
	}
	name[used] = '\0';
	return used > strlen(ALERTS_PREFIX) ? name : strcpy(name, ALERTS_NAME);
}

static json_t *
labels_new(const struct alert *alert)
{
	char name[ALERTS_NAME_SIZE];
	json_t *labels = json_object();
	if (set(labels, "alertname", alerts_name(text_or_empty(alert->code), name)) &&
		set(labels, "node", alert->node) && set(labels, "check", alert->check) &&
		set(labels, "device", alert->device) && set(labels, "port", alert->port) &&
		set(labels, "code", alert->code) &&
		set(labels, "severity", alert->fatal ? "critical" : "warning"))
		return labels;
	json_decref(labels);
	return NULL;
}

/* --- annotations --- */

/* Format one line such as `mlx5_3 port 1 of gpu-42: port_state`. From malloc; NULL if memory runs
 * out. */
static char *
summary_new(const struct alert *alert)
{
	const char *device = text_or_empty(alert->device), *port = text_or_empty(alert->port);
	const char *node = text_or_empty(alert->node), *code = text_or_empty(alert->code);
	char *summary;
	int length = asprintf(&summary, "%s%s%s%s%s: %s", *device != '\0' ? device : "RDMA NICs",
		*port != '\0' ? " port " : "", port, *node != '\0' ? " of " : "", node,
		*code != '\0' ? code : text_or_empty(alert->check));
	return length < 0 ? NULL : summary;
}

/* Join all messages, one per line. From malloc; NULL if memory runs out. */
static char *
description_new(const struct alert *alert)
{
	struct strbuf text = {0};
	for (size_t i = 0; i < alert->message_count; i++)
		strbuf_addf(&text, "%s%s", i > 0 ? "\n" : "", text_or_empty(alert->messages[i]));
	return strbuf_detach_new(&text);
}

/* Return false if memory runs out. No URL is no error. */
static bool
set_runbook(json_t *annotations, const struct alert *alert)
{
	if (alert->runbook_url == NULL)
		return true;
	char *url = runbook_url_new(
		alert->runbook_url, text_or_empty(alert->check), text_or_empty(alert->code));
	bool whole = url != NULL && set(annotations, "runbook_url", url);
	free(url);
	return whole;
}

static json_t *
annotations_new(const struct alert *alert)
{
	json_t *annotations = json_object();
	char *summary = summary_new(alert), *description = description_new(alert);
	bool whole =
		summary != NULL && description != NULL && set(annotations, "summary", summary) &&
		set(annotations, "description", description) &&
		set(annotations, "message", alert->message_count > 0 ? alert->messages[0] : NULL) &&
		set(annotations, "action", alert->action) && set_runbook(annotations, alert);
	free(summary);
	free(description);
	if (whole)
		return annotations;
	json_decref(annotations);
	return NULL;
}

static json_t *
alert_new(const struct alert *alert)
{
	char since[CLOCK_STAMP_SIZE], end[CLOCK_STAMP_SIZE];
	clock_format(alert->since_ns < alert->ends_ns ? alert->since_ns : alert->ends_ns, since);
	clock_format(alert->ends_ns, end);

	/* jansson takes ownership of its arguments, and fails if one is NULL. */
	json_t *out = json_object();
	bool whole = json_object_set_new(out, "labels", labels_new(alert)) == 0;
	whole = json_object_set_new(out, "annotations", annotations_new(alert)) == 0 && whole;
	if (whole && set(out, "startsAt", since) && set(out, "endsAt", end))
		return out;
	json_decref(out);
	return NULL;
}

/* Append an alert, as the first of a new list if the last list, which begins at `*begun`, would
 * become too long. Return false if memory runs out. */
static bool
add_alert(struct strbuf *lists, size_t *begun, const struct alert *alert)
{
	json_t *object = alert_new(alert);
	char *text = object != NULL ? json_dumps(object, JSON_COMPACT) : NULL;
	json_decref(object);
	if (text == NULL)
		return false;
	size_t length = lists->length - *begun + strlen(",") + strlen(text) + strlen("]");
	if (lists->length > *begun && length > ALERTS_LIST_BYTES) {
		strbuf_add(lists, "]", sizeof "]");
		*begun = lists->length;
	}
	strbuf_addf(lists, "%c%s", lists->length > *begun ? ',' : '[', text);
	free(text);
	return true;
}

char *
alerts_encode_new(const struct alert *alerts, size_t count)
{
	struct strbuf lists = {0};
	size_t begun = 0;
	for (size_t i = 0; i < count; i++) {
		if (!add_alert(&lists, &begun, &alerts[i])) {
			strbuf_fini(&lists);
			return NULL;
		}
	}
	if (count == 0)
		strbuf_addf(&lists, "[");
	/* The NUL of the strbuf is the empty text after the last list. */
	strbuf_add(&lists, "]", sizeof "]");
	return strbuf_detach_new(&lists);
}

/* --- grouping conditions --- */

bool
alerts_are_one(const struct condition *a, const struct condition *b)
{
	return strcmp(a->node, b->node) == 0 && strcmp(a->check, b->check) == 0 &&
	       strcmp(a->device, b->device) == 0 && strcmp(a->port, b->port) == 0 &&
	       strcmp(a->code, b->code) == 0;
}

/* Append the messages of the conditions with this state and severity. */
static void
add_messages(const struct condition *parts, size_t count, bool stands, bool fatal,
	const char **messages, size_t *used)
{
	for (size_t i = 0; i < count; i++) {
		if (parts[i].stands == stands && parts[i].fatal == fatal)
			messages[(*used)++] = parts[i].message;
	}
}

/* Return an alert with the labels of its group. */
static struct alert
named(const struct condition *part, bool fatal, const char **messages)
{
	return (struct alert){
		.node = part->node,
		.check = part->check,
		.device = part->device,
		.port = part->port,
		.code = part->code,
		.fatal = fatal,
		.messages = messages,
		.since_ns = UINT64_MAX,
	};
}

/* Merge a condition into its alert. */
static void
add_part(struct alert *alert, const struct condition *part, uint64_t ends_ns)
{
	if (alert->action == NULL)
		alert->action = part->action;
	if (part->since_ns < alert->since_ns)
		alert->since_ns = part->since_ns;
	if (ends_ns > alert->ends_ns)
		alert->ends_ns = ends_ns;
}

/* Build the standing alert; `fatal` is the worst severity. */
static void
make_standing(const struct condition *parts, size_t count, bool fatal, const char **messages,
	struct alert *alert)
{
	*alert = named(parts, fatal, messages);
	for (size_t i = 0; i < count; i++) {
		if (parts[i].stands && parts[i].fatal == fatal)
			add_part(alert, &parts[i], parts[i].ends_ns);
	}
	/* Add the messages of the less severe conditions, too. */
	add_messages(parts, count, true, true, messages, &alert->message_count);
	add_messages(parts, count, true, false, messages, &alert->message_count);
}

/* Build a resolved alert: it has ended, or a worse one replaces it. */
static void
make_resolved(const struct condition *parts, size_t count, bool fatal, uint64_t now_ns,
	const char **messages, struct alert *alert)
{
	*alert = named(parts, fatal, messages);
	for (size_t i = 0; i < count; i++) {
		if (parts[i].fatal == fatal)
			add_part(alert, &parts[i],
				!parts[i].stands && parts[i].ends_ns < now_ns ? parts[i].ends_ns
									      : now_ns);
	}
	add_messages(parts, count, false, fatal, messages, &alert->message_count);
	add_messages(parts, count, true, fatal, messages, &alert->message_count);
}

/* Severities (index 1: fatal) that stand, have begun, and have ended. */
struct severities {
	bool stand[2], begin[2], end[2];
};

static struct severities
look(const struct condition *parts, size_t count)
{
	struct severities seen = {{false}, {false}, {false}};
	for (size_t i = 0; i < count; i++) {
		seen.stand[parts[i].fatal] |= parts[i].stands;
		seen.begin[parts[i].fatal] |= parts[i].stands && parts[i].is_new;
		seen.end[parts[i].fatal] |= !parts[i].stands;
	}
	return seen;
}

size_t
alerts_of(const struct condition *parts, size_t count, uint64_t now_ns, const char **messages,
	struct alert alerts[ALERTS_OF_ONE])
{
	const struct severities seen = look(parts, count);
	bool worst = seen.stand[true];
	size_t made = 0, used = 0;

	for (int fatal = 0; fatal < 2; fatal++) {
		struct alert *alert = &alerts[made];
		if (seen.stand[fatal] && worst == (fatal != 0))
			make_standing(parts, count, worst, messages + used, alert);
		else if (seen.end[fatal] || (seen.stand[fatal] && seen.begin[true]))
			make_resolved(parts, count, fatal != 0, now_ns, messages + used, alert);
		else
			continue;
		used += alert->message_count;
		made++;
	}
	return made;
}

/* --- the sink --- */

/* An alert ends after this many renewal intervals, so that a late or lost renewal does no harm. */
#define LIVES 4

/* A resolved alert ends at least so long ago. Alertmanager merges an end that its own clock has not
 * reached with the renewed alert, which then lasts until it expires. */
#define AGO_NS (10 * NUM_NS_PER_S)

static const char *
parse(struct sink_spec *spec, const char *rest)
{
	if (strchr(rest, '?') != NULL)
		return "the address of an Alertmanager has no query";
	return sink_spec_parse_url(spec, rest, ALERTS_PATH, false);
}

/* Encode the collected conditions, group by group, as alerts_encode_new() does. Return NULL if
 * memory runs out. */
static char *
encode_new(const struct condition_list *all, const char *runbook_url, uint64_t now_ns)
{
	/* No group has more alerts or messages per condition. */
	struct alert *alerts = calloc(all->count, ALERTS_OF_ONE * sizeof *alerts);
	const char **messages = calloc(all->count, 2 * sizeof *messages);
	char *body = NULL;
	size_t made = 0, begun = 0;
	while (alerts != NULL && messages != NULL && begun < all->count) {
		const struct condition *first = &all->items[begun];
		size_t count = 1;
		while (begun + count < all->count && alerts_are_one(first, first + count))
			count++;
		made += alerts_of(
			first, count, now_ns - AGO_NS, messages + 2 * begun, alerts + made);
		begun += count;
	}
	for (size_t i = 0; i < made; i++)
		alerts[i].runbook_url = runbook_url;
	if (alerts != NULL && messages != NULL)
		body = alerts_encode_new(alerts, made);
	free(messages);
	free(alerts);
	return body;
}

/* Send a resolved alert: Alertmanager accepts it and notifies nobody. */
static enum request_outcome
post_test_alert(struct sink *sink)
{
	static const char *const messages[] = {ALERTS_TEST_MESSAGE};
	uint64_t ends_ns = clock_realtime_ns() - AGO_NS;
	const struct alert alert = {.node = sink->setting->node,
		.check = ALERTS_TEST_CHECK,
		.code = ALERTS_TEST_CODE,
		.messages = messages,
		.message_count = 1,
		.action = "NONE",
		.since_ns = ends_ns - NUM_NS_PER_S,
		.ends_ns = ends_ns};
	return request_post_parts(sink, ALERTS_CONTENT_TYPE, alerts_encode_new(&alert, 1));
}

/* Remove the conditions that the sink's options do not select. */
static void
choose(struct condition_list *list, const struct choice *choice)
{
	size_t kept = 0;
	for (size_t i = 0; i < list->count; i++) {
		const struct condition *condition = &list->items[i];
		if (choice_wants_condition(choice, condition->fatal, condition->own_code))
			list->items[kept++] = *condition;
		else
			free(condition->texts);
	}
	list->count = kept;
}

/* Events that change no alert count as delivered. */
static enum request_outcome
post_alerts(struct sink *sink, struct journal *journal)
{
	uint64_t now_ns = clock_realtime_ns();
	const struct conditions_range range = {
		.after = sink->position,
		.upto = request_end(sink),
		.all_standing = sink->request->renews,
		.now_ns = now_ns,
		.ends_ns = now_ns + LIVES * sink->setting->resend_ns,
	};
	struct condition_list list;
	if (journal_read_conditions(journal, &range, &list) < 0)
		return REQUEST_UNREADABLE;
	choose(&list, &sink->spec.choice);
	enum request_outcome outcome = REQUEST_NOTHING;
	if (list.count > 0)
		outcome = request_post_parts(sink, ALERTS_CONTENT_TYPE,
			encode_new(&list, sink->setting->runbook_url, now_ns));
	condition_list_fini(&list);
	return outcome;
}

static enum request_outcome
post(struct sink *sink, struct journal *journal)
{
	return sink->setting->is_test ? post_test_alert(sink) : post_alerts(sink, journal);
}

static const struct request_kind requests = {
	.is_of_stored = true,
	.renews = true,
	.post = post,
	.accepted = "",
};

const struct sink_kind sink_alertmanager = {
	.parse = parse,
	.needs_spool = true,
	.engine = &request_engine,
	.request = &requests,
};

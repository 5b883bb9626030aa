/* list - the lists of a spool as SQL, and their records. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "list.h"

#include "../emit/store/schema.h"
#include "array.h"
#include "checks.h"
#include "diag.h"
#include "strbuf.h"

#include <stdio.h>
#include <stdlib.h>

#define SEVERITY(fatal, healthy) \
	"CASE WHEN " fatal " THEN '" LIST_FATAL "' WHEN " healthy " THEN '" LIST_HEALTHY \
	"' ELSE '" LIST_DEGRADED "' END"
#define PLACE(device, port) \
	"CASE WHEN " port " = '' THEN " device " ELSE " device " || '/' || " port " END"
#define ACTION "CASE WHEN action = 'NONE' THEN '' ELSE action END"

/* A time as in records, and in ns for arithmetic. */
#define STAMP(ns) \
	"strftime('%Y-%m-%dT%H:%M:%S', " ns " / 1000000000, 'unixepoch')" \
	" || printf('.%06dZ', " ns " / 1000 % 1000000)"
#define TIMES(name, ns) "'" name "', " STAMP(ns) ", '" name "_ns', " ns

/* Value of the first entity of a type in the record `json`. */
#define ENTITY(json, type) \
	"ifnull((SELECT json_extract(" json ", fullkey || '.entityValue')" \
	" FROM json_each(" json ", '$.entitiesImpacted')" \
	" WHERE json_extract(" json ", fullkey || '.entityType') = '" type "'), '')"

/* True if an entity is the requested NIC. */
#define HAS_DEVICE(json) \
	"EXISTS (SELECT 1 FROM json_each(" json ", '$.entitiesImpacted')" \
	" WHERE json_extract(" json ", fullkey || '.entityType') = 'NIC'" \
	" AND json_extract(" json ", fullkey || '.entityValue') = ?3)"

/* True unless it is about another port of that NIC. */
#define AT_PORT(device, port) "(" device " <> ?3 OR " port " IN ('', ?7 || ''))"

/* JSON functions raise an error for text that is not JSON. */
#define VALID(record) "CASE WHEN json_valid(" record ") THEN " record " ELSE '{}' END"

/* --- events --- */

#define METADATA(name) "json_extract(" VALID("record") ", '$.metadata." name "')"
#define SILENCED_BY METADATA("silenceBy") " || ': ' || " METADATA("silenceWhy")

static const struct list_column event_columns[] = {
	{"TIME (UTC)", "time_ns", LIST_TIME, false, false},
	{"SEVERITY", SEVERITY("is_fatal", "is_healthy"), LIST_SEVERITY, false, false},
	{"NODE", "node", LIST_TEXT, true, false},
	{"WHERE", PLACE("device", "port"), LIST_TEXT, false, false},
	{"CHECK", "check_name", LIST_TEXT, false, true},
	{"CODE", "code", LIST_TEXT, false, true},
	{"ACTION", ACTION, LIST_TEXT, false, false},
	{"MESSAGE", "message || coalesce(' (silenced by ' || " SILENCED_BY " || ')', '')",
		LIST_MESSAGE, false, false},
};

const struct list list_events = {
	.from = "event",
	.key = "number",
	.node = "node",
	.json = "record",
	.columns = event_columns,
	.count = ARRAY_COUNT(event_columns),
	.where = "1",
	.since = "time_ns >= ?2",
	/* A healthy event without a device applies to all devices. */
	.device =
		"(device = ?3 OR (device = '' AND is_healthy) OR " HAS_DEVICE(VALID("record")) ")",
	.port = AT_PORT("device", "port"),
	.fatal = "is_fatal",
	.of_node = "node = ?6",
	.quiet = SCHEMA_QUIET,
};

/* --- changes --- */

static const struct list_column change_columns[] = {
	{"TIME (UTC)", "time_ns", LIST_TIME, false, false},
	{"NODE", "node", LIST_TEXT, true, false},
	{"WHERE", PLACE("device", "port"), LIST_TEXT, false, false},
	{"WHAT", METADATA("changed"), LIST_TEXT, false, false},
	{"WAS", METADATA("was"), LIST_TEXT, false, false},
	{"IS", METADATA("is"), LIST_MESSAGE, false, false},
};

const struct list list_changes = {
	.from = "event",
	.key = "number",
	.node = "node",
	.json = "record",
	.columns = change_columns,
	.count = ARRAY_COUNT(change_columns),
	.where = "check_name = '" CHECKS_IDENTITY "'",
	.since = "time_ns >= ?2",
	.device = "device = ?3",
	.port = AT_PORT("device", "port"),
	.fatal = "is_fatal",
	.of_node = "node = ?6",
};

/* --- standing conditions --- */

/* A spool of an older emit that no newer one has opened lacks these columns. The inner query then
 * finds those of `none`. */
#define LATER(column) "(SELECT " column " FROM condition AS c WHERE c.id = condition.id)"
#define WITH_LATER \
	"condition, (SELECT '' AS value, '' AS grown, '' AS silence," \
	"'' AS devices) AS none"
#define VALUE LATER("value")
#define GROWN LATER("grown")
#define SILENCE LATER("silence")
#define GROWTH "iif(" VALUE " = '', '', ' (now ' || " VALUE " || ', ' || " GROWN " || ' more)')"
#define SILENCED "iif(" SILENCE " = '', '', ' (silenced, see nicsilence)')"
#define JSON_LATER(column) "'" column "', nullif(" LATER(column) ", '')"
#define LATER_JSON \
	JSON_LATER("value") \
	", " JSON_LATER("grown") ", " JSON_LATER("silence") ", " JSON_LATER("devices")

static const struct list_column standing_columns[] = {
	{"SINCE (UTC)", "since_ns", LIST_TIME, false, false},
	{"FOR", "since_ns", LIST_AGE, false, false},
	{"TIMES", "times", LIST_NUMBER, false, false},
	{"SEVERITY", SEVERITY("is_fatal", "0"), LIST_SEVERITY, false, false},
	{"NODE", "node", LIST_TEXT, true, false},
	/* `about` has more than a device and a port if the condition names several NICs. */
	{"WHERE",
		"CASE WHEN about IN ('', 'NIC=' || device, 'NIC=' || device || ',NICPort=' || port)"
		" THEN " PLACE("device", "port") " ELSE about END",
		LIST_TEXT, false, false},
	{"CHECK", "check_name", LIST_TEXT, false, true},
	{"CODE", "code", LIST_TEXT, false, true},
	{"ACTION", ACTION, LIST_TEXT, false, false},
	{"MESSAGE", "message || " GROWTH " || " SILENCED, LIST_MESSAGE, false, false},
};

const struct list list_standing = {
	.from = WITH_LATER,
	.key = "id",
	.order = "is_fatal DESC, since_ns, id",
	.node = "node",
	.json = "json_object('kind', 'condition', 'v', 1, 'nodeName', node, 'agent', agent,"
		" 'checkName', check_name, 'isFatal', json(iif(is_fatal, 'true', 'false')),"
		" 'message', message, 'recommendedAction', action, 'code', code, 'about', about,"
		" 'device', device, 'port', port, 'times', times, 'updated', updated, " LATER_JSON
		","
		" " TIMES("since", "since_ns") ", " TIMES(
			"last", "last_ns") ","
					   " " TIMES("until", "until_ns") ")",
	.columns = standing_columns,
	.count = ARRAY_COUNT(standing_columns),
	.where = SCHEMA_STANDS,
	/* A condition of a whole check applies to every device. */
	.device = "(device = ?3 OR about = ''"
		  " OR instr(',' || about || ',', ',NIC=' || ?3 || ',') > 0)",
	.port = AT_PORT("device", "port"),
	.fatal = "is_fatal",
	.of_node = "node = ?6",
};

/* --- dead letters --- */

static const struct list_column dead_letter_columns[] = {
	{"REFUSED (UTC)", "time_ns", LIST_TIME, false, false},
	{"SEVERITY",
		SEVERITY("json_extract(event, '$.isFatal')", "json_extract(event, '$.isHealthy')"),
		LIST_SEVERITY, false, false},
	{"NODE", "ifnull(json_extract(event, '$.nodeName'), '')", LIST_TEXT, true, false},
	{"WHERE", PLACE(ENTITY("event", "NIC"), ENTITY("event", "NICPort")), LIST_TEXT, false,
		false},
	{"EVENT", "event_id", LIST_TEXT, false, false},
	{"SINK", "sink", LIST_TEXT, false, true},
	{"REASON", "reason", LIST_MESSAGE, false, false},
};

const struct list list_dead_letters = {
	.from = "(SELECT *, " VALID("record") " AS event FROM dead_letter)",
	.key = "id",
	.node = "json_extract(event, '$.nodeName')",
	.json = "json_object('kind', 'dead_letter', 'v', 1, 'sink', sink, 'number', number,"
		" 'id', event_id, " TIMES("ts", "time_ns") ", 'reason', reason,"
							   " 'record', json(event))",
	.columns = dead_letter_columns,
	.count = ARRAY_COUNT(dead_letter_columns),
	.where = "1",
	.since = "time_ns >= ?2",
	.device = HAS_DEVICE("event"),
	.port = AT_PORT(ENTITY("event", "NIC"), ENTITY("event", "NICPort")),
	.fatal = "json_extract(event, '$.isFatal')",
	.of_node = "json_extract(event, '$.nodeName') = ?6",
};

/* --- sinks --- */

/* True if the sink is not among those of the current emit; and the number after which it began. An
 * older emit did not store that: then no sink has left, and each began with the spool (see
 * WITH_LATER). */
#define HAS_LEFT \
	"EXISTS (SELECT 1 FROM sink AS other WHERE opening >" \
	" (SELECT opening FROM sink AS own WHERE own.name = sink.name)) AS has_left"
#define BEGAN_AFTER "(SELECT began_after FROM sink AS own WHERE own.name = sink.name) AS began"

static const struct list_column sink_columns[] = {
	{"WAITING", "waiting", LIST_NUMBER, false, false},
	{"FOR", "oldest_ns", LIST_AGE, false, false},
	{"DELIVERED", "delivered", LIST_NUMBER, false, false},
	{"REFUSED", "dead_letters", LIST_NUMBER, false, false},
	{"LAST CHANGE (UTC)", "changed_ns", LIST_TIME, false, false},
	{"SINK", "name || iif(has_left, ' (not in the configuration)', '')", LIST_MESSAGE, false,
		false},
};

const struct list list_sinks = {
	.from = "(SELECT sink.*, " HAS_LEFT ", " BEGAN_AFTER ","
		" (SELECT count(*) FROM event WHERE number > position) AS waiting,"
		" (SELECT min(received_ns) FROM event WHERE number > position) AS oldest_ns,"
		" (SELECT count(*) FROM dead_letter WHERE dead_letter.sink = sink.name)"
		" AS dead_letters FROM sink, (SELECT 0 AS opening, 0 AS began_after) AS none)",
	.key = "1",
	.order = "name",
	.node = "NULL",
	.json = "json_object('kind', 'sink', 'v', 1, 'name', name, 'position', position,"
		" 'began_after', began, 'delivered', delivered,"
		" 'in_use', json(iif(has_left, 'false', 'true')),"
		" 'waiting', waiting, " TIMES(
			"oldest", "oldest_ns") ","
					       " 'dead_letters', dead_letters, " TIMES(
						       "changed", "changed_ns") ")",
	.columns = sink_columns,
	.count = ARRAY_COUNT(sink_columns),
	.where = "1",
};

/* --- selection --- */

char *
list_chosen_new(const struct list *list, const struct history_options *options, enum list_part part)
{
	bool has_quiet = list->quiet != NULL;
	const struct {
		bool asked;
		const char *choice;
	} choices[] = {
		{options->has_since, list->since},
		{options->device != NULL, list->device},
		{options->port != 0, list->port},
		{options->fatal, list->fatal},
		{options->node != NULL, list->of_node},
		{part == LIST_QUIET, has_quiet ? list->quiet : "0"},
	};
	struct strbuf text = {0};

	strbuf_addf(&text, "FROM %s WHERE %s", list->from, list->where);
	for (size_t i = 0; i < ARRAY_COUNT(choices); i++) {
		if (choices[i].asked && choices[i].choice != NULL)
			strbuf_addf(&text, " AND %s", choices[i].choice);
	}
	if (part == LIST_SHOWN && has_quiet && !options->baseline)
		strbuf_addf(&text, " AND NOT (%s)", list->quiet);
	return strbuf_detach_new(&text);
}

struct view_values
list_values(const struct history_options *options)
{
	return (struct view_values){.now_ns = options->now_ns,
		.since_ns = options->since_ns,
		.device = options->device,
		.port = options->port,
		.node = options->node};
}

/* --- records --- */

static int
print_line(void *context, sqlite3_stmt *row, FILE *out)
{
	(void)context;
	const char *text = spoolview_text(row, 1);
	fwrite(text, 1, (size_t)sqlite3_column_bytes(row, 1), out);
	fputc('\n', out);
	return 0;
}

char *
list_sql_new(const struct list *list, const char *values, const char *chosen)
{
	char *sql;
	int length;
	if (list->order != NULL)
		length = asprintf(&sql, "SELECT %s, %s %s ORDER BY %s", list->key, values, chosen,
			list->order);
	else
		length = asprintf(&sql, "SELECT %s, %s %s AND %s > ?%d AND %s <= ?%d ORDER BY %s",
			list->key, values, chosen, list->key, VIEW_AFTER, list->key, VIEW_LAST,
			list->key);
	return length < 0 ? NULL : sql;
}

/* Return the largest key of the list. */
static int64_t
last_key(const struct spoolview *view, const struct list *list, const struct view_values *values,
	int *failed)
{
	char *sql;
	if (asprintf(&sql, "SELECT max(%s) FROM %s", list->key, list->from) < 0) {
		*failed = diag_no_memory();
		return 0;
	}
	int64_t last = spoolview_number(view, sql, values, 0, failed);
	free(sql);
	return last;
}

int
list_read(const struct spoolview *view, const struct list *list,
	const struct history_options *options,
	int (*page)(void *context, const char *lines, size_t length), void *context)
{
	const struct view_reader reader = {.context = context, .row = print_line, .page = page};
	struct view_values values = list_values(options);
	int status = 0;

	values.last = last_key(view, list, &values, &status);
	if (status != 0)
		return status;
	char *chosen = list_chosen_new(list, options, LIST_ALL);
	char *sql = chosen != NULL ? list_sql_new(list, list->json, chosen) : NULL;
	free(chosen);
	if (sql == NULL)
		return diag_no_memory();
	status = spoolview_read(view, sql, &values, &reader, list->order != NULL);
	free(sql);
	return status;
}

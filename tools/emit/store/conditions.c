/* conditions - the node's faults, each with start and end. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "conditions.h"

#include "array.h"
#include "checks.h"
#include "clearing.h"
#include "schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A condition that stands. */
struct open_condition {
	uint64_t id; /* 0: none */
	bool fatal;
	uint64_t until_ns; /* 0: no limit */
};

static const char find_condition_sql[] =
	"SELECT id, is_fatal, until_ns FROM condition"
	" WHERE node = ?1 AND check_name = ?2 AND agent = ?3 AND about = ?4 AND code = ?5"
	" AND closed_ns IS NULL";

/* Find the standing condition that an event repeats. */
static enum database_status
find(struct spool *spool, const struct facts *facts, struct open_condition *out)
{
	struct spool_rows rows = spool_query(spool, find_condition_sql,
		SPOOL_VALUES(SPOOL_TEXT(facts->node), SPOOL_TEXT(facts->check),
			SPOOL_TEXT(facts->agent), SPOOL_TEXT(facts->about),
			SPOOL_TEXT(facts->code)));
	*out = (struct open_condition){.id = 0};
	if (spool_next(&rows))
		*out = (struct open_condition){.id = spool_column_number(rows.row, 0),
			.fatal = spool_column_number(rows.row, 1) != 0,
			.until_ns = spool_column_number(rows.row, 2)};
	return spool_end(&rows);
}

static const char close_condition_sql[] =
	"UPDATE condition SET closed = ?2, closed_ns = ?3, closed_by = ?4 WHERE id = ?1";

enum database_status
conditions_close(
	struct spool *spool, uint64_t id, uint64_t number, uint64_t time_ns, const char *by)
{
	return spool_run(spool, close_condition_sql,
		SPOOL_VALUES(SPOOL_NUMBER(id), SPOOL_NUMBER(number), SPOOL_NUMBER(time_ns),
			SPOOL_TEXT(by)));
}

static const char update_condition_sql[] = "UPDATE condition SET value = ?2, grown = ?3"
					   " WHERE event_id = ?1 AND closed_ns IS NULL";

enum database_status
conditions_update(struct spool *spool, const char *event_id, const char *value, const char *grown)
{
	return spool_run(spool, update_condition_sql,
		SPOOL_VALUES(SPOOL_TEXT(event_id), SPOOL_TEXT(value), SPOOL_TEXT(grown)));
}

static const char standing_of_check_sql[] =
	"SELECT id, about, code FROM condition"
	" WHERE node = ?1 AND check_name = ?2 AND closed_ns IS NULL";

/* End the conditions that a healthy event clears. */
static enum database_status
recover(struct spool *spool, const struct facts *healthy, uint64_t number, uint64_t time_ns)
{
	enum database_status status = DATABASE_OK;
	struct spool_rows rows = spool_query(spool, standing_of_check_sql,
		SPOOL_VALUES(SPOOL_TEXT(healthy->node), SPOOL_TEXT(healthy->check)));
	while (status == DATABASE_OK && spool_next(&rows)) {
		if (clearing_ends(healthy, spool_column_text(rows.row, 1),
			    spool_column_text(rows.row, 2)))
			status = conditions_close(spool, spool_column_number(rows.row, 0), number,
				time_ns, "recovery");
	}
	enum database_status finished = spool_end(&rows);
	return status != DATABASE_OK ? status : finished;
}

static const char repeat_condition_sql[] =
	"UPDATE condition SET times = times + (opened > 0 OR event_id "
	"<> ?7), last_ns = ?2, until_ns = ?3, updated = ?4,"
	" message = ?5, action = ?6, strategy = ?8, devices = ?10, silence = ?9,"
	" silenced_ns = CASE WHEN ?9 = '' THEN NULL ELSE coalesce(silenced_ns, ?2) END,"
	" is_told = is_told OR ?9 = '', is_before_boot = 0 WHERE id = ?1";

static enum database_status
repeat(struct spool *spool, uint64_t id, const struct facts *facts, uint64_t number,
	uint64_t time_ns, uint64_t until_ns)
{
	/* The event that opened the condition may arrive again after the spool was lost: do not
	 * count it as a repeat. */
	return spool_run(spool, repeat_condition_sql,
		SPOOL_VALUES(SPOOL_NUMBER(id), SPOOL_NUMBER(time_ns),
			SPOOL_NUMBER_IF(until_ns, until_ns != 0), SPOOL_NUMBER(number),
			SPOOL_TEXT(facts->message), SPOOL_TEXT(facts->action),
			SPOOL_TEXT(facts->id), SPOOL_TEXT(facts->strategy),
			SPOOL_TEXT(facts->silence), SPOOL_TEXT(facts->devices)));
}

/* Labels of the alert that a condition belongs to: those of its cause, or its own. */
struct labels {
	char check[FACTS_NAME_SIZE], device[FACTS_NAME_SIZE], port[FACTS_NAME_SIZE];
	char code[FACTS_TEXT_SIZE];
};

static void
set_labels(struct labels *labels, const char *check, const char *device, const char *port,
	const char *code)
{
	snprintf(labels->check, sizeof labels->check, "%s", check);
	snprintf(labels->device, sizeof labels->device, "%s", device);
	snprintf(labels->port, sizeof labels->port, "%s", port);
	snprintf(labels->code, sizeof labels->code, "%s", code);
}

/* The event may have been dropped while its condition is still stored. */
static const char find_cause_sql[] =
	"SELECT alert_check, alert_device, alert_port, alert_code FROM condition"
	" WHERE node = ?1 AND event_id = ?2"
	" UNION ALL SELECT check_name, device, port, code FROM event WHERE node = ?1 AND "
	"id = ?2 LIMIT 1";

/* Find the labels of the event's cause, if the spool knows it; else use the event's own. */
static enum database_status
find_labels(struct spool *spool, const struct facts *facts, struct labels *labels)
{
	set_labels(labels, facts->check, facts->device, facts->port, facts->code);
	if (*facts->cause == '\0')
		return DATABASE_OK;
	struct spool_rows rows = spool_query(spool, find_cause_sql,
		SPOOL_VALUES(SPOOL_TEXT(facts->node), SPOOL_TEXT(facts->cause)));
	if (spool_next(&rows))
		set_labels(labels, spool_column_text(rows.row, 0), spool_column_text(rows.row, 1),
			spool_column_text(rows.row, 2), spool_column_text(rows.row, 3));
	return spool_end(&rows);
}

static const char open_condition_sql[] =
	"INSERT INTO condition (node, agent, check_name, about, device, "
	"port, code, is_fatal, action, message, times,"
	" since_ns, last_ns, until_ns, opened, updated, event_id, "
	"alert_check, alert_device, alert_port, alert_code, strategy, devices, silence, "
	"silenced_ns,"
	" is_told)"
	" VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, 1, ?11, ?11, "
	"?12, ?13, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21,"
	" CASE WHEN ?21 = '' THEN NULL ELSE ?11 END, ?21 = '')";

static enum database_status
begin(struct spool *spool, const struct facts *facts, uint64_t number, uint64_t time_ns,
	uint64_t until_ns)
{
	struct labels labels;
	enum database_status status = find_labels(spool, facts, &labels);
	if (status != DATABASE_OK)
		return status;
	return spool_run(spool, open_condition_sql,
		SPOOL_VALUES(SPOOL_TEXT(facts->node), SPOOL_TEXT(facts->agent),
			SPOOL_TEXT(facts->check), SPOOL_TEXT(facts->about),
			SPOOL_TEXT(facts->device), SPOOL_TEXT(facts->port), SPOOL_TEXT(facts->code),
			SPOOL_INTEGER(facts->fatal), SPOOL_TEXT(facts->action),
			SPOOL_TEXT(facts->message), SPOOL_NUMBER(time_ns),
			SPOOL_NUMBER_IF(until_ns, until_ns != 0), SPOOL_NUMBER(number),
			SPOOL_TEXT(facts->id), SPOOL_TEXT(labels.check), SPOOL_TEXT(labels.device),
			SPOOL_TEXT(labels.port), SPOOL_TEXT(labels.code),
			SPOOL_TEXT(facts->strategy), SPOOL_TEXT(facts->devices),
			SPOOL_TEXT(facts->silence)));
}

enum database_status
conditions_apply(struct spool *spool, const struct facts *facts, uint64_t number, uint64_t time_ns)
{
	if (facts->healthy)
		return recover(spool, facts, number, time_ns);

	bool passes = !facts->fatal && strcmp(facts->check, CHECKS_LOG) == 0;
	uint64_t until_ns = passes ? time_ns + CHECKS_LOG_NS : 0;
	struct open_condition open;
	enum database_status status = find(spool, facts, &open);
	if (status != DATABASE_OK)
		return status;
	if (open.id == 0)
		return begin(spool, facts, number, time_ns, until_ns);
	/* A fatal condition stays fatal until it ends: a report that is not fatal does not change
	 * it. */
	if (open.fatal && !facts->fatal)
		return DATABASE_OK;
	bool is_over = open.until_ns != 0 && open.until_ns <= time_ns;
	if (!is_over && open.fatal == facts->fatal)
		return repeat(spool, open.id, facts, number, time_ns, until_ns);
	status = is_over ? conditions_close(spool, open.id, number, open.until_ns, "age")
			 : conditions_close(spool, open.id, number, time_ns, "severity");
	return status == DATABASE_OK ? begin(spool, facts, number, time_ns, until_ns) : status;
}

/* --- alerts --- */

/* For each alert that has changed: the conditions that changed and those that still stand. Leave
 * out conditions that were silenced from their beginning (is_told = 0). */
static const char alerts_sql[] =
	"SELECT node, " SCHEMA_ALERT_KEY
	", code, is_fatal, action, message, since_ns, closed_ns, until_ns, updated, silenced_ns"
	" FROM condition"
	" WHERE (node, " SCHEMA_ALERT_KEY ") IN (SELECT node, " SCHEMA_ALERT_KEY " FROM condition"
	"  WHERE (updated > ?1 AND updated <= ?2) OR (closed > ?1 AND closed <= ?2)"
	"  OR (?3 AND closed_ns IS NULL AND (until_ns IS NULL OR until_ns > ?4)))"
	" AND is_told AND ((closed_ns IS NULL AND (until_ns IS NULL OR until_ns > ?4"
	"   OR (updated > ?1 AND updated <= ?2)))"
	"  OR (closed > ?1 AND closed <= ?2))"
	" ORDER BY node, " SCHEMA_ALERT_KEY ", id";

enum {
	PART_NODE,
	PART_CHECK,
	PART_DEVICE,
	PART_PORT,
	PART_CODE,
	PART_OWN_CODE,
	PART_FATAL,
	PART_ACTION,
	PART_MESSAGE,
	PART_SINCE,
	PART_CLOSED,
	PART_UNTIL,
	PART_UPDATED,
	PART_SILENCED,
};

/* Set whether the condition of the row stands, and its end. */
static void
read_end(sqlite3_stmt *row, const struct conditions_range *range, struct condition *part)
{
	bool is_closed = sqlite3_column_type(row, PART_CLOSED) != SQLITE_NULL;
	bool has_until = sqlite3_column_type(row, PART_UNTIL) != SQLITE_NULL;
	bool is_silenced = sqlite3_column_type(row, PART_SILENCED) != SQLITE_NULL;
	uint64_t silenced_ns = spool_column_number(row, PART_SILENCED);
	uint64_t closed_ns = spool_column_number(row, PART_CLOSED);
	uint64_t until_ns = spool_column_number(row, PART_UNTIL);

	/* A condition with a time limit may have ended long before this call. */
	part->stands = !is_closed && !is_silenced && !(has_until && until_ns <= range->now_ns);
	if (is_silenced)
		part->ends_ns = silenced_ns;
	else if (part->stands)
		part->ends_ns = has_until && until_ns < range->ends_ns ? until_ns : range->ends_ns;
	else
		part->ends_ns = is_closed ? closed_ns : until_ns;
	/* An end in the future comes from a wrong clock; the condition has ended anyway. */
	if (!part->stands && part->ends_ns > range->now_ns)
		part->ends_ns = range->now_ns;
}

/* Append a copy of a condition. Return 0, or -1 if memory runs out. */
static int
add_condition(struct condition_list *all, const struct condition *condition)
{
	struct condition *items =
		array_grown(all->items, all->count, &all->capacity, sizeof *items);
	if (items == NULL)
		return -1;
	all->items = items;
	struct condition *own = &items[all->count];
	*own = *condition;
	const char **const texts[] = {&own->node, &own->check, &own->device, &own->port, &own->code,
		&own->own_code, &own->message, &own->action};
	own->texts = facts_copy_texts_new(0, texts, ARRAY_COUNT(texts));
	all->count += own->texts != NULL;
	return own->texts != NULL ? 0 : -1;
}

void
condition_list_fini(struct condition_list *all)
{
	for (size_t i = 0; i < all->count; i++)
		free(all->items[i].texts);
	free(all->items);
	*all = (struct condition_list){.count = 0};
}

enum database_status
conditions_collect(
	struct spool *spool, const struct conditions_range *range, struct condition_list *out)
{
	struct spool_rows rows = spool_query(spool, alerts_sql,
		SPOOL_VALUES(SPOOL_NUMBER(range->after), SPOOL_NUMBER(range->upto),
			SPOOL_INTEGER(range->all_standing), SPOOL_NUMBER(range->now_ns)));
	*out = (struct condition_list){.count = 0};
	while (spool_next(&rows)) {
		struct condition part = {
			.node = spool_column_text(rows.row, PART_NODE),
			.check = spool_column_text(rows.row, PART_CHECK),
			.device = spool_column_text(rows.row, PART_DEVICE),
			.port = spool_column_text(rows.row, PART_PORT),
			.code = spool_column_text(rows.row, PART_CODE),
			.own_code = spool_column_text(rows.row, PART_OWN_CODE),
			.fatal = sqlite3_column_int(rows.row, PART_FATAL) != 0,
			.action = spool_column_text(rows.row, PART_ACTION),
			.message = spool_column_text(rows.row, PART_MESSAGE),
			.since_ns = spool_column_number(rows.row, PART_SINCE),
			.is_new = spool_column_number(rows.row, PART_UPDATED) > range->after,
		};
		read_end(rows.row, range, &part);
		if (add_condition(out, &part) < 0) {
			rows.code = SQLITE_NOMEM;
			break;
		}
	}
	enum database_status status = spool_end(&rows);
	if (status != DATABASE_OK)
		condition_list_fini(out);
	return status;
}

/* --- boots --- */

const char conditions_boot_sql[] = "SELECT value FROM meta WHERE name = 'boot_id'";

static enum database_status
get_boot(struct spool *spool, const char *boot_id, bool *same, bool *known)
{
	struct spool_rows rows = spool_query(spool, conditions_boot_sql, NULL, 0);
	*known = spool_next(&rows);
	*same = *known && strcmp(spool_column_text(rows.row, 0), boot_id) == 0;
	return spool_end(&rows);
}

static const char get_node_sql[] = "SELECT value FROM meta WHERE name = 'node'";

/* Copy the name that the node had when its boot was noted; "": not known. */
static enum database_status
get_node(struct spool *spool, char name[FACTS_NAME_SIZE])
{
	struct spool_rows rows = spool_query(spool, get_node_sql, NULL, 0);
	snprintf(name, FACTS_NAME_SIZE, "%s",
		spool_next(&rows) ? spool_column_text(rows.row, 0) : "");
	return spool_end(&rows);
}

static const char set_meta_sql[] = "INSERT INTO meta (name, value) VALUES (?1, ?2)"
				   " ON CONFLICT (name) DO UPDATE SET value = ?2";

/* Without a check: of all checks. */
static const char close_check_sql[] =
	"UPDATE condition SET closed = ?3, closed_ns = ?4, closed_by = ?5"
	" WHERE node = ?1 AND (?2 = '' OR check_name = ?2) AND closed_ns IS NULL";

static enum database_status
close_by_boot(struct spool *spool, const char *node, const char *check, uint64_t now_ns)
{
	/* A sink that has all events learns of the end with the next one. */
	return spool_run(spool, close_check_sql,
		SPOOL_VALUES(SPOOL_TEXT(node), SPOOL_TEXT(check),
			SPOOL_NUMBER(spool->last_number + 1), SPOOL_NUMBER(now_ns),
			SPOOL_TEXT("reboot")));
}

static const char note_boot_sql[] =
	"UPDATE condition SET is_before_boot = 1 WHERE node = ?1 AND closed_ns IS NULL";

enum database_status
conditions_note_boot(struct spool *spool, const char *node, const char *boot_id, uint64_t now_ns)
{
	bool same = false, known = false;
	char former[FACTS_NAME_SIZE] = "";
	enum database_status status = get_boot(spool, boot_id, &same, &known);
	if (status == DATABASE_OK)
		status = get_node(spool, former);
	if (status != DATABASE_OK || (same && *former != '\0'))
		return status;
	status = database_begin(&spool->database, true);
	if (status == DATABASE_OK)
		status = spool_run(spool, set_meta_sql,
			SPOOL_VALUES(SPOOL_TEXT("boot_id"), SPOOL_TEXT(boot_id)));
	if (status == DATABASE_OK)
		status = spool_run(
			spool, set_meta_sql, SPOOL_VALUES(SPOOL_TEXT("node"), SPOOL_TEXT(node)));
	if (status == DATABASE_OK && known && !same)
		status = spool_run(spool, note_boot_sql, SPOOL_VALUES(SPOOL_TEXT(node)));
	if (status == DATABASE_OK && known && !same)
		status = close_by_boot(spool, node, CHECKS_LOG, now_ns);
	/* Nobody sends events about a name that the node no longer has: what stands is reported
	 * again under the new one after the boot. */
	if (status == DATABASE_OK && !same && *former != '\0' && strcmp(former, node) != 0)
		status = close_by_boot(spool, former, "", now_ns);
	return database_end(&spool->database, status);
}

/* keepsake - a copy of the standing conditions in the acks file. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "keepsake.h"

#include "acks.h"
#include "array.h"
#include "clearing.h"
#include "conditions.h"
#include "schema.h"
#include "text.h"

#include <string.h>

#define BYTES_MAX ((size_t)256 << 10)

/* Highest serial that is believed: counting never gets there. */
#define SERIAL_MAX ((json_int_t)1 << 53)

/* Most conditions in a keepsake. */
#define STANDING_MAX 256

/* Columns of a condition, in the order of KEPT_COLUMNS. */
static const struct {
	const char *name;
	enum { TEXT, NUMBER, NUMBER_OR_NULL } type;
} columns[] = {
	{"node", TEXT},
	{"agent", TEXT},
	{"check_name", TEXT},
	{"about", TEXT},
	{"device", TEXT},
	{"port", TEXT},
	{"code", TEXT},
	{"is_fatal", NUMBER},
	{"action", TEXT},
	{"message", TEXT},
	{"times", NUMBER},
	{"since_ns", NUMBER},
	{"last_ns", NUMBER},
	{"until_ns", NUMBER_OR_NULL},
	{"event_id", TEXT},
	{"alert_check", TEXT},
	{"alert_device", TEXT},
	{"alert_port", TEXT},
	{"alert_code", TEXT},
	{"value", TEXT},
	{"grown", TEXT},
	{"strategy", TEXT},
	{"devices", TEXT},
	{"silence", TEXT},
	{"silenced_ns", NUMBER_OR_NULL},
	{"is_told", NUMBER},
	{"is_before_boot", NUMBER},
};
#define COLUMNS ((int)ARRAY_COUNT(columns))

/* --- copying from a spool --- */

/* Return the column; "" for text that a damaged spool cannot provide as a string. NULL if memory
 * runs out. */
static json_t *
value_new(sqlite3_stmt *row, int at)
{
	if (sqlite3_column_type(row, at) == SQLITE_NULL)
		return json_null();
	if (columns[at].type != TEXT)
		return json_integer(sqlite3_column_int64(row, at));
	const char *text = (const char *)sqlite3_column_text(row, at);
	json_t *value = text != NULL ? json_string(text) : NULL;
	return value != NULL ? value : json_string("");
}

static json_t *
condition_new(sqlite3_stmt *row)
{
	json_t *condition = json_object();
	for (int i = 0; i < COLUMNS; i++) {
		if (json_object_set_new(condition, columns[i].name, value_new(row, i)) < 0) {
			json_decref(condition);
			return NULL;
		}
	}
	return condition;
}

#define KEPT_COLUMNS \
	"node, agent, check_name, about, device, port, code, is_fatal, action, message, times," \
	" since_ns, last_ns, until_ns, event_id, " SCHEMA_ALERT_KEY ", value, grown, strategy," \
	" devices, silence, silenced_ns, is_told, is_before_boot"

static const char standing_sql[] = "SELECT " KEPT_COLUMNS " FROM condition WHERE closed_ns IS NULL"
				   " ORDER BY is_fatal DESC, id LIMIT ?1";

static json_t *
conditions_new(struct spool *spool, bool *whole, enum database_status *status)
{
	json_t *conditions = json_array();
	struct spool_rows rows =
		spool_query(spool, standing_sql, SPOOL_VALUES(SPOOL_INTEGER(STANDING_MAX)));
	size_t bytes = 0;
	*whole = true;
	while (*whole && spool_next(&rows)) {
		json_t *condition = condition_new(rows.row);
		bytes += json_dumpb(condition, NULL, 0, JSON_COMPACT);
		if (bytes > BYTES_MAX) {
			json_decref(condition);
			*whole = false;
		} else if (json_array_append_new(conditions, condition) < 0) {
			rows.code = SQLITE_NOMEM;
			break;
		}
	}
	*status = spool_end(&rows);
	*whole = *whole && json_array_size(conditions) < STANDING_MAX;
	if (*status == DATABASE_OK)
		return conditions;
	json_decref(conditions);
	return NULL;
}

/* Return the spool's boot id; "": none. NULL if memory runs out; `*status` tells of the spool. */
static json_t *
boot_new(struct spool *spool, enum database_status *status)
{
	struct spool_rows rows = spool_query(spool, conditions_boot_sql, NULL, 0);
	json_t *boot = json_string(spool_next(&rows) ? spool_column_text(rows.row, 0) : "");
	*status = spool_end(&rows);
	return boot;
}

/* Return 0 for a keepsake without a valid serial, as of earlier versions. */
static uint64_t
serial_of(const json_t *keepsake)
{
	json_int_t serial = json_integer_value(json_object_get(keepsake, "serial"));
	return serial > 0 && serial <= SERIAL_MAX ? (uint64_t)serial : 0;
}

void
keepsake_follow(struct spool *spool, const json_t *keepsake)
{
	uint64_t serial = serial_of(keepsake);
	if (serial < spool->restored)
		serial = spool->restored;
	if (spool->keepsakes < serial)
		spool->keepsakes = serial;
}

json_t *
keepsake_new(struct spool *spool, enum database_status *status)
{
	json_t *boot = boot_new(spool, status);
	bool whole = false;
	json_t *conditions = *status == DATABASE_OK ? conditions_new(spool, &whole, status) : NULL;
	return json_pack("{s:I, s:o, s:b, s:o}", "serial", (json_int_t)++spool->keepsakes,
		"boot_id", boot, "whole", whole, "conditions", conditions);
}

/* --- restoring a spool --- */

static const char *
nullable_text(const json_t *condition, const char *name)
{
	return json_string_value(json_object_get(condition, name));
}

/* Add the columns that keepsakes of earlier versions lack. */
static void
complete(json_t *condition)
{
	const char *device = nullable_text(condition, "device");
	json_t *later = json_pack("{s:s, s:s, s:s, s:n, s:i, s:i}", "strategy", "", "devices",
		text_or_empty(device), "silence", "", "silenced_ns", "is_told", 1, "is_before_boot",
		0);
	json_object_update_missing(condition, later);
	json_decref(later);
}

static bool
is_whole(const json_t *condition)
{
	for (int i = 0; i < COLUMNS; i++) {
		const json_t *value = json_object_get(condition, columns[i].name);
		if (columns[i].type == TEXT
				? !json_is_string(value)
				: !json_is_integer(value) &&
					  (columns[i].type == NUMBER || !json_is_null(value)))
			return false;
	}
	return true;
}

/* Return true if the event in the second column of the row is healthy and ends the condition. */
static bool
ends(sqlite3_stmt *row, const json_t *condition)
{
	struct facts healthy;
	struct facts_room room;
	json_t *record = facts_parse_new(
		&healthy, &room, spool_column_text(row, 1), (size_t)sqlite3_column_bytes(row, 1));
	bool is_end = record != NULL && clearing_ends(&healthy, nullable_text(condition, "about"),
						nullable_text(condition, "code"));
	json_decref(record);
	return is_end;
}

static const char healthy_since_sql[] =
	"SELECT number, record FROM event WHERE node = ?1 AND check_name = ?2"
	" AND time_ns >= ?3 AND is_healthy = 1";

/* Check whether a healthy event in the spool ends the condition: the acks may be older than the
 * event. */
static enum database_status
is_over(struct spool *spool, const json_t *condition, bool *over)
{
	struct spool_rows rows = spool_query(spool, healthy_since_sql,
		SPOOL_VALUES(SPOOL_TEXT(nullable_text(condition, "node")),
			SPOOL_TEXT(nullable_text(condition, "check_name")),
			SPOOL_INTEGER(json_integer_value(json_object_get(condition, "last_ns")))));
	*over = false;
	while (!*over && spool_next(&rows))
		*over = ends(rows.row, condition);
	return spool_end(&rows);
}

/* opened and updated are 0: the events are lost. */
static const char restore_condition_sql[] =
	"INSERT OR IGNORE INTO condition (" KEPT_COLUMNS ", opened, updated)"
	" VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, "
	"?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, 0, 0)";

static enum database_status
add(struct spool *spool, const json_t *condition)
{
	struct spool_value values[COLUMNS];
	for (int i = 0; i < COLUMNS; i++) {
		const json_t *value = json_object_get(condition, columns[i].name);
		values[i] = (struct spool_value){.text = json_string_value(value),
			.length = -1,
			.number = json_integer_value(value),
			.is_number = json_is_integer(value)};
	}
	return spool_run(spool, restore_condition_sql, values, COLUMNS);
}

static const char add_boot_sql[] =
	"INSERT OR IGNORE INTO meta (name, value) VALUES ('boot_id', ?1)";

static enum database_status
set_boot(struct spool *spool, const char *boot_id)
{
	return boot_id == NULL || *boot_id == '\0'
		       ? DATABASE_OK
		       : spool_run(spool, add_boot_sql, SPOOL_VALUES(SPOOL_TEXT(boot_id)));
}

static bool
is_text(const json_t *condition, const char *name, const unsigned char *text)
{
	const char *other = nullable_text(condition, name);
	return text != NULL && other != NULL && strcmp((const char *)text, other) == 0;
}

static const char standing_events_sql[] =
	"SELECT condition.id, condition.node, condition.agent, condition.check_name,"
	" condition.about, condition.code, event.source, event.seq,"
	" max(condition.last_ns, coalesce((SELECT max(time_ns) FROM event), 0)),"
	" condition.updated"
	" FROM condition LEFT JOIN event ON event.number = condition.updated"
	" WHERE condition.closed_ns IS NULL";

/* Return true if the keepsake has the condition of a row of standing_events_sql. */
static bool
has(const json_t *keepsake, sqlite3_stmt *row)
{
	static const char *const key[] = {"node", "agent", "check_name", "about", "code"};
	size_t i;
	json_t *condition;
	json_array_foreach (json_object_get(keepsake, "conditions"), i, condition) {
		bool is_same = true;
		for (size_t k = 0; k < ARRAY_COUNT(key); k++)
			is_same = is_same &&
				  is_text(condition, key[k], sqlite3_column_text(row, (int)k + 1));
		if (is_same)
			return true;
	}
	return false;
}

/* Return true if the row's event was acknowledged, so that the keepsake is not older than it. A row
 * with updated = 0 comes from an earlier keepsake. */
static bool
was_known(const json_t *acks, sqlite3_stmt *row)
{
	const char *name = (const char *)sqlite3_column_text(row, 6);
	if (sqlite3_column_int64(row, 9) == 0)
		return true;
	return name != NULL && (uint64_t)sqlite3_column_int64(row, 7) <= acks_seq(acks, name);
}

/* End the conditions that stand in the spool and no longer stood when the acks were written. */
static enum database_status
end_what_is_over(struct spool *spool, const json_t *keepsake, const json_t *acks)
{
	enum database_status status = DATABASE_OK;
	/* A keepsake that is not whole does not show which conditions have ended. */
	if (!json_is_true(json_object_get(keepsake, "whole")))
		return DATABASE_OK;
	struct spool_rows rows = spool_query(spool, standing_events_sql, NULL, 0);
	while (status == DATABASE_OK && spool_next(&rows)) {
		if (was_known(acks, rows.row) && !has(keepsake, rows.row))
			/* The event that ended it is lost. Use the number of the next event:
			 * readers that ask for changes after a number get this end with that
			 * event. */
			status = conditions_close(spool, spool_column_number(rows.row, 0),
				spool->last_number + 1, spool_column_number(rows.row, 8),
				"recovery");
	}
	enum database_status finished = spool_end(&rows);
	return status != DATABASE_OK ? status : finished;
}

static const char set_serial_sql[] = "INSERT INTO meta (name, value) VALUES ('keepsake', ?1)"
				     " ON CONFLICT (name) DO UPDATE SET value = ?1";

enum database_status
keepsake_restore(struct spool *spool, const json_t *keepsake, const json_t *acks)
{
	size_t i;
	json_t *condition;
	uint64_t serial = serial_of(keepsake);
	if (serial < spool->restored)
		return DATABASE_OK;
	enum database_status status = database_begin(&spool->database, true);
	if (status == DATABASE_OK)
		status = spool_run(spool, set_serial_sql, SPOOL_VALUES(SPOOL_NUMBER(serial)));
	if (status == DATABASE_OK)
		status = set_boot(spool, nullable_text(keepsake, "boot_id"));
	if (status == DATABASE_OK)
		status = end_what_is_over(spool, keepsake, acks);
	json_array_foreach (json_object_get(keepsake, "conditions"), i, condition) {
		bool over = true;
		complete(condition);
		if (status == DATABASE_OK && is_whole(condition))
			status = is_over(spool, condition, &over);
		if (status == DATABASE_OK && !over)
			status = add(spool, condition);
	}
	status = database_end(&spool->database, status);
	if (status == DATABASE_OK)
		spool->restored = serial;
	return status;
}

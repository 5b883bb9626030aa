/* schema - the tables of the spool. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "schema.h"

#include "array.h"

/* Times are ns since 1970. `number` is the order of arrival, and never reused. */
const char schema_sql[] =
	/* Each event as delivered, with columns for queries. */
	"CREATE TABLE event ("
	" number INTEGER PRIMARY KEY AUTOINCREMENT,"
	" source TEXT, seq INTEGER," /* both NULL unless the record has both */
	" id TEXT NOT NULL,"
	" time_ns INTEGER NOT NULL," /* generatedTimestamp, else the time of arrival */
	" received_ns INTEGER NOT NULL,"
	" node TEXT NOT NULL, agent TEXT NOT NULL, check_name TEXT NOT NULL,"
	" device TEXT NOT NULL, port TEXT NOT NULL,"
	" is_fatal INTEGER NOT NULL, is_healthy INTEGER NOT NULL,"
	" code TEXT NOT NULL,"
	" action TEXT NOT NULL,"
	" message TEXT NOT NULL,"
	" record TEXT NOT NULL);"
	"CREATE UNIQUE INDEX event_name ON event (source, seq) WHERE source IS NOT NULL;"
	"CREATE INDEX event_id ON event (id);"
	"CREATE INDEX event_time ON event (time_ns);"
	/* Faults, from when to when: one row per occurrence. */
	"CREATE TABLE condition ("
	" id INTEGER PRIMARY KEY,"
	" node TEXT NOT NULL, agent TEXT NOT NULL, check_name TEXT NOT NULL,"
	" about TEXT NOT NULL," /* its entities: NIC=mlx5_0,NICPort=1 */
	" device TEXT NOT NULL, port TEXT NOT NULL,"
	" code TEXT NOT NULL,"
	" is_fatal INTEGER NOT NULL,"
	" action TEXT NOT NULL, message TEXT NOT NULL," /* of the latest event */
	" times INTEGER NOT NULL,"                      /* events that reported it */
	" since_ns INTEGER NOT NULL, last_ns INTEGER NOT NULL,"
	" until_ns INTEGER," /* NULL: no time limit */
	/* number of the first and latest event */
	" opened INTEGER NOT NULL, updated INTEGER NOT NULL,"
	" closed INTEGER, closed_ns INTEGER," /* of the event that ended it; NULL: it stands */
	" closed_by TEXT);"                   /* recovery, severity, age or reboot */
	"CREATE INDEX condition_closed ON condition (closed);"
	"CREATE INDEX condition_updated ON condition (updated);"
	/* Position of each sink: it has all events up to it. */
	"CREATE TABLE sink ("
	" name TEXT PRIMARY KEY,"
	" position INTEGER NOT NULL,"
	" delivered INTEGER NOT NULL DEFAULT 0," /* events that it accepted */
	" refused INTEGER NOT NULL DEFAULT 0,"   /* dead letters */
	" changed_ns INTEGER NOT NULL) WITHOUT ROWID;"
	/* Events that a sink rejected. */
	"CREATE TABLE dead_letter ("
	" id INTEGER PRIMARY KEY,"
	" sink TEXT NOT NULL, number INTEGER NOT NULL,"
	" event_id TEXT NOT NULL,"
	" time_ns INTEGER NOT NULL," /* of the rejection */
	" reason TEXT NOT NULL,"
	" record TEXT NOT NULL,"
	" UNIQUE (sink, number));"
	/* How far each writer's events are stored without a gap, including those deleted since. */
	"CREATE TABLE source ("
	" name TEXT PRIMARY KEY,"
	" seq INTEGER NOT NULL,"
	" changed_ns INTEGER NOT NULL) WITHOUT ROWID;"
	/* Other values: boot_id; dropped, the number of events dropped undelivered. */
	"CREATE TABLE meta (name TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;";

#define TEXT_COLUMN "TEXT NOT NULL DEFAULT ''"

const struct schema_column schema_columns[] = {
	/* Id of the event that opened the condition. */
	{"condition", "event_id", TEXT_COLUMN, NULL},
	/* Labels of the alert that the condition belongs to: those of its cause, or its own. */
	{"condition", "alert_check", TEXT_COLUMN, "UPDATE condition SET alert_check = check_name"},
	{"condition", "alert_device", TEXT_COLUMN, "UPDATE condition SET alert_device = device"},
	{"condition", "alert_port", TEXT_COLUMN, "UPDATE condition SET alert_port = port"},
	{"condition", "alert_code", TEXT_COLUMN, "UPDATE condition SET alert_code = code"},
	/* Latest value of its counter, and its growth. */
	{"condition", "value", TEXT_COLUMN, NULL},
	{"condition", "grown", TEXT_COLUMN, NULL},
	/* processingStrategy of the latest event, before a silence changed it. */
	{"condition", "strategy", TEXT_COLUMN, NULL},
	/* All its NICs, or the devices of its card, with commas. */
	{"condition", "devices", TEXT_COLUMN, "UPDATE condition SET devices = device"},
	/* Id of the silence that covers it, and since when; '' and NULL: none. */
	{"condition", "silence", TEXT_COLUMN, NULL},
	{"condition", "silenced_ns", "INTEGER", NULL},
	/* 1 if an event that no silence covered has reported it. */
	{"condition", "is_told", "INTEGER NOT NULL DEFAULT 1", NULL},
	/* 1 if the node was booted since the latest event. */
	{"condition", "is_before_boot", "INTEGER NOT NULL DEFAULT 0", NULL},
	/* Id of the event that answers it and arrived before it: see clearing.h. */
	{"event", "answered_by", TEXT_COLUMN, NULL},
	/* spool_hash() of the record: SQLite does not detect a changed byte. */
	{"event", "record_hash", "INTEGER NOT NULL DEFAULT 0", NULL},
	/* Last opening of the spool in which the sink was used: the sinks in use share the
	 * highest. */
	{"sink", "opening", "INTEGER NOT NULL DEFAULT 0", NULL},
	/* Number of the last event before the sink was added: it gets only later ones. */
	{"sink", "began_after", "INTEGER NOT NULL DEFAULT 0", NULL},
};
const size_t schema_column_count = ARRAY_COUNT(schema_columns);

const char schema_later_sql[] =
	/* The index of the first versions lacked the agent. */
	"DROP INDEX IF EXISTS condition_open;"
	"CREATE UNIQUE INDEX IF NOT EXISTS condition_standing"
	" ON condition (node, check_name, agent, about, code) WHERE closed_ns IS NULL;"
	"CREATE INDEX IF NOT EXISTS event_answer"
	" ON event (source, check_name, seq) WHERE is_healthy = 1;"
	"CREATE INDEX IF NOT EXISTS event_recovery"
	" ON event (node, check_name, agent, time_ns) WHERE is_healthy = 1;"
	"CREATE INDEX IF NOT EXISTS condition_event ON condition (event_id);"
	"CREATE INDEX IF NOT EXISTS condition_alert"
	" ON condition (node, alert_check, alert_device, alert_port, alert_code);"
	/* For how long a sink's next event has been tried without the sink telling whether it will
	 * accept it. */
	"CREATE TABLE IF NOT EXISTS doubt ("
	" sink TEXT PRIMARY KEY,"
	" number INTEGER NOT NULL,"
	" spent_ns INTEGER NOT NULL) WITHOUT ROWID;";

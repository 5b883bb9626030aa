/* schema - the tables of the spool. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "schema.h"

/* Times are nanoseconds since 1970. `number` is the order of arrival, and never given twice. */
const char schema_sql[] =
	/* Every event, as it is shipped, and what is asked for often as columns. */
	"CREATE TABLE event ("
	" number INTEGER PRIMARY KEY AUTOINCREMENT,"
	" source TEXT, seq INTEGER," /* both NULL where the record has not both */
	" id TEXT NOT NULL,"
	" time_ns INTEGER NOT NULL," /* generatedTimestamp; without one, when it was received */
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
	/* What was wrong, from when to when: one row each time. */
	"CREATE TABLE condition ("
	" id INTEGER PRIMARY KEY,"
	" node TEXT NOT NULL, agent TEXT NOT NULL, check_name TEXT NOT NULL,"
	" about TEXT NOT NULL," /* its entities: NIC=mlx5_0,NICPort=1 */
	" device TEXT NOT NULL, port TEXT NOT NULL,"
	" code TEXT NOT NULL,"
	" is_fatal INTEGER NOT NULL,"
	" action TEXT NOT NULL, message TEXT NOT NULL," /* of the latest event */
	" times INTEGER NOT NULL,"                      /* events that said so */
	" since_ns INTEGER NOT NULL, last_ns INTEGER NOT NULL,"
	" until_ns INTEGER," /* NULL: it stands until something ends it */
	" opened INTEGER NOT NULL, updated INTEGER NOT NULL," /* numbers of the first and the latest
								 event */
	" closed INTEGER, closed_ns INTEGER," /* of the event that ended it; NULL: it stands */
	" closed_by TEXT);"                   /* recovery, severity, reboot */
	"CREATE INDEX condition_closed ON condition (closed);"
	"CREATE INDEX condition_updated ON condition (updated);"
	/* How far each sink has got: it has everything up to `position`. */
	"CREATE TABLE sink ("
	" name TEXT PRIMARY KEY,"
	" position INTEGER NOT NULL,"
	" delivered INTEGER NOT NULL DEFAULT 0," /* events it has accepted */
	" refused INTEGER NOT NULL DEFAULT 0,"   /* dead letters */
	" changed_ns INTEGER NOT NULL) WITHOUT ROWID;"
	/* Events that a sink will not take. */
	"CREATE TABLE dead_letter ("
	" id INTEGER PRIMARY KEY,"
	" sink TEXT NOT NULL, number INTEGER NOT NULL,"
	" event_id TEXT NOT NULL,"
	" time_ns INTEGER NOT NULL," /* of the refusal */
	" reason TEXT NOT NULL,"
	" record TEXT NOT NULL,"
	" UNIQUE (sink, number));"
	/* How far each writer's events are stored without a gap, also those that have been deleted
	 * since. */
	"CREATE TABLE source ("
	" name TEXT PRIMARY KEY,"
	" seq INTEGER NOT NULL,"
	" changed_ns INTEGER NOT NULL) WITHOUT ROWID;"
	/* What else is remembered: boot_id; dropped, the events that were given up undelivered;
	 * tried_ns, when the spool was last tried out after a failure. */
	"CREATE TABLE meta (name TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;";

#define TEXT_COLUMN "TEXT NOT NULL DEFAULT ''"

const struct schema_column schema_columns[] = {
	/* The id of the event that opened it. */
	{"condition", "event_id", TEXT_COLUMN, NULL},
	/* What the alert is about that it is part of, and its code: those of its cause, or its
	 * own. */
	{"condition", "alert_check", TEXT_COLUMN, "UPDATE condition SET alert_check = check_name"},
	{"condition", "alert_device", TEXT_COLUMN, "UPDATE condition SET alert_device = device"},
	{"condition", "alert_port", TEXT_COLUMN, "UPDATE condition SET alert_port = port"},
	{"condition", "alert_code", TEXT_COLUMN, "UPDATE condition SET alert_code = code"},
	/* What has become of its counter since: its value, and by how much it has grown. */
	{"condition", "value", TEXT_COLUMN, NULL},
	{"condition", "grown", TEXT_COLUMN, NULL},
	/* The processingStrategy of the latest event, before a silence changed it. */
	{"condition", "strategy", TEXT_COLUMN, NULL},
	/* All its NICs, or the devices of the card that it is about, with commas; '': its
	 * device. */
	{"condition", "devices", TEXT_COLUMN, "UPDATE condition SET devices = device"},
	/* The id of the silence that covers it, and since when; '' and NULL: none does. */
	{"condition", "silence", TEXT_COLUMN, NULL},
	{"condition", "silenced_ns", "INTEGER", NULL},
	/* Whether an event has said so that no silence covered. */
	{"condition", "is_told", "INTEGER NOT NULL DEFAULT 1", NULL},
	/* The id of what its writer wrote after it, and came before it, and answers it: see
	 * clearing.h. */
	{"event", "answered_by", TEXT_COLUMN, NULL},
	/* Of the record, by spool_hash(): SQLite does not see a byte that has become another
	 * one. */
	{"event", "record_hash", "INTEGER NOT NULL DEFAULT 0", NULL},
	/* Which opening of the spool knew it last: all sinks in use have the same. */
	{"sink", "opening", "INTEGER NOT NULL DEFAULT 0", NULL},
};
const size_t schema_column_count = sizeof schema_columns / sizeof *schema_columns;

const char schema_later_sql[] =
	/* That of the first versions knew no agent. */
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
	/* For how long the next event of a sink has been tried that leaves open whether it will
	 * do. */
	"CREATE TABLE IF NOT EXISTS doubt ("
	" sink TEXT PRIMARY KEY,"
	" number INTEGER NOT NULL,"
	" spent_ns INTEGER NOT NULL) WITHOUT ROWID;";

/* schema - the tables of the spool, documented in nic-health-monitor-spool(5). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_SCHEMA_H
#define EMIT_SCHEMA_H

#include "../in/facts.h"

#include <stddef.h>

/* PRAGMA application_id ("NHMs") and user_version of a spool. */
#define SCHEMA_APPLICATION_ID 0x4e484d73
#define SCHEMA_VERSION 1

/* Path of the service's spool. */
#define SCHEMA_DEFAULT_PATH "/var/lib/nic-health-monitor/spool.db"

/* Creates all tables in an empty database, as in the first version of emit. */
extern const char schema_sql[];

/* A column that the first version did not have. */
struct schema_column {
	const char *table, *name;
	const char *definition; /* includes a default */
	const char *fill;       /* sets the value in existing rows; NULL: keep the default */
};
extern const struct schema_column schema_columns[];
extern const size_t schema_column_count;

/* Creates the later tables and indexes if missing. Run it after adding the columns. */
extern const char schema_later_sql[];

/* Columns that identify the alert of a condition within its node. */
#define SCHEMA_ALERT_KEY "alert_check, alert_device, alert_port, alert_code"

/* WHERE clause: the condition stands at `?1`, ns since 1970. */
#define SCHEMA_STANDS "closed_ns IS NULL AND (until_ns IS NULL OR until_ns > ?1)"

/* Expression on a row of the table event: 1 if it belongs to a baseline and ended no condition, so
 * that most readers ignore it. 0 for a record that SQLite does not accept as JSON. */
#define SCHEMA_QUIET \
	"CASE WHEN is_healthy AND json_valid(record)" \
	" THEN json_extract(record, '$.metadata." FACTS_BASELINE_KEY \
	"') IS '" FACTS_BASELINE_VALUE "'" \
	" AND NOT EXISTS (SELECT 1 FROM condition WHERE condition.closed = event.number) ELSE 0 " \
	"END"

#endif

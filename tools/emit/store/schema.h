/* schema - the tables of the spool: nic-health-monitor-spool(5) describes them for everybody who
 * reads them. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_SCHEMA_H
#define EMIT_SCHEMA_H

#include "../in/facts.h"

#include <stddef.h>

/* PRAGMA application_id ("NHMs") and user_version of a spool. */
#define SCHEMA_APPLICATION_ID 0x4e484d73
#define SCHEMA_VERSION 1

/* Where the service keeps it. */
#define SCHEMA_DEFAULT_PATH "/var/lib/nic-health-monitor/spool.db"

/* Makes all tables in an empty database, as the first version of emit did. */
extern const char schema_sql[];

/* A column that the first version did not have. */
struct schema_column {
	const char *table, *name;
	const char *definition; /* with a default */
	const char *fill; /* gives rows that are there another value; NULL: the default is right */
};
extern const struct schema_column schema_columns[];
extern const size_t schema_column_count;

/* What else it did not have: tables and indexes. To be run when all columns are there. Changes
 * nothing that is there already. */
extern const char schema_later_sql[];

/* What tells the alerts of a node apart that conditions are part of. */
#define SCHEMA_ALERT_KEY "alert_check, alert_device, alert_port, alert_code"

/* A condition that stands at a moment (`?1`, nanoseconds since 1970) for SQL's WHERE. */
#define SCHEMA_STANDS "closed_ns IS NULL AND (until_ns IS NULL OR until_ns > ?1)"

/* An event (a row of that table) that belongs to a baseline and has ended nothing: of no interest
 * to most. What is not JSON to SQLite is none. */
#define SCHEMA_QUIET \
	"CASE WHEN is_healthy AND json_valid(record)" \
	" THEN json_extract(record, '$.metadata." FACTS_BASELINE_KEY \
	"') IS '" FACTS_BASELINE_VALUE "'" \
	" AND NOT EXISTS (SELECT 1 FROM condition WHERE condition.closed = event.number) ELSE 0 " \
	"END"

#endif

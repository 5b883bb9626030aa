/* schema - the tables of the spool: nic-health-monitor-spool(5) describes them for everybody who reads them. */
#ifndef EMIT_SCHEMA_H
#define EMIT_SCHEMA_H

/* PRAGMA application_id ("NHMs") and user_version of a spool. */
#define SCHEMA_APPLICATION_ID 0x4e484d73
#define SCHEMA_VERSION 1

/* Where the service keeps it. */
#define SCHEMA_DEFAULT_PATH "/var/lib/nic-health-monitor/spool.db"

/* Makes all tables in an empty database. */
extern const char schema_sql[];

/* A condition that stands at a moment (`?1`, nanoseconds since 1970) for SQL's WHERE. */
#define SCHEMA_STANDS "closed_ns IS NULL AND (until_ns IS NULL OR until_ns > ?1)"

#endif

/* spoolsql - the statements of the spool. */
#include "spool.h"

/* When the first of the events after number ?1 came. */
#define OLDEST "(SELECT received_ns FROM event WHERE number > ?1 ORDER BY number LIMIT 1)"

const char *const spool_sql[SPOOL_STATEMENT_N] = {
	[SPOOL_INSERT_EVENT] =
		"INSERT OR IGNORE INTO event (number, source, seq, id, time_ns, received_ns, node, agent, check_name, device,"
		" port, is_fatal, is_healthy, code, action, message, record)"
		" VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)",
	[SPOOL_READ] =
		"SELECT number, record FROM event WHERE number > ?1 AND number <= ?2 ORDER BY number",
	[SPOOL_COUNT_FEW] = "SELECT count(*), " OLDEST " FROM event WHERE number > ?1",
	/* The sign keeps SQLite from looking for where they begin. */
	[SPOOL_COUNT_MANY] = "SELECT count(*), " OLDEST " FROM event WHERE +number > ?1",
	[SPOOL_SET_SOURCE] = "INSERT INTO source (name, seq, changed_ns) VALUES (?1, ?2, ?3)"
			     " ON CONFLICT (name) DO UPDATE SET seq = ?2, changed_ns = ?3",
	[SPOOL_GET_SINK] = "SELECT position FROM sink WHERE name = ?1",
	[SPOOL_SET_SINK] =
		"INSERT INTO sink (name, position, delivered, changed_ns) VALUES (?1, ?2, ?3, ?4)"
		" ON CONFLICT (name) DO UPDATE SET position = ?2, delivered = delivered + ?3, changed_ns = ?4",
	[SPOOL_COUNT_REFUSED] = "UPDATE sink SET refused = refused + 1 WHERE name = ?1",
	[SPOOL_REFUSE] =
		"INSERT OR IGNORE INTO dead_letter (sink, number, event_id, time_ns, reason, record)"
		" VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
	[SPOOL_SET_META] =
		"INSERT INTO meta (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = ?2",
	[SPOOL_GET_META] = "SELECT value FROM meta WHERE name = ?1",
	[SPOOL_FIND_CONDITION] =
		"SELECT id, is_fatal, until_ns FROM condition"
		" WHERE node = ?1 AND check_name = ?2 AND about = ?3 AND code = ?4 AND closed_ns IS NULL",
	[SPOOL_OPEN_CONDITION] =
		"INSERT INTO condition (node, agent, check_name, about, device, port, code, is_fatal, action, message, times,"
		" since_ns, last_ns, until_ns, opened, updated)"
		" VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, 1, ?11, ?11, ?12, ?13, ?13)",
	[SPOOL_REPEAT_CONDITION] =
		"UPDATE condition SET times = times + 1, last_ns = ?2, until_ns = ?3, updated = ?4,"
		" message = ?5, action = ?6 WHERE id = ?1",
	[SPOOL_CLOSE_CONDITION] =
		"UPDATE condition SET closed = ?2, closed_ns = ?3, closed_by = ?4 WHERE id = ?1",
	[SPOOL_CLOSE_CHECK] = "UPDATE condition SET closed = ?3, closed_ns = ?4, closed_by = ?5"
			      " WHERE node = ?1 AND check_name = ?2 AND closed_ns IS NULL",
	[SPOOL_ALERTS] =
		"SELECT node, check_name, device, port, code, is_fatal, action, message, since_ns, closed_ns, until_ns FROM condition"
		" WHERE (updated > ?1 AND updated <= ?2) OR (closed > ?1 AND closed <= ?2)"
		" OR (?3 AND closed_ns IS NULL AND (until_ns IS NULL OR until_ns > ?4)) ORDER BY id",
	[SPOOL_DROP_DELIVERED] =
		"DELETE FROM event WHERE number IN (SELECT number FROM event"
		" WHERE number <= ?1 AND received_ns < ?2 ORDER BY number LIMIT ?3)",
	[SPOOL_DROP_UNHEALTHY] = "DELETE FROM event WHERE number IN (SELECT number FROM event"
				 " WHERE is_fatal = 0 AND is_healthy = 0 ORDER BY number LIMIT ?1)",
	[SPOOL_DROP_HEALTHY] = "DELETE FROM event WHERE number IN (SELECT number FROM event"
			       " WHERE is_fatal = 0 ORDER BY number LIMIT ?1)",
	[SPOOL_DROP_CONDITIONS] = "DELETE FROM condition WHERE closed_ns < ?1 OR until_ns < ?1",
	[SPOOL_DROP_LETTERS] = "DELETE FROM dead_letter WHERE time_ns < ?1",
	[SPOOL_DROP_OLDEST_LETTERS] =
		"DELETE FROM dead_letter WHERE id IN (SELECT id FROM dead_letter ORDER BY id LIMIT ?1)",
	[SPOOL_DROP_SOURCES] =
		"DELETE FROM source WHERE name NOT IN (SELECT name FROM source ORDER BY changed_ns DESC LIMIT ?1)",
	[SPOOL_COUNT_DROPPED] = "INSERT INTO meta (name, value) VALUES ('dropped', ?1)"
				" ON CONFLICT (name) DO UPDATE SET value = value + ?1",
};

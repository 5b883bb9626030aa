-- patterns - the built-in rules of correlate that the events of clusterstream can meet, as SQL over
-- a table of events: one row for each node, check, NIC and action, and how often it was found. What
-- is over has the action OVER.
-- SPDX-License-Identifier: Apache-2.0
WITH
-- Three within a time: the third before begins a finding, and it is over when none has come for as
-- long. An island is what has no such gap.
counted AS (
	SELECT node, nic, at_us, 'RepeatedNICDegradation' AS name, 'CONTACT_SUPPORT' AS action,
		3600000000 AS within
	FROM event WHERE code = 'symbol_error' AND NOT healthy AND NOT fatal
	UNION ALL
	SELECT node, nic, at_us, 'RepeatedNICLinkFlap', 'REPLACE_VM', 600000000
	FROM event WHERE code = 'link_downed' AND NOT healthy
	UNION ALL
	SELECT node, NULL, at_us, 'RepeatedNICDriverError', 'CONTACT_SUPPORT', 3600000000
	FROM event WHERE code = 'netdev_watchdog' AND NOT healthy AND NOT fatal
),
gaps AS (
	SELECT *, at_us - lag(at_us) OVER place >= within AS begins,
		at_us - lag(at_us, 2) OVER place < within AS is_third
	FROM counted
	WINDOW place AS (PARTITION BY name, node, nic ORDER BY at_us)
),
islands AS (
	SELECT *, count(*) FILTER (WHERE begins) OVER
		(PARTITION BY name, node, nic ORDER BY at_us) AS island
	FROM gaps
),
repeated AS (
	SELECT node, name, nic, action FROM islands
	GROUP BY name, node, nic, action, within, island HAVING bool_or(is_third)
),

-- From a port that goes down to its answer, or to the one that is about the whole node.
states AS (
	SELECT node, nic, at_us, healthy FROM event
	WHERE chk = 'InfiniBandStateCheck' AND nic IS NOT NULL AND
		(code = 'port_state' OR (healthy AND code IS NULL))
	UNION ALL
	SELECT answer.node, port.nic, answer.at_us, true
	FROM event AS answer
	JOIN (SELECT DISTINCT node, nic FROM event WHERE code = 'port_state') AS port
		ON port.node = answer.node
	WHERE answer.healthy AND answer.nic IS NULL AND answer.chk = 'InfiniBandStateCheck'
),
changes AS (
	SELECT *, lag(healthy, 1, true) OVER place AS was_healthy
	FROM states WINDOW place AS (PARTITION BY node, nic ORDER BY at_us)
),
turns AS (
	SELECT *, lead(at_us) OVER (PARTITION BY node, nic ORDER BY at_us) AS end_us
	FROM changes WHERE healthy <> was_healthy
),
outages AS (
	SELECT node, nic, at_us AS begin_us, end_us FROM turns WHERE NOT healthy
),
lasting AS (
	SELECT outage.node, long.name, outage.nic, long.action
	FROM outages AS outage
	JOIN (VALUES ('NICPortDownLong', 'NONE', 7500000),
		('NICPortDownLong', 'REPLACE_VM', 30000000),
		('NICPortDrop', 'REPLACE_VM', 240000000)) AS long (name, action, span)
		ON end_us - begin_us >= span
	WHERE name <> 'NICPortDrop' OR NOT EXISTS (
		SELECT FROM event WHERE event.node = outage.node AND event.nic = outage.nic
			AND code = 'link_downed' AND at_us > begin_us
			AND at_us <= begin_us + 240000000)
),

-- A minute in all within a day. A day without any ends it.
sums AS (
	SELECT late.node, late.nic, late.begin_us, late.end_us,
		sum(early.end_us - greatest(early.begin_us, late.end_us - 86400000000)) AS total,
		late.begin_us - lag(late.end_us) OVER (PARTITION BY late.node, late.nic
			ORDER BY late.end_us) >= 86400000000 AS begins
	FROM outages AS late
	JOIN outages AS early ON early.node = late.node AND early.nic = late.nic
		AND early.end_us <= late.end_us AND early.end_us > late.end_us - 86400000000
	GROUP BY late.node, late.nic, late.begin_us, late.end_us
),
days AS (
	SELECT *, count(*) FILTER (WHERE begins) OVER
		(PARTITION BY node, nic ORDER BY end_us) AS island
	FROM sums
),
added AS (
	SELECT node, 'NICPortDowntime' AS name, nic, 'CONTACT_SUPPORT' AS action
	FROM days GROUP BY node, nic, island HAVING max(total) >= 60000000
),

-- A driver that fails and a port that goes down, within ten seconds.
causes AS (
	SELECT node, at_us, chk = 'SysLogsNICDriverError' AS is_driver
	FROM event
	WHERE fatal AND (chk = 'SysLogsNICDriverError' OR code = 'port_state')
),
latest AS (
	SELECT *, at_us - lag(at_us) OVER place >= 10000000 AS begins,
		at_us - max(at_us) FILTER (WHERE NOT is_driver) OVER place < 10000000 AS has_port,
		at_us - max(at_us) FILTER (WHERE is_driver) OVER place < 10000000 AS has_driver
	FROM causes WINDOW place AS (PARTITION BY node ORDER BY at_us)
),
runs AS (
	SELECT *, count(*) FILTER (WHERE begins) OVER
		(PARTITION BY node ORDER BY at_us) AS island
	FROM latest
),
together AS (
	SELECT node, 'DriverErrorWithPortDown' AS name, NULL AS nic, 'NONE' AS action
	FROM runs GROUP BY node, island HAVING bool_or(has_port AND has_driver)
),

found AS (
	SELECT * FROM repeated UNION ALL SELECT * FROM lasting
	UNION ALL SELECT * FROM added UNION ALL SELECT * FROM together
),
-- What two rules find under one name is over once.
ended AS (
	SELECT node, name, nic, 'OVER' AS action FROM found
	WHERE (name, action) <> ('NICPortDownLong', 'REPLACE_VM')
)
SELECT node, name, nic, action, count(*)
FROM (SELECT * FROM found UNION ALL SELECT * FROM ended) AS everything
GROUP BY node, name, nic, action

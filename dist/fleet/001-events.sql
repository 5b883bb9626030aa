-- 001-events - the events of a fleet, each once, the active conditions, and the worst ports.
--
-- emit --sink postgresql://... calls nic.store() and needs no other right. fleetsetup applies these
-- files, in the order of their numbers, each once.
--
-- SPDX-License-Identifier: Apache-2.0

CREATE SCHEMA nic;

CREATE TABLE nic.migration (number integer PRIMARY KEY, applied timestamptz DEFAULT now());
INSERT INTO nic.migration (number) VALUES (1);

-- How long events are kept; one row.
CREATE TABLE nic.setting (
	is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
	keep interval NOT NULL DEFAULT '90 days'
);
INSERT INTO nic.setting DEFAULT VALUES;

-- An event has the same time however often it arrives, so source and seq are unique, although the
-- table has a partition for each day.
CREATE TABLE nic.event (
	source text NOT NULL,
	seq bigint NOT NULL,
	at timestamptz NOT NULL,
	id text NOT NULL,
	node text NOT NULL,
	agent text NOT NULL,
	check_name text NOT NULL,
	entities jsonb NOT NULL,
	codes text[] NOT NULL,
	device text NOT NULL,
	port text NOT NULL,
	is_fatal boolean NOT NULL,
	is_healthy boolean NOT NULL,
	action text NOT NULL,
	strategy text NOT NULL,
	message text NOT NULL,
	record jsonb NOT NULL,
	stored timestamptz NOT NULL DEFAULT clock_timestamp(),
	tx xid8 NOT NULL DEFAULT pg_current_xact_id(), -- that has stored it: fleetread goes by these
	PRIMARY KEY (source, seq, at)
) PARTITION BY RANGE (at);
CREATE INDEX ON nic.event (at);
CREATE INDEX ON nic.event (tx);
CREATE INDEX ON nic.event (node, at);
CREATE INDEX ON nic.event (node, check_name, agent, at) WHERE is_healthy;

-- The active conditions.
CREATE TABLE nic.condition (
	node text NOT NULL,
	agent text NOT NULL,
	check_name text NOT NULL,
	entities jsonb NOT NULL,
	codes text[] NOT NULL,
	device text NOT NULL,
	port text NOT NULL,
	is_fatal boolean NOT NULL,
	action text NOT NULL,
	strategy text NOT NULL,
	message text NOT NULL,
	event_id text NOT NULL,
	since timestamptz NOT NULL,
	latest timestamptz NOT NULL,
	times bigint NOT NULL DEFAULT 1,
	PRIMARY KEY (node, agent, check_name, entities, codes)
);

-- The switch of each port, as `blastradius --print-topology` prints it: a device or port of * means
-- all.
CREATE TABLE nic.place (
	node text NOT NULL,
	device text NOT NULL,
	port text NOT NULL,
	switch text NOT NULL,
	PRIMARY KEY (node, device, port)
);

-- Create the partition for a day, when its first event arrives. Drop the partitions of days that
-- are no longer kept.
CREATE FUNCTION nic.make_day(day date) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	name text := 'event_' || to_char(day, 'YYYYMMDD');
	part text;
BEGIN
	PERFORM pg_advisory_xact_lock(hashtext('nic.event'));
	EXECUTE format('CREATE TABLE IF NOT EXISTS nic.%I PARTITION OF nic.event'
		' FOR VALUES FROM (%L) TO (%L)', name,
		day::timestamp AT TIME ZONE 'UTC', (day + 1)::timestamp AT TIME ZONE 'UTC');
	FOR part IN
		SELECT relname FROM pg_catalog.pg_inherits
			JOIN pg_catalog.pg_class ON pg_class.oid = inhrelid
		WHERE inhparent = 'nic.event'::regclass
			AND to_date(right(relname, 8), 'YYYYMMDD')
				< ((now() - (SELECT keep FROM nic.setting)) AT TIME ZONE 'UTC')::date
	LOOP
		EXECUTE format('DROP TABLE nic.%I', part);
	END LOOP;
END
$$;

-- Return whether a healthy event clears an unhealthy one of the same node, check and agent: a
-- healthy event without entities, or without codes, is about all of them.
CREATE FUNCTION nic.answers(healthy nic.event, entities jsonb, codes text[]) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$
	SELECT entities @> healthy.entities
		AND (healthy.codes = '{}' OR codes = '{}' OR codes && healthy.codes)
$$;

-- Update the condition of this event, the latest of `times` new ones; it is active since `since`. A
-- healthy event removes the conditions that it clears.
CREATE FUNCTION nic.apply(event nic.event, since timestamptz, times bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
	IF event.is_healthy THEN
		DELETE FROM nic.condition c
		WHERE c.node = event.node AND c.check_name = event.check_name
			AND c.agent = event.agent AND c.latest <= event.at
			AND nic.answers(event, c.entities, c.codes);
		RETURN;
	END IF;
	INSERT INTO nic.condition AS c VALUES (event.node, event.agent, event.check_name,
		event.entities, event.codes, event.device, event.port, event.is_fatal,
		event.action, event.strategy, event.message, event.id, since, event.at, times)
	ON CONFLICT (node, agent, check_name, entities, codes) DO UPDATE SET
		is_fatal = CASE WHEN event.at >= c.latest THEN event.is_fatal ELSE c.is_fatal END,
		action = CASE WHEN event.at >= c.latest THEN event.action ELSE c.action END,
		strategy = CASE WHEN event.at >= c.latest THEN event.strategy ELSE c.strategy END,
		message = CASE WHEN event.at >= c.latest THEN event.message ELSE c.message END,
		event_id = CASE WHEN event.at >= c.latest THEN event.id ELSE c.event_id END,
		since = least(c.since, excluded.since),
		latest = greatest(c.latest, event.at),
		times = c.times + excluded.times;
END
$$;

-- Return the value of the first entity of a type, or '' if there is none.
CREATE FUNCTION nic.entity(entities jsonb, type text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT coalesce((SELECT e->>'entityValue' FROM jsonb_array_elements(entities) AS e
		WHERE e->>'entityType' = type LIMIT 1), '')
$$;

-- Store events, one per line. Skip events that are too old to be kept; reject one that is dated
-- more than a week ahead.
CREATE FUNCTION nic.store(lines text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	came nic.event[];
	change record;
	day date;
BEGIN
	SELECT array_agg(ROW(
		coalesce(r->>'source', ''),
		coalesce((r->>'seq')::bigint, hashtextextended(line, 0)),
		r->>'generatedTimestamp',
		coalesce(r->>'id', ''),
		coalesce(r->>'nodeName', ''),
		coalesce(r->>'agent', ''),
		coalesce(r->>'checkName', ''),
		entities,
		ARRAY(SELECT jsonb_array_elements_text(coalesce(r->'errorCode', '[]'))),
		nic.entity(entities, 'NIC'),
		nic.entity(entities, 'NICPort'),
		coalesce((r->>'isFatal')::boolean, false),
		coalesce((r->>'isHealthy')::boolean, false),
		coalesce(r->>'recommendedAction', ''),
		coalesce(r->>'processingStrategy', ''),
		coalesce(r->>'message', ''),
		r,
		clock_timestamp(),
		pg_current_xact_id())::nic.event)
	INTO came
	FROM string_to_table(lines, E'\n') AS line,
		LATERAL (SELECT line::jsonb) AS parsed(r),
		LATERAL (SELECT coalesce(r->'entitiesImpacted', '[]')) AS of_r(entities)
	WHERE line <> '';
	IF EXISTS (SELECT 1 FROM unnest(came) AS e WHERE e.at > now() + interval '7 days') THEN
		RAISE datetime_field_overflow USING MESSAGE = 'dated more than a week ahead';
	END IF;
	came := ARRAY(SELECT e FROM unnest(came) AS e
		WHERE e.at >= now() - (SELECT keep FROM nic.setting));
	FOR day IN SELECT DISTINCT (e.at AT TIME ZONE 'UTC')::date FROM unnest(came) AS e LOOP
		IF to_regclass('nic.event_' || to_char(day, 'YYYYMMDD')) IS NULL THEN
			PERFORM nic.make_day(day);
		END IF;
	END LOOP;
	-- What says the same again, with nothing between that could have taken it back, is applied
	-- in one. What came after its answer, in an earlier call, is applied no more.
	FOR change IN
		WITH added AS (
			INSERT INTO nic.event SELECT (e).* FROM unnest(came) AS e
			ON CONFLICT DO NOTHING RETURNING *
		), counted AS (
			SELECT added::nic.event AS event, added.*, count(*) FILTER (WHERE is_healthy)
				OVER (PARTITION BY node, check_name, agent ORDER BY at, source, seq)
				AS answers
			FROM added
		)
		SELECT (array_agg(event ORDER BY at DESC, source DESC, seq DESC))[1] AS latest,
			min(at) AS since, count(*) AS times
		FROM counted c
		WHERE is_healthy OR NOT EXISTS (SELECT 1 FROM nic.event h
			WHERE h.is_healthy AND h.node = c.node AND h.check_name = c.check_name
				AND h.agent = c.agent AND h.at >= c.at
				AND nic.answers(h, c.entities, c.codes))
		GROUP BY node, check_name, agent, entities, codes, is_healthy, answers
		ORDER BY answers, is_healthy DESC
	LOOP
		PERFORM nic.apply(change.latest, change.since, change.times);
	END LOOP;
END
$$;
REVOKE EXECUTE ON FUNCTION nic.store FROM PUBLIC;

-- The active conditions, the worst first.
CREATE VIEW nic.standing AS
	SELECT c.*, now() - since AS lasts, p.switch
	FROM nic.condition c LEFT JOIN LATERAL (
		SELECT switch FROM nic.place
		WHERE place.node = c.node AND place.device IN (c.device, '*')
			AND place.port IN (c.port, '*')
		ORDER BY place.device = '*', place.port = '*' LIMIT 1
	) AS p ON true
	ORDER BY is_fatal DESC, since;

-- The ports with the most events in the last seven days.
CREATE VIEW nic.worst_ports AS
	SELECT node, device, port, count(*) FILTER (WHERE is_fatal) AS fatal, count(*) AS events,
		max(at) AS latest
	FROM nic.event
	WHERE at > now() - interval '7 days' AND NOT is_healthy AND device <> ''
	GROUP BY node, device, port
	ORDER BY fatal DESC, events DESC, latest DESC;

-- The active conditions, by switch.
CREATE VIEW nic.by_switch AS
	SELECT coalesce(switch, '') AS switch, count(DISTINCT node) AS nodes,
		count(DISTINCT (node, device, port)) AS ports,
		count(*) FILTER (WHERE is_fatal) AS fatal, count(*) AS standing, min(since) AS since
	FROM nic.standing
	GROUP BY switch
	ORDER BY fatal DESC, ports DESC;

-- 005-conditions - a healthy event clears by all of its codes; a fatal condition stays fatal until
-- it ends; and one from the kernel's log that is not fatal is active for an hour after its last
-- event: as everywhere else.
--
-- SPDX-License-Identifier: Apache-2.0

INSERT INTO nic.migration (number) VALUES (5);

-- Return whether a healthy event clears an unhealthy one of the same node, check and agent: it has
-- all codes of that event, or none, and that event has all of its entities.
CREATE OR REPLACE FUNCTION nic.answers(healthy nic.event, entities jsonb, codes text[])
RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
	SELECT entities @> healthy.entities
		AND (healthy.codes = '{}' OR (codes <> '{}' AND codes <@ healthy.codes))
$$;

-- Return whether a condition whose last event was at `latest` has ended with time at `moment`.
CREATE FUNCTION nic.is_over(check_name text, is_fatal boolean, latest timestamptz,
	moment timestamptz) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
	SELECT check_name = 'SysLogsNICDriverError' AND NOT is_fatal
		AND moment - latest >= interval '1 hour'
$$;

-- Return whether a condition becomes what an event of it says: the latest of equal severity, or the
-- first fatal one.
CREATE FUNCTION nic.replaces(event nic.event, c nic.condition) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$
	SELECT CASE WHEN event.is_fatal = c.is_fatal THEN event.at >= c.latest
		ELSE event.is_fatal END
$$;

-- Update the condition of this event, the latest of `times` new ones; it is active since `since`. A
-- healthy event removes the conditions that it clears. nic.apply limits the times.
CREATE OR REPLACE FUNCTION nic.apply_dated(event nic.event, since timestamptz, times bigint)
RETURNS void LANGUAGE plpgsql AS $$
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
		event.action, event.strategy, event.message, event.id, since, event.at, times,
		coalesce(event.record->'metadata'->>'netdev', ''))
	ON CONFLICT (node, agent, check_name, entities, codes) DO UPDATE SET
		is_fatal = CASE WHEN nic.replaces(event, c) THEN event.is_fatal ELSE c.is_fatal END,
		action = CASE WHEN nic.replaces(event, c) THEN event.action ELSE c.action END,
		strategy = CASE WHEN nic.replaces(event, c) THEN event.strategy ELSE c.strategy END,
		message = CASE WHEN nic.replaces(event, c) THEN event.message ELSE c.message END,
		event_id = CASE WHEN nic.replaces(event, c) THEN event.id ELSE c.event_id END,
		netdev = CASE WHEN nic.replaces(event, c) THEN excluded.netdev ELSE c.netdev END,
		since = CASE WHEN nic.is_over(c.check_name, c.is_fatal, c.latest, excluded.since)
			THEN excluded.since ELSE least(c.since, excluded.since) END,
		latest = greatest(c.latest, event.at),
		times = CASE WHEN nic.is_over(c.check_name, c.is_fatal, c.latest, excluded.since)
			THEN 0 ELSE c.times END + excluded.times
	-- What was over before the condition began is not part of it.
	WHERE NOT nic.is_over(event.check_name, event.is_fatal, event.at, c.since);
END
$$;

-- Store events, one per line. Skip events that are too old to be kept; reject one that is dated
-- more than a week ahead.
CREATE OR REPLACE FUNCTION nic.store(lines text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	came nic.event[];
	added nic.event[];
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
	WITH new AS (
		INSERT INTO nic.event SELECT (e).* FROM unnest(came) AS e
		ON CONFLICT DO NOTHING RETURNING *
	) SELECT array_agg(new::nic.event) INTO added FROM new;
	-- Apply equal events at once if no healthy event between them clears them; those of the
	-- kernel's log one by one, since a condition may be over between them. Do not apply an event
	-- that a later healthy one clears, whether stored before or in this call: it must not become
	-- part of a condition that began after both. A healthy event counts as of when it was stored
	-- if its time is later, unless the other one's clock was ahead, too.
	FOR change IN
		WITH counted AS (
			SELECT new AS event, (new).*, count(*) FILTER (WHERE (new).is_healthy)
				OVER (PARTITION BY (new).node, (new).check_name, (new).agent
				ORDER BY (new).at, (new).source, (new).seq) AS answers
			FROM unnest(added) AS new
		)
		SELECT (array_agg(event ORDER BY at DESC, source DESC, seq DESC))[1] AS latest,
			min(at) AS since, count(*) AS times
		FROM counted c
		WHERE is_healthy OR NOT EXISTS (SELECT 1 FROM nic.event h
			WHERE h.is_healthy AND h.node = c.node AND h.check_name = c.check_name
				AND h.agent = c.agent AND h.at >= c.at
				AND (h.at, h.source, h.seq) > (c.at, c.source, c.seq)
				AND (h.stored >= c.at OR c.at > c.stored)
				AND nic.answers(h, c.entities, c.codes))
		GROUP BY node, check_name, agent, entities, codes, is_healthy, is_fatal, answers,
			CASE WHEN check_name = 'SysLogsNICDriverError' THEN at END
		ORDER BY answers, is_healthy DESC, since
	LOOP
		PERFORM nic.apply(change.latest, change.since, change.times);
	END LOOP;
END
$$;

-- The active conditions, the worst first.
CREATE OR REPLACE VIEW nic.standing AS
	SELECT c.node, c.agent, c.check_name, c.entities, c.codes, c.device, c.port, c.is_fatal,
		c.action, c.strategy, c.message, c.event_id, c.since, c.latest, c.times,
		now() - since AS lasts, p.switch
	FROM nic.condition c LEFT JOIN LATERAL (
		SELECT switch FROM nic.place
		WHERE place.node IN (c.node, split_part(c.node, '.', 1))
			AND place.device IN (c.device, c.netdev, '*')
			AND place.port IN (c.port, '*')
		ORDER BY place.node <> c.node, place.device = '*', place.device <> c.device,
			place.port = '*' LIMIT 1
	) AS p ON true
	WHERE NOT nic.is_over(c.check_name, c.is_fatal, c.latest, now())
	ORDER BY is_fatal DESC, since;

-- Clear what the stored healthy events clear by this.
DELETE FROM nic.condition AS c USING nic.event AS h
	WHERE h.is_healthy AND h.node = c.node AND h.check_name = c.check_name
		AND h.agent = c.agent AND least(h.at, h.stored) >= c.latest
		AND nic.answers(h, c.entities, c.codes);

-- What one of its events has reported as fatal is fatal, unless a healthy event cleared that.
UPDATE nic.condition AS c SET is_fatal = true, action = e.action, strategy = e.strategy,
		message = e.message, event_id = e.id,
		netdev = coalesce(e.record->'metadata'->>'netdev', '')
	FROM nic.event AS e
	WHERE NOT c.is_fatal AND e.is_fatal AND NOT e.is_healthy AND e.node = c.node
		AND e.check_name = c.check_name AND e.agent = c.agent
		AND e.entities = c.entities AND e.codes = c.codes
		AND least(e.at, e.stored) BETWEEN c.since AND c.latest
		AND NOT EXISTS (SELECT 1 FROM nic.event AS h
			WHERE h.is_healthy AND h.node = e.node AND h.check_name = e.check_name
				AND h.agent = e.agent AND h.at >= e.at
				AND nic.answers(h, e.entities, e.codes));

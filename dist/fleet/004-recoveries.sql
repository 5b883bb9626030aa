-- 004-recoveries - a healthy event of a clock that is ahead clears no fault that occurs after it was
-- stored.
--
-- SPDX-License-Identifier: Apache-2.0

INSERT INTO nic.migration (number) VALUES (4);

-- Store events, one per line. Skip events that are too old to be kept; reject one that is dated
-- more than a week ahead.
CREATE OR REPLACE FUNCTION nic.store(lines text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
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
	-- Apply equal events at once if no healthy event between them clears them. Do not apply an
	-- event that arrives after a healthy event that clears it. A healthy event counts as of when
	-- it was stored if its time is later, unless the other one's clock was ahead, too.
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
				AND (h.stored >= c.at OR c.at > c.stored)
				AND nic.answers(h, c.entities, c.codes))
		GROUP BY node, check_name, agent, entities, codes, is_healthy, answers
		ORDER BY answers, is_healthy DESC
	LOOP
		PERFORM nic.apply(change.latest, change.since, change.times);
	END LOOP;
END
$$;

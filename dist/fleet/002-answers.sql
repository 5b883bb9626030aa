-- 002-answers - a healthy event clears by its first code (since 005 by all of its codes); and the
-- switch of a port is also found by its network interface, and by the node's name up to its first
-- dot.
--
-- SPDX-License-Identifier: Apache-2.0

INSERT INTO nic.migration (number) VALUES (2);

CREATE OR REPLACE FUNCTION nic.answers(healthy nic.event, entities jsonb, codes text[])
RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
	SELECT entities @> healthy.entities
		AND (healthy.codes = '{}' OR coalesce(codes[1] = healthy.codes[1], false))
$$;

-- The network interface of the port, from the latest event.
ALTER TABLE nic.condition ADD COLUMN netdev text NOT NULL DEFAULT '';
UPDATE nic.condition AS c SET netdev = coalesce(e.record->'metadata'->>'netdev', '')
	FROM nic.event AS e WHERE e.node = c.node AND e.at = c.latest AND e.id = c.event_id;

CREATE OR REPLACE FUNCTION nic.apply(event nic.event, since timestamptz, times bigint)
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
		is_fatal = CASE WHEN event.at >= c.latest THEN event.is_fatal ELSE c.is_fatal END,
		action = CASE WHEN event.at >= c.latest THEN event.action ELSE c.action END,
		strategy = CASE WHEN event.at >= c.latest THEN event.strategy ELSE c.strategy END,
		message = CASE WHEN event.at >= c.latest THEN event.message ELSE c.message END,
		event_id = CASE WHEN event.at >= c.latest THEN event.id ELSE c.event_id END,
		netdev = CASE WHEN event.at >= c.latest THEN excluded.netdev ELSE c.netdev END,
		since = least(c.since, excluded.since),
		latest = greatest(c.latest, event.at),
		times = c.times + excluded.times;
END
$$;

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
	ORDER BY is_fatal DESC, since;

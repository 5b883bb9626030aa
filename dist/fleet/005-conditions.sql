-- 005-conditions - a healthy event clears by all of its codes, as everywhere else.
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

-- Clear what the stored healthy events clear by this.
DELETE FROM nic.condition AS c USING nic.event AS h
	WHERE h.is_healthy AND h.node = c.node AND h.check_name = c.check_name
		AND h.agent = c.agent AND least(h.at, h.stored) >= c.latest
		AND nic.answers(h, c.entities, c.codes);

-- 003-clocks - an event of a clock that is ahead gets the time at which it was stored, so that
-- later events of a correct clock can clear it.
--
-- SPDX-License-Identifier: Apache-2.0

INSERT INTO nic.migration (number) VALUES (3);

-- Apply an event as 002-answers does, with its time limited to when it was stored.
ALTER FUNCTION nic.apply(nic.event, timestamptz, bigint) RENAME TO apply_dated;
CREATE FUNCTION nic.apply(event nic.event, since timestamptz, times bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
	event.at := least(event.at, event.stored);
	PERFORM nic.apply_dated(event, least(since, event.stored), times);
END
$$;

UPDATE nic.condition SET since = least(since, now()), latest = least(latest, now())
	WHERE latest > now();

-- 006-days - a partition is a day of UTC also where DateStyle is not ISO, and partitions that
-- somebody has added, such as a default one, stay.
--
-- SPDX-License-Identifier: Apache-2.0

INSERT INTO nic.migration (number) VALUES (6);

-- Create the partition for a day, when its first event arrives. Drop the partitions of days that
-- are no longer kept. (Another DateStyle writes the abbreviation of the time zone, which may have
-- more than one meaning: CST is read as Chicago's.)
CREATE OR REPLACE FUNCTION nic.make_day(day date) RETURNS void LANGUAGE plpgsql
SET DateStyle = 'ISO' AS $$
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
		WHERE inhparent = 'nic.event'::regclass AND relname ~ '^event_[0-9]{8}$'
			AND relname < 'event_' || to_char((now() - (SELECT keep FROM nic.setting))
				AT TIME ZONE 'UTC', 'YYYYMMDD')
	LOOP
		EXECUTE format('DROP TABLE nic.%I', part);
	END LOOP;
END
$$;

-- 006-days - a partition is a day of UTC also where DateStyle is not ISO. Other styles write the
-- abbreviation of the time zone, which may have more than one meaning: CST is read as Chicago's.
--
-- SPDX-License-Identifier: Apache-2.0

INSERT INTO nic.migration (number) VALUES (6);

ALTER FUNCTION nic.make_day(date) SET DateStyle = 'ISO';

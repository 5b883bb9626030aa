-- 007-waits - the first event of a day, which changes the table, does not wait for long for those
-- who read it, such as pg_dump.
--
-- SPDX-License-Identifier: Apache-2.0

INSERT INTO nic.migration (number) VALUES (7);

-- Shorter than emit's default --request-timeout: a client that has given up would leave its
-- connection waiting, and open another one for each further attempt. The next CREATE OR REPLACE of
-- the function has to set this again.
ALTER FUNCTION nic.store SET lock_timeout = '4s';

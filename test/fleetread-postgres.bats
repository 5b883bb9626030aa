#!/usr/bin/env bats
# fleetread-postgres: fleetread postgresql://... reads a database's events in order, without gaps.
# Thorough: sinks
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() {
	load lib/servers
	load lib/kept
	load lib/postgres
	load lib/fleetread
	umask 077
	make_postgres
	ask 'CREATE ROLE reader LOGIN' postgres
	ask 'GRANT USAGE ON SCHEMA nic TO reader; GRANT SELECT ON nic.event TO reader'
	# shellcheck disable=SC2034 # for chain and reading
	READ_FROM="postgresql://reader@/nic?host=$PGDIR&port=$PGPORT"
}

teardown() {
	exec 8>&-
	remove_postgres
	end_background
	nothing_survives
}

# store_recent FROM TO - store these events of nic_events.
store_recent() { store <(recent "$1" "$2"); }

# has_asked_since TIME - return success if fleetread has queried the database since then and read
# the result.
has_asked_since() { [ "$(ask "SELECT count(*) FROM pg_stat_activity WHERE state = 'idle'
	AND application_name = 'nic-health-monitor fleetread' AND query_start > '$1'")" -gt 0 ]; }

@test "fleetread writes the stored events unchanged, and new ones as they come" {
	store_recent 1 2600
	reading
	wait_until 20 has_read 1 2600
	store_recent 2601 2610
	wait_until 20 has_read 1 2610
	diff <(jq -c -S . "$T/reader.out") <(recent 1 2610 | jq -c -S .)
	kill "$READER"
	ends_with 0 "$READER"
	[ ! -s "$T/reader.err" ]
	# With --from new only later events.
	reading --from new --acks "$ACKS"
	wait_until 20 has_lines 1 "$T/reader.out"
	store_recent 2611 2612
	wait_until 20 has_read 2611 2612
}

@test "a transaction is read as a whole, wherever a read ends" {
	# A read ends after a thousand events, and the rest of their last transaction.
	recent 1 2600 >"$T/events"
	run timeout 60 emit --batch-max 70 --sink "$DATABASE" "$T/events"
	status_is 0
	reading
	wait_until 20 has_read 1 2600
}

@test "events of a transaction that commits late are not skipped" {
	# Storing the first event of a day blocks others.
	store_recent 1 1
	reading
	wait_until 20 has_read 1 1
	mkfifo "$T/late"
	started late psql -X -q -h "$PGDIR" -p "$PGPORT" -U root -v ON_ERROR_STOP=1 -f "$T/late" nic
	exec 8>"$T/late"
	printf 'BEGIN; SELECT nic.store($$%s$$);\n\\! touch %s/stored\n' "$(recent 2 4 '.nodeName = "late"')" "$T" >&8
	wait_until 20 test -e "$T/stored"
	store_recent 5 7
	wait_until 20 has_asked_since "$(ask 'SELECT now()')"
	echo 'COMMIT;' >&8
	exec 8>&-
	wait_until 20 has_read 1 7
}

@test "after a kill, fleetread reads again exactly the events that were not stored" {
	killed_in_turns store_recent
	# A transaction's events are acknowledged, or read again, as a whole.
	chain
	latest=$(ask 'SELECT max(tx) FROM nic.event')
	all_acked() { [ "$(jq '.acks | .[]' "$ACKS")" = "$latest" ]; }
	wait_until 20 all_acked
	kill "$READER"
	ends_with 0 "$READER"
	ends_with 0 "$EMIT"
	reading --acks "$ACKS"
	wait_until 20 has_lines 1 "$T/reader.out"
	store_recent 401 403
	wait_until 20 has_read 401 403
}

# waits_to_write PID - return success if it blocks on a full pipe.
waits_to_write() { grep -q pipe_write "/proc/$1/wchan"; }

@test "a stdout that is closed during a write exits 74" {
	store_recent 1 400
	mkfifo "$T/pipe"
	started reader bash -c 'exec fleetread "$1" >"$2"' _ "$READ_FROM" "$T/pipe"
	exec 8<"$T/pipe"
	wait_until 20 waits_to_write "$PID"
	exec 8<&-
	ends_with 74 "$PID"
	[ "$(cat "$T/reader.err")" = 'fleetread: error: stdout: Broken pipe' ]
}

@test "a database that is away is reported, and fleetread continues where it was" {
	store_recent 1 5
	reading
	wait_until 20 has_read 1 5
	end_postgres
	wait_until 20 complains "^fleetread: warning: .*: retrying$"
	start_postgres
	store_recent 6 9
	wait_until 40 has_read 1 9
	wait_until 20 complains "^fleetread: note: .*: reading again$"
}

@test "a database without the schema is reported, and one that was recreated is read from its beginning" {
	ask 'CREATE DATABASE other' postgres
	started reader fleetread "postgresql://root@/other?host=$PGDIR&port=$PGPORT"
	wait_until 20 complains 'cannot read the database: fleetsetup has not run: retrying$'
	kill "$PID"
	ends_with 0 "$PID"
	store_recent 1 5
	reading --acks "$ACKS"
	wait_until 20 has_read 1 5
	ask 'ALTER DATABASE nic RENAME TO old' postgres 2>"$T/said" || {
		ask "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'nic'" postgres
		ask 'ALTER DATABASE nic RENAME TO old' postgres
	}
	ask 'CREATE DATABASE nic' postgres
	timeout 60 fleetsetup "postgresql://root@/nic?host=$PGDIR&port=$PGPORT" >"$T/schema"
	ask 'GRANT USAGE ON SCHEMA nic TO nhm, reader;
		GRANT EXECUTE ON FUNCTION nic.store TO nhm; GRANT SELECT ON nic.event TO reader'
	store_recent 6 8
	wait_until 60 has_read 1 8
	complains 'warning: database nic: it was recreated: reading it from its beginning$'
	[ "$(marked_sources)" -eq 2 ]
}

@test "events of a dump from another server are read after fleetsetup has run" {
	store_recent 1 5
	# Two events have numbers that this server has yet to reach.
	ask "UPDATE nic.event SET tx = '1000000000000' WHERE seq IN (SELECT seq FROM nic.event
		ORDER BY seq DESC LIMIT 2)"
	reading
	wait_until 20 has_lines 3 "$T/reader.out"
	run --separate-stderr timeout 60 fleetsetup "postgresql://root@/nic?host=$PGDIR&port=$PGPORT"
	status_is 0
	[ "${lines[0]}" = 'database nic: 2 events of another server renumbered' ]
	wait_until 20 has_read 1 5
	run timeout 60 fleetsetup "postgresql://root@/nic?host=$PGDIR&port=$PGPORT"
	[ "${#lines[@]}" -eq 1 ]
}

@test "fleetread reads as a role that may only read, but not from a standby" {
	ask 'ALTER ROLE reader SET default_transaction_read_only = on'
	store_recent 1 5
	end_postgres
	touch "$PGDIR/data/standby.signal"
	start_postgres
	reading
	wait_until 20 complains 'cannot read the database: it is a standby: retrying$'
	end_postgres
	rm "$PGDIR/data/standby.signal"
	start_postgres
	wait_until 60 has_read 1 5
}

@test "fleetread reports a missing right to read" {
	ask 'REVOKE SELECT ON nic.event FROM reader'
	reading
	wait_until 20 complains 'cannot read the database: permission denied for table event: retrying$'
}

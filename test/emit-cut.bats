#!/usr/bin/env bats
# emit-cut: a spool whose files are truncated or removed while emit runs; emit does not crash,
# prints one line, and loses no event that it can still read or get again.
# Thorough: sinks
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() {
	load lib/kept
	umask 022
}

teardown() {
	end_feed
	end_background
	nothing_survives
}

# running - start an emit that has stored and acknowledged three events which its sink, being down,
# lacks.
running() {
	fed_emit --spool "$SPOOL" --acks "$ACKS" --sink "unix:$S" --flush-timeout 0
	feed 1 3
	wait_until 10 acked 3
}

# goes_on REGEX - check that emit stores and acknowledges the next events after the others, and
# reports the damage in one line.
goes_on() {
	feed 4 6
	wait_until 10 acked 6
	feed 7 7
	wait_until 10 acked 7
	has_stored 1 7
	says 1 "$1"
	says 1 "^emit: (error|warning): spool "
	[ "$(query 'PRAGMA integrity_check')" = ok ]
	end_feed
	ends_with 0 "$EMIT"
	has_stored 1 7
}

@test "a truncated log index is reported and rebuilt, and no event is missing" {
	running
	truncate -s 0 "$SPOOL-shm"
	goes_on "^emit: error: spool $SPOOL: its -shm file was cut short: reopening it$"
}

@test "emit does not trust a partly truncated index" {
	running
	truncate -s 4096 "$SPOOL-shm"
	goes_on "^emit: error: spool $SPOOL: its -shm file was cut short: reopening it$"
}

@test "emit does not trust a truncated index that a reader has extended again" {
	running
	truncate -s 8192 "$SPOOL-shm"
	# SQLite extends the file with zeros and sees an empty log.
	[ "$(sqlite3 "$SPOOL" 'SELECT count(*) FROM event')" != 3 ]
	[ "$(stat -c %s "$SPOOL-shm")" -ge 32768 ]
	goes_on "^emit: error: spool $SPOOL: its -shm file was cut short: reopening it$"
}

@test "a removed index is rebuilt" {
	running
	rm "$SPOOL-shm"
	goes_on "^emit: error: spool $SPOOL: its -shm file was removed: reopening it$"
}

@test "when the log is removed, emit stores its events again" {
	running
	rm "$SPOOL-wal"
	goes_on "^emit: error: spool $SPOOL: its -wal file was removed: reopening it$"
}

@test "when the log is truncated, emit stores the events in its memory again" {
	running
	truncate -s 0 "$SPOOL-wal"
	goes_on "^emit: error: spool $SPOOL: its -wal file was cut short: reopening it$"
}

@test "when the log is truncated, emit reports the events that are lost because it no longer has them in memory" {
	fed_emit --spool "$SPOOL" --acks "$ACKS"
	feed 1 3
	wait_until 10 acked 3
	wait_until 10 grep -q '"delivered":{"t":3}' "$ACKS"
	truncate -s 0 "$SPOOL-wal"
	feed 4 6
	wait_until 10 acked 6
	has_stored 4 6
	says 1 "^emit: error: spool $SPOOL: its -wal file was cut short: reopening it$"
	says 1 "^emit: error: spool $SPOOL: acknowledged events missing from the spool: 3; requested again, as a sink lacks them: 0$"
	says 2 ''
	end_feed
	ends_with 0 "$EMIT"
}

@test "when the spool is truncated to nothing, emit rescues the events in its log" {
	running
	truncate -s 0 "$SPOOL"
	feed 4 6
	wait_until 10 acked 6
	has_stored 1 6
	says 1 "^emit: error: spool $SPOOL: it was cut short: moved to $SPOOL.corrupt-[0-9TZ]+$"
	says 1 "^emit: error: spool $SPOOL: events recovered from the damaged one: 3$"
	says 2 "^emit: (error|warning): spool "
	end_feed
	ends_with 0 "$EMIT"
}

@test "no event is lost when another program checkpoints the log" {
	running
	sqlite3 "$SPOOL" 'PRAGMA wal_checkpoint(TRUNCATE)' >&2
	feed 4 6
	wait_until 10 acked 6
	has_stored 1 6
	says 0 'missing from the spool'
	end_feed
	ends_with 0 "$EMIT"
}

#!/usr/bin/env bats
# emit and a spool whose files somebody cuts short or takes away while it runs: no crash, one line,
# and nothing is lost that is at hand or comes again.
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

# running - emit that has stored and acknowledged three events, which a sink that is down has not.
running() {
	fed_emit --spool "$SPOOL" --acks "$ACKS" --sink "unix:$S" --flush-timeout 0
	feed 1 3
	wait_until 10 acked 3
}

# goes_on REGEX - the next events are stored and acknowledged behind the others, and what has
# happened is one line.
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

@test "a log's index that is cut short is reported and made again, and nothing is missing" {
	running
	truncate -s 0 "$SPOOL-shm"
	goes_on "^emit: error: spool $SPOOL: its -shm file was cut short: opened anew$"
}

@test "emit does not trust an index of which only a part is left" {
	running
	truncate -s 4096 "$SPOOL-shm"
	goes_on "^emit: error: spool $SPOOL: its -shm file was cut short: opened anew$"
}

@test "emit does not trust an index that was cut and that a reader has made longer again" {
	running
	truncate -s 8192 "$SPOOL-shm"
	# SQLite makes the file as long as it has to be, with zeros, and finds the log empty.
	[ "$(sqlite3 "$SPOOL" 'SELECT count(*) FROM event')" != 3 ]
	[ "$(stat -c %s "$SPOOL-shm")" -ge 32768 ]
	goes_on "^emit: error: spool $SPOOL: its -shm file was cut short: opened anew$"
}

@test "an index that is removed is made again" {
	running
	rm "$SPOOL-shm"
	goes_on "^emit: error: spool $SPOOL: its -shm file was removed: opened anew$"
}

@test "when a log is removed, what it had is put into the spool" {
	running
	rm "$SPOOL-wal"
	goes_on "^emit: error: spool $SPOOL: its -wal file was removed: opened anew$"
}

@test "when a log is cut short, what is in memory is stored again" {
	running
	truncate -s 0 "$SPOOL-wal"
	goes_on "^emit: error: spool $SPOOL: its -wal file was cut short: opened anew$"
}

@test "when a log is cut short, what is not in memory is missing, and emit says so" {
	fed_emit --spool "$SPOOL" --acks "$ACKS"
	feed 1 3
	wait_until 10 acked 3
	wait_until 10 grep -q '"delivered":{"t":3}' "$ACKS"
	truncate -s 0 "$SPOOL-wal"
	feed 4 6
	wait_until 10 acked 6
	has_stored 4 6
	says 1 "^emit: error: spool $SPOOL: its -wal file was cut short: opened anew$"
	says 1 "^emit: error: spool $SPOOL: events that were acknowledged and are in no spool: 3; of these asked for again, since not every sink has them: 0$"
	says 2 ''
	end_feed
	ends_with 0 "$EMIT"
}

@test "when a spool is cut to nothing, what its log has is saved, and nothing is missing" {
	running
	truncate -s 0 "$SPOOL"
	feed 4 6
	wait_until 10 acked 6
	has_stored 1 6
	says 1 "^emit: error: spool $SPOOL: it was cut short: moved to $SPOOL.corrupt-[0-9TZ]+$"
	says 1 "^emit: error: spool $SPOOL: events taken over from the broken one: 3$"
	says 2 "^emit: (error|warning): spool "
	end_feed
	ends_with 0 "$EMIT"
}

@test "nothing is missing when another program empties the log in good order" {
	running
	sqlite3 "$SPOOL" 'PRAGMA wal_checkpoint(TRUNCATE)' >&2
	feed 4 6
	wait_until 10 acked 6
	has_stored 1 6
	says 0 'in no spool'
	end_feed
	ends_with 0 "$EMIT"
}

#!/usr/bin/env bats
# emit-lost: when a spool has lost acknowledged events, emit reports it and asks its writers again
# for those that a sink lacks.
# shellcheck disable=SC2030,SC2031,SC2154 # each test is a subshell, and bats sets stderr
# Thorough: sinks
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() {
	load lib/kept
	load lib/servers
	umask 022
}

teardown() {
	end_feed
	end_background
	nothing_survives
}

# stored FROM TO - have the events stored and acknowledged while the sink is down, and kill emit.
stored() {
	fed_emit --spool "$SPOOL" --acks "$ACKS" --sink "unix:$S"
	feed "$1" "$2" "$FATAL"
	wait_until 10 acked "$2"
	killed "$EMIT"
	end_feed
}

# comes_again LOST FROM TO - check that emit reports the lost events and accepts them when the
# writer writes them again.
comes_again() {
	fed_emit --spool "$SPOOL" --acks "$ACKS" --sink "unix:$S"
	wait_until 10 says 1 "^emit: error: spool $SPOOL: acknowledged events missing from the spool: $1; requested again, as a sink lacks them: $1$"
	wait_until 10 acked $(($2 - 1))
	nic_events "$2" "$3" "$FATAL" >&8
	wait_until 10 acked "$3"
	has_stored 1 "$3"
	listen_unix late "$S"
	wait_until 20 has_lines "$3" "$T/late.got"
	holds "$T/late.got" 1 "$3" "$FATAL"
	end_feed
	ends_with 0 "$EMIT"
}

@test "when the spool is deleted between two runs, emit asks again for undelivered events and delivers them" {
	stored 1 3
	rm "$SPOOL"*
	comes_again 3 1 3
}

# log_end - print the offset at which the spool's log ends. Older, longer contents may follow:
# SQLite reuses the file. The -shm file counts its pages of 4,120 bytes.
log_end() { echo $((32 + 4120 * $(od -A n -t u4 -j 16 -N 4 "$SPOOL-shm"))); }

# stored_at_the_end FROM TO - like stored(), with these events last in the spool's log. Set END to
# the log's end before them.
stored_at_the_end() {
	stored 1 $(($1 - 2))
	fed_emit --spool "$SPOOL" --acks "$ACKS" --sink "unix:$S"
	# With its first event this emit begins a new log.
	feed $(($1 - 1)) $(($1 - 1)) "$FATAL"
	wait_until 10 acked $(($1 - 1))
	END=$(log_end)
	feed "$1" "$2" "$FATAL"
	wait_until 10 acked "$2"
	killed "$EMIT"
	end_feed
	[ "$(log_end)" -gt "$END" ]
}

@test "when the spool's log has lost its end, emit asks again for the undelivered events" {
	stored_at_the_end 5 6
	truncate -s "$END" "$SPOOL-wal"
	comes_again 2 5 6
}

@test "when a byte of the spool's log has changed, emit reports the loss and gets the events again" {
	stored_at_the_end 5 6
	printf '\377\376\375' | dd of="$SPOOL-wal" bs=1 seek=$((END + 1000)) conv=notrunc \
		status=none
	comes_again 2 5 6
}

@test "emit reports lost events that every sink has, but does not ask for them again" {
	nic_events 1 4 | emit_once --spool "$SPOOL" --acks "$ACKS" --sink "file:$T/got"
	[ "$(jq -c .delivered "$ACKS")" = '{"t":4}' ]
	rm "$SPOOL"*
	nic_events 5 6 | emit_once --spool "$SPOOL" --acks "$ACKS" --sink "file:$T/got"
	said 1 "^emit: error: spool $SPOOL: acknowledged events missing from the spool: 4; requested again, as a sink lacks them: 0$"
	holds "$T/got" 1 6
	acked 6
}

# stands - print the standing conditions without the number of their event in the spool.
stands() {
	emit --standing --spool "$SPOOL" --format json |
		jq -c 'select(.kind == "condition") | del(.updated)'
}

# told FROM TO - check that the sink has exactly these events, once each.
told() { diff <(came "$T/got") <(ids "$1" "$2") >&2; }

@test "when the spool is deleted after delivery, standing conditions survive until their recovery" {
	nic_events 1 3 "$FATAL" | emit_once --spool "$SPOOL" --acks "$ACKS" --sink "file:$T/got"
	stands >"$T/before"
	[ "$(jq -c '[.times, .isFatal]' "$T/before")" = '[3,true]' ]
	rm "$SPOOL"*
	emit_once --spool "$SPOOL" --acks "$ACKS" --sink "file:$T/got" </dev/null
	said 1 "^emit: error: spool $SPOOL: acknowledged events missing from the spool: 3; "
	stands | diff "$T/before" -
	told 1 3
	nic_events 4 4 "$HEALTHY" | emit_once --spool "$SPOOL" --acks "$ACKS" --sink "file:$T/got"
	[ -z "$(stands)" ]
	told 1 4
	# A condition that ended stays ended if the spool is lost again.
	rm "$SPOOL"*
	emit_once --spool "$SPOOL" --acks "$ACKS" --sink "file:$T/got" </dev/null
	[ -z "$(stands)" ]
}

@test "a condition that a restored older spool still has ends if the acks no longer have it" {
	nic_events 1 1 "$FATAL" | emit_once --spool "$SPOOL" --acks "$ACKS" --sink "file:$T/got"
	rm "$SPOOL"*
	emit_once --spool "$SPOOL" --acks "$ACKS" --sink "file:$T/got" </dev/null
	[ "$(stands | wc -l)" -eq 1 ]
	cp "$SPOOL" "$T/older"
	nic_events 2 2 "$HEALTHY" | emit_once --spool "$SPOOL" --acks "$ACKS" --sink "file:$T/got"
	[ -z "$(stands)" ]
	cp "$T/older" "$SPOOL"
	emit_once --spool "$SPOOL" --acks "$ACKS" --sink "file:$T/got" </dev/null
	[ -z "$(stands)" ]
	told 1 2
}

@test "when the spool is deleted while emit runs, the next spool has the standing conditions" {
	fed_emit --spool "$SPOOL" --acks "$ACKS"
	feed 1 3 "$FATAL"
	wait_until 10 acked 3
	wait_until 10 grep -q '"delivered":{"t":3}' "$ACKS"
	stands >"$T/before"
	rm "$SPOOL"*
	feed 4 4 ".errorCode = [\"other\"]"
	wait_until 10 acked 4
	stands | head -n 1 | diff "$T/before" -
	[ "$(stands | wc -l)" -eq 2 ]
	end_feed
	ends_with 0 "$EMIT"
	diff <(came "$T/taken") <(ids 1 4)
}

@test "an event that is repeated after the spool was deleted counts once" {
	stored 1 1
	rm "$SPOOL"*
	comes_again 1 1 1
	[ "$(stands | jq .times)" -eq 1 ]
}

@test "with a restored older spool emit does not deliver events again that the acks mark as delivered" {
	stored 1 3
	cp "$SPOOL" "$T/before"
	cp "$SPOOL-wal" "$T/before-wal"
	fed_emit --spool "$SPOOL" --acks "$ACKS" --sink "unix:$S"
	listen_unix late "$S"
	feed 4 5 "$FATAL"
	wait_until 20 has_lines 5 "$T/late.got"
	wait_until 20 jq -e '.delivered.t == 5' "$ACKS"
	killed "$EMIT"
	end_feed
	rm "$SPOOL-shm"
	cp "$T/before" "$SPOOL"
	cp "$T/before-wal" "$SPOOL-wal"
	fed_emit --spool "$SPOOL" --acks "$ACKS" --sink "unix:$S"
	feed 6 6 "$FATAL"
	wait_until 20 has_lines 6 "$T/late.got"
	says 1 "^emit: error: spool $SPOOL: acknowledged events missing from the spool: 2; requested again, as a sink lacks them: 0$"
	end_feed
	ends_with 0 "$EMIT"
	holds "$T/late.got" 1 6 "$FATAL"
}

@test "when a byte of a stored event has changed, emit does not deliver it, reports it, and gets the event again" {
	stored 1 3
	# SQLite cannot detect this change.
	sqlite3 "$SPOOL" "UPDATE event SET record = replace(record, 'event 2', 'event 9') WHERE seq = 2"
	listen_unix up "$S"
	fed_emit --spool "$SPOOL" --acks "$ACKS" --sink "unix:$S"
	wait_until 10 says 1 "^emit: error: spool $SPOOL: event 2 is damaged: it differs from what was stored: moved to $SPOOL.corrupt-[0-9TZ]+$"
	wait_until 10 says 1 "^emit: error: spool $SPOOL: events recovered from the damaged one: 2; "
	wait_until 10 says 1 'missing from the spool: 2; requested again, as a sink lacks them: 2$'
	nic_events 2 3 "$FATAL" >&8
	wait_until 10 acked 3
	wait_until 20 grep -q '"event 2"' "$T/up.got"
	none grep -q 'event 9' "$T/up.got"
	[ "$(query "SELECT message FROM event WHERE seq = 2")" = 'event 2' ]
	end_feed
	ends_with 0 "$EMIT"
}

@test "events stored by an emit without checksums are delivered" {
	stored 1 2
	sqlite3 "$SPOOL" 'ALTER TABLE event DROP COLUMN record_hash'
	listen_unix up "$S"
	fed_emit --spool "$SPOOL" --acks "$ACKS" --sink "unix:$S"
	wait_until 20 has_lines 2 "$T/up.got"
	holds "$T/up.got" 1 2 "$FATAL"
	end_feed
	ends_with 0 "$EMIT"
	says 0 ''
}

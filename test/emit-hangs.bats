#!/usr/bin/env bats
# emit-hangs: when the disk of the spool or of a sink hangs, emit blocks no other sink, acknowledges
# nothing that is not stored, and loses and repeats nothing once the disk answers.
# shellcheck disable=SC2030,SC2031,SC2154 # each test is a subshell, and bats sets stderr
# Thorough: sinks
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup_file() {
	load lib/hangs
	make_hangs
}

setup() {
	load lib/kept
	load lib/hangs
	SPOOL=$DISK/spool.db
}

teardown() {
	unhang
	exec 8>&-
	end_background
	nothing_survives
}

# hanging_emit OPTION... - start emit with the disk that can hang, and metrics in $T/page; it reads
# from descriptor 8. Set EMIT.
hanging_emit() {
	rm -f "$T/feed"
	mkfifo "$T/feed"
	exec 8<>"$T/feed"
	started emit "${ON_HANGING[@]}" "$ROOT/test/lib/numbers" --page-file "$T/page" -- emit \
		"$@" "$T/feed"
	EMIT=$PID
}

# put FROM TO [JQ-FILTER] - write events for emit to read.
put() { nic_events "$@" >&8; }

# has FILE FROM TO - check that the file has exactly these events, in order and once.
has() { diff <(came "$1") <(ids "$2" "$3") >&2; }
# value SERIES - print its value on the page.
value() { [ ! -e "$T/page" ] || awk -v "series=nic_health_monitor_$1 " \
	'index($0, series) == 1 { print substr($0, length(series) + 1) }' "$T/page"; }
shows() { [ "$(value "$1")" = "$2" ]; }

HANGS="warning: spool .*/spool.db: its disk hangs: no answer for 2 s: until it works again, events are kept in memory and delivered, but not acknowledged$"
WORKS="note: spool .*/spool.db: works again$"

# --- the spool's disk ---

@test "while the spool's disk hangs faults are still delivered, and are stored and acknowledged once it answers" {
	hanging_emit --spool "$SPOOL" --acks "$ACKS" --sink "file:$T/got"
	put 1 2
	wait_until 10 acked 2
	wait_until 10 shows spool_up 1
	hang sync
	put 3 4 "$FATAL"
	wait_until 10 has "$T/got" 1 4
	wait_until 10 says 1 "$HANGS"
	wait_until 10 shows spool_up 0
	put 5 5
	wait_until 10 has "$T/got" 1 5
	wait_until 10 shows "sink_undelivered_events{sink=\"file:$T/got\"}" 0
	acked 2
	unhang
	wait_until 10 says 1 "$WORKS"
	wait_until 10 acked 5
	wait_until 10 shows spool_up 1
	put 6 6
	wait_until 10 acked 6
	end_feed
	ends_with 0 "$EMIT"
	has_stored 1 6
	has "$T/got" 1 6
	says 2 ''
	[ "$(query "SELECT position FROM sink WHERE name = 'file:$T/got'")" -eq 6 ]
}

@test "while the spool's disk hangs, an event that arrives after its recovery is still not delivered" {
	hanging_emit --spool "$SPOOL" --sink "file:$T/got"
	put 1 1
	wait_until 10 has "$T/got" 1 1
	hang sync
	# Events 3 and 5 answer 2 and would answer 6; emit delivers those that no event answers.
	put 3 3 "$HEALTHY"
	put 2 2 "$FATAL"
	put 6 6 "$FATAL"
	put 5 5 "$HEALTHY"
	put 4 4 "$FATAL | .errorCode = [\"other\"]"
	put 7 7 "$FATAL"
	wait_until 20 grep -q '"id":"t-7"' "$T/got"
	wait_until 10 says 1 "$HANGS"
	[ "$(came "$T/got" | xargs)" = 't-1 t-3 t-6 t-4 t-7' ]
	unhang
	wait_until 10 says 1 "$WORKS"
	end_feed
	ends_with 0 "$EMIT"
	[ "$(came "$T/got" | xargs)" = 't-1 t-3 t-6 t-4 t-7' ]
	[ "$(query "SELECT id, answered_by FROM event WHERE answered_by <> '' ORDER BY number" |
		xargs)" = 't-2|t-3 t-5|t-6' ]
}

@test "a fault that arrives while the spool hangs is delivered again under the same id after emit is killed" {
	hanging_emit --spool "$SPOOL" --acks "$ACKS" --sink "file:$T/got"
	put 1 1
	wait_until 10 acked 1
	hang sync
	put 2 2 "$FATAL"
	wait_until 10 has "$T/got" 1 2
	kill -KILL "$(pgrep -P "$EMIT" -x emit)"
	ends_with 137 "$EMIT"
	unhang
	acked 1
	nic_events 2 3 | emit_once --spool "$SPOOL" --acks "$ACKS" --sink "file:$T/after"
	has_stored 1 3
	acked 3
	diff <(came "$T/got" | sort -u) <(ids 1 2)
}

@test "a spool that hangs when emit starts blocks no fault, and is used once it answers" {
	nic_events 1 2 | emit_once --spool "$SPOOL" --acks "$ACKS" --sink "file:$T/got"
	hang sync write open
	hanging_emit --spool "$SPOOL" --acks "$ACKS" --sink "file:$T/got"
	put 2 3 "$FATAL"
	wait_until 10 has "$T/got" 1 3
	wait_until 10 says 1 "$HANGS"
	acked 2
	unhang
	wait_until 10 acked 3
	wait_until 10 says 1 "$WORKS"
	end_feed
	ends_with 0 "$EMIT"
	has_stored 1 3
	has "$T/got" 1 3
}

@test "a spool that hangs at the start and is found broken is replaced, and the events of that time are stored" {
	nic_events 1 200 | emit_once --spool "$SPOOL" --acks "$ACKS" --sink "file:$T/got"
	truncate -s 16384 "$SPOOL"
	hang sync write open
	hanging_emit --spool "$SPOOL" --acks "$ACKS" --sink "file:$T/got"
	put 201 202 "$FATAL"
	wait_until 10 grep -q '"id":"t-202"' "$T/got"
	wait_until 10 says 1 "$HANGS"
	acked 200
	unhang
	wait_until 10 acked 202
	wait_until 10 says 1 "$WORKS"
	compgen -G "$SPOOL.corrupt-*"
	put 203 203
	wait_until 10 acked 203
	end_feed
	ends_with 0 "$EMIT"
	[ "$(query "SELECT count(*) FROM event WHERE seq > 200")" -eq 3 ]
}

@test "an emit whose spool hangs ends on SIGTERM and acknowledges nothing that it could not store" {
	hanging_emit --flush-timeout 1s --spool "$SPOOL" --acks "$ACKS" --sink "file:$T/got"
	put 1 1
	wait_until 10 acked 1
	hang sync
	put 2 2
	wait_until 10 has "$T/got" 1 2
	kill -TERM "$(pgrep -P "$EMIT" -x emit)"
	ends_with 0 "$EMIT"
	wait_until 10 says 1 "$HANGS"
	acked 1
	unhang
}

@test "events stored in place of a deleted spool reach every sink, even if emit dies before it sends them" {
	local out=$T/told
	ACKS=$DISK/acks.json
	hanging_emit --sink "file:$out" --spool "$SPOOL" --acks "$ACKS"
	put 1 3
	wait_until 20 has "$out" 1 3
	# From now on only the next event changes the acks.
	wait_until 20 jq -e '.delivered.t == 3' "$ACKS"
	rm "$SPOOL"*
	die_after rename acks.json
	put 4 4
	ends_with 137 "$EMIT"
	acked 4
	has "$out" 1 3
	hanging_emit --sink "file:$out" --spool "$SPOOL" --acks "$ACKS"
	wait_until 20 has "$out" 1 4
	exec 8>&-
	ends_with 0 "$EMIT"
}

# --- a sink's disk ---

STUCK="warning: sink file:.*: it has accepted no data for 2 s: waiting for it$"

# hangs_alone CALL... - check that a file on a disk that hangs in these calls blocks no other sink,
# counts as down, and gets every event once when the disk answers.
hangs_alone() {
	hanging_emit --sink "file:$DISK/got" --sink "file:$T/other" --spool "$T/beside.db"
	put 1 2
	wait_until 10 has "$DISK/got" 1 2
	hang "$@"
	put 3 4
	wait_until 10 has "$T/other" 1 4
	wait_until 10 says 1 "$STUCK"
	put 5 6
	wait_until 10 has "$T/other" 1 6
	wait_until 10 shows "sink_up{sink=\"file:$DISK/got\"}" 0
	wait_until 10 shows "sink_undelivered_events{sink=\"file:$DISK/got\"}" 4
	wait_until 10 shows "sink_up{sink=\"file:$T/other\"}" 1
	unhang
	wait_until 10 has "$DISK/got" 1 6
	wait_until 10 shows "sink_up{sink=\"file:$DISK/got\"}" 1
	wait_until 10 shows "sink_undelivered_events{sink=\"file:$DISK/got\"}" 0
	end_feed
	ends_with 0 "$EMIT"
	says 1 "note: sink file:$DISK/got: delivering again$"
	says 2 ''
}

@test "a file that hangs while emit writes to it blocks no other sink" { hangs_alone write; }

@test "a file whose disk hangs before emit writes to it blocks no other sink" { hangs_alone stat; }

@test "a file whose disk hangs while emit opens it blocks no other sink" {
	hang open
	hanging_emit --sink "file:$DISK/got" --sink "file:$T/other"
	put 1 3
	wait_until 10 has "$T/other" 1 3
	wait_until 10 says 1 "$STUCK"
	unhang
	wait_until 10 has "$DISK/got" 1 3
	end_feed
	ends_with 0 "$EMIT"
}

@test "a file that hangs delays emit's end by the flush timeout at most, and emit reports the undelivered events" {
	hanging_emit --flush-timeout 1s --sink "file:$DISK/got" --sink "file:$T/other"
	put 1 1
	wait_until 10 has "$DISK/got" 1 1
	hang write
	put 2 2
	wait_until 10 has "$T/other" 1 2
	end_feed
	ends_with 69 "$EMIT"
	says 1 "error: sink file:$DISK/got: 1 events not delivered$"
	unhang
}

@test "a stdout on a disk that hangs blocks no other sink" {
	rm -f "$T/feed"
	mkfifo "$T/feed"
	exec 8<>"$T/feed"
	hang write
	started emit "${ON_HANGING[@]}" bash -c 'exec emit --sink - --sink "file:$1" "$2" >"$3"' \
		- "$T/other" "$T/feed" "$DISK/out"
	EMIT=$PID
	put 1 3
	wait_until 10 has "$T/other" 1 3
	wait_until 10 says 1 "warning: sink -: it has accepted no data for 2 s: waiting for it$"
	unhang
	wait_until 10 has "$DISK/out" 1 3
	end_feed
	ends_with 0 "$EMIT"
}

@test "a FIFO whose reader reads nothing counts as down and blocks no other sink" {
	mkfifo "$DISK/fifo"
	exec 7<>"$DISK/fifo"
	hanging_emit --sink "file:$DISK/fifo" --sink "file:$T/other"
	put 1 300
	wait_until 10 has "$T/other" 1 300
	wait_until 10 says 1 "$STUCK"
	wait_until 10 shows "sink_up{sink=\"file:$DISK/fifo\"}" 0
	started reader bash -c 'exec cat <"$1" >"$2"' - "$DISK/fifo" "$T/fifo.got"
	wait_until 10 has "$T/fifo.got" 1 300
	wait_until 10 shows "sink_up{sink=\"file:$DISK/fifo\"}" 1
	end_feed
	ends_with 0 "$EMIT"
	exec 7>&-
}

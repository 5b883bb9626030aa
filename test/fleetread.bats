#!/usr/bin/env bats
# fleetread: reads the events of a fabric from a stream of NATS JetStream, in order, without gaps.
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() {
	load lib/servers
	load lib/kept
	load lib/nats
	load lib/fleetread
	umask 077
}

teardown() {
	end_background
	nothing_survives
}

# start_west - start a nats-server. Set READ_FROM to its stream nic, fabric west.
start_west() {
	start_nats
	# shellcheck disable=SC2034 # for chain and reading
	READ_FROM=nats://$NATS/nic/west
}

# publish FROM TO [FABRIC [JQ-FILTER]] - publish these events of nic_events with emit.
publish() {
	timeout 30 emit --sink "nats:nats://$NATS/nic/${3-west}" \
		< <(nic_events "$1" "$2" "${4-.}")
}

has_mark() { marks | grep -q "$1\$"; }

# has_written N [ID] - return success if fleetread has written N events, with ID last.
has_written() {
	[ "$(ids_read | wc -l)" -eq "$1" ] &&
		[ "${2-}" = "$([ $# -lt 2 ] || ids_read | tail -n 1)" ]
}

@test "fleetread writes the fabric's events unchanged, and new ones as they come" {
	start_west
	stream nic
	publish 1 250
	publish 300 310 east
	reading
	wait_until 20 has_read 1 250
	publish 251 260
	wait_until 20 has_read 1 260
	diff "$T/reader.out" <(nic_events 1 260)
	kill "$READER"
	ends_with 0 "$READER"
	[ ! -s "$T/reader.err" ]
	# With --from new only later events.
	reading --from new
	wait_until 20 reads
	publish 261 262
	wait_until 20 has_read 261 262
}

# reads - return success if the stream has a reader.
reads() { [ "$(natsclient consumers nic)" -gt 0 ]; }

@test "after a kill, fleetread reads again exactly the events that were not stored" {
	start_west
	stream nic
	in_streams() {
		publish "$1" "$2" west '.source = "s\(.seq % 50)" | .seq = (.seq / 50 | floor) + 1'
	}
	killed_in_turns in_streams
	# At the end fleetread reads only unacknowledged events again.
	chain
	publish 401 401
	wait_until 20 acked_up_to 401
	kill "$READER"
	ends_with 0 "$READER"
	ends_with 0 "$EMIT"
	rm "$T/reader.out"
	reading --acks "$ACKS"
	publish 402 403
	wait_until 20 has_read 402 403
	[ "$(marks | head -n 1)" = "401 401" ]
	wait_until 20 has_mark ' 403'
}

# acked_up_to N - return success if the acks have N for the stream.
acked_up_to() { jq -e --argjson n "$1" '.acks | to_entries | map(select(.key
	| startswith("nic-west-"))) | .[0].value == $n' "$ACKS" >/dev/null; }

# stored N [RECEIVER] - write the acks of an emit that has stored N messages.
stored() {
	local source
	source=$(jq -r 'select(.kind == "mark") | .source' "$T/reader.out" | head -n 1)
	jq -n -c --arg source "$source" --argjson n "$1" --arg receiver "${2-r1}" \
		'{version: 1, acks: {($source): $n}, receiver: $receiver}' >"$T/new"
	mv "$T/new" "$ACKS"
}

# Thorough: sinks
@test "a receiver that restarts or has lost events gets the unacknowledged ones again" {
	start_west
	stream nic
	publish 1 10
	reading --acks "$ACKS"
	wait_until 20 has_read 1 10
	[ "$(marks | head -n 1)" = "0 0" ]
	wait_until 20 has_mark ' 10'
	stored 7 r1
	wait_until 20 has_mark '^7 7'
	wait_until 20 has_written 13
	stored 10 r1
	stored 10 r1
	publish 11 11
	wait_until 20 has_written 14 t-11
	# Their spool was lost.
	stored 4 r1
	wait_until 20 has_written 21
	diff <(ids_read | tail -n 7) <(ids 5 11)
	echo nonsense >"$ACKS"
	wait_until 20 complains "^fleetread: warning: $ACKS: not an acks file: treating no event as stored$"
}

@test "a message that is being read when the connection is given up is read over the next one" {
	start_west
	stream nic
	publish 1 3
	slow_nats
	started reader "${SLOW_NATS[@]}" fleetread --timeout 300ms --acks "$ACKS" "$READ_FROM"
	READER=$PID
	wait_until 20 has_mark ' 3'
	touch "$T/slow"
	publish 4 4
	wait_until 20 test ! -e "$T/slow"
	# It queries the stream now, and the answer is behind that message.
	stored 3 r2
	wait_until 20 has_read 1 4
	kill "$READER"
	ends_with 0 "$READER"
}

# Thorough: sinks
@test "a server that is away is reported, and fleetread continues where it was" {
	start_west
	stream nic
	publish 1 5
	reading
	wait_until 20 has_read 1 5
	end_nats
	wait_until 20 complains "^fleetread: warning: nats://$NATS: (lost the connection to the stream|cannot connect): .*: retrying$"
	start_west
	publish 6 9
	wait_until 40 has_read 1 9
	wait_until 20 complains "^fleetread: note: nats://$NATS: reading again$"
}

# Thorough: sinks
@test "a missing stream is reported, and one that was recreated is read from its beginning" {
	start_west
	reading --acks "$ACKS"
	wait_until 20 complains 'there is no stream: nic: retrying$'
	stream nic
	publish 1 5
	wait_until 40 has_read 1 5
	wait_until 20 has_mark ' 5'
	natsclient delete nic
	stream nic
	publish 6 8
	wait_until 60 has_read 1 8
	complains 'warning: stream nic: it was recreated: reading it from its beginning$'
	[ "$(marked_sources)" -eq 2 ]
}

# Thorough: sinks
@test "a stream that comes back with fewer messages than were read is read from its beginning" {
	start_west
	stream nic
	publish 1 2
	end_nats
	cp -a "$T/nats" "$T/backup"
	start_west
	publish 3 5
	reading --acks "$ACKS"
	wait_until 20 has_read 1 5
	wait_until 20 has_mark ' 5'
	end_nats
	rm -r "$T/nats"
	mv "$T/backup" "$T/nats"
	start_west
	wait_until 60 has_written 7
	publish 6 7
	wait_until 20 has_written 9 t-7
	wait_until 20 has_mark ' 4'
	complains 'warning: stream nic: it has fewer messages than were read: reading it from its beginning$'
	[ "$(marked_sources)" -eq 2 ]
	# The acks say where to continue, whatever the stream had before.
	jq -c -s '{version: 1, receiver: "r1", acks: (map(select(.kind == "mark"))
		| map({(.source): .seq}) | add)}' "$T/reader.out" >"$ACKS"
	kill "$READER"
	ends_with 0 "$READER"
	publish 8 9
	reading --acks "$ACKS"
	wait_until 20 has_read 8 9
	[ ! -s "$T/reader.err" ]
}

# Thorough: sinks
@test "invalid messages are skipped and reported, and messages that left the stream unread are reported" {
	start_west
	stream nic '{"max_msgs": 4}'
	natsclient publish nic.west.n '{"kind":"other","a":1}' torn '{"kind":"a"}
{"kind":"b"}' '{"kind":"last"}'
	reading --acks "$ACKS"
	wait_until 20 grep -q last "$T/reader.out"
	diff <(grep -v '"mark"' "$T/reader.out") - <<-'X'
		{"kind":"other","a":1}
		{"kind":"last"}
	X
	complains '^fleetread: warning: stream nic: message 2: skipped: .*'
	complains '^fleetread: warning: stream nic: messages skipped after it: 1$'
	wait_until 20 has_mark ' 4'
	stored 4
	kill "$READER"
	ends_with 0 "$READER"
	publish 1 10
	reading --acks "$ACKS"
	wait_until 20 has_read 7 10
	complains 'warning: stream nic: messages 5 to 10 were deleted before they were read: those of this fabric are missing$'
}

# Thorough: sinks
@test "fleetread reports the messages that leave the stream because it reads too slowly" {
	start_west
	stream nic '{"max_msgs": 4}'
	publish 1 1
	reading
	wait_until 20 has_read 1 1
	kill -STOP "$READER"
	# More than the server sends to a reader that does not respond.
	publish 2 301 west '.big = "x" * 50000'
	kill -CONT "$READER"
	publish 302 302
	wait_until 20 has_last 302
	[ "$(ids_read | wc -l)" -lt 302 ]
	wait_until 20 reports_missing 302
}

has_last() { [ "$(ids_read | tail -n 1)" = "$(ids "$1" "$1")" ]; }

# reports_missing N - check that each of N messages was read or reported as missing.
reports_missing() {
	local from to
	{
		ids_read
		while read -r from to; do ids "$from" "$to"; done < <(sed -n -E \
			's/.*: messages ([0-9]+) to ([0-9]+) were deleted .*/\1 \2/p' "$T/reader.err")
	} | sort -u | diff - <(ids 1 "$1" | sort)
}

# Thorough: sinks
@test "messages of another fabric that leave the stream are not reported as missing" {
	start_west
	stream nic '{"max_msgs": 4}'
	publish 1 2
	reading --acks "$ACKS"
	wait_until 20 has_read 1 2
	publish 21 30 east
	wait_until 60 has_mark ' 12'
	stored 12
	kill "$READER"
	ends_with 0 "$READER"
	publish 31 33 east
	reading --acks "$ACKS"
	wait_until 60 has_mark ' 15'
	publish 3 4
	wait_until 20 has_read 3 4
	[ ! -s "$T/reader.err" ]
}

# Thorough: sinks
@test "fleetread exits 74 when its stdout is closed, and ends at once on SIGTERM" {
	start_west
	stream nic
	started reader bash -c 'fleetread "$1" | head -n 1; exit "${PIPESTATUS[0]}"' _ \
		"nats://$NATS/nic/west"
	READER=$PID
	publish 1 1
	ends_with 74 "$READER"
	grep -q '^fleetread: error: stdout: Broken pipe$' "$T/reader.err"
	end_nats
	reading
	wait_until 20 complains 'retrying$'
	kill "$READER"
	ends_with 0 "$READER"
}

# Thorough: sinks
@test "over TLS fleetread verifies the server's certificate and authenticates with a token" {
	make_certificates
	echo secret >"$T/token"
	start_nats "tls { cert_file: \"$TLS/server.pem\", key_file: \"$TLS/server.key\" }" \
		'authorization { token: "secret" }'
	run --separate-stderr timeout 2 fleetread --token-file "$T/token" "tls://$NATS/nic"
	stderr_has 'cannot connect: .*certificate.*: retrying$'
	run --separate-stderr timeout 2 fleetread --ca-file "$TLS/ca.pem" "tls://$NATS/nic"
	stderr_has 'cannot connect: .*[Aa]uthorization'
	run --separate-stderr timeout 2 fleetread --ca-file "$TLS/ca.pem" \
		--token-file "$T/token" "tls://$NATS/nic"
	stderr_has 'there is no stream: nic: retrying$'
}

@test "an invalid address or option is named, and fleetread exits 64" {
	local address
	for address in nic nats://host nats://host/ nats://u:p@host/nic 'nats://host/a b' \
		nats://host:x/nic nats://host/nic/a.b "nats://host/$(printf 'x%.0s' {1..65})"; do
		run --separate-stderr fleetread "$address"
		status_is 64
		stderr_has "^fleetread: error: "
	done
	run --separate-stderr fleetread
	status_is 64 'an address is missing'
	run --separate-stderr fleetread nats://a/b c
	status_is 64
	run --separate-stderr fleetread --token-file "$T/token" nats://a/b
	status_is 64 'a token is not sent without TLS'
	run --separate-stderr fleetread --ca-file "$T/ca" nats://a/b
	status_is 64 'certificates and keys need'
	run --separate-stderr fleetread --from old nats://a/b
	status_is 64 'not one of all, new'
}

@test "a file that others may write to exits 77 with the option's name" {
	touch "$T/ca"
	chmod 602 "$T/ca"
	run --separate-stderr timeout 10 fleetread --ca-file "$T/ca" tls://127.0.0.1:1/nic
	status_is 77 "^fleetread: error: --ca-file $T/ca: others may write to it \(mode 0602\)$"
}

# run_unit - run the unit's ExecStart= for the fabric west, the file $T/found and the state
# directory $T/var. Set UNIT.
run_unit() {
	local script
	script=$(sed -n '/^ExecStart=/,/[^\\]$/p' "$ROOT/dist/nic-health-monitor-fleet@.service")
	script=${script#"ExecStart=/bin/bash -o pipefail -c '"} script=${script%"' %i"}
	script=${script//\\$'\n'/} script=${script//\$\$/\$}
	# As elsewhere in the suite: sanitizers cannot be confined.
	script=${script//--confine=require/${NHM_CONFINE:+--confine=$NHM_CONFINE}}
	mkdir -p "$T/var"
	# shellcheck disable=SC2153 # of the unit
	FROM=$READ_FROM SWITCHES="--nodes 2" TO="--sink file:$T/found" STATE_DIRECTORY=$T/var \
		started unit bash -o pipefail -c "$script" west
	UNIT=$PID
}

# Thorough: sinks
@test "a fabric's unit ends when one of its processes dies, and continues after the last stored event" {
	local victim turn=0
	load lib/stages
	start_west
	stream nic
	for victim in fleetread blastradius emit; do
		run_unit
		publish $((turn * 10 + 1)) $((turn * 10 + 10)) west
		turn=$((turn + 1))
		wait_until 30 has_lines $((turn * 10)) "$T/found"
		kill -KILL "$(stage "$victim" "$UNIT")"
		wait_until 30 is_gone "$UNIT"
		code=0
		wait "$UNIT" || code=$?
		[ "$code" -eq 137 ]
	done
	run_unit
	wait_until 30 has_lines 30 "$T/found"
	[ "$(came "$T/found" | sort -u | wc -l)" -eq 30 ]
	[ "$(wc -l <"$T/found")" -eq 30 ]
	[ -s "$T/var/blastradius.json" ]
	kill "$UNIT" "$(stage fleetread "$UNIT")"
	wait_until 30 is_gone "$UNIT"
}

#!/usr/bin/env bats
# emit-trouble: emit --sink grpc:... with a server that rejects, is busy, hangs, dies or violates
# the protocol: no event is lost, and each rejected one is reported.
# Thorough: sinks
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() {
	load lib/servers
	load lib/emit
	T=$BATS_TEST_TMPDIR
	SOCKET=$T/pc.sock
	SINK=grpc:unix://$SOCKET
}

teardown() {
	exec 8>&-
	end_background
	nothing_survives
}

# connected - start a strict connector named `pc` at SINK. Set CONNECTOR.
connected() {
	start_connector pc "unix:$SOCKET" --strict
	CONNECTOR=$PID
}

# dead_letters SPOOL - print its dead letters.
dead_letters() { emit --dead-letters --spool "$1" --format json; }

# --- statuses ---

@test "after a transient status emit retries until the events are accepted, with one warning and one note" {
	connected
	local code n=0
	for code in UNAVAILABLE DEADLINE_EXCEEDED RESOURCE_EXHAUSTED ABORTED INTERNAL \
		UNAUTHENTICATED PERMISSION_DENIED UNIMPLEMENTED CANCELLED; do
		n=$((n + 1))
		# The status is in trailers without headers, then in trailers after headers.
		behave pc "status $code not now" "late-status $code not now" ok
		run --separate-stderr timeout 30 emit --sink "$SINK" \
			--flush-timeout 20s < <(nic_events "$n" "$n" "$FATAL")
		status_is 0
		[ "$output" = "" ]
		[ ${#stderr_lines[@]} -eq 2 ]
		[[ ${stderr_lines[0]} \
			= "emit: warning: sink $SINK: "*"$code"*"not now"*": retrying" ]]
		[ "${stderr_lines[1]}" = "emit: note: sink $SINK: delivering again" ]
		[ "$(received pc)" = "$(ids 1 "$n")" ]
	done
	has_logged 27 pc '.kind == "call"'
}

# keys - print the idempotency key of each call.
keys() { logged pc 'select(.kind == "call") | .metadata["idempotency-key"]'; }

@test "a failed batch is sent again unchanged under the same key, and later events go in the next" {
	connected
	behave pc 'status UNAVAILABLE x' 'status INTERNAL x' hang 'status DEADLINE_EXCEEDED x' \
		'status UNAUTHENTICATED x' 'status UNAVAILABLE x' ok
	fed_emit --sink "$SINK" --spool "$T/spool" --request-timeout 2s --flush-timeout 60s
	feed 1 3 "$FATAL"
	wait_until 20 has_logged 1 pc '.kind == "call"'
	feed 4 5 "$FATAL"
	end_feed
	ends_with 0 "$EMIT"
	[ "$(received pc)" = "$(ids 1 5)" ]
	has_logged 8 pc '.kind == "call"'
	[ "$(keys | head -n 7 | sort -u | wc -l)" -eq 1 ]
	[ "$(keys | sort -u | wc -l)" -eq 2 ]
}

@test "a batch keeps its key after a restart, and no other batch has it" {
	connected
	behave pc hang ok
	fed_emit --sink "$SINK" --spool "$T/spool" --flush-timeout 0
	feed 1 3 "$FATAL"
	wait_until 20 has_logged 1 pc '.kind == "call"'
	kill -KILL "$EMIT"
	ends_with 137 "$EMIT"
	exec 8>&-
	for events in '1 3' '4 4'; do
		# shellcheck disable=SC2086 # two numbers
		run --separate-stderr timeout 30 emit --sink "$SINK" --spool "$T/spool" \
			--flush-timeout 20s < <(nic_events $events "$FATAL")
		status_is 0
	done
	has_logged 3 pc '.kind == "call"'
	[ "$(keys | sed -n 1p)" = "$(keys | sed -n 2p)" ]
	[ "$(keys | sort -u | wc -l)" -eq 2 ]
}

@test "after a permanent status the event is reported as a dead letter, and the next is delivered" {
	connected
	local code n=1
	for code in INVALID_ARGUMENT NOT_FOUND ALREADY_EXISTS FAILED_PRECONDITION OUT_OF_RANGE \
		DATA_LOSS; do
		behave pc "status $code never" ok
		run --separate-stderr timeout 20 emit --sink "$SINK" \
			--spool "$T/spool" < <(nic_events "$n" "$n" "$FATAL")
		status_is 0
		[ ${#stderr_lines[@]} -eq 1 ]
		[[ $stderr = "emit: warning: sink $SINK: event t-$n refused: "*"$code"*"never"*": kept as a dead letter" ]]
		n=$((n + 1))
	done
	run --separate-stderr timeout 20 emit --sink "$SINK" --spool "$T/spool" < <(nic_events \
		"$n" "$n" "$FATAL")
	status_is 0
	[ "$(received pc)" = "t-$n" ]
	[ "$(sqlite3 "$T/spool" 'SELECT event_id FROM dead_letter ORDER BY number')" \
		= "$(ids 1 $((n - 1)))" ]
	[ "$(sqlite3 "$T/spool" "SELECT refused FROM sink")" = $((n - 1)) ]
}

@test "a server that returns UNKNOWN gets the same events again until it accepts them" {
	connected
	behave pc exception 'status UNKNOWN what now' exception ok
	run --separate-stderr timeout 20 emit --sink "$SINK" --spool "$T/spool" < <(nic_events 1 9 \
		"$FATAL")
	status_is 0
	[[ ${stderr_lines[0]} = "emit: warning: sink $SINK: UNKNOWN"*": retrying" ]]
	[ "${stderr_lines[1]}" = "emit: note: sink $SINK: delivering again" ]
	[ ${#stderr_lines[@]} -eq 2 ]
	[ "$(received pc)" = "$(ids 1 9)" ]
	[ "$(sqlite3 "$T/spool" 'SELECT count(*) FROM dead_letter')" -eq 0 ]
}

@test "an event that makes the server fail holds up only later events; after --retry-unknown it is a dead letter" {
	connected
	behave pc 'poison ^t-5$ UNKNOWN'
	fed_emit --sink "$SINK" --spool "$T/spool" --retry-unknown 3s --batch-window 100ms
	feed 1 9
	wait_until 10 has_received 4 pc
	feed 10 10 "$FATAL"
	[ "$(received pc)" = "$(ids 1 4)" ]
	wait_until 40 has_received 9 pc
	# In order, without that event.
	[ "$(received pc)" = "$(ids 1 10 | grep -v -x t-5)" ]
	end_feed
	ends_with 0 "$EMIT"
	says 1 "^emit: warning: sink $SINK: event t-5 refused: UNKNOWN: .*, for [0-9]+ s: kept as a dead letter$"
	[ "$(sqlite3 "$T/spool" 'SELECT event_id FROM dead_letter')" = t-5 ]
	# Not before --retry-unknown is over.
	[ "$(logged pc 'select(.kind == "event" and .id == "t-5")' | jq -s 'length > 3')" = true ]
	[ "$(sqlite3 "$T/spool" "SELECT spent_ns >= 3000000000 FROM doubt")" -eq 1 ]
}

@test "the time that an event was tried continues after a restart" {
	connected
	behave pc 'status UNKNOWN what now'
	spent() { sqlite3 -readonly -cmd '.timeout 5000' "$T/spool" 'SELECT spent_ns FROM doubt'; }
	has_spent() { [ "$(spent)" -gt "$1" ]; }
	fed_emit --sink "$SINK" --spool "$T/spool"
	feed 1 1 "$FATAL"
	wait_until 20 has_spent 300000000
	kill -KILL "$EMIT"
	wait_until 10 is_gone "$EMIT"
	end_feed
	local before
	before=$(spent)
	# An event that was tried that long gets at most one attempt.
	run --separate-stderr timeout 20 emit --sink "$SINK" --spool "$T/spool" \
		--retry-unknown 300ms </dev/null
	status_is 0 "^emit: warning: sink $SINK: event t-1 refused: UNKNOWN: what now, for [0-9]+ s: kept as a dead letter$"
	[ ${#stderr_lines[@]} -eq 1 ]
	[ "$(spent)" -eq "$before" ]
}

@test "with --retry-unknown 0s UNKNOWN rejects at once" {
	connected
	behave pc 'status UNKNOWN what now' ok
	run --separate-stderr timeout 20 emit --sink "$SINK" --spool "$T/spool" --retry-unknown 0s \
		--batch-max 1 < <(nic_events 1 2 "$FATAL")
	status_is 0 "^emit: warning: sink $SINK: event t-1 refused: UNKNOWN: what now, for 0 s: kept as a dead letter$"
	[ "$(received pc)" = t-2 ]
}

@test "without a spool a rejected event is reported, and emit exits 69" {
	connected
	behave pc "late-status INVALID_ARGUMENT never" ok
	run --separate-stderr timeout 20 emit --sink "$SINK" \
		--batch-max 1 < <(nic_events 1 3 "$FATAL")
	status_is 69 "^emit: error: sink $SINK: events refused: 1$"
	[[ ${stderr_lines[0]} = "emit: warning: sink $SINK: event t-1 refused: "*INVALID_ARGUMENT*never*": dropped: there is no spool to keep it in" ]]
	[ ${#stderr_lines[@]} -eq 2 ]
	[ "$(received pc)" = "$(ids 2 3)" ]
}

@test "the warning has the server's message, decoded, without control characters, and truncated" {
	connected
	behave pc $'late-status INVALID_ARGUMENT caf\xc3\xa9 100% \e[31mred' \
		"status INVALID_ARGUMENT $(printf '%04000d' 0)" ok
	run --separate-stderr timeout 20 emit --sink "$SINK" \
		--batch-max 1 < <(nic_events 1 3 "$FATAL")
	status_is 69
	[[ ${stderr_lines[0]} = *"café 100% "*"[31mred"* ]]
	[[ $stderr != *$'\e'* ]]
	[ ${#stderr_lines[@]} -eq 3 ]
	[ ${#stderr_lines[1]} -lt 600 ]
	[ "$(received pc)" = t-3 ]
}

# --- rejected events in a batch ---

# all_but POISONED... - send 100 events in one batch of which these are rejected, and check that all
# others arrive in order and once.
all_but() {
	local poison
	poison="^t-($(tr ' ' '|' <<<"$*"))\$"
	behave pc "poison $poison"
	run --separate-stderr timeout 30 emit --sink "$SINK" --flush-timeout 20s \
		--spool "$T/spool" < <(nic_events 1 100)
	status_is 0
	cmp <(received pc) <(ids 1 100 | grep -v -E -- "$poison")
	[ ${#stderr_lines[@]} -eq $# ]
	[ "$(sed -E 's/.*: event ([^ ]*) refused: .*INVALID_ARGUMENT.*: kept as a dead letter$/\1/' <<<"$stderr")" = "$(printf 't-%s\n' "$@")" ]
	[ "$(sqlite3 "$T/spool" 'SELECT event_id FROM dead_letter ORDER BY number')" \
		= "$(printf 't-%s\n' "$@")" ]
}

@test "a rejected event in the middle of a batch of 100 is a dead letter; all others arrive in order, once" {
	connected
	all_but 50
	# emit halved the batch instead of sending events one by one.
	[ "$(logged pc 'select(.kind == "call") | .events' | head -n 1)" -eq 100 ]
	[ "$(logged pc 'select(.kind == "call") | .call' | wc -l)" -lt 20 ]
	dead_letters "$T/spool" >"$T/letters"
	grep -q t-50 "$T/letters"
	[ "$(sqlite3 "$T/spool" 'SELECT record FROM dead_letter')" = "$(nic_events 50 50)" ]
}

@test "rejected events at both ends of a batch and side by side are dead letters; all others arrive" {
	connected
	all_but 1 2 33 34 35 99 100
}

@test "an event that NVSentinel rejects because of its node is a dead letter; all others arrive" {
	connected
	behave pc 'node gpu-1'
	run --separate-stderr timeout 30 emit --sink "$SINK" --flush-timeout 20s \
		--spool "$T/spool" < <(nic_events 1 9 '.nodeName =
			if .seq == 2 then "localhost" else "gpu-1" end | .isFatal = true')
	status_is 0
	cmp <(received pc) <(ids 1 9 | grep -v -x t-2)
	[ "${#stderr_lines[@]}" -eq 1 ]
	stderr_has 'event t-2 refused: PERMISSION_DENIED: event [0-9]+: caller may only report health events for node "gpu-1", got "localhost"'
	[ "$(sqlite3 "$T/spool" 'SELECT event_id FROM dead_letter')" = t-2 ]
}

@test "a batch of rejected events becomes dead letters, and the next event is delivered" {
	connected
	behave pc 'poison ^t-([1-9]|10)$'
	fed_emit --sink "$SINK" --spool "$T/spool"
	feed 1 10 "$FATAL"
	wait_until 10 says 10 refused
	feed 11 11 "$FATAL"
	wait_until 10 has_received 1 pc
	[ "$(received pc)" = t-11 ]
	end_feed
	ends_with 0 "$EMIT"
}

@test "a server that is busy while a batch is halved gets every event" {
	connected
	behave pc 'poison ^t-50$' 'poison ^t-50$' 'status UNAVAILABLE busy' 'poison ^t-50$' \
		'status INTERNAL oops' 'poison ^t-50$'
	run --separate-stderr timeout 30 emit --sink "$SINK" --spool "$T/spool" \
		--flush-timeout 20s < <(nic_events 1 100)
	status_is 0
	cmp <(received pc) <(ids 1 100 | grep -v -x t-50)
	[ "$(sqlite3 "$T/spool" 'SELECT event_id FROM dead_letter')" = t-50 ]
}

@test "a server that accepts at most 7 events at a time gets all of them, in order" {
	connected
	behave pc 'largest 7'
	run --separate-stderr timeout 30 emit --sink "$SINK" --flush-timeout 20s < <(nic_events 1 \
		300)
	status_is 0
	[ "$stderr" = "" ]
	cmp <(received pc) <(ids 1 300)
}

# --- slow and dead servers ---

@test "a call that takes longer than --request-timeout is repeated" {
	connected
	behave pc hang ok
	run --separate-stderr timeout 30 emit --sink "$SINK" --request-timeout 2s \
		--flush-timeout 20s < <(nic_events 1 3 "$FATAL")
	status_is 0
	[ ${#stderr_lines[@]} -eq 2 ]
	[[ ${stderr_lines[0]} = "emit: warning: sink $SINK: "*": retrying" ]]
	[ "$(received pc)" = "$(ids 1 3)" ]
	[ "$(logged pc 'select(.kind == "event" and .call == 1) | .id')" = "$(ids 1 3)" ]
}

@test "emit waits for a slow call without repeating it, and sends later events in the next" {
	connected
	behave pc 'hang 1' ok
	fed_emit --sink "$SINK"
	feed 1 1 "$FATAL"
	wait_until 10 has_logged 1 pc '.kind == "call"'
	feed 2 4 "$FATAL"
	end_feed
	ends_with 0 "$EMIT"
	[ ! -s "$T/emit.err" ]
	[ "$(received pc)" = "$(ids 1 4)" ]
	[ "$(logged pc 'select(.kind == "call") | .events' | xargs)" = "1 3" ]
}

@test "a server that dies twice and returns gets every event in order" {
	connected
	fed_emit --sink "$SINK" --flush-timeout 30s
	local round
	for round in 0 1; do
		feed $((round * 4 + 1)) $((round * 4 + 2)) "$FATAL"
		wait_until 20 has_received $((round * 4 + 2)) pc
		wait_until 10 says "$round" 'delivering again'
		kill -KILL "$CONNECTOR"
		wait_until 10 is_gone "$CONNECTOR"
		feed $((round * 4 + 3)) $((round * 4 + 4)) "$FATAL"
		wait_until 10 says $((round + 1)) "^emit: warning: sink $SINK: .*: retrying$"
		connected
		wait_until 30 has_received $((round * 4 + 4)) pc
	done
	end_feed
	ends_with 0 "$EMIT"
	[ "$(received pc)" = "$(ids 1 8)" ]
	says 2 "^emit: note: sink $SINK: delivering again$"
	says 4 ''
}

@test "10,000 events of an outage arrive in order and once when the server returns" {
	nic_events 1 10000 >"$T/in"
	started emit emit --sink "$SINK" --spool "$T/spool" --flush-timeout 60s "$T/in"
	EMIT=$PID
	wait_until 20 says 1 'retrying'
	connected
	ends_with 0 "$EMIT" 60
	cmp <(received pc) <(ids 1 10000)
}

@test "at the end emit gives up a dead server: the spool keeps the events; without one emit exits 69" {
	run --separate-stderr timeout 20 emit --sink "$SINK" --flush-timeout 300ms < <(nic_events \
		1 3)
	status_is 69 "^emit: error: sink $SINK: 3 events not delivered$"
	[ ${#stderr_lines[@]} -eq 2 ]
	run --separate-stderr timeout 20 emit --sink "$SINK" --spool "$T/spool" \
		--flush-timeout 300ms < <(nic_events 1 3)
	status_is 0 "^emit: note: sink $SINK: 3 events not delivered yet: kept in the spool$"
	[ ${#stderr_lines[@]} -eq 2 ]
	connected
	run --separate-stderr timeout 20 emit --sink "$SINK" --spool "$T/spool" < <(nic_events 4 4)
	status_is 0
	[ "$stderr" = "" ]
	[ "$(received pc)" = "$(ids 1 4)" ]
}

# --- servers that violate the protocol ---

# high_water_kib PID - print its peak memory in KiB.
high_water_kib() { sed -n 's/^VmHWM:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$1/status"; }

# goes_on_trying BEHAVIOUR... - check that emit warns once and retries a server with this behaviour,
# within bounded memory, and delivers once the server works.
goes_on_trying() {
	local behaviour raw
	for behaviour in "$@"; do
		rm -f "$T/raw.log"
		behave raw "$behaviour"
		start_rawserver raw "unix:$T/raw.sock"
		raw=$PID
		fed_emit --sink "grpc:unix://$T/raw.sock" --request-timeout 500ms \
			--flush-timeout 20s
		feed 1 2 "$FATAL"
		wait_until 10 has_logged 2 raw '.kind == "connection"'
		feed 3 3 "$FATAL"
		wait_until 10 says 1 \
			"^emit: warning: sink grpc:unix://$T/raw.sock: .*: retrying$"
		[ "$(high_water_kib "$EMIT")" -lt "${MOST_KIB:-131072}" ]
		behave raw 'h2-trailers grpc-status=0'
		end_feed
		ends_with 0 "$EMIT" || { echo "after: $behaviour" >&2 && return 1; }
		says 1 'delivering again'
		says 2 ''
		kill -TERM "$raw"
		ends_with 0 "$raw"
	done
}

@test "emit retries after closed, reset and silent connections and garbage" {
	goes_on_trying close reset hang hang-after garbage
}

@test "emit retries after HTTP/1.1 responses and endless headers or bodies" {
	goes_on_trying half 'http 200 ok' 'http 505 what' endless-header endless-body
}

@test "emit retries after HTTP/2 without a valid gRPC status, with another HTTP status, or without an end" {
	goes_on_trying h2-status 'h2-status grpc-status=banana' 'h2-trailers x=y' 'h2-http 503' \
		'h2-http 404' h2-half
}

@test "emit retries after the server ends a stream or the connection" {
	goes_on_trying 'h2-rst REFUSED_STREAM' 'h2-rst CANCEL' 'h2-goaway NO_ERROR' \
		'h2-goaway ENHANCE_YOUR_CALM'
}

@test "emit retries after endless HTTP/2 responses" {
	goes_on_trying h2-garbage h2-endless-header h2-endless-body h2-endless-interim
}

@test "a server that closes the connection after each response, like some proxies, causes no message" {
	behave raw h2-leave
	start_rawserver raw "unix:$T/raw.sock"
	fed_emit --sink "grpc:unix://$T/raw.sock"
	local n
	for n in 1 2 3; do
		feed "$n" "$n" "$FATAL"
		wait_until 10 has_logged "$n" raw '.kind == "closed"'
	done
	end_feed
	ends_with 0 "$EMIT"
	[ ! -s "$T/emit.err" ]
	[ "$(logged raw 'select(.kind == "connection") | .connection' | xargs)" = "1 2 3" ]
}

# Some versions of libcurl lose the status of a response after GOAWAY: then emit sends the events
# again.
@test "after GOAWAY with a response emit uses another connection" {
	behave raw h2-last 'h2-trailers grpc-status=0'
	start_rawserver raw "unix:$T/raw.sock"
	fed_emit --sink "grpc:unix://$T/raw.sock" --flush-timeout 20s
	feed 1 1 "$FATAL"
	wait_until 10 has_logged 1 raw '.kind == "connection"'
	feed 2 2 "$FATAL"
	end_feed
	ends_with 0 "$EMIT"
	[ "$(logged raw .connection | sort -u | wc -l)" -eq 2 ]
}

@test "when a working server replaces one that violates the protocol, all events arrive in order" {
	behave raw 'h2-http 502' garbage 'h2-rst INTERNAL_ERROR' hang
	start_rawserver raw "unix:$SOCKET"
	local raw=$PID
	fed_emit --sink "$SINK" --request-timeout 300ms --flush-timeout 30s
	feed 1 150 "$FATAL"
	wait_until 20 has_logged 4 raw '.kind == "connection"'
	kill -TERM "$raw"
	ends_with 0 "$raw"
	connected
	feed 151 151 "$FATAL"
	end_feed
	ends_with 0 "$EMIT" 60
	# At least once: the working server, too, may take longer than the timeout.
	[ "$(received pc | awk '!seen[$0]++')" = "$(ids 1 151)" ]
}

#!/usr/bin/env bats
# emit-spool: emit with a spool delivers every stored event to each sink, in order, whichever
# process is killed.
# shellcheck disable=SC2030,SC2031,SC2154 # each test is a subshell, and bats sets stderr
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

# --- outages ---

@test "10,000 events of an outage arrive in order and once, although emit was stopped and killed meanwhile" {
	nic_events 1 10000 >"$T/in"
	# One emit ends normally, one is killed, one finds the listener.
	sed -n 1,4000p "$T/in" | emit_once --spool "$SPOOL" --sink "unix:$S" --flush-timeout 0
	said 1 "^emit: note: sink unix:$S: 4000 events not delivered yet: kept in the spool$"
	fed_emit --spool "$SPOOL" --sink "unix:$S"
	sed -n 4001,8000p "$T/in" >&8
	wait_until 20 has_lines 4000 "$T/taken"
	killed "$EMIT"
	fed_emit --spool "$SPOOL" --sink "unix:$S"
	sed -n 8001,10000p "$T/in" >&8
	wait_until 20 has_lines 2000 "$T/taken"
	listen_unix late "$S"
	wait_until 20 has_lines 10000 "$T/late.got"
	end_feed
	ends_with 0 "$EMIT"
	cmp "$T/in" "$T/late.got"
}

@test "while one of three sinks is down the others get all events; it gets them later, in order" {
	local port sinks
	port=$(free_port)
	listen_unix up "$S"
	sinks=(--sink "file:$T/file" --sink "unix:$S" --sink "tcp:127.0.0.1:$port")
	nic_events 1 50 | emit_once --spool "$SPOOL" "${sinks[@]}" --flush-timeout 2s
	said 1 "note: sink tcp:127.0.0.1:$port: 50 events not delivered yet: kept in the spool"
	said 2 ''
	holds "$T/file" 1 50
	wait_until 10 has_lines 50 "$T/up.got"
	# A run without this sink does not forget it.
	nic_events 51 60 | emit_once --spool "$SPOOL" "${sinks[@]:0:4}"
	listen_tcp late "$port"
	nic_events 61 70 | emit_once --spool "$SPOOL" "${sinks[@]}"
	said 0 ''
	wait_until 10 has_lines 70 "$T/late.got"
	wait_until 10 has_lines 70 "$T/up.got"
	holds "$T/late.got" 1 70
	holds "$T/up.got" 1 70
	holds "$T/file" 1 70
}

@test "a sink that is new to the spool gets no old events" {
	nic_events 1 5 | emit_once --spool "$SPOOL" --sink "file:$T/old"
	nic_events 6 8 | emit_once --spool "$SPOOL" --sink "file:$T/old" --sink "file:$T/new"
	holds "$T/old" 1 8
	holds "$T/new" 6 8
}

# began - print after which event each sink of the spool began
began() { nichist --spool "$SPOOL" --standing --format json |
	jq -r --arg t "$T/" 'select(.kind == "sink") | "\(.name | sub($t; "")) \(.began_after)"'; }

@test "the spool has the event after which each sink began, also of a sink that leaves and comes back" {
	local old=(--sink "file:$T/old") new=(--sink "file:$T/new")
	nic_events 1 5 | emit_once --spool "$SPOOL" "${old[@]}"
	nic_events 6 8 | emit_once --spool "$SPOOL" "${old[@]}" "${new[@]}"
	diff <(began) <(printf '%s\n' 'file:new 5' 'file:old 0')
	nic_events 9 10 | emit_once --spool "$SPOOL" "${old[@]}"
	nic_events 11 11 | emit_once --spool "$SPOOL" "${old[@]}" "${new[@]}"
	diff <(began) <(printf '%s\n' 'file:new 5' 'file:old 0')
	# A damaged spool is imported, and a new sink begins after what was in it.
	sqlite3 "$SPOOL" 'DROP TABLE source'
	emit_once --spool "$SPOOL" "${old[@]}" "${new[@]}" --sink "file:$T/newer" </dev/null
	said 1 'moved to'
	diff <(began) <(printf '%s\n' 'file:new 5' 'file:newer 11' 'file:old 0')
	# The spool of an older emit does not have the number.
	sqlite3 "$SPOOL" 'ALTER TABLE sink DROP COLUMN began_after'
	diff <(began) <(printf '%s\n' 'file:new 0' 'file:newer 0' 'file:old 0')
	sqlite3 "$SPOOL" 'DROP TABLE source'
	emit_once --spool "$SPOOL" "${old[@]}" "${new[@]}" --sink "file:$T/newest" </dev/null
	said 1 'moved to'
	diff <(began) <(printf '%s\n' 'file:new 0' 'file:newer 0' 'file:newest 11' 'file:old 0')
}

@test "nichist marks a sink that is no longer configured, but not one that is down" {
	local down=(--sink "unix:$S") left=(--sink "file:$T/left") other=(--sink "file:$T/other")
	# not_in_use - print the sinks that nichist marks.
	not_in_use() {
		nichist --spool "$SPOOL" --standing | sed -n 's/.* \(.*\) (not in the configuration)/\1/p'
		nichist --spool "$SPOOL" --standing --format json |
			jq -r 'select(.kind == "sink" and (.in_use | not)).name'
	}
	nic_events 1 5 | emit_once --spool "$SPOOL" "${down[@]}" "${left[@]}" --flush-timeout 0
	[ -z "$(not_in_use)" ]
	nic_events 6 7 | emit_once --spool "$SPOOL" "${down[@]}" "${other[@]}" --flush-timeout 0
	[ "$(not_in_use)" = "file:$T/left"$'\n'"file:$T/left" ]
	# The same when no event came for any of them.
	emit_once --spool "$SPOOL" "${down[@]}" "${left[@]}" --flush-timeout 0 </dev/null
	[ "$(not_in_use)" = "file:$T/other"$'\n'"file:$T/other" ]
	holds "$T/left" 1 7
	# A spool of an older emit.
	sqlite3 "$SPOOL" 'ALTER TABLE sink DROP COLUMN opening'
	[ -z "$(not_in_use)" ]
	[ "$(nichist --spool "$SPOOL" --standing --format json | jq -s 'map(select(.in_use)) | length')" = 3 ]
}

@test "a recovery never overtakes a non-fatal event, in a stream or in batches" {
	local changing='if .seq % 7 == 0 then .isHealthy = true | .recommendedAction = "NONE" elif .seq % 5 == 0 then .isFatal = true else . end'
	start_webhook hook
	nic_events 1 500 "$changing" | emit_once --spool "$SPOOL" --sink "http://$ADDRESS/" \
		--sink "file:$T/stream" --batch-max 30
	said 0 ''
	holds "$T/stream" 1 500 "$changing"
	diff <(received hook) <(ids 1 500)
}

# --- once ---

@test "the same event is stored and delivered once, in one run and across runs" {
	{ nic_events 1 3; nic_events 2 4; } | emit_once --spool "$SPOOL" --sink "file:$T/got"
	nic_events 1 6 | emit_once --spool "$SPOOL" --sink "file:$T/got"
	{ nic_events 6 6; nic_events 3 3; } | emit_once --spool "$SPOOL" --sink "file:$T/got" \
		--acks "$ACKS"
	holds "$T/got" 1 6
	has_stored 1 6
	acked 6
}

@test "events without source or seq are all accepted, since they cannot be recognised" {
	local event='{"kind":"event","id":"x","nodeName":"n","processingStrategy":"STORE_ONLY"}'
	printf '%s\n' "$event" "$event" "${event%\}},\"source\":\"t\"}" "${event%\}},\"seq\":1}" \
		"$event" >"$T/in"
	emit_once --spool "$SPOOL" --sink "file:$T/got" <"$T/in"
	emit_once --spool "$SPOOL" --sink "file:$T/got" <"$T/in"
	cmp <(cat "$T/in" "$T/in") "$T/got"
	[ "$(query 'SELECT count(*) FROM event')" -eq 10 ]
}

@test "a second emit on the same spool exits 75 at once, and the first continues" {
	fed_emit --spool "$SPOOL"
	feed 1 2
	run --separate-stderr timeout 20 emit --spool "$SPOOL" < <(nic_events 9 9)
	status_is 75 "^emit: error: spool $SPOOL: another process delivers from it$"
	[ "$output" = "" ]
	[ ${#stderr_lines[@]} -eq 1 ]
	feed 3 4
	end_feed
	ends_with 0 "$EMIT"
	[ ! -s "$T/emit.err" ]
	has_stored 1 4
}

# --- ends ---

@test "on SIGTERM with a dead sink emit exits 0, and the spool keeps the events" {
	fed_emit --spool "$SPOOL" --sink "unix:$S" --flush-timeout 100ms
	feed 1 3
	kill -TERM "$EMIT"
	ends_with 0 "$EMIT"
	says 1 "^emit: note: sink unix:$S: 3 events not delivered yet: kept in the spool$"
	says 0 error
	has_stored 1 3
}

@test "an emit that is killed repeatedly loses no event and stores each once; a sink sees repeats with equal ids" {
	local next=1 round
	nic_events 1 1000 >"$T/in"
	# Write again what is not acknowledged, as writers do.
	for round in {1..12}; do
		fed_emit --spool "$SPOOL" --acks "$ACKS" --sink "file:$T/got"
		tail -n +"$next" "$T/in" | head -n $((round * 10)) >&8
		# Kill at different moments, sometimes after all events arrived.
		[ $((round % 3)) -ne 0 ] || wait_until 10 acked $((next - 1 + round * 10))
		[ $((round % 3)) -ne 1 ] || wait_until 10 test -s "$T/got"
		killed "$EMIT"
		end_feed
		[ ! -e "$ACKS" ] || next=$(($(jq '.acks.t // 0' "$ACKS") + 1))
		[ ! -e "$SPOOL" ] || [ "$(query 'SELECT count(*) FROM event')" -ge $((next - 1)) ]
	done
	[ "$next" -gt 100 ]
	tail -n +"$next" "$T/in" | emit_once --spool "$SPOOL" --acks "$ACKS" --sink "file:$T/got"
	has_stored 1 1000
	acked 1000
	cmp "$T/in" <(awk '!seen[$0]++' "$T/got")
}

@test "--kill-at store: events that are stored but not acknowledged come again, and are stored and delivered once" {
	fed_emit --spool "$SPOOL" --acks "$ACKS" --sink "file:$T/got" --kill-at store
	nic_events 1 3 >&8
	ends_with 137 "$EMIT"
	end_feed
	acked 0
	has_stored 1 3
	[ ! -s "$T/got" ]
	fed_emit --spool "$SPOOL" --acks "$ACKS" --sink "file:$T/got" --kill-at store:2
	nic_events 1 4 >&8
	wait_until 10 acked 4
	nic_events 5 5 >&8
	ends_with 137 "$EMIT"
	end_feed
	acked 4
	nic_events 5 6 | emit_once --spool "$SPOOL" --acks "$ACKS" --sink "file:$T/got"
	has_stored 1 6
	acked 6
	cmp <(nic_events 1 6) <(awk '!seen[$0]++' "$T/got")
}

@test "--kill-at send: events that a sink got but the spool did not record are sent again with equal ids" {
	fed_emit --spool "$SPOOL" --acks "$ACKS" --kill-at send
	nic_events 1 5 >&8
	ends_with 137 "$EMIT"
	end_feed
	acked 5
	holds "$T/taken" 1 5
	nic_events 6 7 | emit_once --spool "$SPOOL" --acks "$ACKS" --sink "file:$T/taken"
	has_stored 1 7
	cmp <(nic_events 1 5; nic_events 1 7) "$T/taken"
}

# --- acks ---

@test "emit acknowledges exactly the stored events of each source" {
	{ nic_events 1 4; nic_events 1 2 '.source = "other"'; nic_events 1 1 'del(.source)'; \
		} >"$T/in"
	emit_once --spool "$SPOOL" --acks "$ACKS" --sink "unix:$S" --flush-timeout 0 <"$T/in"
	jq -e '{version, acks} == {"version":1,"acks":{"t":4,"other":2}}' "$ACKS"
	[[ $(receiver) =~ ^[0-9a-f]{16}$ ]]
	[ "$(stat -c %a "$ACKS")" = 640 ]
	# A lost acks file, as after a boot clears /run, is rebuilt from the spool.
	rm "$ACKS"
	emit_once --spool "$SPOOL" --acks "$ACKS" --sink "file:$T/got" </dev/null
	jq -e '.acks == {"t":4,"other":2}' "$ACKS"
}

@test "a new spool in place of a lost one does not accept acknowledged events again" {
	nic_events 1 4 | emit_once --spool "$SPOOL" --acks "$ACKS" --sink "file:$T/got"
	rm "$SPOOL"*
	nic_events 4 6 | emit_once --spool "$SPOOL" --acks "$ACKS" --sink "file:$T/got"
	holds "$T/got" 1 6
	has_stored 5 6
	acked 6
}

@test "the receiver gets a new name at each start and after a damaged line" {
	local first second
	fed_emit --spool "$SPOOL" --acks "$ACKS"
	wait_until 10 test -e "$ACKS"
	first=$(receiver)
	feed 1 1
	wait_until 10 acked 1
	[ "$(receiver)" = "$first" ]
	echo '{"kind":"event","id":"to' >&8
	feed 2 2
	wait_until 10 acked 2
	second=$(receiver)
	[ "$second" != "$first" ]
	end_feed
	ends_with 0 "$EMIT"
	emit_once --spool "$SPOOL" --acks "$ACKS" --sink "file:$T/got" </dev/null
	[ "$(receiver)" != "$second" ]
}

@test "after a start an event waits for the missing earlier ones, and the order is kept" {
	{ nic_events 3 4; nic_events 1 1 '.source = "other"'; } >"$T/first"
	nic_events 1 2 >"$T/missing"
	fed_emit --spool "$SPOOL" --acks "$ACKS"
	# emit waits 10 s for missing events.
	cat "$T/first" >&8
	wait_until 10 acked 1 other
	acked 0
	[ "$(wc -l <"$T/taken")" -eq 1 ]
	cat "$T/missing" >&8
	wait_until 5 acked 4
	wait_until 5 has_lines 5 "$T/taken"
	cmp <(nic_events 1 1 '.source = "other"'; nic_events 1 4) "$T/taken"
	end_feed
	ends_with 0 "$EMIT"
	[ ! -s "$T/emit.err" ]
}

@test "a waiting event that comes a second time is accepted at once: nothing before it will come" {
	{ nic_events 3 4; nic_events 3 4; } >"$T/twice"
	fed_emit --spool "$SPOOL" --acks "$ACKS"
	cat "$T/twice" >&8
	# An event is acknowledged when nothing earlier will come.
	wait_until 8 acked 4
	[ ! -s "$T/emit.err" ]
	wait_until 5 has_lines 2 "$T/taken"
	end_feed
	ends_with 0 "$EMIT"
	holds "$T/taken" 3 4
	has_stored 3 4
}

# Thorough: sinks
@test "after 10 s an event no longer waits for missing ones: it is stored but not acknowledged, since they may still come" {
	fed_emit --spool "$SPOOL" --acks "$ACKS"
	nic_events 3 4 >&8
	wait_until 14 has_lines 2 "$T/taken"
	says 1 'warning: source t: events 1 to 2 are missing: no longer waiting for them'
	has_stored 3 4
	acked 0
	nic_events 1 2 >&8
	wait_until 5 acked 4
	end_feed
	ends_with 0 "$EMIT"
	diff <(came "$T/taken") <(printf 't-%d\n' 3 4 1 2)
}

@test "a node that boots with another name has no active conditions of its former name" {
	local node
	for node in localhost gpu-42; do
		echo "boot of $node" >"$T/boot"
		nic_events 1 1 "$FATAL | .nodeName = \"$node\" | .source = \"$node\"" |
			emit_once --spool "$SPOOL" --boot-id-file "$T/boot" --node "$node"
	done
	[ "$(nichist --spool "$SPOOL" --standing --format json |
		jq -r 'select(.kind == "condition") | .nodeName')" = gpu-42 ]
	[ "$(query 'SELECT closed_by FROM condition WHERE closed')" = reboot ]
}

#!/usr/bin/env bats
# emit-grpc: emit --sink grpc:... delivers every field to a real gRPC server, in batches.
# (emit-trouble.bats tests failures.)
# Thorough: sinks
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() {
	load lib/servers
	load lib/emit
	T=$BATS_TEST_TMPDIR
}

teardown() {
	exec 8>&-
	end_background
	nothing_survives
}

# connected - start a strict connector named `pc`. Set SINK.
connected() {
	start_connector pc 127.0.0.1:0 --strict
	SINK=grpc:http://$ADDRESS
}

# batches - print the number of events in each call.
batches() { logged pc 'select(.kind == "call") | .events' | xargs; }

# same_as_records FILE - check that the connector accepted exactly the file's records, field by
# field.
same_as_records() {
	diff <(jq -c -S '.metadata.event_id = .id | .id = "" | del(.kind, .source, .seq)
		| .generatedTimestamp |= (capture("^(?<s>[^.]*)(\\.(?<f>[0-9]*))?Z$")
		| .s + "." + (((.f // "") + "000000000")[:9]) + "Z")' "$1") \
		<(logged pc 'select(.kind == "event" and .answer == "OK") | .event' | jq -c -S .)
	[ "$(logged pc 'select(.kind == "event") | .unknown_fields[]')" = "" ]
}

@test "every field of the record arrives unchanged" {
	connected
	{
		nic_events 1 1
		nic_events 2 2 "$FATAL | .errorCode = [\"link_downed\", \"saturated\"]"
		nic_events 3 3 "$HEALTHY | .errorCode = [] | .metadata = {} | .entitiesImpacted = []"
		nic_events 4 4 '.message = "Ω ≠ \u0001 \"…\" \\ 🦀\n\ttab" | .nodeName = "gpu-ü"
			| .checkName = "Çheck" | .agent = "ägent" | .componentClass = "NIC/é"'
		nic_events 5 5 '.metadata = ([range(50) | { key: "schlüssel \(.)", value: "wert \(.) \"…\"" }] | from_entries) + { "": "", "leer": "" }'
		nic_events 6 6 '.entitiesImpacted = [range(40) | { entityType: "NICPort", entityValue: "\(.)" }] | .errorCode = [range(40) | "code \(.)"]'
		nic_events 7 7 '.message = ""'
		nic_events 8 8 '.quarantineOverrides = {force: true, skip: false}
			| .drainOverrides = {force: false, skip: true}
			| .customRecommendedAction = "reseat the cable"'
	} >"$T/records"
	run --separate-stderr timeout 20 emit --sink "$SINK" "$T/records"
	status_is 0
	[ "$output" = "" ]
	[ "$stderr" = "" ]
	same_as_records "$T/records"
	[ ! -s "$T/pc.err" ]
}

@test "every action and strategy arrives as itself, and an unknown one as UNKNOWN or UNSPECIFIED" {
	start_connector pc
	local actions='["NONE","COMPONENT_RESET","CONTACT_SUPPORT","RUN_FIELDDIAG","RESTART_VM","RESTART_BM","REPLACE_VM","RUN_DCGMEUD","CUSTOM","REMEDIATE","UNKNOWN"]'
	local strategies='["EXECUTE_REMEDIATION","STORE_ONLY","STORE_AND_ANALYSE"]'
	{
		nic_events 1 11 ".recommendedAction = ${actions}[.seq - 1]"
		nic_events 12 14 ".processingStrategy = ${strategies}[.seq - 12]"
	} >"$T/records"
	nic_events 15 15 '.recommendedAction = "DANCE" | .processingStrategy = "SOMETHING_NEW"' \
		>"$T/strange"
	run --separate-stderr timeout 20 emit --sink "grpc:http://$ADDRESS" "$T/records" \
		"$T/strange"
	status_is 0
	[ "$stderr" = "" ]
	jq '.recommendedAction = "UNKNOWN" | .processingStrategy = "UNSPECIFIED"' \
		"$T/strange" >>"$T/records"
	same_as_records "$T/records"
}

@test "a time arrives to the nanosecond, with any number of digits, before 2001 and after 2038" {
	connected
	local time n=0
	for time in 2026-01-02T03:04:05Z 2026-01-02T03:04:05.6Z 2026-01-02T03:04:05.678Z \
		2026-01-02T03:04:05.678901Z 2026-01-02T03:04:05.678901234Z \
		2026-01-02T03:04:05.000000001Z 2024-02-29T23:59:59.999999999Z \
		1999-12-31T23:59:59.5Z 2100-03-01T00:00:00.25Z; do
		n=$((n + 1))
		nic_events "$n" "$n" ".generatedTimestamp = \"$time\""
	done >"$T/records"
	run --separate-stderr timeout 20 emit --sink "$SINK" "$T/records"
	status_is 0
	[ "$stderr" = "" ]
	same_as_records "$T/records"
}

@test "a missing or mistyped field arrives as its default, and metadata that is not text as JSON" {
	start_connector pc
	cat >"$T/in" <<-'END'
		{"kind":"event","id":"x-1","nodeName":"n","processingStrategy":"STORE_ONLY"}
		{"kind":"event","id":"x-2","nodeName":"n","processingStrategy":"STORE_ONLY","version":"one","agent":7,"isFatal":"yes","errorCode":"link_downed","entitiesImpacted":{"NIC":"mlx5_0"},"metadata":["a"],"generatedTimestamp":12,"message":null,"recommendedAction":25}
		{"kind":"event","id":"x-3","nodeName":"n","processingStrategy":"STORE_ONLY","metadata":{"number":7,"list":[1,"é"],"none":null,"yes":true,"text":"as it is"}}
	END
	run --separate-stderr timeout 20 emit --sink "grpc:http://$ADDRESS" "$T/in"
	status_is 0
	[ "$(received pc | xargs)" = "x-1 x-2 x-3" ]
	local bare='{ agent: "", checkName: "", componentClass: "", entitiesImpacted: [],
		errorCode: [], generatedTimestamp: null, isFatal: false, isHealthy: false,
		id: "", message: "", metadata: {}, nodeName: "n",
		processingStrategy: "STORE_ONLY", version: 0 }'
	[ "$(logged pc "select(.kind == \"event\" and .id != \"x-3\") | .event
		| del(.metadata.event_id, .recommendedAction) | . == $bare" | xargs)" \
		= "true true" ]
	[ "$(logged pc 'select(.kind == "event" and .id == "x-3") | .event.metadata | [.number, .list, .none, .yes, .text] | @json')" = \
		'["7","[1,\"é\"]","null","true","as it is"]' ]
}

@test "the fields that emit fills in arrive" {
	connected
	nic_events 1 1 'del(.nodeName, .processingStrategy)' >"$T/records"
	run --separate-stderr timeout 20 emit --node gpu-7 --sink "$SINK" "$T/records"
	status_is 0
	[ "$(logged pc 'select(.kind == "event") | .event | .nodeName, .processingStrategy' |
		xargs)" = "gpu-7 EXECUTE_REMEDIATION" ]
}

@test "a unix socket works as well as TCP, and a host name as well as an address" {
	start_connector pc "unix:$T/pc.sock" --strict
	run --separate-stderr timeout 20 emit --sink "grpc:unix://$T/pc.sock" < <(nic_events 1 5)
	status_is 0
	[ "$stderr" = "" ]
	[ "$(received pc)" = "$(ids 1 5)" ]
	getent ahostsv4 localhost >/dev/null || return 0
	start_connector tcp
	run --separate-stderr timeout 20 emit --sink "grpc:http://localhost:${ADDRESS##*:}" \
		< <(nic_events 1 5)
	status_is 0
	[ "$(received tcp)" = "$(ids 1 5)" ]
}

@test "a proxy in the environment is not used" {
	connected
	run --separate-stderr env http_proxy=http://127.0.0.1:1 https_proxy=http://127.0.0.1:1 \
		ALL_PROXY=socks5://127.0.0.1:1 timeout 20 emit --sink "$SINK" \
		< <(nic_events 1 2)
	status_is 0
	[ "$stderr" = "" ]
	[ "$(received pc)" = "$(ids 1 2)" ]
}

@test "the id is in metadata.event_id, and in the message's own id only with --grpc-event-id" {
	connected
	nic_events 1 2 >"$T/records"
	nic_events 3 3 '.metadata.event_id = "mine"' >>"$T/records"
	run --separate-stderr timeout 20 emit --sink "$SINK" "$T/records"
	status_is 0
	[ "$(logged pc 'select(.kind == "event") | .event | "\(.id)/\(.metadata.event_id)"' |
		xargs)" = "/t-1 /t-2 /t-3" ]
	start_connector filled
	run --separate-stderr timeout 20 emit --grpc-event-id --sink "grpc:http://$ADDRESS" \
		"$T/records"
	status_is 0
	[ "$(logged filled 'select(.kind == "event") | .event | "\(.id)/\(.metadata.event_id)"' |
		xargs)" = "t-1/t-1 t-2/t-2 t-3/t-3" ]
}

# --- batches ---

@test "a non-fatal event waits for the window; a fatal one is sent at once, with all older ones, in one call" {
	connected
	fed_emit --sink "$SINK" --batch-window 60s
	feed 1 3
	[ "$(batches)" = "" ]
	feed 4 4 "$FATAL"
	wait_until 10 has_received 4 pc
	[ "$(received pc)" = "$(ids 1 4)" ]
	[ "$(batches)" = 4 ]
	# The same again: sending does not end the window for later events.
	feed 5 5
	[ "$(batches)" = 4 ]
	feed 6 6 "$FATAL"
	wait_until 10 has_received 6 pc
	[ "$(batches)" = "4 2" ]
	[ "$(received pc)" = "$(ids 1 6)" ]
	end_feed
	ends_with 0 "$EMIT"
	[ ! -s "$T/emit.err" ]
}

@test "a healthy event is sent at once, after the fault that it ends" {
	connected
	fed_emit --sink "$SINK" --batch-window 60s
	feed 1 1
	[ "$(batches)" = "" ]
	feed 2 2 "$HEALTHY"
	wait_until 10 has_received 2 pc
	[ "$(received pc)" = "$(ids 1 2)" ]
	[ "$(batches)" = 2 ]
	end_feed
	ends_with 0 "$EMIT"
}

@test "non-fatal events are sent together at the end of their window" {
	connected
	fed_emit --sink "$SINK" --batch-window 1s
	local began
	began=$(date +%s%N)
	feed 1 3
	wait_until 10 has_received 3 pc
	[ "$(batches)" = 3 ]
	[ $(($(logged pc 'select(.kind == "call") | .time_ns | tostring') - began)) -ge 900000000 ]
	end_feed
	ends_with 0 "$EMIT"
}

@test "non-fatal events are sent as soon as --batch-max of them wait, and never more in one call" {
	connected
	fed_emit --sink "$SINK" --batch-window 60s --batch-max 10
	feed 1 25
	wait_until 10 has_received 20 pc
	[ "$(batches)" = "10 10" ]
	feed 26 34 "$FATAL"
	wait_until 10 has_received 34 pc
	[ "$(logged pc 'select(.kind == "call") | .events | select(. > 10)')" = "" ]
	[ "$(received pc)" = "$(ids 1 34)" ]
	end_feed
	ends_with 0 "$EMIT"
}

@test "without --batch-max a batch has at most 100 events" {
	connected
	fed_emit --sink "$SINK" --batch-window 60s
	feed 1 99
	[ "$(batches)" = "" ]
	feed 100 101
	wait_until 10 has_received 100 pc
	[ "$(batches)" = 100 ]
	end_feed
	ends_with 0 "$EMIT"
	[ "$(batches)" = "100 1" ]
}

@test "emit sends the events that wait for their window at the end of input and on SIGTERM" {
	connected
	run --separate-stderr timeout 20 emit --sink "$SINK" --batch-window 60s < <(nic_events 1 3)
	status_is 0
	[ "$(received pc)" = "$(ids 1 3)" ]
	[ "$(batches)" = 3 ]
	fed_emit --sink "$SINK" --batch-window 60s
	feed 4 6
	[ "$(batches)" = 3 ]
	kill -TERM "$EMIT"
	ends_with 0 "$EMIT"
	[ "$(batches)" = "3 3" ]
	[ "$(received pc)" = "$(ids 1 6)" ]
}

# sorted_unstably - print the ids as a connector sees them that sorts each call by time and reverses
# equal times.
sorted_unstably() {
	logged pc 'select(.kind == "event" and .answer == "OK")' | jq -s \
		-r 'group_by(.call)[] | sort_by(.event.generatedTimestamp, -.place)[]
			| .event.metadata.n'
}

@test "a receiver that sorts a batch by time and swaps equal times sees fault and recovery in order" {
	start_connector pc
	local n
	# The clock stands still, jumps back, stands still, and continues.
	nic_events 1 6 '.metadata.n = "\(.seq)" | .isFatal = (.seq % 2 == 1)
		| .isHealthy = (.seq % 2 == 0)
		| .generatedTimestamp = "2026-01-02T03:04:0\([5, 5, 1, 1, 5, 6][.seq - 1]).5Z"' \
			>"$T/in"
	run --separate-stderr timeout 20 emit --sink "grpc:http://$ADDRESS" "$T/in"
	status_is 0
	[ "$stderr" = "" ]
	[ "$(sorted_unstably | xargs)" = "1 2 3 4 5 6" ]
	[ "$(batches)" = "1 1 1 3" ]
}

@test "batches are split per check: events of two checks with the same time share a batch" {
	start_connector pc
	nic_events 1 6 '.checkName = "Check\(.seq % 2)" | .generatedTimestamp = "2026-01-02T03:04:0\(.seq / 2 | ceil).5Z"' >"$T/in"
	run --separate-stderr timeout 20 emit --sink "grpc:http://$ADDRESS" "$T/in"
	status_is 0
	[ "$(batches)" = 6 ]
}

@test "10,000 events arrive once each, in order" {
	connected
	nic_events 1 10000 >"$T/in"
	run --separate-stderr timeout 60 emit --sink "$SINK" --flush-timeout 20s "$T/in"
	status_is 0
	[ "$stderr" = "" ]
	cmp <(received pc) <(ids 1 10000)
}

# --- calls ---

@test "all calls use one connection, one after the other, and have a deadline" {
	connected
	fed_emit --sink "$SINK" --request-timeout 3s
	local n
	for n in {1..20}; do
		feed "$n" "$n" "$FATAL"
		wait_until 10 has_received "$n" pc
	done
	end_feed
	ends_with 0 "$EMIT"
	[ "$(logged pc 'select(.kind == "call") | .call' | wc -l)" -eq 20 ]
	[ "$(logged pc 'select(.kind == "call") | .peer' | sort -u | wc -l)" -eq 1 ]
	[ "$(logged pc 'select(.kind == "call") | .time_limit_s | . > 1 and . < 3.5' | sort -u)" = \
		true ]
	[ "$(logged pc 'select(.kind == "call") | .metadata | has("authorization")' | sort -u)" = \
		false ]
}

@test "two connectors and a file get the same events, each in order" {
	connected
	start_connector other
	run --separate-stderr timeout 20 emit --sink "$SINK" --sink "file:$T/out" \
		--sink "grpc:http://$ADDRESS" < <(nic_events 1 250)
	status_is 0
	[ "$stderr" = "" ]
	[ "$(received pc)" = "$(ids 1 250)" ]
	[ "$(received other)" = "$(ids 1 250)" ]
	cmp "$T/out" <(nic_events 1 250)
}

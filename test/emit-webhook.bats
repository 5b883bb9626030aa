#!/usr/bin/env bats
# emit-webhook: emit --sink http://... sends a CloudEvents 1.0 batch and interprets the web server's
# responses.
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

# connected - start a webhook named `web`. Set SINK, and SHOWN, its name in messages.
connected() {
	start_webhook web
	SINK="http://$ADDRESS/events/nic?from=test"
	SHOWN=http://$ADDRESS/...
}

# batches - print the number of events in each request.
batches() { logged web '.body | length' | xargs; }

# The changes that make a healthy event of a baseline.
OF_BASELINE='.isHealthy = true | .metadata.baseline = "true" | .errorCode = []'

@test "a webhook gets only the selected events, in one request, and no event stays undelivered" {
	connected
	nic_events 1 7 'if .seq % 2 == 0 then .isFatal = true else . end' |
		emit --spool "$T/spool.db" --sink "$SINK" --min-severity fatal
	[ "$(received web | xargs)" = "t-2 t-4 t-6" ]
	[ "$(nichist --standing --format json --spool "$T/spool.db" |
		jq -r 'select(.kind == "sink").waiting')" = 0 ]
}

@test "baseline events are sent only with --baseline or if they ended something; the Platform Connector gets all" {
	start_webhook web
	start_connector pc
	local grpc=$ADDRESS
	start_webhook asked
	local url=http://$ADDRESS
	{
		nic_events 1 1 "$FATAL"
		nic_events 2 4 "$OF_BASELINE"
		nic_events 5 5
		nic_events 6 6 "$OF_BASELINE"
	} >"$T/records"
	start_webhook web
	run --separate-stderr timeout 20 emit --sink "http://$ADDRESS" --sink "grpc:http://$grpc" \
		--sink "file:$T/lines" --sink - --spool "$T/spool" "$T/records"
	status_is 0
	[ "$stderr" = "" ]
	# Event 2 ended event 1.
	[ "$(received web | xargs)" = "t-1 t-2 t-5 t-6" ]
	[ "$(jq -r .id "$T/lines" | xargs)" = "t-1 t-2 t-5 t-6" ]
	[ "$(jq -r .id <<<"$output" | xargs)" = "t-1 t-2 t-5 t-6" ]
	[ "$(received pc)" = "$(ids 1 6)" ]
	[ "$(sqlite3 "$T/spool" 'SELECT DISTINCT position FROM sink')" = 6 ]
	run --separate-stderr timeout 20 emit --baseline --sink "$url" --sink - --spool "$T/other" \
		"$T/records"
	status_is 0
	[ "$(received asked)" = "$(ids 1 6)" ]
	[ "$(jq -r .id <<<"$output")" = "$(ids 1 6)" ]
	# Without a spool emit does not know what they ended.
	run --separate-stderr timeout 20 emit "$T/records"
	status_is 0
	[ "$(jq -r .id <<<"$output" | xargs)" = "t-1 t-5" ]
}

@test "a spool of baseline events only counts as delivered, and later events arrive" {
	start_webhook web
	nic_events 1 500 "$OF_BASELINE" >"$T/records"
	run --separate-stderr timeout 20 emit --sink "http://$ADDRESS" --spool "$T/spool" \
		"$T/records"
	status_is 0
	[ "$(logged web '.body | length')" = "" ]
	run --separate-stderr timeout 20 emit --sink "http://$ADDRESS" \
		--spool "$T/spool" < <(nic_events 501 501)
	status_is 0
	[ "$stderr" = "" ]
	[ "$(received web)" = t-501 ]
	[ "$(sqlite3 "$T/spool" "SELECT position, delivered FROM sink WHERE name LIKE 'http:%'")" \
		= "501|1" ]
}

# Thorough: sinks
@test "each event is a CloudEvent whose data is the unchanged record" {
	connected
	{
		nic_events 1 1
		nic_events 2 2 "$FATAL | .message = \"Ω \\u0001 \\\"…\\\" 🦀\""
		nic_events 3 3 "$HEALTHY | .zebra = [1.5, {\"deep\": null}] | .big = \"18446744073709551615\""
	} >"$T/records"
	run --separate-stderr timeout 20 emit --sink "$SINK" "$T/records"
	status_is 0
	[ "$output" = "" ]
	[ "$stderr" = "" ]
	diff <(jq -c -S . "$T/records") <(logged web '.body[].data' | jq -c -S .)
	[ "$(logged web '.body[] | .specversion, .datacontenttype' | sort -u | xargs)" \
		= "1.0 application/json" ]
	[ "$(logged web '.body[].id')" = "$(ids 1 3)" ]
	[ "$(logged web '.body[].time' | head -n 1)" = 2026-01-02T03:04:05.678901Z ]
	# A source is a non-empty URI-reference. A type is not empty and the same for all events.
	[ "$(logged web '.body[].source | type == "string" and length > 0 and test("gpu-1")
		and (test("[ \"<>]") | not)' | sort -u)" = true ]
	[ "$(logged web '.body[].type' | sort -u | wc -l)" -eq 1 ]
	[ "$(logged web '.body[].type | length > 0' | sort -u)" = true ]
	# Attribute names are lower-case letters and digits.
	[ "$(logged web '.body[] | keys[] | select(test("^[a-z0-9]+$") | not)')" = "" ]
}

@test "events are sent as a POST of a JSON list to the given path and query" {
	connected
	run --separate-stderr timeout 20 emit --sink "$SINK" < <(nic_events 1 3)
	status_is 0
	[ "$(logged web '.method, .path')" = $'POST\n/events/nic?from=test' ]
	[[ "$(logged web '.headers["content-type"]')" = application/cloudevents-batch+json* ]]
	[ "$(logged web '.body | type')" = array ]
	[ "$(logged web '.headers["content-length"] | tonumber')" -eq "$(logged web .bytes)" ]
	[ "$(logged web '.headers | has("authorization")')" = false ]
	[ "$(received web)" = "$(ids 1 3)" ]
}

@test "an event without id, time or node becomes a valid CloudEvent" {
	connected
	run --separate-stderr timeout 20 emit --node gpu-9 \
		--sink "$SINK" <<<'{"kind":"event","message":"bare"}'
	status_is 0
	[ "$stderr" = "" ]
	[ "$(logged web '.body | length')" -eq 1 ]
	[ "$(logged web '.body[0] | (.id | type), (.id | length > 0), .specversion, .data.message, .data.nodeName' | xargs)" = "string true 1.0 bare gpu-9" ]
	[ "$(logged web '.body[0] | has("time") and
		(.time | type != "string" or test("^[0-9-]+T[0-9:.]+Z$") | not)')" = false ]
}

@test "events are batched as for gRPC: a fatal one is sent at once, with those that wait" {
	connected
	fed_emit --sink "$SINK" --batch-window 60s
	feed 1 3
	[ "$(batches)" = "" ]
	feed 4 4 "$FATAL"
	wait_until 10 has_received 4 web
	feed 5 5
	end_feed
	ends_with 0 "$EMIT"
	[ "$(batches)" = "4 1" ]
	[ "$(received web)" = "$(ids 1 5)" ]
	[ "$(logged web .peer | sort -u | wc -l)" -eq 1 ]
	[ ! -s "$T/emit.err" ]
}

# Thorough: sinks
@test "10,000 events arrive once each, in order" {
	connected
	nic_events 1 10000 >"$T/in"
	run --separate-stderr timeout 60 emit --sink "$SINK" --flush-timeout 20s "$T/in"
	status_is 0
	[ "$stderr" = "" ]
	cmp <(received web) <(ids 1 10000)
}

# Thorough: sinks
@test "every 2xx status accepts the events" {
	connected
	local code n=0
	for code in 200 201 202 204 299; do
		n=$((n + 1))
		behave web "status $code"
		run --separate-stderr timeout 20 emit --sink "$SINK" < <(nic_events "$n" "$n")
		status_is 0
		[ "$stderr" = "" ]
	done
	[ "$(received web)" = "$(ids 1 5)" ]
}

# Thorough: sinks
@test "after a transient status or a redirect emit retries until the events are accepted" {
	connected
	local answer code n=0
	for answer in 'status 500' 'status 502' 'status 503' 'status 504' 'status 429' \
		'status 408' 'status 401' 'status 403' 'status 404' 'status 405' 'status 418' \
		'status 304'; do
		code=${answer##* }
		n=$((n + 1))
		behave web "$answer" ok
		run --separate-stderr timeout 30 emit --sink "$SINK" \
			--flush-timeout 20s < <(nic_events "$n" "$n")
		status_is 0
		[ ${#stderr_lines[@]} -eq 2 ]
		[[ ${stderr_lines[0]} = "emit: warning: sink $SHOWN: "*"$code"*": retrying" ]]
		[ "${stderr_lines[1]}" = "emit: note: sink $SHOWN: delivering again" ]
	done
	[ "$(received web)" = "$(ids 1 "$n")" ]
}

# Thorough: sinks
@test "emit follows no redirect: only the named server gets the events" {
	connected
	start_webhook other
	local code
	for code in 301 302 303 307 308; do
		behave web "redirect http://$ADDRESS/ $code" ok
		run --separate-stderr timeout 30 emit --sink "$SINK" \
			--flush-timeout 20s < <(nic_events "$code" "$code")
		status_is 0
		[[ ${stderr_lines[0]} = "emit: warning: sink $SHOWN: "*"$code"*": retrying" ]]
	done
	[ ! -s "$T/other.log" ]
	[ "$(received web | wc -l)" -eq 5 ]
}

# Thorough: sinks
@test "after 400, 413, 415 and 422 the event is a dead letter, and the next is delivered" {
	connected
	local code n=0
	for code in 400 413 415 422; do
		n=$((n + 1))
		behave web "status $code no such thing" ok
		run --separate-stderr timeout 20 emit --sink "$SINK" \
			--spool "$T/spool" < <(nic_events "$n" "$n")
		status_is 0
		[ ${#stderr_lines[@]} -eq 1 ]
		[[ $stderr = "emit: warning: sink $SHOWN: event t-$n refused: "*"$code"*": kept as a dead letter" ]]
	done
	run --separate-stderr timeout 20 emit --sink "$SINK" --spool "$T/spool" < <(nic_events 5 5)
	status_is 0
	[ "$(received web)" = t-5 ]
	[ "$(sqlite3 "$T/spool" 'SELECT event_id FROM dead_letter ORDER BY number')" \
		= "$(ids 1 4)" ]
}

# Thorough: sinks
@test "413 halves a batch until it fits" {
	connected
	behave web 'largest 7'
	run --separate-stderr timeout 30 emit --sink "$SINK" --flush-timeout 20s < <(nic_events 1 \
		300)
	status_is 0
	[ "$stderr" = "" ]
	cmp <(received web) <(ids 1 300)
}

@test "a rejected event in the middle of a batch is a dead letter; all others arrive in order, once" {
	connected
	behave web 'poison "t-50"'
	run --separate-stderr timeout 30 emit --sink "$SINK" --flush-timeout 20s \
		--spool "$T/spool" < <(nic_events 1 100)
	status_is 0
	cmp <(received web) <(ids 1 100 | grep -v -x t-50)
	[ ${#stderr_lines[@]} -eq 1 ]
	[[ $stderr = "emit: warning: sink $SHOWN: event t-50 refused: "*400*": kept as a dead letter" ]]
	[ "$(sqlite3 "$T/spool" 'SELECT record FROM dead_letter')" = "$(nic_events 50 50)" ]
}

@test "the warning has the server's message without control characters, and truncated" {
	connected
	behave web $'status 422 \e[31mcaf\xc3\xa9' "status 422 $(printf '%04000d' 0)" ok
	run --separate-stderr timeout 20 emit --sink "$SINK" \
		--batch-max 1 < <(nic_events 1 3 "$FATAL")
	status_is 69 "^emit: error: sink http://.*: events refused: 2$"
	[[ ${stderr_lines[0]} = *"[31mcafé"* ]]
	[[ $stderr != *$'\e'* ]]
	[ ${#stderr_lines[@]} -eq 3 ]
	[ ${#stderr_lines[1]} -lt 600 ]
	[ "$(received web)" = t-3 ]
}

# Thorough: sinks
@test "a request that takes longer than --request-timeout is repeated, and a faster one is not" {
	connected
	behave web hang ok
	run --separate-stderr timeout 30 emit --sink "$SINK" --request-timeout 2s \
		--flush-timeout 20s < <(nic_events 1 3)
	status_is 0
	[ ${#stderr_lines[@]} -eq 2 ]
	[ "$(received web)" = "$(ids 1 3)" ]
	behave web 'hang 0.5'
	run --separate-stderr timeout 30 emit --sink "$SINK" --flush-timeout 20s < <(nic_events 4 4)
	status_is 0
	[ "$stderr" = "" ]
	[ "$(received web)" = "$(ids 1 4)" ]
}

# Thorough: sinks
@test "emit retries after incomplete, endless or invalid responses, within bounded memory" {
	local behaviour
	for behaviour in close reset garbage half endless-header endless-body; do
		behave raw "1 $behaviour" "1 $behaviour" 'http 200 fine'
		rm -f "$T/raw.log"
		start_rawserver raw
		fed_emit --sink "http://$ADDRESS/" --request-timeout 3s --flush-timeout 20s
		feed 1 1 "$FATAL"
		wait_until 20 says 1 'delivering again'
		[ "$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$EMIT/status")" -lt 131072 ]
		end_feed
		ends_with 0 "$EMIT"
		says 2 ''
		[ "$(logged raw 'select(.kind == "connection") | .connection' | xargs)" = "1 2 3" ]
	done
}

#!/usr/bin/env bats
# emit --sink http://...: events as a CloudEvents 1.0 batch, and what a web server's answers mean.

setup() {
	load lib/common
	load lib/servers
	load lib/emit
	T=$BATS_TEST_TMPDIR
}

teardown() {
	exec 8>&-
	end_background
	nothing_survives
}

# connected - a webhook named `web`, and SINK, which is it.
connected() {
	start_webhook web
	SINK="http://$ADDRESS/events/nic?from=test"
}

# batches - how many events each request brought.
batches() { logged web '.body | length' | xargs; }

@test "each event is a CloudEvent whose data is the record as it is" {
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
	[ "$(logged web '.body[] | .specversion, .datacontenttype' | sort -u | xargs)" = "1.0 application/json" ]
	[ "$(logged web '.body[].id')" = "$(ids 1 3)" ]
	[ "$(logged web '.body[].time' | sort -u)" = 2026-01-02T03:04:05.678901Z ]
	# A source is a URI-reference and never empty; a type is never empty, and all events have the same.
	[ "$(logged web '.body[].source | type == "string" and length > 0 and test("gpu-1") and (test("[ \"<>]") | not)' | sort -u)" = true ]
	[ "$(logged web '.body[].type' | sort -u | wc -l)" -eq 1 ]
	[ "$(logged web '.body[].type | length > 0' | sort -u)" = true ]
	# Names of attributes are lower-case letters and digits.
	[ "$(logged web '.body[] | keys[] | select(test("^[a-z0-9]+$") | not)')" = "" ]
}

@test "what is sent is a POST of a JSON list to the path and query that were given" {
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

@test "an event without id, time or node is a CloudEvent all the same" {
	connected
	run --separate-stderr timeout 20 emit --node gpu-9 --sink "$SINK" <<<'{"kind":"event","message":"bare"}'
	status_is 0
	[ "$stderr" = "" ]
	[ "$(logged web '.body | length')" -eq 1 ]
	[ "$(logged web '.body[0] | (.id | type), (.id | length > 0), .specversion, .data.message, .data.nodeName' | xargs)" = "string true 1.0 bare gpu-9" ]
	[ "$(logged web '.body[0] | has("time") and (.time | type != "string" or test("^[0-9-]+T[0-9:.]+Z$") | not)')" = false ]
}

@test "events are batched as for gRPC: a fatal one goes at once and takes along what waits" {
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

@test "10,000 events arrive once each, in order" {
	connected
	nic_events 1 10000 >"$T/in"
	run --separate-stderr timeout 60 emit --sink "$SINK" --flush-timeout 20s "$T/in"
	status_is 0
	[ "$stderr" = "" ]
	cmp <(received web) <(ids 1 10000)
}

@test "any 2xx is good" {
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

@test "statuses that say nothing of the events, redirects among them: the same again until it is taken" {
	connected
	local answer code n=0
	for answer in 'status 500' 'status 502' 'status 503' 'status 504' 'status 429' 'status 408' 'status 401' 'status 403' 'status 404' 'status 405' 'status 418' 'status 304'; do
		code=${answer##* }
		n=$((n + 1))
		behave web "$answer" ok
		run --separate-stderr timeout 30 emit --sink "$SINK" --flush-timeout 20s < <(nic_events "$n" "$n")
		status_is 0
		[ ${#stderr_lines[@]} -eq 2 ]
		[[ ${stderr_lines[0]} = "emit: warning: sink $SINK: "*"$code"*": trying again" ]]
		[ "${stderr_lines[1]}" = "emit: note: sink $SINK: delivering again" ]
	done
	[ "$(received web)" = "$(ids 1 "$n")" ]
}

@test "a redirect is not followed: who has the events is who was named" {
	connected
	start_webhook other
	local code
	for code in 301 302 303 307 308; do
		behave web "redirect http://$ADDRESS/ $code" ok
		run --separate-stderr timeout 30 emit --sink "$SINK" --flush-timeout 20s < <(nic_events "$code" "$code")
		status_is 0
		[[ ${stderr_lines[0]} = "emit: warning: sink $SINK: "*"$code"*": trying again" ]]
	done
	[ ! -s "$T/other.log" ]
	[ "$(received web | wc -l)" -eq 5 ]
}

@test "400, 413, 415 and 422 refuse: a dead letter, and the next is delivered" {
	connected
	local code n=0
	for code in 400 413 415 422; do
		n=$((n + 1))
		behave web "status $code no such thing" ok
		run --separate-stderr timeout 20 emit --sink "$SINK" --spool "$T/spool" < <(nic_events "$n" "$n")
		status_is 0
		[ ${#stderr_lines[@]} -eq 1 ]
		[[ $stderr = "emit: warning: sink $SINK: event t-$n refused: "*"$code"*": kept as a dead letter" ]]
	done
	run --separate-stderr timeout 20 emit --sink "$SINK" --spool "$T/spool" < <(nic_events 5 5)
	status_is 0
	[ "$(received web)" = t-5 ]
	[ "$(sqlite3 "$T/spool" 'SELECT event_id FROM dead_letter ORDER BY number')" = "$(ids 1 4)" ]
}

@test "413 halves a batch until it fits" {
	connected
	behave web 'largest 7'
	run --separate-stderr timeout 30 emit --sink "$SINK" --flush-timeout 20s < <(nic_events 1 300)
	status_is 0
	[ "$stderr" = "" ]
	cmp <(received web) <(ids 1 300)
}

@test "a poisoned event in the middle of a batch is a dead letter; all others arrive, in order, once" {
	connected
	behave web 'poison "t-50"'
	run --separate-stderr timeout 30 emit --sink "$SINK" --flush-timeout 20s --spool "$T/spool" < <(nic_events 1 100)
	status_is 0
	cmp <(received web) <(ids 1 100 | grep -v -x t-50)
	[ ${#stderr_lines[@]} -eq 1 ]
	[[ $stderr = "emit: warning: sink $SINK: event t-50 refused: "*400*": kept as a dead letter" ]]
	[ "$(sqlite3 "$T/spool" 'SELECT record FROM dead_letter')" = "$(nic_events 50 50)" ]
}

@test "what the server says stands in the warning without its control characters, and not without end" {
	connected
	behave web $'status 422 \e[31mcaf\xc3\xa9' "status 422 $(printf '%04000d' 0)" ok
	run --separate-stderr timeout 20 emit --sink "$SINK" --batch-max 1 < <(nic_events 1 3 "$FATAL")
	status_is 69 "^emit: error: sink http://.*: events refused: 2$"
	[[ ${stderr_lines[0]} = *"[31mcafé"* ]]
	[[ $stderr != *$'\e'* ]]
	[ ${#stderr_lines[@]} -eq 3 ]
	[ ${#stderr_lines[1]} -lt 600 ]
	[ "$(received web)" = t-3 ]
}

@test "a request that takes longer than --request-timeout is made again, and one that takes less is not" {
	connected
	behave web hang ok
	run --separate-stderr timeout 30 emit --sink "$SINK" --request-timeout 300ms --flush-timeout 20s < <(nic_events 1 3)
	status_is 0
	[ ${#stderr_lines[@]} -eq 2 ]
	[ "$(received web)" = "$(ids 1 3)" ]
	behave web 'hang 0.5'
	run --separate-stderr timeout 30 emit --sink "$SINK" --flush-timeout 20s < <(nic_events 4 4)
	status_is 0
	[ "$stderr" = "" ]
	[ "$(received web)" = "$(ids 1 4)" ]
}

@test "answers that are half, endless or rubbish are tried again, and cost no memory" {
	local behaviour
	for behaviour in close reset garbage half endless-header endless-body; do
		behave raw "1 $behaviour" "1 $behaviour" 'http 200 fine'
		rm -f "$T/raw.log"
		start_rawserver raw
		fed_emit --sink "http://$ADDRESS/" --request-timeout 500ms --flush-timeout 20s
		feed 1 1 "$FATAL"
		wait_until 20 says 1 'delivering again'
		[ "$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$EMIT/status")" -lt 131072 ]
		end_feed
		ends_with 0 "$EMIT"
		says 2 ''
		[ "$(logged raw 'select(.kind == "connection") | .connection' | xargs)" = "1 2 3" ]
	done
}

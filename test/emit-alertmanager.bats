#!/usr/bin/env bats
# emit-alertmanager: emit --sink alertmanager:... keeps a real Alertmanager's active alerts equal to
# what stands on the node, whichever process dies.
# Thorough: sinks
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() {
	load lib/servers
	load lib/emit
	command -v prometheus-alertmanager >/dev/null ||
		skip "left out: no prometheus-alertmanager (dist/install-deps installs it)"
	T=$BATS_TEST_TMPDIR
}

teardown() {
	exec 8>&-
	end_background
	nothing_survives
}

# alerting - start an Alertmanager. Set SINK and SERVER.
alerting() {
	start_alertmanager am
	SERVER=$PID
	SINK=alertmanager:$ALERTMANAGER
}

# fault N [JQ-FILTER], recovery N [JQ-FILTER] - print event N about one counter of one port, with
# the current time.
fault() { nic_events "$1" "$1" "$FATAL | $NOW | ${2:-.}"; }
recovery() { nic_events "$1" "$1" "$HEALTHY | $NOW | ${2:-.}"; }
NOW='.generatedTimestamp = (now | todateiso8601)'

# emitted OPTION... - send stdin to SINK.
emitted() { timeout 20 emit --sink "$SINK" "$@"; }

# active N - return success if exactly N alerts are active.
active() { [ "$(alerts | wc -l)" -eq "$1" ]; }

# one_is JQ-CONDITION - return success if exactly one active alert matches.
one_is() { [ "$(alerts ".[] | select($1) | 1" | wc -l)" -eq 1 ]; }

@test "a fault becomes an alert with message, place, severity and action, and its recovery resolves it" {
	alerting
	run --separate-stderr emitted --spool "$T/spool" < <(fault 1)
	status_is 0
	[ "$output" = "" ]
	[ "$stderr" = "" ]
	active 1
	[ "$(alerts '.[].labels | del(.alertname) | [.node, .check, .device, .port, .code, .severity, length] | @csv')" = \
		'"gpu-1","InfiniBandDegradationCheck","mlx5_0","1","symbol_error","critical",6' ]
	[ "$(alerts '.[].labels.alertname')" = NicSymbolError ]
	[ "$(alerts '.[].annotations | .summary, .description, .message, .action')" = \
		$'mlx5_0 port 1 of gpu-1: symbol_error\nevent 1\nevent 1\nREPLACE_VM' ]
	run --separate-stderr emitted --spool "$T/spool" < <(recovery 2)
	status_is 0
	[ "$stderr" = "" ]
	active 0
}

@test "an alert begins at the time of its event, not when it was sent" {
	alerting
	run --separate-stderr emitted \
		--spool "$T/spool" \
		< <(fault 1 '.generatedTimestamp = "2026-01-02T03:04:05.678901Z"')
	status_is 0
	[ "$(alerts '.[].startsAt')" = 2026-01-02T03:04:05.678Z ]
}

@test "a resolved alert ended 10 s ago, so that it also ends in an Alertmanager whose clock is behind" {
	start_webhook am
	SINK=alertmanager:http://$ADDRESS
	run --separate-stderr emitted --spool "$T/spool" < <(fault 1)
	status_is 0
	run --separate-stderr emitted --spool "$T/spool" < <(recovery 2)
	status_is 0
	logged am '.body[0] | [.startsAt, .endsAt] | map(sub("[.].*"; "Z") | fromdate)
		| .[0] <= .[1] and .[1] <= now - 10' >"$T/logged"
	[ "$(tail -n 1 "$T/logged")" = true ]
	run --separate-stderr emitted --test-sink
	status_is 0
	logged am '.body[0].endsAt | sub("[.].*"; "Z") | fromdate | . <= now - 10' >"$T/logged"
	[ "$(tail -n 1 "$T/logged")" = true ]
}

@test "faults of different ports, counters and devices are separate alerts that end separately" {
	alerting
	fed_emit --sink "$SINK" --spool "$T/spool"
	feed 1 1 "$FATAL"
	feed 2 2 "$FATAL | .errorCode = [\"link_downed\"]"
	feed 3 3 "$FATAL | .entitiesImpacted[1].entityValue = \"2\""
	feed 4 4 "$FATAL | .entitiesImpacted[0].entityValue = \"mlx5_7\""
	feed 5 5 "$FATAL | .checkName = \"InfiniBandStateCheck\" | .errorCode = []"
	feed 6 6 "$FATAL | .message = \"said again\""
	wait_until 10 one_is '.annotations.message == "said again"'
	active 5
	feed 7 7 "$HEALTHY | .entitiesImpacted[0].entityValue = \"mlx5_7\""
	wait_until 10 active 4
	none one_is '.labels.device == "mlx5_7"'
	feed 8 8 "$HEALTHY | .checkName = \"InfiniBandStateCheck\" | .errorCode = []"
	wait_until 10 active 3
	none one_is '.labels.check == "InfiniBandStateCheck"'
	end_feed
	ends_with 0 "$EMIT"
	[ ! -s "$T/emit.err" ]
}

@test "a fault that turns fatal replaces the first alert by another" {
	alerting
	fed_emit --sink "$SINK" --spool "$T/spool" --batch-window 100ms
	feed 1 1 "$NOW"
	wait_until 10 one_is '.labels.severity == "warning"'
	feed 2 2 "$FATAL | $NOW"
	wait_until 10 one_is '.labels.severity == "critical"'
	wait_until 10 active 1
	feed 3 3 "$HEALTHY | $NOW"
	wait_until 10 active 0
	end_feed
	ends_with 0 "$EMIT"
}

@test "a silence resolves alerts and holds back new ones, and its end activates those that stand" {
	alerting
	local id silences=$T/silences
	fed_emit --sink "$SINK" --spool "$T/spool" --silences "$silences"
	feed 1 1 "$FATAL | $NOW"
	feed 2 2 "$FATAL | $NOW | .entitiesImpacted[0].entityValue = \"mlx5_7\""
	wait_until 10 active 2
	id=$(nicsilence --file "$silences" --sysfs-root "$T" mlx5_0 --for 1h --why w 2>/dev/null)
	wait_until 10 active 1
	feed 3 3 "$FATAL | $NOW | .errorCode = [\"link_downed\"]"
	feed 4 4 "$FATAL | $NOW | .entitiesImpacted[0].entityValue = \"mlx5_8\""
	wait_until 10 active 2
	none one_is '.labels.device == "mlx5_0"'
	nicsilence --file "$silences" --end "$id"
	wait_until 10 active 4
	feed 5 5 "$HEALTHY | $NOW | .errorCode = []"
	wait_until 10 active 2
	end_feed
	ends_with 0 "$EMIT"
	[ ! -s "$T/emit.err" ]
}

@test "a silenced condition that is worse than its alert replaces the alert at the silence's end" {
	alerting
	local id silences=$T/silences
	fed_emit --sink "$SINK" --spool "$T/spool" --silences "$silences" --batch-window 100ms
	id=$(nicsilence --file "$silences" --sysfs-root "$T" mlx5_1 --for 1h --why w 2>/dev/null)
	feed 1 1 "$NOW"
	feed 2 2 "$FATAL | $NOW | .entitiesImpacted = [{ entityType: \"NIC\",
		entityValue: \"0000:18:00\" }] | .metadata = { cause: \"t-1\", devices: \"mlx5_0,mlx5_1\" }"
	wait_until 10 one_is '.labels.severity == "warning"'
	nicsilence --file "$silences" --end "$id"
	wait_until 10 one_is '.labels.severity == "critical"'
	wait_until 10 active 1
	end_feed
	ends_with 0 "$EMIT"
}

@test "an Alertmanager gets only the selected conditions, when they begin, stand and end" {
	alerting
	fed_emit --sink "$SINK" --min-severity fatal --only-codes port_state,link_downed \
		--spool "$T/spool" --alert-resend 200ms
	feed 1 1 "$NOW | .errorCode = [\"symbol_error\"]"
	feed 2 2 "$FATAL | $NOW | .errorCode = [\"port_state\"]"
	feed 3 3 "$FATAL | $NOW | .errorCode = [\"nic_gone\"]"
	feed 4 4 "$NOW | .errorCode = [\"link_downed\"]"
	wait_until 10 active 1
	wait_until 10 one_is '.labels.code == "port_state"'
	feed 5 5 "$FATAL | $NOW | .errorCode = [\"link_downed\"]"
	wait_until 10 active 2
	feed 6 6 "$HEALTHY | $NOW | .errorCode = [\"port_state\"]"
	wait_until 10 active 1
	wait_until 10 one_is '.labels.code == "link_downed"'
	end_feed
	ends_with 0 "$EMIT"
}

# card N [JQ-FILTER] - print event N about a card with too few ports, caused by event 1.
card() {
	nic_events "$1" "$1" "$FATAL | $NOW | .checkName = \"InfiniBandStateCheck\"
		| .errorCode = [\"card_ports\"] | .message = \"Card 0000:18:00 has 0 active ports\"
		| .entitiesImpacted = [{ entityType: \"NIC\", entityValue: \"0000:18:00\" }]
		| .metadata.cause = \"t-1\" | ${2:-.}"
}
PORT_STATE='.checkName = "InfiniBandStateCheck" | .errorCode = ["port_state"]'

@test "a port and its card share the port's alert as long as one of them stands" {
	alerting
	run --separate-stderr emitted --spool "$T/spool" < <(fault 1 "$PORT_STATE" && card 2)
	status_is 0
	active 1
	one_is '.labels.alertname == "NicPortState" and .labels.device == "mlx5_0" and .labels.port == "1" and .labels.severity == "critical"'
	[ "$(alerts '.[].annotations.description')" \
		= $'event 1\nCard 0000:18:00 has 0 active ports' ]
	# The port recovers first, then the card.
	run --separate-stderr emitted --spool "$T/spool" < <(recovery 3 "$PORT_STATE")
	status_is 0
	one_is '.labels.device == "mlx5_0" and .annotations.description == "Card 0000:18:00 has 0 active ports"'
	active 1
	run --separate-stderr emitted --spool "$T/spool" < <(card 4 "$HEALTHY | .isFatal = false")
	status_is 0
	active 0
}

@test "a card selected without its port has the port's labels, and a port selected alone does not mention the card" {
	alerting
	run --separate-stderr emitted --spool "$T/spool" --only-codes card_ports \
		< <(fault 1 "$PORT_STATE" && card 2)
	status_is 0
	active 1
	one_is '.labels.code == "port_state" and .annotations.description == "Card 0000:18:00 has 0 active ports"'
	run --separate-stderr emitted --spool "$T/spool" --only-codes card_ports \
		< <(card 3 "$HEALTHY | .isFatal = false")
	status_is 0
	active 0
	run --separate-stderr emitted --spool "$T/other" --only-codes port_state \
		< <(fault 1 "$PORT_STATE" && card 2)
	status_is 0
	one_is '.labels.code == "port_state" and .annotations.description == "event 1"'
}

@test "an alert has the severity of its worst condition, even if that begins later and ends first" {
	alerting
	run --separate-stderr emitted \
		--spool "$T/spool" < <(fault 1 "$PORT_STATE | .isFatal = false")
	status_is 0
	one_is '.labels.severity == "warning"'
	run --separate-stderr emitted --spool "$T/spool" < <(card 2)
	status_is 0
	active 1
	one_is '.labels.severity == "critical" and .labels.alertname == "NicPortState" and .annotations.action == "REPLACE_VM"'
	run --separate-stderr emitted --spool "$T/spool" < <(card 3 "$HEALTHY | .isFatal = false")
	status_is 0
	active 1
	one_is '.labels.severity == "warning" and .annotations.description == "event 1"'
	run --separate-stderr emitted --spool "$T/spool" < <(recovery 4 "$PORT_STATE")
	status_is 0
	active 0
}

@test "a card's alert has its cause's device and port, even if an earlier emit received the port's event" {
	alerting
	run --separate-stderr emitted --spool "$T/spool" < <(fault 1 "$PORT_STATE")
	run --separate-stderr emitted --spool "$T/spool" < <(recovery 2 "$PORT_STATE" && card 3)
	status_is 0
	active 1
	one_is '.labels.device == "mlx5_0" and .labels.port == "1" and .labels.code == "port_state"'
}

@test "each code has its own alert name, and an event without a code is NicHealth" {
	alerting
	run --separate-stderr emitted --spool "$T/spool" < <(fault 1 &&
		fault 2 '.errorCode = ["symbol_error", "saturated"]' &&
		fault 3 '.errorCode = ["nic_gone"]' && fault 4 '.errorCode = []')
	status_is 0
	[ "$(alerts '.[].labels.alertname' | sort | xargs)" \
		= "NicGone NicHealth NicSymbolError NicSymbolErrorSaturated" ]
}

@test "a healthy event for a whole check resolves all alerts of that check and no others" {
	alerting
	fed_emit --sink "$SINK" --spool "$T/spool"
	feed 1 5 "$FATAL | .entitiesImpacted[0].entityValue = \"mlx5_\\(.seq)\""
	feed 6 6 "$FATAL | .checkName = \"EthernetStateCheck\""
	wait_until 10 active 6
	feed 7 7 "$HEALTHY | .errorCode = [] | .entitiesImpacted = []"
	wait_until 10 active 1
	one_is '.labels.check == "EthernetStateCheck"'
	end_feed
	ends_with 0 "$EMIT"
}

@test "a fault and its recovery in one batch leave no alert behind" {
	alerting
	run --separate-stderr emitted --spool "$T/spool" < <(fault 1 && recovery 2 && fault 3 &&
		recovery 4 && fault 5)
	status_is 0
	active 1
	run --separate-stderr emitted --spool "$T/spool" < <(recovery 6)
	status_is 0
	active 0
}

@test "an emit that is killed between fault and recovery resolves the alert in its next run" {
	alerting
	fed_emit --sink "$SINK" --spool "$T/spool"
	feed 1 2 "$FATAL | .entitiesImpacted[0].entityValue = \"mlx5_\\(.seq)\""
	wait_until 10 active 2
	kill -KILL "$EMIT"
	wait_until 10 is_gone "$EMIT"
	run --separate-stderr emitted --spool "$T/spool" < <(recovery 3 \
		'.entitiesImpacted[0].entityValue = "mlx5_1"')
	status_is 0
	active 1
	one_is '.labels.device == "mlx5_2"'
}

@test "an Alertmanager that was down gets what stands, but no alert that came and went meanwhile" {
	alerting
	fed_emit --sink "$SINK" --spool "$T/spool" --flush-timeout 30s
	feed 1 1 "$FATAL | .entitiesImpacted[0].entityValue = \"mlx5_1\""
	wait_until 10 active 1
	kill -TERM "$SERVER"
	ends_with 0 "$SERVER"
	feed 2 4 "$FATAL | .entitiesImpacted[0].entityValue = \"mlx5_\\(.seq)\""
	feed 5 5 "$HEALTHY | .entitiesImpacted[0].entityValue = \"mlx5_1\""
	feed 6 6 "$HEALTHY | .entitiesImpacted[0].entityValue = \"mlx5_2\""
	wait_until 10 says 1 "^emit: warning: sink $SINK: .*: retrying$"
	start_alertmanager am "$PORT"
	end_feed
	ends_with 0 "$EMIT" 40
	says 1 "^emit: note: sink $SINK: delivering again$"
	says 2 ''
	[ "$(alerts '.[].labels.device' | sort | xargs)" = "mlx5_3 mlx5_4" ]
}

@test "a standing alert is renewed, even in an Alertmanager that lost it" {
	alerting
	fed_emit --sink "$SINK" --spool "$T/spool" --alert-resend 200ms
	feed 1 1 "$FATAL"
	wait_until 10 active 1
	local first
	first=$(alerts '.[].endsAt')
	[[ $(date -u +%FT%T) < $first ]]
	wait_until 10 one_is ".endsAt > \"$first\""
	kill -KILL "$SERVER"
	wait_until 10 is_gone "$SERVER"
	rm -r "$T/am.data"
	start_alertmanager am "$PORT"
	wait_until 30 active 1
	end_feed
	ends_with 0 "$EMIT"
}

@test "a standing alert is renewed however many events wait" {
	local first=".body[0].labels.device"
	start_webhook slow
	behave slow "hang 0.5"
	fed_emit --sink "alertmanager:http://$ADDRESS" --alert-resend 500ms --batch-max 1
	feed 1 1 "$FATAL"
	wait_until 10 has_logged 1 slow "$first == \"mlx5_0\""
	feed 2 1000 '.entitiesImpacted[0].entityValue = "mlx5_7"
		| .isFatal = (.seq % 2 == 0) | .isHealthy = (.seq % 2 == 1)'
	wait_until 10 has_logged 5 slow "$first == \"mlx5_7\""
	# Half a second per request allows two per second.
	none grep -q . < <(logged slow "$first" | uniq -c | awk '$1 > 3 && $2 == "mlx5_7"')
}

@test "many alerts are sent, renewed and resolved in several requests" {
	local began ends
	began=$(date -u +%FT%T)
	start_webhook proxy
	behave proxy "largest 120"
	fed_emit --sink "alertmanager:http://$ADDRESS" --spool "$T/spool" --alert-resend 500ms
	feed 1 300 "$FATAL | .message = \"no link \" * 350
		| .entitiesImpacted[0].entityValue = \"mlx5_\(.seq)\""
	wait_until 20 has_logged 1 proxy '.body[-1].labels.device == "mlx5_99"'
	# Two renewals of all alerts.
	wait_until 20 has_logged 3 proxy '.body[-1].labels.device == "mlx5_99"'
	feed 301 301 "$HEALTHY | .entitiesImpacted = [] | .errorCode = []"
	end_feed
	ends_with 0 "$EMIT"
	says 0 ''
	[ "$(logged proxy .answer | sort -u)" = 204 ]
	ends=$(logged proxy ".body[] | select(.endsAt < \"$began\") | .labels.device" | sort -u |
		wc -l)
	[ "$ends" -eq 300 ]
}

@test "without a spool faults still become alerts that recover while emit runs" {
	alerting
	fed_emit --sink "$SINK"
	feed 1 2 "$FATAL | .entitiesImpacted[0].entityValue = \"mlx5_\\(.seq)\""
	wait_until 10 active 2
	feed 3 3 "$HEALTHY | .entitiesImpacted[0].entityValue = \"mlx5_1\""
	wait_until 10 active 1
	one_is '.labels.device == "mlx5_2"'
	end_feed
	ends_with 0 "$EMIT"
	[ ! -s "$T/emit.err" ]
}

@test "an alert that ended before it could be sent is not active" {
	alerting
	local of_the_log='.checkName = "SysLogsNICDriverError" | .generatedTimestamp = (now - .seq * 3000 | todateiso8601)'
	run --separate-stderr emitted --spool "$T/spool" < <(nic_events 1 2 \
		"$of_the_log | .entitiesImpacted[0].entityValue = \"mlx5_\\(.seq)\"")
	status_is 0
	[ "$(alerts '.[].labels.device')" = mlx5_1 ]
	[[ "$(alerts '.[].endsAt')" < $(date -u -d '+15 minutes' +%FT%T) ]]
}

@test "after a boot the next event resolves the alerts about the kernel's log" {
	alerting
	set -- --spool "$T/spool" --boot-id-file "$T/boot" --node gpu-1
	echo boot-1 >"$T/boot"
	run --separate-stderr emitted "$@" < <(fault 1 '.checkName = "SysLogsNICDriverError"')
	status_is 0
	one_is '.labels.check == "SysLogsNICDriverError"'
	echo boot-2 >"$T/boot"
	run --separate-stderr emitted "$@" < <(fault 2)
	status_is 0
	active 1
	one_is '.labels.check == "InfiniBandDegradationCheck"'
}

@test "a recovery ends an alert, however the clock jumped in between" {
	alerting
	local next_year='.generatedTimestamp = (now + 31536000 + .seq | todateiso8601)'
	run --separate-stderr emitted --spool "$T/spool" < <(fault 1 &&
		fault 2 "$next_year | .errorCode = [\"saturated\"]")
	status_is 0
	active 2
	run --separate-stderr emitted --spool "$T/spool" < <(recovery 3 "$next_year" && recovery 4 \
		"$next_year | .errorCode = [\"saturated\"]")
	status_is 0
	active 0
}

@test "text with any characters arrives unchanged" {
	alerting
	run --separate-stderr emitted \
		--spool "$T/spool" < <(fault 1 '.message = "Ω \"…\" <b>{{ .x }}</b> \\ 🦀" | .nodeName = "gpu-ü \"1\"" | .metadata = {}')
	status_is 0
	[ "$stderr" = "" ]
	[ "$(alerts '.[] | .annotations.message, .labels.node')" \
		= $'Ω "…" <b>{{ .x }}</b> \\ 🦀\ngpu-ü "1"' ]
}

@test "an event without any field does not hold up others" {
	alerting
	run --separate-stderr emitted --spool "$T/spool" < <(echo '{"kind":"event"}' && fault 1)
	status_is 0
	one_is '.labels.device == "mlx5_0"'
}

@test "alerts go to an Alertmanager below a path prefix" {
	start_webhook web
	run --separate-stderr timeout 20 emit --sink "alertmanager:http://$ADDRESS/some/prefix/" \
		--spool "$T/spool" < <(fault 1)
	status_is 0
	[ "$(logged web '.method, .path')" = $'POST\n/some/prefix/api/v2/alerts' ]
	[[ "$(logged web '.headers["content-type"]')" = application/json* ]]
	[ "$(logged web '.body[0].labels.device')" = mlx5_0 ]
}

@test "a port that fails in the simulator fires an alert, and its repair resolves it" {
	alerting
	node h100-oci
	watch() { scan --interval 100ms | classify | ctreval | emit --sink "$SINK" \
		--spool "$T/spool"; }
	export T SINK
	started watch bash -c "$(declare -f scan classify watch); EXEC=exec; watch"
	local watch=$PID
	wait_until 20 grep -q 'counters available' "$T/watch.err"
	active 0
	sim down mlx5_3/1
	wait_until 20 active 1
	one_is '.labels.node == "test-node" and .labels.check == "EthernetStateCheck"
		and .labels.device == "mlx5_3" and .labels.port == "1"
		and .labels.severity == "critical" and .annotations.action == "REPLACE_VM"
		and (.annotations.message
		| test("^RoCE port mlx5_3 port 1: '"$GOES_DOWN"', operstate (down|up) .rdma2.$"))'
	sim add mlx5_3/1 counters/link_downed 1
	wait_until 20 active 2
	one_is '.labels.code == "link_downed"'
	sim up mlx5_3/1
	wait_until 20 active 1
	one_is '.labels.code == "link_downed"'
	sim reset mlx5_3/1
	wait_until 20 active 0
	kill -TERM "$(pgrep -P "$watch" -x ibscan)"
	ends_with 0 "$watch"
}

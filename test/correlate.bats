#!/usr/bin/env bats
# correlate: patterns in events over time become events, in whatever order the input comes.
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() {
	T=$BATS_TEST_TMPDIR
	IN=$T/in
}

teardown() { end_background; }

# events JQ - write events, made by lib/events.jq, to $IN.
events() { jq -n -c -L "$BATS_TEST_DIRNAME/lib" "include \"events\"; $1" >"$IN"; }

# evaluate OPTION... - run correlate on $IN.
evaluate() { run --separate-stderr bash -c 'correlate "${@:2}" <"$1"' _ "$IN" "$@"; }

# found LINE... - check that exactly these patterns of the checks that match $ONLY were found: `!`
# or, when over, `=`, the check, the second, and the action.
ONLY=.
found() {
	jq -r --arg only "$ONLY" 'select(.agent == "health-events-analyzer")
		| select(.checkName | test($only))
		| (.generatedTimestamp | sub("\\..*"; "Z") | fromdate - 1700000000) as $at
		| (if .isHealthy then "=" else "!" end)
			+ "\(.checkName) \($at) \(.recommendedAction)"' <<<"$output" |
		diff - <([ $# -eq 0 ] || printf '%s\n' "$@") >&2
}

@test "input lines pass unchanged, and each found pattern follows its events" {
	events 'worse(1, 2, 3; "mlx5_0")'
	sed -i '1s/{/{ /; 2i {"kind":"gap","v":1,"via":"link","lost":null}' "$IN"
	evaluate
	status_is 0
	[ -z "$stderr" ]
	diff "$IN" <(head -n 4 <<<"$output")
	tail -n +5 <<<"$output" | jq -e '.kind == "event" and .version == 1
		and .isFatal and (.isHealthy | not) and .message == "3 events within 1h, the latest: symbol_error at 3"
		and .errorCode == ["symbol_error"] and .nodeName == "n1" and .seq == 1
		and .id == .source + "-1" and .metadata.evidence == "mlx5_0-1,mlx5_0-2,mlx5_0-3"
		and .entitiesImpacted == [{"entityType":"NIC","entityValue":"mlx5_0"},
			{"entityType":"NICPort","entityValue":"1"}]
		and .processingStrategy == "EXECUTE_REMEDIATION"'
}

@test "a pattern of one port has the network interface of its latest event" {
	events 'worse(1, 2, 3; "mlx5_0") | .metadata.netdev = "eth\(.seq)"'
	evaluate
	[ "$(jq -r 'select(.agent == "health-events-analyzer").metadata.netdev' \
		<<<"$output")" = eth3001 ]
	# An event about a whole NIC may belong to another port.
	events 'worse(1, 2, 3; "mlx5_0") | .errorCode = ["qp_fatal"] | .metadata.netdev = "eth0"
		| .entitiesImpacted |= .[:1]'
	evaluate
	jq -e 'select(.agent == "health-events-analyzer").metadata | has("netdev") | not' <<<"$output"
}

@test "three driver errors, degradations or queue errors of a NIC within an hour are a pattern" {
	events 'driver(0, 1800, 3599.5; "netdev_watchdog"; false),
		(driver(0, 1, 2; "access_reg_failed"; false) | .seq += 1 | .source = "x"),
		worse(4000, 4001, 4002; "mlx5_1"),
		(worse(8000, 8100, 8200; "mlx5_2") | .errorCode = ["qp_fatal"]
			| .processingStrategy = "STORE_ONLY" | .entitiesImpacted |= .[:1])'
	evaluate
	found '!RepeatedNICDriverError 3599 CONTACT_SUPPORT' \
		'!RepeatedNICDegradation 4002 CONTACT_SUPPORT' \
		'=RepeatedNICDriverError 7199 NONE' \
		'=RepeatedNICDegradation 7602 NONE' \
		'!RepeatedNICQueueError 8200 CONTACT_SUPPORT'
	events 'driver(0, 1800, 3600; "netdev_watchdog"; false)'
	evaluate
	found
}

# A driver tells of empty cages, and of slots that announce little power, whenever it is loaded.
@test "what the driver says about each NIC when it is loaded is no pattern, from one NIC it is" {
	events '(driver(0, 1, 2; "module_unplugged"; false),
		driver(10, 11, 12; "pci_power_insufficient"; false))
		| .metadata.pci = "0000:1\(.seq % 7):00.0"'
	evaluate
	ONLY=DriverError found
	events 'driver(0, 1, 2; "module_unplugged"; false) | .metadata.pci = "0000:18:00.0"'
	evaluate
	ONLY=DriverError found '!RepeatedNICDriverError 2 CONTACT_SUPPORT'
}

@test "what receivers take for ended by the end of another pattern is reported again" {
	events 'driver(0, 1, 2; "netdev_watchdog"; false),
		driver(10, 11, 12; "mlx5_tx_timeout_detected"; false), worse(9999; "mlx5_9")'
	evaluate
	found '!RepeatedNICDriverError 2 CONTACT_SUPPORT' \
		'!RepeatedNICDriverError 12 CONTACT_SUPPORT' \
		'=RepeatedNICDriverError 3602 NONE' \
		'!RepeatedNICDriverError 3602 CONTACT_SUPPORT' \
		'=RepeatedNICDriverError 3612 NONE'
	jq -r 'select(.agent == "health-events-analyzer").errorCode[]' <<<"$output" |
		diff - <(printf '%s\n' netdev_watchdog mlx5_tx_timeout_detected netdev_watchdog \
			mlx5_tx_timeout_detected mlx5_tx_timeout_detected) >&2
}

@test "saturated counters are no degradation" {
	events 'worse(1, 2, 3, 4; "mlx5_0") | .errorCode += ["saturated"]'
	evaluate
	found
}

@test "an event that matches any condition of \"not\" does not count" {
	cat >"$T/rules.yaml" <<-'END'
		rules:
		  - name: One
		    match: {errorCode: "*", not: {errorCode: [b, c], entity.NIC: "mlx5_1*"}}
		    group: [entity.NIC, errorCode]
		    count: 1
		    within: 1s
	END
	events 'event(1; "mlx5_0"; "C"; ("a", "b", "c"); false; false),
		(event(2; "mlx5_0"; "C"; "d"; false; false) | .errorCode += ["c"]),
		event(3; "mlx5_12"; "C"; "a"; false; false)'
	evaluate --rules "$T/rules.yaml"
	status_is 0
	found '!One 1 NONE' '=One 2 NONE'
}

@test "a link that goes down three times within 10 minutes leads to REPLACE_VM" {
	events 'link_downed(0, 300, 599.999999; "mlx5_0"), link_downed(1000, 1300, 1600; "mlx5_1")'
	evaluate
	found '!RepeatedNICLinkFlap 599 REPLACE_VM' '=RepeatedNICLinkFlap 1199 NONE'
}

@test "a saturated link_downed is no link that goes down, and does not prevent a NICPortDrop" {
	events 'link_downed(0, 1, 2, 3; "mlx5_0") | .errorCode += ["saturated"]'
	evaluate
	found
	ONLY=NICPortDrop
	events 'down(0; "mlx5_0"), (link_downed(200; "mlx5_0") | .errorCode += ["saturated"]),
		worse(240; "mlx5_9")'
	evaluate
	found '!NICPortDrop 240 REPLACE_VM'
}

@test "a port that stays down for 4 minutes is a NICPortDrop, unless its link went down meanwhile" {
	ONLY=NICPortDrop
	events 'down(0; "mlx5_0"), up(239; "mlx5_0"), worse(999; "mlx5_9")'
	evaluate
	found
	events 'down(0; "mlx5_0"), up(240; "mlx5_0"), worse(999; "mlx5_9")'
	evaluate
	found '!NICPortDrop 240 REPLACE_VM' '=NICPortDrop 240 NONE'
	events 'down(0; "mlx5_0"), link_downed(200; "mlx5_0"), worse(999; "mlx5_9")'
	evaluate
	found
	# Nothing is known about the time after the last event.
	events 'down(0; "mlx5_0"), worse(239; "mlx5_9")'
	evaluate
	found
}

@test "a rule about a whole node counts a port that stays down while another one comes up" {
	cat >"$T/rules.yaml" <<-'EOF'
		rules:
		  - {name: AnyPortDown, match: {errorCode: port_state}, lasts: 4m, action: REPLACE_VM}
		  - {name: PortDowntime, match: {errorCode: port_state}, total: 5m, within: 24h}
	EOF
	events 'down(0; "mlx5_0"), down(60; "mlx5_1"), up(120; "mlx5_0"), up(2400; "mlx5_1")'
	evaluate --rules "$T/rules.yaml"
	found '!AnyPortDown 300 REPLACE_VM' '!PortDowntime 300 NONE' '=AnyPortDown 2400 NONE'
	jq -s -e '[.[] | select(.checkName == "AnyPortDown").metadata.evidence]
		== ["mlx5_1-60", "mlx5_1-60"]' <<<"$output"
	# A pattern is over when no port is down any more.
	events 'down(0; "mlx5_0"), down(60; "mlx5_1"), up(300; "mlx5_0"), up(3600; "mlx5_1")'
	evaluate --rules "$T/rules.yaml"
	found '!AnyPortDown 240 REPLACE_VM' '!PortDowntime 300 NONE' '=AnyPortDown 3600 NONE'
	jq -s -e '[.[] | select(.checkName == "AnyPortDown").metadata.evidence]
		== ["mlx5_0-0,mlx5_1-60", "mlx5_1-60"]' <<<"$output"
	# A port that comes up in time is not answered for the others.
	events 'down(0; "mlx5_0"), down(60; "mlx5_1"), up(120; "mlx5_0"), up(299; "mlx5_1")'
	ONLY=AnyPortDown
	evaluate --rules "$T/rules.yaml" --explain
	found
	jq -s -r '.[] | select(.rule == "AnyPortDown").reason' <<<"$output" |
		diff - <(echo 'answered after 239 s, the rule needs 4m')
}

@test "a port that is down for 7.5 s is a NICPortDownLong, and one down for 30 s leads to REPLACE_VM" {
	events 'down(0; "mlx5_0"), up(7.499999; "mlx5_0"), worse(999; "mlx5_9")'
	evaluate
	found
	events 'down(0; "mlx5_0"), up(7.5; "mlx5_0"), worse(999; "mlx5_9")'
	evaluate
	found '!NICPortDownLong 7 NONE' '=NICPortDownLong 7 NONE'
	events 'down(0; "mlx5_0"), up(40; "mlx5_0"), worse(999; "mlx5_9")'
	evaluate
	# One event reports the end, when both are over.
	found '!NICPortDownLong 7 NONE' '!NICPortDownLong 30 REPLACE_VM' '=NICPortDownLong 40 NONE'
}

@test "a port that is down for 60 s in all within a day is found, however short each outage" {
	events 'range(0; 12) as $i | down($i * 1000; "mlx5_0"), up($i * 1000 + 5; "mlx5_0")'
	evaluate
	found '!NICPortDowntime 11005 CONTACT_SUPPORT'
	events 'range(0; 12) as $i | down($i * 1000; "mlx5_0"), up($i * 1000 + 4.999999; "mlx5_0")'
	evaluate
	found
}

@test "a fatal driver error and a port that goes down within 10 s are one diagnosis with both as evidence" {
	local order ONLY=DriverErrorWithPortDown
	for order in 'down(5; "mlx5_0"), driver(14.9; "cmd_exec_timeout"; true)' \
		'driver(5; "cmd_exec_timeout"; true), down(14.9; "mlx5_0")'; do
		events "$order"
		evaluate
		found '!DriverErrorWithPortDown 14 NONE'
		[ "$(grep "$ONLY" <<<"$output" | jq -r '[.isFatal, (.metadata.evidence / "," | sort)[]]
			| map(tostring) | join(" ")')" = 'false mlx5_0-14.9 mlx5_0-5' ]
	done
	events 'down(5; "mlx5_0"), driver(15; "cmd_exec_timeout"; true)'
	evaluate
	found
}

@test "shuffled events and repeated events give the same patterns" {
	events 'worse(range(0; 50); "mlx5_0"), down(3; "mlx5_1"), up(7; "mlx5_1"),
		driver(range(10; 40; 7); "netdev_watchdog"; false), worse(range(0; 30); "mlx5_2")
		| if .entitiesImpacted[0].entityValue == "mlx5_2" then .source = "m2" else . end'
	local turn expected
	jq -s -c 'sort_by(.generatedTimestamp)[]' "$IN" >"$T/sorted"
	expected=$(correlate <"$T/sorted" | grep health-events-analyzer)
	[ "$(wc -l <<<"$expected")" -ge 3 ]
	for turn in {1..20}; do
		{ cat "$IN" && head -n "$turn" "$IN"; } |
			shuf --random-source=<(yes "$turn") >"$T/shuffled"
		diff <(correlate <"$T/shuffled" | grep health-events-analyzer) - <<<"$expected"
	done
}

@test "an event later than --late does not count, and a warning gives the number" {
	events 'worse(1, 2; "mlx5_0"), worse(100; "mlx5_1"), worse(3; "mlx5_0")'
	evaluate
	status_is 0 '^correlate: warning: 1 events arrived too late \(--late\), and were not counted$'
	found
	evaluate --late 2m
	status_is 0
	[ -z "$stderr" ]
	found '!RepeatedNICDegradation 3 CONTACT_SUPPORT'
}

@test "a pattern that names no NIC does not count events that a silence covers" {
	events '(driver(0, 1, 2; "netdev_watchdog"; false), driver(10; "cmd_exec_timeout"; true),
		down(11; "mlx5_0")) | .metadata.silence = "5d1927e84cb9211a"'
	evaluate
	ONLY=DriverError found
	events 'driver(0, 1; "netdev_watchdog"; false),
		(driver(2; "netdev_watchdog"; false) | .metadata.silence = "5d1927e84cb9211a"),
		driver(3; "netdev_watchdog"; false)'
	evaluate
	ONLY=DriverError found '!RepeatedNICDriverError 3 CONTACT_SUPPORT'
}

@test "faults of a NIC that a silence covers count only for what is still so when the silence ends" {
	local silenced='.metadata.silence = "5d1927e84cb9211a" | .processingStrategy = "STORE_ONLY"'
	# The fault before the silence is not the third one, and the repair is no downtime.
	events "worse(0; \"mlx5_0\"), link_downed(0; \"mlx5_0\"),
		down(10; \"mlx5_0\"), up(12; \"mlx5_0\"),
		((worse(20, 21, 22; \"mlx5_0\"), link_downed(20, 21, 22; \"mlx5_0\"),
			(worse(23, 24, 25; \"mlx5_0\") | .errorCode = [\"qp_fatal\"]),
			down(30; \"mlx5_0\")) | $silenced),
		up(700; \"mlx5_0\")"
	evaluate
	found '!NICPortDownLong 37 NONE' '!NICPortDownLong 60 REPLACE_VM' \
		'!NICPortDrop 270 REPLACE_VM' '=NICPortDrop 700 NONE' '=NICPortDownLong 700 NONE'
}

@test "a pattern of STORE_ONLY events is STORE_ONLY, and so is any with --strategy STORE_ONLY" {
	events 'worse(1, 2, 3; "mlx5_0") | .processingStrategy = "STORE_ONLY"'
	evaluate
	[ "$(tail -n 1 <<<"$output" | jq -r .processingStrategy)" = STORE_ONLY ]
	events 'worse(1; "mlx5_0"), (worse(2, 3; "mlx5_0") | .processingStrategy = "STORE_ONLY")'
	evaluate
	[ "$(tail -n 1 <<<"$output" | jq -r .processingStrategy)" = EXECUTE_REMEDIATION ]
	evaluate --strategy STORE_ONLY
	[ "$(tail -n 1 <<<"$output" | jq -r .processingStrategy)" = STORE_ONLY ]
}

@test "the end of a pattern that receivers acted on reaches them, whatever --strategy is by then" {
	local strategy
	for strategy in EXECUTE_REMEDIATION STORE_ONLY; do
		rm -f "$T/state"
		events 'down(0; "mlx5_0"), down(300; "mlx5_9")'
		evaluate --state "$T/state" --strategy "$strategy"
		found '!NICPortDownLong 7 NONE' '!NICPortDownLong 30 REPLACE_VM' \
			'!NICPortDowntime 60 CONTACT_SUPPORT' '!NICPortDrop 240 REPLACE_VM'
		events 'up(310; "mlx5_0"), down(400; "mlx5_8")'
		evaluate --state "$T/state" --strategy STORE_ONLY
		[ "$(jq -r 'select(.agent == "health-events-analyzer" and .isHealthy)
			| .processingStrategy' <<<"$output" | sort -u)" = "$strategy" ]
	done
	# Two rules report the same condition: the one that receivers acted on, and one later.
	rm "$T/state"
	events 'down(0; "mlx5_0"), down(80; "mlx5_9")'
	evaluate --state "$T/state"
	found '!NICPortDownLong 7 NONE'
	events 'up(100; "mlx5_0"), down(200; "mlx5_8")'
	evaluate --state "$T/state" --strategy STORE_ONLY
	[ "$(jq -r 'select(.checkName == "NICPortDownLong")
		| select(.metadata.evidence | test("mlx5_0-"))
		| "\(.isHealthy) \(.processingStrategy)"' <<<"$output" | xargs)" = \
		'false STORE_ONLY true EXECUTE_REMEDIATION' ]
}

@test "correlate's own events pass unchanged and count for no pattern" {
	events 'worse(1, 2, 3; "mlx5_0")'
	evaluate
	tail -n 1 <<<"$output" >"$T/found"
	for i in 1 2 3; do
		jq -c --arg i "$i" '.checkName = "InfiniBandDegradationCheck" | .isFatal = false
			| .seq = ($i | tonumber)' "$T/found"
	done >"$IN"
	evaluate
	diff "$IN" - <<<"$output"
}

@test "an event without a time, or with too long a node name, gives one warning and passes" {
	events 'worse(1, 2, 3; "mlx5_0") | if .seq == 2001 then .generatedTimestamp = "soon" else . end'
	evaluate
	status_is 0 '^correlate: warning: stdin: line 2, byte 0: skipped: "generatedTimestamp" is not a time$'
	diff "$IN" - <<<"$output"
	events 'worse(1, 2, 3; "mlx5_0") | .nodeName = "n" * 254'
	evaluate
	status_is 0 '^correlate: warning: stdin: line 1, byte 0: skipped: "nodeName" is too long$'
	diff "$IN" - <<<"$output"
}

@test "each node has its own events, clock and stream, in whatever order the nodes come" {
	events '(worse(1, 2, 3; "mlx5_0") | .nodeName = "n1" | .id += "a"),
		(worse(50000, 50001; "mlx5_0") | .nodeName = "n2" | .source = "b"),
		(worse(100000; "mlx5_0") | .nodeName = null | .source = "c"),
		(worse(100001; "mlx5_0") | .nodeName = "n3" | .source = "d"),
		(worse(4; "mlx5_0") | .nodeName = "n3" | .source = "e")'
	evaluate
	status_is 0 '^correlate: warning: 1 events arrived too late'
	found '!RepeatedNICDegradation 3 CONTACT_SUPPORT'
	events '(worse(1, 2, 3; "mlx5_0"), worse(2, 3, 4; "mlx5_1")) | ., (.nodeName = "n2")
		| .source = .entitiesImpacted[0].entityValue + .nodeName | .id = .source + .id'
	correlate <"$IN" | grep health-events-analyzer | sort >"$T/one"
	[ "$(jq -r '"\(.nodeName) \(.seq)"' "$T/one" | sort | xargs)" = 'n1 1 n1 2 n2 1 n2 2' ]
	[ "$(jq -r .source "$T/one" | sort -u | wc -l)" -eq 2 ]
	{ grep '"n2"' "$IN" && grep -v '"n2"' "$IN"; } | correlate |
		grep health-events-analyzer | sort | diff "$T/one" -
}

@test "an invalid line is skipped with its place and reason, and a number that is too large is accepted" {
	events 'worse(1, 2, 3; "mlx5_0") | .metadata.big = "BIG"'
	sed -i 's/"BIG"/123456789012345678901234567890/' "$IN"
	{
		sed -n 1p "$IN"
		echo '{"kind":"event",'
		sed -n 2p "$IN"
		printf '{"kind":"event","message":"\377"}\n{"no":"kind"}\n'
		printf '{"kind":"event","message":"\\u0000"}\n'
		sed -n 3p "$IN"
	} >"$T/mixed"
	run --separate-stderr bash -c 'correlate <"$1"' _ "$T/mixed"
	status_is 0
	found '!RepeatedNICDegradation 3 CONTACT_SUPPORT'
	[ "$(grep -c BIG <<<"$output")" -eq 0 ]
	diff "$IN" <(head -n 3 <<<"$output")
	cut -d : -f 1-4 <<<"$stderr" | diff - <(cat <<-'END'
		correlate: warning: stdin: line 2, byte 16
		correlate: warning: stdin: line 4, byte 27
		correlate: warning: stdin: further skipped lines
	END
	)
}

@test "an event whose text contains \\u0000 behind a backslash is evaluated like any other" {
	events 'worse(1, 2, 3; "mlx5_0") | .message = "C:\\u0000"'
	grep -q 'C:\\\\u0000' "$IN"
	evaluate
	status_is 0
	[ -z "$stderr" ]
	found '!RepeatedNICDegradation 3 CONTACT_SUPPORT'
	diff "$IN" <(head -n 3 <<<"$output")
}

@test "--rules replaces the built-in rules, which --print-rules prints" {
	correlate --print-rules >"$T/rules.yaml"
	run --separate-stderr correlate --check-rules --rules "$T/rules.yaml"
	status_is 0
	[ -z "$stderr$output" ]
	sed -i 's/count: 3/count: 2/' "$T/rules.yaml"
	events 'worse(1, 2; "mlx5_0")'
	evaluate
	found
	evaluate --rules "$T/rules.yaml"
	found '!RepeatedNICDegradation 2 CONTACT_SUPPORT'
	cat >"$T/own.yaml" <<-'END'
		rules:
		  - name: Own
		    match: {entity.NIC: "mlx5_[1-3]", metadata.role: compute, nodeName: n*, message: "*at 2*"}
		    group: [metadata.role]
		    count: 1
		    within: 1m30s
	END
	events 'worse(1, 2; "mlx5_1", "mlx5_4") | .metadata.role = "compute" | .source += .id'
	evaluate --rules "$T/own.yaml"
	found '!Own 2 NONE'
	tail -n 1 <<<"$output" | jq -e '(.isFatal | not) and .entitiesImpacted == []'
	: >"$T/none.yaml"
	evaluate --rules "$T/none.yaml"
	status_is 0
	found
}

@test "a sequence is found when its events happened in order within the time, in whatever order they are read" {
	cat >"$T/rules.yaml" <<-'END'
		rules:
		  - name: WorseThenDown
		    sequence: [{errorCode: symbol_error}, {errorCode: port_state}]
		    group: [entity.NIC]
		    within: 10s
		    action: CONTACT_SUPPORT
	END
	# In time, just too late, the wrong order, and two NICs.
	events '(worse(1; "mlx5_0"), down(10.999; "mlx5_0"),
		worse(101; "mlx5_1"), down(111; "mlx5_1"),
		down(201; "mlx5_2"), worse(202; "mlx5_2"),
		worse(301; "mlx5_3"), down(302; "mlx5_4")) | .source += .id'
	evaluate --rules "$T/rules.yaml"
	found '!WorseThenDown 10 CONTACT_SUPPORT' '=WorseThenDown 20 NONE'
	jq -e 'select(.checkName == "WorseThenDown" and (.isHealthy | not))
		| .message == "2 kinds of events in order within 10s, the last: port_state at 10.999"
		and .metadata.evidence == "mlx5_0-1,mlx5_0-10.999"' <<<"$output"
	cp "$IN" "$T/sorted"
	tac "$T/sorted" >"$IN"
	evaluate --rules "$T/rules.yaml" --late 1h
	found '!WorseThenDown 10 CONTACT_SUPPORT' '=WorseThenDown 20 NONE'
	evaluate --rules "$T/rules.yaml" --late 1h --explain
	jq -r 'select(.about == "pattern" and .verdict != "found" and .verdict != "over")
		| "\(.group["entity.NIC"]) \(.verdict): \(.reason)"' <<<"$output" | sort | diff - <(
		printf '%s\n' \
			'mlx5_1 passed: of 2 kinds of events, only 1 came in order within 10s' \
			'mlx5_2 passed: of 2 kinds of events, only 1 came in order within 10s' \
			'mlx5_3 open: 1 of 2 kinds of events so far within 10s'
	)
}

@test "all mistakes in rules are reported at once, with line and column, and exit 78" {
	cat >"$T/rules.yaml" <<-'END'
		rules:
		  - name: Count
		    match: {errorCode: x}
		    count: 0
		    within: 1h
		  - name: Count
		    match: {colour: red, isHealthy: false}
		    count: 65
		  - match: {}
		    lasts: 4m
		    within: 1m
		  - name: All
		    all: [{errorCode: x}]
		    within: 0s
		    count: 2
		  - name: Group
		    match: {errorCode: [a, {}]}
		    group: [port, entity.]
		    count: 1
		    within: never
		    action: REBOOT
		    often: true
		  - name: Sequence
		    sequence: [{errorCode: x}]
		    all: [{errorCode: y}, {errorCode: z}]
		    within: 1s
		  - name: Fatal
		    match: {isFatal: yes, errorCode: [], not: {isFatal: [T*, "t*"], not: {}}}
		    count: 1
		    within: 1s
		surprise: 1
	END
	run --separate-stderr correlate --check-rules --rules "$T/rules.yaml"
	status_is 78
	[ -z "$output" ]
	echo "${stderr//"$T/"/}" >"$T/said"
	local line
	while read -r line; do
		grep -q -F "correlate: error: rules.yaml:$line" "$T/said" || {
			echo "not said: $line" >&2
			cat "$T/said" >&2
			return 1
		}
	done <<-'END'
		4:12: 
		6:5: rule "Count" is given twice
		6:5: this rule needs "within"
		7:13: "colour" is not a field of an event, entity.TYPE or metadata.NAME
		7:26: "isHealthy" is not a field of an event
		8:12: 
		9:12: without a condition all events would match
		9:5: a rule needs a name
		9:5: "within" does not go with "lasts"
		12:5: "all" needs two kinds of events
		12:5: "count" does not go with "all"
		12:5: this rule needs a time of more than 0
		17:28: a single value is expected here
		18:13: "port" is not a field of an event
		18:19: "entity." is not a field of an event
		20:13: 
		21:13: 
		22:5: 
		23:5: "sequence" does not go with "all"
		28:22: "yes" is neither true nor false
		28:38: "errorCode" needs a value
		28:58: "T*" is neither true nor false
		28:69: "not" is not a field of an event
		31:1: 
	END
	run --separate-stderr correlate --rules "$T/missing.yaml"
	status_is 66 "^correlate: error: $T/missing.yaml: No such file or directory$"
	touch "$T/open.yaml"
	chmod 666 "$T/open.yaml"
	run --separate-stderr correlate --rules "$T/open.yaml"
	status_is 77 "^correlate: error: $T/open.yaml: .*refusing to use it as the configuration$"
}

# explained LINE... - check the decisions of --explain: rule, second, verdict: reason.
explained() {
	evaluate --explain
	status_is 0
	jq -r --arg only "$ONLY" 'select(.kind == "decision" and .about == "pattern")
		| select(.rule | test($only))
		| (.ts | sub("\\..*"; "Z") | fromdate - 1700000000) as $at
		| "\(.rule) \($at) \(.verdict): \(.reason)"' <<<"$output" |
		diff - <(printf '%s\n' "$@") >&2
}

@test "--explain says why each group of events is a pattern or not" {
	ONLY=RepeatedNICDegradation
	events 'worse(1, 2, 3; "mlx5_0"), worse(1.5, 4000; "mlx5_1")'
	explained 'RepeatedNICDegradation 3 found: 3 events within 1h, the latest: symbol_error at 3' \
		'RepeatedNICDegradation 3601 passed: 1 events, but never 3 of them within 1h' \
		'RepeatedNICDegradation 3603 over: no such event for 1h' \
		'RepeatedNICDegradation 4000 open: 1 events so far, but not 3 of them within 1h'
	# A decision has the id of its event and the evidence.
	jq -s -e '(.[] | select(.agent == "health-events-analyzer" and (.isHealthy | not)).id)
		as $id | .[] | select(.verdict == "found")
		| .event == $id and .node == "n1" and .v == 1
			and .evidence == ["mlx5_0-1", "mlx5_0-2", "mlx5_0-3"]
			and .group == {"entity.NIC": "mlx5_0", "entity.NICPort": "1"}' <<<"$output"
	jq -e 'select(.verdict == "open").event == null' <<<"$output"
	ONLY=NICPortDrop
	events 'down(0; "mlx5_0"), up(3.25; "mlx5_0"), down(1; "mlx5_1"), link_downed(9; "mlx5_1"),
		down(10; "mlx5_2"), worse(99; "mlx5_9")'
	explained 'NICPortDrop 3 answered: answered after 3.25 s, the rule needs 4m' \
		'NICPortDrop 9 excepted: an event that matches "unless" came after 8 s' \
		'NICPortDrop 99 open: not answered for 89 s so far, the rule needs 4m'
	ONLY='NICPortDowntime|WithPortDown'
	events 'down(0; "mlx5_0"), up(3; "mlx5_0"), down(50; "mlx5_1"), worse(99; "mlx5_9")'
	explained 'DriverErrorWithPortDown 10 passed: not all 2 kinds of events came within 10s' \
		'DriverErrorWithPortDown 60 passed: not all 2 kinds of events came within 10s' \
		'NICPortDowntime 99 open: 3 s in total so far, the rule needs 60s within 24h' \
		'NICPortDowntime 99 open: 49 s in total so far, the rule needs 60s within 24h'
	events 'down(0; "mlx5_0"), up(3; "mlx5_0"), worse(90000; "mlx5_9"), down(90001; "mlx5_1")'
	explained 'DriverErrorWithPortDown 10 passed: not all 2 kinds of events came within 10s' \
		'NICPortDowntime 86403 passed: the total never reached 60s within 24h' \
		'NICPortDowntime 90001 open: 0 s in total so far, the rule needs 60s within 24h' \
		'DriverErrorWithPortDown 90001 open: 1 of 2 kinds of events so far within 10s'
}

# found_in FILE - print the events of correlate in FILE.
found_in() { grep health-events-analyzer "$1" || true; }

@test "with a state file, a restart after any event changes no found pattern" {
	local stop lines
	events 'worse(range(0; 20); "mlx5_0"), down(3, 200; "mlx5_1"), up(40, 400; "mlx5_1"),
		driver(range(10; 500; 70); "netdev_watchdog"; false), worse(600; "mlx5_3")'
	jq -s -c 'sort_by(.generatedTimestamp)[]' "$IN" >"$T/sorted"
	lines=$(wc -l <"$T/sorted")
	correlate --state "$T/whole" <"$T/sorted" >"$T/all"
	[ "$(found_in "$T/all" | wc -l)" -ge 6 ]
	for ((stop = 0; stop <= lines; stop += 3)); do
		rm -f "$T/state"
		head -n "$stop" "$T/sorted" | correlate --state "$T/state" >"$T/part"
		tail -n +$((stop + 1)) "$T/sorted" | correlate --state "$T/state" >>"$T/part"
		diff <(found_in "$T/all") <(found_in "$T/part")
	done
	# The state holds back a pattern at the end of input; the next run reports it.
	events 'worse(1, 2, 3; "mlx5_0")'
	correlate --state "$T/next" <"$IN" >"$T/part"
	[ -z "$(found_in "$T/part")" ]
	events 'worse(100; "mlx5_1")'
	correlate --state "$T/next" <"$IN" >"$T/part"
	[ "$(found_in "$T/part" | jq -r .checkName)" = RepeatedNICDegradation ]
}

@test "a found pattern is written again until it is acknowledged" {
	local i id
	events 'worse(1, 2, 3, 100; "mlx5_0")'
	for i in 1 2 3; do
		correlate --state "$T/state" --acks "$T/acks" <"$IN" >"$T/out"
		id=$(found_in "$T/out" | jq -r .id)
		[ "$id" = "${id%-1}-1" ]
		: >"$IN"
	done
	jq -n -c --arg source "${id%-1}" '{version: 1, acks: {($source): 1},
		delivered: {($source): 1}, receiver: "r"}' >"$T/acks"
	correlate --state "$T/state" --acks "$T/acks" <"$IN" >"$T/out"
	[ -z "$(found_in "$T/out")" ]
	run --separate-stderr correlate --acks "$T/acks" <"$IN"
	status_is 64 '^correlate: error: --acks needs --state$'
}

@test "after the state is lost, correlate uses no sequence number that the receiver already has" {
	local source acks='' sources=()
	events 'worse(1, 2, 3, 100; "mlx5_0")'
	for _ in 1 2 3; do
		evaluate --state "$T/state" --acks "$T/acks"
		status_is 0 "${sources[*]:+the receiver has later events than the state file}"
		source=$(found_in <(echo "$output") | jq -r .source)
		[[ " ${sources[*]} " != *" $source "* ]]
		sources+=("$source")
		acks+=${acks:+,}"\"$source\":1"
		echo "{\"version\":1,\"acks\":{$acks},\"receiver\":\"r\"}" >"$T/acks"
		rm "$T/state"
	done
}

@test "an invalid state file is kept aside, and correlate clears all earlier patterns of a node" {
	events 'worse(1; "mlx5_0")'
	echo '{"version":1,"nodes":3}' >"$T/state"
	evaluate --state "$T/state"
	status_is 0 "^correlate: warning: $T/state: "
	[ "$(wc -l <<<"$stderr")" -eq 1 ]
	[ "$(tail -n +2 <<<"$output" | jq -r 'select(.isHealthy and .nodeName == "n1"
		and .entitiesImpacted == [] and .errorCode == []) | .checkName' | xargs)" = "$(
		correlate --print-rules | sed -n 's/^ *\(- name\|check\): //p' |
			grep -v -e TooLong -e LoadWarning | awk '!seen[$0]++' | xargs)" ]
	ls "$T"/state.*
	# Only once.
	evaluate --state "$T/state"
	status_is 0
	[ -z "$stderr" ]
	found
}

@test "correlate clears the patterns of a rule that no longer exists" {
	events 'worse(1, 2, 3, 100; "mlx5_0")'
	evaluate --state "$T/state"
	found '!RepeatedNICDegradation 3 CONTACT_SUPPORT'
	correlate --print-rules | sed 's/RepeatedNICDegradation/Other/' >"$T/rules.yaml"
	: >"$IN"
	evaluate --state "$T/state" --rules "$T/rules.yaml"
	status_is 0
	jq -e '.checkName == "RepeatedNICDegradation" and .isHealthy and .nodeName == "n1"
		and .metadata.baseline == "true" and .message == "Baseline reset: earlier conditions of RepeatedNICDegradation on this node are cleared"' <<<"$output"
	[ "$(wc -l <<<"$output")" -eq 1 ]
}

@test "a changed rule clears its check, and another rule's standing pattern of that check is reported again" {
	correlate --print-rules >"$T/rules.yaml"
	events 'down(0; "mlx5_0"), worse(200; "mlx5_9")'
	evaluate --state "$T/state"
	: >"$IN"
	sed 's/lasts: 30s/lasts: 45s/' "$T/rules.yaml" >"$T/others.yaml"
	evaluate --state "$T/state" --rules "$T/others.yaml"
	status_is 0
	jq -s -e 'length == 2 and .[0].isHealthy and .[0].metadata.baseline == "true"
		and all(.[]; .checkName == "NICPortDownLong") and (.[1].isHealthy | not)
		and .[1].recommendedAction == "NONE"
		and .[1].entitiesImpacted[0].entityValue == "mlx5_0"
		and .[1].seq == .[0].seq + 1' <<<"$output"
	# The standing pattern also ends with an event.
	events 'up(300; "mlx5_0"), worse(500; "mlx5_9")'
	evaluate --state "$T/state" --rules "$T/others.yaml"
	jq -s -e 'map(select(.checkName == "NICPortDownLong"))
		| map([.isHealthy, .errorCode[0]]) == [[true, "port_state"]]' <<<"$output"
}

# Thorough: tools
@test "correlate stores the state of a fleet seldom enough to keep up when all nodes report a fault" {
	jq -n -c -L "$BATS_TEST_DIRNAME/lib" 'include "events"; range(6) as $nic
		| range(2000) as $node | down($nic * 1200 + $node / 2; "mlx5_\($nic)")
		| of("n\($node)") | .seq = $nic + 1 | .source = "n\($node)"' >"$IN"
	# Seconds of the processor. Storing after each hundred events takes 40 times as many.
	local TIMEFORMAT=%U without with
	without=$({ time correlate <"$IN" >/dev/null; } 2>&1)
	with=$({ time correlate --state "$T/state" <"$IN" >"$T/out"; } 2>&1)
	diff <(found_in "$T/out" | jq .seq) <(seq 40000)
	jq -n -e "$with < 15 * $without"
}

# Thorough: tools
@test "correlate reads back a state of more than 64 MiB, as when all links of a fabric are down" {
	jq -n -c -L "$BATS_TEST_DIRNAME/lib" --arg text "$(printf '%03000d' 0)" 'include "events";
		range(600) as $node | range(8) as $nic | down(0; "mlx5_\($nic)") | of("n\($node)")
		| .seq = $nic + 1 | .source = "n\($node)" | .message = $text' >"$IN"
	correlate --late 0s --state "$T/state" <"$IN" >"$T/out"
	[ "$(stat -c %s "$T/state")" -gt $((64 << 20)) ]
	jq -n -c -L "$BATS_TEST_DIRNAME/lib" 'include "events";
		worse(241; "mlx5_9") | of("n599") | .source = "n599" | .seq = 9' >"$IN"
	evaluate --late 0s --state "$T/state"
	status_is 0
	[ -z "$stderr" ]
	[ "$(found_in <(echo "$output") | grep -c NICPortDrop)" -eq 8 ]
}

@test "a state file in use by another process exits 75" {
	run --separate-stderr flock "$T/state.lock" correlate --state "$T/state" </dev/null
	status_is 75 "^correlate: error: $T/state"
}

# one_rule LASTS - write a rule that finds a port down for that long.
one_rule() {
	printf 'rules: [{name: Down, match: {errorCode: port_state}, lasts: %s}]\n' "$1" >"$T/rules"
}

# live OPTION... - start correlate --live with that rule; it reads from descriptor 7.
live() {
	feed_open correlate --live --rules "$T/rules" "$@"
	echo '{"kind":"other"}' >&7
	wait_until 20 grep -q other "$T/out"
}

# live_found - wait until the pattern is found and end correlate.
live_found() {
	wait_until 20 grep -q '"Down"' "$T/out"
	exec 7>&-
	ends_with 0 "$PID"
	cat "$T/err"
	[ ! -s "$T/err" ]
}

# now_event JQ - print events at the current time.
now_event() {
	jq -n -c -L "$BATS_TEST_DIRNAME/lib" --argjson now "$(date +%s.%6N)" \
		"include \"events\"; (\$now - 1700000000) as \$now | $1"
}

@test "--live finds a lasting condition by the clock, and not before its time" {
	one_rule 1s
	live
	now_event 'down($now; "mlx5_0")' >&7
	live_found
	jq -s -e '(.[2].generatedTimestamp | sub("\\..*"; "Z") | fromdate)
		- (.[1].generatedTimestamp | sub("\\..*"; "Z") | fromdate) | . == 1' "$T/out"
}

@test "with --live a condition from before the start must last anew" {
	local start
	one_rule 2s
	now_event 'down($now - 20; "mlx5_0")' | correlate --rules "$T/rules" --state "$T/state"
	start=$(date +%s%6N)
	live --state "$T/state"
	live_found
	# By its event time it would be found at once.
	jq -s -e --argjson start "$start" '.[1].generatedTimestamp
		| capture("(?<s>.*)\\.(?<us>[0-9]{6})Z") | ("\(.s)Z" | fromdate) * 1000000
			+ (.us | tonumber) | . >= $start + 2000000' "$T/out"
}

@test "with --live an event with a future time counts as of now" {
	one_rule 1s
	live
	now_event 'down($now + 100000; "mlx5_0")' >&7
	live_found
}

@test "with --live correlate says whether the clock was set forward or back" {
	one_rule 1h
	with_slow_clock live --confine=off
	touch "$T/clock-is-set"
	echo '{"kind":"other"}' >&7
	wait_until 20 has_lines 1 "$T/err" 'note: the clock was set forward, or the machine was suspended: rules with "lasts" count from now$'
	rm "$T/clock-is-set"
	echo '{"kind":"other"}' >&7
	wait_until 20 has_lines 1 "$T/err" \
		'^correlate: note: the clock was set back: the times of earlier events are set back, too$'
	exec 7>&-
	ends_with 0 "$PID"
	has_lines 2 "$T/err"
}

@test "with --live an event that comes as soon as the clock was set back counts" {
	one_rule 1s
	touch "$T/clock-is-set"
	with_slow_clock live --confine=off
	now_event 'up($now; "mlx5_0")' >&7
	wait_until 20 grep -q port_state "$T/out"
	# Both happen before correlate looks at the clock again.
	kill -STOP "$PID"
	rm "$T/clock-is-set"
	now_event 'down($now - 7200; "mlx5_0") | .source = "later"' >&7
	kill -CONT "$PID"
	wait_until 20 grep -q '"Down"' "$T/out"
	exec 7>&-
	ends_with 0 "$PID"
	has_lines 1 "$T/err"
	grep -q 'the clock was set back' "$T/err"
}

@test "with --live the time that the clock is set forward by does not count, also before an event" {
	one_rule 1h
	with_slow_clock live --confine=off
	now_event 'down($now - 7200; "mlx5_0")' >&7
	wait_until 20 grep -q port_state "$T/out"
	# Both happen before correlate looks at the clock again.
	kill -STOP "$PID"
	touch "$T/clock-is-set"
	now_event 'up($now; "mlx5_0"), down($now; "mlx5_1")' >&7
	kill -CONT "$PID"
	wait_until 20 has_lines 1 "$T/err" 'the clock was set forward'
	exec 7>&-
	ends_with 0 "$PID"
	none grep '"Down"' "$T/out"
	has_lines 1 "$T/err"
	grep -q mlx5_1 "$T/out"
}

# Nodes of a cloud come and go, and each has a name of its own.
@test "with --live a new node takes the place of one of which nothing is known" {
	feed_open correlate --live
	now_event 'up($now; "mlx5_0") | .nodeName = "N%d"' >"$T/event"
	awk '{ for (n = 0; n < 65536; n++) printf $0 "\n", n }' "$T/event" >&7
	is_found() {
		now_event 'worse($now; "mlx5_0") | .nodeName = "new"' >&7
		grep -q 'RepeatedNICDegradation' "$T/out"
	}
	wait_until 30 is_found
	exec 7>&-
	ends_with 0 "$PID"
}

@test "with --live a closed stdout exits 74, even without input" {
	ends_without_reader correlate --live
}

@test "a write error exits 74" {
	events 'worse(1; "mlx5_0")'
	run --separate-stderr bash -c 'correlate <"$1" >/dev/full' _ "$IN"
	status_is 74 '^correlate: error: stdout: No space left on device$'
	run --separate-stderr bash -c 'correlate --print-rules >/dev/full'
	status_is 74 '^correlate: error: stdout: No space left on device$'
}

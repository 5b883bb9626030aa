#!/usr/bin/env bats
# ibscan --events: records of events are passed on, and what they name is looked at between scans.
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() { few h100-oci mlx5_{0,1,3,4}; }

teardown() {
	exec 7>&-
	end_background
	nothing_survives
}

# event EVENT DEVICE [PORT] - a record of ibevent.
event() {
	printf '{"kind":"async","v":1,"node":"test-node","ts":"2026-01-02T03:04:05.678901Z",%s}\n' \
		"\"boottime_ns\":7,\"via\":\"link\",\"device\":\"$2\",\"port\":${3-1},\"event\":\"$1\",\"count\":1"
}

# watch [OPTION]... - ibscan, whose events are what is written to descriptor 7, has scanned once.
# Between two scans there is time for all that a test does.
watch() {
	feed_open scan --counters none --events - "${@:---interval=1h}"
	wait_until 5 scans 1
}

# scans COUNT - so many ends of scans are there, extra ones among them.
scans() { has_lines "$1" "$BATS_TEST_TMPDIR/out" '"kind":"scan.end"'; }

# after_first_scan - what came after it.
after_first_scan() { sed '1,/"kind":"scan.end"/d' "$BATS_TEST_TMPDIR/out"; }

# told - the records after the first scan: kind, device, state.
told() {
	after_first_scan | jq -r '[.kind, .device // empty, .state // empty] | join(" ")'
}

@test "an event about a port has its device looked at at once, and new states go out as an extra scan behind it" {
	watch
	sim down mlx5_3/1
	event LINK_DOWN mlx5_3 >&7
	wait_until 5 scans 2
	diff <(told) - <<-'END'
		async mlx5_3
		scan.begin
		device mlx5_3
		port mlx5_3 DOWN
		scan.end
	END
	after_first_scan | sed 1d | jq -s -e 'all(.extra == true and .scan == 2)
		and .[0].node == "test-node" and .[0].interval_ms == 3600000
		and .[1].pci != null and .[1].ports == 1 and .[1].error == null
		and .[2].counters == {} and .[2].phys_state == "Disabled"
		and .[3].devices == 1 and .[3].ports == 1 and .[3].complete'
	sim up mlx5_3/1
	event PORT_ACTIVE mlx5_3 >&7
	wait_until 5 scans 3
	[ "$(told | tail -n 2 | head -n 1)" = "port mlx5_3 ACTIVE" ]
	[ ! -s "$BATS_TEST_TMPDIR/err" ]
}

@test "events after which nothing is new, and those about something else, have no extra scan" {
	watch
	event LINK_UP mlx5_1 >&7
	event DEVICE_ADDED mlx5_99 >&7
	sim down mlx5_3/1
	event QP_FATAL mlx5_3 null >&7
	event GID_CHANGE mlx5_3 >&7
	sim down mlx5_4/1
	event LINK_DOWN mlx5_4 >&7
	wait_until 5 scans 2
	diff <(told | grep -v async) - <<-'END'
		scan.begin
		device mlx5_4
		port mlx5_4 DOWN
		scan.end
	END
}

@test "when events were lost all devices are looked at" {
	watch
	sim down mlx5_1/1
	sim down mlx5_4/1
	echo '{"kind":"gap","v":1,"node":"test-node","via":"link","lost":null}' >&7
	wait_until 5 scans 2
	diff <(told) - <<-'END'
		gap
		scan.begin
		device mlx5_1
		port mlx5_1 DOWN
		device mlx5_4
		port mlx5_4 DOWN
		scan.end
	END
}

@test "records of all kinds are passed on byte by byte between scans; a line that is none is skipped, with one warning" {
	watch --interval=1h
	{
		printf '{ "kind" : "cm","x":1.50e1, "ä":"\\u00e4" }\n'
		echo 'not a record'
		echo '[1]'
		event COMM_EST mlx5_3
		printf '{"kind":"other"}'
	} | tee "$BATS_TEST_TMPDIR/sent" >&7
	exec 7>&-
	wait_until 5 has_lines 1 "$BATS_TEST_TMPDIR/err" \
		'note: stdin: the events have ended, and the scans go on'
	diff <(after_first_scan) <(grep kind "$BATS_TEST_TMPDIR/sent")
	grep -q 'warning: stdin: line 2, byte [0-9]*: skipped: ' "$BATS_TEST_TMPDIR/err"
	grep -q 'warning: stdin: lines skipped after it: 1' "$BATS_TEST_TMPDIR/err"
}

@test "scans go on at their times whatever the events are, and --count counts no extra scan" {
	for _ in {1..40}; do
		event LINK_DOWN mlx5_3
		event LINK_UP mlx5_4
	done >"$BATS_TEST_TMPDIR/events"
	run --separate-stderr scan --counters none --interval 50ms --count 4 \
		--events "$BATS_TEST_TMPDIR/events"
	status_is 0 'the events have ended, and the scans go on'
	[ "$(grep -c '"kind":"async"' <<<"$output")" -eq 80 ]
	jq -s -e '[.[] | select(.kind == "scan.begin")] as $all
		| ([$all[] | select(.extra | not)] | length == 4)
		and ([$all[].scan] == [range(1; 1 + ($all | length))])' <<<"$output"
	# No record of an event is inside a scan.
	jq -r '.kind' <<<"$output" | awk '
		/scan.begin/ { inside = 1 }
		/scan.end/ { inside = 0 }
		/async/ && inside { exit 1 }'
}

@test "a device that hangs in an extra scan holds up no other, and no scan" {
	watch --interval=200ms
	sim hang mlx5_3/1 state
	sim down mlx5_4/1
	event LINK_DOWN mlx5_3 >&7
	event LINK_DOWN mlx5_4 >&7
	wait_until 5 has_lines 1 "$BATS_TEST_TMPDIR/out" '"device":"mlx5_4",.*"state":"DOWN"'
	sim mend mlx5_3/1 state
	sim down mlx5_3/1
	event LINK_DOWN mlx5_3 >&7
	wait_until 20 has_lines 1 "$BATS_TEST_TMPDIR/out" '"device":"mlx5_3",.*"state":"DOWN"'
	kill "$PID"
	ends_with 0 "$PID"
	# Only a scan says that a device does not answer.
	jq -s -e '[.[] | select(.extra and .error != null)] == []' "$BATS_TEST_TMPDIR/out"
}

@test "what a device says too late for one look is told with the next" {
	watch
	sim down mlx5_3/1
	sim hang mlx5_3/1 state
	event LINK_DOWN mlx5_3 >&7
	sim down mlx5_4/1
	event LINK_DOWN mlx5_4 >&7
	wait_until 20 has_lines 1 "$BATS_TEST_TMPDIR/out" '"device":"mlx5_4",.*"state":"DOWN"'
	none grep -q '"device":"mlx5_3",.*"state":"DOWN"' "$BATS_TEST_TMPDIR/out"
	sim mend mlx5_3/1 state
	# However late it is: no look may be wished for any more.
	sim up mlx5_4/1
	event LINK_UP mlx5_4 >&7
	told_of_both() { has_lines 1 "$BATS_TEST_TMPDIR/out" '"device":"mlx5_3",.*"state":"DOWN"' &&
		has_lines 2 "$BATS_TEST_TMPDIR/out" '"device":"mlx5_4",.*"state":"ACTIVE"'; }
	wait_until 20 told_of_both
	kill "$PID"
	ends_with 0 "$PID"
}

@test "who reads no extra scans gets none: nicview, and the metrics of ibscan" {
	watch
	sim down mlx5_3/1
	event LINK_DOWN mlx5_3 >&7
	wait_until 5 scans 2
	sed '/"kind":"async"/d' "$BATS_TEST_TMPDIR/out" >"$BATS_TEST_TMPDIR/scans"
	run --separate-stderr nicview "$BATS_TEST_TMPDIR/scans"
	status_is 0
	[ "$(grep -c mlx5_ <<<"$output")" -eq 4 ]
	run --separate-stderr ibscan --format prometheus "$BATS_TEST_TMPDIR/scans"
	status_is 0
	[ "$(grep -c '^nic_port_state' <<<"$output")" -eq 4 ]
}

@test "what ctreval knows of a port is judged in an extra scan, and said at once" {
	watch
	sim down mlx5_3/1
	event LINK_DOWN mlx5_3 >&7
	wait_until 5 scans 2
	sim up mlx5_3/1
	event LINK_UP mlx5_3 >&7
	wait_until 5 scans 3
	run --separate-stderr bash -c "$(declare -f classify); classify <\"\$1\" | ctreval" _ \
		"$BATS_TEST_TMPDIR/out"
	status_is 0
	diff <(jq -r 'if .kind == "event" then .message else .kind + " " + .event end' \
		<<<"$output") - <<-'END'
		async LINK_DOWN
		RoCE port mlx5_3 port 1: state DOWN, phys_state Disabled, operstate down (rdma2)
		async LINK_UP
		RoCE port mlx5_3 port 1: healthy (ACTIVE, LinkUp)
	END
}

# at MS EVENT DEVICE - a record of an event of that time.
at() { event "$2" "$3" | sed "s/\"boottime_ns\":7/\"boottime_ns\":${1}000000/"; }

@test "a link that goes down and up between two scans is one event with its time, and events are passed on" {
	{
		scan
		at 1000 LINK_DOWN mlx5_3
		at 1200 LINK_UP mlx5_3
		echo '{"kind":"async","event":"LINK_DOWN","device":"mlx5_4","port":1}'
		scan
	} >"$BATS_TEST_TMPDIR/in"
	run --separate-stderr bash -c "$(declare -f classify); classify <\"\$1\" | ctreval" _ \
		"$BATS_TEST_TMPDIR/in"
	status_is 0 'ctreval: warning: stdin: line [0-9]*, byte 0: skipped: '
	diff <(jq -r '[.kind, .event // .message,
		(.metadata | objects | .down_seconds, .link_downs)]
		| map(values) | join(" ")' <<<"$output") - <<-'END'
		async LINK_DOWN
		async LINK_UP
		async LINK_DOWN
		event RoCE port mlx5_3 port 1: the link went down 1 time between two scans, for 0.200 s 0.200 1
		event RoCE port mlx5_3 port 1: healthy (ACTIVE, LinkUp)
	END
	jq -s -e 'map(select(.kind == "event"))
		| .[0] == (.[0] | .isFatal = false | .isHealthy = false)
		and all(.errorCode == ["port_flap"] and .checkName == "EthernetDegradationCheck")' \
		<<<"$output"
}

@test "--events goes with records at an interval, and not with recorded scans" {
	run --separate-stderr scan --events - </dev/null
	status_is 64 "error: --events needs --interval \(try 'ibscan --help'\)"
	run --separate-stderr scan --events - --interval 1s --format prometheus </dev/null
	status_is 64 "error: --events needs --format json \(try 'ibscan --help'\)"
	run --separate-stderr ibscan --events - --format prometheus - </dev/null
	status_is 64 "error: --events "
	run --separate-stderr scan --interval 1s --events "$BATS_TEST_TMPDIR/none"
	status_is 66 "error: .*/none: No such file or directory"
}

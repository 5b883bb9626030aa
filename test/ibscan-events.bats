#!/usr/bin/env bats
# ibscan --events: passes on event records and probes the devices that they name between scans.
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() { few h100-oci mlx5_{0,1,3,4}; }

teardown() {
	exec 7>&-
	end_background
	nothing_survives
}

# event EVENT DEVICE [PORT] - print a record of ibevent
event() {
	printf '{"kind":"async","v":1,"node":"test-node","ts":"2026-01-02T03:04:05.678901Z",%s}\n' \
		"\"boottime_ns\":7,\"via\":\"link\",\"device\":\"$2\",\"port\":${3-1},\"event\":\"$1\",\"count\":1"
}

# watch [OPTION]... - start ibscan with events from descriptor 7 and wait for its first scan; the
# default interval is longer than any test
watch() {
	feed_open scan --counters none --events - "${@:---interval=1h}"
	wait_until 5 scans 1
}

# scans COUNT - return success if ibscan printed COUNT ends of scans, extra scans included
scans() { has_lines "$1" "$BATS_TEST_TMPDIR/out" '"kind":"scan.end"'; }

# after_first_scan - print the records after the first scan
after_first_scan() { sed '1,/"kind":"scan.end"/d' "$BATS_TEST_TMPDIR/out"; }

# told - print kind, device and state of each record after the first scan
told() {
	after_first_scan | jq -r '[.kind, .device // empty, .state // empty] | join(" ")'
}

@test "an event about a port makes ibscan probe its device at once and print new states as an extra scan" {
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

@test "an event that changes no state, or concerns no port state, makes no extra scan" {
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

@test "after a gap of events ibscan probes all devices" {
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

@test "records of any kind are passed on byte for byte between scans; an invalid line is skipped with one warning" {
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
		'note: stdin: end of the events, scans continue'
	diff <(after_first_scan) <(grep kind "$BATS_TEST_TMPDIR/sent")
	grep -q 'warning: stdin: line 2, byte [0-9]*: skipped: ' "$BATS_TEST_TMPDIR/err"
	grep -q 'warning: stdin: further skipped lines: 1' "$BATS_TEST_TMPDIR/err"
}

@test "scans keep their interval during a burst of events, and --count does not count extra scans" {
	for _ in {1..40}; do
		event LINK_DOWN mlx5_3
		event LINK_UP mlx5_4
	done >"$BATS_TEST_TMPDIR/events"
	run --separate-stderr scan --counters none --interval 50ms --count 4 \
		--events "$BATS_TEST_TMPDIR/events"
	status_is 0 'end of the events, scans continue'
	[ "$(grep -c '"kind":"async"' <<<"$output")" -eq 80 ]
	jq -s -e '[.[] | select(.kind == "scan.begin")] as $all
		| ([$all[] | select(.extra | not)] | length == 4)
		and ([$all[].scan] == [range(1; 1 + ($all | length))])' <<<"$output"
	# No event record is inside a scan.
	jq -r '.kind' <<<"$output" | awk '
		/scan.begin/ { inside = 1 }
		/scan.end/ { inside = 0 }
		/async/ && inside { exit 1 }'
}

@test "a device that hangs in an extra scan delays no other device and no scan" {
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
	# Only a regular scan reports a device that does not answer.
	jq -s -e '[.[] | select(.extra and .error != null)] == []' "$BATS_TEST_TMPDIR/out"
}

@test "a device that answers too late for one extra scan is reported in the next" {
	watch
	sim down mlx5_3/1
	sim hang mlx5_3/1 state
	event LINK_DOWN mlx5_3 >&7
	sim down mlx5_4/1
	event LINK_DOWN mlx5_4 >&7
	wait_until 20 has_lines 1 "$BATS_TEST_TMPDIR/out" '"device":"mlx5_4",.*"state":"DOWN"'
	none grep -q '"device":"mlx5_3",.*"state":"DOWN"' "$BATS_TEST_TMPDIR/out"
	sim mend mlx5_3/1 state
	# It may answer so late that no event asks for another probe: send one.
	sim up mlx5_4/1
	event LINK_UP mlx5_4 >&7
	told_of_both() { has_lines 1 "$BATS_TEST_TMPDIR/out" '"device":"mlx5_3",.*"state":"DOWN"' &&
		has_lines 2 "$BATS_TEST_TMPDIR/out" '"device":"mlx5_4",.*"state":"ACTIVE"'; }
	wait_until 20 told_of_both
	kill "$PID"
	ends_with 0 "$PID"
}

@test "nicview and ibscan --format prometheus ignore extra scans" {
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

@test "ctreval evaluates a port in an extra scan as it does in a regular one, at once" {
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

# at MS EVENT DEVICE - print an event record with that boot time
at() { event "$2" "$3" | sed "s/\"boottime_ns\":7/\"boottime_ns\":${1}000000/"; }

@test "a link that flaps between two scans is one event with its down time, and ctreval passes the records on" {
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

@test "--events needs --interval and --format json, and rejects recorded scans" {
	run --separate-stderr scan --events - </dev/null
	status_is 64 "error: --events needs --interval \(try 'ibscan --help'\)"
	run --separate-stderr scan --events - --interval 1s --format prometheus </dev/null
	status_is 64 "error: --events needs --format json \(try 'ibscan --help'\)"
	run --separate-stderr ibscan --events - --format prometheus - </dev/null
	status_is 64 "error: --events "
	run --separate-stderr scan --interval 1s --events "$BATS_TEST_TMPDIR/none"
	status_is 66 "error: .*/none: No such file or directory"
}

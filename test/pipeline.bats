#!/usr/bin/env bats
# pipeline: stages joined by pipes, as a user types them, on live, replayed and failing nodes.
# SPDX-License-Identifier: Apache-2.0

load lib/common

teardown() {
	end_background
	nothing_survives
}

# pipeline OPTION... - run ibscan with these options through to events
pipeline() { scan "$@" | classify | ctreval; }

# messages FILE - print the messages of its events
messages() { jq -r 'select(.kind=="event") | .message' "$1"; }

@test "a replayed capture makes the live run's events, byte for byte, every time" {
	node h100-oci
	background scan --interval 50ms
	wait_until 5 has_lines 1 "$BATS_TEST_TMPDIR/out" '"kind":"scan.end"'
	sim add mlx5_0/1 counters/link_downed 1
	wait_until 5 has_lines 1 "$BATS_TEST_TMPDIR/out" '"device":"mlx5_0",.*"link_downed":1,'
	sim down mlx5_3/1
	wait_until 5 has_lines 1 "$BATS_TEST_TMPDIR/out" '"device":"mlx5_3",.*"state":"DOWN"'
	kill -TERM "$PID"
	ends_with 0 "$PID"
	classify <"$BATS_TEST_TMPDIR/out" | ctreval >"$BATS_TEST_TMPDIR/first" 2>/dev/null
	[ "$(wc -l <"$BATS_TEST_TMPDIR/first")" -eq 2 ]
	for _ in 1 2 3; do
		classify <"$BATS_TEST_TMPDIR/out" | ctreval 2>/dev/null |
			cmp - "$BATS_TEST_TMPDIR/first"
	done
	# The date does not matter.
	if command -v faketime >/dev/null; then
		classify <"$BATS_TEST_TMPDIR/out" | faketime '2031-02-03' ctreval 2>/dev/null |
			cmp - "$BATS_TEST_TMPDIR/first"
	fi
}

@test "on every platform no healthy port has an event, and no event is written twice" {
	for platform in "$PLATFORMS"/*.json; do
		node "$(basename "$platform" .json)" "$(basename "$platform")"
		run --separate-stderr bash \
			-c "$(declare -f scan classify \
			pipeline); pipeline --interval 10ms --count 3"
		status_is 0
		[ "$(jq -s '[.[]|.message]|unique|length' <<<"$output")" \
			-eq "$(jq -s length <<<"$output")" ]
		[ "$(jq -s 'length' <<<"$output")" -eq \
			"$(jq '[.expected.checks[].first_poll|(.fatal_cards,.port_events)[]]|length' "$platform")" ]
		none grep -E 'warning|error:' <<<"$stderr"
		rm -rf "$NODE"
	done
}

@test "faults of monitored NICs make events, the same faults of the management NIC do not" {
	node h100-oci
	scan >"$BATS_TEST_TMPDIR/cap"
	for d in mlx5_2 mlx5_3; do
		sim down $d/1
		sim add $d/1 counters/link_downed 1
	done
	scan >>"$BATS_TEST_TMPDIR/cap"
	classify <"$BATS_TEST_TMPDIR/cap" | ctreval 2>/dev/null >"$BATS_TEST_TMPDIR/events"
	[ "$(jq -r '.entitiesImpacted[0].entityValue' "$BATS_TEST_TMPDIR/events" | xargs)" \
		= "mlx5_3 mlx5_3" ]
}

@test "a hanging device makes no event at first, and its neighbour's fault is reported meanwhile" {
	node h100-oci
	(scan --interval 100ms --device-timeout 300ms | classify | ctreval) \
		>"$BATS_TEST_TMPDIR/events" 2>"$BATS_TEST_TMPDIR/err" 3>&- &
	BACKGROUND+=("$!")
	wait_until 5 has_lines 1 "$BATS_TEST_TMPDIR/err" 'counters available'
	sim hang mlx5_3/1 state
	sim add mlx5_4/1 counters/link_downed 1
	wait_until 10 has_lines 1 "$BATS_TEST_TMPDIR/events" link_downed || :
	pkill -TERM -f "ibscan --sysfs-root $NODE/sys"
	wait_until 5 bash -c '! pgrep -f "ibscan --sysfs-root $NODE/sys"'
	# After three scans the hanging device is reported as unreadable, on a slow machine even
	# before the neighbour's fault.
	[ "$(jq -r 'select(.errorCode != ["nic_unreadable"]).entitiesImpacted[0].entityValue' \
		"$BATS_TEST_TMPDIR/events" | xargs)" = mlx5_4 ]
}

@test "a scripted run of faults makes exactly their events, in order" {
	node h100-oci
	background nic-health-monitor --sysfs-root "$NODE/sys" --interval 100ms --node-name n \
		--metadata-path "$NODE/var/lib/nvsentinel/gpu_metadata.json" \
		--route-path "$NODE/proc/net/route" \
		--boot-id-path "$NODE/proc/sys/kernel/random/boot_id" --kmsg-path "$NODE/dev/kmsg" \
		--sink "file:$BATS_TEST_TMPDIR/events" --state-file '' --spool '' --metrics-port ''
	wait_until 10 has_lines 1 "$BATS_TEST_TMPDIR/err" 'counters available'
	step() {
		sim "${@:2}"
		wait_until 5 has_lines "$1" "$BATS_TEST_TMPDIR/events"
	}
	step 1 add mlx5_0/1 counters/link_downed 1
	step 2 down mlx5_1/1
	step 3 add mlx5_3/1 hw_counters/rnr_nak_retry_err 1
	step 4 reset mlx5_0/1
	step 5 up mlx5_1/1
	step 6 kmsg "mlx5_core 0000:58:00.0: poll_health:800:(pid 0): device's health compromised - reached miss count"
	step 7 add mlx5_5/1 counters/symbol_error 5000
	kill -TERM "$PID"
	ends_with 0 "$PID"
	diff <(messages "$BATS_TEST_TMPDIR/events" | sed -E "s/, rate=.*/)/
		s/$GOES_DOWN, operstate (down|up) \\(rdma1\\)/goes down/") - <<-'END'
		Port mlx5_0 port 1: link_downed - Port Training State Machine failed - QP disconnect (value=1, delta=1)
		RoCE port mlx5_1 port 1: goes down
		Port mlx5_3 port 1: rnr_nak_retry_err - Receiver Not Ready NAK retry exhausted - connection severed (value=1, delta=1)
		Counter link_downed recovered on port mlx5_0 port 1
		RoCE port mlx5_1 port 1: healthy (ACTIVE, LinkUp)
		mlx5_core 0000:58:00.0: poll_health:800:(pid 0): device's health compromised - reached miss count
		Port mlx5_5 port 1: symbol_error - PHY bit errors before FEC - physical layer degradation (value=5000, delta=5000)
	END
}

@test "garbage between two stages stops no stage" {
	node h100-oci
	spoil() { sed -e '5i garbage' -e '9i {"kind":"port"}' -e '12s/,/;/'; }
	run --separate-stderr bash -c "$(declare -f scan classify spoil)
		scan | spoil | classify | spoil | ctreval | emit
		echo \"\${PIPESTATUS[@]}\""
	[ "$output" = "0 0 0 0 0 0" ]
	stderr_has 'topoclass: warning: stdin: line 5, byte'
	stderr_has 'ctreval: warning: stdin: line 5, byte'
}

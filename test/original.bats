#!/usr/bin/env bats
# original: ctreval takes over a node from the original program, the Go nic-health-monitor, with its
# state files of version 2. These are whole files, valid and invalid ones, written by hand after its
# schema; replay.bats tests what follows from them.
# shellcheck disable=SC2154 # bats sets stderr
# Thorough: tools
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() {
	STATE=$BATS_TEST_TMPDIR/state.json
	node h100-oci
	echo 'nicExclusionRegex: "^lo$"' >"$BATS_TEST_TMPDIR/config.yaml"
	# mlx5_1 is down, and so it is in the files.
	sim down mlx5_1/1
	sim set mlx5_0/1 counters/link_downed 3
	sim set mlx5_0/1 counters/symbol_error 9
	sim set mlx5_0/1 net/carrier_changes 40
	scan --count 1 | classify >"$BATS_TEST_TMPDIR/scan"
	BOOT=$(cat "$NODE/proc/sys/kernel/random/boot_id")
}

# evaluate FILE - run ctreval on that state file and the scan
evaluate() {
	rm -f "$STATE"*
	sed "s/THIS_BOOT/$BOOT/" "$1" >"$STATE"
	cp "$STATE" "$BATS_TEST_TMPDIR/given"
	again
}

again() { run --separate-stderr ctreval --config "$BATS_TEST_TMPDIR/config.yaml" \
	--state "$STATE" <"$BATS_TEST_TMPDIR/scan"; }

# fail_of FILE TEXT - report why the file failed
fail_of() {
	printf '%s: %s\n%s\n%s\n' "${1##*/}" "$2" "$output" "$stderr" >&2
	return 1
}

@test "with any valid state file of the original every fault keeps its state without an event" {
	local file allowed
	for file in "$BATS_TEST_DIRNAME"/original/good/*.json; do
		evaluate "$file"
		status_is 0
		[ ! -e "$STATE.corrupt" ] || fail_of "$file" "it was not taken"
		case ${file##*/} in
		# A file without devices makes first verdicts, and nothing else.
		nothing-yet.json | another-scope.json) \
			allowed='"isFatal":true.*mlx5_1|"isFatal":true.*0000:0c:00' ;;
		# The card is there, and no longer has this port.
		cards.json) allowed='"checkName":"InfiniBandStateCheck".*"Card 0000:0c:00 is no longer monitored"' ;;
		# This node has only Ethernet ports, which need no such device nodes.
		character-devices.json) allowed='"checkName":"InfiniBandCharDeviceCheck".*"Character device u(mad|verbs) is no longer monitored' ;;
		# With a clear of its check still to send, ctreval sends it, and healthy events for
		# the NICs that the file does not know.
		owing.json) allowed='"isHealthy":true.*"entityValue":"(mlx5_[3-9]|mlx5_1[0-9]|0000:[1-9a-d][0-9a-f]:00)"|"EFAStateCheck".*"Baseline reset ' ;;
		*) allowed='^$' ;;
		esac
		# The original does not store this check, so its event always follows.
		grep -q '"NIC polls are completing"' <<<"$output"
		none grep -E -v "$allowed|NIC polls are completing" <<<"$output" ||
			fail_of "$file" "more was said than that"
		[ "$(jq .version "$STATE")" -eq 1 ]
		# A run with ctreval's own state file is no different.
		again
		status_is 0
		none grep . <<<"$output" || fail_of "$file" "it was not remembered"
		[ ! -e "$STATE.corrupt" ]
	done
}

@test "a state file of the original with counters of 60000 vanished interfaces can still be used" {
	jq -n -c '{version: 2, boot_id: "b1", scope: "incl=;excl=",
		counter_snapshots: ([range(60000)
		| {key: "net:veth\(.):carrier_changes",
		value: {value: ., timestamp: "2023-11-14T22:13:00Z"}}] | from_entries)}' >"$STATE"
	timeout 60 "$NHM_BIN/ctreval" --state "$STATE" < <(flapping 1 1)
	[ "$(jq -c '[.version, (.unplaced_counters | length), .unplaced_counters[0].interface]' \
		"$STATE")" = '[1,60000,"veth0"]' ]
}

# flapping FROM TO - print scans of a port of the original's whose link is down in every other of
# the first eight scans, and whose symbol_error restarts with the ninth
flapping() {
	jq -n -c -L "$BATS_TEST_DIRNAME/lib" --argjson from "$1" --argjson to "$2" \
		'include "records"; range($from; $to + 1) as $n
		| scan($n; $n * 10; [ib("mlx5_0"; {symbol_error: (if $n > 8 then 3 else 5000 end)})
			+ (if $n < 8 and $n % 2 == 0 then {state: "DOWN", phys_state: "Polling"}
			else {} end)])'
}

# degradations EVENTS - print health and codes of the events under the breach's check
degradations() { jq -r 'select(.checkName == "InfiniBandDegradationCheck") | "\(.isHealthy) \(.errorCode | join(","))"' <<<"$1" | xargs; }

@test "clearing a counter breach of the original without a code does not hide a flapping link" {
	local off='{counterDetection: {counters: [{name: symbol_error, enabled: false}]}}' given
	given=$(jq -n -c '{version: 2, boot_id: "b1", scope: "incl=;excl=",
		known_devices: ["mlx5_0"],
		counter_snapshots: {"mlx5_0:1:symbol_error": {value: 5000,
		timestamp: "2023-11-14T22:13:00Z"}},
		breach_flags: {"mlx5_0:1:symbol_error": {breached: true,
		check_name: "InfiniBandDegradationCheck", is_fatal: false,
			since: "2023-11-14T22:13:00Z"}},
		port_states: {mlx5_0_1: {device: "mlx5_0", port: 1, state: "4: ACTIVE",
		physical_state: "5: LinkUp", link_layer: "InfiniBand"}}}')
	echo "$given" >"$STATE"
	run --separate-stderr ctreval --state "$STATE" < <(flapping 1 9)
	status_is 0
	[ "$(degradations "$output")" = 'false link_flap true false link_flap' ]

	# The same if the counter is no longer monitored.
	echo "$given" >"$STATE"
	run --separate-stderr ctreval --state "$STATE" < <(flapping 1 8)
	[ "$(degradations "$output")" = 'false link_flap' ]
	echo "$off" >"$BATS_TEST_TMPDIR/off.yaml"
	run --separate-stderr ctreval --config "$BATS_TEST_TMPDIR/off.yaml" \
		--state "$STATE" < <(flapping 9 9)
	[ "$(degradations "$output")" = 'true false link_flap' ]
}

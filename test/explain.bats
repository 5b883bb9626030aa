#!/usr/bin/env bats
# explain: ctreval --explain and --check-config tell a user why something fired or not, and by which
# rules.
# SPDX-License-Identifier: Apache-2.0

load lib/common

# explain COMMAND... - write ctreval's events and decisions for two scans, with COMMAND between
# them, to $BATS_TEST_TMPDIR/out.
explain() { { scan; "${@:-true}"; scan; } | classify | ctreval --explain 2>/dev/null \
	>"$BATS_TEST_TMPDIR/out"; }

# why DEVICE [JQ [N]] - print the last N reasons about the device, as "about: reason".
why() {
	jq -r --arg d "$1" 'select(.kind=="decision" and .device==$d) | select('"${2:-true}"')
		| .about + (if .counter then " " + .counter else "" end) + ": " + .reason' \
			"$BATS_TEST_TMPDIR/out" | tail -n "${3:-100}"
}

@test "--explain has a decision about every part of a healthy NIC: device, port, card and each counter" {
	shared_node h100-oci
	explain
	diff <(jq -r 'select(.kind=="decision" and .device=="mlx5_3") | .about' \
		"$BATS_TEST_TMPDIR/out" | sort | uniq -c | awk '{print $1, $2}') - <<-'END'
		2 card
		52 counter
		2 device
		2 port
		2 rate
	END
	why mlx5_3 '.about=="port"' | grep -qx 'port: healthy, as before'
	why mlx5_3 '.about=="card"' | grep -qx 'card: as many active ports as its peers'
	why mlx5_3 '.about=="device"' | grep -qx 'device: it is there and was read in full'
	why mlx5_3 '.counter=="rx_errors"' | grep \
		-qx 'counter rx_errors: it is disabled in the configuration'
}

@test "the decision about a counter below its threshold has both values" {
	node h100-oci
	explain sim add mlx5_3/1 net/carrier_changes 2
	why mlx5_3 '.counter=="carrier_changes"' 1 | grep \
		-qx 'counter carrier_changes: growth of 2 since the last scan is not above the threshold of 2'
	jq -s -e '[.[]|select(.device=="mlx5_3" and .counter=="carrier_changes")]|last|.delta==2
		and .threshold==2 and .verdict=="quiet" and .event==null
		and (.value - .snapshot.value)==2 and .latched==false and .unit=="sec"' \
			"$BATS_TEST_TMPDIR/out"
}

@test "a port in hold-down shows how long it has been down, and its end gives an event" {
	node h100-oci
	echo 'stateCheck: {portStateHoldDown: 1h}' >"$BATS_TEST_TMPDIR/config.yaml"
	{ scan; sim down mlx5_3/1; scan; scan; sim up mlx5_3/1; scan; } | classify |
		ctreval --explain --config "$BATS_TEST_TMPDIR/config.yaml" 2>/dev/null \
			>"$BATS_TEST_TMPDIR/out"
	why mlx5_3 '.about=="port"' | sed -n 2,3p | grep -cE \
		'^port: not healthy for [0-9]\.[0-9]{3} s; portStateHoldDown holds the event back for 3600\.000 s$' |
		grep -qx 2
	why mlx5_3 '.about=="port"' 1 | grep \
		-qx 'port: healthy again before portStateHoldDown expired'
	why mlx5_3 '.about=="card"' | uniq |
		diff - <(echo 'card: as many active ports as its peers')
	jq -s -e '[.[] | select(.kind=="event") | select(.errorCode==["port_blip"] and
		.isFatal==false and .processingStrategy=="STORE_ONLY")
		| [.isHealthy, (.metadata.held_seconds // "0" | length > 4)]]
		== [[false, true], [true, false]]' "$BATS_TEST_TMPDIR/out"
}

@test "the decision about an open window says how long it still lasts" {
	node h100-oci
	explain sim add mlx5_3/1 counters/symbol_error 500
	why mlx5_3 '.counter=="symbol_error_fatal"' 1 |
		grep -qE '^counter symbol_error_fatal: grew by 500 in [0-9.]+ s: the window of 1 hour is over in 3[0-9.]+ s, and nothing is extrapolated$'
}

# Thorough: tools
@test "a decision names the event that it caused, and a latched one says since when" {
	node h100-oci
	explain sim add mlx5_3/1 counters/link_downed 1
	id=$(jq -r 'select(.kind=="event" and .errorCode==["link_downed"]) | .id' \
		"$BATS_TEST_TMPDIR/out")
	[ -n "$id" ]
	[ "$(jq -r 'select(.kind=="decision" and .verdict=="breach") | .event' \
		"$BATS_TEST_TMPDIR/out")" = "$id" ]
	# Two more scans; the counter does not change between them.
	{ scan; sim add mlx5_3/1 counters/link_downed 1; scan; scan; } | classify | ctreval \
		--explain 2>/dev/null >"$BATS_TEST_TMPDIR/out"
	why mlx5_3 '.counter=="link_downed"' 1 |
		grep -qE '^counter link_downed: in breach since 20[-0-9T:.]+Z, which was reported; latched until it is reset or the node reboots$'
}

@test "an unmonitored NIC has the reason" {
	shared_node h100-oci
	explain
	why mlx5_2 | grep -qx "device: not monitored (default_route): it carries the host's default route"
}

@test "a port that is down from the start and not reported has the reason" {
	shared_node h100-oci
	explain
	why mlx5_11 '.about=="port"' 1 | grep \
		-q 'neither its peers nor the configuration say that it should be: not reported'
	why mlx5_11 '.about=="card"' 1 | grep \
		-qx 'card: there is no other card of its role, reason, link layers and model to compare it with'
	jq -e -s 'any(.about=="card" and .device=="mlx5_11" and .role_reason=="topo_node_phb"
		and .hca_type=="MT4125")' "$BATS_TEST_TMPDIR/out"
}

# Thorough: tools
@test "while a NIC hangs, the verdicts that wait for it say so" {
	node l40s-onprem
	sim hang mlx5_2/1 state
	scan --device-timeout 1s | classify | ctreval --explain 2>/dev/null >"$BATS_TEST_TMPDIR/out"
	why mlx5_2 | grep -q 'device: it could not be read: the first verdicts wait for it'
	why mlx5_1 '.about=="port"' | grep \
		-q 'verdicts wait for a scan in which every device can be read'
}

@test "--explain changes no event" {
	node h100-oci-one-port-down
	{ scan; sim down mlx5_3/1; sim add mlx5_4/1 counters/link_downed 3; scan; sim remove \
		mlx5_5; scan; } | classify >"$BATS_TEST_TMPDIR/in"
	echo 'disappearance: {confirmScans: 1}' >"$BATS_TEST_TMPDIR/at-once.yaml"
	ctreval --config "$BATS_TEST_TMPDIR/at-once.yaml" <"$BATS_TEST_TMPDIR/in" 2>/dev/null \
		>"$BATS_TEST_TMPDIR/plain"
	ctreval --config "$BATS_TEST_TMPDIR/at-once.yaml" --explain <"$BATS_TEST_TMPDIR/in" \
		2>/dev/null | grep '"kind":"event"' | cmp - "$BATS_TEST_TMPDIR/plain"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/plain")" -ge 5 ]
}

@test "--check-config prints a configuration that gives the same rules" {
	cat >"$BATS_TEST_TMPDIR/mine.yaml" <<-'END'
		nicExclusionRegex: "^mlx5_9$"
		counterDetection: {counters: [{name: port_xmit_wait, enabled: false}, {name: symbol_error, threshold: 0.25, earlyBreach: true},
		  {name: vendor_err, path: hw_counters/vendor_specific_err, thresholdType: delta, threshold: 100, description: 'odd "one" \ here'}]}
		homogeneity: {settleSeconds: 7}
		disappearance: {confirmScans: 3}
		nicDriverDetection: {patterns: [{name: temp_warn, enabled: false, processingStrategy: STORE_AND_ANALYSE}]}
	END
	run --separate-stderr ctreval --config "$BATS_TEST_TMPDIR/mine.yaml" \
		--check-config </dev/null
	status_is 0
	[ -z "$stderr" ]
	grep -A6 'name: "vendor_err"' <<<"$output" | grep -q 'threshold: 100'
	grep -A2 'name: "port_xmit_wait"' <<<"$output" | grep -q 'enabled: false'
	[ "$(grep -A2 'name: "temp_warn"' <<<"$output" | tr -d '\n')" \
		= '    - name: "temp_warn"      enabled: false      processingStrategy: STORE_AND_ANALYSE' ]
	grep -q 'settleSeconds: 7' <<<"$output"
	grep -q 'confirmScans: 3' <<<"$output"
	echo "$output" >"$BATS_TEST_TMPDIR/shown.yaml"
	ctreval --config "$BATS_TEST_TMPDIR/shown.yaml" --check-config </dev/null |
		diff "$BATS_TEST_TMPDIR/shown.yaml" -
}

@test "all mistakes of a configuration are reported at once, with line and column" {
	printf 'homogeneity: {settleSeconds: -1}\nfatalCounterCheck: both\nnicExclusionRegex: "["\n' >"$BATS_TEST_TMPDIR/bad.yaml"
	run --separate-stderr ctreval --config "$BATS_TEST_TMPDIR/bad.yaml" \
		--check-config </dev/null
	status_is 78
	[ -z "$output" ]
	[ "$(grep -cE '^ctreval: error: .*bad.yaml:[123]:[0-9]+: ' <<<"$stderr")" -eq 3 ]
}

@test "the manual has every configurable kernel log pattern" {
	ctreval --check-config </dev/null |
		sed -n '/^nicDriverDetection:/,/^[a-mo-z]/s/.*- name: "\(.*\)"/\1/p' \
		>"$BATS_TEST_TMPDIR/patterns"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/patterns")" -gt 11 ]
	none grep -vxFf <(tr -c '[:alnum:]_' \
		'\n' <"$BATS_TEST_DIRNAME/../doc/nic-health-monitor.yaml.5" | grep .) \
		"$BATS_TEST_TMPDIR/patterns"
}

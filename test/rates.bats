#!/usr/bin/env bats
# rates: ctreval's rate_below_peers, through the built programs. replay/rate-*.scenario have hours
# of it.
# SPDX-License-Identifier: Apache-2.0

load lib/common

# MODEL: nic makes a NIC with a number and a rate, nics one for each rate of a list.
MODEL='include "records";
	def nic($n; $rate): ib("mlx5_\($n)"; {}) + {pci: "0000:1\($n):00.0",
		device_extra: {hca_type: "MT4129", role: "compute", monitored: true},
		extra: ({role: "compute", monitored: true} + if $rate == null then {} else
			{$rate, rate_gbps: ($rate | split(" ")[0] | tonumber)} end)};
	def nics($rates): [range($rates | length) as $i | nic($i; $rates[$i])];
	def full: "400 Gb/sec (4X NDR)"; def half: "200 Gb/sec (2X NDR)";'

# records JQ - write scan records to $BATS_TEST_TMPDIR/in
records() { jq -n -c -L "$BATS_TEST_DIRNAME/lib" "$MODEL $1" >"$BATS_TEST_TMPDIR/in"; }

# evaluate [OPTION]... - run ctreval on them
evaluate() { run --separate-stderr bash -c 'ctreval "${@:2}" <"$1"' _ "$BATS_TEST_TMPDIR/in" "$@"; }

# says LINE... - check that these are exactly the events
says() {
	diff <(jq -r 'select(.kind=="event") | (if .isHealthy then "healthy" elif .isFatal then
		"fatal" else "degraded" end)
		+ " " + .checkName + " " + .message' <<<"$output") <([ $# -eq 0 ] || printf '%s\n' \
			"$@")
}

# why DEVICE - print the reasons of the decisions about its rate, scan by scan
why() { jq -r --arg d "$1" 'select(.about=="rate" and .device==$d) | .reason' <<<"$output"; }

@test "a slow port has one event with every field of the contract, and one when it is fast again" {
	records 'scan(1; 1; nics([full, full, half, full])),
		scan(2; 2; nics([full, full, full, full])),
		scan(3; 3; nics([full, full, full, full]))'
	evaluate
	status_is 0
	[ "$(wc -l <<<"$output")" -eq 2 ]
	jq -s -e --arg s "$(jq -r .source <<<"$output" | head -n 1)" \
		'.[0] == {kind: "event", id: "\($s)-1", version: 1, agent: "nic-health-monitor",
		componentClass: "NIC", checkName: "InfiniBandDegradationCheck", isFatal: false,
		isHealthy: false,
		message: "Port mlx5_2 port 1: rate 200 Gb/s, peers 400 Gb/s",
		recommendedAction: "NONE", errorCode: ["rate_below_peers"],
		entitiesImpacted: [{entityType: "NIC", entityValue: "mlx5_2"},
		{entityType: "NICPort", entityValue: "1"}],
		metadata: {pci: "0000:12:00.0", role: "compute", rate: "200 Gb/s (2X)",
		peer_rate: "400 Gb/s (4X)"},
		generatedTimestamp: "2023-11-14T22:13:21.000000Z", nodeName: "n1",
		processingStrategy: "EXECUTE_REMEDIATION", source: $s, seq: 1}' <<<"$output"
	jq -s -e '.[1] | .isHealthy and (.isFatal | not)
		and .message == "Port mlx5_2 port 1: rate 400 Gb/s, as its peers"
		and .checkName == "InfiniBandDegradationCheck"
		and .errorCode == ["rate_below_peers"] and .recommendedAction == "NONE"
		and .metadata == {pci: "0000:12:00.0", role: "compute", rate: "400 Gb/s (4X)",
		peer_rate: "400 Gb/s (4X)"}' <<<"$output"
}

@test "a slow port recovers when its peers are as slow as it is, or slower" {
	records 'scan(1; 1; nics([half, full, half, full, full])),
		scan(2; 2; nics([half, half, half, half, full])),
		scan(3; 3; nics([full, half, half, half, half]))'
	evaluate
	says "degraded InfiniBandDegradationCheck Port mlx5_0 port 1: rate 200 Gb/s, peers 400 Gb/s" \
		"degraded InfiniBandDegradationCheck Port mlx5_2 port 1: rate 200 Gb/s, peers 400 Gb/s" \
		"healthy InfiniBandDegradationCheck Port mlx5_0 port 1: rate 200 Gb/s, as its peers" \
		"healthy InfiniBandDegradationCheck Port mlx5_2 port 1: rate 200 Gb/s, as its peers"
	records 'scan(1; 1; nics([half, full, full])),
		scan(2; 2; nics(["800 Gb/sec (4X XDR)", full, full]))'
	evaluate
	says "degraded InfiniBandDegradationCheck Port mlx5_0 port 1: rate 200 Gb/s, peers 400 Gb/s" \
		"healthy InfiniBandDegradationCheck Port mlx5_0 port 1: rate 800 Gb/s, above its peers"
}

@test "on no platform is a port reported as slow, in the first scan or later" {
	for platform in "$PLATFORMS"/*.json; do
		nicsim "$BATS_TEST_TMPDIR/node" create "$platform"
		NODE=$BATS_TEST_TMPDIR/node
		# Repeat the scan a minute later.
		scan --counters none | classify >"$BATS_TEST_TMPDIR/one"
		{ cat "$BATS_TEST_TMPDIR/one"; jq \
			-c 'if .boottime_ns then .boottime_ns += 60000000000 else . end' \
			"$BATS_TEST_TMPDIR/one"; } >"$BATS_TEST_TMPDIR/in"
		evaluate --explain
		status_is 0
		jq -s -e 'all(.errorCode != ["rate_below_peers"])' <<<"$output" >/dev/null ||
			{ echo "$platform: $output" >&2; return 1; }
		[ "$(jq -s '[.[] | select(.about == "rate")] | length' <<<"$output")" -ge 4 ]
		rm -rf "$NODE"
	done
}

# Thorough: tools
@test "on every platform with peers a port that is slower than all its peers is reported" {
	local found=0
	for platform in a100-oci dgx-a100 dgx-h100 gb200-nvl4 h100-oci l40s-onprem; do
		node "$platform" "$platform"
		scan --counters none | classify >"$BATS_TEST_TMPDIR/before"
		port=$(jq -r -s 'map(select(.kind=="port" and .role=="compute"
			and .state=="ACTIVE")) | .[1]
			| "\(.device)/\(.port)"' "$BATS_TEST_TMPDIR/before")
		sim set "$port" rate "25 Gb/sec (1X EDR)"
		scan --counters none | classify >"$BATS_TEST_TMPDIR/in"
		evaluate
		[ "$(jq -r 'select(.errorCode==["rate_below_peers"]) | .entitiesImpacted | map(.entityValue) | join("/")' <<<"$output")" = "$port" ]
		found=$((found + 1))
	done
	[ "$found" -eq 6 ]
}

# Thorough: tools
@test "ports without a role, or of another role, reason, link layer or model, are not peers" {
	records 'scan(1; 1; nics([full, full, half]) | map(del(.extra.role)))'
	evaluate --explain
	says
	[ "$(why mlx5_2)" = "its role and therefore its peers are unknown" ]
	records 'scan(1; 1; nics([full, full, half]) | .[2].extra.role = "storage")'
	evaluate --explain
	says
	[ "$(why mlx5_2)" = "there is no other port of its role, reason, link layer and model to compare it with" ]
	records 'scan(1; 1; nics([full, full, half]) | .[2].device_extra.reason = "topo_pix_pxb")'
	evaluate --explain
	says
	[ "$(jq -r 'select(.about == "rate") | .role_reason' <<<"$output" | xargs)" = \
		"null null topo_pix_pxb" ]
	records 'scan(1; 1; nics([full, full, half]) | .[2].device_extra.hca_type = "MT4123")'
	evaluate
	says
	records 'scan(1; 1; nics([full, full, half]) | .[2].device_extra.board_id = "MT_0000000834")'
	evaluate --explain
	says
	[ "$(jq -r 'select(.about == "rate") | .board_id' <<<"$output" | xargs)" = \
		"null null MT_0000000834" ]
	records 'scan(1; 1; nics([full, full, half]) | .[2].link_layer = "Ethernet")'
	evaluate
	says
	records 'scan(1; 1; nics([full, full, half]) | map(.extra.role = "management"))'
	evaluate --explain
	says
	[ "$(why mlx5_2)" = "it is a management port" ]
	# Nor are virtual functions and NICs that are not monitored.
	records 'scan(1; 1; nics([full, full, half]) | .[1].vf = true)'
	evaluate
	says
	records 'scan(1; 1; nics([full, full, half]) | .[1].device_extra.monitored = false
		| .[1].extra.monitored = false)'
	evaluate
	says
}

# Thorough: tools
@test "every decision about a rate has the compared values and the reason for an event or for none" {
	records '[[full, full, full], [full, full, half], [full, full, half], [full, full, half],
		[full, full, full], [full, half, half], [half, full, "100 Gb/sec (1X NDR)"],
		[half, half, "100 Gb/sec (4X EDR)"], [full, full, null]]
		as $r | range(9) as $i | scan($i + 1; 20 * $i; nics($r[$i]))'
	evaluate --explain
	diff <(why mlx5_2) - <<-'END'
		rate 400 Gb/s, as its peers
		rate 200 Gb/s, peers 400 Gb/s, but not for settleSeconds yet
		rate 200 Gb/s, peers 400 Gb/s, but not for settleSeconds yet
		rate 200 Gb/s, peers 400 Gb/s, for settleSeconds
		rate 400 Gb/s, as its peers
		rate 200 Gb/s, as its peers
		its peers are tied: no rate is the most common
		slower than its peers, but over more lanes: cabled to something else, no fault
		its rate is unknown
	END
	jq -s -e '[.[] | select(.about == "rate" and .device == "mlx5_2")] | .[3].event as $id
		| (.[3] | .rate_gbps == 200 and .peer_rate_gbps == 400
			and .width == 2 and .peer_width == 4 and .reported and .port == 1
			and .role == "compute" and .link_layer == "InfiniBand"
			and .hca_type == "MT4129")
		and (.[8] | .rate_gbps == null and .width == null and .peer_rate_gbps == 400
			and .event == null)
		and ($id | type == "string")' <<<"$output"
	[ "$(jq -s -r '[.[] | select(.kind == "event")] | .[0].id' <<<"$output")" \
		= "$(jq -s -r '[.[] | select(.about == "rate" and .device == "mlx5_2")]
			| .[3].event' <<<"$output")" ]
	# The same for the first scan, for a port that was reported, and for a link that is down.
	records 'scan(1; 1; nics([full, full, half])), scan(2; 2; nics([full, full, half])),
		scan(3; 3; nics([full, full, half]) | .[2].state = "INIT")'
	evaluate --explain
	diff <(why mlx5_2) - <<-'END'
		rate 200 Gb/s, peers 400 Gb/s, in the first scan
		rate 200 Gb/s, peers 400 Gb/s, already reported; open until it is no longer below them
		its link is not up
	END
	evaluate --explain --checks InfiniBandStateCheck
	[ "$(why mlx5_2 | uniq)" = "its check is disabled (--checks)" ]
}

@test "while the first verdicts wait for a NIC, no rate is evaluated" {
	records 'range(3) as $i | scan($i + 1; $i; nics([full, full, half, full])
		| .[3].device_extra.error = "timeout")'
	sed -i 's/"complete":true/"complete":false/' "$BATS_TEST_TMPDIR/in"
	evaluate --explain
	diff <(why mlx5_2) - <<-'END'
		verdicts wait for a scan in which every device can be read
		verdicts wait for a scan in which every device can be read
		rate 200 Gb/s, peers 400 Gb/s, in the first scan
	END
	[ "$(why mlx5_3 | tail -n 1)" = "it could not be read" ]
}

@test "a NIC that cannot be read keeps its half minute below its peers; a port that is gone starts a new one" {
	local without='select((.kind == "port" and .scan == 3 and .device == "mlx5_2") | not)
		| if .scan != 3 then . elif .kind == "scan.end" then .ports = 2
			elif .kind == "device" and .device == "mlx5_2" then .ports = 0 else . end'
	local scans='(scan(1; 1; nics([full, full, full])), (range(2; 6) as $i | scan($i; 16 * $i - 30; nics([full, full, half]))))'
	records "$scans | $without | if .scan == 3 and .kind == \"device\" and .device == \"mlx5_2\" then .error = \"timeout\" else . end"
	evaluate
	says "degraded InfiniBandDegradationCheck Port mlx5_2 port 1: rate 200 Gb/s, peers 400 Gb/s"
	[ "$(jq -r .generatedTimestamp <<<"$output")" = 2023-11-14T22:13:54.000000Z ]
	records "$scans | $without"
	evaluate --config <(echo 'disappearance: {confirmScans: 1}')
	says "fatal InfiniBandStateCheck Port mlx5_2 port 1 disappeared from sysfs" \
		"healthy InfiniBandStateCheck Port mlx5_2 port 1 is back in sysfs" \
		"healthy InfiniBandStateCheck Port mlx5_2 port 1: healthy (ACTIVE, LinkUp)"
}

@test "a slow port whose link an extra scan shows down starts a new half minute below its peers" {
	records 'def slow($n; $at): scan($n; $at; nics([full, full, half]));
		def extra($n; $at; $state): scan($n; $at; [nic(2; half) + {state: $state}])
			| if .kind == "device" then . else .extra = true end;
		scan(1; 1; nics([full, full, full])), slow(2; 2), slow(3; 20),
		extra(4; 20.25; "DOWN"), extra(5; 20.5; "ACTIVE"), slow(6; 21), slow(7; 50),
		slow(8; 51)'
	evaluate
	jq -r .generatedTimestamp <<<"$output" | tail -n 1 | grep -F T22:14:11
	says "fatal InfiniBandStateCheck Port mlx5_2 port 1: state DOWN, phys_state LinkUp" \
		"healthy InfiniBandStateCheck Port mlx5_2 port 1: healthy (ACTIVE, LinkUp)" \
		"degraded InfiniBandDegradationCheck Port mlx5_2 port 1: rate 200 Gb/s, peers 400 Gb/s"
}

@test "a slow port that leaves monitoring while its check is disabled is cleared once the check is enabled" {
	records 'scan(1; 1; nics([full, full, half]))'
	evaluate --state "$BATS_TEST_TMPDIR/state" \
		--checks InfiniBandStateCheck,InfiniBandDegradationCheck
	records 'scan(1; 5; nics([full, full, half]) | .[2].device_extra.monitored = false
		| .[2].extra.monitored = false)'
	evaluate --state "$BATS_TEST_TMPDIR/state" --checks InfiniBandStateCheck
	says
	evaluate --state "$BATS_TEST_TMPDIR/state" --checks InfiniBandDegradationCheck
	says "healthy InfiniBandDegradationCheck Rate is no longer monitored on port mlx5_2 port 1"
	evaluate --state "$BATS_TEST_TMPDIR/state" --checks InfiniBandDegradationCheck
	says
}

@test "a renamed slow port is cleared under the old name and reported under the new one" {
	records 'scan(1; 1; nics([full, full, full])), scan(2; 2; nics([full, full, half])),
		scan(3; 40; nics([full, full, half])),
		(scan(4; 41; nics([full, full, half]) | .[2].device = "ibp18s0")),
		(scan(5; 42; nics([full, full, full]) | .[2].device = "ibp18s0"))'
	evaluate
	says "degraded InfiniBandDegradationCheck Port mlx5_2 port 1: rate 200 Gb/s, peers 400 Gb/s" \
		"healthy InfiniBandDegradationCheck Rate is no longer monitored on port mlx5_2 port 1" \
		"degraded InfiniBandDegradationCheck Port ibp18s0 port 1: rate 200 Gb/s, peers 400 Gb/s" \
		"healthy InfiniBandDegradationCheck Port ibp18s0 port 1: rate 400 Gb/s, as its peers"
}

@test "a slow port that turns from Ethernet to InfiniBand is cleared under the check that reported it" {
	records 'def roce: map(.link_layer = "Ethernet"); scan(1; 1; nics([full, full, half])
		| roce), scan(2; 2; nics([full, full, full]))'
	evaluate
	says "degraded EthernetDegradationCheck RoCE port mlx5_2 port 1: rate 200 Gb/s, peers 400 Gb/s" \
		"healthy EthernetDegradationCheck Rate is no longer monitored on port mlx5_2 port 1"
}

@test "the state file has the slow ports; a file without them is accepted, and an invalid one is moved aside" {
	local state=$BATS_TEST_TMPDIR/state
	records 'scan(1; 1; nics([full, full, full, half])),
		scan(2; 2; nics([full, full, half, half, full, full]))'
	evaluate --state "$state"
	jq -e '.slow_ports == [{device: "mlx5_2", port: 1, link_layer: "InfiniBand",
		reported: false, below_since_ns: 2000000000},
		{device: "mlx5_3", port: 1, link_layer: "InfiniBand", reported: true,
		below_since_ns: 1000000000}]' "$state"
	# Time below the peers before the restart counts.
	records 'scan(1; 32; nics([full, full, half, half, full, full]))'
	jq 'del(.slow_ports)' "$state" >"$BATS_TEST_TMPDIR/older"
	evaluate --state "$state"
	says "degraded InfiniBandDegradationCheck Port mlx5_2 port 1: rate 200 Gb/s, peers 400 Gb/s"
	# Without them a port is seen for the first time, though not in the first scan.
	evaluate --state "$BATS_TEST_TMPDIR/older"
	status_is 0
	says
	[ "$(jq '.slow_ports | length' "$BATS_TEST_TMPDIR/older")" -eq 2 ]
	jq '.slow_ports[0].port = "1"' "$state" >"$BATS_TEST_TMPDIR/wrong"
	evaluate --state "$BATS_TEST_TMPDIR/wrong"
	status_is 0 'a slow port has no device and port, or no time'
	[ -e "$BATS_TEST_TMPDIR/wrong.corrupt" ]
}

# Thorough: tools
@test "--explain changes no event, and a capture makes the same bytes every time" {
	records 'range(60) as $i
		| scan($i + 1; 7 * $i;
		nics([range(9) | if ((($i + 5 * .) / 9 | floor) % 3) == 0 then half
		else full end]))'
	ctreval <"$BATS_TEST_TMPDIR/in" 2>/dev/null >"$BATS_TEST_TMPDIR/plain"
	[ "$(grep -c rate_below_peers "$BATS_TEST_TMPDIR/plain")" -ge 4 ]
	ctreval <"$BATS_TEST_TMPDIR/in" 2>/dev/null | cmp - "$BATS_TEST_TMPDIR/plain"
	ctreval --explain <"$BATS_TEST_TMPDIR/in" 2>/dev/null | grep '"kind":"event"' |
		cmp - "$BATS_TEST_TMPDIR/plain"
	# A restart after every scan changes only the baseline, the sequence numbers and so some
	# microseconds.
	mkdir "$BATS_TEST_TMPDIR/scans"
	csplit -s -z -n 3 -f "$BATS_TEST_TMPDIR/scans/" "$BATS_TEST_TMPDIR/in" '/scan.begin/' '{*}'
	for one in "$BATS_TEST_TMPDIR"/scans/*; do
		ctreval --state "$BATS_TEST_TMPDIR/state" <"$one" 2>/dev/null
	done | grep rate_below_peers | jq -c '[.message, .generatedTimestamp[:23]]' | diff \
		- <(grep rate_below_peers "$BATS_TEST_TMPDIR/plain" |
			jq -c '[.message, .generatedTimestamp[:23]]')
}

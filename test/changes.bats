#!/usr/bin/env bats
# changes: ctreval reports changed devices and ports, and nichist lists the changes.
# shellcheck disable=SC2154 # bats sets output and stderr
# SPDX-License-Identifier: Apache-2.0

load lib/common

# scans JQ - write scan records, made by lib/records.jq, to $T/in. For one NIC with one port:
# `nic($at; {fw_ver: "1"}; {rate: "x"})`.
scans() {
	jq -n -c -L "$BATS_TEST_DIRNAME/lib" 'include "records";
		def nic($at; $device; $port): scan($at * 10 | floor; $at; [ib("mlx5_0"; {})
			+ {device_extra: $device, extra: $port}]);
		'"$1" >"$T/in"
}

# evaluate [OPTION]... - run ctreval on $T/in.
evaluate() {
	run --separate-stderr bash -c 'ctreval "${@:2}" <"$1"' _ "$T/in" "$@"
	status_is 0
}

setup() { T=$BATS_TEST_TMPDIR; }

# told - print each change event of $output: time, device or port, what changed, old and new value.
told() {
	jq -r 'select(.checkName == "NICIdentityCheck") | [(.generatedTimestamp[14:19]),
		([.entitiesImpacted[].entityValue] | join("/")),
		.metadata.changed, .metadata.was, .metadata.is] | join(" ")' <<<"$output"
}

# tells LINE... - check that the change events are exactly these.
tells() { diff <(told) <([ $# -eq 0 ] || printf '%s\n' "$@"); }

@test "a changed device gives one event, STORE_ONLY, healthy and not fatal" {
	scans '{fw_ver: "28.1"} as $old | {fw_ver: "28.2"} as $new | {role: "compute"} as $port
		| nic(1; $old; $port), nic(5; $new; $port), nic(65; $new; $port),
		nic(70; $new; $port)'
	evaluate
	jq -e -s '.[0] | del(.id, .source) == {kind: "event", version: 1,
		agent: "nic-health-monitor", componentClass: "NIC", checkName: "NICIdentityCheck",
		isFatal: false, isHealthy: true,
		message: "NIC mlx5_0: firmware version is 28.2, was 28.1",
		recommendedAction: "NONE", errorCode: ["changed"],
		entitiesImpacted: [{entityType: "NIC", entityValue: "mlx5_0"}],
		metadata: {pci: "0000:18:00.0", changed: "fw_ver", was: "28.1", is: "28.2"},
		generatedTimestamp: "2023-11-14T22:14:25.000000Z", nodeName: "n1",
		processingStrategy: "STORE_ONLY", seq: 1}' <<<"$output"
	[ "$(wc -l <<<"$output")" -eq 1 ]
}

@test "the event of a changed port names the port" {
	scans 'nic(1; {}; {rate: "400"}), nic(5; {}; {rate: "200"}), nic(65; {}; {rate: "200"})'
	evaluate
	[ "$(jq -r .message <<<"$output")" = "mlx5_0 port 1: rate is 200, was 400" ]
	[ "$(jq -c '[.entitiesImpacted[].entityType]' <<<"$output")" = '["NIC","NICPort"]' ]
}

@test "ctreval reports changes of firmware, GUID, board, type, driver, PCI link, link layer, rate, LID and interface" {
	scans '{node_guid: "0:1", hca_type: "a", board_id: "a", fw_ver: "a", driver: "a",
			driver_version: "a", pci_link_speed: "16.0 GT/s PCIe", pci_link_width: 8}
			as $old
		| {node_guid: "0:2", hca_type: "b", board_id: "b", fw_ver: "b", driver: "b",
			driver_version: "b", pci_link_speed: "32.0 GT/s PCIe", pci_link_width: 16}
			as $new
		| {rate: "a", lid: 1, netdev: "a"} as $before
		| {rate: "b", lid: 2, netdev: "b"} as $after
		| nic(1; $old; $before), nic(2; $new; $after), nic(62; $new; $after)'
	evaluate
	tells "14:22 mlx5_0 node_guid 0:1 0:2" \
		"14:22 mlx5_0 hca_type a b" "14:22 mlx5_0 board_id a b" "14:22 mlx5_0 fw_ver a b" \
		"14:22 mlx5_0 driver a b" "14:22 mlx5_0 driver_version a b" \
		"14:22 mlx5_0 pci_link_speed 16.0 GT/s PCIe 32.0 GT/s PCIe" \
		"14:22 mlx5_0 pci_link_width 8 16" \
		"14:22 mlx5_0/1 rate a b" "14:22 mlx5_0/1 lid 1 2" "14:22 mlx5_0/1 netdev a b"
	scans '{} | nic(1; {}; {}), nic(2; {}; {link_layer: "Ethernet"}),
		nic(62; {}; {link_layer: "Ethernet"})'
	evaluate
	tells "14:22 mlx5_0/1 link_layer InfiniBand Ethernet"
}

@test "an unknown value is no change, and the last known value is kept" {
	scans '{fw_ver: "1", node_guid: "0:1"} as $known
		| nic(1; {}; {}), nic(2; $known; {rate: "a", lid: 1}),
		nic(70; {fw_ver: ""}; {lid: 0}),
		nic(140; {fw_ver: null, node_guid: "0000:0000"}; {rate: null, lid: 65535}),
		nic(210; {error: "EIO", fw_ver: "2"}; {}), nic(280; $known; {rate: "a", lid: 1}),
		nic(350; {fw_ver: "2"}; {}), nic(410; {fw_ver: "2"}; {})'
	evaluate
	tells "20:10 mlx5_0 fw_ver 1 2"
}

@test "a port that is not up has no rate or LID to compare, and an Ethernet port has no LID" {
	scans '{state: "DOWN", phys_state: "Polling", rate: "b", lid: 2} as $down
		| {link_layer: "Ethernet"} as $eth
		| nic(1; {}; {rate: "a", lid: 1}), nic(2; {}; $down), nic(70; {}; $down),
		nic(71; {}; $eth + {lid: 7}), nic(140; {}; $eth + {lid: 8}),
		nic(220; {}; $eth + {lid: 8})'
	evaluate
	tells "15:40 mlx5_0/1 link_layer InfiniBand Ethernet"
}

@test "a change is reported once, after it has lasted a minute" {
	scans 'def fw($at; $version): nic($at; {fw_ver: $version}; {});
		fw(1; "1"), fw(2; "2"), fw(61; "2"), fw(61.9; "1"), fw(62; "2"), fw(121; "3"),
		fw(180; "3"), fw(181; "3"), fw(182; "3"), fw(300; "3"), fw(301; "1"), fw(361; "1")'
	evaluate
	tells "16:21 mlx5_0 fw_ver 1 3" "19:21 mlx5_0 fw_ver 3 1"
}

# two AT DEVICE... - print a scan at that second with these devices: `name address guid`.
two() {
	printf 'scan(%s; %s; [' "$1" "$1"
	shift
	local name pci guid more=
	while read -r name pci guid; do
		printf '%s(ib("%s"; {}) | .pci = "0000:%s:00.0" | .device_extra.node_guid = "0:%s")' \
			"$more" "$name" "$pci" "$guid"
		more=,
	done < <(printf '%s\n' "$@")
	printf '])'
}

# become - run ctreval on scans in which the devices in $before become those in $after.
become() {
	scans "$(two 1 "${before[@]}"), $(two 2 "${after[@]}"), $(two 62 "${after[@]}"),
		$(two 63 "${after[@]}")"
	evaluate
}

@test "a renamed device, and one that moved to another slot, are the same device" {
	local before=("mlx5_0 18 a" "mlx5_1 2a b") after=("mlx5_0 18 a" "rdma1 2a b")
	become
	tells "14:22 rdma1 device mlx5_1 rdma1"
	after=("mlx5_0 18 a" "mlx5_1 3a b")
	become
	tells "14:22 mlx5_1 pci 0000:2a:00.0 0000:3a:00.0"
	# Removing a card changes the names of those behind it.
	before=("mlx5_0 18 a" "mlx5_1 2a b") after=("mlx5_0 2a b")
	become
	tells "14:22 mlx5_0 device mlx5_1 mlx5_0"
}

@test "another device in the same slot, or two swapped devices, are reported as changed GUIDs" {
	local before=("mlx5_0 18 a" "mlx5_1 2a b") after=("mlx5_0 18 a" "mlx5_1 2a c")
	become
	tells "14:22 mlx5_1 node_guid 0:b 0:c"
	after=("mlx5_0 18 b" "mlx5_1 2a a")
	become
	tells "14:22 mlx5_0 node_guid 0:a 0:b" "14:22 mlx5_1 node_guid 0:b 0:a"
}

@test "a port moves with its device, and a new device or port is no change" {
	scans 'def at($at; $pci; $rate): scan($at; $at; [ib("mlx5_0"; {})
			| .pci = $pci | .device_extra.node_guid = "0:1" | .extra.rate = $rate]);
		at(1; "0000:18:00.0"; "a"), at(2; "0000:2a:00.0"; "b"), at(62; "0000:2a:00.0"; "b")'
	evaluate
	tells "14:22 mlx5_0 pci 0000:18:00.0 0000:2a:00.0" "14:22 mlx5_0/1 rate a b"
	local before=("mlx5_0 18 a") after=("mlx5_0 18 a" "mlx5_1 2a b")
	become
	tells
}

@test "unmonitored NICs, virtual functions and incomplete scans report no change" {
	local what
	for what in 'monitored: false' 'vf: true' 'parent: "mlx5_9"'; do
		scans "{fw_ver: \"1\", $what} as \$a | {fw_ver: \"2\", $what} as \$b
			| nic(1; \$a; {}), nic(2; \$b; {}), nic(62; \$b; {})"
		evaluate
		tells
	done
	scans '[nic(1; {fw_ver: "1"}; {}), nic(2; {fw_ver: "2"}; {}), nic(62; {fw_ver: "2"}; {})]
		| (.[] | select(.kind == "scan.end") | .devices) = 2 | .[]'
	evaluate
	tells
}

@test "known values survive restarts and a boot, and a change is reported once" {
	local state="$T/state"
	scans 'nic(1; {fw_ver: "1"}; {rate: "a"})'
	evaluate --state "$state"
	jq -e '.identities == {"0000:18:00.0": {device: "mlx5_0", pci: "0000:18:00.0", fw_ver: "1",
			look: 0, since_ns: 0},
		"0000:18:00.0/1": {link_layer: "InfiniBand", rate: "a", look: 0, since_ns: 0}}' \
		"$state"
	# A restart does not begin the minute anew.
	scans 'nic(2; {fw_ver: "2"}; {rate: "b"})'
	evaluate --state "$state"
	tells
	scans 'nic(62; {fw_ver: "2"}; {rate: "b"})'
	evaluate --state "$state"
	tells "14:22 mlx5_0 fw_ver 1 2" "14:22 mlx5_0/1 rate a b"
	scans 'nic(200; {fw_ver: "2"}; {rate: "b"})'
	evaluate --state "$state"
	tells

	# The clock of another boot begins at 0.
	scans 'nic(201; {fw_ver: "3"}; {})'
	evaluate --state "$state"
	scans 'def later($at): nic($at; {fw_ver: "3"}; {})
		| if .boot_id then .boot_id = "b2" else . end; later(300), later(359.9), later(360)'
	evaluate --state "$state"
	tells "19:20 mlx5_0 fw_ver 2 3"
}

@test "ctreval warns about an invalid identity in the state file and names the file" {
	local bad
	for bad in '{"": {}}' '{"0000:18:00.0": 1}' '{"0000:18:00.0": {"fw_ver": 1}}' \
		'{"0000:18:00.0": {"look": -1}}' '{"0000:18:00.0": {"since_ns": "x"}}' '[]'; do
		printf '{"version": 1, "identities": %s}' "$bad" >"$T/state"
		scans 'nic(1; {}; {})'
		run --separate-stderr bash -c 'ctreval --state "$1" <"$2"' _ "$T/state" "$T/in"
		stderr_has "warning: .*state: "
	done
}

# --- nichist --changes ---

# kept - run ctreval and emit on the scans. Set S to the spool.
kept() {
	S=$T/spool.db
	ctreval <"$T/in" 2>"$T/err" | emit --spool "$S" --sink "file:$T/out"
}

# at SECOND - print the time of that second's scan.
at() { date -u -d "@$((1700000000 + $1))" '+%F %T'; }

@test "nichist --changes lists old and new values, and nothing else" {
	scans '{fw_ver: "28.39.2048", node_guid: "0:1"} as $old
		| {fw_ver: "28.41.1000", node_guid: "0:2"} as $new
		| {rate: "400 Gb/sec (4X NDR)"} as $fast | {rate: "200 Gb/sec (4X HDR)"} as $slow
		| nic(1; $old; $fast), nic(5; $new; $fast), nic(65; $new; $slow),
		nic(125; $new; $slow + {state: "DOWN", phys_state: "Disabled"}),
		nic(130; $new; $slow), nic(190; $new; $slow)'
	kept
	run --separate-stderr nichist --changes --spool "$S"
	status_is 0
	diff - <(echo "$output") <<-END
		n1: changes, as far back as they are kept ($S)

		TIME (UTC)           WHERE     WHAT       WAS                  IS
		$(at 65)  mlx5_0    node_guid  0:1                  0:2
		$(at 65)  mlx5_0    fw_ver     28.39.2048           28.41.1000
		$(at 190)  mlx5_0/1  rate       400 Gb/sec (4X NDR)  200 Gb/sec (4X HDR)
	END
	diff <(nichist --changes --format json --spool "$S") <(grep NICIdentityCheck "$T/out")
	[ "$(nichist --changes --spool "$S" --device mlx5_1 | sed -n 1p)" = \
		"no changes, as far back as they are kept, of mlx5_1 ($S)" ]
	[ "$(nichist --changes --spool "$S" --since yesterday | wc -l)" -eq 1 ]
	[ "$(nichist --changes --history --format json --spool "$S" | wc -l)" -eq 8 ]
}

@test "a change is no alert, answers no fault and does not stand" {
	scans 'nic(1; {fw_ver: "1"}; {}), nic(5; {fw_ver: "2"}; {}), nic(65; {fw_ver: "2"}; {})'
	kept
	[ "$(nichist --standing --format json --spool "$S" | jq -r .kind | xargs)" = sink ]
	[ "$(nichist --spool "$S" | grep -c "firmware version")" -eq 1 ]
}

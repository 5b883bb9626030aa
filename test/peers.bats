#!/usr/bin/env bats
# peers: only cards and ports that are alike are evidence about each other, in ctreval, niccheck and
# nicview.
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() {
	T=$BATS_TEST_TMPDIR
	export NODE=$T/node
}

# NODE_OF: node makes a node with eight GPUs, and one NIC of one port near each. nic makes a NIC at
# a PCI address and NUMA node; card makes one with two functions; far is the row of a NIC that is
# near no GPU. without_gpu leaves out a GPU. The buses are those of an HGX board.
NODE_OF='["1b", "43", "52", "61", "9d", "c3", "d1", "df"] as $gpus
	| ["18", "40", "4f", "5e", "9a", "c0", "ce", "dc"] as $near
	| def nic($name; $at; $numa; $hca; $layer): {device: $name, pci_address: "0000:\($at)",
		vendor: "0x15b3", driver: "mlx5_core", numa_node: $numa, hca_type: $hca,
		netdev: "net_\($name)", operstate: "up", ports: [{port: 1, state: "4: ACTIVE",
			phys_state: "5: LinkUp", rate: "400 Gb/sec (4X NDR)",
			link_layer: $layer}]};
	def far: [range(8) as $gpu
		| if ($gpu / 4 | floor) == .numa_node then "NODE" else "SYS" end];
	def card($name; $bus; $numa; $hca; $layer):
		range(2) | nic("\($name)\(.)"; "\($bus):00.\(.)"; $numa; $hca; $layer);
	def node($layer; $others): [range(8) as $i
			| nic("mlx5_\($i)"; "\($near[$i]):00.0"; $i / 4 | floor; "MT4129";
				$layer)] as $compute
		| {name: "peers", description: "", gpu_name: "GPU", default_route_interface: "eno1",
		gpus: [range(8) as $i | {gpu_id: $i, pci_address: "0000:\($gpus[$i]):00.0",
			numa_node: ($i / 4 | floor)}], nics: ($compute + $others),
		nic_topology: ([$compute | to_entries[] | .key as $i | {key: .value.device,
			value: (.value | far | .[$i] = "PXB")}]
			+ [$others[] | {key: .device, value: far}] | from_entries)};
	def without_gpu($i): del(.gpus[$i]) | .nic_topology |= map_values(del(.[$i]));'

# make_node JQ - make this node
make_node() {
	rm -rf "$NODE"
	jq -n "$NODE_OF $1" >"$T/platform.json"
	nicsim "$NODE" create "$T/platform.json"
}

# events - scan the node and print ctreval's events
events() {
	scan --counters none | classify >"$T/records"
	ctreval <"$T/records" 2>/dev/null | jq -r '.message'
}

# checked - print what niccheck finds
checked() {
	niccheck --settle 200ms --sysfs-root "$NODE/sys" \
		--metadata-path "$NODE/var/lib/nvsentinel/gpu_metadata.json" --route-path /none \
		--route6-path /none --boot-id-path "$NODE/proc/sys/kernel/random/boot_id" \
		--node-name gpu-1 </dev/null 2>/dev/null
}

# is_healthy - check that no program has an objection to the node
is_healthy() {
	[ "$(events)" = "" ]
	none grep -E '^!' <(nicview "$T/records")
	checked | grep -q '^gpu-1: healthy'
}

# Two BlueFields with two ports, and a NIC of one port.
STORAGE='[card("bf_a"; "29"; 0; "MT41692"; "Ethernet"),
	card("bf_b"; "aa"; 1; "MT41692"; "Ethernet"),
	nic("st"; "2c:00.0"; 0; "MT4125"; "Ethernet")]'

@test "storage cards of another model, which have another number of ports, are no peers" {
	make_node "node(\"InfiniBand\"; $STORAGE)"
	is_healthy
}

@test "a NIC whose GPU is lost, and whose role is storage then, is no peer of the storage cards" {
	make_node "node(\"Ethernet\"; ${STORAGE}[:4]) | without_gpu(3)"
	is_healthy
	grep -q '"device":"mlx5_3".*"role":"storage"' "$T/records"
}

# The bridges to the NVSwitches of HGX B200: four functions of a ConnectX-7.
BRIDGES='[range(4) | nic("bridge\(.)"; "05:00.\(.)"; 0; "MT4129"; "InfiniBand")]'

@test "bridges to NVSwitches that are not up yet are no peers of the NICs near the GPUs" {
	make_node "node(\"InfiniBand\"; $BRIDGES | map(.ports[].state = \"2: INIT\"))"
	[ "$(events)" = "" ]
	grep -q '"device":"bridge0".*"role":"compute".*"reason":"link_layer_infiniband"' "$T/records"
	none grep 'peers are up' <(nicview "$T/records")
}

@test "the rate of a bridge to NVSwitches is not compared with that of the NICs near the GPUs" {
	make_node "node(\"InfiniBand\"; $BRIDGES | map(.ports[].rate = \"100 Gb/sec (1X NDR)\"))"
	is_healthy
}

@test "storage NICs near GPUs, with the chip of the compute NICs and another board, are no peers" {
	local storage='nic("st0"; "19:00.0"; 0; "MT4129"; "InfiniBand")
		| .board_id = "MT_0000000834" | .ports[].state = "1: DOWN"
		| .ports[].phys_state = "2: Polling"'
	make_node "node(\"InfiniBand\"; [$storage])
		| .nics[:8] |= map(.board_id = \"MT_0000000838\")
		| .nic_topology.st0[0] = \"PXB\""
	[ "$(events)" = "" ]
	run checked
	[ "$status" -eq 3 ]
	[[ ${lines[0]} == 'gpu-1: UNKNOWN: Port st0 port 1 '*': it has no peers, so whether it '* ]]
	COLUMNS=200 nicview "$T/records" | grep -q ' st0 .* no peers$'
	jq -s -e 'map(select(.kind == "device") | .reason) | length == 9 and (unique | length) == 1' \
		"$T/records"
	ctreval --explain <"$T/records" 2>"$T/err" >"$T/said"
	jq -s -e 'any(.about == "card" and .device == "st0" and .board_id == "MT_0000000834"
		and (.reason | contains("no other card of its role")))' "$T/said"
}

@test "a card that lacks a function is found among cards of its model and role, in every program" {
	make_node "node(\"InfiniBand\"; $STORAGE
		+ [card(\"bf_c\"; \"2f\"; 0; \"MT41692\"; \"Ethernet\")])"
	is_healthy
	sim remove bf_b1
	[ "$(events)" = 'Card 0000:aa:00 has 1 active ports, expected 2 (peer mode)' ]
	COLUMNS=200 nicview "$T/records" | grep -q '^!! bf_b0 .*its card has 1 port, peers 2'
	checked | grep -q 'Card 0000:aa:00 has 1 active ports, expected 2 (peer mode)'
}

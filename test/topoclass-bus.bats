#!/usr/bin/env bats
# topoclass-bus: topoclass without GPU metadata takes the roles from the PCI bus.
# SPDX-License-Identifier: Apache-2.0

load lib/common
load lib/platforms

FILE=/var/lib/nvsentinel/gpu_metadata.json

setup() {
	[ ! -e "$FILE" ] || skip "this machine has $FILE"
	T=$BATS_TEST_TMPDIR
}

teardown() {
	end_background
	nothing_survives
}

# by_bus [OPTION]... - run topoclass without a metadata file
by_bus() {
	$EXEC topoclass --sysfs-root "$NODE/sys" --route "$NODE/proc/net/route" \
		--route6 "$NODE/proc/net/ipv6_route" "$@"
}

# decides - run it on a scan of the node; sets $output, $stderr and $status
decides() { run --separate-stderr bash -c "$(declare -f scan by_bus); scan | by_bus"; }

# roles [JQ] - print the role of each device in $output for which JQ is true
roles() { jq -r "select(.kind == \"device\" and (${1-true}))
	| \"\\(.device) \\(.role) \\(.reason) \\(.monitored)\"" <<<"$output" | sort; }

# lay_out_as JQ PLATFORM - make a node like PLATFORM with this change
lay_out_as() {
	jq "$1" "$PLATFORMS/$2.json" >"$T/platform.json"
	export NODE=$T/node
	rm -rf "$NODE"
	nicsim "$NODE" create "$T/platform.json"
}

# by_file - print the roles from the node's metadata
by_file() { output=$(scan | classify) && roles; }

# all_devices ROLE REASON - check that all are monitored with this role and reason
all_devices() { [ "$(roles | cut -d ' ' -f 2- | sort -u)" = "$1 $2 true" ]; }

@test "on every platform the PCI bus gives the same roles as the metadata" {
	local platform compared=0
	for platform in $(every_platform); do
		export NODE=$T/$platform
		nicsim "$NODE" create "$PLATFORMS/$platform.json"
		decides
		status_is 0 "^topoclass: note: no $FILE: taking the places of the GPUs from the PCI bus$"
		[ "$(wc -l <<<"$stderr")" -eq 1 ]
		diff <(roles) <(by_file)
		rm -r "$NODE"
		compared=$((compared + 1))
	done
	[ "$compared" -ge 9 ]
}

@test "a BlueField on a GPU's NUMA node is for management only if no GPU is in its PCI domain" {
	lay_out_as . gb200-nvl4
	decides
	roles '.device == "roceP22p3s0"' |
		grep -qx 'roceP22p3s0 management bluefield_all_sys false'
	lay_out_as '(.gpus, .nics)[].pci_address |= "0000:\(.[2:4]):00.0" | .nic_topology |= map_values(["NODE", "NODE", "SYS", "SYS"])' gb200-nvl4
	decides
	roles '.device == "roceP22p3s0"' | grep -qx 'roceP22p3s0 storage topo_node_phb true'
}

@test "on a node without GPUs every NIC except the default route's has the role fabric" {
	lay_out_as '.gpus = [] | .nic_topology = {}' h100-oci
	decides
	status_is 0 "^topoclass: note: no $FILE, and no GPUs on the PCI bus: every NIC is monitored, with the role fabric$"
	[ "$(roles '.role != "fabric"')" = 'mlx5_2 management default_route false' ]
	[ "$(roles '.role == "fabric"' | cut -d ' ' -f 2- | sort | uniq -c | xargs)" = \
		'17 fabric no_gpus true' ]
	lay_out_as '.gpus = [] | .name = "efa"' aws-p5
	decides
	all_devices fabric efa_driver
}

@test "a fabric port that goes down is reported, and one that was never up is not" {
	lay_out_as '.gpus = [] | .nic_topology = {}' dgx-h100
	sim unplug mlx5_3/1
	judged() {
		scan | by_bus 2>"$T/err" | ctreval --state "$T/state" >>"$T/events" 2>>"$T/said"
	}
	judged
	[ "$(jq -c 'select(.isHealthy | not)' "$T/events")" = "" ]
	grep -q 'mlx5_3 port 1: .*: already so when first seen, not reported$' "$T/said"
	sim unplug mlx5_4/1
	judged
	[ "$(jq -r 'select(.isHealthy | not) | [.checkName, .errorCode[0], .recommendedAction,
		.metadata.role, .entitiesImpacted[0].entityValue] | join(" ")' "$T/events")" = \
		'InfiniBandStateCheck port_state NONE fabric mlx5_4' ]
}

@test "if the bus gives no distances, InfiniBand is compute and Ethernet has no role" {
	lay_out_as '.flat = true | (.gpus, .nics)[].numa_node = -1' l40s-onprem
	decides
	status_is 0 "^topoclass: warning: no $FILE, and the PCI bus has neither real bridges nor NUMA nodes, .*topoparse\)$"
	diff <(roles) - <<-'END'
		mlx5_0 management default_route false
		mlx5_1 compute link_layer_infiniband true
		mlx5_2 compute link_layer_infiniband true
		mlx5_3 compute link_layer_infiniband true
		mlx5_4 compute link_layer_infiniband true
	END
	lay_out_as '.flat = true | (.gpus, .nics)[].numa_node = -1 | .proc_net_route = null
		| .default_route_interface = null' l40s-oci
	decides
	all_devices null no_distances
}

@test "with a single NUMA node, NICs have their roles even if their NUMA node is not set" {
	local change='(.gpus, .nics)[].numa_node = 0'
	lay_out_as "$change" h100-oci
	decides
	roles >"$T/known"
	lay_out_as "$change" h100-oci
	for each in "$NODE"/sys/bus/pci/devices/*/numa_node; do echo -1 >"$each"; done
	decides
	roles | diff "$T/known" -
	grep -q ' storage topo_node_phb true$' "$T/known"
}

@test "records of another node than the bus's have no roles" {
	lay_out_as . dgx-h100
	scan >"$T/scan"
	lay_out_as . gb200-nvl4
	run --separate-stderr by_bus --route /dev/null <"$T/scan"
	status_is 0 '^topoclass: warning: the PCI bus: it lists no NIC of this node: no NIC has a role until it does$'
	all_devices null not_in_topology
	lay_out_as '.gpus = [] | .nic_topology = {}' gb200-nvl4
	run --separate-stderr by_bus --route /dev/null <"$T/scan"
	all_devices null not_in_topology
}

# begins - start topoclass in the background and wait for its first scan; descriptor 7 takes scans
begins() {
	feed_open by_bus
	scan >&7
	wait_until 20 has_lines 1 "$T/out" '"kind":"scan.end"'
}
# scans N - send another scan and wait for the N-th result
scans() {
	scan >&7
	wait_until 20 has_lines "$1" "$T/out" '"kind":"scan.end"'
	output=$(tac "$T/out" | sed '/"kind":"scan.begin"/q')
}
# ends [LINE]... - end it, and check that it printed just these lines after the first
ends() {
	exec 7>&-
	ends_with 0 "$PID"
	diff <(tail -n +2 "$T/err") <([ $# -eq 0 ] || printf '%s\n' "$@")
}

@test "a NIC that appears is looked up on the bus, and one that is gone is listed as absent and lost" {
	node dgx-h100
	sim remove mlx5_3
	begins
	sim restore mlx5_3
	scans 2
	[ "$(roles '.device == "mlx5_3"')" = 'mlx5_3 compute topo_pix_pxb true' ]
	sim rename mlx5_3 roce3
	scans 3
	[ "$(roles '.device == "roce3"')" = 'roce3 compute topo_pix_pxb true' ]
	sim remove roce3
	scans 4
	[ "$(jq -c 'select(.kind == "scan.begin").topology | [.absent, .lost]' <<<"$output")" = \
		'[["roce3"],["roce3"]]' ]
	ends
}

@test "NICs that exchange their names keep their roles, and the bus is read only for new NICs" {
	node h100-oci
	begins
	sims 'remove mlx5_10' 'remove mlx5_11'
	scans 2
	[ "$(jq -c 'select(.kind == "scan.begin").topology.absent' <<<"$output")" = \
		'["mlx5_10","mlx5_11"]' ]
	sims 'restore mlx5_10' 'restore mlx5_11' \
		'rename mlx5_10 other' 'rename mlx5_11 mlx5_10' 'rename other mlx5_11'
	scans 3
	diff <(roles '.device | IN("mlx5_10", "mlx5_11")') - <<-'END'
		mlx5_10 storage topo_node_phb true
		mlx5_11 compute topo_pix_pxb true
	END
	# From here on, reading the bus makes a warning.
	grep -l 0x030200 "$NODE"/sys/bus/pci/devices/*/class | xargs dirname | xargs rm
	sim remove mlx5_3
	scans 4
	scans 5
	ends
}

@test "a NIC that takes the name of the former default route's NIC is monitored, and that NIC is not" {
	node h100-oci
	begins
	sims 'remove mlx5_2' 'remove mlx5_3'
	scans 2
	sims 'restore mlx5_2' 'restore mlx5_3' \
		'rename mlx5_2 other' 'rename mlx5_3 mlx5_2' 'rename other mlx5_3' \
		'route none' 'unreadable mlx5_2/1 state'
	local number
	for number in 3 4; do
		scans "$number"
		diff <(roles '.device | IN("mlx5_2", "mlx5_3")') - <<-'END'
			mlx5_2 compute topo_pix_pxb true
			mlx5_3 management default_route false
		END
		[ "$number" -eq 4 ] || sim mend mlx5_2/1 state
	done
	ends
}

@test "a GPU that leaves the bus changes no role" {
	node dgx-h100
	sim remove mlx5_3
	begins
	grep -l 0x030200 "$NODE"/sys/bus/pci/devices/*/class | xargs dirname | xargs rm
	sim restore mlx5_3
	scans 2
	[ "$(roles '.device == "mlx5_0"')" = 'mlx5_0 compute topo_pix_pxb true' ]
	scans 3
	ends 'topoclass: warning: the PCI bus: fewer GPUs than before: keeping the previous data'
}

@test "names that were exchanged while a GPU was lost get their roles within 60 scans of its return" {
	node dgx-h100
	begins
	mv "$NODE/sys/bus/pci/devices/0000:1b:00.0" "$T/gpu"
	sims 'rename mlx5_0 other' 'rename mlx5_2 mlx5_0' 'rename other mlx5_2'
	scans 2
	mv "$T/gpu" "$NODE/sys/bus/pci/devices/0000:1b:00.0"
	local one
	one=$(scan)
	for _ in {1..60}; do printf '%s\n' "$one"; done >&7
	scans 63
	diff <(roles '.device | IN("mlx5_0", "mlx5_2")') - <<-'END'
		mlx5_0 storage topo_node_phb true
		mlx5_2 compute topo_pix_pxb true
	END
	ends 'topoclass: warning: the PCI bus: fewer GPUs than before: keeping the previous data'
}

# told_of_file - run topoclass on two scans with a /var/lib of its own, and make the file between
# them
# shellcheck disable=SC2094 # it waits for what is written
told_of_file() {
	mount -t tmpfs none /var/lib
	{
		scan
		until grep -q scan.end "$T/out"; do sleep 0.1; done
		mkdir "${FILE%/*}"
		jq '.nic_topology[] |= map("SYS") | .nic_topology.mlx5_0[0] = "PXB"' \
			"$NODE/$FILE" >"$FILE"
		scan
	} | by_bus --verbose >"$T/out"
}

@test "a metadata file that appears replaces the PCI bus" {
	node l40s-onprem
	export FILE T
	: >"$T/out"
	run --separate-stderr timeout 60 unshare --mount --map-root-user bash -c \
		"$(declare -f scan by_bus told_of_file); told_of_file"
	status_is 0 "^topoclass: note: $FILE: now read instead of the PCI bus$"
	output=$(tac "$T/out" | sed '/"kind":"scan.begin"/q')
	[ "$(roles '.device == "mlx5_0"')" = 'mlx5_0 management default_route false' ]
	[ "$(jq -c 'select(.kind == "scan.begin").topology.nics' "$T/out" | xargs)" = '0 5' ]
}

@test "a named metadata file must exist, and an unusable sysfs is reported beside the default file" {
	node l40s-oci
	run --separate-stderr by_bus --metadata "$T/none" </dev/null
	status_is 78 "^topoclass: error: $T/none: No such file or directory \\(name the GPU metadata"
	run --separate-stderr topoclass --metadata auto --sysfs-root "$T/none" </dev/null
	status_is 78 "^topoclass: error: $FILE: No such file or directory, and the PCI bus below $T/none: No such file or directory \\(name"
	[ "$(wc -l <<<"$stderr")" -eq 1 ]
	echo "sysClassInfinibandPath: $NODE/sys/class/infiniband" >"$T/config.yaml"
	run --separate-stderr topoclass --config "$T/config.yaml" </dev/null
	status_is 0 'taking the places of the GPUs from the PCI bus$'
}

@test "auto:FILE uses the file, or the PCI bus if the file is missing" {
	local absent
	node l40s-oci
	for absent in "$T/none" "auto:none" "auto"; do
		run --separate-stderr by_bus --metadata "auto:$absent" </dev/null
		status_is 0 "^topoclass: note: no $absent: taking the places of the GPUs from the PCI bus$"
	done
	output=$(scan | by_bus --sysfs-root "$T/none" \
		--metadata "auto:$NODE/var/lib/nvsentinel/gpu_metadata.json" 2>"$T/err")
	[ ! -s "$T/err" ]
	diff <(roles) <(by_file)
	echo '{' >"$T/broken"
	run --separate-stderr by_bus --metadata "auto:$T/broken" </dev/null
	status_is 78 "^topoclass: error: $T/broken:"
	# Only the exact word is special, no longer word that starts with it.
	run --separate-stderr by_bus --metadata automatic </dev/null
	status_is 78 '^topoclass: error: automatic: No such file or directory'
	run --separate-stderr by_bus --metadata auto: </dev/null
	status_is 64 "^topoclass: error: --metadata 'auto:': a path is missing \(try 'topoclass --help'\)$"
}

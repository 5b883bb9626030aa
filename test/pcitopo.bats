#!/usr/bin/env bats
# pcitopo: GPU metadata derived from the PCI bus, and buses that do not allow it.
# SPDX-License-Identifier: Apache-2.0

load lib/common
load lib/platforms

setup() {
	SYS=$BATS_TEST_TMPDIR/sys
	mkdir -p "$SYS/bus/pci/devices" "$SYS/class/infiniband" "$SYS/devices/system/node"
	echo 0-1 >"$SYS/devices/system/node/online"
}

# tells - run pcitopo; check that it succeeds without a message
tells() {
	run --separate-stderr timeout 20 pcitopo --sysfs-root "$SYS"
	status_is 0
	[ "$stderr" = "" ]
}

# refuses STATUS REASON - run pcitopo; check that it fails with STATUS and one line with REASON
refuses() {
	run --separate-stderr timeout 20 pcitopo --sysfs-root "$SYS"
	status_is "$1" "^pcitopo: error: $SYS$2"
	[ "$output" = "" ]
	[ "$(wc -l <<<"$stderr")" -eq 1 ]
}

# says JQ - print JQ of the document
says() { jq -r -c "$1" <<<"$output"; }

# function_at PLACE VENDOR CLASS [NUMA-NODE] - make a PCI function; PLACE is below devices
function_at() {
	mkdir -p "$SYS/devices/$1"
	echo "$2" >"$SYS/devices/$1/vendor"
	echo "$3" >"$SYS/devices/$1/class"
	[ $# -lt 4 ] || echo "$4" >"$SYS/devices/$1/numa_node"
	ln -s "../../../devices/$1" "$SYS/bus/pci/devices/${1##*/}"
}

# device_at NAME PLACE - make an RDMA device; PLACE is below devices
device_at() {
	mkdir -p "$SYS/devices/$2/infiniband/$1"
	ln -s "../../devices/$2/infiniband/$1" "$SYS/class/infiniband/$1"
}

# driver_of PLACE DRIVER - bind the function to DRIVER
driver_of() { ln -s "../../../bus/pci/drivers/$2" "$SYS/devices/$1/driver"; }

# nic_at NAME PLACE [NUMA-NODE] - make an RDMA device with its function
nic_at() {
	function_at "$2" 0x15b3 0x020700 "${@:3}"
	driver_of "$2" mlx5_core
	device_at "$1" "$2"
}

# MEANING: the parts of a document that topoclass reads.
MEANING='[.gpus[] | {numa_node}] as $gpus | {gpus: $gpus, nic_topology}'

# as_on_bus DESCRIPTION - simulate a node from it, and check that its PCI bus gives the matrix of
# the description
as_on_bus() {
	rm -rf "$BATS_TEST_TMPDIR/node"
	nicsim "$BATS_TEST_TMPDIR/node" create "$1"
	SYS=$BATS_TEST_TMPDIR/node/sys
	tells
	diff <(says "$MEANING" | jq -S .) <(jq -S "$MEANING" "$1")
}

@test "the bus of each platform gives the same document as nvidia-smi topo" {
	local platform description=$BATS_TEST_TMPDIR/platform.json compared=0
	for platform in $(every_platform); do
		case $platform in
		# Its matrix has SYS for devices of one NUMA node, too.
		gb200-nvl4) continue ;;
		# Its only NICs are EFA adapters.
		aws-*) continue ;;
		esac
		# nvidia-smi leaves virtual functions out.
		jq '.nics |= map(select(.is_vf | not)) | .nics[].sriov_totalvfs = null' \
			"$PLATFORMS/$platform.json" >"$description"
		as_on_bus "$description"
		PLATFORMS=$BATS_TEST_TMPDIR matrix platform | topoparse >"$BATS_TEST_TMPDIR/parsed"
		# Only the order of the NICs may differ.
		diff <(sed 's/"pci_address": "[^"]*", //; s/,$//' <<<"$output" | sort) \
			<(sed 's/,$//' "$BATS_TEST_TMPDIR/parsed" | sort)
		compared=$((compared + 1))
	done
	[ "$compared" -ge 7 ]
}

# DESCRIPTION: describe a node with this matrix. Without NUMA nodes in the recording, put GPUs on
# one node if they are equally near to some NIC.
DESCRIPTION='def address($domain; $bus): "000\($domain):\(("0123456789abcdef" / "") as $hex
	| $hex[$bus / 16 | floor] + $hex[$bus % 16]):00.0";
(.nic_topology | to_entries) as $nics
| def near($gpu): first(range($gpu + 1) | select(. as $other | any($nics[];
	.value[$gpu] != "SYS" and .value[$other] != "SYS"))) // $gpu;
[.gpus | to_entries[] | .key as $i | .value | .numa_node = if .numa_node < 0 then near($i)
	else .numa_node end | .pci_address = address(0; $i * 4 + 1)] as $gpus
| {name: "recorded", $gpus, default_route_interface: null, nic_topology,
	nics: [$nics | to_entries[] | .key as $i | .value
		| {device: .key, pci_address: address(1; $i * 2 + 1), vendor: "0x15b3",
			driver: "mlx5_core", numa_node: ([.value, $gpus] | transpose
				| map(select(.[0] != "SYS"))[0][1].numa_node // 99),
			ports: [{port: 1, link_layer: "InfiniBand"}]}]}'

@test "a bus built like each recorded machine gives the recorded matrix" {
	need_fixtures
	local recorded compared=0
	for recorded in "$FIXTURES"/topo/*.json; do
		jq -e '.gpus and (.error | not)' "$recorded" >"$BATS_TEST_TMPDIR/is" || continue
		jq "$DESCRIPTION" "$recorded" >"$BATS_TEST_TMPDIR/description.json"
		as_on_bus "$BATS_TEST_TMPDIR/description.json"
		diff <(says .nic_topology | jq -S .) <(jq -S .nic_topology "$recorded")
		compared=$((compared + 1))
	done
	[ "$compared" -ge 15 ]
}

@test "GPUs of NVIDIA, AMD and Intel are listed by address, and display adapters are not" {
	function_at pci0000:e0/0000:e0:01.0/0000:e1:00.0 0x10de 0x030200 1
	function_at pci0000:20/0000:20:01.0/0000:2a:00.0 0x1002 0x120000 0
	function_at pci0000:20/0000:20:02.0/0000:29:00.0 0x1002 0x038000 0
	function_at pci10000:00/10000:00:01.0/10000:01:00.0 0x8086 0x038000 1
	function_at pci0000:40/0000:40:01.0/0000:41:00.0 0x10de 0x030000 0
	function_at pci0000:00/0000:00:02.0/0000:03:00.0 0x1a03 0x030000 0
	function_at pci0000:20/0000:20:03.0/0000:2b:00.0 0x1002 0x030000 0
	function_at pci0000:20/0000:20:01.0/0000:2a:02.0 0x1002 0x120000 0
	ln -s ../0000:2a:00.0 "$SYS/devices/pci0000:20/0000:20:01.0/0000:2a:02.0/physfn"
	tells
	[ "$(says '.gpus[] | [.gpu_id, .pci_address, .numa_node] | join(" ")')" = "$(printf '%s\n' \
		'0 0000:29:00.0 0' '1 0000:2a:00.0 0' '2 0000:41:00.0 0' '3 0000:e1:00.0 1' \
		'4 10000:01:00.0 1')" ]
	[ "$(says .nic_topology)" = '{}' ]
}

@test "a subfunction has the row of its NIC; virtual devices and EFA adapters have no row" {
	local switch=pci0000:20/0000:20:01.0/0000:21:00.0
	function_at "$switch/0000:22:00.0/0000:23:00.0" 0x10de 0x030200 0
	nic_at mlx5_10 "$switch/0000:22:01.0/0000:24:00.0" 0
	device_at mlx5_9 "$switch/0000:22:01.0/0000:24:00.0/mlx5_core.sf.2"
	nic_at mlx5_2 pci0000:e0/0000:e0:01.0/0000:e1:00.0 1
	device_at rxe0 virtual
	function_at pci0000:50/0000:50:00.0 0x1d0f 0x020000 0
	device_at rdmap80s0 pci0000:50/0000:50:00.0
	ln -s ../../devices/gone "$SYS/class/infiniband/mlx5_77"
	echo bonding >"$SYS/class/infiniband/abi_version"
	tells
	diff <(grep mlx5 <<<"$output") - <<-'END'
		    "mlx5_2": ["SYS"],
		    "mlx5_9": ["PIX"],
		    "mlx5_10": ["PIX"]
	END
	[ "$(says '.nic_topology | length')" -eq 3 ]
}

@test "a NIC of a known vendor without a driver has a row by its address, and other functions have none" {
	local switch=pci0000:20/0000:20:01.0/0000:21:00.0
	function_at "$switch/0000:22:00.0/0000:23:00.0" 0x10de 0x030200 0
	function_at pci0000:e0/0000:e0:01.0/0000:e1:00.0 0x10de 0x030200 1
	nic_at mlx5_0 pci0000:e0/0000:e0:03.0/0000:e3:00.0 1
	function_at "$switch/0000:22:01.0/0000:24:00.0" 0x15b3 0x020700 0
	function_at pci0000:e0/0000:e0:02.0/0000:e2:00.0 0x15b3 0x020000 1
	function_at pci0000:e0/0000:e0:06.0 0x14e4 0x020000 1
	# A virtual function without a driver, one passed to a guest, a bridge, another vendor's
	# NIC, an EFA adapter.
	function_at "$switch/0000:22:01.0/0000:24:00.1" 0x15b3 0x020700 0
	ln -s ../0000:24:00.0 "$SYS/devices/$switch/0000:22:01.0/0000:24:00.1/physfn"
	function_at "$switch/0000:22:01.0/0000:24:00.2" 0x15b3 0x020700 0
	driver_of "$switch/0000:22:01.0/0000:24:00.2" vfio-pci
	# With a driver but no RDMA device: two on a GPU's switch, and one elsewhere.
	function_at "$switch/0000:22:02.0/0000:25:00.0" 0x15b3 0x020700 0
	driver_of "$switch/0000:22:02.0/0000:25:00.0" mlx5_core
	function_at "$switch/0000:22:03.0/0000:26:00.0" 0x15b3 0x020700 0
	driver_of "$switch/0000:22:03.0/0000:26:00.0" mlx5_core
	mkdir "$SYS/devices/$switch/0000:22:03.0/0000:26:00.0/infiniband"
	function_at pci0000:e0/0000:e0:08.0 0x15b3 0x020000 1
	driver_of pci0000:e0/0000:e0:08.0 mlx5_core
	function_at pci0000:e0/0000:e0:04.0 0x15b3 0x060400 1
	function_at pci0000:e0/0000:e0:05.0 0x1af4 0x020000 1
	function_at pci0000:e0/0000:e0:07.0 0x1d0f 0x020000 1
	tells
	[ "$(says .nic_topology)" = '{"mlx5_0":["SYS","PHB"]}' ]
	diff <(says '.unbound | to_entries[] | [.key, .value[]] | join(" ")') - <<-'END'
		0000:24:00.0 PIX SYS
		0000:25:00.0 PIX SYS
		0000:26:00.0 PIX SYS
		0000:e0:06.0 SYS PHB
		0000:e2:00.0 SYS PHB
	END
}

@test "a function of a BlueField or Pensando DSC that leads to its own processor has no row" {
	local switch=pci0000:20/0000:20:01.0/0000:21:00.0
	function_at "$switch/0000:22:00.0/0000:23:00.0" 0x10de 0x030200 0
	function_at "$switch/0000:22:01.0/0000:24:00.2" 0x15b3 0x020000 0
	echo 0xc2d1 >"$SYS/devices/$switch/0000:22:01.0/0000:24:00.2/device"
	function_at "$switch/0000:22:02.0/0000:25:00.0" 0x1dd8 0x020000 0
	echo 0x1004 >"$SYS/devices/$switch/0000:22:02.0/0000:25:00.0/device"
	# Bound by hand, through the driver's new_id.
	driver_of "$switch/0000:22:02.0/0000:25:00.0" ionic
	tells
	[ "$(says .unbound)" = null ]
	# The card's port itself.
	echo 0x1002 >"$SYS/devices/$switch/0000:22:02.0/0000:25:00.0/device"
	tells
	[ "$(says .unbound)" = '{"0000:25:00.0":["PIX"]}' ]
}

@test "with a single NUMA node everything is on it, even if the bus does not say so" {
	function_at pci0000:20/0000:20:01.0/0000:21:00.0 0x10de 0x030200 -1
	nic_at mlx5_0 pci0000:40/0000:40:01.0/0000:41:00.0 -1
	nic_at mlx5_1 pci0000:60/0000:60:01.0/0000:61:00.0
	echo 0 >"$SYS/devices/system/node/online"
	tells
	[ "$(says '[.gpus[].numa_node], .nic_topology')" = "$(printf '%s\n' '[0]' \
		'{"mlx5_0":["NODE"],"mlx5_1":["NODE"]}')" ]
	rm -r "$SYS/devices/system"
	tells
	[ "$(says '.nic_topology.mlx5_1')" = '["NODE"]' ]
}

@test "a bus without bridges and NUMA nodes, like a guest's, exits 65 and names topoparse" {
	function_at pci0000:00/0000:00:05.0 0x10de 0x030200 -1
	function_at pci0000:00/0000:00:06.0 0x10de 0x030200 -1
	nic_at mlx5_0 pci0000:00/0000:00:07.0 -1
	refuses 65 ': the PCI bus has neither real bridges nor NUMA nodes, as in virtual machines: .*topoparse'
	echo 0 >"$SYS/devices/system/node/online"
	refuses 65 ': the PCI bus has neither real bridges nor NUMA nodes, as in virtual machines: '
	# A single known NUMA node is enough, even without bridges.
	echo 0 >"$SYS/devices/pci0000:00/0000:00:06.0/numa_node"
	tells
	[ "$(says .nic_topology.mlx5_0)" = '["PHB","PHB"]' ]
}

@test "a bus with an emulated root port for each GPU, like a guest's, exits 65, a real one does not" {
	# behind_port VENDOR - put two GPUs and a NIC behind root ports of this vendor
	behind_port() {
		rm -rf "$SYS"/bus/pci/devices/* "$SYS"/class/infiniband/* "$SYS"/devices/pci*
		local number
		for number in 1 2 3; do
			function_at "pci0000:00/0000:00:0$number.0" "$1" 0x060400 -1
		done
		function_at pci0000:00/0000:00:01.0/0000:01:00.0 0x10de 0x030200 -1
		function_at pci0000:00/0000:00:02.0/0000:02:00.0 0x10de 0x030200 -1
		nic_at mlx5_0 pci0000:00/0000:00:03.0/0000:03:00.0 -1
	}
	echo 0 >"$SYS/devices/system/node/online"
	local vendor
	for vendor in 0x1b36 0x15ad; do
		behind_port "$vendor"
		refuses 65 ': the PCI bus has neither real bridges nor NUMA nodes, as in virtual machines: '
		# A GPU whose NUMA node is known gives distances.
		echo 0 >"$SYS/devices/pci0000:00/0000:00:01.0/0000:01:00.0/numa_node"
		tells
	done
	behind_port 0x8086
	tells
	[ "$(says .nic_topology.mlx5_0)" = '["PHB","PHB"]' ]
	# Bridges behind the port are a layout that somebody chose.
	behind_port 0x1b36
	local switch=pci0000:00/0000:00:04.0/0000:04:00.0
	function_at "$switch/0000:05:00.0/0000:06:00.0" 0x10de 0x030200 -1
	tells
}

@test "a platform with a flat bus, like a guest's, exits 65" {
	jq '.flat = true | (.gpus, .nics)[].numa_node = -1' "$PLATFORMS/l40s-onprem.json" \
		>"$BATS_TEST_TMPDIR/guest.json"
	nicsim "$BATS_TEST_TMPDIR/guest" create "$BATS_TEST_TMPDIR/guest.json"
	SYS=$BATS_TEST_TMPDIR/guest/sys
	refuses 65 ': the PCI bus has neither real bridges nor NUMA nodes, as in virtual machines: '
}

@test "GPUs behind bridges with unknown NUMA nodes exit 65 if the node has several NUMA nodes" {
	function_at pci0000:20/0000:20:01.0/0000:21:00.0 0x10de 0x030200 -1
	refuses 65 ': no GPU has a known NUMA node: '
}

@test "a node without GPUs makes a warning, and a sysfs without a PCI bus exits 65" {
	nic_at mlx5_0 pci0000:40/0000:40:01.0/0000:41:00.0 0
	run --separate-stderr pcitopo --sysfs-root "$SYS"
	status_is 0 "^pcitopo: warning: $SYS: no GPUs on the PCI bus$"
	[ "$(jq -c . <<<"$output")" = '{"gpus":[],"nic_topology":{"mlx5_0":[]}}' ]
	rm "$SYS"/bus/pci/devices/*
	refuses 65 ': the PCI bus is empty: '
	rm -r "$SYS/bus" "$SYS/class"
	refuses 65 ': the PCI bus is empty: '
}

@test "an unreadable sysfs exits 66 or 74, and a write error 74" {
	rm -r "$SYS/bus/pci/devices"
	ln -s devices "$SYS/bus/pci/devices"
	refuses 74 ': Too many levels of symbolic links$'
	SYS=$BATS_TEST_TMPDIR/nope
	refuses 66 ': No such file or directory$'
	mkdir -p "$SYS/bus/pci/devices"
	function_at pci0000:00/0000:00:1f.0 0x8086 0x060100
	run --separate-stderr bash -c 'pcitopo --sysfs-root "$1" >/dev/full' _ "$SYS"
	status_is 74 'pcitopo: error: stdout: No space left on device$'
	run --separate-stderr bash -c 'pcitopo --sysfs-root "$1" >&-' _ "$SYS"
	status_is 74 'pcitopo: error: stdout: Bad file descriptor$'
}

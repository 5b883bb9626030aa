#!/usr/bin/env bats
# pcitopo: the GPU metadata that comes of the PCI bus, and when nobody can tell.
# SPDX-License-Identifier: Apache-2.0

load lib/common
load lib/platforms

setup() {
	SYS=$BATS_TEST_TMPDIR/sys
	mkdir -p "$SYS/bus/pci/devices" "$SYS/class/infiniband" "$SYS/devices/system/node"
	echo 0-1 >"$SYS/devices/system/node/online"
}

# tells - the document, and nothing on stderr.
tells() {
	run --separate-stderr timeout 20 pcitopo --sysfs-root "$SYS"
	status_is 0
	[ "$stderr" = "" ]
}

# refuses STATUS REASON - there is no document, and one line says why.
refuses() {
	run --separate-stderr timeout 20 pcitopo --sysfs-root "$SYS"
	status_is "$1" "^pcitopo: error: $SYS$2"
	[ "$output" = "" ]
	[ "$(wc -l <<<"$stderr")" -eq 1 ]
}

# says JQ - of the document.
says() { jq -r -c "$1" <<<"$output"; }

# function_at PLACE VENDOR CLASS [NUMA-NODE] - a function on the bus; PLACE is below devices.
function_at() {
	mkdir -p "$SYS/devices/$1"
	echo "$2" >"$SYS/devices/$1/vendor"
	echo "$3" >"$SYS/devices/$1/class"
	[ $# -lt 4 ] || echo "$4" >"$SYS/devices/$1/numa_node"
	ln -s "../../../devices/$1" "$SYS/bus/pci/devices/${1##*/}"
}

# device_at NAME PLACE - an RDMA device there; PLACE is below devices.
device_at() {
	mkdir -p "$SYS/devices/$2/infiniband/$1"
	ln -s "../../devices/$2/infiniband/$1" "$SYS/class/infiniband/$1"
}

# driver_of PLACE DRIVER
driver_of() { ln -s "../../../bus/pci/drivers/$2" "$SYS/devices/$1/driver"; }

# nic_at NAME PLACE [NUMA-NODE] - and its function.
nic_at() {
	function_at "$2" 0x15b3 0x020700 "${@:3}"
	driver_of "$2" mlx5_core
	device_at "$1" "$2"
}

# MEANING: what topoclass reads of a document.
MEANING='[.gpus[] | {numa_node}] as $gpus | {gpus: $gpus, nic_topology}'

# as_on_bus DESCRIPTION - a node is laid out of it, and the matrix of its PCI bus is that of the
# description.
as_on_bus() {
	rm -rf "$BATS_TEST_TMPDIR/node"
	nicsim "$BATS_TEST_TMPDIR/node" create "$1"
	SYS=$BATS_TEST_TMPDIR/node/sys
	tells
	diff <(says "$MEANING" | jq -S .) <(jq -S "$MEANING" "$1")
}

@test "of each platform the bus says what nvidia-smi does, as the same document" {
	local platform description=$BATS_TEST_TMPDIR/platform.json compared=0
	for platform in $(every_platform); do
		case $platform in
		# Its matrix says SYS also of what is on one NUMA node.
		gb200-nvl4) continue ;;
		# It has no NICs but EFA adapters.
		aws-*) continue ;;
		esac
		# nvidia-smi leaves virtual functions out.
		jq '.nics |= map(select(.is_vf | not)) | .nics[].sriov_totalvfs = null' \
			"$PLATFORMS/$platform.json" >"$description"
		as_on_bus "$description"
		PLATFORMS=$BATS_TEST_TMPDIR matrix platform | topoparse >"$BATS_TEST_TMPDIR/parsed"
		# But for the order of the NICs.
		diff <(sed 's/"pci_address": "[^"]*", //; s/,$//' <<<"$output" | sort) \
			<(sed 's/,$//' "$BATS_TEST_TMPDIR/parsed" | sort)
		compared=$((compared + 1))
	done
	[ "$compared" -ge 7 ]
}

# DESCRIPTION: a node that has this matrix. Where it does not say the NUMA nodes, GPUs are on one
# that are as near as each other to some NIC.
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

@test "a bus like that of each recorded machine has the matrix that was recorded" {
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

@test "GPUs of NVIDIA, AMD and Intel count by their addresses, and what only shows a picture does not" {
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

@test "a part of a NIC is where the NIC is, and what is not on the bus, or is an EFA adapter, has no row" {
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

@test "a NIC of a known vendor without a driver has a row by its address, and others have none" {
	local switch=pci0000:20/0000:20:01.0/0000:21:00.0
	function_at "$switch/0000:22:00.0/0000:23:00.0" 0x10de 0x030200 0
	function_at pci0000:e0/0000:e0:01.0/0000:e1:00.0 0x10de 0x030200 1
	nic_at mlx5_0 pci0000:e0/0000:e0:03.0/0000:e3:00.0 1
	function_at "$switch/0000:22:01.0/0000:24:00.0" 0x15b3 0x020700 0
	function_at pci0000:e0/0000:e0:02.0/0000:e2:00.0 0x15b3 0x020000 1
	function_at pci0000:e0/0000:e0:06.0 0x14e4 0x020000 1
	# A virtual function waits for a guest, a guest has the next; a bridge, another's, EFA.
	function_at "$switch/0000:22:01.0/0000:24:00.1" 0x15b3 0x020700 0
	ln -s ../0000:24:00.0 "$SYS/devices/$switch/0000:22:01.0/0000:24:00.1/physfn"
	function_at "$switch/0000:22:01.0/0000:24:00.2" 0x15b3 0x020700 0
	driver_of "$switch/0000:22:01.0/0000:24:00.2" vfio-pci
	function_at pci0000:e0/0000:e0:04.0 0x15b3 0x060400 1
	function_at pci0000:e0/0000:e0:05.0 0x1af4 0x020000 1
	function_at pci0000:e0/0000:e0:07.0 0x1d0f 0x020000 1
	tells
	[ "$(says .nic_topology)" = '{"mlx5_0":["SYS","PHB"]}' ]
	diff <(says '.unbound | to_entries[] | [.key, .value[]] | join(" ")') - <<-'END'
		0000:24:00.0 PIX SYS
		0000:e0:06.0 SYS PHB
		0000:e2:00.0 SYS PHB
	END
}

@test "where there is one NUMA node all is on it, whether the bus says so or not" {
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

@test "a bus that does not tell, as that of a guest, is refused with what may tell" {
	function_at pci0000:00/0000:00:05.0 0x10de 0x030200 -1
	function_at pci0000:00/0000:00:06.0 0x10de 0x030200 -1
	nic_at mlx5_0 pci0000:00/0000:00:07.0 -1
	refuses 65 ': the PCI bus has neither bridges nor NUMA nodes, as in virtual machines: .*topoparse'
	echo 0 >"$SYS/devices/system/node/online"
	refuses 65 ': the PCI bus has neither bridges nor NUMA nodes, as in virtual machines: '
	# One NUMA node that is known is something to go by, without bridges, too.
	echo 0 >"$SYS/devices/pci0000:00/0000:00:06.0/numa_node"
	tells
	[ "$(says .nic_topology.mlx5_0)" = '["PHB","PHB"]' ]
}

@test "a platform whose bus is flat, as in a guest, is refused" {
	jq '.flat = true | (.gpus, .nics)[].numa_node = -1' "$PLATFORMS/l40s-onprem.json" \
		>"$BATS_TEST_TMPDIR/guest.json"
	nicsim "$BATS_TEST_TMPDIR/guest" create "$BATS_TEST_TMPDIR/guest.json"
	SYS=$BATS_TEST_TMPDIR/guest/sys
	refuses 65 ': the PCI bus has neither bridges nor NUMA nodes, as in virtual machines: '
}

@test "GPUs behind bridges whose NUMA nodes are not known are refused where there are several nodes" {
	function_at pci0000:20/0000:20:01.0/0000:21:00.0 0x10de 0x030200 -1
	refuses 65 ': the NUMA node of no GPU is known: '
}

@test "a node without GPUs is told of with a warning, and a sysfs without a PCI bus is refused" {
	nic_at mlx5_0 pci0000:40/0000:40:01.0/0000:41:00.0 0
	run --separate-stderr pcitopo --sysfs-root "$SYS"
	status_is 0 "^pcitopo: warning: $SYS: no GPUs on the PCI bus$"
	[ "$(jq -c . <<<"$output")" = '{"gpus":[],"nic_topology":{"mlx5_0":[]}}' ]
	rm "$SYS"/bus/pci/devices/*
	refuses 65 ': there is nothing on the PCI bus: '
	rm -r "$SYS/bus" "$SYS/class"
	refuses 65 ': there is nothing on the PCI bus: '
}

@test "a sysfs that cannot be read, and an output that cannot be written, have a reason" {
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

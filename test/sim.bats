#!/usr/bin/env bats
# sim: the node simulator (test/sim) behaves as the other tests expect.
# Thorough: tools
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() {
	platforms=$BATS_TEST_DIRNAME/fixtures/platforms
	node=$BATS_TEST_TMPDIR/node
}

teardown() {
	end_background
}

# whole_h100 - make an H100 node: 18 functions, mlx5_11 (eth1) down, mlx5_3 is rdma2
whole_h100() {
	nicsim "$node" create "$platforms/h100-oci.json"
}

# h100 - make one with four of its functions, which is faster
h100() {
	local few=$BATS_FILE_TMPDIR/few.json
	[ -e "$few" ] || jq '.nics |= map(select(.device
		| IN("mlx5_0", "mlx5_2", "mlx5_3", "mlx5_4")))' "$platforms/h100-oci.json" >"$few"
	nicsim "$node" create "$few"
}

# l40s - make an L40S node: mlx5_1 to mlx5_4 are InfiniBand
l40s() {
	nicsim "$node" create "$platforms/l40s-onprem.json"
}

# sim COMMAND ARG... - run the simulator on the test's node
sim() {
	nicsim "$node" "$@"
}

# fails CODE TEXT COMMAND ARG... - check that it exits with CODE and TEXT as the only line on stderr
fails() {
	local code=$1 text=$2
	shift 2
	run -"$code" --separate-stderr "$@"
	[ "$output" = "" ]
	# shellcheck disable=SC2154 # set by run
	[ "$stderr" = "nicsim: $text" ] || { echo "stderr: $stderr"; return 1; }
}

# port DEV/PORT [FILE] - print its path
port() {
	printf '%s\n' "$node/sys/class/infiniband/${1%/*}/ports/${1#*/}${2:+/$2}"
}

# states DEV/PORT IFACE - print state, phys_state and operstate in one line
states() {
	paste -d, "$(port "$1" state)" "$(port "$1" phys_state)" "$node/sys/class/net/$2/operstate"
}

# inodes DEV - print the inodes of everything in its directory
inodes() {
	(cd "$(realpath "$node/sys/class/infiniband/$1")" && find . -printf '%p %i\n' | sort)
}

# holds FILE VALUE - return success if the file is exactly VALUE and a newline
holds() {
	printf '%s\n' "$2" | cmp - "$1"
}

# entries TREE - list its entries, one per line, without their position on the PCI bus
entries() {
	(
		cd "$1" || exit
		find . -type d | sed 's,$,/,'
		find . -type f -exec sha1sum {} +
		paste -d ' ' <(find . -type l | sort) \
			<(find . -type l | sort | xargs realpath -m --relative-to=.)
	) | sed -E 's,devices/pci[^/]*/([0-9a-f:.]+/)*([0-9a-f]+:[0-9a-f:]+\.[0-7]),devices/\2,g' | sort -u
}

@test "every platform contains its recorded tree: same paths, link targets and contents" {
	fixtures=${NHM_FIXTURES:-$BATS_TEST_DIRNAME/../../shared/fixtures}
	[ -d "$fixtures/platforms" ] || skip "no recorded trees in $fixtures (set NHM_FIXTURES)"
	for description in "$platforms"/*.json; do
		name=$(basename "$description" .json)
		# There is no recording: the layout follows the driver.
		[ "$name" != aws-p5 ] || continue
		recorded=$BATS_TEST_TMPDIR/$name.recorded
		made=$BATS_TEST_TMPDIR/$name.made
		"$BATS_TEST_DIRNAME/lib/untree" "$fixtures/platforms/$name.tree" "$recorded"
		nicsim "$made" create "$description"
		# The simulator may have more entries, but no other difference.
		comm -23 <(entries "$recorded") <(entries "$made") |
			grep -v -x './sys/devices/pci[^/]*/' >"$BATS_TEST_TMPDIR/missing" || true
		diff /dev/null "$BATS_TEST_TMPDIR/missing"
	done
}

@test "no link of a platform is absolute and none dangles" {
	for description in "$platforms"/*.json; do
		made=$BATS_TEST_TMPDIR/$(basename "$description" .json)
		nicsim "$made" create "$description"
		[ -z "$(find "$made" -type l -lname '/*')" ]
		[ -z "$(find "$made" -xtype l)" ]
	done
}

@test "each port has the counters of a ConnectX, with a lifespan of 12" {
	h100
	for name in counters/{symbol_error,link_downed,port_xmit_wait} \
		counters/{unicast_rcv_packets,VL15_dropped} \
		hw_counters/{rnr_nak_retry_err,out_of_sequence,roce_slow_restart} \
		hw_counters/local_ack_timeout_err \
		hw_counters/{packet_seq_err,implied_nak_seq_err,req_transport_retries_exceeded} \
		hw_counters/{req_rnr_retries_exceeded,np_cnp_sent}; do
		holds "$(port mlx5_0/1 "$name")" 0
	done
	holds "$(port mlx5_0/1 hw_counters/lifespan)" 12
	holds "$(port mlx5_0/1 lid)" 0x0
	holds "$node/sys/class/net/rdma0/dev_port" 0
	holds "$node/sys/class/net/rdma0/statistics/tx_carrier_errors" 0
}

@test "an EFA adapter has counters of its own, and only its interface goes down" {
	jq '.nics |= .[:2]' "$platforms/aws-p5.json" >"$BATS_TEST_TMPDIR/p.json"
	sim create "$BATS_TEST_TMPDIR/p.json"
	holds "$node/sys/class/infiniband/rdmap79s0/hw_counters/cmds_err" 0
	holds "$(port rdmap79s0/1 hw_counters/rx_drops)" 0
	[ ! -e "$(port rdmap79s0/1 counters)" ]
	sim unplug rdmap79s0/1
	[ "$(states rdmap79s0/1 ens32)" = "4: ACTIVE,5: LinkUp,lowerlayerdown" ]
	holds "$node/sys/class/net/ens32/carrier" 0
	sim up rdmap79s0/1
	sim carrier rdmap79s0/1 0
	[ "$(states rdmap79s0/1 ens32)" = "4: ACTIVE,5: LinkUp,up" ]
	holds "$node/sys/class/net/ens32/carrier" 0
	holds "$node/sys/class/net/ens32/carrier_changes" 5
	fails 64 "carrier: neither 0 nor 1: '2'" sim carrier rdmap79s0/1 2
	fails 66 "rdmap80s0/1: has no network interface" sim carrier rdmap80s0/1 0
}

@test "an InfiniBand port has a lid and no GID table" {
	l40s
	holds "$(port mlx5_1/1 sm_lid)" 0x1
	[ "$(cat "$(port mlx5_1/1 lid)")" != 0x0 ]
	[ ! -e "$(port mlx5_1/1 gids)" ]
}

@test "an Ethernet port has two GIDs, and reading the attributes of unused GIDs fails" {
	h100
	grep -Eqx '0000:0000:0000:0000:0000:ffff:[0-9a-f]{4}:[0-9a-f]{4}' "$(port mlx5_0/1 gids/1)"
	holds "$(port mlx5_0/1 gids/2)" 0000:0000:0000:0000:0000:0000:0000:0000
	holds "$(port mlx5_0/1 gid_attrs/ndevs/1)" rdma0
	run ! cat "$(port mlx5_0/1 gid_attrs/types/2)"
}

@test "PCI functions are listed by bus and by driver" {
	h100
	[ "$node/sys/bus/pci/devices/0000:0c:00.0" -ef "$node/sys/class/infiniband/mlx5_0/device" ]
	[ "$node/sys/bus/pci/drivers/mlx5_core/0000:0c:00.0" \
		-ef "$node/sys/bus/pci/devices/0000:0c:00.0" ]
}

@test "proc/net/ipv6_route has entries of lo only" {
	h100
	run -1 grep -v ' lo$' "$node/proc/net/ipv6_route"
	[ -s "$node/proc/net/ipv6_route" ]
}

@test "a NIC that a description marks as dangling has a class link without a target" {
	jq '.nics[3].dangling = true' "$platforms/h100-oci.json" >"$BATS_TEST_TMPDIR/p.json"
	sim create "$BATS_TEST_TMPDIR/p.json"
	[ -L "$node/sys/class/infiniband/mlx5_3" ]
	[ ! -e "$node/sys/class/infiniband/mlx5_3" ]
	sim restore mlx5_3
	holds "$(port mlx5_3/1 state)" "4: ACTIVE"
	sim reboot
	[ ! -e "$node/sys/class/infiniband/mlx5_3" ]
}

@test "null in a description leaves the file out" {
	jq '.nics[0] |= (.hca_type = null | .numa_node = null | .netdev = null
		| .ports[0].rate = null)' \
		"$platforms/h100-oci.json" >"$BATS_TEST_TMPDIR/p.json"
	sim create "$BATS_TEST_TMPDIR/p.json"
	top=$node/sys/class/infiniband/mlx5_0
	[ -e "$top/board_id" ]
	for file in hca_type device/numa_node device/device device/net ports/1/rate; do
		[ ! -e "$top/$file" ]
	done
	fails 66 "mlx5_0/1: has no network interface" sim set mlx5_0/1 net/operstate up
}

@test "a stacked interface links to its NIC until the NIC is removed" {
	jq '.other_netdevs = [{netdev: "bond0", operstate: "up", bond: true, lower: ["eth0"]}]' \
		"$platforms/h100-oci.json" >"$BATS_TEST_TMPDIR/p.json"
	sim create "$BATS_TEST_TMPDIR/p.json"
	[ "$node/sys/class/net/bond0/lower_eth0" -ef "$node/sys/class/net/eth0" ]
	[ "$node/sys/class/net/eth0/upper_bond0" -ef "$node/sys/class/net/bond0" ]
	sim remove mlx5_2
	[ ! -L "$node/sys/class/net/bond0/lower_eth0" ]
}

@test "an unregistered device leaves its function with driver and interface" {
	h100
	function=$node/sys/bus/pci/devices/0000:2a:00.0
	[ "$node/sys/class/infiniband/mlx5_3/device" -ef "$function" ]
	sim unregister mlx5_3
	[ ! -L "$node/sys/class/infiniband/mlx5_3" ]
	[ ! -e "$function/infiniband" ]
	[ ! -e "$function/infiniband_verbs" ]
	[ "$(basename "$(readlink "$function/driver")")" = mlx5_core ]
	grep -qx DRIVER=mlx5_core "$function/uevent"
	[ "$node/sys/class/net/rdma2/device" -ef "$function" ]
	fails 66 "mlx5_3: not there (already removed)" sim unregister mlx5_3
	sim restore mlx5_3
	holds "$(port mlx5_3/1 state)" "4: ACTIVE"
}

# rdma - print the RDMA devices and their nodes in the classes, in one line
rdma() { (cd "$node/sys/class" && echo infiniband/* infiniband_verbs/uverbs* \
	infiniband_mad/*[0-9]); }

@test "a multi-plane NIC has an SMI device on its function, with a port per plane and management nodes only" {
	sim create "$BATS_TEST_DIRNAME/replay/platforms/multi-plane.json"
	[ "$node/sys/class/infiniband/smi0/device" -ef "$node/sys/class/infiniband/mlx5_0/device" ]
	holds "$(port smi0/4 state)" "4: ACTIVE"
	cmp "$node/sys/class/infiniband/smi0/node_guid" \
		"$node/sys/class/infiniband/mlx5_0/node_guid"
	[ "$(rdma)" = "$(echo infiniband/{mlx5_{0,1,2,3,4},smi0,smi1} \
		infiniband_verbs/uverbs{0,1,2,3,4} \
		infiniband_mad/{issm{10,11,4,5,6,7,8,9},umad{0,1,10,11,2,3,4,5,6,7,8,9}})" ]
	grep -lx smi1 "$node"/sys/class/infiniband_mad/*/ibdev | grep -c /issm | grep -qx 4
	[ -z "$(find "$node/sys" -xtype l)" ]
	fails 66 "smi0/1: has no network interface" sim set smi0/1 net/operstate up
}

@test "an SMI device is added and removed alone, and removed with its parent" {
	sim create "$BATS_TEST_DIRNAME/replay/platforms/multi-plane.json"
	function=$node/sys/bus/pci/devices/0000:10:00.0
	sim unplug smi0/2
	sim remove smi0
	[ ! -L "$node/sys/class/infiniband/smi0" ]
	[ "$(cd "$function" && echo infiniband/* infiniband_mad/*)" \
		= "infiniband/mlx5_0 infiniband_mad/umad0" ]
	[ -e "$function/driver" ]
	fails 66 "smi0: not there (already removed)" sim remove smi0
	sim restore smi0
	holds "$(port smi0/2 state)" "4: ACTIVE"
	sim remove mlx5_0
	[ ! -L "$node/sys/class/infiniband/smi0" ]
	fails 66 "mlx5_0: not there (removed?)" sim restore smi0
	sim restore mlx5_0
	[ ! -L "$node/sys/class/infiniband/smi0" ]
	fails 64 "smi0: has no PCI function of its own" sim eject smi0
}

@test "SMI devices are added and renamed at run time, even by scripts, and a reboot lays them out" {
	sim create "$BATS_TEST_DIRNAME/replay/platforms/multi-plane.json"
	sim run - --fast <<-'END' >/dev/null
		0s smi planes mlx5_3
		0s unplug planes/4
		0s rename mlx5_3 ibp64s0
		0s rename planes smi3
		0s down smi3/1
	END
	holds "$(port smi3/4 phys_state)" "2: Polling"
	grep -qx smi3 "$node"/sys/class/infiniband_mad/umad*/ibdev
	sim restore ibp64s0
	[ ! -L "$node/sys/class/infiniband/smi3" ]
	sim reboot
	holds "$(port smi3/4 phys_state)" "5: LinkUp"
	fails 64 "smi: mlx5_4 is not a multi-plane NIC" sim smi x mlx5_4
	fails 64 "smi: smi0 is not a multi-plane NIC" sim smi x smi0
	fails 64 "smi: there is a device smi0 already" sim smi smi0 mlx5_0
	jq '.nics[5].parent = "mlx5_4"' "$node/.nicsim/platform.json" >"$BATS_TEST_TMPDIR/bad.json"
	fails 65 "$BATS_TEST_TMPDIR/bad.json: parent: 'mlx5_4' is not a multi-plane NIC" nicsim \
		"$node-2" create "$BATS_TEST_TMPDIR/bad.json"
}

@test "two functions of a card become one bonded device and two again, also across a reboot" {
	whole_h100
	rdma >"$BATS_TEST_TMPDIR/before"
	sim run - --fast <<-'END' >/dev/null
		0s bond mlx5_bond_0 mlx5_0 mlx5_1
		0s unplug mlx5_bond_0/1
	END
	[ "$node/sys/class/infiniband/mlx5_bond_0/device" \
		-ef "$node/sys/bus/pci/devices/0000:0c:00.0" ]
	[ ! -e "$node/sys/bus/pci/devices/0000:0c:00.1/infiniband" ]
	[ "$(basename "$(readlink "$node/sys/bus/pci/devices/0000:0c:00.1/driver")")" = mlx5_core ]
	[ "$node/sys/class/net/rdma1/device" -ef "$node/sys/bus/pci/devices/0000:0c:00.1" ]
	sim reboot
	[ ! -L "$node/sys/class/infiniband/mlx5_1" ]
	[ -L "$node/sys/class/infiniband/mlx5_bond_0" ]
	sim unbond mlx5_bond_0
	rdma | diff "$BATS_TEST_TMPDIR/before" -
	fails 64 "unbond: no bond: mlx5_0" sim unbond mlx5_0
	fails 64 "bond: not two functions of a card: mlx5_0 mlx5_3" sim bond x mlx5_0 mlx5_3
	sim remove mlx5_1
	fails 66 "mlx5_1: not there (already removed)" sim bond x mlx5_0 mlx5_1
}

@test "a stripped device is listed without ports until it is restored" {
	h100
	sim strip mlx5_3
	[ -e "$node/sys/class/infiniband/mlx5_3/node_guid" ]
	[ ! -e "$node/sys/class/infiniband/mlx5_3/ports" ]
	fails 66 "mlx5_3: has no ports (removed?)" sim strip mlx5_3
	fails 66 "mlx5_3/1: not there (removed?)" sim up mlx5_3/1
	sim restore mlx5_3
	holds "$(port mlx5_3/1 state)" "4: ACTIVE"
}

@test "an ejected device leaves nothing on the bus and is restored completely" {
	h100
	inodes mlx5_3 | sed 's/ .*//' >"$BATS_TEST_TMPDIR/before"
	sim eject mlx5_3
	[ ! -L "$node/sys/bus/pci/devices/0000:2a:00.0" ]
	[ ! -L "$node/sys/bus/pci/drivers/mlx5_core/0000:2a:00.0" ]
	[ ! -L "$node/sys/class/net/rdma2" ]
	[ -z "$(find "$node/sys/devices" -name '0000:2a:00.0')" ]
	fails 66 "mlx5_3: its PCI function is not there (already ejected)" sim eject mlx5_3
	fails 66 "mlx5_3: not there (already removed)" sim remove mlx5_3
	fails 66 "mlx5_3/1: not there (removed?)" sim up mlx5_3/1
	sim restore mlx5_3
	inodes mlx5_3 | sed 's/ .*//' | diff "$BATS_TEST_TMPDIR/before" -
	[ "$(basename "$(readlink "$node/sys/bus/pci/devices/0000:2a:00.0/driver")")" = mlx5_core ]
	[ "$node/sys/class/net/rdma2/device" -ef "$node/sys/bus/pci/devices/0000:2a:00.0" ]
}

@test "virtual functions leave the bus with their physical function, and a reboot restores all" {
	sim create "$platforms/a100-oci.json"
	physfn=$(jq -r '[.nics[].physfn | values][0]' "$platforms/a100-oci.json")
	device=$(jq -r --arg p "$physfn" '.nics[] | select(.pci_address==$p).device' \
		"$platforms/a100-oci.json")
	vf=$(jq -r --arg p "$physfn" '[.nics[] | select(.physfn==$p).device][0]' \
		"$platforms/a100-oci.json")
	find "$node/sys" | sort >"$BATS_TEST_TMPDIR/before"
	sim eject "$device"
	[ ! -L "$node/sys/class/infiniband/$vf" ]
	[ -z "$(find "$node/sys" -xtype l)" ]
	sim reboot
	find "$node/sys" | sort | diff "$BATS_TEST_TMPDIR/before" -
}

@test "a device can have several ports, each with its own interface" {
	jq '.nics[0].ports += [.nics[0].ports[0] + {port: 2, netdev: "rdma0b", operstate: "up"}]' \
		"$platforms/h100-oci.json" >"$BATS_TEST_TMPDIR/p.json"
	sim create "$BATS_TEST_TMPDIR/p.json"
	sim unplug mlx5_0/2
	[ "$(states mlx5_0/1 rdma0)" = "4: ACTIVE,5: LinkUp,up" ]
	[ "$(states mlx5_0/2 rdma0b)" = "1: DOWN,2: Polling,lowerlayerdown" ]
	holds "$node/sys/class/net/rdma0b/dev_port" 1
}

@test "create rejects a directory that is not empty, and an invalid description" {
	h100
	fails 64 "$node: exists and is not an empty directory" sim create "$platforms/h100-oci.json"
	fails 66 "/nowhere.json: No such file or directory" nicsim "$node-2" create /nowhere.json
	echo '{"name": "x", "nics": [{"device": "../x", "pci_address": "0000:01:00.0",
		"ports": [{"port": 1}]}]}' >"$BATS_TEST_TMPDIR/bad.json"
	fails 65 "$BATS_TEST_TMPDIR/bad.json: bad device '../x'" \
		nicsim "$node-2" create "$BATS_TEST_TMPDIR/bad.json"
	[ ! -e "$node-2" ]
}

@test "512 generated NICs are laid out, and one of them has the default route" {
	nicsim --generate 512 >"$BATS_TEST_TMPDIR/p.json"
	sim create "$BATS_TEST_TMPDIR/p.json"
	links=("$node"/sys/class/infiniband/*/ports)
	[ ${#links[@]} -eq 512 ]
	[ "$(cut -f1 "$node/proc/net/route" | tail -n 1)" = eth0 ]
	[ "$node/sys/class/net/eth0/device" -ef "$node/sys/class/infiniband/mlx5_0/device" ]
	[ "$(jq '.gpus | length' "$node/var/lib/nvsentinel/gpu_metadata.json")" -eq 8 ]
	[ "$(cat "$node"/sys/class/infiniband/*/ports/1/link_layer | sort -u)" = \
		$'Ethernet\nInfiniBand' ]
}

@test "set changes a counter, an attribute, a network statistic and a device's file" {
	h100
	sim set mlx5_3/1 counters/link_downed 255
	sim set mlx5_3/1 rate "100 Gb/sec (4X EDR)"
	sim set mlx5_3/1 net/statistics/rx_crc_errors 7
	sim set mlx5_3 fw_ver ""
	holds "$(port mlx5_3/1 counters/link_downed)" 255
	holds "$(port mlx5_3/1 rate)" "100 Gb/sec (4X EDR)"
	holds "$node/sys/class/net/rdma2/statistics/rx_crc_errors" 7
	holds "$node/sys/class/infiniband/mlx5_3/fw_ver" ""
}

@test "set creates a missing file" {
	h100
	sim set mlx5_3/1 hw_counters/brand_new 1
	holds "$(port mlx5_3/1 hw_counters/brand_new)" 1
	sim set mlx5_3/1 'hw_counters/brand new' 2
	holds "$(port mlx5_3/1 'hw_counters/brand new')" 2
}

@test "add increases a counter without wrapping" {
	h100
	sim set mlx5_3/1 counters/port_xmit_wait 18446744073709551615
	sim add mlx5_3/1 counters/port_xmit_wait 10
	holds "$(port mlx5_3/1 counters/port_xmit_wait)" 18446744073709551625
}

@test "add needs numbers and an existing file" {
	h100
	sim set mlx5_3/1 counters/symbol_error "N/A (no PMA)"
	fails 65 "mlx5_3/1: counters/symbol_error is not a number: 'N/A (no PMA)'" \
		sim add mlx5_3/1 counters/symbol_error 1
	fails 64 "add: not a number: '-1'" sim add mlx5_3/1 counters/link_downed -1
	fails 66 "mlx5_3/1: no file counters/none" sim add mlx5_3/1 counters/none 1
}

@test "reset clears the counters of one port but not lifespan" {
	h100
	sim set mlx5_3/1 counters/link_downed 5
	sim set mlx5_3/1 hw_counters/out_of_sequence 6
	sim set mlx5_4/1 counters/link_downed 7
	sim reset mlx5_3/1
	holds "$(port mlx5_3/1 counters/link_downed)" 0
	holds "$(port mlx5_3/1 hw_counters/out_of_sequence)" 0
	holds "$(port mlx5_3/1 hw_counters/lifespan)" 12
	holds "$(port mlx5_4/1 counters/link_downed)" 7
}

@test "state accepts the kernel's names or raw text, and changes only what it names" {
	h100
	sim state mlx5_3/1 INIT
	[ "$(states mlx5_3/1 rdma2)" = "2: INIT,5: LinkUp,up" ]
	sim state mlx5_3/1 ACTIVE_DEFER "Phy Test"
	[ "$(states mlx5_3/1 rdma2)" = "5: ACTIVE_DEFER,7: Phy Test,up" ]
	sim state mlx5_3/1 "4: ACTIVE" "9: <unknown>" dormant
	[ "$(states mlx5_3/1 rdma2)" = "4: ACTIVE,9: <unknown>,dormant" ]
	fails 64 "state: no such state: 'Down'" sim state mlx5_3/1 Down
	fails 64 "state: no such operstate: 'Up'" sim state mlx5_3/1 ACTIVE LinkUp Up
}

@test "unplug, down and up set the kernel's states, carrier included" {
	h100
	net=$node/sys/class/net/rdma2
	sim unplug mlx5_3/1
	[ "$(states mlx5_3/1 rdma2)" = "1: DOWN,2: Polling,lowerlayerdown" ]
	holds "$net/carrier" 0
	sim up mlx5_3/1
	[ "$(states mlx5_3/1 rdma2)" = "4: ACTIVE,5: LinkUp,up" ]
	holds "$net/carrier" 1
	sim down mlx5_3/1
	[ "$(states mlx5_3/1 rdma2)" = "1: DOWN,3: Disabled,down" ]
	run ! cat "$net/carrier"
	sim up mlx5_3/1
	holds "$net/carrier" 1
}

@test "carrier_changes counts only changes of state, and link_downed stays unchanged" {
	h100
	net=$node/sys/class/net/rdma2
	holds "$net/carrier_changes" 2
	sim unplug mlx5_3/1
	sim unplug mlx5_3/1
	sim down mlx5_3/1
	holds "$net/carrier_changes" 3
	sim up mlx5_3/1
	holds "$net/carrier_changes" 4
	holds "$(port mlx5_3/1 counters/link_downed)" 0
}

@test "a descriptor kept open reads each new value and never an empty file" {
	h100
	# All values consist of ones, so that even a read during a write yields a valid value.
	for turn in $(seq 120); do
		ones=$(printf '%*s' $((turn * 7 % 19 + 1)) '')
		echo "0s set mlx5_3/1 counters/symbol_error ${ones// /1}"
	done >"$BATS_TEST_TMPDIR/script"
	echo "0s set mlx5_3/1 counters/symbol_error 11111" >>"$BATS_TEST_TMPDIR/script"
	sim set mlx5_3/1 counters/symbol_error 1
	/usr/bin/python3 - "$(port mlx5_3/1 counters/symbol_error)" \
		nicsim "$node" run "$BATS_TEST_TMPDIR/script" --fast <<'END'
import os, re, subprocess, sys

descriptor = os.open(sys.argv[1], os.O_RDONLY)
assert os.pread(descriptor, 64, 0) == b"1\n"
simulator = subprocess.Popen(sys.argv[2:], stdout=subprocess.DEVNULL)
while simulator.poll() is None:
    value = os.pread(descriptor, 64, 0).partition(b"\n")[0]
    assert re.fullmatch(b"1+", value), value
assert simulator.returncode == 0
assert os.pread(descriptor, 64, 0) == b"11111\n"
END
}

@test "a changed value keeps its inode and its directory's mtime" {
	h100
	file=$(port mlx5_3/1 counters/symbol_error)
	before=$(stat -c '%i' "$file" && stat -c '%y' "${file%/*}")
	sim set mlx5_3/1 counters/symbol_error 123456
	sim reset mlx5_3/1
	[ "$(stat -c '%i' "$file" && stat -c '%y' "${file%/*}")" = "$before" ]
}

@test "remove deletes the device from every class and from its driver" {
	l40s
	top=$(realpath "$node/sys/class/infiniband/mlx5_1/device")
	sim remove mlx5_1
	for path in "$node"/sys/class/{infiniband/mlx5_1,infiniband_verbs/uverbs1,net/ib0} \
		"$node"/sys/class/infiniband_mad/{umad0,issm0} "$top/driver" \
		"$node/sys/bus/pci/drivers/mlx5_core/${top##*/}" "$top/infiniband" "$top/net"; do
		[ ! -L "$path" ]
		[ ! -e "$path" ]
	done
	[ -e "$top/vendor" ]
	[ "$node/sys/bus/pci/devices/${top##*/}" -ef "$top" ]
	run -1 grep DRIVER "$top/uevent"
	fails 66 "mlx5_1: not there (already removed)" sim remove mlx5_1
	fails 66 "mlx5_1/1: not there (removed?)" sim set mlx5_1/1 counters/symbol_error 1
}

@test "the routes over an interface go with its device, and the default route returns with it" {
	l40s
	cp "$node/proc/net/route" "$BATS_TEST_TMPDIR/route"
	sim remove mlx5_1
	cmp "$node/proc/net/route" "$BATS_TEST_TMPDIR/route"
	sim remove mlx5_0
	[ "$(cut -f1 "$node/proc/net/route")" = Iface ]
	sim restore mlx5_0
	cmp "$node/proc/net/route" "$BATS_TEST_TMPDIR/route"
	# The default route does not return beside another one.
	sim remove mlx5_0
	sim route ib1
	sim restore mlx5_0
	[ "$(cut -f1 "$node/proc/net/route" | xargs)" = "Iface ib1" ]
}

@test "a process in the directory of a removed device finds it empty" {
	h100
	cd "$(port mlx5_3/1)"
	[ -e state ]
	sim remove mlx5_3
	[ "$(ls -A .)" = "" ]
}

@test "restore makes a removed device anew, with new inodes, counters of 0 and the described states" {
	h100
	cp -a "$node/sys" "$BATS_TEST_TMPDIR/sys"
	sim set mlx5_3/1 counters/link_downed 9
	sim unplug mlx5_3/1
	before=$(stat -c %i "$(port mlx5_3/1)" "$(port mlx5_3/1 state)")
	sim remove mlx5_3
	sim restore mlx5_3
	after=$(stat -c %i "$(port mlx5_3/1)" "$(port mlx5_3/1 state)")
	run -1 grep -Fx "$before" <<<"$after"
	diff -r --no-dereference "$BATS_TEST_TMPDIR/sys" "$node/sys"
}

@test "restore makes an existing device anew" {
	h100
	sim set mlx5_3/1 counters/link_downed 9
	before=$(stat -c %i "$(port mlx5_3/1)")
	sim restore mlx5_3
	[ "$(stat -c %i "$(port mlx5_3/1)")" != "$before" ]
	holds "$(port mlx5_3/1 counters/link_downed)" 0
}

@test "a port can be removed and restored while its device stays" {
	h100
	cp -a "$node/sys" "$BATS_TEST_TMPDIR/sys"
	before=$(stat -c %i "$(port mlx5_3/1)")
	sim set mlx5_3/1 counters/link_downed 9
	sim remove mlx5_3/1
	[ ! -e "$(port mlx5_3/1)" ]
	[ -e "$node/sys/class/infiniband/mlx5_3/fw_ver" ]
	fails 66 "mlx5_3/1: not there (already removed)" sim remove mlx5_3/1
	sim restore mlx5_3/1
	[ "$(stat -c %i "$(port mlx5_3/1)")" != "$before" ]
	diff -r --no-dereference "$BATS_TEST_TMPDIR/sys" "$node/sys"
	sim remove mlx5_3
	fails 66 "mlx5_3: not there (removed?)" sim restore mlx5_3/1
}

@test "a character device can be removed from its class and restored, alone or with its class" {
	local class=$node/sys/class
	l40s
	cp -a "$node/sys" "$BATS_TEST_TMPDIR/sys"
	sim chardev remove uverbs mlx5_1
	sim chardev remove umad mlx5_1/1
	sim chardev remove issm mlx5_2/1
	[ "$(find "$class"/infiniband_{verbs,mad} -name '*[0-9]' | wc -l)" -eq 10 ]
	[ -z "$(find "$node/sys" -name umad0)" ]
	fails 66 "mlx5_1/1: no umad there (already removed)" sim chardev remove umad mlx5_1/1
	fails 66 "mlx5_0/1: has no umad" sim chardev remove umad mlx5_0/1
	fails 64 "chardev: no such kind: 'issm'" sim chardev remove issm
	fails 64 "chardev: not a port: mlx5_1" sim chardev remove umad mlx5_1
	sim chardev restore uverbs mlx5_1
	sim chardev restore umad mlx5_1/1
	sim chardev restore issm mlx5_2/1
	sim chardev remove umad
	sim chardev remove uverbs
	[ ! -e "$class/infiniband_mad" ]
	[ ! -e "$class/infiniband_verbs" ]
	fails 66 "class/infiniband_mad: not there (already removed)" sim chardev remove umad
	sim chardev restore umad
	sim chardev restore uverbs
	diff -r --no-dereference "$BATS_TEST_TMPDIR/sys" "$node/sys"
	sim chardev remove umad mlx5_3/1
	sim remove mlx5_3
	fails 66 "mlx5_3: not there (already removed)" sim chardev restore umad mlx5_3/1
	sim restore mlx5_3
	sim chardev remove uverbs
	sim reboot
	diff -r --no-dereference "$BATS_TEST_TMPDIR/sys" "$node/sys"
}

@test "dangle keeps the class link without its target, and restore repairs it" {
	h100
	sim dangle mlx5_3
	[ -L "$node/sys/class/infiniband/mlx5_3" ]
	[ ! -e "$node/sys/class/infiniband/mlx5_3" ]
	fails 66 "mlx5_3: not there (already removed)" sim dangle mlx5_3
	sim restore mlx5_3
	holds "$(port mlx5_3/1 state)" "4: ACTIVE"
}

@test "a renamed device keeps inodes, counters, states and GUID, and the old name is gone" {
	l40s
	sim set mlx5_1/1 counters/link_downed 9
	sim unplug mlx5_1/1
	cp -a "$node" "$BATS_TEST_TMPDIR/before"
	inodes mlx5_1 >"$BATS_TEST_TMPDIR/inodes"
	function=$(realpath "$node/sys/class/infiniband/mlx5_1/device")
	sim rename mlx5_1 ibp24s0
	inodes ibp24s0 | diff "$BATS_TEST_TMPDIR/inodes" -
	[ "$function" -ef "$node/sys/class/infiniband/ibp24s0/device" ]
	holds "$(port ibp24s0/1 counters/link_downed)" 9
	[ "$(states ibp24s0/1 ib0)" = "1: DOWN,2: Polling,lowerlayerdown" ]
	# Only the files with the name differ: change these in the old tree and compare it with the
	# new one.
	cd "$BATS_TEST_TMPDIR/before"
	mv "sys/${function#"$node/sys/"}"/infiniband/{mlx5_1,ibp24s0}
	rm sys/class/infiniband/mlx5_1
	ln -s "../../${function#"$node/sys/"}/infiniband/ibp24s0" sys/class/infiniband/ibp24s0
	for file in infiniband_verbs/uverbs1 infiniband_mad/umad0 infiniband_mad/issm0; do
		holds "sys/class/$file/ibdev" mlx5_1
		echo ibp24s0 >"sys/class/$file/ibdev"
	done
	for top in sys proc dev var; do
		diff -r --no-dereference "$top" "$node/$top"
	done
}

@test "a descriptor opened before a rename shows the device's values after it" {
	h100
	exec 5<"$(port mlx5_3/1 counters)"
	exec 6<"$(port mlx5_3/1 counters/symbol_error)"
	before=$(stat -L -c %y /proc/self/fd/5)
	sim rename mlx5_3 roce3
	sim set roce3/1 counters/symbol_error 12
	[ "$(cat <&6)" = 12 ]
	[ "$(stat -L -c %y /proc/self/fd/5)" = "$before" ]
	exec 5<&- 6<&-
}

@test "while devices are renamed each is listed exactly once, with a valid link" {
	h100
	for turn in {0..149}; do
		echo "0s rename ${turn/#0/mlx5_0} $((turn + 1))"
	done | sed 's/mlx5_0 /mlx5_3 /' >"$BATS_TEST_TMPDIR/script"
	/usr/bin/python3 - "$node/sys/class/infiniband" \
		nicsim "$node" run "$BATS_TEST_TMPDIR/script" --fast <<'END'
import os, subprocess, sys

top = sys.argv[1]
others = set(os.listdir(top)) - {"mlx5_3"}
simulator = subprocess.Popen(sys.argv[2:], stdout=subprocess.DEVNULL)
while simulator.poll() is None:
    (name,) = set(os.listdir(top)) - others
    # No name comes again: one that is still listed after it led nowhere was there all the time.
    if not os.path.exists(f"{top}/{name}/ports/1/state"):
        assert name not in os.listdir(top), name
assert simulator.returncode == 0
assert set(os.listdir(top)) - others == {"150"}
END
}

@test "after a rename only the new name is valid, also after restore and reboot; the metadata keeps the old" {
	whole_h100
	cp -a "$node" "$BATS_TEST_TMPDIR/before"
	sim rename mlx5_3 roce3
	fails 66 "up: no such device: mlx5_3" sim up mlx5_3/1
	fails 66 "rename: no such device: mlx5_3" sim rename mlx5_3 roce4
	sim unplug roce3/1
	[ "$(states roce3/1 rdma2)" = "1: DOWN,2: Polling,lowerlayerdown" ]
	run -0 sim show
	[ "${lines[3]}" = "roce3/1 DOWN Polling lowerlayerdown" ]
	[ ${#lines[@]} -eq 18 ]
	sim remove roce3
	fails 66 "roce3: not there (removed?)" sim rename roce3 roce4
	before=$(stat -c %i "$BATS_TEST_TMPDIR/before/sys/class/infiniband/mlx5_3/")
	sim restore roce3
	[ "$(stat -c %i "$node/sys/class/infiniband/roce3/")" != "$before" ]
	holds "$(port roce3/1 state)" "4: ACTIVE"
	sim reboot
	[ ! -L "$node/sys/class/infiniband/mlx5_3" ]
	holds "$(port roce3/1 state)" "4: ACTIVE"
	cmp {"$BATS_TEST_TMPDIR/before","$node"}/var/lib/nvsentinel/gpu_metadata.json
	sim rename roce3 mlx5_3
	for top in sys dev var; do
		diff -r --no-dereference "$BATS_TEST_TMPDIR/before/$top" "$node/$top"
	done
}

@test "two devices can exchange their names by way of a third" {
	h100
	sim set mlx5_3/1 counters/symbol_error 3
	sim set mlx5_4/1 counters/symbol_error 4
	guid=$(cat "$node/sys/class/infiniband/mlx5_3/node_guid")
	sim run - --fast <<<$'0s rename mlx5_3 x\n0s rename mlx5_4 mlx5_3\n0s rename x mlx5_4' \
		>/dev/null
	holds "$(port mlx5_3/1 counters/symbol_error)" 4
	holds "$(port mlx5_4/1 counters/symbol_error)" 3
	holds "$node/sys/class/infiniband/mlx5_4/node_guid" "$guid"
}

@test "rename rejects a taken or invalid name and changes nothing" {
	h100
	cp -a "$node" "$BATS_TEST_TMPDIR/before"
	fails 64 "rename: there is a device mlx5_4 already" sim rename mlx5_3 mlx5_4
	fails 64 "rename: there is a device mlx5_3 already" sim rename mlx5_3 mlx5_3
	for name in "" . ../x a/b 'a b' -x "$(printf 'x%.0s' {1..64})"; do
		fails 64 "rename: bad device name: '$name'" sim rename mlx5_3 "$name"
	done
	fails 64 "rename: not a device: mlx5_3/1" sim rename mlx5_3/1 roce3
	fails 64 "rename: expected DEV NAME" sim rename mlx5_3
	diff -r --no-dereference "$BATS_TEST_TMPDIR/before" "$node"
	# The kernel allows names of that length.
	sim rename mlx5_3 "$(printf 'x%.0s' {1..63})"
}

@test "files broken before a rename are mended after it under the new name" {
	whole_h100
	sim set mlx5_3/1 counters/symbol_error 7
	sim hang mlx5_3/1 state
	sim hang mlx5_3 fw_ver
	sim unreadable mlx5_3/1 counters/symbol_error
	sim rename mlx5_3 roce3
	[ -p "$(port roce3/1 state)" ]
	run -0 sim show
	[ "${lines[3]}" = "roce3/1 ACTIVE LinkUp up symbol_error=7 unreadable:counters/symbol_error hung:state" ]
	sim unplug roce3/1
	sim mend roce3/1 state
	sim mend roce3 fw_ver
	sim mend roce3/1 counters/symbol_error
	holds "$(port roce3/1 state)" "1: DOWN"
	holds "$node/sys/class/infiniband/roce3/fw_ver" 28.37.1014
	holds "$(port roce3/1 counters/symbol_error)" 7
}

@test "a running ibscan reports a renamed device under its new name in complete scans, without a message" {
	whole_h100
	export NODE=$node
	out=$BATS_TEST_TMPDIR/out
	sim set mlx5_3/1 counters/link_downed 7
	background scan --interval 50ms
	wait_until 10 has_lines 1 "$out" '"device":"mlx5_3",.*"link_downed":7,'
	sim rename mlx5_3 ibp24s0
	wait_until 10 has_lines 1 "$out" '"device":"ibp24s0",.*"link_downed":7,'
	sim set ibp24s0/1 counters/link_downed 8
	wait_until 10 has_lines 1 "$out" '"device":"ibp24s0",.*"link_downed":8,'
	kill -TERM "$PID"
	ends_with 0 "$PID"
	[ ! -s "$BATS_TEST_TMPDIR/err" ]
	jq -s -e '[.[] | select(.kind == "device")] as $devices
		| [.[] | select(.kind == "scan.end")] as $ends
		| [$devices[] | select(.device == "ibp24s0")] as $renamed
		| ($renamed | length > 0 and all(has("error") | not))
		and ([$ends[] | select(.scan >= $renamed[0].scan)] | all(.complete))
		and ($ends | all(.devices == 18))
		and ([$devices[] | select(.scan >= $renamed[0].scan and .device == "mlx5_3")] == [])
		and ([$devices[] | select(.device | IN("mlx5_3", "ibp24s0"))
		| [.pci, .node_guid, .netdevs]] | unique | length == 1)' "$out"
}

@test "an unreadable file can be opened but not read, until it is mended" {
	h100
	file=$(port mlx5_3/1 counters/symbol_error)
	sim set mlx5_3/1 counters/symbol_error 7
	sim unreadable mlx5_3/1 counters/symbol_error
	run ! cat "$file"
	[[ $output = *"Is a directory"* ]]
	sim mend mlx5_3/1 counters/symbol_error
	holds "$file" 7
	fails 66 "mlx5_3/1: counters/symbol_error is neither hung nor unreadable" \
		sim mend mlx5_3/1 counters/symbol_error
}

@test "a hung file is a FIFO until it is mended; a device's file too" {
	h100
	sim hang mlx5_3/1 state
	sim hang mlx5_3 fw_ver
	[ -p "$(port mlx5_3/1 state)" ]
	[ -p "$node/sys/class/infiniband/mlx5_3/fw_ver" ]
	sim mend mlx5_3/1 state
	sim mend mlx5_3 fw_ver
	holds "$(port mlx5_3/1 state)" "4: ACTIVE"
	holds "$node/sys/class/infiniband/mlx5_3/fw_ver" 28.37.1014
}

@test "a reader that waits on a hung file gets the value once the file is mended" {
	h100
	sim hang mlx5_3/1 state
	/usr/bin/python3 - "$(port mlx5_3/1 state)" nicsim "$node" mend mlx5_3/1 state <<'END'
import os, subprocess, sys

descriptor = os.open(sys.argv[1], os.O_RDONLY | os.O_NONBLOCK)
subprocess.run(sys.argv[2:], check=True)
assert os.read(descriptor, 64) == b"4: ACTIVE\n"
assert os.read(descriptor, 64) == b""
END
}

@test "a value set while its file is broken is there once the file is mended" {
	h100
	sim hang mlx5_3/1 state
	sim unreadable mlx5_3/1 counters/symbol_error
	sim unplug mlx5_3/1
	sim add mlx5_3/1 counters/symbol_error 5
	[ -p "$(port mlx5_3/1 state)" ]
	sim mend mlx5_3/1 state
	sim mend mlx5_3/1 counters/symbol_error
	holds "$(port mlx5_3/1 state)" "1: DOWN"
	holds "$(port mlx5_3/1 counters/symbol_error)" 5
}

@test "replacing a file always changes the directory's mtime, however quickly" {
	h100
	file=$(port mlx5_3/1 counters/symbol_error)
	for command in "hang mlx5_3/1 counters/symbol_error" \
		"unreadable mlx5_3/1 counters/symbol_error" \
		"mend mlx5_3/1 counters/symbol_error"; do
		# A time in the future stands for a clock that has not ticked yet.
		touch -d 2100-01-01T00:00:00Z "${file%/*}"
		before=$(stat -c %y "${file%/*}")
		eval "sim $command"
		[[ $(stat -c %y "${file%/*}") > $before ]]
	done
}

@test "reboot makes a new boot id, the same in each run, and lays the node out anew" {
	whole_h100
	nicsim "$node-2" create "$platforms/h100-oci.json"
	nicsim "$node-2" reboot
	cp -a "$node" "$BATS_TEST_TMPDIR/before"
	sim set mlx5_3/1 counters/link_downed 9
	sim set mlx5_3/1 counters/brand_new 9
	sim unplug mlx5_3/1
	sim down mlx5_4/1
	sim hang mlx5_5/1 state
	sim unreadable mlx5_6/1 state
	sim remove mlx5_7
	sim remove mlx5_8/1
	sim dangle mlx5_9
	sim kmsg "soon forgotten"
	sim route none
	sim reboot
	boot_id=proc/sys/kernel/random/boot_id
	grep -Eqx '[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}' \
		"$node/$boot_id"
	run ! cmp -s "$node/$boot_id" "$BATS_TEST_TMPDIR/before/$boot_id"
	cmp "$node/$boot_id" "$node-2/$boot_id"
	cp "$BATS_TEST_TMPDIR/before/$boot_id" "$node/$boot_id"
	for top in sys proc dev var; do
		diff -r --no-dereference "$BATS_TEST_TMPDIR/before/$top" "$node/$top"
	done
}

@test "kmsg records have priority, sequence, time, flags, escaped bytes, and the device of a driver's message" {
	h100
	sim kmsg "mlx5_core 0000:0c:00.0: first"
	sim kmsg --priority 12 $'a\\b\tc\nd\xc3\xa9'
	run -0 sed -E 's/^([0-9]+,[0-9]+),[0-9]+/\1/' "$node/dev/kmsg"
	[ "${lines[0]}" = '4,0,-;mlx5_core 0000:0c:00.0: first' ]
	[ "${lines[1]}" = ' SUBSYSTEM=pci' ]
	[ "${lines[2]}" = ' DEVICE=+pci:0000:0c:00.0' ]
	[ "${lines[3]}" = '12,1,-;a\x5cb\x09c\x0ad\xc3\xa9' ]
	[ ${#lines[@]} -eq 4 ]
	grep '^[0-9]' "$node/dev/kmsg" | cut -d, -f3 | sort -nc
	fails 64 "kmsg: expected TEXT [--priority N]" sim kmsg
	fails 64 "kmsg: not a priority: 'x'" sim kmsg text --priority x
}

@test "route moves or removes the default route" {
	h100
	sim route rdma7
	[ "$(tail -n +2 "$node/proc/net/route" | cut -f1-3)" = $'rdma7\t00000000\t0100000A' ]
	sim route none
	[ "$(wc -l <"$node/proc/net/route")" -eq 1 ]
	sim route eth0
	nicsim "$node-2" create "$platforms/h100-oci.json"
	cmp "$node/proc/net/route" "$node-2/proc/net/route"
}

@test "run executes a script and prints each line unchanged" {
	h100
	cat >"$BATS_TEST_TMPDIR/script" <<'END'
# a comment

0s    set mlx5_3/1 counters/symbol_error 5   # and another
1ms   add mlx5_3/1 counters/symbol_error 6
0.5m  state mlx5_3/1 DOWN "Phy Test"
1m    kmsg "two  words"
END
	run -0 --separate-stderr sim run "$BATS_TEST_TMPDIR/script" --fast
	[ "$output" = "$(tail -n 4 "$BATS_TEST_TMPDIR/script")" ]
	holds "$(port mlx5_3/1 counters/symbol_error)" 11
	holds "$(port mlx5_3/1 phys_state)" "7: Phy Test"
	grep -q ';two  words$' "$node/dev/kmsg"
}

@test "run reads standard input and waits for the time of a line" {
	h100
	run -0 sim run - <<<$'0s unplug mlx5_3/1\n20ms up mlx5_3/1'
	[ "${#lines[@]}" -eq 2 ]
	holds "$node/sys/class/net/rdma2/carrier_changes" 4
}

@test "a script with a bad line executes nothing and names the line" {
	h100
	cp -a "$node" "$BATS_TEST_TMPDIR/before"
	script=$BATS_TEST_TMPDIR/script
	while IFS='|' read -r line reason; do
		printf '%s\n' "1s unplug mlx5_3/1" "$line" >"$script"
		fails 65 "$script:2: $reason" sim run "$script" --fast
	done <<'END'
1s frobnicate mlx5_3/1|unknown command: frobnicate
1s create x.json|unknown command: create
1s|no command
2 unplug mlx5_3/1|not a time: '2'
500ms unplug mlx5_3/1|time goes back: 500ms
1s unplug mlx5_99/1|unplug: no such device: mlx5_99
1s unplug mlx5_3|unplug: not a port: mlx5_3
1s add mlx5_3/1 counters/symbol_error|add: expected DEV[/PORT] FILE N
1s kmsg "open|No closing quotation
1s rename mlx5_3 mlx5_4|rename: there is a device mlx5_4 already
END
	diff -r --no-dereference "$BATS_TEST_TMPDIR/before" "$node"
}

@test "the lines of a script after a rename are checked with the new name" {
	h100
	cp -a "$node" "$BATS_TEST_TMPDIR/before"
	script=$BATS_TEST_TMPDIR/script
	while IFS='|' read -r line reason; do
		printf '%s\n' "1s rename mlx5_3 roce3" "1s unplug roce3/1" "$line" >"$script"
		fails 65 "$script:3: $reason" sim run "$script" --fast
	done <<'END'
1s up mlx5_3/1|up: no such device: mlx5_3
1s up roce3/2|up: no such port: roce3/2
1s rename mlx5_4 roce3|rename: there is a device roce3 already
END
	diff -r --no-dereference "$BATS_TEST_TMPDIR/before" "$node"
	printf '%s\n' "1s rename mlx5_3 roce3" "1s unplug roce3/1" "1s rename mlx5_4 mlx5_3" \
		>"$script"
	run -0 sim run "$script" --fast
	[ "$(states roce3/1 rdma2)" = "1: DOWN,2: Polling,lowerlayerdown" ]
	[ "$(states mlx5_3/1 rdma3)" = "4: ACTIVE,5: LinkUp,up" ]
}

@test "a script looks its devices up by their names at the moment of each line" {
	h100
	sim set mlx5_3/1 counters/symbol_error 7
	# A line that is not read blocks the script, since it is longer than a pipe's buffer.
	printf '%s\n' "0s reset mlx5_3/1 # $(head -c 100000 /dev/zero | tr '\0' x)" \
		"0s unplug mlx5_4/1" "0s up mlx5_3/1" \
		>"$BATS_TEST_TMPDIR/script"
	mkfifo "$BATS_TEST_TMPDIR/pipe"
	exec 8<>"$BATS_TEST_TMPDIR/pipe"
	nicsim "$node" run "$BATS_TEST_TMPDIR/script" --fast >&8 2>"$BATS_TEST_TMPDIR/err" 3>&- &
	PID=$!
	BACKGROUND+=("$PID")
	wait_until 10 holds "$(port mlx5_3/1 counters/symbol_error)" 0
	sim rename mlx5_3 roce3
	sim rename mlx5_4 roce4
	sim rename roce3 mlx5_4
	timeout 10 head -c 100000 <&8 >"$BATS_TEST_TMPDIR/read"
	ends_with 66 "$PID"
	exec 8>&-
	holds "$BATS_TEST_TMPDIR/err" \
		"nicsim: $BATS_TEST_TMPDIR/script:3: up: no such device: mlx5_3"
	[ "$(states mlx5_4/1 rdma2)" = "1: DOWN,2: Polling,lowerlayerdown" ]
	[ "$(states roce4/1 rdma3)" = "4: ACTIVE,5: LinkUp,up" ]
}

@test "a line that fails while the script runs is reported, with its command's exit code" {
	h100
	run -66 --separate-stderr sim run - \
		--fast <<<$'0s remove mlx5_3\n0s up mlx5_3/1\n0s remove mlx5_4'
	[ "$output" = "0s remove mlx5_3" ]
	# shellcheck disable=SC2154 # set by run
	[ "$stderr" = "nicsim: -:2: mlx5_3/1: not there (removed?)" ]
	[ -e "$node/sys/class/infiniband/mlx5_4" ]
}

@test "show prints a line per port with its faults" {
	whole_h100
	sim unplug mlx5_3/1
	sim set mlx5_4/1 counters/symbol_error 5
	sim set mlx5_4/1 counters/port_rcv_data 5
	sim set mlx5_4/1 net/statistics/rx_crc_errors 6
	sim hang mlx5_5/1 state
	sim unreadable mlx5_6/1 counters/link_downed
	sim remove mlx5_7
	sim dangle mlx5_8
	run -0 sim show
	[ ${#lines[@]} -eq 18 ]
	[ "${lines[0]}" = "mlx5_0/1 ACTIVE LinkUp up" ]
	[ "${lines[3]}" = "mlx5_3/1 DOWN Polling lowerlayerdown" ]
	[ "${lines[4]}" = "mlx5_4/1 ACTIVE LinkUp up symbol_error=5 rx_crc_errors=6" ]
	[ "${lines[5]}" = "mlx5_5/1 ACTIVE LinkUp up hung:state" ]
	[ "${lines[6]}" = "mlx5_6/1 ACTIVE LinkUp up unreadable:counters/link_downed" ]
	[ "${lines[7]}" = "mlx5_7/1 removed" ]
	[ "${lines[8]}" = "mlx5_8/1 dangling" ]
}

@test "concurrent commands lose no count" {
	h100
	local adders=()
	for _ in 1 2 3 4 5 6 7 8; do
		sim add mlx5_3/1 counters/symbol_error 1 &
		adders+=("$!")
	done
	# Wait only for these: bats has a child process of its own.
	wait "${adders[@]}"
	holds "$(port mlx5_3/1 counters/symbol_error)" 8
}

@test "help goes to standard output and names every command" {
	run -0 --separate-stderr nicsim --help
	# shellcheck disable=SC2154 # set by run
	[ "$stderr" = "" ]
	for command in create set add reset state down unplug up remove restore dangle unreadable \
		hang \
		mend rename reboot kmsg route run show; do
		grep -Eq "^  $command( |$)" <<<"$output"
	done
	[ "$(nicsim -h)" = "$output" ]
}

@test "a wrong command line exits 64 with one line of reason" {
	h100
	fails 64 "expected NODE COMMAND ARG... (see --help)" nicsim
	fails 64 "expected NODE COMMAND ARG... (see --help)" nicsim "$node"
	fails 64 "unknown option: --frobnicate (see --help)" nicsim --frobnicate
	fails 64 "unknown command: frobnicate (see --help)" sim frobnicate
	fails 64 "set: expected DEV[/PORT] FILE VALUE" sim set mlx5_3/1 state
	fails 64 "reboot: expected no arguments" sim reboot now
	fails 64 "dangle: not a device: mlx5_3/1" sim dangle mlx5_3/1
	fails 64 "set: bad file name: '../../fw_ver'" sim set mlx5_3/1 ../../fw_ver 1
	fails 64 "set: bad file name: 'counters/ x'" sim set mlx5_3/1 'counters/ x' 1
	fails 64 "--generate: not a number from 1 to 65536: '0'" nicsim --generate 0
}

@test "a node, device, port or script that does not exist exits 66" {
	h100
	fails 66 "$node-2: not a simulated node" nicsim "$node-2" show
	fails 66 "up: no such device: mlx5_99" sim up mlx5_99/1
	fails 66 "up: no such port: mlx5_3/2" sim up mlx5_3/2
	fails 66 "/nowhere: No such file or directory" sim run /nowhere
	fails 66 "mlx5_3/1: no file nothing" sim hang mlx5_3/1 nothing
}

@test "no __pycache__ is left in the source tree" {
	h100
	[ -z "$(find "$BATS_TEST_DIRNAME/sim" -name __pycache__)" ]
}

#!/usr/bin/env bats
# ibscan: scans of simulated and recorded machines, of broken sysfs files and of nodes without NICs.
# SPDX-License-Identifier: Apache-2.0

load lib/common

teardown() {
	end_background
	nothing_survives
}

# record KIND [DEVICE] - print the first such record in $output
record() { jq -c --arg k "$1" --arg d "${2-}" 'select(.kind==$k and ($d=="" or .device==$d))' \
	<<<"$output" | head -n 1; }

# as_written KIND [DEVICE] - print the same record with its fields in the order written
as_written() {
	command jq -c --arg k "$1" --arg d "${2-}" 'select(.kind==$k and ($d=="" or .device==$d))' \
		<<<"$output" | head -n 1
}

# devices - print the names in the class directory in natural order
devices() { find "$NODE/sys/class/infiniband" -mindepth 1 -printf '%f\n' | sort -V; }

# pci DEVICE - print its address, even if the device is gone
pci() { jq -r --arg d "$1" '.nics[] | select(.device==$d) | .pci_address' \
	"$NODE/.nicsim/platform.json"; }

# function_of DEVICE - print the entry of its function in the scan.end of $output
function_of() { record scan.end | jq -c --arg pci "$(pci "$1")" \
	'.functions | map(select(.pci==$pci))'; }

# make_function ADDRESS VENDOR CLASS - make a function with a driver on the PCI bus
make_function() {
	local function=$NODE/sys/bus/pci/devices/$1
	mkdir "$function"
	echo "$2" >"$function/vendor"
	echo "$3" >"$function/class"
	ln -s ../../drivers/some "$function/driver"
}

# lacks_function DEVICE - return success if its function is not in the last scan.end
lacks_function() {
	grep '"kind":"scan.end"' "$BATS_TEST_TMPDIR/out" | tail -n 1 | jq -e --arg pci \
		"$(pci "$1")" '.functions | any(.pci==$pci) | not'
}

# scans COUNT FILE - return success if the file has COUNT scan.end records
scans() { has_lines "$1" "$2" '"kind":"scan.end"'; }

# the_device_is STATE DEVICE FILE - compare the device's error in the last whole scan (`timeout`,
# `ENOENT`, ...; `fine`: none)
the_device_is() {
	local last
	last=$(grep '"kind":"scan.end"' "$3" | tail -n 1 | jq .scan)
	[ "$(jq -r --argjson s "${last:-0}" --arg d "$2" \
		'select(.kind=="device" and .scan==$s and .device==$d) | .error // "fine"' "$3")" \
		= "$1" ]
}

# last_value JQ FILE - print JQ of the last port record of mlx5_3 in the file
last_value() { jq -c "select(.kind==\"port\" and .device==\"mlx5_3\") | $1" "$2" | tail -n 1; }

@test "a scan is scan.begin, the devices in natural order each followed by its ports, and scan.end" {
	shared_node a100-oci
	run --separate-stderr scan
	status_is 0
	[ -z "$stderr" ]
	[ "$(jq -r .kind <<<"$output" | uniq -c | awk '{ print $2 }' | sed -n '1p;$p' | xargs)" \
		= "scan.begin scan.end" ]
	[ "$(jq -r 'select(.kind=="device").device' <<<"$output")" = "$(devices)" ]
	# Every port record follows the record of its own device.
	jq -s -e '[range(1; length-1) as $i | .[$i] | select(.kind=="port") | .device] as $ports
		| [.[] | select(.kind=="device") | . as $d | range(.ports) | $d.device] == $ports' \
			<<<"$output"
	jq -s -e '.[-1] | .devices==34 and .ports==34 and .complete and .unreadable==[]
		and (has("error")|not)' <<<"$output"
}

@test "scan.begin has the scan's number, the node and the boot id" {
	shared_node h100-oci
	run --separate-stderr scan
	record scan.begin | jq -e --arg boot "$(cat "$NODE/proc/sys/kernel/random/boot_id")" \
		'.v==1 and .scan==1 and .node=="test-node" and .boot_id==$boot and .interval_ms==0
		and (.boottime_ns|type)=="number"
		and (.ts|test("^[0-9-]{10}T[0-9:]{8}\\.[0-9]{6}Z$"))'
}

@test "the records have exactly the fields of the contract, in its order" {
	shared_node h100-oci
	run --separate-stderr scan
	[ "$(as_written scan.begin | command jq -r 'keys_unsorted|join(" ")')" \
		= "kind v scan node boot_id ts boottime_ns interval_ms" ]
	[ "$(as_written device mlx5_0 | command jq -r 'keys_unsorted|join(" ")')" = \
		"kind scan device pci vendor driver driver_version hca_type fw_ver board_id \
node_guid pci_link_speed pci_link_width numa_node vf physfn parent netdevs ports" ]
	[ "$(as_written port mlx5_0 | command jq -r 'keys_unsorted|join(" ")')" \
		= "kind scan ts boottime_ns device port link_layer state state_id phys_state \
phys_state_id rate_gbps rate lid sm_lid netdev operstate counters hw_counters net" ]
	[ "$(as_written scan.end | command jq -r 'keys_unsorted|join(" ")')" = \
		"kind scan ts boottime_ns devices ports complete unreadable duration_us unbound functions" ]
}

# efa_port NAME JQ [OPTION]... - scan and print JQ of the port record of an EFA adapter
efa_port() {
	run --separate-stderr scan "${@:3}"
	status_is 0
	jq -r "select(.kind == \"port\" and .device == \"$1\") | $2" <<<"$output"
}

@test "an EFA port has its own link layer, its interface's carrier, and the adapter's counters besides its own" {
	node aws-p5
	[ "$(efa_port rdmap79s0 '[.link_layer, .state, .netdev, .operstate, .carrier] | join(" ")')" \
		= "EFA ACTIVE ens32 up 1" ]
	[ "$(efa_port rdmap80s0 '[.link_layer, .netdev, has("carrier"), .counters] | tojson')" \
		= '["EFA",null,false,{}]' ]
	sim set rdmap80s0 hw_counters/cmds_err 7
	sim set rdmap80s0/1 hw_counters/rx_drops 8
	[ "$(efa_port rdmap80s0 '[.device_hw_counters.cmds_err, .hw_counters.rx_drops] | tojson')" \
		= "[7,8]" ]
	sim carrier rdmap79s0/1 0
	[ "$(efa_port rdmap79s0 .carrier)" = 0 ]
	sim unreadable rdmap79s0/1 net/carrier
	[ "$(efa_port rdmap79s0 'has("carrier")')" = false ]
	# EFA is recognized by its driver, or by its vendor if the device has no driver.
	sed -i 's/^DRIVER=.*/DRIVER=ena/' "$NODE/sys/class/infiniband/rdmap79s0/device/uevent"
	[ "$(efa_port rdmap79s0 '[.link_layer, has("device_hw_counters")] | join(" ")')" \
		= "Unknown false" ]
	sed -i '/^DRIVER=/d' "$NODE/sys/class/infiniband/rdmap79s0/device/uevent"
	rm "$NODE/sys/class/infiniband/rdmap79s0/device/driver"
	[ "$(efa_port rdmap79s0 .link_layer)" = EFA ]
}

@test "--counters configured reads EFA counters on EFA ports only and mlx5 counters on other ports only" {
	node aws-p5
	sim set rdmap80s0/1 counters/link_downed 1
	sim set rdmap80s0/1 hw_counters/rnr_nak_retry_err 1
	[ "$(efa_port rdmap80s0 '[.counters, .hw_counters, .device_hw_counters | keys[]] | join(" ")' \
		--counters configured)" = "impaired_remote_conn_events retrans_timeout_events \
rx_drops unresponsive_remote_events cmds_err no_completion_cmds" ]
	rm -rf "$NODE"
	node l40s-onprem
	sim set mlx5_0/1 hw_counters/rx_drops 1
	mkdir "$NODE/sys/class/infiniband/mlx5_0/hw_counters"
	echo 1 >"$NODE/sys/class/infiniband/mlx5_0/hw_counters/cmds_err"
	[ "$(efa_port mlx5_0 '[(.hw_counters | has("rx_drops")), has("device_hw_counters"), has("carrier")] | tojson' \
		--counters configured)" = "[false,false,false]" ]
}

# Thorough: tools
@test "a NIC without a driver is listed by its PCI address; a virtual function is not" {
	node a100-oci
	sim remove mlx5_5
	sim remove mlx5_18
	run --separate-stderr scan
	status_is 0
	[ "$(record scan.end | jq -c .unbound)" = '["0000:0c:00.0"]' ]
	sim restore mlx5_5
	run --separate-stderr scan
	[ "$(record scan.end | jq -c .unbound)" = '[]' ]
}

@test "an EFA adapter without a driver is listed by its PCI address; another adapter of Amazon is not" {
	node aws-p5
	sim remove rdmap80s0
	sim remove rdmap81s0
	echo 0xec20 >"$NODE/sys/bus/pci/devices/0000:51:00.0/device"
	run --separate-stderr scan
	status_is 0
	[ "$(record scan.end | jq -c .unbound)" = '["0000:50:00.0"]' ]
}

@test "a NIC without a driver is listed even if there is no RDMA device at all" {
	node l40s-onprem
	printf '0s remove mlx5_%d\n' {0..4} | sim run - >"$BATS_TEST_TMPDIR/ran"
	rm -r "$NODE/sys/class/infiniband"
	run --separate-stderr scan
	status_is 0
	record scan.end | jq -e '.error=="ENOENT" and (.unbound|length)==5'
}

@test "scan.end has no list of unbound NICs if the PCI bus cannot be listed" {
	node l40s-onprem
	rm -r "$NODE/sys/bus/pci"
	run --separate-stderr scan
	status_is 0
	record scan.end | jq -e 'has("unbound")|not'
}

@test "a function is not listed as unbound if its driver link is unreadable or it is no network function" {
	node l40s-onprem
	sim remove mlx5_1
	sim remove mlx5_2
	echo 0x060400 >"$NODE/sys/bus/pci/devices/0000:18:00.0/class"
	rm "$NODE/sys/bus/pci/devices/0000:3a:00.0/vendor"
	run --separate-stderr scan
	status_is 0
	[ "$(record scan.end | jq -c .unbound)" = '[]' ]
}

@test "ibscan exits 71 when it can start no thread, instead of reporting devices as not answering" {
	node l40s-onprem
	for_anybody ibscan
	chmod -R a+rX "$NODE"
	# The limit does not apply to root.
	local drop=()
	[ "$(id -u)" -ne 0 ] || drop=(setpriv --reuid 65534 --regid 65534 --clear-groups)
	# The leak sanitizer starts a thread of its own.
	ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0 EXEC="${drop[*]} prlimit --nproc=1" \
		run --separate-stderr scan --device-timeout 500ms
	status_is 71 '^ibscan: error: cannot start a thread to read devices with: Resource temporarily unavailable$'
	none grep -q -E '"kind":"(device|scan.end)"' <<<"$output"
}

# scan_with_threads N OPTION... - scan with a program that can start at most N threads
scan_with_threads() {
	local library=$BATS_TEST_TMPDIR/threads.so
	"${CC:-cc}" -O2 -D_GNU_SOURCE -fPIC -shared -o "$library" "$ROOT/test/lib/threads.c"
	ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0:${ASAN_OPTIONS-} LD_PRELOAD=$library \
		NHM_THREADS=$1 EXEC=env \
		run --separate-stderr scan "${@:2}"
}
NO_MORE_THREADS='^ibscan: warning: cannot start a thread: Resource temporarily unavailable: continuing with only 1$'

# Thorough: tools
@test "if only one thread can be started, it reads all devices" {
	shared_node l40s-onprem
	scan_with_threads 1 --device-timeout 20s
	status_is 0
	# On a slow machine a device may take so long that ibscan tries to start another thread.
	[ -z "$stderr" ] || [[ $stderr =~ $NO_MORE_THREADS ]]
	record scan.end | jq -e '.complete and .devices == 5 and .ports == 5'
	none grep -q '"error"' <<<"$output"
}

# Thorough: tools
@test "with no thread left because the last one hangs, the remaining devices have EAGAIN, not timeout" {
	node l40s-onprem
	sim hang mlx5_2 fw_ver
	scan_with_threads 1 --device-timeout 3s
	status_is 0 "$NO_MORE_THREADS"
	diff - <(jq -r 'select(.kind == "device") | .device + " " + (.error // "read")' \
		<<<"$output") <<-END
		mlx5_0 read
		mlx5_1 read
		mlx5_2 timeout
		mlx5_3 EAGAIN
		mlx5_4 EAGAIN
	END
}

@test "a pipe without a writer in place of a PCI attribute does not block a scan" {
	node l40s-onprem
	local name
	sim remove mlx5_2
	for name in class vendor; do
		rm -f "$NODE/sys/bus/pci/devices/0000:3a:00.0/$name"
		mkfifo "$NODE/sys/bus/pci/devices/0000:3a:00.0/$name"
	done
	run --separate-stderr timeout 60 bash -c "$(declare -f scan); scan"
	status_is 0
	record scan.end | jq -e .complete
}

@test "a NIC that loses its driver is listed in the scan that misses its device" {
	node l40s-onprem
	background scan --interval 50ms --counters none
	wait_until 5 has_lines 2 "$BATS_TEST_TMPDIR/out" '"unbound":\[\]'
	sim remove mlx5_3
	wait_until 5 has_lines 1 "$BATS_TEST_TMPDIR/out" '"unbound":\["0000:9a:00.0"\]'
	sim restore mlx5_3
	wait_until 5 eval 'tail -n 1 "$BATS_TEST_TMPDIR/out" | grep -q "\"unbound\":\[\]"'
}

@test "scan.end tells whether a missing device left the bus, lost its driver, or lost only its RDMA device" {
	node h100-oci
	sim eject mlx5_3
	sim remove mlx5_4
	sim unregister mlx5_5
	run --separate-stderr scan
	status_is 0
	[ -z "$stderr" ]
	[ "$(record device mlx5_3)$(record device mlx5_4)$(record device mlx5_5)" = "" ]
	[ "$(function_of mlx5_3)" = '[]' ]
	[ "$(function_of mlx5_4)" = "[{\"driver\":null,\"pci\":\"$(pci mlx5_4)\"}]" ]
	[ "$(function_of mlx5_5)" = "[{\"driver\":\"mlx5_core\",\"pci\":\"$(pci mlx5_5)\"}]" ]
	[ "$(record scan.end | jq -r '.unbound|join(" ")')" = "$(pci mlx5_4)" ]
	[ "$(record scan.end | jq '.functions|length')" -eq 17 ]
}

# Thorough: tools
@test "scan.end lists network functions of any vendor, but no virtual functions and no other devices" {
	node a100-oci
	make_function 0000:01:00.0 0x8086 0x020000 # somebody else's
	make_function 0000:02:00.0 0x10de 0x030200 # a GPU
	make_function 0000:03:00.0 0x15b3 0x060400 # a bridge in the card
	run --separate-stderr scan
	diff <(record scan.end | jq -r '.functions[].pci' | sort) \
		<({ jq -r '.nics[] | select(.physfn==null) | .pci_address' \
		"$PLATFORMS/a100-oci.json"; echo 0000:01:00.0; } | sort)
	[ "$(record scan.end | jq -c .unbound)" = '[]' ]
}

@test "scan.end does not list the functions of a BlueField or Pensando DSC that lead to its own processor" {
	node a100-oci
	make_function 0000:01:00.2 0x15b3 0x020000
	echo 0xc2d1 >"$NODE/sys/bus/pci/devices/0000:01:00.2/device"
	make_function 0000:02:00.0 0x1dd8 0x020000
	echo 0x1004 >"$NODE/sys/bus/pci/devices/0000:02:00.0/device"
	make_function 0000:03:00.0 0x1dd8 0x020000 # a port of the DSC
	echo 0x1002 >"$NODE/sys/bus/pci/devices/0000:03:00.0/device"
	rm "$NODE"/sys/bus/pci/devices/0000:0[123]:00.?/driver
	run --separate-stderr scan
	[ "$(record scan.end | jq -c .unbound)" = '[]' ]
	[ "$(record scan.end | jq -c '[.functions[] | select(.driver==null).pci]')" \
		= '["0000:03:00.0"]' ]
}

# Thorough: tools
@test "a function whose attributes cannot be read is still listed as on the bus" {
	node l40s-onprem
	sim unreadable mlx5_1 device/class
	# Longer than a name can be.
	ln -nsf "$(printf 'x%.0s' {1..300})" "$NODE/sys/class/infiniband/mlx5_2/device/driver"
	run --separate-stderr scan
	[ "$(function_of mlx5_1)" = "[{\"driver\":\"mlx5_core\",\"pci\":\"$(pci mlx5_1)\"}]" ]
	[ "$(function_of mlx5_2)" = "[{\"pci\":\"$(pci mlx5_2)\"}]" ]
	[ "$(record scan.end | jq -c .unbound)" = '[]' ]
}

# Thorough: tools
@test "each scan probes a missing device's function anew, also long after the device has gone" {
	node l40s-onprem
	sim remove mlx5_3
	background scan --interval 50ms --counters none
	# No device has come or gone by then for longer than a driver takes.
	wait_until 20 has_lines 120 "$BATS_TEST_TMPDIR/out" \
		"\"pci\":\"$(pci mlx5_3)\",\"driver\":null"
	sim eject mlx5_3
	wait_until 5 lacks_function mlx5_3
}

@test "device and port records match the platform's description" {
	local platform=$PLATFORMS/h100-oci.json
	shared_node h100-oci
	run --separate-stderr scan
	diff <(jq -S -c '.nics[] | [.device, .pci_address, .vendor, .driver, .hca_type, .fw_ver,
		.board_id, .numa_node, .is_vf,
			.physfn, .netdev, .ports[0].link_layer, .ports[0].state,
			.ports[0].phys_state, .ports[0].rate, .operstate]' "$platform" | sort) \
		<(jq -S -c -s '[.[]|select(.kind=="device")] as $d | .[] | select(.kind=="port")
			| . as $p
			| ($d[]|select(.device==$p.device)) | [.device, .pci, .vendor, .driver,
			.hca_type, .fw_ver, .board_id, .numa_node, .vf,
			.physfn, .netdevs[0].name, $p.link_layer, "\($p.state_id): \($p.state)",
			"\($p.phys_state_id): \($p.phys_state)",
			$p.rate, $p.operstate]' <<<"$output" | sort)
	record port mlx5_0 | jq -e '.rate_gbps==200 and .port==1 and .netdev=="rdma0"'
}

@test "a device record has the driver's version and the PCI link, and null for values that are unknown" {
	few h100-oci mlx5_0 mlx5_1 mlx5_2
	local link
	link="$NODE/sys/bus/pci/devices/$(pci mlx5_1)/current_link"
	echo 8 >"${link}_width"
	echo "16.0 GT/s PCIe" >"${link}_speed"
	link="$NODE/sys/bus/pci/devices/$(pci mlx5_2)/current_link"
	echo 63 >"${link}_width"
	echo Unknown >"${link}_speed"
	run --separate-stderr scan
	known() { record device "$1" | jq -c '[.driver_version, .pci_link_speed, .pci_link_width]'; }
	[ "$(known mlx5_0)" = '["24.10-1.1.4","32.0 GT/s PCIe",16]' ]
	[ "$(known mlx5_1)" = '["24.10-1.1.4","16.0 GT/s PCIe",8]' ]
	[ "$(known mlx5_2)" = '["24.10-1.1.4",null,null]' ]

	# An unreadable version is null: srcversion does not take its place.
	rm "$NODE/sys/module/mlx5_core/version"
	mkdir "$NODE/sys/module/mlx5_core/version"
	run --separate-stderr scan
	[ "$(known mlx5_0)" = '[null,"32.0 GT/s PCIe",16]' ]

	rmdir "$NODE/sys/module/mlx5_core/version"
	run --separate-stderr scan
	[ "$(known mlx5_0 | jq -r '.[0]')" = "$(cat "$NODE/sys/module/mlx5_core/srcversion")" ]
	rm -r "$NODE/sys/module" "${link%/*}"/current_link_*
	run --separate-stderr scan
	[ "$(known mlx5_2)" = '[null,null,null]' ]
	status_is 0
}

@test "PCI domains other than 0000 are kept" {
	shared_node gb200-nvl4
	run --separate-stderr scan
	[ "$(record device ibP16p3s0 | jq -r .pci)" = 0010:03:00.0 ]
}

# Thorough: tools
@test "virtual functions name their physical function; their counters are read only with --vf-counters" {
	shared_node a100-oci
	run --separate-stderr scan
	record device mlx5_18 | jq -e '.vf and .physfn=="0000:93:00.1"'
	record port mlx5_18 | jq -e \
		'.counters=={} and .hw_counters=={} and .net=={} and .state=="DOWN"'
	record port mlx5_17 | jq -e '(.counters|length)>0'
	run --separate-stderr scan --vf-counters
	record port mlx5_18 | jq -e '(.counters|length)>0 and (.net|length)>0'
}

# Thorough: tools
@test "a subfunction counts as a virtual function and has the PCI address of its parent function" {
	few h100-oci mlx5_0
	local function sf
	function=$(dirname "$(dirname "$(readlink -f "$NODE/sys/class/infiniband/mlx5_0")")")
	sf=$function/mlx5_core.sf.4
	mkdir -p "$sf/infiniband"
	cp -a "$function/infiniband/mlx5_0" "$sf/infiniband/mlx5_1"
	ln -sfn ../../../mlx5_core.sf.4 "$sf/infiniband/mlx5_1/device"
	printf '%s\n' DRIVER=mlx5_core.sf MODALIAS=auxiliary:mlx5_core.sf >"$sf/uevent"
	ln -s "$(realpath --relative-to="$NODE/sys/class/infiniband" "$sf/infiniband/mlx5_1")" \
		"$NODE/sys/class/infiniband/mlx5_1"
	run --separate-stderr scan
	record device mlx5_0 | jq -e '.vf | not'
	record device mlx5_1 | jq -e --arg pci "$(pci mlx5_0)" \
		'.vf and .physfn==null and .pci==$pci and .driver=="mlx5_core.sf"'
	record port mlx5_1 | jq -e '.counters=={} and .state=="ACTIVE"'
	[ "$(classify <<<"$output" | jq -r 'select(.device=="mlx5_1" and .reason) | .reason')" \
		= virtual_function ]
}

@test "interfaces stacked above a device's own are found across any number of levels" {
	few h100-oci mlx5_{0,1,3,4}
	local net=$NODE/sys/class/net
	mkdir -p "$NODE"/sys/devices/virtual/net/{bond7,bond7.100,br3}
	for i in bond7 bond7.100 br3; do ln -s "../../devices/virtual/net/$i" "$net/$i"; done
	ln -s ../bond7 "$net/rdma0/upper_bond7"
	ln -s ../bond7.100 "$net/bond7/upper_bond7.100"
	ln -s ../br3 "$net/bond7.100/upper_br3"
	ln -s ../bond7 "$net/br3/upper_bond7" # must not loop forever
	run --separate-stderr scan
	record device mlx5_0 | jq \
		-e '.netdevs==[{"name":"rdma0","uppers":["bond7","bond7.100","br3"]}]'
}

@test "an interface in a bond has bonded, whatever the bond is called; one in a bridge has not" {
	few h100-oci mlx5_{0,1,3,4}
	local i net=$NODE/sys/class/net
	mkdir -p "$net/lag0/bonding" "$net/bond3/bridge"
	for i in rdma0:lag0 rdma1:bond3; do
		ln -s "/class/net/${i#*:}" "$net/${i%:*}/upper_${i#*:}"
		ln -s "/class/net/${i#*:}" "$net/${i%:*}/master"
	done
	run --separate-stderr scan
	record device mlx5_0 | jq -e '.netdevs==[{"name":"rdma0","uppers":["lag0"],"bonded":true}]'
	record device mlx5_1 | jq -e '.netdevs==[{"name":"rdma1","uppers":["bond3"]}]'
}

# switch_mode DEVICE - put it into switchdev mode, with two ports of representors, both down. Sets
# NET, the directory of all network interfaces.
switch_mode() {
	local device=$NODE/sys/class/infiniband/$1 number
	rm -r "$device"/ports/1/{gids,gid_attrs}/*
	echo '1: DOWN' >"$device/ports/1/state"
	echo '3: Disabled' >"$device/ports/1/phys_state"
	for number in 2 3; do cp -r "$device/ports/1" "$device/ports/$number"; done
	NET=$NODE/sys/class/net
	mkdir "$device/device/net/pf0vf0"
	ln -s "../infiniband/$1/device/net/pf0vf0" "$NET/pf0vf0"
	echo pf0vf0 >"$NET/pf0vf0/phys_port_name"
}

@test "a NIC in switchdev mode has one port with the state of its uplink, whatever the representors say" {
	few h100-oci mlx5_{0,1,3,4}
	switch_mode mlx5_3
	run --separate-stderr scan --gids
	[ -z "$stderr" ]
	record device mlx5_3 | jq -e '.ports == 1'
	[ "$(jq -c 'select(.kind == "port" and .device == "mlx5_3")
		| [.port, .state, .phys_state, .netdev, .gids, .operstate]' <<<"$output")" \
		= '[1,"ACTIVE","LinkUp","rdma2",null,"up"]' ]
	record port mlx5_3 | jq -e '.counters.link_downed == 0'
	echo 0 >"$NET/rdma2/carrier"
	run --separate-stderr scan
	record port mlx5_3 | jq -e '.state == "DOWN" and .phys_state == "Disabled"'
	# Without the interface's carrier the state is unknown.
	rm "$NET/rdma2/carrier"
	run --separate-stderr scan
	record device mlx5_3 | jq -e '.error == "ENODATA"'
}

@test "in switchdev mode a bonded uplink has the state of its bond, and one below Open vSwitch its own" {
	few h100-oci mlx5_{0,1,3,4}
	switch_mode mlx5_3
	echo 0 >"$NET/rdma2/carrier"
	mkdir -p "$NET/bond7/bonding" "$NET/ovs-system"
	for i in bond7 ovs-system; do echo 1 >"$NET/$i/carrier"; done
	ln -s /class/net/bond7 "$NET/rdma2/master"
	run --separate-stderr scan
	record port mlx5_3 | jq -e '.state == "ACTIVE" and .phys_state == "LinkUp"'
	ln -sfn /class/net/ovs-system "$NET/rdma2/master"
	run --separate-stderr scan
	record port mlx5_3 | jq -e '.state == "DOWN"'
}

@test "a NIC in switchdev mode may have more ports than any other device" {
	few h100-oci mlx5_{0,1,3,4}
	switch_mode mlx5_3
	local number
	for number in {4..300}; do mkdir "$NODE/sys/class/infiniband/mlx5_3/ports/$number"; done
	run --separate-stderr scan
	[ -z "$stderr" ]
	record device mlx5_3 | jq -e '.ports == 1 and (has("error") | not)'
}

@test "a two-port device has two port records, each with its own interface" {
	jq '.nics = [.nics[0] | .ports += [.ports[0] + {port: 2, state: "1: DOWN",
		netdev: "second0"}]]' \
		"$PLATFORMS/h100-oci.json" >"$BATS_TEST_TMPDIR/two.json"
	NODE=$BATS_TEST_TMPDIR/node
	nicsim "$NODE" create "$BATS_TEST_TMPDIR/two.json"
	run --separate-stderr scan
	record device mlx5_0 | jq -e .ports==2
	[ "$(jq -c 'select(.kind=="port")|[.port,.state]' <<<"$output" | xargs)" \
		= "[1,ACTIVE] [2,DOWN]" ]
	[ "$(jq -r 'select(.kind=="port").netdev' <<<"$output" | xargs)" = "rdma0 second0" ]
}

# Thorough: tools
@test "an interface of another network namespace belongs to no port here, even with the name of one here" {
	few h100-oci mlx5_{0,1,3,4}
	local ib=$NODE/sys/class/infiniband name=rdma0 before
	before=$(scan | jq -c 'select(.kind == "port" and .device == "mlx5_0")')
	[ "$(jq -r .netdev <<<"$before")" = "$name" ]
	# A container has mlx5_3's interface under the name of mlx5_0's: the kernel shows that name
	# in the GID table.
	rm "$NODE/sys/class/net/$(ls "$ib/mlx5_3/device/net")"
	rm -r "$ib/mlx5_3/device/net"/*
	echo "$name" >"$ib/mlx5_3/ports/1/gid_attrs/ndevs/0"
	run --separate-stderr scan
	status_is 0
	record port mlx5_3 | jq -e \
		'.netdev == null and .operstate == null and .net == {} and .state == "ACTIVE"'
	record device mlx5_3 | jq -e '.netdevs == []'
	record port mlx5_0 | jq -e --argjson before "$before" \
		'.netdev == $before.netdev and .operstate == $before.operstate'
	# The same with the name of an interface that does not exist here.
	echo elsewhere >"$ib/mlx5_3/ports/1/gid_attrs/ndevs/0"
	run --separate-stderr scan
	record port mlx5_3 | jq -e '.netdev == null'
}

@test "a port without counters still counts as read in full" {
	node h100-oci
	local ib=$NODE/sys/class/infiniband
	rm -r "$ib/mlx5_1/ports/1/counters" "$ib/mlx5_1/ports/1/hw_counters"
	run --separate-stderr scan
	record port mlx5_1 | jq -e '.counters=={} and .hw_counters=={} and .net.carrier_changes==2'
	record scan.end | jq -e '.complete and .devices==18 and .ports==18'
}

# --- devices whose driver is removing them or still setting them up ---

# unreadable DEVICE ERROR - check that the last scan has this error for DEVICE and none for another
unreadable() {
	status_is 0
	record device "$1" | jq -e --arg e "$2" '.error==$e and .ports==0'
	record scan.end | jq -e --arg d "$1" \
		'(.complete|not) and .unreadable==[$d] and .devices==18 and .ports==17'
}

# Thorough: tools
@test "a device whose ports do not exist (yet) counts as unreadable" {
	node h100-oci
	local ports=$NODE/sys/class/infiniband/mlx5_3/ports
	sim strip mlx5_3
	run --separate-stderr scan
	unreadable mlx5_3 no_ports
	mkdir "$ports"
	run --separate-stderr scan
	unreadable mlx5_3 no_ports
	: >"$ports/README"
	run --separate-stderr scan
	unreadable mlx5_3 no_ports
	rm -r "$ports"
	echo 1 >"$ports"
	run --separate-stderr scan
	unreadable mlx5_3 no_ports
}

# Thorough: tools
@test "a device whose ports cannot be listed counts as unreadable" {
	node h100-oci
	local ports=$NODE/sys/class/infiniband/mlx5_3/ports
	sim strip mlx5_3
	ln -s ports "$ports"
	run --separate-stderr scan
	unreadable mlx5_3 ELOOP
	rm "$ports"
	mkdir "$ports"
	# More ports than a device can have.
	(cd "$ports" && mkdir $(seq 1 257))
	run --separate-stderr scan
	unreadable mlx5_3 E2BIG
}

@test "a device counts as unreadable if permission to list its ports is missing" {
	node h100-oci
	chmod 000 "$NODE/sys/class/infiniband/mlx5_3/ports"
	local without=()
	# Root may list everything unless it lacks these capabilities.
	[ "$(id -u)" -ne 0 ] || without=(setpriv "--bounding-set=-dac_override,-dac_read_search")
	run --separate-stderr "${without[@]}" ibscan --sysfs-root "$NODE/sys"
	unreadable mlx5_3 EACCES
}

@test "a device without ports, driver and interfaces is no error: it may never have any" {
	node h100-oci
	mkdir "$NODE/sys/class/infiniband/odd0"
	run --separate-stderr scan
	record device odd0 | jq -e '.ports==0 and .driver==null and (has("error")|not)'
	record scan.end | jq -e '.complete and .devices==19 and .ports==18'
}

@test "a device that loses its ports and its device link between scans counts as unreadable" {
	few h100-oci mlx5_{0,1,3,4}
	background scan --interval 50ms
	wait_until 5 the_device_is fine mlx5_3 "$BATS_TEST_TMPDIR/out"
	sim strip mlx5_3
	rm "$(readlink -f "$NODE/sys/class/infiniband/mlx5_3")/device"
	wait_until 5 the_device_is no_ports mlx5_3 "$BATS_TEST_TMPDIR/out"
	[ "$(jq -c 'select(.kind=="device" and .device=="mlx5_3" and .ports==0
		and (has("error")|not))' "$BATS_TEST_TMPDIR/out")" = "" ]
}

# Thorough: tools
@test "a port whose files do not exist (yet) is left out, and its device counts as unreadable" {
	node h100-oci
	local file
	for file in state phys_state link_layer; do
		rm "$NODE/sys/class/infiniband/mlx5_3/ports/1/$file"
		run --separate-stderr scan
		unreadable mlx5_3 ENOENT
		sim restore mlx5_3
	done
	rm -r "$NODE/sys/class/infiniband/mlx5_3/ports/1"
	ln -s nowhere "$NODE/sys/class/infiniband/mlx5_3/ports/1"
	run --separate-stderr scan
	unreadable mlx5_3 ENOENT
}

@test "a port is left out and its device counts as unreadable until its link layer can be read" {
	node h100-oci
	sim unreadable mlx5_3/1 link_layer
	run --separate-stderr scan
	unreadable mlx5_3 EISDIR
	background scan --interval 50ms
	wait_until 5 the_device_is EISDIR mlx5_3 "$BATS_TEST_TMPDIR/out"
	sim mend mlx5_3/1 link_layer
	wait_until 5 the_device_is fine mlx5_3 "$BATS_TEST_TMPDIR/out"
}

@test "a NIC with one interface is read while the lock of all interfaces is held" {
	few h100-oci mlx5_{0,1,3,4}
	local net=$NODE/sys/class/infiniband/mlx5_3/device/net
	# kernel#interface-lock
	mkfifo "$net/rdma2/phys_port_name"
	run --separate-stderr scan --device-timeout 200ms
	record device mlx5_3 | jq -e '(has("error") | not) and .netdevs[0].name == "rdma2"'
}

@test "a device that hangs at its first attribute still has the PCI address and the driver of its links" {
	few h100-oci mlx5_{0,1,3,4}
	local device
	sim hang mlx5_3 fw_ver
	sim hang mlx5_4 device/uevent
	ln -s ../0000:2a:00.0 "$NODE/sys/class/infiniband/mlx5_4/device/physfn"
	run --separate-stderr scan --device-timeout 200ms
	sim mend mlx5_3 fw_ver
	sim mend mlx5_4 device/uevent
	for device in mlx5_3 mlx5_4; do
		record device $device | jq -e --arg pci "$(pci $device)" '.error=="timeout" and
			.pci==$pci and .driver=="mlx5_core" and .vf==(.device=="mlx5_4")'
	done
}

# Thorough: tools
@test "an incomplete device is read anew in each scan even if no directory's time changes" {
	jq '.nics = [.nics[0] | .ports += [.ports[0] + {port: 2, netdev: null}]]' \
		"$PLATFORMS/h100-oci.json" >"$BATS_TEST_TMPDIR/two.json"
	NODE=$BATS_TEST_TMPDIR/node
	nicsim "$NODE" create "$BATS_TEST_TMPDIR/two.json"
	local device
	device=$(readlink -f "$NODE/sys/class/infiniband/mlx5_0")
	# quietly DIRECTORY COMMAND... - run COMMAND and restore the times of DIRECTORY
	quietly() {
		touch -r "$1" "$BATS_TEST_TMPDIR/times"
		"${@:2}"
		touch -r "$BATS_TEST_TMPDIR/times" "$1"
	}
	last_ports() { jq -r 'select(.kind=="device").ports' "$BATS_TEST_TMPDIR/out" | tail -n 1; }
	ports_are() { [ "$(last_ports)" = "$1" ]; }

	quietly "$device/ports" mv "$device/ports/2" "$device/ports/1/phys_state" \
		"$BATS_TEST_TMPDIR"
	background scan --interval 50ms
	wait_until 5 the_device_is ENOENT mlx5_0 "$BATS_TEST_TMPDIR/out"
	quietly "$device/ports/1" mv "$BATS_TEST_TMPDIR/phys_state" "$device/ports/1"
	wait_until 5 the_device_is fine mlx5_0 "$BATS_TEST_TMPDIR/out"
	ports_are 1
	quietly "$device/ports" mv "$BATS_TEST_TMPDIR/2" "$device/ports"
	wait_until 5 ports_are 2
}

@test "a counter that is not a number is left out, never 0" {
	few h100-oci mlx5_{0,1,3,4}
	local dir=$NODE/sys/class/infiniband/mlx5_3/ports/1/counters
	printf 'N/A (no PMA)\n' >"$dir/link_downed"
	printf -- '-1\n' >"$dir/symbol_error"
	: >"$dir/port_rcv_errors"
	printf '0x10\n' >"$dir/VL15_dropped"
	printf '18446744073709551616\n' >"$dir/port_xmit_discards"
	sim unreadable mlx5_3/1 counters/local_link_integrity_errors
	run --separate-stderr scan
	record port mlx5_3 | jq -e \
		'.counters | (has("link_downed") or has("symbol_error") or has("port_rcv_errors")
		or has("VL15_dropped") or has("port_xmit_discards")
		or has("local_link_integrity_errors"))|not'
	record port mlx5_3 | jq -e '.counters.link_error_recovery==0'
	record scan.end | jq -e .complete
}

@test "a counter that exists in two places of an interface is in the record once" {
	few h100-oci mlx5_{0,1,3,4}
	echo 7 >"$NODE/sys/class/net/rdma2/statistics/carrier_changes"
	run --separate-stderr scan
	[ "$(record port mlx5_3 | grep -o carrier_changes | wc -l)" -eq 1 ]
}

@test "values up to 2^63-1 are integers, above that decimal strings" {
	few h100-oci mlx5_{0,1,3,4}
	sim set mlx5_3/1 counters/port_rcv_data 9223372036854775807
	sim set mlx5_3/1 counters/port_xmit_data 9223372036854775808
	sim set mlx5_3/1 hw_counters/rx_read_requests 18446744073709551615
	run --separate-stderr scan
	grep -q '"port_rcv_data":9223372036854775807,' <<<"$output"
	grep -q '"port_xmit_data":"9223372036854775808"' <<<"$output"
	grep -q '"rx_read_requests":"18446744073709551615"' <<<"$output"
}

@test "missing or doubled newlines and stray white space make no difference" {
	few h100-oci mlx5_{0,1,3,4}
	local port=$NODE/sys/class/infiniband/mlx5_3/ports/1
	printf '4: ACTIVE' >"$port/state"
	printf '5: LinkUp\n\n' >"$port/phys_state"
	printf ' Ethernet \n' >"$port/link_layer"
	printf '17' >"$port/counters/link_downed"
	run --separate-stderr scan
	record port mlx5_3 | jq -e \
		'.state=="ACTIVE" and .state_id==4 and .phys_state=="LinkUp" and .phys_state_id==5
		and .link_layer=="Ethernet" and .counters.link_downed==17'
}

@test "invalid state texts are passed on printable; a state without a name has a null name" {
	few h100-oci mlx5_{0,1,3,4}
	local port=$NODE/sys/class/infiniband/mlx5_3/ports/1
	printf '9:\n' >"$port/phys_state"
	printf 'up\033[31m \377\n' >"$port/state"
	printf 'fast\n' >"$port/rate"
	run --separate-stderr scan
	record port mlx5_3 | jq -e \
		'.phys_state==null and .phys_state_id==9 and .state_id==null and .rate=="fast"
			and .rate_gbps==null
		and .state=="up\u001b[31m \ufffd"'
	none grep -q $'\033' <<<"$output"
}

@test "a port with an unreadable state is left out, its device has the error, and its neighbours are read" {
	node h100-oci
	sim unreadable mlx5_3/1 state
	run --separate-stderr scan
	record device mlx5_3 | jq -e '.error=="EISDIR" and .ports==0'
	[ -z "$(record port mlx5_3)" ]
	record scan.end | jq -e '(.complete|not) and .unreadable==["mlx5_3"] and .ports==17'
	[ "$(jq -c 'select(.kind=="port" and .counters.link_downed==0)' <<<"$output" | wc -l)" \
		-eq 17 ]
}

@test "an empty state or link_layer counts as unreadable" {
	for file in state phys_state link_layer; do
		few h100-oci mlx5_{0,1,3,4}
		: >"$NODE/sys/class/infiniband/mlx5_3/ports/1/$file"
		run --separate-stderr scan
		record device mlx5_3 | jq -e '.error=="ENODATA" and .ports==0'
		[ -z "$(record port mlx5_3)" ]
		rm -r "$NODE"
	done
}

@test "a dangling class link makes the scan incomplete, and its device record has the error" {
	node h100-oci
	sim dangle mlx5_7
	run --separate-stderr scan
	status_is 0
	record device mlx5_7 | jq -e '.error=="ENOENT" and .ports==0 and .pci=="0000:58:00.0"'
	record scan.end | jq -e '(.complete|not) and .unreadable==["mlx5_7"] and .devices==18'
}

@test "names and ids that are not UTF-8 do not make a record invalid" {
	few h100-oci mlx5_{0,1,3,4}
	local net=$NODE/sys/class/infiniband/mlx5_3/device/net
	mv "$net"/* "$net/"$'e\xff0'
	printf 'b\xff\n' >"$NODE/proc/sys/kernel/random/boot_id"
	run --separate-stderr scan
	status_is 0
	record port mlx5_3 | jq -e '.netdev=="e\ufffd0"'
	record scan.begin | jq -e '.boot_id==null'
	record scan.end | jq -e .complete
}

@test "files beside the devices and interfaces do not count as devices or interfaces" {
	node h100-oci
	echo 6 >"$NODE/sys/class/infiniband/abi_version"
	echo bond0 >"$NODE/sys/class/net/bonding_masters"
	echo 1 >"$NODE/sys/class/infiniband/mlx5_0/ports/README"
	run --separate-stderr scan
	record scan.end | jq -e '.complete and .devices==18'
}

@test "a class directory that is moved away during a run is an error, and its successor is scanned" {
	few h100-oci mlx5_{0,1,3,4}
	local out=$BATS_TEST_TMPDIR/out class=$NODE/sys/class/infiniband
	background scan --interval 50ms --counters none
	wait_until 5 has_lines 2 "$out" '"kind":"scan.end".*"devices":4,"ports":4,'
	mv "$class" "$NODE/elsewhere"
	wait_until 5 has_lines 1 "$out" '"kind":"scan.end".*"error":"ENOENT"'
	mkdir "$class"
	cp -a "$NODE"/elsewhere/mlx5_{0,1} "$class"
	wait_until 5 has_lines 2 "$out" '"kind":"scan.end".*"devices":2,"ports":2,"complete":true'
}

@test "a node without RDMA devices makes a record with an error and exits 0" {
	mkdir -p "$BATS_TEST_TMPDIR/sys/class"
	run --separate-stderr ibscan --sysfs-root "$BATS_TEST_TMPDIR/sys"
	status_is 0
	record scan.end | jq -e '.complete==false and .error=="ENOENT" and .devices==0'
}

@test "a sysfs root that does not exist exits 66" {
	run --separate-stderr ibscan --sysfs-root "$BATS_TEST_TMPDIR/nowhere"
	status_is 66 '^ibscan: error: .*/nowhere: No such file or directory$'
	[ -z "$output" ]
}

@test "a boot id that cannot be read is null and makes one warning" {
	shared_node h100-oci
	run --separate-stderr ibscan --sysfs-root "$NODE/sys" \
		--boot-id-file "$BATS_TEST_TMPDIR/none"
	status_is 0 '^ibscan: warning: .*/none: No such file'
	record scan.begin | jq -e '.boot_id==null'
	[ "$(wc -l <<<"$stderr")" -eq 1 ]
}

@test "an empty boot id is null, and does not replace one that is already known" {
	few h100-oci mlx5_0
	local out=$BATS_TEST_TMPDIR/out file=$NODE/proc/sys/kernel/random/boot_id
	: >"$file"
	background scan --interval 50ms --counters none
	wait_until 5 has_lines 2 "$out" '"boot_id":null'
	echo b >"$file"
	wait_until 5 has_lines 1 "$out" '"boot_id":"b"'
	: >"$file"
	wait_until 5 has_lines 3 "$out" '"boot_id":"b"'
	kill -TERM "$PID"
	ends_with 0 "$PID"
	[ "$(grep -o '"boot_id":[^,]*' "$out" | uniq | xargs)" = 'boot_id:null boot_id:b' ]
}

@test "the node's name comes from --node, else NODE_NAME, else the host name" {
	shared_node h100-oci
	run --separate-stderr ibscan --sysfs-root "$NODE/sys" --node a
	record scan.begin | jq -e '.node=="a"'
	NODE_NAME=b run --separate-stderr ibscan --sysfs-root "$NODE/sys"
	record scan.begin | jq -e '.node=="b"'
	run --separate-stderr ibscan --sysfs-root "$NODE/sys"
	record scan.begin | jq -e --arg h "$(uname -n)" '.node==$h'
}

# --- options ---

@test "--counters reads all counters, none, a list, or what the configuration enables" {
	shared_node h100-oci
	run --separate-stderr scan --counters none
	record port mlx5_3 | jq -e '.counters=={} and .hw_counters=={} and .net=={}'
	run --separate-stderr scan \
		--counters " link_downed, hw_counters/out_of_sequence,,carrier_changes,"
	record port mlx5_3 | jq -e \
		'.counters=={"link_downed":0} and .hw_counters=={"out_of_sequence":0}
			and .net=={"carrier_changes":2}'
	run --separate-stderr scan --counters configured
	[ "$(record port mlx5_3 | jq -r '[.counters,.hw_counters,.net|keys[]]|join(" ")')" \
		= "excessive_buffer_overrun_errors link_downed link_error_recovery \
local_link_integrity_errors port_rcv_errors port_xmit_discards port_xmit_wait symbol_error \
local_ack_timeout_err out_of_sequence rnr_nak_retry_err roce_slow_restart carrier_changes" ]
	cat >"$BATS_TEST_TMPDIR/c.yaml" <<-END
		counterDetection: {counters: [{name: link_downed, enabled: false}, {name: rx_crc_errors, enabled: true}]}
	END
	run --separate-stderr scan --config "$BATS_TEST_TMPDIR/c.yaml"
	record port mlx5_3 | jq -e \
		'(.counters|has("link_downed")|not) and .net.rx_crc_errors==0
			and .counters.symbol_error==0'
	echo 'counterDetection: {enabled: false}' >"$BATS_TEST_TMPDIR/c.yaml"
	run --separate-stderr scan --config "$BATS_TEST_TMPDIR/c.yaml"
	record port mlx5_3 | jq -e '.counters=={} and .hw_counters=={} and .net=={}'
	run --separate-stderr scan --config "$BATS_TEST_TMPDIR/c.yaml" --counters all
	record port mlx5_3 | jq -e \
		'(.counters|length)>15 and (.hw_counters|length)>15 and .net.rx_crc_errors==0'
}

@test "the configuration sets the path of sysfs unless --sysfs-root does" {
	shared_node h100-oci
	echo "sysClassInfinibandPath: $NODE/sys/class/infiniband" >"$BATS_TEST_TMPDIR/c.yaml"
	run --separate-stderr ibscan --config "$BATS_TEST_TMPDIR/c.yaml"
	status_is 0
	record scan.end | jq -e '.devices == 18'
	mkdir "$BATS_TEST_TMPDIR/empty"
	run --separate-stderr ibscan --config "$BATS_TEST_TMPDIR/c.yaml" \
		--sysfs-root "$BATS_TEST_TMPDIR/empty"
	record scan.end | jq -e '.devices == 0'
}

@test "--include and --exclude choose devices by name, and a scan of the chosen devices is complete" {
	shared_node h100-oci
	run --separate-stderr scan --include '^mlx5_1' --exclude '_1[0-5]$'
	[ "$(jq -r 'select(.kind=="device").device' <<<"$output" | xargs)" \
		= "mlx5_1 mlx5_16 mlx5_17" ]
	record scan.end | jq -e .complete
}

@test "--gids counts the valid entries of the GID table; without it records have no count" {
	shared_node h100-oci
	run --separate-stderr scan
	record port mlx5_3 | jq -e 'has("gids")|not'
	run --separate-stderr scan --gids
	record port mlx5_3 | jq -e '.gids | .total==2 and .ipv4_mapped==1 and .roce_v2<=2'
}

@test "a GID table with an unreadable entry has a null count, because the entry may be valid" {
	few h100-oci mlx5_3
	rm "$NODE/sys/class/infiniband/mlx5_3/ports/1/gids/1"
	mkdir "$NODE/sys/class/infiniband/mlx5_3/ports/1/gids/1"
	run --separate-stderr scan --gids
	record port mlx5_3 | jq -e 'has("gids") and .gids == null'
}

@test "a wrong option or value is one line with a hint and exits 64" {
	run --separate-stderr ibscan --nope
	status_is 64 "^ibscan: error: unknown option '--nope' \(try 'ibscan --help'\)$"
	run --separate-stderr ibscan --interval 1
	status_is 64 "^ibscan: error: --interval '1': not a duration"
	run --separate-stderr ibscan --interval 0s
	status_is 64 "^ibscan: error: --interval '0s': must be more than 0"
	run --separate-stderr ibscan --interval 2d
	status_is 64 "^ibscan: error: --interval '2d': more than a day"
	run --separate-stderr ibscan --count 0
	status_is 64 "^ibscan: error: --count '0': not a number of scans"
	run --separate-stderr ibscan --counters ../x
	status_is 64 "^ibscan: error: --counters '../x': not a counter"
	run --separate-stderr ibscan --counters hw_counters/lifespan
	status_is 64 "not a counter"
	run --separate-stderr ibscan --include '('
	status_is 64 "^ibscan: error: --include '\(': "
	run --separate-stderr ibscan --sysfs-root
	status_is 64 "^ibscan: error: a value is missing after '--sysfs-root'"
	run --separate-stderr ibscan --node "$(printf 'x%.0s' {1..254})"
	status_is 64 "not a valid node name"
	run --separate-stderr ibscan extra
	status_is 64 "^ibscan: error: reading records needs another --format than json"
	[ "$(wc -l <<<"$stderr")" -eq 1 ]
}

@test "a full disk on stdout exits 74" {
	shared_node h100-oci
	run --separate-stderr bash -c 'ibscan --sysfs-root "$1/sys" >/dev/full' _ "$NODE"
	status_is 74 '^ibscan: error: stdout: No space left on device$'
}

# --- over time ---

@test "--count limits the number of scans, which are numbered from 1 and begin at multiples of the interval" {
	shared_node h100-oci
	run --separate-stderr scan --interval 20ms --count 4
	status_is 0
	[ "$(jq 'select(.kind=="scan.begin").scan' <<<"$output" | xargs)" = "1 2 3 4" ]
	jq -s -e '[.[]|select(.kind=="scan.begin")] | all(.interval_ms==20)
		and ([.[].boottime_ns] | [range(1;length) as $i | .[$i]-.[$i-1]] | all(. > 0))' \
			<<<"$output"
}

@test "after SIGTERM ibscan finishes the scan in progress and exits 0" {
	shared_node h100-oci
	background scan --interval 50ms
	wait_until 5 scans 2 "$BATS_TEST_TMPDIR/out"
	kill -TERM "$PID"
	wait "$PID"
	[ "$(tail -n 1 "$BATS_TEST_TMPDIR/out" | jq -r .kind)" = scan.end ]
}

# lives_by PIPE ARGUMENT... - start scans that stop with the last reader of the pipe, which
# descriptor 8 is
lives_by() {
	mkfifo "$1"
	exec 8<>"$1"
	# shellcheck disable=SC2094 # two ends of a pipe
	background scan "${@:2}" --lifeline 9 9>"$1" 8>&-
}

@test "with --lifeline the scans end with the last reader of that pipe, however long the interval is" {
	shared_node h100-oci
	lives_by "$BATS_TEST_TMPDIR/pipe" --interval 1h
	wait_until 5 scans 1 "$BATS_TEST_TMPDIR/out"
	exec 8>&-
	ends_with 0 "$PID"
	[ ! -s "$BATS_TEST_TMPDIR/err" ]
	[ "$(tail -n 1 "$BATS_TEST_TMPDIR/out" | jq -r .kind)" = scan.end ]
}

@test "with --lifeline the scans also end while ibscan waits for events" {
	shared_node h100-oci
	mkfifo "$BATS_TEST_TMPDIR/events"
	exec 7<>"$BATS_TEST_TMPDIR/events"
	lives_by "$BATS_TEST_TMPDIR/pipe" --interval 1h --events "$BATS_TEST_TMPDIR/events"
	wait_until 5 scans 1 "$BATS_TEST_TMPDIR/out"
	exec 8>&-
	ends_with 0 "$PID"
	exec 7>&-
}

@test "--lifeline rejects what is no descriptor" {
	run --separate-stderr ibscan --lifeline x
	status_is 64 "^ibscan: error: --lifeline 'x': not a descriptor \(try 'ibscan --help'\)$"
	run --separate-stderr ibscan --lifeline 9 9>&-
	status_is 64 "^ibscan: error: --lifeline 9: Bad file descriptor$"
	run --separate-stderr ibscan --lifeline 3 --format table -
	status_is 64 "^ibscan: error: --lifeline cannot be combined with records from -"
}

@test "a hung device is reported as timeout within the deadline and neither delays nor hides its neighbours" {
	node h100-oci
	sim hang mlx5_3/1 counters/link_downed
	run --separate-stderr scan --device-timeout 1s
	status_is 0
	record device mlx5_3 | jq -e '.error=="timeout" and .ports==0'
	record scan.end | jq -e '(.complete|not) and .unreadable==["mlx5_3"] and .ports==17
		and .duration_us<10000000'
	[ "$(jq -c 'select(.kind=="port" and .counters.link_downed==0)' <<<"$output" | wc -l)" \
		-eq 17 ]
	# The record has the attributes read before it hung.
	record device mlx5_3 | jq -e '.pci=="0000:2a:00.0" and .driver=="mlx5_core" and .vf==false'
}

@test "a scan ends even if every device hangs" {
	node h100-oci
	printf '0s hang mlx5_%d/1 state\n' {0..17} | sim run - >"$BATS_TEST_TMPDIR/ran"
	run --separate-stderr scan --device-timeout 300ms
	status_is 0
	jq -s -e '[.[]|select(.kind=="device")] | length==18 and all(.error=="timeout")' \
		<<<"$output"
}

# has_read_phys_state - return success while the scan hangs at the state of mlx5_3, after its
# phys_state
has_read_phys_state() { readlink "/proc/$PID/fd/"* | grep \
	-q '/infiniband/mlx5_3/ports/1/phys_state$'; }

@test "a port that goes down between the reads of its two states has both new states, not a mixture" {
	few h100-oci mlx5_{0,1,3,4}
	# `state` is read after the fault, `phys_state` was read before it.
	sim hang mlx5_3/1 state
	background scan --device-timeout 60s
	wait_until 20 has_read_phys_state
	sim down mlx5_3/1
	sim mend mlx5_3/1 state
	ends_with 0 "$PID"
	[ "$(last_value '[.state, .phys_state, .operstate]' "$BATS_TEST_TMPDIR/out")" \
		= '["DOWN","Disabled","down"]' ]
}

# Thorough: tools
@test "time during which ibscan was stopped does not count against a device" {
	few h100-oci mlx5_{0,1,3,4}
	sim hang mlx5_3/1 state
	background scan --device-timeout 4s
	wait_until 20 has_read_phys_state
	kill -STOP "$PID"
	pause 5
	kill -CONT "$PID"
	sim mend mlx5_3/1 state
	ends_with 0 "$PID"
	the_device_is fine mlx5_3 "$BATS_TEST_TMPDIR/out"
}

@test "a device that starts to hang delays one scan only, and is back when it answers" {
	few h100-oci mlx5_{0,1,3,4}
	background scan --interval 100ms --device-timeout 300ms
	wait_until 5 the_device_is fine mlx5_3 "$BATS_TEST_TMPDIR/out"
	sim hang mlx5_3/1 counters/link_downed
	wait_until 5 the_device_is timeout mlx5_3 "$BATS_TEST_TMPDIR/out"
	# Changes of its neighbours are reported meanwhile.
	sim set mlx5_4/1 counters/symbol_error 4711
	wait_until 5 has_lines 1 "$BATS_TEST_TMPDIR/out" '"symbol_error":4711'
	the_device_is timeout mlx5_3 "$BATS_TEST_TMPDIR/out"
	sim mend mlx5_3/1 counters/link_downed
	sim set mlx5_3/1 counters/link_downed 5
	wait_until 5 the_device_is fine mlx5_3 "$BATS_TEST_TMPDIR/out"
	wait_until 5 has_lines 1 "$BATS_TEST_TMPDIR/out" '"device":"mlx5_3",.*"link_downed":5,'
}

# in_flight DEVICE ATTRIBUTE LEAST_MS - return success if a record says that reading ATTRIBUTE has
# taken at least so long
in_flight() {
	jq -s -e --arg d "$1" --arg w "$2" --argjson ms "$3" 'any(.kind=="device" and .device==$d
		and .error=="timeout" and .in_flight==$w and .in_flight_ms>=$ms)' \
		"$BATS_TEST_TMPDIR/out" 2>/dev/null
}

# Thorough: tools
@test "a hung device's record has the attribute being read and its duration over all attempts" {
	few h100-oci mlx5_{0,1,3,4}
	background scan --interval 100ms --device-timeout 300ms
	wait_until 5 the_device_is fine mlx5_3 "$BATS_TEST_TMPDIR/out"
	sim hang mlx5_3/1 state
	sim hang mlx5_4/1 counters/link_downed
	wait_until 20 in_flight mlx5_3 state 2000
	wait_until 20 in_flight mlx5_4 counter 2000
	sim mend mlx5_3/1 state
	wait_until 20 the_device_is fine mlx5_3 "$BATS_TEST_TMPDIR/out"
	# The time starts anew with the next hang, and a device that answers has none.
	jq -s -e '[.[] | select(.kind=="device" and .error==null)] | all(has("in_flight_ms") | not)' \
		<(sed '$d' "$BATS_TEST_TMPDIR/out")
	sim hang mlx5_3/1 state
	wait_until 20 the_device_is timeout mlx5_3 "$BATS_TEST_TMPDIR/out"
	jq -s -e '[.[] | select(.kind=="device" and .device=="mlx5_3")]
		| .[(map(.error==null) | rindex(true)) + 1].in_flight_ms < 2000' \
		<(sed '$d' "$BATS_TEST_TMPDIR/out")
}

# Build $library: preloaded, it stops the listing of the devices while the file $NHM_STUCK exists.
can_be_stuck() {
	library=$BATS_TEST_TMPDIR/stuck.so
	"${CC:-cc}" -O2 -D_GNU_SOURCE -fPIC -shared -o "$library" "$ROOT/test/lib/stuck.c"
	export NHM_STUCK=$BATS_TEST_TMPDIR/is-stuck
	export ASAN_OPTIONS=verify_asan_link_order=0:${ASAN_OPTIONS-}
}

# Thorough: tools
@test "a stuck scan writes a scan.stall record about once a second until it proceeds" {
	few h100-oci mlx5_{0,1,3,4}
	can_be_stuck
	LD_PRELOAD=$library background scan --interval 100ms --device-timeout 300ms --confine=off
	wait_until 5 the_device_is fine mlx5_3 "$BATS_TEST_TMPDIR/out"
	touch "$NHM_STUCK"
	wait_until 20 has_lines 2 "$BATS_TEST_TMPDIR/out" '"kind":"scan.stall"'
	rm "$NHM_STUCK"
	local scan
	scan=$(grep '"kind":"scan.begin"' "$BATS_TEST_TMPDIR/out" | tail -n 1 | jq .scan)
	wait_until 20 has_lines 1 "$BATS_TEST_TMPDIR/out" "\"kind\":\"scan.end\",\"scan\":$scan,"
	kill "$PID"
	ends_with 0 "$PID"
	jq -s -e '[.[] | select(.kind=="scan.stall")] | length >= 2
		and all(.node=="test-node" and .in_flight_ms>1300) and .[0].in_flight_ms<5000
		and (.[1].in_flight_ms - .[0].in_flight_ms | . > 900 and . < 1100)
		and .[1].boottime_ns > .[0].boottime_ns' "$BATS_TEST_TMPDIR/out"
}

@test "a scan that cannot list the devices for longer than --device-timeout still gives each its time" {
	few h100-oci mlx5_{0,1,3,4}
	can_be_stuck
	touch "$NHM_STUCK"
	sim hang mlx5_3/1 state
	LD_PRELOAD=$library background scan --device-timeout 2s --confine=off
	sleep 2.5
	rm "$NHM_STUCK"
	# It is slow, but has not had two seconds.
	sleep 0.5
	sim mend mlx5_3/1 state
	ends_with 0 "$PID"
	jq -s -e '[.[] | select(.kind=="device")] | length == 4 and all(.error == null)' \
		"$BATS_TEST_TMPDIR/out"
}

@test "a port that cannot be opened is an error in every scan, and its neighbours are read" {
	jq '.nics = [.nics[0] | .ports += [.ports[0] + {port: 2}]]' "$PLATFORMS/h100-oci.json" \
		>"$BATS_TEST_TMPDIR/two.json"
	NODE=$BATS_TEST_TMPDIR/node
	nicsim "$NODE" create "$BATS_TEST_TMPDIR/two.json"
	rm -r "$NODE/sys/class/infiniband/mlx5_0/ports/1"
	ln -s 1 "$NODE/sys/class/infiniband/mlx5_0/ports/1"
	run --separate-stderr scan --interval 10ms --count 3
	status_is 0
	[ "$(jq -c 'select(.kind=="device") | [.error, .ports]' <<<"$output" | xargs)" \
		= "[ELOOP,1] [ELOOP,1] [ELOOP,1]" ]
	[ "$(jq -c 'select(.kind=="port") | [.port, .state]' <<<"$output" | xargs)" \
		= "[2,ACTIVE] [2,ACTIVE] [2,ACTIVE]" ]
	jq -s -e '[.[]|select(.kind=="scan.end")]
		| all(.complete==false and .unreadable==["mlx5_0"])' <<<"$output"
}

# Thorough: tools
@test "a device that timed out once and is then only slow is in every scan again" {
	few h100-oci mlx5_{0,1,3,4}
	sim hang mlx5_3/1 counters/link_downed
	# Each read of this file waits for a writer that comes later than ibscan waits for a suspect
	# device.
	answer_slowly() {
		local pipe
		pipe=$(readlink -f "$NODE/sys/class/infiniband/mlx5_3")/ports/1/counters/link_downed
		while [ -p "$pipe" ]; do
			sleep 0.03
			command timeout 1 bash -c 'echo 7 >"$1"' _ "$pipe" 2>/dev/null || true
		done
	}
	background scan --interval 200ms --device-timeout 1s
	wait_until 5 the_device_is timeout mlx5_3 "$BATS_TEST_TMPDIR/out"
	answer_slowly 3>&- &
	BACKGROUND+=("$!")
	three_in_a_row() {
		[ "$(jq -r 'select(.kind=="device" and .device=="mlx5_3") | .error // "fine"' \
			"$BATS_TEST_TMPDIR/out" | tail -n 3 | xargs)" = "fine fine fine" ]
	}
	wait_until 10 three_in_a_row
	[ "$(last_value .counters.link_downed "$BATS_TEST_TMPDIR/out")" = 7 ]
	sim mend mlx5_3/1 counters/link_downed
}

@test "a device that answers again is in the scans again although many others still hang" {
	node h100-oci
	local device before
	# mlx5_17 comes last: each of the others blocks a thread before it.
	for device in "$NODE"/sys/class/infiniband/*; do
		sim hang "${device##*/}/1" counters/link_downed
	done
	background scan --interval 500ms
	# Only after --device-timeout, when their readings are given up, are they all read anew.
	wait_until 20 scans 8 "$BATS_TEST_TMPDIR/out"
	the_device_is timeout mlx5_17 "$BATS_TEST_TMPDIR/out"
	sim mend mlx5_17/1 counters/link_downed
	before=$(grep -c '"kind":"scan.end"' "$BATS_TEST_TMPDIR/out")
	wait_until 20 scans $((before + 14)) "$BATS_TEST_TMPDIR/out"
	jq -s -e --argjson from $((before + 6)) '[.[] | select(.kind=="device" and .scan>$from)]
		| (map(select(.device=="mlx5_17" and .error==null)) | length) >= 7
		and (map(select(.device=="mlx5_17" and .error!=null)) | length) == 0
		and (map(select(.device=="mlx5_3" and .error!="timeout")) | length) == 0' \
		<(sed '$d' "$BATS_TEST_TMPDIR/out")
}

@test "ibscan notices that a FIFO was replaced by a plain file, which wakes no reader" {
	few h100-oci mlx5_{0,1,3,4}
	local file=$NODE/sys/class/infiniband/mlx5_3/ports/1/counters/link_downed
	rm "$file"
	mkfifo "$file"
	background scan --interval 100ms --device-timeout 200ms
	wait_until 5 the_device_is timeout mlx5_3 "$BATS_TEST_TMPDIR/out"
	rm "$file"
	echo 9 >"$file"
	wait_until 5 the_device_is fine mlx5_3 "$BATS_TEST_TMPDIR/out"
	[ "$(last_value .counters.link_downed "$BATS_TEST_TMPDIR/out")" = 9 ]
}

@test "a device that is removed and added again between scans has its new values" {
	node h100-oci
	sim set mlx5_3/1 counters/link_downed 7
	background scan --interval 50ms
	wait_until 5 has_lines 1 "$BATS_TEST_TMPDIR/out" '"device":"mlx5_3",.*"link_downed":7,'
	sim remove mlx5_3
	wait_until 5 has_lines 1 "$BATS_TEST_TMPDIR/out" \
		'"kind":"scan.end",.*"devices":17,.*"complete":true'
	sim restore mlx5_3
	wait_until 5 has_lines 1 "$BATS_TEST_TMPDIR/out" '"device":"mlx5_3",.*"link_downed":0,'
	sim set mlx5_3/1 counters/link_downed 3
	wait_until 5 has_lines 1 "$BATS_TEST_TMPDIR/out" '"device":"mlx5_3",.*"link_downed":3,'
}

@test "a device that is replaced by another of the same name between two scans is read anew" {
	few h100-oci mlx5_{0,1,3,4}
	background scan --interval 50ms
	wait_until 5 scans 2 "$BATS_TEST_TMPDIR/out"
	sim set mlx5_3/1 counters/link_downed 7
	wait_until 5 has_lines 1 "$BATS_TEST_TMPDIR/out" '"device":"mlx5_3",.*"link_downed":7,'
	sim restore mlx5_3 # a driver reload: makes it anew
	is_new() { [ "$(last_value .counters.link_downed "$BATS_TEST_TMPDIR/out")" = 0 ]; }
	wait_until 5 is_new
	# A scan during the replacement may find neither of the two.
	wait_until 5 the_device_is fine mlx5_3 "$BATS_TEST_TMPDIR/out"
}

@test "a port's rate is read again when its state changes" {
	node l40s-onprem
	background scan --interval 50ms
	wait_until 5 has_lines 1 "$BATS_TEST_TMPDIR/out" '"device":"mlx5_3",.*"rate_gbps":400,'
	sim set mlx5_3/1 rate '10 Gb/sec (4X SDR)'
	sim state mlx5_3/1 INIT
	wait_until 5 has_lines 1 "$BATS_TEST_TMPDIR/out" \
		'"device":"mlx5_3",.*"state":"INIT",.*"rate_gbps":10,'
}

@test "a state that changes alone is in the next record, and the others stay" {
	node l40s-onprem
	local ib=$NODE/sys/class/infiniband out=$BATS_TEST_TMPDIR/out netdev
	netdev=$(ls "$ib/mlx5_3/device/net")
	# shows STATE PHYS_STATE OPERSTATE - some record of the port has these.
	shows() {
		local texts="\"state\":\"$1\",.*\"phys_state\":\"$2\",.*\"operstate\":\"$3\","
		wait_until 5 has_lines 1 "$out" "\"device\":\"mlx5_3\",.*$texts"
	}
	background scan --interval 50ms
	shows ACTIVE LinkUp up
	echo down >"$NODE/sys/class/net/$netdev/operstate"
	shows ACTIVE LinkUp down
	echo '6: LinkErrorRecovery' >"$ib/mlx5_3/ports/1/phys_state"
	shows ACTIVE LinkErrorRecovery down
	echo '5: ACTIVE_DEFER' >"$ib/mlx5_3/ports/1/state"
	shows ACTIVE_DEFER LinkErrorRecovery down
}

@test "a counter that appears while ibscan runs is read" {
	few h100-oci mlx5_{0,1,3,4}
	background scan --interval 50ms
	wait_until 5 scans 2 "$BATS_TEST_TMPDIR/out"
	sim set mlx5_3/1 hw_counters/brand_new 12
	wait_until 5 has_lines 1 "$BATS_TEST_TMPDIR/out" '"brand_new":12'
}

@test "open descriptors stay within RLIMIT_NOFILE: further files are opened for each read" {
	shared_node h100-oci
	for limit in 60 200 300 1000; do
		run --separate-stderr bash \
			-c 'ulimit -n "$2"; ibscan --sysfs-root "$1/sys" --interval 10ms --count 3' _ "$NODE" $limit
		status_is 0
		[ "$(jq -s '[.[]|select(.kind=="scan.end" and .complete and .ports==18)]|length' \
			<<<"$output")" -eq 3 ]
	done
}

# --- devices that are parts of others ---

# parents - print DEVICE:PARENT for each device in $output that has a parent
parents() { jq -r 'select(.kind=="device" and .parent!=null) | "\(.device):\(.parent)"' \
	<<<"$output" | xargs; }

@test "an SMI device names its parent, has a port per plane and none of the parent's interfaces" {
	shared_node multi-plane
	run --separate-stderr scan
	status_is 0
	[ "$(parents)" = "smi0:mlx5_0 smi1:mlx5_1" ]
	record device smi0 | jq -e --argjson parent "$(record device mlx5_0)" \
		'.ports==4 and .netdevs==[]
		and (. | {pci, driver, hca_type, node_guid, numa_node, pci_link_width}) == ($parent
		| {pci, driver, hca_type, node_guid, numa_node, pci_link_width})'
	record device mlx5_0 | jq -e '.ports==1 and (.netdevs|length)==1'
	[ "$(jq -c 'select(.kind=="port" and .device=="smi0") | [.port, .state, .netdev]' \
		<<<"$output" | xargs)" = \
		"[1,ACTIVE,null] [2,ACTIVE,null] [3,ACTIVE,null] [4,ACTIVE,null]" ]
}

@test "an SMI device's parent is found without verbs nodes and without management nodes" {
	node multi-plane
	local function
	function=$(readlink -f "$NODE/sys/class/infiniband/mlx5_0/device")
	rm -r "$function/infiniband_verbs"
	run --separate-stderr scan
	[ "$(parents)" = "smi0:mlx5_0 smi1:mlx5_1" ]
	rm -r "$function/infiniband_mad"
	run --separate-stderr scan
	[ "$(parents)" = "smi0:mlx5_0 smi1:mlx5_1" ]
	# The names do not matter.
	sim rename mlx5_1 zeta
	sim rename smi1 alpha
	run --separate-stderr scan
	[ "$(parents)" = "alpha:zeta smi0:mlx5_0" ]
}

@test "two RDMA devices with verbs on one function are separate NICs, as irdma and mana_ib make them" {
	few h100-oci mlx5_{0,1,3,4}
	local function=$NODE/sys/class/infiniband/mlx5_3/device device
	device=$(readlink "$NODE/sys/class/infiniband/mlx5_3")
	cp -r "$function/infiniband/mlx5_3" "$function/infiniband/irdma1"
	ln -s "${device%/*}/irdma1" "$NODE/sys/class/infiniband/irdma1"
	cp -r "$function"/infiniband_verbs/uverbs* "$function/infiniband_verbs/uverbs99"
	echo irdma1 >"$function/infiniband_verbs/uverbs99/ibdev"
	run --separate-stderr scan
	status_is 0
	record device irdma1 | jq -e '.pci == "0000:2a:00.0" and .ports == 1'
	[ "$(parents)" = "" ]
}

@test "SMI devices can come and go between scans without changing their parent" {
	node multi-plane
	background scan --interval 50ms --counters none
	wait_until 5 scans 2 "$BATS_TEST_TMPDIR/out"
	sim remove smi0
	wait_until 5 has_lines 1 "$BATS_TEST_TMPDIR/out" \
		'"kind":"scan.end",.*"devices":6,.*"complete":true'
	sim smi planes mlx5_3
	wait_until 5 has_lines 1 "$BATS_TEST_TMPDIR/out" \
		'"device":"planes",.*"parent":"mlx5_3",.*"ports":4'
	[ "$(jq -c 'select(.kind=="device" and (.device|startswith("mlx5_"))) | [.parent, .error]' \
		"$BATS_TEST_TMPDIR/out" | sort -u)" = '[null,null]' ]
}

@test "a bond is one device on the first function, and the second function has a driver and no device" {
	node h100-oci
	local second
	second=$(pci mlx5_1)
	sim bond mlx5_bond_0 mlx5_0 mlx5_1
	run --separate-stderr scan
	record device mlx5_bond_0 | jq -e --arg pci "$(pci mlx5_bond_0)" \
		'.pci==$pci and .parent==null and .ports==1 and (has("error")|not)'
	[ "$(record device mlx5_0)$(record device mlx5_1)" = "" ]
	record scan.end | jq -e --arg pci "$second" \
		'.complete and .devices==17 and (.functions
			| any(.pci==$pci and .driver=="mlx5_core"))'
	sim unbond mlx5_bond_0
	run --separate-stderr scan
	record scan.end | jq -e '.complete and .devices==18'
	[ "$(record device mlx5_bond_0)" = "" ]
}

# --- recorded machines ---

# Thorough: tools
@test "a scan of every recorded machine agrees with its facts" {
	need_fixtures
	for facts in "$FIXTURES"/sysfs/*.json; do
		untree "sysfs/$(basename "$facts" .json)"
		run --separate-stderr ibscan --sysfs-root "$TREE/sys"
		status_is 0
		diff <(jq -S -f "$ROOT/test/lib/facts.jq" "$facts") \
			<(jq -S -s --slurpfile facts "$facts" -f "$ROOT/test/lib/found.jq" \
			<<<"$output")
	done
}

@test "a scan of every recorded platform agrees with its description" {
	need_fixtures
	for facts in "$FIXTURES"/platforms/*.json; do
		untree "platforms/$(basename "$facts" .json)"
		run --separate-stderr ibscan --sysfs-root "$TREE/sys"
		status_is 0
		diff <(jq -S '[.nics[] | {device, pci: .pci_address, numa_node, vf: .is_vf, physfn,
			netdev,
				ports: [.ports[]|[.port,.state,.phys_state,.rate,.link_layer]]}]
				| sort_by(.device)' "$facts") \
			<(jq -S -s \
			'. as $all | [.[]|select(.kind=="device") | . as $d
				| {device, pci, numa_node, vf, physfn,
				netdev: .netdevs[0].name,
				ports: [$all[]|select(.kind=="port" and .device==$d.device)
				| [.port, "\(.state_id): \(.state)",
				"\(.phys_state_id): \(.phys_state)", .rate, .link_layer]]}]
				| sort_by(.device)' <<<"$output")
	done
}

# Thorough: tools
@test "renames elsewhere on the node make no device unreadable" {
	shared_node a100-oci
	touch "$BATS_TEST_TMPDIR/a"
	background /usr/bin/python3 -c '
import os, sys
while True:
    os.rename(sys.argv[1] + "/a", sys.argv[1] + "/b")
    os.rename(sys.argv[1] + "/b", sys.argv[1] + "/a")' "$BATS_TEST_TMPDIR"
	for _ in $(seq 20); do
		scan >"$BATS_TEST_TMPDIR/scan"
		jq -s -e 'last.complete and last.devices == 34' "$BATS_TEST_TMPDIR/scan"
	done
	is_running "$PID"
}

# Thorough: tools
@test "a scan of 512 NICs is complete and in order" {
	nicsim --generate 512 >"$BATS_TEST_TMPDIR/512.json"
	NODE=$BATS_TEST_TMPDIR/node
	nicsim "$NODE" create "$BATS_TEST_TMPDIR/512.json"
	run --separate-stderr scan --counters configured
	status_is 0
	[ "$(jq -r 'select(.kind=="device").device' <<<"$output")" = "$(devices)" ]
	record scan.end | jq -e '.complete and .devices==512'
}

# soft DEVICE INTERFACE - make a soft RoCE device with the GUID of 02:00:00:00:00:01 that names
# INTERFACE
soft() {
	local dir=$NODE/sys/class/infiniband/$1
	mkdir -p "$dir/ports/1"
	echo 0000:00ff:fe00:0001 >"$dir/node_guid"
	echo "$2" >"$dir/parent"
	echo "4: ACTIVE" >"$dir/ports/1/state"
	echo "5: LinkUp" >"$dir/ports/1/phys_state"
	echo Ethernet >"$dir/ports/1/link_layer"
}

@test "a soft RoCE device has the interface that it names unless that one's address is another" {
	few h100-oci mlx5_{0,1,3,4}
	soft rxe0 eth7
	soft rxe1 eth8
	soft rxe2 eth9
	mkdir "$NODE/sys/class/net/"{eth7,eth8}
	# eth8 has an address that contradicts the GUID.
	echo 02:00:00:00:00:01 >"$NODE/sys/class/net/eth7/address"
	echo 02:00:00:00:00:02 >"$NODE/sys/class/net/eth8/address"
	run --separate-stderr scan
	status_is 0
	record device rxe0 | jq -e '[.netdevs[] | .name // .] == ["eth7"]'
	record device rxe1 | jq -e '.netdevs == []'
	record device rxe2 | jq -e '.netdevs == []'
	# Without an address nothing contradicts the GUID.
	rm "$NODE/sys/class/net/eth8/address"
	run --separate-stderr scan
	record device rxe1 | jq -e '[.netdevs[] | .name // .] == ["eth8"]'
}

#!/usr/bin/env bats
# capture: nhm-capture's record of a node looks like the node to every other tool, and leaves out
# what is private.
# Thorough: tools
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() {
	OUT=$BATS_TEST_TMPDIR/out
	COPY=$BATS_TEST_TMPDIR/copy
	TREE=$OUT/node.tree
}

teardown() {
	end_background
	nothing_survives
}

# record OPTION... - capture the node and unpack the record to $COPY, like --unpack but faster. The
# timeout ends a capture that would hang for ever.
record() {
	timeout 300 nhm-capture --root "$NODE" "$@" "$OUT"
	"$BATS_TEST_DIRNAME/lib/untree" "$TREE" "$COPY"
}

# record_and_unpack - capture the node and unpack the record with --unpack.
record_and_unpack() {
	timeout 300 nhm-capture --root "$NODE" "$OUT"
	nhm-capture --unpack "$TREE" "$COPY"
}

# tools DIR - print what the tools report about the node in DIR, without times; the events are those
# of a first scan, healthy ones included.
tools() {
	local NODE=$1
	scan --gids >"$BATS_TEST_TMPDIR/tools.scan" || return
	jq -c 'del(.duration_us) | if has("ts") then .ts = "2026-01-01T00:00:00.000000Z" else . end
		| if has("boottime_ns") then .boottime_ns = 1 else . end' \
			"$BATS_TEST_TMPDIR/tools.scan" >"$BATS_TEST_TMPDIR/tools.plain"
	cat "$BATS_TEST_TMPDIR/tools.plain"
	echo "--- roles"
	classify <"$BATS_TEST_TMPDIR/tools.plain" >"$BATS_TEST_TMPDIR/tools.roles" || return
	cat "$BATS_TEST_TMPDIR/tools.roles"
	echo "--- events"
	ctreval --baseline <"$BATS_TEST_TMPDIR/tools.roles" 2>&1
	echo "--- events without roles"
	ctreval --baseline <"$BATS_TEST_TMPDIR/tools.plain" 2>&1
	echo "--- the PCI bus"
	pcitopo --sysfs-root "$1/sys"
}

# same_to_tools [FILTER...] - check that every tool reports the same about the node and its copy
# once the filter has removed the allowed differences.
same_to_tools() {
	tools "$NODE" >"$BATS_TEST_TMPDIR/of_node"
	tools "$COPY" >"$BATS_TEST_TMPDIR/of_copy"
	has_lines 10 "$BATS_TEST_TMPDIR/of_node"
	[ $# -gt 0 ] || set -- cat
	diff <("$@" "$BATS_TEST_TMPDIR/of_node") <("$@" "$BATS_TEST_TMPDIR/of_copy")
}

# unprivileged COMMAND... - run the command without the capabilities of root, which can open every
# file.
unprivileged() {
	if [ "$(id -u)" -eq 0 ]; then setpriv --bounding-set=-all --inh-caps=-all "$@"; else "$@"; \
		fi
}

# names DIR - print the names in DIR in one line.
names() { find "$1" -mindepth 1 -maxdepth 1 -printf '%f\n' | sort -n | xargs; }

# in_manifest TEXT - check that a line of the manifest contains the text.
in_manifest() {
	grep -q -F -- "$1" "$OUT/MANIFEST" || {
		cat "$OUT/MANIFEST" >&2
		return 1
	}
}

# --- the copy looks like the node ---

@test "every tool reports the same about a node of each platform and its unpacked capture" {
	for platform in $(each_nth 3 h100-oci a100-oci h100-oci-one-port-down gb200-nvl4 \
		l40s-onprem dgx-a100); do
		echo "# $platform"
		node "$platform" "$platform"
		OUT=$BATS_TEST_TMPDIR/out.$platform COPY=$BATS_TEST_TMPDIR/copy.$platform
		TREE=$OUT/node.tree
		record_and_unpack
		same_to_tools
		rm -rf "$NODE" "$OUT" "$COPY"
	done
}

@test "the capture has an EFA adapter's own counters and its interface's carrier" {
	few aws-p5 rdmap79s0 rdmap80s0
	sim set rdmap80s0 hw_counters/cmds_err 7
	sim carrier rdmap79s0/1 0
	record_and_unpack
	same_to_tools
	[ "$(cat "$COPY/sys/class/infiniband/rdmap80s0/hw_counters/cmds_err")" -eq 7 ]
}

@test "the capture has Intel's counters with blanks in their names, which scan prints too" {
	jq '.nics[].driver = "idpf"' "$BATS_TEST_DIRNAME/fixtures/vendors/e810-storage.json" \
		>"$BATS_TEST_TMPDIR/idpf.json"
	export NODE=$BATS_TEST_TMPDIR/node
	nicsim "$NODE" create "$BATS_TEST_TMPDIR/idpf.json"
	local port=sys/class/infiniband/irdma2/ports/1
	sim set irdma2/1 'hw_counters/Nak Sequence Error Implied' 7
	record_and_unpack
	[ "$(cat "$COPY/$port/hw_counters/Nak Sequence Error Implied")" -eq 7 ]
	nhm-capture --scan "$TREE" | grep -q '"Nak Sequence Error Implied":7[,}]'
}

@test "the unpacked node has all of the node except unused GIDs, other interfaces and serial numbers" {
	few h100-oci mlx5_2 mlx5_3
	sim set mlx5_3/1 counters/port_rcv_data 18446744073709551615
	record_and_unpack
	(cd "$NODE" && rm -r .nicsim dev sys/class/net/lo sys/devices/virtual \
		var/lib/nic-health-monitor var/run)
	find "$NODE" \( -path '*/gids/[23]' -o -path '*/gid_attrs/*/[23]' \) -prune -exec rm -r {} +
	sed -i -E 's/("serial_number": )"[0-9]+"/\1null/' \
		"$NODE/var/lib/nvsentinel/gpu_metadata.json"
	# The capture keeps only the names of bridges, in the paths of the devices behind them.
	grep -l -x 0x060400 "$NODE"/sys/bus/pci/devices/*/class | while read -r class; do
		rm "${class%/*}"/{class,numa_node,vendor} "${class%/*}"
	done
	diff -r --no-dereference "$NODE" "$COPY"
}

@test "untree unpacks the record to the same tree" {
	need_fixtures
	few dgx-a100 mlx5_2 mlx5_3
	sim unreadable mlx5_3/1 state
	record_and_unpack
	"$FIXTURES/sysfs/untree" "$TREE" "$BATS_TEST_TMPDIR/untree"
	diff -r --no-dereference "$COPY" "$BATS_TEST_TMPDIR/untree"
}

@test "ibscan reports the same about recorded machines of other makes and their captures" {
	need_fixtures
	for tree in $(each_nth 3 "$FIXTURES"/sysfs/*.tree); do
		name=$(basename "$tree" .tree)
		echo "# $name"
		untree "sysfs/$name"
		mkdir "$TREE/proc" && NODE=$TREE
		timeout 300 nhm-capture --root "$NODE" "$BATS_TEST_TMPDIR/$name.out"
		nhm-capture --unpack "$BATS_TEST_TMPDIR/$name.out/node.tree" \
			"$BATS_TEST_TMPDIR/$name.copy"
		for root in "$NODE" "$BATS_TEST_TMPDIR/$name.copy"; do
			ibscan --sysfs-root "$root/sys" --gids --node n --boot-id-file /dev/null |
				jq -c 'del(.ts, .boottime_ns, .duration_us)' >"$root.scan"
		done
		has_lines 4 "$NODE.scan"
		diff "$NODE.scan" "$BATS_TEST_TMPDIR/$name.copy.scan"
	done
}

@test "the capture keeps each fault of the node" {
	few h100-oci mlx5_{2..10}
	sims 'unreadable mlx5_3/1 state' 'unreadable mlx5_4/1 counters/symbol_error' \
		'unreadable mlx5_4 fw_ver' 'dangle mlx5_5' 'remove mlx5_6' 'remove mlx5_7/1' \
		'set mlx5_8/1 counters/link_downed "N/A (no PMA)"' 'set mlx5_8/1 rate ""' \
		'down mlx5_9/1'
	rm -r "$NODE/sys/class/infiniband/mlx5_10/ports/1/hw_counters"
	record_and_unpack
	same_to_tools
	grep -q -P '^U\tsys/devices/.*/infiniband/mlx5_3/ports/1/state\tread$' "$TREE"
	grep -q -P '^L\tsys/class/infiniband/mlx5_5\t' "$TREE"
	none grep -q -P '^F\tsys/devices/.*/infiniband/mlx5_5/' "$TREE"
	in_manifest 'mlx5_4/ports/1/counters/symbol_error (read)'
}

@test "the capture keeps empty directories, which differ from missing ones" {
	node gb200-nvl4
	rm -r "$NODE"/sys/class/infiniband/ibp3s0/ports/1/{counters,hw_counters}
	mkdir "$NODE"/sys/class/infiniband/ibp3s0/ports/1/hw_counters
	rm -r "$NODE"/sys/class/infiniband_mad/*
	record_and_unpack
	[ -d "$COPY/sys/class/infiniband/ibp3s0/ports/1/hw_counters" ]
	[ ! -e "$COPY/sys/class/infiniband/ibp3s0/ports/1/counters" ]
	[ -d "$COPY/sys/class/infiniband_mad" ]
	same_to_tools
}

@test "the capture records a file that it may not open, and --unpack makes one with mode 0" {
	few l40s-oci mlx5_0 mlx5_1
	chmod 000 "$NODE/sys/class/infiniband/mlx5_0/ports/1/rate"
	unprivileged nhm-capture --root "$NODE" "$OUT"
	grep -q -P '/mlx5_0/ports/1/rate\tperm$' "$TREE"
	nhm-capture --unpack "$TREE" "$COPY"
	[ "$(stat -c %a "$COPY/sys/class/infiniband/mlx5_0/ports/1/rate")" = 0 ]
}

@test "a link to itself or to nowhere stays one in the copy" {
	few l40s-oci mlx5_0 mlx5_1
	local port=$NODE/sys/class/infiniband/mlx5_0/ports/1
	rm "$port/rate" "$port/state"
	ln -s rate "$port/rate"
	ln -s /nonexistent "$port/state"
	record_and_unpack
	grep -q -P '/mlx5_0/ports/1/rate\topen$' "$TREE"
	grep -q -P '^L\t.*/mlx5_0/ports/1/state\t/nonexistent$' "$TREE"
	same_to_tools
}

@test "a node without RDMA can be captured" {
	NODE=$BATS_TEST_TMPDIR/bare
	mkdir -p "$NODE/sys/class/net" "$NODE/proc"
	run --separate-stderr nhm-capture --root "$NODE" "$OUT"
	status_is 0
	[ -z "$output$stderr" ]
	none grep -v '^#' "$TREE"
	in_manifest '  sys/class/infiniband'
	in_manifest '  proc/net/route'
}

# --- interfaces and functions ---

@test "the capture has the interfaces stacked on a NIC with the links between them, and no others" {
	jq '.other_netdevs = [{netdev: "bond0", operstate: "up", bond: true,
		lower: ["eth0", "eth1"]},
			{netdev: "veth7", operstate: "up"}]
			| .nics |= map(select(.netdev | IN("eth0", "eth1", "rdma2")))' \
		"$PLATFORMS/h100-oci.json" >"$BATS_TEST_TMPDIR/p.json"
	NODE=$BATS_TEST_TMPDIR/node
	sim create "$BATS_TEST_TMPDIR/p.json"
	mkdir "$NODE/sys/devices/virtual/net/bond0.7"
	ln -s ../../devices/virtual/net/bond0.7 "$NODE/sys/class/net/bond0.7"
	ln -s ../bond0.7 "$NODE/sys/class/net/bond0/upper_bond0.7"
	ln -s ../veth7 "$NODE/sys/class/net/bond0/lower_veth7"
	sim route bond0.7
	record
	[ "$COPY/sys/class/net/eth0/upper_bond0" -ef "$COPY/sys/class/net/bond0" ]
	[ "$COPY/sys/class/net/bond0/lower_eth1" -ef "$COPY/sys/class/net/eth1" ]
	[ -d "$COPY/sys/class/net/bond0.7" ]
	[ "$(cat "$COPY/sys/class/net/bond0/bonding/slaves")" = "eth0 eth1" ]
	[ ! -L "$COPY/sys/class/net/veth7" ]
	[ ! -L "$COPY/sys/class/net/bond0/lower_veth7" ]
	same_to_tools
}

@test "the capture has a soft RoCE device and the interface that it names" {
	NODE=$BATS_TEST_TMPDIR/node
	mkdir -p "$NODE"/sys/class/{infiniband,net} \
		"$NODE"/sys/devices/virtual/{infiniband/rxe0/ports/1,net/eth7/statistics} \
		"$NODE/proc"
	ln -s ../../devices/virtual/infiniband/rxe0 "$NODE/sys/class/infiniband/rxe0"
	ln -s ../../devices/virtual/net/eth7 "$NODE/sys/class/net/eth7"
	echo eth7 >"$NODE/sys/class/infiniband/rxe0/parent"
	echo "4: ACTIVE" >"$NODE/sys/class/infiniband/rxe0/ports/1/state"
	echo "5: LinkUp" >"$NODE/sys/class/infiniband/rxe0/ports/1/phys_state"
	echo Ethernet >"$NODE/sys/class/infiniband/rxe0/ports/1/link_layer"
	echo up >"$NODE/sys/class/net/eth7/operstate"
	echo 3 >"$NODE/sys/class/net/eth7/statistics/rx_errors"
	record
	scan() { ibscan --sysfs-root "$1/sys" --node n |
		jq -c 'select(.kind=="port") | [.netdev, .operstate, .net, .state]'; }
	[ "$(scan "$COPY")" = '["eth7","up",{"rx_errors":3},"ACTIVE"]' ]
	[ "$(scan "$NODE")" = "$(scan "$COPY")" ]
}

@test "the capture has a NIC without a driver and its place on the PCI bus" {
	few h100-oci mlx5_2 mlx5_3 mlx5_16
	sim remove mlx5_3
	rm "$NODE/sys/bus/pci/devices/0000:d5:00.0/vendor"
	record
	local function=$COPY/sys/bus/pci/devices/0000:2a:00.0
	[ "$(cat "$function/vendor" "$function/class" "$function/numa_node" | xargs)" \
		= "0x15b3 0x020000 0" ]
	[ ! -e "$function/driver" ]
	[ "$(cat "$COPY"/sys/module/*/version)" = "$(cat "$NODE/sys/module/mlx5_core/version")" ]
	# The function without a vendor file is captured because of its RDMA device.
	[ "$COPY/sys/bus/pci/drivers/mlx5_core/0000:d5:00.0" \
		-ef "$COPY/sys/bus/pci/devices/0000:d5:00.0" ]
}

@test "the capture has the NICs of every vendor that have no driver or no RDMA device" {
	NODE=$BATS_TEST_TMPDIR/node
	nicsim "$NODE" create "$BATS_TEST_DIRNAME/fixtures/vendors/mi300x-bnxt.json"
	sims 'remove bnxt_re0' 'remove bnxt_re1'
	rm "$NODE"/sys/class/infiniband/bnxt_re{2..5}
	# Also one whose class cannot be read, and an InfiniBand one, but no virtual one: of these
	# there may be hundreds.
	local bus=$NODE/sys/bus/pci/devices
	rm "$bus/0000:5e:00.0/class"
	mkdir "$bus/0000:5e:00.0/class"
	echo 0x0c0600 >"$bus/0000:a1:00.0/class"
	ln -s ../0000:3a:00.0 "$bus/0000:b1:00.0/physfn"
	record_and_unpack
	functions_of() {
		NODE=$1 scan 2>/dev/null |
			jq -c 'select(.kind == "scan.end") | .unbound, .functions[]'
	}
	[ "$(functions_of "$NODE" | wc -l)" -eq 9 ]
	diff <(functions_of "$NODE") <(functions_of "$COPY")
	bus=$COPY/sys/bus/pci/devices
	[ "$(cat "$bus"/0000:24:00.0/{vendor,class} | xargs)" = "0x14e4 0x020000" ]
	[ ! -e "$bus/0000:b1:00.0" ]
}

@test "nhm check reports the NICs that lost their driver in the unpacked capture, too" {
	NODE=$BATS_TEST_TMPDIR/node
	nicsim "$NODE" create "$BATS_TEST_DIRNAME/fixtures/vendors/mi300x-bnxt.json"
	sims 'remove bnxt_re0' 'remove bnxt_re1'
	rm "$NODE/var/lib/nvsentinel/gpu_metadata.json"
	record_and_unpack
	run --separate-stderr nhm --root "$NODE" check --settle 0s
	status_is 1
	[[ $output == *" FATAL: NIC 0000:"*" has no driver"* ]]
	local of_node=${output#*: }
	run --separate-stderr nhm --root "$COPY" check --settle 0s
	status_is 1
	[ "${output#*: }" = "$of_node" ]
}

@test "the capture does not follow a link that points outside of sysfs" {
	few l40s-oci mlx5_0 mlx5_1
	mkdir "$BATS_TEST_TMPDIR/elsewhere"
	echo secret >"$BATS_TEST_TMPDIR/elsewhere/fw_ver"
	ln -s "$BATS_TEST_TMPDIR/elsewhere" "$NODE/sys/class/infiniband/mlx5_9"
	record
	none grep -q secret "$TREE"
	grep -q -P '^L\tsys/class/infiniband/mlx5_9\t/' "$TREE"
	in_manifest 'sys/class/infiniband/mlx5_9 points outside of sys'
}

# --- file contents and names ---

@test "unpack restores file contents byte for byte" {
	few l40s-oci mlx5_0 mlx5_1
	local dir=$NODE/sys/class/infiniband/mlx5_0/ports/1/counters
	printf 'no newline' >"$dir/symbol_error"
	: >"$dir/link_downed"
	printf 'tab\there \\n \\0101 %%b\n\n' >"$dir/port_rcv_errors"
	printf '\0\1\0\177\200\377\0' >"$dir/port_rcv_data"
	local octal
	for i in {0..255}; do printf -v octal %03o "$i" && printf '%b' "\\0${octal}5"; done \
		>"$dir/port_xmit_data"
	head -c 5000 /dev/urandom >"$dir/port_xmit_wait"
	printf '\n\n\n0123456789abcdef.\n' >"$dir/local_link_integrity_errors"
	printf 'äöü\n' >"$NODE/sys/class/infiniband/mlx5_0/board_id"
	record_and_unpack
	diff -r "$dir" "$COPY/sys/class/infiniband/mlx5_0/ports/1/counters"
	cmp {"$NODE","$COPY"}/sys/class/infiniband/mlx5_0/board_id
	# The record is plain text.
	none grep -q -v -P '^[\t\x20-\x7e]*$' "$TREE"
	same_to_tools
}

@test "an empty file beside an unreadable one is empty, not unreadable" {
	few l40s-oci mlx5_0 mlx5_1
	: >"$NODE/sys/class/infiniband/mlx5_0/board_id"
	chmod 000 "$NODE/sys/class/infiniband/mlx5_0/fw_ver"
	unprivileged nhm-capture --root "$NODE" "$OUT"
	grep -q -P '^F\t.*/mlx5_0/board_id\t$' "$TREE"
	grep -q -P '^U\t.*/mlx5_0/fw_ver\tperm$' "$TREE"
	grep -q -P '^F\t.*/mlx5_0/hca_type\t.' "$TREE"
}

@test "the capture cuts a file that is far too long, and the manifest lists it" {
	few l40s-oci mlx5_0 mlx5_1
	head -c 100000 /dev/zero | tr '\0' 7 >"$NODE/sys/class/infiniband/mlx5_0/fw_ver"
	# More than all files of a device together may have; the short run saves that time.
	truncate -s "$([ -n "${NHM_THOROUGH-}" ] && echo 100M || echo 200K)" \
		"$NODE/sys/class/infiniband/mlx5_1/board_id"
	record
	[ "$(stat -c %s "$COPY/sys/class/infiniband/mlx5_0/fw_ver")" -eq 65536 ]
	[ "$(stat -c %s "$COPY/sys/class/infiniband/mlx5_1/board_id")" -eq 65536 ]
	in_manifest 'infiniband/mlx5_0/fw_ver'
	in_manifest 'infiniband/mlx5_1/board_id'
	# The files after it are complete.
	same_to_tools grep -v '"device":"mlx5_1"'
}

@test "the capture keeps unusual names, and leaves out those with tabs or newlines with a message" {
	few l40s-oci mlx5_0 mlx5_1
	local dir=$NODE/sys/class/infiniband/mlx5_0/ports/1/counters
	echo 1 >"$dir/back\\n slash" && echo 2 >"$dir/$'\377'é" && echo 3 >"$dir/-n" &&
		echo 4 >"$dir/ a  b "
	echo 5 >"$dir/$(printf 'tab\there')" && echo 6 >"$dir/$(printf 'new\nF\tline')"
	echo 7 >"$dir/*" && echo 8 >"$dir/"'$(id)`id`"'"'"
	ln -s ../nowhere "$NODE/sys/class/infiniband/$(printf 'mlx5_\t9')"
	record_and_unpack
	rm "$dir"/*$'\t'*
	diff -r "$dir" "$COPY/sys/class/infiniband/mlx5_0/ports/1/counters"
	in_manifest 'a name or link target with a tab or newline'
	rm "$NODE"/sys/class/infiniband/*$'\t'*
	same_to_tools
}

@test "the capture has only the used entries of a GID table" {
	few h100-oci mlx5_2 mlx5_3
	local table=$NODE/sys/class/infiniband/mlx5_3/ports/1
	for i in {4..300}; do
		echo 0000:0000:0000:0000:0000:0000:0000:0000 >"$table/gids/$i"
	done
	mkdir "$table/gid_attrs"/{types,ndevs}/{4..300}
	echo fe80:0000:0000:0000:0e42:a1ff:fe00:0001 >"$table/gids/200"
	rmdir "$table/gid_attrs/types/200" && echo "RoCE v2" >"$table/gid_attrs/types/200"
	record
	[ "$(names "$COPY/sys/class/infiniband/mlx5_3/ports/1/gids")" = "0 1 200" ]
	[ "$(names "$COPY/sys/class/infiniband/mlx5_3/ports/1/gid_attrs/types")" = "0 1 200" ]
	same_to_tools
}

# --- files that hang ---

@test "the capture leaves out only the one file that hangs" {
	few h100-oci mlx5_2 mlx5_3 mlx5_4
	sim hang mlx5_3/1 counters/symbol_error
	record --file-timeout 1
	grep -q -P '^U\t.*/mlx5_3/ports/1/counters/symbol_error\tread$' "$TREE"
	grep -A 1 '^did not answer in time:' "$OUT/MANIFEST" | grep \
		-q 'mlx5_3/ports/1/counters/symbol_error$'
	# All other files are there, also of this device.
	sim mend mlx5_3/1 counters/symbol_error
	sim unreadable mlx5_3/1 counters/symbol_error
	same_to_tools
}

@test "the capture gives up a device whose files all hang, and records the others" {
	few l40s-oci mlx5_0 mlx5_1
	local files=({phys_,}state rate link_layer counters/{symbol_error,link_downed})
	sims "${files[@]/#/hang mlx5_0/1 }"
	record --file-timeout 1
	grep -q '^skipped after that:' "$OUT/MANIFEST"
	[ "$(sed -n '/^did not answer/,/^$/p' "$OUT/MANIFEST" | grep -c mlx5_0)" -eq 3 ]
	tools "$COPY" | grep '"device":"mlx5_1"' >"$BATS_TEST_TMPDIR/copy.1"
	sims "${files[@]/#/mend mlx5_0/1 }"
	diff <(tools "$NODE" | grep '"device":"mlx5_1"') "$BATS_TEST_TMPDIR/copy.1"
}

# --- left out and masked ---

# private - set up a node with host names, serial numbers and addresses, and a kernel log and an
# nvidia-smi that have more of them.
private() {
	few h100-oci mlx5_0 mlx5_2 mlx5_3
	local json=$NODE/var/lib/nvsentinel/gpu_metadata.json
	jq '.node_name = "gpu-42.acme.example" | .chassis_serial = "1654322000777"
		| .gpus[].serial_number |= "SN99" + .
		| .extra = {"boardSerials": ["AB\"12", "CD34"], "serial": 987654321}' \
			"$json" >"$json.new" && mv "$json.new" "$json"
	echo "gpu-42 mlx5_3" >"$NODE/sys/class/infiniband/mlx5_3/node_desc"
	echo 0c:42:a1:0a:0b:0c >"$NODE/sys/class/net/rdma2/address"
	printf 'SN: MT2042X12345' >"$NODE/sys/class/infiniband/mlx5_3/device/vpd"
	echo 0c42:a103:000a:0b0c >"$NODE/sys/class/infiniband/mlx5_3/node_guid"
	echo fe80:0000:0000:0000:0e42:a1ff:fe0a:0b0c \
		>"$NODE/sys/class/infiniband/mlx5_3/ports/1/gids/0"
	echo 0000:0000:0000:0000:0000:ffff:0a01:0203 \
		>"$NODE/sys/class/infiniband/mlx5_3/ports/1/gids/1"
	echo 2600:1406:0000:00ab:0e42:a1ff:fe0a:0b0c \
		>"$NODE/sys/class/infiniband/mlx5_3/ports/1/gids/2"
	printf 'eth0\t00000000\t0302010A\t0003\t0\t0\t100\t00000000\t0\t0\t0\neth0\t0002010A\t00000000\t0001\t0\t0\t100\t00FFFFFF\t0\t0\t0\n' >>"$NODE/proc/net/route"
	echo '260014060000000000000000000000ab 80 00000000000000000000000000000000 00 fe800000000000000e42a1fffe0a0b0c 00000400 00000001 00000000 00450003    rdma0' >>"$NODE/proc/net/ipv6_route"
	sims \
		'kmsg "mlx5_core 0000:2a:00.0: peer 10.1.2.3:4791 gid fe80::e42:a1ff:fe0a:b0c mac 0c:42:a1:0a:0b:0c guid 0x0c42a103000a0b0c on gpu-42"' \
		'kmsg "mlx5_core 0000:2a:00.0: serial number: MT2042X12345"' \
		'kmsg "mlx5_core 0000:2a:00.0: board Serial No. QX-77-1234"' \
		'kmsg "mlx5_core 0000:2a:00.0: board S/N: ZK-55512"' \
		'kmsg "usb 1-1: SerialNumber: Q7Q7Q7"' \
		'kmsg "SN: 7X-0001"' \
		'kmsg "mlx5_core 0000:2a:00.0: board (SN:7X-0002) sn = 7X0003, PSN: 48123"'
	mkdir "$BATS_TEST_TMPDIR/bin"
	cat >"$BATS_TEST_TMPDIR/bin/nvidia-smi" <<-'END'
		#!/bin/sh
		case $* in
		"topo -m") echo "        GPU0    NIC0" && echo "GPU0     X      PIX" ;;
		*serial*) echo "index, serial" && echo "0, 1650000000001" ;;
		--query-gpu=index,uuid*) echo "index, uuid, pci.bus_id" && echo "0, GPU-00000000-0000-4000-8000-000000000003, 00000000:0F:00.0" ;;
		*) exit 9 ;;
		esac
	END
	chmod +x "$BATS_TEST_TMPDIR/bin/nvidia-smi"
	PATH=$BATS_TEST_TMPDIR/bin:$PATH
}

serials='SN99|1654322000777|AB.*12|CD34|987654321|MT2042|Q7Q7|QX-77|ZK-55|7X-?000|1650000000001|gpu-42 mlx5_3'
secrets='gpu-42|acme|0c.?42.?a1|e42:a1|0a.?0b.?0c|10\.1\.2\.|0a01:?02|02010A|a0b0c|(^|[^0-9])2600|(^|[^0-9])1406|8000-0000000|000003, 0000|100000A'

# nowhere REGEX - check that no file of the capture matches, in either case.
nowhere() { none grep -r -i -E -- "$1" "$OUT"; }

@test "the capture always leaves out serial numbers, node_desc and VPD, and keeps addresses" {
	private
	record
	nowhere "$serials"
	grep -q 'board (serial (omitted)) serial (omitted), PSN: 48123$' "$OUT/kmsg.txt"
	none grep -q -E '/(node_desc|vpd|address)'$'\t' "$TREE"
	jq -e '.chassis_serial == null and .extra == {"boardSerials": null, "serial": null}
		and all(.gpus[]; .serial_number == null
		and (.uuid | test("^GPU-00000000-0000-4000")))
		and .node_name == "gpu-42.acme.example"' \
			"$COPY/var/lib/nvsentinel/gpu_metadata.json"
	grep -q 0c42:a103:000a:0b0c "$TREE"
	same_to_tools
}

@test "--mask leaves no address, UUID or host name in any file" {
	private
	# Without --mask the secrets are there.
	record
	[ "$(grep -r -o -h -i -E -- "$secrets" "$OUT" | sort -u | wc -l)" -ge 12 ]
	rm -rf "$OUT" "$COPY"
	record --mask
	nowhere "$secrets"
	nowhere "$serials"
	nowhere "$(uname -n)([^a-z0-9]|\$)"
	in_manifest 'masked: yes'
}

@test "every tool reports the same about a masked node, except for its GUIDs" {
	private
	record --mask
	none same_to_tools
	same_to_tools sed -E 's/"node_guid":"[0-9a-f:]+"//'
	# Masking keeps different GUIDs different.
	diff <(jq -s 'map(.node_guid // empty) | unique | length' <(scan)) \
		<(NODE=$COPY && jq -s 'map(.node_guid // empty) | unique | length' <(scan))
}

@test "--mask replaces an address by the same one everywhere, in each form that it has" {
	private
	record --mask
	local port=$COPY/sys/class/infiniband/mlx5_3/ports/1 mac low
	mac=$(sed -E 's/.* mac ([0-9a-f:]+) .*/\1/;q' "$OUT/kmsg.txt")
	[[ $mac =~ ^02:00:00:..:..:..$ ]]
	low=${mac//:/}
	# The GUID, both GIDs and the log have the same address.
	[ "$(cat "$COPY/sys/class/infiniband/mlx5_3/node_guid")" \
		= "0200:0003:00${low:6:2}:${low:8}" ]
	[ "$(cat "$port/gids/0")" = "fe80:0000:0000:0000:0000:00ff:fe${low:6:2}:${low:8}" ]
	[[ "$(cat "$port/gids/2")" = 2001:0db8:*:0000:00ff:fe"${low:6:2}:${low:8}" ]]
	grep -q "guid 0x0200000300${low:6}" "$OUT/kmsg.txt"
	grep -q -F "gid fe80:0000:0000:0000:0000:00ff:fe${low:6:2}:${low:8}" "$OUT/kmsg.txt"
	# IPv4: in the GID, as the gateway, and in the log.
	ip=$(sed -E 's/.* peer ([0-9.]+):4791 .*/\1/;q' "$OUT/kmsg.txt")
	[[ $ip = 198.18.* ]]
	# shellcheck disable=SC2046 # into words
	hex=$(printf %02x $(tr . ' ' <<<"$ip"))
	[ "$(cat "$port/gids/1")" = "0000:0000:0000:0000:0000:ffff:${hex:0:4}:${hex:4}" ]
	grep -q -i -P "^eth0\t00000000\t${hex:6:2}${hex:4:2}${hex:2:2}${hex:0:2}\t0003\t0\t0\t100\t00000000" "$COPY/proc/net/route"
	# Addresses that identify nobody stay.
	grep -q -P '\t0001\t0\t0\t100\t00FFFFFF' "$COPY/proc/net/route"
	grep -q '^00000000000000000000000000000001 80' "$COPY/proc/net/ipv6_route"
	grep -q -P '^20010db8[0-9a-f]{24} 80 0{32} 00 fe80' "$COPY/proc/net/ipv6_route"
	grep -q '0000:2a:00.0: peer' "$OUT/kmsg.txt"
	[ "$(tail -n 1 "$OUT/gpus.csv")" \
		= "0, $(jq -r '.gpus[3].uuid' \
		"$COPY/var/lib/nvsentinel/gpu_metadata.json"), 00000000:0F:00.0" ]
}

@test "--mask replaces an address in a name by the same one everywhere" {
	jq '.nics |= map(select(.device | IN("mlx5_3", "mlx5_4")))
		| (.nics[] | select(.device == "mlx5_3")) |= (.netdev = "enx0c42a10a0b0c")
			| .default_route_interface = "enx0c42a10a0b0c" | del(.proc_net_route)' \
		"$PLATFORMS/h100-oci.json" >"$BATS_TEST_TMPDIR/p.json"
	NODE=$BATS_TEST_TMPDIR/node
	sim create "$BATS_TEST_TMPDIR/p.json"
	record --mask
	nowhere 0c42a10a0b0c
	same_to_tools sed -E 's/"node_guid":"[0-9a-f:]+"//; s/enx[0-9a-f]{12}/enx/g'
	grep -q '"reason":"default_route"' "$BATS_TEST_TMPDIR/of_copy"
}

@test "--mask replaces a host name of hexadecimal digits, also before a port or another word" {
	few h100-oci mlx5_0
	mkdir "$NODE/etc"
	echo b200-01.example.com >"$NODE/etc/hostname"
	echo "<3>mlx5_core 0000:0c:00.0: b200-01:50051 x-b200-01:mlx5_0 b200-01-ib0 b200-01" \
		>"$NODE/dev/kmsg"
	record --mask
	grep -q ': host:50051 x-host:mlx5_0 host-ib0 host$' "$OUT/kmsg.txt"
}

@test "--mask takes no word of a comment beside the host name for a host name" {
	few h100-oci mlx5_0
	mkdir "$NODE/etc"
	printf '# Managed by the port of a program with a long comment %s\ngpu-42\n' \
		"$(seq -s ' ' 20)" >"$NODE/etc/hostname"
	echo "<3>mlx5_core 0000:0c:00.0: port of gpu-42" >"$NODE/dev/kmsg"
	record --mask
	grep -q ': port of host$' "$OUT/kmsg.txt"
}

@test "a link that leads out of the root is not followed" {
	few h100-oci mlx5_0
	echo secret >"$BATS_TEST_TMPDIR/secret"
	echo "mlx5 secret" >"$BATS_TEST_TMPDIR/kmsg"
	ln -sf "$BATS_TEST_TMPDIR/secret" "$NODE/proc/net/route"
	ln -sf ../../secret "$NODE/proc/uptime"
	ln -sf "$BATS_TEST_TMPDIR/kmsg" "$NODE/dev/kmsg"
	ln -sf nowhere "$NODE/proc/net/ipv6_route"
	record
	none grep -q -r secret "$OUT"/*.t*
	in_manifest '  proc/net/route points outside of the root'
	in_manifest '  dev/kmsg points outside of the root'
	grep -q -P '^U\tproc/net/ipv6_route\topen$' "$OUT/node.tree"
	# The user may name any file.
	rm -r "$OUT" "$COPY"
	nhm-capture --root "$NODE" --metadata "$BATS_TEST_TMPDIR/secret" "$OUT"
	grep -q secret "$OUT/node.tree"
}

@test "TMPDIR may be a relative path" {
	few h100-oci mlx5_0
	cd "$BATS_TEST_TMPDIR"
	mkdir tmp
	TMPDIR=tmp nhm-capture --root "$NODE" "$OUT"
	[ -s "$OUT/node.tree" ]
	[ "$(ls -A tmp)" = "" ]
}

# --- beside the tree ---

@test "the capture has the kernel log's lines about the NICs, with their continuations" {
	few h100-oci mlx5_0 mlx5_1 mlx5_2
	cat >"$NODE/dev/kmsg" <<-'END'
		6,1,100,-;systemd[1]: Started session.
		 SUBSYSTEM=acpi
		4,2,200,-;mlx5_core 0000:0c:00.0: wait_func:1176:(pid 126): ENABLE_HCA(0x104) timeout.
		 SUBSYSTEM=pci
		 DEVICE=+pci:0000:0c:00.0
		4,3,300,-;pcieport 0000:0b:00.0: AER: Corrected error received: 0000:0c:00.1
		4,4,400,-;nvidia 0000:0f:00.0: something else
	END
	record
	[ "$(cut -d ';' -f 1 "$OUT/kmsg.txt" | xargs)" \
		= "4,2,200,- SUBSYSTEM=pci DEVICE=+pci:0000:0c:00.0 4,3,300,-" ]
}

@test "the capture has the output of nvidia-smi, or its failure" {
	private
	record
	[ "$(tail -n 1 "$OUT/topo.txt")" = "GPU0     X      PIX" ]
	[ "$(head -n 1 "$OUT/gpus.csv")" = "index, uuid, pci.bus_id" ]
	rm -rf "$OUT" "$COPY"
	printf '#!/bin/sh\necho "NVIDIA-SMI has failed"\necho why >&2\nexit 9\n' \
		>"$BATS_TEST_TMPDIR/bin/nvidia-smi"
	record
	[ "$(cat "$OUT/topo.txt")" = "NVIDIA-SMI has failed" ]
	in_manifest 'topo.txt: nvidia-smi exited with status 9: why'
}

@test "--metadata reads the GPU metadata from another file" {
	few h100-oci mlx5_2 mlx5_3
	mv "$NODE/var/lib/nvsentinel/gpu_metadata.json" "$BATS_TEST_TMPDIR/m.json"
	cd "$BATS_TEST_TMPDIR"
	record --metadata m.json
	diff <(jq 'del(.gpus[].serial_number)' m.json) <(jq 'del(.gpus[].serial_number)' \
		"$COPY/var/lib/nvsentinel/gpu_metadata.json")
	mkdir "$BATS_TEST_TMPDIR/empty"
	run --separate-stderr nhm-capture --root "$NODE" "$BATS_TEST_TMPDIR/empty"
	status_is 0
	grep -q '  var/lib/nvsentinel/gpu_metadata.json' "$BATS_TEST_TMPDIR/empty/MANIFEST"
}

@test "the capture has the rules of the configuration, without sinks, URLs and comments" {
	local config
	few h100-oci mlx5_2 mlx5_3
	mkdir -p "$NODE/etc/nic-health-monitor"
	for config in 'nicExclusionRegex: ^mlx5_3$' 'runbookUrl: "https://hidden/{page}"' \
		"sysClassInfinibandPath: $NODE/sys/class/infiniband" \
		'sinks: [{sink: "nats:nats://hidden:4222", minSeverity: fatal}]' \
		'# hidden' 'homogeneity: {settleSeconds: 7}'; do
		echo "$config"
	done >"$NODE/etc/nic-health-monitor/config.yaml"
	record
	config=$COPY/etc/nic-health-monitor/config.yaml
	diff <(ctreval --check-config --config "$config") \
		<(grep -v -E '^(sinks|runbookUrl|sysClass)|hidden|^#' \
			"$NODE/etc/nic-health-monitor/config.yaml" >"$BATS_TEST_TMPDIR/plain.yaml" &&
			ctreval --check-config --config "$BATS_TEST_TMPDIR/plain.yaml")
	none grep -q -r hidden "$OUT" "$COPY"
	rm -r "$OUT" "$COPY"
	rm "$NODE/etc/nic-health-monitor/config.yaml"
	echo 'nicInclusionRegexOverride = "^10.1.2.3$"' \
		>"$NODE/etc/nic-health-monitor/config.toml"
	record --mask
	grep -q -x 'nicInclusionRegexOverride: "^198.18.0.1$"' "$config"
}

@test "the manifest says why the capture lacks an invalid configuration" {
	few h100-oci mlx5_2 mlx5_3
	mkdir -p "$NODE/etc/nic-health-monitor"
	echo 'nonsense: hidden' >"$NODE/etc/nic-health-monitor/config.yaml"
	record
	[ ! -e "$COPY/etc" ]
	in_manifest '  config.yaml: ctreval: error: '
	none grep -q -r hidden "$OUT"
}

@test "the capture has long host files whole" {
	few h100-oci mlx5_2 mlx5_3
	awk 'BEGIN { for (i = 0; i < 6000; i++) printf "eth0\t%08X\t00000000\t0001\t0\t0\t0\tFFFFFFFF\t0\t0\t0\n", i * 256 }' >>"$NODE/proc/net/route"
	record
	cmp {"$NODE","$COPY"}/proc/net/route
}

@test "the manifest lists what was left out, and the capture leaves no temporary file behind" {
	few h100-oci mlx5_2 mlx5_3
	mkdir "$BATS_TEST_TMPDIR/tmp"
	TMPDIR=$BATS_TEST_TMPDIR/tmp record
	[ -z "$(ls -A "$BATS_TEST_TMPDIR/tmp")" ]
	[ "$(names "$OUT")" = "MANIFEST node.tree" ]
	head -n 1 "$OUT/MANIFEST" | grep -q -x 'nhm-capture [0-9.]*'
	in_manifest "$(uname -r)"
	in_manifest 'topo.txt, gpus.csv: nvidia-smi: not found'
	none grep -q -r -F "$(uname -n)" "$OUT"
}

# --- the command line ---

@test "nhm-capture rejects a directory that is not empty and leaves it unchanged" {
	few l40s-oci mlx5_0 mlx5_1
	mkdir "$OUT" && echo mine >"$OUT/.file"
	run --separate-stderr nhm-capture --root "$NODE" "$OUT"
	status_is 64 "^nhm-capture: error: $OUT: exists and is not an empty directory$"
	run --separate-stderr nhm-capture --root "$NODE" "$OUT/.file"
	status_is 64 'exists and is not an empty directory'
	run --separate-stderr nhm-capture --unpack /dev/null "$OUT"
	status_is 64 'exists and is not an empty directory'
	[ "$(ls -A "$OUT")" = .file ]
}

@test "a wrong command line gives one line and exits 64" {
	refuses() {
		run --separate-stderr nhm-capture "${@:2}"
		status_is 64 "^nhm-capture: error: $1 \(try 'nhm-capture --help'\)$"
		[ -z "$output" ]
	}
	refuses "a directory 'DIR' is missing"
	refuses "a directory 'DIR' is missing" --mask
	refuses "unexpected operand 'b'" "$OUT" b
	refuses "a value is missing after '--root'" "$OUT" --root
	refuses "no value is allowed for '--mask=1'" --mask=1 "$OUT"
	refuses "cannot be combined with --unpack: '--mask'" --unpack x --mask "$OUT"
	[ ! -e "$OUT" ]
}

@test "a missing input exits 66" {
	few l40s-oci mlx5_0 mlx5_1
	run --separate-stderr nhm-capture --root /nonexistent "$OUT"
	status_is 66 '^nhm-capture: error: /nonexistent: No such directory$'
	run --separate-stderr nhm-capture --root "$BATS_TEST_TMPDIR" "$OUT"
	status_is 66 "/sys: No such directory$"
	run --separate-stderr nhm-capture --root "$NODE" --metadata /nonexistent "$OUT"
	status_is 66 '/nonexistent: No such file$'
	run --separate-stderr nhm-capture --unpack /nonexistent "$OUT"
	status_is 66 '/nonexistent: No such file$'
	[ ! -e "$OUT" ]
}

@test "a write error exits 74" {
	few l40s-oci mlx5_0 mlx5_1
	run --separate-stderr nhm-capture --root "$NODE" /proc/nothing
	status_is 74 '^nhm-capture: error: /proc/nothing: No such file or directory$'
	TMPDIR=/nonexistent run --separate-stderr nhm-capture --root "$NODE" "$OUT"
	status_is 74
	rmdir "$OUT"
	# A limit on file sizes stands for a full disk.
	for kib in 1 20; do
		run --separate-stderr bash \
			-c "$(declare -f unprivileged)"'; ulimit -f "$1" && unprivileged nhm-capture --root "$NODE" "$2"' _ "$kib" "$OUT"
		status_is 74
		[ -z "$(ls -A "$OUT")" ]
		rmdir "$OUT"
	done
}

@test "nhm-capture exits 71 when find lacks an option that it needs" {
	few l40s-oci mlx5_0 mlx5_1
	mkdir "$BATS_TEST_TMPDIR/bin"
	printf '#!/bin/sh\necho "find: unrecognized: -printf" >&2\nexit 1\n' \
		>"$BATS_TEST_TMPDIR/bin/find"
	chmod +x "$BATS_TEST_TMPDIR/bin/find"
	PATH=$BATS_TEST_TMPDIR/bin:$PATH run --separate-stderr nhm-capture --root "$NODE" "$OUT"
	status_is 71 '^nhm-capture: error: find: no -printf'
	[ ! -e "$OUT" ]
}

@test "nhm-capture has the version of the other tools and needs only programs of a minimal Debian" {
	[ "$(nhm-capture --version)" = "$(ibscan --version | sed 's/^ibscan/nhm-capture/')" ]
	none grep -q -E '\b(python|perl|jq|gawk)\b *[-$"'"'"'/]' "$NHM_BIN/nhm-capture"
	[ "$(head -n 1 "$NHM_BIN/nhm-capture")" = "#!/bin/sh" ]
	none grep -q -E '^#include|@VERSION@' "$NHM_BIN/nhm-capture"
}

# --- unpacking ---

@test "unpacking a recorded machine gives the same tree as untree" {
	need_fixtures
	for tree in $(each_nth 8 "$FIXTURES"/{sysfs,platforms}/*.tree); do
		rm -rf "$COPY" "$BATS_TEST_TMPDIR"/{untree,ours}
		"$FIXTURES/sysfs/untree" "$tree" "$BATS_TEST_TMPDIR/untree"
		nhm-capture --unpack "$tree" "$COPY"
		diff -r --no-dereference "$COPY" "$BATS_TEST_TMPDIR/untree"
		# The faster unpacker of the other tests gives the same tree.
		"$BATS_TEST_DIRNAME/lib/untree" "$tree" "$BATS_TEST_TMPDIR/ours"
		diff -r --no-dereference "$BATS_TEST_TMPDIR/ours" "$BATS_TEST_TMPDIR/untree"
	done
}

# lines TEXT... - write a record of these lines; \t is a tab.
lines() { printf '%b\n' "$@" >"$BATS_TEST_TMPDIR/lines.tree"; }

unpack_lines() { run --separate-stderr nhm-capture --unpack "$BATS_TEST_TMPDIR/lines.tree" \
	"$COPY"; }

@test "--unpack makes the right file from each kind of line" {
	lines '# comment' '' 'F\tsys/a\tx\\ny\\\\\\0101' 'F\tsys/e\t' 'F\tsys/e2' 'D\tsys/d' \
		'L\tsys/l\t../nowhere' \
		'U\tsys/u' 'U\tsys/ur\tread' 'U\tsys/uo\topen' 'U\tsys/up\tperm' 'D\tsys'
	printf 'F\tsys/last\tno newline at the end of the record' >>"$BATS_TEST_TMPDIR/lines.tree"
	unpack_lines
	status_is 0
	[ -z "$stderr" ]
	printf 'x\ny\\A' | cmp - "$COPY/sys/a"
	[ -f "$COPY/sys/e" ]
	[ ! -s "$COPY/sys/e" ]
	[ -f "$COPY/sys/e2" ]
	[ -d "$COPY/sys/d" ]
	[ -d "$COPY/sys/u" ]
	[ -d "$COPY/sys/ur" ]
	[ "$(readlink "$COPY/sys/l") $(readlink "$COPY/sys/uo")" = "../nowhere uo" ]
	[ "$(stat -c %a "$COPY/sys/up")" = 0 ]
	[ -s "$COPY/sys/last" ]
}

@test "--unpack - reads the record from stdin" {
	lines 'F\tsys/a\tx'
	run --separate-stderr bash -c 'nhm-capture --unpack - "$1" <"$2"' _ "$COPY" \
		"$BATS_TEST_TMPDIR/lines.tree"
	status_is 0
	[ "$(cat "$COPY/sys/a")" = x ]
}

@test "--unpack writes nothing outside its directory" {
	mkdir "$BATS_TEST_TMPDIR/victim"
	echo mine >"$BATS_TEST_TMPDIR/victim/file"
	lines 'F\t/absolute\tx' 'F\t../up\tx' 'F\ta/../../up\tx' 'F\ta/..\tx' 'F\t\tx' \
		'F\ta//b\tx' 'F\t./b\tx' 'D\t..' \
		"L\tout\t$BATS_TEST_TMPDIR/victim" 'F\tout/new\tx' 'D\tout/dir' 'L\tout/link\tx' \
		'U\tout/u\tperm' \
		"L\tfile\t$BATS_TEST_TMPDIR/victim/file" 'F\tfile\tx' 'U\tfile\tperm' 'L\tfile\tx' \
		'D\tdir' 'L\tdir\tx' 'F\tdir\tx' 'L\tloop\tloop' 'F\tloop/x\tx' 'F\tgood\tyes' \
		"L\tnew\t$BATS_TEST_TMPDIR/victim/new" 'F\tnew\tx' 'U\tnew\tperm'
	unpack_lines
	status_is 65
	[ "$(wc -l <<<"$stderr")" -eq 20 ]
	stderr_has "^nhm-capture: warning: $BATS_TEST_TMPDIR/lines.tree: line 1: bad path: /absolute$"
	stderr_has 'line 10: its parent is not a directory: out/new$'
	stderr_has 'line 15: already exists: file$'
	[ "$(cd "$BATS_TEST_TMPDIR" && ls -A victim && cat victim/file)" = $'file\nmine' ]
	[ "$(stat -c %a "$BATS_TEST_TMPDIR/victim/file")" != 0 ]
	[ ! -e "$BATS_TEST_TMPDIR/up" ]
	[ ! -e /absolute ]
	# The valid lines are unpacked.
	[ "$(cat "$COPY/good")" = yes ]
	[ "$(names "$COPY")" = "dir file good loop new out" ]
}

@test "--unpack reports invalid lines and unpacks the rest" {
	lines 'nothing' 'X\tsys/x\ty' 'U\tsys/u\tsometimes' 'F\tsys/a\t1' 'F\tsys/a\t2' \
		'F\tsys/a/b\t3' 'F\t-n\t-e'
	unpack_lines
	status_is 65
	# shellcheck disable=SC2001 # of each line
	[ "$(sed 's/.*: line //' <<<"$stderr")" = "1: the line has no path
2: unknown type: X
3: unknown kind: sometimes
5: already exists: sys/a
6: its parent is not a directory: sys/a/b" ]
	[ "$(cat "$COPY/sys/a")" = 1 ]
	[ "$(cat "$COPY/-n")" = -e ]
}

#!/usr/bin/env bats
# topoclass: the role of every NIC on every platform, route and metadata rules, and damaged streams.
# SPDX-License-Identifier: Apache-2.0

load lib/common

teardown() {
	end_background
	nothing_survives
}

# device NAME - print "role reason monitored card" of that device in $output
device() { jq -r --arg d "$1" 'select(.kind=="device" and .device==$d) | "\(.role) \(.reason) \(.monitored) \(.card)"' <<<"$output"; }

# expected_roles FILE - print the roles that the platform expects, one device per line: those with a
# role, and those without
expected_roles() {
	jq -r '.expected | (.classification | to_entries[]
		| "\(.key) \(.value.role) \(.value.why)"),
		(.skipped_vfs[] | "\(.) null virtual_function"), (.unsupported_vendor[]
		| "\(.) null vendor"),
		(.unreadable[] | "\(.) null unreadable")' "$1" | sort
}
found_roles() { jq -r 'select(.kind=="device") | "\(.device) \(.role) \(.reason)"' <<<"$output" |
	sort; }

# says JQ - check that the expression selects records in $output and is true for all of them
says() { jq -s -e "[.[] | $1] | length > 0 and all" <<<"$output"; }

# metadata JQ - change the node's metadata by a jq expression
metadata() {
	local file=$NODE/var/lib/nvsentinel/gpu_metadata.json
	jq "$1" "$file" >"$file.new" && mv "$file.new" "$file"
}

# run_classify - run scan | classify: records in $output, messages in $stderr
run_classify() { run --separate-stderr bash -c "$(declare -f scan classify); scan | classify"; }

# scan_and_wait N - send a scan to the stage behind descriptor 7 and wait for its N-th result
scan_and_wait() {
	scan >&7
	wait_until 5 has_lines "$1" "$BATS_TEST_TMPDIR/out" '"kind":"scan.end"'
}

@test "every NIC of every platform has its expected role and reason" {
	for platform in "$PLATFORMS"/*.json; do
		node "$(basename "$platform" .json)" "$(basename "$platform")"
		run_classify
		status_is 0
		diff <(expected_roles "$platform") <(found_roles)
		diff <(jq -c '[.expected.gpu_numa_set, .expected.default_route_device,
			(.nic_topology|length)]' "$platform") \
			<(jq -c 'select(.kind=="scan.begin").topology
				| [.gpu_numa, .default_route_device, .nics]' <<<"$output")
		# Compute and storage ports are monitored.
		says 'select(.kind=="device") | .monitored == (.role=="compute" or .role=="storage")'
		# A port has the same values as its device.
		diff <(jq -c 'select(.kind=="port") | [.device, .role, .monitored, .card]' \
			<<<"$output") \
			<(jq -c 'select(.kind=="device") | . as $d | range(.ports)
				| [$d.device, $d.role, $d.monitored, $d.card]' <<<"$output")
		rm -rf "$NODE"
	done
}

# Thorough: tools
@test "the recorded trees of the platforms give the same roles as the simulated ones" {
	need_fixtures
	for platform in "$FIXTURES"/platforms/*.json; do
		untree "platforms/$(basename "$platform" .json)"
		export NODE=$TREE
		run --separate-stderr bash \
			-c "$(declare -f scan classify); scan | classify --route6 /dev/null"
		status_is 0
		diff <(expected_roles "$platform") <(found_roles)
		rm -rf "$TREE"
	done
}

@test "a card is the PCI address without its function, whatever the domain" {
	shared_node gb200-nvl4
	run_classify
	[ "$(device ibP16p3s0)" = "compute link_layer_infiniband true 0010:03:00" ]
}

@test "topoclass only adds members, and leaves every other byte of a record unchanged" {
	shared_node h100-oci
	scan >"$BATS_TEST_TMPDIR/plain"
	classify <"$BATS_TEST_TMPDIR/plain" >"$BATS_TEST_TMPDIR/roles"
	# Added members are at the end of a record: removing them restores it.
	sed -E 's/,"(topology|role)":.*\}$/}/' "$BATS_TEST_TMPDIR/roles" |
		cmp - "$BATS_TEST_TMPDIR/plain"
}

@test "a classified stream gets its roles anew, not twice" {
	shared_node h100-oci
	scan | classify >"$BATS_TEST_TMPDIR/once"
	classify <"$BATS_TEST_TMPDIR/once" >"$BATS_TEST_TMPDIR/twice"
	cmp "$BATS_TEST_TMPDIR/once" "$BATS_TEST_TMPDIR/twice"
	none grep -q '"role".*"role"' "$BATS_TEST_TMPDIR/once"
}

@test "jq between two stages changes no role" {
	node h100-oci
	sim set mlx5_3/1 counters/port_rcv_data 18446744073709551615
	sim set mlx5_3/1 counters/port_xmit_data 9223372036854775807
	run --separate-stderr bash \
		-c "$(declare -f scan classify); scan | jq . -c | classify | jq -c . | ctreval"
	status_is 0
	none grep -q warning <<<"$stderr"
	run --separate-stderr bash -c "$(declare -f scan classify); scan | jq -c . | classify"
	[ "$(device mlx5_3)" = "compute topo_pix_pxb true 0000:2a:00" ]
}

@test "a scan.stall record is passed on before its scan ends" {
	mkfifo "$BATS_TEST_TMPDIR/in"
	exec 7<>"$BATS_TEST_TMPDIR/in"
	background topoclass --no-metadata <"$BATS_TEST_TMPDIR/in" 7>&-
	echo '{"kind":"scan.begin","v":1,"scan":1,"ts":"T","boottime_ns":1}' >&7
	echo '{"kind":"scan.stall","ts":"T","boottime_ns":2,"in_flight_ms":3}' >&7
	wait_until 5 grep -qx '{"kind":"scan.stall","ts":"T","boottime_ns":2,"in_flight_ms":3}' \
		"$BATS_TEST_TMPDIR/out"
	none grep scan.begin "$BATS_TEST_TMPDIR/out"
	exec 7>&-
	ends_with 0 "$PID"
	grep -q scan.begin "$BATS_TEST_TMPDIR/out"
}

@test "unknown kinds and unknown fields pass through untouched and in order" {
	shared_node h100-oci
	scan --include '^mlx5_0$' |
		sed -e '1i {"kind":"gap", "n": 1.50, "big": 123456789012345678901234567890}' \
		-e '2a {"kind":"note","where":"inside"}' -e '$a {"kind":"note","where":"after"}' \
		-e 's/"kind":"port",/"kind":"port","x_new":[1.10,"é"],/' >"$BATS_TEST_TMPDIR/in"
	run --separate-stderr bash -c "$(declare -f classify); classify <\"\$1\"" _ \
		"$BATS_TEST_TMPDIR/in"
	status_is 0
	[ "$(jq -r .kind <<<"$output" | xargs)" = "gap scan.begin device note port scan.end note" ]
	[ "$(head -n 1 <<<"$output")" \
		= '{"kind":"gap", "n": 1.50, "big": 123456789012345678901234567890}' ]
	grep -q '"kind":"port","x_new":\[1.10,"é"\],' <<<"$output"
}

# --- special cases of the rules ---

@test "a default route over a bond, or a VLAN on it, makes the NIC below it a management NIC" {
	node h100-oci
	mkdir -p "$NODE"/sys/devices/virtual/net/{bond0,bond0.7}
	for i in bond0 bond0.7; do ln -s "../../devices/virtual/net/$i" "$NODE/sys/class/net/$i"; \
		done
	ln -s ../bond0 "$NODE/sys/class/net/rdma0/upper_bond0"
	ln -s ../bond0.7 "$NODE/sys/class/net/bond0/upper_bond0.7"
	sim route bond0.7
	run_classify
	[ "$(device mlx5_0)" = "management default_route false 0000:0c:00" ]
	says 'select(.kind=="scan.begin") | .topology.default_route_device=="mlx5_0"'
}

@test "a management NIC that loses its link and route stays a management NIC" {
	node h100-oci
	feed_open classify
	scan >&7
	wait_until 5 has_lines 1 "$BATS_TEST_TMPDIR/out" '"kind":"scan.end"'
	sim down mlx5_2/1
	sim route none
	scan >&7
	exec 7>&-
	wait "$PID"
	[ "$(jq -r 'select(.kind=="device" and .device=="mlx5_2").reason' "$BATS_TEST_TMPDIR/out" |
		xargs)" = "default_route default_route" ]
}

@test "a NIC that gets the interface name of a default route that is gone is still monitored" {
	node h100-oci
	local of_route out=$BATS_TEST_TMPDIR/out
	of_route=$(awk '$2 == "00000000" && $8 == "00000000" { print $1 }' "$NODE/proc/net/route")
	# The scans of a driver that is loaded again: the first NIC that is there gets the name that
	# the kernel gave first, until udev renames it.
	scan >"$BATS_TEST_TMPDIR/first"
	jq -c --arg name "$of_route" 'if .device == "mlx5_2" then .netdevs = []
		elif .kind == "device" and .device == "mlx5_0" then .netdevs[0].name = $name
		else . end' "$BATS_TEST_TMPDIR/first" >"$BATS_TEST_TMPDIR/renamed"
	cp "$NODE/proc/net/route" "$BATS_TEST_TMPDIR/ipv4"
	feed_open classify
	cat "$BATS_TEST_TMPDIR/first" >&7
	wait_until 5 has_lines 1 "$out" '"kind":"scan.end"'
	grep -v "^$of_route	00000000" "$BATS_TEST_TMPDIR/ipv4" >"$NODE/proc/net/route"
	cat "$BATS_TEST_TMPDIR/renamed" >&7
	wait_until 5 has_lines 2 "$out" '"kind":"scan.end"'
	cp "$BATS_TEST_TMPDIR/ipv4" "$NODE/proc/net/route"
	cat "$BATS_TEST_TMPDIR/first" >&7
	wait_until 5 has_lines 3 "$out" '"kind":"scan.end"'
	rm "$NODE/proc/net/route" # unreadable
	cat "$BATS_TEST_TMPDIR/renamed" >&7
	exec 7>&-
	wait "$PID"
	reasons() { jq -r --arg d "$1" 'select(.kind == "device" and .device == $d).reason' "$out" |
		uniq -c | xargs; }
	[ "$(reasons mlx5_0)" = "4 topo_pix_pxb" ]
	[ "$(reasons mlx5_2)" = "4 default_route" ]
	[ "$(jq -c 'select(.kind == "scan.begin").topology.default_route_device' "$out" |
		xargs)" = "mlx5_2 null mlx5_2 null" ]
}

@test "unreadable route files only disable their rule" {
	shared_node h100-oci
	run --separate-stderr bash \
		-c "$(declare -f scan)
		scan | topoclass --metadata \"\$NODE/var/lib/nvsentinel/gpu_metadata.json\" \
		--route /nonexistent --route6 /nonexistent"
	status_is 0
	[ -z "$stderr" ]
	[ "$(device mlx5_2)" = "storage topo_node_phb true 0000:9a:00" ]
}

@test "a default route in a user's own network namespace is not the node's, even over the same interface name" {
	shared_node h100-oci
	# Make a default route over the only interface of each network, and give a NIC's interface
	# its name.
	cat >"$BATS_TEST_TMPDIR/routed" <<-'END'
		import os, socket, struct, sys
		link = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE)
		def ask(kind, flags, body):
		    link.send(struct.pack("=IHHII", 16 + len(body), kind, flags | 5, 1, 0) + body)
		    error = struct.unpack("=i", link.recv(4096)[16:20])[0]
		    assert error == 0, os.strerror(-error)
		ask(16, 0, struct.pack("=BxHiII", 0, 0, 1, 1, 1))  # RTM_NEWLINK: lo is up
		# RTM_NEWROUTE: default dev lo
		ask(24, 0x400, struct.pack("=BBBBBBBBI", socket.AF_INET, 0, 0, 0, 254, 4, 253, 1, 0)
		    + struct.pack("=HHi", 8, 4, 1))
		assert any(line.split()[:2] == ["lo", "00000000"] for line in open("/proc/net/route"))
		os.execvp(sys.argv[1], sys.argv[1:])
	END
	scan | jq -c 'if .kind == "device" and .device == "mlx5_0" then .netdevs[0].name = "lo"
		else . end' >"$BATS_TEST_TMPDIR/scan"
	run --separate-stderr unshare --net --map-root-user /usr/bin/python3 \
		"$BATS_TEST_TMPDIR/routed" topoclass \
		--metadata "$NODE/var/lib/nvsentinel/gpu_metadata.json" <"$BATS_TEST_TMPDIR/scan"
	status_is 0
	[ -z "$stderr" ]
	[ "$(device mlx5_0)" = "compute topo_pix_pxb true 0000:0c:00" ]
	# It counts if --route names the file.
	run --separate-stderr unshare --net --map-root-user /usr/bin/python3 \
		"$BATS_TEST_TMPDIR/routed" topoclass \
		--route /proc/net/route --metadata "$NODE/var/lib/nvsentinel/gpu_metadata.json" \
		<"$BATS_TEST_TMPDIR/scan"
	[ "$(device mlx5_0)" = "management default_route false 0000:0c:00" ]
}

@test "the IPv6 default route counts only on a node without one for IPv4" {
	node h100-oci
	echo '00000000000000000000000000000000 00 00000000000000000000000000000000 00 fe800000000000000000000000000001 00000400 00000001 00000000 00450003    rdma0' >"$NODE/proc/net/ipv6_route"
	run_classify
	[ "$(device mlx5_0)" = "compute topo_pix_pxb true 0000:0c:00" ]
	sim route none
	run_classify
	[ "$(device mlx5_0)" = "management default_route false 0000:0c:00" ]
}

@test "a GPU's NIC with an IPv6 default route stays monitored while the IPv4 default route is missing" {
	node h100-oci
	cp "$NODE/proc/net/route" "$BATS_TEST_TMPDIR/ipv4"
	# Router advertisements in the fabric make such a route.
	echo '00000000000000000000000000000000 00 00000000000000000000000000000000 00 fe800000000000000000000000000001 00000400 00000001 00000000 00450003    rdma0' >"$NODE/proc/net/ipv6_route"
	: >"$NODE/proc/net/route"
	feed_open classify
	# At boot, IPv6 has a route first.
	scan_and_wait 1
	cp "$BATS_TEST_TMPDIR/ipv4" "$NODE/proc/net/route"
	scan_and_wait 2
	# Later only the host's own configuration removes the IPv4 route.
	: >"$NODE/proc/net/route"
	scan_and_wait 3
	exec 7>&-
	wait "$PID"
	local role='select(.kind=="device" and .device==$d) | .reason'
	[ "$(jq -r --arg d mlx5_0 "$role" "$BATS_TEST_TMPDIR/out" | xargs)" = \
		"default_route topo_pix_pxb topo_pix_pxb" ]
	[ "$(jq -r --arg d mlx5_2 "$role" "$BATS_TEST_TMPDIR/out" | xargs)" = \
		"topo_node_phb default_route default_route" ]
}

@test "nicExclusionRegex excludes NICs, which have no role" {
	shared_node h100-oci
	echo 'nicExclusionRegex: "^mlx5_1$,_17"' >"$BATS_TEST_TMPDIR/c.yaml"
	run --separate-stderr bash \
		-c "$(declare -f scan classify); scan | classify --config \"\$1\"" _ \
		"$BATS_TEST_TMPDIR/c.yaml"
	[ "$(device mlx5_1)" = "null excluded false 0000:0c:00" ]
	[ "$(device mlx5_17)" = "null excluded false 0000:d5:00" ]
	[ "$(device mlx5_16)" = "compute topo_pix_pxb true 0000:d5:00" ]
}

@test "nicInclusionRegexOverride includes NICs past every filter and excludes all others" {
	shared_node a100-oci
	echo 'nicInclusionRegexOverride: "^mlx5_(0|1|18)$"' >"$BATS_TEST_TMPDIR/c.yaml"
	run --separate-stderr bash \
		-c "$(declare -f scan classify); scan | classify --config \"\$1\"" _ \
		"$BATS_TEST_TMPDIR/c.yaml"
	status_is 0
	[ "$(device mlx5_0)" = "management override true 0000:62:00" ]
	[ "$(device mlx5_1)" = "compute override true 0000:47:00" ]
	[[ "$(device mlx5_18)" = *" override true "* ]]
	[ "$(device mlx5_2)" = "null override false 0000:47:00" ]
}

@test "an unreadable device keeps its role; one that was never readable has none and is monitored" {
	node h100-oci
	scan >"$BATS_TEST_TMPDIR/in"
	sim dangle mlx5_3
	sim unreadable mlx5_4/1 state
	scan >>"$BATS_TEST_TMPDIR/in"
	run --separate-stderr bash -c "$(declare -f classify); classify <\"\$1\"" _ \
		"$BATS_TEST_TMPDIR/in"
	[ "$(device mlx5_3 | uniq)" = "compute topo_pix_pxb true 0000:2a:00" ]
	[ "$(device mlx5_4 | uniq)" = "compute topo_pix_pxb true 0000:2a:00" ]
	run_classify
	# Its card is known from the link in the class.
	[ "$(device mlx5_3)" = "null unreadable true 0000:2a:00" ]
}

@test "a NIC that hangs from the start is monitored without a role, whatever its name" {
	node h100-oci
	sim rename mlx5_3 rocep42s0
	sim hang rocep42s0 fw_ver
	run_classify
	sim mend rocep42s0 fw_ver
	[ "$(device rocep42s0)" = "null unreadable true 0000:2a:00" ]
}

# --- metadata ---

@test "an SMI device has the role and card of its parent, whatever its name" {
	node multi-plane
	run_classify
	[ "$(device smi0)" = "compute sub_device true 0000:10:00" ]
	[ "$(device mlx5_0)" = "compute topo_pix_pxb true 0000:10:00" ]
	says 'select(.kind=="port" and .device=="smi0") | .role=="compute" and .monitored and .card=="0000:10:00"'
	sim rename smi0 alpha
	metadata '.nic_topology.mlx5_0 = ["SYS", "SYS", "SYS", "SYS"] | .gpus[].numa_node = 1'
	run_classify
	[ "$(device alpha)" = "management sub_device false 0000:10:00" ]
	# Its parent was renamed since the scan.
	jq -c 'if .device == "mlx5_1" then .device = "mlx5_9" else . end' < <(scan) \
		>"$BATS_TEST_TMPDIR/renamed"
	run --separate-stderr bash -c "$(declare -f classify); classify --no-metadata" \
		<"$BATS_TEST_TMPDIR/renamed"
	[ "$(device smi1)" = "null sub_device true 0000:20:00" ]
	# Its parent is not in the scan.
	grep -v '"device":"mlx5_1"' "$BATS_TEST_TMPDIR/renamed" | grep \
		-v mlx5_9 >"$BATS_TEST_TMPDIR/orphan"
	run --separate-stderr bash -c "$(declare -f classify); classify --no-metadata" \
		<"$BATS_TEST_TMPDIR/orphan"
	[ "$(device smi1)" = "null sub_device false 0000:20:00" ]
}

@test "an SMI device in the metadata is not reported as absent when it is gone" {
	node multi-plane
	metadata '.nic_topology.smi0 = .nic_topology.mlx5_0'
	local first
	first=$(scan)
	sim remove smi0
	sim remove mlx5_3
	run --separate-stderr bash -c "$(declare -f classify); classify" < <(printf '%s\n' \
		"$first"; scan)
	[ "$(jq -c 'select(.kind=="scan.begin").topology.absent' <<<"$output" | xargs)" \
		= "[] [mlx5_3]" ]
	# If it was never seen, its parent is unknown; but it cannot be a NIC of the node.
	run_classify
	jq -se '.[0].topology | .absent==["mlx5_3","smi0"] and .lost==["mlx5_3"]' <<<"$output"
}

@test "a missing metadata file that was named exits 78 with its name and a hint" {
	shared_node h100-oci
	run --separate-stderr bash -c \
		'ibscan --sysfs-root "$NODE/sys" | topoclass --metadata /none; exit "${PIPESTATUS[1]}"'
	status_is 78 '^topoclass: error: /none: No such file or directory \(name the GPU metadata with --metadata FILE'
	[ "$(grep -c ^topoclass <<<"$stderr")" -eq 1 ]
}

@test "with --no-metadata every NVIDIA NIC except the default route's is monitored, without a role" {
	shared_node h100-oci
	run --separate-stderr bash \
		-c "$(declare -f scan); scan | topoclass --no-metadata --metadata /nonexistent --route \"\$NODE/proc/net/route\""
	status_is 0
	[ -z "$stderr" ]
	[ "$(jq -c 'select(.kind=="device" and .role!=null) | [.device, .role, .monitored, .reason]' <<<"$output")" = \
		'["mlx5_2","management",false,"default_route"]' ]
	[ "$(jq -c 'select(.kind=="device" and .role==null) | [.monitored, .reason]' <<<"$output" |
		sort | uniq -c | xargs)" = \
		'17 [true,no_metadata]' ]
	jq -e -s '[.[]|select(.kind=="port" and .monitored)]|length==17' <<<"$output"
}

@test "NICs in the metadata that the node lacks are listed unless the configuration excludes them" {
	node l40s-onprem
	sim remove mlx5_3
	sim remove mlx5_1
	absent() { scan | classify "$@" | jq -c 'select(.kind=="scan.begin").topology.absent'; }
	[ "$(absent)" = '["mlx5_1","mlx5_3"]' ]
	echo 'nicExclusionRegex: "^mlx5_1$"' >"$BATS_TEST_TMPDIR/config.yaml"
	[ "$(absent --config "$BATS_TEST_TMPDIR/config.yaml")" = '["mlx5_3"]' ]
	echo 'nicInclusionRegexOverride: "^mlx5_[12]$"' >"$BATS_TEST_TMPDIR/config.yaml"
	[ "$(absent --config "$BATS_TEST_TMPDIR/config.yaml")" = '["mlx5_1"]' ]
	sim restore mlx5_1
	sim restore mlx5_3
	[ "$(absent)" = '[]' ]
}

@test "of the absent NICs, those with a role for the GPUs are listed as lost" {
	node l40s-onprem
	sim remove mlx5_3
	lost() { scan | classify | jq -c 'select(.kind=="scan.begin").topology.lost'; }
	[ "$(lost)" = '["mlx5_3"]' ]
	# Without the default route it may have been the host's own NIC.
	sim route none
	[ "$(lost)" = '[]' ]
	sim restore mlx5_3
	[ "$(lost)" = '[]' ]
}

@test "unusable metadata exits 78 with the reason" {
	node h100-oci
	local file=$NODE/var/lib/nvsentinel/gpu_metadata.json good empty
	good=$(cat "$file")
	refuses() {
		run --separate-stderr bash -c "$(declare -f classify); classify </dev/null"
		status_is 78 "^topoclass: error: $file: $1"
	}
	metadata '.gpus=[]' && refuses 'no GPUs in it'
	echo "$good" >"$file" && metadata 'del(.nic_topology)' &&
		refuses 'no NICs in it \("nic_topology" is missing\)'
	for empty in null '[]' '""'; do
		echo "$good" >"$file" && metadata ".nic_topology = $empty" &&
			refuses 'no NICs in it'
	done
	# Empty rows are the same as none.
	echo "$good" >"$file" && metadata '.nic_topology[] = []' &&
		refuses 'no row of its "nic_topology" is usable'
	echo "$good" >"$file" && metadata '.gpus[].numa_node=-1' &&
		refuses 'no GPU with a known NUMA node'
	echo '{"gpus":' >"$file" && refuses 'not JSON: line'
	echo '[]' >"$file" && refuses 'no GPUs in it'
	: >"$file" && refuses 'not JSON'
	rm "$file" && mkdir "$file" && refuses 'not a regular file'
}

@test "metadata that others may write is rejected, and a running topoclass keeps what it has read" {
	node h100-oci
	local file=$NODE/var/lib/nvsentinel/gpu_metadata.json
	chmod 646 "$file"
	run --separate-stderr bash -c "$(declare -f classify); classify </dev/null"
	status_is 78 "^topoclass: error: $file: others may write to it \\(mode 0646\\) "
	if [ "$(id -u)" -eq 0 ]; then # only root can give a file away
		chmod 644 "$file"
		chown 65534 "$file"
		run --separate-stderr bash -c "$(declare -f classify); classify </dev/null"
		status_is 78 "^topoclass: error: $file: it belongs to user 65534, not to root "
		chown 0 "$file"
	fi
	chmod 644 "$file"
	feed_open classify
	scan >&7
	wait_until 5 has_lines 1 "$BATS_TEST_TMPDIR/out" '"kind":"scan.end"'
	# The replaced file would make every NIC a storage NIC.
	jq '.nic_topology[] |= map("SYS")' "$file" >"$file.new" && chmod 622 "$file.new" &&
		mv "$file.new" "$file"
	scan >&7
	wait_until 5 has_lines 2 "$BATS_TEST_TMPDIR/out" '"kind":"scan.end"'
	exec 7>&-
	ends_with 0 "$PID"
	[ "$(cat "$BATS_TEST_TMPDIR/err")" \
		= "topoclass: warning: $file: others may write to it (mode 0622): keeping the previous data" ]
	[ "$(jq -r 'select(.kind == "device" and .device == "mlx5_3").role' \
		"$BATS_TEST_TMPDIR/out")" = $'compute\ncompute' ]
}

@test "with an inclusion override missing metadata is only a warning" {
	shared_node h100-oci
	echo 'nicInclusionRegexOverride: "^mlx5_3$"' >"$BATS_TEST_TMPDIR/c.yaml"
	run --separate-stderr bash \
		-c "$(declare -f scan); scan | topoclass --metadata /nonexistent --config \"\$1\"" \
		_ "$BATS_TEST_TMPDIR/c.yaml"
	status_is 0 '^topoclass: warning: /nonexistent: No such file'
	[ "$(device mlx5_3)" = "storage override true 0000:2a:00" ]
}

@test "an invalid row of the matrix is ignored with a warning, and the others count" {
	node h100-oci
	metadata '.nic_topology.mlx5_3=["PIX","NOPE"]'
	run_classify
	status_is 0 'warning: metadata: nic_topology of mlx5_3 is not one of'
	[ "$(device mlx5_3)" = "storage not_in_topology true 0000:2a:00" ]
	[ "$(device mlx5_4)" = "compute topo_pix_pxb true 0000:2a:00" ]
}

@test "metadata with the NUMA nodes of only some GPUs is a warning: NICs near the others are not watched" {
	node h100-oci
	metadata '.gpus[4:][].numa_node = -1'
	run_classify
	status_is 0 '^topoclass: warning: metadata: 4 of the 8 GPUs have no known NUMA node: NICs'
	[ "$(device mlx5_17)" = "management numa_gate false $(device mlx5_17 | cut -d' ' -f4)" ]
}

@test "metadata without any NIC of this node gives no roles, with one warning, until it has one" {
	node h100-oci
	local file=$NODE/var/lib/nvsentinel/gpu_metadata.json good
	good=$(cat "$file")
	metadata '.nic_topology |= with_entries(.key = "roce" + .key)'
	feed_open classify
	is() {
		[ "$(jq -c 'select(.kind == "device" and .device == "mlx5_4")
			| [.role, .monitored, .reason]' "$BATS_TEST_TMPDIR/out")" = "$1" ]
	}
	scan >&7
	scan >&7
	wait_until 10 is $'[null,true,"not_in_topology"]\n[null,true,"not_in_topology"]'
	[ "$(cat "$BATS_TEST_TMPDIR/err")" \
		= "topoclass: warning: $file: it lists no NIC of this node: no NIC has a role until it does" ]
	# One NIC is enough from then on: while drivers are reloaded, the rest still belongs to this
	# node.
	jq '.nic_topology |= {mlx5_3}' <<<"$good" >"$file.new" && mv "$file.new" "$file"
	scan >&7
	sim remove mlx5_3
	scan >&7
	exec 7>&-
	ends_with 0 "$PID"
	is $'[null,true,"not_in_topology"]\n[null,true,"not_in_topology"]\n["storage",true,"not_in_topology"]\n["storage",true,"not_in_topology"]'
	[ "$(wc -l <"$BATS_TEST_TMPDIR/err")" -eq 1 ]
}

@test "changed metadata is read again, and unusable metadata is ignored" {
	node h100-oci
	feed_open classify
	role() { jq -r 'select(.kind=="device" and .device=="mlx5_3").role' \
		"$BATS_TEST_TMPDIR/out" | tail -n 1; }
	scan >&7
	wait_until 5 has_lines 1 "$BATS_TEST_TMPDIR/out" '"kind":"scan.end"'
	[ "$(role)" = compute ]
	metadata '.nic_topology.mlx5_3=["NODE","NODE","NODE","NODE","SYS","SYS","SYS","SYS"]'
	scan >&7
	wait_until 5 has_lines 2 "$BATS_TEST_TMPDIR/out" '"kind":"scan.end"'
	[ "$(role)" = storage ]
	metadata '.nic_topology = {}'
	scan >&7
	wait_until 5 has_lines 1 "$BATS_TEST_TMPDIR/err" \
		'warning: .*: no NICs in it .*: keeping the previous data'
	echo garbage >"$NODE/var/lib/nvsentinel/gpu_metadata.json"
	scan >&7
	scan >&7
	exec 7>&-
	wait "$PID"
	[ "$(role)" = storage ]
	[ "$(grep -c 'warning: .*: not JSON: .*: keeping the previous data' \
		"$BATS_TEST_TMPDIR/err")" -eq 1 ]
}

# --- the stream ---

@test "a reader that starts in the middle of a scan drops the rest of that scan" {
	shared_node h100-oci
	scan >"$BATS_TEST_TMPDIR/scan"
	tail -n 7 "$BATS_TEST_TMPDIR/scan" >"$BATS_TEST_TMPDIR/in"
	cat "$BATS_TEST_TMPDIR/scan" >>"$BATS_TEST_TMPDIR/in"
	run --separate-stderr bash -c "$(declare -f classify); classify <\"\$1\"" _ \
		"$BATS_TEST_TMPDIR/in"
	status_is 0
	[ "$(wc -l <<<"$output")" -eq "$(wc -l <"$BATS_TEST_TMPDIR/scan")" ]
	[ "$(head -n 1 <<<"$output" | jq -r .kind)" = scan.begin ]
}

@test "torn, overlong, non-UTF-8 and invalid lines are skipped with one warning per burst" {
	shared_node h100-oci
	scan --include '^mlx5_[0-3]$' >"$BATS_TEST_TMPDIR/scan"
	{
		sed -n 1,3p "$BATS_TEST_TMPDIR/scan"
		sed -n 4p "$BATS_TEST_TMPDIR/scan" | cut -c 1-40
		head -c 2000000 /dev/zero | tr '\0' x
		printf '\n{"kind":"port","device":"\xff\xfe"}\n[1]\n{"no":"kind"}\n{"kind":"device","scan":1}\n'
		sed -n '5,$p' "$BATS_TEST_TMPDIR/scan"
		echo 'again{'
	} >"$BATS_TEST_TMPDIR/in"
	run --separate-stderr bash -c "$(declare -f classify); classify <\"\$1\"" _ \
		"$BATS_TEST_TMPDIR/in"
	status_is 0 'warning: stdin: line 4, byte .*: skipped'
	[ "$(wc -l <<<"$stderr")" -eq 3 ]
	stderr_has 'warning: stdin: further skipped lines: 5'
	[ "$(jq -r .kind <<<"$output" | sort | uniq -c | xargs)" \
		= "3 device 4 port 1 scan.begin 1 scan.end" ]
}

@test "a port whose device record was lost has no role and is not monitored" {
	shared_node h100-oci
	run --separate-stderr bash \
		-c "$(declare -f scan \
		classify); scan | grep -v '\"kind\":\"device\".*\"mlx5_3\"' | classify"
	says 'select(.kind=="port" and .device=="mlx5_3") | .role==null and .monitored==false and .card==null'
}

@test "a scan without its end is passed on when the next one starts and at the end of input" {
	shared_node h100-oci
	scan --include '^mlx5_0$' | grep -v scan.end >"$BATS_TEST_TMPDIR/torn"
	cat "$BATS_TEST_TMPDIR"/torn{,} | classify >"$BATS_TEST_TMPDIR/out" \
		2>"$BATS_TEST_TMPDIR/err"
	[ "$(jq -r .kind "$BATS_TEST_TMPDIR/out" | xargs)" \
		= "scan.begin device port scan.begin device port" ]
	grep -q 'warning: stdin: line 4: a scan begins before the last one ended' \
		"$BATS_TEST_TMPDIR/err"
}

@test "the last line counts even without a newline" {
	shared_node h100-oci
	run --separate-stderr bash -c "$(declare -f scan classify); scan | head -c -1 | classify"
	status_is 0
	[ "$(tail -n 1 <<<"$output" | jq -r .kind)" = scan.end ]
}

@test "an invalid option exits 64, a missing configuration 66, and an invalid one 78" {
	run --separate-stderr topoclass --nope
	status_is 64 "unknown option '--nope'"
	run --separate-stderr topoclass --config "$BATS_TEST_TMPDIR/none.yaml"
	status_is 66 '^topoclass: error: .*/none.yaml: No such file'
	printf 'nicExclusionRegex: "("\nnope: 1\n' >"$BATS_TEST_TMPDIR/c.yaml"
	run --separate-stderr topoclass --config "$BATS_TEST_TMPDIR/c.yaml"
	status_is 78 'c.yaml:1:20: bad expression'
	stderr_has 'c.yaml:2:1: unknown key "nope"'
}

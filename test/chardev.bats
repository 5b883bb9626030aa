#!/usr/bin/env bats
# Character devices: what ibscan says of them, and what the other tools make of it. When they are
# an event is a matter of replay.bats.
# SPDX-License-Identifier: Apache-2.0

load lib/common

teardown() {
	end_background
	nothing_survives
}

# nodes FILE - of its last whole scan: each device and port that has something to say of its nodes,
# and what the end says.
nodes() {
	tail -n 40 "$1" | grep '}$' |
		jq -s -c -r 'map(select(.kind=="scan.end"))[-1].scan as $n | .[] | select(.scan==$n)
		| if .kind=="scan.end" then [.verbs_error, .mad_error] | select(. != [null, null])
		elif has("uverbs") then [.device, .uverbs]
		elif has("umad") then ["\(.device)/\(.port)", .umad, .issm]
		else empty end' | xargs
}

# once - the same of a scan that is made now.
once() {
	scan >"$BATS_TEST_TMPDIR/once"
	nodes "$BATS_TEST_TMPDIR/once"
}

# says_nodes TEXT - `nodes` of the scans that go on say that.
says_nodes() { [ "$(nodes "$BATS_TEST_TMPDIR/out")" = "$1" ]; }

FEW='[mlx5_1,true] [mlx5_1/1,true,true] [mlx5_2,true] [mlx5_2/1,true,true]'

@test "InfiniBand devices and ports say which nodes they have, others say nothing" {
	few l40s-onprem mlx5_{0,1,2}
	[ "$(once)" = "$FEW" ]
	sim chardev remove uverbs mlx5_1
	sim chardev remove issm mlx5_1/1
	sim chardev remove umad mlx5_2/1
	[ "$(once)" = '[mlx5_1,false] [mlx5_1/1,true,false] [mlx5_2,true] [mlx5_2/1,false,true]' ]
	[ "$(jq -r 'select(.kind=="scan.end").complete' "$BATS_TEST_TMPDIR/once")" = true ]
}

@test "a class that cannot be listed is named at the end of the scan, and its nodes are not known" {
	few l40s-onprem mlx5_{1,2}
	sim chardev remove umad
	[ "$(once)" = '[mlx5_1,true] [mlx5_2,true] [null,ENOENT]' ]
	sim chardev remove uverbs
	echo >"$NODE/sys/class/infiniband_verbs"
	[ "$(once)" = '[ENOTDIR,ENOENT]' ]
	[ "$(jq -r 'select(.kind=="scan.end").complete' "$BATS_TEST_TMPDIR/once")" = true ]
	# Nothing there should have one.
	rm -r "$NODE"
	few h100-oci mlx5_{0,1}
	rm -r "$NODE/sys/class/infiniband_verbs" "$NODE/sys/class/infiniband_mad"
	[ "$(once)" = '' ]
}

@test "an entry that cannot be read, hangs, or is not a number is no node; other names are ignored" {
	few l40s-onprem mlx5_{1,2}
	local verbs=$NODE/sys/class/infiniband_verbs mad=$NODE/sys/class/infiniband_mad
	rm "$verbs/uverbs0/ibdev" "$mad/umad0/port" "$mad/issm1/port"
	mkfifo "$verbs/uverbs0/ibdev"
	mkdir "$mad/umad0/port"
	echo first >"$mad/issm1/port"
	mkdir "$verbs/uverbs" "$verbs/uverbs0x" "$verbs/uverbs-1" "$mad/umad99999999999"
	echo mlx5_1 | tee "$verbs/uverbs/ibdev" "$verbs/uverbs0x/ibdev" "$verbs/uverbs-1/ibdev" \
		>"$mad/umad99999999999/ibdev"
	echo 1 >"$mad/umad99999999999/port"
	[ "$(once)" = '[mlx5_1,false] [mlx5_1/1,false,true] [mlx5_2,true] [mlx5_2/1,true,false]' ]
	# Which number an entry has means nothing.
	mv "$verbs/uverbs1" "$verbs/uverbs77"
	[ "$(once)" = '[mlx5_1,false] [mlx5_1/1,false,true] [mlx5_2,true] [mlx5_2/1,true,false]' ]
}

@test "a class with more entries than any machine has is refused" {
	few l40s-onprem mlx5_1
	local verbs=$NODE/sys/class/infiniband_verbs
	(cd "$verbs" && seq -f 'uverbs%.0f' 10 16400 | xargs touch)
	[ "$(once)" = '[mlx5_1/1,true,true] [E2BIG,null]' ]
}

@test "a node that goes or comes back is seen in the next scan; what an entry says is kept" {
	few l40s-onprem mlx5_{1,2}
	background scan --interval 20ms
	wait_until 5 says_nodes "$FEW"
	sim chardev remove umad mlx5_1/1
	wait_until 5 says_nodes '[mlx5_1,true] [mlx5_1/1,false,true] [mlx5_2,true] [mlx5_2/1,true,true]'
	sim chardev restore umad mlx5_1/1
	wait_until 5 says_nodes "$FEW"
	# The same entry, so it is not read again: not even when it would say something else.
	echo other >"$NODE/sys/class/infiniband_verbs/uverbs0/ibdev"
	local scans
	scans=$(grep -c scan.end "$BATS_TEST_TMPDIR/out")
	wait_until 5 has_lines $((scans + 3)) "$BATS_TEST_TMPDIR/out" '"kind":"scan.end"'
	says_nodes "$FEW"
	# But it is when another node is missing.
	sim chardev remove umad mlx5_2/1
	wait_until 5 says_nodes '[mlx5_1,false] [mlx5_1/1,true,true] [mlx5_2,true] [mlx5_2/1,false,true]'
	# One that could not be read is read again in each scan.
	echo x >"$NODE/sys/class/infiniband_mad/issm0/port"
	sim chardev restore umad mlx5_2/1
	wait_until 5 says_nodes '[mlx5_1,false] [mlx5_1/1,true,false] [mlx5_2,true] [mlx5_2/1,true,true]'
	echo 1 >"$NODE/sys/class/infiniband_mad/issm0/port"
	wait_until 5 says_nodes '[mlx5_1,false] [mlx5_1/1,true,true] [mlx5_2,true] [mlx5_2/1,true,true]'
}

@test "a device has its nodes under a new name, and after a reload of its driver" {
	few l40s-onprem mlx5_{1,2}
	background scan --interval 20ms
	wait_until 5 says_nodes "$FEW"
	sim rename mlx5_1 ibp24s0
	wait_until 5 says_nodes '[ibp24s0,true] [ibp24s0/1,true,true] [mlx5_2,true] [mlx5_2/1,true,true]'
	sim remove mlx5_2
	wait_until 5 says_nodes '[ibp24s0,true] [ibp24s0/1,true,true]'
	sim restore mlx5_2
	wait_until 5 says_nodes '[ibp24s0,true] [ibp24s0/1,true,true] [mlx5_2,true] [mlx5_2/1,true,true]'
}

@test "a device whose new name is seen before its nodes know it lacks them for one scan, and no longer" {
	local file files=()
	few l40s-onprem mlx5_{1,2}
	background scan --interval 20ms
	wait_until 20 says_nodes "$FEW"
	mapfile -t files < <(grep -l -x mlx5_1 "$NODE"/sys/class/infiniband_{verbs,mad}/*/ibdev)
	kill -STOP "$PID"
	sim rename mlx5_1 ibp24s0
	for file in "${files[@]}"; do
		echo mlx5_1 >"$file"
	done
	kill -CONT "$PID"
	wait_until 20 says_nodes '[ibp24s0,false] [ibp24s0/1,false,false] [mlx5_2,true] [mlx5_2/1,true,true]'
	for file in "${files[@]}"; do
		echo ibp24s0 >"$file"
	done
	wait_until 20 says_nodes '[ibp24s0,true] [ibp24s0/1,true,true] [mlx5_2,true] [mlx5_2/1,true,true]'
}

@test "topoclass passes on what is said of nodes, and so does a capture" {
	few l40s-onprem mlx5_{0,1,2}
	sim chardev remove umad mlx5_2/1
	local wanted='[mlx5_1,true] [mlx5_1/1,true,true] [mlx5_2,true] [mlx5_2/1,false,true]'
	scan | classify >"$BATS_TEST_TMPDIR/classified"
	[ "$(nodes "$BATS_TEST_TMPDIR/classified")" = "$wanted" ]
	nhm-capture --root "$NODE" "$BATS_TEST_TMPDIR/out"
	nhm-capture --unpack "$BATS_TEST_TMPDIR/out/node.tree" "$BATS_TEST_TMPDIR/copy"
	NODE=$BATS_TEST_TMPDIR/copy
	[ "$(once)" = "$wanted" ]
}

@test "ctreval warns once of a class that cannot be listed, and only where it should have nodes" {
	few l40s-onprem mlx5_{1,2}
	sim chardev remove uverbs
	sim chardev remove umad
	run --separate-stderr ctreval < <(scan --count 3 --interval 10ms | classify)
	status_is 0
	[ "$(grep -c ': warning: ' <<<"$stderr")" -eq 1 ]
	stderr_has '^ctreval: warning: scan 1: class/infiniband_verbs cannot be listed \(ENOENT\): character devices are not checked until it can be$'
	run --separate-stderr ctreval --checks InfiniBandStateCheck < <(scan --count 3 | classify)
	none grep -q warning <<<"$stderr"
}

# table - nicview's of a scan that is made now.
table() { scan | classify | nicview; }

@test "the table marks a port that lacks a node, and says which" {
	few l40s-onprem mlx5_{0,1,2,3}
	none grep -q 'no u' <<<"$(table)"
	sim chardev remove uverbs mlx5_2
	sim chardev remove umad mlx5_3/1
	sim chardev remove issm mlx5_1/1
	sim chardev remove uverbs mlx5_0
	[ "$(table | grep -o -E 'mlx5_[0-9]+.*no u(verbs|mad)' | sed -E 's/ .* no/ no/' | xargs)" \
		= 'mlx5_2 no uverbs mlx5_3 no umad' ]
	grep -q -E '^!! +mlx5_2 ' <<<"$(table)"
}

@test "a missing node is a fault of the node for niccheck; a class that cannot be listed is a note" {
	node l40s-onprem
	local command=("$NHM_BIN/niccheck" --sysfs-root "$NODE/sys" --settle 0s
		--metadata "$NODE/var/lib/nvsentinel/gpu_metadata.json"
		--route "$NODE/proc/net/route" --route6 "$NODE/proc/net/ipv6_route" --node gpu-1)
	sim chardev remove umad mlx5_2/1
	run --separate-stderr timeout 60 "${command[@]}"
	status_is 1
	[ "${lines[0]}" = 'gpu-1: FATAL: Device mlx5_2 port 1: umad character device missing from /sys/class/infiniband_mad; pods cannot open /dev/infiniband/umad*' ]
	sim chardev remove umad
	run --separate-stderr timeout 60 "${command[@]}"
	status_is 0
	grep -q -x ' *note *character devices are not checked: class/infiniband_mad: ENOENT' \
		<<<"$output"
}

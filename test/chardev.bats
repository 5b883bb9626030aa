#!/usr/bin/env bats
# chardev: character devices in ibscan's scans and in the other tools. replay.bats tests when a
# missing one is an event.
# SPDX-License-Identifier: Apache-2.0

load lib/common

teardown() {
	end_background
	nothing_survives
}

# nodes FILE - print, from FILE's last whole scan, each device and port that has fields about its
# nodes, and the errors of the classes.
nodes() {
	tail -n 40 "$1" | grep '}$' |
		jq -s -c -r 'map(select(.kind=="scan.end"))[-1].scan as $n | .[] | select(.scan==$n)
		| if .kind=="scan.end" then [.verbs_error, .mad_error] | select(. != [null, null])
		elif has("uverbs") then [.device, .uverbs]
		elif has("umad") then ["\(.device)/\(.port)", .umad, .issm]
		else empty end' | xargs
}

# once - print the same for a new scan.
once() {
	scan >"$BATS_TEST_TMPDIR/once"
	nodes "$BATS_TEST_TMPDIR/once"
}

# says_nodes TEXT - return success if `nodes` prints TEXT for the background scans.
says_nodes() { [ "$(nodes "$BATS_TEST_TMPDIR/out")" = "$1" ]; }

FEW='[mlx5_1,true] [mlx5_1/1,true,true] [mlx5_2,true] [mlx5_2/1,true,true]'

@test "InfiniBand devices and ports have a field for each of their nodes, others have none" {
	few l40s-onprem mlx5_{0,1,2}
	[ "$(once)" = "$FEW" ]
	sim chardev remove uverbs mlx5_1
	sim chardev remove issm mlx5_1/1
	sim chardev remove umad mlx5_2/1
	[ "$(once)" = '[mlx5_1,false] [mlx5_1/1,true,false] [mlx5_2,true] [mlx5_2/1,false,true]' ]
	[ "$(jq -r 'select(.kind=="scan.end").complete' "$BATS_TEST_TMPDIR/once")" = true ]
}

@test "a class that cannot be listed gives an error in scan.end and no fields for its nodes" {
	few l40s-onprem mlx5_{1,2}
	sim chardev remove umad
	[ "$(once)" = '[mlx5_1,true] [mlx5_2,true] [null,ENOENT]' ]
	sim chardev remove uverbs
	echo >"$NODE/sys/class/infiniband_verbs"
	[ "$(once)" = '[ENOTDIR,ENOENT]' ]
	[ "$(jq -r 'select(.kind=="scan.end").complete' "$BATS_TEST_TMPDIR/once")" = true ]
	# No device there should have a node.
	rm -r "$NODE"
	few h100-oci mlx5_{0,1}
	rm -r "$NODE/sys/class/infiniband_verbs" "$NODE/sys/class/infiniband_mad"
	[ "$(once)" = '' ]
}

@test "an entry that cannot be read, hangs or has no number counts as missing; other names are ignored" {
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
	# The number of an entry does not matter.
	mv "$verbs/uverbs1" "$verbs/uverbs77"
	[ "$(once)" = '[mlx5_1,false] [mlx5_1/1,false,true] [mlx5_2,true] [mlx5_2/1,true,false]' ]
}

# elsewhere - print the devices that a new scan lists as in another network namespace
elsewhere() { scan | jq -r -c 'select(.kind=="scan.end").elsewhere'; }

@test "a device in another network namespace has a uverbs entry alone, and scan.end names it" {
	local platform
	for platform in l40s-onprem h100-oci; do
		rm -rf "$NODE"
		few $platform mlx5_{1,2}
		[ "$(elsewhere)" = null ]
		move_to_pod mlx5_2
		[ "$(elsewhere)" = '["mlx5_2"]' ]
		# With no device left, and with one whose class link leads nowhere.
		move_to_pod mlx5_1
		[ "$(elsewhere)" = '["mlx5_1","mlx5_2"]' ]
		ln -s nowhere "$NODE/sys/class/infiniband/mlx5_1"
		[ "$(elsewhere)" = '["mlx5_2"]' ]
		# One that fails loses both.
		rm "$NODE/sys/class/infiniband/mlx5_1"
		rm -r "$NODE"/sys/class/infiniband_verbs/uverbs0
		[ "$(elsewhere)" = '["mlx5_2"]' ]
	done
}

@test "a device that is excluded or was just renamed is not in another network namespace" {
	few h100-oci mlx5_{1,2}
	[ "$(scan --exclude mlx5_2 | jq -r -c 'select(.kind=="scan.end") | [.devices, .elsewhere]')" = \
		'[1,null]' ]
	background scan --interval 20ms
	wait_until 20 has_lines 3 "$BATS_TEST_TMPDIR/out" '"kind":"scan.end"'
	sim rename mlx5_1 roce1
	# The scans that began after the rename.
	local before
	before=$(grep -c '"kind":"scan.end"' "$BATS_TEST_TMPDIR/out")
	wait_until 20 has_lines $((before + 3)) "$BATS_TEST_TMPDIR/out" '"kind":"scan.end"'
	[ "$(grep '"kind":"scan.end".*}$' "$BATS_TEST_TMPDIR/out" | tail -n +$((before + 2)) |
		jq -s -c 'map(.elsewhere) | unique')" = '[null]' ]
	move_to_pod roce1
	wait_until 20 has_lines 1 "$BATS_TEST_TMPDIR/out" '"elsewhere":."roce1"'
}

@test "a class with more entries than any machine has is an error" {
	few l40s-onprem mlx5_1
	local verbs=$NODE/sys/class/infiniband_verbs
	(cd "$verbs" && seq -f 'uverbs%.0f' 10 16400 | xargs touch)
	[ "$(once)" = '[mlx5_1/1,true,true] [E2BIG,null]' ]
}

@test "the next scan shows a node that disappears or returns, and ibscan caches what it has read of an entry" {
	few l40s-onprem mlx5_{1,2}
	background scan --interval 20ms
	wait_until 5 says_nodes "$FEW"
	sim chardev remove umad mlx5_1/1
	wait_until 5 says_nodes '[mlx5_1,true] [mlx5_1/1,false,true] [mlx5_2,true] [mlx5_2/1,true,true]'
	sim chardev restore umad mlx5_1/1
	wait_until 5 says_nodes "$FEW"
	# ibscan does not read the same entry again, even when its content changes.
	echo other >"$NODE/sys/class/infiniband_verbs/uverbs0/ibdev"
	local scans
	scans=$(grep -c scan.end "$BATS_TEST_TMPDIR/out")
	wait_until 5 has_lines $((scans + 3)) "$BATS_TEST_TMPDIR/out" '"kind":"scan.end"'
	says_nodes "$FEW"
	# ibscan reads it again when another node is missing.
	sim chardev remove umad mlx5_2/1
	wait_until 5 says_nodes '[mlx5_1,false] [mlx5_1/1,true,true] [mlx5_2,true] [mlx5_2/1,false,true]'
	# ibscan reads an unreadable entry again in each scan.
	echo x >"$NODE/sys/class/infiniband_mad/issm0/port"
	sim chardev restore umad mlx5_2/1
	wait_until 5 says_nodes '[mlx5_1,false] [mlx5_1/1,true,false] [mlx5_2,true] [mlx5_2/1,true,true]'
	echo 1 >"$NODE/sys/class/infiniband_mad/issm0/port"
	wait_until 5 says_nodes '[mlx5_1,false] [mlx5_1/1,true,true] [mlx5_2,true] [mlx5_2/1,true,true]'
}

@test "a device keeps its nodes after a rename and after a reload of its driver" {
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

@test "a renamed device lacks its nodes until they have its new name" {
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

@test "topoclass and nhm-capture keep the fields about nodes" {
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

@test "ctreval warns once about a class that cannot be listed, if a port should have nodes in it" {
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

# table - print nicview's table of a new scan.
table() { scan | classify | nicview; }

@test "the table marks a port that lacks a node and names the node" {
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

@test "niccheck reports a missing node as a fault, and a class that cannot be listed as a note" {
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

#!/usr/bin/env bats
# ibevent: kernel notifications of all sources become records, also with a slow reader.
#
# The interface is the loopback of a network namespace that the test makes, which most machines
# allow any user. Without permission to make one, these tests only check that ibevent waits for
# events in the host's network and ends on SIGTERM.
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() {
	load lib/network
	T=$BATS_TEST_TMPDIR
	SYS=$T/sys
	port_of rxe0 lo
	TASK='           rping-7       [000] ..... 12.345678'
	REJECTED="$TASK: cm_event_handler: cm.id=1 src=127.0.0.1:1 dst=10.0.0.2:2 tos=0 REJECTED (8/8)"
	# shellcheck disable=SC2016 # text
	FATAL="$TASK: ib_qp: (ib_uverbs_qp_event_handler+0x0/0x60 [ib_uverbs]) event=1 dev=\"mlx5_0\""
}

teardown() {
	end_background
	nothing_survives
}

# port_of DEVICE INTERFACE - make a sysfs with a device whose first GID belongs to INTERFACE
port_of() {
	mkdir -p "$SYS/class/infiniband/$1/ports/1/gid_attrs/ndevs"
	echo "$2" >"$SYS/class/infiniband/$1/ports/1/gid_attrs/ndevs/0"
}

# listening OPTION... - start ibevent in the test's network and wait until it knows all interfaces
listening() {
	started ibevent "${INSIDE[@]}" ibevent -v --node n --sysfs-root "$SYS" "$@"
	IBEVENT=$PID
	wait_until 20 has_lines 1 "$T/ibevent.err" 'link: 1 interfaces are known'
}
# flaps N - set the interface down and up N times
flaps() { inside "$ROOT/test/lib/setlink" "$1" lo down up; }

# without_network - check what ibevent does without a network namespace of its own
without_network() {
	started ibevent ibevent --sysfs-root "$SYS" --sources link,uevent
	wait_until 20 is_running "$PID"
	wait_until 20 catches_signals "$PID"
	kill -TERM "$PID"
	ends_with 0 "$PID"
}
catches_signals() { grep -q '^SigCgt:.*4...$' "/proc/$1/status"; }

# of_trace OPTION... - print the records that ibevent makes of the trace
of_trace() { ibevent --sysfs-root "$SYS" --sources trace --trace "$T/trace" "$@"; }

# events [FILE] - print "EVENT COUNT" for each record
events() { jq -r '"\(.event // .kind) \(.count // .lost)"' "${1:-$T/ibevent.out}"; }

# without_time - remove the times from records
without_time() { sed -E 's/"ts":"[^"]*","boottime_ns":[0-9]*,//'; }

# sum EVENT - print how often EVENT happened in total
sum() { jq -s "map(select(.event == \"$1\").count) | add // 0" "$T/ibevent.out"; }

stop_it() {
	kill -TERM "$IBEVENT"
	ends_with 0 "$IBEVENT"
}

@test "a link that goes down and up yields both events, in order, with its port" {
	network || { without_network && return; }
	listening --sources link
	flaps 1
	wait_until 20 has_lines 2 "$T/ibevent.out"
	stop_it
	diff <(sed -n 1,2p "$T/ibevent.out" | without_time) - <<-'END'
		{"kind":"async","v":1,"node":"n","via":"link","device":"rxe0","port":1,"event":"LINK_DOWN","fabric_error":true,"count":1}
		{"kind":"async","v":1,"node":"n","via":"link","device":"rxe0","port":1,"event":"LINK_UP","fabric_error":false,"count":1}
	END
	jq -e '(.ts | test("^20..-..-..T..:..:..[.]......Z$")) and .boottime_ns > 0' \
		"$T/ibevent.out" >"$T/times"
}

@test "a thousand flaps are merged into a few records with counts, and the last record has the last state" {
	network || { without_network && return; }
	listening --sources link
	flaps 1000
	inside "$ROOT/test/lib/setlink" 1 lo down
	wait_until 20 all_flaps_came
	stop_it
	[ "$(sum LINK_UP)" -le 1000 ]
	[ "$(wc -l <"$T/ibevent.out")" -lt 500 ]
	[[ $(events | tail -n 1) = "LINK_DOWN "* ]]
}
# A machine that gives ibevent no CPU time makes the kernel drop some: a gap reports that.
all_flaps_came() {
	if events | grep -q '^gap'; then
		ends_down
	else
		[ "$(sum LINK_DOWN) $(sum LINK_UP)" = '1001 1000' ]
	fi
}

@test "after the kernel dropped events, a gap record reports it and the current state follows" {
	network || { without_network && return; }
	listening --sources link
	kill -STOP "$IBEVENT"
	flaps 3000
	inside "$ROOT/test/lib/setlink" 1 lo down
	kill -CONT "$IBEVENT"
	wait_until 20 ends_down
	stop_it
	[ "$(events | grep -c '^gap null$')" -ge 1 ]
}
ends_down() { [ "$(events | grep '^LINK' | tail -n 1 | cut -d ' ' -f 1)" = LINK_DOWN ]; }

@test "an interface without an RDMA port yields no records" {
	network || { without_network && return; }
	port_of rxe0 another
	listening --sources link
	flaps 20
	stop_it
	[ ! -s "$T/ibevent.out" ]
}

@test "an interface that only shares its name with one in a device's GID table is not the device's" {
	network || { without_network && return; }
	mkdir -p "$SYS/class/infiniband/rxe0/device" "$SYS/class/net/lo/device/infiniband"
	port_of mlx5_7 lo
	mkdir -p "$SYS/class/infiniband/mlx5_7/device" "$SYS/class/net/lo/device/infiniband/mlx5_7"
	listening --sources link
	flaps 1
	wait_until 20 has_lines 2 "$T/ibevent.out"
	stop_it
	[ "$(jq -r .device "$T/ibevent.out" | sort -u)" = mlx5_7 ]
}

# listening_by_function DEVICE PORT LAYER - listen to links; lo leads by its PCI function alone to
# that port
listening_by_function() {
	rm "$SYS"/class/infiniband/rxe0/ports/1/gid_attrs/ndevs/0
	mkdir -p "$SYS/class/net/lo/device/infiniband/$1" "$SYS/class/infiniband/$1/ports/$2"
	echo $(($2 - 1)) >"$SYS/class/net/lo/dev_port"
	echo "$3" >"$SYS/class/infiniband/$1/ports/$2/link_layer"
	listening --sources link
}

@test "on Ethernet an interface of a port's PCI function, such as a VF's representor, is not the port's" {
	network || { without_network && return; }
	listening_by_function mlx5_0 1 Ethernet
	flaps 20
	stop_it
	[ ! -s "$T/ibevent.out" ]
}

@test "on InfiniBand the port is that of the interface's PCI function, unless the interface is in a bond" {
	network || { without_network && return; }
	listening_by_function mlx4_0 2 InfiniBand
	flaps 1
	wait_until 20 has_lines 2 "$T/ibevent.out"
	stop_it
	[ "$(jq -r '"\(.device) \(.port)"' "$T/ibevent.out" | sort -u)" = 'mlx4_0 2' ]
	ln -s ../bond0 "$SYS/class/net/lo/master"
	listening --sources link
	flaps 20
	stop_it
	[ ! -s "$T/ibevent.out" ]
}

@test "a blocked reader loses records, gets their number in a gap, and does not block the trace's writer" {
	mkfifo "$T/trace" "$T/pipe"
	exec 8<>"$T/trace" 9<>"$T/pipe"
	# shellcheck disable=SC2016 # for the inner shell
	started ibevent bash -c 'exec "$@" >"$0" 8>&- 9>&-' "$T/pipe" ibevent \
		--node "$(printf 'n%.0s' {1..253})" --sysfs-root "$SYS" --sources trace \
		--trace "$T/trace"
	IBEVENT=$PID
	for ((i = 0; i < 2000; i++)); do echo "${FATAL/mlx5_0/mlx5_$i}"; done |
		timeout 20 tee -a "$T/trace" >/dev/null
	started reader bash -c 'exec cat <"$0"' "$T/pipe"
	wait_until 20 all_accounted
	[ "$(jq -s 'map(select(.kind == "gap").lost) | add' "$T/reader.out")" -gt 1000 ]
	[ "$(jq -r 'select(.kind == "gap").via' "$T/reader.out" | sort -u)" = trace ]
	stop_it
}
all_accounted() { [ "$(jq -s 'map(.count // .lost) | add' "$T/reader.out")" = 2000 ]; }

@test "ibevent reads events of connections and queue pairs from a trace" {
	printf '%s\n' "$REJECTED" "$FATAL" "$TASK: sched_switch: x" 'CPU:0 [LOST 7 EVENTS]' \
		>"$T/trace"
	run --separate-stderr of_trace --node n
	status_is 0
	[ -z "$stderr" ]
	diff <(without_time <<<"$output" | sed 's/"rxe0"/null/') - <<-'END'
		{"kind":"cm","v":1,"node":"n","via":"trace","device":null,"event":"REJECTED","status":8,"cause":"remote","count":1}
		{"kind":"async","v":1,"node":"n","via":"trace","device":"mlx5_0","port":null,"event":"QP_FATAL","fabric_error":true,"count":1}
		{"kind":"gap","v":1,"node":"n","via":"trace","lost":7}
	END
}

@test "a connection is assigned to the device that has its local address" {
	network || { without_network && return; }
	echo "$REJECTED" >"$T/trace"
	output=$(inside ibevent --sysfs-root "$SYS" --sources trace --trace "$T/trace")
	[ "$(jq -r .device <<<"$output")" = rxe0 ]
	sed -i 's/src=127.0.0.1/src=10.1.2.3/' "$T/trace"
	output=$(inside ibevent --sysfs-root "$SYS" --sources trace --trace "$T/trace")
	[ "$(jq -r .device <<<"$output")" = null ]
}

@test "unreachable peers are counted without naming them" {
	network || { without_network && return; }
	local peer
	for peer in 10.0.0.{2,3,2,4}; do
		echo "${REJECTED/dst=10.0.0.2:2 tos=0 */dst=$peer:2 tos=0 UNREACHABLE (7/-110)}"
	done >"$T/trace"
	echo "$REJECTED" >>"$T/trace"
	output=$(inside ibevent --sysfs-root "$SYS" --sources trace --trace "$T/trace")
	[ "$(jq -s -c 'map(select(.event == "UNREACHABLE")) | [(map(.count) | add), last.peers]' \
		<<<"$output")" = '[4,3]' ]
	[ "$(jq -c 'select(.event == "REJECTED").peers' <<<"$output")" = null ]
	# Without a device for the connection no peers are counted.
	sed -i 's/src=127.0.0.1/src=10.1.2.3/' "$T/trace"
	output=$(of_trace --node n)
	[ "$(jq -s -c 'map(.peers) | unique' <<<"$output")" = '[null]' ]
}

@test "no record has a process, an address or an id" {
	printf '%s\n' "$REJECTED" "${REJECTED/REJECTED*/UNREACHABLE (7\/-110)}" "$FATAL" >"$T/trace"
	run --separate-stderr of_trace
	status_is 0
	[ "$(jq -s '[.[] | keys[]] | unique - ["boottime_ns", "cause", "count", "device", "event",
		"fabric_error", "kind", "node", "peers", "port", "status", "ts", "v", "via"]' \
		-c <<<"$output")" = '[]' ]
	none grep -q -E '10\.0\.0|127\.0|rping|cm\.id' <<<"$output"
}

@test "repeats within 100 ms are merged into a count, and none is lost at the end" {
	for _ in {1..50}; do echo "$FATAL"; done >"$T/trace"
	run --separate-stderr of_trace
	status_is 0
	[ "$(jq -r .count <<<"${lines[0]}")" -eq 1 ]
	[ "$(jq -s 'map(.count) | add' <<<"$output")" -eq 50 ]
	[ "${#lines[@]}" -lt 50 ]
}

@test "a trace that is a pipe is read as it grows, until its end" {
	mkfifo "$T/trace"
	started ibevent ibevent --sysfs-root "$SYS" --sources trace --trace "$T/trace"
	exec 8>"$T/trace"
	echo "$FATAL" >&8
	wait_until 20 has_lines 1 "$T/ibevent.out"
	echo -n "$REJECTED" >&8
	exec 8>&-
	ends_with 0 "$PID"
	[ "$(events | tr '\n' ,)" = 'QP_FATAL 1,REJECTED 1,' ]
}

@test "beside other sources a named pipe is read on for one writer after the other" {
	local writer
	mkfifo "$T/trace"
	started ibevent ibevent -v --sysfs-root "$SYS" --sources uevent,trace --trace "$T/trace"
	for writer in 1 2 3; do
		# Opening the pipe blocks until ibevent reads it.
		echo "$REJECTED" >"$T/trace"
		wait_until 20 has_lines "$writer" "$T/ibevent.out"
		wait_until 20 has_lines "$writer" "$T/ibevent.err" \
			"trace: $T/trace has ended: waiting for the next writer$"
	done
	kill -TERM "$PID"
	ends_with 0 "$PID"
}

@test "beside other sources a trace file is read once, to its end" {
	echo "$REJECTED" >"$T/trace"
	started ibevent ibevent -v --sysfs-root "$SYS" --sources uevent,trace --trace "$T/trace"
	wait_until 20 has_lines 1 "$T/ibevent.err" "trace: $T/trace has ended$"
	wait_until 20 has_lines 1 "$T/ibevent.out"
	kill -TERM "$PID"
	ends_with 0 "$PID"
}

@test "malformed and overlong lines are reported once and hide no other line" {
	{
		echo "$TASK: ib_qp: nonsense"
		head -c 5000 /dev/zero | tr '\0' x
		echo
		echo "$FATAL"
	} >"$T/trace"
	run --separate-stderr of_trace
	status_is 0 "trace: line 1: not in the kernel's format: skipped"
	[ "$(wc -l <<<"$stderr")" -eq 1 ]
	[ "$(events - <<<"$output")" = 'QP_FATAL 1' ]
}

@test "a trace file waits for a slow reader and loses no event" {
	for ((i = 0; i < 2000; i++)); do echo "${FATAL/mlx5_0/mlx5_$i}"; done >"$T/trace"
	ibevent --sysfs-root "$SYS" --sources trace --trace "$T/trace" |
		{ pause 0.2 && cat >"$T/out"; }
	[ "$(jq -r .device "$T/out" | sort -u | wc -l)" -eq 2000 ]
	[ "$(wc -l <"$T/out")" -eq 2000 ]
}

@test "a closed stdout exits 74 even when no further event happens" {
	mkfifo "$T/trace"
	exec 8<>"$T/trace"
	# shellcheck disable=SC2016 # for the inner shell
	started reader bash -c '"$@" 8>&- | head -n 1; echo "${PIPESTATUS[0]}"' _ \
		ibevent --sysfs-root "$SYS" --sources trace --trace "$T/trace"
	echo "$FATAL" >&8
	ends_with 0 "$PID"
	[ "$(tail -n 1 "$T/reader.out")" = 74 ]
	grep -q -x 'ibevent: error: stdout: Broken pipe' "$T/reader.err"
}

@test "a reader that ends at the same time as SIGTERM arrives causes no message" {
	mkfifo "$T/trace" "$T/reader"
	exec 8<>"$T/trace" 9<>"$T/reader"
	# shellcheck disable=SC2016 # for the inner shell
	started ibevent bash -c 'exec "$@" >"$0" 8>&- 9>&-' "$T/reader" \
		ibevent --sysfs-root "$SYS" --sources trace --trace "$T/trace"
	# ibevent holds the repeats back for a moment, so it still has to write them at the end.
	printf '%s\n' "$FATAL" "$FATAL" "$FATAL" >&8
	read -r -u 9
	kill -STOP "$PID"
	kill -TERM "$PID"
	exec 9>&-
	kill -CONT "$PID"
	ends_with 0 "$PID"
	[ ! -s "$T/ibevent.err" ]
}

# with_nodes DIRECTORY COMMAND... - run COMMAND where /dev has only DIRECTORY and /dev/shm, which
# holds the tests
with_nodes() {
	# shellcheck disable=SC2016 # for the inner shell
	unshare -rm bash -c 'mount --rbind /dev/shm /mnt && mount -t tmpfs none /dev &&
		mkdir "$0" /dev/shm && mount --rbind /mnt /dev/shm && touch /dev/null &&
		exec "$@"' \
		"$@"
}
# node_of NODE DEVICE [DRIVER] - make a verbs node of DEVICE in sysfs
node_of() {
	mkdir -p "$SYS/class/infiniband_verbs/$1" "$SYS/class/infiniband/$2"
	echo "$2" >"$SYS/class/infiniband_verbs/$1/ibdev"
	[ $# -lt 3 ] || mkdir "$SYS/class/infiniband/$2/device"
	[ $# -lt 3 ] || ln -s "../../drivers/$3" "$SYS/class/infiniband/$2/device/driver"
}

@test "a device whose driver would block its removal is not opened, and each unopened device is one line" {
	with_nodes /dev/infiniband true 2>/dev/null || { without_network && return; }
	node_of uverbs0 mlx5_0 mlx5_core
	node_of uverbs1 efa_0 efa
	node_of uverbs2 rxe1
	touch "$SYS/class/infiniband_verbs/abi_version"
	started ibevent bash -c "$(declare -f with_nodes); with_nodes \"\$@\"" _ /dev/infiniband \
		"$NHM_BIN/ibevent" --sysfs-root "$SYS" --sources uevent,verbs
	wait_until 20 has_lines 3 "$T/ibevent.err"
	kill -TERM "$(pgrep -P "$PID" -x ibevent || echo "$PID")"
	wait_until 20 is_gone "$PID"
	grep -q '^ibevent: warning: verbs: mlx5_0: not watched: ' "$T/ibevent.err"
	[ "$(grep -c 'its driver cannot remove an open device' "$T/ibevent.err")" -eq 2 ]
	grep -q 'verbs: efa_0: ' "$T/ibevent.err"
	grep -q 'verbs: rxe1: ' "$T/ibevent.err"
}

@test "virtual functions do not take the room of NICs" {
	with_nodes /dev/infiniband true 2>/dev/null || { without_network && return; }
	for i in {0..47}; do
		node_of "uverbs$i" "mlx5_v$i" mlx5_core
		mkdir "$SYS/class/infiniband_verbs/uverbs$i/device"
		mkdir "$SYS/class/infiniband_verbs/uverbs$i/device/physfn"
	done
	node_of uverbs48 mlx5_0 mlx5_core
	started ibevent bash -c "$(declare -f with_nodes); with_nodes \"\$@\"" _ /dev/infiniband \
		"$NHM_BIN/ibevent" --sysfs-root "$SYS" --sources uevent,verbs
	wait_until 20 has_lines 49 "$T/ibevent.err"
	kill -TERM "$(pgrep -P "$PID" -x ibevent || echo "$PID")"
	wait_until 20 is_gone "$PID"
	grep 'there are more than' "$T/ibevent.err" >"$T/unread"
	[ "$(wc -l <"$T/unread")" -eq 1 ]
	grep -q 'mlx5_v47: not watched: there are more than 48 devices' "$T/unread"
}

@test "a missing source is one line, and the other sources are read" {
	echo "$FATAL" >"$T/trace"
	started ibevent ibevent --sysfs-root "$SYS" --trace "$T/none"
	wait_until 20 has_lines 1 "$T/ibevent.err" '^ibevent: warning: trace: not read: No such file'
	wait_until 20 catches_signals "$PID"
	kill -TERM "$PID"
	ends_with 0 "$PID"
	# Only --sources verbs makes a missing verbs device worth a line.
	[ -e /dev/infiniband ] || [ "$(grep -c verbs "$T/ibevent.err")" -eq 0 ]
	started ibevent ibevent --sysfs-root "$SYS" --sources uevent,verbs
	[ -e /dev/infiniband ] || wait_until 20 has_lines 1 "$T/ibevent.err" \
		'^ibevent: warning: verbs: not read: No such file or directory$'
	wait_until 20 catches_signals "$PID"
	kill -TERM "$PID"
	ends_with 0 "$PID"
}

@test "without any source ibevent exits 69, or 77 when one was denied" {
	run --separate-stderr ibevent --sysfs-root "$SYS" --sources trace --trace "$T/none"
	status_is 69 '^ibevent: warning: trace: not read: No such file or directory$'
	stderr_has '^ibevent: error: no source can be read$'
	touch "$T/trace"
	chmod 0 "$T/trace"
	# File modes do not stop root, so drop root's capabilities.
	local as=()
	[ "$(id -u)" -ne 0 ] || as=(setpriv --bounding-set=-all --inh-caps=-all --)
	run --separate-stderr "${as[@]}" ibevent --sysfs-root "$SYS" --sources trace \
		--trace "$T/trace"
	status_is 77 '^ibevent: warning: trace: not read: Permission denied$'
}

@test "invalid combinations of sources are rejected with 64" {
	local options
	while read -r options; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr ibevent $options
		status_is 64 "\\(try 'ibevent --help'\\)$"
	done <<-END
		--sources verbs
		--sources link,verbs
		--sources trace
		--sources link --trace x
		--sources link --verbs-any-driver
		--sources
		--sources ,
		--sources linc
		--node=
		operand
	END
	run --separate-stderr ibevent --sources linc
	stderr_has 'unknown source "linc" \(did you mean "link"\?\); known: link, uevent, verbs, trace'
	run --separate-stderr ibevent --sources verbs
	stderr_has 'verbs needs uevent, which reports when to close a device'
}

@test "a sysfs root that does not exist exits 66" {
	run --separate-stderr ibevent --sysfs-root "$T/none"
	status_is 66 "$T/none: No such file or directory"
}

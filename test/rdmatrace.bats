#!/usr/bin/env bats
# rdmatrace: what it asks of tracefs, when, and what it takes back. The tracefs is a directory with
# the files of one, which note all that is written into them; test/kernel/trace.bats has real ones.
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() {
	T=$BATS_TEST_TMPDIR
	SYS=$T/sys
	TRACING=$T/tracing
	INSTANCE=$TRACING/instances/rdmatrace
	LINE='           rping-7       [000] ..... 12.345678: cm_event_handler: cm.id=1 ...'
	make_tracefs "$TRACING"
	# Both ways, so that it has a writer for as long as the test wants.
	exec 8<>"$INSTANCE/trace_pipe"
	mkdir -p "$SYS/module"/{ib_core,ib_uverbs,rdma_cm}
	"$ROOT/test/lib/btf" "$SYS"
}

teardown() {
	exec 8>&-
	end_background
	nothing_survives
}

# tracing - rdmatrace, once it has looked at all events. Sets TRACER.
tracing() {
	started rdmatrace rdmatrace -v --tracefs "$TRACING" --sysfs-root "$SYS"
	TRACER=$PID
	wait_until 20 says 6 '(traced|not traced: .*|waiting for the module .*)'
}
# tracing_into PIPE - the same, and the pipe gets what it writes.
tracing_into() {
	# shellcheck disable=SC2016 # for the inner shell
	started rdmatrace bash -c 'exec rdmatrace -v --tracefs "$1" --sysfs-root "$2" >"$3"' _ \
		"$TRACING" "$SYS" "$1"
	TRACER=$PID
	wait_until 20 says 6 traced
}
# says N REGEX - such a line of an event is there so often.
says() { has_lines "$1" "$T/rdmatrace.err" "^rdmatrace: (info|warning): [a-z_]+: $2\$"; }

# ends_in_order - as it is told. That our instance holds files, which nobody can remove, is due to
# the tests.
ends_in_order() {
	kill -TERM "$TRACER"
	ends_with 0 "$TRACER"
	[ "$(tail -n 1 "$T/rdmatrace.err")" = \
		'rdmatrace: warning: instances/rdmatrace: not removed: Directory not empty' ]
}

# all_of FILE - what was written into it, in a line.
all_of() { xargs <"$INSTANCE/$1"; }

@test "failed connections and errors of queues and devices are traced, where this kernel has their parts" {
	echo old >"$INSTANCE/trace"
	tracing
	says 6 traced
	# shellcheck disable=SC2016 # text
	diff "$TRACING/kprobe_events" <(
		for queue in qp cq srq wq; do
			echo "-:rdmatrace/ib_$queue"
			echo "p:rdmatrace/ib_$queue ib_uverbs:ib_uverbs_${queue}_event_handler" \
				'event=+16($arg1):u32 dev=+1048(+0($arg1)):string'
		done
		echo -:rdmatrace/ib_event
		echo 'p:rdmatrace/ib_event ib_core:ib_dispatch_event_clients' \
			'event=+16($arg1):u32 port=+8($arg1):u32 dev=+1048(+0($arg1)):string'
	) >&2
	[[ $(all_of events/rdma_cma/cm_event_handler/filter) = 'event != 0 && '*' && event != 15' ]]
	[ "$(all_of events/rdma_cma/cm_event_handler/enable)" = 1 ]
	# Whatever was there was ended first.
	[ "$(all_of events/rdmatrace/ib_qp/enable)" = '0 1' ]
	# Small buffers, one clock, and nothing of what an earlier run has left.
	[ "$(all_of buffer_size_kb) $(all_of trace_clock) $(all_of trace)" = '16 boot ' ]
	ends_in_order
	[ "$(all_of events/rdmatrace/ib_qp/enable)" = '0 1 0' ]
	[ "$(tail -n 5 "$TRACING/kprobe_events" | xargs)" = \
		"$(echo -:rdmatrace/ib_{qp,cq,srq,wq,event})" ]
}

@test "where a device's name is comes from the kernel that runs" {
	"$ROOT/test/lib/btf" "$SYS" 1080
	tracing
	[ "$(grep -o 'dev=+1080(+0(' "$TRACING/kprobe_events" | wc -l)" -eq 5 ]
	ends_in_order
}

@test "what the kernel writes down arrives as it is, at once" {
	tracing
	echo "$LINE" >&8
	wait_until 20 has_lines 1 "$T/rdmatrace.out"
	for _ in {1..200}; do echo "$LINE"; done >&8
	wait_until 20 has_lines 201 "$T/rdmatrace.out"
	[ "$(sort -u "$T/rdmatrace.out")" = "$LINE" ]
	ends_in_order
}

@test "a module that is not loaded is waited for, and one that is loaded again is traced again" {
	rmdir "$SYS/module/rdma_cm"
	tracing
	says 1 'waiting for the module rdma_cm'
	says 5 traced
	[ ! -s "$INSTANCE/events/rdma_cma/cm_event_handler/enable" ]
	mkdir "$SYS/module/rdma_cm"
	wait_until 20 says 6 traced
	[ "$(all_of events/rdma_cma/cm_event_handler/enable)" = 1 ]
	# Another directory, so that it has another inode.
	mkdir "$SYS/module/new"
	mv "$SYS/module/ib_core" "$T/old"
	"$ROOT/test/lib/btf" "$SYS" 1080
	mv "$SYS/module/new" "$SYS/module/ib_core"
	wait_until 20 says 11 traced
	[ "$(grep -c 'dev=+1080(' "$TRACING/kprobe_events")" -eq 5 ]
	[ "$(all_of events/rdma_cma/cm_event_handler/enable)" = 1 ]
	ends_in_order
}

@test "without BTF, or with one that makes no sense, connections are traced all the same, and each loss is said once" {
	local reason
	for reason in 'the kernel has no BTF of ib_core' 'the BTF of ib_core cannot be read' \
		'the BTF of ib_core lacks a member of ib_event or ib_device'; do
		case $reason in
		*'has no'*) rm "$SYS/kernel/btf/ib_core" ;;
		*read) echo nothing >"$SYS/kernel/btf/ib_core" ;;
		*lacks*) cp "$SYS/kernel/btf/vmlinux" "$SYS/kernel/btf/ib_core" ;;
		esac
		tracing
		says 1 traced
		says 5 "not traced: $reason"
		# A module that is loaded again has its part tried again.
		mv "$SYS/module/ib_uverbs" "$SYS/module/gone"
		wait_until 20 says 4 'waiting for the module ib_uverbs'
		mv "$SYS/module/gone" "$SYS/module/ib_uverbs"
		wait_until 20 has_lines 2 "$TRACING/kprobe_events" '^-:rdmatrace/ib_wq$'
		ends_in_order
		none grep 'p:' "$TRACING/kprobe_events"
		rm "$TRACING/kprobe_events"
		touch "$TRACING/kprobe_events"
		says 5 "not traced: $reason"
		none says 6 'not traced: .*'
	done
}

@test "a probe that the kernel refuses is said once, and the others are traced" {
	rm "$INSTANCE/events/rdmatrace/ib_wq/enable"
	tracing
	says 5 traced
	says 1 'not traced: No such file or directory'
	ends_in_order
}

@test "a reader that is gone ends it, and nothing is traced any more" {
	mkfifo "$T/reader"
	exec 9<>"$T/reader"
	tracing_into "$T/reader"
	exec 9>&-
	ends_with 74 "$TRACER"
	has_lines 1 "$T/rdmatrace.err" '^rdmatrace: error: stdout: Broken pipe$'
	[ "$(all_of events/rdmatrace/ib_event/enable)" = '0 1 0' ]
}

@test "a reader that takes nothing does not keep it from ending in order" {
	mkfifo "$T/reader"
	exec 9<>"$T/reader"
	tracing_into "$T/reader"
	# More than two pipes hold.
	for _ in {1..2500}; do echo "$LINE"; done >"$T/lines"
	started writer bash -c 'exec cat "$0" >>"$1"' "$T/lines" "$INSTANCE/trace_pipe"
	wait_until 20 is_full
	ends_in_order
	exec 9>&-
}
# is_full - the reader's pipe takes no line more. A part of one it may take.
is_full() { ! command timeout 0.2 bash -c 'echo "$1" >"$0"' "$T/reader" "$LINE"; }

@test "one at a time: who has the instance keeps it, and who was killed has it no more" {
	tracing
	run --separate-stderr timeout 20 rdmatrace --tracefs "$TRACING" --sysfs-root "$SYS"
	status_is 75 "^rdmatrace: error: $TRACING/instances/rdmatrace: another rdmatrace has it$"
	[ -z "$output" ]
	kill -KILL "$TRACER"
	wait "$TRACER" || true
	tracing
	ends_in_order
}

@test "without tracefs it says so and ends: 66, 69 or 77" {
	run --separate-stderr timeout 20 rdmatrace --tracefs "$T/none"
	status_is 66 "^rdmatrace: error: $T/none: No such file or directory$"
	mkdir "$T/empty"
	run --separate-stderr timeout 20 rdmatrace --tracefs "$T/empty"
	status_is 69 "^rdmatrace: error: $T/empty: tracefs is not mounted there$"
	run --separate-stderr timeout 20 rdmatrace --tracefs "$TRACING" --sysfs-root "$T/none"
	status_is 66 "^rdmatrace: error: $T/none: No such file or directory$"
	rm "$INSTANCE/trace_clock"
	run --separate-stderr timeout 20 rdmatrace --tracefs "$TRACING" --sysfs-root "$SYS"
	status_is 69 "^rdmatrace: error: $INSTANCE/trace_clock: No such file or directory$"
	# Rights do not count for root, who gives them up.
	local as=()
	[ "$(id -u)" -ne 0 ] || as=(setpriv --bounding-set=-all --inh-caps=-all --)
	chmod 0 "$INSTANCE/buffer_size_kb"
	run --separate-stderr timeout 20 "${as[@]}" rdmatrace --tracefs "$TRACING" \
		--sysfs-root "$SYS"
	status_is 77 "^rdmatrace: error: $INSTANCE/buffer_size_kb: Permission denied$"
}

#!/usr/bin/env bats
# rdmatrace: the settings that it makes and undoes in tracefs. The tracefs is a directory of plain
# files, which keep all that is written to them; test/kernel/trace.bats has real ones.
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() {
	T=$BATS_TEST_TMPDIR
	SYS=$T/sys
	TRACING=$T/tracing
	INSTANCE=$TRACING/instances/rdmatrace
	LINE='           rping-7       [000] ..... 12.345678: cm_event_handler: cm.id=1 ...'
	make_tracefs "$TRACING"
	# Open it for reading and writing, so that it has a writer as long as the test needs one.
	exec 8<>"$INSTANCE/trace_pipe"
	mkdir -p "$SYS/module"/{ib_core,ib_uverbs,rdma_cm}
	"$ROOT/test/lib/btf" "$SYS"
}

teardown() {
	exec 8>&-
	end_background
	nothing_survives
}

# tracing - start rdmatrace and wait until it has handled all events; sets TRACER
tracing() {
	started rdmatrace rdmatrace -v --tracefs "$TRACING" --sysfs-root "$SYS"
	TRACER=$PID
	wait_until 20 says 6 '(traced|not traced: .*|waiting for the module .*)'
}
# tracing_into PIPE - do the same with PIPE as stdout
tracing_into() {
	# shellcheck disable=SC2016 # for the inner shell
	started rdmatrace bash -c 'exec rdmatrace -v --tracefs "$1" --sysfs-root "$2" >"$3"' _ \
		"$TRACING" "$SYS" "$1"
	TRACER=$PID
	wait_until 20 says 6 traced
}
# says N REGEX - return success if N lines about an event match
says() { has_lines "$1" "$T/rdmatrace.err" "^rdmatrace: (info|warning): [a-z_]+: $2\$"; }

# ends_in_order - stop it by SIGTERM. The warning is due to the plain files in the instance's
# directory, which rmdir cannot remove.
ends_in_order() {
	kill -TERM "$TRACER"
	ends_with 0 "$TRACER"
	[ "$(tail -n 1 "$T/rdmatrace.err")" = \
		'rdmatrace: warning: instances/rdmatrace: not removed: Directory not empty' ]
}

# all_of FILE - print what was written to it, in one line
all_of() { xargs <"$INSTANCE/$1"; }

@test "failed connections and errors of queues and devices are traced if the kernel has the modules" {
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
	# Each event is disabled first.
	[ "$(all_of events/rdmatrace/ib_qp/enable)" = '0 1' ]
	# The buffers are small, the clock is the boot clock, and an earlier run's trace is cleared.
	[ "$(all_of buffer_size_kb) $(all_of trace_clock) $(all_of trace)" = '16 boot ' ]
	ends_in_order
	[ "$(all_of events/rdmatrace/ib_qp/enable)" = '0 1 0' ]
	[ "$(tail -n 5 "$TRACING/kprobe_events" | xargs)" = \
		"$(echo -:rdmatrace/ib_{qp,cq,srq,wq,event})" ]
}

@test "the offset of a device's name comes from the running kernel's BTF" {
	"$ROOT/test/lib/btf" "$SYS" 1080
	tracing
	[ "$(grep -o 'dev=+1080(+0(' "$TRACING/kprobe_events" | wc -l)" -eq 5 ]
	ends_in_order
}

@test "trace lines are passed on unchanged and at once" {
	tracing
	echo "$LINE" >&8
	wait_until 20 has_lines 1 "$T/rdmatrace.out"
	for _ in {1..200}; do echo "$LINE"; done >&8
	wait_until 20 has_lines 201 "$T/rdmatrace.out"
	[ "$(sort -u "$T/rdmatrace.out")" = "$LINE" ]
	ends_in_order
}

@test "rdmatrace waits for a missing module, and traces a module again that was loaded again" {
	rmdir "$SYS/module/rdma_cm"
	tracing
	says 1 'waiting for the module rdma_cm'
	says 5 traced
	[ ! -s "$INSTANCE/events/rdma_cma/cm_event_handler/enable" ]
	mkdir "$SYS/module/rdma_cm"
	wait_until 20 says 6 traced
	[ "$(all_of events/rdma_cma/cm_event_handler/enable)" = 1 ]
	# Use another directory, which has another inode.
	mkdir "$SYS/module/new"
	mv "$SYS/module/ib_core" "$T/old"
	"$ROOT/test/lib/btf" "$SYS" 1080
	mv "$SYS/module/new" "$SYS/module/ib_core"
	wait_until 20 says 11 traced
	[ "$(grep -c 'dev=+1080(' "$TRACING/kprobe_events")" -eq 5 ]
	[ "$(all_of events/rdma_cma/cm_event_handler/enable)" = 1 ]
	ends_in_order
}

@test "without a usable BTF connections are still traced, and each untraced event is reported once" {
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
		# A module that is loaded again has its events tried again.
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

@test "an event that the kernel rejects is reported once, and the others are traced" {
	rm "$INSTANCE/events/rdmatrace/ib_wq/enable"
	tracing
	says 5 traced
	says 1 'not traced: No such file or directory'
	ends_in_order
}

@test "a closed stdout exits 74 and disables the events" {
	mkfifo "$T/reader"
	exec 9<>"$T/reader"
	tracing_into "$T/reader"
	exec 9>&-
	ends_with 74 "$TRACER"
	has_lines 1 "$T/rdmatrace.err" '^rdmatrace: error: stdout: Broken pipe$'
	[ "$(all_of events/rdmatrace/ib_event/enable)" = '0 1 0' ]
}

@test "a blocked reader does not keep rdmatrace from an orderly end" {
	mkfifo "$T/reader"
	exec 9<>"$T/reader"
	tracing_into "$T/reader"
	# Write more than two pipes hold.
	for _ in {1..2500}; do echo "$LINE"; done >"$T/lines"
	started writer bash -c 'exec cat "$0" >>"$1"' "$T/lines" "$INSTANCE/trace_pipe"
	wait_until 20 is_full
	ends_in_order
	exec 9>&-
}
# is_full - return success if the reader's pipe accepts no whole line any more
is_full() { ! command timeout 0.2 bash -c 'echo "$1" >"$0"' "$T/reader" "$LINE"; }

@test "a second rdmatrace exits 75, and one after a killed one works" {
	tracing
	run --separate-stderr timeout 20 rdmatrace --tracefs "$TRACING" --sysfs-root "$SYS"
	status_is 75 "^rdmatrace: error: $TRACING/instances/rdmatrace: another rdmatrace uses it$"
	[ -z "$output" ]
	kill -KILL "$TRACER"
	wait "$TRACER" || true
	tracing
	ends_in_order
}

@test "without a usable tracefs rdmatrace exits 66, 69 or 77 with the reason" {
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
	# File modes do not stop root, so drop root's capabilities.
	local as=()
	[ "$(id -u)" -ne 0 ] || as=(setpriv --bounding-set=-all --inh-caps=-all --)
	chmod 0 "$INSTANCE/buffer_size_kb"
	run --separate-stderr timeout 20 "${as[@]}" rdmatrace --tracefs "$TRACING" \
		--sysfs-root "$SYS"
	status_is 77 "^rdmatrace: error: $INSTANCE/buffer_size_kb: Permission denied$"
}

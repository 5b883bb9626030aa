#!/usr/bin/env bats
# What a real kernel traces for rdmatrace, and what ibevent makes of it: errors of queues that
# belong to other processes, and connections that fail.
# SPDX-License-Identifier: Apache-2.0

TRACING=/sys/kernel/tracing

setup_file() {
	mountpoint -q "$TRACING" || mount -t tracefs none "$TRACING"
}

setup() {
	load guest
	new_devices
}

teardown() {
	end_background
	[ -z "$(ls "$TRACING/instances" && cat "$TRACING/kprobe_events")" ]
	nothing_left
}

# tracing - rdmatrace into ibevent, once all is traced. Sets TRACER and LISTENER.
tracing() {
	mkfifo "$T/pipe"
	# shellcheck disable=SC2016 # for the inner shell
	started rdmatrace bash -c 'exec rdmatrace -v >"$0"' "$T/pipe"
	TRACER=$PID
	started events ibevent --sources trace --trace "$T/pipe" --node n
	LISTENER=$PID
	wait_until 20 has_lines 6 "$T/rdmatrace.err" ': traced$'
}

# all_read - rdmatrace has removed what it made, and ibevent has read to the end.
all_read() {
	kill -TERM "$TRACER"
	ends_with 0 "$TRACER"
	ends_with 0 "$LISTENER"
}

# traced - the records so far, a line each.
traced() {
	jq -r 'if .kind == "cm" then "\(.device) \(.event) \(.status) \(.cause)"
		else "\(.device)/\(.port) \(.event)" end' "$T/events.out"
}
was_traced() { traced | grep -q -x -- "$1"; }

# queue_pair - a process that has one on rxe0. Sets NUMBER, its number.
queue_pair() {
	started owner ibv_rc_pingpong -d rxe0 -g 1
	wait_until 20 has_queue_pair
}
has_queue_pair() {
	NUMBER=$(rdma resource show qp link rxe0 | sed -n 's/.* lqpn \([0-9]*\) .* type RC .*/\1/p')
	[ -n "$NUMBER" ]
}

@test "an error of another process's queue pair is seen, and whose it is stays untold" {
	tracing
	queue_pair
	inject event=1 qp="$NUMBER"
	inject event=3 qp="$NUMBER"
	wait_until 20 was_traced 'rxe0/null QP_ACCESS_ERR'
	kill -TERM "$PID"
	all_read
	[ "$(traced)" = $'rxe0/null QP_FATAL\nrxe0/null QP_ACCESS_ERR' ]
	none grep -E 'pid|qpn|pingpong' "$T/events.out"
}

@test "what a driver reports of its device is seen without opening the device" {
	tracing
	inject event=10 port=1
	inject event=8 port=0
	wait_until 20 was_traced 'rxe0/null DEVICE_FATAL'
	timeout 5 rdma link delete rxe0
	all_read
	[ "$(traced | head -n 2)" = $'rxe0/1 PORT_ERR\nrxe0/null DEVICE_FATAL' ]
}

# serving - rping as a server, for one connection. Sets SERVER.
serving() {
	started server rping -s -a 10.0.0.1 -C 100000
	SERVER=$PID
	wait_until 20 has_listener
}
has_listener() { rdma resource show cm_id | grep -q LISTEN; }
is_connected() { rdma resource show cm_id | grep -q CONNECT; }

@test "what a device tells that ibevent has open as well is reported once, and queues still are" {
	mkfifo "$T/pipe"
	# shellcheck disable=SC2016 # for the inner shell
	started rdmatrace bash -c 'exec rdmatrace -v >"$0"' "$T/pipe"
	TRACER=$PID
	started events ibevent -v --sources uevent,verbs,trace --verbs-any-driver \
		--trace "$T/pipe" --node n
	LISTENER=$PID
	wait_until 20 has_lines 6 "$T/rdmatrace.err" ': traced$'
	wait_until 20 has_lines 2 "$T/events.err" ' verbs: rxe[01]: watched$'
	queue_pair
	local owner=$PID
	inject event=10 port=1
	inject event=1 qp="$NUMBER"
	wait_until 20 was_traced 'rxe0/null QP_FATAL'
	wait_until 20 was_traced 'rxe0/1 PORT_ERR'
	kill -TERM "$owner"
	kill -TERM "$TRACER"
	ends_with 0 "$TRACER"
	kill -TERM "$LISTENER"
	ends_with 0 "$LISTENER"
	[ "$(traced | sort)" = $'rxe0/1 PORT_ERR\nrxe0/null QP_FATAL' ]
	jq -s -e 'all(.count == 1)' "$T/events.out"
}

@test "a connection that is refused, one to nobody and one whose peer is killed are seen, and whose fault each is" {
	tracing
	none timeout 30 rping -c -a 10.0.0.1 -C 1
	wait_until 20 was_traced 'rxe0 REJECTED 8 remote'
	none timeout 30 rping -c -a 10.0.0.77 -C 1
	wait_until 20 was_traced '.* ADDR_ERROR -110 network'
	serving
	started client rping -c -a 10.0.0.1 -C 100000
	wait_until 20 is_connected
	kill -KILL "$SERVER"
	wait_until 20 was_traced 'rxe0 DISCONNECTED 0 unknown'
	all_read
	[ "$(traced | grep -c -v DISCONNECTED)" -eq 2 ]
	none grep -E '10\.0\.0|rping' "$T/events.out"
}

@test "a host that is dead is seen when the kernel gives it up" {
	ip neighbour replace 10.0.0.77 lladdr 02:00:00:00:00:77 dev eth0
	tracing
	started client rping -c -a 10.0.0.77 -C 1
	# 78 seconds later, or 104.
	wait_until 300 was_traced 'rxe0 UNREACHABLE -110 network'
	all_read
	ip neighbour del 10.0.0.77 dev eth0
}

@test "of a connection that does what it should only the end is written down" {
	tracing
	serving
	timeout 30 rping -c -a 10.0.0.1 -C 3
	wait_until 20 was_traced 'rxe0 DISCONNECTED 0 unknown'
	all_read
	[ "$(traced | sort -u)" = 'rxe0 DISCONNECTED 0 unknown' ]
}

@test "after all modules were unloaded and loaded again all is traced again" {
	tracing
	modprobe -r rdma_ucm rdma_rxe
	modprobe -r ib_cm iw_cm
	[ ! -e /sys/module/ib_core ]
	modprobe rdma_rxe
	modprobe rdma_ucm
	rdma link add rxe0 type rxe netdev eth0
	wait_until 20 has_lines 12 "$T/rdmatrace.err" ': traced$'
	queue_pair
	inject event=1 qp="$NUMBER"
	wait_until 20 was_traced 'rxe0/null QP_FATAL'
	kill -TERM "$PID"
	none timeout 30 rping -c -a 10.0.0.1 -C 1
	wait_until 20 was_traced 'rxe0 REJECTED 8 remote'
	all_read
}

@test "what one that was killed has left is taken up, without what was traced meanwhile" {
	tracing
	kill -KILL "$TRACER"
	wait "$TRACER" || true
	ends_with 0 "$LISTENER"
	inject event=10 port=1
	rm "$T/pipe"
	tracing
	inject event=8 port=0
	wait_until 20 was_traced 'rxe0/null DEVICE_FATAL'
	all_read
	[ "$(traced)" = 'rxe0/null DEVICE_FATAL' ]
}

# of_unit KEY - what the unit runs for it, as systemd would give it to a shell.
of_unit() {
	local script unit=../../dist/nic-health-monitor-trace.service
	script=$(sed -n "s/^$1=\/bin\/sh -c '\(.*\)'$/\1/p" "$unit")
	script=${script//\$\$/\$}
	echo "${script//\/usr\/bin\//$NHM_BIN/}"
}

@test "the unit's pipe may be read by its group and nobody else, and by one reader after the other" {
	export RUNTIME_DIRECTORY=$T/run
	mkdir -m 750 "$RUNTIME_DIRECTORY"
	chgrp monitor "$RUNTIME_DIRECTORY"
	chmod 755 "$BATS_RUN_TMPDIR" "$BATS_RUN_TMPDIR/test" "$T"
	local unit=(setpriv --regid monitor --clear-groups --bounding-set=-all --inh-caps=-all --
		sh -c)
	"${unit[@]}" "$(of_unit ExecStartPre)"
	"${unit[@]}" "$(of_unit ExecStartPre)"
	[ "$(stat -c '%F %a %U %G' "$T/run/pipe")" = 'fifo 640 root monitor' ]
	started rdmatrace "${unit[@]}" "$(of_unit ExecStart)"
	TRACER=$PID
	none setpriv --reuid nobody --regid nogroup --clear-groups cat "$T/run/pipe"
	[ -z "$(ls "$TRACING/instances")" ]
	started events setpriv --reuid monitor --regid monitor --clear-groups --no-new-privs \
		--inh-caps=-all --ambient-caps=-all --bounding-set=-all -- \
		ibevent --sources trace --trace "$T/run/pipe" --node n
	LISTENER=$PID
	wait_until 20 is_traced
	inject event=10 port=1
	wait_until 20 was_traced 'rxe0/1 PORT_ERR'
	kill -TERM "$LISTENER"
	ends_with 0 "$LISTENER"
	ends_with 74 "$TRACER"
}
is_traced() { [ "$(cat "$TRACING/instances/rdmatrace/events/rdmatrace/ib_event/enable")" = 1 ]; }

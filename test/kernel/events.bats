#!/usr/bin/env bats
# What a real kernel pushes: ibevent reports each cause once, in order, and keeps no device from
# going.
# SPDX-License-Identifier: Apache-2.0

setup() {
	load guest
	new_devices
}

teardown() {
	[ ! -e /sys/class/net/moved0 ] || ip link delete moved0
	nothing_left
}

# listening [COMMAND...] - ibevent with all sources that need no preparation, run by the command,
# once it watches both devices. Soft RoCE waits for who has a device open, so it is opened only if
# asked for. Sets LISTENER.
listening() {
	started events "$@" ibevent -v --node n --verbs-any-driver
	LISTENER=$PID
	is_ready 'info: verbs: rxe[01]: watched$'
}

# is_ready REGEX - it has said that of both devices, and knows all interfaces.
is_ready() {
	wait_until 20 has_lines 2 "$T/events.err" "^ibevent: $1"
	wait_until 20 has_lines 1 "$T/events.err" '^ibevent: info: link: [0-9]+ interfaces are known$'
}

# pushed VIA - what that source has reported, a line each: device and port, event, and how often
# where it was more than once.
pushed() {
	jq -r --arg via "$1" 'select(.kind == "async" and .via == $via)
		| "\(.device)/\(.port) \(.event)" + if .count > 1 then " x\(.count)" else "" end' \
		"$T/events.out"
}

# were_pushed VIA LINE... - just these, in this order.
were_pushed() {
	local via=$1
	shift
	as_many() { [ "$(pushed "$via" | wc -l)" -ge "$1" ]; }
	wait_until 20 as_many $# || true
	diff <(pushed "$via") <(printf '%s\n' "$@") >&2
}

# failed_and_came_back DEVICE - that is what verbs says of it, and nothing else of any device but
# that addresses have changed. Soft RoCE says twice that a port is active.
failed_and_came_back() {
	pushed verbs | grep -v GID_CHANGE | sed 's/ x2$//' >"$T/verbs"
	[ "$(grep -c PORT_ERR "$T/verbs")" -eq 1 ]
	[ "$(grep -c PORT_ACTIVE "$T/verbs")" -le 2 ]
	uniq "$T/verbs" | diff - <(printf '%s\n' "$1/1 PORT_ERR" "$1/1 PORT_ACTIVE") >&2
}

# came VIA EVENT - it has been reported.
came() { wait_until 20 has_lines 1 "$T/events.out" "\"via\":\"$1\".*\"event\":\"$2\""; }

# all_read - ibevent has ended in order, and has written all.
all_read() {
	kill -TERM "$LISTENER"
	ends_with 0 "$LISTENER"
}

@test "a cable that is pulled and plugged in again is seen by netlink and by verbs, once each" {
	listening
	ip link set cable0 down
	came link LINK_DOWN
	came verbs PORT_ERR
	ip link set cable0 up
	came link LINK_UP
	came verbs PORT_ACTIVE
	all_read
	were_pushed link 'rxe0/1 LINK_DOWN' 'rxe0/1 LINK_UP'
	failed_and_came_back rxe0
	[ -z "$(pushed uevent)" ]
}

@test "an interface that is set down and up is seen by netlink and by verbs, once each" {
	listening
	ip link set eth1 down
	came link LINK_DOWN
	came verbs PORT_ERR
	ip link set eth1 up
	came link LINK_UP
	came verbs PORT_ACTIVE
	all_read
	were_pushed link 'rxe1/1 LINK_DOWN' 'rxe1/1 LINK_UP'
	failed_and_came_back rxe1
}

@test "an address that goes and comes is a change of GIDs, which is no error" {
	listening
	ip address del 10.0.0.1/24 dev eth0
	came verbs GID_CHANGE
	jq -e 'select(.via == "verbs") | .fabric_error == false' "$T/events.out"
	ip address add 10.0.0.1/24 dev eth0
	all_read
	[ "$(pushed verbs | sed 's/ x[0-9]*$//' | sort -u)" = 'rxe0/1 GID_CHANGE' ]
	[ -z "$(pushed link)" ]
}

@test "a device that is renamed is reported under its new name, and its events from then on" {
	listening
	rdma dev set rxe0 name renamed0
	came uevent DEVICE_RENAMED
	ip link set cable0 down
	came link LINK_DOWN
	came verbs PORT_ERR
	all_read
	were_pushed uevent 'renamed0/null DEVICE_RENAMED'
	were_pushed link 'renamed0/1 LINK_DOWN'
	were_pushed verbs 'renamed0/1 PORT_ERR'
}

@test "an interface that is renamed is still its port's" {
	ip link set eth0 down
	listening
	ip link set eth0 name moved0
	ip link set moved0 up
	came link LINK_UP
	ip link set moved0 down
	came link LINK_DOWN
	all_read
	were_pushed link 'rxe0/1 LINK_UP' 'rxe0/1 LINK_DOWN'
}

@test "a device that ibevent has open is deleted within 5 s, and watched again when it is back" {
	listening
	timeout 5 rdma link delete rxe0
	came uevent DEVICE_REMOVED
	rdma link add rxe0 type rxe netdev eth0
	came uevent DEVICE_ADDED
	wait_until 20 has_lines 3 "$T/events.err" '^ibevent: info: verbs: rxe[01]: watched$'
	ip link set cable0 down
	came verbs PORT_ERR
	all_read
	were_pushed uevent 'rxe0/null DEVICE_REMOVED' 'rxe0/null DEVICE_ADDED'
	# That the device goes is reported by verbs, too, as what it is.
	none jq -e 'select(.event == "DEVICE_FATAL" and .removed != true)' "$T/events.out"
}

@test "a driver that would wait is not kept from being unloaded, and its devices are seen when they are back" {
	started events ibevent -v --node n
	LISTENER=$PID
	is_ready 'note: verbs: rxe[01]: not watched: its driver cannot remove an open device '
	timeout 10 modprobe -r rdma_rxe
	modprobe rdma_rxe
	rdma link add rxe1 type rxe netdev eth1
	came uevent DEVICE_ADDED
	ip link set cable1 down
	came link LINK_DOWN
	all_read
	pushed uevent | head -n 2 | sort | diff - <(printf '%s\n' 'rxe0/null DEVICE_REMOVED' \
		'rxe1/null DEVICE_REMOVED') >&2
	[ "$(pushed uevent | tail -n +3)" = 'rxe1/null DEVICE_ADDED' ]
	were_pushed link 'rxe1/1 LINK_DOWN'
}

@test "what a driver reports of its device is seen by verbs, each once, and what is an error is one" {
	listening
	local event
	# enum ib_event_type: DEVICE_FATAL, PORT_ERR, LID_CHANGE, PKEY_CHANGE, SM_CHANGE,
	# CLIENT_REREGISTER
	for event in 8 10 11 12 13 17; do
		inject event=$event port=1
	done
	came verbs CLIENT_REREGISTER
	all_read
	were_pushed verbs 'rxe0/1 DEVICE_FATAL' 'rxe0/1 PORT_ERR' 'rxe0/1 LID_CHANGE' \
		'rxe0/1 PKEY_CHANGE' 'rxe0/1 SM_CHANGE' 'rxe0/1 CLIENT_REREGISTER'
	[ "$(jq -r 'select(.fabric_error).event' "$T/events.out" | xargs)" = \
		'DEVICE_FATAL PORT_ERR' ]
	none jq -e 'select(.removed)' "$T/events.out"
}

@test "a device's own fault that a driver reports without a port is the device's" {
	listening
	inject event=8 port=0
	came verbs DEVICE_FATAL
	all_read
	were_pushed verbs 'rxe0/null DEVICE_FATAL'
}

@test "a user without any capability reads all of it" {
	chmod 755 "$BATS_RUN_TMPDIR" "$BATS_RUN_TMPDIR/test" "$T"
	listening setpriv --reuid monitor --regid monitor --clear-groups --no-new-privs \
		--inh-caps=-all --ambient-caps=-all --bounding-set=-all --
	ip link set cable0 down
	came link LINK_DOWN
	came verbs PORT_ERR
	timeout 5 rdma link delete rxe1
	came uevent DEVICE_REMOVED
	all_read
}

@test "when the kernel has dropped notices a gap says so, and the last state is known" {
	listening
	kill -STOP "$LISTENER"
	# Each change is a notice, and 2 MiB of them are kept for who does not read.
	seq -f 'link set eth0 alias a%.0f' 2000 >"$T/batch"
	echo "link set eth0 down" >>"$T/batch"
	ip -batch "$T/batch"
	kill -CONT "$LISTENER"
	came link LINK_DOWN
	all_read
	grep -q '"kind":"gap","v":1.*"via":"link","lost":null' "$T/events.out"
	were_pushed link 'rxe0/1 LINK_DOWN'
}

@test "the service, too, keeps no device from going, and reports what its events say" {
	# Soft RoCE is a driver that would wait: the service does not open it.
	watch --interval 1s
	timeout 5 rdma link delete rxe0
	events_are "fatal: RoCE device rxe0 disappeared from sysfs"
	ip link set cable1 down
	events_are "fatal: RoCE device rxe0 disappeared from sysfs" \
		"fatal: RoCE port rxe1 port 1: $UNPLUGGED (eth1)"
	stopped
}

#!/usr/bin/env bats
# What ibevent reads from a real kernel: links, devices and libibverbs' own events, each in order;
# and a device is removed while ibevent has it open.
# SPDX-License-Identifier: Apache-2.0

setup() {
	load guest
	new_devices
}

teardown() { nothing_left; }

# listening OPTION... - starts ibevent, and returns when it has rxe0 open, if it opens it, and knows
# the interfaces.
listening() {
	started ibevent ibevent -v --node n "$@"
	IBEVENT=$PID
	wait_until 20 has_lines 1 "$T/ibevent.err" 'link: [0-9]+ interfaces are known'
	[[ " $* " != *' --verbs-any-driver '* ]] || {
		wait_until 20 has_lines 1 "$T/ibevent.err" 'verbs: rxe0: watched'
		wait_until 20 has_lines 1 "$T/ibevent.err" 'verbs: rxe1: watched'
	}
}

# events VIA DEVICE - their names, in order, with their counts.
events() {
	jq -r --arg via "$1" --arg device "$2" \
		'select(.via == $via and .device == $device) | "\(.event) \(.count)"' \
		"$T/ibevent.out" | paste -s -d ,
}
events_are() { [ "$(events "$1" "$2")" = "$3" ]; }

@test "a link that is set down and up is reported by rtnetlink, and its port by libibverbs" {
	listening --verbs-any-driver
	ip link set eth0 down
	wait_until 20 events_are link rxe0 'LINK_DOWN 1'
	wait_until 20 has_lines 1 "$T/ibevent.out" '"via":"verbs","device":"rxe0","port":1,"event":"PORT_ERR","fabric_error":true'
	ip link set eth0 up
	wait_until 20 events_are link rxe0 'LINK_DOWN 1,LINK_UP 1'
	wait_until 20 has_lines 1 "$T/ibevent.out" '"via":"verbs","device":"rxe0","port":1,"event":"PORT_ACTIVE","fabric_error":false'
	kill -TERM "$IBEVENT"
	ends_with 0 "$IBEVENT"
	none grep -q rxe1.*PORT_ERR "$T/ibevent.out"
}

@test "a device is removed in less than 5 seconds while ibevent has it open" {
	listening --verbs-any-driver
	local before=$SECONDS
	command timeout 60 rdma link delete rxe0
	[ $((SECONDS - before)) -lt 5 ]
	wait_until 20 events_are uevent rxe0 'DEVICE_REMOVED 1'
	wait_until 20 has_lines 1 "$T/ibevent.err" 'verbs: rxe0: closed: it is being removed'
	rdma link add rxe0 type rxe netdev eth0
	wait_until 20 has_lines 2 "$T/ibevent.err" 'verbs: rxe0: watched'
	wait_until 20 events_are uevent rxe0 'DEVICE_REMOVED 1,DEVICE_ADDED 1'
	kill -TERM "$IBEVENT"
	ends_with 0 "$IBEVENT"
}

@test "soft RoCE is not opened unless that is asked for" {
	listening
	wait_until 20 has_lines 2 "$T/ibevent.err" 'not watched: its driver cannot remove'
	[ -z "$(find "/proc/$IBEVENT/fd" -lname '*uverbs*')" ]
	kill -TERM "$IBEVENT"
	ends_with 0 "$IBEVENT"
}

@test "a device that is renamed is reported under its new name" {
	listening --verbs-any-driver
	rdma dev set rxe0 name renamed0
	wait_until 20 events_are uevent renamed0 'DEVICE_RENAMED 1'
	ip link set eth0 down
	wait_until 20 events_are link renamed0 'LINK_DOWN 1'
	wait_until 20 has_lines 1 "$T/ibevent.out" '"via":"verbs","device":"renamed0","port":1,"event":"PORT_ERR"'
	kill -TERM "$IBEVENT"
	ends_with 0 "$IBEVENT"
	ip link set eth0 up
	rdma dev set renamed0 name rxe0
}

@test "a user without rights reads links, uevents and verbs" {
	# shellcheck disable=SC2016 # for the inner shell
	started ibevent setpriv --reuid monitor --regid monitor --clear-groups --no-new-privs \
		--inh-caps=-all --bounding-set=-all -- "$NHM_BIN/ibevent" -v --verbs-any-driver
	IBEVENT=$PID
	wait_until 20 has_lines 1 "$T/ibevent.err" 'verbs: rxe0: watched'
	wait_until 20 has_lines 1 "$T/ibevent.err" 'link: [0-9]+ interfaces are known'
	ip link set eth0 down
	wait_until 20 events_are link rxe0 'LINK_DOWN 1'
	wait_until 20 has_lines 1 "$T/ibevent.out" '"via":"verbs","device":"rxe0","port":1,"event":"PORT_ERR"'
	ip link set eth0 up
	kill -TERM "$IBEVENT"
	ends_with 0 "$IBEVENT"
}

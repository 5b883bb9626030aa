#!/usr/bin/env bats
# RDMA devices that come, go and change their name under a real kernel, seen through the whole
# service.
# SPDX-License-Identifier: Apache-2.0

setup() {
	load guest
	new_devices
}

teardown() { nothing_left; }

GONE='disappeared from sysfs'
BACK='re-enumerated in sysfs'

@test "a device that is deleted has disappeared, and one that is added again has recovered" {
	watch
	rdma link delete rxe0
	events_are "fatal: RoCE device rxe0 $GONE"
	rdma link add rxe0 type rxe netdev eth0
	events_are "fatal: RoCE device rxe0 $GONE" "healthy: Device rxe0 $BACK" \
		"healthy: RoCE port rxe0 port 1: $UP"
	# Nobody took the files that it had for broken.
	none grep -E 'cannot be read|unreadable|ENODEV' <(grep -v -F '(timeout)' "$T/service.err")
}

@test "a device disappears with the interface below it" {
	watch
	ip link delete eth1
	events_are "fatal: RoCE device rxe1 $GONE"
	[ ! -e /sys/class/infiniband/rxe1 ]
	none grep -E 'cannot be read|unreadable|ENODEV' <(grep -v -F '(timeout)' "$T/service.err")
}

@test "a device that is deleted and added within one interval is a new one, whose counters began at 0" {
	configure 'counterDetection: {counters: [{name: sent, path: hw_counters/sent_pkts, thresholdType: delta, threshold: 0, isFatal: false, description: "Packets"}]}'
	traffic
	watch --interval 2s
	# One breach, and its recovery, because the number is lower than it was: the files that were
	# open before belong to nobody now.
	traffic
	wait_until 20 new_event 1
	printf '%s\n' 'link delete rxe0' 'link add rxe0 type rxe netdev eth0' >"$T/batch"
	unseen rdma -b "$T/batch"
	wait_until 20 new_event 2
	scans_pass 1
	new_events | tee "$T/found"
	[ "$(wc -l <"$T/found")" -eq 2 ]
	grep -q -E '^other: Port rxe0 port 1: sent - Packets ' <(head -n 1 "$T/found")
	[ "$(tail -n 1 "$T/found")" = 'healthy: Counter sent recovered on port rxe0 port 1' ]
	[ "$(cat /sys/class/infiniband/rxe0/ports/1/hw_counters/sent_pkts)" -eq 0 ]
}

@test "a device that is given another name, and its own again, is the same device: nothing has disappeared" {
	watch
	rdma dev set rxe0 name renamed0
	scans_pass 2
	ip link set cable0 down
	events_are "fatal: RoCE port renamed0 port 1: $UNPLUGGED (eth0)"
	rdma dev set renamed0 name rxe0
	# What stands is taken back under the one name and said under the other.
	wait_until 20 new_event 3
	ip link set cable0 up
	events_are "fatal: RoCE port renamed0 port 1: $UNPLUGGED (eth0)" \
		'healthy: Port renamed0 port 1 is no longer monitored' \
		"fatal: RoCE port rxe0 port 1: $UNPLUGGED (eth0)" "healthy: RoCE port rxe0 port 1: $UP"
	says 'NIC rxe0 \(.*\) was renamed to renamed0'
	says 'NIC renamed0 \(.*\) was renamed to rxe0'
	jq -e '.known_devices == ["rxe0", "rxe1"]' "$T/run/state.json"
}

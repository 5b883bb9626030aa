#!/usr/bin/env bats
# Links that fail under a real kernel become the right events through the whole service.
# SPDX-License-Identifier: Apache-2.0

setup() {
	load guest
	new_devices
}

teardown() { nothing_left; }

@test "an interface that is set down, a pulled cable, and their recovery" {
	watch
	ip link set eth0 down
	wait_until 20 new_event 1
	ip link set cable1 down
	wait_until 20 new_event 2
	ip link set eth0 up
	wait_until 20 new_event 3
	ip link set cable1 up
	events_are "fatal: RoCE port rxe0 port 1: $DOWN (eth0)" \
		"fatal: RoCE port rxe1 port 1: $UNPLUGGED (eth1)" \
		"healthy: RoCE port rxe0 port 1: $UP" "healthy: RoCE port rxe1 port 1: $UP"
	stopped
}

@test "a port that is down when the service starts is reported, because the configuration names it" {
	ip link set cable0 down
	wait_until 20 port_is rxe0 '1: DOWN' '2: Polling'
	watch
	# The service may also say for a moment that a late reader cannot be read.
	wait_until 30 reported_is "fatal: RoCE port rxe0 port 1: $UNPLUGGED (eth0)"
	from_now
	ip link set cable0 up
	events_are "healthy: RoCE port rxe0 port 1: $UP"
}

# reported_is LINE - check that the service has reported this since its start, and nothing else but
# that earlier conditions are cleared.
reported_is() {
	SEEN_BEFORE=0 new_events >"$T/found"
	diff <(grep -v '^healthy: Baseline reset: ' "$T/found") <(echo "$1") >"$T/differences"
}

@test "50 flaps are 50 pairs of events, and one that says that the link flaps" {
	watch --interval 100ms
	local i
	for i in {1..50}; do
		ip link set eth0 down
		wait_until 20 has_lines $((2 * i - 1)) "$EVENTS" '"errorCode":\["port_state"\]'
		ip link set eth0 up
		wait_until 20 has_lines $((2 * i)) "$EVENTS" '"errorCode":\["port_state"\]'
	done
	for i in {1..50}; do
		echo "fatal: RoCE port rxe0 port 1: $DOWN (eth0)"
		echo "healthy: RoCE port rxe0 port 1: $UP"
	done >"$T/expected"
	# Nothing but those: no flap is two, none is missing, and no carrier changes too often in an
	# interval.
	scans_pass 3
	new_events >"$T/found"
	diff <(grep -v flapping "$T/found") "$T/expected" >&2
	[ "$(grep flapping "$T/found")" \
		= "other: Port rxe0 port 1: flapping - the link went down 3 times, and never stayed up for an hour" ]
}

@test "flaps shorter than a poll are seen in link_downed and carrier_changes" {
	# Soft RoCE has the counter, though elsewhere than InfiniBand.
	configure 'counterDetection: {counters: [{name: link_downed, path: hw_counters/link_downed}]}'
	watch --interval 2s
	local before
	before=$(cat /sys/class/infiniband/rxe0/ports/1/hw_counters/link_downed)
	for _ in 1 2 3 4; do
		printf 'link set eth0 %s\n' down up
	done >"$T/batch"
	unseen ip -batch "$T/batch"
	wait_until 20 all_active
	[ "$(cat /sys/class/infiniband/rxe0/ports/1/hw_counters/link_downed)" -gt "$before" ]
	scans_pass 1
	new_events | tee "$T/found"
	grep -q -E '^fatal: Port rxe0 port 1: link_downed - .*value=[0-9]+, delta=[1-9]' "$T/found"
	grep -q -E '^other: Port rxe0 port 1: carrier_changes - .*delta=[3-9]' "$T/found"
	# Of the state there was nothing to see.
	none grep -E 'state DOWN|rxe1' "$T/found"
}

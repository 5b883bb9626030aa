#!/usr/bin/env bats
# Counters that a real driver counts, and that the kernel keeps for a while before it asks the
# driver again.
# SPDX-License-Identifier: Apache-2.0

setup() {
	load guest
	new_devices
	COUNTERS=/sys/class/infiniband/rxe0/ports/1/hw_counters
}

teardown() { nothing_left; }

# all_counted - packets have been counted, and a scan into $T/out has each number as the kernel has
# it.
all_counted() {
	local counter value
	ibscan >"$T/out"
	for counter in sent_pkts rcvd_pkts rdma_sends rdma_recvs; do
		value=$(jq -r --arg c "$counter" \
			'select(.kind == "port" and .device == "rxe0").hw_counters[$c]' "$T/out")
		[ "$value" -gt 0 ] && [ "$value" -eq "$(cat "$COUNTERS/$counter")" ] || return 1
	done
}

@test "traffic moves the counters, by as much in the records as in the kernel" {
	traffic
	# For some milliseconds the kernel may still say what it said before.
	wait_until 20 all_counted
	# Nothing of it was on the other device.
	[ "$(jq -r 'select(.kind == "port" and .device == "rxe1").hw_counters.sent_pkts' \
		"$T/out")" -eq 0 ]
}

@test "the counters of a scan are of one moment, also while the kernel keeps them: all of them move at once" {
	echo 1500 >"$COUNTERS/lifespan"
	local counters
	counters=$(printf 'hw_counters/%s,' sent_pkts rcvd_pkts rdma_sends rdma_recvs)
	started scans ibscan --interval 100ms --counters "${counters%,}"
	wait_until 20 has_lines 1 "$T/scans.out" '"scan.end"'
	local scanner=$PID
	kill -STOP "$scanner"
	traffic
	kill -CONT "$scanner"
	# Packets are still the same in the records, or have all moved together.
	moved() { [ "$(jq -r 'select(.kind == "port" and .device == "rxe0").hw_counters.sent_pkts' \
		"$T/scans.out" | tail -n 1)" = "$(cat "$COUNTERS/sent_pkts")" ]; }
	final() { moved && [ "$(cat "$COUNTERS/rdma_recvs")" -ge 100 ]; }
	wait_until 20 final
	jq -c 'select(.kind == "port" and .device == "rxe0").hw_counters' "$T/scans.out" |
		uniq >"$T/moments"
	# There is a moment before the packets and one after them, and in between every number has
	# moved.
	[ "$(wc -l <"$T/moments")" -eq 2 ]
	jq -s -e '. as [$before, $after] | all($before | keys[]; $after[.] > $before[.])' \
		"$T/moments"
}

@test "the time that the kernel keeps counters is a setting, and never takes part in an evaluation" {
	watch
	echo 500 >"$COUNTERS/lifespan"
	scans_pass 2
	[ -z "$(new_events)" ]
	none grep -q lifespan "$T/service.err" "$T/run/state.json"
	ibscan --format prometheus >"$T/metrics"
	grep -q '^nic_port_sent_pkts_total{.*device="rxe0"' "$T/metrics"
	none grep lifespan "$T/metrics"
}

#!/usr/bin/env bats
# Counters that a real driver counts, and that the kernel keeps for a while before it asks the driver again.

setup() {
	load guest
	new_devices
	COUNTERS=/sys/class/infiniband/rxe0/ports/1/hw_counters
}

teardown() { nothing_left; }

# counted COUNTER SCAN - in that scan of $T/out.
counted() { jq -r --arg c "$1" --argjson n "$2" 'select(.kind == "port" and .device == "rxe0" and .scan == $n).hw_counters[$c]' "$T/out"; }

@test "traffic moves the counters, by as much in the records as in the kernel" {
	traffic
	sleep_lifespan
	ibscan >"$T/out"
	local counter
	for counter in sent_pkts rcvd_pkts rdma_sends rdma_recvs; do
		[ "$(counted "$counter" 1)" -gt 0 ]
		[ "$(counted "$counter" 1)" -eq "$(cat "$COUNTERS/$counter")" ]
	done
	# Nothing of it was on the other device.
	[ "$(jq -r 'select(.kind == "port" and .device == "rxe1").hw_counters.sent_pkts' "$T/out")" -eq 0 ]
}

@test "the counters of a scan are of one moment, also while the kernel keeps them: all of them move at once" {
	echo 1500 >"$COUNTERS/lifespan"
	started scans ibscan --interval 100ms --counters hw_counters/sent_pkts,hw_counters/rcvd_pkts,hw_counters/rdma_sends,hw_counters/rdma_recvs
	wait_until 20 has_lines 1 "$T/scans.out" '"scan.end"'
	local scanner=$PID
	kill -STOP "$scanner"
	traffic
	kill -CONT "$scanner"
	# Packets are still the same in the records, or have all moved together.
	moved() { [ "$(jq -r 'select(.kind == "port" and .device == "rxe0").hw_counters.sent_pkts' "$T/scans.out" | tail -n 1)" = "$(cat "$COUNTERS/sent_pkts")" ]; }
	final() { moved && [ "$(cat "$COUNTERS/rdma_recvs")" -ge 100 ]; }
	wait_until 20 final
	jq -c 'select(.kind == "port" and .device == "rxe0").hw_counters' "$T/scans.out" | uniq >"$T/moments"
	# There is a moment before the packets and one after them, and in between every number has moved.
	[ "$(wc -l <"$T/moments")" -eq 2 ]
	jq -s -e '. as [$before, $after] | all($before | keys[]; $after[.] > $before[.])' "$T/moments"
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

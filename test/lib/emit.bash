# emit - events to feed to emit, and emit itself in the background with an input that stays open. After common.
# shellcheck shell=bash

# nic_events FROM TO [JQ-FILTER] - that many events as records(5) has them, of one source; neither fatal nor healthy unless the filter says so.
nic_events() {
	jq -n -c --argjson from "$1" --argjson to "$2" 'range($from; $to + 1) | { kind: "event", id: "t-\(.)", version: 1, agent: "nic-health-monitor",
		componentClass: "NIC", checkName: "InfiniBandDegradationCheck", isFatal: false, isHealthy: false, message: "event \(.)",
		recommendedAction: "NONE", errorCode: ["symbol_error"],
		entitiesImpacted: [{ entityType: "NIC", entityValue: "mlx5_0" }, { entityType: "NICPort", entityValue: "1" }],
		metadata: { pci: "0000:18:00.0" }, generatedTimestamp: "2026-01-02T03:04:05.678901Z", nodeName: "gpu-1",
		processingStrategy: "EXECUTE_REMEDIATION", source: "t", seq: . } | '"${3:-.}"
}

# shellcheck disable=SC2034 # for who loads this
FATAL='.isFatal = true | .recommendedAction = "REPLACE_VM"'
# shellcheck disable=SC2034
HEALTHY='.isHealthy = true'

# ids FROM TO - those of nic_events, as received() has them.
ids() { seq -f 't-%.0f' "$1" "$2"; }

# fed_emit OPTION... - emit in the background; its input is what feed() writes, and ends with end_feed(). Sets EMIT. What it has taken in is in
# $BATS_TEST_TMPDIR/taken, too.
fed_emit() {
	local input=$BATS_TEST_TMPDIR/feed
	rm -f "$input" "$BATS_TEST_TMPDIR/taken"
	mkfifo "$input"
	exec 8<>"$input"
	started emit emit --sink "file:$BATS_TEST_TMPDIR/taken" "$@" "$input"
	export EMIT=$PID
	FED=0
}

# feed FROM TO [JQ-FILTER] - and wait until emit has taken them in.
feed() {
	nic_events "$@" >"$BATS_TEST_TMPDIR/fed"
	timeout 20 cat "$BATS_TEST_TMPDIR/fed" >&8
	FED=$((FED + $2 - $1 + 1))
	wait_until 20 has_lines "$FED" "$BATS_TEST_TMPDIR/taken"
}

end_feed() { exec 8>&-; }

# says N REGEX - emit in the background has said that in N lines so far.
says() { [ "$(grep -c -E -- "$2" "$BATS_TEST_TMPDIR/emit.err")" -eq "$1" ]; }

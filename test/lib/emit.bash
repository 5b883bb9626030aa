# emit - events to feed to emit, and emit itself in the background with an input that stays open.
# After common.
# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0

# nic_events FROM TO [JQ-FILTER] - that many events as records(5) has them, of one source, each a
# microsecond later than the one before it; neither fatal nor healthy
# unless the filter says so.
nic_events() {
	if [ $# -gt 2 ]; then
		plain_events "$1" "$2" | jq -c "$3"
	else
		plain_events "$1" "$2"
	fi
}

# plain_events FROM TO - these without a filter, with their names in order, as jq prints them. (By
# awk: jq takes four times as long to make many.)
plain_events() {
	awk -v "from=$1" -v "to=$2" 'BEGIN {
		for (n = from; n <= to; n++) {
			moment = 5678900 + n
			printf "{\"agent\":\"nic-health-monitor\"," \
				"\"checkName\":\"InfiniBandDegradationCheck\"," \
				"\"componentClass\":\"NIC\"," \
				"\"entitiesImpacted\":[" \
				"{\"entityType\":\"NIC\",\"entityValue\":\"mlx5_0\"}," \
				"{\"entityType\":\"NICPort\",\"entityValue\":\"1\"}]," \
				"\"errorCode\":[\"symbol_error\"]," \
				"\"generatedTimestamp\":\"2026-01-02T03:04:%02d.%06dZ\"," \
				"\"id\":\"t-%d\",\"isFatal\":false,\"isHealthy\":false," \
				"\"kind\":\"event\",\"message\":\"event %d\"," \
				"\"metadata\":{\"pci\":\"0000:18:00.0\"}," \
				"\"nodeName\":\"gpu-1\"," \
				"\"processingStrategy\":\"EXECUTE_REMEDIATION\"," \
				"\"recommendedAction\":\"NONE\",\"seq\":%d,\"source\":\"t\"," \
				"\"version\":1}\n", moment / 1000000, moment % 1000000, n, n, n
		}
	}'
}

# shellcheck disable=SC2034 # for who loads this
FATAL='.isFatal = true | .recommendedAction = "REPLACE_VM"'
# shellcheck disable=SC2034
HEALTHY='.isHealthy = true'

# ids FROM TO - those of nic_events, as received() has them.
ids() { seq -f 't-%.0f' "$1" "$2"; }

# fed_emit OPTION... - emit in the background; its input is what feed() writes, and ends with
# end_feed(). Sets EMIT. What it has taken in is in
# $BATS_TEST_TMPDIR/taken, too. It runs in the network of network(), if there is one.
fed_emit() {
	local input=$BATS_TEST_TMPDIR/feed
	rm -f "$input" "$BATS_TEST_TMPDIR/taken"
	mkfifo "$input"
	exec 8<>"$input"
	started emit "${INSIDE[@]}" emit --sink "file:$BATS_TEST_TMPDIR/taken" "$@" "$input"
	export EMIT=$PID
	FED=0
}

# feed FROM TO [JQ-FILTER] - and wait until emit has taken them in.
feed() {
	nic_events "$@" >"$BATS_TEST_TMPDIR/fed"
	timeout 60 cat "$BATS_TEST_TMPDIR/fed" >&8
	FED=$((FED + $2 - $1 + 1))
	wait_until 20 has_lines "$FED" "$BATS_TEST_TMPDIR/taken"
}

end_feed() { exec 8>&-; }

# says N REGEX - emit in the background has said that in N lines so far.
says() { [ "$(grep -c -E -- "$2" "$BATS_TEST_TMPDIR/emit.err")" -eq "$1" ]; }

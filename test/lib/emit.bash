# emit - events for emit, and emit in the background with an input that stays open. Load after
# common.
# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0

# nic_events FROM TO [JQ-FILTER] - print these events of records(5), of one source, each a
# microsecond later than the one before; they are neither fatal nor healthy unless the filter
# changes them
nic_events() {
	if [ $# -gt 2 ]; then
		plain_events "$1" "$2" | jq -c "$3"
	else
		plain_events "$1" "$2"
	fi
}

# plain_events FROM TO - print them without a filter, formatted like jq's output. (awk is four times
# as fast as jq.)
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

# ids FROM TO - print the ids of these nic_events, in the format of received()
ids() { seq -f 't-%.0f' "$1" "$2"; }

# fed_emit OPTION... - start emit in the background with the output of feed() as input, until
# end_feed(); sets EMIT. The file $BATS_TEST_TMPDIR/taken gets all events. emit runs in the network
# of network(), if there is one.
fed_emit() {
	local input=$BATS_TEST_TMPDIR/feed
	rm -f "$input" "$BATS_TEST_TMPDIR/taken"
	mkfifo "$input"
	exec 8<>"$input"
	started emit "${INSIDE[@]}" emit --sink "file:$BATS_TEST_TMPDIR/taken" "$@" "$input"
	export EMIT=$PID
	FED=0
}

# feed FROM TO [JQ-FILTER] - write these events and wait until emit has them
feed() {
	nic_events "$@" >"$BATS_TEST_TMPDIR/fed"
	timeout 60 cat "$BATS_TEST_TMPDIR/fed" >&8
	FED=$((FED + $2 - $1 + 1))
	wait_until 20 has_lines "$FED" "$BATS_TEST_TMPDIR/taken"
}

end_feed() { exec 8>&-; }

# says N REGEX - return success if N lines of emit's stderr match
says() { [ "$(grep -c -E -- "$2" "$BATS_TEST_TMPDIR/emit.err")" -eq "$1" ]; }

# emit_fails REGEX OPTION... - require that emit says this about a sink, however long that may take,
# and exits 69 at the end of its input
emit_fails() {
	local message=$1
	shift
	fed_emit --flush-timeout 0s "$@"
	feed 1 1
	wait_until 30 grep -q -E -- "$message" "$BATS_TEST_TMPDIR/emit.err"
	end_feed
	ends_with 69 "$EMIT"
}

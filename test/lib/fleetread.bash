# fleetread - fleetread in the background, and its output. Load after common and kept.
# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0

# reading OPTION... - start fleetread on $READ_FROM, writing to $T/reader.out; sets READER
reading() {
	started reader fleetread "$@" "$READ_FROM"
	# shellcheck disable=SC2034 # for who loads this
	READER=$PID
}

# ids_read - print the ids of the events that it has written
ids_read() { jq -r -R 'fromjson? | .id // empty' "$T/reader.out"; }

# has_read FROM TO - return success if it has written exactly these, in order
has_read() { diff <(ids_read) <(ids "$1" "$2") >/dev/null; }

# complains REGEX - return success if a line of its stderr matches
complains() { grep -q -E -- "$1" "$T/reader.err"; }

# marks - print the first and last position of each mark that it has written
marks() { jq -r 'select(.kind == "mark") | "\(.after) \(.seq)"' "$T/reader.out"; }

# marked_sources - print the number of streams or databases that have marks
marked_sources() { jq -r 'select(.kind == "mark") | .source' "$T/reader.out" | sort -u | wc -l; }

# chain - start fleetread and emit, joined by a pipe; sets READER and EMIT; events are delivered to
# $T/got
chain() {
	rm -f "$T/pipe"
	mkfifo "$T/pipe"
	started emit bash -c 'exec emit --spool "$1" --acks "$2" --sink "file:$3" <"$4"' \
		_ "$SPOOL" "$ACKS" "$T/got" "$T/pipe"
	EMIT=$PID
	started reader bash -c 'exec fleetread --acks "$1" "$2" >"$3"' _ "$ACKS" "$READ_FROM" \
		"$T/pipe"
	READER=$PID
}

# killed_in_turns PUBLISH - send a hundred events, which PUBLISH FROM TO stores, through the chain
# four times; kill one of the two programs after each
killed_in_turns() {
	local turn
	for turn in 0 1 2 3; do
		chain
		"$1" $((turn * 100 + 1)) $((turn * 100 + 100))
		wait_until 20 has_lines $((turn * 100 + 100)) "$T/got"
		if ((turn % 2)); then
			killed "$READER"
			ends_with 0 "$EMIT"
		else
			killed "$EMIT"
			# fleetread notices this with the next event, or at once.
			ends_with 74 "$READER"
		fi
	done
	# emit sends again what it had sent but not recorded when it was killed.
	diff <(came "$T/got" | awk '!seen[$0]++') <(ids 1 400) >&2
	[ "$(query 'SELECT count(*) FROM event')" -eq 400 ]
}

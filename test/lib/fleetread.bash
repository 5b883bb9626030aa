# fleetread - fleetread in the background, and what it writes. After common and kept.
# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0

# reading OPTION... - fleetread of $READ_FROM in the background: READER, and what it writes is in
# $T/reader.out.
reading() {
	started reader fleetread "$@" "$READ_FROM"
	# shellcheck disable=SC2034 # for who loads this
	READER=$PID
}

# ids_read - of the events that it has written.
ids_read() { jq -r -R 'fromjson? | .id // empty' "$T/reader.out"; }

# has_read FROM TO - just these were written, in order.
has_read() { diff <(ids_read) <(ids "$1" "$2") >/dev/null; }

# complains REGEX - it has said so.
complains() { grep -q -E -- "$1" "$T/reader.err"; }

# marks - from where and up to where the marks are that it wrote.
marks() { jq -r 'select(.kind == "mark") | "\(.after) \(.seq)"' "$T/reader.out"; }

# marked_sources - how many streams or databases its marks are about.
marked_sources() { jq -r 'select(.kind == "mark") | .source' "$T/reader.out" | sort -u | wc -l; }

# chain - fleetread and emit, in a pipe. Sets READER and EMIT; what is delivered is in $T/got.
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

# killed_in_turns PUBLISH - four times a hundred events, which PUBLISH FROM TO stores, come through
# the chain, each time with one of the two killed behind them.
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
			# It learns of it with the next event, or at once.
			ends_with 74 "$READER"
		fi
	done
	# emit sends again what it had sent but not recorded when it was killed.
	diff <(came "$T/got" | awk '!seen[$0]++') <(ids 1 400) >&2
	[ "$(query 'SELECT count(*) FROM event')" -eq 400 ]
}

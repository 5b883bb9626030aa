# spool - a spool with the rows that a test needs, as emit would have stored them. Load after
# common.
# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0

# The tests' current time, seconds since 1970; programs are run some seconds later, so no age here
# is a whole minute.
NOW=$(date +%s)
SEQ=0

# to_spool FILE [ROWS] - insert rows, from stdin or the second argument, into the spool, which is
# made if missing. Each row is an object with one member: the table's name, with an object of
# columns. If FILE is `-` only print the rows, as do the functions below.
to_spool() {
	if [ $# -gt 1 ]; then
		to_spool "$1" <<<"$2"
	elif [ "$1" = - ]; then
		cat
	else
		empty_spool "$1"
		jq -r -s -L "$ROOT/test/lib" 'include "spool"; insertions' | sqlite3 -bail \
			-cmd '.timeout 10000' "$1"
	fi
}

# empty_spool FILE - make an empty spool unless FILE exists; the first of a test file is copied for
# all others
empty_spool() {
	local empty=$BATS_FILE_TMPDIR/empty.db
	[ ! -e "$1" ] || return 0
	[ -e "$empty" ] || "$ROOT/test/lib/spool" "$empty"
	cp "$empty" "$1"
}

# ago SECONDS - print that long before NOW in nanoseconds since 1970
ago() { echo $(((NOW - $1) * 1000000000)); }

# at SECONDS - print the same time in the format of a table
at() { date -u -d "@$((NOW - $1))" '+%Y-%m-%d %H:%M:%S'; }

# stored FILE SECONDS-AGO SEVERITY PLACE CHECK CODE MESSAGE - store an event with the next seq of
# the source `t`. SEVERITY is fatal, degraded or healthy; PLACE is DEVICE, DEVICE/PORT or empty.
stored() {
	SEQ=$((SEQ + 1))
	rows 'stored($now; $node; $seq; $arg[0] | tonumber; $arg[1]; $arg[2]; $arg[3]; $arg[4]; $arg[5])' \
		"${@:2}" | to_spool "$1"
}

# rows JQ ARGUMENT... - print JQ's results, with lib/spool.jq and the arguments in $arg, one per
# line
rows() {
	jq -n -c -L "$ROOT/test/lib" --argjson now "$NOW" --argjson seq "$SEQ" \
		--arg node "${NODE_OF_SPOOL:-gpu-42}" \
		'include "spool"; $ARGS.positional as $arg | '"$1" --args "${@:2}"
}

# condition FILE SECONDS-AGO SEVERITY PLACE CHECK CODE MESSAGE [COLUMNS] - store a standing
# condition; COLUMNS, an object, adds or replaces columns
condition() {
	rows 'condition($now; $arg[0] | tonumber; $arg[1]; $arg[2]; $arg[3]; $arg[4]; $arg[5]; $arg[6] | fromjson)' \
		"${@:2:6}" "${8:-{\}}" | to_spool "$1"
}

# sink FILE NAME POSITION DELIVERED SECONDS-AGO - store a sink
sink() {
	rows 'sink($now; $arg[3] | tonumber; $arg[0]; $arg[1] | tonumber; $arg[2] | tonumber)' \
		"${@:2}" | to_spool "$1"
}

# dead_letter FILE SINK NUMBER SECONDS-AGO REASON - store a dead letter of an event in the spool
dead_letter() {
	sqlite3 -readonly -json "$1" \
		"SELECT number, id AS event_id, record FROM event WHERE number = $3" |
		jq -c --arg sink "$2" --argjson ns "$(ago "$4")" --arg reason "$5" \
		'{dead_letter: (.[0] + {sink: $sink, time_ns: $ns, reason: $reason})}' | to_spool \
		"$1"
}

# a_night FILE - store the story of most tests: a port that flaps, degrades and dies, a card that
# returned, and a sink that rejects an event
a_night() {
	rows '"InfiniBandDegradationCheck" as $degradation | "InfiniBandStateCheck" as $state |
		"Port mlx5_3 port 1: symbol_error - Bit errors on the link (value=130, delta=120, rate=2.00/sec)" as $slow |
		"Port mlx5_3 port 1: state DOWN, phys_state Polling - no connectivity" as $down |
		"Device mlx5_0 has disappeared" as $gone |
		{closed: 4, closed_ns: at_ns($now; 10000), closed_by: "recovery"} as $closed |
		def event($of; $ago; $severity; $place; $check; $code; $message):
			stored($now; $node; $seq + $of; $ago;
				$severity; $place; $check; $code; $message);
		event(1; 90000; "degraded"; "mlx5_3/1"; $degradation; "symbol_error"; $slow),
		event(2; 11550; "fatal"; "mlx5_3/1"; $state; ""; $down),
		event(3; 11000; "fatal"; "mlx5_0"; $state; ""; $gone),
		event(4; 10000; "healthy"; "mlx5_0"; $state; ""; "Device mlx5_0 is there again"),
		condition($now; 90000; "degraded"; "mlx5_3/1"; $degradation; "symbol_error"; $slow;
			{times: 41}),
		condition($now; 11550; "fatal"; "mlx5_3/1"; $state; ""; $down; {}),
		condition($now; 11000; "fatal"; "mlx5_0"; $state; ""; $gone; $closed),
		sink($now; 10000; "file:/var/tmp/events.ndjson"; 4; 4),
		sink($now; 11540; "grpc:unix:///var/run/nvsentinel.sock"; 2; 1)' | to_spool "$1"
	SEQ=$((SEQ + 4))
	dead_letter "$1" grpc:unix:///var/run/nvsentinel.sock 1 89990 \
		'INVALID_ARGUMENT: unknown check'
}

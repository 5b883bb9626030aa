#!/usr/bin/env bats
# upgrade: this version continues with the files that the version before it kept (test/kept).
# shellcheck disable=SC2154 # bats sets output and stderr
# SPDX-License-Identifier: Apache-2.0

load lib/common
load kept/node

# BEFORE: the version before. There was none, so it is this one.
BEFORE=1.0.0

setup() {
	KEPT=$ROOT/test/kept/$BEFORE
	cd "$BATS_TEST_TMPDIR" || return
}

teardown() { end_background; }

# as_it_was - restore the node and the files as they were when the version before stopped
as_it_was() {
	node "$KEPT_PLATFORM"
	kept_faults
	# Only the owner may write these files.
	umask 077
	mkdir -p run/{correlate,ctreval,emit,logmatch} var
	cp "$KEPT/correlate.json" run/correlate
	cp "$KEPT/state.json" run/ctreval
	cp "$KEPT/acks.json" run/emit
	cp "$KEPT/logmatch.json" run/logmatch
	cp "$KEPT/silences.ndjson" var
	sqlite3 var/spool.db <"$KEPT/spool.sql" >/dev/null
}

# has_told FILE FILTER - return success if an event in the file matches
has_told() { [ -e "$1" ] && jq -s -e "any(.[]; $2)" "$1" >/dev/null; }
ENDED='.isHealthy and .errorCode[0] == '

# until_it_has_ended SINK - repair the faults, and wait until the sink has the recoveries
until_it_has_ended() {
	nicsim node up mlx5_3/1
	nicsim node reset mlx5_2/1
	wait_until 20 has_told "$1" "$ENDED"'"port_state" and (.message | contains("mlx5_3"))'
	wait_until 20 has_told "$1" "$ENDED"'"link_downed" and (.message | contains("mlx5_2"))'
}

@test "the files of this version are kept for the next one" {
	[ -d "$ROOT/test/kept/$(ibscan --version | sed 's/.* //')" ]
}

@test "faults that the version before reported are not reported again, and are cleared when they end" {
	as_it_was
	kept_command
	started service "${COMMAND[@]}"
	wait_until 20 grep -q 'counters available' service.err
	until_it_has_ended told
	none has_told told '.isHealthy | not'
	none grep -E ': (warning|error): ' <(grep -v later/told service.err)
}

@test "events that the version before could not deliver arrive once each, in order" {
	as_it_was
	sqlite3 var/spool.db 'SELECT id FROM event WHERE is_healthy = 0 ORDER BY number' >expected
	[ "$(wc -l <expected)" -ge 4 ]
	mkdir later
	kept_command
	started service "${COMMAND[@]}"
	until_it_has_ended later/told
	diff expected <(jq -r 'select(.isHealthy | not).id' later/told) >&2
}

@test "conditions and silences of the version before are shown, with their times" {
	as_it_was
	run --separate-stderr nichist --spool var/spool.db --standing --format json
	status_is 0
	[ "$stderr" = "" ]
	sqlite3 var/spool.db 'SELECT device, code, since_ns FROM condition WHERE closed_ns IS NULL' |
		sort >standing
	[ "$(wc -l <standing)" -ge 4 ]
	diff standing <(jq -r 'select(.kind == "condition") | "\(.device)|\(.code)|\(.since_ns)"' \
		<<<"$output" | sort) >&2
	run --separate-stderr nicsilence --file var/silences.ndjson
	status_is 0
	[ "$stderr" = "" ]
}

@test "a scan that the version before wrote is evaluated, and its faults end" {
	cp "$KEPT/state.json" .
	local options=(--state state.json --acks "$KEPT/acks.json" --config /dev/null)
	run --separate-stderr ctreval "${options[@]}" <"$KEPT/scan.ndjson"
	status_is 0
	[ "$output" = "" ]
	sed '/"mlx5_3"/s/DOWN/ACTIVE/; /"mlx5_3"/s/Polling/LinkUp/' "$KEPT/scan.ndjson" >mended
	run --separate-stderr ctreval "${options[@]}" <mended
	status_is 0
	none grep -v ': note: ' <<<"$stderr"
	[ "$(jq -c '[.isHealthy, .errorCode[0]]' <<<"$output")" = '[true,"port_state"]' ]
}

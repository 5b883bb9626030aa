#!/usr/bin/env bats
# correlate-spool: correlate --spool follows the events that emit stores, without blocking emit.
# SPDX-License-Identifier: Apache-2.0

load lib/common
load lib/kept

setup() {
	echo 'rules: [{name: Twice, match: {errorCode: symbol_error}, count: 2, within: 1h}]' \
		>"$T/rules"
}

teardown() { end_background; }

# stored JQ - have emit store these events of lib/events.jq; $now is the current time, and "BIG"
# becomes a number that is too large for 64 bits.
stored() {
	jq -n -c -L "$BATS_TEST_DIRNAME/lib" --argjson now "$(date +%s.%6N)" \
		"include \"events\"; (\$now - 1700000000) as \$now | $1" |
		sed 's/"BIG"/123456789012345678901234567890/' |
		emit_once --sink "file:$T/delivered" --spool "$SPOOL"
}

# follow - start correlate and wait until it reads the spool.
follow() {
	: >"$T/out"
	started correlate correlate --rules "$T/rules" --spool "$SPOOL" --state "$T/state/f"
	CORRELATE=$PID
	wait_until 20 test -e "$T/state/f"
}

# stop - end correlate and check that it has printed nothing on stderr.
stop() {
	kill "$CORRELATE"
	ends_with 0 "$CORRELATE"
	diff /dev/null "$T/correlate.err"
}

# found N - check that correlate found N patterns and wrote nothing else but the baseline.
found() {
	[ "$(jq -r '"\(.checkName) \(.isHealthy)"' "$T/correlate.out" | grep -v -x 'Twice true' |
		uniq -c | xargs)" = "$([ "$1" -eq 0 ] || echo "$1 Twice false")" ]
}

# begun N - check that correlate has reported N baselines.
begun() { [ "$(grep -c 'Baseline reset: earlier conditions of Twice' "$T/correlate.out")" -eq "$1" ]; }

@test "correlate finds patterns in events as emit stores them, and writes nothing but them" {
	mkdir "$T/state"
	follow
	stored 'worse($now; "mlx5_0")'
	stored 'worse($now; "mlx5_0")'
	wait_until 20 found 1
	begun 1
	tail -n 1 "$T/correlate.out" | jq -e '.metadata.evidence | split(",") | length == 2'
	stop
	found 1
}

@test "an event with a number beyond 64 bits counts like any other" {
	mkdir "$T/state"
	follow
	stored 'worse($now; "mlx5_0") | .metadata.big = "BIG"'
	stored 'worse($now; "mlx5_0") | .metadata.big = "BIG"'
	grep -q '"big":123456789012345678901234567890' "$T/delivered"
	wait_until 20 found 1
	stop
}

@test "events stored before the first start do not count, and no later event is missed" {
	mkdir "$T/state"
	stored 'worse($now - 3, $now - 2; "mlx5_0")'
	follow
	stored 'worse($now; "mlx5_0")'
	stop
	found 0
	stored 'worse($now; "mlx5_0")'
	follow
	wait_until 20 found 1
	stop
	# The pattern is not found again.
	follow
	stored 'down($now; "mlx5_0")'
	stop
	jq -e '.spool.number == 5' "$T/state/f"
	found 0
}

@test "a spool that does not exist yet has no history: all its later events count" {
	mkdir "$T/state"
	follow
	stop
	stored 'worse($now, $now + 1; "mlx5_0")'
	follow
	wait_until 20 found 1
	stop
}

@test "a spool that emit is just creating has no history" {
	mkdir "$T/state"
	stored 'worse($now; "mlx5_0")'
	sqlite3 "$SPOOL" 'DROP INDEX event_answer; ALTER TABLE event RENAME COLUMN answered_by TO x'
	follow
	sqlite3 "$SPOOL" 'ALTER TABLE event RENAME COLUMN x TO answered_by'
	stop
	# The next event to read is the first one.
	jq -e '.spool.number == 1' "$T/state/f"
}

@test "an empty database file has no history, and another database is an error" {
	mkdir "$T/state"
	: >"$SPOOL"
	follow
	sqlite3 "$SPOOL" 'PRAGMA journal_mode = WAL' >"$T/mode"
	[ -s "$SPOOL" ]
	touch "$T/other"
	stored 'worse($now; "mlx5_0")'
	stored 'worse($now; "mlx5_0")'
	wait_until 20 found 1
	stop
	sqlite3 "$T/foreign" 'CREATE TABLE x (y)'
	started correlate correlate --spool "$T/foreign"
	wait_until 20 has_lines 1 "$T/correlate.err" "$T/foreign: not a spool of emit"
	: >"$T/empty"
	run --separate-stderr nichist --spool "$T/empty"
	status_is 65 'not a spool of emit'
}

@test "an event that arrived after its recovery does not count" {
	mkdir "$T/state"
	follow
	stored 'worse($now; "mlx5_0")'
	stop
	stored 'worse($now; "mlx5_0")'
	sqlite3 "$SPOOL" "UPDATE event SET answered_by = 'x' WHERE number = 2"
	follow
	wait_until 20 eval '[ "$(jq .spool.number "$T/state/f")" = 2 ]'
	stop
	found 0
}

@test "all events of a replaced spool are new, and events that it repeats count once" {
	mkdir "$T/state"
	follow
	stored 'worse($now; "mlx5_0")'
	stored 'down($now; "mlx5_0")'
	stop
	cp "$T/delivered" "$T/before"
	rm "$SPOOL"*
	emit_once --sink "file:$T/delivered" --spool "$SPOOL" <"$T/before"
	follow
	wait_until 20 eval '[ "$(jq .spool.number "$T/state/f")" = 2 ]'
	found 0
	stored 'worse($now; "mlx5_0")'
	wait_until 20 found 1
	stop
}

@test "an unreadable spool gives one message, and correlate keeps running" {
	mkdir "$T/state"
	echo text >"$SPOOL"
	started correlate correlate --rules "$T/rules" --spool "$SPOOL" --state "$T/state/f"
	CORRELATE=$PID
	wait_until 20 has_lines 1 "$T/correlate.err"
	touch "$T/other"
	kill "$CORRELATE"
	ends_with 0 "$CORRELATE"
	diff "$T/correlate.err" - <<-END
		correlate: error: $SPOOL: not a spool: file is not a database
	END
	run --separate-stderr correlate --spool ''
	status_is 64 "^correlate: error: .*--spool.*not a file's name"
}

@test "a stopped correlate does not block emit" {
	mkdir "$T/state"
	follow
	kill -STOP "$CORRELATE"
	stored 'worse($now, $now + 1; "mlx5_0")'
	[ "$(wc -l <"$T/delivered")" -eq 2 ]
	# emit can copy its log into the database at its end only if no reader holds it.
	[ ! -s "$SPOOL-wal" ]
	kill -CONT "$CORRELATE"
	stop
}

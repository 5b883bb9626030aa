#!/usr/bin/env bats
# marks: tell a source that reads from elsewhere what has been stored: correlate and blastradius
# pass a mark on behind the events that it covers, and emit acknowledges it.
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() {
	load lib/kept
	IN=$T/in
	umask 022
}

teardown() {
	end_feed
	end_background
}

# mark AFTER SEQ [SOURCE] - print a mark
mark() { printf '{"kind":"mark","v":1,"source":"%s","after":%d,"seq":%d}\n' "${3:-m}" "$1" "$2"; }

# events JQ - print events made by lib/events.jq
events() { jq -n -c -L "$BATS_TEST_DIRNAME/lib" "include \"events\"; $1"; }

# worse - print events of a port that gets worse for the third time within the hour
worse() { events 'worse(1, 2, 3; "mlx5_0")'; }

# acks - print the acknowledged and the delivered positions
acks() { jq -c -S '[.acks, .delivered]' "$ACKS"; }

@test "emit acknowledges marks, not the events between them, from any number of streams" {
	{
		mark 0 0
		nic_events 1 3000 '.source = "s\(.seq)" | .id = "s\(.seq)-1" | .seq = 1'
		mark 0 3000
	} >"$IN"
	emit_once --spool "$SPOOL" --acks "$ACKS" --sink "file:$T/got" <"$IN"
	[ ! -s "$T/said" ]
	[ "$(acks)" = '[{"m":3000},{"m":3000}]' ]
	[ "$(wc -l <"$T/got")" -eq 3000 ]
	# After a crash they arrive again, with others: each is stored and delivered once.
	{
		mark 0 0
		sed -n '/s1000-1/,$p' "$IN"
		nic_events 4000 4000
		mark 3000 3001
	} >"$T/again"
	emit_once --spool "$SPOOL" --acks "$ACKS" --sink "file:$T/got" <"$T/again"
	[ ! -s "$T/said" ]
	[ "$(acks)" = '[{"m":3001},{"m":3001}]' ]
	[ "$(came "$T/got" | sort -u | wc -l)" -eq 3001 ]
	[ "$(wc -l <"$T/got")" -eq 3001 ]
}

@test "events that emit holds back when the first mark arrives are written before later ones, in order" {
	{
		nic_events 1 4 '.source = "s" | .seq += 4 | .id = "s-\(.seq)"'
		mark 4 4
		nic_events 5 9 '.source = "s" | .seq += 4 | .id = "s-\(.seq)"'
		mark 4 9
	} >"$IN"
	emit_once --spool "$SPOOL" --acks "$ACKS" --sink "file:$T/got" <"$IN"
	[ ! -s "$T/said" ]
	diff <(seq 5 13) <(jq .seq "$T/got")
	[ "$(jq .acks.m "$ACKS")" -eq 9 ]
}

@test "emit acknowledges a mark without events before it, but none behind a gap" {
	mark 4 7 | emit_once --spool "$SPOOL" --acks "$ACKS" --sink "file:$T/got"
	[ "$(acks)" = '[{"m":7},{"m":7}]' ]
	{
		mark 9 20
		mark 0 3 other
	} | emit_once --spool "$SPOOL" --acks "$ACKS" --sink "file:$T/got"
	[ "$(acks)" = '[{"m":7,"other":3},{"m":7,"other":3}]' ]
	# The spool alone has the position of the last mark.
	rm "$ACKS"
	mark 7 9 | emit_once --spool "$SPOOL" --acks "$ACKS" --sink "file:$T/got"
	[ "$(jq -c -S .acks "$ACKS")" = '{"m":9,"other":3}' ]
	[ ! -s "$T/said" ]
	[ ! -s "$T/got" ]
}

@test "an invalid mark is ignored by emit and passed on by correlate and blastradius" {
	{
		mark 3 2
		printf '%s\n' '{"kind":"mark"}' '{"kind":"mark","source":"","after":0,"seq":1}' '{"kind":"mark","source":"m","seq":1}' \
			'{"kind":"mark","source":7,"after":0,"seq":1}'
	} >"$IN"
	diff "$IN" <(correlate --state "$T/c" <"$IN")
	diff "$IN" <(blastradius --state "$T/b" <"$IN")
	emit_once --spool "$SPOOL" --acks "$ACKS" --sink "file:$T/got" <"$IN"
	[ "$(acks)" = '[{},{}]' ]
}

@test "correlate and blastradius pass a mark on behind the events that it covers, once these are stored" {
	local tool
	{
		mark 0 0
		worse
		mark 0 3
		events 'worse(4; "mlx5_0")'
	} >"$IN"
	for tool in correlate blastradius; do
		# Without a state file the mark keeps its place.
		"$tool" <"$IN" >"$T/out"
		diff "$IN" <(grep -v health-events-analyzer "$T/out")
		# With one, the last event's findings are in the file before the mark is written.
		"$tool" --state "$T/$tool" <"$IN" >"$T/out"
		diff <(
			grep -v '"after":0,"seq":3' "$IN"
			mark 0 3
		) <(grep -v 'health-events-analyzer\|"mark".*"source":"[^m]' "$T/out")
	done
	# A state that cannot be stored stops the marks.
	mkdir "$T/dir"
	for tool in correlate blastradius; do
		run --separate-stderr bash -c '"$1" --state "$2/none/state" <"$3"' \
			_ "$tool" "$T" "$IN"
		status_is 0
		stderr_has 'none/state'
		[ "$(grep '"mark"' <<<"$output" | jq -c 'select(.source == "m") | .seq')" = 0 ]
		[ "$(grep -c '"event"' <<<"$output")" -ge 4 ]
	done
}

@test "in blastradius a mark waits for the events before it, however long it holds these back" {
	{
		events 'worse(100; "mlx5_0"), worse(50; "mlx5_1")'
		mark 0 2
		events 'worse(20; "mlx5_0"), worse(101; "mlx5_1")'
	} >"$IN"
	blastradius <"$IN" | jq -r '.kind + " " + (.id // "")' >"$T/out"
	diff "$T/out" - <<-'X'
		event mlx5_0-20
		event mlx5_1-50
		event mlx5_0-100
		mark 
		event mlx5_1-101
	X
}

@test "in blastradius the first mark of a run waits for nothing" {
	{
		events 'worse(100; "mlx5_0")'
		mark 7 7
		mark 7 8
	} >"$IN"
	blastradius <"$IN" | jq -r '.kind + " " + (.id // "\(.seq)")' >"$T/out"
	diff "$T/out" - <<-'X'
		mark 7
		event mlx5_0-100
		mark 8
	X
}

@test "findings of correlate and blastradius have marks of their own, and are not written again" {
	local found
	{
		mark 0 0
		worse
		events '[range(4)] | map("n\(.)") as $nodes
			| $nodes[] as $node | down(100; "mlx5_0") | .nodeName = $node
			| .source = $node | .id = $node + "-1"'
		mark 0 7
	} >"$IN"
	chain() {
		correlate --state "$T/c" --acks "$ACKS" |
			blastradius --state "$T/b" --acks "$ACKS" |
			tee "$T/out" |
			emit_once --spool "$SPOOL" --acks "$ACKS" --sink "file:$T/got"
	}
	chain <"$IN"
	[ ! -s "$T/said" ]
	found=$(jq -r 'select(.agent == "health-events-analyzer") | .source' "$T/got" | sort -u)
	[ "$(wc -l <<<"$found")" -eq 2 ]
	jq -e --arg found "$found" '.acks == .delivered and .acks.m == 7
		and (.acks | keys) == ($found | split("\n") + ["m"] | sort)' "$ACKS"
	# The same events arrive again: none is reported or sent twice.
	cp "$T/got" "$T/before"
	chain <"$IN"
	[ ! -s "$T/said" ]
	[ "$(grep -c health-events-analyzer "$T/out")" -eq 0 ]
	cmp "$T/before" "$T/got"
}

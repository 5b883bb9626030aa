#!/usr/bin/env bats
# ctreval's state file when it is not what it should be: truncated, of another version, in use, not writable; and the outbox in it.
# How the state carries decisions over restarts is in replay.bats.

load lib/common

setup() {
	STATE=$BATS_TEST_TMPDIR/state.json
	SCANS=$BATS_TEST_TMPDIR/scans
	mkdir "$SCANS"
	# Ten scans of one port, a second apart; link_downed goes up in the fifth and the sixth.
	for n in 1 2 3 4 5 6 7 8 9 10; do
		jq -n -c -L "$BATS_TEST_DIRNAME/lib" --argjson n "$n" 'include "records";
			scan($n; $n; [ib("mlx5_0"; {link_downed: (if $n < 5 then 0 else $n - 4 end)})])' >"$SCANS/$n"
	done
}

teardown() {
	exec 7>&-
	end_background
	nothing_survives
}

# evaluate N... [-- OPTION...] - ctreval with the state file on these scans.
evaluate() {
	local files=()
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		files+=("$SCANS/$1")
		shift
	done
	run --separate-stderr bash -c 'cat "${@:3:$1}" | ctreval --state "$2" "${@:3+$1}"' \
		_ "${#files[@]}" "$STATE" "${files[@]}" "${@:2}"
}

warnings() { grep -c '^ctreval: warning' <<<"$stderr" || true; }
seqs() { jq -r .seq <<<"$output" | xargs; }

@test "a state file cut off anywhere is set aside with one warning, and monitoring begins anew" {
	evaluate 1 2 3 4 5
	status_is 0
	cp "$STATE" "$BATS_TEST_TMPDIR/good"
	local size n out err
	size=$(stat -c %s "$STATE")
	for ((n = 0; n < size; n++)); do
		rm -f "$STATE.corrupt"
		head -c "$n" "$BATS_TEST_TMPDIR/good" >"$STATE"
		out=$(ctreval --state "$STATE" <"$SCANS/6" 2>"$BATS_TEST_TMPDIR/err") || { echo "exit code $? after $n bytes" >&2; return 1; }
		err=$(<"$BATS_TEST_TMPDIR/err")
		# All that is missing may be white space at the end.
		if [ "$((size - n))" -le 2 ] && jq -e . "$BATS_TEST_TMPDIR/good" >/dev/null && [ ! -e "$STATE.corrupt" ]; then
			[ -z "$out" ]
			continue
		fi
		[[ $err = *"ctreval: warning: "* && ${err#*warning: } != *warning:* && $out = *'Baseline reset'* && $out = *'healthy after reboot'* ]] || {
			printf 'after %s bytes:\n%s\n%s\n' "$n" "$out" "$err" >&2
			return 1
		}
		head -c "$n" "$BATS_TEST_TMPDIR/good" | cmp - "$STATE.corrupt"
	done
	jq -e '.version == 1' "$STATE" >/dev/null
}

@test "a state file of a future version, or of none, is set aside and not overwritten" {
	local version
	for version in 2 '"1"' null '{}'; do
		rm -f "$STATE"*
		echo "{\"version\": $version, \"boot_id\": \"b1\"}" >"$STATE"
		cp "$STATE" "$BATS_TEST_TMPDIR/future"
		evaluate 1
		status_is 0
		[ "$(warnings)" -eq 1 ]
		cmp "$BATS_TEST_TMPDIR/future" "$STATE.corrupt"
		[[ $output = *'Baseline reset'* ]]
		jq -e '.version == 1' "$STATE" >/dev/null
	done
}

@test "a state file that is JSON of the wrong shape stops nothing" {
	local text
	for text in '[]' '"x"' '1' '{"version":1}' '{"version":1,"boot_id":7}' '{"version":1,"boot_id":"b1","counter_snapshots":[]}' \
		'{"version":1,"boot_id":"b1","counter_snapshots":{"a":1,"mlx5_0:1:link_downed":{"value":-1}}}' \
		'{"version":1,"boot_id":"b1","port_states":{"mlx5_0_1":{"state":4}},"known_devices":[1,null,"mlx5_0"]}' \
		'{"version":1,"boot_id":"b1","breach_flags":{"mlx5_0:1:link_downed":{"breached":"yes"}},"outbox":[1],"seq":-3}'; do
		rm -f "$STATE"*
		echo "$text" >"$STATE"
		evaluate 1 2
		status_is 0
		jq -e '.version == 1' "$STATE" >/dev/null
	done
}

@test "a second instance on one state file ends at once with 75 and one line; the first does not notice" {
	feed_open ctreval --state "$STATE"
	cat "$SCANS"/{1,2} >&7
	wait_until 10 has_lines 1 "$BATS_TEST_TMPDIR/out" 'healthy after reboot'
	run --separate-stderr ctreval --state "$STATE" <"$SCANS/5"
	status_is 75
	[ -z "$output" ]
	[ "$(wc -l <<<"$stderr")" -eq 1 ]
	cat "$SCANS"/{3,4,5} >&7
	wait_until 10 has_lines 1 "$BATS_TEST_TMPDIR/out" '"isFatal":true'
}

@test "a state file is free again when its user was killed" {
	feed_open ctreval --state "$STATE"
	cat "$SCANS/1" >&7
	wait_until 10 has_lines 1 "$BATS_TEST_TMPDIR/out" 'healthy after reboot'
	kill -KILL "$PID"
	wait_until 10 is_gone "$PID"
	evaluate 5
	status_is 0
	[ "$(jq -r 'select(.isFatal) | .message' <<<"$output")" = "Port mlx5_0 port 1: link_downed - Port Training State Machine failed - QP disconnect (value=1, delta=1, rate=0.25/sec)" ]
}

@test "without --state nothing is written and there is no baseline, unless --baseline asks for it" {
	mkdir "$BATS_TEST_TMPDIR/empty"
	cd "$BATS_TEST_TMPDIR/empty"
	run --separate-stderr ctreval <"$SCANS/1"
	status_is 0
	[ -z "$output" ]
	run --separate-stderr ctreval --baseline <"$SCANS/1"
	status_is 0
	[ "$(grep -c 'Baseline reset' <<<"$output")" -eq 4 ]
	[ "$(grep -c 'healthy after reboot' <<<"$output")" -eq 1 ]
	[ -z "$(ls -A)" ]
}

@test "the state file has the keys of the original, and no secrets for others" {
	evaluate 1 2 3 4 5
	jq -e '.version == 1 and .boot_id == "b1" and .counter_snapshots["mlx5_0:1:link_downed"].value == 1
		and .breach_flags["mlx5_0:1:link_downed"].breached == true
		and .breach_flags["mlx5_0:1:link_downed"].check_name == "InfiniBandStateCheck"
		and .breach_flags["mlx5_0:1:link_downed"].is_fatal == true
		and .port_states["mlx5_0_1"].device == "mlx5_0" and .port_states["mlx5_0_1"].port == 1
		and (.port_states["mlx5_0_1"].state | test("ACTIVE")) and .known_devices == ["mlx5_0"]' "$STATE" >/dev/null
	[ -z "$(find "$BATS_TEST_TMPDIR" -name 'state.json*' -perm /o+w)" ]
}

@test "with --acks an event is written at every start, unchanged and before anything else, until it is acknowledged" {
	local acks=$BATS_TEST_TMPDIR/acks first source last
	evaluate 1 2 -- --acks "$acks"
	first=$output
	source=$(jq -r .source <<<"$first" | sort -u)
	last=$(jq -r .seq <<<"$first" | tail -n 1)
	[ "$(seqs)" = "$(seq 1 "$last" | xargs)" ]

	# Nothing is acknowledged; then another's events are; then a file that is none.
	evaluate 3 -- --acks "$acks"
	diff <(echo "$output") <(echo "$first")
	echo '{"version":1,"acks":{"somebody-else":99}}' >"$acks"
	evaluate 4 5 -- --acks "$acks"
	diff <(head -n "$last" <<<"$output") <(echo "$first")
	[ "$(seqs)" = "$(seq 1 "$((last + 1))" | xargs)" ]
	echo '{"version":1,"acks":{"' >"$acks"
	evaluate 6 -- --acks "$acks"
	[ "$(seqs)" = "$(seq 1 "$((last + 1))" | xargs)" ]

	# All but the last.
	echo "{\"version\":1,\"acks\":{\"$source\":$last}}" >"$acks"
	evaluate 7 -- --acks "$acks"
	[ "$(seqs)" = "$((last + 1))" ]
	[ "$(jq -r .isFatal <<<"$output")" = true ]
	echo "{\"version\":1,\"acks\":{\"$source\":$((last + 1))}}" >"$acks"
	evaluate 8 -- --acks "$acks"
	[ -z "$output" ]
	[ "$(jq '.outbox | length' "$STATE")" -eq 0 ]
}

@test "an event that was decided but not acknowledged when ctreval was killed is written again, and its number not given away" {
	local acks=$BATS_TEST_TMPDIR/acks before
	feed_open ctreval --state "$STATE" --acks "$acks"
	cat "$SCANS"/{1,2,3,4,5} >&7
	wait_until 10 has_lines 1 "$BATS_TEST_TMPDIR/out" '"isFatal":true'
	kill -KILL "$PID"
	wait_until 10 is_gone "$PID"
	before=$(<"$BATS_TEST_TMPDIR/out")
	evaluate 6 -- --acks "$acks"
	status_is 0
	diff <(echo "$output") <(echo "$before")
}

@test "the outbox empties while ctreval runs, as events are acknowledged" {
	local acks=$BATS_TEST_TMPDIR/acks source last
	outbox_has() { [ "$(jq '.outbox | length' "$STATE")" -eq "$1" ]; }
	feed_open ctreval --state "$STATE" --acks "$acks"
	cat "$SCANS/1" >&7
	# The last check's clear event is the last of the baseline: it has no port.
	wait_until 10 has_lines 1 "$BATS_TEST_TMPDIR/out" 'conditions of EthernetDegradationCheck'
	source=$(jq -r .source "$BATS_TEST_TMPDIR/out" | sort -u)
	last=$(wc -l <"$BATS_TEST_TMPDIR/out")
	wait_until 10 outbox_has "$last"
	echo "{\"version\":1,\"acks\":{\"$source\":$last}}" >"$acks.new"
	mv "$acks.new" "$acks"
	cat "$SCANS"/{2,3} >&7
	wait_until 10 outbox_has 0
}

@test "another receiver gets what is not acknowledged once more, in order and before what is new" {
	local acks=$BATS_TEST_TMPDIR/acks source last
	acknowledged() {
		echo "{\"version\":1,\"acks\":{$2},\"receiver\":\"$1\"}" >"$acks.new"
		mv "$acks.new" "$acks"
	}
	acknowledged first ''
	feed_open ctreval --state "$STATE" --acks "$acks"
	cat "$SCANS/1" >&7
	wait_until 10 has_lines 1 "$BATS_TEST_TMPDIR/out" 'conditions of EthernetDegradationCheck'
	source=$(jq -r .source "$BATS_TEST_TMPDIR/out" | sort -u)
	last=$(wc -l <"$BATS_TEST_TMPDIR/out")
	acknowledged second "\"$source\":$((last - 2))"
	cat "$SCANS/5" >&7
	wait_until 10 has_lines 1 "$BATS_TEST_TMPDIR/out" '"isFatal":true'
	[ "$(jq .seq "$BATS_TEST_TMPDIR/out" | xargs)" = "$({ seq 1 "$last" && seq "$((last - 1))" "$((last + 1))"; } | xargs)" ]
	# Without new events, too; the same receiver gets nothing again.
	acknowledged third "\"$source\":$last"
	cat "$SCANS/7" >&7
	wait_until 10 has_lines "$((last + 4))" "$BATS_TEST_TMPDIR/out"
	cat "$SCANS/8" >&7
	exec 7>&-
	ends_with 0 "$PID"
	[ "$(tail -n +$((last + 4)) "$BATS_TEST_TMPDIR/out" | jq .seq | xargs)" = "$((last + 1))" ]
	[ "$(sort -u "$BATS_TEST_TMPDIR/out" | wc -l)" -eq "$((last + 1))" ]
}

@test "a device or a FIFO is no state file, and stays where it is" {
	mkfifo "$STATE"
	run --separate-stderr timeout 20 ctreval --state "$STATE" <"$SCANS/1"
	status_is 78 'ctreval: error: .*state.json: not a regular file$'
	[ -p "$STATE" ]
	[ -z "$(find "$BATS_TEST_TMPDIR" -name '*.corrupt')" ]
}

@test "a state file whose directory is missing is one warning; events go on, and the state is written once it is there" {
	STATE=$BATS_TEST_TMPDIR/later/state.json
	feed_open ctreval --state "$STATE"
	cat "$SCANS"/{1,2,3,4,5} >&7
	wait_until 10 has_lines 1 "$BATS_TEST_TMPDIR/out" '"isFatal":true'
	[ "$(grep -c 'warning' "$BATS_TEST_TMPDIR/err")" -eq 1 ]
	mkdir "${STATE%/*}"
	cat "$SCANS"/{6,7} >&7
	wait_until 10 test -s "$STATE"
	exec 7>&-
	ends_with 0 "$PID"
	[ "$(grep -c 'warning' "$BATS_TEST_TMPDIR/err")" -eq 1 ]
	cp "$BATS_TEST_TMPDIR/out" "$BATS_TEST_TMPDIR/before"

	# The breach is known, and no number is given twice.
	jq -n -c -L "$BATS_TEST_DIRNAME/lib" 'include "records"; scan(8; 8; [ib("mlx5_0"; {link_downed: 4})]), scan(9; 9; [ib("mlx5_0"; {link_downed: 0})])' >"$SCANS/reset"
	evaluate reset
	[ "$(jq -r .message <<<"$output")" = "Counter link_downed recovered on port mlx5_0 port 1" ]
	[ -z "$(jq -r .id "$BATS_TEST_TMPDIR/before" - <<<"$output" | sort | uniq -d)" ]
}

@test "a disk that is full for a while is one warning; events go on, no number is given twice, and the state catches up" {
	# A limit on file sizes is a disk without room that a test can fill and clear; pipes have none.
	mkfifo "$BATS_TEST_TMPDIR/feed"
	exec 7<>"$BATS_TEST_TMPDIR/feed"
	background bash -c 'exec ctreval --state "$1" > >(exec cat >"$2/o") 2> >(exec cat >"$2/e")' \
		_ "$STATE" "$BATS_TEST_TMPDIR" <"$BATS_TEST_TMPDIR/feed" 7>&-
	cat "$SCANS"/{1,2} >&7
	wait_until 10 has_lines 1 "$BATS_TEST_TMPDIR/o" 'healthy after reboot'
	prlimit --pid "$PID" --fsize=0:
	cat "$SCANS"/{3,4,5} >&7
	wait_until 10 has_lines 1 "$BATS_TEST_TMPDIR/o" '"isFatal":true'
	wait_until 10 has_lines 1 "$BATS_TEST_TMPDIR/e" warning
	none grep link_downed.*breached "$STATE"
	prlimit --pid "$PID" --fsize=unlimited:
	cat "$SCANS"/{6,7} >&7
	breach_is_kept() { jq -e '.breach_flags["mlx5_0:1:link_downed"].breached' "$STATE" >/dev/null; }
	wait_until 10 breach_is_kept
	exec 7>&-
	wait_until 10 is_gone "$PID"
	[ "$(grep -c warning "$BATS_TEST_TMPDIR/e")" -eq 1 ]
	[ -z "$(jq -r .id "$BATS_TEST_TMPDIR/o" | sort | uniq -d)" ]
	# Nothing half written stays behind.
	[ "$(cd "$BATS_TEST_TMPDIR" && ls -d state.json*)" = "state.json
state.json.lock" ]
}

@test "a replay from the same state gives the same events, byte for byte" {
	evaluate 1 2 3 4 5
	local first=$output
	rm -f "$STATE"*
	evaluate 1 2 3 4 5
	diff <(echo "$first") <(echo "$output")
}

@test "a state file put back to an earlier time does not give numbers that the receiver has" {
	local acks=$BATS_TEST_TMPDIR/acks source
	evaluate 1 -- --acks "$acks"
	source=$(jq -r .source <<<"$output" | sort -u)
	echo "{\"version\":1,\"acks\":{\"$source\":9999}}" >"$acks"
	evaluate 2 3 4 5 -- --acks "$acks"
	status_is 0 'the receiver knows later events than the state file'
	[ -n "$output" ]
	[ "$(jq -r .source <<<"$output" | sort -u)" != "$source" ]
}

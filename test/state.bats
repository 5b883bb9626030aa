#!/usr/bin/env bats
# state: ctreval's state file when it is truncated, of another version, in use or not writable; and
# its outbox. replay.bats tests how decisions survive restarts.
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() {
	STATE=$BATS_TEST_TMPDIR/state.json
	SCANS=$BATS_TEST_TMPDIR/scans
	mkdir "$SCANS"
	# Make ten scans of one port, a second apart; link_downed increases in the fifth and the
	# sixth.
	for n in 1 2 3 4 5 6 7 8 9 10; do
		jq -n -c -L "$BATS_TEST_DIRNAME/lib" --argjson n "$n" 'include "records";
			scan($n; $n;
			[ib("mlx5_0"; {link_downed: (if $n < 5 then 0 elif $n < 6 then 1
			else 2 end)})])' >"$SCANS/$n"
	done
}

teardown() {
	exec 7>&-
	end_background
	nothing_survives
}

# evaluate N... [-- OPTION...] - run ctreval with the state file on these scans
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
# events - keep only events, without the updates about a reported counter's growth
events() { grep -v '"kind":"update"' || true; }

# takes_nothing_back EVENTS - check that they clear no possible fault: there is no healthy event
# without codes, which would clear everything, and none of a counter that is not 0.
# NICPollStallCheck is excepted.
takes_nothing_back() {
	jq -s -e 'all(.[]; .isHealthy | not) or all(.[] | select(.isHealthy);
		.checkName == "NICPollStallCheck" or
		.errorCode != [] and .errorCode != ["link_downed"])' <<<"$1" >/dev/null
}

seqs() { events <<<"$output" | jq -r .seq | xargs; }

@test "a state file cut off anywhere is set aside with one warning, and monitoring starts anew" {
	evaluate 1 2 3 4 5
	status_is 0
	cp "$STATE" "$BATS_TEST_TMPDIR/good"
	local size n out err
	size=$(stat -c %s "$STATE")
	for n in $(each_nth 41 $(seq 0 "$((size - 1))")); do
		rm -f "$STATE.corrupt"
		head -c "$n" "$BATS_TEST_TMPDIR/good" >"$STATE"
		out=$(ctreval --state "$STATE" <"$SCANS/6" 2>"$BATS_TEST_TMPDIR/err") ||
			{ echo "exit code $? after $n bytes" >&2; return 1; }
		err=$(<"$BATS_TEST_TMPDIR/err")
		# Only white space at the end may be missing.
		if [ "$((size - n))" -le 2 ] && jq -e . "$BATS_TEST_TMPDIR/good" >/dev/null &&
			[ ! -e "$STATE.corrupt" ]; then
			[ -z "$out" ]
			continue
		fi
		[[ $err = *"ctreval: warning: "* && ${err#*warning: } != *warning:* &&
			$out = *'NIC mlx5_0 is there and can be read'* ]] && takes_nothing_back \
			"$out" || {
			printf 'after %s bytes:\n%s\n%s\n' "$n" "$out" "$err" >&2
			return 1
		}
		head -c "$n" "$BATS_TEST_TMPDIR/good" | cmp - "$STATE.corrupt"
	done
	jq -e '.version == 1' "$STATE" >/dev/null
}

@test "a state file of a future version, or without one, is set aside, not overwritten" {
	local version
	for version in 3 '"1"' null '{}'; do
		rm -f "$STATE"*
		echo "{\"version\": $version, \"boot_id\": \"b1\"}" >"$STATE"
		cp "$STATE" "$BATS_TEST_TMPDIR/future"
		evaluate 6
		status_is 0
		[ "$(warnings)" -eq 1 ]
		cmp "$BATS_TEST_TMPDIR/future" "$STATE.corrupt"
		[[ $output = *'NIC mlx5_0 is there and can be read'* ]]
		takes_nothing_back "$output"
		jq -e '.version == 1' "$STATE" >/dev/null
	done
}

@test "after an invalid state file, standing faults are cleared only by a boot, not by later runs" {
	local more
	echo 'nicExclusionRegex: "^mlx5_9$"' >"$BATS_TEST_TMPDIR/config.yaml"
	evaluate 1 2 3 4 5
	[[ $output = *'link_downed - '* ]]
	for more in garbage $'\0' ''; do
		rm -f "$STATE"*
		printf '%s' "$more" >"$STATE"
		evaluate 6 7
		status_is 0
		# Healthy devices and ports are cleared by their own codes.
		[ "$(jq -c 'select(.checkName != "NICPollStallCheck").errorCode' <<<"$output" |
			sort -u | xargs)" \
			= '[link_downed,saturated] [nic_gone,nic_unreadable] [port_state,port_gone]' ]
		# Other monitored NICs do not clear it either.
		evaluate 8 -- --config "$BATS_TEST_TMPDIR/config.yaml"
		[ -z "$output" ]
		evaluate 9
		[ -z "$output" ]
		jq -e .unknown_past "$STATE" >/dev/null
	done
	jq -c '.boot_id |= (if . then "another" else . end)' "$SCANS/10" >"$SCANS/another"
	evaluate another
	[[ $output = *'Baseline reset (host reboot or discovery-scope change): clearing all conditions previously reported by this check'* ]]
	[[ $output = *'Counter link_downed healthy after reboot'* ]]
}

@test "an invalid state file clears nothing even if other NICs are monitored afterwards" {
	local config=$BATS_TEST_TMPDIR/config.yaml
	echo garbage >"$STATE"
	# The first verdicts still wait.
	jq -c 'if .kind == "scan.end" then .complete = false else . end' \
		"$SCANS/6" >"$SCANS/waiting"
	evaluate waiting
	status_is 0
	[ -z "$output" ]
	echo 'nicExclusionRegex: "^mlx5_9$"' >"$config"
	evaluate 7 -- --config "$config"
	takes_nothing_back "$output"
	[[ $output = *'NIC mlx5_0 is there and can be read'* ]]
	# The same with a check that was disabled meanwhile.
	rm -f "$STATE"*
	echo garbage >"$STATE"
	evaluate 6 -- --checks InfiniBandDegradationCheck
	evaluate 7 -- --config "$config"
	takes_nothing_back "$output"
	[[ $output = *'NIC mlx5_0 is there and can be read'* ]]
}

@test "without a usable state file a NIC reported as gone that returns without a link is not reported as back" {
	local config=$BATS_TEST_TMPDIR/config.yaml
	echo 'disappearance: {confirmScans: 1}' >"$config"
	echo garbage >"$STATE"
	jq -n -c -L "$BATS_TEST_DIRNAME/lib" \
		'include "records"; def other: ib("mlx5_9"; {}) + {pci: "0000:19:00.0"};
		def unreadable: ib("mlx5_0"; {}) + {device_extra: {error: "timeout"}};
		def dark: ib("mlx5_0"; {}) + {state: "ARMED"};
		scan(1; 1; [other, unreadable]), scan(2; 2; [other, unreadable]),
		scan(3; 3; [other, unreadable]), scan(4; 4; [other]),
			scan(5; 5; [other, dark]), scan(6; 6; [other, ib("mlx5_0"; {})])' \
				>"$SCANS/dark"
	evaluate dark -- --config "$config"
	[ "$(jq -r 'select(.entitiesImpacted == [{entityType: "NIC", entityValue: "mlx5_0"}])
		| [.isHealthy, .message, .errorCode[]] | @csv' <<<"$output" | tr -d '"')" = \
		"false,NIC mlx5_0 cannot be read (timeout),nic_unreadable
false,NIC mlx5_0 disappeared from /sys/class/infiniband/ - hardware failure,nic_gone
true,NIC mlx5_0 can be read again,nic_unreadable
true,NIC mlx5_0 can be read,nic_unreadable
true,Device mlx5_0 re-enumerated in sysfs,nic_gone" ]
}

@test "a counter at 0 is reported as healthy even without a usable state file" {
	echo garbage >"$STATE"
	evaluate 1
	[[ $output = *'Counter link_downed recovered on port mlx5_0 port 1'* ]]
	takes_nothing_back "$(grep -v '"errorCode":\["link_downed"\]' <<<"$output")"
}

@test "a counter below its maximum is reported as able to count even without a usable state file" {
	local n value
	for n in 1 2 3 4; do
		value=$((n < 4 ? 255 : 1))
		jq -n -c -L "$BATS_TEST_DIRNAME/lib" --argjson n "$n" --argjson value "$value" \
			'include "records"; scan($n; $n; [ib("mlx5_0"; {link_downed: $value,
			symbol_error: 0, port_rcv_data: 0})])' >"$SCANS/$n"
	done
	evaluate 1 2
	[[ $output = *'link_downed is at its maximum of 255'* ]]
	for n in 3 4; do
		echo garbage >"$STATE"
		evaluate "$n"
		jq -r 'select(.errorCode[1] == "saturated")
			| [.checkName, .isHealthy, .errorCode[0]] | @csv' <<<"$output" |
			tr -d '"' >"$BATS_TEST_TMPDIR/$n"
	done
	[ "$(cat "$BATS_TEST_TMPDIR/3")" = InfiniBandDegradationCheck,true,symbol_error ]
	printf 'InfiniBandDegradationCheck,true,%s\n' link_downed symbol_error | sort |
		diff - <(sort "$BATS_TEST_TMPDIR/4")
}

@test "without a usable state file a card is reported as healthy as soon as its NIC can be read" {
	local n
	# mlx5_0 hangs in the third and fourth scan, and was down before.
	for n in 1 2 3 4 5; do
		jq -n -c -L "$BATS_TEST_DIRNAME/lib" --argjson n "$n" \
			'include "records"; scan($n; $n; [range(3) as $i
			| ib("mlx5_\($i)"; {link_downed: 0}) + {pci: "0000:1\($i):00.0",
			extra: {role: "compute"}, device_extra: {role: "compute"}}
			| if $i == 0 and $n < 5 then . + {state: "DOWN", phys_state: "Disabled"}
			else . end
			| if $i == 0 and $n > 2 and $n < 5 then .device_extra.error = "timeout"
			else . end])' >"$SCANS/$n"
	done
	evaluate 1 2
	[[ $output = *'Card 0000:10:00 has 0 active ports, expected 1 (peer mode)'* ]]
	echo garbage >"$STATE"
	evaluate 3 4
	[[ $output != *'Card 0000:10:00'* ]]
	evaluate 5
	[ "$(jq -c 'select(.message | startswith("Card"))
		| [.isHealthy, .errorCode, .entitiesImpacted[0].entityValue]' <<<"$output")" \
		= '[true,["card_ports"],"0000:10:00"]' ]
}

@test "without a usable state file a plane is reported as healthy as soon as it can be read" {
	local n
	# smi0 hangs in the third scan, and its plane was down before.
	for n in 1 2 3 4; do
		jq -n -c -L "$BATS_TEST_DIRNAME/lib" --argjson n "$n" \
			'include "records"; scan($n; $n; [ib("mlx5_0"; {}),
			ib("smi0"; {}) + {device_extra: {parent: "mlx5_0"}}
			| if .device == "smi0" and $n < 3 then . + {state: "DOWN",
			phys_state: "Polling"} else . end
			| if .device == "smi0" and $n == 3 then .device_extra.error = "timeout"
			else . end])
			| select($n != 3 or .kind != "port" or .device != "smi0") | if $n == 3
			and .kind == "scan.end" then .ports = 1 else . end' >"$SCANS/$n"
	done
	evaluate 1 2
	[[ $output = *'"plane_down"'* ]]
	echo garbage >"$STATE"
	evaluate 3
	[[ $output != *plane_down* ]]
	evaluate 4
	[ "$(jq -c '[.isHealthy, .errorCode, .entitiesImpacted[0].entityValue]' <<<"$output")" \
		= '[true,["plane_down"],"smi0"]' ]
}

@test "a path where no state can be kept clears nothing at a start" {
	STATE=$SCANS/1/state.json
	evaluate 6
	status_is 0
	takes_nothing_back "$output"
	[[ $output = *'NIC mlx5_0 is there and can be read'* ]]
}

@test "a state file that is JSON of the wrong shape does not stop ctreval" {
	local text
	for text in '[]' '"x"' '1' '{"version":1}' '{"version":1,"boot_id":7}' \
		'{"version":1,"boot_id":"b1","counter_snapshots":[]}' \
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

@test "a second ctreval on the same state file exits 75 and names the first, which continues" {
	feed_open ctreval --state "$STATE"
	cat "$SCANS"/{1,2} >&7
	wait_until 10 has_lines 1 "$BATS_TEST_TMPDIR/out" 'healthy after reboot'
	run --separate-stderr ctreval --state "$STATE" <"$SCANS/5"
	status_is 75
	[ -z "$output" ]
	[ "$stderr" = "ctreval: error: $STATE: in use by process $PID" ]
	# From another container its process id is not visible and would be meaningless.
	run --separate-stderr unshare --map-root-user --pid --fork ctreval \
		--state "$STATE" <"$SCANS/5"
	status_is 75
	[ "$stderr" = "ctreval: error: $STATE: in use by a process of another container" ]
	cat "$SCANS"/{3,4,5} >&7
	wait_until 10 has_lines 1 "$BATS_TEST_TMPDIR/out" '"isFatal":true'
}

@test "a killed ctreval releases its state file" {
	feed_open ctreval --state "$STATE"
	cat "$SCANS/1" >&7
	wait_until 10 has_lines 1 "$BATS_TEST_TMPDIR/out" 'healthy after reboot'
	kill -KILL "$PID"
	wait_until 10 is_gone "$PID"
	evaluate 5
	status_is 0
	[ "$(jq -r 'select(.isFatal) | .message' <<<"$output")" \
		= "Port mlx5_0 port 1: link_downed - Port Training State Machine failed - QP disconnect (value=1, delta=1, rate=0.25/sec)" ]
}

@test "without --state nothing is written and there is no baseline, unless --baseline asks for it" {
	mkdir "$BATS_TEST_TMPDIR/empty"
	cd "$BATS_TEST_TMPDIR/empty"
	run --separate-stderr ctreval <"$SCANS/1"
	status_is 0
	[ -z "$output" ]
	run --separate-stderr ctreval --baseline <"$SCANS/1"
	status_is 0
	[ "$(grep -c 'Baseline reset' <<<"$output")" -eq 6 ]
	[ "$(grep -c 'healthy after reboot' <<<"$output")" -eq 1 ]
	[ -z "$(ls -A)" ]
}

@test "the state file has the original's keys, and others cannot write to it" {
	evaluate 1 2 3 4 5
	jq -e '.version == 1 and .boot_id == "b1"
		and .counter_snapshots["mlx5_0:1:link_downed"].value == 1
		and .breach_flags["mlx5_0:1:link_downed"].breached == true
		and .breach_flags["mlx5_0:1:link_downed"].check_name == "InfiniBandStateCheck"
		and .breach_flags["mlx5_0:1:link_downed"].is_fatal == true
		and .port_states["mlx5_0_1"].device == "mlx5_0"
		and .port_states["mlx5_0_1"].port == 1
		and (.port_states["mlx5_0_1"].state | test("ACTIVE"))
		and .known_devices == ["mlx5_0"]' "$STATE" >/dev/null
	[ -z "$(find "$BATS_TEST_TMPDIR" -name 'state.json*' -perm /o+w)" ]
}

# Thorough: tools
@test "with --acks each start writes unacknowledged events first, unchanged" {
	local acks=$BATS_TEST_TMPDIR/acks first source last
	evaluate 1 2 -- --acks "$acks"
	first=$output
	source=$(jq -r .source <<<"$first" | sort -u)
	last=$(jq -r .seq <<<"$first" | tail -n 1)
	[ "$(seqs)" = "$(seq 1 "$last" | xargs)" ]

	# Nothing is acknowledged; then another writer's events are; then the acks file is invalid.
	evaluate 3 -- --acks "$acks"
	diff <(echo "$output") <(echo "$first")
	echo '{"version":1,"acks":{"somebody-else":99}}' >"$acks"
	evaluate 4 5 -- --acks "$acks"
	diff <(head -n "$last" <<<"$output") <(echo "$first")
	[ "$(seqs)" = "$(seq 1 "$((last + 1))" | xargs)" ]
	echo '{"version":1,"acks":{"' >"$acks"
	evaluate 6 -- --acks "$acks"
	[ "$(seqs)" = "$(seq 1 "$((last + 1))" | xargs)" ]

	# All but the last event are acknowledged.
	echo "{\"version\":1,\"acks\":{\"$source\":$last}}" >"$acks"
	evaluate 7 -- --acks "$acks"
	[ "$(seqs)" = "$((last + 1))" ]
	[ "$(events <<<"$output" | jq -r .isFatal)" = true ]
	echo "{\"version\":1,\"acks\":{\"$source\":$((last + 1))}}" >"$acks"
	evaluate 8 -- --acks "$acks"
	[ -z "$(events <<<"$output")" ]
	[ "$(jq '.outbox | length' "$STATE")" -eq 0 ]
}

@test "an event that was not acknowledged when ctreval was killed is written again under its number" {
	local acks=$BATS_TEST_TMPDIR/acks before
	feed_open ctreval --state "$STATE" --acks "$acks"
	cat "$SCANS"/{1,2,3,4,5} >&7
	wait_until 10 has_lines 1 "$BATS_TEST_TMPDIR/out" '"isFatal":true'
	kill -KILL "$PID"
	wait_until 10 is_gone "$PID"
	before=$(<"$BATS_TEST_TMPDIR/out")
	evaluate 6 -- --acks "$acks"
	status_is 0
	diff <(events <<<"$output") <(echo "$before")
}

@test "the outbox shrinks while ctreval runs, as events are acknowledged" {
	local acks=$BATS_TEST_TMPDIR/acks source last
	outbox_has() { [ "$(jq '.outbox | length' "$STATE")" -eq "$1" ]; }
	feed_open ctreval --state "$STATE" --acks "$acks"
	cat "$SCANS/1" >&7
	# The last check's clear event ends the baseline, as this check has no port.
	wait_until 10 has_lines 1 "$BATS_TEST_TMPDIR/out" '"EthernetDegradationCheck".*"Baseline reset '
	source=$(jq -r .source "$BATS_TEST_TMPDIR/out" | sort -u)
	last=$(wc -l <"$BATS_TEST_TMPDIR/out")
	wait_until 10 outbox_has "$last"
	echo "{\"version\":1,\"acks\":{\"$source\":$last}}" >"$acks.new"
	mv "$acks.new" "$acks"
	cat "$SCANS"/{2,3} >&7
	wait_until 10 outbox_has 0
}

@test "a delivered fault is delivered again after emit lost its acks and the end of its spool" {
	local T=$BATS_TEST_TMPDIR
	# scanned N - run ctreval on that scan and emit on its events
	scanned() {
		evaluate "$1" -- --acks "$T/acks"
		status_is 0
		delivers <<<"$output"
	}
	delivers() {
		timeout 60 emit --spool "$T/spool.db" --acks "$T/acks" --sink "file:$T/got" \
			--flush-timeout 20s
	}
	# stands - print the number of faults that stand for emit, and whether the sink's last event
	# is a fault
	stands() {
		emit --standing --spool "$T/spool.db" --format json | grep -c '"isFatal":true'
		tail -n 1 "$T/got" | jq .isFatal
	}
	scanned 1
	cp "$T/spool.db" "$T/older"
	scanned 5
	scanned 6
	[ "$(stands | xargs)" = '1 true' ]
	[ "$(jq -c .outbox "$STATE")" = '[]' ]
	cp "$T/older" "$T/spool.db"
	rm "$T/acks"
	delivers </dev/null
	[ "$(stands | xargs)" = '0 true' ]
	scanned 7
	[ "$(stands | xargs)" = '1 true' ]
	[ "$(grep -c '"isFatal":true' "$T/got")" -eq 2 ]
	[ "$(jq -r 'select(.isFatal) | .id' "$T/got" | sort -u | wc -l)" -eq 1 ]
}

@test "a new receiver gets unacknowledged events again, in order and before new events" {
	local acks=$BATS_TEST_TMPDIR/acks source last
	acknowledged() {
		echo "{\"version\":1,\"acks\":{$2},\"receiver\":\"$1\"}" >"$acks.new"
		mv "$acks.new" "$acks"
	}
	acknowledged first ''
	feed_open ctreval --state "$STATE" --acks "$acks"
	cat "$SCANS/1" >&7
	wait_until 10 has_lines 1 "$BATS_TEST_TMPDIR/out" '"EthernetDegradationCheck".*"Baseline reset '
	source=$(jq -r .source "$BATS_TEST_TMPDIR/out" | sort -u)
	last=$(wc -l <"$BATS_TEST_TMPDIR/out")
	acknowledged second "\"$source\":$((last - 2))"
	cat "$SCANS/5" >&7
	wait_until 10 has_lines 1 "$BATS_TEST_TMPDIR/out" '"isFatal":true'
	[ "$(jq .seq "$BATS_TEST_TMPDIR/out" | xargs)" = "$({ seq 1 "$last" && seq "$((last - 1))" \
		"$((last + 1))"; } | xargs)" ]
	# The same happens without new events; the same receiver gets nothing again.
	acknowledged third "\"$source\":$last"
	cat "$SCANS/7" >&7
	wait_until 10 has_lines "$((last + 4))" "$BATS_TEST_TMPDIR/out" '"kind":"event"'
	cat "$SCANS/8" >&7
	exec 7>&-
	ends_with 0 "$PID"
	[ "$(events <"$BATS_TEST_TMPDIR/out" | tail -n +$((last + 4)) | jq .seq | xargs)" \
		= "$((last + 1))" ]
	[ "$(events <"$BATS_TEST_TMPDIR/out" | sort -u | wc -l)" -eq "$((last + 1))" ]
}

@test "a missing state directory makes one warning; events continue, and the state is written once it exists" {
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

	# The breach is known, and no number was given twice.
	jq -n -c -L "$BATS_TEST_DIRNAME/lib" \
		'include "records"; scan(8; 8; [ib("mlx5_0"; {link_downed: 2})]),
			scan(9; 9; [ib("mlx5_0"; {link_downed: 0})])' >"$SCANS/reset"
	evaluate reset
	[ "$(jq -r .message <<<"$output")" = "Counter link_downed recovered on port mlx5_0 port 1" ]
	[ -z "$(jq -r .id "$BATS_TEST_TMPDIR/before" - <<<"$output" | sort | uniq -d)" ]
}

@test "a disk that is full for a while makes one warning; events continue, and the state catches up" {
	# A file size limit acts like a full disk that a test can fill and clear; it does not apply
	# to pipes.
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
	breach_is_kept() { jq -e '.breach_flags["mlx5_0:1:link_downed"].breached' \
		"$STATE" >/dev/null; }
	wait_until 10 breach_is_kept
	exec 7>&-
	wait_until 10 is_gone "$PID"
	[ "$(grep -c warning "$BATS_TEST_TMPDIR/e")" -eq 1 ]
	[ -z "$(jq -r .id "$BATS_TEST_TMPDIR/o" | sort | uniq -d)" ]
	# No half-written file is left.
	[ "$(cd "$BATS_TEST_TMPDIR" && ls -d state.json*)" = "state.json
state.json.lock" ]
}

@test "a replay from the same state makes the same events, byte for byte" {
	evaluate 1 2 3 4 5
	local first=$output
	rm -f "$STATE"*
	evaluate 1 2 3 4 5
	diff <(echo "$first") <(echo "$output")
}

@test "after an older state file was restored, no event gets a number that the receiver already has" {
	local acks=$BATS_TEST_TMPDIR/acks source
	evaluate 1 -- --acks "$acks"
	source=$(jq -r .source <<<"$output" | sort -u)
	echo "{\"version\":1,\"acks\":{\"$source\":9999}}" >"$acks"
	evaluate 2 3 4 5 -- --acks "$acks"
	status_is 0 'the receiver has later events than the state file'
	[ -n "$output" ]
	[ "$(jq -r .source <<<"$output" | sort -u)" != "$source" ]
}

@test "after an older state file was restored, a fault that it does not know ends when the scan disproves it" {
	local acks=$BATS_TEST_TMPDIR/acks source
	evaluate 1
	cp "$STATE" "$BATS_TEST_TMPDIR/older"
	sed -i 's/ACTIVE/DOWN/; s/LinkUp/Disabled/' "$SCANS/2"
	evaluate 2
	jq -se 'length == 1 and .[0].isFatal and .[0].errorCode == ["port_state"]' <<<"$output"
	source=$(jq -r .source <<<"$output")
	echo "{\"version\":1,\"acks\":{\"$source\":$(jq .seq <<<"$output")}}" >"$acks"
	mv "$BATS_TEST_TMPDIR/older" "$STATE"
	evaluate 3 -- --acks "$acks"
	status_is 0 'the receiver has later events than the state file'
	jq -se 'any(.isHealthy and .checkName == "InfiniBandStateCheck" and
		(.errorCode | index("port_state")) and .nodeName == "n1" and
		.entitiesImpacted == [{"entityType": "NIC", "entityValue": "mlx5_0"},
			{"entityType": "NICPort", "entityValue": "1"}])' <<<"$output"
	# Only what the scan disproves is cleared, and only once: what follows are the same events,
	# which have not been acknowledged yet.
	jq -se 'all(.isHealthy and (.checkName == "NICPollStallCheck" or .errorCode != []))' \
		<<<"$output"
	local first=$output
	evaluate 4 -- --acks "$acks"
	status_is 0
	diff <(echo "$first") <(echo "$output")
}

# on_node NAME - evaluate scans 4 and 5 on that node, after its first boot, with the state file of
# an image
on_node() {
	local n
	for n in 4 5; do
		jq -c --arg node "$1" 'if .kind == "scan.begin" then
			.node = $node | .boot_id = $node else . end' "$SCANS/$n" >"$SCANS/$1-$n"
	done
	cp "$STATE" "$BATS_TEST_TMPDIR/$1"
	STATE=$BATS_TEST_TMPDIR/$1 evaluate "$1-4" "$1-5"
}

@test "nodes made from one image, with copies of one state file, give their events different ids" {
	local source first
	evaluate 1 2 3
	source=$(jq -r .source "$STATE")
	on_node gpu-7
	status_is 0 'gpu-7: belongs to node n1, and this is gpu-7: continuing under a new source'
	first=$output
	on_node gpu-8
	[ "$(jq -r 'select(.errorCode == ["link_downed"] and .isFatal).nodeName' <<<"$first
$output" | xargs)" = "gpu-7 gpu-8" ]
	[ -z "$(jq -r .id <<<"$first
$output" | sort | uniq -d)" ]
	none grep -F "$source" <<<"$first
$output"
	# From now on it is that node's own.
	STATE=$BATS_TEST_TMPDIR/gpu-7 evaluate gpu-7-4 gpu-7-5
	none grep -F 'new source' <<<"$stderr"
	[ "$(jq -r .source "$BATS_TEST_TMPDIR/gpu-7")" = "$(jq -r .source <<<"$first" | sort -u)" ]
}

# renamed_node NAME N... - give the scans' node that name, within the same boot
renamed_node() {
	local n
	for n in "${@:2}"; do
		sed -i "s/\"node\":\"n1\"/\"node\":\"$1\"/" "$SCANS/$n"
	done
}

# about_nodes - print node, severity and codes of each event
about_nodes() {
	events <<<"$output" | jq -r '[.nodeName, if .isHealthy then "healthy"
		elif .isFatal then "fatal" else "degraded" end, .errorCode[]] | join(" ")'
}

@test "when a node gets another name, what is active ends under the old name and begins under the new one" {
	evaluate 1 2 3 4 5
	renamed_node n2 6 7 8 9 10
	evaluate 6 7
	status_is 0 'belongs to node n1, and this is n2: continuing under a new source'
	diff <(about_nodes) - <<-'END'
		n1 healthy link_downed
		n2 fatal link_downed
	END
	jq -se 'all(.seq == 1 or .seq == 2) and (map(.source) | unique | length) == 1' \
		<<<"$(events <<<"$output")"
	# From now on the fault has the new name.
	sed -i 's/"link_downed":2/"link_downed":0/' "$SCANS/8"
	evaluate 8
	status_is 0
	diff <(about_nodes) - <<<"n2 healthy link_downed"
}

# two_nics N NODE FIRST SECOND COUNT - make scan N, cut off, with a NIC FIRST whose link was down
# COUNT times, and a NIC SECOND
two_nics() {
	jq -n -c -L "$BATS_TEST_DIRNAME/lib" --argjson n "$1" --arg node "$2" --arg first "$3" \
		--arg second "$4" --argjson count "$5" 'include "records"; scan($n; $n;
			[ib($first; {link_downed: $count}),
			ib($second; {link_downed: 0}) + {pci: "0000:28:00.0"}])
			| select(.kind != "scan.end" or $node == "n1")
			| if .node then .node = $node else . end' >"$SCANS/$1"
}

@test "a fault goes along to the node's new name while another NIC has the name of the faulty one" {
	two_nics 1 n1 mlx5_0 mlx5_1 0
	two_nics 2 n1 mlx5_0 mlx5_1 1
	evaluate 1 2
	# The scan is cut off: it does not show which names are in use.
	two_nics 3 n2 mlx5_1 mlx5_0 1
	evaluate 3
	diff <(about_nodes) - <<-'END'
		n1 healthy link_downed
		n2 fatal link_downed
	END
}

@test "when a node gets another name, reports of checks that are disabled by now end under the old name, too" {
	evaluate 1 2 3 4 5
	renamed_node n2 6 7
	evaluate 6 -- --checks EthernetStateCheck
	diff <(about_nodes) - <<<"n1 healthy link_downed"
}

@test "a stalled scan under the node's new name leaves nothing active under the old one, also over a restart" {
	evaluate 1 2 3 4 5
	renamed_node n2 6 7
	jq -c '{kind: "scan.stall", node: "n2", ts, boottime_ns, in_flight_ms: 99000}' \
		<(head -n 1 "$SCANS/6") >"$SCANS/stall"
	evaluate stall
	diff <(about_nodes) - <<<"n2 degraded"
	evaluate 6
	diff <(about_nodes) - <<-'END'
		n1 healthy link_downed
		n1 healthy
		n2 fatal link_downed
		n2 healthy
	END
}

# --- operators' clears ---

# clears TARGET OPTION... - clear TARGET as an operator who has repaired it
clears() {
	nicsilence --file "$BATS_TEST_TMPDIR/silences" --sysfs-root "$BATS_TEST_TMPDIR" --clear \
		--why swapped --by alice "$@" 2>/dev/null
}

# obeys N... - evaluate with the operators' clears
obeys() { evaluate "$@" -- --silences "$BATS_TEST_TMPDIR/silences"; }

@test "a counter that an operator cleared is healthy, with author and reason, and counts from there" {
	obeys 1 2 3 4 5
	clears mlx5_0/1 --code link_downed
	obeys 6
	jq -e '.checkName == "InfiniBandStateCheck" and .isHealthy and
		.errorCode == ["link_downed"] and .recommendedAction == "NONE"
		and .message == "Counter link_downed cleared on port mlx5_0 port 1 at 2 by alice: swapped"
		and .metadata.clearedBy == "alice" and .metadata.clearWhy == "swapped"' <<<"$output"
	# Growth counts from 2, and the clear is done.
	obeys 7 8
	[ "$output" = "" ]
	sed -i 's/"link_downed":2/"link_downed":3/' "$SCANS/9" "$SCANS/10"
	obeys 9
	# The flapping of the link, down three times, is another event.
	jq -e -s 'map(select(.errorCode == ["link_downed"])) | length == 1 and .[0].isFatal
		and (.[0].message | endswith("(value=3, delta=1, rate=1.00/sec)"))' <<<"$output"
	obeys 10
	[ "$output" = "" ]
}

@test "a clear is done at the first scan with its port, whether or not anything stands" {
	clears mlx5_0 --code symbol_error
	clears mlx5_7
	clears mlx5_0
	obeys 1 2 3 4
	jq -e '.cleared | length == 2' "$STATE"
	obeys 5 6 7
	[ "$(events <<<"$output" | jq -r .isFatal)" = true ]
	# It is forgotten when the file no longer has it.
	rm "$BATS_TEST_TMPDIR/silences"
	obeys 8
	jq -e '.cleared == []' "$STATE"
}

@test "a clear waits for a scan that can read its counter, and is done only once" {
	obeys 1 2 3 4 5
	clears mlx5_0
	sed -i 's/"link_downed":2//' "$SCANS/6" "$SCANS/7"
	obeys 6 7
	[ "$output" = "" ]
	jq -e '.cleared == []' "$STATE"
	obeys 8
	[ "$(jq -r .metadata.clearedBy <<<"$output")" = alice ]
	jq -e '.cleared | length == 1' "$STATE"
	sed -i 's/"link_downed":2/"link_downed":3/' "$SCANS/9" "$SCANS/10"
	obeys 9 10
	[ "$(jq -c 'select(.errorCode == ["link_downed"]) | .isFatal' <<<"$output")" = true ]
}

@test "a clear of another counter, port or device has no effect, and one of the whole device does" {
	obeys 1 2 3 4 5
	clears mlx5_0 --code symbol_error
	clears mlx5_0/2
	clears mlx5_1
	obeys 6
	[ "$(events <<<"$output")" = "" ]
	clears mlx5_0
	obeys 7
	[ "$(jq -r .isHealthy <<<"$output")" = true ]
}

@test "a silence clears nothing, and --explain reports a clear" {
	obeys 1 2 3 4 5
	nicsilence --file "$BATS_TEST_TMPDIR/silences" mlx5_0 --for 1h --why w >/dev/null 2>&1
	obeys 6
	[ "$(events <<<"$output")" = "" ]
	clears mlx5_0
	evaluate 7 -- --silences "$BATS_TEST_TMPDIR/silences" --explain
	[ "$(jq -r 'select(.about == "counter" and .counter == "link_downed")
		| .verdict + ": " + .reason' <<<"$output")" = \
		"recovery: an operator has cleared it at 2; growth counts from here" ]
}

@test "an invalid silences file is an error and clears nothing" {
	obeys 1 2 3 4 5
	echo nonsense >"$BATS_TEST_TMPDIR/silences"
	obeys 6
	[ "$(events <<<"$output")" = "" ]
	stderr_has "^ctreval: error: silences $BATS_TEST_TMPDIR/silences: line 1: "
}

#!/usr/bin/env bats
# history: nichist shows a spool to people and tools while the service writes to it.
# shellcheck disable=SC2030,SC2031,SC2154 # each test is a subshell, and bats sets stderr
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() {
	load lib/spool
	T=$BATS_TEST_TMPDIR
	S=$T/spool.db
	umask 022
	unset COLUMNS NO_COLOR
}

teardown() {
	end_background
	nothing_survives
}

# ask OPTION... - run nichist on the spool.
ask() { run --separate-stderr timeout 60 nichist --spool "$S" "$@"; }

# is_quiet - return success if stderr is empty.
is_quiet() { [ -z "$stderr" ]; }

# says_only REGEX - check that there is one line on stderr and nothing on stdout.
says_only() {
	[ -z "$output" ]
	[ "$(wc -l <<<"$stderr")" -eq 1 ]
	stderr_has "$1"
}

# --- for people ---

@test "one command shows the events since last night, the standing conditions, and the state of the sinks" {
	a_night "$S"
	ask --history --standing --since 12h
	status_is 0
	is_quiet
	local since now
	since=$(sed -n '1s/.*since \(.*\) UTC (.*/\1/p' <<<"$output")
	now=$(sed -n 's/.*active conditions at \(.*\) UTC/\1/p' <<<"$output")
	[ "$(($(date -ud "$now" +%s) - $(date -ud "$since" +%s)))" -eq $((12 * 3600)) ]
	diff - <(echo "$output") <<END
gpu-42: events since $since UTC ($S)

TIME (UTC)           SEVERITY  WHERE     CHECK                 ACTION      MESSAGE
$(at 11550)  FATAL     mlx5_3/1  InfiniBandStateCheck  REPLACE_VM  Port mlx5_3 port 1: state DOWN, phys_state Polling - no connectivity
$(at 11000)  FATAL     mlx5_0    InfiniBandStateCheck  REPLACE_VM  Device mlx5_0 has disappeared
$(at 10000)  healthy   mlx5_0    InfiniBandStateCheck  -           Device mlx5_0 is there again

3 events: 2 fatal, 1 healthy

gpu-42: active conditions at $now UTC

SINCE (UTC)          FOR          TIMES  SEVERITY  WHERE     CHECK                       CODE          ACTION      MESSAGE
$(at 11550)  3 h 12 min       1  FATAL     mlx5_3/1  InfiniBandStateCheck        -             REPLACE_VM  Port mlx5_3 port 1: state DOWN, phys_state Polling - no connectivity
$(at 90000)  1 d 1 h         41  degraded  mlx5_3/1  InfiniBandDegradationCheck  symbol_error  -           Port mlx5_3 port 1: symbol_error - Bit errors on the link (value=130, delta=120, rate=2.00/sec)

2 conditions: 1 fatal, 1 degraded

sinks

WAITING  FOR          DELIVERED  REFUSED  LAST CHANGE (UTC)    SINK
      0  -                    4        0  $(at 10000)  file:/var/tmp/events.ndjson
      2  3 h 3 min            1        1  $(at 11540)  grpc:unix:///var/run/nvsentinel.sock
END
}

@test "on a narrow terminal messages are below their rows, and only names exceed the width" {
	a_night "$S"
	COLUMNS=80 ask --standing
	status_is 0
	diff - <(sed -n '/^SINCE/,/^2 cond/p' <<<"$output") <<END
SINCE (UTC)          FOR          TIMES  SEVERITY  WHERE     ACTION
$(at 11550)  3 h 12 min       1  FATAL     mlx5_3/1  REPLACE_VM
    InfiniBandStateCheck: Port mlx5_3 port 1: state DOWN, phys_state Polling -
    no connectivity
$(at 90000)  1 d 1 h         41  degraded  mlx5_3/1  -
    InfiniBandDegradationCheck symbol_error: Port mlx5_3 port 1: symbol_error -
    Bit errors on the link (value=130, delta=120, rate=2.00/sec)

2 conditions: 1 fatal, 1 degraded
END
	COLUMNS=80 ask --history
	status_is 0
	[ "$(sed 1d <<<"$output" | awk 'length > 80' | wc -l)" -eq 0 ]
	# Ignoring line breaks and padding, nothing is left out.
	[ "$(tr -s ' \n' ' ' <<<"$output" | grep -o \
		-F 'Bit errors on the link (value=130, delta=120, rate=2.00/sec)' | wc -l)" -eq 1 ]
}

@test "dead letters have their sink, event and reason" {
	a_night "$S"
	ask --dead-letters
	status_is 0
	is_quiet
	diff - <(echo "$output") <<END
gpu-42: dead letters: events that a sink refused, as far back as they are kept ($S)

REFUSED (UTC)        SEVERITY  WHERE     EVENT  SINK                                  REASON
$(at 89990)  degraded  mlx5_3/1  t-1    grpc:unix:///var/run/nvsentinel.sock  INVALID_ARGUMENT: unknown check

1 dead letter: 1 degraded
END
}

# Thorough: sinks
@test "an empty result is reported and exits 0" {
	to_spool "$S" </dev/null
	ask --history --standing --dead-letters
	status_is 0
	is_quiet
	grep -q '^no events, as far back as they are kept (' <<<"$output"
	grep -q '^the spool has no events$' <<<"$output"
	grep -q '^no dead letters, as far back as they are kept$' <<<"$output"
	grep -q '^no active conditions at ....-..-.. ..:..:.. UTC$' <<<"$output"
	grep -q '^no sinks: no event was delivered$' <<<"$output"

	a_night "$S"
	ask --history --since 1m --device mlx5_9 --fatal
	status_is 0
	grep -q -E '^no events since .* UTC, of mlx5_9, only fatal ones \(' <<<"$output"
	grep -q -F "the latest event: $(at 10000) UTC" <<<"$output"
	ask --standing --device mlx5_9
	status_is 0
	grep -q -E '^no active conditions at .* UTC, of mlx5_9 \(' <<<"$output"
}

@test "events of several nodes have a node column" {
	a_night "$S"
	NODE_OF_SPOOL=gpu-7 stored "$S" 60 degraded mlx5_1/1 InfiniBandDegradationCheck \
		symbol_error 'elsewhere'
	ask --history
	status_is 0
	[[ "${lines[0]}" == "2 nodes: events, "* ]]
	grep -q -E '^TIME \(UTC\) +SEVERITY  NODE    WHERE' <<<"$output"
	grep -q -E 'degraded  gpu-7   mlx5_1/1 ' <<<"$output"
}

@test "nichist shows the number of events that were dropped undelivered" {
	a_night "$S"
	to_spool "$S" '{"meta": {"name": "dropped", "value": 37}}'
	ask --standing
	status_is 0
	[ "${lines[-1]}" = '37 events were dropped undelivered: the spool was full' ]
}

# --- selection ---

# Thorough: sinks
@test "--node selects the events, dead letters and standing conditions of one node" {
	a_night "$S"
	NODE_OF_SPOOL=gpu-7 stored "$S" 5 fatal mlx5_1/1 InfiniBandStateCheck '' 'on another'
	dead_letter "$S" file:/x 5 4 'no'
	condition "$S" 5 fatal mlx5_1/1 InfiniBandStateCheck '' 'on another' '{"node": "gpu-7"}'
	ids() { nichist --spool "$S" --format json "$@" | jq -r 'select(.id) | .id' | xargs; }
	[ "$(ids --history --node gpu-7)" = t-5 ]
	[ "$(ids --history --node gpu-42)" = 't-1 t-2 t-3 t-4' ]
	[ "$(ids --history --node gpu-42 --fatal)" = 't-2 t-3' ]
	[ "$(ids --history --node gpu)" = '' ]
	[ "$(ids --dead-letters --node gpu-7)" = t-5 ]
	[ "$(nichist --spool "$S" --format json --standing --node gpu-7 |
		jq -r 'select(.kind == "condition").device')" = mlx5_1 ]
	# NODE_NAME applies only to events without a node.
	[ "$(NODE_NAME=gpu-7 ids --history)" = 't-1 t-2 t-3 t-4 t-5' ]
	ask --history --node gpu-9
	[[ "${lines[0]}" = *"no events, as far back as they are kept, on node gpu-9 ($S)" ]]
	ask --replay --node gpu-7
	status_is 0
	[ "$(jq -r .id <<<"$output")" = t-5 ]
}

# of_baseline SEQ MESSAGE - turn the event with that number into a healthy one of a baseline.
of_baseline() {
	sqlite3 "$S" "UPDATE event SET is_healthy = 1, is_fatal = 0, message = '$2',
		record = json_set(record, '\$.metadata.baseline', 'true',
			'\$.isHealthy', json('true'), '\$.message', '$2')
		WHERE seq = $1"
}

# Thorough: sinks
@test "baseline events that ended nothing are one line of the history, and --baseline shows them" {
	a_night "$S"
	of_baseline 1 'healthy after reboot'
	of_baseline 2 'healthy after reboot, too'
	# This one ended a condition.
	of_baseline 4 'Device mlx5_0 is there again'
	ask --history
	status_is 0
	[[ "$output" != *'after reboot'* ]]
	[[ "$output" = *'Device mlx5_0 is there again'* ]]
	[ "${lines[-2]}" = '2 events: 1 fatal, 1 healthy' ]
	[ "${lines[-1]}" = '2 healthy events of baselines omitted (no condition ended): --baseline shows them' ]
	ask --history --device mlx5_3
	[[ "$output" = *'2 healthy events of baselines omitted'* ]]
	ask --history --fatal
	[[ "$output" != *'left out'* ]]
	ask --history --baseline
	[[ "$output" = *'healthy after reboot, too'* ]]
	[[ "$output" != *'left out'* ]]
	[ "${lines[-1]}" = '4 events: 1 fatal, 3 healthy' ]
	# Programs get everything.
	[ "$(nichist --spool "$S" --history --format json | wc -l)" -eq 4 ]
	[ "$(nichist --spool "$S" --replay 2>/dev/null | wc -l)" -eq 4 ]
}

@test "--since, --device and --fatal select events, dead letters and standing conditions" {
	a_night "$S"
	dead_letter "$S" file:/x 3 5 'no'
	# ids OPTION... - print the ids that are shown.
	ids() { nichist --spool "$S" --format json "$@" | jq -r 'select(.id) | .id' | xargs; }
	[ "$(ids --history)" = 't-1 t-2 t-3 t-4' ]
	[ "$(ids --history --since 12h)" = 't-2 t-3 t-4' ]
	[ "$(ids --history --since "$(at 11000)")" = 't-3 t-4' ]
	[ "$(ids --history --fatal)" = 't-2 t-3' ]
	[ "$(ids --history --device mlx5_3)" = 't-1 t-2' ]
	[ "$(ids --history --device mlx5)" = '' ]
	[ "$(ids --history --device mlx5_3 --fatal --since 1d)" = 't-2' ]
	[ "$(ids --dead-letters)" = 't-1 t-3' ]
	[ "$(ids --dead-letters --since 1h)" = 't-3' ]
	[ "$(ids --dead-letters --fatal)" = 't-3' ]
	[ "$(ids --dead-letters --device mlx5_3)" = 't-1' ]
	# where OPTION... - print the code and device of each standing condition.
	where() { nichist --spool "$S" --format json --standing "$@" |
		jq -r 'select(.kind == "condition") | .code + "@" + .device' | xargs; }
	[ "$(where)" = '@mlx5_3 symbol_error@mlx5_3' ]
	[ "$(where --fatal)" = '@mlx5_3' ]
	[ "$(where --device mlx5_0)" = '' ]
	# --since of the events hides no standing condition.
	[ "$(where --history --since 1s)" = '@mlx5_3 symbol_error@mlx5_3' ]
}

# Thorough: sinks
@test "--device also finds events that name several devices, or that are about all of them" {
	stored "$S" 100 fatal mlx5_1 SysLogsNICDriverError port_module_high_temp 'two NICs'
	sqlite3 "$S" "UPDATE event SET record = json_set(record, '\$.entitiesImpacted[1]', json('{\"entityType\":\"NIC\",\"entityValue\":\"mlx5_2\"}'))"
	stored "$S" 50 healthy '' InfiniBandStateCheck '' 'whole check'
	stored "$S" 40 fatal '' SysLogsNICDriverError x 'somewhere'
	condition "$S" 100 fatal mlx5_1 SysLogsNICDriverError port_module_high_temp 'two NICs' \
		'{"about": "NIC=mlx5_1,NIC=mlx5_2"}'
	ask --history --device mlx5_2 --format json
	[ "$(jq -r .message <<<"$output" | xargs -d '\n')" = 'two NICs whole check' ]
	ask --standing --device mlx5_2
	grep -q ' NIC=mlx5_1,NIC=mlx5_2 ' <<<"$output"
	ask --standing --device mlx5_
	grep -q 'no active conditions' <<<"$output"
}

@test "--device DEVICE/PORT finds everything about that port or about the whole device" {
	local place
	for place in mlx5_3/1 mlx5_3/2 mlx5_3 mlx5_0/1; do
		stored "$S" 100 fatal "$place" InfiniBandStateCheck '' "at $place"
		condition "$S" 100 fatal "$place" InfiniBandStateCheck '' "at $place"
		dead_letter "$S" file:/x "$SEQ" 90 "at $place"
	done
	stored "$S" 50 healthy '' InfiniBandStateCheck '' 'whole check'
	condition "$S" 50 fatal '' InfiniBandStateCheck '' 'whole check' '{"about": ""}'
	# messages OPTION... - print the messages about port 1 of mlx5_3.
	messages() {
		nichist --spool "$S" --format json --device mlx5_3/1 "$@" |
			jq -r 'select(.kind != "sink") | .message // .reason' | xargs -d '\n'
	}
	[ "$(messages --history)" = 'at mlx5_3/1 at mlx5_3 whole check' ]
	[ "$(messages --dead-letters)" = 'at mlx5_3/1 at mlx5_3' ]
	[ "$(messages --standing)" = 'at mlx5_3/1 at mlx5_3 whole check' ]
	ask --standing --device mlx5_3/01
	[[ "$output" = *', of mlx5_3/01 '* ]]
	[[ "$output" = *'at mlx5_3/1'* ]]
	for place in mlx5_3/ mlx5_3/0 mlx5_3/256 mlx5_3/x; do
		ask --standing --device "$place"
		status_is 64 '^nichist: error: mlx5_3/...: not a port from 1 to 255$'
	done
}

# link_downed_event - print a standing breach, event S-1.
link_downed_event() {
	jq -n -c '{kind: "event", id: "S-1", version: 1, agent: "nic-health-monitor",
		componentClass: "NIC", checkName: "InfiniBandStateCheck", isFatal: true,
		isHealthy: false, message: "Port mlx5_0 port 1: link_downed",
		recommendedAction: "REPLACE_VM", errorCode: ["link_downed"],
		entitiesImpacted: [{entityType: "NIC", entityValue: "mlx5_0"},
		{entityType: "NICPort", entityValue: "1"}], metadata: {},
		generatedTimestamp: "2026-11-22T03:04:05.678901Z", nodeName: "n",
		processingStrategy: "EXECUTE_REMEDIATION", source: "S", seq: 1}'
}

# update VALUE GROWN - print an update record for it.
update() { printf '{"kind":"update","v":1,"event":"S-1","metadata":{"value":"%s","grown":"%s"}}\n' \
	"$1" "$2"; }

# Thorough: sinks
@test "a standing condition has its counter's current value, from update records" {
	link_downed_event | emit --spool "$S" --sink "file:$T/out"
	{
		update 41 40
		update '9; DROP' x
		update 3
	} | emit --spool "$S" --sink "file:$T/out" 2>"$T/err"
	ask --standing
	[[ $output = *'Port mlx5_0 port 1: link_downed (now 41, 40 more)'* ]]
	ask --standing --format json
	[ "$(jq -c 'select(.kind == "condition") | [.value, .grown]' <<<"$output")" \
		= '["41","40"]' ]
	# Update records are not delivered.
	[ "$(wc -l <"$T/out")" -eq 1 ]
}

@test "an update record in the same batch as its event counts" {
	{
		link_downed_event
		update 41 40
	} >"$T/in"
	emit --spool "$S" --sink "file:$T/out" "$T/in"
	ask --standing
	[[ $output = *'Port mlx5_0 port 1: link_downed (now 41, 40 more)'* ]]
	[ "$(wc -l <"$T/out")" -eq 1 ]
}

@test "a condition that has expired does not stand" {
	to_spool "$S" </dev/null
	condition "$S" 500 fatal mlx5_0/1 C over 'ran out' "{\"until_ns\": $(ago 100)}"
	condition "$S" 500 fatal mlx5_1/1 C still 'runs out later' "{\"until_ns\": $(ago -3600)}"
	ask --standing
	status_is 0
	grep -q 'runs out later' <<<"$output"
	none grep -q 'ran out' <<<"$output"
}

# Thorough: sinks
@test "conflicting options and invalid values are rejected" {
	local wrong
	a_night "$S"
	for wrong in '--standing --since 2h' '--history --replay' '--replay --format json' \
		'--history --sink -' '--history --since soon' '--history --since 2999-01-01' \
		'--history --format csv' '--history operand' operand '--replay --fatal t-1' \
		'--replay --sink nowhere'; do
		# shellcheck disable=SC2086 # these are words
		ask $wrong
		status_is 64
		says_only '^nichist: error: '
	done
}

# --- for tools ---

@test "events as JSON are the stored records, byte for byte" {
	a_night "$S"
	ask --history --format json
	status_is 0
	is_quiet
	diff <(sqlite3 -readonly "$S" 'SELECT record FROM event ORDER BY number') <(echo "$output")
}

@test "standing conditions, dead letters and sinks as JSON have times as text and in ns" {
	a_night "$S"
	ask --standing --dead-letters --format json
	status_is 0
	jq -s -e --arg since "$(ago 90000)" --arg refused "$(ago 89990)" '
		(map(.kind) == ["dead_letter", "condition", "condition", "sink", "sink"]) and
		(.[0] | .sink == "grpc:unix:///var/run/nvsentinel.sock" and .number == 1
		and .id == "t-1" and (.ts_ns | tostring) == $refused
			and (.ts | sub("\\.000000Z"; "Z") | fromdate) == ($refused[:-9] | tonumber)
			and .reason == "INVALID_ARGUMENT: unknown check"
			and .record.kind == "event" and .record.seq == 1) and
		(.[1] | .isFatal == true and .nodeName == "gpu-42"
		and .recommendedAction == "REPLACE_VM" and .until == null and .until_ns == null) and
		(.[2] | .isFatal == false and .code == "symbol_error"
		and .about == "NIC=mlx5_3,NICPort=1" and .device == "mlx5_3" and .port == "1"
		and .times == 41
			and (.since_ns | tostring) == $since and .since == .last
			and .checkName == "InfiniBandDegradationCheck") and
		(.[3] | .waiting == 0 and .oldest == null) and
		(.[4] | .waiting == 2 and .dead_letters == 1 and .delivered == 1
		and .position == 2)' <<<"$output"
}

@test "history as JSON can be piped to emit" {
	a_night "$S"
	nichist --spool "$S" --history --standing --format json | timeout 20 emit \
		--sink "file:$T/copy"
	diff <(sqlite3 -readonly "$S" 'SELECT record FROM event ORDER BY number') "$T/copy"
}

# Thorough: sinks
@test "a long history is complete and in order, page by page" {
	to_spool "$S" </dev/null
	sqlite3 "$S" "WITH RECURSIVE
		n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
		INSERT INTO event SELECT i, 't', i, 't-' || i, i * 1000000000, 0, 'n', 'a', 'c',
			'mlx5_' || (i % 18), '1', i % 100 = 0, 0, 'x', 'NONE', 'event ' || i,
		'{\"kind\":\"event\",\"nodeName\":\"n\",\"processingStrategy\":\"STORE_ONLY\",\"seq\":' || i || '}' FROM n"
	ask --history --format json
	status_is 0
	diff <(seq 20000) <(jq .seq <<<"$output")
	ask --history
	[ "${lines[-1]}" = '20000 events: 200 fatal, 19800 degraded' ]
	[ "$(grep -c ' event [0-9]*$' <<<"$output")" -eq 20000 ]
	# A gap does not end the history.
	sqlite3 "$S" 'DELETE FROM event WHERE number % 7 != 0 OR number BETWEEN 1000 AND 9000'
	ask --history --format json
	diff <(seq 7 7 20000 | awk '$1 < 1000 || $1 > 9000') <(jq .seq <<<"$output")
	nichist --spool "$S" --replay >"$T/replayed"
	diff <(echo "$output") "$T/replayed"
}

@test "the standing conditions of a fleet are sorted in memory, most severe and oldest first" {
	to_spool "$S" </dev/null
	jq -n -c --arg text "$(printf '%01500d' 0)" 'range(3000) | {kind: "event", id: "t-\(. + 1)",
		source: "t", seq: (. + 1), checkName: "InfiniBandStateCheck", nodeName: "n\(.)",
		isFatal: (. % 2 == 1), isHealthy: false, message: $text, errorCode: ["port_state"],
		generatedTimestamp: (1700000000 - . | todate),
		entitiesImpacted: [{entityType: "NIC", entityValue: "mlx5_0"}]}' |
		emit --spool "$S" --sink "file:$T/out"
	ask --standing --format json
	status_is 0
	is_quiet
	diff <(jq -r 'select(.kind == "condition").nodeName' <<<"$output") \
		<(seq -f 'n%.0f' 2999 -2 1; seq -f 'n%.0f' 2998 -2 0)
}

@test "nichist exits 0 when its reader stops early, and 74 when stdout is full" {
	to_spool "$S" </dev/null
	sqlite3 "$S" "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
		INSERT INTO event SELECT i, 't', i, 't-' || i, i * 1000000000, 0, 'n', 'a', 'c',
			'd', '1', 1, 0, 'x', 'NONE', 'event ' || i, '{\"seq\":' || i || '}' FROM n"
	for format in table json; do
		run --separate-stderr timeout 20 bash \
			-c 'nichist --spool "$1" --history --format '$format' | head -n 1 >/dev/null; exit "${PIPESTATUS[0]}"' _ "$S"
		status_is 0
		is_quiet
	done
	run --separate-stderr bash -c 'nichist --spool "$1" --history >/dev/full' _ "$S"
	status_is 74 '^nichist: error: stdout: No space left on device$'
}

# --- replay ---

@test "--replay sends the events with these ids in their original order, each once" {
	a_night "$S"
	ask --replay t-3 t-1 t-3
	status_is 0
	[ "${stderr_lines[0]}" = "nichist: note: sink -: 2 of 2 events of $S delivered again" ]
	[ "$(jq -r .id <<<"$output" | xargs)" = 't-1 t-3' ]
	diff <(sqlite3 -readonly "$S" \
		'SELECT record FROM event WHERE number IN (1, 3) ORDER BY number') <(echo "$output")
	ask --replay --since 12h --device mlx5_0
	[ "$(jq -r .id <<<"$output" | xargs)" = 't-3 t-4' ]
	ask --replay
	[ "$(jq -r .id <<<"$output" | xargs)" = 't-1 t-2 t-3 t-4' ]
}

@test "--replay finds an event that remains only as a dead letter" {
	a_night "$S"
	sqlite3 "$S" 'DELETE FROM event WHERE number = 1'
	ask --replay t-1
	status_is 0
	[ "$(jq -r .id <<<"$output")" = t-1 ]
}

@test "--replay leaves out events that arrived after their recovery" {
	a_night "$S"
	sqlite3 "$S" "ALTER TABLE event ADD COLUMN answered_by TEXT NOT NULL DEFAULT '';
		UPDATE event SET answered_by = 't-4' WHERE number = 3"
	ask --replay
	status_is 0
	[ "$(jq -r .id <<<"$output" | xargs)" = 't-1 t-2 t-4' ]
}

@test "--replay reports when there is nothing to send" {
	a_night "$S"
	ask --replay --device mlx5_9
	status_is 0
	[ "$output" = "" ]
	[ "$stderr" = "nichist: note: $S: no event is selected: none was sent" ]
}

# letters - print the remaining dead letters, as EVENT@SINK.
letters() { nichist --spool "$S" --dead-letters --format json | jq -r '.id + "@" + .sink' | xargs; }

# Thorough: sinks
@test "a dead letter is removed once its sink has the event; those of other sinks stay and are reported" {
	a_night "$S"
	dead_letter "$S" "file:$T/out" 1 10 'full'
	dead_letter "$S" "file:$T/out" 3 10 'full'
	[ "$(letters)" = "t-1@grpc:unix:///var/run/nvsentinel.sock t-1@file:$T/out t-3@file:$T/out" ]
	ask --replay --sink "file:$T/out" t-1 t-2
	status_is 0
	[ "$(jq -r .id "$T/out" | xargs)" = 't-1 t-2' ]
	[ "${stderr_lines[0]}" = "nichist: note: sink file:$T/out: 2 of 2 events of $S delivered again; 1 dead letter removed" ]
	[ "${stderr_lines[1]}" = 'nichist: note: 1 dead letter of these events stays in the spool, for sinks not named here' ]
	[ ${#stderr_lines[@]} -eq 2 ]
	[ "$(letters)" = "t-1@grpc:unix:///var/run/nvsentinel.sock t-3@file:$T/out" ]
	# The same for selected instead of named events.
	ask --replay --sink "file:$T/out" --fatal
	status_is 0
	[ "$stderr" = "nichist: note: sink file:$T/out: 2 of 2 events of $S delivered again; 1 dead letter removed" ]
	[ "$(letters)" = "t-1@grpc:unix:///var/run/nvsentinel.sock" ]
}

@test "a dead letter whose event the options of its sink leave out stays, and is removed once it is sent" {
	local left option
	a_night "$S"
	left=$(letters)
	dead_letter "$S" "file:$T/out" 1 10 'full'
	sqlite3 "$S" "UPDATE dead_letter SET record = json_set(record, '$.metadata.role', 'compute',
			'$.errorCode', json('[\"x\"]')) WHERE sink LIKE 'file:%';
		UPDATE event SET record = (SELECT record FROM dead_letter WHERE sink LIKE 'file:%')
			WHERE number = 1"
	for option in '--min-severity fatal' '--only-codes y' '--only-roles storage'; do
		# shellcheck disable=SC2086 # an option and its value
		ask --replay --sink "file:$T/out" $option t-1
		status_is 0
		[ "$(letters)" = "$left t-1@file:$T/out" ]
		[ ! -s "$T/out" ]
	done
	ask --replay --sink "file:$T/out" --min-severity degraded --only-codes x \
		--only-roles compute t-1
	status_is 0
	[ "$(letters)" = "$left" ]
	[ "$(jq -r .id "$T/out")" = t-1 ]
}

# Thorough: sinks
@test "dead letters of an alertmanager sink stay if its options choose among the conditions" {
	local left sink
	load lib/servers
	start_webhook am
	a_night "$S"
	left=$(letters)
	sink=alertmanager:http://$ADDRESS
	dead_letter "$S" "$sink" 1 10 'too large'
	ask --replay --sink "$sink" --min-severity fatal t-1
	status_is 0
	[ "$(letters)" = "$left t-1@$sink" ]
	ask --replay --sink "$sink" t-1
	status_is 0
	[ "$(letters)" = "$left" ]
}

# Thorough: sinks
@test "--replay to an alertmanager sink delivers all events, and none of them is dropped" {
	load lib/servers
	start_webhook am
	a_night "$S"
	ask --replay --sink "alertmanager:http://$ADDRESS"
	status_is 0
	[ "${stderr_lines[0]}" = "nichist: note: sink alertmanager:http://$ADDRESS: 4 of 4 events of $S delivered again" ]
}

@test "a dead letter whose event is gone is removed as well once it is delivered" {
	a_night "$S"
	dead_letter "$S" "file:$T/out" 3 10 'full'
	sqlite3 "$S" 'DELETE FROM event'
	ask --replay --sink "file:$T/out" t-3
	status_is 0
	[ "$(jq -r .id "$T/out")" = t-3 ]
	[ "$(letters)" = 't-1@grpc:unix:///var/run/nvsentinel.sock' ]
}

# Thorough: sinks
@test "--replay of more events than fit into memory ends at a sink that is down" {
	# 70 MB, in events that are nearly as long as a line may be.
	jq -n -c '("m" * 1000000) as $long
			| range(1; 71) | {kind: "event", id: "t-\(.)", message: $long}' |
		emit --spool "$S" --spool-max 200MiB --sink file:/dev/null
	ask --replay --sink "unix:$T/nobody" --flush-timeout 100ms --request-timeout 100ms
	status_is 69
	[[ $stderr = *'nichist: error: no room for further events: a sink has accepted none for too long'* ]]
	[[ $stderr = *"nichist: note: sink unix:$T/nobody: 0 of "* ]]
}

@test "--replay to its own spool is rejected, under any name of the file" {
	local name
	a_night "$S"
	ln "$S" "$T/hard"
	ln -s spool.db "$T/soft"
	cp "$S" "$T/before"
	for name in spool.db hard soft ../"${T##*/}"/spool.db; do
		ask --replay --sink "file:$T/out" --sink "file:$T/$name"
		status_is 64
		says_only "^nichist: error: sink file:$T/$name: it is also the spool$"
		ask --replay --check-config --sink "file:$T/$name"
		status_is 64
		run --separate-stderr timeout 60 bash -c 'nichist --replay --spool "$1" >>"$0"' \
			"$T/$name" "$S"
		status_is 64 '^nichist: error: sink -: it is also the spool$'
	done
	run --separate-stderr timeout 60 emit --spool "$S" --replay --sink "file:$S"
	status_is 64 "^emit: error: sink file:$S: it is also the spool$"
	cmp "$S" "$T/before"
	[ ! -e "$T/out" ]
	ask --replay --sink "file:$T/out"
	status_is 0
	[ -s "$T/out" ]
}

@test "a dead letter that could not be delivered stays" {
	a_night "$S"
	dead_letter "$S" "unix:$T/nobody" 3 10 'full'
	ask --replay --sink "unix:$T/nobody" --flush-timeout 100ms t-3
	status_is 69
	[[ "$stderr" = *"nichist: note: sink unix:$T/nobody: 0 of 1 event of $S delivered again"* ]]
	[ "$(letters)" = "t-1@grpc:unix:///var/run/nvsentinel.sock t-3@unix:$T/nobody" ]
}

# Thorough: sinks
@test "delivered dead letters that cannot be removed give a warning, and nichist exits 0" {
	a_night "$S"
	dead_letter "$S" "file:$T/out" 3 10 'full'
	started locker /usr/bin/python3 -c '
import sqlite3, sys, time
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("BEGIN IMMEDIATE")
print("locked", flush=True)
time.sleep(60)' "$S"
	wait_until 10 grep -q locked "$T/locker.out"
	ask --replay --sink "file:$T/out" t-3
	status_is 0 "^nichist: note: sink file:$T/out: 1 of 1 event of $S delivered again$"
	[ "${stderr_lines[0]}" = "nichist: warning: $S: dead letters that were delivered stay in it: database is locked" ]
	kill "$PID"
	[ "$(letters)" = "t-1@grpc:unix:///var/run/nvsentinel.sock t-3@file:$T/out" ]
}

@test "an unknown id is reported, and nothing is sent" {
	a_night "$S"
	ask --replay t-1 $'t-\033[31m9' t-10
	status_is 66 '^nichist: error: .*: there is no event '
	[ -z "$output" ]
	[ "$(wc -l <<<"$stderr")" -eq 2 ]
	grep -q -F 't-\x1b[31m9' <<<"$stderr"
}

@test "a dead letter stays if nichist is killed before it records the delivery" {
	a_night "$S"
	dead_letter "$S" "file:$T/out" 3 10 'full'
	ask --replay --sink "file:$T/out" --kill-at send t-3
	status_is 137
	[ "$(jq -r .id "$T/out")" = t-3 ]
	[ "$(letters)" = "t-1@grpc:unix:///var/run/nvsentinel.sock t-3@file:$T/out" ]
}

# --- queries through emit ---

# Thorough: sinks
@test "nichist without a query shows the events" {
	a_night "$S"
	local asked
	for asked in '' '--fatal' '--format json' '--device mlx5_0'; do
		# shellcheck disable=SC2086 # these are words
		ask $asked
		status_is 0
		# shellcheck disable=SC2086
		diff <(nichist --spool "$S" --history $asked) <(echo "$output")
	done
}

# answer PROGRAM OPTION... - print its stdout, its stderr without the program's name, and its exit
# code.
answer() {
	local name=$1 code=0
	timeout 60 "$@" 2>"$T/$name.err" || code=$?
	sed "s/^$name: //; s/$name --help/--help/" "$T/$name.err"
	echo "exit code $code"
}

# Thorough: sinks
@test "emit passes queries of a spool to nichist, and messages have emit's name" {
	a_night "$S"
	local asked
	for asked in --history '--history --dead-letters --since 2020-01-01 --fatal' \
		'--standing --dead-letters --format json --node gpu-42' \
		'--history --device mlx5_0 --baseline' '--standing --since 2h' \
		'--history --since soon' '--history --format csv' '--history --sink -' \
		'--history operand' '--history --replay' '--replay t-3 t-1 --node gpu-42' \
		'--replay t-3 -- t-1' '--replay t-99' '--replay --device mlx5_9' \
		'--replay --sink nowhere' \
		"--replay --sink unix:$T/nobody --flush-timeout 100ms t-3" \
		'--history --check-config' '--replay --ca-file x' \
		'--hist --stand --format=json'; do
		# shellcheck disable=SC2086 # these are words
		diff <(answer nichist --spool "$S" $asked) <(answer emit --spool "$S" $asked)
	done
	run --separate-stderr emit --spool "$S" --replay t-99
	status_is 66 '^emit: error: .*: there is no event '
	# Options that do not matter for a query are accepted.
	diff <(emit --spool "$S" --history --keep 2d --spool-max 2MiB --boot-id-file x) <(nichist \
		--spool "$S" --history)
}

# Thorough: sinks
@test "emit rejects queries with options of delivery, and options of queries without a query" {
	a_night "$S"
	local wrong
	while read -r wrong; do
		# shellcheck disable=SC2086 # these are words
		run --separate-stderr timeout 60 emit --spool "$S" ${wrong%% => *}
		status_is 64 "^emit: error: ${wrong##* => }.* \(try 'emit --help'\)$"
		[ -z "$output" ]
	done <<-END
		--since 2h => --since, --device and --fatal belong to --history, --standing, --changes, --dead-letters or --replay
		--device mlx5_0 => --since, --device and --fatal belong to
		--fatal => --since, --device and --fatal belong to
		--format json => --format belongs to --history, --standing, --changes or --dead-letters
		--history --acks $T/acks => --acks: works only when emit receives events
		--replay --metrics-fd 9 => --metrics-fd: works only when emit delivers events
		--standing --test-sink => --test-sink: it delivers only a test event
	END
	[ ! -e "$T/acks" ]
}

@test "an emit without nichist beside it delivers, and a query exits 71 with one line" {
	mkdir "$T/alone"
	cp "$NHM_BIN/emit" "$T/alone"
	link_downed_event | "$T/alone/emit" --spool "$S" --sink "file:$T/out"
	[ -s "$T/out" ]
	run --separate-stderr "$T/alone/emit" --spool "$S" --history
	status_is 71
	[ "$stderr" = "emit: error: $T/alone/nichist: No such file or directory" ]
}

@test "emit has every option of nichist, with the same value" {
	options_of() { "$1" --help | sed -n -E 's/^ {2,6}(-., )?(--[a-z-]+( [^ ]+)?).*/\2/p' | sort; }
	[ -z "$(comm -23 <(options_of nichist) <(options_of emit))" ]
	[ "$(options_of nichist | wc -l)" -gt 20 ]
}

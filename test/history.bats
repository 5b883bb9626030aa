#!/usr/bin/env bats
# emit --history, --standing, --dead-letters, --replay: what a spool tells people and tools, while the service writes to it.
# shellcheck disable=SC2030,SC2031,SC2154 # each test is a subshell, and bats sets stderr

setup() {
	load lib/common
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

# ask OPTION... - emit about the spool.
ask() { run --separate-stderr timeout 60 emit --spool "$S" "$@"; }

# is_quiet - nothing was said on stderr.
is_quiet() { [ -z "$stderr" ]; }

# says_only REGEX - one line on stderr, and nothing on stdout.
says_only() {
	[ -z "$output" ]
	[ "$(wc -l <<<"$stderr")" -eq 1 ]
	stderr_has "$1"
}

# --- for people ---

@test "one command says what happened since last night, what still stands, and who was told" {
	a_night "$S"
	ask --history --standing --since 12h
	status_is 0
	is_quiet
	local since now
	since=$(sed -n '1s/.*since \(.*\) UTC (.*/\1/p' <<<"$output")
	now=$(sed -n 's/.*what stands now, \(.*\) UTC/\1/p' <<<"$output")
	[ "$(($(date -ud "$now" +%s) - $(date -ud "$since" +%s)))" -eq $((12 * 3600)) ]
	diff - <(echo "$output") <<END
gpu-42: events since $since UTC ($S)

TIME (UTC)           SEVERITY  WHERE     CHECK                 ACTION      MESSAGE
$(at 11550)  FATAL     mlx5_3/1  InfiniBandStateCheck  REPLACE_VM  Port mlx5_3 port 1: state DOWN, phys_state Polling - no connectivity
$(at 11000)  FATAL     mlx5_0    InfiniBandStateCheck  REPLACE_VM  Device mlx5_0 has disappeared
$(at 10000)  healthy   mlx5_0    InfiniBandStateCheck  -           Device mlx5_0 is there again

3 events: 2 fatal, 1 healthy

gpu-42: what stands now, $now UTC

SINCE (UTC)          FOR          TIMES  SEVERITY  WHERE     CHECK                       CODE          ACTION      MESSAGE
$(at 11550)  3 h 12 min       1  FATAL     mlx5_3/1  InfiniBandStateCheck        -             REPLACE_VM  Port mlx5_3 port 1: state DOWN, phys_state Polling - no connectivity
$(at 90000)  1 d 1 h         41  degraded  mlx5_3/1  InfiniBandDegradationCheck  symbol_error  -           Port mlx5_3 port 1: symbol_error - Bit errors on the link (value=130, delta=120, rate=2.00/sec)

2 conditions: 1 fatal, 1 degraded

sinks: who was told

WAITING  FOR          DELIVERED  REFUSED  LAST CHANGE (UTC)    SINK
      0  -                    4        0  $(at 10000)  file:/var/tmp/events.ndjson
      2  3 h 3 min            1        1  $(at 11540)  grpc:unix:///var/run/nvsentinel.sock
END
}

@test "where lines are short, messages are below their rows, and no line is longer but for names" {
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
	# the same without line ends and what aligns: nothing is left out
	[ "$(tr -s ' \n' ' ' <<<"$output" | grep -o -F 'Bit errors on the link (value=130, delta=120, rate=2.00/sec)' | wc -l)" -eq 1 ]
}

@test "dead letters are shown with their sink, the event and the reason" {
	a_night "$S"
	ask --dead-letters
	status_is 0
	is_quiet
	diff - <(echo "$output") <<END
gpu-42: dead letters: events that a sink will not take, as far back as they are kept ($S)

REFUSED (UTC)        SEVERITY  WHERE     EVENT  SINK                                  REASON
$(at 89990)  degraded  mlx5_3/1  t-1    grpc:unix:///var/run/nvsentinel.sock  INVALID_ARGUMENT: unknown check

1 dead letter: 1 degraded
END
}

@test "where nothing is found, that is said in words, and no failure" {
	to_spool "$S" </dev/null
	ask --history --standing --dead-letters
	status_is 0
	is_quiet
	grep -q '^no events, as far back as they are kept (' <<<"$output"
	grep -q '^the spool has no events at all$' <<<"$output"
	grep -q '^no dead letters, as far back as they are kept$' <<<"$output"
	grep -q '^nothing stands now, ....-..-.. ..:..:.. UTC$' <<<"$output"
	grep -q '^no sinks: nobody was told$' <<<"$output"

	a_night "$S"
	ask --history --since 1m --device mlx5_9 --fatal
	status_is 0
	grep -q -E '^no events since .* UTC, of mlx5_9, only fatal ones \(' <<<"$output"
	grep -q -F "the latest event of all: $(at 10000) UTC" <<<"$output"
	ask --standing --device mlx5_9
	status_is 0
	grep -q -E '^nothing stands now, .* UTC, of mlx5_9 \(' <<<"$output"
}

@test "events of several nodes have theirs beside them" {
	a_night "$S"
	NODE_OF_SPOOL=gpu-7 stored "$S" 60 degraded mlx5_1/1 InfiniBandDegradationCheck symbol_error 'elsewhere'
	ask --history
	status_is 0
	[[ "${lines[0]}" == "2 nodes: events, "* ]]
	grep -q -E '^TIME \(UTC\) +SEVERITY  NODE    WHERE' <<<"$output"
	grep -q -E 'degraded  gpu-7   mlx5_1/1 ' <<<"$output"
}

@test "events that were given up undelivered are not kept secret" {
	a_night "$S"
	to_spool "$S" '{"meta": {"name": "dropped", "value": 37}}'
	ask --standing
	status_is 0
	[ "${lines[-1]}" = '37 events were given up undelivered: the spool was full' ]
}

# --- what is chosen ---

@test "--since, --device and --fatal choose events, dead letters and what stands" {
	a_night "$S"
	dead_letter "$S" file:/x 3 5 'no'
	# ids OPTION... - the ids that are shown.
	ids() { emit --spool "$S" --format json "$@" | jq -r 'select(.id) | .id' | xargs; }
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
	# where OPTION... - the devices of the conditions that stand.
	where() { emit --spool "$S" --format json --standing "$@" | jq -r 'select(.kind == "condition") | .code + "@" + .device' | xargs; }
	[ "$(where)" = '@mlx5_3 symbol_error@mlx5_3' ]
	[ "$(where --fatal)" = '@mlx5_3' ]
	[ "$(where --device mlx5_0)" = '' ]
	# what stands is not hidden by the --since of the events
	[ "$(where --history --since 1s)" = '@mlx5_3 symbol_error@mlx5_3' ]
}

@test "--device finds what names several, and what is about all of them" {
	stored "$S" 100 fatal mlx5_1 SysLogsNICDriverError port_module_high_temp 'two NICs'
	sqlite3 "$S" "UPDATE event SET record = json_set(record, '\$.entitiesImpacted[1]', json('{\"entityType\":\"NIC\",\"entityValue\":\"mlx5_2\"}'))"
	stored "$S" 50 healthy '' InfiniBandStateCheck '' 'whole check'
	stored "$S" 40 fatal '' SysLogsNICDriverError x 'somewhere'
	condition "$S" 100 fatal mlx5_1 SysLogsNICDriverError port_module_high_temp 'two NICs' '{"about": "NIC=mlx5_1,NIC=mlx5_2"}'
	ask --history --device mlx5_2 --format json
	[ "$(jq -r .message <<<"$output" | xargs -d '\n')" = 'two NICs whole check' ]
	ask --standing --device mlx5_2
	grep -q ' NIC=mlx5_1,NIC=mlx5_2 ' <<<"$output"
	ask --standing --device mlx5_
	grep -q 'nothing stands' <<<"$output"
}

@test "what has run out or has ended does not stand" {
	to_spool "$S" </dev/null
	condition "$S" 500 fatal mlx5_0/1 C over 'ran out' "{\"until_ns\": $(ago 100)}"
	condition "$S" 500 fatal mlx5_1/1 C still 'runs out later' "{\"until_ns\": $(ago -3600)}"
	ask --standing
	status_is 0
	grep -q 'runs out later' <<<"$output"
	none grep -q 'ran out' <<<"$output"
}

@test "options that do not go together, and values that will not do, are refused" {
	local wrong
	a_night "$S"
	for wrong in '--standing --since 2h' '--history --replay' '--since 2h' '--format json' '--history --since soon' '--history --since 2999-01-01' \
		'--history --format csv' '--history operand' '--replay --fatal t-1'; do
		# shellcheck disable=SC2086 # these are words
		ask $wrong
		status_is 64
		says_only '^emit: error: '
	done
}

# --- for tools ---

@test "events as JSON are the records as they were stored, byte for byte" {
	a_night "$S"
	ask --history --format json
	status_is 0
	is_quiet
	diff <(sqlite3 -readonly "$S" 'SELECT record FROM event ORDER BY number') <(echo "$output")
}

@test "what stands, dead letters and sinks are JSON with times for people and for arithmetic" {
	a_night "$S"
	ask --standing --dead-letters --format json
	status_is 0
	jq -s -e --arg since "$(ago 90000)" --arg refused "$(ago 89990)" '
		(map(.kind) == ["dead_letter", "condition", "condition", "sink", "sink"]) and
		(.[0] | .sink == "grpc:unix:///var/run/nvsentinel.sock" and .number == 1 and .id == "t-1" and (.ts_ns | tostring) == $refused
			and (.ts | sub("\\.000000Z"; "Z") | fromdate) == ($refused[:-9] | tonumber) and .reason == "INVALID_ARGUMENT: unknown check"
			and .record.kind == "event" and .record.seq == 1) and
		(.[1] | .isFatal == true and .nodeName == "gpu-42" and .recommendedAction == "REPLACE_VM" and .until == null and .until_ns == null) and
		(.[2] | .isFatal == false and .code == "symbol_error" and .about == "NIC=mlx5_3,NICPort=1" and .device == "mlx5_3" and .port == "1" and .times == 41
			and (.since_ns | tostring) == $since and .since == .last and .checkName == "InfiniBandDegradationCheck") and
		(.[3] | .waiting == 0 and .oldest == null) and
		(.[4] | .waiting == 2 and .dead_letters == 1 and .delivered == 1 and .position == 2)' <<<"$output"
}

@test "history as JSON can be piped to emit" {
	a_night "$S"
	emit --spool "$S" --history --standing --format json | timeout 20 emit --sink "file:$T/copy"
	diff <(sqlite3 -readonly "$S" 'SELECT record FROM event ORDER BY number') "$T/copy"
}

@test "a long history comes whole and in order, page by page" {
	to_spool "$S" </dev/null
	sqlite3 "$S" "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
		INSERT INTO event SELECT i, 't', i, 't-' || i, i * 1000000000, 0, 'n', 'a', 'c', 'mlx5_' || (i % 18), '1', i % 100 = 0, 0, 'x', 'NONE', 'event ' || i,
		'{\"kind\":\"event\",\"nodeName\":\"n\",\"processingStrategy\":\"STORE_ONLY\",\"seq\":' || i || '}' FROM n"
	ask --history --format json
	status_is 0
	diff <(seq 20000) <(jq .seq <<<"$output")
	ask --history
	[ "${lines[-1]}" = '20000 events: 200 fatal, 19800 degraded' ]
	[ "$(grep -c ' event [0-9]*$' <<<"$output")" -eq 20000 ]
	# gaps are no end
	sqlite3 "$S" 'DELETE FROM event WHERE number % 7 != 0 OR number BETWEEN 1000 AND 9000'
	ask --history --format json
	diff <(seq 7 7 20000 | awk '$1 < 1000 || $1 > 9000') <(jq .seq <<<"$output")
	emit --spool "$S" --replay >"$T/replayed"
	diff <(echo "$output") "$T/replayed"
}

@test "somebody who does not read to the end is no failure" {
	to_spool "$S" </dev/null
	sqlite3 "$S" "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
		INSERT INTO event SELECT i, 't', i, 't-' || i, i * 1000000000, 0, 'n', 'a', 'c', 'd', '1', 1, 0, 'x', 'NONE', 'event ' || i, '{\"seq\":' || i || '}' FROM n"
	for format in table json; do
		run --separate-stderr timeout 20 bash -c 'emit --spool "$1" --history --format '$format' | head -n 1 >/dev/null; exit "${PIPESTATUS[0]}"' _ "$S"
		status_is 0
		is_quiet
	done
	run --separate-stderr bash -c 'emit --spool "$1" --history >/dev/full' _ "$S"
	status_is 74 '^emit: error: stdout: No space left on device$'
}

# --- replay ---

@test "--replay hands over the events with these ids, in the order in which they came, each once" {
	a_night "$S"
	ask --replay t-3 t-1 t-3
	status_is 0
	is_quiet
	[ "$(jq -r .id <<<"$output" | xargs)" = 't-1 t-3' ]
	diff <(sqlite3 -readonly "$S" 'SELECT record FROM event WHERE number IN (1, 3) ORDER BY number') <(echo "$output")
	ask --replay --since 12h --device mlx5_0
	[ "$(jq -r .id <<<"$output" | xargs)" = 't-3 t-4' ]
	ask --replay
	[ "$(jq -r .id <<<"$output" | xargs)" = 't-1 t-2 t-3 t-4' ]
}

@test "--replay finds an event of which only the dead letter is left" {
	a_night "$S"
	sqlite3 "$S" 'DELETE FROM event WHERE number = 1'
	ask --replay t-1
	status_is 0
	[ "$(jq -r .id <<<"$output")" = t-1 ]
}

@test "an id that is nowhere is said, and then nothing is sent" {
	a_night "$S"
	ask --replay t-1 $'t-\033[31m9' t-10
	status_is 66 '^emit: error: .*: there is no event '
	[ -z "$output" ]
	[ "$(wc -l <<<"$stderr")" -eq 2 ]
	grep -q -F 't-\x1b[31m9' <<<"$stderr"
}

#!/usr/bin/env bats
# No event is delivered before what its writer wrote before it, whoever dies: the service holds it
# back until the writer is back, or is given up.
# shellcheck disable=SC2030,SC2031,SC2154 # each test is a subshell, and bats sets stderr
# Thorough: service
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() {
	load lib/emit
	load lib/service
	load lib/servers
	node l40s-onprem
	EVENTS=$T/events SPOOL=$T/var/spool.db
	PROGRAMS=$T/programs
	mkdir "$PROGRAMS" "$T/run" "$T/var"
	cp "$NHM_BIN"/{ibscan,topoclass,ctreval,logmatch,emit,nic-health-monitor} "$PROGRAMS"
}

teardown() { nothing_left; }

# only_as_a_stage NAME - the beginning of a script that stands in for a stage, and not when
# pre-flight tries it.
only_as_a_stage() { echo "[[ \" \$* \" = *' --metrics-fd '* ]] || exec $NHM_BIN/$1 \"\$@\""; }

# launch - starts the service, with a sink that the tests read.
launch() {
	service_command --sink "file:$EVENTS"
	started service "$PROGRAMS/${COMMAND[0]}" "${COMMAND[@]:1}"
	SERVICE=$PID
}

# came FILE - the ids of the events of the writer that the tests are about, in the order in which
# they came.
came() { [ ! -e "$1" ] || jq -r 'select(.source == "t") | .id' "$1" | xargs; }

# shows NAME VALUE - the service's numbers have that.
shows() { at_service /metrics | grep -q -x -E -- "nic_health_monitor_$1[{]node=\"gpu-1\"[}] $2"; }

stands() { emit --standing --spool "$SPOOL" --node gpu-1 --format json |
	jq -r 'select(.kind == "condition").message' | xargs; }

# pair - a fault, and its recovery.
pair() {
	nic_events 1 1 "$FATAL"
	nic_events 2 2 "$HEALTHY"
}

@test "when emit dies with a fault, and its writer is away for longer than 10 s, the recovery is not delivered before the fault" {
	pair >"$T/pair"
	# Of both that it had written the last emit has taken the first with it. It dies, and fails
	# until it may be back; then it writes again what it has kept.
	replace ctreval <<-END
		$(only_as_a_stage ctreval)
		if [ ! -e "$T/written" ]; then
			touch "$T/written"
			tail -n 1 "$T/pair"
			exit 1
		fi
		[ -e "$T/back" ] || exit 1
		cat "$T/pair"
		exec cat >/dev/null
	END
	launch
	wait_until 40 says '^emit: warning: source t: events 1 to 1 are missing: waiting until their writer is back$'
	[ "$(came "$EVENTS")" = '' ]
	[ "$(stands)" = '' ]
	wait_until 5 shows spool_held_events 1
	touch "$T/back"
	wait_until 40 has_lines 2 "$EVENTS" '"source":"t"'
	[ "$(came "$EVENTS")" = 't-1 t-2' ]
	[ "$(stands)" = '' ]
	wait_until 5 shows spool_held_events 0
	! says 'no longer waiting for them' || return 1
}

@test "emit does not wait for a writer that is given up for good, and says so" {
	replace logmatch <<-END
		$(only_as_a_stage logmatch)
		echo '$(nic_events 2 2 "$FATAL | .agent = \"another\"")'
		exit 77
	END
	launch
	wait_until 10 says '^nic-health-monitor: error: stage logmatch: exited with 77: going on without it$'
	wait_until 40 says '^emit: warning: source t: events 1 to 1 are missing: no longer waiting for them$'
	wait_until 5 has_lines 1 "$EVENTS" '"id":"t-2"'
	# Nobody but the other writer is waited for, which is there.
	! says 'waiting until their writer is back' || return 1
}

@test "when the service ends, events that wait for an absent writer are left to it, and come in order when both are back" {
	pair >"$T/pair"
	replace ctreval <<-END
		$(only_as_a_stage ctreval)
		[ -e "$T/back" ] || exec cat >/dev/null
		cat "$T/pair"
		exec cat >/dev/null
	END
	replace logmatch <<-END
		$(only_as_a_stage logmatch)
		[ ! -e "$T/back" ] || exit 77
		tail -n 1 "$T/pair"
		exec sleep 600
	END
	launch
	wait_until 20 shows spool_held_events 1
	kill -TERM "$SERVICE"
	ends_with 0 "$SERVICE" 20
	says '^emit: note: events that wait for missing ones before them, left to their writers: 1$'
	[ "$(came "$EVENTS")" = '' ]
	touch "$T/back"
	launch
	wait_until 20 has_lines 2 "$EVENTS" '"source":"t"'
	[ "$(came "$EVENTS")" = 't-1 t-2' ]
}

# --- what comes late all the same ---

@test "a fault that comes after its recovery is stored, and neither delivered nor believed" {
	start_webhook hook
	fed_emit --spool "$SPOOL" --acks "$T/acks" --sink "http://$ADDRESS/"
	nic_events 2 2 "$HEALTHY" >&8
	wait_until 14 has_lines 1 "$T/taken"
	nic_events 1 1 "$FATAL" >&8
	wait_until 5 says_emit 1 "warning: spool $SPOOL: events that came after the events that take them back, kept and not delivered: 1$"
	nic_events 3 3 "$HEALTHY" >&8
	wait_until 5 has_lines 2 "$T/taken"
	exec 8>&-
	ends_with 0 "$EMIT"
	[ "$(came "$T/taken")" = 't-2 t-3' ]
	[ "$(received hook | xargs)" = 't-2 t-3' ]
	[ "$(stands)" = '' ]
	[ "$(sqlite3 -readonly "$SPOOL" \
		"SELECT id, answered_by FROM event WHERE answered_by <> ''")" = 't-1|t-2' ]
	[ "$(jq -c .acks "$T/acks")" = '{"t":3}' ]
}

@test "a recovery that comes after the next fault does not take that back" {
	nic_events 1 1 "$FATAL" | timeout 20 emit --spool "$SPOOL" --sink "file:$EVENTS"
	nic_events 3 3 "$FATAL" | timeout 20 emit --spool "$SPOOL" --sink "file:$EVENTS"
	nic_events 2 2 "$HEALTHY" | timeout 20 emit --spool "$SPOOL" --sink "file:$EVENTS"
	[ "$(came "$EVENTS")" = 't-1 t-3' ]
	[ "$(stands)" = 'event 3' ]
}

# of STREAM - a filter: the event is the first of that stream of the same writer, as one that has
# left a stream goes on in another.
of() { echo "| .source = \"$1\" | .id = \"$1-\\(.seq)\" | .seq = 1"; }

# took - what comes in at stdin emit has stored, and delivered if it delivers it at all.
took() { timeout 20 emit --spool "$SPOOL" --acks "$T/acks" --sink "file:$EVENTS"; }

@test "a fault of an earlier stream that comes after its recovery in the next one is not believed" {
	nic_events 2 2 "$HEALTHY $(of u)" | took
	nic_events 1 1 "$FATAL" | took
	[ "$(jq -r .id "$EVENTS" | xargs)" = 'u-2' ]
	[ "$(stands)" = '' ]
	answered="SELECT id, answered_by FROM event WHERE answered_by <> ''"
	[ "$(sqlite3 -readonly "$SPOOL" "$answered")" = 't-1|u-2' ]
	[ "$(jq -c '.acks.t' "$T/acks")" = 1 ]
}

@test "a recovery of an earlier stream takes back no later fault of another stream" {
	nic_events 3 3 "$FATAL $(of u)" | took
	nic_events 2 2 "$HEALTHY $(of t)" | took
	[ "$(jq -r .id "$EVENTS" | xargs)" = 'u-3' ]
	[ "$(stands)" = 'event 3' ]
}

@test "a fault is believed unless a later event of its agent and node answers it in another stream" {
	nic_events 1 1 "$HEALTHY $(of u)" | took
	nic_events 3 3 "$HEALTHY $(of v) | .agent = \"another\"" | took
	nic_events 4 4 "$HEALTHY $(of w) | .nodeName = \"gpu-2\"" | took
	nic_events 5 5 "$HEALTHY $(of x) | .entitiesImpacted[0].entityValue = \"mlx5_1\"" | took
	nic_events 2 2 "$FATAL $(of t)" | took
	has_lines 1 "$EVENTS" '"id":"t-2"'
	[ "$(stands)" = 'event 2' ]
}

@test "a recovery whose time is still to come answers nothing: the clock was set back" {
	local future='.generatedTimestamp = "2199-01-02T03:04:05Z"'
	nic_events 2 2 "$HEALTHY $(of u) | $future" | took
	nic_events 1 1 "$FATAL" | took
	[ "$(came "$EVENTS")" = 't-1' ]
	[ "$(stands)" = 'event 1' ]
}

@test "a fault without a time is not answered by another stream" {
	nic_events 2 2 "$HEALTHY $(of u)" | took
	nic_events 1 1 "$FATAL | del(.generatedTimestamp)" | took
	[ "$(came "$EVENTS")" = 't-1' ]
	[ "$(stands)" = 'event 1' ]
}

says_emit() { [ "$(grep -c -E -- "$2" "$T/emit.err")" -eq "$1" ]; }

#!/usr/bin/env bats
# order: no event is delivered before an earlier event of its writer, whichever process dies: the
# service holds it back until the writer is back or was given up.
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

# only_as_a_stage NAME - print the first line of a script that replaces a stage, except when
# pre-flight tries it
only_as_a_stage() { echo "[[ \" \$* \" = *' --metrics-fd '* ]] || exec $NHM_BIN/$1 \"\$@\""; }

# launch - start the service with a sink that the tests read
launch() {
	service_command --sink "file:$EVENTS"
	started service "$PROGRAMS/${COMMAND[0]}" "${COMMAND[@]:1}"
	SERVICE=$PID
}

# came FILE - print the ids of the events of the test's writer in order of arrival
came() { [ ! -e "$1" ] || jq -r 'select(.source == "t") | .id' "$1" | xargs; }

# shows NAME VALUE - return success if the service's metric has that value
shows() { at_service /metrics | grep -q -x -E -- "nic_health_monitor_$1[{]node=\"gpu-1\"[}] $2"; }

stands() { emit --standing --spool "$SPOOL" --node gpu-1 --format json |
	jq -r 'select(.kind == "condition").message' | xargs; }

# pair - print a fault and its recovery
pair() {
	nic_events 1 1 "$FATAL"
	nic_events 2 2 "$HEALTHY"
}

@test "a recovery waits for its fault when emit died with the fault and the writer is away for over 10 s" {
	pair >"$T/pair"
	# The writer wrote only the second event before it died: the first was lost with the last
	# emit. It fails at each start until the test lets it return; then it writes both again.
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
	wait_until 40 says '^emit: warning: source t: events 1 to 1 are missing: waiting for their writer to return$'
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

@test "emit stops waiting for a writer that was given up for good, with a warning" {
	replace logmatch <<-END
		$(only_as_a_stage logmatch)
		echo '$(nic_events 2 2 "$FATAL | .agent = \"another\"")'
		exit 77
	END
	launch
	wait_until 10 says '^nic-health-monitor: error: stage logmatch: exited with 77: continuing without it$'
	wait_until 40 says '^emit: warning: source t: events 1 to 1 are missing: no longer waiting for them$'
	wait_until 5 has_lines 1 "$EVENTS" '"id":"t-2"'
	# emit waits for no other writer, since the other one is running.
	! says 'waiting for their writer to return' || return 1
}

@test "at shutdown, events that wait for an absent writer are left to it, and arrive in order later" {
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
	says '^emit: note: held events discarded, as their writers will send them again: 1$'
	[ "$(came "$EVENTS")" = '' ]
	touch "$T/back"
	launch
	wait_until 20 has_lines 2 "$EVENTS" '"source":"t"'
	[ "$(came "$EVENTS")" = 't-1 t-2' ]
}

# --- events out of order ---

@test "a fault that arrives after its recovery is stored, but neither delivered nor standing" {
	start_webhook hook
	fed_emit --spool "$SPOOL" --acks "$T/acks" --sink "http://$ADDRESS/"
	nic_events 2 2 "$HEALTHY" >&8
	wait_until 14 has_lines 1 "$T/taken"
	nic_events 1 1 "$FATAL" >&8
	wait_until 5 says_emit 1 "warning: spool $SPOOL: events that arrived after their recovery, kept and not delivered: 1$"
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

@test "a recovery that arrives after the next fault does not clear that fault" {
	nic_events 1 1 "$FATAL" | timeout 20 emit --spool "$SPOOL" --sink "file:$EVENTS"
	nic_events 3 3 "$FATAL" | timeout 20 emit --spool "$SPOOL" --sink "file:$EVENTS"
	nic_events 2 2 "$HEALTHY" | timeout 20 emit --spool "$SPOOL" --sink "file:$EVENTS"
	[ "$(came "$EVENTS")" = 't-1 t-3' ]
	[ "$(stands)" = 'event 3' ]
}

# of STREAM - print a filter that makes an event the first of STREAM of the same writer, which
# continues in a new stream after it left the old one
of() { echo "| .source = \"$1\" | .id = \"$1-\\(.seq)\" | .seq = 1"; }

# took - have emit store the events on stdin, and deliver those that it delivers at all
took() { timeout 20 emit --spool "$SPOOL" --acks "$T/acks" --sink "file:$EVENTS"; }

@test "a fault of an earlier stream that arrives after its recovery in the next stream does not stand" {
	nic_events 2 2 "$HEALTHY $(of u)" | took
	nic_events 1 1 "$FATAL" | took
	[ "$(jq -r .id "$EVENTS" | xargs)" = 'u-2' ]
	[ "$(stands)" = '' ]
	answered="SELECT id, answered_by FROM event WHERE answered_by <> ''"
	[ "$(sqlite3 -readonly "$SPOOL" "$answered")" = 't-1|u-2' ]
	[ "$(jq -c '.acks.t' "$T/acks")" = 1 ]
}

@test "a recovery of an earlier stream clears no later fault of another stream" {
	nic_events 3 3 "$FATAL $(of u)" | took
	nic_events 2 2 "$HEALTHY $(of t)" | took
	[ "$(jq -r .id "$EVENTS" | xargs)" = 'u-3' ]
	[ "$(stands)" = 'event 3' ]
}

@test "a fault stands unless a later event of its agent, node and entities in another stream clears it" {
	nic_events 1 1 "$HEALTHY $(of u)" | took
	nic_events 3 3 "$HEALTHY $(of v) | .agent = \"another\"" | took
	nic_events 4 4 "$HEALTHY $(of w) | .nodeName = \"gpu-2\"" | took
	nic_events 5 5 "$HEALTHY $(of x) | .entitiesImpacted[0].entityValue = \"mlx5_1\"" | took
	nic_events 2 2 "$FATAL $(of t)" | took
	has_lines 1 "$EVENTS" '"id":"t-2"'
	[ "$(stands)" = 'event 2' ]
}

@test "a recovery with a time in the future clears nothing, because the clock was set back" {
	local future='.generatedTimestamp = "2199-01-02T03:04:05Z"'
	nic_events 2 2 "$HEALTHY $(of u) | $future" | took
	nic_events 1 1 "$FATAL" | took
	[ "$(came "$EVENTS")" = 't-1' ]
	[ "$(stands)" = 'event 1' ]
}

@test "a fault without a time is not cleared by another stream" {
	nic_events 2 2 "$HEALTHY $(of u)" | took
	nic_events 1 1 "$FATAL | del(.generatedTimestamp)" | took
	[ "$(came "$EVENTS")" = 't-1' ]
	[ "$(stands)" = 'event 1' ]
}

says_emit() { [ "$(grep -c -E -- "$2" "$T/emit.err")" -eq "$1" ]; }

#!/usr/bin/env bats
# emit-numbers: emit --metrics-fd counts delivered, undelivered, lost and late events while it runs,
# and continues after a restart.
# shellcheck disable=SC2030,SC2031,SC2154 # each test is a subshell, and bats sets stderr
# Thorough: sinks
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() {
	load lib/kept
	load lib/servers
	SOCKET=$T/pc.sock
	SINK=grpc:unix://$SOCKET
	DEGRADED='check="InfiniBandDegradationCheck",is_fatal="false"'
	FATALLY='check="InfiniBandDegradationCheck",is_fatal="true"'
}

teardown() {
	exec 8>&-
	end_background
	nothing_survives
}

# counted COMMAND... - run it to its end with a page of metrics. $T/page has the last state.
counted() { timeout 60 "$ROOT/test/lib/numbers" --page-file "$T/page" -- "$@"; }

# counted_emit OPTION... - start emit with a page of metrics that $T/page follows; it reads from
# descriptor 8. Set EMIT.
counted_emit() {
	rm -f "$T/page" "$T/feed"
	mkfifo "$T/feed"
	exec 8<>"$T/feed"
	started emit "$ROOT/test/lib/numbers" --page-file "$T/page" -- emit --flush-timeout 5s \
		"$@" "$T/feed"
	EMIT=$PID
}

# value SERIES - print its value on the page, or nothing.
value() { [ ! -e "$T/page" ] || awk -v "series=nic_health_monitor_$1 " \
	'index($0, series) == 1 { print substr($0, length(series) + 1) }' "$T/page"; }
vital() { [ ! -e "$T/page" ] || awk -v "name=$1" '$1 == "vital" && $2 == name { print $3 }' \
	"$T/page"; }

shows() { [ "$(value "$1")" = "$2" ]; }
comes() { wait_until 20 shows "$@"; }
shows_not() { [ "$(value "$1")" = "" ]; }
has_vital() { [ "$(vital "$1")" = "$2" ]; }

# shows_over SERIES NUMBER - return success if its value is larger.
shows_over() { awk -v "value=$(value "$1")" -v "least=$2" \
	'BEGIN { exit !(value != "" && value + 0 > least + 0) }'; }
comes_over() { wait_until 20 shows_over "$@"; }
ticks_over() { [ "$(vital ticks || true)" -gt "$1" ] 2>/dev/null; }

# --- the option ---

@test "an invalid --metrics-fd is rejected, and so is one for a run that delivers nothing" {
	run --separate-stderr emit --metrics-fd x </dev/null
	status_is 64 "^emit: error: --metrics-fd x: not a descriptor$"
	run --separate-stderr emit --metrics-fd 9 </dev/null 9</dev/null
	status_is 64 "^emit: error: --metrics-fd 9: not a metrics page$"
	local way
	for way in --history --standing --dead-letters --replay; do
		run --separate-stderr emit --metrics-fd 9 "$way" --spool "$SPOOL" 9</dev/null
		status_is 64 "^emit: error: --metrics-fd: works only when emit delivers events"
	done
	[ ! -e "$SPOOL" ]
}

@test "every series that can occur is 0 at the start" {
	counted emit --sink "$SINK" --sink "file:$T/out" --spool "$SPOOL" </dev/null
	local check series
	for check in InfiniBandStateCheck InfiniBandDegradationCheck EthernetStateCheck \
		EthernetDegradationCheck SysLogsNICDriverError; do
		shows "health_events_sent_total{check=\"$check\",is_fatal=\"true\"}" 0
		shows "health_events_sent_total{check=\"$check\",is_fatal=\"false\"}" 0
	done
	for series in sink_events_delivered_total sink_events_refused_total sink_errors_total \
		sink_undelivered_events dead_letters_total \
		sink_delivery_seconds_count; do
		shows "$series{sink=\"$SINK\"}" 0
		shows "$series{sink=\"file:$T/out\"}" 0
	done
	shows "sink_up{sink=\"$SINK\"}" 1
	for series in spool_events spool_oldest_event_age_seconds spool_stored_events_total \
		spool_errors_total spool_dead_letters spool_held_events \
		spool_oldest_held_event_age_seconds spool_answered_events_total \
		spool_missing_events_total \
		'spool_dropped_events_total{is_fatal="false"}' \
		'spool_dropped_events_total{is_fatal="true"}' \
		'malformed_lines_total{stage="emit"}'; do
		shows "$series" 0
	done
	shows_over spool_bytes 0
}

@test "without a spool there are no series about one" {
	counted emit --sink "file:$T/out" < <(nic_events 1 3)
	shows "sink_events_delivered_total{sink=\"file:$T/out\"}" 3
	none grep -q -e '_spool_' -e dead_letters "$T/page"
}

@test "with a silences file the page has the number of active silences and of silenced events" {
	local device
	counted_emit --sink "file:$T/out" --spool "$SPOOL" --silences "$T/silences"
	comes silences 0
	for device in mlx5_0 mlx5_1; do
		nicsilence --file "$T/silences" --sysfs-root "$T" "$device" --for 1h --why swap
	done
	comes silences 2
	nic_events 1 3 "$FATAL" >&8
	nic_events 4 4 "$FATAL | .entitiesImpacted[0].entityValue = \"mlx5_2\"" >&8
	comes silenced_events_total 3
	end_feed
	ends_with 0 "$EMIT"
	counted emit --sink "file:$T/out" --spool "$SPOOL" </dev/null
	none grep -q _silence "$T/page"
}

@test "an idle emit shows a sign of life at least every 5 s" {
	counted_emit --sink "file:$T/out"
	wait_until 10 ticks_over 0
	local start=$SECONDS before
	before=$(vital ticks)
	wait_until 20 ticks_over $((before + 2))
	# It does so not much more often.
	[ $(($(vital ticks) - before)) -le $(((SECONDS - start) / 4 + 1)) ]
	end_feed
	ends_with 0 "$EMIT"
}

# --- sinks ---

@test "each attempt, rejection and delivery is counted, and sink_up follows a connector that comes late" {
	counted_emit --sink "file:$T/out" --sink "$SINK" --batch-max 1 --spool "$SPOOL"
	nic_events 1 2 "$FATAL" >&8
	comes "sink_undelivered_events{sink=\"$SINK\"}" 2
	comes_over "sink_errors_total{sink=\"$SINK\"}" 1
	shows "sink_up{sink=\"$SINK\"}" 0
	shows "sink_up{sink=\"file:$T/out\"}" 1
	comes "sink_events_delivered_total{sink=\"file:$T/out\"}" 2
	shows "sink_events_delivered_total{sink=\"$SINK\"}" 0
	shows "sink_delivery_seconds_count{sink=\"$SINK\"}" 0
	# The file has them. sent_total counts what the connector has.
	shows "health_events_sent_total{$FATALLY}" 0

	start_connector pc "unix:$SOCKET"
	wait_until 40 shows "sink_up{sink=\"$SINK\"}" 1
	comes "sink_undelivered_events{sink=\"$SINK\"}" 0
	comes "sink_events_delivered_total{sink=\"$SINK\"}" 2
	comes "health_events_sent_total{$FATALLY}" 2
	comes_over "sink_delivery_seconds_count{sink=\"$SINK\"}" 0
	comes_over "sink_delivery_seconds_sum{sink=\"$SINK\"}" 0

	behave pc 'poison t-3' ok
	nic_events 3 4 '.checkName = "SysLogsNICDriverError" | .isHealthy = true' >&8
	comes 'health_events_sent_total{check="SysLogsNICDriverError",is_fatal="false"}' 1
	comes "sink_events_refused_total{sink=\"$SINK\"}" 1
	comes "sink_events_delivered_total{sink=\"$SINK\"}" 3
	comes "dead_letters_total{sink=\"$SINK\"}" 1
	shows "dead_letters_total{sink=\"file:$T/out\"}" 0
	shows "sink_up{sink=\"$SINK\"}" 1
	comes spool_dead_letters 1
	grep -q '^nvsentinel_health_events_publisher_sends_error_total{monitor="nic-health-monitor",code="InvalidArgument"} [1-9]' "$T/page"
	end_feed
	ends_with 0 "$EMIT"
}

@test "a slow response is counted in the right bucket" {
	start_connector pc "unix:$SOCKET"
	behave pc 'hang 0.3'
	counted emit --sink "$SINK" < <(nic_events 1 3 "$FATAL")
	shows "sink_delivery_seconds_bucket{sink=\"$SINK\",le=\"0.25\"}" 0
	shows "sink_delivery_seconds_bucket{sink=\"$SINK\",le=\"+Inf\"}" \
		"$(value "sink_delivery_seconds_count{sink=\"$SINK\"}")"
	shows_over "sink_delivery_seconds_bucket{sink=\"$SINK\",le=\"2.5\"}" 0
	shows_over "sink_delivery_seconds_sum{sink=\"$SINK\"}" 0.29
}

@test "a sink for lines is down while nobody listens, and up as soon as somebody does, even with nothing to write" {
	# Accept one connection only.
	started one socat -u "UNIX-LISTEN:$S,unlink-early" "CREATE:$T/one.got"
	local one=$PID
	wait_until 10 test -S "$S"
	counted_emit --sink "unix:$S"
	nic_events 1 1 >&8
	comes "sink_events_delivered_total{sink=\"unix:$S\"}" 1
	killed "$one"
	comes "sink_up{sink=\"unix:$S\"}" 0
	listen_unix two "$S"
	wait_until 40 shows "sink_up{sink=\"unix:$S\"}" 1
	shows "sink_events_delivered_total{sink=\"unix:$S\"}" 1
	end_feed
	ends_with 0 "$EMIT"
}

@test "with two connectors an event counts once, and checks of others share the label other" {
	local check
	start_connector a "unix:$T/a.sock"
	start_connector b "unix:$T/b.sock"
	counted emit --sink "grpc:unix://$T/a.sock" --sink "grpc:unix://$T/b.sock" < <(
		nic_events 1 3
		nic_events 4 103 '.checkName = "check \(.seq)"'
		nic_events 104 104 'del(.checkName)'
		nic_events 105 106 '.checkName = "NICPollStallCheck"'
	)
	shows "health_events_sent_total{$DEGRADED}" 3
	shows 'health_events_sent_total{check="NICPollStallCheck",is_fatal="false"}' 2
	for check in {InfiniBand,Ethernet,EFA}{State,Degradation}Check InfiniBandCharDeviceCheck \
		SysLogsNICDriverError; do
		shows_over "health_events_sent_total{check=\"$check\",is_fatal=\"false\"}" -1
	done
	shows 'health_events_sent_total{check="other",is_fatal="false"}' 101
	[ "$(grep -c '^nic_health_monitor_health_events_sent_total' "$T/page")" -eq 19 ]
	shows "sink_events_delivered_total{sink=\"grpc:unix://$T/a.sock\"}" 106
	shows "sink_events_delivered_total{sink=\"grpc:unix://$T/b.sock\"}" 106
}

@test "the metrics do not show a webhook's path and query, which may be secret" {
	start_webhook hook
	counted emit --sink "http://$ADDRESS/hidden?also=hidden" --sink "http://$ADDRESS/hidden2" \
		< <(nic_events 1 2)
	none grep -q hidden "$T/page"
	shows "sink_events_delivered_total{sink=\"http://$ADDRESS/...\"}" 2
	shows "sink_events_delivered_total{sink=\"http://$ADDRESS/...#2\"}" 2
}

# --- restarts ---

@test "metrics continue after a restart or kill, and count repeated deliveries" {
	start_connector pc "unix:$SOCKET"
	nic_events 1 5 >"$T/first"
	nic_events 6 9 >"$T/second"
	# shellcheck disable=SC2016 # for the inner shell
	counted bash -c 'emit --kill-at send:2 "$@" "$0/first"; emit "$@" "$0/second"' "$T" \
		--sink "$SINK" --sink "file:$T/out" --batch-max 1 --spool "$SPOOL"
	shows spool_stored_events_total 9
	# The kill lost the position: emit sends these events again and counts each delivery.
	[ "$(value "sink_events_delivered_total{sink=\"$SINK\"}")" -ge 8 ]
	[ "$(value "sink_events_delivered_total{sink=\"$SINK\"}")" -le 10 ]
	shows "health_events_sent_total{$DEGRADED}" \
		"$(value "sink_events_delivered_total{sink=\"$SINK\"}")"
	shows spool_events 0
}

@test "the next emit shows the events that a stopped one left, with their age" {
	nic_events 1 3 | emit_once --sink "$SINK" --spool "$SPOOL" --flush-timeout 0
	sqlite3 "$SPOOL" "UPDATE event SET received_ns = received_ns - 3600000000000 WHERE number = 2"
	sqlite3 "$SPOOL" "DELETE FROM event WHERE number = 1"
	counted_emit --sink "$SINK" --spool "$SPOOL"
	comes spool_events 2
	comes_over spool_oldest_event_age_seconds 3600
	comes "sink_undelivered_events{sink=\"$SINK\"}" 2
	# The age grows while nothing happens.
	comes_over spool_oldest_event_age_seconds "$(value spool_oldest_event_age_seconds)"
	start_connector pc "unix:$SOCKET"
	wait_until 40 shows spool_events 0
	comes spool_oldest_event_age_seconds 0
	end_feed
	ends_with 0 "$EMIT"
}

@test "dead letters of earlier runs are shown but not counted again" {
	start_connector pc "unix:$SOCKET"
	behave pc 'status INVALID_ARGUMENT never'
	counted emit --sink "$SINK" --spool "$SPOOL" < <(nic_events 1 3)
	shows "dead_letters_total{sink=\"$SINK\"}" 3
	shows "sink_events_refused_total{sink=\"$SINK\"}" 3
	shows spool_dead_letters 3
	shows spool_events 0
	shows "sink_up{sink=\"$SINK\"}" 1
	counted emit --sink "$SINK" --spool "$SPOOL" </dev/null
	shows "dead_letters_total{sink=\"$SINK\"}" 0
	shows spool_dead_letters 3
}

@test "a sink that waits for its next attempt is tried at once when the input ends" {
	counted_emit --sink "unix:$S" --spool "$SPOOL" --flush-timeout 0
	nic_events 1 3 >&8
	comes_over "sink_errors_total{sink=\"unix:$S\"}" 5
	listen_unix late "$S"
	end_feed
	ends_with 0 "$EMIT"
	wait_until 10 grep -q -s '"t-3"' "$T/late.got"
}

# --- backpressure and loss ---

@test "without a spool, emit stops reading when its memory is full, and shows that until there is room" {
	counted_emit --sink "unix:$S"
	wait_until 10 has_vital holding 0
	# 100 KiB each; at most 64 MiB fit.
	nic_events 1 800 '.message = "x" * 102400' >"$T/many"
	cat "$T/many" >&8 &
	BACKGROUND+=($!)
	wait_until 40 has_vital holding 1
	comes_over "sink_undelivered_events{sink=\"unix:$S\"}" 600
	local ticks
	ticks=$(vital ticks)
	wait_until 40 shows_over "sink_errors_total{sink=\"unix:$S\"}" \
		"$(value "sink_errors_total{sink=\"unix:$S\"}")"
	has_vital holding 1
	[ "$(vital ticks)" -eq "$ticks" ]
	listen_unix late "$S"
	wait_until 40 has_vital holding 0
	wait_until 40 shows "sink_events_delivered_total{sink=\"unix:$S\"}" 800
	wait_until 10 ticks_over "$ticks"
	end_feed
	ends_with 0 "$EMIT"
	cmp "$T/many" "$T/late.got"
}

@test "while the spool is away, each failed attempt is counted, and events in memory count as undelivered" {
	counted_emit --sink "unix:$S" --spool "$T/d/e/spool.db"
	nic_events 1 2 >&8
	comes spool_events 2
	comes_over spool_errors_total 2
	shows spool_stored_events_total 0
	shows_not spool_bytes
	mkdir "$T/d"
	comes spool_stored_events_total 2
	comes_over spool_bytes 0
	shows spool_events 2
	local errors
	errors=$(value spool_errors_total)
	nic_events 3 3 >&8
	comes spool_events 3
	shows spool_errors_total "$errors"
	listen_unix late "$S"
	wait_until 40 shows spool_events 0
	end_feed
	ends_with 0 "$EMIT"
}

@test "when the spool is full, dropped events are counted, and none of them is fatal" {
	nic_events 1 300 'if .seq % 10 == 0 then '"$FATAL"' else . end | .message = "x" * 10000' \
		>"$T/events"
	counted emit --sink "$SINK" --spool "$SPOOL" --spool-max 1MiB --flush-timeout 3s "$T/events"
	local dropped
	dropped=$(value 'spool_dropped_events_total{is_fatal="false"}')
	[ "$dropped" -gt 100 ]
	[ "$(query "SELECT value FROM meta WHERE name = 'dropped'")" -eq "$dropped" ]
	shows 'spool_dropped_events_total{is_fatal="true"}' 0
	shows spool_stored_events_total 300
	shows spool_events $((300 - dropped))
	shows "sink_undelivered_events{sink=\"$SINK\"}" $((300 - dropped))
}

@test "invalid lines are counted" {
	counted emit --sink "file:$T/out" < <(printf 'x\n{"kind":\n'; nic_events 1 1; printf \
		'\377\n')
	shows 'malformed_lines_total{stage="emit"}' 3
	shows "sink_events_delivered_total{sink=\"file:$T/out\"}" 1
}

#!/usr/bin/env bats
# secrets: the address of a webhook may be secret except for its host; these tests check where it
# may be given and where it must not appear.
# shellcheck disable=SC2030,SC2031,SC2154 # each test is a subshell, and bats sets stderr
# Thorough: sinks
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() {
	load lib/kept
	load lib/servers
	umask 027
	start_webhook web
	URL="http://$ADDRESS/hook-hidden?key=hidden"
}

teardown() {
	exec 8>&-
	end_background
	nothing_survives
}

# shown_nowhere FILE... - check that none of the files, which may be binary, has the secret
shown_nowhere() { none grep -a -l hidden "$@" >&2; }

# address_file - write the address to a file that only its owner can read; sets FILE
address_file() {
	FILE=$T/address
	(umask 077 && echo "$URL" >"$FILE")
}

# positions - print the spool's sinks with their positions
positions() { query "SELECT name || ' ' || position FROM sink ORDER BY name"; }

@test "a webhook's address comes from a file, and is in no message, metric, command line or spool" {
	address_file
	mkfifo "$T/feed"
	exec 8<>"$T/feed"
	started emit "$ROOT/test/lib/numbers" --page-file "$T/page" -- emit \
		--sink "webhook:@$FILE" --spool "$SPOOL" --acks "$ACKS" "$T/feed"
	EMIT=$PID
	nic_events 1 3 "$FATAL" >&8
	wait_until 10 acked 3
	wait_until 10 received_all web 3
	cat "/proc/$(pgrep -P "$EMIT" -x emit)/cmdline" >"$T/cmdline"
	exec 8>&-
	ends_with 0 "$EMIT"
	[ "$(positions)" = "webhook:@$FILE 3" ]
	grep -q "sink_up{sink=\"webhook:@$FILE\"} 1" "$T/page"
	shown_nowhere "$T/cmdline" "$T/emit.err" "$T/page" "$SPOOL"*
}
received_all() { [ "$(received "$1" | wc -l)" -eq "$2" ]; }

@test "when the address in its file changes the sink stays the same: undelivered events go to the new one" {
	address_file
	echo http://127.0.0.1:1/gone-hidden >"$FILE"
	nic_events 1 2 | timeout 60 emit --flush-timeout 1s --sink "webhook:@$FILE" \
		--spool "$SPOOL" 2>"$T/said"
	[ "$(positions)" = "webhook:@$FILE 0" ]
	echo "$URL" >"$FILE"
	nic_events 3 3 | emit_once --sink "webhook:@$FILE" --spool "$SPOOL"
	[ "$(received web)" = "$(ids 1 3)" ]
	shown_nowhere "$T/said" "$SPOOL"*
}

@test "a webhook's address is hidden in emit's command line and in the spool, and an older spool's sink goes on" {
	mkfifo "$T/feed"
	exec 8<>"$T/feed"
	started emit emit --sink "$URL" --spool "$SPOOL" --acks "$ACKS" "$T/feed"
	EMIT=$PID
	nic_events 1 2 >&8
	wait_until 10 acked 2
	wait_until 20 received_all web 2
	cat "/proc/$EMIT/cmdline" >"$T/cmdline"
	exec 8>&-
	ends_with 0 "$EMIT"
	grep -a -q "http://$ADDRESS/\.\.\." "$T/cmdline"
	shown_nowhere "$T/cmdline" "$T/emit.err" "$SPOOL"*
	[[ "$(positions)" =~ ^http://$ADDRESS/\.\.\.#[0-9a-f]{16}' 2'$ ]]
	# Rename the sink as older versions did, with two events undelivered and a dead letter.
	sqlite3 "$SPOOL" "UPDATE sink SET name = '$URL', position = 1;
		INSERT INTO dead_letter (sink, number, event_id, time_ns, reason, record)
			VALUES ('$URL', 1, 't-1', strftime('%s', 'now') * 1000000000, 'r', '{}')"
	nic_events 3 3 | emit_once --sink "$URL" --spool "$SPOOL"
	[ "$(received web)" = "$(ids 1 2 && ids 2 3)" ]
	[[ "$(positions)" =~ ^http://$ADDRESS/\.\.\.#[0-9a-f]{16}' 3'$ ]]
	[ "$(query 'SELECT count(*) FROM dead_letter JOIN sink ON sink.name = dead_letter.sink')" \
		-eq 1 ]
	[ "$(query "SELECT count(*) FROM sink WHERE name LIKE '%hidden%'")" -eq 0 ]
	# The same sink, now with its address in a file.
	address_file
	nic_events 4 4 | emit_once --sink "webhook:@$FILE" --spool "$SPOOL"
	[ "$(received web)" = "$(ids 1 2 && ids 2 4)" ]
	[ "$(positions)" = "webhook:@$FILE 4" ]
	run --separate-stderr emit --dead-letters --format json --spool "$SPOOL"
	status_is 0
	[[ $output$stderr != *hidden* ]]
}

@test "nichist --replay and emit --replay hide a webhook's address" {
	local way count=0
	mkfifo "$T/slow"
	nic_events 1 2 | emit_once --sink "file:$T/out" --spool "$SPOOL"
	for way in nichist emit; do
		# The other sink has no reader, so the process is still running when the events have
		# arrived.
		started "$way" "$way" --replay --flush-timeout 1h --sink "$URL" \
			--sink "file:$T/slow" --spool "$SPOOL"
		wait_until 20 received_all web $((count += 2))
		cat "/proc/$PID/cmdline" >"$T/cmdline"
		cat "$T/slow" >"$T/read"
		ends_with 0 "$PID"
		grep -a -q "http://$ADDRESS/\.\.\." "$T/cmdline"
		grep -q "^$way: note: sink http://$ADDRESS/\.\.\.: 2 of 2 events " "$T/$way.err"
		shown_nowhere "$T/cmdline" "$T/$way.err"
	done
}

@test "a webhook's address can come from an environment variable" {
	nic_events 1 2 | HOOK=$URL emit_once --sink 'webhook:$HOOK' --spool "$SPOOL"
	[ "$(received web)" = "$(ids 1 2)" ]
	[[ "$(positions)" =~ ^http://$ADDRESS/\.\.\.#[0-9a-f]{16}' 2'$ ]]
	run --separate-stderr emit --sink 'webhook:$NHM_NONE' </dev/null
	status_is 64 '^emit: error: webhook:\$NHM_NONE: the environment variable is not set'
}

@test "a usage error does not show the address" {
	local url command
	for url in 'http://h/hidden x' 'https://user:hidden@h/' 'http://h:x/hidden' \
		"http://h/hidden --ca-file x"; do
		# shellcheck disable=SC2086 # the last is several words
		run --separate-stderr emit --sink "${url%% --*}" ${url#"${url%% --*}"} </dev/null
		status_is 64 'http'
		[[ $stderr != *hidden* ]]
	done
	for url in webhook:https://h/hidden webhook:h/hidden https:h/hidden htps://h/hidden \
		slack:https://h/hidden 'alertmanager:https://h/?apikey=hidden' \
		alertmanager:https://hidden@h/ nats:nats://hidden@h/s; do
		echo "sinks: ['$url']" >"$T/c.yaml"
		for command in "emit --sink $url" "nic-health-monitor --check-config --sink $url" \
			"nic-health-monitor --check-config --default-sink $url" \
			"nic-health-monitor --check-config --config $T/c.yaml"; do
			# shellcheck disable=SC2086 # words
			run --separate-stderr $command </dev/null
			[ "$status" -eq 64 ] || [ "$status" -eq 78 ]
			[[ $output$stderr != *hidden* ]]
		done
	done
	for url in nats:nats://u:hidden@h/s postgresql://u:hidden@h/d \
		'postgresql://h/d?password=hidden'; do
		for command in 'emit --sink' 'nic-health-monitor --check-config --sink'; do
			# shellcheck disable=SC2086 # two words and more
			run --separate-stderr $command "$url" </dev/null
			status_is 64 'a password does not belong on the command line'
			[[ $stderr != *hidden* ]]
		done
	done
	for command in {fleetread,fleetsetup}' '{nats,postgresql}; do
		# shellcheck disable=SC2086 # two words
		run --separate-stderr $command://u:hidden@h/s
		status_is 64 'a password does not belong on the command line'
		[[ $stderr != *hidden* ]]
	done
}

@test "an address file that others can write is rejected, and one that they can read makes a warning" {
	address_file
	chmod 0666 "$FILE"
	run --separate-stderr emit --sink "webhook:@$FILE" </dev/null
	status_is 77 "^emit: error: webhook:@$FILE: "
	chmod 0644 "$FILE"
	run --separate-stderr emit --sink "webhook:@$FILE" </dev/null
	status_is 0 "^emit: warning: --sink webhook:@$FILE: every user of this machine can read it and post to that address$"
	chmod 0600 "$FILE"
	local content
	for content in '' 'hidden' 'http://h/hidden two' 'ftp://h/hidden'; do
		printf '%s' "$content" >"$FILE"
		run --separate-stderr emit --check-config --sink "webhook:@$FILE"
		status_is 78 "^emit: error: webhook:@$FILE: "
		[[ $stderr != *hidden* ]]
	done
	run --separate-stderr emit --check-config --sink "webhook:@$T/none"
	status_is 66 "^emit: error: webhook:@$T/none: No such file or directory"
	run --separate-stderr emit --check-config --sink webhook:@
	status_is 64 'webhook:@FILE or webhook:\$VARIABLE is expected'
}

@test "the service hides a webhook's address in its command line and in those of its stages" {
	load lib/service
	load lib/http
	node l40s-onprem
	mkdir -p "${FILES:?}/run" "$FILES/var"
	launch_service --sink "$URL"
	sim kmsg 'mlx5_core 0000:65:00.0: nothing in particular'
	sim add mlx5_2/1 counters/link_downed 1
	wait_until 20 eval '[ -n "$(received web)" ]'
	local pid at
	for pid in "$SERVICE" $(stages); do
		cat "/proc/$pid/cmdline"
	done >"$T/cmdlines"
	grep -a -q 'webhook:\$NHM_WEBHOOK_1' "$T/cmdlines"
	at=$(sed -n 's/.*note: metrics: listening on //p' "$T/service.err")
	get "http://$at/metrics" >"$T/shown"
	grep -q "sink_up{.*sink=\"http://$ADDRESS/\.\.\.\"} 1" "$T/shown"
	kill -TERM "$SERVICE"
	ends_with 0 "$SERVICE"
	shown_nowhere "$T/cmdlines" "$T/shown" "$T/service.err" "$FILES/var/"* "$FILES/run/"*
}

@test "no stage but emit has a webhook's address in its environment, wherever the service got it from" {
	load lib/service
	node l40s-onprem
	mkdir -p "${FILES:?}/run" "$FILES/var"
	export HOOK="$URL&two" OPTIONS="--sink $URL" HARMLESS=http://$ADDRESS/
	launch_service --sink "$URL" --sink 'webhook:$HOOK'
	sim add mlx5_2/1 counters/link_downed 1
	wait_until 20 eval '[ -n "$(received web)" ]'
	local pid others=0
	for pid in $(stages); do
		[ "$(cat "/proc/$pid/comm")" != emit ] || continue
		others=$((others + 1))
		tr '\0' '\n' <"/proc/$pid/environ"
	done >"$T/environments"
	[ "$others" -gt 3 ]
	[ "$(grep -c '^HARMLESS=' "$T/environments")" -eq "$others" ]
	kill -TERM "$SERVICE"
	ends_with 0 "$SERVICE"
	shown_nowhere "$T/environments"
}

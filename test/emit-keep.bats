#!/usr/bin/env bats
# emit-keep: emit with a spool: retention, several inputs, queries and replay while it runs, and
# rejected options.
# shellcheck disable=SC2030,SC2031,SC2154 # each test is a subshell, and bats sets stderr
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() {
	load lib/kept
	load lib/servers
	umask 022
}

teardown() {
	exec 9>&-
	end_feed
	end_background
	nothing_survives
}

# --- retention ---

# About 3 KB each.
BIG='.metadata.more = "x" * 2500'

# fits MIB - check that the spool is at most this large, plus the sixteenth by which it may grow
# between two checks.
fits() {
	local pages
	pages=$(query 'SELECT page_count - freelist_count FROM pragma_page_count, pragma_freelist_count')
	[ $((pages * 4096)) -le $((($1 << 16) * 17)) ]
}

is_stored() { [ "$(query "SELECT count(*) FROM event WHERE $2")" -eq "$1" ]; }

# Thorough: sinks
@test "--keep 0s drops exactly the events that every sink has" {
	local sinks=(--sink "file:$T/file" --sink "unix:$S")
	nic_events 1 10 | emit_once --spool "$SPOOL" --keep 0s "${sinks[@]}" --flush-timeout 0
	emit_once --spool "$SPOOL" --keep 0s "${sinks[@]}" --flush-timeout 0 </dev/null
	has_stored 1 10
	listen_unix up "$S"
	emit_once --spool "$SPOOL" --keep 0s "${sinks[@]}" </dev/null
	wait_until 10 has_lines 10 "$T/up.got"
	emit_once --spool "$SPOOL" --keep 0s "${sinks[@]}" </dev/null
	is_stored 0 1
	# emit still recognises dropped events.
	nic_events 9 12 | emit_once --spool "$SPOOL" --keep 0s "${sinks[@]}"
	wait_until 10 has_lines 12 "$T/up.got"
	holds "$T/up.got" 1 12
	holds "$T/file" 1 12
}

# Thorough: sinks
@test "over --spool-max the oldest delivered events are dropped first, without a message" {
	nic_events 1 1000 "$BIG" | emit_once --spool "$SPOOL" --spool-max 1MiB --sink "file:$T/file"
	emit_once --spool "$SPOOL" --spool-max 1MiB --sink "file:$T/file" </dev/null
	said 0 ''
	fits 1
	holds "$T/file" 1 1000 "$BIG"
	# emit dropped not many more events than it had to.
	[ "$(query 'SELECT count(*) FROM event')" -gt 200 ]
	[ "$(query 'SELECT max(seq) FROM event')" -eq 1000 ]
}

# Thorough: sinks
@test "over --spool-max the oldest undelivered non-fatal events are dropped next, with a warning and a count; fatal ones never" {
	local mixed="$BIG"' | if .seq % 4 == 0 then .isFatal = true else . end' dropped
	fed_emit --spool "$SPOOL" --spool-max 1MiB --sink "unix:$S"
	feed 1 600 "$mixed"
	wait_until 10 fits 1
	is_stored 150 is_fatal
	says 0 'larger than'
	dropped=$((600 - $(query 'SELECT count(*) FROM event')))
	[ "$dropped" -gt 200 ]
	[ "$(query "SELECT value FROM meta WHERE name = 'dropped'")" -eq "$dropped" ]
	says 1 'warning: spool .*: full: events dropped before every sink received them: [1-9]'
	# Only fatal events are left: the spool exceeds its limit.
	feed 601 1000 "$BIG | $FATAL"
	wait_until 10 says 1 "warning: spool $SPOOL: larger than --spool-max: undelivered fatal events are never dropped"
	is_stored 550 is_fatal
	listen_unix up "$S"
	wait_until 20 has_lines 550 "$T/up.got"
	end_feed
	ends_with 0 "$EMIT"
	diff <(came "$T/up.got") <(for i in {1..600}; do [ $((i % 4)) -ne 0 ] || echo "t-$i"; \
		done; ids 601 1000)
	emit_once --spool "$SPOOL" --spool-max 1MiB --sink "unix:$S" </dev/null
	emit_once --spool "$SPOOL" --spool-max 1MiB --sink "unix:$S" </dev/null
	fits 1
}

# Thorough: sinks
@test "over --spool-max a sink that works gets all events, though another one is dead" {
	local sinks=(--sink "unix:$T/dead" --sink "unix:$S" --flush-timeout 3s)
	listen_unix up "$S"
	# The fatal ones fill the spool, so that there is no room for the others. These fit into the
	# socket's buffer.
	nic_events 1 500 "$BIG | $FATAL" | emit_once --spool "$SPOOL" --spool-max 1MiB "${sinks[@]}"
	nic_events 501 530 "$BIG" | emit_once --spool "$SPOOL" --spool-max 1MiB "${sinks[@]}"
	grep -q 'full: events dropped before every sink received them: [1-9]' "$T/said"
	wait_until 20 has_lines 530 "$T/up.got"
	diff <(came "$T/up.got") <(ids 1 530)
}

# memory EVENTS - set MEMORY to the KiB that emit uses with so many undelivered events.
memory() {
	SPOOL=$T/spool.$1
	fed_emit --spool "$SPOOL" --acks "$ACKS.$1" --sink "unix:$S"
	nic_events 1 "$1" >&8
	wait_until 60 has_lines "$1" "$T/taken"
	MEMORY=$(awk '/^VmRSS:/ { print $2 }' "/proc/$EMIT/status")
	is_stored "$1" 1
	killed "$EMIT"
	end_feed
}

# Thorough: sinks
@test "100,000 undelivered events take no more memory than 1,000" {
	local small
	memory 1000
	small=$MEMORY
	memory 100000
	# Sanitizers keep freed memory.
	[[ $NHM_BIN = *san* ]] || [ "$MEMORY" -le $((small + 8192)) ]
}

# --- several inputs ---

@test "several inputs are read as they arrive: one that is idle, ends, is damaged or missing affects no other" {
	mkfifo "$T/idle" "$T/busy"
	exec 9<>"$T/idle"
	exec 8<>"$T/busy"
	# Stdin ends while the others continue.
	nic_events 1 2 '.source = "stdin"' >"$T/in"
	started emit bash -c 'exec emit "$@" <"$0"' "$T/in" --spool "$SPOOL" --sink "file:$T/got" \
		"$T/idle" "$T/missing" "$T/busy" -
	EMIT=$PID
	wait_until 10 has_lines 2 "$T/got"
	nic_events 1 2 >&8
	wait_until 10 has_lines 4 "$T/got"
	head -c 3000 /dev/urandom | tr -d '\n' >&9
	echo >&9
	nic_events 1 1 '.source = "idle"' >&9
	wait_until 10 has_lines 5 "$T/got"
	nic_events 3 3 >&8
	wait_until 10 has_lines 6 "$T/got"
	exec 8>&-
	nic_events 2 2 '.source = "idle"' >&9
	wait_until 10 has_lines 7 "$T/got"
	is_running "$EMIT"
	exec 9>&-
	ends_with 66 "$EMIT"
	says 1 "error: $T/missing: No such file or directory"
	says 1 "warning: $T/idle: line 1, .*skipped"
	[ "$(jq -c '[.source, .seq]' "$T/got" | paste -s)" = \
		"$(printf '["%s",%d]\n' stdin 1 stdin 2 t 1 t 2 idle 1 t 3 idle 2 | paste -s)" ]
}

@test "regular files are read in order while a FIFO between them is idle" {
	mkfifo "$T/idle"
	exec 9<>"$T/idle"
	nic_events 1 2000 >"$T/a"
	nic_events 2001 4000 >"$T/b"
	started emit emit --spool "$SPOOL" --sink "file:$T/got" "$T/a" "$T/idle" "$T/b"
	wait_until 20 has_lines 4000 "$T/got"
	exec 9>&-
	ends_with 0 "$PID"
	holds "$T/got" 1 4000
}

# --- while it runs ---

# Thorough: sinks
@test "--replay and --history read a spool while another emit uses it" {
	fed_emit --spool "$SPOOL"
	feed 1 5
	feed 6 7 "$FATAL"
	run --separate-stderr timeout 10 emit --spool "$SPOOL" --replay t-4 t-2
	status_is 0
	[ "$stderr" = "emit: note: sink -: 2 of 2 events of $SPOOL delivered again" ]
	[ "$output" = "$(nic_events 2 2; nic_events 4 4)" ]
	timeout 10 emit --spool "$SPOOL" --replay --since 2026-01-01 --fatal --sink "file:$T/again"
	holds "$T/again" 6 7 "$FATAL"
	run --separate-stderr timeout 10 emit --spool "$SPOOL" --replay t-1 t-99
	status_is 66 "t-99"
	[ "$output" = "" ]
	feed 8 8
	run --separate-stderr timeout 10 emit --spool "$SPOOL" --history --format json
	status_is 0
	[ "$(wc -l <<<"$output")" -eq 8 ]
	end_feed
	ends_with 0 "$EMIT"
	[ ! -s "$T/emit.err" ]
	has_stored 1 8
	[ "$(wc -l <"$T/taken")" -eq 8 ]
}

# --- rejected options ---

# refused NAMED OPTION... - check that emit exits 64 with nothing on stdout and one line that
# contains NAMED and a hint.
refused() {
	local named=$1
	shift
	run --separate-stderr timeout 10 emit "$@" </dev/null
	status_is 64
	[ "$output" = "" ]
	[ ${#stderr_lines[@]} -eq 1 ]
	[[ $stderr = "emit: error: "*"$named"*"(try 'emit --help')" ]] || {
		echo "$stderr" >&2
		return 1
	}
}

@test "an invalid size is rejected, and the message shows it" {
	local value
	for value in '' x 5 -1MiB 1.5MiB 100MB 100mib 0MiB 1023KiB 9999999999999TiB \
		18446744073709551616KiB 1MiBx; do
		refused "'$value'" --spool-max "$value"
	done
	refused "less than 1MiB" --spool-max 1023KiB
}

# Thorough: sinks
@test "an invalid or too long duration is rejected, and the message shows it" {
	local option value
	for option in --batch-window --request-timeout --alert-resend --keep --flush-timeout; do
		for value in '' x 5 -1s 1.s 1s1m 5y 99999999h; do
			refused "'$value'" "$option" "$value"
		done
	done
	refused "'0s'" --request-timeout 0s
	refused "'0s'" --alert-resend 0s
}

# Thorough: sinks
@test "an invalid --batch-max or --kill-at is rejected, and the message shows it" {
	local value
	for value in '' 0 -1 x 1.5 10001 1x; do refused "'$value'" --batch-max "$value"; done
	for value in '' x store:0 store:x store: send:-1 :1 stores; do refused "'$value'" \
		--kill-at "$value"; done
}

# Thorough: sinks
@test "options that conflict, or have nothing to apply to, are rejected" {
	refused "--acks" --acks "$ACKS"
	refused "--spool" --spool ''
	refused "--acks" --spool "$SPOOL" --acks ''
	refused "it must come after the --sink" --token-file "$T/token"
	refused "it must come after the --sink" --ca-file "$T/ca" --sink https://127.0.0.1:1/
	refused "a token is not sent without TLS" --sink http://127.0.0.1:1/ --token-file "$T/token"
	refused "a token is not sent without TLS" --sink grpc:http://127.0.0.1:1 \
		--token-file "$T/token"
	refused "a token is for" --sink tcp:127.0.0.1:1 --token-file "$T/token"
	refused "certificates and keys need https" --sink http://127.0.0.1:1/ --ca-file "$T/ca"
	refused "certificates and keys need https" --sink "grpc:unix://$S" --ca-file "$T/ca"
	refused "go together" --sink https://127.0.0.1:1/ --cert-file "$T/cert"
	refused "unix:$S: it is given twice" --sink "unix:$S" --sink - --sink "unix:$S"
	[ ! -e "$SPOOL" ]
}

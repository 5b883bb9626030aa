#!/usr/bin/env bats
# emit-exec: emit --sink exec:PROGRAM runs a program per batch, with the events on its stdin, and
# interprets its exit status.
# shellcheck disable=SC2030,SC2031,SC2154 # each test is a subshell, and bats sets stderr
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() {
	load lib/kept
	SINK=exec:$T/page
}

teardown() {
	exec 8>&-
	end_background
	nothing_survives
}

# page SCRIPT - write the program: it appends its stdin to $T/got and then runs SCRIPT.
page() {
	printf '#!/bin/sh\ncat >>"%s/got"\necho ran >>"%s/runs"\n%s\n' "$T" "$T" "$1" >"$T/page"
	chmod +x "$T/page"
}

got() { jq -r .id "$T/got" | xargs; }
runs() { wc -l <"$T/runs"; }
has_runs() { [ "$(runs)" -ge "$1" ]; }

@test "each batch is one run with the events as lines, and exit 0 means delivered" {
	page 'exit 0'
	nic_events 1 5 >"$T/in"
	emit --sink "$SINK" --sink "file:$T/out" --batch-max 2 <"$T/in"
	[ "$(got)" = "t-1 t-2 t-3 t-4 t-5" ]
	[ "$(runs)" -eq 3 ]
	cmp "$T/got" "$T/out"
}

@test "exit 75 makes emit retry the same events in order" {
	page '[ "$(wc -l <"'"$T"'/runs")" -ge 3 ] || exit 75'
	fed_emit --sink "$SINK" --spool "$T/spool.db"
	feed 1 1 "$FATAL"
	wait_until 20 has_runs 3
	end_feed
	ends_with 0 "$EMIT"
	[ "$(got)" = "t-1 t-1 t-1" ]
	says 1 "sink exec:$T/page: exited with 75: retrying"
	says 1 "sink exec:$T/page: delivering again"
	[ "$(nichist --dead-letters --format json --spool "$T/spool.db")" = "" ]
}

@test "another exit status rejects an event: emit splits the batch and keeps the rejected event as a dead letter" {
	cat >"$T/page" <<-END
		#!/bin/sh
		input=\$(cat)
		case \$input in *'"t-2"'*) exit 3 ;; esac
		printf '%s\n' "\$input" >>"$T/got"
	END
	chmod +x "$T/page"
	nic_events 1 4 >"$T/in"
	run --separate-stderr emit --sink "$SINK" --spool "$T/spool.db" <"$T/in"
	status_is 0
	[ "$(got)" = "t-1 t-3 t-4" ]
	stderr_has "sink exec:$T/page: event t-2 refused: exited with 3: kept as a dead letter"
	[ "$(nichist --dead-letters --format json --spool "$T/spool.db" | jq -r .id)" = t-2 ]
}

@test "a program that takes too long is killed with its children, and emit retries" {
	page '[ "$(wc -l <"'"$T"'/runs")" -ge 2 ] && exit 0; sleep 599 & sleep 599'
	fed_emit --sink "$SINK" --spool "$T/spool.db" --request-timeout 300ms
	feed 1 1 "$FATAL"
	wait_until 20 has_runs 2
	end_feed
	ends_with 0 "$EMIT"
	says 1 "did not finish in time and was killed: retrying"
	none pgrep -f '^sleep 599$'
}

@test "emit retries a program that is missing or dies by a signal" {
	fed_emit --sink "$SINK" --spool "$T/spool.db"
	feed 1 1 "$FATAL"
	wait_until 10 says 1 "sink exec:$T/page: exited with 127: retrying"
	page '[ "$(wc -l <"'"$T"'/runs")" -ge 2 ] || kill -9 $$'
	wait_until 20 has_runs 2
	end_feed
	ends_with 0 "$EMIT"
	[ "$(got)" = "t-1 t-1" ]
}

@test "the program's stdout is dropped, its stderr passes, and it sees no secrets or descriptors of other sinks" {
	page 'echo noise; echo words >&2; env >"'"$T"'/env"
		readlink /proc/self/fd/* >"'"$T"'/fds"; exit 0'
	NHM_WEBHOOK_1=http://example/secret NODE_NAME=n9 \
		run --separate-stderr emit --sink "$SINK" --sink - < <(nic_events 1 1)
	status_is 0
	[ "$(jq -r .id <<<"$output")" = t-1 ]
	stderr_has "^words$"
	none grep -q secret "$T/env"
	grep -q '^NODE_NAME=n9$' "$T/env"
	# It inherits no descriptor of emit.
	none grep -q -e socket -e memfd:page -e spool "$T/fds"
}

@test "a helper process starts the program, and ends with emit even if emit is killed" {
	page 'exit 0'
	fed_emit --sink "$SINK" --spool "$T/spool.db"
	feed 1 1
	local starter
	starter=$(pgrep -P "$EMIT" -x "emit: exec")
	killed "$EMIT"
	wait_until 10 is_gone "$starter"
}

@test "a program that hangs leaves its events in the spool and does not keep emit from ending" {
	page 'sleep 600'
	fed_emit --sink "$SINK" --spool "$T/spool.db" --request-timeout 1h --flush-timeout 0
	feed 1 50
	end_feed
	ends_with 0 "$EMIT"
	says 1 "50 events not delivered yet: kept in the spool"
}

@test "an invalid path, and options that do not apply to a program, are rejected" {
	local wrong why
	while IFS='>' read -r wrong why; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr emit $wrong </dev/null
		status_is 64 "$why"
	done <<-'END'
		--sink exec:page>the program's path must begin with /
		--sink exec:>the program's path must begin with /
		--sink exec:/bin/true --token-file /etc/hostname>a token is for
	END
	emit --check-config --sink exec:/bin/true
}

@test "--test-sink runs the program once" {
	page 'exit 0'
	emit --test-sink --sink "$SINK"
	[ "$(jq -r .checkName "$T/got")" = NicHealthMonitorTest ]
	page 'exit 9'
	run --separate-stderr emit --test-sink --sink "$SINK"
	status_is 69 "did not accept the test event: exited with 9"
}

#!/usr/bin/env bats
# stderr: when the readers of messages stall or exit, no process waits for them or dies of it.
#
# Each test is a subshell, bats sets stderr, and all_stages_run reads STAGES:
# shellcheck disable=SC2030,SC2031,SC2034,SC2154
# Thorough: service
# SPDX-License-Identifier: Apache-2.0

load lib/common

STAGES=(ibevent ibscan logmatch topoclass ctreval emit)

setup() {
	load lib/servers
	load lib/service
}

teardown() {
	[ -n "${BATS_TEST_COMPLETED-}" ] || { cat "$T/heard" && what_is_there; } >&2
	nothing_left
}

# unheard KIND - start the service with a full stderr; sets SERVICE, LISTENER (the reader that does
# not read) and PORT
unheard() {
	node l40s-onprem
	connect
	service_command
	started service "$ROOT/test/lib/deaf" "$1" "$T/heard" "${COMMAND[@]}"
	SERVICE=$PID
	wait_until 10 has_lines 1 "$T/heard" '^[0-9]+$'
	LISTENER=$(head -n 1 "$T/heard")
	wait_until 30 listens
	wait_until 30 all_stages_run
	wait_until 30 is_well
}

# listens - return success once the service listens; sets PORT, which it cannot print
listens() {
	PORT=$(/usr/bin/python3 - "$SERVICE" <<-'END'
		import os, sys
		fds = f"/proc/{sys.argv[1]}/fd"
		sockets = {os.readlink(f"{fds}/{fd}") for fd in os.listdir(fds)}
		for line in list(open("/proc/net/tcp"))[1:]:
		    field = line.split()
		    if field[3] == "0A" and f"socket:[{field[9]}]" in sockets:
		        print(int(field[1].split(":")[1], 16))
	END
	) && [ -n "$PORT" ]
}

is_well() { fetch "127.0.0.1:$PORT" /healthz | head_of | grep -q '^200'; }

# hears REGEX - return success if the reader, once it reads again, has a line that matches
hears() { has_lines 1 "$T/heard" "$1"; }

# goes_on - check that dead stages are restarted, faults delivered and health requests answered
goes_on() {
	local name old
	for name in ibscan ctreval; do
		old=$(stage "$name")
		kill -KILL "$old"
		wait_until 15 stage_is_back "$name" "$old"
		wait_until 15 is_well
	done
	sim down mlx5_2/1
	wait_until 15 arrived 1 'mlx5_2 port 1: state DOWN'
}

@test "an unread pipe on stderr blocks neither service nor stages; a later message counts the missing ones" {
	unheard pipe
	goes_on
	kill -USR1 "$LISTENER"
	wait_until 10 hears '^nic-health-monitor: warning: messages lost here because stderr did not accept them: [0-9]+$'
	stopped
	hears '^nic-health-monitor: note: SIGTERM: stopping$'
	complete
}

@test "an unread socket on stderr, like a stopped journal's, blocks neither service nor stages" {
	unheard socket
	goes_on
	stopped
	kill -USR1 "$LISTENER"
	wait_until 10 is_gone "$LISTENER"
	# The service ended before the reader read anything.
	none hears 'SIGTERM: stopping'
	complete
}

# loses_its_reader KIND - check that the service goes on after its reader was killed
loses_its_reader() {
	local before
	unheard "$1"
	kill -KILL "$LISTENER"
	wait_until 10 is_gone "$LISTENER"
	before=$(stages)
	sim down mlx5_1/1
	wait_until 15 arrived 1 'mlx5_1 port 1: state DOWN'
	sim up mlx5_1/1
	[ "$(stages)" = "$before" ]
	goes_on
	stopped
	complete
}

@test "when the reader of a pipe on stderr exits, no stage dies of a message" {
	loses_its_reader pipe
}

@test "when the reader of a socket on stderr exits, no stage dies of a message" {
	loses_its_reader socket
}

@test "in a shell, messages to a file, a pipe and a terminal are complete and in order" {
	local i
	for ((i = 0; i < 3000; i++)); do echo "not a record $i"; done >"$T/lines"
	ctreval <"$T/lines" 2>"$T/in_file"
	ctreval <"$T/lines" 2>&1 | { sleep 0.3; cat; } >"$T/in_pipe"
	cmp "$T/in_file" "$T/in_pipe"
	script -qec "ctreval <'$T/lines'" /dev/null </dev/null | tr -d '\r' >"$T/on_terminal"
	diff "$T/in_file" "$T/on_terminal"
}

#!/usr/bin/env bats
# service-left: the check at the end of every service test finds leftover processes and files.
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() {
	load lib/servers
	load lib/service
}

teardown() {
	rm -f "${MADE[@]}"
	nothing_left
}

# made NAME DIR - make a file in DIR whose name starts with NAME, and remove it at the end; sets
# FILE
made() {
	FILE=$2/$1.$BASHPID
	(set -C && : >"$FILE")
	MADE+=("$FILE")
}
MADE=()

# found REGEX - return success if the check finds it
found() { grep -E -- "$1" <<<"$(lying_about)"; }

@test "the check finds a temporary file that is left" {
	none found "^$TMPDIR/"
	made any "$TMPDIR"
	found "^$FILE$"
	made nic-health-monitor /tmp
	found "^$FILE$"
}

@test "the check finds shared memory that is left" {
	made nic-health-monitor /dev/shm
	found "^$FILE$"
}

# Thorough: service
@test "no program can leave shared memory, because no program gives it a name" {
	none grep -E '(shm_open|sem_open|shmget|mq_open)(@|$)' \
		<<<"$(for program \
		in "$NHM_BIN"/{ibscan,topoclass,ctreval,logmatch,emit,nic-health-monitor}; do
		nm --dynamic --undefined-only "$program"
	done | tee "$T/names")"
	# The symbols were listed: one of them is known.
	grep -q -w memfd_create "$T/names"
}

@test "the check finds a socket on which a process still listens" {
	started listener socat -u "UNIX-LISTEN:$T/left.sock" -
	listens() { grep -q -F "$T/left.sock" /proc/net/unix; }
	wait_until 10 listens
	found "$T/left\.sock"
}

# Thorough: service
@test "the check finds a process that is left, and kills it" {
	# shellcheck disable=SC2016 # for the inner shell
	started parent bash -c 'sleep 600 & echo "$!"; wait'
	wait_until 10 has_lines 1 "$T/parent.out"
	child=$(cat "$T/parent.out")
	# It does not end by itself, however long the check waits.
	TIME_SCALE=1 run nothing_left
	[ "$status" -eq 1 ]
	[[ $output = *"left running: sleep 600"* ]]
	wait_until 5 is_gone "$child"
}

#!/usr/bin/env bats
# The check that ends every test of the whole service can fail: what is left running or lying about is found.

setup() {
	load lib/common
	load lib/servers
	load lib/service
}

teardown() { nothing_left; }

# found REGEX - it is, and is the only thing.
found() {
	run lying_about
	[ "$(wc -l <<<"$output")" -eq 1 ]
	grep -q -E -- "$1" <<<"$output"
}

@test "a temporary file that is left is found" {
	nothing_lies_about
	temporary=$(mktemp)
	found "^$temporary$"
	rm "$temporary"
	temporary=$(mktemp -p /tmp nic-health-monitor.XXXXXX)
	found "^$temporary$"
	rm "$temporary"
}

@test "shared memory that is left is found" {
	shared=$(mktemp -p /dev/shm left.XXXXXX)
	found "^$shared$"
	rm "$shared"
}

@test "a socket at which somebody still listens is found" {
	started listener socat -u "UNIX-LISTEN:$T/left.sock" -
	listens() { grep -q -F "$T/left.sock" /proc/net/unix; }
	wait_until 10 listens
	found "$T/left\.sock"
}

@test "a process that is left is found, and ended" {
	# shellcheck disable=SC2016 # for the inner shell
	started parent bash -c 'sleep 600 & echo "$!"; wait'
	wait_until 10 has_lines 1 "$T/parent.out"
	child=$(cat "$T/parent.out")
	run nothing_left
	[ "$status" -eq 1 ]
	[[ $output = *"left running: sleep 600"* ]]
	wait_until 5 is_gone "$child"
}

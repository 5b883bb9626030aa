#!/usr/bin/env bats
# The life of a service before the machine's power fails. reboot-after.bats is the one after it,
# with the same disk.
# shellcheck disable=SC2034 # for lib/service and guest
# SPDX-License-Identifier: Apache-2.0

setup() {
	load guest
	FILES=/disk SEEN=/disk EVENTS=/disk/events
}

# told_all - what is said of a new node is in the spool: by ctreval, by logmatch, and by correlate
# of its eight patterns, each when it comes.
told_all() {
	[ "$(in_spool "SELECT count(*) FROM event WHERE message LIKE 'Baseline reset%'")" -eq 15 ]
}

@test "a service that is started again in the same boot repeats no event" {
	new_devices
	watch
	cp /proc/sys/kernel/random/boot_id /disk/first-boot
	wait_until 30 told_all
	stopped
	watch
	events_are
	stopped
}

@test "a service goes on while the power fails, with a fault that it has reported" {
	new_devices
	# shellcheck disable=SC2119 # no further options
	watch
	ip link set cable0 down
	events_are "fatal: RoCE port rxe0 port 1: $UNPLUGGED (eth0)"
	[ "$(jq -r .boot_id /disk/run/state.json)" = "$(cat /disk/first-boot)" ]
	in_spool 'SELECT count(*) FROM event' >/disk/stored
	sync /disk/first-boot /disk/stored
	# It is not stopped: the machine is switched off under it, without a word to the disk.
}

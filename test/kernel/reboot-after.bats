#!/usr/bin/env bats
# The life of a service after the machine's power has failed: with the disk of reboot-before.bats.
# shellcheck disable=SC2034 # for lib/service and guest
# SPDX-License-Identifier: Apache-2.0

setup() {
	load guest
	FILES=/disk SEEN=/disk EVENTS=/disk/events
}

teardown() { nothing_left; }

# watch_stored - as watch, but the file that events went to has what had been synced of it, which
# may be less than was sent.
watch_stored() {
	EVENTS=$T/events
	arrived_all() { acknowledged && [ "$(in_spool 'SELECT count(*) FROM event')" -gt \
		"$(cat /disk/stored)" ]; }
	watch
	scans_pass 2
}

@test "after a reboot there is a baseline, and what was stored before is still there" {
	local stored
	stored=$(cat /disk/stored)
	[ "$stored" -gt 0 ]
	[ "$(jq -r .boot_id /disk/run/state.json)" = "$(cat /disk/first-boot)" ]
	none diff /disk/first-boot /proc/sys/kernel/random/boot_id >/dev/null
	new_devices
	ip link set eth1 down
	wait_until 20 port_is rxe1 '1: DOWN' '3: Disabled'
	watch_stored
	[ "$(jq -r .boot_id /disk/run/state.json)" = "$(cat /proc/sys/kernel/random/boot_id)" ]
	# logmatch's comes when it comes.
	[ "$(in_spool "SELECT message FROM event
		WHERE number > $stored AND check_name = 'SysLogsNICDriverError'")" = \
		"Baseline reset: earlier conditions of SysLogsNICDriverError on this node are cleared" ]
	# For how long the port was down is a matter of how long the power was off.
	in_spool "SELECT message FROM event WHERE number > $stored AND check_name NOT IN ('SysLogsNICDriverError', 'NICPortDownLong') ORDER BY number" >"$T/messages"
	diff "$T/messages" - <<-END >&2
		Baseline reset (host reboot or discovery-scope change): clearing all conditions previously reported by this check
		Baseline reset (host reboot or discovery-scope change): clearing all conditions previously reported by this check
		InfiniBand character-device check: clearing stale conditions after reboot
		Baseline reset (host reboot or discovery-scope change): clearing all conditions previously reported by this check
		RoCE port rxe0 port 1: $UP
		RoCE port rxe1 port 1: $DOWN (eth1)
		Baseline reset (host reboot or discovery-scope change): clearing all conditions previously reported by this check
		Counter carrier_changes healthy after reboot on port rxe0 port 1
		Counter carrier_changes healthy after reboot on port rxe1 port 1
		Baseline reset (host reboot or discovery-scope change): clearing all conditions previously reported by this check
		Baseline reset (host reboot or discovery-scope change): clearing all conditions previously reported by this check
		NIC polls are completing
	END
	# Nothing is stored twice, in whichever life.
	[ "$(in_spool "SELECT count(*) = count(DISTINCT source || '-' || seq) FROM event")" -eq 1 ]
	none says 'corrupt|damaged|moved aside'
	stopped
}

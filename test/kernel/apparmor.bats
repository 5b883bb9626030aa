#!/usr/bin/env bats
# The service in the profile that the package gives AppArmor, enforced: neither it nor the kernel
# has anything to complain about; and what it may not do, it cannot.
# shellcheck disable=SC2034 # for guest
# SPDX-License-Identifier: Apache-2.0

setup() {
	load guest
	# As systemd does it for the unit: in its profile, and nothing that it starts may gain
	# privileges. The kernel's log is opened before, and belongs to other mounts.
	# shellcheck disable=SC2016 # for the inner shell
	STARTER=(bash -c 'exec unshare --mount setpriv --no-new-privs -- "$@" </dev/kmsg' _
		bash -c 'echo exec nic-health-monitor >/proc/self/attr/exec && exec "$@"' _)
	new_devices
	mkdir -p "$T/run" "$T/var"
	mountpoint -q /sys/kernel/security || mount -t securityfs none /sys/kernel/security
	enforced
}

teardown() {
	# What was refused says more than what did not happen.
	dmesg | grep -i denied || true
	nothing_left
}

# enforced [LINE]... - the profile holds for the programs and files of this test, with what a site
# would add for its sink, and these lines.
enforced() {
	local base=${NHM_BIN%/bin}/apparmor
	sed -e "s|/usr/bin/|$NHM_BIN/|g" -e "s|/etc/nic-health-monitor/|$T/|g" \
		-e "s|/var/lib/{,private/}nic-health-monitor/|$T/var/|g" \
		-e "s|@{run}/{,private/}nic_health_monitor/|$T/run/|g" \
		-e "s|include if exists <local/.*|$(printf '%s ' "$EVENTS rw," "$@")|" \
		"${NHM_BIN%/bin}/dist/apparmor" >"$T/profile"
	LD_LIBRARY_PATH='' "$base/apparmor_parser" --base "$base/apparmor.d" --skip-cache \
		--replace "$T/profile" 2>"$T/parser"
}

# profiles - of the service and its stages, each once.
profiles() {
	local pid
	for pid in "$SERVICE" $(pgrep -P "$SERVICE"); do
		cat "/proc/$pid/attr/current"
	done | sort -u
}

@test "in its profile the service sees what happens, delivers it and survives a reload" {
	dmesg --clear
	# For how long the port is down is a matter of how fast this machine is.
	watch --rules '' --kmsg -
	[ -n "$(stage logmatch)" ]
	[ "$(profiles)" = 'nic-health-monitor (enforce)' ]
	ip link set eth1 down
	events_are "fatal: RoCE port rxe1 port 1: $DOWN (eth1)"
	kill -HUP "$SERVICE"
	wait_until 30 says 'SIGHUP: configuration reloaded'
	wait_until 30 has_lines 2 "$T/service.err" 'ctreval: note: counters available'
	SEEN_BEFORE=$(in_file | wc -l)
	ip link set eth1 up
	events_are "healthy: RoCE port rxe1 port 1: $UP"
	[ "$(profiles)" = 'nic-health-monitor (enforce)' ]
	stopped
	no_complaint
}

# in_profile COMMAND... - of a program that has not given anything up by itself.
in_profile() { NHM_CONFINE=off run "${STARTER[@]}" "$@"; }

@test "in its profile a stage reads and writes nothing that is not the service's, and starts nothing" {
	echo '{"kind":"event","id":"a-1"}' | tee "$T/var/events" >/elsewhere
	in_profile emit "$T/var/events"
	[ "$status" -eq 0 ]
	in_profile emit /elsewhere
	[ "$status" -eq 77 ]
	in_profile emit --sink file:/elsewhere --flush-timeout 100ms "$T/var/events"
	[[ $output = *'/elsewhere: Permission denied'* ]]
	in_profile emit --sink exec:/bin/true --flush-timeout 100ms "$T/var/events"
	[[ $output = *Permission\ denied* ]]
}

@test "a sink's program does its work in the profile with the lines that the manual has for it" {
	local program
	printf '%s\n' "#!$(realpath /bin/sh)" "cat >$T/paged" >"$T/page"
	chmod +x "$T/page"
	echo '{"kind":"event","id":"a-1"}' >"$T/var/events"
	program="$T/page rix, $(realpath /bin/sh) rix, $(realpath "$(command -v cat)") rix, $T/paged w,"
	enforced "$program"
	# As in the unit. With a way out of the profile the kernel refuses to start it.
	in_profile emit --sink "exec:$T/page" --flush-timeout 30s \
		"$T/var/events"
	[ "$status" -eq 0 ]
	grep -q '"id":"a-1"' "$T/paged"
	enforced "${program//rix/Ux}"
	in_profile emit --sink "exec:$T/page" --flush-timeout 100ms \
		"$T/var/events"
	[[ $output = *"$T/page: Operation not permitted"* ]]
}

@test "the profile of the service does not hold what somebody types" {
	echo 'interval: 1s' >/elsewhere.yaml
	run nic-health-monitor --check-config --config /elsewhere.yaml
	[[ $output != *denied* ]]
	run nic-health-monitor --once
	[ "$status" -le 3 ]
}

#!/usr/bin/env bats
# The kernel's own log: a ring that is overwritten, and that not everybody may read.
# shellcheck disable=SC2034 # for lib/service and guest
# SPDX-License-Identifier: Apache-2.0

setup() {
	load guest
}

teardown() {
	sysctl -q -w kernel.dmesg_restrict=1
	nothing_left
}

# the_ring - what the kernel has of its log now, a line per record: sequence number, text.
the_ring() {
	dd if=/dev/kmsg bs=8193 iflag=nonblock status=none 2>/dev/null | grep -a -E '^[0-9]' |
		sed -E 's/^[0-9]+,([0-9]+),[^;]*;/\1 /'
}

# has_read_to NUMBER - the state file of logmatch says so.
has_read_to() { [ "$(jq '.position // -1' "$T/state.json")" -ge "$1" ]; }

# last - the number of the newest record.
last() { the_ring | tail -n 1 | cut -d ' ' -f 1; }

@test "20,000 lines overrun the ring: the gap is as long as what was lost" {
	started logmatch logmatch --kmsg --dedup-window 0 --state "$T/state.json"
	wait_until 20 has_read_to "$(last)" 2>/dev/null
	kill -STOP "$PID"
	local last first
	last=$(jq .position "$T/state.json")
	# Each line is a write of its own.
	seq 20000 | sed -u -E 's/^[0-9]+$/ordinary line &, long enough to fill a ring sooner or later/' >/dev/kmsg
	first=$(the_ring | head -n 1 | cut -d ' ' -f 1)
	[ "$first" -gt $((last + 10000)) ]
	kill -CONT "$PID"
	wait_until 60 has_read_to "$(last)"
	# The next line may take the place of one that has not been read yet.
	[ "$(jq -c 'select(.kind == "gap").lost' "$T/logmatch.out")" -ge $((first - last - 1)) ]
	[ "$(grep -c 'were overwritten before they could be read' "$T/logmatch.err")" -eq 1 ]
	kill -TERM "$PID"
	ends_with 0 "$PID"
}

# crasher FILE - a program that writes to address 0: the header of an ELF file with one segment, and
# four bytes of code, xor eax,eax; mov [rax],eax.
crasher() {
	printf '\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\x3e\0\x01\0\0\0\x78\0\x40\0\0\0\0\0\x40\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x40\0\x38\0\x01\0\0\0\0\0\0\0\x01\0\0\0\x05\0\0\0\0\0\0\0\0\0\0\0\0\0\x40\0\0\0\0\0\0\0\x40\0\0\0\0\0\x7c\0\0\0\0\0\0\0\x7c\0\0\0\0\0\0\0\0\x10\0\0\0\0\0\0\x31\xc0\x89\0' >"$1"
	chmod 755 "$1"
}

@test "programs that crash under names with a driver's words, and lines that programs write, make no event" {
	local name words="mlx5_core 0000:18:00.0: poll_health:833:(pid 0): device's health compromised - reached miss count"
	local recovery="mlx5_core 0000:18:00.0: health recovery succeeded"
	chmod 755 "$BATS_RUN_TMPDIR" "$BATS_RUN_TMPDIR/test" "$T"
	started logmatch logmatch --kmsg --dedup-window 0 --state "$T/state.json"
	for name in "$words" $'x\n'"$words" $'\n'"$words" $'x\n'"$recovery" \
		"mlx5_core: probe of 0000:18:00.0 failed with error -110"; do
		crasher "$T/$name"
		run setpriv --reuid 65534 --regid 65534 --clear-groups --no-new-privs "$T/$name"
	done
	echo "$words" >/dev/kmsg
	echo "<3>$words"$'\nSUBSYSTEM=pci\nDEVICE=+pci:0000:18:00.0' >/dev/kmsg
	the_ring >"$T/ring"
	# The kernel has said what it was made to say, and logmatch has read it.
	[ "$(grep -c -a -F 'segfault at 0' "$T/ring")" -ge 5 ]
	[ "$(grep -c -a -F "$words" "$T/ring")" -ge 5 ]
	[ "$(grep -c -a -F '\x0amlx5_core 0000:18:00.0: ' "$T/ring")" -ge 3 ]
	wait_until 20 has_read_to "$(last)" 2>/dev/null
	kill -TERM "$PID"
	ends_with 0 "$PID"
	[ "$(jq -c 'select(.kind == "event" and .errorCode != [])' "$T/logmatch.out")" = '' ]
}

# reads PID - it has the kernel's log open.
reads() { [[ " $(readlink "/proc/$1/fd"/* | paste -s -d ' ') " = *" /dev/kmsg "* ]]; }

@test "without the right to read the kernel's log logmatch says so in one line, and with CAP_SYSLOG it can read it" {
	[ "$(cat /proc/sys/kernel/dmesg_restrict)" = 1 ]
	local as=(setpriv --reuid monitor --regid monitor --clear-groups --no-new-privs)
	run --separate-stderr "${as[@]}" --inh-caps=-all --bounding-set=-all logmatch --kmsg \
		--dedup-window 0
	status_is 77 '^logmatch: error: /dev/kmsg: Operation not permitted: .*CAP_SYSLOG while kernel.dmesg_restrict is 1'
	[ -z "$output" ]
	[ "$(wc -l <<<"$stderr")" -eq 1 ]
	chmod 644 /dev/kmsg
	started with "${as[@]}" --inh-caps=-all,+syslog --ambient-caps=+syslog \
		--bounding-set=-all,+syslog logmatch --kmsg --dedup-window 0
	wait_until 20 reads "$PID"
	kill -TERM "$PID"
	ends_with 0 "$PID"
	# Where nobody is restricted, nobody needs it.
	sysctl -q -w kernel.dmesg_restrict=0
	started open "${as[@]}" --inh-caps=-all --bounding-set=-all logmatch --kmsg --dedup-window 0
	wait_until 20 reads "$PID"
}

# is_read_to NUMBER FILE - the state file says so.
is_read_to() { [ "$(jq '.position // -1' "$2" 2>/dev/null || echo -1)" -ge "$1" ]; }

@test "whoever may not open the kernel's log reads it on stdin, where somebody else has opened it, and the next reader begins with its oldest record again" {
	local kept=$T/kept last
	[ "$(cat /proc/sys/kernel/dmesg_restrict)" = 1 ]
	install -d -o monitor "$kept"
	chmod 755 "$BATS_RUN_TMPDIR" "$BATS_RUN_TMPDIR/test" "$T"
	# shellcheck disable=SC2016 # for the inner shell
	started readers bash -c '
		exec </dev/kmsg
		setpriv "$@" --state "$0/first.json" <&0 &
		until [ -e "$0/first-is-done" ]; do sleep 0.1; done
		kill %1
		wait %1
		exec setpriv "$@" --state "$0/second.json"' "$kept" \
		--reuid monitor --regid monitor --clear-groups --no-new-privs --inh-caps=-all \
		--bounding-set=-all logmatch --confine=require --kmsg=- --dedup-window 0
	last=$(last)
	wait_until 20 is_read_to "$last" "$kept/first.json"
	touch "$kept/first-is-done"
	wait_until 20 is_read_to "$last" "$kept/second.json"
	kill -TERM "$PID"
	ends_with 0 "$PID"
	# Tests before this one have overrun the ring.
	none grep -v 'records were overwritten before they could be read$' "$T/readers.err"
}

@test "a service that may not read the kernel's log says so once, and watches the ports all the same" {
	new_devices
	configure
	chmod 1777 "$T" && chmod 755 "$BATS_RUN_TMPDIR" "$BATS_RUN_TMPDIR/test" &&
		chmod 644 "$T/config.yaml"
	service_command --sink "file:$EVENTS" --config "$T/config.yaml" --interval 200ms
	started service setpriv --reuid monitor --regid monitor --clear-groups --no-new-privs \
		--inh-caps=-all --bounding-set=-all "${COMMAND[@]}"
	SERVICE=$PID
	wait_until 30 arrived_all
	SEEN_BEFORE=$(in_file | wc -l)
	ip link set cable0 down
	events_are "fatal: RoCE port rxe0 port 1: $UNPLUGGED (eth0)"
	grep -F '/dev/kmsg: Operation not permitted' "$T/service.err" | cut -d : -f 1 >"$T/who"
	# Once before anything is started, with what to do about it, and once by the one whom it
	# concerns.
	[ "$(sort "$T/who" | paste -s -d ' ')" = 'logmatch nic-health-monitor' ]
	says 'stage logmatch: exited with 77: continuing without it'
	stage ctreval
	none stage logmatch
}

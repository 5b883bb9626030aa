#!/usr/bin/env bats
# The kernel's own log: a ring that is overwritten, and that not everybody may read.
# shellcheck disable=SC2034 # for lib/service and guest

setup() {
	load guest
}

teardown() {
	sysctl -q -w kernel.dmesg_restrict=1
	nothing_left
}

# fault N - a line that is a fault each time.
fault() { echo "mlx5_core 0000:18:00.0: wait_func:1176:(pid $1): MANAGE_PAGES(0x108) timeout. Will cause a leak of a command resource"; }

# the_ring - what the kernel has of its log now, a line per record: sequence number, text.
the_ring() {
	dd if=/dev/kmsg bs=8193 iflag=nonblock status=none 2>/dev/null | grep -a -E '^[0-9]' | sed -E 's/^[0-9]+,([0-9]+),[^;]*;/\1 /'
}

# faults_in FILE - the N of those in it.
faults_in() { sed -n -E 's/.*\(pid ([0-9]+)\): MANAGE_PAGES.*/\1/p' "$1"; }

@test "20,000 lines overrun the ring: the gap is as long as what was lost, and every fault that the ring still has is found" {
	started logmatch logmatch --kmsg --dedup-window 0
	fault 1 >/dev/kmsg
	wait_until 20 has_lines 1 "$T/logmatch.out" 'pid 1\)'
	kill -STOP "$PID"
	local last first
	last=$(the_ring | tail -n 1 | cut -d ' ' -f 1)
	# Each line is a write of its own; one in a hundred is a fault.
	seq 20000 | sed -u -E -e "s/^([0-9]*)00$/$(fault '\100')/" -e 's/^[0-9]+$/ordinary line &, long enough to fill a ring sooner or later/' >/dev/kmsg
	the_ring >"$T/ring"
	first=$(head -n 1 "$T/ring" | cut -d ' ' -f 1)
	[ "$first" -gt $((last + 10000)) ]
	kill -CONT "$PID"
	# The next line may take the place of one that has not been read yet.
	wait_until 60 has_lines 1 "$T/logmatch.out" "pid $(faults_in "$T/ring" | tail -n 1)\\)"
	fault 77777 >/dev/kmsg
	wait_until 60 has_lines 1 "$T/logmatch.out" 'pid 77777'
	[ "$(jq -c 'select(.kind == "gap").lost' "$T/logmatch.out")" = $((first - last - 1)) ]
	jq -r 'select(.kind == "event").message' "$T/logmatch.out" >"$T/messages"
	diff <(echo 1 && faults_in "$T/ring" && echo 77777) <(faults_in "$T/messages") >&2
	# Between what was found before it and behind it.
	[ "$(jq -r .kind "$T/logmatch.out" | uniq | paste -s -d ' ')" = 'event gap event' ]
	[ "$(grep -c 'were overwritten before they could be read' "$T/logmatch.err")" -eq 1 ]
	kill -TERM "$PID"
	ends_with 0 "$PID"
}

@test "who may not read the kernel's log is told so in one line, and with CAP_SYSLOG may" {
	[ "$(cat /proc/sys/kernel/dmesg_restrict)" = 1 ]
	local as=(setpriv --reuid monitor --regid monitor --clear-groups --no-new-privs)
	run --separate-stderr "${as[@]}" --inh-caps=-all --bounding-set=-all logmatch --kmsg
	status_is 77 '^logmatch: error: /dev/kmsg: Operation not permitted: .*CAP_SYSLOG while kernel.dmesg_restrict is 1'
	[ -z "$output" ]
	[ "$(wc -l <<<"$stderr")" -eq 1 ]
	chmod 644 /dev/kmsg
	fault 5 >/dev/kmsg
	started with "${as[@]}" --inh-caps=-all,+syslog --ambient-caps=+syslog --bounding-set=-all,+syslog logmatch --kmsg
	wait_until 20 has_lines 1 "$T/with.out" 'pid 5'
	kill -TERM "$PID"
	ends_with 0 "$PID"
	# Where nobody is restricted, nobody needs it.
	sysctl -q -w kernel.dmesg_restrict=0
	started open "${as[@]}" --inh-caps=-all --bounding-set=-all logmatch --kmsg
	wait_until 20 has_lines 1 "$T/open.out" 'pid 5'
}

@test "a service that may not read the kernel's log says so once, and watches the ports all the same" {
	new_devices
	configure
	chmod 777 "$T" && chmod 755 "$BATS_RUN_TMPDIR" "$BATS_RUN_TMPDIR/test" && chmod 666 "$T/config.yaml"
	service_command --sink "file:$EVENTS" --config "$T/config.yaml" --interval 200ms
	started service setpriv --reuid monitor --regid monitor --clear-groups --no-new-privs --inh-caps=-all --bounding-set=-all "${COMMAND[@]}"
	SERVICE=$PID
	wait_until 30 arrived_all
	SEEN_BEFORE=$(wc -l <"$EVENTS")
	ip link set cable0 down
	events_are "fatal: RoCE port rxe0 port 1: $UNPLUGGED"
	grep -F '/dev/kmsg: Operation not permitted' "$T/service.err" | cut -d : -f 1 >"$T/who"
	# Once before anything is started, with what to do about it, and once by the one whom it concerns.
	[ "$(sort "$T/who" | paste -s -d ' ')" = 'logmatch nic-health-monitor' ]
	says 'stage logmatch: exited with 77: going on without it'
	stage ctreval
	none stage logmatch
}

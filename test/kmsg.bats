#!/usr/bin/env bats
# kmsg: logmatch on this machine's own /dev/kmsg ignores what programs write there and reports
# overwritten records.
#
# The tests write fault lines into the kernel's log, for a PCI address that does not exist: each
# test chooses its domain at random.
# Thorough: tools
# SPDX-License-Identifier: Apache-2.0

load lib/common
load lib/logmatch

setup() {
	DOMAIN=1$(od -An -N2 -tx2 /dev/urandom | tr -d " ")
	: <>/dev/kmsg || skip "left out: /dev/kmsg cannot be read and written"
	say "mlx5_core: nothing" || skip "left out: /dev/kmsg takes no lines"
} 2>/dev/null

teardown() { end_background; }

# say TEXT - write a line into the kernel's log; each with its own descriptor, because the kernel
# accepts only ten lines in five seconds from one
say() { echo "$1" >/dev/kmsg; }

# fault N [PRIORITY] - write a line as the driver prints for a fault
fault() { say "${2:-}mlx5_core $DOMAIN:18:00.0: wait_func:1176:(pid $1): MANAGE_PAGES(0x108) timeout. Will cause a leak of a command resource"; }

# watching NAME - start logmatch on the device, with a state file, reporting every match to NAME.out
watching() { started "$1" logmatch --kmsg --dedup-window 0 --state "$BATS_TEST_TMPDIR/state.json" \
	--sysfs-root "$BATS_TEST_TMPDIR"; }

# number_of TEXT - print the sequence number of the record with TEXT
number_of() { timeout 20 grep -a -m 1 -F "$1" /dev/kmsg | cut -d , -f 2; }

# has_read_to NUMBER - return success if the state file records NUMBER or a later position
has_read_to() { [ "$(jq '.position // -1' "$BATS_TEST_TMPDIR/state.json")" -ge "$1" ]; }

# reads_all - wait until logmatch has read the whole log
reads_all() {
	local mark
	mark=mark$(od -An -N6 -tx1 /dev/urandom | tr -d ' ')
	say "$mark"
	wait_until 20 has_read_to "$(number_of "$mark")" 2>/dev/null
}

# events - count the events of the test's address in all outputs
events() { cat "$BATS_TEST_TMPDIR"/*.out | jq -c "select(.metadata.pci == \"$DOMAIN:18:00.0\")" |
	wc -l; }

@test "a line from user space is never a fault, at any level and facility, with or without a dictionary" {
	local n
	watching a
	for n in 0 1 2 3 4 5 6 7 8 11 12 184 191 2047; do
		fault "$n" "<$n>"
	done
	fault 99
	say "mlx5_core $DOMAIN:18:00.0: wait_func:1176:(pid 1): A(0x1) timeout. Will cause a leak of a command resource"$'\nSUBSYSTEM=pci\nDEVICE=+pci:'"$DOMAIN:18:00.0"
	say "mlx5_core $DOMAIN:18:00.0: wait_func:1176:(pid 1): A(0x1) timeout. Will cause a leak of a command resource"$'\n SUBSYSTEM=pci\n DEVICE=+pci:'"$DOMAIN:18:00.0"
	say "mlx5_core: probe of $DOMAIN:18:00.0 failed with error -110"
	say "mlx5_cmd_out_err: 12 callbacks suppressed"
	reads_all
	[ "$(events)" -eq 0 ]
	[ "$(jq -c 'select(.kind == "gap" and .source == "mlx5_cmd_out_err")' \
		"$BATS_TEST_TMPDIR/a.out" | wc -l)" -eq 0 ]
	kill -TERM "$PID"
	ends_with 0 "$PID"
	[ "$(events)" -eq 0 ]
}

@test "after a kill between lines, logmatch goes on after the last line that it read" {
	local life
	for life in 0 1 2; do
		watching "life$life"
		reads_all
		kill -KILL "$PID"
		wait_until 20 is_gone "$PID"
		say "while nobody reads"
	done
	watching last
	reads_all
	kill -TERM "$PID"
	ends_with 0 "$PID"
	[ "$(jq -c 'select(.kind == "gap")' "$BATS_TEST_TMPDIR/last.out" | wc -l)" -eq 0 ]
}

# oldest - print the sequence number of the oldest record in the ring
oldest() { head -n 1 </dev/kmsg | cut -d , -f 2; }

# overrun - write more lines than fit into the ring
overrun() {
	local size filler i
	size=$(/usr/bin/python3 -c 'import ctypes; print(ctypes.CDLL(None).klogctl(10, None, 0))')
	[ "$size" -gt 0 ]
	filler=$(printf '%0900d' 0)
	for ((i = 0; i < size / 900 + 100; i++)); do
		say "$filler"
	done
}

@test "when a burst overruns the ring, a gap record says how many lines were lost" {
	local at oldest lost
	watching a
	reads_all
	kill -STOP "$PID"
	at=$(jq .position "$BATS_TEST_TMPDIR/state.json")
	overrun
	oldest=$(oldest)
	[ "$oldest" -gt "$((at + 2))" ]
	kill -CONT "$PID"
	reads_all
	kill -TERM "$PID"
	ends_with 0 "$PID"
	lost=$(jq -r 'select(.kind == "gap").lost' "$BATS_TEST_TMPDIR/a.out" | tail -n 1)
	echo "record $at, then $oldest: $lost lost"
	# Other programs may write some lines meanwhile.
	[ "$lost" -ge $((oldest - at - 20)) ]
	[ "$lost" -le $((oldest - at + 20)) ]
	has_lines 1 "$BATS_TEST_TMPDIR/a.err" "records were overwritten before they could be read"
}

@test "records overwritten while logmatch was not running are a gap, too" {
	watching a
	reads_all
	kill -TERM "$PID"
	ends_with 0 "$PID"
	overrun
	watching b
	reads_all
	jq -s -e 'any(.kind == "gap" and .lost > 50 and .source == "/dev/kmsg")' \
		"$BATS_TEST_TMPDIR/b.out"
}

@test "without permission to read the log, logmatch names the missing capability and exits 77" {
	local without=(setpriv "--bounding-set=-syslog,-sys_admin,-dac_override,-dac_read_search" \
		--inh-caps=-all)
	[ "$(id -u)" -ne 0 ] || "${without[@]}" true ||
		skip "left out: no program to give up rights with"
	[ "$(id -u)" -eq 0 ] || without=()
	touch "$BATS_TEST_TMPDIR/log"
	chmod 000 "$BATS_TEST_TMPDIR/log"
	run --separate-stderr timeout 10 "${without[@]}" logmatch --kmsg="$BATS_TEST_TMPDIR/log"
	status_is 77 '^logmatch: error: .*/log: Permission denied: .*CAP_SYSLOG while kernel.dmesg_restrict is 1'
	[ "$(cat /proc/sys/kernel/dmesg_restrict)" = 1 ] || return 0
	run --separate-stderr timeout 10 "${without[@]}" logmatch --kmsg
	status_is 77 '/dev/kmsg: Operation not permitted: .*CAP_SYSLOG while kernel.dmesg_restrict is 1'
}

#!/usr/bin/env bats
# logmatch on this machine's own /dev/kmsg: nothing is found twice, and what is overwritten is said to be.
#
# The tests write lines of faults into the kernel's log, with a PCI address that nothing has: its domain is chosen at random for each.

load lib/common
load lib/logmatch

setup() {
	DOMAIN=1$(od -An -N2 -tx2 /dev/urandom | tr -d " ")
	: <>/dev/kmsg || skip "left out: /dev/kmsg cannot be read and written"
	say "mlx5_core: nothing" || skip "left out: /dev/kmsg takes no lines"
} 2>/dev/null

teardown() { end_background; }

# say TEXT - a line into the kernel's log. Each has a descriptor of its own: of one the kernel takes ten lines in five seconds.
say() { echo "$1" >/dev/kmsg; }

# fault N [PRIORITY] - one that is reported each time.
fault() { say "${2:-}mlx5_core $DOMAIN:18:00.0: wait_func:1176:(pid $1): MANAGE_PAGES(0x108) timeout. Will cause a leak of a command resource"; }

# watching NAME - logmatch on the device, with a state file; its stdout is NAME.out.
watching() { started "$1" logmatch --kmsg --state "$BATS_TEST_TMPDIR/state.json" --sysfs-root "$BATS_TEST_TMPDIR"; }

# numbers - the N of each fault that was found, in order. A stored event that comes again after a kill is the same one.
numbers() {
	cat "$BATS_TEST_TMPDIR"/*.out 2>/dev/null | jq -R -r "fromjson? | select(.kind == \"event\" and .metadata.pci == \"$DOMAIN:18:00.0\")
		| .id + \" \" + (.message | capture(\"pid (?<n>[0-9]+)\").n)" | awk '!seen[$1]++ { print $2 }'
}

numbers_are() { [ "$(numbers | xargs)" = "$*" ]; }

@test "lines of every priority are found, once each" {
	local n
	watching a
	for n in 0 1 2 3 4 5 6 7; do
		fault "$((n + 1))" "<$n>"
	done
	fault 9
	fault 10 "<191>"
	wait_until 20 numbers_are 1 2 3 4 5 6 7 8 9 10
	# Nothing comes late.
	fault 11
	wait_until 20 numbers_are 1 2 3 4 5 6 7 8 9 10 11
	kill -TERM "$PID"
	ends_with 0 "$PID"
	numbers_are 1 2 3 4 5 6 7 8 9 10 11
	[ "$(jq -r "select(.metadata.pci == \"$DOMAIN:18:00.0\") | .isFatal" "$BATS_TEST_TMPDIR/a.out" | sort -u)" = true ]
}

@test "the time of a line is the kernel's" {
	local before after at
	before=$(date -u -d '-1 second' +%FT%T)
	fault 1
	after=$(date -u -d '+1 second' +%FT%T)
	watching a
	wait_until 20 numbers_are 1
	at=$(jq -r "select(.metadata.pci == \"$DOMAIN:18:00.0\") | .generatedTimestamp" "$BATS_TEST_TMPDIR/a.out")
	echo "$before $at $after"
	# A machine that slept or whose clock was set has another difference between the clocks.
	[[ ! $at < $before && ! $at > $after ]]
}

@test "killed and started again between lines, logmatch finds each line once" {
	local n life
	for life in 0 1 2 3 4; do
		# While nobody reads, ...
		fault "$((3 * life + 1))"
		watching "life$life"
		wait_until 20 numbers_are $(seq 1 $((3 * life + 1)))
		# ... while somebody does, and right before the kill.
		fault "$((3 * life + 2))"
		wait_until 20 numbers_are $(seq 1 $((3 * life + 2)))
		fault "$((3 * life + 3))"
		kill -KILL "$PID"
		wait_until 20 is_gone "$PID"
	done
	watching life5
	wait_until 20 numbers_are $(seq 1 15)
	kill -TERM "$PID"
	ends_with 0 "$PID"
	numbers_are $(seq 1 15)
}

# story NAME - the faults and the gaps that one process wrote, in order.
story() {
	jq -r "if .kind == \"gap\" then \"gap\" elif .metadata.pci == \"$DOMAIN:18:00.0\" then (.message | capture(\"pid (?<n>[0-9]+)\").n) else empty end" \
		"$BATS_TEST_TMPDIR/$1.out" | xargs
}

# oldest - the number of the oldest record in the ring.
oldest() { head -n 1 </dev/kmsg | cut -d , -f 2; }

# number_of PID - the number of the record of this fault.
number_of() { timeout 2 grep -a -m 1 -F "$DOMAIN:18:00.0: wait_func:1176:(pid $1)" /dev/kmsg | cut -d , -f 2; }

@test "a burst that overruns the ring is said to have, and lines behind it are found" {
	local size filler i at oldest lost
	size=$(python3 -c 'import ctypes; print(ctypes.CDLL(None).klogctl(10, None, 0))')
	[ "$size" -gt 0 ]
	filler=$(printf '%0900d' 0)
	watching a
	fault 1
	wait_until 20 numbers_are 1
	at=$(number_of 1)
	kill -STOP "$PID"
	fault 2
	for ((i = 0; i < size / 900 + 100; i++)); do
		say "$filler"
	done
	oldest=$(oldest)
	fault 3
	[ "$oldest" -gt "$((at + 2))" ]
	kill -CONT "$PID"
	wait_until 20 numbers_are 1 3
	fault 4
	wait_until 20 numbers_are 1 3 4
	kill -TERM "$PID"
	ends_with 0 "$PID"
	# The gap stands where it was: between what was found before and after it. Other programs may have written some lines meanwhile.
	[[ $(story a) =~ ^(gap )?1\ gap\ 3\ 4$ ]]
	lost=$(jq -r 'select(.kind == "gap").lost' "$BATS_TEST_TMPDIR/a.out" | tail -n 1)
	echo "record $at, then $oldest: $lost lost"
	[ "$lost" -ge $((oldest - at - 20)) ]
	[ "$lost" -le $((oldest - at + 20)) ]
	has_lines 1 "$BATS_TEST_TMPDIR/a.err" "records were overwritten before they could be read"
}

@test "what was overwritten while logmatch was not running is a gap, too" {
	local size filler i
	size=$(python3 -c 'import ctypes; print(ctypes.CDLL(None).klogctl(10, None, 0))')
	filler=$(printf '%0900d' 0)
	fault 1
	watching a
	wait_until 20 numbers_are 1
	kill -TERM "$PID"
	ends_with 0 "$PID"
	for ((i = 0; i < size / 900 + 100; i++)); do
		say "$filler"
	done
	fault 2
	watching b
	wait_until 20 numbers_are 1 2
	[ "$(story b)" = "gap 2" ]
	jq -s -e 'any(.kind == "gap" and .lost > 50 and .source == "/dev/kmsg")' "$BATS_TEST_TMPDIR/b.out"
}

@test "lines that user space wrote are no less faults, and its dictionary is not" {
	watching a
	say "mlx5_core $DOMAIN:18:00.0: wait_func:1176:(pid 1): A(0x1) timeout. Will cause a leak of a command resource"$'\nKEY=mlx5_core '"$DOMAIN:18:00.0: wait_func:1176:(pid 2): B(0x1) timeout. Will cause a leak of a command resource"
	fault 3
	wait_until 20 has_lines 2 "$BATS_TEST_TMPDIR/a.out" "$DOMAIN"
	numbers
	[ "$(numbers | head -n 1)" = 1 ]
	[ "$(numbers | tail -n 1)" = 3 ]
}

@test "without the right to read it, logmatch says what is missing and exits with 77" {
	local without=(setpriv "--bounding-set=-syslog,-sys_admin,-dac_override,-dac_read_search" --inh-caps=-all)
	[ "$(id -u)" -ne 0 ] || "${without[@]}" true || skip "left out: no program to give up rights with"
	[ "$(id -u)" -eq 0 ] || without=()
	touch "$BATS_TEST_TMPDIR/log"
	chmod 000 "$BATS_TEST_TMPDIR/log"
	run --separate-stderr timeout 10 "${without[@]}" logmatch --kmsg="$BATS_TEST_TMPDIR/log"
	status_is 77 '^logmatch: error: .*/log: Permission denied: .*CAP_SYSLOG while kernel.dmesg_restrict is 1'
	[ "$(cat /proc/sys/kernel/dmesg_restrict)" = 1 ] || return 0
	run --separate-stderr timeout 10 "${without[@]}" logmatch --kmsg
	status_is 77 '/dev/kmsg: Operation not permitted: .*CAP_SYSLOG while kernel.dmesg_restrict is 1'
}

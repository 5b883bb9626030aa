#!/usr/bin/env bats
# logmatch-follow: logmatch on a growing kernel log: state, restarts, boots, acks.
# SPDX-License-Identifier: Apache-2.0

load lib/common
load lib/logmatch

setup() {
	LOG=$BATS_TEST_TMPDIR/kmsg STATE=$BATS_TEST_TMPDIR/state.json \
		ACKS=$BATS_TEST_TMPDIR/acks.json
	: >"$LOG"
	boot 1
	NEXT=0
}

teardown() {
	exec 7>&-
	end_background
}

# boot N - set the kernel's boot id
boot() { echo "0000000$1-0000-4000-8000-000000000000" >"$BATS_TEST_TMPDIR/boot_id"; }

# say TEXT... - append the next records to the log
say() {
	printf '%s\n' "$@" | kmsg_records "$NEXT" >>"$LOG"
	NEXT=$((NEXT + $#))
}

fault() { say "mlx5_core 0000:18:00.0: wait_func:1176:(pid $1): MANAGE_PAGES(0x108) timeout. Will cause a leak of a command resource"; }

# following NAME [OPTION]... - start logmatch on the log, writing to NAME.out
following() {
	started "$1" logmatch --kmsg="$LOG" --boot-id-file "$BATS_TEST_TMPDIR/boot_id" \
		--boot-time "$BOOT_TIME" \
		--sysfs-root "${SYS:-$BATS_TEST_TMPDIR}" "${@:2}"
}

stopped() {
	kill -TERM "$PID"
	ends_with 0 "$PID"
}

# has_read_all - return success if logmatch has read to the end of the log
has_read_all() {
	local fd
	for fd in "/proc/$PID/fd"/*; do
		if [ "$(readlink "$fd")" = "$LOG" ]; then
			grep -q -x -E "pos:\s+$(stat -c %s "$LOG")" "/proc/$PID/fdinfo/${fd##*/}"
			return
		fi
	done
	return 1
}

# numbers NAME - print the numbers of the faults that a process wrote
numbers() { jq -r 'select(.errorCode[0] == "cmd_exec_timeout").message | capture("pid (?<n>[0-9]+)").n' "$BATS_TEST_TMPDIR/$1.out" | xargs; }
numbers_are() { [ "$(numbers "$1")" = "${*:2}" ]; }

@test "a growing log is followed, also by halves of lines, and SIGTERM exits 0" {
	local half
	fault 1
	following a
	wait_until 10 numbers_are a 1
	fault 2
	wait_until 10 numbers_are a 1 2
	half=$(echo "mlx5_core 0000:18:00.0: wait_func:1176:(pid 3): MANAGE_PAGES(0x108) timeout. Will cause a leak of a command resource" | kmsg_records 2)
	printf '%s' "${half:0:60}" >>"$LOG"
	wait_until 10 has_read_all
	numbers_are a 1 2
	printf '%s\n' "${half:60}" >>"$LOG"
	wait_until 10 numbers_are a 1 2 3
	stopped
	numbers_are a 1 2 3
	[ ! -s "$BATS_TEST_TMPDIR/a.err" ]
}

@test "SIGINT exits 0, and without a state file the next run reports everything again" {
	fault 1
	following a
	wait_until 10 numbers_are a 1
	kill -INT "$PID"
	ends_with 0 "$PID"
	following b
	wait_until 10 numbers_are b 1
}

@test "with a state file the next run reports nothing twice and misses nothing written meanwhile" {
	fault 1
	following a --state "$STATE"
	wait_until 10 numbers_are a 1
	stopped
	fault 2
	following b --state "$STATE"
	wait_until 10 numbers_are b 2
	fault 3
	wait_until 10 numbers_are b 2 3
	stopped
	# Both runs make one stream.
	[ "$(cat "$BATS_TEST_TMPDIR"/[ab].out | jq -r .source | sort -u | wc -l)" -eq 1 ]
	[ "$(cat "$BATS_TEST_TMPDIR"/[ab].out | jq -r .seq | xargs)" = "1 2 3 4" ]
	following c --state "$STATE"
	fault 4
	wait_until 10 numbers_are c 4
}

# following_here NAME - start logmatch on the log as one of this boot, with a slow clock
following_here() {
	with_slow_clock started "$1" logmatch --kmsg="$LOG" \
		--boot-id-file "$BATS_TEST_TMPDIR/boot_id" --sysfs-root "$BATS_TEST_TMPDIR" \
		--state "$STATE" --confine=off
}

# hours_off NAME MEMBER... - print by how many hours the faults are later than this boot
hours_off() {
	jq -r "select(.errorCode[0] == \"cmd_exec_timeout\") | ${*:2}" "$BATS_TEST_TMPDIR/$1.out" |
		jq -R -r --argjson boot "$(awk '$1 == "btime" { print $2 }' /proc/stat)" \
			'((sub("\\.[0-9]+"; "") | fromdate) - $boot) / 3600 | round' | xargs
}

# device - make $BATS_TEST_TMPDIR/device, a device of which each read gives one record: a line that
# is written to descriptor 7, with `\n` for its line feeds
device() {
	feed_open /usr/bin/python3 -c '
import os, sys, tty
master, slave = os.openpty()
tty.setraw(slave)
os.symlink(os.ttyname(slave), sys.argv[1])
for line in sys.stdin:
    os.write(master, line.encode().replace(b"\\n", b"\n"))
' "$BATS_TEST_TMPDIR/device"
	wait_until 10 test -e "$BATS_TEST_TMPDIR/device"
}

# record NUMBER MICROSECONDS - have the device give a fault with this number
record() {
	printf '4,%s,%s,-;mlx5_core 0000:18:00.0: wait_func:1176:(pid %s): A(0x1) timeout. Will cause a leak of a command resource\\n SUBSYSTEM=pci\\n DEVICE=+pci:0000:18:00.0\n' \
		"$1" "$2" "$1" >&7
}

# following_device NAME - start logmatch on the device
following_device() {
	started "$1" logmatch --kmsg="$BATS_TEST_TMPDIR/device" --state "$STATE" \
		--boot-id-file "$BATS_TEST_TMPDIR/boot_id" --sysfs-root "$BATS_TEST_TMPDIR"
}

# fault_times NAME - print the times of the faults that a process wrote
fault_times() { jq -r 'select(.errorCode[0] == "cmd_exec_timeout").generatedTimestamp' "$BATS_TEST_TMPDIR/$1.out"; }

@test "an event has the time at which it was logged, however far the log's own clock is off" {
	local start end
	start=$(date -u +%FT%T.%6NZ)
	device
	following_device a
	# The baseline event is written after the log was read to its end.
	wait_until 10 has_lines 1 "$BATS_TEST_TMPDIR/a.out" .
	# The clock has stood still since the boot.
	record 0 1000000
	wait_until 10 numbers_are a 0
	[[ $(fault_times a) > $start ]]
	stopped
	# Written while no process reads, with the same clock.
	record 1 1000001
	following_device b
	wait_until 10 numbers_are b 1
	[[ $(fault_times b) > $start ]]
	# The clock is ten years ahead.
	record 2 315360000000000
	wait_until 10 numbers_are b 1 2
	end=$(date -u +%FT%T.%6NZ)
	[[ $(fault_times b | tail -n 1) < $end ]]
	stopped
}

@test "after a clock correction, events have the new time, also after a restart, and none is reported twice" {
	fault 1
	following_here a
	wait_until 10 numbers_are a 1
	touch "$BATS_TEST_TMPDIR/clock-is-set"
	fault 2
	wait_until 10 numbers_are a 1 2
	[ "$(hours_off a .generatedTimestamp)" = '-2 0' ]
	stopped
	# Set the clock back: generatedTimestamp only grows in a stream, and `observed` has the
	# clock's time.
	rm "$BATS_TEST_TMPDIR/clock-is-set"
	fault 3
	following_here b
	wait_until 10 numbers_are b 3
	[ "$(hours_off b .generatedTimestamp) $(hours_off b .metadata.observed)" = '0 -2' ]
	stopped
	touch "$BATS_TEST_TMPDIR/clock-is-set"
	fault 4
	following_here c
	wait_until 10 numbers_are c 4
	[ "$(hours_off c .generatedTimestamp)" = 0 ]
	none grep -q observed "$BATS_TEST_TMPDIR/c.out"
}

@test "a clock that is off by less than a minute does not change the stored boot time" {
	touch "$BATS_TEST_TMPDIR/clock-is-set"
	following_here a
	fault 1
	wait_until 10 numbers_are a 1
	stopped
	local offset boot_ns
	for offset in -30 50; do
		boot_ns=$(jq "$offset * 1000000000 + .boot_time_ns" "$STATE")
		jq -c ".boot_time_ns = $boot_ns" "$STATE" >"$STATE.new"
		mv "$STATE.new" "$STATE"
		fault 2
		following_here b
		wait_until 10 numbers_are b 2
		stopped
		[ "$(jq .boot_time_ns "$STATE")" = "$boot_ns" ]
	done
}

@test "a restart keeps dedup windows, lock-up reports and the faults that a recovery answers" {
	local power="mlx5_core 0000:18:00.0: Detected insufficient power on the PCIe slot (27W)."
	say "$power" "$power" "$power" "$power" "$power" "$power" \
		"mlx5_core 0000:18:00.0: poll_health:802:(pid 0): Fatal error 1 detected" \
		"watchdog: BUG: soft lockup - CPU#5 stuck for 24s! [ksoftirqd/5:40]"
	fault 1
	following a --state "$STATE"
	wait_until 10 numbers_are a 1
	stopped
	say "$power" "$power" "$power" "$power" "$power" "$power" \
		" mlx5e_napi_poll+0x1a2/0x6b0 [mlx5_core]" \
		"mlx5_core 0000:18:00.0: health recovery succeeded" "$power"
	fault 2
	following b --state "$STATE"
	wait_until 10 numbers_are b 2
	[ "$(jq -r '.errorCode[0]' "$BATS_TEST_TMPDIR/a.out" "$BATS_TEST_TMPDIR/b.out" | grep \
		-c pci_power_insufficient)" -eq 11 ]
	jq -e -s --slurpfile a "$BATS_TEST_TMPDIR/a.out" \
		'map(select(.errorCode[0] != "pci_power_insufficient" or .metadata.repeats))
			| map(.errorCode[0]) == ["mlx5_napi_soft_lockup", "recovery_succeeded",
			"pci_power_insufficient", "cmd_exec_timeout"]
		and .[0].metadata.cpu == "5" and .[0].metadata.durationSeconds == "24"
		and (.[0].message | test("CPU#5 stuck for 24s"))
		and (.[1].metadata.answers | split(",") | index($a[7].id) != null)
		and .[2].metadata.repeats == "2"' "$BATS_TEST_TMPDIR/b.out"
}

@test "after a boot the log is read from its beginning, and lock-ups and faults before it do not count" {
	fault 1
	say "watchdog: BUG: soft lockup - CPU#5 stuck for 24s! [ksoftirqd/5:40]"
	fault 2
	following a --state "$STATE"
	wait_until 10 numbers_are a 1 2
	stopped
	boot 2
	: >"$LOG"
	NEXT=0
	fault 3
	say " mlx5e_napi_poll+0x1a2/0x6b0 [mlx5_core]" \
		"mlx5_core 0000:18:00.0: health recovery succeeded"
	fault 4
	following b --state "$STATE"
	wait_until 10 numbers_are b 3 4
	[ "$(jq -r '.errorCode[0] // "-"' "$BATS_TEST_TMPDIR/b.out" | xargs)" \
		= "- cmd_exec_timeout recovery_succeeded cmd_exec_timeout" ]
	# The stream continues: it belongs to the writer, not to the boot.
	[ "$(jq -r .seq "$BATS_TEST_TMPDIR/b.out" | xargs)" = "4 5 6 7" ]
	jq -e -s '.[2].metadata.answers == .[1].id' "$BATS_TEST_TMPDIR/b.out"
}

@test "lost records are a gap record at their position, also across a restart" {
	fault 1
	NEXT=8
	fault 2
	following a --state "$STATE"
	wait_until 10 numbers_are a 1 2
	[ "$(jq -r 'if .kind == "gap" then "gap \(.lost) \(.ts) \(.source == "'"$LOG"'")"
			else .seq end' "$BATS_TEST_TMPDIR/a.out" | xargs)" = \
		"1 2 gap 7 2020-04-23T18:53:21.008000Z true 3" ]
	has_lines 1 "$BATS_TEST_TMPDIR/a.err" \
		'^logmatch: warning: .*/kmsg: 7 records were overwritten before they could be read$'
	stopped
	: >"$LOG"
	NEXT=20
	fault 3
	following b --state "$STATE"
	wait_until 10 numbers_are b 3
	[ "$(jq -r 'if .kind == "gap" then "gap \(.lost)" else .seq end' "$BATS_TEST_TMPDIR/b.out" |
		xargs)" = "gap 11 4" ]
}

@test "an event is written again, unchanged, until it is acknowledged" {
	local source
	fault 1
	fault 2
	following a --state "$STATE" --acks "$ACKS"
	wait_until 10 numbers_are a 1 2
	stopped
	following b --state "$STATE" --acks "$ACKS"
	wait_until 10 numbers_are b 1 2
	cmp "$BATS_TEST_TMPDIR/a.out" "$BATS_TEST_TMPDIR/b.out"
	source=$(head -n 1 "$BATS_TEST_TMPDIR/b.out" | jq -r .source)
	stopped
	echo "{\"version\":1,\"acks\":{\"$source\":2}}" >"$ACKS"
	following c --state "$STATE" --acks "$ACKS"
	fault 3
	wait_until 10 numbers_are c 2 3
	stopped
	echo "{\"version\":1,\"acks\":{\"$source\":4}}" >"$ACKS"
	following d --state "$STATE" --acks "$ACKS"
	fault 4
	wait_until 10 numbers_are d 4
	[ "$(jq -r .seq "$BATS_TEST_TMPDIR/d.out")" = 5 ]
}

# Thorough: tools
@test "a new receiver gets all unacknowledged events again, in order, even if the log is silent" {
	local source pipe=$BATS_TEST_TMPDIR/pipe
	acknowledged() {
		echo "{\"version\":1,\"acks\":{$2},\"receiver\":\"$1\"}" >"$ACKS.new"
		mv "$ACKS.new" "$ACKS"
	}
	mkfifo "$pipe"
	acknowledged first ''
	fault 1
	fault 2
	fault 3
	exec 7<>"$pipe"
	LOG=$pipe following a --state "$STATE" --acks "$ACKS"
	cat "$LOG" >&7
	wait_until 10 numbers_are a 1 2 3
	source=$(head -n 1 "$BATS_TEST_TMPDIR/a.out" | jq -r .source)
	acknowledged second "\"$source\":2"
	wait_until 10 numbers_are a 1 2 3 2 3
	acknowledged third "\"$source\":3"
	wait_until 10 numbers_are a 1 2 3 2 3 3
	[ "$(sort -u "$BATS_TEST_TMPDIR/a.out" | wc -l)" -eq 4 ]
	# New events follow them.
	: >"$LOG"
	fault 4
	acknowledged fourth "\"$source\":3"
	cat "$LOG" >&7
	wait_until 10 has_lines 1 "$BATS_TEST_TMPDIR/a.out" 'pid 4'
	exec 7>&-
	ends_with 0 "$PID"
	numbers_are a 1 2 3 2 3 3 3 4
}

@test "an invalid state file is moved aside, and everything is reported again" {
	local bad
	fault 1
	for bad in 'not JSON' '[]' '{"version":1}' '{"version":2,"source":"x","seq":1}' \
		'{"version":1,"source":"x","seq":"x"}' ''; do
		rm -f "$STATE"*
		printf '%s' "$bad" >"$STATE"
		following a --state "$STATE"
		wait_until 10 numbers_are a 1
		stopped
		echo "$bad: $(cat "$BATS_TEST_TMPDIR/a.err")" >&2
		compgen -G "$STATE.corrupt*" >/dev/null || compgen -G "$STATE?*" | grep -v lock
		jq -e '.version == 1' "$STATE" >/dev/null
	done
}

@test "a state file that another process has locked exits 75" {
	fault 1
	following a --state "$STATE"
	wait_until 10 numbers_are a 1
	match --kmsg="$LOG" --state "$STATE"
	status_is 75 'state.json'
}

# Thorough: tools
@test "a manipulated state file neither crashes logmatch nor stops it from finding faults" {
	local change changes=0
	fault 1
	say "watchdog: BUG: soft lockup - CPU#5 stuck for 24s! [ksoftirqd/5:40]" \
		"mlx5_core 0000:18:00.0: Detected insufficient power on the PCIe slot (27W)."
	fault 2
	following a --state "$STATE"
	wait_until 10 numbers_are a 1 2
	stopped
	cp "$STATE" "$BATS_TEST_TMPDIR/good"
	while read -r change; do
		rm -f "$STATE"*
		jq -c "$change" "$BATS_TEST_TMPDIR/good" >"$STATE"
		following b --state "$STATE"
		fault 3
		wait_until 10 has_lines 1 "$BATS_TEST_TMPDIR/b.out" 'pid 3'
		stopped
		echo "$change" >&2
		: >"$LOG"
		NEXT=$((NEXT - 1))
		changes=$((changes + 1))
	done <<-'END'
		.memory = null
		.memory = []
		.position = -1
		.position = "18446744073709551615" | .boot_id = "x"
		.boot_time_ns = "x"
		.memory |= map_values([])
		.memory |= map_values({"a": 1e300})
		(.memory | .. | numbers) |= -7
		(.memory | .. | numbers) |= 4294967296
		(.memory | .. | strings) |= "\u0000\u001b\ud83d\ude00"
		(.memory | .. | arrays) |= (. + . + .)
		.memory |= map_values(if type == "array" then [range(100000)] else . end)
	END
	[ "$changes" -eq 12 ]
}

@test "a NIC that has vanished is still known by its PCIe port while the log is followed" {
	functions
	fault 1
	following a
	wait_until 10 numbers_are a 1
	# logmatch has only what it learned at the start: the function and its links go before the
	# kernel logs why.
	rm -r "$SYS/bus/pci/devices/0000:18:00.0" "$SYS/bus/pci/devices/0000:18:00.1" \
		"$SYS/devices/pci0000:17/0000:17:01.0"/0000:18:*
	say "pcieport 0000:17:01.0: pciehp: Slot(5): Link Down" \
		"mlx5_core 0000:18:00.0: PCIe Bus Error: severity=Uncorrected (Fatal), type=Inaccessible, (Unregistered Agent ID)" \
		"pcieport 0000:27:01.0: pciehp: Slot(6): Link Down"
	fault 2
	wait_until 10 numbers_are a 1 2
	[ "$(jq -r '[.errorCode[0], (.entitiesImpacted | map(.entityValue) | join("+"))] | join(" ")' "$BATS_TEST_TMPDIR/a.out" | tr '\n' ';')" = \
		"cmd_exec_timeout mlx5_0;pcie_slot_down mlx5_0+mlx5_1;pcie_fatal_error ;cmd_exec_timeout ;" ]
}

@test "NIC names are looked up for each event, since a driver reload changes them" {
	functions
	fault 1
	following a
	wait_until 10 numbers_are a 1
	mv "$SYS/bus/pci/devices/0000:18:00.0/infiniband/mlx5_0" \
		"$SYS/bus/pci/devices/0000:18:00.0/infiniband/rdmap24s0"
	fault 2
	wait_until 10 numbers_are a 1 2
	[ "$(jq -r '.entitiesImpacted[0].entityValue' "$BATS_TEST_TMPDIR/a.out" | xargs)" \
		= "mlx5_0 rdmap24s0" ]
}

@test "a pipe is followed to its end, and then logmatch exits 0" {
	mkfifo "$BATS_TEST_TMPDIR/pipe"
	LOG=$BATS_TEST_TMPDIR/pipe
	following a
	exec 7>"$BATS_TEST_TMPDIR/pipe"
	echo "mlx5_core 0000:18:00.0: wait_func:1176:(pid 1): A(0x1) timeout. Will cause a leak of a command resource" | kmsg_records >&7
	wait_until 10 numbers_are a 1
	# The last record has no line feed.
	printf '4,1,5,-;mlx5_core 0000:18:00.0: wait_func:1176:(pid 2): A(0x1) timeout. Will cause a leak of a command resource\n SUBSYSTEM=pci\n DEVICE=+pci:0000:18:00.0' >&7
	exec 7>&-
	ends_with 0 "$PID"
	numbers_are a 1 2
}

@test "lines that are not records are skipped with one warning" {
	fault 1
	printf 'garbage\n\0\0\n,,,;\n4,x,5,-;text\n%s\n' "$(printf '%0100000d' 0)" >>"$LOG"
	fault 2
	following a
	wait_until 10 numbers_are a 1 2
	stopped
	has_lines 1 "$BATS_TEST_TMPDIR/a.err" 'skipped'
	[ "$(wc -l <"$BATS_TEST_TMPDIR/a.err")" -le 4 ]
}

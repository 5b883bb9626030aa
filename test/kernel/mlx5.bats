#!/usr/bin/env bats
# The real mlx5_core driver fails, and logmatch finds the records that it writes.
#
# The driver is told to take two devices of qemu (bochs-display; see firmware.bash). One says that
# its firmware has failed; the other one's is silent, and the driver waits for 60 s for an answer to
# its first command.
# SPDX-License-Identifier: Apache-2.0

UNHEALTHY=0000:00:06.0
SILENT=0000:00:07.0

setup_file() {
	load ../lib/common
	export LOG=$BATS_FILE_TMPDIR/logmatch
	load firmware
	firmware "$UNHEALTHY" failed
	firmware "$SILENT" silent
	logmatch --kmsg --state "$LOG.state" >"$LOG.out" 2>"$LOG.err" 3>&- &
	local logmatch=$!
	modprobe mlx5_core
	# Not the driver's, but written by us.
	echo "<4>mlx5_core 0000:00:06.0 eth6: TX timeout detected" >/dev/kmsg
	drive
	echo "<4>mlx5_core 0000:00:07.0 eth7: TX timeout detected" >/dev/kmsg
	wait_until 120 has_lines 1 "$LOG.out" '0000:00:07.0(: probe with| failed with)'
	kill -TERM "$logmatch"
	wait "$logmatch" && echo 0 >"$LOG.status" || echo "$?" >"$LOG.status"
	dd if=/dev/kmsg bs=8193 iflag=nonblock status=none 2>/dev/null >"$BATS_FILE_TMPDIR/kmsg" ||
		true
}

setup() { load ../lib/common; }

# found ADDRESS - pattern and severity of each event about it, in order.
found() {
	jq -r --arg pci "$1" 'select(.kind == "event" and .metadata.pci == $pci)
		| .errorCode[0] + (if .isFatal then " fatal" else "" end)' "$LOG.out"
}

# finds ADDRESS LINE... - just those.
finds() { diff <(found "$1") <(printf '%s\n' "${@:2}") >&2; }

# texts - of the events on stdin: their messages, but for what is another one's in each version and
# each boot.
texts() { jq -r 'select(.kind == "event" and (.isHealthy | not)).message' |
	sed -E 's/:[0-9]+:\(pid [0-9]+\):/:N:(pid N):/'; }

@test "the driver's own records of a failed firmware are reported, once each, with the right patterns and the address" {
	finds "$UNHEALTHY" 'fatal_sensor fatal' health_issue 'health_issue_fatal fatal' \
		'fw_syndrome_fatal fatal' \
		'init_one_failed fatal' 'probe_failed fatal'
}

@test "the driver's own records of a command that is never answered are reported, once each, with the right patterns and the address" {
	finds "$SILENT" 'health_poll_failed fatal' 'cmd_exec_timeout fatal' \
		'init_one_failed fatal' 'probe_failed fatal'
}

@test "every event's message is a record of the kernel's behind the one for the new boot, and nothing else was found" {
	[ "$(head -n 1 "$LOG.out" | jq -c '[.isHealthy, .errorCode]')" = '[true,[]]' ]
	tail -n +2 "$LOG.out" | jq -r 'select(.kind == "event").message' \
		>"$BATS_TEST_TMPDIR/messages"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/messages")" -eq 10 ]
	[ "$(jq -r 'select(.kind == "event").metadata.pci // empty' "$LOG.out" | sort | uniq -c |
		xargs)" = "6 $UNHEALTHY 4 $SILENT" ]
	local message
	while read -r message; do
		[ "$(grep -c -F -- ";$message" "$BATS_FILE_TMPDIR/kmsg")" -eq 1 ]
	done <"$BATS_TEST_TMPDIR/messages"
}

@test "nothing has been said on standard error, and logmatch ended in order" {
	cat "$LOG.err"
	[ ! -s "$LOG.err" ]
	[ "$(cat "$LOG.status")" = 0 ]
}

@test "this kernel still says what was recorded of its series" {
	local series
	series=$(uname -r | cut -d . -f 1,2)
	logmatch --format kmsg --boot-time 2026-11-22T00:00:00Z "../logmatch/mlx5-$series.kmsg" \
		>"$BATS_TEST_TMPDIR/recorded"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/recorded")" -eq 10 ]
	diff <(texts <"$LOG.out") <(texts <"$BATS_TEST_TMPDIR/recorded") >&2
}

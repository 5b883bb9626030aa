#!/usr/bin/env bats
# The real mlx5_core driver fails, and logmatch finds the records that it writes.
#
# Two devices of qemu (bochs-display) have a first region of plain memory. What the driver looks at of a firmware's initialization segment is written into it
# (drivers/net/ethernet/mellanox/mlx5, struct mlx5_init_seg), and the driver is told to take them. Nothing ever answers a command. One says in its health buffer that its
# firmware has failed, which the driver finds after 2 s; the other's buffer is clean, and the driver waits for 60 s for an answer to its first command.

UNHEALTHY=0000:00:06.0
SILENT=0000:00:07.0

setup_file() {
	load ../lib/common
	export LOG=$BATS_FILE_TMPDIR/logmatch
	local address
	for address in "$UNHEALTHY" "$SILENT"; do
		firmware "$address"
	done
	logmatch --kmsg --state "$LOG.state" >"$LOG.out" 2>"$LOG.err" 3>&- &
	local logmatch=$!
	modprobe mlx5_core
	echo "<4>mlx5_core 0000:00:06.0 eth6: TX timeout detected" >/dev/kmsg
	# Returns when the driver is done with both.
	echo 1234 1111 >/sys/bus/pci/drivers/mlx5_core/new_id
	echo "<4>mlx5_core 0000:00:07.0 eth7: TX timeout detected" >/dev/kmsg
	wait_until 120 has_lines 1 "$LOG.out" 'eth7: TX timeout detected'
	kill -TERM "$logmatch"
	wait "$logmatch" && echo 0 >"$LOG.status" || echo "$?" >"$LOG.status"
	dd if=/dev/kmsg bs=8193 iflag=nonblock status=none 2>/dev/null >"$BATS_FILE_TMPDIR/kmsg" || true
}

setup() { load ../lib/common; }

# firmware ADDRESS - one that the driver finds there.
firmware() {
	local device=/sys/bus/pci/devices/$1 region
	[ "$(cat "$device/vendor" "$device/device" | xargs)" = '0x1234 0x1111' ]
	read -r region _ <"$device/resource"
	byte() { busybox devmem $((region + $1)) 8 "$2"; }
	echo 1 >"$device/enable"
	byte 0x01 0x23 && byte 0x03 0x10                               # firmware 16.35, minor before major
	byte 0x05 0x05 && byte 0x06 0x07 && byte 0x07 0xd0               # command interface 5, subminor 2000
	byte 0x17 0x56                                                   # 2^5 commands of 2^6 bytes
	[ "$1" = "$SILENT" ] || { byte 0x238 0x83 && byte 0x23d 0x01; }  # rfr, severity 3; syndrome 1
	echo 0 >"$device/enable"
}

# found ADDRESS - pattern and severity of each event about it, in order.
found() {
	jq -r --arg pci "$1" 'select(.kind == "event" and .metadata.pci == $pci) | .errorCode[0] + (if .isFatal then " fatal" else "" end)' "$LOG.out"
}

# finds ADDRESS LINE... - just those.
finds() { diff <(found "$1") <(printf '%s\n' "${@:2}") >&2; }

# texts - of the events on stdin: their messages, but for what is another one's in each version and each boot.
texts() { jq -r 'select(.kind == "event").message' | sed -E 's/:[0-9]+:\(pid [0-9]+\):/:N:(pid N):/'; }

@test "the driver's own records of a failed firmware are reported, once each, with the right patterns and the address" {
	# The first is not the driver's, but written by us.
	finds "$UNHEALTHY" mlx5_tx_timeout_detected 'fatal_sensor fatal' health_issue 'health_issue_fatal fatal' 'fw_syndrome_fatal fatal' \
		'init_one_failed fatal' 'probe_failed fatal'
}

@test "the driver's own records of a command that is never answered are reported, once each, with the right patterns and the address" {
	# The last is not the driver's, but written by us.
	finds "$SILENT" 'health_poll_failed fatal' 'cmd_exec_timeout fatal' 'init_one_failed fatal' 'probe_failed fatal' mlx5_tx_timeout_detected
}

@test "every event's message is a record of the kernel's, and nothing else was found" {
	jq -r 'select(.kind == "event").message' "$LOG.out" >"$BATS_TEST_TMPDIR/messages"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/messages")" -eq 12 ]
	[ "$(jq -r 'select(.kind == "event").metadata.pci' "$LOG.out" | sort | uniq -c | xargs)" = "7 $UNHEALTHY 5 $SILENT" ]
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
	logmatch --format kmsg --boot-time 2026-11-22T00:00:00Z "../logmatch/mlx5-$series.kmsg" >"$BATS_TEST_TMPDIR/recorded"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/recorded")" -eq 10 ]
	diff <(texts <"$LOG.out" | grep -v 'TX timeout') <(texts <"$BATS_TEST_TMPDIR/recorded") >&2
}

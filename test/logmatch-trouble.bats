#!/usr/bin/env bats
# logmatch-trouble: hostile sources of a log, outputs that fail, positions of other logs.
# SPDX-License-Identifier: Apache-2.0

load lib/common
load lib/logmatch

FAULT="mlx5_core 0000:18:00.0: print_health_info:434:(pid 0): synd 0x8: unrecoverable hardware error"

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	mkdir sys
}
teardown() { end_background; }

# follow [OPTION]... - run match() on the records in `log` as a kernel log, through a pipe so that
# it ends
follow() {
	rm -f pipe && mkfifo pipe && { cat log >pipe & }
	match --kmsg=pipe --sysfs-root sys --node n "$@"
}

@test "a gap record escapes any source and any node name, and logmatch goes on" {
	printf 'mlx5_\xff\e[2J: 12 callbacks suppressed\n%s\n' "$FAULT" >log
	match --sysfs-root sys --node $'n\xff' log
	status_is 0
	jq -s -e '.[0].source == "mlx5_\\xff\\x1b[2J" and .[0].lost == 12 and .[0].node == "n\ufffd"
		and .[1].kind == "event"' events
	mkfifo $'log\xff' && { kmsg_records 5 <<<"$FAULT" >$'log\xff' & }
	match --kmsg=$'log\xff' --sysfs-root sys --node n
	jq -s -e '.[0].source == "log\\xff" and .[0].lost == 5 and .[1].kind == "event"' events
}

@test "logs of nodes made from one image, with copies of one state file, give events with different ids" {
	kmsg_records 0 <<<"$FAULT" >log
	follow --state image.json
	for node in a b; do
		cp image.json "$node.json"
		# Another boot, as in a log that begins anew.
		echo "boot-$node" >boot
		follow --state "$node.json" --boot-id-file boot --node "$node"
		status_is 0 "$node.json: belongs to node n, and this is $node: continuing under a \
new source"
		cat events >>all
	done
	[ "$(jq -r 'select(.isFatal).nodeName' all | xargs)" = "a b" ]
	[ -z "$(jq -r .id all | sort | uniq -d)" ]
}

@test "gaps and events that could not be written are written at the next start" {
	[ -c /dev/full ] || skip "left out: no /dev/full"
	{ kmsg_records 0 <<<"one" && kmsg_records 5 <<<"$FAULT"; } >log
	status=0
	timeout 10 logmatch --kmsg=log --state state.json --sysfs-root sys \
		--node n >/dev/full 2>errors || status=$?
	[ "$status" -eq 74 ]
	grep -q '^logmatch: error: stdout: No space left on device$' errors
	follow --state state.json
	[ "$(jq -r '.kind + " " + (.errorCode[0] // "-")' events | xargs)" \
		= "event - gap - event unrecoverable_err" ]
	# They are written only once.
	follow --state state.json
	[ -z "$output" ]
}

# Thorough: tools
@test "a stored position beyond the kernel log's end belongs to another log: this one is read from its start" {
	: <>/dev/kmsg || skip "left out: /dev/kmsg cannot be read and written"
	local past=1000000000000
	# has_read_to NUMBER - return success if the state file records NUMBER or a later position
	has_read_to() { [ "$(jq .position state.json)" -ge "$1" ] &&
		[ "$(jq .position state.json)" -lt "$past" ]; }
	# follow_device NAME - run logmatch until it has read a new line at the end of the log
	follow_device() {
		local mark number
		mark=mark$(od -An -N4 -tx4 /dev/urandom | tr -d ' ')
		started "$1" logmatch --kmsg --state state.json --sysfs-root sys --node n
		echo "$mark" >/dev/kmsg
		number=$(timeout 20 grep -a -m 1 -F "$mark" /dev/kmsg | cut -d , -f 2)
		wait_until 20 has_read_to "$number" 2>/dev/null
		kill -TERM "$PID"
		ends_with 0 "$PID"
	}
	follow_device a
	jq --argjson past "$past" '.position = $past' state.json >changed
	mv changed state.json
	follow_device b
	has_lines 1 b.err "^logmatch: warning: /dev/kmsg: its last record is [0-9]+, and it was read to $past: reading it from its beginning$"
	[ "$(jq .position state.json)" -lt "$past" ]
	follow_device c
	none grep -q 'reading it from its beginning' c.err
}

@test "records with the largest numbers are read once each" {
	printf '6,%s,-;%s\n SUBSYSTEM=pci\n DEVICE=+pci:0000:18:00.0\n' 9999999999999999998,1 \
		"$FAULT 1" 9999999999999999999,2000000 "$FAULT 2" 0,3000000 "$FAULT 3" >log
	follow --dedup-window 0 --state state.json
	SHOW='select(.isHealthy | not).message[-1:]' finds 1 2
	[ "$(grep -o '"lost":"[0-9]*"' events)" = '"lost":"9999999999999999998"'  ]
	follow --dedup-window 0 --state state.json
	[ -z "$output" ]
}

@test "unreadable lines in a row are reported once, with their position and number" {
	{ kmsg_records 0 <<<"a" && printf 'garbage\nmore\n' && kmsg_records 1 <<<"b" &&
		head -c 300000 /dev/zero | tr '\0' x && echo && kmsg_records 2 <<<"c"; } >log
	follow
	diff errors - <<-END
	logmatch: warning: pipe: line 2: not a record of /dev/kmsg: skipped
	logmatch: warning: pipe: 2 lines in a row were skipped
	logmatch: warning: pipe: line 5: longer than a record can be: skipped
	END
	for _ in 1 2 3; do head -c 1200000 /dev/zero | tr '\0' x && echo; done >long
	match --sysfs-root sys long
	diff errors - <<-END
	logmatch: warning: long: at byte 0: a line of more than 1 MiB: skipped
	logmatch: warning: long: 3 lines in a row were skipped
	END
}

@test "a record quoted in a mail is passed on without the quotes" {
	printf '> > {"kind":"scan.begin","v":1}\r\n{"kind":"x"}\n' >log
	match log
	diff events - <<-END
	{"kind":"scan.begin","v":1}
	{"kind":"x"}
	END
}

@test "characters that change the direction of writing are escaped in messages" {
	printf '%s \xe2\x80\xae evil \xe2\x81\xa9 \xe2\x80\xa8\n' "$FAULT" >log
	match --sysfs-root sys log
	[ "$(jq -r .message events)" = "$FAULT"' \xe2\x80\xae evil \xe2\x81\xa9 \xe2\x80\xa8' ]
}

# Thorough: tools
@test "an invalid boot id is reported like an unreadable one, and no event is lost" {
	local id
	kmsg_records 0 <<<"$FAULT" >log
	for id in '' $'\xff\xfe' $'\n'; do
		printf '%s' "$id" >boot_id
		follow --state state.json --boot-id-file boot_id
		SHOW='select(.isHealthy | not).message' finds "$FAULT"
		stderr_has '^logmatch: warning: boot_id: no boot id: cannot remember the position in the log$'
		none grep -q 'is lost' errors
		jq -e '.boot_id == ""' state.json
	done
}

@test "SIGTERM ends logmatch while a FIFO has no writer yet" {
	mkfifo log
	started a logmatch --state state.json log
	wait_until 20 test -e state.json.lock
	# Next it opens the FIFO and sleeps there.
	wait_until 20 grep -q ') S ' "/proc/$PID/stat"
	kill -TERM "$PID"
	ends_with 0 "$PID"
	[ ! -s a.err ]
}

@test "an empty file or directory name is rejected with 64" {
	local option
	for option in --config --sysfs-root --state --acks --boot-id-file --kmsg; do
		run --separate-stderr timeout 10 logmatch "$option="
		status_is 64 "^logmatch: error: $option '': not a file's name"
	done
}

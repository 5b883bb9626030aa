#!/usr/bin/env bats
# lnetread: lnetctl's output from a stream, from a file that is replaced, and from the unit that
# runs lnetctl. The corpus and the unit tests cover the content of a single read.
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() {
	T=$BATS_TEST_TMPDIR
	SHOWN=$ROOT/test/fixtures/lnet
	READ=$ROOT/test/corpus/lnetread/no-interfaces/input
	RECORDED=$FIXTURES/lnet
}

teardown() {
	end_background
	nothing_survives
}

# read_it FILE... - run lnetread on the concatenated files; sets $output, $stderr and $status
read_it() {
	cat "$@" >"$T/in"
	run --separate-stderr timeout 20 lnetread "$T/in"
}

# has FILTER - return success if the filter is true for the array of records
has() {
	jq -s -e "$1" <<<"$output" >/dev/null || {
		echo "not: $1 in: $output" >&2
		return 1
	}
}

# of_netdev NAME FILTER - return success if there is one record of the interface and FILTER is true
# for it
of_netdev() { has 'map(select(.netdev == "'"$1"'")) | length == 1 and (.[0] | '"$2"')'; }

@test "a pulled cable is fatal_error and down with full health, on its own interface only" {
	read_it "$SHOWN"/{net-show-cable-pulled,peer-show,stats-show,global-show}.yaml
	status_is 0
	[ -z "$stderr" ]
	of_netdev eth0 '.status == "down" and .fatal_error == true and .health_value == 1000'
	of_netdev eth1 '.status == "up" and .fatal_error == false'
	has '.[-1] | .kind == "lnet.end" and .nis == 2 and .complete and .health_sensitivity == 100'
}

@test "three pings to an absent host are three network timeouts and no local errors" {
	read_it "$SHOWN"/{net-show,peer-show,stats-show}.yaml
	has 'map(select(.kind == "lnet.peers"))[0].counters.network_timeout == 3'
	has 'map(select(.kind == "lnet.stats"))[0].counters
		| .network_timeout_count == 3 and .local_timeout_count == 0'
	has 'map(select(.kind == "lnet.ni").counters | .timeouts + .error + .dropped) == [0, 0]'
}

@test "of a recorded DGX-2 only one interface has failures, and none has a fatal_error" {
	need_fixtures
	read_it "$RECORDED"/gds-dgx2-degraded-{net-show-v4,stats}.yaml
	status_is 0
	of_netdev ib3 '.health_value == 66 and .counters.timeouts == 1735 and .counters.dropped == 208'
	of_netdev ib0 '.health_value == 1000 and .counters.send_count == 171621'
	has 'all(.[]; has("fatal_error") | not)'
	has 'map(select(.kind == "lnet.stats"))[0].counters.response_timeout_count == 1935'
}

@test "every recorded output yields records without NIDs and addresses" {
	need_fixtures
	local file
	for file in "$RECORDED"/*-{net-show-v4,stats,peer-show}.yaml \
		"$RECORDED"/vm61-{net-show-{healthy,cable-pulled},peer-show,global-show}.txt \
		"$RECORDED"/vm61-stats-*.txt; do
		read_it "$file"
		# Each file is only a part of a read.
		status_is 65 ' it lacks [a-z]+$'
		has '.[-1].kind == "lnet.end"'
		none grep -E '@|[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+' <<<"$output"
	done
}

@test "recorded output of a node without LNet makes an ENETDOWN record and exits 69" {
	need_fixtures
	read_it "$RECORDED/lnet-down.yaml"
	status_is 69 'lnetctl failed: cannot get networks: Network is down$'
	has '. == [.[0]] and .[0].unreadable.net == "ENETDOWN" and .[0].complete == false'
}

@test "an empty input makes one incomplete record and exits 66" {
	run --separate-stderr lnetread </dev/null
	status_is 66 '^lnetread: warning: stdin: it has no output of lnetctl$'
	has 'length == 1 and .[0].complete == false and .[0].unreadable.net == "missing"'
}

@test "a read without a header has this machine's time" {
	run --separate-stderr lnetread - < <(sed '/^#/d' "$READ")
	status_is 0
	has '.[0].boottime_ns as $ns | $ns > 0 and all(.[]; .boottime_ns == $ns)'
	has '.[0].ts | test("^20[0-9]{2}-[0-9-]+T[0-9:.]+Z$")'
}

@test "a header with invalid times makes the read malformed" {
	run --separate-stderr lnetread < <(sed '1s/100.25/soon/' "$READ")
	status_is 65 "^lnetread: warning: stdin: the times in its '# lnetread' line cannot be parsed$"
	has 'length == 1 and .[0].unreadable.statistics == "malformed"'
}

@test "in a stream the records of a read are written before the next read arrives" {
	mkfifo "$T/stream"
	started reader lnetread "$T/stream"
	exec {STREAM}>"$T/stream"
	cat "$READ" >&"$STREAM"
	wait_until 10 has_lines 1 "$T/reader.out" '"kind":"lnet.end"'
	cat "$READ" >&"$STREAM"
	wait_until 10 has_lines 2 "$T/reader.out" '"kind":"lnet.end"'
	exec {STREAM}>&-
	ends_with 0 "$PID"
}

@test "a repeated error is reported once, and again after a good read" {
	local bad=$ROOT/test/corpus/lnetread/bad-not-configured/input
	read_it "$bad" "$bad" "$READ" "$bad"
	status_is 69
	[ "$(grep -c 'Network is down' <<<"$stderr")" -eq 2 ]
	[ "$(wc -l <<<"$stderr")" -eq 2 ]
	has 'map(select(.kind == "lnet.end").complete) == [false, false, true, false]'
}

@test "a bad read does not affect the next one, and the last read decides the exit code" {
	read_it "$ROOT"/test/corpus/lnetread/bad-{yaml,alias,two-in-one}/input "$READ"
	status_is 0
	[ "$(wc -l <<<"$stderr")" -eq 3 ]
	has '.[-1].complete'
}

# replace FILE - put a copy of FILE in place of the file that lnetread follows
replace() { cp "$1" "$T/new" && mv "$T/new" "$T/dir/read"; }
reads_are() { has_lines "$1" "$T/follower.out" '"kind":"lnet.end"'; }

@test "--interval waits for the file, reads it only when it was replaced, and exits 0 on SIGTERM" {
	mkdir "$T/dir"
	started follower lnetread --interval 10ms "$T/dir/read"
	wait_until 10 has_lines 1 "$T/follower.err" ': No such file or directory$'
	replace "$READ"
	wait_until 10 reads_are 1
	replace "$ROOT/test/corpus/lnetread/two-reads/input"
	wait_until 10 reads_are 3
	rm "$T/dir/read"
	wait_until 10 has_lines 2 "$T/follower.err" ': No such file or directory$'
	replace "$ROOT/test/corpus/lnetread/bad-nothing/input"
	wait_until 10 reads_are 4
	kill -TERM "$PID"
	ends_with 0 "$PID"
	reads_are 4
	[ "$(wc -l <"$T/follower.err")" -eq 3 ]
}

@test "--interval rejects a file that others could have written until another one replaces it" {
	cp "$READ" "$T/read"
	chmod 646 "$T/read"
	started follower lnetread --interval 10ms "$T/read"
	wait_until 10 has_lines 1 "$T/follower.err" '^lnetread: warning: .*/read: others may write to it \(mode 0646\)$'
	[ ! -s "$T/follower.out" ]
	cp "$READ" "$T/new"
	chmod 644 "$T/new"
	mv "$T/new" "$T/read"
	wait_until 10 has_lines 1 "$T/follower.out" '"kind":"lnet.end"'
	kill "$PID"
	ends_with 0 "$PID"
}

@test "--interval reads a file once after its mode is corrected, and warns when others may write again" {
	cp "$READ" "$T/read"
	chmod 646 "$T/read"
	started follower lnetread --interval 10ms "$T/read"
	wait_until 10 has_lines 1 "$T/follower.err" ': others may write to it \(mode 0646\)$'
	chmod 644 "$T/read"
	wait_until 10 reads_are 1
	chmod 646 "$T/read"
	wait_until 10 has_lines 2 "$T/follower.err" ': others may write to it \(mode 0646\)$'
	kill "$PID"
	ends_with 0 "$PID"
	reads_are 1
}

@test "--interval rejects a FIFO instead of waiting for its writer" {
	mkfifo "$T/pipe"
	started follower lnetread --interval 10ms "$T/pipe"
	wait_until 10 has_lines 1 "$T/follower.err" ': not a file$'
	kill -TERM "$PID"
	ends_with 0 "$PID"
}

@test "--interval needs a file, and a duration between 10ms and a day" {
	run --separate-stderr lnetread --interval 1s
	status_is 64 '^lnetread: error: --interval needs a FILE'
	run --separate-stderr lnetread --interval 1s -
	status_is 64 '^lnetread: error: --interval needs a FILE'
	run --separate-stderr lnetread --interval 9ms "$READ"
	status_is 64 'less than 10ms'
	run --separate-stderr lnetread --interval 25h "$READ"
	status_is 64 'more than a day'
	run --separate-stderr lnetread one two
	status_is 64 'two'
}

@test "a missing file exits 66, and a directory 74" {
	run --separate-stderr lnetread "$T/none"
	status_is 66 "^lnetread: error: $T/none: No such file or directory$"
	run --separate-stderr lnetread "$T"
	status_is 74 "^lnetread: error: $T: Is a directory$"
}

@test "a write error exits 74" {
	run --separate-stderr bash -c 'lnetread "$1" >/dev/full' _ "$READ"
	status_is 74 '^lnetread: error: stdout: No space left on device$'
}

# run_unit - run the unit's ExecStart= with the lnetctl in $T/bin; it writes to $T/run
run_unit() {
	local script
	script=$(sed -n '/^ExecStart=/,/[^\\]$/p' "$ROOT/dist/nic-health-monitor-lnet.service")
	script=${script#"ExecStart=/bin/sh -c '"} script=${script%"'"}
	script=${script//\\$'\n'/}
	script=${script//%%/%}
	mkdir -p "$T/run"
	PATH=$T/bin:$PATH RUNTIME_DIRECTORY=$T/run /bin/sh -c "${script//\$\$/\$}"
}

# make_lnetctl - put the script on stdin in place of lnetctl
make_lnetctl() {
	mkdir -p "$T/bin"
	{ echo '#!/bin/sh' && cat; } >"$T/bin/lnetctl"
	chmod +x "$T/bin/lnetctl"
}

@test "the unit writes a complete read with its times, and replaces it the next time" {
	make_lnetctl <<<"cat '$SHOWN/'\"\$1-\$2.yaml\""
	run_unit
	run --separate-stderr lnetread "$T/run/read"
	status_is 0
	[ -z "$stderr" ]
	has '.[-1] | .complete and .nis == 2 and .health_sensitivity == 100'
	has 'any(.[]; .kind == "lnet.peers") and any(.[]; .kind == "lnet.stats")'
	# The header has the kernel's uptime: the time of the read is not later than now.
	has ".[-1].boottime_ns / 1e9 <= $(cut -d ' ' -f 1 /proc/uptime)"
	make_lnetctl <<<'echo "show: [{$1: {errno: -1}}]" >&2; exit 1'
	run_unit
	read_it "$T/run/read"
	status_is 77 'lnetctl failed: EPERM$'
	[ "$(ls "$T/run")" = read ]
}

#!/usr/bin/env bats
# cli: every program's --help, --version and rejection of wrong options, and a manual with the same
# options.
# SPDX-License-Identifier: Apache-2.0

load lib/common

PROGRAMS="ibscan ibevent rdmatrace topoclass topoparse lnetread ctreval logmatch correlate
	blastradius fleetread fleetview fleetpage fleetsetup emit nicdiff nichist nicsilence
	nicview nicwhy niccheck pcitopo nic-health-monitor nhm-capture nhm"

manual() { ls "$ROOT"/tools/*/"$1.1"; }

@test "--help prints to stdout, fits 100 columns and exits 0" {
	for p in $PROGRAMS; do
		run --separate-stderr "$p" --help
		status_is 0
		[ -z "$stderr" ]
		[[ "${lines[0]}" == "Usage: $p [OPTION]..."* ]]
		[ "$(awk 'length > 100' <<<"$output")" = "" ]
		[ "$("$p" -h)" = "$output" ]
	done
}

@test "--version names the program and the project" {
	for p in $PROGRAMS; do
		run --separate-stderr "$p" --version
		status_is 0
		[[ "$output" =~ ^$p\ \(nic-health-monitor\)\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
		[ "$("$p" -V)" = "$output" ]
	done
}

@test "a wrong option gives one line that names it and points to --help, and exits 64" {
	for p in $PROGRAMS; do
		for wrong in --nope -Z --help=x; do
			run --separate-stderr "$p" "$wrong"
			status_is 64 "^$p: error: .*'${wrong%=*}.*\(try '$p --help'\)$"
			[ -z "$output" ]
			[ "$(wc -l <<<"$stderr")" -eq 1 ]
		done
	done
}

@test "--help that cannot be written exits 74" {
	for p in $PROGRAMS; do
		run --separate-stderr bash -c '"$1" --help >/dev/full' _ "$p"
		status_is 74 "^$p: error: stdout: No space left on device$"
		run --separate-stderr bash -c '"$1" --help >&-' _ "$p"
		status_is 74 "^$p: error: stdout: Bad file descriptor$"
		[ "$(wc -l <<<"$stderr")" -eq 1 ]
	done
}

@test "the manual has the same options as --help, in the same order and with the same values" {
	for p in $PROGRAMS; do
		diff <("$p" --help | sed -n -E 's/^ {2,6}(-., )?--([a-z0-9-]+)( ([A-Z]+))?.*/\2 \4/p' |
			sed 's/ *$//') \
			<(sed -n -E \
			'/^\.Sh OPTIONS/,/^\.Sh [^O]/s/^\.It (Fl . , )?Fl -([a-z0-9-]+)( Ar ([A-Z]+))?.*/\2 \4/p' "$(manual "$p")" | sed 's/ *$//')
	done
}

@test "the manual of logmatch has each pattern with the severity that --list has, in the same order" {
	diff <(logmatch --list | sed -n -E 's/^([a-z0-9_]+) \((core|extended), (.*)\)$/\1 \3/p' |
		sed 's/fatal on a physical function/fatal on PF/') \
		<(sed -n -E 's/^\.It ([a-z0-9_]+)\*? Ta (fatal|non-fatal|fatal on PF|healthy) Ta .*/\1 \2/p' "$(manual logmatch)")
}

@test "a message escapes control characters" {
	run --separate-stderr ibscan $'--sysfs-root=/\033[31m\nx'
	status_is 66
	grep -q -F '/\x1b[31m\x0ax: No such file' <<<"$stderr"
	[ "$(wc -l <<<"$stderr")" -eq 1 ]
}

@test "a closed stdin gives an error and exits 74, whatever else the program opens" {
	local command
	for command in 'ibscan --format table -' nicview 'topoclass --no-metadata' topoparse \
		lnetread ctreval \
		logmatch correlate blastradius emit; do
		run --separate-stderr timeout 10 bash -c 'exec $1 <&-' _ "$command"
		status_is 74 "^${command%% *}: error: stdin: Bad file descriptor$"
	done
}

@test "a closed stdout exits 74, and the output goes into no other file" {
	local command
	for command in 'ibscan --format table -' 'ibscan --format prometheus -' nicview; do
		run --separate-stderr timeout 10 bash -c 'exec $1 >&-' _ "$command" \
			<<<'{"kind":"scan.begin","v":1,"scan":1,"ts":"x","boottime_ns":1}'
		status_is 74 "^${command%% *}: error: stdout: Bad file descriptor$"
	done
}

@test "a C library that asks a terminal with TCGETS2, as that of 2025, ends no confined program" {
	local library=$BATS_TEST_TMPDIR/tcgets2.so
	"${CC:-cc}" -O2 -D_GNU_SOURCE -fPIC -shared -o "$library" "$ROOT/test/lib/tcgets2.c"
	ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0:${ASAN_OPTIONS-} LD_PRELOAD=$library \
		run --separate-stderr fleetview </dev/null
	status_is 0
	[ -n "$output" ]
}

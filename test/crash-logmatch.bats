#!/usr/bin/env bats
# crash-logmatch: kill logmatch and its receiver at random moments while a kernel log grows; no
# event is missing or repeated. The crash test catches planted flaws.
#
# NHM_CRASH_KILLS is the number of kills, NHM_CRASH_SEED sets log and moments; a failed run prints
# it.
# Thorough: crash
# SPDX-License-Identifier: Apache-2.0

load lib/common
load lib/crash

teardown() { end_background; }

CRASH=$BATS_TEST_DIRNAME/crash/logmatch-crash
FAKE=$BATS_TEST_DIRNAME/crash/fake-logmatch

# crash_fake FLAW [OPTION]... - run the crash test on a fake logmatch with this flaw.
crash_fake() {
	crashed "$1" "$CRASH" --kills 40 --lines 400 --patience 2 \
		--program "$FAKE --flaw $1" --reference "$FAKE" "${@:2}"
}

@test "logmatch, killed repeatedly while a log grows, finds what an undisturbed run finds, once and in order" {
	kills_for_real
}

@test "the crash test of logmatch passes a program without a flaw" {
	crash_fake none
	passed_after 40
}

@test "the crash test of logmatch catches lost faults and log lines that were never read" {
	crash_fake lose
	caught '(hole: fake[0-9a-f-]+ never came|the last fault of the log never came)'
	crash_fake skip
	caught '(event missing: day [0-9]+: |the last fault of the log never came)'
}

@test "the crash test of logmatch catches a fault that is reported twice" {
	crash_fake twice
	caught 'event without cause, or twice: day [0-9]+: '
	crash_fake amnesia
	caught 'event without cause, or twice: day [0-9]+: '
}

@test "the crash test of logmatch catches a record written in two pieces" {
	crash_fake tear
	caught 'a torn line, the program was killed inside a record: '
}

@test "the crash test of logmatch catches a state file without the unacknowledged events" {
	crash_fake outboxless
	caught '(hole: fake[0-9a-f-]+ never came|the last fault of the log never came)'
}

@test "the crash test of logmatch catches a wrong order, and references to events that do not exist" {
	crash_fake backwards
	caught 'order or references differ: day [0-9]+: '
	none grep -q -E 'missing|without cause' <<<"$output"
	crash_fake unrelated
	caught 'order or references differ: day [0-9]+: .*unknown none'
}

@test "the crash test of logmatch catches a program that does not resend what its receiver lost" {
	crash_fake deaf --lines 3000
	caught '([0-9]+ events that an earlier receiver had read|the last fault of the log never came)'
}

@test "the crash test of logmatch catches forgotten gaps" {
	crash_fake gapless
	caught 'gap missing: day [0-9]+: [0-9]+ of mlx5_cmd_out_err'
}

@test "the crash test of logmatch catches a program that does not detect a boot" {
	crash_fake reboot --patience 1
	caught '(event missing: day [1-9]|the last fault of the log never came)'
}

@test "the crash test of logmatch catches a program that exits, and one that hangs" {
	crash_fake quit
	caught 'the program ended by itself, exit code 3'
	crash_fake hang --patience 1
	caught 'nothing came out for 1.0 s'
}

@test "the crash test of logmatch leaves no process and no directory behind when it is terminated" {
	ends_in_order 1000000 "$FAKE"
}

@test "the crash test of logmatch rejects invalid options with exit code 64" {
	run "$CRASH" --kills -1
	[ "$status" -eq 64 ]
	run "$CRASH" --no-such-option
	[ "$status" -eq 64 ]
}

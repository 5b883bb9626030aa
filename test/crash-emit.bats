#!/usr/bin/env bats
# crash-emit: kill emit, its writers, its server and their supervisor at random moments; every event
# arrives in order and is stored once.
#
# NHM_CRASH_KILLS is the number of kills, NHM_CRASH_SEED sets logs and moments; a failed run prints
# it.
# Thorough: crash
# SPDX-License-Identifier: Apache-2.0

load lib/common
load lib/crash

teardown() { end_background; }

CRASH=$BATS_TEST_DIRNAME/crash/emit-crash

@test "when emit, its writers, its server and their supervisor are killed, each event arrives in order and is stored once" {
	kills_for_real
}

@test "the crash test of emit leaves no process and no directory behind when it is terminated" {
	ends_in_order 10000 "$BATS_TEST_DIRNAME/crash/fake-emit"
}

@test "the crash test of emit rejects invalid options with exit code 64" {
	run "$CRASH" --kills 0
	[ "$status" -eq 64 ]
	run "$CRASH" --no-such-option
	[ "$status" -eq 64 ]
}

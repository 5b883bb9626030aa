#!/usr/bin/env bats
# The whole way of events killed at random moments, piece by piece and all at once: every event
# arrives, in order, and is stored once.
#
# NHM_CRASH_KILLS is how often, NHM_CRASH_SEED what chooses logs and moments: printed by a run that
# failed.
# Thorough: crash
# SPDX-License-Identifier: Apache-2.0

load lib/common
load lib/crash

teardown() { end_background; }

CRASH=$BATS_TEST_DIRNAME/crash/emit-crash

@test "emit, its writers, its server and their supervisor killed again and again: every event arrives in order, and is stored once" {
	kills_for_real
}

@test "the crash test of emit leaves no process behind and no directory, also when it is told to stop" {
	ends_in_order 10000 "$BATS_TEST_DIRNAME/crash/fake-emit"
}

@test "the crash test of emit refuses options that make no sense" {
	run "$CRASH" --kills 0
	[ "$status" -eq 64 ]
	run "$CRASH" --no-such-option
	[ "$status" -eq 64 ]
}

#!/usr/bin/env bats
# What receivers believe is what stands: random stories told to ctreval, and the test that says so
# can fail.
#
# NHM_BELIEF_STORIES is how many, NHM_BELIEF_SEED the first: printed by a run that failed. `make
# check-belief` tells thousands.
# Thorough: tools
# SPDX-License-Identifier: Apache-2.0

load lib/common

belief() { "$BATS_TEST_DIRNAME/belief/belief" "$@"; }

# found FLAW - the property is broken on purpose, and that is seen.
found() {
	run belief --stories 100 --seed 1 --long --first --jobs 1 --flaw "$1"
	[ "$status" -eq 1 ]
	[[ ${lines[-1]} =~ ^belief:\ [0-9]+\ passed,\ [0-9]+\ failed$ ]]
	[[ $output = *'! '*'does not '* ]]
}

@test "after each batch of a random story every receiver believes what stands for ctreval, and in the end nothing" {
	local seed=() stories=${NHM_BELIEF_STORIES:-${NHM_THOROUGH:+300}}
	stories=${stories:-100}
	[ -z "${NHM_BELIEF_SEED-}" ] || seed=(--seed "$NHM_BELIEF_SEED")
	run belief --stories "$stories" "${seed[@]}"
	echo "$output"
	[ "$status" -eq 0 ]
	[ "${lines[-1]}" = "belief: $stories passed, 0 failed" ]
}

@test "the test finds a recovery whose code is left out" { found code; }
@test "the test finds events of one scan that have the same time" { found stamp; }
@test "the test finds a clear with a later time than the events that follow it" { found clear; }
@test "the test finds a rename after which what stands is not reported again" { found rename; }
@test "the test finds an old batch that is delivered after a newer one" { found batch; }

@test "a story that fails is shortened, and the command that repeats it gives the same story" {
	local again
	run belief --stories 1 --seed "$(failing_seed)" --flaw batch
	[ "$status" -eq 1 ]
	again=$(grep -o -E -- '--seed [0-9]+ --stories 1 --steps [0-9,-]+' <<<"$output")
	grep -E '^  ' <<<"$output" >"$BATS_TEST_TMPDIR/first"
	# shellcheck disable=SC2086 # options
	run belief $again --flaw batch
	[ "$status" -eq 1 ]
	grep -E '^  ' <<<"$output" | diff "$BATS_TEST_TMPDIR/first" -
	# None of its steps can be left out.
	[ "$(grep -c '^  [a-z]' "$BATS_TEST_TMPDIR/first")" -lt 15 ]
}

# failing_seed - of the first story that the flaw breaks.
failing_seed() {
	belief --stories 20 --seed 1 --long --first --jobs 1 --flaw batch |
		sed -n -E 's/^belief: seed ([0-9]+):.*/\1/p' | head -n 1
}

@test "options that make no sense are refused" {
	run belief --stories 0
	[ "$status" -eq 64 ]
	run belief --steps 1
	[ "$status" -eq 64 ]
	[[ $output = *'--steps needs --seed N --stories 1'* ]]
	run belief --without breakfast
	[ "$status" -eq 64 ]
	[[ $output = *'--without: unknown: breakfast'* ]]
	run belief --program false --stories 1 --seed 1
	[ "$status" -eq 1 ]
	[[ $output = *'ctreval ended with 1'* ]]
}

#!/usr/bin/env bats
# belief: receivers believe exactly what stands, in random stories fed to ctreval; and the test
# detects planted flaws.
#
# NHM_BELIEF_STORIES is the number of stories, NHM_BELIEF_SEED the first seed; a failed run prints
# it. `make check-belief` plays thousands.
# Thorough: tools
# SPDX-License-Identifier: Apache-2.0

load lib/common

belief() { "$BATS_TEST_DIRNAME/belief/belief" "$@"; }

# found FLAW - check that the test detects the planted flaw.
found() {
	run belief --stories 100 --seed 1 --long --first --jobs 1 --flaw "$1"
	[ "$status" -eq 1 ]
	[[ ${lines[-1]} =~ ^belief:\ [0-9]+\ passed,\ [0-9]+\ failed$ ]]
	[[ $output = *'! '*'does not '* ]]
}

@test "after each batch of a random story each receiver believes what stands in ctreval, and nothing after the last one" {
	local seed=() stories=${NHM_BELIEF_STORIES:-${NHM_THOROUGH:+300}}
	stories=${stories:-100}
	[ -z "${NHM_BELIEF_SEED-}" ] || seed=(--seed "$NHM_BELIEF_SEED")
	run belief --stories "$stories" "${seed[@]}"
	echo "$output"
	[ "$status" -eq 0 ]
	[ "${lines[-1]}" = "belief: $stories passed, 0 failed" ]
}

@test "the test detects a recovery without its error code" { found code; }
@test "the test detects events of one scan that have the same time" { found stamp; }
@test "the test detects a clear with a later time than the events that follow it" { found clear; }
@test "the test detects a rename after which standing faults are not reported under the new name" { found rename; }
@test "the test detects a node's new name after which standing faults remain under the former name" { found node; }
@test "the test detects an old batch that is delivered after a newer one" { found batch; }

@test "a failing story is shortened, and the printed command replays the same story" {
	local again
	run belief --stories 1 --seed "$(failing_seed)" --flaw batch
	[ "$status" -eq 1 ]
	again=$(grep -o -E -- '--seed [0-9]+ --stories 1 --steps [0-9,-]+' <<<"$output")
	grep -E '^  ' <<<"$output" >"$BATS_TEST_TMPDIR/first"
	# shellcheck disable=SC2086 # options
	run belief $again --flaw batch
	[ "$status" -eq 1 ]
	grep -E '^  ' <<<"$output" | diff "$BATS_TEST_TMPDIR/first" -
	# Shortening removes the steps that are not needed.
	[ "$(grep -c '^  [a-z]' "$BATS_TEST_TMPDIR/first")" -lt 15 ]
}

# failing_seed - print the seed of the first story that breaks with the flaw.
failing_seed() {
	belief --stories 20 --seed 1 --long --first --jobs 1 --flaw batch |
		sed -n -E 's/^belief: seed ([0-9]+):.*/\1/p' | head -n 1
}

@test "belief rejects invalid options with exit code 64, and reports a ctreval that fails" {
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

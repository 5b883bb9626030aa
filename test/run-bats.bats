#!/usr/bin/env bats
# run-bats: results of failing, hanging and left-out tests. The files that it runs here are made up.
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2016 # what is in single quotes is for the made-up files

setup() {
	export SUITE=$BATS_TEST_TMPDIR/suite MEMORY=$BATS_TEST_TMPDIR/memory
	mkdir "$SUITE" "$MEMORY"
	unset STRICT NHM_THOROUGH WITHOUT TEST_NAME
}

# suite FILE LINE... - make a file of tests
suite() { printf '%s\n' "${@:2}" >"$SUITE/$1"; }

# run_suite - run these files as `make check` runs the project's
run_suite() { run "$BATS_TEST_DIRNAME/run-bats"; }

@test "a test that always fails is run three times and fails the run" {
	suite a.bats '@test "passes" { :; }' \
		'@test "never (at all)" { echo x >>"$MEMORY/never"; false; }'
	run_suite
	[ "$status" -eq 1 ]
	[ "$(wc -l <"$MEMORY/never")" -eq 3 ]
	[ "${lines[-1]}" = "bats: 1 passed, 1 failed, 0 skipped, 0 unsteady" ]
	[[ "$output" != *unsteady:* ]]
}

@test "a test that fails once is reported as unsteady, the run passes, and passed tests do not run again" {
	suite a.bats '@test "passes" { echo x >>"$MEMORY/passes"; }' \
		'@test "fails once: 50% [sic] + (more)?" { ! mkdir "$MEMORY/once"; }'
	run_suite
	[ "$status" -eq 0 ]
	[ "$(wc -l <"$MEMORY/passes")" -eq 1 ]
	[[ "$output" == *$'\nunsteady: a.bats: fails once: 50% [sic] + (more)?\n'* ]]
	[ "${lines[-1]}" = "bats: 2 passed, 0 failed, 0 skipped, 1 unsteady" ]
}

@test "a file with a hanging test is killed and run again" {
	suite a.bats '@test "hangs once" { mkdir "$MEMORY/hung" || return 0; sleep 600; }' \
		'@test "passes" { :; }'
	FILE_TIMEOUT=15 run_suite
	[ "$status" -eq 0 ]
	[[ "$output" == *$'\nunsteady: a.bats: the whole file\n'* ]]
	[ "${lines[-1]}" = "bats: 2 passed, 0 failed, 0 skipped, 1 unsteady" ]
}

@test "a file that dies in the middle each time fails the run" {
	suite a.bats '@test "ends" { kill -KILL $PPID $$; }' '@test "passes" { :; }'
	suite b.bats '@test "passes" { :; }'
	run_suite
	[ "$status" -eq 1 ]
	[[ "$output" == *"run-bats: a.bats: not every test that was planned has a result"* ]]
	[[ "$output" == *"# a.bats, asked again for the second time: the whole file"* ]]
	[ "${lines[-1]}" = "bats: 1 passed, 1 failed, 0 skipped, 0 unsteady" ]
}

@test "more than five unsteady tests fail the run" {
	local n
	for n in 1 2 3 4 5 6; do
		echo "@test \"number $n\" { ! mkdir \"\$MEMORY/$n\"; }"
	done >"$SUITE/a.bats"
	run_suite
	[ "$status" -eq 1 ]
	[[ "$output" == *"more than 5 unsteady tests fail a run"* ]]
	[ "${lines[-1]}" = "bats: 6 passed, 0 failed, 0 skipped, 6 unsteady" ]
}

@test "tests marked as a part of .ci/thorough are left out of a whole run and run on request" {
	suite a.bats '' '@test "passes" { :; }' '# Thorough: tools' '@test "takes long" { :; }'
	suite b.bats '# Thorough: crash' '' '@test "kills" { :; }'
	run_suite
	[ "$status" -eq 0 ]
	[[ "$output" == *"left out: b.bats 1 tests of other files "* ]]
	[ "${lines[-1]}" = "bats: 1 passed, 0 failed, 0 skipped, 0 unsteady" ]
	NHM_THOROUGH=1 run_suite
	[ "${lines[-1]}" = "bats: 3 passed, 0 failed, 0 skipped, 0 unsteady" ]
	run "$BATS_TEST_DIRNAME/run-bats" a
	[ "${lines[-1]}" = "bats: 2 passed, 0 failed, 0 skipped, 0 unsteady" ]
	TEST_NAME=long run_suite
	[ "${lines[-1]}" = "bats: 1 passed, 0 failed, 0 skipped, 0 unsteady" ]
}

@test "a run without any test fails" {
	suite a.bats '# Thorough: crash' '' '@test "kills" { :; }'
	run_suite
	[ "$status" -eq 1 ]
	[[ "$output" == *"run-bats: no tests were run"* ]]
}

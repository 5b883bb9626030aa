#!/usr/bin/env bats
# test/run-bats: what becomes of a test that fails. The files it runs here are made up.

setup() {
	export SUITE=$BATS_TEST_TMPDIR/suite MEMORY=$BATS_TEST_TMPDIR/memory
	mkdir "$SUITE" "$MEMORY"
	unset STRICT NHM_THOROUGH WITHOUT
}

# suite FILE LINE... - a made-up file of tests.
suite() { printf '%s\n' "${@:2}" >"$SUITE/$1"; }

# again - runs the made-up files as `make check` does.
again() { run "$BATS_TEST_DIRNAME/run-bats"; }

@test "a test that always fails is asked three times, and fails the run" {
	# shellcheck disable=SC2016 # for the made-up file
	suite a.bats '@test "passes" { :; }' '@test "never (at all)" { echo x >>"$MEMORY/never"; false; }'
	again
	[ "$status" -eq 1 ]
	[ "$(wc -l <"$MEMORY/never")" -eq 3 ]
	[ "${lines[-1]}" = "bats: 1 passed, 1 failed, 0 skipped, 0 unsteady" ]
	[[ "$output" != *unsteady:* ]]
}

@test "a test that fails once is named as unsteady, and the run passes; what passed is not run again" {
	# shellcheck disable=SC2016 # for the made-up file
	suite a.bats '@test "passes" { echo x >>"$MEMORY/passes"; }' \
		'@test "fails once: 50% [sic] + (more)?" { echo x >>"$MEMORY/once"; [ "$(wc -l <"$MEMORY/once")" -eq 2 ]; }'
	again
	[ "$status" -eq 0 ]
	[ "$(wc -l <"$MEMORY/passes")" -eq 1 ]
	[[ "$output" == *$'\nunsteady: a.bats: fails once: 50% [sic] + (more)?\n'* ]]
	[ "${lines[-1]}" = "bats: 2 passed, 0 failed, 0 skipped, 1 unsteady" ]
}

@test "a test that hangs is ended and asked again, with its file's other tests unharmed" {
	# shellcheck disable=SC2016 # for the made-up file
	suite a.bats '@test "hangs once" { mkdir "$MEMORY/hung" 2>/dev/null || return 0; sleep 60; }' '@test "passes" { :; }'
	BATS_TEST_TIMEOUT=2 again
	[ "$status" -eq 0 ]
	[[ "$output" == *$'\nunsteady: a.bats: hangs once\n'* ]]
	[ "${lines[-1]}" = "bats: 2 passed, 0 failed, 0 skipped, 1 unsteady" ]
}

@test "a file that ends in the middle is asked again as a whole, and fails the run if it does so each time" {
	# shellcheck disable=SC2016 # for the made-up files
	suite a.bats '@test "passes" { :; }' '@test "ends" { mkdir "$MEMORY/ended" 2>/dev/null || return 0; kill -KILL $PPID; }'
	suite b.bats '@test "hangs for ever" { trap "" TERM; while :; do sleep 1; done; }' '@test "passes" { :; }'
	FILE_TIMEOUT=2 again
	[ "$status" -eq 1 ]
	[[ "$output" == *"run-bats: b.bats: not every test that was planned has a result"* ]]
	[[ "$output" == *"# b.bats, asked again for the second time: the whole file"* ]]
	[[ "${lines[-1]}" == "bats: "*", 1 failed, 0 skipped, "* ]]
}

@test "more than five unsteady tests fail the run" {
	local n
	for n in 1 2 3 4 5 6; do
		# shellcheck disable=SC2016 # for the made-up file
		echo "@test \"number $n\" { mkdir \"\$MEMORY/$n\" && return 1 || return 0; }"
	done >"$SUITE/a.bats"
	again
	[ "$status" -eq 1 ]
	[[ "$output" == *"more than 5 unsteady tests fail a run"* ]]
	[ "${lines[-1]}" = "bats: 6 passed, 0 failed, 0 skipped, 6 unsteady" ]
}

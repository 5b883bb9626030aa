# crash - helpers of the bats files about killed programs; CRASH is the crash test.
# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0

# crashed FLAW COMMAND... - run the crash test on a program with this flaw, or none. The kills come
# at random moments, and sometimes none comes when the flaw shows: then try two more seeds.
crashed() {
	local first=${NHM_CRASH_SEED:-1} seed
	for ((seed = first; seed < first + 3; seed++)); do
		run "${@:2}" --seed "$seed"
		[ "$1" != none ] && [ "$status" -eq 0 ] || return 0
	done
}

# caught REGEX - check that the flaw was found with this message
caught() {
	if [ "$status" -ne 1 ] || ! grep -q -E -- "$1" <<<"$output"; then
		printf 'exit code %s, and no %s in:\n%s\n' "$status" "$1" "$output" >&2
		return 1
	fi
}

# works_somewhere - return success if the run that was started has its directory
works_somewhere() {
	compgen -G "/dev/shm/${CRASH##*/}.$PID.*" || compgen \
		-G "${TMPDIR:-/tmp}/${CRASH##*/}.$PID.*"
}

# ends_in_order KILLS PROGRAM - check that a run ended by SIGTERM leaves neither a process nor a
# directory
ends_in_order() {
	started crash "$CRASH" --kills "$1" --program "$2"
	wait_until 10 has_lines 1 "$BATS_TEST_TMPDIR/crash.out"
	wait_until 10 works_somewhere
	kill -TERM "$PID"
	ends_with 143 "$PID"
	none works_somewhere
	nothing_survives
}

# kills_for_real - run the crash test on the real program: NHM_CRASH_KILLS times (500; .ci/thorough
# sets 1000), at moments chosen by NHM_CRASH_SEED
kills_for_real() {
	local seed=()
	[ -z "${NHM_CRASH_SEED-}" ] || seed=(--seed "$NHM_CRASH_SEED")
	"$CRASH" --kills "${NHM_CRASH_KILLS:-500}" "${seed[@]}"
	nothing_survives
}

# passed_after N - check that the crash test succeeded after N kills
passed_after() {
	[ "$status" -eq 0 ] || {
		echo "$output" >&2
		return 1
	}
	grep -q " $1 kills " <<<"$output"
}

# crash - what the bats files about programs that are killed share; CRASH is the crash test.
# shellcheck shell=bash

# caught REGEX - it was found, and said what.
caught() {
	if [ "$status" -ne 1 ] || ! grep -q -E -- "$1" <<<"$output"; then
		printf 'exit code %s, and no %s in:\n%s\n' "$status" "$1" "$output" >&2
		return 1
	fi
}

# works_somewhere - the run that was started has its directory.
works_somewhere() {
	compgen -G "/dev/shm/${CRASH##*/}.$PID.*" || compgen -G "${TMPDIR:-/tmp}/${CRASH##*/}.$PID.*"
}

# kills_for_real - the run on the program itself: NHM_CRASH_KILLS is how often (500; .ci/run says 2000), NHM_CRASH_SEED what chooses the moments.
kills_for_real() {
	local seed=()
	[ -z "${NHM_CRASH_SEED-}" ] || seed=(--seed "$NHM_CRASH_SEED")
	"$CRASH" --kills "${NHM_CRASH_KILLS:-500}" "${seed[@]}"
	nothing_survives
}

# passed_after N - the crash test was content after so many kills.
passed_after() {
	[ "$status" -eq 0 ] || {
		echo "$output" >&2
		return 1
	}
	grep -q " $1 kills " <<<"$output"
}

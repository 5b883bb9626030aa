# jobs - what .ci/run and .ci/thorough share: jobs one after the other, and the sum of what came of
# them.
# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0

passed=0 failed=0
log=$(mktemp) findings=$(mktemp)
trap 'rm -f "$log" "$findings"' EXIT
# A skipped test fails the run.
export STRICT=1
# What only a developer's terminal has must not hide what fails without it.
unset SHELL TERM

# findings_in LOG - the tests that failed, each with the first lines of why, and the unsteady ones:
# in a log of hours, what has to be read stands together.
findings_in() {
	awk '/^[A-Za-z0-9_-]*:? ?not ok / { print; left = 15; next }
		/^unsteady: / { print; next }
		/^[[:space:]]*#/ && left > 0 { print; left--; next }
		{ left = 0 }' "$1"
}

# job NAME COMMAND... - runs it, and adds up what its test runners say.
job() {
	local name=$1 status start=$SECONDS p f
	shift
	echo "== $name"
	"$@" 2>&1 | tee "$log"
	status=${PIPESTATUS[0]}
	while read -r p f; do
		passed=$((passed + p)) failed=$((failed + f))
	done < <(sed -n -E 's/^[a-z]+: ([0-9]+) passed, ([0-9]+) failed.*/\1 \2/p' "$log")
	if [ "$status" -eq 0 ]; then
		passed=$((passed + 1))
		echo "== $name: $((SECONDS - start)) s"
	else
		failed=$((failed + 1))
		echo "-- $name failed" >>"$findings"
		echo "== $name FAILED ($status), $((SECONDS - start)) s"
	fi
	findings_in "$log" >>"$findings"
}

# closing - what failed or is unsteady, once more and together; then the sum. Fails when anything
# did.
closing() {
	[ ! -s "$findings" ] || { echo "== what failed or is unsteady" && cat "$findings"; }
	echo "$passed passed, $failed failed"
	[ "$failed" -eq 0 ]
}

# tally - counts of test results, for run-bats and kernel/run.
# shellcheck shell=bash
# shellcheck disable=SC2034 # the caller's
# SPDX-License-Identifier: Apache-2.0

# tally LOG... - count the results in bats' TAP logs; sets passed, failed and skipped
tally() {
	count() { cat "${@:2}" | grep -c -a -E "$1" || true; }
	skipped=$(count '^ok .* # skip' "$@")
	passed=$(($(count '^ok ' "$@") - skipped))
	failed=$(count '^not ok ' "$@")
}

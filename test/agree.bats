#!/usr/bin/env bats
# `nicview`, `nic-health-monitor --once` and the service never contradict each other about a broken
# node, and the test that says so can fail.
#
# A sample of the combinations, always the same; with NHM_THOROUGH=1 each fault on each NIC that is
# watched. agree/README.md has what it is to contradict.
# Thorough: crash
# SPDX-License-Identifier: Apache-2.0

load lib/common

# What is killed leaves its nodes where bats removes them.
agree() { TMPDIR=$BATS_TEST_TMPDIR "$BATS_TEST_DIRNAME/agree/agree" "$@"; }

# found FLAW FAULT - one view is broken on purpose, and that is seen.
found() {
	run agree --platform "${3-l40s-onprem}" --fault "$2" --flaw "$1"
	[ "$status" -eq 1 ]
	[[ $output = *'! '*" has "*"of that: "* || $output = *'! '*headline* ]]
	[[ ${lines[-1]} =~ ,\ [1-9][0-9]*\ contradictions,\ [0-9]+\ s$ ]]
}

@test "the table, --once and the service agree on every single fault of every platform" {
	run agree ${NHM_THOROUGH:+--thorough}
	echo "$output"
	# shellcheck disable=SC2001 # not for a pattern
	sed 's/^/# /' <<<"${lines[-1]}" >&3
	[ "$status" -eq 0 ]
	[[ ${lines[-1]} =~ ^agree:\ [1-9][0-9]*\ combinations\ of\ .*,\ 0\ contradictions, ]]
}

@test "the test finds a --once that misses what the service and the table see" { found once-healthy down; }
@test "the test finds a --once that calls a fatal fault degraded" { found once-timid eject; }
@test "the test finds a --once that calls fatal what nobody can know" { found once-alarmed 'hang state'; }
@test "the test finds a table without marks" { found table-blind 'set rate'; }
@test "the test finds a table whose first line contradicts its rows" { found table-headline unplug; }
@test "the test finds a service that misses what --once sees" { found service-deaf 'remove a port'; }

@test "without GPU metadata the table and --once agree" {
	run agree --roleless --platform dgx-h100 --fault down
	echo "$output"
	[ "$status" -eq 0 ]
	[[ ${lines[-1]} = *'agree: 2 combinations of 2 NICs '*', 0 contradictions,'* ]]
	run agree --roleless --platform dgx-h100 --fault down --flaw table-blind
	[ "$status" -eq 1 ]
}

@test "options that make no sense are refused" {
	run agree --fault breakfast
	[ "$status" -eq 64 ]
	[[ $output = *'--fault: unknown: breakfast'* ]]
	run agree --jobs 0
	[ "$status" -eq 64 ]
}

#!/usr/bin/env bats
# agree: `nicview`, `nic-health-monitor --once` and the service agree about a broken node, and the
# comparison detects each contradiction that is planted in it.
#
# By default the comparison covers a fixed sample of the combinations of fault and NIC;
# NHM_THOROUGH=1 covers each fault on each monitored NIC. agree/README.md defines a contradiction.
# Thorough: crash
# SPDX-License-Identifier: Apache-2.0

load lib/common

# agree OPTION... - run the comparison; if it is killed, its nodes stay where bats removes them.
agree() { TMPDIR=$BATS_TEST_TMPDIR "$BATS_TEST_DIRNAME/agree/agree" "$@"; }

# found FLAW FAULT [PLATFORM] - check that the comparison detects FLAW, planted in one view, for
# FAULT.
found() {
	run agree --platform "${3-l40s-onprem}" --fault "$2" --flaw "$1"
	[ "$status" -eq 1 ]
	[[ $output = *'! '*" has "*"of that: "* || $output = *'! '*headline* ]]
	[[ ${lines[-1]} =~ ,\ [1-9][0-9]*\ contradictions,\ [0-9]+\ s$ ]]
}

@test "the table, --once and the service agree on each single fault of each platform" {
	run agree ${NHM_THOROUGH:+--thorough}
	echo "$output"
	# shellcheck disable=SC2001 # not for a pattern
	sed 's/^/# /' <<<"${lines[-1]}" >&3
	[ "$status" -eq 0 ]
	[[ ${lines[-1]} =~ ^agree:\ [1-9][0-9]*\ combinations\ of\ .*,\ 0\ contradictions, ]]
}

@test "the comparison detects a --once that misses what the service and the table report" { found once-healthy down; }
@test "the comparison detects a --once that reports a fatal fault as degraded" { found once-timid eject; }
@test "the comparison detects a --once that reports an unreadable state as fatal" { found once-alarmed 'hang state'; }
@test "the comparison detects a table that marks no row" { found table-blind 'set rate'; }
@test "the comparison detects a table whose first line contradicts its rows" { found table-headline unplug; }
@test "the comparison detects a service that misses what --once reports" { found service-deaf 'remove a port'; }

@test "without GPU metadata the table and --once agree" {
	run agree --roleless --platform dgx-h100 --fault down
	echo "$output"
	[ "$status" -eq 0 ]
	[[ ${lines[-1]} = *'agree: 2 combinations of 2 NICs '*', 0 contradictions,'* ]]
	run agree --roleless --platform dgx-h100 --fault down --flaw table-blind
	[ "$status" -eq 1 ]
}

@test "agree rejects invalid options with exit code 64" {
	run agree --fault breakfast
	[ "$status" -eq 64 ]
	[[ $output = *'--fault: unknown: breakfast'* ]]
	run agree --jobs 0
	[ "$status" -eq 64 ]
}

# trace - which line failed, without noting each line before it is run; when a test began, without
# asking a program. To be loaded once bats is there.
#
# bats notes where it is before every single command of a test and of what the test calls, and that
# takes a quarter of a millisecond: as long as starting a program for every seventh command, and
# half of the time of many tests. bash 5 still knows the place when the command has failed. (Not
# after `exit`, and not of an unset variable, which bash names itself.)
# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0

# `bats --trace` shows each command, so there they are noted.
if [ "${BATS_TRACE_LEVEL:-0}" -eq 0 ] && declare -F bats_debug_trap bats_capture_stack_trace \
	>/dev/null; then
	bats_debug_trap() { trap - DEBUG; }

	bats_error_trap() {
		bats_check_status_from_trap
		[ -n "$BATS_DEBUG_LAST_STACK_TRACE_IS_VALID" ] || bats_capture_stack_trace
		BATS_DEBUG_LAST_STACK_TRACE_IS_VALID=1
	}
fi

# bats notes when each test begins, also for a run that shows no times.
if declare -F get_mills_since_epoch >/dev/null; then
	get_mills_since_epoch() { echo $((${EPOCHREALTIME/[.,]/} / 1000)); }
fi

# trace - finds a failed line without recording each line before it runs, and the time without a
# process. Load it from a bats file.
#
# bats records its position before every command of a test and of its helpers, which takes a quarter
# of a millisecond: half of the time of many tests. bash 5 still knows the position after a command
# failed. (Not after `exit`, and not for an unset variable, which bash reports itself.)
# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0

# `bats --trace` shows each command and needs the records.
if [ "${BATS_TRACE_LEVEL:-0}" -eq 0 ] && declare -F bats_debug_trap bats_capture_stack_trace \
	>/dev/null; then
	bats_debug_trap() { trap - DEBUG; }

	bats_error_trap() {
		bats_check_status_from_trap
		[ -n "$BATS_DEBUG_LAST_STACK_TRACE_IS_VALID" ] || bats_capture_stack_trace
		BATS_DEBUG_LAST_STACK_TRACE_IS_VALID=1
	}
fi

# bats records when each test starts, even for a run that shows no times.
if declare -F get_mills_since_epoch >/dev/null; then
	get_mills_since_epoch() { echo $((${EPOCHREALTIME/[.,]/} / 1000)); }
fi
